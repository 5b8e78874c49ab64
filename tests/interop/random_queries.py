"""Random graphs and random queries over them, from a seed, for comparing two engines.

Numerals are canonical (an engine that folds them sees what one that keeps them sees), and a LIMIT stands
only where the order is total, so every query has one right answer.
"""
import random

EX = "http://ex/"
XSD = "http://www.w3.org/2001/XMLSchema#"
NAMES = ["Ada", "Bea", "Chidi", "ada", "Élif", "", "a b", 'q"q', "x,y"]
DATES = ["2020-01-02T03:04:05Z", "2021-12-31T23:59:59Z", "2019-07-01T00:00:00+02:00", "2020-01-02T01:04:05-02:00"]
GRAPHS = ["g1", "g2", "g3"]
MERGED = f"FROM <{EX}g1> FROM <{EX}g2> FROM NAMED <{EX}g3> "


def iri(name):
    return f"<{EX}{name}>"


def value(r):
    kind = r.randrange(9)
    if kind < 3:
        return f'"{r.randrange(-5, 30)}"^^<{XSD}integer>'
    if kind == 3:
        return f'"{r.randrange(-50, 300) // 10}.{r.choice([1, 5, 25])}"^^<{XSD}decimal>'
    if kind == 4:
        return f'"{r.choice(["true", "false"])}"^^<{XSD}boolean>'
    if kind == 5:
        return f'"{r.choice(DATES)}"^^<{XSD}dateTime>'
    escaped = r.choice(NAMES).replace('"', '\\"')
    return f'"{escaped}"' + ("@" + r.choice(["en", "fr", "en-gb"]) if kind == 6 else "")


def graph(seed):
    """N-Quads lines: nodes that know each other, with values, in the default graph and three named ones."""
    r = random.Random(f"graph {seed}")
    count = r.choice([4, 8, 30])
    lines = set()
    for _ in range(r.choice([30, 120, 300])):
        s = iri(f"n{r.randrange(count)}")
        if r.random() < 0.5:
            p, o = iri(r.choice(["knows", "likes", "part"])), iri(f"n{r.randrange(count)}")
        else:
            p, o = iri(r.choice(["name", "age", "when", "ok"])), value(r)
        g = f" {iri(r.choice(GRAPHS))}" if r.random() < 0.4 else ""
        lines.add(f"{s} {p} {o}{g} .")
    for i in range(count):
        if r.random() < 0.6:
            lines.add(f"{iri(f'n{i}')} {iri('type')} {iri(f'T{i % 3}')} .")
    return sorted(lines)


def large_graph(seed):
    """N-Triples lines: a net of a few hundred nodes, large enough that joins go over several batches."""
    r = random.Random(f"large graph {seed}")
    count = r.choice([150, 400])
    lines = set()
    for i in range(count):
        for p in ("knows", "likes", "part"):
            for _ in range(r.randrange(4)):
                lines.add(f"{iri(f'n{i}')} {iri(p)} {iri(f'n{r.randrange(count) if r.random() < 0.5 else (i + r.randrange(9)) % count}')} .")
        for p in ("name", "age", "when"):
            if r.random() < 0.8:
                lines.add(f"{iri(f'n{i}')} {iri(p)} {value(r)} .")
        lines.add(f"{iri(f'n{i}')} {iri('type')} {iri(f'T{i % 7}')} .")
    return sorted(lines)


class Joins:
    """Makes queries of patterns that hang together, for large_graph: chains, stars, circles, with filters, OPTIONAL, UNION, MINUS,
    EXISTS, paths and subqueries on top."""

    def __init__(self, seed):
        self.r = random.Random(f"joins {seed}")

    def link(self, a, b):
        p = iri(self.r.choice(["knows", "likes", "part"]))
        return f"{a} {p} {b} ." if self.r.random() < 0.6 else f"{b} {p} {a} ."

    def patterns(self, variables, count):
        """Adds to `variables`."""
        r, parts = self.r, []
        for _ in range(count):
            a, kind = r.choice(variables), r.randrange(8)
            if kind == 0:
                parts.append(f"{a} {iri('type')} {iri(f'T{r.randrange(7)}')} .")
            elif kind == 1:
                parts.append(f"{a} {iri(r.choice(['name', 'age', 'when']))} ?v .")
            elif kind == 2:
                parts.append(self.link(a, iri(f"n{r.randrange(150)}")))
            elif kind == 3 or len(variables) > 4:
                parts.append(self.link(a, r.choice(variables)))
            else:
                b = f"?{'abcdef'[len(variables)]}"
                parts.append(self.link(a, b))
                variables.append(b)
        return parts

    def path(self):
        r = self.r
        p, q = (iri(r.choice(["knows", "likes", "part"])) for _ in range(2))
        return r.choice([f"{p}+", f"{p}*", f"{p}/{q}", f"^{p}/{q}?", f"({p}|^{q})", f"!({p}|^{q})", f"({p}/{q})+", f"{p}?"])

    def extra(self, variables):
        r, a, b = self.r, self.r.choice(variables), self.r.choice(variables)
        kind = r.randrange(10)
        if kind == 0:
            return f"FILTER({a} != {b})"
        if kind == 1:
            return f"FILTER {r.choice(['', 'NOT '])}EXISTS {{ {' '.join(self.patterns([a], 2))} }}"
        if kind == 2:
            return f"OPTIONAL {{ {a} {iri(r.choice(['age', 'name']))} ?w {r.choice(['', 'FILTER(?w > 5)'])} }}"
        if kind == 3:
            return f"OPTIONAL {{ {self.link(a, '?o')} {self.link('?o', b)} }}"
        if kind == 4:
            return f"MINUS {{ {' '.join(self.patterns([a], 2))} }}"
        if kind == 5:
            return f"{{ {self.link(a, '?u')} }} UNION {{ {self.link('?u', b)} }}"
        if kind == 6:
            return f"{iri(f'n{r.randrange(150)}')} {self.path()} {a} ."
        if kind == 7:
            return f"{{ SELECT {a} (COUNT(*) AS ?k) {{ {self.link(a, '?s')} }} GROUP BY {a} }}"
        if kind == 8:
            return f"VALUES {a} {{ {' '.join(iri(f'n{r.randrange(150)}') for _ in range(5))} }}"
        return f"FILTER({a} IN ({', '.join(iri(f'n{r.randrange(150)}') for _ in range(8))}))"

    def make(self):
        """(query, is the order to be compared)"""
        r, variables = self.r, ["?a"]
        parts = [self.link("?a", "?b")]
        variables.append("?b")
        parts += self.patterns(variables, r.randrange(1, 4))
        parts += [self.extra(variables) for _ in range(r.randrange(3))]
        if r.random() < 0.5:
            r.shuffle(parts)
        head = r.choice(["(COUNT(*) AS ?n) (COUNT(DISTINCT ?b) AS ?m)", "DISTINCT ?a ?b", "?b (COUNT(*) AS ?n)", "(COUNT(*) AS ?n) (MIN(?a) AS ?m)"])
        return f"SELECT {head} WHERE {{ {' '.join(parts)} }}" + (" GROUP BY ?b" if head.startswith("?b") else ""), False


class Queries:
    """Makes one query after the other."""

    def __init__(self, seed):
        self.r = random.Random(f"queries {seed}")

    def node(self):
        return iri(f"n{self.r.randrange(6)}")

    def links(self, a, b):
        p = self.r.choice(["knows", "likes", "part"])
        return f"{a} {iri(p)} {b} ."

    def values_of(self, a, b):
        return f"{a} {iri(self.r.choice(['name', 'age', 'when', 'ok']))} {b} ."

    def pattern(self):
        r = self.r
        kind = r.randrange(7)
        if kind == 0:
            return self.links("?a", "?b")
        if kind == 1:
            return f"{self.links('?a', '?b')} {self.values_of('?b', '?v')}"
        if kind == 2:
            return f"{self.links('?a', '?b')} {self.links('?b', '?c')}"
        if kind == 3:
            return f"{self.values_of('?a', '?v')} ?a {iri('type')} ?t ."
        if kind == 4:
            return f"?a ?p {self.node()} ."
        if kind == 5:
            return f"{self.links('?a', '?b')} {self.links('?b', '?a')}"
        return f"{self.node()} ?p ?b ."

    def expression(self, depth=0):
        """A boolean."""
        r = self.r
        kind = r.randrange(16 if depth < 2 else 11)
        number = r.randrange(-2, 25)
        leaf = [f"?v > {number}", f"?v <= {number}.5", f"?v = {number}", "BOUND(?v)", "isIRI(?b)", "isLITERAL(?v)", f"?a != {self.node()}",
                f"STRLEN(STR(?v)) > {r.randrange(6)}", f'CONTAINS(STR(?v), "{r.choice(["a", "A", "d", "é"])}")', f'REGEX(STR(?v), "^{r.choice(["a", "A", "[0-9]+$", "."])}", "i")',
                "?v IN (1, 2, 3, \"Ada\", true)"]
        if kind < len(leaf):
            return leaf[kind]
        if kind == 11:
            return f"!({self.expression(depth + 1)})"
        if kind == 12:
            return f"({self.expression(depth + 1)} && {self.expression(depth + 1)})"
        if kind == 13:
            return f"({self.expression(depth + 1)} || {self.expression(depth + 1)})"
        if kind == 14:
            return f"(?v + {r.randrange(5)}) * 2 > {number}"
        return f'LANG(?v) = "{r.choice(["en", "", "fr"])}"'

    def bound_expression(self):
        """A value for BIND."""
        return self.r.choice(["?v + 1", "?v * 2", "STR(?v)", "UCASE(STR(?v))", "STRLEN(STR(?v))", "CONCAT(STR(?a), \"-\", STR(?v))", "DATATYPE(?v)", "LANG(?v)",
                              "IF(?v > 3, \"big\", \"small\")", "COALESCE(?v - 1, ?a)", "ABS(?v)", "SUBSTR(STR(?a), 10)", "isNUMERIC(?v)", "YEAR(?v)", "STRAFTER(STR(?a), \"/ex/\")",
                              "-?v", "?v / 4", "CEIL(?v)", "STRBEFORE(STR(?v), \"d\")", "REPLACE(STR(?v), \"a\", \"o\")", "STRSTARTS(STR(?v), \"A\")", "sameTerm(?a, ?b)"])

    def group(self, depth=0):
        r = self.r
        parts = [self.pattern()]
        for _ in range(r.randrange(3)):
            kind = r.randrange(8 if depth == 0 else 4)
            if kind == 0:
                parts.append(f"FILTER({self.expression()})")
            elif kind == 1:
                parts.append(f"OPTIONAL {{ {self.values_of('?a', r.choice(['?v', '?w']))} }}")
            elif kind == 2:
                parts.append(f"VALUES {r.choice(['?b', '?a'])} {{ {' '.join(self.node() for _ in range(3))} }}")
            elif kind == 3:
                parts.append(f"MINUS {{ {self.pattern()} }}")
            elif kind == 4:
                parts.append(f"{{ {self.group(1)} }} UNION {{ {self.group(1)} }}")
            elif kind == 5:
                parts.append(f"GRAPH {r.choice(['?g', iri('g1')])} {{ {self.pattern()} }}")
            elif kind == 6:
                parts.append(f"OPTIONAL {{ {self.links('?a', '?c')} FILTER({self.expression()}) }}")
            elif all("?x" not in p for p in parts):
                parts.append(f"BIND({self.bound_expression()} AS ?x)")
        return " ".join(parts)

    def dataset(self):
        return self.r.choice(["", "", "", f"FROM {iri('g1')} ", MERGED, f"FROM NAMED {iri('g2')} "])

    def make(self):
        """(query, is the order to be compared)"""
        r = self.r
        kind = r.randrange(12)
        body, dataset = self.group(), self.dataset()
        if kind < 5:
            return f"SELECT {r.choice(['*', 'DISTINCT ?a ?b', '?a ?v', 'DISTINCT ?v'])} {dataset}WHERE {{ {body} }}", False
        if kind == 5:
            return f"ASK {dataset}WHERE {{ {body} }}", False
        if kind == 6:
            aggregate = r.choice(["COUNT(*)", "COUNT(DISTINCT ?b)", "COUNT(?v)", "SUM(?v)", "AVG(?v)", "MIN(?v)", "MAX(?v)"])
            return f"SELECT ?k ({aggregate} AS ?n) WHERE {{ ?a {iri('type')} ?k . ?a {iri('age')} ?v . OPTIONAL {{ {self.links('?a', '?b')} }} FILTER(isNUMERIC(?v)) }} GROUP BY ?k", False
        if kind == 7:
            return f"SELECT (COUNT(*) AS ?n) {dataset}WHERE {{ {body} }}", False
        if kind == 8:
            return f"SELECT ?a ?b WHERE {{ {self.links('?a', '?b')} }} ORDER BY {r.choice(['?a ?b', 'DESC(?b) ?a', 'DESC(?a) DESC(?b)'])} LIMIT {r.randrange(1, 9)} OFFSET {r.randrange(4)}", True
        if kind == 9:
            return f"SELECT ?v WHERE {{ ?a {iri('age')} ?v FILTER(isNUMERIC(?v)) }} ORDER BY {r.choice(['?v', 'DESC(?v)'])}", "numbers"
        if kind == 10:
            return f"CONSTRUCT {{ ?b {iri('from')} ?a }} {dataset}WHERE {{ {self.links('?a', '?b')} {r.choice(['', body])} }}", False
        return f"SELECT ?t (COUNT(DISTINCT ?a) AS ?n) WHERE {{ ?a {iri('type')} ?t {r.choice(['', '. ' + self.pattern()])} }} GROUP BY ?t HAVING (COUNT(DISTINCT ?a) > {r.randrange(3)})", False
