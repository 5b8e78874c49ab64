#!/usr/bin/env python3
"""The golden `.rete` files: made by the real engines, read by weft; damaged ones are refused.

Folder: $WEFT_TESTDATA/rete-golden, see its README.
"""
import glob
import os
import re

import driver
import nquads
import questions
from driver import weft

DUMP = ("--format", "nq", "--quoted-triple-syntax", "rdf-star")


def hashes(folder):
    """File name -> content hash, as the README lists them."""
    text = driver.read(os.path.join(folder, "README.md")).decode("utf-8")
    return dict(re.findall(r"^\| `([^`]+\.rete)` \| \d+ \| `([0-9a-f]{32})` \|", text, re.M))


def sound(checks, path, content_hash):
    name = os.path.basename(path)
    want = nquads.statements(driver.read(os.path.join(os.path.dirname(path), name.split(".")[0] + ".sorted.nq")))
    checks.code(weft("verify", path), 0, f"{name}: verify")
    done = weft("dump", path, *DUMP)
    if checks.code(done, 0, f"{name}: dump"):
        got = nquads.statements(done.out)
        checks.that(got == want, f"{name}: dump", nquads.difference(got, want))
    info = weft("info", path, "--json")
    if checks.code(info, 0, f"{name}: info"):
        checks.that(content_hash in info.text, f"{name}: info shows the content hash {content_hash}", info)
    for query, size in ((questions.ALL, 3), (questions.ALL_QUADS, 4)):
        answer = weft("query", path, query, "--format", "json")
        if checks.code(answer, 0, f"{name}: query of all, {size} positions"):
            checks.equal(len(nquads.bindings(answer.json())), sum(1 for s in want if len(s) == size),
                         f"{name}: rows of all, {size} positions")


def damaged(checks, path, good):
    """Refused by verify; a dump or a query gives the whole truth or fails as corrupt, never other rows."""
    name = os.path.basename(path)
    done = weft("verify", path)
    checks.code(done, driver.CORRUPT, f"{name}: verify")
    checks.that(name in done.errors or path in done.errors, f"{name}: verify names the file", done)
    want = nquads.statements(driver.read(os.path.join(os.path.dirname(path), "graphs-few.sorted.nq")))
    done = weft("dump", path, *DUMP)
    if done.code == 0:
        got = nquads.statements(done.out)
        checks.that(got == want, f"{name}: dump is whole", nquads.difference(got, want))
    else:
        checks.code(done, driver.CORRUPT, f"{name}: dump")
    for query in (questions.ALL, questions.ALL_QUADS, questions.COUNT, questions.COUNT_QUADS):
        answer, right = weft("query", path, query, "--format", "json"), weft("query", good, query, "--format", "json")
        if answer.code == 0:
            checks.equal(nquads.bindings(answer.json()), nquads.bindings(right.json()), f"{name}: {query}")
        else:
            checks.code(answer, driver.CORRUPT, f"{name}: {query}")


def main():
    driver.need_weft()
    folder = driver.need_testdata("rete-golden")
    checks = driver.Checks()
    known = hashes(folder)
    count = 0
    for path in sorted(glob.glob(os.path.join(folder, "*.rete"))):
        name = os.path.basename(path)
        count += 1
        if name.startswith("damaged-"):
            damaged(checks, path, os.path.join(folder, "graphs-few.06.rete"))
        else:
            sound(checks, path, known[name])
    print(f"{count} golden files")
    checks.that(count >= 45, "all golden files are there", count)
    checks.finish()


if __name__ == "__main__":
    main()
