#!/usr/bin/env python3
"""Reading over HTTP: the protocol's ways to ask, formats, entity tags, ranges, rights, limits, and clients
that misbehave. Runs on a single segment, which nobody writes to."""
import gzip
import http.client
import json
import os
import random
import signal
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

from driver import WEFT, Checks, need_weft, scratch, weft
from server_driver import Server

need_weft()
checks = Checks()
keep = scratch("server")
folder = keep.name
LINES = 20_000


def data_file():
    path = os.path.join(folder, "data.nq")
    with open(path, "w", encoding="utf-8") as file:
        for i in range(LINES):
            file.write(f"<http://ex/s{i}> <http://ex/p{i % 10}> \"value {i}\" .\n")
        file.write("<http://ex/a> <http://ex/p> <http://ex/b> <http://ex/g> .\n")
    return path


segment = os.path.join(folder, "data.rete")
built = weft("build", data_file(), "-o", segment)
checks.code(built, 0, "the segment is built")

SLOW = "SELECT (COUNT(*) AS ?n) WHERE { ?a ?p ?x . ?b ?q ?y . ?c ?r ?z FILTER(STR(?x) < STR(?z)) }"


def form(**parameters):
    return urllib.parse.urlencode(parameters)


def ways_to_ask(server):
    ask = "ASK { <http://ex/s1> ?p ?o }"
    for name, answer in {
            "GET": server.request("GET", "/sparql?" + form(query=ask)),
            "POST form": server.request("POST", "/sparql/", form(query=ask),
                                        {"Content-Type": "application/x-www-form-urlencoded"}),
            "POST direct": server.query(ask)}.items():
        checks.equal(answer.status, 200, name, answer)
        checks.equal(answer.json()["boolean"], True, name)
    checks.equal(server.count(), LINES, "the default graph is counted")
    graph = server.query("ASK { GRAPH ?g { ?s ?p ?o } }")
    checks.equal(graph.json()["boolean"], True, "named graphs are there")
    named = server.request("GET", "/sparql?" + form(query="SELECT * { ?s ?p ?o }",
                                                    **{"default-graph-uri": "http://ex/g"}))
    checks.equal(len(named.json()["results"]["bindings"]), 1, "default-graph-uri names the default graph")


def formats(server):
    select = "SELECT ?o WHERE { <http://ex/s1> ?p ?o }"
    for accept, want in {"application/sparql-results+json": "application/sparql-results+json",
                         "application/sparql-results+xml": "application/sparql-results+xml",
                         "text/csv": "text/csv; charset=utf-8",
                         "text/tab-separated-values": "text/tab-separated-values; charset=utf-8",
                         "text/csv;q=0.1, application/sparql-results+xml;q=0.2": "application/sparql-results+xml",
                         "*/*": "application/sparql-results+json"}.items():
        answer = server.query(select, accept)
        checks.equal((answer.status, answer.headers.get("content-type")), (200, want), f"format for {accept}")
        checks.that(b"value 1" in answer.body, f"the answer for {accept}", answer)
    checks.equal(server.query(select, "image/png").status, 406, "no such format")
    construct = "CONSTRUCT WHERE { <http://ex/s1> ?p ?o }"
    for accept, want in {"text/turtle": "text/turtle; charset=utf-8",
                         "application/n-triples": "application/n-triples",
                         "application/rdf+xml": "application/rdf+xml"}.items():
        answer = server.query(construct, accept)
        checks.equal((answer.status, answer.headers.get("content-type")), (200, want), f"graph for {accept}")
    for coding in ("gzip", "zstd"):
        answer = server.request("POST", "/query", b"SELECT * WHERE { ?s ?p ?o }",
                                {"Content-Type": "application/sparql-query", "Accept-Encoding": coding})
        checks.equal(answer.headers.get("content-encoding"), coding, f"{coding} is used")
        if coding == "gzip":
            rows = json.loads(gzip.decompress(answer.body))["results"]["bindings"]
            checks.equal(len(rows), LINES, "all rows come compressed")
        checks.that(len(answer.body) < 1_000_000, f"{coding} makes it shorter", len(answer.body))
    body = gzip.compress(b"ASK {}")
    answer = server.request("POST", "/query", body, {"Content-Type": "application/sparql-query",
                                                     "Content-Encoding": "gzip"})
    checks.equal(answer.status, 200, "a compressed query is read", answer)


def entity_tags(server):
    path = "/sparql?" + form(query="SELECT * WHERE { <http://ex/s1> ?p ?o }")
    first = server.request("GET", path)
    tag = first.headers.get("etag")
    checks.that(tag and "weft-generation" in first.headers, "answers name their state", first)
    checks.equal(server.request("GET", path, headers={"If-None-Match": tag}).status, 304, "not modified")
    other = server.request("GET", path, headers={"If-None-Match": tag, "Accept": "text/csv"})
    checks.equal(other.status, 200, "another format is another representation")
    random = "/sparql?" + form(query="SELECT (RAND() AS ?x) {}")
    tag = server.request("GET", random).headers["etag"]
    checks.equal(server.request("GET", random, headers={"If-None-Match": tag}).status, 200, "RAND is asked again")


def snapshot(server):
    with open(segment, "rb") as file:
        whole = file.read()
    answer = server.request("GET", "/snapshot.rete")
    checks.equal((answer.status, answer.body == whole), (200, True), "the snapshot is the file")
    part = server.request("GET", "/snapshot.rete", headers={"Range": "bytes=100-199"})
    checks.equal((part.status, part.body == whole[100:200]), (206, True), "a range of the snapshot")
    checks.equal(part.headers.get("content-range"), f"bytes 100-199/{len(whole)}", "the range is named")
    tail = server.request("GET", "/snapshot.rete", headers={"Range": "bytes=-7"})
    checks.equal(tail.body, whole[-7:], "the last bytes")
    beyond = server.request("GET", "/snapshot.rete", headers={"Range": f"bytes={len(whole)}-"})
    checks.equal(beyond.status, 416, "beyond the end")
    head = server.request("HEAD", "/snapshot.rete")
    checks.equal((head.status, head.headers.get("content-length")), (200, str(len(whole))), "HEAD of the snapshot")
    stale = server.request("GET", "/snapshot.rete", headers={"Range": "bytes=0-1", "If-Range": '"other"'})
    checks.equal((stale.status, len(stale.body)), (200, len(whole)), "If-Range of another state means all")
    count = weft("count", server.url + "/snapshot.rete")
    checks.code(count, 0, "weft reads the snapshot over HTTP")


def graph_store(server):
    graph = server.request("GET", "/store?graph=http%3A%2F%2Fex%2Fg", headers={"Accept": "application/n-triples"})
    checks.equal(graph.body, b"<http://ex/a> <http://ex/p> <http://ex/b> .\n", "GET of a graph")
    checks.equal(server.request("HEAD", "/store?graph=http%3A%2F%2Fex%2Fnone").status, 404, "HEAD of no graph")
    everything = server.request("GET", "/store", headers={"Accept": "application/n-quads"})
    checks.equal(everything.body.count(b"\n"), LINES + 1, "the whole store as N-Quads")
    default = server.request("GET", "/data?default", headers={"Accept": "application/n-triples"})
    checks.equal(default.body.count(b"\n"), LINES, "the default graph")
    checks.equal(server.request("GET", "/store?graph=a&default").status, 400, "two graphs")
    checks.equal(server.request("GET", "/store?graph=relative").status, 400, "a relative graph")


def description(server):
    for path in ("/", "/sparql"):
        answer = server.request("GET", path, headers={"Accept": "application/n-triples"})
        checks.that(answer.status == 200 and b"sparql-service-description#endpoint" in answer.body,
                    f"{path} describes the service", answer)
    health = server.request("GET", "/health")
    checks.equal((health.status, health.json()["status"]), (200, "ok"), "health")
    checks.that(server.metric("weft_http_connections_total") > 10, "metrics count")


def errors(server):
    bad = server.query("SELECT * WHERE {")
    checks.equal((bad.status, bad.json()["error"]["kind"]), (400, "invalid"), "syntax errors are 400", bad)
    checks.equal(server.request("GET", "/nothing").status, 404, "no such path")
    checks.equal(server.request("DELETE", "/query").status, 405, "no such method")
    for path in ("/../../etc/passwd", "/store/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                 "/snapshot.rete/../../../etc/passwd"):
        answer = server.request("GET", path)
        checks.that(answer.status in (400, 404) and b"root:" not in answer.body, f"traversal {path}", answer)
    late = server.request("POST", "/query", SLOW, {"Content-Type": "application/sparql-query", "Timeout": "0.2"})
    checks.equal(late.status, 413, "a query over its time is a limit", late)
    checks.equal(server.request("POST", "/query", "ASK {}", {"Content-Type": "application/sparql-query",
                                                            "Timeout": "x"}).status, 400, "no such time")
    big = server.request("GET", "/health", headers={"X": "y" * 300_000})
    checks.equal(big.status, 431, "too long a head")
    deep = server.query("SELECT * WHERE " + "{" * 100_000)
    checks.equal(deep.status, 413, "100,000 nested braces", deep)


def malformed(server):
    for data in (b"GARBAGE\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
                 b"\0" * 100, b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
                 b"POST /query HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
                 b"POST /query HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                 b"POST /query HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-query\r\n"
                 b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"):
        answer = server.raw(data, timeout=1)  # some wait for the rest of a head
        checks.that(answer == b"" or answer.startswith(b"HTTP/1.1 4"), f"malformed {data[:40]}", answer[:200])
    pipelined = server.raw(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n" * 20 +
                           b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    checks.equal(pipelined.count(b"HTTP/1.1 200"), 21, "21 requests in one piece get 21 answers")
    old = server.raw(b"GET /health HTTP/1.0\r\n\r\n")
    checks.that(old.startswith(b"HTTP/1.1 200") and b"chunked" not in old, "HTTP/1.0 is answered", old)
    expect = server.socket()
    expect.sendall(b"POST /query HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-query\r\n"
                   b"Content-Length: 6\r\nExpect: 100-continue\r\n\r\n")
    checks.that(expect.recv(100).startswith(b"HTTP/1.1 100 "), "100 Continue")
    expect.sendall(b"ASK {}")
    checks.that(expect.recv(100).startswith(b"HTTP/1.1 200 "), "and then the answer")
    expect.close()


def fuzz(server, rounds=400):
    """Requests with bytes changed, cut out, doubled: each is answered or closed, and the server lives."""
    seed = int(os.environ.get("WEFT_SEED", str(random.SystemRandom().randrange(1 << 30))))
    r = random.Random(seed)
    form_body = form(query="SELECT * WHERE { <http://ex/s1> ?p ?o }", format="json").encode()
    whole = [
        b"GET /sparql?" + form_body + b" HTTP/1.1\r\nHost: a\r\nAccept: text/csv;q=0.5, */*\r\nConnection: close\r\n\r\n",
        b"POST /sparql HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (len(form_body), form_body),
        b"POST /query HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-query\r\nConnection: close\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n6\r\nASK {}\r\n0\r\n\r\n",
        b"GET /snapshot.rete HTTP/1.1\r\nHost: a\r\nRange: bytes=0-99\r\nIf-Range: \"x\"\r\nConnection: close\r\n\r\n",
        b"PUT /store?graph=http%3A%2F%2Fex%2Fg HTTP/1.1\r\nHost: a\r\nContent-Type: text/turtle\r\nExpect: 100-continue\r\n"
        b"Connection: close\r\nContent-Length: 12\r\n\r\n<a> <b> <c>.",
    ]
    strange = []
    for number in range(rounds):
        data = bytearray(r.choice(whole))
        for _ in range(r.randint(1, 4)):
            at = r.randrange(len(data))
            what = r.randrange(4)
            if what == 0:
                data[at] = r.choice([0, 10, 13, 32, 58, 255, r.randrange(256)])
            elif what == 1:
                del data[at:at + r.randint(1, 20)]
            elif what == 2:
                data[at:at] = data[at:at + r.randint(1, 60)]
            else:
                data[at:at] = r.choice([b"\r\n", b"%", b"\r\n\r\n", b"Content-Length: 5\r\n", b"99999999999999999999", b";", b"\0"])
            data = data or bytearray(b"x")
        with server.socket(5) as sock:
            try:
                sock.sendall(data)
                sock.shutdown(socket.SHUT_WR)
                out = sock.recv(65536)
            except socket.timeout:
                out = b"timeout"
            except OSError:
                out = b""
        if out and not out.startswith(b"HTTP/1.1 "):
            strange.append((number, bytes(data), out[:100]))
    checks.equal(strange, [], f"{rounds} mutated requests are answered or closed", f"WEFT_SEED={seed}")
    checks.equal(server.query("ASK {}").json()["boolean"], True, "and the server answers on")
    checks.equal(server.count(), LINES, "with the same data")


def threads_of(server):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("Threads:"):
                return int(line.split()[1])
    return 0


def hostile(server):
    before = threads_of(server)
    idle = [server.socket() for _ in range(1000)]
    unfinished = [server.socket() for _ in range(50)]
    for sock in unfinished:
        sock.sendall(b"POST /query HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-query\r\n"
                     b"Content-Length: 1000\r\n\r\nASK")
    begin = time.monotonic()
    for _ in range(20):
        checks.equal(server.query("ASK {}").status, 200, "queries run beside idle connections")
    checks.that(time.monotonic() - begin < 5, "and are not held up", time.monotonic() - begin)
    checks.equal(threads_of(server), before, "1,050 connections that wait cost no thread")
    for sock in idle + unfinished:
        sock.close()


def hang_up(server):
    sock = server.socket()
    sock.sendall(b"POST /query HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-query\r\n"
                 b"Content-Length: %d\r\n\r\n%s" % (len(SLOW), SLOW.encode()))
    deadline = time.monotonic() + 20
    while server.metric("weft_reads_running") != 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    checks.equal(server.metric("weft_reads_running"), 1, "the slow query runs")
    sock.close()
    begin = time.monotonic()
    while server.metric("weft_reads_running") != 0 and time.monotonic() < begin + 20:
        time.sleep(0.002)
    took = time.monotonic() - begin
    checks.that(took < 0.25, "a query ends soon after its client has left", f"{took * 1000:.0f} ms")
    print(f"hang-up to end of query: {took * 1000:.0f} ms")


def slow_taker(server):
    """A client that reads nothing holds the query, not the server."""
    query = "SELECT * WHERE { ?s ?p ?o . ?s2 ?p2 ?o2 }"
    sock = server.socket()
    sock.sendall(b"POST /query HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-query\r\n"
                 b"Content-Length: %d\r\n\r\n%s" % (len(query), query.encode()))
    time.sleep(1)
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
    checks.that(resident < 600_000, "an answer without end is held in bounded memory", f"{resident} kB")
    checks.equal(server.query("ASK {}").status, 200, "others are answered meanwhile")
    sock.close()


def rights():
    tokens = os.path.join(folder, "tokens")
    with open(tokens, "w", encoding="ascii") as file:
        file.write("reader read\nwriter\n")
    with Server(segment, "--token-file", tokens, "--authenticate", "all", "--access-log", "none") as server:
        ask = {"Content-Type": "application/sparql-query"}
        none = server.request("POST", "/query", "ASK {}", ask)
        checks.equal((none.status, none.headers.get("www-authenticate", "")[:6]), (401, "Bearer"), "no token")
        wrong = server.request("POST", "/query", "ASK {}", {**ask, "Authorization": "Bearer nobody"})
        checks.equal(wrong.status, 401, "a wrong token")
        right = server.request("POST", "/query", "ASK {}", {**ask, "Authorization": "Bearer reader"})
        checks.equal(right.status, 200, "the right token")
        write = {"Content-Type": "application/sparql-update", "Authorization": "Bearer reader"}
        checks.equal(server.request("POST", "/update", "CLEAR ALL", write).status, 403, "readers do not write")
        checks.equal(server.request("GET", "/health").status, 200, "health needs no token")
        checks.equal(server.request("POST", "/sparql", form(update="CLEAR ALL"), {
            "Content-Type": "application/x-www-form-urlencoded", "Authorization": "Bearer reader"}).status, 403,
            "nor by a form")

        def status_of(token):
            return server.request("POST", "/query", "ASK {}", {**ask, "Authorization": f"Bearer {token}"}).status

        def becomes(token, status, name):
            end = time.monotonic() + 5
            while status_of(token) != status and time.monotonic() < end:
                time.sleep(0.05)
            checks.equal(status_of(token), status, name)
        with open(tokens, "w", encoding="ascii") as file:
            file.write("newcomer read\nwriter\n")
        becomes("newcomer", 200, "a token file that changes is read again")
        checks.equal(status_of("reader"), 401, "who is not in it any more is nobody")
        with open(tokens, "w", encoding="ascii") as file:
            file.write("broken line of text\n")
        time.sleep(1.5)
        checks.equal((status_of("newcomer"), status_of("reader")), (200, 401), "a broken file leaves the tokens as they are")
        os.remove(tokens)
        time.sleep(1.5)
        checks.equal((status_of("newcomer"), status_of("reader")), (200, 401), "so does one that is gone")
        with open(tokens, "w", encoding="ascii") as file:
            file.write("reader read\n")
        becomes("reader", 200, "and a good one counts again")
    refused = weft("serve", segment, "--bind", "0.0.0.0:0", timeout=20)
    checks.code(refused, 2, "no open address for everybody to write to")


def cors():
    with Server(segment, "--cors", "https://app.example", "--access-log", "none") as server:
        good = server.request("GET", "/health", headers={"Origin": "https://app.example"})
        checks.equal(good.headers.get("access-control-allow-origin"), "https://app.example", "CORS for the one")
        other = server.request("GET", "/health", headers={"Origin": "https://evil.example"})
        checks.equal(other.headers.get("access-control-allow-origin"), None, "and not for another")
        evil = server.request("POST", "/update", form(update="CLEAR ALL"), {
            "Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"})
        checks.equal(evil.status, 403, "pages elsewhere do not write")
        for host, status in {"127.0.0.1:7878": 200, "localhost": 200, "rebound.example:7878": 403}.items():
            own = server.request("POST", "/update", "INSERT DATA {}", {
                "Content-Type": "application/sparql-update", "Origin": f"http://{host}", "Host": host})
            checks.equal(own.status, status, f"its own page at {host}", own)
        preflight = server.request("OPTIONS", "/update", headers={
            "Origin": "https://app.example", "Access-Control-Request-Method": "POST"})
        checks.that(preflight.status == 204 and "POST" in preflight.headers.get("access-control-allow-methods", ""),
                    "preflight", preflight)


def tls():
    certificate, key = os.path.join(folder, "tls.pem"), os.path.join(folder, "tls.key")
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                           "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                          capture_output=True, check=False)
    if made.returncode != 0:
        checks.part_skipped("openssl makes no certificate")
        return
    checks.code(weft("serve", segment, "--bind", "127.0.0.1:0", "--tls-certificate", certificate, timeout=20), 2, "a certificate needs its key")
    checks.code(weft("serve", segment, "--bind", "127.0.0.1:0", "--tls-certificate", certificate, "--tls-key", certificate, timeout=20), 2,
                "a certificate is no key")
    with Server(segment, "--tls-certificate", certificate, "--tls-key", key, "--access-log", "none") as server:
        trust = ssl.create_default_context(cafile=certificate)
        connection = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=20, context=trust)
        for _ in range(2):
            connection.request("POST", "/query", "SELECT * { ?s ?p ?o }", {"Content-Type": "application/sparql-query", "Accept": "text/csv"})
            answer = connection.getresponse()
            checks.equal((answer.status, answer.read().count(b"\n")), (200, LINES + 1), "a long answer over TLS, on one connection")
        connection.request("GET", "/", headers={"Accept": "application/n-triples"})
        checks.that(f"<https://127.0.0.1:{server.port}/sparql>".encode() in connection.getresponse().read(), "it calls itself https")
        connection.close()
        checks.that(not server.raw(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n", timeout=3).startswith(b"HTTP/1.1 2"), "no plain HTTP beside it")
        silent = [server.socket() for _ in range(50)]
        late = http.client.HTTPSConnection("127.0.0.1", server.port, timeout=5, context=trust)
        late.request("GET", "/health")
        checks.equal(late.getresponse().status, 200, "handshakes that never come hold up nobody")
        for sock in silent:
            sock.close()


def limits():
    with Server(segment, "--max-queries", "1", "--max-body", "1", "--max-connections", "40",
                "--access-log", "none") as server:
        big = server.request("POST", "/query", b"x" * 2_000_000, {"Content-Type": "application/sparql-query"})
        checks.equal(big.status, 413, "a body beyond the limit", big)
        answers = []

        def ask():
            try:
                answers.append(server.request("POST", "/query", SLOW, {
                    "Content-Type": "application/sparql-query", "Timeout": "0.2"}))
            except OSError:
                pass
        workers = [threading.Thread(target=ask) for _ in range(30)]
        for worker in workers:
            worker.start()
        time.sleep(1)
        checks.equal(server.request("GET", "/health", timeout=5).status, 200, "health is answered under load")
        for worker in workers:
            worker.join()
        refused = [a for a in answers if a.status == 503]
        checks.that(refused and all("retry-after" in a.headers for a in refused), "503 with Retry-After",
                    [a.status for a in answers])
        sockets = [server.socket() for _ in range(45)]
        time.sleep(0.3)
        full = 0
        for sock in sockets:
            sock.settimeout(0.02)
            try:
                full += sock.recv(100).startswith(b"HTTP/1.1 503")
            except OSError:
                pass
        checks.that(full >= 5, "connections beyond the limit are told", full)
        for sock in sockets:
            sock.close()


def ending():
    server = Server(segment, "--grace", "0.5", "--access-log", os.path.join(folder, "access.log"))
    result = []

    def ask():
        try:
            result.append(server.query(SLOW).status)
        except (OSError, Exception) as error:  # the connection may be closed
            result.append(type(error).__name__)
    worker = threading.Thread(target=ask)
    worker.start()
    time.sleep(0.5)
    begin = time.monotonic()
    code = server.stop(signal.SIGTERM)
    took = time.monotonic() - begin
    worker.join()
    checks.equal(code, 0, "SIGTERM during a query ends in order")
    checks.that(took < 4, "within the grace time", f"{took:.1f} s")
    with open(os.path.join(folder, "access.log"), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    checks.that(any(line.get("event") == "stopped" for line in lines), "the log is JSON to its end", lines)
    checks.that(any(line.get("path") == "/query" for line in lines), "and has the query", lines)


def closed_pipe():
    """The reader of the log goes away: the server does not."""
    read, write = os.pipe()
    server = subprocess.Popen([WEFT, "serve", segment, "--bind", "127.0.0.1:0"],
                              stderr=write, stdout=write)
    os.close(write)
    text = os.read(read, 4096).decode()
    port = int(text.split("127.0.0.1:")[1].split("/")[0])
    os.close(read)
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as sock:
            sock.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            checks.that(sock.recv(100).startswith(b"HTTP/1.1 200"), "answers go on after a closed pipe")
    server.terminate()
    checks.that(server.wait(30) in (0, 7), "and it ends in order", server.returncode)


with Server(segment, "--with-query-page", "--access-log", "none") as shared:
    for part in (ways_to_ask, formats, entity_tags, snapshot, graph_store, description, errors, malformed, fuzz, hang_up,
                 slow_taker, hostile):
        part(shared)
    page = shared.request("GET", "/", headers={"Accept": "text/html"})
    checks.that(page.status == 200 and b"<textarea" in page.body and b"src=" not in page.body, "the query page")
    checks.equal(shared.stop(), 0, "SIGTERM ends it in order")
for part in (rights, cors, tls, limits, ending, closed_pipe):
    part()
checks.finish()
