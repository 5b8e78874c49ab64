"""Whole tables between weft and the Lance engines.
usage: lance_tables_test.py types|read|write|theirs
  types   every type of the schema language, nullable and not, one by one: ours in theirs, theirs in ours
  read    they open, count, filter, take and travel in our tables: all types, versions, tags, branches
  write   they and we write to one table, made by us or by them, indices present; all searches stay right
  theirs  we read what they make: many columns, all encodings, file versions mixed, deletions"""
import os
import random
import sys

os.environ.setdefault("RUST_LOG", "error")

from driver import NIGHTLY, Checks, scratch
from lance_peers import use_lance_python

use_lance_python()

import lance  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.compute as pc  # noqa: E402

from lance_engines import engines  # noqa: E402
from lance_ours import Ours  # noqa: E402
from lance_shapes import Shapes, all_columns, random_table, same  # noqa: E402

checks = Checks()


def attempt(what, action, *arguments, **options):
    """What an engine or weft answers; None if it fails, which is counted."""
    try:
        return action(*arguments, **options)
    except BaseException as error:  # panics of the engines are no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        checks.that(False, what, f"{type(error).__name__}: {str(error)[:1500]}")
        return None


def ids(rows, column="id"):
    """A column of a table that may not be there."""
    return None if rows is None else rows[column].to_pylist() if rows.column_names else []


def plain(column):
    """A column whose type differs in name alone: views, dictionaries."""
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    t = column.type
    if pa.types.is_dictionary(t):
        return column.cast(t.value_type)
    return column


def compare(what, got, want, skip=()):
    """Two tables: columns, then every value in order."""
    if got is None:
        return
    if got.num_rows == 0 and want.num_rows == 0 and not got.column_names:
        return  # arrow for JavaScript has no empty tables with columns
    if not checks.equal((got.num_rows, got.column_names), (want.num_rows, want.column_names), what):
        return
    for name in want.column_names:
        if name in skip:
            continue
        left, right = plain(got[name]), plain(want[name])
        difference = same(left, right)
        checks.that(difference is None, f"{what}, {name} {want[name].type}: {difference}")


# Types that arrow for JavaScript does not hold or takes for others: weft's files of them are checked
# with the two other engines.
def js_holds(t):
    nested = [t.field(i).type for i in range(t.num_fields)] if t.num_fields else []
    strange = (pa.types.is_large_list(t) or pa.types.is_large_binary(t) or pa.types.is_large_string(t) or pa.types.is_decimal256(t)
               or pa.types.is_map(t) or pa.types.is_dictionary(t) or pa.types.is_decimal(t) or pa.types.is_null(t))
    return not strange and all(map(js_holds, nested))


def wide_table(seed, rows, version):
    """One column of every type, with nulls where it may, and an id."""
    columns, fields = [pa.array(range(rows), pa.int64())], [pa.field("id", pa.int64(), False)]
    shapes = Shapes(seed, rows)
    for t in shapes.leaf_types() + shapes.list_types() + [shapes.nested_type(1 + i % 3, version == "2.2") for i in range(12)]:
        nullable = len(columns) % 3 != 0
        kind = ("any", "few", "runs")[len(columns) % 3]
        columns.append(shapes.array(t, kind, 0.2 if nullable else 0))
        fields.append(pa.field(f"c{len(fields)}", t, nullable))
    return pa.table(columns, schema=pa.schema(fields))


def language_types():
    """The types that tables of graphs have (and what stands beside them), by name."""
    scalars = [pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float32(), pa.float64(),
               pa.date32(), pa.date64(), *(pa.timestamp(u) for u in ("s", "ms", "us", "ns")), pa.timestamp("us", "UTC"), pa.string(), pa.binary()]
    vectors = [pa.list_(pa.float32(), width) for width in (1, 3, 64, 768, 1536, 4095, 4096)]
    lists = [pa.list_(t) for t in scalars]
    structs = [pa.struct([("x", pa.int64()), ("y", pa.string())]), pa.struct([("v", pa.list_(pa.float32(), 4)), ("b", pa.bool_())]),
               pa.struct([("l", pa.list_(pa.string())), ("s", pa.struct([("d", pa.date32())]))]), pa.list_(pa.struct([("k", pa.string()), ("n", pa.int32())]))]
    beside = [pa.float16(), pa.large_string(), pa.large_binary(), pa.binary(16), pa.time32("ms"), pa.time64("us"), pa.duration("us"), pa.decimal128(20, 4)]
    return scalars + vectors + lists + structs + beside


def types(ours, folder):
    shapes = Shapes(31, 120)
    fields, columns = [pa.field("id", pa.int64(), False)], [pa.array(range(120), pa.int64())]
    for t in language_types():
        for nullable in (False, True):
            columns.append(shapes.array(t, ("any", "few", "runs")[len(columns) % 3], 0.25 if nullable else 0))
            fields.append(pa.field(f"{'n' if nullable else 'r'}{len(fields)}", t, nullable))
    table = pa.table(columns, schema=pa.schema(fields))
    for engine in engines(checks):
        held = [f.name for f in table.schema if engine.name != "@lancedb/lancedb" or js_holds(f.type)]
        part = table.select(held)
        counts = {}
        for version in ("2.1", "2.2"):
            path = os.path.join(folder, f"types-{len(os.listdir(folder))}.lance")
            ours.create(path, table, version=version)
            found = attempt(f"{engine.name} reads {version}", engine.rows, path, columns=held)
            compare(f"{engine.name} reads {version}", found, part)
            counts[f"ours in {version}"] = 0 if found is None else found.num_columns
        path = os.path.join(folder, f"types-{len(os.listdir(folder))}.lance")
        attempt(f"{engine.name} creates", engine.create, path, part)
        dump = attempt(f"we read what {engine.name} made", ours.dump, path)
        compare(f"we read what {engine.name} made", dump and dump.table, part)
        counts["theirs"] = 0 if dump is None else dump.table.num_columns
        # And back: our rows behind theirs.
        attempt(f"we append to what {engine.name} made", ours.append, path, part)
        compare(f"{engine.name} reads both", attempt(engine.name, engine.rows, path), pa.concat_tables([part, part]))
        print(f"{engine.name}: columns that were compared value by value: {counts}, of {len(language_types())} types, nullable and not", flush=True)
        engine.close()


def read(ours, folder):
    for version in ("2.1", "2.2"):
        path = os.path.join(folder, f"wide{version[-1]}.lance")
        rows = wide_table(71, 2100, version)
        first, second, third = rows.slice(0, 1500), rows.slice(1500, 300), rows.slice(1800, 300)
        ours.create(path, first, version=version, stable=version == "2.2")
        ours.append(path, second, fold=False)
        gone = [5, 77, 1499, 1500, 1799]
        ours.delete(path, pa.table({"id": pa.array(gone, pa.int64())}))
        ours.append(path, third, fold=False)
        ours.make_tag(path, "before", 2)
        ours.make_branch(path, "side/b", 3)
        extra = wide_table(72, 40, version)
        extra = extra.set_column(0, rows.schema.field(0), pa.array(range(9000, 9040), pa.int64())) if extra.schema == rows.schema else None
        if extra is None:
            extra = rows.slice(100, 40).set_column(0, rows.schema.field(0), pa.array(range(9000, 9040), pa.int64()))
        ours.append(path, extra, branch="side/b")
        live = lambda t: t.filter(pc.invert(pc.is_in(t["id"], pa.array(gone))))  # noqa: E731
        states = {1: first, 2: rows.slice(0, 1800), 3: live(rows.slice(0, 1800)), 4: live(rows)}
        for number, state in states.items():
            compare(f"we at {number}", attempt(f"dump {number}", lambda: ours.dump(path, version=number).table), state)  # noqa: B023
        for engine in engines(checks):
            what = f"{engine.name}, {version}"
            columns = [f.name for f in rows.schema if engine.name != "@lancedb/lancedb" or js_holds(f.type)]
            for number, state in states.items():
                compare(f"{what} at {number}", attempt(f"{what} at {number}", engine.rows, path, version=number, columns=columns), state.select(columns))
                checks.equal(attempt(what, engine.count, path, version=number), state.num_rows, f"{what}: count at {number}")
            latest = states[4]
            for where, mask in (
                ("id % 7 = 3 AND id < 900", pc.and_(pc.equal(pc.subtract(latest["id"], pc.multiply(pc.divide(latest["id"], 7), 7)), 3), pc.less(latest["id"], 900))),
                ("c2 IS NULL", pc.is_null(latest["c2"])), ("id = 1499", pc.equal(latest["id"], 1499)),
            ):
                compare(f"{what} where {where}", attempt(f"{what} where {where}", engine.rows, path, where=where, columns=columns), latest.filter(mask).select(columns))
                checks.equal(attempt(what, engine.count, path, where=where), latest.filter(mask).num_rows, f"{what}: count where {where}")
            offsets = [0, 4, 5, 1495, 1496, 1790, 2094]
            if engine.name == "@lancedb/lancedb" and version == "2.2":
                # Its takeOffsets loses rows behind deleted ones in every table with stable row ids,
                # pylance's too.
                offsets = [0, 4]
            taken = attempt(f"{what}: take", engine.take, path, offsets, columns=columns)
            compare(f"{what}: take", taken, latest.take(offsets).select(columns))
            compare(f"{what} at a tag", attempt(what, engine.rows, path, tag="before", columns=["id", "c9"]), states[2].select(["id", "c9"]))
            wanted = pa.concat_tables([states[3], extra]).select(columns)
            compare(f"{what} on a branch", attempt(what, engine.rows, path, branch="side/b", columns=columns), wanted)
            engine.close()
    pages(ours, folder)


def pages(ours, folder):
    """Several pages in every column."""
    count = 45_000
    r = random.Random(4)
    table = pa.table({
        "id": pa.array(range(count), pa.int64()),
        "long": pa.array([None if i % 11 == 3 else f"{i} " + "x" * (300 + i % 90) for i in range(count)]),
        "v": pa.array([[i, i / 2, -i] + [0.5] * 125 for i in range(count)], pa.list_(pa.float32(), 128)),
        "l": pa.array([[f"{i}-{k}" * 12 for k in range(i % 5)] for i in range(count)], pa.list_(pa.string())),
    })
    path = os.path.join(folder, "pages.lance")
    ours.create(path, table)
    some = sorted(r.sample(range(count), 50))
    for engine in engines(checks):
        for column in table.column_names:
            compare(f"{engine.name}: pages", attempt(engine.name, engine.rows, path, columns=[column]), table.select([column]))
        compare(f"{engine.name}: take from pages", attempt(engine.name, engine.take, path, some, columns=table.column_names), table.take(some))
        engine.close()
    compare("we: take from pages", ours.dump(path, rows=some).table, table.take(some))


class Model:
    """What a table must hold: rows by id."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.rows = {}
        self.columns = ["id", "s", "v", "n"]
        self.next_id = 0

    def schema(self):
        types = {"id": pa.int64(), "s": pa.string(), "v": pa.list_(pa.float32(), 8), "n": pa.int32()}
        return pa.schema([pa.field(c, types.get(c, pa.int64()), c != "id") for c in self.columns])

    def row(self, number):
        full = {"id": number, "s": f"word{number} said {self.r.choice(['red', 'green'])}",
                "v": [float(self.r.randint(-1000, 1000)) / 8 for _ in range(8)], "n": self.r.choice([None, self.r.randint(0, 9)])}
        return {c: full.get(c) for c in self.columns}

    def table(self, rows):
        return pa.Table.from_pylist(rows, schema=self.schema())

    def fresh(self, count):
        rows = [self.row(self.next_id + i) for i in range(count)]
        self.next_id += count
        return rows

    def keep(self, rows):
        for row in rows:
            self.rows[row["id"]] = row

    def some_ids(self, count):
        return self.r.sample(sorted(self.rows), count)


class Writers:
    """Operations by us or by an engine on one table, each followed by the comparison of both views."""

    def __init__(self, ours, engine, path, seed):
        self.ours, self.engine, self.path, self.model = ours, engine, path, Model(seed)
        self.indexed = set()
        self.step = ""
        self.identities = None  # id -> stable row id, version it was created in and last updated in

    def check(self):
        want = self.model.table([self.model.rows[i] for i in sorted(self.model.rows)])
        what = f"{self.engine.name}, {self.step}"
        dump = attempt(f"{what}: we read", self.ours.dump, self.path)
        compare(f"{what}: we read", dump and dump.table.sort_by("id"), want)
        theirs = attempt(f"{what}: they read", self.engine.rows, self.path)
        compare(f"{what}: they read", None if theirs is None else theirs.sort_by("id"), want)
        self.searches(what)
        if self.identities is not None:
            self.check_identities(what)

    def check_identities(self, what):
        """A row keeps its id and its creation through our updates, compactions and deletions."""
        columns = ["id", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
        table = lance.dataset(self.path)
        now = {row["id"]: tuple(row[c] for c in columns[1:]) for row in table.to_table(columns=columns).to_pylist()}
        checks.equal(len({row[0] for row in now.values()}), len(now), f"{what}: row ids are unique")
        ours = self.step.startswith("we") and "restore" not in self.step
        for i, row in now.items() if ours else ():
            before, touched = self.identities.get(i), i in self.touched
            if before is None:
                checks.equal(row[1:], (table.version, table.version), f"{what}: versions of the new row {i}")
            else:
                checks.equal(row, (*before[:2], table.version if touched else before[2]), f"{what}: identity of row {i}")
        self.identities = now

    def searches(self, what):
        model, engine = self.model, self.engine
        gone = [i for i in range(model.next_id) if i not in model.rows]
        for number in model.some_ids(3) + gone[:1] + gone[-2:] + [max(model.rows)]:
            row = model.rows.get(number)
            if "btree" in self.indexed:
                found = attempt(what, engine.rows, self.path, where=f"id = {number}", columns=["id", "s"])
                checks.equal(None if found is None else found.to_pylist(), [{"id": number, "s": row["s"]}] if row else [], f"{what}: id = {number}")
            if "fts" in self.indexed:
                found = attempt(what, engine.text, self.path, f"word{number}")
                checks.equal(ids(found), [number] if row else [], f"{what}: text word{number}")
            if "ivf_pq" in self.indexed and row:
                found = attempt(what, engine.vector, self.path, row["v"], 1)
                checks.equal(ids(found), [number], f"{what}: vector of {number}")
        if "ivf_pq" in self.indexed and gone:
            found = attempt(what, engine.vector, self.path, [0.0] * 8, len(model.rows))
            checks.that(found is not None and not set(ids(found)) & set(gone), f"{what}: a vector search finds a deleted row")

    def do(self, step, action):
        self.step = step
        self.touched = set()
        before = checks.failed
        done = attempt(f"{self.engine.name}, {step}", lambda: (action(), True))
        if os.environ.get("WEFT_TRACE"):
            print(self.engine.name, step, "ok" if done and checks.failed == before else "FAILED", flush=True)
        if done:
            self.check()

    # Each of the rest is one operation; `writer` is None for us.

    def append(self, who, count):
        rows = self.model.fresh(count)
        self.model.keep(rows)
        table = self.model.table(rows)
        self.ours.append(self.path, table) if who is None else who.append(self.path, table)

    def upsert(self, who, old, new):
        rows = [self.model.row(i) for i in self.model.some_ids(old)] + self.model.fresh(new)
        self.touched = {row["id"] for row in rows}
        self.model.r.shuffle(rows)
        self.model.keep(rows)
        table = self.model.table(rows)
        self.ours.upsert(self.path, table, ["id"]) if who is None else who.merge(self.path, "id", table)

    def delete(self, who, ids):
        for i in ids:
            del self.model.rows[i]
        if who is None:
            self.ours.delete(self.path, pa.table({"id": pa.array(ids, pa.int64())}))
        else:
            who.delete(self.path, f"id IN ({', '.join(map(str, ids))})")

    def update(self, who, ids):
        for i in ids:
            self.model.rows[i] = {**self.model.rows[i], "n": 77}
        who.update(self.path, f"id IN ({', '.join(map(str, ids))})", {"n": "77"})

    def add_column(self, who, name):
        self.model.columns.append(name)
        for row in self.model.rows.values():
            row[name] = None if who is None or row["n"] is None else row["n"] + 5
        if who is None:
            self.ours.add_columns(self.path, pa.schema([pa.field(name, pa.int64())]))
        else:
            who.add_column(self.path, name, "cast(n as bigint) + 5")

    def merge_column(self, name, count):
        """We add a column whose values come by key, for some of the rows."""
        values = {i: i * 7 for i in self.model.some_ids(count)}
        self.model.columns.append(name)
        for i, row in self.model.rows.items():
            row[name] = values.get(i)
        self.touched = set()
        some = pa.table({"id": pa.array(values, pa.int64()), name: pa.array(values.values(), pa.int64())})
        self.ours.merge(self.path, some, ["id"])

    def drop_column(self, who, name):
        self.model.columns.remove(name)
        for row in self.model.rows.values():
            row.pop(name)
        self.ours.drop_columns(self.path, [name]) if who is None else who.drop_column(self.path, name)

    def index(self, column, kind):
        self.engine.index(self.path, column, kind)
        self.indexed.add(kind)

    def run(self, made_by_us, file_version, stable):
        model, engine = self.model, self.engine
        rows = model.fresh(400)
        model.keep(rows)
        if made_by_us:
            self.do("we create", lambda: self.ours.create(self.path, model.table(rows), version=file_version, stable=stable, keys=["id"]))
        elif engine.name == "pylance":
            self.do("they create", lambda: engine.create(self.path, model.table(rows), version=file_version, enable_stable_row_ids=stable, max_rows_per_file=150))
        else:
            self.do("they create", lambda: engine.create(self.path, model.table(rows)))
        if stable and engine.name == "pylance":
            self.identities = {}
        self.do("they append", lambda: self.append(engine, 60))
        self.do("we append", lambda: self.append(None, 3))
        self.do("they delete", lambda: self.delete(engine, model.some_ids(9)))
        self.do("we delete", lambda: self.delete(None, model.some_ids(9)))
        self.do("they update", lambda: self.update(engine, model.some_ids(7)))
        self.do("they merge-insert", lambda: self.upsert(engine, 10, 5))
        self.do("we upsert", lambda: self.upsert(None, 10, 5))
        self.do("they index id", lambda: self.index("id", "btree"))
        self.do("they index s", lambda: self.index("s", "fts"))
        self.do("they index v", lambda: self.index("v", "ivf_pq"))
        self.do("we append beside indices", lambda: self.append(None, 20))
        self.do("we upsert beside indices", lambda: self.upsert(None, 20, 4))
        self.do("we delete beside indices", lambda: self.delete(None, model.some_ids(30)))
        self.do("they add a column", lambda: self.add_column(engine, "a"))
        self.do("we append with the column", lambda: self.append(None, 2))
        self.do("we add a column", lambda: self.add_column(None, "b"))
        self.do("we merge a column with values", lambda: self.merge_column("c", 150))
        self.do("they merge-insert with them", lambda: self.upsert(engine, 6, 3))
        version = engine.version(self.path)
        saved = {i: dict(row) for i, row in model.rows.items()}, list(model.columns)
        self.do("we compact", lambda: self.ours.compact(self.path))
        self.do("they optimize", lambda: engine.optimize(self.path))
        self.do("we upsert after optimize", lambda: self.upsert(None, 10, 10))
        self.do("they delete after it", lambda: self.delete(engine, model.some_ids(40)))
        self.do("they drop a column", lambda: self.drop_column(engine, "a"))
        self.do("we drop a column", lambda: self.drop_column(None, "b"))
        self.do("they drop the merged column", lambda: self.drop_column(engine, "c"))
        self.do("we append after it", lambda: self.append(None, 5))

        def back(restore):
            restore()
            model.rows, model.columns = {i: dict(row) for i, row in saved[0].items()}, list(saved[1])

        self.do("they restore", lambda: back(lambda: engine.restore(self.path, version)))
        self.do("we append to the restored", lambda: self.append(None, 2))
        self.do("we restore", lambda: back(lambda: self.ours.restore(self.path, version)))
        self.do("they append to the restored", lambda: self.append(engine, 2))
        self.do("they optimize again", lambda: engine.optimize(self.path))
        self.do("we upsert at last", lambda: self.upsert(None, 30, 1))
        checks.equal(attempt("verify", self.ours.verify, self.path), len(model.rows), f"{engine.name}: verified")


def write(ours, folder):
    number = 0
    for engine in engines(checks):
        cases = [(True, "2.1", False), (False, "2.2", True)]
        if NIGHTLY or engine.name == "pylance":
            cases.append((True, "2.2", True))
        if NIGHTLY:
            cases.append((False, "2.1", False))
        for made_by_us, version, stable in cases:
            number += 1
            path = os.path.join(folder, f"t{number}.lance")
            Writers(ours, engine, path, number).run(made_by_us, version, stable)
        branches(ours, engine, os.path.join(folder, f"branched{number}.lance"))
        engine.close()
    tags(ours, os.path.join(folder, "tagged.lance"))


def few_rows(a, b):
    return pa.table({"id": pa.array(range(a, b), pa.int64()), "s": [f"r{i}" for i in range(a, b)]})


def branches(ours, engine, path):
    """Branches of both kinds, written to by both, and branches of branches."""
    rows = few_rows
    ours.create(path, rows(0, 20))
    ours.make_branch(path, "ours")
    engine.make_branch(path, "theirs")
    engine.append(path, rows(100, 110), branch="ours")
    ours.append(path, rows(110, 120), branch="ours")
    ours.append(path, rows(200, 210), branch="theirs")
    engine.delete(path, "id = 3", branch="theirs")
    ours.delete(path, pa.table({"id": pa.array([4], pa.int64())}), branch="theirs")
    ours.make_branch(path, "ours2", branch="theirs")
    engine.make_branch(path, "theirs2", branch="ours")
    ours.append(path, rows(300, 301), branch="theirs2")
    ours.append(path, rows(400, 401), branch="ours2")
    ours.append(path, rows(20, 22))
    wanted = {None: list(range(22)), "ours": [*range(20), *range(100, 120)],
              "theirs": [i for i in range(20) if i not in (3, 4)] + list(range(200, 210))}
    wanted["ours2"], wanted["theirs2"] = wanted["theirs"] + [400], wanted["ours"] + [300]
    for when in ("", ", after our cleanup"):
        for branch, numbers in wanted.items():
            what = f"{engine.name}, branch {branch}{when}"
            found = attempt(f"{what}: they read", engine.rows, path, branch=branch)
            checks.equal(ids(found), numbers, f"{what}: they read")
            checks.equal(ours.dump(path, branch=branch).table["id"].to_pylist(), numbers, f"{what}: we read")
        ours.clean(path)
    checks.equal(attempt("branches", engine.branches, path), {"ours", "theirs", "ours2", "theirs2"}, f"{engine.name}: branches that they list")
    checks.equal(set(ours.refs(path)[1]), {"ours", "theirs", "ours2", "theirs2"}, f"{engine.name}: branches that we list")
    attempt(f"{engine.name} drops a branch", engine.drop_branch, path, "ours2")
    ours.drop_branch(path, "theirs2")
    checks.equal((attempt("branches", engine.branches, path), set(ours.refs(path)[1])), ({"ours", "theirs"},) * 2, f"{engine.name}: branches that are left")


def tags(ours, path):
    """Tags of both kinds, on main and on a branch."""
    ours.create(path, few_rows(0, 20))
    ours.make_branch(path, "ours")
    ours.append(path, few_rows(100, 120), branch="ours")
    lance.dataset(path).tags.create("their-tag", 1)
    ours.make_tag(path, "our-tag", 1)
    ours.make_tag(path, "on-branch", branch="ours")
    known = ours.refs(path)[0]
    checks.equal(set(known), {"their-tag", "our-tag", "on-branch"}, "tags that we list")
    checks.equal(set(lance.dataset(path).tags.list()), set(known), "tags that they list")
    checks.equal(lance.dataset(path).checkout_version("on-branch").count_rows(), 40, "a tag on a branch")
    ours.clean(path)
    checks.equal(lance.dataset(path).checkout_version("on-branch").count_rows(), 40, "a tag on a branch after our cleanup")


def theirs(ours, folder):
    settings = [None, "lz4", "zstd", "fsst", "none"]
    for seed in range(12 if NIGHTLY else 3):
        version = ("2.1", "2.2", "2.0")[seed % 3]
        table = random_table(500 + seed, 900, 66, version)
        if version == "2.0":  # it has no null structs
            flat = lambda t: not pa.types.is_nested(t) or (pa.types.is_fixed_size_list(t) and not pa.types.is_nested(t.value_type))  # noqa: E731
            table = table.select([f.name for f in table.schema if flat(f.type)])
        r = random.Random(seed)
        fields = [f.with_metadata({"lance-encoding:compression": c}) if (c := r.choice(settings)) and not pa.types.is_nested(f.type) else f for f in table.schema]
        table = table.cast(pa.schema(fields)) if seed % 2 else table
        path = os.path.join(folder, f"theirs{seed}.lance")
        made = attempt(f"theirs {seed}", lance.write_dataset, table, path, data_storage_version=version, max_rows_per_file=400, enable_stable_row_ids=seed % 2 == 0)
        if made is None:
            continue
        made.add_columns({"id": "cast(1 as bigint)"})
        dump = attempt(f"theirs {seed} in {version}", ours.dump, path)
        compare(f"theirs {seed} in {version}", dump and dump.table, lance.dataset(path).to_table())
        some = [3, 899, 400, 401]
        dump = attempt(f"theirs {seed}: take", ours.dump, path, rows=some)
        compare(f"theirs {seed}: take", dump and dump.table, lance.dataset(path).take(some))
        checks.equal(attempt("verify", ours.verify, path), 900, f"theirs {seed}: verified")
    # Fragments of several file versions in one table, deletions of both kinds, then a commit of ours.
    path = os.path.join(folder, "mixed.lance")
    rows = lambda a, b: pa.table({"id": pa.array(range(a, b), pa.int64()), "s": [f"text {i % 40}" for i in range(a, b)]})  # noqa: E731
    lance.write_dataset(rows(0, 9000), path, data_storage_version="2.2")
    lance.write_dataset(rows(9000, 9500), path, mode="append", data_storage_version="2.0")
    lance.write_dataset(rows(9500, 9900), path, mode="append", data_storage_version="2.1")
    lance.dataset(path).delete("id % 3 = 1")
    lance.dataset(path).delete("id = 9503")
    compare("mixed", ours.dump(path).table, lance.dataset(path).to_table())
    ours.append(path, rows(20_000, 20_010))
    ours.delete(path, pa.table({"id": pa.array([0, 9000, 9500], pa.int64())}))
    compare("mixed, then ours", lance.dataset(path).to_table(), ours.dump(path).table)
    checks.equal(lance.dataset(path).count_rows("id IN (0, 9000, 9500, 20005)"), 1, "mixed, then ours: count")
    ours.compact(path)
    compare("mixed, compacted by us", lance.dataset(path).to_table(), ours.dump(path).table)


if __name__ == "__main__":
    parts = {"types": types, "read": read, "write": write, "theirs": theirs}
    with scratch("lance-tables") as scratch_folder:
        driver = Ours()
        parts[sys.argv[1]](driver, scratch_folder)
        driver.close()
    checks.finish()
