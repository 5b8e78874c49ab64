"""Item 7: a cold selective query over HTTP, 50 ms added to every request. Requests, bytes and rounds are those
of the server's log; a round is one link of the longest chain of requests that waited for each other. Rounds are
counted with 400 ms added, so that requests of one wave that the server is slow to take do not look like two."""
import os
import subprocess
import sys

import fold
import peers
from measure import median

DELAY_MS = 50
COUNTING_DELAY_MS = 400
SERVER = os.path.join(peers.ROOT, "tests", "http_server.py")
FOAF, EX = "http://xmlns.com/foaf/0.1/", "http://example.org/"
# Ten rows: who lives in the same city as person 1234, and is known by somebody (LIMIT 10).
QUERY = (f"SELECT ?x ?n WHERE {{ <{EX}person/1234> <{EX}livesIn> ?c . ?x <{EX}livesIn> ?c . ?x <{FOAF}name> ?n }} LIMIT 10")


class Server:
    """tests/http_server.py over one folder; its log tells when each request was answered."""

    def __init__(self, folder, delay_ms):
        self.log = os.path.join(peers.FOLDER, f"http-{delay_ms}.log")
        peers.remove(self.log)
        self.delay_ms = delay_ms
        self.process = subprocess.Popen([sys.executable, SERVER, folder, "--latency-ms", str(delay_ms), "--log", self.log],
                                        stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def answered(self):
        """[(milliseconds, bytes)] of all requests so far."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            return [(float(line.split()[0]), int(line.split()[-1])) for line in file]

    def close(self):
        self.process.terminate()
        self.process.wait()


def rounds(answers, delay_ms):
    """The longest chain of requests each of which was sent after the one before it was answered."""
    count, end = 0, float("-inf")
    for answered in sorted(time for time, _ in answers):
        if answered - delay_ms >= end:
            count, end = count + 1, answered
    return count


def cold(server, target):
    """One process that knows nothing yet: wall time, requests, bytes, rounds."""
    before = len(server.answered())
    run = peers.weft("query", server.address + target, QUERY, "--format", "csv")
    answers = server.answered()[before:]
    run.requests, run.bytes, run.rounds = len(answers), sum(size for _, size in answers), rounds(answers, server.delay_ms)
    return run


def http(report, _, __):
    fold.prepare()
    if not os.path.exists(SERVER):
        report.failed(7, "over HTTP", f"no {SERVER}")
        return
    server, slow = Server(fold.folder(), DELAY_MS), Server(fold.folder(), COUNTING_DELAY_MS)
    try:
        one_segment = None
        one_entry = 0
        for target, what in (("base.rete", "one 5 M segment"), ("one.json", "manifest of 1 entry"), ("all.json", "manifest of 101 entries")):
            runs = [cold(server, target) for _ in range(5)]
            counted = [cold(slow, target) for _ in range(3)]
            found = {len(r.out.split(b"\n")) - 2 for r in runs + counted}
            if found != {10}:
                report.failed(7, what, f"rows: {found}, want 10")
                continue
            asked = int(median(runs, "requests"))
            if target == "base.rete":
                one_segment = runs
                report.limit(7, f"cold query, {what}: rounds", int(median(counted, "rounds")), "", 6)
                report.limit(7, f"cold query, {what}: requests", asked, "", 16)
            else:
                report.add(7, f"cold query, {what}: rounds", int(median(counted, "rounds")), None, "", "")
                one_entry = int(median(counted, "rounds")) if target == "one.json" else one_entry
                report.add(7, f"cold query, {what}: requests", asked, None, "", "")
            report.add(7, f"cold query, {what}: bytes", int(median(runs, "bytes")), None, "", "B")
            report.add(7, f"cold query, {what}: wall", median(runs, "wall") * 1000, None, "", "ms")
            if target == "all.json" and one_segment:
                each = (asked - median(one_segment, "requests")) / fold.SEGMENTS
                report.limit(7, "requests that one overlay segment adds", each, "", 3)
                more = int(median(counted, "rounds")) - one_entry
                report.limit(7, "rounds that 100 overlay segments add", more, "", 0)
    finally:
        server.close()
        slow.close()
