#!/usr/bin/env python3
"""Bad input gets a clear error, an exit code by kind, and changes nothing.

usage: bad_input_test.py [PART...]        parts: see PARTS below
"""
import json
import os
import pwd
import random
import shutil
import subprocess
import sys

import driver
from driver import CONFLICT, CORRUPT, DENIED, INVALID, LIMIT, NOT_FOUND, UNAVAILABLE, weft

M = "g.rete-manifest.json"
QUERY = ("query", M, "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", "--format", "csv")


def prepare(checks, folder):
    """A graph of two segments, 300 triples and 20 named quads."""
    driver.write(os.path.join(folder, "base.nt"), "".join(f'<http://ex/s{i}> <http://ex/p{i % 7}> "v{i}" .\n' for i in range(300)))
    driver.write(os.path.join(folder, "more.nq"), "".join(f"<http://ex/s{i}> <http://ex/p> <http://ex/o> <http://ex/g{i % 4}> .\n" for i in range(20)))
    for words in (("build", "base.nt", "-o", "base.rete"), ("build", "more.nq", "-o", "more.rete"), ("manifest", "init", M, "base.rete"),
                  ("manifest", "add", M, "--adds", "more.rete"), QUERY):
        checks.code(weft(*words, cwd=folder), 0, f"prepare: {words[0]} {words[1]}")


def contents(folder):
    found = {}
    for path, _, files in os.walk(folder):
        for name in files:
            full = os.path.join(path, name)
            found[os.path.relpath(full, folder)] = driver.read(full)
    return found


def refused(checks, folder, name, words, codes, says=(), timeout=300, **options):
    """Runs weft, wants one of the codes, the words in the message, and an unchanged folder."""
    before = contents(folder)
    done = weft(*words, cwd=folder, timeout=timeout, **options)
    checks.code(done, codes, name)
    checks.that(done.errors.strip() and done.errors.startswith("weft"), f"{name}: an error of one line's shape", done)
    for word in says:
        checks.that(word in done.errors, f"{name}: says {word}", done)
    after = contents(folder)
    if after != before:
        changed = sorted(n for n in set(before) | set(after) if before.get(n) != after.get(n))
        checks.that(False, f"{name}: changes nothing", changed)
    else:
        checks.that(True, name)
    return done


def segments(checks, folder):
    """Segments and manifests that are not what they should be."""
    good = driver.read(os.path.join(folder, "base.rete"))
    document = json.loads(driver.read(os.path.join(folder, M)))
    lengths = range(len(good)) if driver.NIGHTLY else sorted({0, 1, 3, 4, 5, 64, 127, 128, 129, 1023, 1024, len(good) - 1, len(good) - 8, len(good) - 9,
                                                              *random.Random(1).sample(range(len(good)), 40)})
    for size in lengths:
        driver.write(os.path.join(folder, "cut.rete"), good[:size])
        for words in (("verify", "cut.rete"), ("query", "cut.rete", "ASK { ?s ?p ?o }"), ("dump", "cut.rete")):
            refused(checks, folder, f"cut at {size}: {words[0]}", words, (CORRUPT, INVALID), ["cut.rete"])
    refused(checks, folder, "cut segment into a manifest", ("manifest", "add", M, "--adds", "cut.rete"), (CORRUPT, INVALID), ["cut.rete"])
    os.remove(os.path.join(folder, "cut.rete"))
    future = bytearray(good)
    future[4] = 7
    driver.write(os.path.join(folder, "future.rete"), bytes(future))
    for words in (("info", "future.rete"), ("query", "future.rete", "ASK {}"), ("manifest", "add", M, "--adds", "future.rete")):
        refused(checks, folder, f"a later generation: {words[0]}", words, (INVALID, CORRUPT), ["future.rete", "7"])
    driver.write(os.path.join(folder, "more.rete"), good)  # another segment under the pinned name
    for words in (QUERY, ("dump", M), ("manifest", "compact", M), ("manifest", "status", M), ("manifest", "status", M, "--count")):
        refused(checks, folder, f"wrong pin: {' '.join(words[:2])}", words, CORRUPT, ["more.rete"])
    os.remove(os.path.join(folder, "more.rete"))
    for words in (QUERY, ("dump", M), ("manifest", "compact", M), ("manifest", "status", M)):
        refused(checks, folder, f"missing segment: {' '.join(words[:2])}", words, (NOT_FOUND, CORRUPT), ["more.rete"])
    for change, code, says in (({"rete_manifest": 2}, INVALID, ["2"]), ({"generation": -1}, (INVALID, CORRUPT), ["generation"]), ({"log": 3}, (INVALID, CORRUPT), ["log"])):
        driver.write(os.path.join(folder, "odd.json"), json.dumps({**document, **change}))
        for words in (("manifest", "status", "odd.json"), ("query", "odd.json", "ASK {}"), ("manifest", "add", "odd.json", "--adds", "base.rete")):
            refused(checks, folder, f"manifest with {change}: {words[0]}", words, code, ["odd.json", *says])


def texts(checks, folder):
    """RDF and SPARQL text that is wrong: file, line and column are named."""
    for name, text, line in (
        ("iri with a space.nt", b"<http://ex/a> <http://ex/p> <http://ex/o> .\n<http://ex/a b> <http://ex/p> <http://ex/o> .\n", 2),
        ("invalid utf-8.nt", b'<http://ex/a> <http://ex/p> "\xff\xfe" .\n', 1),
        ("overlong utf-8.ttl", b'<http://ex/a> <http://ex/p> "ok" .\n<http://ex/a> <http://ex/p> "\xc0\xaf" .\n', 2),
        ("surrogate.nt", b'<http://ex/a> <http://ex/p> "\\uD800" .\n', 1),
        ("no dot.nt", b"<http://ex/a> <http://ex/p> <http://ex/o>\n", 1),
        ("literal subject.nq", b'"a" <http://ex/p> <http://ex/o> .\n', 1),
        ("open string.ttl", b'<http://ex/a> <http://ex/p> """open\n', 1),
        ("no prefix.ttl", b"\n\nex:a ex:p ex:o .\n", 3),
        ("relative iri.ttl", b"<a> <b> <c> .\n", 1),
        ("open graph.trig", b"<http://ex/g> { <http://ex/a> <http://ex/p> <http://ex/o> .\n", 2),
        ("open element.rdf", b'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>', 2),
        ("entities.rdf", b'<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;"><!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://ex/"><rdf:Description rdf:about="http://ex/a"><e:p>&g;</e:p></rdf:Description></rdf:RDF>', None),
        ("cut.nt.gz", bytes.fromhex("1f8b08000000000000034b4c"), None),
        ("noise.nt.zst", bytes.fromhex("28b52ffd") + bytes(range(40)), None),
    ):
        driver.write(os.path.join(folder, name), text)
        for words in (("build", name, "-o", "out.rete"), ("manifest", "add", M, "--adds", name), ("count", name)):
            says = [name] if line is None else [name, f"line={line}", "column="]
            done = weft(*words, cwd=folder) if words[0] == "count" else refused(checks, folder, f"{name}: {words[0]}", words, (INVALID, LIMIT, CORRUPT), [name])
            if words[0] == "count":
                checks.code(done, (INVALID, LIMIT, CORRUPT), f"{name}: count")
                continue
            places = done.errors.replace(f"{name}:{line}:", f"line={line} column=")
            for word in says:
                checks.that(word in places, f"{name}: {words[0]}: tells {word}", done)
    lenient = weft("build", "iri with a space.nt", "-o", "lenient.rete", "--lenient", cwd=folder)
    checks.code(lenient, 0, "lenient: the good statement is built")
    checks.that("1" in lenient.errors, "lenient: the count of skipped statements is told", lenient)
    for query, code, word in (("SELECT ?s WHERE { ?s ?p }", INVALID, "column"), ("SELECT * WHERE { ?s ?p ?o ", INVALID, "line"), ("", INVALID, ""),
                              ("SELECT * WHERE { ?s <http://ex/a b> ?o }", INVALID, "column"), ("DELETE WHERE { ?s ?p ?o }", INVALID, "SPARQL Update"),
                              ("SELECT * WHERE { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", UNAVAILABLE, "endpoint=http://127.0.0.1:1/"), ("\xff", INVALID, "")):
        refused(checks, folder, f"query {query!r}", ("query", M, query), code, [word])


def sizes(checks, folder):
    """Deep, long and many."""
    deep = 100000
    for name, text in (("deep.ttl", "<http://ex/a> <http://ex/p> " + "[ <http://ex/p> " * deep + "1" + " ]" * deep + " .\n"),
                       ("lists.ttl", "<http://ex/a> <http://ex/p> " + "( " * deep + ")" * deep + " .\n"),
                       ("quoted.ttl", "<http://ex/a> <http://ex/p> " + "<<( <http://ex/a> <http://ex/p> " * deep + "1" + " )>>" * deep + " .\n"),
                       ("quoted.nt", "<http://ex/a> <http://ex/p> " + "<<( <http://ex/a> <http://ex/p> " * deep + '"1"' + " )>>" * deep + " .\n")):
        driver.write(os.path.join(folder, name), text)
        refused(checks, folder, f"100,000 nested brackets: {name}", ("build", name, "-o", "out.rete"), (LIMIT, INVALID), [name])
        os.remove(os.path.join(folder, name))
    for name, query in (("braces", "SELECT * WHERE " + "{" * deep + "}" * deep), ("parentheses", "SELECT * WHERE { FILTER(" + "(" * deep + "1" + ")" * deep + ") }"),
                        ("optional", "SELECT * WHERE { " + "OPTIONAL { " * deep + "}" * deep + "}"), ("not", "SELECT * WHERE { FILTER(" + "!" * deep + "true) }"),
                        ("collections", "SELECT * WHERE { ?s ?p " + "(" * deep + ")" * deep + " }"), ("blank nodes", "SELECT * WHERE { ?s ?p " + "[ ?p " * deep + "1" + "]" * deep + " }")):
        driver.write(os.path.join(folder, "q.rq"), query)
        refused(checks, folder, f"100,000 nested {name}", ("query", M, "--query-file", "q.rq"), (LIMIT, INVALID))
    driver.write(os.path.join(folder, "long.nt"), b'<http://ex/a> <http://ex/p> "' + b"x" * 100_000_000 + b'" .\n')
    done = weft("build", "long.nt", "-o", "long.rete", cwd=folder, timeout=300)
    checks.code(done, (0, LIMIT), "a literal of 100 MB: built, or refused by a named limit")
    if done.code == 0:
        checks.code(weft("verify", "long.rete", cwd=folder), 0, "a literal of 100 MB: verify")
        answer = weft("query", "long.rete", "SELECT (STRLEN(?o) AS ?n) WHERE { ?s ?p ?o }", "--format", "csv", cwd=folder)
        checks.equal(answer.text.split(), ["n", "100000000"], "a literal of 100 MB: its length", answer.errors)
        os.remove(os.path.join(folder, "long.rete"))
    else:
        checks.that("max" in done.errors or "limit" in done.errors, "a literal of 100 MB: the limit is named", done)
    os.remove(os.path.join(folder, "long.nt"))


def many_graphs(checks, folder):
    """1 M named graphs are no error: they build, verify and answer."""
    count = 1_000_000
    with open(os.path.join(folder, "many.nq"), "w", encoding="utf-8") as file:
        for i in range(count):
            file.write(f"<http://ex/s{i % 1000}> <http://ex/p> <http://ex/o{i % 10}> <http://ex/g{i}> .\n")
    checks.code(weft("build", "many.nq", "-o", "many.rete", cwd=folder, timeout=900), 0, "1 M named graphs: build")
    os.remove(os.path.join(folder, "many.nq"))
    checks.code(weft("verify", "many.rete", cwd=folder), 0, "1 M named graphs: verify")
    for query, want in (("SELECT ?s WHERE { GRAPH <http://ex/g777777> { ?s ?p ?o } }", "http://ex/s777"),
                        ("SELECT (COUNT(*) AS ?n) WHERE { GRAPH ?g { <http://ex/s5> ?p ?o } }", "1000"),
                        ("SELECT (COUNT(DISTINCT ?g) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } }", str(count))):
        done = weft("query", "many.rete", query, "--format", "csv", cwd=folder)
        checks.equal(done.text.split()[1:], [want], f"1 M named graphs: {query}", done.errors)
    os.remove(os.path.join(folder, "many.rete"))


def file_systems(checks, folder):
    """Disks that are full, directories without hard links or permissions, syncs that fail."""
    with driver.scratch("faulty") as outside:
        library = driver.build_faulty_calls(outside)
        if library is None:
            checks.part_skipped("no compiler for the shared object that makes calls fail")
        else:
            faulty(checks, folder, library)
    unreadable(checks, folder)
    small_disk(checks, folder)


def faulty(checks, folder, library):
    big = "".join(f'<http://ex/s{i}> <http://ex/p> "{i}" .\n' for i in range(20000))
    driver.write(os.path.join(folder, "big.nt"), big)
    for room in (0, 100, 4096, 20000, 60000):
        env = {"LD_PRELOAD": library, "WEFT_TEST_DISK_BYTES": str(room)}
        for words in (("build", "big.nt", "-o", "out.rete"), ("manifest", "add", M, "--adds", "big.nt"), ("manifest", "compact", M)):
            # The compacted log of this folder takes less than 20,000 bytes: there it may succeed.
            enough = room == 60000 or (room == 20000 and words[1] == "compact")
            done = weft(*words, cwd=folder, env=env) if enough else None
            if done is None or done.code != 0:
                refused(checks, folder, f"disk full after {room} bytes: {' '.join(words[:2])}", words, (UNAVAILABLE, LIMIT), env=env)
    checks.code(weft(*QUERY, cwd=folder), 0, "after full disks: query")
    env = {"LD_PRELOAD": library, "WEFT_TEST_SYNC_FAILS": "1"}
    for words in (("build", "big.nt", "-o", "out2.rete"), ("manifest", "add", M, "--adds", "more.rete")):
        refused(checks, folder, f"sync fails: {' '.join(words[:2])}", words, (UNAVAILABLE, 9), env=env)
    env = {"LD_PRELOAD": library, "WEFT_TEST_NO_LINK": "1"}
    for words in (("build", "big.nt", "-o", "nolink.rete"), ("manifest", "init", "nolink.json", "nolink.rete"),
                  ("manifest", "add", "nolink.json", "--adds", "more.nq"), ("manifest", "compact", "nolink.json"), ("manifest", "status", "nolink.json", "--verify")):
        checks.code(weft(*words, cwd=folder, env=env), 0, f"no hard links: {' '.join(words[:2])}")
    refused(checks, folder, "no hard links: an output that is there", ("build", "big.nt", "-o", "nolink.rete"), CONFLICT, ["nolink.rete"], env=env)


def small_disk(checks, folder):
    """A tmpfs of 256 KiB, where this process may mount one."""
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", disk], capture_output=True).returncode != 0:
        checks.part_skipped("no right to mount a small tmpfs")
        return
    try:
        shutil.copy(os.path.join(folder, "base.rete"), disk)
        checks.code(weft("manifest", "init", "d.json", "base.rete", cwd=disk), 0, "small disk: init")
        lines = "".join(f'<http://ex/{random.Random(i).random()}> <http://ex/p> "{random.Random(-i).random()}" .\n' for i in range(20000))
        driver.write(os.path.join(folder, "wide.nt"), lines)
        refused(checks, disk, "small disk: build", ("build", os.path.join(folder, "wide.nt"), "-o", "wide.rete"), (UNAVAILABLE, LIMIT))
        refused(checks, disk, "small disk: add", ("manifest", "add", "d.json", "--adds", os.path.join(folder, "wide.nt")), (UNAVAILABLE, LIMIT))
        checks.code(weft("manifest", "status", "d.json", "--verify", "--count", cwd=disk), 0, "small disk: status afterwards")
    finally:
        subprocess.run(["umount", disk], check=False)


def unreadable(checks, folder):
    """As another user where this one is root, who may read everything."""
    closed = os.path.join(folder, "closed")
    os.mkdir(closed)
    shutil.copy(os.path.join(folder, "base.rete"), closed)

    def leave_root():
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)

    probe = driver.run([driver.WEFT, "--help"], preexec=leave_root)
    os.chmod(folder, 0o755)
    if probe.code != 0:
        checks.part_skipped("another user cannot start the program")
        return
    os.chmod(closed, 0)
    for words in (("query", "closed/base.rete", "ASK {}"), ("manifest", "init", "closed/x.json"), ("build", "base.nt", "-o", "closed/x.rete")):
        done = weft(*words, cwd=folder, preexec=leave_root)
        checks.code(done, DENIED, f"unreadable directory: {words[0]}")
        checks.that("closed" in done.errors, f"unreadable directory: {words[0]}: named", done)
    os.chmod(closed, 0o555)
    done = weft("build", "base.nt", "-o", "closed/x.rete", cwd=folder, preexec=leave_root)
    checks.code(done, DENIED, "directory without write permission: build")
    os.chmod(closed, 0o755)
    checks.equal(os.listdir(closed), ["base.rete"], "closed directory: nothing new in it")


PARTS = {"segments": segments, "texts": texts, "sizes": sizes, "many_graphs": many_graphs, "file_systems": file_systems}


def main():
    driver.need_weft()
    checks = driver.Checks()
    for name in sys.argv[1:] or PARTS:
        with driver.scratch("bad-input") as folder:
            prepare(checks, folder)
            PARTS[name](checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
