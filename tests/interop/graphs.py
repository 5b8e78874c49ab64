"""The graphs that cross between weft and its peers: generated ones, from fixed seeds, and real ones.

`all_graphs()` yields Graph objects in a fixed order; a real one whose source is absent is left out and
named by `absent()`.
"""
import glob
import os
import random

import driver
import nquads

EX = "http://ex.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"


class Graph:
    """name; text (N-Quads bytes, as a writer would give it); what else is tried with it."""

    def __init__(self, name, lines, small_blocks=False, labels=False, quoted=False, large=False):
        self.name = name
        self.text = lines if isinstance(lines, bytes) else "".join(line + "\n" for line in lines).encode("utf-8")
        self.small_blocks, self.labels, self.quoted, self.large = small_blocks, labels, quoted, large
        self._statements = None

    @property
    def statements(self):
        if self._statements is None:
            self._statements = nquads.statements(self.text)
        return self._statements


def iri(local):
    return f"<{EX}{local}>"


def typed(value, kind):
    return f'"{value}"^^<{XSD}{kind}>'


def people(count, seed=1, graphs=0):
    """Persons with names, ages, cities, mails and acquaintances; the benchmark's data is of this kind."""
    r = random.Random(seed)
    first = ["Ada", "Bea", "Chidi", "Dmitri", "Elif", "Farid", "Grace", "Hanna", "Ivo", "Jun"]
    last = ["Lindqvist", "Moreau", "Okonkwo", "Okafor", "Aydın", "Haddad", "Nakamura", "Kowalczyk", "Petrov"]
    for i in range(count):
        s = iri(f"person/{i}")
        g = f" {iri(f'city/{r.randrange(graphs)}')}" if graphs else ""
        name = f"{r.choice(first)} {r.choice(last)} {i}"
        yield f"{s} {RDF_TYPE} {iri('Person')}{g} ."
        yield f'{s} {LABEL} "{name}"@en{g} .'
        yield f"{s} {iri('age')} {typed(r.randrange(18, 90), 'integer')}{g} ."
        yield f"{s} {iri('height')} {typed(f'{r.uniform(1.5, 2):.2f}', 'decimal')}{g} ."
        yield f'{s} {iri("mail")} "p{i}@example.org"{g} .'
        for _ in range(r.randrange(4)):
            yield f"{s} {iri('knows')} {iri(f'person/{r.randrange(count)}')}{g} ."


def kinds():
    """Terms of every kind that N-Quads can hold in one canonical spelling."""
    objects = ['""', '" "', '"a"', '"A"', '"é"', '"日本語"', '"🜁"', r'"tab\tnew\nline\rquote\"back\\slash"',
               '"x"@en', '"x"@en-gb', '"x"@zh-hant-tw', '"x"@ar--rtl', typed("1", "integer"), typed("01", "integer"),
               typed("1.0", "decimal"), typed("1e0", "double"), typed("true", "boolean"), typed("x", "nosuchtype"),
               typed("2026-01-12", "date"), typed("-0001-01-01T00:00:00Z", "dateTime"), iri("é"), iri("日本"), "<urn:x:y>",
               "<mailto:a@b>", iri("a?b=c&d#e"), iri("%20"), "_:b", "_:B1", "_:b-1.2", "_:é", '"' + "w" * 66000 + '"',
               '"' + "long " * 400 + '"@en', "<" + EX + "p/" * 900 + ">"]
    for i, o in enumerate(objects):
        yield f"{iri(f's{i}')} {iri('p')} {o} ."
        yield f"_:s{i} {iri('q')} {o} {iri(f'g{i % 3}')} ."


def raw_spellings():
    """One term in two spellings: an engine that keeps them raw has two, one that does not has one."""
    return [f'{iri("a")} {iri("p")} "x"@EN-us .', f'{iri("a")} {iri("p")} "x"@en-US .',
            f'{iri("a")} {iri("p")} "caf\\u00E9" .', f'{iri("a")} {iri("p")} "café" .',
            f'{iri("a")} {iri("p")} <{EX}caf\\u00E9> .', f'{iri("a")} {iri("p")} {iri("café")} .',
            f'{iri("a")} {iri("p")} "s"^^<{XSD}string> .', f'{iri("a")} {iri("p")} "s" .',
            f'{iri("b")} {iri("p")} "\\u0041\\U0001F701" .']


def quoted(subjects):
    yield f"{iri('d')} {iri('says')} <<( {iri('a')} {iri('p')} {iri('b')} )>> ."
    yield f"{iri('d')} {iri('says')} <<( {iri('a')} {iri('p')} \"x\"@en )>> {iri('g')} ."
    yield f"{iri('d')} {iri('says')} <<( _:b {iri('p')} <<( {iri('i')} {iri('j')} {typed(1, 'integer')} )>> )>> ."
    for i in range(300):
        yield f"{iri(f'd{i}')} {iri('says')} <<( {iri('a')} {iri('p')} {iri(f'o{i % 40}')} )>> ."
    if subjects:
        yield f"<< {iri('a')} {iri('p')} \"x\" >> {iri('sure')} {typed('0.9', 'decimal')} ."
        yield f"<< {iri('a')} {iri('p')} << {iri('c')} {iri('p')} \"y\" >> >> {iri('by')} _:w {iri('g')} ."


def cross(subjects, predicates, objects, graphs=0):
    for s in range(subjects):
        for p in range(predicates):
            for o in range(objects):
                g = f" {iri(f'g{(s + o) % graphs}')}" if graphs else ""
                yield f"{iri(f's{s}')} {iri(f'p{p}')} {iri(f'o{o}')}{g} ."


def scattered(count, seed, graphs=0, nodes=5000):
    r = random.Random(seed)
    for _ in range(count):
        g = f" {iri(f'g{r.randrange(graphs)}')}" if graphs and r.random() < 0.9 else ""
        o = iri(f"n{r.randrange(nodes)}") if r.random() < 0.7 else f'"v{r.randrange(nodes)}"'
        yield f"{iri(f'n{r.randrange(nodes)}')} {iri(f'p{r.randrange(30)}')} {o}{g} ."


def prose(count, seed=3):
    r = random.Random(seed)
    words = "lake level gauge reed ice radio float Battery MAP shore étang Śniardwy 40 2026 sheet box folder".split()
    for i in range(count):
        yield f'{iri(f"note/{i}")} {iri("text")} "{" ".join(r.choice(words) for _ in range(r.randrange(2, 30)))}"@en .'
        yield f'{iri(f"note/{i}")} {LABEL} "note {i} {r.choice(words)}" .'


def class_tree():
    sub = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    for i in range(1, 60):
        yield f"{iri(f'C{i}')} {sub} {iri(f'C{i // 2}')} ."
    for i in range(900):
        yield f"{iri(f'x{i}')} {RDF_TYPE} {iri(f'C{i % 60}')} ."
        yield f"{iri(f'x{i}')} {iri('next')} {iri(f'x{i // 8 * 8 + (i + 1) % 8}')} ."


def generated():
    yield Graph("empty", [])
    yield Graph("one", [f"{iri('a')} {iri('p')} {iri('b')} ."])
    yield Graph("self", [f"{iri('a')} {iri('a')} {iri('a')} {iri('a')} ."])
    yield Graph("no-literals", cross(7, 3, 7))
    yield Graph("no-shared-terms", cross(50, 2, 9), small_blocks=True)
    yield Graph("only-shared-terms", [f"{iri(f'n{i}')} {iri('p')} {iri(f'n{(i * 7 + 1) % 90}')} ." for i in range(90)])
    yield Graph("only-named-graphs", cross(6, 2, 6, graphs=3))
    yield Graph("same-triple-in-all-graphs",
                [f"{iri('a')} {iri('p')} \"x\" {iri(f'g{i}')} ." for i in range(40)] + [f'{iri("a")} {iri("p")} "x" .'])
    yield Graph("graph-named-by-blank-node", [f"{iri('a')} {iri('p')} \"{i}\" _:g{i % 3} ." for i in range(9)])
    yield Graph("duplicates", [f"{iri('a')} {iri('p')} \"{i % 5}\" ." for i in range(500)])
    yield Graph("kinds", kinds())
    yield Graph("raw-spellings", raw_spellings())
    yield Graph("blank-nodes", [f"_:n{i} {iri('next')} _:n{(i * 3 + 1) % 200} ." for i in range(200)])
    yield Graph("quoted-objects", quoted(False), quoted=True)
    yield Graph("quoted-subjects", quoted(True), quoted=True)
    yield Graph("many-predicates", [f"{iri('a')} {iri(f'very/long/prefix/of/predicates/{i}')} \"{i}\" ." for i in range(9000)],
                small_blocks=True)
    yield Graph("hub-subject", [f"{iri('hub')} {iri('p')} {typed(i, 'integer')} ." for i in range(60000)], large=True)
    yield Graph("hub-object", [f"{iri(f's{i}')} {iri('p')} {iri('hub')} ." for i in range(30000)], small_blocks=True)
    yield Graph("people", people(3000), labels=True, small_blocks=True)
    yield Graph("people-many", people(30000, seed=2), labels=True, large=True)
    yield Graph("people-in-cities", people(2000, seed=3, graphs=5), labels=True, small_blocks=True)
    yield Graph("graphs-300", scattered(20000, 4, graphs=300), small_blocks=True)
    yield Graph("graphs-3000", scattered(12000, 5, graphs=3000))
    yield Graph("scattered", scattered(60000, 6, nodes=20000), small_blocks=True, large=True)
    yield Graph("prose", prose(2500), labels=True)
    yield Graph("class-tree", class_tree(), labels=True)
    yield Graph("common-prefixes", [f"{iri('a')} {iri('p')} \"{'x' * 330}{i:05}\" ." for i in range(3000)], small_blocks=True)
    yield Graph("large-literals", [f"{iri(f'a{i}')} {iri('p')} \"{chr(97 + i) * 300000}\" ." for i in range(8)])


def schemaorg():
    for release in ("2.0", "7.04", "15.0", "30.0"):
        path = os.path.join(driver.TESTDATA, "schemaorg", f"{release}.nt")
        if os.path.exists(path):
            yield Graph(f"schemaorg-{release}", driver.read(path), labels=True)


def vocabularies():
    for name in ("schema", "skos", "foaf", "prov", "dcat", "owl", "qudt", "gs1", "rico", "org", "sosa", "unit"):
        found = glob.glob(os.path.join(driver.PEER_PACKAGES, name, "*.nq"))
        if found:
            yield Graph(f"vocabulary-{name}", driver.read(found[0]), labels=name in ("schema", "skos"), large=name == "unit")


def w3c():
    """Expected results of the W3C suites: every test's output in a graph of its own."""
    top = os.path.join(driver.TESTDATA, "w3c-rdf-tests", "rdf", "rdf11")
    for suite in ("rdf-turtle", "rdf-trig", "rdf-xml"):
        lines = []
        for i, path in enumerate(sorted(glob.glob(os.path.join(top, suite, "**", "*.n[tq]"), recursive=True))):
            try:
                found = sorted(nquads.statements(driver.read(path)))
                nquads.text_of(found)
            except ValueError:
                continue  # a negative test; tests/conformance has those
            for statement in found:
                graph = statement[3] if len(statement) == 4 else iri(f"test/{i}")
                lines.append(" ".join((*statement[:3], graph)) + " .")
        if lines:
            yield Graph(f"w3c-{suite}", lines)


def all_graphs():
    for source in (generated, schemaorg, vocabularies, w3c):
        yield from source()


def absent():
    """Reasons, one per source of real graphs that is not there."""
    return [f"no graphs of {source.__name__}" for source in (schemaorg, vocabularies, w3c) if next(source(), None) is None]
