"""Writing a Lance data file: weft against pylance, the same rows, the same threads, in turns.
usage: lance_write.py PROGRAM [ROWS [FOLDER]]      PROGRAM: lance_write_speed, a release build

pylance gets the rows from weft's file, as one table in memory; both hold the rows in one process for all rounds, since pages
of memory that the machine never touched make a first write several times slower. Each round writes three files: weft's as it always
writes, synced; weft's without waiting for the disk, which is what pylance does; pylance's. The ratio compares the last
two. After each round pylance reads weft's file, and the byte sum of every column must be that of the rows that weft was
given, and its own file equals it."""
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

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
from lance.file import LanceFileReader, LanceFileWriter  # noqa: E402

ROUNDS = 3


def theirs(table, path, version):
    begin, cpu = time.perf_counter(), time.process_time()
    with LanceFileWriter(path, table.schema, version=version) as writer:
        for batch in table.to_batches(max_chunksize=65536):
            writer.write_batch(batch)
    return time.perf_counter() - begin, time.process_time() - cpu


def read(path):
    return LanceFileReader(path).read_all(batch_size=65536).to_table()


def byte_sum(column):
    total = 0
    for array in column.chunks:
        if pa.types.is_fixed_size_list(array.type):
            array = array.flatten()
        if pa.types.is_string(array.type):
            ends = np.frombuffer(array.buffers()[1], np.int32)[array.offset:array.offset + len(array) + 1]
            total += int(np.frombuffer(array.buffers()[2], np.uint8)[ends[0]:ends[-1]].sum(dtype=np.uint64))
        else:
            total += int(np.ascontiguousarray(array.to_numpy(zero_copy_only=False)).view(np.uint8).sum(dtype=np.uint64))
    return total


class Ours:
    """weft, that writes a file for each line that it is sent."""

    def __init__(self, program, folder, rows, version):
        self.process = subprocess.Popen([program, folder, rows, "2", version], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def write(self, path, way):
        if os.path.exists(path):
            os.remove(path)
        self.process.stdin.write(way + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compare(program, rows, version, folder):
    path, other = os.path.join(folder, "ours.lance"), os.path.join(folder, "theirs.lance")
    ours = Ours(program, folder, rows, version)
    table, unsynced, synced, peer, right = None, [], [], [], True
    for _ in range(ROUNDS):
        for way, times in (("synced", synced), ("unsynced", unsynced)):
            answer = ours.write(path, way)
            times.append((answer["seconds"], answer["cpu"]))
            found = read(path)
            right = right and [byte_sum(c) for c in found.columns] == answer["sums"]
            table = found if table is None else table
        if os.path.exists(other):
            os.remove(other)
        peer.append(theirs(table, other, version))
        right = right and read(other).equals(found)
        del found
    ours.close()
    size, their_size = os.path.getsize(path), os.path.getsize(other)
    cpu = min(c for _, c in peer) / min(c for _, c in unsynced)
    print(f"{version}: weft {min(unsynced)[0]:.2f} s, synced {min(synced)[0]:.2f} s, {size} bytes; pylance {min(peer)[0]:.2f} s, "
          f"{their_size} bytes; ratio {min(peer)[0] / min(unsynced)[0]:.2f} (processor time {cpu:.2f}), size {size / their_size:.4f}, "
          f"values {'right' if right else 'WRONG'} in every round", flush=True)
    return right


def main():
    program, rows = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "5000000"
    with tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None) as folder:
        return 0 if all([compare(program, rows, version, folder) for version in ("2.1", "2.2")]) else 1


sys.exit(main())
