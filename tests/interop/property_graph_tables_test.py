#!/usr/bin/env python3
"""LanceDB and a property graph: it lists the tables, sees the published rows at their heads, and compacts them; weft goes
on upon what it compacted, finds rows by key and replaces them, and LanceDB sees that."""
import datetime
import json
import os

import driver
from driver import CONFLICT, Checks, scratch, weft
from lance_peers import use_lance_python

use_lance_python()

import lance  # noqa: E402
import lancedb  # noqa: E402

SCHEMA = """node Person { name: String @key age: I32? tags: [String]? v: Vector(2)? born: Date? seen: DateTime? }
node Note { text: String }
edge Knows: Person -> Person { since: I32? }
"""


def lines(keys, age):
    return "".join(json.dumps({"type": "Person", "data": {"name": k, "age": age, "tags": ["a", k], "v": [0.5, 1.0],
                                                          "born": "2000-01-02", "seen": 1000}}) + "\n" for k in keys)


class Graph:
    def __init__(self, checks, folder):
        self.checks, self.folder = checks, folder
        self.path = os.path.join(folder, "g.weft")
        driver.write(os.path.join(folder, "s.pg"), SCHEMA)
        self.run("init", "--schema", "s.pg", self.path)
        self.people = {}

    def run(self, *words):
        done = weft(*words, cwd=self.folder)
        self.checks.code(done, 0, " ".join(words[:6]))
        return done.out

    def load(self, keys, age, mode):
        driver.write(os.path.join(self.folder, "d.jsonl"), lines(keys, age))
        self.run("load", "--data", "d.jsonl", "--mode", mode, self.path)
        self.people.update({k: age for k in keys})

    def locations(self):
        return {d["type_name"]: d for d in json.loads(self.run("snapshot", "--locations", "--json", self.path))["datasets"]}

    def check(self, what):
        """Heads and LanceDB's tables have exactly the published rows."""
        at = self.locations()
        names = set(lancedb.connect(self.path).table_names(limit=100))
        wanted = {os.path.basename(d["uri"])[:-len(".lance")] for d in at.values()}
        self.checks.that(wanted <= names, f"{what}: LanceDB lists the tables: {sorted(names)}")
        for name, place in at.items():
            self.checks.that(place["available"], f"{what}: {name} is there under its number")
            table = lance.dataset(place["uri"])
            self.checks.that(table.version >= place["version"] and table.count_rows() == place["entity_count"],
                             f"{what}: {name} has {table.count_rows()} rows, not {place['entity_count']}")
        rows = lance.dataset(at["Person"]["uri"]).to_table(columns=["id", "name", "age", "tags", "v"]).to_pylist()
        self.checks.that({r["id"]: r["age"] for r in rows} == self.people and len(rows) == len(self.people),
                         f"{what}: rows of Person")
        self.checks.that(all(r["tags"] == ["a", r["id"]] and r["v"] == [0.5, 1.0] for r in rows), f"{what}: values")
        exported = [json.loads(line) for line in self.run("export", "--type", "Person", self.path).splitlines()]
        self.checks.that({r["data"]["id"]: r["data"]["age"] for r in exported} == self.people, f"{what}: export")


def scenario(checks, folder):
    graph = Graph(checks, folder)
    graph.check("after init")
    for i in range(5):
        graph.load([f"p{i}-{j}" for j in range(40)], i, "append")
    graph.load([f"p1-{j}" for j in range(7)] + ["new"], 77, "merge")
    graph.check("after loads")
    uri = graph.locations()["Person"]["uri"]
    lance.dataset(uri).optimize.compact_files()
    graph.check("compacted by another program")
    graph.load([f"p2-{j}" for j in range(9)] + ["newer"], 88, "merge")
    graph.check("merged upon the compacted table")
    driver.write(os.path.join(folder, "d.jsonl"), lines(["p3-1"], 1))
    done = weft("load", "--data", "d.jsonl", "--mode", "append", graph.path, cwd=folder)
    checks.code(done, CONFLICT, "a key that is there is found after the compaction")
    lance.dataset(uri).create_scalar_index("age", "BTREE")
    graph.load(["newest"], 99, "append")
    graph.check("appended upon an indexed table")
    found = lance.dataset(uri).to_table(filter="age = 77", columns=["id"]).num_rows
    checks.that(found == 8, f"the index answers: {found}")


def rows_at(place):
    """What pylance reads at a location that weft names."""
    table = lance.dataset(place["uri"])
    at = (place["native_branch"], place["version"]) if place["native_branch"] else place["version"]
    return {row["id"]: row["age"] for row in table.checkout_version(at).to_table(columns=["id", "age"]).to_pylist()}


def places(graph, *words):
    return {d["type_name"]: d for d in json.loads(graph.run("snapshot", "--json", *words, graph.path))["datasets"]}


def branches_and_old_versions(checks, folder):
    """A branch's rows are on its native branch; a version that another program's cleanup removed comes back by --keep."""
    graph = Graph(checks, folder)
    graph.load(["a", "b", "c"], 1, "append")
    graph.load(["a"], 2, "merge")
    then = dict(graph.people)
    commit = json.loads(graph.run("commit", "list", "--json", graph.path))["commits"][0]["graph_commit_id"]
    graph.load(["c"], 3, "merge")  # a cleanup keeps what a branch begins with
    graph.run("branch", "create", "review", "--store", graph.path)
    driver.write(os.path.join(folder, "d.jsonl"), lines(["only here"], 9))
    graph.run("load", "--data", "d.jsonl", "--mode", "append", "--branch", "review", graph.path)
    checks.equal(rows_at(places(graph, "--locations", "--branch", "review")["Person"]), {**graph.people, "only here": 9},
                 "pylance reads the branch's rows on its native branch")
    for i in range(3):
        graph.load(["b"], 10 + i, "merge")
    checks.equal(rows_at(places(graph, "--locations", "--at", commit)["Person"]), then, "pylance reads an old version")
    table = lance.dataset(places(graph, "--locations")["Person"]["uri"])
    table.cleanup_old_versions(older_than=datetime.timedelta(0), delete_unverified=True, error_if_tagged_old_versions=False)
    old = places(graph, "--locations", "--at", commit)["Person"]
    checks.that(not old["available"], "its cleanup removed the old version")
    kept = places(graph, "--keep", "--at", commit)["Person"]
    checks.that(kept["available"] and str(kept["native_branch"]).startswith("weft-"), f"the version is kept: {kept}")
    checks.equal(rows_at(kept), then, "pylance reads the version that was kept")
    table.cleanup_old_versions(older_than=datetime.timedelta(0), delete_unverified=True, error_if_tagged_old_versions=False)
    checks.equal(rows_at(kept), then, "and after another cleanup")
    checks.equal(places(graph, "--keep", "--at", commit)["Person"], kept, "asked again, it is the same branch")
    graph.check("after the cleanups")
    graph.load(["d"], 5, "append")
    graph.check("and the next load")


driver.need_weft()
all_checks = Checks()
with scratch("property-graph-tables") as scratch_folder:
    scenario(all_checks, scratch_folder)
with scratch("property-graph-locations") as scratch_folder:
    branches_and_old_versions(all_checks, scratch_folder)
all_checks.finish()
