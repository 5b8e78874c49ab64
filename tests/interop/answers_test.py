#!/usr/bin/env python3
"""Answers equal those of pyoxigraph, on random graphs and queries from fixed seeds.

Every fourth graph is a large one, with queries that join.
usage: answers_test.py [GRAPHS [QUERIES_PER_GRAPH [FIRST_SEED]]]      default 60 x 7; nightly 1,000 x 10
"""
import decimal
import os
import sys

import driver
import nquads
import random_queries
from driver import weft

driver.use_peer_python()
import pyoxigraph  # noqa: E402

XSD = random_queries.XSD
NUMBERS = {f"{XSD}{kind}" for kind in ("integer", "decimal", "double", "float")}


def number(lexical, datatype):
    """Numbers by value, to 12 digits, and type: engines differ in how many digits of 1/3 they print."""
    try:
        parsed = decimal.Decimal(lexical)
    except decimal.InvalidOperation:
        return f'"{lexical}"^^<{datatype}>'
    rounded = decimal.Context(prec=12).create_decimal(parsed).normalize() + 0
    return f"{datatype.removeprefix(XSD)} {rounded}"


def token(text):
    """A canonical token, numbers by value."""
    body, mark, rest = text.rpartition('"^^<')
    return number(body[1:], rest[:-1]) if mark and rest[:-1] in NUMBERS else text


def peer_token(term):
    if isinstance(term, pyoxigraph.Literal):
        return token(nquads.literal(term.value, term.language, term.datatype.value))
    return token(nquads.statement(f"<x:s> <x:p> {term} .")[2])


def merged(store):
    """g1 and g2 merged into the default graph, and g3: what FROM g1 FROM g2 FROM NAMED g3 means. pyoxigraph itself
    delivers a triple that stands in both graphs twice."""
    result = pyoxigraph.Store()
    graph = {n: pyoxigraph.NamedNode(f"http://ex/{n}") for n in random_queries.GRAPHS}
    for name in ("g1", "g2"):
        result.extend(pyoxigraph.Quad(q.subject, q.predicate, q.object) for q in store.quads_for_pattern(None, None, None, graph[name]))
    result.extend(store.quads_for_pattern(None, None, None, graph["g3"]))
    return result


def peer_answer(store, query):
    found = merged(store).query(query.replace(random_queries.MERGED, "")) if random_queries.MERGED in query else store.query(query)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return bool(found)
    if isinstance(found, pyoxigraph.QueryTriples):
        return sorted({tuple(peer_token(t) for t in (x.subject, x.predicate, x.object)) for x in found})
    names = [v.value for v in found.variables]
    return [tuple(sorted((name, peer_token(solution[name])) for name in names if solution[name] is not None)) for solution in found]


def our_answer(done, query):
    if query.startswith("CONSTRUCT"):
        return sorted({tuple(token(t) for t in s) for s in nquads.statements(done.out)})
    document = done.json()
    if "boolean" in document:
        return document["boolean"]
    one_row = {"results": {"bindings": []}}
    rows = []
    for row in document["results"]["bindings"]:
        one_row["results"]["bindings"] = [row]
        rows.append(tuple((name, token(t)) for name, t in nquads.bindings(one_row)[0]))
    return rows


def main():
    driver.need_weft()
    given = [int(a) for a in sys.argv[1:]]
    graphs = given[0] if given else (1000 if driver.NIGHTLY else 60)
    queries = given[1] if len(given) > 1 else (10 if driver.NIGHTLY else 7)
    first = given[2] if len(given) > 2 else 1
    checks = driver.Checks()
    refused, nonempty, answered = {}, 0, 0
    for seed in range(first, first + graphs):
        with driver.scratch("answers") as folder:
            large = seed % 4 == 0
            lines = random_queries.large_graph(seed) if large else random_queries.graph(seed)
            source = driver.write(os.path.join(folder, "g.nq"), "".join(line + "\n" for line in lines))
            store = pyoxigraph.Store()
            store.load(path=source)
            path = os.path.join(folder, "g.rete")
            if not checks.code(weft("build", source, "-o", path), 0, f"seed {seed}: build"):
                continue
            maker = random_queries.Joins(seed) if large else random_queries.Queries(seed)
            for i in range(queries):
                query, ordered = maker.make()
                name = f"seed {seed}, query {i}: {query}"
                done = weft("query", path, query, "--format", "nt" if query.startswith("CONSTRUCT") else "json")
                if done.code == driver.INVALID and "unsupported" in done.errors:
                    refused[done.errors.strip()[:120]] = refused.get(done.errors.strip()[:120], 0) + 1
                    continue
                if not checks.code(done, 0, name):
                    continue
                got, want = our_answer(done, query), peer_answer(store, query)
                answered += 1
                nonempty += bool(want)
                if isinstance(got, list) and not ordered:
                    got, want = sorted(got), sorted(want)
                checks.equal(got, want, name, "\n  ".join(lines[:20]))
    print(f"{graphs} graphs, {answered} queries answered by both, {nonempty} with an answer, refused by name: {sum(refused.values())}")
    for text, count in sorted(refused.items()):
        print(f"  {count} x {text}")
    checks.that(sum(refused.values()) * 20 <= graphs * queries, "at most one query in twenty is refused", refused)
    checks.that(nonempty * 2 >= graphs * queries, "at least half of the queries have an answer", nonempty)
    checks.finish()


if __name__ == "__main__":
    main()
