#!/usr/bin/env python3
"""Writing over HTTP: updates and the Graph Store Protocol are atomic, durable, conditional; seal while serving;
many clients; what is left after kill -9. usage: server_update_test.py [PART …]"""
import json
import os
import re
import signal
import socket
import sys
import threading
import time

from driver import NIGHTLY, Checks, build_faulty_calls, need_weft, scratch, weft
from server_driver import Server

need_weft()
checks = Checks()
keep = scratch("server-update")
folder = keep.name
number = 0


def new_target():
    global number
    number += 1
    base = os.path.join(folder, str(number))
    os.mkdir(base)
    path = os.path.join(base, "base.nt")
    with open(path, "w", encoding="ascii") as file:
        file.write("<http://ex/s> <http://ex/p> <http://ex/o> .\n")
    weft("build", path, "-o", os.path.join(base, "base.rete"))
    target = os.path.join(base, "t.rete-manifest.json")
    checks.code(weft("manifest", "init", target, os.path.join(base, "base.rete")), 0, "the manifest is made")
    return target


def insert(i):
    return f"INSERT DATA {{ <http://ex/i{i}> <http://ex/p> {i} }}"


def basics():
    target = new_target()
    with Server(target) as server:
        done = server.update(insert(1))
        checks.equal((done.status, done.json()["inserted"], done.json()["removed"]), (200, 1, 0), "an insert", done)
        again = server.update(insert(1))
        checks.equal(again.json()["inserted"], 0, "counts are true")
        checks.equal(server.count(), 2, "what was inserted is seen")
        bad = server.update(insert(2) + "; LOAD <http://127.0.0.1:1/x>")
        checks.equal(bad.status, 403, "LOAD of what is not allowed", bad)
        checks.equal(server.count(), 2, "a failed request changes nothing")
        checks.equal(server.update(insert(2) + "; NONSENSE").status, 400, "nor does bad syntax")
        tag = server.request("GET", "/sparql?query=ASK%7B%7D").headers["etag"]
        checks.equal(server.update(insert(3), {"If-Match": tag}).status, 200, "If-Match of the present state")
        checks.equal(server.update(insert(4), {"If-Match": tag}).status, 412, "and of the one before")
        checks.equal(server.count(), 3, "412 changes nothing")
        form = server.request("POST", "/sparql", "update=CLEAR+DEFAULT", {
            "Content-Type": "application/x-www-form-urlencoded"})
        checks.equal((form.status, form.json()["removed"]), (200, 3), "an update by form", form)
        evil = server.request("POST", "/sparql", "update=CLEAR+ALL", {
            "Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"})
        checks.equal(evil.status, 403, "a form of another site does not write")
        second = weft("serve", target, "--bind", "127.0.0.1:0", timeout=30)
        checks.that(second.code == 7 and "weft serve" in second.errors and "--read-only" in second.errors,
                    "a second writer is told who holds it, and what to do", second)
        with Server(target, "--read-only", log=os.path.join(folder, "second.log")) as reader:
            checks.equal(reader.query("ASK {}").status, 200, "and may read")
            checks.equal(reader.update(insert(1)).status, 403, "but not write")
            before = reader.count()
            checks.equal(server.update(insert(77)).status, 200, "the first server writes on")
            deadline = time.monotonic() + 5
            while reader.count() == before and time.monotonic() < deadline:
                time.sleep(0.05)
            checks.equal(reader.count(), before + 1, "the second one sees it within seconds")
            server.request("POST", "/admin/seal")
            server.update(insert(78))
            deadline = time.monotonic() + 5
            while reader.count() == before + 1 and time.monotonic() < deadline:
                time.sleep(0.05)
            checks.equal(reader.count(), before + 2, "after a seal, too")


def graph_store():
    target = new_target()
    with Server(target) as server:
        graph = "/store?graph=http%3A%2F%2Fex%2Fg"
        turtle = {"Content-Type": "text/turtle"}
        checks.equal(server.request("PUT", graph, "<a> <b> 1, 2 .", turtle).status, 201, "PUT makes a graph")
        checks.equal(server.request("PUT", graph, "<a> <b> 3 .", turtle).json()["removed"], 2, "PUT replaces")
        checks.equal(server.request("POST", graph, "<a> <b> 4 .", turtle).json()["inserted"], 1, "POST adds")
        bad = server.request("PUT", graph, "<a> <b> ", turtle)
        checks.equal(bad.status, 400, "bad Turtle", bad)
        left = server.request("GET", graph, headers={"Accept": "application/n-triples"})
        checks.equal(left.body.count(b"\n"), 2, "a failed PUT replaces nothing", left)
        patch = server.request("PATCH", graph, "INSERT DATA { <http://ex/x> <http://ex/y> 5 }",
                               {"Content-Type": "application/sparql-update"})
        checks.equal(patch.status, 200, "PATCH", patch)
        left = server.request("GET", graph, headers={"Accept": "application/n-triples"})
        checks.equal(left.body.count(b"\n"), 3, "PATCH changes the graph that is named")
        checks.equal(server.count(), 1, "and not the default graph")
        made = server.request("POST", "/store", "<a> <b> 1 .", turtle)
        checks.that(made.status == 201 and "/store/" in made.headers.get("location", ""), "POST names a graph", made)
        checks.equal(server.request("DELETE", graph).status, 200, "DELETE")
        checks.equal(server.request("GET", graph).status, 404, "what is deleted is gone")
        checks.equal(server.request("DELETE", graph).status, 404, "and is not deleted twice")
        checks.equal(server.request("PUT", graph, "x", {"Content-Type": "image/png"}).status, 415, "no RDF type")
        data = b"".join(b"<http://ex/b%d> <http://ex/p> \"%d\" .\n" % (i, i) for i in range(200_000))
        begin = time.monotonic()
        big = server.request("PUT", "/store?graph=http%3A%2F%2Fex%2Fbig", data,
                             {"Content-Type": "application/n-triples"}, timeout=300)
        checks.that(big.status == 201 and big.json()["inserted"] == 200_000, "a long body", big)
        print(f"PUT of {len(data) >> 20} MiB: {time.monotonic() - begin:.1f} s")


def seal_and_restart():
    target = new_target()
    with Server(target) as server:
        for i in range(10):
            server.update(insert(i))
        sealed = server.request("POST", "/admin/seal")
        checks.that(sealed.status == 200 and sealed.json()["sealed"], "seal while serving", sealed)
        checks.equal(server.count(), 11, "a seal changes nothing that is seen")
        server.update(insert(99))
        tag = server.request("GET", "/sparql?query=ASK%7B%7D").headers["etag"]
        compacted = server.request("POST", "/admin/compact")
        checks.equal(compacted.status, 200, "compact while serving", compacted)
        checks.equal(server.count(), 12, "nor does compaction")
        image = server.request("GET", "/snapshot.rete")
        path = os.path.join(folder, "snapshot.rete")
        with open(path, "wb") as file:
            file.write(image.body)
        checks.equal(weft("count", path).text.split()[0].replace(",", ""), "12", "the snapshot has all quads")
        server.update(insert(100))
        server.stop(signal.SIGKILL)
    with Server(target) as server:
        checks.equal(server.count(), 13, "what was acknowledged is there after kill -9")
        later = server.request("GET", "/sparql?query=ASK%7B%7D").headers["etag"]
        checks.that(later != tag, "another state has another tag")


def many_clients(clients=16, rounds=200):
    target = new_target()
    with Server(target) as server:
        server.update("INSERT DATA { <http://ex/counter> <http://ex/n> 0 }")
        plus = ("DELETE { <http://ex/counter> <http://ex/n> ?n } INSERT { <http://ex/counter> <http://ex/n> ?m } "
                "WHERE { <http://ex/counter> <http://ex/n> ?n BIND(?n + 1 AS ?m) }")
        failed = []

        def work():
            connection = server.connect()
            for _ in range(rounds):
                connection.request("POST", "/update", plus, {"Content-Type": "application/sparql-update"})
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    failed.append(answer.status)
            connection.close()
        begin = time.monotonic()
        threads = [threading.Thread(target=work) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.monotonic() - begin
        rows = server.query("SELECT ?n { <http://ex/counter> <http://ex/n> ?n }").json()["results"]["bindings"]
        checks.equal([row["n"]["value"] for row in rows], [str(clients * rounds)], "no increment is lost", failed)
        print(f"{clients} clients: {clients * rounds / took:.0f} counted updates a second")


def post(connection, path, text, kind):
    """Seconds that one request took; its answer must be good."""
    begin = time.monotonic()
    connection.request("POST", path, text, {"Content-Type": f"application/sparql-{kind}"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise AssertionError(f"{answer.status} {body[:300]}")
    return time.monotonic() - begin


def middle(seconds):
    return sorted(seconds)[len(seconds) // 2] * 1000


class Wire:
    """A connection without a library: what a request costs, and nothing else."""

    def __init__(self, server):
        self.socket = server.socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def seconds(self, path, text, kind):
        body = text.encode()
        request = (f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/sparql-{kind}\r\nAccept: text/csv, */*;q=0.5\r\n"
                   f"Content-Length: {len(body)}\r\n\r\n").encode() + body
        begin = time.monotonic()
        self.socket.sendall(request)
        answer = self.socket.recv(65536)
        head, _, rest = answer.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        while length and len(rest) < int(length.group(1)):
            rest += self.socket.recv(65536)
        took = time.monotonic() - begin
        if not head.startswith(b"HTTP/1.1 200"):
            raise AssertionError(answer)
        return took


def latency(rounds=2000 if NIGHTLY else 300):
    """Syncs and updates take turns, so that both see the same disk."""
    target = new_target()
    with Server(target, "--access-log", "none") as server, open(os.path.join(folder, "sync"), "wb") as file:
        wire = Wire(server)
        updates, syncs, after = [], [], []
        for i in range(rounds):
            begin = time.monotonic()
            file.write(b"x" * 100)
            file.flush()
            os.fdatasync(file.fileno())
            syncs.append(time.monotonic() - begin)
            updates.append(wire.seconds("/update", insert(i), "update"))
            after.append(wire.seconds("/query", f"ASK {{ ?s ?p {i} }}", "query"))
        figures = middle(updates), middle(syncs), middle(after)
        print("one-triple update p50 %.2f ms, one fdatasync %.2f ms, the query right after %.2f ms" % figures)
        # Loosely, but in nightly runs: the machine may be busy. The goal is a sync and 0.3 ms.
        checks.that(figures[0] < figures[1] + (0.3 if NIGHTLY else 5), "an update costs about one sync", figures)
        checks.that(figures[2] < 5, "a query after an update takes less than 5 ms", figures)


def many_updates(count=100_000 if NIGHTLY else 4_000):
    """The journal grows, becomes runs in memory and segments; updates stay as quick as at first. What a sync takes beside
    them is taken off: the disk is not always the same."""
    with Server(new_target(), "--access-log", "none") as server, open(os.path.join(folder, "sync2"), "wb") as file:
        wire, own, edge = Wire(server), [], max(100, count // 100)
        for i in range(count):
            took = wire.seconds("/update", insert(i), "update")
            if i < edge or i >= count - edge:
                begin = time.monotonic()
                file.write(b"x" * 100)
                file.flush()
                os.fdatasync(file.fileno())
                own.append((took, time.monotonic() - begin))
        first, last = own[:edge], own[-edge:]
        figures = [middle([took for took, _ in part]) for part in (first, last)] + [middle([sync for _, sync in part]) for part in (first, last)]
        print(f"{count} updates: p50 of the first {edge} {figures[0]:.2f} ms (a sync {figures[2]:.2f}), of the last {figures[1]:.2f} ms "
              f"(a sync {figures[3]:.2f}), {server.metric('weft_seals_total'):.0f} seals")
        slack = 0.1 + max(0, figures[3] - figures[2]) * 1.2
        checks.that(figures[1] <= figures[0] * 1.2 + slack, "updates stay as quick as at first", figures)
        checks.equal(server.count(), 1 + count, "and all are there")


def disk_use(base):
    """Of each file once: one that is just being shown has two names."""
    stats = [entry.stat() for entry in os.scandir(base) if entry.is_file()]
    return sum({stat.st_ino: stat.st_size for stat in stats}.values())


def adds_of(target):
    with open(target, encoding="utf-8") as file:
        return sum(entry["adds"]["size"] for entry in json.load(file)["log"] if "adds" in entry)


def replacing(rounds=200 if NIGHTLY else 8, triples=70_000):
    """The same graph replaced over and over: the automatic policy keeps the disk within three times the live data."""
    target = new_target()
    base, most, slowest = os.path.dirname(target), 0, 0.0
    stopped = threading.Event()

    def body_of(i):
        return "".join(f"<http://ex/r{k}> <http://ex/p{k % 7}> \"{k * 31 + i}\" .\n" for k in range(triples))

    def watch():
        nonlocal most
        while not stopped.is_set():
            try:
                most = max(most, disk_use(base))
            except FileNotFoundError:
                pass  # swept meanwhile
            time.sleep(0.005)
    with Server(target, "--access-log", "none") as server:
        watcher = threading.Thread(target=watch)
        watcher.start()
        for i in range(rounds):
            body = body_of(i)
            begin = time.monotonic()
            put = server.request("PUT", "/store?graph=http%3A%2F%2Fex%2Fr", body, {"Content-Type": "application/n-triples"})
            slowest = max(slowest, time.monotonic() - begin)
            checks.equal(put.status in (200, 201, 204), True, f"round {i}", put)
        stopped.set()
        watcher.join()
        checks.equal(server.count(), 1, "the default graph is as it was")
        count = server.query("SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }").json()["results"]["bindings"][0]["n"]["value"]
        checks.equal(int(count), triples, "and the other has the last round")
        # What the live data take: the segments of the last round, or one of all, which may be packed otherwise.
        least = adds_of(target)
        checks.equal(server.request("POST", "/admin/compact").status, 200, "the live data as one segment")
        least = min(least, adds_of(target))
    print(f"{rounds} times {triples} triples replaced: {least / 1e6:.2f} MB of live data, at most {most / 1e6:.2f} MB on the disk "
          f"({most / least:.2f} times), the slowest {slowest:.2f} s")
    checks.that(most <= 3 * least, "the disk stays within three times the live data", (most, least))


def group_commit(sync_ms=2, seconds=1.0):
    """Where a sync is slow, clients that write together share it."""
    library = build_faulty_calls(folder)
    if library is None:
        checks.part_skipped("no compiler for the shared object that makes syncs slow")
        return
    rates = []
    with Server(new_target(), "--access-log", "none", env={"LD_PRELOAD": library, "WEFT_TEST_SYNC_MS": str(sync_ms)}) as server:
        for clients in (1, 16):
            done = []

            def work(client):
                connection, count, end = server.connect(), 0, time.monotonic() + seconds
                while time.monotonic() < end:
                    post(connection, "/update", f"INSERT DATA {{ <http://ex/{clients}-{client}> <http://ex/n> {count} }}", "update")
                    count += 1
                done.append(count)
            threads = [threading.Thread(target=work, args=(client,)) for client in range(clients)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            rates.append(sum(done) / seconds)
    print(f"with a sync of {sync_ms} ms more: {rates[0]:.0f} commits a second of one client, {rates[1]:.0f} of sixteen")
    checks.that(rates[1] >= 4 * rates[0], "sixteen clients commit four times as much as one", rates)


def full_disk():
    """Updates are refused while there is no room, nothing is half there, and what was acknowledged stays."""
    library = build_faulty_calls(folder)
    if library is None:
        checks.part_skipped("no compiler for the shared object that fills the disk")
        return
    target = new_target()
    acknowledged, refused = set(), 0
    with Server(target, "--access-log", "none", env={"LD_PRELOAD": library, "WEFT_TEST_DISK_BYTES": "20000"}) as server:
        for i in range(200):
            answer = server.update(insert(i))
            if answer.status == 200:
                acknowledged.add(i)
            else:
                refused += 1
                checks.that(answer.status == 503, "a full disk is 503", answer)
                if refused == 3:
                    break
        checks.that(acknowledged and refused == 3, "the disk filled up", (len(acknowledged), refused))
        checks.equal(server.count(), 1 + len(acknowledged), "what was refused is not seen")
        checks.that(server.request("POST", "/admin/seal").status != 200, "nor is there room to seal")
        checks.equal(server.count(), 1 + len(acknowledged), "a seal that fails changes nothing")
        server.stop(signal.SIGKILL)
    with Server(target) as server:
        checks.equal(server.count(), 1 + len(acknowledged), "what was acknowledged is there after the restart")
        checks.equal(server.update(insert(1000)).status, 200, "and with room updates go on")


def pinned_reader(commits=1000 if NIGHTLY else 300):
    """An answer that is read slowly is of one state, whatever is written meanwhile."""
    target = new_target()
    with Server(target, "--access-log", "none") as server:
        lines = 30_000
        data = "".join(f"<http://ex/b{i}> <http://ex/p> \"{i} {'x' * 100}\" .\n" for i in range(lines))
        put = server.request("PUT", "/store?default", data, {"Content-Type": "application/n-triples"})
        checks.equal(put.status, 200, "the data is there", put)
        reader = server.connect()
        reader.request("GET", "/store?default", headers={"Accept": "application/n-triples"})
        answer = reader.getresponse()
        head = answer.read(1000)
        writer = server.connect()
        for i in range(commits):
            post(writer, "/update", f"DELETE DATA {{ <http://ex/b{i}> <http://ex/p> \"{i} {'x' * 100}\" }} ; {insert(i)}", "update")
            if i == commits // 2:
                checks.equal(server.request("POST", "/admin/compact").status, 200, "compact under a reader")
        body = head + answer.read()
        checks.that(body.decode() and sorted(body.decode().splitlines()) == sorted(data.splitlines()),
                    f"a reader beside {commits} commits sees one state", len(body))
        checks.equal(server.count(), lines, "and the next one sees another")


def under_load(seconds=60.0 if NIGHTLY else 3.0):
    """Seal and compact all the time: no request fails, none waits long, nothing is lost."""
    target = new_target()
    with Server(target, "--access-log", "none", "--sweep-after", "0") as server:
        end, slowest, failed, counts = time.monotonic() + seconds, [0.0], [], []

        def work(client):
            connection, count = server.connect(), 0
            try:
                while time.monotonic() < end:
                    slowest.append(post(connection, "/update", f"INSERT DATA {{ <http://ex/{client}-{count}> <http://ex/n> {client} }}", "update"))
                    count += 1
                    slowest.append(post(connection, "/query", f"SELECT (COUNT(*) AS ?n) {{ ?s <http://ex/n> {client} }}", "query"))
            except (AssertionError, OSError) as error:
                failed.append(str(error))
            counts.append(count)

        def maintain():
            while time.monotonic() < end:
                for path in ("/admin/seal", "/admin/seal", "/admin/compact"):
                    answer = server.request("POST", path)
                    if answer.status != 200:
                        failed.append(str(answer))
        threads = [threading.Thread(target=work, args=(client,)) for client in range(4)] + [threading.Thread(target=maintain)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seals = server.metric("weft_seals_total")
        print(f"{sum(counts)} updates and as many queries beside {seals} seals, the slowest {max(slowest) * 1000:.0f} ms")
        checks.equal(failed, [], "no request fails while sealing and compacting")
        checks.that(max(slowest) < 1.0, "none waits a second", max(slowest))
        checks.equal(server.count(), 1 + sum(counts), "no update is lost")
    checks.code(weft("verify", target), 0, "every segment verifies")


def other_process():
    """What another process does to the manifest is noticed."""
    target = new_target()
    with Server(target, "--access-log", "none", "--sweep-after", "0", "--compact-percent", "0") as server:
        server.update(insert(1))
        more = os.path.join(folder, "more.nt")
        with open(more, "w", encoding="ascii") as file:
            file.write("<http://ex/more> <http://ex/p> <http://ex/o> .\n")
        added = weft("manifest", "add", target, "--adds", more)
        checks.code(added, 0, "another process adds")
        deadline = time.monotonic() + 5
        while server.count() != 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        checks.equal(server.count(), 3, "the server goes on with it")
        checks.code(weft("manifest", "compact", target), 0, "another process compacts")
        checks.equal(server.update(insert(2)).status, 200, "and updates go on")
        checks.equal(server.count(), 4, "on top of all")
        sealed = weft("manifest", "seal", target)
        checks.that(sealed.code == 7 and "weft serve" in sealed.errors, "seal by hand is told who writes", sealed)
    with Server(target) as server:
        checks.equal(server.count(), 4, "after a restart, too")


def long_update():
    """An update that takes long holds up neither readers nor those who watch the server."""
    target = new_target()
    with Server(target, "--access-log", "none", "--max-queries", "2") as server:
        values = " ".join(map(str, range(300)))
        slow = (f"INSERT {{ <http://ex/slow> <http://ex/n> ?n }} WHERE {{ SELECT (COUNT(*) AS ?n) {{ VALUES ?a {{ {values} }} VALUES ?b {{ {values} }} "
                f"VALUES ?c {{ {values} }} FILTER(?a + ?b = ?c * 1000) }} }}")
        answers = []
        worker = threading.Thread(target=lambda: answers.append(server.request("POST", "/update", slow, {
            "Content-Type": "application/sparql-update", "Timeout": "2"})))
        worker.start()
        time.sleep(0.4)
        begin = time.monotonic()
        for path in ("/health", "/metrics", "/sparql"):
            checks.equal(server.request("GET", path).status, 200, f"{path} beside a long update")
        checks.equal(server.count(), 1, "a query beside a long update")
        took = time.monotonic() - begin
        checks.that(worker.is_alive() and took < 1, "they do not wait for it", f"{took:.2f} s")
        worker.join()
        checks.equal((answers[0].status, server.count()), (413, 1), "it ends by its time and changes nothing", answers[0])


def large_body(size=1 << 30 if NIGHTLY else 16 << 20):
    """A gigabyte of N-Triples (in nightly runs) is one commit, in bounded memory: the process is given 512 MiB."""
    target, path, lines = new_target(), os.path.join(folder, "large.nt"), 0
    with open(path, "w", encoding="ascii") as file:
        while file.tell() < size:
            file.write("".join(f"<http://ex/large/{i}> <http://ex/p{i % 50}> \"value number {i % 100_003} {'y' * 40}\" .\n"
                               for i in range(lines, lines + 10_000)))
            lines += 10_000
    with Server(target, "--access-log", "none", "--scratch", folder, "--memory", "256") as server, open(path, "rb") as body:
        begin = time.monotonic()
        generation = server.query("ASK {}").headers.get("weft-generation")
        answer = server.request("POST", "/store?graph=http%3A%2F%2Fex%2Flarge", body,
                                {"Content-Type": "application/n-triples", "Content-Length": str(os.path.getsize(path)), "Timeout": "600"},
                                timeout=900)
        took = time.monotonic() - begin
        checks.equal((answer.status, answer.json().get("inserted")), (201, lines), f"{size >> 20} MiB are posted", answer)
        checks.equal(int(server.query("ASK {}").headers.get("weft-generation")), int(generation) + 1, "as one commit")
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) >> 10
        print(f"{size >> 20} MiB posted: {took:.1f} s, peak {peak} MiB")
        checks.that(peak < 512, "within 512 MiB", peak)
    os.remove(path)


only = sys.argv[1:]
for part in (basics, graph_store, seal_and_restart, many_clients, latency, many_updates, replacing, group_commit, full_disk, pinned_reader, under_load,
             other_process, long_update, large_body):
    if not only or part.__name__ in only:
        part()
checks.finish()
