#!/usr/bin/env python3
"""Reading Lance files: weft and pylance on the same file, in turn, in one run.

usage: bench/lance_peer.py LANCE_SPEED [--rows N] [--folder DIR] [--rounds N] [--version 2.1|2.2]

Needs pylance 14 (and numpy, pyarrow). Makes a table of N (5,000,000) rows x 6 columns: int64, int32,
float64, short text, text of about 80 bytes, a vector of 64 floats. Prints milliseconds (best of the
rounds) and ratios, above 1 where weft is faster, of wall and of CPU time; a sum over the bytes of
all values must agree. Threads: LANCE_CPU_THREADS=2 and 2 of weft.
"""
import argparse
import os
import subprocess
import sys
import time

THREADS = 2
os.environ["LANCE_CPU_THREADS"] = str(THREADS)
import lance  # noqa: E402
import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402


def batches(rows):
    words = np.array(["graph", "table", "column", "version", "manifest", "vector", "branch", "of the", "and", "is"])
    random = np.random.default_rng(5)
    step = 250_000
    for start in range(0, rows, step):
        n = min(step, rows - start)
        picks = random.integers(0, len(words), (n, 14))
        long = pa.array([" ".join(words[p]) for p in picks])
        short = pa.array(["k%07d" % x for x in random.integers(0, 10_000_000, n)])
        vector = pa.FixedSizeListArray.from_arrays(pa.array(random.random(n * 64, dtype=np.float32)), 64)
        yield pa.record_batch(
            [pa.array(np.arange(start, start + n)), pa.array(random.integers(0, 100_000, n, dtype=np.int32)),
             pa.array(random.random(n)), short, long, vector], schema=SCHEMA)


SCHEMA = pa.schema([("id", pa.int64()), ("number", pa.int32()), ("real", pa.float64()), ("short", pa.string()),
                    ("long", pa.string()), ("vector", pa.list_(pa.float32(), 64))])


def byte_sum(array):
    if pa.types.is_fixed_size_list(array.type):
        array = array.flatten()
    if pa.types.is_string(array.type):
        offsets = np.frombuffer(array.buffers()[1], np.int32)[array.offset:array.offset + len(array) + 1]
        data = np.frombuffer(array.buffers()[2], np.uint8)[offsets[0]:offsets[-1]]
        return int(data.sum(dtype=np.uint64))
    return int(np.ascontiguousarray(array.to_numpy(zero_copy_only=False)).view(np.uint8).sum(dtype=np.uint64))


def measure(run, with_sum):
    wall, cpu = time.perf_counter(), time.process_time()
    paused = pause_cpu = total = 0
    for batch in run():
        if with_sum:
            w, c = time.perf_counter(), time.process_time()
            for column in batch.columns:
                for chunk in (column.chunks if isinstance(column, pa.ChunkedArray) else [column]):
                    total += byte_sum(chunk)
            paused += time.perf_counter() - w
            pause_cpu += time.process_time() - c
    return (time.perf_counter() - wall - paused) * 1e3, (time.process_time() - cpu - pause_cpu) * 1e3, total


def peer(dataset, rows, rounds):
    wanted = [(i * 2654435761 + 12345) % rows for i in range(10_000)]
    names = dataset.schema.names
    two = [names[0], names[2]]
    scan = lambda columns: lambda: dataset.scanner(columns=columns).to_batches()  # noqa: E731
    runs = {"scan " + name: scan([name]) for name in names}
    runs["scan " + " ".join(two)] = scan(two)
    runs["scan"] = scan(names)
    runs["take 10000 at once"] = lambda: [dataset.take(wanted)]
    runs["take 10000 at once, two columns"] = lambda: [dataset.take(wanted, columns=two)]
    runs["take 10000 one by one"] = lambda: (dataset.take([row]) for row in wanted)
    out = {}
    for name, run in runs.items():
        repeat = 1 if name.endswith("one by one") else rounds
        results = [measure(run, i + 1 == repeat) for i in range(repeat)]
        out[name] = (min(r[0] for r in results), min(r[1] for r in results), results[-1][2])
    return out


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("--rows", type=int, default=5_000_000)
    options.add_argument("--folder", default="/tmp/weft-bench-lance")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--version", default="2.1")
    chosen = options.parse_args()
    uri = f"{chosen.folder}/{chosen.rows}-{chosen.version}.lance"
    if not os.path.isdir(uri):
        reader = pa.RecordBatchReader.from_batches(SCHEMA, batches(chosen.rows))
        lance.write_dataset(reader, uri, max_rows_per_file=1 << 30, data_storage_version=chosen.version)
    dataset = lance.dataset(uri)
    (fragment,) = dataset.get_fragments()
    path = f"{uri}/data/{fragment.data_files()[0].path}"
    with open(path, "rb") as file:  # warm the cache
        while file.read(1 << 24):
            pass
    theirs = peer(dataset, chosen.rows, chosen.rounds)
    text = subprocess.run([chosen.program, path, str(THREADS), "--repeat", str(chosen.rounds)], check=True,
                          capture_output=True, text=True).stdout
    bad = 0
    print(f"{chosen.rows} rows, file version {chosen.version}, {os.path.getsize(path) / 1e6:.0f} MB, {THREADS} threads")
    print(f"{'':34}{'weft ms':>10}{'pylance':>10}{'ratio':>8}{'CPU ratio':>11}")
    for line in text.splitlines():
        name, wall, cpu, total = line.split("\t")
        w, c, expected = theirs[name]
        wrong = int(total) != expected
        bad += wrong
        print(f"{name:34}{float(wall):10.1f}{w:10.1f}{w / float(wall):8.2f}{c / max(float(cpu), .001):11.2f}"
              + ("  WRONG ANSWER" if wrong else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
