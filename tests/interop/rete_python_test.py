#!/usr/bin/env python3
"""Segments of generation 5 cross between weft and the Python package rete-graph 0.3.6, both ways.

The package has two readers, one for bytes and one for a path: each opens what weft builds.
usage: rete_python_test.py [GRAPH...]
"""
import os
import sys

import driver
import graphs
import nquads
import questions
from driver import weft

driver.use_peer_python()
import rete_graph  # noqa: E402  (only the peers' Python has it)

DUMP = ("--format", "nq", "--quoted-triple-syntax", "rdf-star")


def statements_of(opened):
    """Every quad that the package sees, in one form."""
    found = set()
    for s, p, o, g in opened.iter_quads():
        line = f"{s} {p} {o} {g or ''} ."
        found.add(nquads.statement(line))
    return found


def token(term):
    """A term of a solution, in one form."""
    if term is None:
        return None
    if term.kind == "iri":
        return f"<{term.value}>"
    if term.kind == "bnode":
        return f"_:{term.value.removeprefix('_:')}"
    if term.kind == "literal":
        return nquads.literal(term.value, term.lang, term.datatype)
    return f"{term.kind} {term.value}"


def rows_of(result):
    if isinstance(result, bool):
        return result
    return sorted(tuple(sorted((name, token(term)) for name, term in row.items() if term is not None)) for row in result)


def compare(checks, name, opened, graph):
    try:
        found = statements_of(opened)
    except Exception as error:  # the peer's exceptions have no common type
        checks.that(False, f"{name}: iter_quads", error)
        return
    checks.that(found == graph.statements, f"{name}: iter_quads", nquads.difference(found, graph.statements))
    checks.equal(opened.quads, len(graph.statements), f"{name}: quads")


def same_answers(checks, name, opened, path, asked):
    for title, query in asked:
        ours = weft("query", path, query, "--format", "json")
        if not checks.code(ours, 0, f"{name}, {title}: weft"):
            continue
        try:
            want = rows_of(opened.query(query))
        except Exception as error:
            checks.that(False, f"{name}, {title}: rete-graph", error)
            continue
        checks.equal(nquads.bindings(ours.json()), want, f"{name}, {title}", query)


def ours(checks, graph, folder):
    source = driver.write(os.path.join(folder, "in.nq"), graph.text)
    asked = questions.for_graph(graph.statements, 21, 1)
    variants = [("plain", [])]
    if graph.small_blocks:
        variants.append(("small blocks", ["--tile-kib", "4", "--dict-chunk-kib", "4"]))
    if graph.labels and not graph.large:
        variants.append(("text index", ["--text-index", "--label-index"]))
    for i, (variant, options) in enumerate(variants):
        name = f"{graph.name}, ours, {variant}"
        path = os.path.join(folder, f"ours{i}.rete")
        built = weft("build", source, "-o", path, "--format-version", "5", "--blank-nodes", "keep", *options)
        if not checks.code(built, 0, f"{name}: weft build"):
            continue
        for how, argument in (("by path", path), ("from bytes", driver.read(path))):
            try:
                opened = rete_graph.open(argument)
            except Exception as error:
                checks.that(False, f"{name}, {how}: open", error)
                continue
            compare(checks, f"{name}, {how}", opened, graph)
            same_answers(checks, f"{name}, {how}", opened, path, asked if how == "by path" else asked[:3])
            if variant == "text index":
                search(checks, f"{name}, {how}", opened, graph)


def search(checks, name, opened, graph):
    """The word index that we wrote finds what the package finds in its own."""
    own = rete_graph.open(rete_graph.Builder().add(graph.text.decode(), "nq").pyramid(False).text_index().run())
    for words in ("lake", "okonkwo", "reed float", "2026"):
        checks.equal(sorted(opened.text_search(words)), sorted(own.text_search(words)), f"{name}: text search {words}")


def theirs(checks, graph, folder):
    if not graph.text:
        return  # the package refuses empty input
    builder = rete_graph.Builder().add(graph.text.decode("utf-8"), "nq")
    if len(graph.statements) > 20000:
        builder.pyramid(False)
    if graph.labels and not graph.large:
        builder.text_index().card(title=f"Graph {graph.name}", license="CC0-1.0")
    path = os.path.join(folder, "theirs.rete")
    builder.export(path)
    name = f"{graph.name}, theirs"
    checks.equal(driver.read(path)[4], 5, f"{name}: header byte")
    checks.code(weft("verify", path), 0, f"{name}: weft verify")
    done = weft("dump", path, *DUMP)
    if checks.code(done, 0, f"{name}: weft dump"):
        found = nquads.statements(done.out)
        checks.that(found == graph.statements, f"{name}: weft dump", nquads.difference(found, graph.statements))
    if graph.name != "raw-spellings":
        same_answers(checks, name, rete_graph.open(path), path, questions.for_graph(graph.statements, 22, 1))


def main():
    driver.need_weft()
    checks = driver.Checks()
    for reason in graphs.absent():
        checks.part_skipped(reason)
    count = 0
    for graph in graphs.all_graphs():
        if sys.argv[1:] and graph.name not in sys.argv[1:]:
            continue
        count += 1
        for direction in (ours, theirs):
            with driver.scratch("rete-python") as folder:
                direction(checks, graph, folder)
    print(f"{count} graphs, both ways")
    checks.finish()


if __name__ == "__main__":
    main()
