#!/usr/bin/env python3
"""SERVICE and LOAD over HTTP. The W3C federation tests against servers that this test starts, asked from the command
line and through a server; what the allow-list lets pass; queries in a circle; slow, wrong and endless answers.
usage: server_federation_test.py"""
import http.server
import json
import os
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

from driver import ROOT, TESTDATA, Checks, need_weft, scratch, weft
from server_driver import Server

sys.path.insert(0, os.path.join(ROOT, "tests", "conformance"))
from protocol_test import MF, Graph, iri  # noqa: E402

need_weft()
checks = Checks()
keep = scratch("server-federation")
folder = keep.name
SUITE = os.path.join(TESTDATA, "w3c-rdf-tests", "sparql", "sparql11", "service")
QT = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#"
SRX = "{http://www.w3.org/2005/sparql-results#}"
number = 0


def segment(text, suffix=".ttl"):
    global number
    number += 1
    source = os.path.join(folder, f"{number}{suffix}")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    built = weft("build", source, "-o", source + ".rete")
    checks.code(built, 0, "a segment is built")
    return source + ".rete"


def serve(target, *options):
    global number
    number += 1
    if target.endswith(".rete"):
        options = ("--read-only", *options)  # several may serve it
    return Server(target, "--access-log", "none", *options, log=os.path.join(folder, f"serve{number}.log"))


def text_of(name):
    with open(os.path.join(SUITE, name), encoding="utf-8") as file:
        return file.read()


def rows_of_json(document):
    def term(value):
        return "_" if value["type"] == "bnode" else (value["type"], value["value"], value.get("datatype"), value.get("xml:lang"))
    return sorted(repr(sorted((name, term(value)) for name, value in row.items()))
                  for row in document["results"]["bindings"])


def rows_of_srx(name):
    def term(binding):
        child = list(binding)[0]
        kind = child.tag[len(SRX):]
        text = child.text or ""
        if kind == "bnode":
            return "_"
        return (kind, text, child.get("datatype"), child.get("{http://www.w3.org/XML/1998/namespace}lang"))
    root = ElementTree.parse(os.path.join(SUITE, name)).getroot()
    return sorted(repr(sorted((b.get("name"), term(b)) for b in row.iter(SRX + "binding")))
                  for row in root.iter(SRX + "result"))


def w3c_test(graph, test):
    name = "W3C " + graph.text(test, MF + "name")
    action = graph.one(test, MF + "action")
    servers, places = [], {}
    try:
        # In reverse: an endpoint may ask those that stand behind it in the manifest.
        for service in graph.all(action, QT + "serviceData"):
            endpoint = iri(graph.one(service, QT + "endpoint"))
            data = os.path.basename(iri(graph.one(service, QT + "data")))
            server = serve(segment(text_of(data)), "--allow-service", "*")
            servers.append(server)
            places[endpoint] = server.url + "/sparql"

        def placed(text):
            for endpoint, url in places.items():
                text = text.replace(endpoint, url)
            # Nobody is there, and no name server is asked.
            return text.replace("http://invalid.endpoint.org/", "http://127.0.0.1:1/")
        data = graph.one(action, QT + "data")
        target = segment(placed(text_of(os.path.basename(iri(data)))) if data else "")
        query = placed(text_of(os.path.basename(iri(graph.one(action, QT + "query")))))
        expected = sorted(placed(row) for row in rows_of_srx(os.path.basename(iri(graph.one(test, MF + "result")))))
        done = weft("query", target, query, "--format", "json", timeout=60)
        if checks.code(done, 0, name):
            checks.equal(rows_of_json(done.json()), expected, name + ": rows")
        with serve(target, "--allow-service", "*") as front:
            answer = front.query(query)
            checks.equal((answer.status, rows_of_json(answer.json()) if answer.status == 200 else answer.text),
                         (200, expected), name + ": through a server")
    finally:
        for server in servers:
            server.stop()


def w3c():
    manifest = os.path.join(SUITE, "manifest.ttl")
    if not os.path.exists(manifest):
        checks.part_skipped(f"no W3C federation tests at {SUITE}")
        return
    graph = Graph(manifest)
    head = next(o for (s, p), objects in graph.objects.items() if p == MF + "entries" for o in objects)
    tests = list(graph.list(head))
    checks.equal(len(tests), 7, "the W3C suite has its seven evaluation tests")
    for test in tests:
        w3c_test(graph, test)


class Fake:
    """An endpoint that answers every request with `reply(handler)`."""

    def __init__(self, reply):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                self.server.seen.append(self)
                try:
                    reply(self)
                except OSError:
                    pass
            do_GET = do_POST

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.seen = []
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def answer_with(body, content_type="application/sparql-results+json", status=200, **fields):
    def reply(handler):
        handler.send_response(status)
        handler.send_header("Content-Type", content_type)
        handler.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)
    return reply


ONE_JSON = json.dumps({"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"type": "literal", "value": "there"}}]}}).encode()
ONE_XML = (b'<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="x"/></head>'
           b'<results><result><binding name="x"><literal>there</literal></binding></result></results></sparql>')


def ask(url, silent=""):
    return f"SELECT ?x {{ SERVICE {silent} <{url}> {{ ?s ?p ?x }} }}"


def allow_list():
    target = segment("<http://ex/a> <http://ex/p> 1 .")
    with Fake(answer_with(ONE_JSON)) as fake, serve(target) as closed, \
            serve(target, "--allow-service", fake.url + "/allowed/") as opened:
        refused = closed.query(ask(fake.url + "/allowed/sparql"))
        checks.equal((refused.status, refused.json()["error"]["kind"]), (403, "denied"), "a server asks nobody by default")
        checks.equal(closed.query(ask(fake.url + "/x", "SILENT")).status, 200, "SILENT: nothing is bound")
        checks.equal(len(fake.server.seen), 0, "and nobody was asked")
        for path, status in {"/allowed/sparql": 200, "/other": 403, "/allowed/../other": 403, "/allowed/%2e%2e/other": 403,
                             "/Allowed/x": 403}.items():
            checks.equal(opened.query(ask(fake.url + path)).status, status, f"the allow-list: {path}")
        for url in (fake.url.replace("http://", "http://user@"), fake.url + "0/allowed/", fake.url + "@127.0.0.1/allowed/",
                    "file:///etc/passwd", "gopher://127.0.0.1/allowed/"):
            answer = opened.query(ask(url))
            checks.that(answer.status in (400, 403), f"not allowed: {url}", answer)
        checks.equal(len(fake.server.seen), 1, "only what is allowed was asked")
        # An inner endpoint that is not allowed is refused by its own server.
        inner = opened.query(f"SELECT * {{ SERVICE <{closed.url}/sparql> {{ SERVICE <{fake.url}/x> {{ ?s ?p ?x }} }} }}")
        checks.equal(inner.status, 403, "the list holds for what is nested")
    with Fake(answer_with(b"", status=307, Location="http://127.0.0.1:1/evil")) as fake, \
            serve(target, "--allow-service", fake.url) as opened:
        answer = opened.query(ask(fake.url + "/sparql"))
        checks.that(answer.status in (413, 503) and len(fake.server.seen) == 1, "a server follows no redirect", answer)


def circles():
    target = segment("<http://ex/a> <http://ex/p> 1 .")
    with serve(target, "--allow-service", "*") as one:
        begin = time.monotonic()
        for host in ("127.0.0.1", "localhost"):
            answer = one.query(ask(f"http://{host}:{one.port}/sparql"))
            checks.that(answer.status == 503 and "508" in answer.text, f"SERVICE to itself is refused: {host}", answer)
        with serve(target, "--allow-service", one.url) as two:
            text = (f"SELECT ?x {{ SERVICE <{two.url}/sparql> {{ SERVICE <{one.url}/sparql> {{ ?s ?p ?x }} }} }}")
            answer = one.query(text)
            checks.that(answer.status == 503, "and by another server", answer)
            fine = one.query(ask(two.url + "/sparql"))
            checks.equal((fine.status, len(fine.json()["results"]["bindings"])), (200, 1), "another server answers")
        checks.that(time.monotonic() - begin < 10, "none of that takes long", time.monotonic() - begin)
        checks.equal(one.query("ASK {}").status, 200, "and the server answers on")


def answers():
    target = segment("<http://ex/a> <http://ex/p> 1 .")

    def told(reply, code, *options, words=()):
        with Fake(reply) as fake:
            begin = time.monotonic()
            done = weft("query", target, ask(fake.url + "/sparql"), "--format", "csv", *options, timeout=60)
            checks.code(done, code, f"an endpoint with {words or reply}")
            for word in words:
                checks.that(word in done.text + done.errors, f"says {word}", done)
            return time.monotonic() - begin, fake.server.seen
    for body, content_type in ((ONE_JSON, "application/sparql-results+json"), (ONE_XML, "application/sparql-results+xml"),
                               (ONE_JSON, "application/json;charset=utf-8"), (ONE_XML, "text/xml")):
        _, seen = told(answer_with(body, content_type), 0, words=("there",))
        checks.equal((seen[0].command, seen[0].headers["Content-Type"]), ("POST", "application/sparql-query"), "a query is posted")
    told(answer_with(b"<html>", "text/html"), 2, words=("media type", "text/html"))
    told(answer_with(b"{", "application/json"), 2, words=("127.0.0.1",))
    told(answer_with(ONE_XML[:-20], "application/xml"), 2, words=("127.0.0.1",))
    told(answer_with(b"no such graph, sorry", "text/plain", 400), 2, words=("no such graph, sorry",))
    told(answer_with(b"", "text/plain", 401), 3, words=("401",))

    def endless(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/sparql-results+json")
        handler.end_headers()
        while True:
            handler.wfile.write(b" " * 65536)

    def silent(handler):
        handler.rfile.read(1)  # until the other side leaves
    told(endless, 6, "--memory", "64", words=("too long",))
    took, _ = told(silent, (6, 7), "--timeout", "1")
    checks.that(took < 5, "a query ends in its time though an endpoint is silent", took)
    with Fake(silent) as fake, serve(target, "--allow-service", fake.url) as server:
        begin = time.monotonic()
        late = server.request("POST", "/query", ask(fake.url), {"Content-Type": "application/sparql-query", "Timeout": "1"})
        checks.that(late.status in (408, 413, 503) and time.monotonic() - begin < 5, "so does one of a server", late)
        # The best of three: a machine may stop for a while, which says nothing of the server.
        took = min(time_to_end_for_a_client_that_leaves(server, fake.url) for _ in range(3))
        checks.that(took < 0.3, "a client that leaves ends the question", took)


def time_to_end_for_a_client_that_leaves(server, endpoint):
    sock = server.socket()
    text = ask(endpoint).encode()
    sock.sendall(b"POST /query HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-query\r\nContent-Length: %d\r\n\r\n%s"
                 % (len(text), text))
    begin = time.monotonic()
    while server.metric("weft_reads_running") == 0 and time.monotonic() < begin + 10:
        time.sleep(0.005)
    checks.equal(server.metric("weft_reads_running"), 1, "the query waits for its endpoint")
    sock.close()
    begin = time.monotonic()
    while server.metric("weft_reads_running") != 0 and time.monotonic() < begin + 10:
        time.sleep(0.005)
    return time.monotonic() - begin


def updates():
    target = os.path.join(folder, "u.rete-manifest.json")
    weft("manifest", "init", target)
    other = segment("<http://ex/a> <http://ex/p> 1, 2 .\n")
    named = os.path.join(folder, "named.nq")
    with open(named, "w", encoding="ascii") as file:
        file.write("<http://ex/n> <http://ex/p> <http://ex/o> <http://ex/g> .\n")
    with serve(other) as source, serve(target, "--allow-service", source.url, "--load-from", f"file://{folder}/") as server:
        done = server.update(f"INSERT {{ ?s <http://ex/copied> ?o }} WHERE {{ SERVICE <{source.url}/sparql> {{ ?s <http://ex/p> ?o }} }}")
        checks.equal((done.status, done.json().get("inserted")), (200, 2), "an update asks another endpoint", done)
        done = server.update(f"LOAD <{source.url}/store?default> INTO GRAPH <http://ex/loaded>")
        checks.equal((done.status, done.json().get("inserted")), (200, 2), "LOAD over HTTP", done)
        done = server.update(f"LOAD <file://{named}>")
        checks.equal((done.status, done.json().get("inserted")), (200, 1), "LOAD of an allowed file", done)
        for address in ("file:///etc/passwd", f"file://{folder}/../../etc/passwd", f"file://{folder}/%2e%2e/x", "http://127.0.0.1:1/x.ttl"):
            refused = server.update(f"LOAD <{address}>")
            checks.equal(refused.status, 403, f"LOAD of what is not allowed: {address}", refused)
        checks.equal(server.update("LOAD SILENT <file:///etc/passwd>").status, 200, "LOAD SILENT")
        own = server.update(f"LOAD <{server.url}/store?default>")
        checks.equal(own.status, 403, "LOAD of itself is not among what is allowed", own)
        checks.equal(server.count(), 3, "and nothing more is there")
    with serve(target, "--allow-service", "*") as server:
        own = server.update(f"LOAD <{server.url}/store?default>")
        checks.that(own.status == 503 and "508" in own.text, "nor where all is", own)
    with Fake(lambda handler: time.sleep(2.5)) as slow, serve(target, "--allow-service", slow.url) as server:
        worker = threading.Thread(target=lambda: server.update(f"LOAD <{slow.url}/x>"))
        worker.start()
        time.sleep(0.5)
        begin = time.monotonic()
        checks.equal(server.update("INSERT DATA { <http://ex/m> <http://ex/p> 5 }").status, 200, "an update beside a slow LOAD")
        checks.that(time.monotonic() - begin < 2, "does not wait for it", time.monotonic() - begin)
        worker.join()
    slow_reply = answer_with(ONE_JSON)

    def slowly(handler):
        time.sleep(2.5)
        slow_reply(handler)
    with Fake(slowly) as slow, serve(target, "--allow-service", slow.url) as server:
        answers = []
        worker = threading.Thread(target=lambda: answers.append(server.update(
            f"INSERT {{ <http://ex/slow> <http://ex/p> ?x }} WHERE {{ SERVICE <{slow.url}/x> {{ ?s ?p ?x }} }}")))
        worker.start()
        time.sleep(0.5)
        begin = time.monotonic()
        checks.equal(server.update("INSERT DATA { <http://ex/m> <http://ex/p> 6 }").status, 200, "an update beside a slow SERVICE")
        checks.that(time.monotonic() - begin < 1.5, "does not wait for it", time.monotonic() - begin)
        worker.join()
        checks.equal((answers[0].status, answers[0].json().get("inserted")), (200, 1), "which is made after it", answers[0])
        checks.equal(len(slow.server.seen), 2, "and asked again, because the graph had changed")
    with serve(other) as source:
        done = weft("update", target, f"LOAD <{source.url}/store?default> INTO GRAPH <http://ex/second>; INSERT {{ ?s <http://ex/c> ?o }} "
                    f"WHERE {{ SERVICE <{source.url}/sparql> {{ ?s <http://ex/p> ?o }} }}")
        checks.code(done, 0, "weft update loads and asks over HTTP")
        checks.that("inserted 4 quads" in done.text, "and inserts", done)


for part in (w3c, allow_list, circles, answers, updates):
    begin = time.monotonic()
    part()
    print(f"{part.__name__}: {time.monotonic() - begin:.1f} s")
checks.finish()
