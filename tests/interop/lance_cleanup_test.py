"""The engines' cleanup, with every setting, as an adversary of our tables. It knows tags and branches, but
no detached versions: of what only those name it takes deletion files and transactions, which weft keeps
copies of, and never a data file of ours."""
import datetime
import os
import time

os.environ.setdefault("RUST_LOG", "error")

from driver import scratch
from lance_peers import use_lance_python

use_lance_python()

import lance  # noqa: E402
import lancedb  # noqa: E402
import pyarrow as pa  # noqa: E402

from lance_engines import LanceJs  # noqa: E402
from lance_ours import Ours  # noqa: E402
from lance_tables_test import attempt, checks, ids  # noqa: E402


def cleanup(ours, folder):
    day = datetime.timedelta(days=1)
    rows = lambda a, b: pa.table({"id": pa.array(range(a, b), pa.int64()), "s": [f"r{i}" for i in range(a, b)]})  # noqa: E731
    key = lambda i: pa.table({"id": pa.array([i], pa.int64())})  # noqa: E731

    def default(path):
        lance.dataset(path).cleanup_old_versions(error_if_tagged_old_versions=False)

    def everything(path):
        lance.dataset(path).cleanup_old_versions(older_than=0 * day, delete_unverified=True, error_if_tagged_old_versions=False)

    def verified(path):
        lance.dataset(path).cleanup_old_versions(older_than=0 * day, error_if_tagged_old_versions=False)

    def retained(path):
        lance.dataset(path).cleanup_old_versions(retain_versions=1, delete_unverified=True, error_if_tagged_old_versions=False)

    def optimize(path):
        table = lancedb.connect(os.path.dirname(path)).open_table(os.path.basename(path)[: -len(".lance")])
        table.optimize(cleanup_older_than=0 * day, delete_unverified=True)

    def listed(path):
        old = [v["version"] for v in lance.dataset(path).versions()][1:-1]
        lance.dataset(path).cleanup_old_versions(versions=old, delete_unverified=True, error_if_tagged_old_versions=False)

    def lancedb_cleanup(path):
        table = lancedb.connect(os.path.dirname(path)).open_table(os.path.basename(path)[: -len(".lance")])
        table.cleanup_old_versions(older_than=0 * day, delete_unverified=True)

    node = LanceJs() if LanceJs.is_there() else None
    if node is None:
        checks.part_skipped("no node, or no @lancedb/lancedb (tools/peers.sh lance-js)")

    def node_optimize(path):
        node.clean(path)

    number = 0
    cleanups = [default, verified, everything, retained, listed, optimize, lancedb_cleanup]
    for clean in cleanups + ([node_optimize] if node else []):
        for aged in (False, True):
            for what in ("append", "delete"):
                number += 1
                path = os.path.join(folder, f"c{number}.lance")
                name = f"{clean.__name__}{', after 30 days' if aged else ''}, detached {what}"
                ours.create(path, rows(0, 10), stable=number % 2 == 0)
                ours.make_tag(path, "first")
                ours.append(path, rows(10, 20), fold=False)
                ours.make_branch(path, "side")
                ours.append(path, rows(100, 101), branch="side")
                ours.delete(path, key(3))
                ours.append(path, rows(20, 25), fold=False)
                detached, head = ours.detach_append(path, rows(25, 30)) if what == "append" else ours.detach_delete(path, key(7))
                if aged:
                    old = time.time() - 30 * 86400
                    for at, _, files in os.walk(path):
                        for file in files:
                            os.utime(os.path.join(at, file), (old, old))
                try:
                    clean(path)
                except BaseException as error:
                    # An optimize that finds tagged versions in its way ends so, and cleans nothing.
                    checks.that("tagged" in str(error).lower(), f"{name}: their cleanup", error)
                want = [i for i in range(25) if i != 3]
                checks.equal(sorted(ours.dump(path).table["id"].to_pylist()), want, f"{name}: the head")
                checks.equal(ids(attempt(name, lambda: ours.dump(path, version=1).table)), list(range(10)), f"{name}: the tagged version")  # noqa: B023
                side = attempt(name, lambda: ours.dump(path, branch="side").table)  # noqa: B023
                checks.equal(ids(side), [*range(20), 100], f"{name}: the branch")
                if clean in (optimize, node_optimize) and lance.dataset(path).version >= head:
                    checks.equal(ours.follow(path, detached, head), False, f"{name}: the number is taken, and weft says so")
                    continue
                checks.equal(attempt(name, ours.follow, path, detached, head), True, f"{name}: followed")
                want = want + list(range(25, 30)) if what == "append" else [i for i in want if i != 7]
                for side, got in (("we", ours.dump(path).table), ("they", lance.dataset(path).to_table())):
                    checks.equal(sorted(ids(got)), want, f"{name}: {side} read what followed")
                checks.equal(ours.verify(path), len(want), f"{name}: verified")
    print(f"{number} tables: {len(cleanups) + (node is not None)} ways of cleaning up, files young and of 30 days, appends and deletions left detached")
    if node:
        node.close()


if __name__ == "__main__":
    with scratch("lance-cleanup") as scratch_folder:
        driver = Ours()
        cleanup(driver, scratch_folder)
        driver.close()
    checks.finish()
