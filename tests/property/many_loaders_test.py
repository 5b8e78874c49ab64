"""Several processes write one branch of one graph at once.

killed     each inserts rows and edges, by loads and by mutations, and is killed (SIGKILL) at random moments: every row whose
           write was acknowledged is there once, nothing is there in part, and nobody has to repair anything
upserts    all replace the row of one key again and again: there is one row
streams    a load takes its time while others commit: append and merge land, overwrite is told that the graph has changed
throughput many writers together are at least as fast as one

usage: many_loaders_test.py [SCENARIO...]       all; smaller than with WEFT_NIGHTLY=1
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

WEFT = os.environ["WEFT"]
NIGHTLY = os.environ.get("WEFT_NIGHTLY") == "1"
PROCESSES = 8
INSERTS = 200 if NIGHTLY else 12     # of each process that is killed
UPSERTS = 100 if NIGHTLY else 5      # of each process
STREAM_SECONDS = 60 if NIGHTLY else 4
THROUGHPUT_INSERTS = 800 if NIGHTLY else 48  # in all
SCHEMA = "node Row { k: String @key n: I32 }\nedge Next: Row -> Row\n"
INSERT = "query add($k: String, $n: I32) { insert Row { k: $k, n: $n } insert Next { from: $k, to: $k } }"
UPSERT = "query put($k: String, $n: I32) { insert Row { k: $k, n: $n } }"
# What is tried again with the same id: contention, a store that does not answer, an outcome that is not known.
AGAIN = (7, 9)
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
failures = []


def fail(text):
    failures.append(text)
    print("FAILED:", text)


def new_operation(r):
    number = (int(time.time() * 1000) << 80) | r.getrandbits(80)
    return "".join(ALPHABET[(number >> (5 * i)) & 31] for i in reversed(range(26)))


def weft(*argv, **keywords):
    return subprocess.run([WEFT, *argv], capture_output=True, **keywords)


def new_graph(folder, name):
    graph = os.path.join(folder, name)
    subprocess.run([WEFT, "init", "--schema", "-", graph], input=SCHEMA.encode(), check=True, stdout=subprocess.DEVNULL)
    return graph


def exported(graph):
    ran = weft("export", graph)
    if ran.returncode != 0:
        fail(f"export: {ran.stderr}")
    return [json.loads(line) for line in ran.stdout.splitlines()]


def commits_of(graph):
    listed = json.loads(weft("commit", "list", "--json", graph).stdout)["commits"]
    return [commit["graph_commit_id"] for commit in listed]


class Writer(threading.Thread):
    """Writes one row and an edge to itself at a time; a write that was killed is tried again as the same operation."""

    def __init__(self, graph, number, count, kills=True):
        super().__init__()
        self.graph, self.number, self.count, self.may_kill = graph, number, count, kills
        self.r = random.Random(number)
        self.kills = self.again = 0
        self.commits = []

    def command(self, key, i):
        """Arguments and standard input: loads and mutations by turns."""
        if i % 2:
            return ["mutate", "-e", INSERT, "--params", json.dumps({"k": key, "n": i}), "--store", self.graph], b""
        lines = (json.dumps({"type": "Row", "data": {"k": key, "n": i}}) + "\n"
                 + json.dumps({"edge": "Next", "from": key, "to": key, "data": {"id": "e-" + key}}) + "\n").encode()
        return ["load", "--data", "-", "--mode", "append", self.graph], lines

    def run(self):
        for i in range(self.count):
            key = f"p{self.number}-{i}"
            argv, data = self.command(key, i)
            argv += ["--operation", new_operation(self.r), "--as", f"p{self.number}", "--json"]
            while True:
                process = subprocess.Popen([WEFT, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                patience = self.r.random() * 0.3 if self.may_kill and self.r.random() < 0.4 else 600
                try:
                    out, err = process.communicate(data, timeout=max(0.001, patience))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    self.kills += 1
                    continue
                if process.returncode == 0:
                    self.commits.append(json.loads(out)["commit"]["graph_commit_id"])
                    break
                if process.returncode not in AGAIN:
                    fail(f"{key}: {process.returncode} {err}")
                    break
                self.again += 1


def run_all(threads):
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - begin


def killed(folder):
    graph = new_graph(folder, "killed.weft")
    writers = [Writer(graph, number, INSERTS) for number in range(PROCESSES)]
    seconds = run_all(writers)
    rows = exported(graph)
    keys = sorted(row["data"]["k"] for row in rows if "type" in row)
    wanted = sorted(f"p{number}-{i}" for number in range(PROCESSES) for i in range(INSERTS))
    if keys != wanted:
        fail(f"{len(keys)} rows, not {len(wanted)}: {sorted(set(wanted) ^ set(keys))[:10]}")
    if sorted((row["from"], row["to"]) for row in rows if "edge" in row) != [(key, key) for key in wanted]:
        fail("edges are not those of the rows")
    commits = commits_of(graph)
    acknowledged = [commit for writer in writers for commit in writer.commits]
    if len(commits) != len(set(commits)) or not set(acknowledged) <= set(commits) or len(commits) != len(wanted) + 1:
        fail(f"{len(commits)} commits, {len(acknowledged)} acknowledged of {len(wanted)}")
    shown = json.loads(weft("snapshot", "--json", "--locations", graph).stdout)
    for table in shown["datasets"]:
        # Not detached versions, nor the temporary names of writers that were killed.
        heads = [name for name in os.listdir(os.path.join(table["uri"], "_versions")) if re.fullmatch(r"[0-9]+\.manifest", name)]
        if len(heads) > table["version"]:
            fail(f"{table['type_name']}: {len(heads)} heads, version {table['version']}")
    print(f"killed: {PROCESSES} processes, {len(wanted)} writes, {sum(w.kills for w in writers)} killed, "
          f"{sum(w.again for w in writers)} tried again, {len(wanted) / seconds:.1f} a second")


class Upserter(threading.Thread):
    def __init__(self, graph, number):
        super().__init__()
        self.graph, self.number, self.done = graph, number, 0

    def run(self):
        for i in range(UPSERTS):
            params = json.dumps({"k": "one", "n": self.number * 1000 + i})
            for _ in range(20):
                ran = weft("mutate", "-e", UPSERT, "--params", params, "--store", self.graph)
                if ran.returncode not in AGAIN:
                    break
            if ran.returncode != 0:
                fail(f"an upsert: {ran.returncode} {ran.stderr}")
            else:
                self.done += 1


def upserts(folder):
    graph = new_graph(folder, "upserts.weft")
    upserters = [Upserter(graph, number) for number in range(PROCESSES)]
    seconds = run_all(upserters)
    rows = exported(graph)
    last = {number * 1000 + UPSERTS - 1 for number in range(PROCESSES)}
    if len(rows) != 1 or rows[0]["data"]["n"] not in last:
        fail(f"one key, not one row of a last upsert: {rows[:3]}")
    done = sum(upserter.done for upserter in upserters)
    if len(commits_of(graph)) != done + 1:
        fail(f"{done} upserts, {len(commits_of(graph))} commits")
    print(f"upserts: {PROCESSES} processes, {done} upserts of one key, one row, {done / seconds:.1f} a second")


class Stream(threading.Thread):
    """One commit a second into the table that a load works on, until it is told to stop."""

    def __init__(self, graph, name, pause):
        super().__init__()
        self.graph, self.name, self.pause, self.commits = graph, name, pause, 0
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.is_set():
            params = json.dumps({"k": f"{self.name}-{self.commits}", "n": self.commits})
            ran = weft("mutate", "-e", UPSERT, "--params", params, "--store", self.graph)
            if ran.returncode == 0:
                self.commits += 1
            elif ran.returncode not in AGAIN:
                fail(f"a commit of the stream: {ran.returncode} {ran.stderr}")
            self.stopping.wait(self.pause)


def slow_load(graph, mode, prefix, seconds):
    """A load whose rows come over so many seconds. Its exit code, standard error, and how many rows it was given."""
    process = subprocess.Popen([WEFT, "load", "--data", "-", "--mode", mode, "--json", graph], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for _ in range(500):
            process.stdin.write(json.dumps({"type": "Row", "data": {"k": f"{prefix}{count}", "n": count}}).encode() + b"\n")
            count += 1
        process.stdin.flush()
        time.sleep(0.1)
    _, err = process.communicate()
    return process.returncode, err, count


def streams(folder):
    graph = new_graph(folder, "streams.weft")
    counts = {}
    for mode, prefix in (("append", "a"), ("merge", "a"), ("overwrite", "o")):
        stream = Stream(graph, mode, 1.0 if NIGHTLY else 0.3)
        stream.start()
        code, err, counts[mode] = slow_load(graph, mode, prefix, STREAM_SECONDS)
        stream.stopping.set()
        stream.join()
        told = mode == "overwrite" and code == 5 and b"read-set-changed" in err
        if stream.commits < 2 or not (told if mode == "overwrite" else code == 0):
            fail(f"{mode} against {stream.commits} commits: {code} {err[:300]}")
        counts[mode + " commits"] = stream.commits
    keys = [row["data"]["k"] for row in exported(graph)]
    loaded = sum(key.startswith("a") and "-" not in key for key in keys)
    if len(keys) != len(set(keys)) or loaded != max(counts["append"], counts["merge"]) or any(key.startswith("o0") for key in keys):
        fail(f"{len(keys)} rows, {loaded} of the loads: {counts}")
    if sum("-" in key for key in keys) != sum(counts[mode + " commits"] for mode in ("append", "merge", "overwrite")):
        fail(f"commits of the streams were lost: {counts}")
    print(f"streams: {counts}")


def throughput(folder):
    """Rows a second of one writer and of many, each row a process and a commit of its own."""
    rates = {}
    for count in (1, PROCESSES):
        graph = new_graph(folder, f"throughput{count}.weft")
        writers = [Writer(graph, number, THROUGHPUT_INSERTS // count, kills=False) for number in range(count)]
        rates[count] = THROUGHPUT_INSERTS / run_all(writers)
        if len(commits_of(graph)) != THROUGHPUT_INSERTS + 1:
            fail(f"{count} writers: {len(commits_of(graph))} commits")
    ratio = rates[PROCESSES] / rates[1]
    print(f"throughput: 1 writer {rates[1]:.1f} commits a second, {PROCESSES} writers {rates[PROCESSES]:.1f}: {ratio:.2f} times")
    if ratio < (1.0 if NIGHTLY else 0.8):  # few commits on a busy machine say less
        fail(f"{PROCESSES} writers are {ratio:.2f} times as fast as one")


def main():
    scenarios = {"killed": killed, "upserts": upserts, "streams": streams, "throughput": throughput}
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or scenarios:
            scenarios[name](folder)
    return 1 if failures else 0


sys.exit(main())
