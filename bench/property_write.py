#!/usr/bin/env python3
"""Writing property graphs beside peers, in one run: a load of N nodes and M edges (kuzu's COPY from CSV), 32 rows
upserted into N rows (LanceDB's merge_insert), commits of one row beside an fsync. Answers are checked on both sides.

usage: bench/property_write.py [NODES EDGES]        default 1,000,000 3,000,000
needs: build/release/weft, build/release/bench/property_write_speed (WEFT_BUILD_BENCHMARKS=ON), tools/peers.sh graph and
       lance; a peer that is absent is said so and left out
"""
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import peers

KUZU = os.path.join(peers.PEERS, "graph", "bin", "python")
LANCEDB = os.path.join(peers.PEERS, "lance", "bin", "python")
SPEED = os.environ.get("WEFT_PROPERTY_WRITE_SPEED") or os.path.join(peers.ROOT, "build", "release", "bench",
                                                                     "property_write_speed")
SCHEMA = """node Person { name: String @key age: I32? city: String? score: F64? }
edge Knows: Person -> Person { since: I32? }
"""
KUZU_LOAD = """
import sys, time, json, resource, kuzu
folder = sys.argv[1]
begin = time.perf_counter()
connection = kuzu.Connection(kuzu.Database(folder + "/kuzu", max_db_size=1 << 34), num_threads=2)
connection.execute("CREATE NODE TABLE Person(name STRING, age INT32, city STRING, score DOUBLE, PRIMARY KEY(name))")
connection.execute("CREATE REL TABLE Knows(FROM Person TO Person, since INT32)")
connection.execute(f'COPY Person FROM "{folder}/nodes.csv"')
connection.execute(f'COPY Knows FROM "{folder}/edges.csv"')
seconds = time.perf_counter() - begin
count = lambda text: connection.execute(text).get_next()[0]
print(json.dumps({"s": seconds, "nodes": count("MATCH (a:Person) RETURN count(*)"), "edges": count("MATCH ()-[k:Knows]->() RETURN count(*)"),
                  "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""
LANCEDB_UPSERT = """
import sys, time, json, random, statistics, lancedb, pyarrow as pa
folder, nodes = sys.argv[1], int(sys.argv[2])
schema = pa.schema([("name", pa.string()), ("age", pa.int32()), ("city", pa.string()), ("score", pa.float64())])
names = ["person-%07d" % i for i in range(nodes)]
table = lancedb.connect(folder + "/lancedb").create_table("Person", pa.table(
    {"name": names, "age": pa.array([i % 90 for i in range(nodes)], pa.int32()), "city": ["city-%d" % (i % 500) for i in range(nodes)],
     "score": [i / 7 for i in range(nodes)]}, schema=schema))
table.create_scalar_index("name")
r = random.Random(3)
def few(rows, prefix=None):
    keys = [prefix] if prefix else ["person-%07d" % i for i in r.sample(range(nodes), rows)]
    return pa.table({"name": keys, "age": pa.array([1] * len(keys), pa.int32()), "city": [None] * len(keys), "score": [None] * len(keys)}, schema=schema)
def merge(rows):
    begin = time.perf_counter()
    table.merge_insert("name").when_matched_update_all().when_not_matched_insert_all().execute(rows)
    return (time.perf_counter() - begin) * 1000
merge(few(32))
upserts = [merge(few(32)) for _ in range(15)]
def add(rows):
    begin = time.perf_counter()
    table.add(rows)
    return (time.perf_counter() - begin) * 1000
adds = [add(few(1, "fresh-%d" % i)) for i in range(30)]
assert table.count_rows() == nodes + 30, table.count_rows()
print(json.dumps({"upsert32_ms": statistics.median(upserts), "add_ms": statistics.median(adds)}))
"""


def write_inputs(folder, nodes, edges):
    r = random.Random(1)
    with open(folder + "/s.pg", "w", encoding="utf-8") as file:
        file.write(SCHEMA)
    with open(folder + "/d.jsonl", "w", encoding="utf-8") as lines:
        with open(folder + "/nodes.csv", "w", encoding="utf-8") as csv:
            for i in range(nodes):
                age, city, score = r.randrange(90), r.randrange(500), r.random() * 100
                lines.write('{"type":"Person","data":{"name":"person-%07d","age":%d,"city":"city-%d","score":%.3f}}\n'
                            % (i, age, city, score))
                csv.write("person-%07d,%d,city-%d,%.3f\n" % (i, age, city, score))
        with open(folder + "/edges.csv", "w", encoding="utf-8") as csv:
            for _ in range(edges):
                a, b, since = r.randrange(nodes), r.randrange(nodes), 1900 + r.randrange(130)
                lines.write('{"edge":"Knows","from":"person-%07d","to":"person-%07d","data":{"since":%d}}\n' % (a, b, since))
                csv.write("person-%07d,person-%07d,%d\n" % (a, b, since))


def peer(python, program, *arguments):
    if not os.path.exists(python):
        print(f"property_write: {python} is absent (tools/peers.sh); no comparison", file=sys.stderr)
        return None
    done = subprocess.run([python, "-c", program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"property_write: the peer failed: {done.stderr[-400:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def load(folder, nodes, edges):
    graph = folder + "/g.weft"
    subprocess.run([peers.WEFT, "init", "--schema", folder + "/s.pg", graph], check=True, stdout=subprocess.DEVNULL)
    begin = time.perf_counter()
    process = subprocess.Popen([peers.WEFT, "load", "--data", folder + "/d.jsonl", "--mode", "append", "--json", graph],
                               stdout=subprocess.PIPE)
    out = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    if status != 0 or json.loads(out)["total_entities"] != nodes + edges:
        sys.exit("the load failed")
    print(f"load {nodes} nodes, {edges} edges: weft {seconds:.1f} s ({used.ru_utime + used.ru_stime:.1f} s of processors, "
          f"{used.ru_maxrss / 1024:.0f} MiB)", flush=True)
    kuzu = peer(KUZU, KUZU_LOAD, folder)
    if kuzu:
        assert (kuzu["nodes"], kuzu["edges"]) == (nodes, edges), kuzu
        print(f"  kuzu COPY {kuzu['s']:.1f} s, {kuzu['mib']:.0f} MiB; weft / kuzu {seconds / kuzu['s']:.2f}", flush=True)
    return graph


def main():
    nodes, edges = (int(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) > 2 else (1_000_000, 3_000_000)
    os.makedirs(peers.FOLDER, exist_ok=True)
    folder = tempfile.mkdtemp(dir=peers.FOLDER)
    try:
        write_inputs(folder, nodes, edges)
        graph = load(folder, nodes, edges)
        done = subprocess.run([SPEED, graph, "person-", str(nodes), "200"], capture_output=True, text=True, check=True)
        ours = json.loads(done.stdout)
        few = folder + "/f.jsonl"
        times = []
        for i in range(15):
            with open(few, "w", encoding="utf-8") as file:
                for row in range(32):
                    file.write('{"type":"Person","data":{"name":"person-%07d","age":1}}\n' % ((row * 7919 + i * 104729) % nodes))
            begin = time.perf_counter()
            subprocess.run([peers.WEFT, "load", "--data", few, "--mode", "merge", graph], check=True, stdout=subprocess.DEVNULL)
            times.append((time.perf_counter() - begin) * 1000)
        print(f"commit of one row: {ours['commit_ms']:.2f} ms; an fsync of 4 KiB there {ours['fsync_ms']:.2f} ms "
              f"(x{ours['commit_ms'] / max(ours['fsync_ms'], 0.001):.1f}); 8 writers {ours['writers8_per_s']:.0f}/s, one {ours['writers1_per_s']:.0f}/s")
        print(f"32 rows upserted into {nodes}: {ours['upsert32_ms']:.1f} ms; by a fresh process {statistics.median(times):.1f} ms",
              flush=True)
        lance = peer(LANCEDB, LANCEDB_UPSERT, folder, str(nodes))
        if lance:
            print(f"  lancedb merge_insert {lance['upsert32_ms']:.1f} ms: weft / lancedb {ours['upsert32_ms'] / lance['upsert32_ms']:.2f}; "
                  f"add of one row {lance['add_ms']:.1f} ms (no sync): {ours['commit_ms'] / lance['add_ms']:.2f}")
    finally:
        shutil.rmtree(folder)


main()
