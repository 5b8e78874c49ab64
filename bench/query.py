#!/usr/bin/env python3
"""Query shapes (query_shapes.py), warm, beside pyoxigraph in the same way and `rete serve` over HTTP.

All take turns, shape by shape. A run is everything from the text of the query to the whole answer as text. What a request
to rete costs beside its query (the time of ASK {}) is taken off; a query that takes less than half of that again cannot
be told from it, and has no ratio.

usage: query.py [--triples N] [--no-rete] [CLASS...]        chosen classes; all of them: run.py --only query
"""
import argparse
import http.client
import json
import math
import os
import select
import socket
import statistics
import subprocess
import time

import peers
from query_shapes import PREFIXES, SHAPES
from report import Report

PROGRAM = os.path.join(os.path.dirname(peers.WEFT), "bench", "query_speed")
ANSWERS = os.path.join(peers.FOLDER, "answers")
CAP, GOAL, SLOWEST = 10, 3, 1.5
SECONDS, ROUNDS, PATIENCE = 1.0, 25, 30  # PATIENCE: what answers later counts as no answer


class Line:
    """A program that reads a request a line (query_speed.cc)."""

    def __init__(self, name, argv, greets):
        self.name, self.argv, self.greets = name, argv, greets
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        if self.greets and self.process.stdout.readline().strip() != "ready":
            raise peers.measure.Failed(f"{self.name} does not start")

    def ask(self, query):
        """(milliseconds, answer lines); raises Failed."""
        path = os.path.join(ANSWERS, f"{self.name}.tsv")
        self.process.stdin.write(f"{ROUNDS}\t{SECONDS}\t{path}\t{query}\n")
        if not select.select([self.process.stdout], [], [], PATIENCE)[0]:
            self.process.kill()
            self.close()
            self.start()
            raise peers.measure.Failed(f"no answer within {PATIENCE} s")
        head, _, rest = self.process.stdout.readline().rstrip("\n").partition("\t")
        if head in ("error", ""):
            raise peers.measure.Failed(f"{self.name}: {rest or 'ended'}")
        with open(path, encoding="utf-8") as file:
            return statistics.median(map(float, rest.split())), [line.split("\t") for line in file.read().removesuffix("\n").split("\n")]

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()
        self.process.stdout.close()


class Rete:
    """`rete serve` on a free port."""
    name = "rete"

    def __init__(self, target):
        self.target = target
        self.start()

    def start(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.process = subprocess.Popen([peers.RETE, "serve", self.target, "--bind", f"127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.request("ASK {}")
                break
            except (OSError, http.client.HTTPException):
                self.connection.close()
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise peers.measure.Failed("rete serve does not answer") from None
                time.sleep(0.05)
        self.floor = statistics.median(self.request("ASK {}")[0] for _ in range(31))

    def request(self, query):
        headers = {"Accept": "application/sparql-results+json", "Content-Type": "application/sparql-query"}
        begin = time.perf_counter()
        self.connection.request("POST", "/sparql", query.encode(), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        # On a connection that goes on, its answers often wait 40 ms for an acknowledgement.
        self.connection.close()
        if answer.status != 200:
            raise peers.measure.Failed(text.decode("utf-8", "replace"))
        return (time.perf_counter() - begin) * 1000, text

    def ask(self, query):
        try:
            _, text = self.request(query)
            times = []
            while not times or (len(times) < ROUNDS and sum(times) < SECONDS * 1000):
                times.append(self.request(query)[0])
        except (OSError, http.client.HTTPException) as error:
            self.process.kill()
            self.close()
            self.start()
            raise peers.measure.Failed(error) from None
        took = statistics.median(times) - self.floor
        return took if took > self.floor / 2 else None, self.lines(json.loads(text))

    @staticmethod
    def lines(answer):
        if "boolean" in answer:
            return [[str(answer["boolean"]).lower()]]
        names = answer["head"]["vars"]
        return [["?" + n for n in names]] + [[Rete.token(row.get(n)) for n in names] for row in answer["results"]["bindings"]]

    @staticmethod
    def token(term):
        if term is None:
            return ""
        if term["type"] == "uri":
            return f"<{term['value']}>"
        value = '"' + term["value"].replace("\\", "\\\\").replace('"', '\\"') + '"'
        if "xml:lang" in term:
            return f"{value}@{term['xml:lang']}"
        return f"{value}^^<{term['datatype']}>" if "datatype" in term else value

    def close(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait()


def plain(token):
    """Terms in one spelling: numbers by value, to nine digits."""
    text = token.partition('"^^<http://www.w3.org/2001/XMLSchema#')[0].lstrip('"')
    try:
        return f"{float(text):.9g}"
    except ValueError:
        return token.removesuffix("^^<http://www.w3.org/2001/XMLSchema#string>")


def rows(lines):
    """Of an answer, in one order and spelling; the columns are those of the query in all engines."""
    head = lines[0] if lines and lines[0] and lines[0][0].startswith("?") else []
    order = sorted(range(len(head)), key=lambda i: head[i])
    if not head:
        return [tuple(line) for line in lines]
    return sorted(tuple(plain(line[i]) for i in order) for line in lines[1:])


def same(name, query, ours, theirs):
    if "any" in name.split(", ")[1:] or name.endswith("any ten"):
        return len(ours) == len(theirs)
    return rows(ours) == rows(theirs)


def segments(triples):
    source = peers.input_file("town", triples)
    found = {}
    for engine, command in (("weft", peers.weft), ("rete", peers.rete)):
        path = os.path.join(peers.FOLDER, f"town-{triples}.{engine}.rete")
        if not os.path.exists(path):
            command("build", *(["--no-pyramid"] if engine == "rete" else []), source, "-o", path)
        found[engine] = path
    return source, found["weft"], found["rete"]


def one_shape(report, engines, kind, name, text):
    """Ratios of the peers' times to ours, or None where they have no right answer; None for a wrong answer of ours."""
    query, what = PREFIXES + text, f"{kind}: {name}"
    try:
        ours, answer = engines[0].ask(query)
    except peers.measure.Failed as error:
        report.failed(4, what, error)
        return None
    ratios = []
    for peer in engines[1:]:
        try:
            theirs, other = peer.ask(query)
        except peers.measure.Failed as error:
            report.add(4, what, ours, None, f"{peer.name}: {error}"[:60], "ms")
            ratios.append(None)
            continue
        if not same(name, query, answer, other):
            if peer.name == "pyoxigraph":
                report.failed(4, what, f"answers differ: {len(answer)} and {len(other)} lines")
                return None
            report.add(4, what, ours, theirs, f"{peer.name}, wrong answer", "ms")
            ratios.append(None)
            continue
        if theirs is None:
            report.add(4, what, ours, None, f"{peer.name}: less than HTTP costs", "ms")
            ratios.append(None)
            continue
        ratios.append(theirs / ours)
        report.at_least(4, what, ours, theirs, peer.name, "ms", round(1 / SLOWEST, 3))
    return ratios


def query_shapes(report, triples, kinds=None, with_rete=True):
    os.makedirs(ANSWERS, exist_ok=True)
    source, ours, theirs = segments(triples)
    engines = [Line("weft", [PROGRAM, ours], False), Line("pyoxigraph", [peers.PYTHON, os.path.join(os.path.dirname(__file__), "query_peer.py"), source, "memory"], True)]
    if with_rete and os.path.exists(peers.RETE):
        engines.append(Rete(theirs))
    try:
        for kind, shapes in SHAPES.items():
            if kinds and kind not in kinds:
                continue
            found = [one_shape(report, engines, kind, name, text) for name, text in shapes.items()]
            for i, peer in enumerate(engines[1:]):
                capped = [min(CAP, ratios[i]) for ratios in found if ratios and ratios[i]]
                if capped:
                    mean = math.exp(statistics.fmean(map(math.log, capped)))
                    report.add(4, f"{kind}, {triples / 1e6:g} M: geometric mean of {len(capped)}", mean, None, peer.name, "x", f">= {GOAL}", mean, mean >= GOAL)
    finally:
        for engine in engines:
            engine.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--triples", type=int, default=1_000_000)
    arguments.add_argument("--no-rete", action="store_true")
    arguments.add_argument("classes", nargs="*")
    given = arguments.parse_args()
    query_shapes(Report(), given.triples, given.classes, not given.no_rete)
