#!/usr/bin/env python3
"""`weft serve` beside rete 0.5.0: each asks the other by SERVICE, rete reads our snapshot by range and federates over
it, and each takes over the manifest and journal that the other served. usage: server_with_rete_test.py"""
import os

from driver import Checks, need_rete, need_weft, rete, scratch, weft
from journal_with_rete_test import Rete
from server_driver import Server

need_weft()
need_rete()
checks = Checks()
keep = scratch("server-rete")
folder = keep.name


def target_with(name, text):
    source, base = os.path.join(folder, name + ".nt"), os.path.join(folder, name + ".rete")
    with open(source, "w", encoding="ascii") as file:
        file.write(text)
    checks.code(weft("build", source, "-o", base), 0, "the segment is built")
    target = os.path.join(folder, name + ".rete-manifest.json")
    checks.code(weft("manifest", "init", target, base), 0, "the manifest is made")
    return target


class ReteServer(Rete):
    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def objects(self):
        return sorted(str(statement).split('"')[1] for statement in self.statements())


def federation():
    names = target_with("names", '<http://ex/a> <http://ex/name> "Ada" .\n<http://ex/b> <http://ex/name> "Bea" .\n')
    knows = target_with("knows", "<http://ex/a> <http://ex/knows> <http://ex/b> .\n")
    query = "SELECT ?n WHERE {{ <http://ex/a> <http://ex/knows> ?x . SERVICE <{}/sparql> {{ ?x <http://ex/name> ?n }} }}"
    with Server(names) as ours:
        done = rete("sparql", os.path.join(folder, "knows.rete"), query.format(ours.url))
        checks.that(done.code == 0 and "Bea" in done.text and "Ada" not in done.text, "rete asks us by SERVICE", done)
        snapshot = ours.url + "/snapshot.rete"
        done = rete("sparql-url", snapshot, "SELECT ?n WHERE { ?x <http://ex/name> ?n }")
        checks.that(done.code == 0 and "Ada" in done.text and "Bea" in done.text, "rete reads our snapshot by range", done)
        done = rete("federate", "--query", "SELECT ?x ?y WHERE { ?x ?p ?y }", snapshot, os.path.join(folder, "knows.rete"))
        checks.that(done.code == 0 and "Bea" in done.text and "http://ex/b" in done.text, "rete federates over it", done)
    with ReteServer(folder, os.path.join(folder, "names.rete")) as theirs:
        done = weft("query", knows, query.format(theirs.url), "--format", "csv")
        checks.that(done.code == 0 and "Bea" in done.text and "Ada" not in done.text, "we ask rete by SERVICE", done)
        with Server(knows, "--allow-service", theirs.url) as ours:
            answer = ours.query(query.format(theirs.url), "text/csv")
            checks.that(answer.status == 200 and "Bea" in answer.text, "so does our server", answer)


def take_over():
    target = target_with("turns", "<http://ex/s> <http://ex/p> \"0\" .\n")
    everything = "SELECT ?o WHERE { ?s <http://ex/p> ?o } ORDER BY ?o"
    with ReteServer(folder, target) as theirs:
        theirs.update("INSERT DATA { <http://ex/s> <http://ex/p> '1' }")
    with Server(target) as ours:
        checks.equal(ours.query(everything, "text/csv").text.split(), ["o", "0", "1"], "we go on with rete's journal")
        checks.equal(ours.update("INSERT DATA { <http://ex/s> <http://ex/p> '2' } ; DELETE DATA { <http://ex/s> <http://ex/p> '0' }").status,
                     200, "and write on")
    with ReteServer(folder, target) as theirs:
        checks.equal(theirs.objects(), ["1", "2"], "rete goes on with ours")
        theirs.update("INSERT DATA { <http://ex/s> <http://ex/p> '3' }")
    with Server(target) as ours:
        checks.equal(ours.query(everything, "text/csv").text.split(), ["o", "1", "2", "3"], "we go on again")
        checks.equal(ours.request("POST", "/admin/seal").status, 200, "and seal")
        checks.equal(ours.request("POST", "/admin/compact").status, 200, "and compact")
    done = rete("manifest", "query", target, everything)
    checks.that(done.code == 0 and all(f"{i}" in done.text for i in (1, 2, 3)), "rete opens what we sealed and compacted", done)


for part in (federation, take_over):
    part()
checks.finish()
