"""Data files that weft writes, read by the engines: every type, content and nesting; many pages;
random schemas; long values. usage: lance_write_test.py types|random|large"""
import os
import sys
import tempfile

from driver import NIGHTLY, Checks
from lance_peers import use_lance_python

use_lance_python()

import pyarrow as pa  # noqa: E402
from lance.file import LanceFileReader  # noqa: E402

from lance_ours import OurError, Ours  # noqa: E402
from lance_shapes import Shapes, all_columns, random_table, same  # noqa: E402

checks = Checks()


def read_back(path, schema=None):
    return LanceFileReader(path).read_all(batch_size=100_000).to_table()


def compare(what, got, table):
    checks.that(got.num_rows == table.num_rows, f"{what}: {got.num_rows} rows, wanted {table.num_rows}")
    for name in table.column_names:
        difference = same(got.column(name), table.column(name))
        checks.that(difference is None, f"{what}, {name}: {difference}")


def write_and_read(ours, folder, what, table, **options):
    """One table through a file of ours and the engine."""
    if os.environ.get("WEFT_TRACE"):
        print(what, flush=True)
    name = f"f{len(os.listdir(folder))}"
    try:
        ours.write(folder, name, table, **options)
    except OurError as error:
        checks.that(False, f"{what}: {error}")
        return
    try:
        got = read_back(os.path.join(folder, name))
    except BaseException as error:  # pyo3 panics are no Exception
        checks.that(False, f"{what}: the engine says {str(error)[:300]}")
        return
    compare(what, got, table)


def types(ours, folder):
    for version in ("2.1", "2.2"):
        for rows, seed in ((1, 1), (3, 2), (700, 3), (5000, 4)) if NIGHTLY else ((3, 2), (2600, 3)):
            for name, array, nullable in all_columns(seed, rows, version):
                table = pa.table([array], schema=pa.schema([pa.field("c", array.type, nullable)]))
                write_and_read(ours, folder, f"{version} {rows} {name}", table, version=version, page_bytes=1 << 16)


def random_schemas(ours, folder):
    for seed in range(40 if NIGHTLY else 6):
        version = ("2.1", "2.2")[seed % 2]
        rows = (1, 90, 1500, 4000)[seed % 4]
        table = random_table(seed, rows, 70, version)
        # Batches of odd sizes, slices among them.
        cuts = [0, rows // 3, rows // 3 + 1, rows]
        table = pa.concat_tables([table.slice(a, b - a) for a, b in zip(cuts, cuts[1:])])
        write_and_read(ours, folder, f"random {seed} in {version}", table, version=version, page_bytes=(4096, 1 << 20)[seed % 3 == 0])


def large(ours, folder):
    shapes = Shapes(5, 10)
    r = shapes.r
    for version in ("2.1", "2.2"):
        huge = [r.randbytes(1000) * 40_000, b"", None, r.randbytes(3_000_000), b"x" * (100_000_000 if NIGHTLY else 12_000_000)]
        table = pa.table({"b": pa.array(huge, pa.large_binary()), "i": pa.array(range(5))})
        write_and_read(ours, folder, f"{version} huge values", table, version=version)
        documents = [" ".join(r.choice(shapes.words) for _ in range(r.choice([3, 9000]))) if i % 7 else None for i in range(300)]
        write_and_read(ours, folder, f"{version} documents", pa.table({"d": documents, "l": pa.array(documents, pa.large_string())}), version=version)
        wide = pa.array([[float(i + k) for k in range(4096)] for i in range(300)], pa.list_(pa.float32(), 4096))
        write_and_read(ours, folder, f"{version} vectors of 4096", pa.table({"v": wide}), version=version)
        # Long runs of lists without items, in lists and in lists of lists.
        sparse = ([[]] * 9000 + [[1, None, 2]] + [None] * 5000 + [[4]] + [[], None] * 30_000 + [[5]] * 3 + [[]]) * 2
        nested = [[[]] * 6000 + [[1]], [], None, [[2], [], None, [3, None]]] + [[]] * 7000 + [[[7]] * 3]
        for t in (pa.int32(), pa.string(), pa.bool_(), pa.list_(pa.float32(), 2)):
            put = lambda x: None if x is None else {pa.int32(): x, pa.string(): f"w{x}", pa.bool_(): x > 2}.get(t, [x, x / 2])  # noqa: E731, B023
            one = pa.array([None if l is None else [put(x) for x in l] for l in sparse], pa.list_(t))
            write_and_read(ours, folder, f"{version} empty lists of {t}", pa.table({"l": one}), version=version)
            if t != pa.bool_():
                two = pa.array([None if l is None else [None if m is None else [put(x) for x in m] for m in l] for l in nested], pa.list_(pa.list_(t)))
                write_and_read(ours, folder, f"{version} empty lists of lists of {t}", pa.table({"l": two}), version=version)
        table = pa.table({"i": pa.array([], pa.int32()), "s": pa.array([], pa.string())})
        write_and_read(ours, folder, f"{version} no rows", table, version=version)


if __name__ == "__main__":
    parts = {"types": types, "random": random_schemas, "large": large}
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours()
        parts[sys.argv[1]](ours, folder)
        ours.close()
    checks.finish()
