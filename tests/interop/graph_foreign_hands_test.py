#!/usr/bin/env python3
"""LanceDB and pylance at work on the tables of a property graph, on main and on a branch. They list and read every table and
see the published rows; what they only move (compactions, indices, tags, cleanups with every setting) weft builds upon; what
they change (appends, deletes, updates, merges) it refuses to build upon, tells, adopts or discards. A copied or moved graph
works and reads nothing of the original, and a cleanup by weft afterwards costs nobody a row."""
import datetime
import json
import os
import shutil

os.environ.setdefault("RUST_LOG", "error")

import driver
from driver import CONFLICT, INVALID, Checks, scratch, weft
from lance_peers import use_lance_python

use_lance_python()

import lance  # noqa: E402
import lancedb  # noqa: E402
import pyarrow as pa  # noqa: E402

SCHEMA = """node Person { name: String @key age: I32? bio: String? }
node City { name: String @key }
edge Knows: Person -> Person { since: I32? }
"""
DAY = datetime.timedelta(days=1)
checks = Checks()


def person(name, age):
    return {"type": "Person", "data": {"name": name, "age": age, "bio": f"the life of {name}"}}


class Graph:
    """A graph and what its branches must hold: {branch: {id: age}} of Person."""

    def __init__(self, folder):
        self.folder, self.path = folder, os.path.join(folder, "g.weft")
        self.people = {"main": {}}
        driver.write(os.path.join(folder, "s.pg"), SCHEMA)
        self.ok("init", "--schema", "s.pg", self.path)

    def run(self, *words):
        return weft(*words, "--quiet", cwd=self.folder)

    def ok(self, *words):
        done = self.run(*words)
        checks.code(done, 0, " ".join(str(w) for w in words[:5]))
        return done

    def load(self, rows, branch="main", mode="append", expect=0):
        driver.write(os.path.join(self.folder, "d.jsonl"), "".join(json.dumps(r) + "\n" for r in rows))
        done = self.run("load", "--data", "d.jsonl", "--mode", mode, "--branch", branch, self.path)
        checks.code(done, expect, f"load into {branch}")
        if done.code == 0:
            self.people[branch].update({r["data"]["name"]: r["data"]["age"] for r in rows if r.get("type") == "Person"})
        return done

    def branch(self, name):
        self.ok("branch", "create", name, "--store", self.path)
        self.people[name] = dict(self.people["main"])

    def at(self, branch="main", *more):
        found = json.loads(self.ok("snapshot", "--locations", "--json", "--branch", branch, *more, self.path).out)
        return {d["type_name"]: d for d in found["datasets"]}

    def table(self, branch="main", type_name="Person"):
        """As an engine that knows nothing of graphs opens it: the newest version."""
        place = self.at(branch)[type_name]
        table = lance.dataset(place["uri"])
        return table if place["native_branch"] is None else table.checkout_version((place["native_branch"], None))

    def exported(self, branch="main"):
        out = self.ok("export", "--type", "Person", "--branch", branch, self.path).out
        return {r["data"]["id"]: r["data"]["age"] for r in map(json.loads, out.splitlines())}

    def check(self, what, heads=True):
        """What is published is what must be, and engines see it at every head."""
        for branch, wanted in self.people.items():
            checks.equal(self.exported(branch), wanted, f"{what}: {branch} as weft reads it")
            if heads:
                rows = self.table(branch).to_table(columns=["id", "age"]).to_pylist()
                checks.equal(sorted((r["id"], r["age"]) for r in rows), sorted(wanted.items()), f"{what}: {branch} as Lance reads it")

    def plan(self, branch="main"):
        return json.loads(self.ok("repair", "--plan", "--json", "--branch", branch, self.path).out)["tables"]


def engine_rows(table, rows):
    return pa.Table.from_pylist([{"id": n, "name": n, "age": a, "bio": f"the life of {n}"} for n, a in rows], schema=table.schema)


def listing(graph):
    at = graph.at()
    names = set(lancedb.connect(graph.path).table_names(limit=100))
    for type_name, place in at.items():
        name = os.path.basename(place["uri"])[: -len(".lance")]
        checks.that(name in names, f"LanceDB lists {type_name}", names)
        checks.equal(lancedb.connect(graph.path).open_table(name).count_rows(), place["entity_count"], f"LanceDB counts {type_name}")
        checks.equal(lance.dataset(place["uri"]).version, place["version"], f"the head of {type_name}")
    for type_name, place in graph.at("review").items():
        if place["native_branch"] is not None:
            table = lance.dataset(place["uri"]).checkout_version((place["native_branch"], place["version"]))
            checks.equal(table.count_rows(), place["entity_count"], f"{type_name} of the branch")


def open_in_lancedb(table):
    folder, name = os.path.split(table.uri.rstrip("/"))
    return lancedb.connect(folder).open_table(name[: -len(".lance")])


# Rows stay, whatever they do. On main only: what pylance or LanceDB cannot do on a branch.
def compact(table):
    table.optimize.compact_files(target_rows_per_fragment=100_000)


def optimize(table):
    open_in_lancedb(table).optimize()


def index(table):
    table.create_scalar_index("age", "BTREE", replace=True)


def text_index(table):
    table.create_scalar_index("bio", "INVERTED", replace=True)


def tag(table):
    table.tags.create(f"tag-{table.version}", table.version)


def cleanup(**settings):
    def clean(table):
        table.cleanup_old_versions(error_if_tagged_old_versions=False, **settings)

    clean.__name__ = f"cleanup {settings}"
    return clean


def untag(table):
    for name in list(table.tags.list()):
        table.tags.delete(name)


def optimize_and_clean(table):
    open_in_lancedb(table).optimize(cleanup_older_than=0 * DAY, delete_unverified=True)


HARMLESS = [compact, index, text_index, optimize, tag, cleanup(), cleanup(older_than=0 * DAY),
            cleanup(older_than=0 * DAY, delete_unverified=True), cleanup(retain_versions=1, delete_unverified=True), untag,
            cleanup(older_than=0 * DAY, delete_unverified=True), compact, optimize_and_clean]
ON_BRANCHES = {"compact", "index", "text_index", "cleanup {}"}


def harmless(graph):
    number = 0
    for action in HARMLESS:
        for branch in graph.people:
            if branch != "main" and action.__name__ not in ON_BRANCHES:
                continue
            number += 1
            what = f"{action.__name__} on {branch}"
            action(graph.table(branch))
            graph.check(what)
            graph.load([person(f"n{number}", number)], branch)
            graph.load([person(f"n{number}", number + 1000), person(f"m{number}", 1)], branch, "merge")
            graph.check(f"{what}, then loads")
            checks.equal(graph.plan(branch), [], f"{what}: nothing to repair")
    return number


# Each changes rows; gives back what the table must hold once they are adopted.
def append(table, rows):
    lance.write_dataset(engine_rows(table, [("foreign", 1), ("strange", 2)]), table, mode="append")
    return {**rows, "foreign": 1, "strange": 2}


def append_by_lancedb(table, rows):
    open_in_lancedb(table).add(engine_rows(table, [("by-db", 5)]))
    return {**rows, "by-db": 5}


def delete(table, rows):
    gone = sorted(rows)[0]
    table.delete(f"id = '{gone}'")
    return {k: v for k, v in rows.items() if k != gone}


def update(table, rows):
    changed = sorted(rows)[1]
    table.update({"age": "age + 500"}, where=f"id = '{changed}'")
    return {**rows, changed: rows[changed] + 500}


def merge(table, rows):
    old = sorted(rows)[2]
    source = engine_rows(table, [(old, 77), ("merged", 78)])
    table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(source)
    return {**rows, old: 77, "merged": 78}


def several(table, rows):
    rows = append(table, {k: v for k, v in rows.items()})
    table = lance.dataset(table.uri) if table.uri.endswith(".lance") else table
    table.delete("id = 'strange'")
    del rows["strange"]
    compact(table)
    return rows


def rows_of_others(graph):
    for action in (append, append_by_lancedb, delete, update, merge, several):
        for branch in list(graph.people):
            if branch != "main" and action in (append_by_lancedb, several):
                continue
            for remedy in ("--discard", "--adopt"):
                what = f"{action.__name__} on {branch}, {remedy}"
                before = dict(graph.people[branch])
                after = action(graph.table(branch), before)
                checks.equal(graph.exported(branch), before, f"{what}: not seen before it is adopted")
                refused = graph.load([person("late", 3)], branch, expect=CONFLICT)
                checks.that("repair" in refused.errors and "foreign-version" in refused.errors, f"{what}: the remedy is named", refused)
                # Other tables are not affected.
                graph.load([{"type": "City", "data": {"name": f"c-{action.__name__}-{remedy}-{branch}"}}], branch)
                plan = graph.plan(branch)
                checks.equal([t["type_name"] for t in plan], ["Person"], f"{what}: the plan names the table", plan)
                counts = (sum(k not in before for k in after), sum(before.get(k, v) != v for k, v in after.items()),
                          sum(k not in after for k in before))
                checks.equal(tuple(plan[0].get(k) for k in ("rows_added", "rows_changed", "rows_removed")), counts, f"{what}: the plan counts", plan)
                done = graph.ok("repair", remedy, "--json", "--branch", branch, "--as", "ana", "-m", what, graph.path)
                result = json.loads(done.out)
                checks.equal(result["commit"]["actor_id"], "ana", f"{what}: one commit with an actor")
                if remedy == "--adopt":
                    graph.people[branch] = after
                else:
                    kept = lance.dataset(graph.at(branch)["Person"]["uri"]).checkout_version((result["tables"][0]["kept_as"], None))
                    checks.equal({r["id"]: r["age"] for r in kept.to_table(columns=["id", "age"]).to_pylist()}, after, f"{what}: kept")
                graph.check(what)
                graph.load([person("late", 3)], branch, "merge")
                graph.load([person("late", 4)], branch, expect=CONFLICT)
                graph.check(f"{what}, then loads")
                gone = json.loads(weft("mutate", "--store", graph.path, "--branch", branch, "--json", "-e",
                                       'query q() { delete Person where name = "late" }', "--as", "ana").out or b"{}")
                checks.equal(gone.get("affected_nodes"), 1, f"{what}: a mutation finds the row")
                del graph.people[branch]["late"]
            # What was adopted leaves again, so that actions find the same next time.
            fresh = [k for k in graph.people[branch] if k in ("foreign", "strange", "by-db", "merged")]
            for name in fresh:
                done = weft("mutate", "--store", graph.path, "--branch", branch, "-e", f'query q() {{ delete Person where name = "{name}" }}', "--as", "ana")
                checks.code(done, 0, f"{name} leaves")
                del graph.people[branch][name]


def misfits(graph):
    """Rows that do not fit are all told, and nothing is changed."""
    table = graph.table()
    there = sorted(graph.people["main"])[0]
    rows = pa.Table.from_pylist([{"id": there, "name": there, "age": 1, "bio": None}, {"id": "x", "name": "y", "age": 1, "bio": None}],
                                schema=table.schema)
    lance.write_dataset(rows, table, mode="append")
    knows = graph.table(type_name="Knows")
    lance.write_dataset(pa.Table.from_pylist([{"id": "k", "src": there, "dst": "nobody", "since": 1}], schema=knows.schema), knows, mode="append")
    done = graph.run("repair", "--adopt", graph.path)
    checks.code(done, (INVALID, CONFLICT), "misfits are refused")
    for part in ("key_conflict", "noncanonical_id", "dangling_endpoint"):
        checks.that(part in done.errors, f"{part} is told", done)
    graph.check("after misfits", heads=False)
    checks.code(graph.run("repair", "--adopt", "--type", "Nobody", graph.path), driver.NOT_FOUND, "an unknown type")
    checks.code(graph.run("repair", "--adopt", "--plan", graph.path), INVALID, "two actions")
    graph.ok("repair", "--discard", graph.path)
    graph.check("misfits discarded")
    table = graph.table()
    table.add_columns({"extra": "1"})
    checks.equal(graph.plan()[0].get("obstacle"), "other-columns", "other columns are told")
    checks.code(graph.run("repair", "--adopt", graph.path), CONFLICT, "other columns cannot be adopted")
    graph.ok("repair", "--discard", graph.path)
    graph.check("other columns discarded")


def gone_heads(graph):
    """An old commit whose heads a cleanup took: --keep makes a native branch of it."""
    first = json.loads(graph.ok("commit", "list", "--json", "--store", graph.path).out)["commits"]
    old = first[len(first) // 2]["graph_commit_id"]
    graph.table().cleanup_old_versions(older_than=0 * DAY, delete_unverified=True)
    place = graph.at("main", "--at", old)["Person"]
    checks.that(not place["available"], "a cleanup took the head of an old commit", place)
    kept = graph.at("main", "--at", old, "--keep")["Person"]
    checks.that(kept["available"] and kept["native_branch"].startswith("weft-snapshot."), "it is kept", kept)
    table = lance.dataset(kept["uri"]).checkout_version((kept["native_branch"], kept["version"]))
    rows = {r["id"]: r["age"] for r in table.to_table(columns=["id", "age"]).to_pylist()}
    out = graph.ok("export", "--type", "Person", "--at", old, graph.path).out
    checks.equal(rows, {r["data"]["id"]: r["data"]["age"] for r in map(json.loads, out.splitlines())}, "Lance reads the old commit")


def cleaned(graph):
    """Ours, as if nobody wrote: nothing published goes, all that is left is needed."""
    commits = json.loads(graph.ok("commit", "list", "--json", "--store", graph.path).out)["commits"]
    olds = {c["graph_commit_id"]: graph.ok("export", "--at", c["graph_commit_id"], graph.path).out for c in commits[::7]}
    graph.ok("branch", "create", "gone", "--store", graph.path)
    graph.people["gone"] = dict(graph.people["main"])
    graph.load([person("in-gone", 1)], "gone")
    graph.ok("branch", "delete", "gone", "--store", graph.path)
    del graph.people["gone"]
    data = os.path.join(graph.at()["Person"]["uri"], "data")
    driver.write(os.path.join(data, "killed-1.weft"), "x")
    driver.write(os.path.join(data, ".weft-tmp-0123"), "x")
    checks.equal(json.loads(graph.ok("cleanup", "--dry-run", "--json", graph.path).out)["objects"], 0, "young things stay")
    checks.code(graph.run("cleanup", graph.path), INVALID, "neither --dry-run nor --yes")
    would = json.loads(graph.ok("cleanup", "--dry-run", "--keep-days", "0", "--grace-hours", "0", "--json", graph.path).out)
    did = json.loads(graph.ok("cleanup", "--yes", "--keep-days", "0", "--grace-hours", "0", "--json", graph.path).out)
    checks.equal((did["objects"], did["bytes"], len(did["ended_branches"])), (would["objects"], would["bytes"], 1), "as --dry-run said")
    checks.that(any(n.endswith("killed-1.weft") for n in did["removed"]), "leftovers go", did["removed"][:20])
    checks.that(not os.path.exists(os.path.join(data, ".weft-tmp-0123")), "temporaries go")
    graph.check("after weft cleanup")
    for commit, rows in olds.items():
        checks.equal(graph.ok("export", "--at", commit, graph.path).out, rows, "an old commit after weft cleanup")
    again = json.loads(graph.ok("cleanup", "--yes", "--keep-days", "0", "--grace-hours", "0", "--json", graph.path).out)
    checks.equal(again["removed"], [], "nothing is left that nobody needs")
    for branch in graph.people:
        graph.load([person("after-cleanup", 9)], branch)
    graph.check("loads after weft cleanup")


def moved(graph):
    """A copy, with the original out of reach, and a graph that was moved."""
    copy = os.path.join(graph.folder, "copy.weft")
    shutil.copytree(graph.path, copy)
    original, graph.path = graph.path, copy
    os.rename(original, original + ".away")
    try:
        graph.check("copied", heads=False)
        for branch in graph.people:
            graph.load([person("in-copy", 11)], branch)
        checks.equal(graph.table().count_rows(), len(graph.people["main"]), "Lance reads the copy's main")
        compact(graph.table())
        graph.load([person("in-copy-2", 12)])
        graph.check("copied and written", heads=False)
        moved = json.loads(graph.ok("repair", "--paths", "--json", graph.path).out)["branches"]
        checks.equal([b["branch"] for b in moved], sorted(b for b in graph.people if b != "main"), "branches that had moved")
        graph.check("copied, and its paths repaired")
        checks.equal(json.loads(graph.ok("repair", "--paths", "--plan", "--json", graph.path).out)["branches"], [], "once")
    finally:
        os.rename(original + ".away", original)
    graph.path = original
    for branch in graph.people:
        for name in ("in-copy", "in-copy-2"):
            graph.people[branch].pop(name, None)
    graph.check("the original is as it was")


def many(graph):
    """More rows than wait in memory, and one that leaves."""
    table = graph.table()
    count = 70_000
    lance.write_dataset(engine_rows(table, [(f"many-{i}", i) for i in range(count)]), table, mode="append")
    gone = sorted(graph.people["main"])[0]
    graph.table().delete(f"id = '{gone}'")
    graph.ok("repair", "--adopt", graph.path)
    del graph.people["main"][gone]
    graph.people["main"].update({f"many-{i}": i for i in range(count)})
    graph.check("many rows adopted")
    graph.load([person("many-69999", 1)], expect=CONFLICT)
    graph.load([person(gone, 1)])


driver.need_weft()
with scratch("graph-foreign-hands") as scratch_folder:
    g = Graph(scratch_folder)
    g.load([person(f"p{i}", i) for i in range(30)])
    g.load([person(f"q{i}", i) for i in range(30)] + [{"edge": "Knows", "from": "q1", "to": "q2", "data": {"since": 1}}])
    g.branch("review")
    g.load([person("r1", 1), person("r2", 2)], "review")
    listing(g)
    g.check("before others come")
    count = harmless(g)
    rows_of_others(g)
    misfits(g)
    gone_heads(g)
    cleaned(g)
    moved(g)
    many(g)
    print(f"{count} actions that keep rows")
checks.finish()
