"""States that crashes of weft's writers leave behind, opened by the engines: the version before or the one
after, whole, and the engine can write on. The crash tests leave the states (WEFT_CRASH_STATES)."""
import os
import subprocess
import sys

os.environ.setdefault("RUST_LOG", "error")

from driver import Checks, scratch, skip
from lance_peers import use_lance_python

use_lance_python()

import pyarrow as pa  # noqa: E402

from lance_engines import LanceDb, Pylance  # noqa: E402
from lance_ours import BUILD  # noqa: E402

checks = Checks()
program = next((path for path in (os.path.join(BUILD, "crash_lance_tests"), os.path.join(BUILD, "tests", "crash", "crash_lance_tests")) if os.access(path, os.X_OK)), None)
if program is None:
    skip(f"no crash_lance_tests in {BUILD}")
with scratch("lance-crash") as folder:
    done = subprocess.run([program], env={**os.environ, "WEFT_CRASH_STATES": folder}, capture_output=True, text=True)
    checks.equal(done.returncode, 0, "the crash tests", done.stdout[-2000:])
    states = sorted(os.listdir(folder))
    checks.that(len(states) >= 20, "a sample of states", len(states))
    newer = 0
    for number, state in enumerate(states):
        with open(os.path.join(folder, state, "expected")) as file:
            old, old_rows, new, new_rows = map(int, file.read().split())
        table = os.path.join(folder, state, "t.lance")
        for engine in (Pylance(), LanceDb()):
            what = f"{engine.name}, {state}"
            try:
                version, rows = engine.version(table), engine.rows(table)
            except BaseException as error:
                checks.that(False, what, str(error)[:600])
                continue
            wanted = {old: old_rows, new: new_rows}
            checks.equal(rows.num_rows, wanted.get(version), f"{what}: rows of version {version}")
            checks.equal(engine.count(table), rows.num_rows, f"{what}: count")
            checks.that(set(rows["s"].to_pylist()) <= {"row"}, f"{what}: values")
            newer += version == new != old
        engine = (Pylance(), LanceDb())[number % 2]
        try:
            engine.append(table, pa.table({"id": pa.array([77], pa.int64()), "s": ["row"]}, schema=pa.schema([pa.field("id", pa.int64(), False), pa.field("s", pa.string())])))
            checks.equal(engine.count(table, "id = 77"), 1, f"{engine.name}, {state}: writes on")
        except BaseException as error:
            checks.that(False, f"{engine.name}, {state}: writes on", str(error)[:600])
    checks.that(newer > 0, "some states are of after the commit")
    print(f"{len(states)} states")
checks.finish()
