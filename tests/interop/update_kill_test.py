#!/usr/bin/env python3
"""kill -9 at random moments of `weft update` and `weft manifest seal`, with a recorded history: each acknowledged
update is there, none is half there, and the next command needs no hand.

usage: update_kill_test.py [ROUNDS]        default 60; 300 with WEFT_NIGHTLY=1
"""
import os
import random
import re
import signal
import subprocess
import sys
import time

import driver
from driver import weft

M = "g.rete-manifest.json"
PARTS = 20  # statements of one update


def kill_after(words, folder, seconds):
    """True if it was killed before it ended well."""
    process = subprocess.Popen([driver.WEFT, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    return process.wait() != 0


def parts_of(checks, folder, name):
    """Update number -> how many of its statements are there."""
    done = weft("dump", M, "--format", "nq", cwd=folder)
    checks.code(done, 0, f"{name}: it opens without a hand")
    found = {}
    for number in re.findall(r"<http://ex/update> \"(\d+)\"", done.text):
        found[int(number)] = found.get(int(number), 0) + 1
    return found


def update_text(number):
    triples = " . ".join(f"<http://ex/u{number}-{i}> <http://ex/update> '{number}'" for i in range(PARTS))
    return f"DELETE WHERE {{ <http://ex/current> <http://ex/is> ?o }} ; INSERT DATA {{ {triples} . <http://ex/current> <http://ex/is> '{number}' }}"


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300 if driver.NIGHTLY else 60
    driver.need_weft()
    checks = driver.Checks()
    seed = int(os.environ.get("WEFT_SEED", str(random.SystemRandom().randrange(1 << 30))))
    print(f"seed {seed}")
    r = random.Random(seed)
    with driver.scratch("live") as folder:
        checks.code(weft("manifest", "init", M, cwd=folder), 0, "init")
        begin = time.monotonic()
        checks.code(weft("update", M, update_text(0), cwd=folder), 0, "update")
        typical = time.monotonic() - begin
        acknowledged, killed_count = {0}, 0
        for number in range(1, rounds + 1):
            seals = r.random() < 0.3
            words = ("manifest", "seal", M) if seals else ("update", M, update_text(number))
            killed = kill_after(words, folder, r.uniform(0, typical * 1.3))
            killed_count += killed
            if not seals and not killed:
                acknowledged.add(number)
            found = parts_of(checks, folder, f"round {number}")
            checks.that(acknowledged <= set(found), f"round {number}: acknowledged updates are there", acknowledged - set(found))
            checks.that(set(found.values()) == {PARTS}, f"round {number}: no update is half there", found)
            acknowledged = set(found)  # what is there once stays
        checks.code(weft("journal", "verify", M, cwd=folder), 0, "the journal verifies")
        checks.code(weft("manifest", "seal", M, cwd=folder), 0, "and is sealed")
        checks.that(set(parts_of(checks, folder, "end")) == acknowledged, "sealing lost nothing")
        checks.code(weft("verify", M, cwd=folder), 0, "every segment verifies")
        print(f"{killed_count} of {rounds} were killed, {len(acknowledged)} updates are there")
    checks.finish()


if __name__ == "__main__":
    main()
