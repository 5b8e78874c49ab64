#!/usr/bin/env python3
"""One manifest, written by weft and rete in turn: a random walk from a fixed seed. After every step both
engines report the same generation and number of visible quads, those of a model in this script, and a
member that only weft knows survives weft's steps.

usage: manifest_both_ways_test.py [STEPS [SEEDS]]
"""
import json
import os
import random
import sys

import driver
import nquads
from driver import rete, weft

M = "g.rete-manifest.json"
DUMP = ("--format", "nq", "--quoted-triple-syntax", "rdf-star")


def some_statements(r, visible, fresh):
    """Statements to add or delete: new ones, and some that are there."""
    found = set()
    for _ in range(r.randrange(1, 40)):
        s, p, o = (f"<http://ex/{letter}{r.randrange(30)}>" for letter in "spo")
        if r.random() < 0.3:
            o = f'"v{r.randrange(20)}"' + r.choice(["", "@en", "^^<http://www.w3.org/2001/XMLSchema#integer>"])
        if r.random() < 0.1:
            s = f"_:b{r.randrange(6)}"
        found.add((s, p, o) if r.random() < 0.5 else (s, p, o, f"<http://ex/g{r.randrange(4)}>"))
    if visible and not fresh:
        found |= set(r.sample(sorted(visible), min(len(visible), r.randrange(1, 30))))
    return found


class Walk:
    def __init__(self, checks, folder, seed):
        self.checks, self.folder, self.random, self.seed = checks, folder, random.Random(seed), seed
        self.visible, self.segments = set(), 0

    def segment(self, statements):
        """Built by either engine, in either generation. Returns the file name and who built it."""
        self.segments += 1
        base = f"s{self.segments}"
        driver.write(os.path.join(self.folder, f"{base}.nq"), nquads.text_of(statements))
        generation = self.random.choice((6, 6, 5))
        if self.random.random() < 0.5:
            done = weft("build", f"{base}.nq", "-o", f"{base}.rete", "--blank-nodes", "keep", "--format-version", generation, cwd=self.folder)
        else:
            done = rete("build", f"{base}.nq", "-o", f"{base}.rete", "--no-pyramid", generation=generation, cwd=self.folder)
        self.checks.code(done, 0, f"seed {self.seed}: build {base}")
        return f"{base}.rete"

    def engine(self):
        return self.random.choice((weft, rete))

    def begin(self):
        self.visible = some_statements(self.random, set(), True)
        base = self.segment(self.visible)
        self.checks.code(self.engine()("manifest", "init", M, base, cwd=self.folder), 0, f"seed {self.seed}: init")

    def step(self, number):
        engine = self.engine()
        name = f"seed {self.seed}, step {number}, {engine.__name__}"
        if self.random.random() < 0.12:
            words = ["compact", M] + (["--no-pyramid"] if engine is rete else [])
            self.checks.code(engine("manifest", *words, cwd=self.folder), 0, f"{name}: compact")
        else:
            words = []
            dels = some_statements(self.random, self.visible, False) if self.random.random() < 0.5 else set()
            adds = some_statements(self.random, self.visible, True) if self.random.random() < 0.8 or not dels else set()
            if dels:
                words += ["--dels", self.segment(dels)]
            if adds:
                words += ["--adds", self.segment(adds)]
            self.checks.code(engine("manifest", "add", M, *words, cwd=self.folder), 0, f"{name}: add")
            self.visible = (self.visible - dels) | adds
        self.compare(name)

    def compare(self, name):
        ours = weft("manifest", "status", M, "--count", "--json", cwd=self.folder)
        theirs = rete("manifest", "status", M, "--count", "--json", cwd=self.folder)
        if self.checks.code(ours, 0, f"{name}: weft status") and self.checks.code(theirs, 0, f"{name}: rete status"):
            a, b = ours.json(), theirs.json()
            # Ours may tell more; what rete tells is there, and the same.
            ours_of_theirs = {k: a.get(k) for k in b}
            ours_of_theirs["segments"] = [{k: x.get(k) for k in y} for x, y in zip(a["segments"], b["segments"])]
            self.checks.equal(len(a["segments"]), len(b["segments"]), f"{name}: segments")
            self.checks.equal(ours_of_theirs, b, f"{name}: both report alike")
            self.checks.equal(a["visible_quads"], len(self.visible), f"{name}: visible quads")

    def end(self):
        name = f"seed {self.seed}, end"
        done = weft("dump", M, *DUMP, cwd=self.folder)
        if self.checks.code(done, 0, f"{name}: weft dump"):
            got = nquads.statements(done.out)
            self.checks.that(got == self.visible, f"{name}: weft dump", nquads.difference(got, self.visible))
        self.checks.code(weft("manifest", "compact", M, cwd=self.folder), 0, f"{name}: weft compact")
        last = json.loads(driver.read(os.path.join(self.folder, M)))["log"]
        self.checks.equal(len(last), 1, f"{name}: one entry")
        segment = last[0]["adds"]["url"]
        self.checks.code(rete("verify", segment, cwd=self.folder), 0, f"{name}: rete verify of our compacted segment")
        done = rete("export", segment, *DUMP, cwd=self.folder)
        if self.checks.code(done, 0, f"{name}: rete export"):
            got = nquads.statements(done.out)
            self.checks.that(got == self.visible, f"{name}: rete export", nquads.difference(got, self.visible))
        self.compare(name)


def member_survives(checks, folder):
    """A member that neither engine knows survives weft's add and compact."""
    driver.write(os.path.join(folder, "a.nt"), "<http://ex/a> <http://ex/p> \"1\" .\n")
    checks.code(weft("build", "a.nt", "-o", "a.rete", cwd=folder), 0, "members: build")
    checks.code(rete("manifest", "init", "m.json", "a.rete", cwd=folder), 0, "members: init")
    document = json.loads(driver.read(os.path.join(folder, "m.json")))
    document["owner"] = {"name": "somebody", "n": 1.50}
    document["log"][0]["comment"] = "first"
    driver.write(os.path.join(folder, "m.json"), json.dumps(document))
    checks.code(weft("manifest", "add", "m.json", "--adds", "a.rete", cwd=folder), 0, "members: add")
    stored = json.loads(driver.read(os.path.join(folder, "m.json")))
    checks.equal((stored.get("owner"), stored["log"][0].get("comment")), (document["owner"], "first"), "members survive add")
    checks.code(weft("manifest", "compact", "m.json", cwd=folder), 0, "members: compact")
    stored = json.loads(driver.read(os.path.join(folder, "m.json")))
    checks.equal(stored.get("owner"), document["owner"], "members survive compact")


def main():
    driver.need_weft()
    driver.need_rete()
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else (40 if driver.NIGHTLY else 6)
    checks = driver.Checks()
    for seed in range(seeds):
        with driver.scratch("both-ways") as folder:
            walk = Walk(checks, folder, seed)
            walk.begin()
            for number in range(steps):
                walk.step(number)
            walk.end()
    with driver.scratch("members") as folder:
        member_survives(checks, folder)
    print(f"{seeds} walks of {steps} steps")
    checks.finish()


if __name__ == "__main__":
    main()
