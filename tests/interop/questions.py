"""SPARQL queries for one graph, made from its own statements: the same every time.

Only constants whose token every engine spells alike are used; the answers of two engines are compared.
"""
import random

COUNT = "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }"
COUNT_QUADS = "SELECT (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } }"
ALL = "SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
ALL_QUADS = "SELECT ?g ?s ?p ?o WHERE { GRAPH ?g { ?s ?p ?o } }"


def _usable(token):
    """A constant that can stand in a query, spelled alike by all."""
    if token.startswith("_:") or token.startswith("<<") or "\\" in token or len(token) > 2000 or not token.isascii():
        return False
    return '"@' not in token


def for_graph(statements, seed, count=4):
    """(name, query) pairs."""
    r = random.Random(seed)
    default = sorted(s for s in statements if len(s) == 3 and all(map(_usable, s)))
    named = sorted(s for s in statements if len(s) == 4 and all(map(_usable, s)))
    found = [("count", COUNT)]
    if any(len(s) == 4 for s in statements):
        found.append(("count quads", COUNT_QUADS))
        found.append(("per graph", "SELECT ?g (COUNT(*) AS ?n) WHERE { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"))
    for i in range(count):
        if default:
            s, p, o = r.choice(default)
            found += [(f"subject {i}", f"SELECT ?p ?o WHERE {{ {s} ?p ?o }}"),
                      (f"object {i}", f"SELECT ?s WHERE {{ ?s {p} {o} }}"),
                      (f"star {i}", f"SELECT ?s ?q ?x WHERE {{ ?s {p} {o} . ?s ?q ?x }}"),
                      (f"hop {i}", f"SELECT ?x ?q ?y WHERE {{ {s} {p} ?x . ?x ?q ?y }}"),
                      (f"ask {i}", f"ASK {{ {s} {p} {o} }}"),
                      (f"predicate {i}", f"SELECT (COUNT(DISTINCT ?s) AS ?n) WHERE {{ ?s {p} ?o }}")]
        if named:
            s, p, o, g = r.choice(named)
            found += [(f"in graph {i}", f"SELECT ?s ?o WHERE {{ GRAPH {g} {{ ?s {p} ?o }} }}"),
                      (f"graphs of {i}", f"SELECT ?g WHERE {{ GRAPH ?g {{ {s} {p} {o} }} }}")]
    return found
