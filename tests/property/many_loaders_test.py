"""Several processes load into one graph at once and are killed (SIGKILL) at random moments: every row whose load was
acknowledged is there once, nothing else is there in part, and nobody has to repair anything.

usage: many_loaders_test.py [PROCESSES LOADS]       default 4 and 12; 8 and 200 with WEFT_NIGHTLY=1
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
SCHEMA = "node Row { k: String @key n: I32 }\nedge Next: Row -> Row\n"
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
failures = []


def fail(text):
    failures.append(text)
    print("FAILED:", text)


def new_operation(r):
    number = (int(time.time() * 1000) << 80) | r.getrandbits(80)
    return "".join(ALPHABET[(number >> (5 * i)) & 31] for i in reversed(range(26)))


class Loader(threading.Thread):
    """Loads one row and an edge to itself at a time; a load that was killed is tried again as the same operation."""

    def __init__(self, graph, number, loads):
        super().__init__()
        self.graph, self.number, self.loads = graph, number, loads
        self.r = random.Random(number)
        self.kills = 0
        self.commits = []

    def run(self):
        for i in range(self.loads):
            key = f"p{self.number}-{i}"
            data = (json.dumps({"type": "Row", "data": {"k": key, "n": i}}) + "\n"
                    + json.dumps({"edge": "Next", "from": key, "to": key, "data": {"id": "e-" + key}}) + "\n").encode()
            operation = new_operation(self.r)
            while True:
                process = subprocess.Popen([WEFT, "load", "--data", "-", "--mode", "append", "--operation", operation,
                                            "--as", f"p{self.number}", "--json", self.graph],
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                deadline = time.monotonic() + (self.r.random() * 0.3 if self.r.random() < 0.4 else 3600)
                try:
                    out, err = process.communicate(data, timeout=max(0.001, deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    self.kills += 1
                    continue
                if process.returncode == 0:
                    self.commits.append(json.loads(out)["commit"]["graph_commit_id"])
                    break
                if process.returncode not in (7, 9):  # contention; an outcome that is not known
                    fail(f"{key}: {process.returncode} {err}")
                    break


def main():
    nightly = os.environ.get("WEFT_NIGHTLY") == "1"
    processes, loads = (int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else (8, 200) if nightly else (4, 12)
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "g.weft")
        subprocess.run([WEFT, "init", "--schema", "-", graph], input=SCHEMA.encode(), check=True, stdout=subprocess.DEVNULL)
        begin = time.monotonic()
        loaders = [Loader(graph, number, loads) for number in range(processes)]
        for loader in loaders:
            loader.start()
        for loader in loaders:
            loader.join()
        seconds = time.monotonic() - begin
        exported = subprocess.run([WEFT, "export", graph], capture_output=True)
        if exported.returncode != 0:
            fail(f"export: {exported.stderr}")
        rows = [json.loads(line) for line in exported.stdout.splitlines()]
        keys = sorted(row["data"]["k"] for row in rows if "type" in row)
        wanted = sorted(f"p{number}-{i}" for number in range(processes) for i in range(loads))
        if keys != wanted:
            fail(f"{len(keys)} rows, not {len(wanted)}: {sorted(set(wanted) ^ set(keys))[:10]}")
        if sorted(row["data"]["id"] for row in rows if "edge" in row) != ["e-" + key for key in wanted]:
            fail("edges are not those of the rows")
        listed = json.loads(subprocess.run([WEFT, "commit", "list", "--json", graph], capture_output=True,
                                           check=True).stdout)["commits"]
        commits = [c["graph_commit_id"] for c in listed]
        acknowledged = [commit for loader in loaders for commit in loader.commits]
        if len(commits) != len(set(commits)) or not set(acknowledged) <= set(commits) or len(commits) != len(wanted) + 1:
            fail(f"{len(commits)} commits, {len(acknowledged)} acknowledged of {len(wanted)}")
        shown = json.loads(subprocess.run([WEFT, "snapshot", "--json", "--locations", graph], capture_output=True,
                                          check=True).stdout)
        for table in shown["datasets"]:
            names = os.listdir(os.path.join(table["uri"], "_versions"))
            # Not detached versions, nor the temporary names of writers that were killed.
            heads = [name for name in names if re.fullmatch(r"[0-9]+\.manifest", name)]
            if len(heads) > table["version"]:
                fail(f"{table['type_name']}: {len(heads)} heads, version {table['version']}")
        kills = sum(loader.kills for loader in loaders)
        print(f"{processes} processes, {len(wanted)} loads, {kills} killed, {len(wanted) / seconds:.1f} loads a second")
    return 1 if failures else 0


sys.exit(main())
