#!/usr/bin/env python3
"""The quickstart of docs/guide/quickstart.md, typed as it stands there, on the data of demo/; and `make demo`
with the project's data and with a user's own file."""
import json
import os
import re
import shutil

import driver
from driver import run

# What each line must answer: words in its standard output.
ANSWERS = [
    ("weft build people.ttl", ["167"]),
    ("weft manifest init", ["generation 1"]),
    ("weft build more.nt", ["231"]),
    ("weft manifest add my.rete-manifest.json --adds session2.rete", ["generation 2"]),
    ("weft manifest add my.rete-manifest.json --adds new.nq --dels obsolete.nq", ["generation 3"]),
    ("weft manifest query", ["Bea Moreau-Kim", "Chidi Okonkwo", "Dmitri Okafor"]),
    ("weft manifest status", ["generation 3", "437"]),
    ("weft manifest compact", ["generation 4", "437"]),
    ("weft query base.rete", ["n\n167"]),
]
GRAPH_ANSWERS = [
    ("weft init --schema schema.pg", ["made"]),
    ("weft load --data people.jsonl", ["loaded 16 rows", "Knows: 4"]),
    ("weft query find_people", ["2 rows", "Ada", "Carl"]),
    ("weft mutate --store graph.weft", ["1 nodes and 0 edges"]),
    ("weft branch create review", ["branch review made"]),
    ("weft load --data more.jsonl", ["loaded 4 rows"]),
    ("weft diff main review", ["+ Person Fritz", "4 added, 0 removed, 0 changed"]),
    ("weft commit list", ["mutate   ana  new hire", "init"]),
    ("weft export --branch review", []),
]


def quickstart_lines(first):
    text = driver.read(os.path.join(driver.ROOT, "docs", "guide", "quickstart.md")).decode("utf-8")
    block = re.search(r"^```\n(" + re.escape(first) + ".*?)^```", text, re.M | re.S)
    return block.group(1).strip().split("\n") if block else []


def typed(checks, folder, bin_folder):
    demo = os.path.join(driver.ROOT, "demo")
    for name in ("people.ttl", "more.nt", "new.nq", "obsolete.nq"):
        shutil.copy(os.path.join(demo, name), folder)
    lines = quickstart_lines("weft build people.ttl")
    checks.equal(len(lines), len(ANSWERS), "the quickstart has its nine lines")
    os.symlink(driver.WEFT, os.path.join(bin_folder, "weft"))
    path = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    for line, (begin, words) in zip(lines, ANSWERS):
        checks.that(line.startswith(begin), f"quickstart: {line}", f"expected {begin}")
        done = run(["bash", "-c", line], cwd=folder, env=path)
        checks.code(done, 0, f"quickstart: {line}")
        for word in words:
            checks.that(word in done.text.replace("\r", ""), f"quickstart: {line}: answers {word}", done)
        if begin == "weft manifest query":
            checks.that("Bea Moreau\"" not in done.text, "quickstart: the obsolete name is gone", done)
    log = json.loads(driver.read(os.path.join(folder, "my.rete-manifest.json")))["log"]
    checks.equal(len(log), 1, "quickstart: compacted to one entry")
    again = run(["bash", "-c", lines[5]], cwd=folder, env=path) if len(lines) > 5 else None
    checks.that(again and "Bea Moreau-Kim" in again.text and "Dmitri Okafor" in again.text, "quickstart: same answer after compaction", again)
    mistakes(checks, folder, path)


def typed_graph(checks, folder, bin_folder):
    graph = os.path.join(driver.ROOT, "demo", "graph")
    for name in os.listdir(graph):
        shutil.copy(os.path.join(graph, name), folder)
    lines = quickstart_lines("weft init --schema")
    checks.equal(len(lines), len(GRAPH_ANSWERS), "the quickstart of property graphs has its nine lines")
    path = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    for line, (begin, words) in zip(lines, GRAPH_ANSWERS):
        checks.that(line.startswith(begin), f"quickstart: {line}", f"expected {begin}")
        done = run(["bash", "-c", line], cwd=folder, env=path)
        checks.code(done, 0, f"quickstart: {line}")
        for word in words:
            checks.that(word in done.text, f"quickstart: {line}: answers {word}", done)
    exported = driver.read(os.path.join(folder, "review.jsonl")).decode("utf-8").splitlines()
    checks.equal(len(exported), 21, "quickstart: the export has all rows")


def mistakes(checks, folder, path):
    """A new user's slips: each is told by name, with an exit code, and changes nothing."""
    before = sorted((n, driver.read(os.path.join(folder, n))) for n in os.listdir(folder))
    for line, code, words in [
        ("weft", driver.INVALID, ["--help"]),
        ("weft --help", 0, ["build", "manifest", "query"]),
        ("weft bild people.ttl", driver.INVALID, ["bild"]),
        ("weft build poeple.ttl -o x.rete", driver.NOT_FOUND, ["poeple.ttl"]),
        ("weft build people.ttl", driver.INVALID, ["output"]),
        ("weft build people.ttl -o base.rete", driver.CONFLICT, ["base.rete"]),
        ("weft build people.ttl -o nodir/x.rete", driver.NOT_FOUND, ["nodir"]),
        ("weft manifest init my.rete-manifest.json base.rete", driver.CONFLICT, ["my.rete-manifest.json"]),
        ("weft manifest add my.rete-manifest.json", driver.INVALID, ["adds"]),
        ("weft manifest add my.rete-manifest.json --adds nosuch.nt", driver.NOT_FOUND, ["nosuch.nt"]),
        ("weft manifest status my-rete-manifest.json", driver.NOT_FOUND, ["my-rete-manifest.json"]),
        ("weft manifest query my.rete-manifest.json 'SELECT ?n WHERE {'", driver.INVALID, ["line", "column"]),
        ("weft query people.ttl 'ASK {}'", (driver.INVALID, driver.CORRUPT), ["people.ttl"]),
        ("weft query base.rete 'INSERT DATA { <http://ex/a> <http://ex/b> 1 }'", driver.INVALID, ["SPARQL Update"]),
        ("weft query base.rete 'ASK {}' --format yaml", driver.INVALID, ["yaml"]),
    ]:
        done = run(["bash", "-c", line], cwd=folder, env=path)
        checks.code(done, code, f"mistake: {line}")
        for word in words:
            checks.that(word in done.text + done.errors, f"mistake: {line}: says {word}", done)
    checks.equal(sorted((n, driver.read(os.path.join(folder, n))) for n in os.listdir(folder)) == before, True, "mistakes change nothing")
    for command in ("build", "info", "verify", "dump", "merge", "convert", "count", "query", "manifest", "manifest init", "manifest add",
                    "manifest status", "manifest query", "manifest compact", "manifest diff", "manifest gc"):
        done = run(["bash", "-c", f"weft {command} --help"], cwd=folder, env=path)
        checks.that(done.code == 0 and command.split()[-1] in done.text, f"weft {command} --help", done)
    done = run(["bash", "-c", "weft dump my.rete-manifest.json | head -n 1"], cwd=folder, env=path)
    checks.that(done.code == 0 and done.text.count("\n") == 1 and "abort" not in done.errors, "a closed pipe is no crash", done)


def demo(checks, folder):
    script = os.path.join(driver.ROOT, "demo", "run.sh")
    done = run([script, driver.WEFT, os.path.join(folder, "demo")])
    checks.code(done, 0, "demo")
    served = ("\"inserted\":1", "\"sealed\":true", "written over HTTP") if shutil.which("curl") else ()
    graph = ("kill -9", "which nothing names", "+ Person Fritz", "new hire")
    for word in ("Bea Moreau-Kim", "437", "Found the original", *graph, *served):
        checks.that(word in done.text, f"demo: shows {word}", done)
    own = driver.write(os.path.join(folder, "own data.nq"), '_:a <http://ex/p> "1"@en .\n_:a <http://ex/p> <http://ex/o> <http://ex/g> .\n')
    done = run([script, driver.WEFT, os.path.join(folder, "own"), own])
    checks.code(done, 0, "demo with one's own file")
    done = run([script, driver.WEFT, os.path.join(folder, "none"), os.path.join(folder, "nosuch.ttl")])
    checks.that(done.code != 0 and "nosuch.ttl" in done.errors, "demo with a file that is not there", done)


def main():
    driver.need_weft()
    checks = driver.Checks()
    with driver.scratch("quickstart") as folder, driver.scratch("bin") as bin_folder:
        typed(checks, folder, bin_folder)
    with driver.scratch("graph") as folder, driver.scratch("bin") as bin_folder:
        os.symlink(driver.WEFT, os.path.join(bin_folder, "weft"))
        typed_graph(checks, folder, bin_folder)
    with driver.scratch("demo") as folder:
        demo(checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
