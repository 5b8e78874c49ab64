"""Item 7: a cold selective query over HTTP, 50 ms added to every request. Rounds are the wall time beyond
that of the same query without the delay, in units of the delay; requests are what the server counted."""
import json
import os
import re
import subprocess
import sys
import time
import urllib.request

import fold
import peers
from measure import alternate, median

DELAY_MS = 50
SERVER = os.path.join(peers.ROOT, "tests", "http_server.py")
FOAF, EX = "http://xmlns.com/foaf/0.1/", "http://example.org/"
# Ten rows: who lives in the same city as person 1234, and is known by somebody (LIMIT 10).
QUERY = (f"SELECT ?x ?n WHERE {{ <{EX}person/1234> <{EX}livesIn> ?c . ?x <{EX}livesIn> ?c . ?x <{FOAF}name> ?n }} LIMIT 10")


class Server:
    """tests/http_server.py over one folder; counts requests."""

    def __init__(self, folder, delay_ms):
        self.process = subprocess.Popen([sys.executable, SERVER, folder, "--delay-ms", str(delay_ms), "--port", "0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = re.search(r"http://\S+?(?=/?\s|/?$)", self.process.stdout.readline()).group()

    def counters(self):
        with urllib.request.urlopen(f"{self.address}/__counters") as answer:
            return json.load(answer)

    def close(self):
        self.process.terminate()
        self.process.wait()


def cold(server, target):
    """One run: wall seconds, requests."""
    before = server.counters()["requests"]
    begin = time.monotonic()
    run = peers.weft("query", f"{server.address}/{target}", QUERY, "--format", "csv")
    wall = time.monotonic() - begin
    run.wall, run.requests = wall, server.counters()["requests"] - before
    return run


def http(report, _, __):
    fold.prepare()
    if not os.path.exists(SERVER):
        report.failed(7, "over HTTP", f"no {SERVER}")
        return
    fast, slow = Server(fold.folder(), 0), Server(fold.folder(), DELAY_MS)
    try:
        for target, what, rounds, requests in (("base.rete", "one 5 M segment", 6, 16), ("one.json", "manifest of 1 entry", None, None),
                                               ("all.json", "manifest of 101 entries", None, None)):
            runs = alternate(5, fast=lambda t=target: cold(fast, t), slow=lambda t=target: cold(slow, t))
            found = len(runs["slow"][0].out.split()) - 1
            if any(len(r.out.split()) != found + 1 for r in runs["slow"] + runs["fast"]) or found < 10:
                report.failed(7, what, f"rows: {found}")
                continue
            delay = DELAY_MS / 1000
            measured = (median(runs["slow"], "wall") - median(runs["fast"], "wall")) / delay
            asked = int(median(runs["slow"], "requests"))
            if rounds:
                report.limit(7, f"cold query, {what}: rounds", measured, "", rounds)
                report.limit(7, f"cold query, {what}: requests", asked, "", requests)
            else:
                report.add(7, f"cold query, {what}: rounds", measured, None, "", "")
                report.add(7, f"cold query, {what}: requests", asked, None, "", "")
            report.add(7, f"cold query, {what}: wall", median(runs["slow"], "wall") * 1000, None, "", "ms")
    finally:
        fast.close()
        slow.close()
