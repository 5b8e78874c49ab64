#!/usr/bin/env python3
"""kill -9 of `weft serve` at random moments while clients update, seal and compact, with a recorded history: each
acknowledged update is there after the restart, none that was not is half there, and the restart needs no hand.

usage: server_kill_test.py [ROUNDS]        default 20; 300 with WEFT_NIGHTLY=1
"""
import http.client
import os
import random
import signal
import sys
import threading
import time

import driver
from driver import weft
from server_driver import Server

M = "g.rete-manifest.json"
PARTS = 10  # statements of one update
WRITERS = 4


class History:
    """Which updates were sent, and which were acknowledged."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent, self.acknowledged, self.strange = 0, set(), []

    def next(self):
        with self.lock:
            self.sent += 1
            return self.sent


def update_text(number):
    triples = " . ".join(f"<http://ex/u{number}-{i}> <http://ex/update> {number}" for i in range(PARTS))
    return f"DELETE WHERE {{ <http://ex/current> <http://ex/is> ?o }} ; INSERT DATA {{ {triples} . <http://ex/current> <http://ex/is> {number} }}"


def write(server, history, stop):
    connection = server.connect(timeout=20)
    while not stop.is_set():
        number = history.next()
        try:
            connection.request("POST", "/update", update_text(number), {"Content-Type": "application/sparql-update"})
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException):
            return  # the server was killed: not acknowledged, and perhaps done
        if answer.status == 200:
            with history.lock:
                history.acknowledged.add(number)
        else:
            history.strange.append((answer.status, body[:300]))
            return


def maintain(server, r, stop):
    connection = server.connect(timeout=20)
    try:
        while not stop.wait(r.uniform(0, 0.05)):
            connection.request("POST", r.choice(["/admin/seal", "/admin/seal", "/admin/compact"]))
            connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        pass


def parts_of(server):
    """Update number -> how many of its statements are there."""
    rows = server.query("SELECT ?u (COUNT(*) AS ?n) { ?s <http://ex/update> ?u } GROUP BY ?u", timeout=60).json()
    return {int(b["u"]["value"]): int(b["n"]["value"]) for b in rows["results"]["bindings"]}


def one_round(checks, name, target, history, r, options):
    with Server(target, *options) as server:
        found = parts_of(server)
        lost = history.acknowledged - set(found)
        checks.that(not lost, f"{name}: acknowledged updates are there", lost)
        checks.that(set(found.values()) <= {PARTS}, f"{name}: no update is half there",
                    {u: n for u, n in found.items() if n != PARTS})
        history.acknowledged = set(found)  # what is there once stays
        stop = threading.Event()
        threads = [threading.Thread(target=write, args=(server, history, stop)) for _ in range(WRITERS)]
        if r.random() < 0.7:
            threads.append(threading.Thread(target=maintain, args=(server, random.Random(r.random()), stop)))
        for thread in threads:
            thread.start()
        time.sleep(r.uniform(0, 0.25))
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        stop.set()
        for thread in threads:
            thread.join()


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300 if driver.NIGHTLY else 20
    driver.need_weft()
    checks = driver.Checks()
    seed = int(os.environ.get("WEFT_SEED", str(random.SystemRandom().randrange(1 << 30))))
    print(f"seed {seed}")
    r = random.Random(seed)
    with driver.scratch("server-kill") as folder:
        target = os.path.join(folder, M)
        checks.code(weft("manifest", "init", target), 0, "init")
        options = ("--access-log", "none", "--scratch", folder)
        history = History()
        for number in range(rounds):
            one_round(checks, f"round {number}", target, history, r, options)
        with Server(target, *options) as server:
            found = parts_of(server)
            checks.that(history.acknowledged <= set(found), "at the end all is there")
            checks.equal(server.request("POST", "/admin/seal").status, 200, "and is sealed")
            checks.equal(server.stop(), 0, "the server ends in order")
        checks.code(weft("journal", "verify", target), 0, "the journal verifies")
        checks.code(weft("verify", target), 0, "every segment verifies")
        checks.equal(history.strange, [], "no update was refused")
        print(f"{rounds} rounds: {history.sent} updates sent, {len(found)} are there")
    checks.finish()


if __name__ == "__main__":
    main()
