#!/usr/bin/env python3
"""Segments cross between weft and rete-cli 0.5.0, generations 6 and 5, in both directions.

usage: rete_files_test.py [ours|theirs] [GRAPH...]
"""
import os
import sys

import driver
import graphs
import nquads
import questions
from driver import rete, weft

EXPORT = ("--format", "nq", "--quoted-triple-syntax", "rdf-star")
DUMP = ("--format", "nq", "--quoted-triple-syntax", "rdf-star")


def same_statements(checks, name, done, want):
    if not checks.code(done, 0, f"{name}: exit"):
        return
    try:
        got = nquads.statements(done.out)
    except (nquads.Malformed, UnicodeDecodeError) as error:
        checks.that(False, f"{name}: output is no N-Quads", error)
        return
    checks.that(got == want, name, nquads.difference(got, want) if got != want else "")


def same_answers(checks, name, path, asked):
    for title, query in asked:
        ours = weft("query", path, query, "--format", "json")
        theirs = rete("sparql", path, query, "--json")
        if not checks.code(ours, 0, f"{name}, {title}: weft") or not checks.code(theirs, 0, f"{name}, {title}: rete"):
            continue
        got, want = nquads.bindings(ours.json()), nquads.bindings(theirs.json())
        checks.equal(got, want, f"{name}, {title}", query)


def counts(checks, name, path, statements):
    default = sum(1 for s in statements if len(s) == 3)
    done = weft("query", path, questions.COUNT, "--format", "csv")
    checks.that(done.code == 0 and done.text.split() == ["n", str(default)], f"{name}: count of the default graph", f"want {default}\n  {done}")
    done = weft("query", path, questions.COUNT_QUADS, "--format", "csv")
    checks.that(done.code == 0 and done.text.split() == ["n", str(len(statements) - default)], f"{name}: count of named quads", done)
    done = weft("count", path)
    checks.that(done.code == 0 and str(len(statements)) in done.text.split(), f"{name}: weft count", f"want {len(statements)}\n  {done}")


def ours(checks, graph, folder):
    """What weft builds: rete verifies it, exports the same statements, answers alike."""
    source = driver.write(os.path.join(folder, "in.nq"), graph.text)
    variants = [("6", []), ("5", ["--format-version", "5"])]
    if graph.small_blocks:
        variants.append(("6 small blocks", ["--tile-kib", "4", "--dict-chunk-kib", "4"]))
        variants.append(("6 three permutations", ["--permutations", "3"]))
        variants.append(("5 small blocks", ["--format-version", "5", "--tile-kib", "4", "--dict-chunk-kib", "4"]))
    if graph.labels and not graph.large:
        variants.append(("6 indexes", ["--text-index", "--label-index"]))
        variants.append(("5 indexes", ["--text-index", "--label-index", "--format-version", "5"]))
    if not graph.large:
        variants.append(("6 bare", ["--no-schema", "--no-block-digests"]))
    asked = questions.for_graph(graph.statements, 11, 1 if graph.large else 2)
    for i, (variant, options) in enumerate(variants):
        name = f"{graph.name}, ours, {variant}"
        path = os.path.join(folder, f"ours{i}.rete")
        if not checks.code(weft("build", source, "-o", path, "--blank-nodes", "keep", *options), 0, f"{name}: weft build"):
            continue
        checks.equal(driver.read(path)[4], int(variant[0]), f"{name}: header byte")
        checks.code(rete("verify", path), 0, f"{name}: rete verify")
        same_statements(checks, f"{name}: rete export", rete("export", path, *EXPORT), graph.statements)
        checks.code(weft("verify", path), 0, f"{name}: weft verify")
        same_statements(checks, f"{name}: weft dump", weft("dump", path, *DUMP), graph.statements)
        counts(checks, name, path, graph.statements)
        same_answers(checks, name, path, asked if i < 2 else asked[:4])
        if "indexes" in variant:
            same_search(checks, name, path, source, folder, options)


def same_search(checks, name, path, source, folder, options):
    """rete searches our text and label index and finds what it finds in its own."""
    own = os.path.join(folder, "search.rete")
    generation = 5 if "5" in options else 6
    if not checks.code(rete("build", source, "-o", own, "--no-pyramid", "--text-index", "--label-index", generation=generation), 0, f"{name}: rete build"):
        return
    for words in (["--contains", "lake"], ["--contains", "Okonkwo"], ["--contains-prefix", "boo"], ["--contains-prefix", "p"], ["note 1"], ["Ada"], ["s"]):
        a, b = rete("search", path, *words, "--limit", "50"), rete("search", own, *words, "--limit", "50")
        checks.equal((a.code, a.text), (b.code, b.text), f"{name}: rete search {words}", a.errors)


def theirs(checks, graph, folder):
    """What rete builds: weft verifies it, dumps the same statements, answers alike."""
    source = driver.write(os.path.join(folder, "in.nq"), graph.text)
    variants = [("6", 6, ["--no-pyramid"]), ("5", 5, ["--no-pyramid"])]
    if graph.small_blocks:
        variants.append(("6 small blocks", 6, ["--no-pyramid", "--tile-kib", "4", "--dict-chunk-kib", "4"]))
        variants.append(("5 small blocks", 5, ["--no-pyramid", "--tile-kib", "4", "--dict-chunk-kib", "4"]))
        variants.append(("6 three permutations", 6, ["--no-pyramid", "--permutations", "3"]))
    if len(graph.statements) < 20000:
        variants.append(("6 pyramid", 6, []))
        variants.append(("5 pyramid", 5, []))
    if graph.labels and not graph.large:
        everything = ["--text-index", "--text-index-graphs", "all", "--label-index", "--title", f"Graph {graph.name}", "--license", "CC0-1.0", "--no-card-costs"]
        variants.append(("6 everything", 6, everything))
        variants.append(("5 everything", 5, everything))
    asked = questions.for_graph(graph.statements, 12, 1 if graph.large else 2)
    for i, (variant, generation, options) in enumerate(variants):
        name = f"{graph.name}, theirs, {variant}"
        path = os.path.join(folder, f"theirs{i}.rete")
        if not checks.code(rete("build", source, "-o", path, *options, generation=generation), 0, f"{name}: rete build"):
            continue
        checks.equal(driver.read(path)[4], generation, f"{name}: header byte")
        checks.code(weft("verify", path), 0, f"{name}: weft verify")
        same_statements(checks, f"{name}: weft dump", weft("dump", path, *DUMP), graph.statements)
        if graph.name != "raw-spellings":  # a raw file has more rows than terms differ
            counts(checks, name, path, graph.statements)
            same_answers(checks, name, path, asked if i < 2 else asked[:4])
        info = weft("info", path, "--json")
        if checks.code(info, 0, f"{name}: weft info") and "everything" in variant:
            checks.that(f"Graph {graph.name}" in info.text, f"{name}: the card's title is shown", info)


def main():
    driver.need_weft()
    driver.need_rete()
    checks = driver.Checks()
    wanted = sys.argv[1:]
    directions = [d for d in (ours, theirs) if d.__name__ in wanted] or [ours, theirs]
    names = [w for w in wanted if w not in ("ours", "theirs")]
    for reason in graphs.absent():
        checks.part_skipped(reason)
    count = 0
    for graph in graphs.all_graphs():
        if names and graph.name not in names:
            continue
        count += 1
        for direction in directions:
            with driver.scratch("rete-files") as folder:
                direction(checks, graph, folder)
    print(f"{count} graphs, {' and '.join(d.__name__ for d in directions)}")
    checks.finish()


if __name__ == "__main__":
    main()
