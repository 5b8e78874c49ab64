"""Writing a Lance data file: weft against pylance, the same rows, the same threads, in turns.
usage: lance_write.py PROGRAM [ROWS]      PROGRAM: lance_write_speed, a release build

pylance gets the rows from weft's file, as one table in memory. Both write one data file; weft's time
includes the sync of the file, which pylance does not do (figures are given with and without it)."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests", "interop"))
os.environ.setdefault("LANCE_CPU_THREADS", "2")
from lance_peers import use_lance_python  # noqa: E402

use_lance_python()

from lance.file import LanceFileReader, LanceFileWriter  # noqa: E402

REPEATS = 3


def theirs(table, path, version):
    begin = time.perf_counter()
    with LanceFileWriter(path, table.schema, version=version) as writer:
        for batch in table.to_batches(max_chunksize=65536):
            writer.write_batch(batch)
    return time.perf_counter() - begin


def main():
    program, rows = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "5000000"
    for version in ("2.1", "2.2"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ours.lance")
            other = os.path.join(folder, "theirs.lance")
            table, our_times, their_times = None, [], []
            for _ in range(REPEATS):
                if os.path.exists(path):
                    os.remove(path)
                ours = json.loads(subprocess.check_output([program, folder, rows, "2", version]))
                if table is None:
                    table = LanceFileReader(path).read_all(batch_size=65536).to_table()
                our_times.append((ours["seconds"], ours["before_finish"]))
                if os.path.exists(other):
                    os.remove(other)
                their_times.append(theirs(table, other, version))
            their_bytes = os.path.getsize(other)
            best, unsynced = min(our_times)
            print(
                f"{version}: ours {best:.2f} s ({unsynced:.2f} before the last pages and the sync), {ours['bytes']} bytes; "
                f"pylance {min(their_times):.2f} s, {their_bytes} bytes; "
                f"ratio {min(their_times) / best:.2f}, size {ours['bytes'] / their_bytes:.4f}",
                flush=True,
            )


main()
