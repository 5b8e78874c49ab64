#!/usr/bin/env python3
"""Journals go both ways between weft and rete 0.5.0: rete replays and seals ours to the same graph, we take over
what `rete serve` has left, in whatever state it was killed.

usage: journal_with_rete_test.py
"""
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import driver
import nquads
from driver import RETE, weft

M = "g.rete-manifest.json"
JOURNAL = M + ".changes"
PREFIX = "PREFIX x: <http://ex/> "
UPDATES = [
    "INSERT DATA { x:a x:p 'one', 'zwei'@de, 3, 4.5, true ; x:q \"line\\nbreak \\\"quoted\\\"\" }",
    "INSERT DATA { GRAPH x:g { x:a x:p x:b . x:b x:p 'é' } }",
    "DELETE DATA { x:a x:p 'one' }",
    "INSERT { x:copy x:of ?o } WHERE { x:a x:p ?o }",
    "DELETE { GRAPH x:g { ?s ?p ?o } } INSERT { GRAPH x:h { ?s ?p ?o } } WHERE { GRAPH x:g { ?s ?p ?o } }",
    "INSERT DATA { _:n x:p [ x:q 'node' ] }",
    "INSERT DATA { x:c x:n 1 } ; DELETE DATA { x:c x:n 1 } ; INSERT DATA { x:c x:n 2 }",
]


class Rete:
    """`rete serve` on a free port."""

    def __init__(self, folder, target):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = subprocess.Popen([RETE, "serve", target, "--bind", f"127.0.0.1:{self.port}"], cwd=folder,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                urllib.request.urlopen(self.url + "/", timeout=2).read()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.02)
        raise RuntimeError("rete serve does not answer: " + self.process.stderr.read().decode())

    def update(self, text):
        data = urllib.parse.urlencode({"update": text}).encode()
        urllib.request.urlopen(self.url + "/update", data, timeout=20).read()

    def statements(self):
        found = set()
        for query in ("CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",):
            text = urllib.request.urlopen(self.url + "/sparql?query=" + urllib.parse.quote(query), timeout=20).read()
            found |= nquads.statements(text)
        return found

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()


def dump(checks, folder, target, name):
    done = weft("dump", target, "--format", "nq", cwd=folder)
    return nquads.statements(done.out) if checks.code(done, 0, name) else set()


def default_graph(statements):
    return {each for each in statements if len(each) == 3}


def make_graph(checks, folder):
    driver.write(os.path.join(folder, "base.nq"), "<http://ex/base> <http://ex/p> \"0\" .\n<http://ex/old> <http://ex/p> \"0\" .\n")
    checks.code(weft("build", "base.nq", "-o", "base.rete", cwd=folder), 0, "build")
    checks.code(weft("manifest", "init", M, "base.rete", cwd=folder), 0, "init")


def ours_to_rete(checks, folder):
    make_graph(checks, folder)
    for update in UPDATES + ["DELETE WHERE { x:old ?p ?o }"]:
        checks.code(weft("update", M, PREFIX + update, cwd=folder), 0, update)
    ours = dump(checks, folder, M, "dump of ours")
    checks.that(len(ours) > 12, "our updates made a graph", ours)
    rete = Rete(folder, M)
    try:
        checks.equal(rete.statements(), default_graph(ours), "rete serve replays our journal")
    finally:
        rete.kill()
    checks.equal(dump(checks, folder, M, "dump after rete"), ours, "rete serve left it alone")
    checks.code(driver.run([RETE, "manifest", "seal", M], cwd=folder), 0, "rete seals our journal")
    checks.equal(os.path.getsize(os.path.join(folder, JOURNAL)), 0, "the journal is sealed")
    checks.equal(dump(checks, folder, M, "dump after the seal"), ours, "the seal of rete shows the same")
    checks.code(weft("update", M, PREFIX + "INSERT DATA { x:after x:seal true }", cwd=folder), 0, "we go on")
    checks.equal(len(dump(checks, folder, M, "dump")), len(ours) + 1, "one more")
    done = weft("manifest", "seal", M, cwd=folder)
    checks.code(done, 0, "we seal")
    status = driver.run([RETE, "manifest", "status", M, "--count", "--json"], cwd=folder)
    checks.code(status, 0, "rete reads what we sealed")
    checks.equal(status.json()["visible_quads"], len(ours) + 1, "and counts the same, marks left out")


def theirs_to_us(checks, folder):
    make_graph(checks, folder)
    rete = Rete(folder, M)
    try:
        for update in UPDATES:
            rete.update(PREFIX + update)
        theirs = rete.statements()
    finally:
        rete.kill()
    checks.equal(default_graph(dump(checks, folder, M, "dump of theirs")), theirs, "we fold their journal in")
    # Every length that a kill could have left of the last two lines.
    whole = driver.read(os.path.join(folder, JOURNAL))
    before_last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for size in range(before_last, len(whole), 7):
        driver.write(os.path.join(folder, JOURNAL), whole[:size])
        checks.code(weft("journal", "verify", M, cwd=folder), 0, f"verify, cut at {size}")
    driver.write(os.path.join(folder, JOURNAL), whole[:-1])
    checks.code(weft("update", M, PREFIX + "INSERT DATA { x:we x:take x:over }", cwd=folder), 0, "we take over")
    ours = dump(checks, folder, M, "dump after taking over")
    checks.equal(len(default_graph(ours)), len(theirs) + 1, "nothing lost, one more")
    verified = weft("journal", "verify", M, "--json", cwd=folder)
    checks.code(verified, 0, "verify")
    checks.equal(json.loads(verified.out)["unmarked_changes"], 0, "all lines are ours now")
    rete = Rete(folder, M)
    try:
        checks.equal(rete.statements(), default_graph(ours), "rete replays what we took over")
        # rete takes no lock and may write beside; it is noticed.
        rete.update(PREFIX + "INSERT DATA { x:rete x:goes x:on }")
    finally:
        rete.kill()
    checks.code(weft("update", M, PREFIX + "INSERT DATA { x:and x:so x:do_we }", cwd=folder), 0, "and we go on")
    checks.equal(len(dump(checks, folder, M, "last dump")), len(ours) + 2, "both are there")


def main():
    driver.need_weft()
    driver.need_rete()
    checks = driver.Checks()
    for part in (ours_to_rete, theirs_to_us):
        with driver.scratch("live") as folder:
            part(checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
