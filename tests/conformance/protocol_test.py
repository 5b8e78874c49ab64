#!/usr/bin/env python3
"""The W3C suites of the SPARQL 1.1 Protocol, the Graph Store HTTP Protocol and Service Description, read from
their manifests and sent to `weft serve` on an empty graph, a fresh server for each test.

usage: protocol_test.py KNOWN_FAILURES       exit 0: all as expected, 1: not, 77: no test data or program
KNOWN_FAILURES names tests that may fail, one a line, "suite#test reason"; one that passes is an error.
"""
import http.client
import json
import os
import re
import sys
import tempfile
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interop"))
from driver import TESTDATA, WEFT, skip, weft  # noqa: E402
from server_driver import Server  # noqa: E402

SUITES = os.path.join(TESTDATA, "w3c-rdf-tests", "sparql", "sparql11")
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
MF = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#"
HT = "http://www.w3.org/2011/http#"
HTS = "http://www.w3.org/2011/http-statusCodes#"
CNT = "http://www.w3.org/2011/content#"
UT = "http://www.w3.org/2009/sparql/tests/test-update#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SD = "http://www.w3.org/ns/sparql-service-description#"
NAMED_STATUS = {"OK": 200, "Created": 201, "Accepted": 202, "NoContent": 204, "BadRequest": 400, "NotFound": 404,
                "MethodNotAllowed": 405, "NotAcceptable": 406, "UnsupportedMediaType": 415}
RESULTS = ("application/sparql-results+json", "application/sparql-results+xml")
RDF_TYPES = ("application/rdf+xml", "text/turtle", "application/n-triples")
UNESCAPE = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "b": "\b", "f": "\f"}


def unescape(text):
    return re.sub(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))",
                  lambda m: chr(int(m.group(1) or m.group(2), 16)) if m.group(1) or m.group(2) else UNESCAPE[m.group(3)],
                  text)


TRIPLE = re.compile(r'(<[^>]*>|_:\S+) <([^>]*)> (<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"\S*) \.$')


class Graph:
    """N-Triples that weft made of a manifest."""

    def __init__(self, path):
        with tempfile.NamedTemporaryFile(suffix=".ttl") as copy, open(path, "rb") as source:
            copy.write(f"@base <file://{path}> .\n".encode() + source.read())
            copy.flush()
            done = weft("convert", copy.name, "--to", "nt")
        if done.code != 0:
            raise RuntimeError(str(done))
        self.objects = {}
        self.subjects = {}
        for line in done.text.splitlines():
            s, p, o = TRIPLE.match(line).groups()
            self.objects.setdefault((s, p), []).append(o)
            self.subjects.setdefault((p, o), []).append(s)

    def all(self, subject, predicate):
        return self.objects.get((subject, predicate), [])

    def one(self, subject, predicate, default=None):
        found = self.all(subject, predicate)
        return found[0] if found else default

    def text(self, subject, predicate, default=None):
        found = self.one(subject, predicate)
        return default if found is None else unescape(re.match(r'"((?:[^"\\]|\\.)*)"', found, re.S).group(1))

    def list(self, head):
        while head and head != f"<{RDF}nil>":
            yield self.one(head, RDF + "first")
            head = self.one(head, RDF + "rest")


def iri(token):
    return token[1:-1]


def triples(server, body, content_type):
    """The document as sorted N-Triples, blank nodes without their labels."""
    with tempfile.NamedTemporaryFile(suffix={"text/turtle": ".ttl", "application/rdf+xml": ".rdf"}.get(
            content_type.split(";")[0], ".nt")) as file:
        file.write(body)
        file.flush()
        done = weft("convert", file.name, "--to", "nt")
        if done.code != 0:
            raise AssertionError(f"the body is no {content_type}: {done}")
    return sorted(re.sub(r"_:\S+", "_:b", line) for line in done.text.splitlines())


def status_matches(got, wanted):
    for want in wanted:
        name = iri(want)[len(HTS):]
        group = re.match(r"StatusCode(\d)xx$", name)
        if (group and got // 100 == int(group.group(1))) or NAMED_STATUS.get(name) == got:
            return True
    return False


def send(server, graph, request, places):
    """One request of a manifest; AssertionError if the answer is another one."""
    path = graph.text(request, HT + "absolutePath")
    path = path.replace("$LOCATION$", places.get("location", "$LOCATION$"))
    for old, new in places["paths"]:
        if path.startswith(old):
            path = new + path[len(old):]
            break
    headers = {}
    for field in graph.list(graph.one(request, HT + "headers")):
        headers[graph.text(field, HT + "fieldName")] = graph.text(field, HT + "fieldValue")
    body = None
    content = graph.one(request, HT + "body")
    if content:
        encoding = graph.text(content, CNT + "characterEncoding", "UTF-8")
        body = graph.text(content, CNT + "chars").encode(encoding)
    method = graph.text(request, HT + "methodName")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.putrequest(method, path, skip_host=False, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    said = f"{method} {path} {headers}: {answer.status} {answer.getheader('content-type')} {data[:400]}"
    location = answer.getheader("location")
    if location:
        places["location"] = urllib.parse.quote(location, safe="")
    content_type = answer.getheader("content-type") or ""
    for response in graph.all(request, HT + "resp"):
        wanted = graph.all(response, MF + "expectedStatus")
        assert not wanted or status_matches(answer.status, wanted), f"status: {said}; wanted {wanted}"
        shape = graph.text(response, MF + "expectedFormat")
        if shape in ("boolean", "tabular"):
            assert content_type.split(";")[0] in RESULTS + ("text/csv", "text/tab-separated-values"), said
        if shape == "RDF":
            assert content_type.split(";")[0] in RDF_TYPES, said
        truth = graph.text(response, MF + "expectedBoolean")
        if truth is not None:
            assert json.loads(data)["boolean"] == (truth == "true"), said
        for field in graph.list(graph.one(response, HT + "headers")):
            name, value = graph.text(field, HT + "fieldName"), graph.text(field, HT + "fieldValue")
            if name.lower() == "content-type":
                assert content_type.replace(" ", "").lower() == value.replace(" ", "").lower() or \
                    content_type.split(";")[0] == value.split(";")[0], said
            elif name.lower() == "location":
                assert location, said
        expected = graph.one(response, HT + "body")
        if expected and method != "HEAD":
            want = triples(server, graph.text(expected, CNT + "chars").encode(), "text/turtle")
            assert triples(server, data, content_type) == want, f"{said}; wanted {want}"


def run_test(graph, test, suite, target):
    with Server(target, "--access-log", "none") as server:
        paths = [("/sparql/", "/sparql/"), ("/gsp", "/store")]
        places = {"paths": paths}
        for data in graph.all(test, UT + "graphData"):
            name = graph.text(data, RDFS + "label")
            file = os.path.join(SUITES, suite, os.path.basename(iri(graph.one(data, UT + "graph"))))
            with open(file, "rb") as source:

                put = server.request("PUT", "/store?graph=" + urllib.parse.quote(name, safe=""), source.read(),
                                     {"Content-Type": "application/n-triples"})
                assert put.status in (200, 201), put
        action = graph.one(test, MF + "action")
        for request in graph.list(graph.one(action, HT + "requests")):
            send(server, graph, request, places)


def description_test(name, target):
    with Server(target, "--access-log", "none") as server:
        answer = server.request("GET", "/sparql", headers={"Accept": "application/n-triples"})
        plain = server.request("GET", "/sparql")
        lines = answer.text.splitlines()
        if name == "returns-rdf":
            assert plain.status == 200 and plain.headers["content-type"].split(";")[0] in RDF_TYPES, plain
            triples(server, plain.body, plain.headers["content-type"])
        elif name == "has-endpoint-triple":
            assert any(f"<{SD}endpoint> <{server.url}/sparql>" in line for line in lines), answer
        else:
            services = [line.split()[0] for line in lines if line.endswith(f"<{RDF}type> <{SD}Service> .")]
            assert len(services) == 1, answer
            # The functional properties, and the classes of what they refer to.
            for name_once in ("endpoint", "defaultDataset"):
                assert sum(f"<{SD}{name_once}>" in line for line in lines) == 1, name_once
            known = {"endpoint", "supportedLanguage", "resultFormat", "inputFormat", "feature", "defaultDataset",
                     "defaultGraph", "namedGraph", "graph", "name", "availableGraphs", "Service", "Dataset", "Graph",
                     "SPARQL10Query", "SPARQL11Query", "SPARQL11Update", "UnionDefaultGraph", "DereferencesURIs",
                     "RequiresDataset", "EmptyGraphs", "BasicFederatedQuery", "languageExtension"}
            used = set(re.findall(re.escape(SD) + r"(\w+)", answer.text))
            assert used <= known, used - known


def entries(path):
    graph = Graph(path)
    for manifest_list in [o for (s, p), objects in graph.objects.items() if p == MF + "entries" for o in objects]:
        for test in graph.list(manifest_list):
            yield graph, test


def main():
    if not os.path.isdir(SUITES):
        skip(f"no W3C suites at {SUITES}")
    if not os.access(WEFT, os.X_OK):
        skip(f"no program at {WEFT}")
    known = {}
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.strip().partition(" ")
                known[name] = reason
    only = sys.argv[2:]
    passed, failed, expected = 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="weft-protocol-") as folder:
        empty = os.path.join(folder, "empty.nq")
        open(empty, "w", encoding="ascii").close()
        number = 0
        for suite, files in (("protocol", ("manifest.ttl",)),
                             ("graph-store-protocol", ("manifest-direct.ttl", "manifest-indirect.ttl", "manifest.ttl")),
                             ("service-description", ("manifest.ttl",))):
            for file in files:
                for graph, test in entries(os.path.join(SUITES, suite, file)):
                    if not graph.text(test, MF + "name"):
                        continue
                    name = f"{suite}#{re.split(r'[#/]', iri(test))[-1]}"
                    if only and not any(word in name for word in only):
                        continue
                    number += 1
                    base = os.path.join(folder, f"{number}")
                    os.mkdir(base)
                    segment, target = os.path.join(base, "base.rete"), os.path.join(base, "t.rete-manifest.json")
                    weft("build", empty, "-o", segment)
                    done = weft("manifest", "init", target, segment)
                    try:
                        assert done.code == 0, done
                        if suite == "service-description":
                            description_test(name.split("#")[1], target)
                        else:
                            run_test(graph, test, suite, target)
                        problem = None
                    except Exception as error:  # one test must not stop the others
                        problem = f"{type(error).__name__}: {error}"
                    if problem is None and name not in known:
                        passed += 1
                    elif problem is not None and name in known:
                        expected += 1
                    else:
                        failed += 1
                        print(f"FAILED {name}\n  {problem or 'passes, and stands among the known failures'}", flush=True)
    print(f"{passed} passed, {failed} failed, {expected} known failures")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
