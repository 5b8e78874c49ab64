"""Loading a property graph: one commit of many nodes and edges, then 32 rows upserted, then the export; checked.
usage: property_load.py WEFT [NODES EDGES [FOLDER]]      WEFT: the program, a release build; default 1,000,000 3,000,000

Prints seconds, processor seconds and the peak of memory of each command, and how many bytes the upsert read from files
of the graph (if strace is there)."""
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

SCHEMA = """node Person { name: String @key age: I32? city: String? score: F64? }
edge Knows: Person -> Person { since: I32? }
"""


def lines_of(nodes, edges):
    r = random.Random(1)
    for i in range(nodes):
        yield ('{"type":"Person","data":{"name":"person-%07d","age":%d,"city":"city-%d","score":%.3f}}\n'
               % (i, r.randrange(90), r.randrange(500), r.random() * 100))
    for _ in range(edges):
        yield ('{"edge":"Knows","from":"person-%07d","to":"person-%07d","data":{"since":%d}}\n'
               % (r.randrange(nodes), r.randrange(nodes), 1900 + r.randrange(130)))


def run(name, *argv, stdout=None):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    process = subprocess.Popen(argv, stdout=stdout or subprocess.PIPE)
    out = process.communicate()[0]
    seconds = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode != 0:
        sys.exit(f"{name} failed")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # The peak is that of the largest child so far.
    print(f"{name:<28} {seconds:8.2f} s  {cpu:8.2f} s of processors  peak {after.ru_maxrss / 1024:7.0f} MiB", flush=True)
    return out


def bytes_read(weft, graph, data, folder):
    trace = os.path.join(folder, "trace")
    ran = subprocess.run(["strace", "-f", "-y", "-e", "trace=pread64,read,preadv", "-o", trace, weft, "load", "--data", data,
                          "--mode", "merge", graph], capture_output=True)
    if ran.returncode != 0:
        sys.exit(f"upsert failed: {ran.stderr}")
    total = 0
    for line in open(trace, encoding="utf-8", errors="replace"):
        if graph in line:
            found = re.search(r"= (\d+)$", line.strip())
            total += int(found.group(1)) if found else 0
    print(f"{'32 rows upserted':<28} {total / 1024:8.1f} KiB read from the graph")


def main():
    weft = sys.argv[1]
    nodes, edges = (int(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 3 else (1_000_000, 3_000_000)
    folder = tempfile.mkdtemp(dir=sys.argv[4] if len(sys.argv) > 4 else None)
    try:
        schema, data, few = (os.path.join(folder, name) for name in ("s.pg", "d.jsonl", "f.jsonl"))
        graph = os.path.join(folder, "g.weft")
        open(schema, "w", encoding="utf-8").write(SCHEMA)
        with open(data, "w", encoding="utf-8") as file:
            file.writelines(lines_of(nodes, edges))
        with open(few, "w", encoding="utf-8") as file:
            for i in range(32):
                file.write('{"type":"Person","data":{"name":"person-%07d","age":1}}\n' % (i * (nodes // 16)))
        run("init", weft, "init", "--schema", schema, graph)
        done = json.loads(run(f"load {nodes} + {edges}", weft, "load", "--data", data, "--mode", "append", "--json", graph))
        assert done["total_entities"] == nodes + edges, done
        done = json.loads(run("32 rows upserted", weft, "load", "--data", few, "--mode", "merge", "--json", graph))
        assert done["total_entities"] == 32
        if shutil.which("strace"):
            bytes_read(weft, graph, few, folder)
        out = os.path.join(folder, "out.jsonl")
        with open(out, "wb") as file:
            run("export", weft, "export", graph, stdout=file)
        counts = {"edge": 0, "type": 0, "changed": 0}
        for line in open(out, encoding="utf-8"):
            counts["edge" if line.startswith('{"edge"') else "type"] += 1
            counts["changed"] += line.startswith('{"type"') and '"city":null' in line
        # 16 of the 32 keys were there: their rows are replaced whole.
        assert counts == {"edge": edges, "type": nodes + 16, "changed": 32}, counts
    finally:
        shutil.rmtree(folder)


main()
