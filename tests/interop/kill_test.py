#!/usr/bin/env python3
"""kill -9 at random moments of `manifest add` and `manifest compact`: at every instant the manifest parses,
verifies, and is the state before or after. What is left over is swept by gc, and nothing else is.

usage: kill_test.py [KILLS]        default 40; 200 with WEFT_NIGHTLY=1
"""
import json
import os
import random
import signal
import subprocess
import sys
import time

import driver
import nquads
from driver import weft

M = "g.rete-manifest.json"
DUMP = ("--format", "nq")


def statements(seed, count):
    r = random.Random(seed)
    return {(f"<http://ex/s{r.randrange(5000)}>", f"<http://ex/p{r.randrange(20)}>", f'"v{r.randrange(5000)}"') for _ in range(count)}


class Store:
    def __init__(self, checks, folder):
        self.checks, self.folder = checks, folder
        self.visible = statements(0, 30000)
        driver.write(os.path.join(folder, "base.nq"), nquads.text_of(self.visible))
        self.run("build", "base.nq", "-o", "base.rete", "--blank-nodes", "keep")
        self.run("manifest", "init", M, "base.rete")

    def run(self, *words):
        done = weft(*words, cwd=self.folder)
        self.checks.code(done, 0, " ".join(words))
        return done

    def document(self):
        return driver.read(os.path.join(self.folder, M))

    def dump(self, name):
        done = weft("dump", M, *DUMP, cwd=self.folder)
        return nquads.statements(done.out) if self.checks.code(done, 0, f"{name}: dump") else None


def kill_after(words, folder, seconds):
    """Starts weft, kills it then. True if it was killed, False if it had ended."""
    process = subprocess.Popen([driver.WEFT, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(min(0.0005, max(0.0, deadline - time.monotonic())))
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def one_kill(checks, store, number, r, typical):
    """Adds or compacts, is killed, and looks."""
    kind = "compact" if r.random() < 0.4 else "add"
    name = f"kill {number}, {kind}"
    if kind == "add":
        adds, dels = statements(1000 + number, 4000), set(r.sample(sorted(store.visible), 500))
        driver.write(os.path.join(store.folder, "new.nq"), nquads.text_of(adds))
        driver.write(os.path.join(store.folder, "old.nq"), nquads.text_of(dels))
        words, after = ("manifest", "add", M, "--adds", "new.nq", "--dels", "old.nq"), (store.visible - dels) | adds
    else:
        words, after = ("manifest", "compact", M), store.visible
    before = store.document()
    killed = kill_after(words, store.folder, r.uniform(0, typical[kind] * 1.2))
    document = store.document()
    try:
        generation, old = json.loads(document)["generation"], json.loads(before)["generation"]
    except ValueError as error:
        checks.that(False, f"{name}: the manifest parses", error)
        return killed, False
    if document == before:
        checks.that(killed, f"{name}: ended without a change, and was not killed")
    else:
        checks.equal(generation, old + 1, f"{name}: the state after")
    status = weft("manifest", "status", M, "--count", "--verify", "--json", cwd=store.folder)
    want = store.visible if document == before else after
    if checks.code(status, 0, f"{name}: status --verify"):
        checks.equal(status.json()["visible_quads"], len(want), f"{name}: visible quads")
    if number % 10 == 0 or document != before:
        found = store.dump(name)
        if found is not None:
            checks.that(found == want, f"{name}: before or after, whole", nquads.difference(found, want))
    store.visible = want
    return killed, document != before


def measure(store):
    """How long an undisturbed add and compact take, so that kills fall inside."""
    typical = {}
    driver.write(os.path.join(store.folder, "new.nq"), nquads.text_of(statements(999, 4000)))
    typical["add"] = store.run("manifest", "add", M, "--adds", "new.nq").seconds
    store.visible |= statements(999, 4000)
    typical["compact"] = store.run("manifest", "compact", M).seconds
    return typical


def sweep(checks, store):
    """gc takes what no manifest names and is old enough; never anything else."""
    folder = store.folder
    named = {entry[role]["url"] for entry in json.loads(store.document())["log"] for role in ("adds", "dels") if entry.get(role)}
    inputs = {"base.nq", "new.nq", "old.nq", "base.rete", M}
    before = set(os.listdir(folder))
    dry = weft("manifest", "gc", M, "--dry-run", cwd=folder)
    checks.code(dry, 0, "gc --dry-run")
    checks.equal(set(os.listdir(folder)), before, "gc --dry-run removes nothing")
    checks.code(weft("manifest", "gc", M, "--yes", cwd=folder), 0, "gc --yes within the grace period")
    checks.equal(set(os.listdir(folder)), before, "gc removes nothing younger than the grace period")
    stranger = driver.write(os.path.join(folder, "notes.txt"), "somebody's own file\n")
    old = time.time() - 3 * 86400
    for name in os.listdir(folder):
        os.utime(os.path.join(folder, name), (old, old))
    checks.code(weft("manifest", "gc", M, "--yes", cwd=folder), 0, "gc --yes")
    left = set(os.listdir(folder))
    checks.that(named <= left, "gc keeps what the manifest names", named - left)
    checks.that((inputs - {"base.rete"}) <= left, "gc keeps the manifest and what it did not make", inputs - left)
    checks.that(os.path.exists(stranger), "gc keeps other people's files")
    print(f"gc: {len(before)} files before, {len(left)} after, {len(named)} named")
    extra = {n for n in left if n.endswith((".rete", ".tmp")) or ".tmp" in n} - named - {"base.rete"}
    checks.that(not extra, "gc leaves no leftovers", sorted(extra)[:5])
    found = store.dump("after gc")
    checks.that(found == store.visible, "after gc all is there")
    checks.code(weft("manifest", "status", M, "--verify", cwd=folder), 0, "after gc: status --verify")


def main():
    driver.need_weft()
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else (200 if driver.NIGHTLY else 40)
    r = random.Random(42)
    checks = driver.Checks()
    with driver.scratch("kill") as folder:
        store = Store(checks, folder)
        typical = measure(store)
        killed = published = 0
        for number in range(kills):
            was_killed, changed = one_kill(checks, store, number, r, typical)
            killed += was_killed
            published += changed
        print(f"{kills} runs: {killed} killed, {published} published; undisturbed add {typical['add']:.3f} s, compact {typical['compact']:.3f} s")
        checks.that(killed >= kills // 3, "kills fell inside the work", killed)
        sweep(checks, store)
    checks.finish()


if __name__ == "__main__":
    main()
