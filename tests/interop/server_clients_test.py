#!/usr/bin/env python3
"""Clients of others against `weft serve`, unchanged: curl, SPARQLWrapper, rdflib's SPARQLStore and
SPARQLUpdateStore. usage: server_clients_test.py"""
import os
import shutil
import subprocess

from driver import Checks, need_weft, scratch, use_peer_python, weft
from server_driver import Server

need_weft()
use_peer_python()

from rdflib import Dataset, Graph, Literal, URIRef, Variable  # noqa: E402
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore  # noqa: E402
from SPARQLWrapper import CSV, DIGEST, JSON, N3, POST, POSTDIRECTLY, RDFXML, TSV, TURTLE, URLENCODED, XML, SPARQLWrapper  # noqa: E402
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed, Unauthorized  # noqa: E402

assert DIGEST and N3  # part of what the package promises
checks = Checks()
keep = scratch("server-clients")
folder = keep.name
EX = "http://ex/"


def new_target(name):
    target = os.path.join(folder, name + ".rete-manifest.json")
    checks.code(weft("manifest", "init", target), 0, "the manifest is made")
    return target


def curl(*arguments):
    return subprocess.run(["curl", "-sS", "--compressed", *arguments], capture_output=True, timeout=60,
                          check=False).stdout.decode()


def curl_works(server):
    if not shutil.which("curl"):
        checks.part_skipped("no curl")
        return
    url = server.url
    checks.that('"inserted":1' in curl("--data-urlencode", "update=INSERT DATA { <http://ex/a> <http://ex/p> 1 }",
                                       url + "/update"), "curl updates by a form")
    checks.that('"inserted":1' in curl("-H", "Content-Type: application/sparql-update", "--data-binary",
                                       "INSERT DATA { <http://ex/a> <http://ex/p> 2 }", url + "/update"),
                "curl updates directly")
    for words in (("--data-urlencode", "query=SELECT * { ?s ?p 1 }", url + "/sparql"),
                  ("-G", "--data-urlencode", "query=SELECT * { ?s ?p 1 }", url + "/sparql"),
                  ("-H", "Content-Type: application/sparql-query", "--data-binary", "SELECT * { ?s ?p 1 }", url + "/query")):
        checks.that("http://ex/a" in curl(*words), f"curl queries: {words[0]}")
    path = os.path.join(folder, "more.ttl")
    with open(path, "w", encoding="ascii") as file:
        file.write("<http://ex/c> <http://ex/d> " + ", ".join(map(str, range(100_000))) + " .")
    graph = url + "/store?graph=http://ex/more"
    put = curl("-T", path, "-H", "Content-Type: text/turtle", graph)  # with Expect: 100-continue
    checks.that('"inserted":100000' in put, "curl -T puts a file", put)
    form = curl("-F", f"data=@{path};type=text/turtle", url + "/store?graph=http://ex/form")
    checks.that('"inserted":100000' in form, "curl -F posts a file", form)
    lines = curl("-H", "Accept: application/n-triples", graph).count("\n")
    checks.equal(lines, 100_000, "curl gets a graph")
    checks.equal(curl("-o", "/dev/null", "-w", "%{http_code}", "-X", "DELETE", graph), "200", "curl deletes a graph")
    checks.equal(curl("-o", "/dev/null", "-w", "%{http_code}", "-I", graph), "404", "curl -I of no graph")


def wrapper(server, text, path="/sparql"):
    client = SPARQLWrapper(server.url + path)
    client.setQuery(text)
    client.setTimeout(60)
    return client


def sparqlwrapper_works(server):
    update = wrapper(server, "INSERT DATA { <http://ex/w> <http://ex/p> 'w', 'x'@en . GRAPH <http://ex/wg> { <http://ex/w> <http://ex/q> 3 } }")
    update.setMethod(POST)
    update.query()
    for method in (URLENCODED, POSTDIRECTLY):
        for form, count in ((JSON, lambda r: len(r["results"]["bindings"])),
                            (XML, lambda r: len(r.getElementsByTagName("result"))),
                            (CSV, lambda r: len(r.decode().strip().splitlines()) - 1),
                            (TSV, lambda r: len(r.decode().strip().splitlines()) - 1)):
            client = wrapper(server, "SELECT * { <http://ex/w> ?p ?o }")
            client.setMethod(POST)
            client.setRequestMethod(method)
            client.setReturnFormat(form)
            checks.equal(count(client.query().convert()), 2, f"SPARQLWrapper selects {form} {method}")
    client = wrapper(server, "CONSTRUCT WHERE { <http://ex/w> ?p ?o }")
    for form in (RDFXML, TURTLE):
        client.setReturnFormat(form)
        answer = client.query().convert()
        graph = answer if isinstance(answer, Graph) else Graph().parse(data=answer, format="turtle")
        checks.equal(len(graph), 2, f"SPARQLWrapper constructs {form}")
    ask = wrapper(server, "ASK { <http://ex/w> ?p ?o }")
    ask.setReturnFormat(JSON)
    checks.equal(ask.query().convert()["boolean"], True, "SPARQLWrapper asks")
    named = wrapper(server, "SELECT * { ?s ?p ?o }")
    named.setReturnFormat(JSON)
    named.addDefaultGraph("http://ex/wg")
    checks.equal(len(named.query().convert()["results"]["bindings"]), 1, "SPARQLWrapper names a default graph")
    try:
        wrapper(server, "SELECT * {").query()
        checks.that(False, "SPARQLWrapper is told of bad syntax")
    except QueryBadFormed as error:
        checks.that("column" in str(error) or "line" in str(error), "SPARQLWrapper is told where", error)


def rdflib_works(server):
    read = SPARQLStore(server.url + "/query")
    store = SPARQLUpdateStore(server.url + "/query", server.url + "/update", autocommit=True)
    graph = Graph(store, identifier=URIRef(EX + "rdflib"))
    terms = [Literal("c"), Literal('quotes " and \\ and\nlines \u00e9'), Literal("x", lang="en"), Literal(7),
             Literal("1.50", datatype=URIRef("http://www.w3.org/2001/XMLSchema#decimal")), URIRef(EX + "b")]
    for term in terms:
        graph.add((URIRef(EX + "a"), URIRef(EX + "b"), term))
    checks.equal(len(graph), len(terms), "rdflib adds")
    checks.equal(set(graph.objects(URIRef(EX + "a"), URIRef(EX + "b"))), set(terms), "and reads the same terms")
    graph.addN([(URIRef(EX + f"n{i}"), URIRef(EX + "n"), Literal(i), graph) for i in range(500)])
    checks.equal(len(graph), len(terms) + 500, "many at once")
    rows = list(graph.query("SELECT (SUM(?n) AS ?sum) { ?s <http://ex/n> ?n }"))
    checks.equal(int(rows[0][Variable("sum")]), sum(range(500)), "rdflib queries its graph")
    checks.equal(bool(graph.query("ASK { ?s <http://ex/n> 499 }").askAnswer), True, "rdflib asks")
    checks.equal(len(graph.query("CONSTRUCT WHERE { <http://ex/a> ?p ?o }").graph), len(terms), "rdflib constructs")
    graph.update("DELETE { ?s ?p ?o } INSERT { ?s ?p 'odd' } WHERE { ?s ?p ?o FILTER(isNumeric(?o) && ?o = 499) }")
    checks.that((URIRef(EX + "n499"), URIRef(EX + "n"), Literal("odd")) in graph, "rdflib updates with its graph")
    graph.remove((URIRef(EX + "a"), None, None))
    checks.equal(len(graph), 500, "rdflib removes by a pattern")
    data = Dataset(store)
    names = {str(g.identifier) for g in data.graphs()}
    checks.that(EX + "rdflib" in names, "rdflib lists the graphs", names)
    checks.equal(len(Graph(read, identifier=URIRef(EX + "rdflib"))), 500, "rdflib's SPARQLStore reads")
    later = SPARQLUpdateStore(server.url + "/query", server.url + "/update", autocommit=False)
    waiting = Graph(later, identifier=URIRef(EX + "later"))
    waiting.add((URIRef(EX + "a"), URIRef(EX + "b"), Literal(1)))
    later.rollback()
    checks.equal(len(waiting), 0, "rdflib rolls back")
    waiting.add((URIRef(EX + "a"), URIRef(EX + "b"), Literal(2)))
    later.commit()
    checks.equal(len(waiting), 1, "rdflib commits")
    graph.remove((None, None, None))
    checks.equal(len(graph), 0, "rdflib removes all")


def tokens():
    with Server(new_target("tokens"), "--token", "secret", "--authenticate", "all") as server:
        try:
            wrapper(server, "ASK {}").query()
            checks.that(False, "SPARQLWrapper is refused without a token")
        except Unauthorized:
            checks.that(True, "SPARQLWrapper is refused without a token")
        client = wrapper(server, "ASK {}")
        client.addCustomHttpHeader("Authorization", "Bearer secret")
        client.setReturnFormat(JSON)
        checks.equal(client.query().convert()["boolean"], True, "and let in with one")
        store = SPARQLUpdateStore(server.url + "/query", server.url + "/update", headers={"Authorization": "Bearer secret"})
        graph = Graph(store, identifier=URIRef(EX + "g"))
        graph.add((URIRef(EX + "a"), URIRef(EX + "b"), Literal(1)))
        checks.equal(len(graph), 1, "rdflib writes with a token")


with Server(new_target("shared")) as shared:
    for part in (curl_works, sparqlwrapper_works, rdflib_works):
        part(shared)
tokens()
checks.finish()
