#!/usr/bin/env python3
"""Measures weft beside its peers, in the same run, and checks every answer.

usage: bench/run.py [--triples N] [--rounds N] [--only NAME,...] [--large] [--json FILE]
  --triples N    of the build and query benchmarks (default 1,000,000)
  --large        also 20 M triples within 512 MiB, query shapes on 5 M, and the manifest of 5 M triples and 100 segments
  --only NAMES   build parse size open query manifest http query-large large
Writes build/bench/report.json and report.md; exit 1 if an answer was wrong.
"""
import argparse
import json
import os
import platform
import sys

import fold
import peers
import remote
from measure import Failed, alternate, median
from query import query_shapes
from report import Report

KINDS = ("people", "shop")
QUERIES = {
    "people": "SELECT ?n WHERE { <http://example.org/person/777> <http://xmlns.com/foaf/0.1/knows> ?x . ?x <http://xmlns.com/foaf/0.1/name> ?n }",
    "shop": "SELECT ?n ?price WHERE { ?p <https://schema.org/manufacturer> <http://example.org/maker/97> . ?p <https://schema.org/name> ?n . "
            "?p <https://schema.org/offers> ?o . ?o <https://schema.org/price> ?price }",
}
COUNT = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"


def segment(engine, kind, triples):
    return os.path.join(peers.FOLDER, f"{kind}-{triples}.{engine}.rete")


def rows(out):
    """Sorted rows of SPARQL JSON results."""
    return sorted(tuple(sorted((name, term["value"]) for name, term in row.items())) for row in json.loads(out)["results"]["bindings"])


def build(report, triples, rounds):
    for kind in KINDS:
        source = peers.input_file(kind, triples)
        ours, theirs = segment("weft", kind, triples), segment("rete", kind, triples)
        store = os.path.join(peers.FOLDER, "oxigraph")
        programs = {
            "weft": lambda: peers.weft("build", source, "-o", peers.remove(ours)),
            "rete": lambda: peers.rete("build", "--no-pyramid", source, "-o", theirs),
        }
        if os.path.exists(peers.PYTHON):
            programs["oxigraph"] = lambda: peers.measure.run([peers.PYTHON, "-c", peers.BULK_LOAD, source, store])
            programs["oxigraph_memory"] = lambda: peers.measure.run([peers.PYTHON, "-c", peers.BULK_LOAD_MEMORY, source])
        runs = alternate(rounds, **programs)
        counted = {peers.number(peers.weft("query", ours, COUNT, "--format", "csv")),
                   peers.number(peers.weft("query", theirs, COUNT, "--format", "csv"))}
        if "oxigraph" in runs:
            counted.add(peers.number(runs["oxigraph"][0]))
        if len(counted) != 1:
            report.failed(4, f"build {kind}", f"counts differ: {counted}")
            continue
        million = f"{triples / 1e6:g} M"
        report.at_least(4, f"build {million} {kind}, wall", median(runs["weft"], "wall"), median(runs["rete"], "wall"), "rete", "s", 3)
        report.at_most(4, f"build {million} {kind}, processor", median(runs["weft"], "processor"), median(runs["rete"], "processor"), "rete", "s", 0.5)
        for peer, name in (("oxigraph", "pyoxigraph, on disk"), ("oxigraph_memory", "pyoxigraph, in memory")):
            if peer in runs:
                report.at_least(4, f"build {million} {kind}, wall", median(runs["weft"], "wall"), median(runs[peer], "wall"), name, "s", 2)
        report.add(4, f"build {million} {kind}, resident", int(max(r.memory for r in runs["weft"]) / 2**20), int(max(r.memory for r in runs["rete"]) / 2**20), "rete", "MiB")


def need_segments(triples):
    for kind in KINDS:
        source = peers.input_file(kind, triples)
        if not os.path.exists(segment("weft", kind, triples)):
            peers.weft("build", source, "-o", segment("weft", kind, triples))
        if not os.path.exists(segment("rete", kind, triples)):
            peers.rete("build", "--no-pyramid", source, "-o", segment("rete", kind, triples))


def parse(report, triples, rounds):
    serd = peers.serd_parse()
    for kind in KINDS:
        source = peers.input_file(kind, triples)
        size = os.path.getsize(source)
        programs = {"weft": lambda: peers.weft("count", source, "--threads", "1"), "weft_all": lambda: peers.weft("count", source)}
        if serd:
            programs["serd"] = lambda: peers.measure.run([serd, source])
        runs = alternate(max(3, rounds), **programs)
        counted = {peers.number(r) for found in runs.values() for r in found}
        if counted != {triples}:
            report.failed(4, f"parse {kind}", f"counts: {counted}, want {triples}")
            continue
        if serd:
            report.at_least(4, f"parse N-Triples {kind}, processor, one thread", median(runs["weft"], "processor"), median(runs["serd"], "processor"), "serd, no output", "s", 3)
            report.at_least(4, f"parse N-Triples {kind}, processor, all threads", median(runs["weft_all"], "processor"), median(runs["serd"], "processor"), "serd, no output", "s", 3)
        report.add(4, f"parse N-Triples {kind}, all threads", int(size / median(runs["weft_all"], "wall") / 1e6), None, "", "MB/s")


def size(report, triples, _):
    need_segments(triples)
    for kind in KINDS:
        ours, theirs = (os.path.getsize(segment(e, kind, triples)) for e in ("weft", "rete"))
        report.at_most(4, f"file of {triples / 1e6:g} M {kind}", ours, theirs, "rete", "B", 1.02)


def query(report, triples, _):
    query_shapes(report, triples)


def query_large(report, _, __):
    query_shapes(report, 5_000_000)


def open_query(report, triples, _):
    need_segments(triples)
    for kind in KINDS:
        ours, theirs, text = segment("weft", kind, triples), segment("rete", kind, triples), QUERIES[kind]
        runs = alternate(15, weft=lambda: peers.weft("query", ours, text, "--format", "json"), rete=lambda: peers.rete("sparql", theirs, text, "--json"))
        a, b = rows(runs["weft"][0].out), rows(runs["rete"][0].out)
        if a != b or not a:
            report.failed(4, f"query {kind}", f"answers differ: {len(a)} and {len(b)} rows")
            continue
        for figure in ("wall", "processor"):
            report.at_most(4, f"open and selective query, {kind}, {len(a)} rows, {figure}", median(runs["weft"], figure) * 1000, median(runs["rete"], figure) * 1000, "rete", "ms", 0.5)


def large(report, _, __):
    """20 M triples within 512 MiB; the same input in another order gives the same bytes."""
    triples = 20_000_000
    source, output = peers.input_file("people", triples), os.path.join(peers.FOLDER, "large.rete")
    run = peers.weft("build", source, "-o", peers.remove(output), "--memory", "400")
    report.limit(5, "build 20 M people, resident", int(run.memory / 2**20), "MiB", 512)
    report.add(5, "build 20 M people, wall", run.wall, None, "", "s")
    report.add(5, "build 20 M people, processor", run.processor, None, "", "s")
    shuffled = os.path.join(peers.FOLDER, "large-reversed.nt")
    if not os.path.exists(shuffled):
        peers.measure.run(["bash", "-c", f"tac '{source}' > '{shuffled}.part' && mv '{shuffled}.part' '{shuffled}'"])
    again = os.path.join(peers.FOLDER, "large-again.rete")
    peers.weft("build", shuffled, "-o", peers.remove(again), "--memory", "400")
    same = peers.measure.run(["cmp", output, again], env={})
    report.add(5, "the same input in another order gives the same bytes", int(same.code == 0), None, "", "", "1", None, same.code == 0)
    for path in (again, shuffled, output):
        peers.remove(path)


ITEMS = {"build": build, "parse": parse, "size": size, "open": open_query, "query": query, "query-large": query_large, "manifest": fold.manifest, "http": remote.http, "large": large}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--triples", type=int, default=1_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--large", action="store_true")
    arguments.add_argument("--json", default=os.path.join(peers.FOLDER, "report.json"))
    given = arguments.parse_args()
    names = [n for n in given.only.split(",") if n] or [n for n in ITEMS if given.large or not n.endswith("large")]
    report = Report()
    report.notes = {"triples": given.triples, "rounds": given.rounds, "processors": os.cpu_count(), "machine": platform.machine(), "load": os.getloadavg()}
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; medians of {given.rounds} rounds or more, all programs taking turns")
    for name in names:
        try:
            ITEMS[name](report, given.triples, given.rounds)
        except Failed as error:
            report.failed("", name, error)
    os.makedirs(peers.FOLDER, exist_ok=True)
    report.write(given.json)
    with open(os.path.splitext(given.json)[0] + ".md", "w", encoding="utf-8") as file:
        file.write(report.table())
    print(f"written: {given.json}")
    sys.exit(1 if any("error" in row for row in report.rows) else 0)


if __name__ == "__main__":
    main()
