"""What is right where a golden manifest scenario records a fault of rete (rows F of the golden README),
or says less than we promise. FOR: scenario -> command number -> check(checks, name, done, work folder);
AFTERWARDS: scenario -> check(checks, scenario, golden folder).
"""
import json
import os
import shutil

import driver
import nquads
from driver import CONFLICT, CORRUPT, INVALID, LIMIT, NOT_FOUND, weft

M = "g.rete-manifest.json"
DUMP = ("--format", "nq", "--quoted-triple-syntax", "rdf-star")


def visible(count):
    def check(checks, name, done, work):
        if not checks.code(done, 0, f"{name}: exit"):
            return
        status = weft("manifest", "status", M, "--count", "--json", cwd=work)
        checks.equal(status.json().get("visible_quads") if status.code == 0 else status.errors, count, f"{name}: visible quads")
    return check


def answer(value):
    def check(checks, name, done, work):
        if checks.code(done, 0, f"{name}: exit"):
            checks.equal(done.json().get("boolean"), value, name)
    return check


def rows(count):
    def check(checks, name, done, work):
        if checks.code(done, 0, f"{name}: exit"):
            checks.equal(len(nquads.bindings(done.json())), count, name)
    return check


def refused(codes, *words, unchanged=None):
    """Refused with one of the codes; the message holds the words."""
    def check(checks, name, done, work):
        checks.code(done, codes, name)
        for word in words:
            checks.that(word in done.text + done.errors, f"{name}: names {word}", done)
    return check


def triple_terms(checks, name, done, work):
    """rete reads `<< >>` in a query as the triple; in SPARQL 1.2 that is a reifier, and this is the triple."""
    answer = weft("query", M, "SELECT ?s ?o { ?d <http://ex/says> <<( ?s ?p ?o )>> }", "--format", "json", cwd=work)
    if checks.code(answer, 0, name):
        checks.equal(nquads.bindings(answer.json()), [(("o", '"x"'), ("s", "<http://ex/a>")),
                                                      (("o", '<<<http://ex/i> <http://ex/j> "deep"@en>>'), ("s", "<http://ex/a>"))], name)


def accepted(checks, name, done, work):
    checks.code(done, 0, name)


def not_verified(checks, name, done, work):
    """The report comes in full, then the error."""
    checks.code(done, CORRUPT, name)
    try:
        report = done.json()
    except ValueError:
        checks.that(False, f"{name}: no report", done)
        return
    checks.equal([s["ok"] for s in report["segments"]], [True, False], f"{name}: which segment")
    checks.equal(report["verified"], False, f"{name}: verified")


def generation_kept(checks, name, done, work):
    checks.code(done, (INVALID, LIMIT), name)
    document = json.loads(driver.read(os.path.join(work, "generation-max.json")))
    checks.equal((document["generation"], document["log"]), (2**64 - 1, []), f"{name}: nothing changed")


def members_kept(checks, name, done, work):
    checks.code(done, 0, name)
    document = json.loads(driver.read(os.path.join(work, "extra-keys.json")))
    checks.equal((document.get("owner"), document["log"][0].get("comment"), document["log"][0]["adds"].get("note"), document["generation"]),
                 ("me", "c", "n", 5), f"{name}: unknown members survive")


def same_or_corrupt(checks, name, done, work):
    """A flipped bit: the answer of the sound segment, or a refusal. Never other rows."""
    if done.code == CORRUPT:
        checks.that(True, name)
    elif checks.code(done, 0, name):
        if " query " in f" {' '.join(map(str, done.argv))} ":
            checks.equal(len(nquads.bindings(done.json())), 5, f"{name}: rows")
        else:
            checks.that("5" in done.text, f"{name}: five visible", done)


def outside_dir(checks, name, done, work):
    """`-o` onto a live segment: refused and nothing changed, or written so that the graph stays readable."""
    checks.that(done.code in (0, CONFLICT, INVALID), name, done)
    status = weft("manifest", "status", "data/three.json", "--count", "--verify", "--json", cwd=work)
    if checks.code(status, 0, f"{name}: status afterwards"):
        checks.equal(status.json()["visible_quads"], 3, f"{name}: all is there")


MISSING = (NOT_FOUND, CORRUPT)
FOR = {
    "05-quoted-triples": {6: triple_terms},
    "06-term-identity": {5: answer(True), 6: answer(True), 8: visible(5), 9: rows(5), 11: visible(0), 13: visible(0)},
    "11-wrong-pin": {7: refused(CORRUPT, "s2.rete"), 8: not_verified, 9: refused(CORRUPT, "s2.rete"), 10: refused(CORRUPT, "s2.rete"),
                     11: refused(CORRUPT, "s2.rete"), 14: refused(CORRUPT, "s2.rete"), 15: refused(CORRUPT, "s2.rete"),
                     17: refused(CORRUPT, "s2.rete")},
    # `init` takes RDF text too, so the fourth command works and the fifth finds it done.
    "12-missing-segment": {4: accepted, 5: refused(CONFLICT), 2: refused(NOT_FOUND, M), 3: refused(NOT_FOUND, "nosuch.rete"), 6: refused(NOT_FOUND, "nosuch.rete"),
                           9: refused(MISSING, "s2.rete"), 10: refused(MISSING, "s2.rete"), 11: refused(MISSING, "s2.rete")},
    "15-manifest-documents": {20: generation_kept, 22: members_kept},
    "16-damaged-body": {n: same_or_corrupt for n in (7, 8, 12, 13)} | {9: refused((0, CORRUPT)), 14: refused((0, CORRUPT))},
    # A path is also looked up from the working directory, so the first init works and the second finds it done.
    "17-dir-and-output": {3: accepted, 4: refused(CONFLICT), 6: accepted, 9: accepted, 11: outside_dir, 12: accepted},
}


def folded_journal(checks, scenario, folder):
    """A journal that rete left is part of what is visible: as if it had been sealed."""
    for generation in ("06", "05"):
        with driver.scratch("golden-journal") as work:
            shutil.copy(os.path.join(folder, generation, "base.rete"), work)
            shutil.copy(os.path.join(folder, generation, "before-seal.changes"), os.path.join(work, f"{M}.changes"))
            name = f"{scenario}, journal over {generation}"
            checks.code(weft("manifest", "init", M, "base.rete", cwd=work), 0, f"{name}: init")
            before = driver.read(os.path.join(work, f"{M}.changes"))
            want = nquads.statements(driver.read(os.path.join(folder, generation, "visible.nq")))
            done = weft("dump", M, *DUMP, cwd=work)
            if checks.code(done, 0, f"{name}: dump"):
                got = nquads.statements(done.out)
                checks.that(got == want, f"{name}: visible quads", nquads.difference(got, want))
            status = weft("manifest", "status", M, "--count", cwd=work)
            checks.code(status, 0, f"{name}: status")
            checks.that(f"{M}.changes" in status.text + status.errors, f"{name}: status names the journal", status)
            checks.equal(driver.read(os.path.join(work, f"{M}.changes")), before, f"{name}: the journal is untouched")


# Journal -> (exit, possible numbers of visible quads of 3 in the base, words of the message).
JOURNALS = {
    "final-newline-missing": (0, (3, 4), ()),
    "no-space-after-op": (0, (4,), ()),
    "spaces-blank-lines-crlf": (0, (4,), ()),
    "torn-literal": (0, (4,), ("torn-literal",)),
    "torn-iri": (0, (4,), ("torn-iri",)),
    "torn-blank-node": (0, (3,), ("torn-blank-node",)),
    "nul-tail": (0, (4,), ("nul-tail",)),
    "comment-after-dot": (CORRUPT, (), ("comment-after-dot", "1")),
    "comment-line": (CORRUPT, (), ("comment-line", "1")),
    "two-statements": (CORRUPT, (), ("two-statements", "1")),
    "unknown-op": (CORRUPT, (), ("unknown-op", "1")),
    "op-only": (CORRUPT, (), ("op-only", "1")),
    "glued-after-lost-newline": (CORRUPT, (), ("glued-after-lost-newline", "1")),
    "non-ascii-op": (CORRUPT, (), ("non-ascii-op", "1")),
    "literal-subject": (CORRUPT, (), ("literal-subject", "1")),
    "literal-graph": (CORRUPT, (), ("literal-graph", "1")),
    "bad-iri": (CORRUPT, (), ("bad-iri", "1")),
}


def damaged_journals(checks, scenario, folder):
    """A torn tail is cut and reported; damage before it stops, with the line; invalid terms are refused."""
    with driver.scratch("golden-journals") as work:
        shutil.copy(os.path.join(folder, "06", "base.rete"), work)
        for journal, (code, counts, words) in JOURNALS.items():
            name = f"{scenario}, {journal}"
            manifest = f"{journal}.json"
            checks.code(weft("manifest", "init", manifest, "base.rete", "--name", "j", cwd=work), 0, f"{name}: init")
            shutil.copy(os.path.join(folder, "in", f"{journal}.changes"), os.path.join(work, f"{manifest}.changes"))
            done = weft("manifest", "status", manifest, "--count", "--json", cwd=work)
            if not checks.code(done, code, name):
                continue
            if code == 0:
                checks.that(done.json()["visible_quads"] in counts, f"{name}: visible quads", done)
            for word in words:
                checks.that(word in done.text + done.errors, f"{name}: the report names {word}", done)


def damaged_bodies(checks, scenario, folder):
    """One flipped bit in the body of a segment of rete's: refused, by name, by everything that reads it."""
    for generation in ("06", "05"):
        for damage in ("fewer.rete", "wrong.rete"):
            name = f"{scenario}, {damage} of {generation}"
            with driver.scratch("golden-damage") as work:
                shutil.copytree(os.path.join(folder, generation), work, dirs_exist_ok=True)
                shutil.copy(os.path.join(work, damage), os.path.join(work, "s2.rete"))
                checks.code(weft("verify", "s2.rete", cwd=work), CORRUPT, f"{name}: verify")
                done = weft("manifest", "status", M, "--verify", cwd=work)
                checks.code(done, CORRUPT, f"{name}: status --verify")
                checks.that("s2.rete" in done.text + done.errors, f"{name}: names the segment", done)
                for command in (("manifest", "query", M, "SELECT * { ?s ?p ?o }"), ("dump", M), ("manifest", "compact", M)):
                    before = driver.read(os.path.join(work, M))
                    checks.code(weft(*command, cwd=work), CORRUPT, f"{name}: {' '.join(command[:2])}")
                    checks.equal(driver.read(os.path.join(work, M)), before, f"{name}: {' '.join(command[:2])} changes nothing")


AFTERWARDS = {"09-seal": folded_journal, "10-seal-deletes": folded_journal, "14-damaged-journals": damaged_journals,
              "16-damaged-body": damaged_bodies}
