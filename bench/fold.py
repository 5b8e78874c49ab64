"""Item 6: a manifest of a 5 M-triple base and 100 segments of 1,000 quads. Open, first query, warm queries,
memory and bytes touched, beside the same base alone. Measured in process by fold_speed (fold_speed.cc), and as
a process by the program."""
import json
import os
import random

import peers
from measure import alternate, median

BASE = 5_000_000
SEGMENTS, SEGMENT_QUADS = 100, 1000
FOAF, EX = "http://xmlns.com/foaf/0.1/", "http://example.org/"
# Person 777's acquaintances by name: those of the base, and one that a late segment adds.
QUERY = f"SELECT ?n WHERE {{ <{EX}person/777> <{FOAF}knows> ?x . ?x <{FOAF}name> ?n }}"
# The same of a person whom no later segment mentions: what the base alone answers, asked of both.
UNTOUCHED = f"SELECT ?n WHERE {{{{ <{EX}person/{{number}}> <{FOAF}knows> ?x . ?x <{FOAF}name> ?n }}}}"
FOLD_SPEED = os.path.join(peers.ROOT, "build", "release", "bench", "fold_speed")


def session_lines(number):
    """What one session adds: new persons, and acquaintances of old ones."""
    r = random.Random(f"session {number}")
    lines = []
    for i in range(SEGMENT_QUADS // 4):
        s = f"<{EX}person/s{number}-{i}>"
        lines.append(f'{s} <{FOAF}name> "Session {number} {i}" .\n')
        lines.append(f"{s} <{FOAF}knows> <{EX}person/{r.randrange(BASE // 10)}> .\n")
        lines.append(f"<{EX}person/{r.randrange(BASE // 10)}> <{FOAF}knows> {s} .\n")
        lines.append(f"{s} <{EX}livesIn> <{EX}city/{r.randrange(5000)}> .\n")
    if number == SEGMENTS - 1:
        lines[-1] = f"<{EX}person/777> <{FOAF}knows> <{EX}person/s{number}-0> .\n"
    return lines


def untouched_query():
    touched = {line.split("/person/")[-1].split(">")[0] for number in range(SEGMENTS) for line in session_lines(number)}
    touched |= {line.split(">")[0].split("/person/")[-1] for number in range(SEGMENTS) for line in session_lines(number)}
    return UNTOUCHED.format(number=next(i for i in range(1000, BASE // 10) if str(i) not in touched))


def folder():
    return os.path.join(peers.FOLDER, "fold")


def prepare():
    """Built once, then kept. Returns the manifest of one entry and that of all."""
    path = folder()
    one, all_entries = os.path.join(path, "one.json"), os.path.join(path, "all.json")
    if os.path.exists(os.path.join(path, "complete")):
        return one, all_entries
    os.makedirs(path, exist_ok=True)
    for name in os.listdir(path):
        os.remove(os.path.join(path, name))
    peers.weft("build", peers.input_file("people", BASE), "-o", os.path.join(path, "base.rete"))
    for manifest in (one, all_entries):
        peers.weft("manifest", "init", manifest, "base.rete")
    for number in range(SEGMENTS):
        source = os.path.join(path, f"session{number}.nt")
        with open(source, "w", encoding="utf-8") as file:
            file.writelines(session_lines(number))
        peers.weft("build", source, "-o", os.path.join(path, f"session{number}.rete"))
        peers.weft("manifest", "add", all_entries, "--adds", f"session{number}.rete")
    open(os.path.join(path, "complete"), "w", encoding="utf-8").close()
    return one, all_entries


def in_process(target, query):
    return json.loads(peers.measure.run([FOLD_SPEED, target, query]).out)


def manifest(report, _, __):
    one, everything = prepare()
    names = sorted(peers.weft("query", everything, QUERY, "--format", "csv").out.decode().split("\n")[1:])
    if not any("Session 99 0" in n for n in names) or len([n for n in names if n]) < 2:
        report.failed(6, "manifest of 101 entries", f"answers: {names}")
        return
    runs = alternate(15, one=lambda: peers.weft("query", one, QUERY, "--format", "csv"), all=lambda: peers.weft("query", everything, QUERY, "--format", "csv"))
    for name, which in (("1 entry", "one"), ("101 entries", "all")):
        report.add(6, f"process: open and first query, {name}, wall", median(runs[which], "wall") * 1000, None, "", "ms")
    report.limit(6, "process: resident, 101 entries", int(max(r.memory for r in runs["all"]) / 2**20), "MiB", 100)
    if not os.path.exists(FOLD_SPEED):
        report.failed(6, "in process", f"no {FOLD_SPEED}")
        return
    whole = [in_process(everything, QUERY) for _ in range(5)]
    same = untouched_query()
    alone, beside = ([in_process(t, same) for _ in range(5)] for t in (one, everything))

    def middle(found, figure):
        return sorted(f[figure] for f in found)[len(found) // 2]

    if {f["rows"] for f in whole} != {len([n for n in names if n])}:
        report.failed(6, "in process", f"rows: {[f['rows'] for f in whole]}")
        return
    report.limit(6, "open, 5 M base and 100 segments", middle(whole, "open_ms"), "ms", 20)
    report.limit(6, "first selective query", middle(whole, "first_ms"), "ms", 25)
    if {f["rows"] for f in alone} != {f["rows"] for f in beside}:
        report.failed(6, "warm query", f"rows: {alone[0]['rows']} and {beside[0]['rows']}")
        return
    report.at_most(6, "warm query of what no overlay touches", middle(beside, "warm_ms"), middle(alone, "warm_ms"), "weft, one segment", "ms", 1.5)
    report.add(6, "warm query that an overlay adds a row to", middle(whole, "warm_ms"), None, "", "ms")
    report.limit(6, "resident", int(middle(whole, "resident_bytes") / 2**20), "MiB", 100)
    for figure, unit in (("base_bytes", "B"), ("base_requests", ""), ("overlay_bytes", "B"), ("overlay_requests", "")):
        report.add(6, f"touched until the first answer: {figure.replace('_', ' ')}", middle(whole, figure), None, "", unit)
