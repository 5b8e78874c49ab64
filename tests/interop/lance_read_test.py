"""Data files that pylance writes, read by weft: every type, content and nesting, and random schemas, in
2.0, 2.1 and 2.2, with the default encodings and with those that field metadata asks for.
usage: lance_read_test.py types|random"""
import os
import random
import sys
import tempfile

from driver import NIGHTLY, Checks
from lance_peers import use_lance_python

use_lance_python()

import pyarrow as pa  # noqa: E402
from lance.file import LanceFileWriter  # noqa: E402

from lance_ours import OurError, Ours, children, flat_fields  # noqa: E402
from lance_shapes import all_columns, random_table, same  # noqa: E402

checks = Checks()
refused = {}


SETTINGS = [
    {},
    {"lance-encoding:compression": "lz4"},
    {"lance-encoding:compression": "zstd", "lance-encoding:compression-level": "9"},
    {"lance-encoding:compression": "fsst"},
    {"lance-encoding:compression": "none"},
    {"lance-encoding:bss": "on", "lance-encoding:compression": "zstd"},
    {"lance-encoding:structural-encoding": "fullzip"},
    {"lance-encoding:structural-encoding": "miniblock"},
    {"lance-encoding:rle-threshold": "1.0"},
    {"lance-encoding:dict-divisor": "1"},
]


def columns_of(schema, version):
    """The manifest's mapping: which fields have columns, and which."""
    fields = flat_fields(schema)
    if version == "2.0":
        ids = [field[0] for field in fields]
    else:
        parents = {field[1] for field in fields}
        ids = [field[0] for field in fields if field[0] not in parents]
    return fields, ids, list(range(len(ids)))


def write_and_read(ours, folder, what, table, version, batches=1):
    path = os.path.join(folder, f"f{len(os.listdir(folder))}")
    try:
        with LanceFileWriter(path, table.schema, version=version) as writer:
            for batch in table.to_batches(max_chunksize=max(1, table.num_rows // batches)):
                writer.write_batch(batch)
    except BaseException as error:  # what the engine does not write, nobody has to read
        refused[str(error)[:60]] = refused.get(str(error)[:60], 0) + 1
        return
    try:
        got = ours.read(path, table.schema, *columns_of(table.schema, version))
    except OurError as error:
        checks.that(False, f"{what}, {table.schema.types}: {error}")
        return
    for name in table.column_names:
        difference = same(got.column(name), table.column(name))
        checks.that(difference is None, f"{what}, {name}: {difference}")


def with_setting(table, choose):
    """The table with metadata of encodings on its top-level fields."""
    return table.cast(pa.schema([field.with_metadata(choose(field)) for field in table.schema]))


def types(ours, folder):
    for version in ("2.0", "2.1", "2.2"):
        for rows, seed in ((1, 1), (3, 2), (700, 3), (5000, 4)) if NIGHTLY else ((3, 12), (2600, 13)):
            for name, array, nullable in all_columns(seed, rows, version):
                table = pa.table([array], schema=pa.schema([pa.field("c", array.type, nullable)]))
                write_and_read(ours, folder, f"{version} {rows} {name}", table, version)


def random_schemas(ours, folder):
    for seed in range(90 if NIGHTLY else 9):
        version = ("2.0", "2.1", "2.2")[seed % 3]
        rows = (90, 1500, 4000)[seed // 3 % 3]
        r = random.Random(seed)
        table = random_table(1000 + seed, rows, 60, version)
        if version == "2.0":
            # It has no null structs; nothing that is refused may hide the other columns.
            for name in table.column_names:
                one = table.select([name])
                write_and_read(ours, folder, f"random {seed} in {version}", one, version, batches=r.randint(1, 3))
            continue
        write_and_read(ours, folder, f"random {seed} in {version}", table, version, batches=r.randint(1, 3))
        plain = [f.name for f in table.schema if not children(f.type)]
        asked = with_setting(table.select(plain), lambda field: r.choice(SETTINGS))
        for name in plain:
            what = f"random {seed} in {version} with {asked.schema.field(name).metadata}"
            write_and_read(ours, folder, what, asked.select([name]), version)


if __name__ == "__main__":
    parts = {"types": types, "random": random_schemas}
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours()
        parts[sys.argv[1]](ours, folder)
        ours.close()
    for message, count in sorted(refused.items()):
        print(f"the engine does not write {count}: {message}")
    checks.finish()
