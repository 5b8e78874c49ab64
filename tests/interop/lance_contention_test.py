"""weft and an engine write to one table at once: upserts and merge-inserts of the same keys, appends of
own rows by delete and insert, compactions. None is lost, no key is there twice.
WEFT_NIGHTLY=1: 200 commits of each side and table, else 20."""
import os
import random
import sys
import threading
import time

os.environ.setdefault("RUST_LOG", "error")

from driver import NIGHTLY, Checks, scratch
from lance_peers import use_lance_python

use_lance_python()

import lance  # noqa: E402
import pyarrow as pa  # noqa: E402

from lance_engines import LanceDb, Pylance  # noqa: E402
from lance_ours import Ours  # noqa: E402

COMMITS = 200 if NIGHTLY else 20
SHARED_KEYS = 60
checks = Checks()
KEY = {b"lance-schema:unenforced-primary-key": b"true"}
SCHEMA = pa.schema([pa.field("id", pa.int64(), False, metadata=KEY), pa.field("s", pa.string())])


def rows_of(pairs):
    return pa.table({"id": pa.array([i for i, _ in pairs], pa.int64()), "s": [s for _, s in pairs]}, schema=SCHEMA)


class Writer(threading.Thread):
    """One side. Every commit upserts some shared keys and one key of its own; each seventh deletes one of
    its own keys; each fiftieth compacts."""

    def __init__(self, name, first_own, upsert, delete, compact):
        super().__init__()
        self.side, self.first_own = name, first_own
        self.upsert, self.delete, self.compact = upsert, delete, compact
        self.own, self.written, self.commits, self.given_up, self.failure = {}, {}, 0, 0, None

    def patiently(self, action):
        """An engine gives up after some lost races: that was no commit, it is done again."""
        until = time.monotonic() + 120
        while True:
            try:
                return action()
            except BaseException as error:
                text = str(error).lower()
                if not any(word in text for word in ("conflict", "contention", "retr", "concurrent")) or time.monotonic() > until:
                    raise
                self.given_up += 1

    def run(self):
        r = random.Random(self.first_own)
        try:
            for n in range(COMMITS):
                if n % 7 == 6:
                    gone = r.choice(sorted(self.own))
                    self.patiently(lambda: self.delete(gone))  # noqa: B023
                    del self.own[gone]
                elif n % 50 == 49:
                    self.patiently(self.compact)
                else:
                    text = f"{self.side} {n}"
                    keys = r.sample(range(SHARED_KEYS), 3) + [self.first_own + n]
                    self.patiently(lambda: self.upsert(rows_of([(k, text) for k in keys])))  # noqa: B023
                    self.own[self.first_own + n] = text
                    for key in keys[:3]:
                        self.written.setdefault(key, set()).add(text)
                self.commits += 1
        except BaseException as error:
            self.failure = f"{type(error).__name__}: {str(error)[:1000]}"


def contend(folder, engine, made_by_us, stable, number):
    what = f"{engine.name}, {'our' if made_by_us else 'their'} table{', stable row ids' if stable else ''}"
    path = os.path.join(folder, f"t{number}.lance")
    ours = Ours()
    start = rows_of([(-1, "start")])
    if made_by_us:
        ours.create(path, start, keys=["id"], stable=stable)
    else:
        lance.write_dataset(start, path, enable_stable_row_ids=stable)
    sides = [
        Writer("weft", 10_000, lambda rows: ours.upsert(path, rows, ["id"]),
               lambda key: ours.delete(path, pa.table({"id": pa.array([key], pa.int64())})), lambda: ours.compact(path)),
        Writer("engine", 20_000, lambda rows: engine.merge(path, "id", rows), lambda key: engine.delete(path, f"id = {key}"), lambda: engine.optimize(path)),
    ]
    begin = time.monotonic()
    for side in sides:
        side.start()
    for side in sides:
        side.join()
    seconds = time.monotonic() - begin
    for side in sides:
        checks.equal((side.failure, side.commits), (None, COMMITS), f"{what}: {side.side}")
    dump = ours.dump(path)
    checks.that(dump.table.sort_by("id").equals(lance.dataset(path).to_table().sort_by("id").cast(dump.table.schema)), f"{what}: both see the same rows")
    got = {}
    for row in dump.table.to_pylist():
        checks.that(row["id"] not in got, f"{what}: key {row['id']} is there twice")
        got[row["id"]] = row["s"]
    for side in sides:
        own = {k: v for k, v in got.items() if side.first_own <= k < side.first_own + 10_000}
        checks.equal(own, side.own, f"{what}: rows of {side.side}")
    shared = {k: v for k, v in got.items() if 0 <= k < SHARED_KEYS}
    wanted = {k: sides[0].written.get(k, set()) | sides[1].written.get(k, set()) for k in range(SHARED_KEYS)}
    checks.equal(set(shared), {k for k, v in wanted.items() if v}, f"{what}: shared keys")
    checks.that(all(v in wanted[k] for k, v in shared.items()), f"{what}: values of shared keys")
    numbers = [v["version"] for v in lance.dataset(path).versions()]
    checks.equal(numbers, list(range(1, len(numbers) + 1)), f"{what}: versions follow one another")
    checks.equal(ours.verify(path), len(got), f"{what}: verified")
    print(f"{what}: {2 * COMMITS} commits in {seconds:.1f} s, {dump.version} versions, given up and done again: weft {sides[0].given_up}, engine {sides[1].given_up}")
    ours.close()


with scratch("lance-contention") as scratch_folder:
    cases = [(Pylance(), True, True), (LanceDb(), True, False), (Pylance(), False, False)]
    for case, (peer, by_us, stable_ids) in enumerate(cases if NIGHTLY else cases[:2]):
        contend(scratch_folder, peer, by_us, stable_ids, case)
checks.finish()
