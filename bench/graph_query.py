#!/usr/bin/env python3
"""Queries of property graphs, warm, beside kuzu: 1, 2 and 3 hops from one node and over the whole graph, filtered
aggregates, the top 10, point look-ups. Every answer is compared.

usage: bench/graph_query.py [NODES] [EDGES] [ROUNDS]        default: 1000000 3000000 5
needs: build/release/weft, build/release/bench/graph_speed (WEFT_BUILD_BENCHMARKS=ON), tools/peers.sh graph
Exits with 1 if an answer differs.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import time

import peers

FOLDER = os.path.join(peers.FOLDER, "graph")
KUZU_PYTHON = os.path.join(peers.PEERS, "graph", "bin", "python")
SPEED = os.environ.get("WEFT_GRAPH_SPEED") or os.path.join(peers.ROOT, "build", "release", "bench", "graph_speed")
SCHEMA = """
node Person { name: String @key  age: I32  city: String  score: F64? }
edge Knows: Person -> Person { since: I32 }
"""
# name, .gq, Cypher
QUERIES = [
    ("point", 'match { $p: Person { name: "p777" } } return { $p.age, $p.city }',
     "MATCH (p:Person {name: 'p777'}) RETURN p.age, p.city"),
    ("one_hop_of_one", 'match { $a: Person { name: "p777" } $a $w:knows $b } return { count($b) as n }',
     "MATCH (a:Person {name: 'p777'})-[:Knows]->(b) RETURN count(b)"),
    ("two_hops_of_one", 'match { $a: Person { name: "p777" } $a $v:knows $b $b $w:knows $c } return { count($c) as n }',
     "MATCH (a:Person {name: 'p777'})-[:Knows]->(b)-[:Knows]->(c) RETURN count(c)"),
    ("three_hops_of_one",
     'match { $a: Person { name: "p777" } $a $u:knows $b $b $v:knows $c $c $w:knows $d } return { count($d) as n }',
     "MATCH (a:Person {name: 'p777'})-[:Knows]->(b)-[:Knows]->(c)-[:Knows]->(d) RETURN count(d)"),
    ("one_hop_of_all", "match { $a: Person $a $w:knows $b } return { count($b) as n }",
     "MATCH (a:Person)-[:Knows]->(b:Person) RETURN count(b)"),
    ("two_hops_of_all", "match { $a: Person $a $v:knows $b $b $w:knows $c } return { count($c) as n }",
     "MATCH (a:Person)-[:Knows]->(b:Person)-[:Knows]->(c:Person) RETURN count(c)"),
    ("three_hops_of_all",
     "match { $a: Person $a $u:knows $b $b $v:knows $c $c $w:knows $d } return { count($d) as n }",
     "MATCH (a:Person)-[:Knows]->(b:Person)-[:Knows]->(c:Person)-[:Knows]->(d:Person) RETURN count(d)"),
    ("filtered_hop", "match { $a: Person $a.age > 60 $a $w:knows $b $b.age < 30 } return { count($b) as n }",
     "MATCH (a:Person)-[:Knows]->(b:Person) WHERE a.age > 60 AND b.age < 30 RETURN count(b)"),
    ("filtered_aggregate", "match { $p: Person $p.age >= 40 } return { $p.city, count($p) as n, avg($p.age) as a } order { $p.city }",
     "MATCH (p:Person) WHERE p.age >= 40 RETURN p.city, count(p), avg(p.age) ORDER BY p.city"),
    ("text_filter", 'match { $p: Person $p.name contains "77" } return { count($p) as n }',
     "MATCH (p:Person) WHERE p.name CONTAINS '77' RETURN count(p)"),
    ("top_ten", "match { $p: Person } return { $p.name, $p.score } order { $p.score desc, $p.name } limit 10",
     "MATCH (p:Person) WHERE p.score IS NOT NULL RETURN p.name, p.score ORDER BY p.score DESC, p.name LIMIT 10"),
    ("grouped_hop", "match { $a: Person $a $w:knows $b } return { $b.city, count($b) as n } order { $b.city }",
     "MATCH (a:Person)-[:Knows]->(b:Person) RETURN b.city, count(b) ORDER BY b.city"),
]
KUZU = r"""
import json, sys, time, kuzu
folder, rounds = sys.argv[1], int(sys.argv[2])
queries = json.load(open(sys.argv[3]))
connection = kuzu.Connection(kuzu.Database(folder))
if len(sys.argv) > 4:
    begin = time.monotonic()
    connection.execute("CREATE NODE TABLE Person(name STRING PRIMARY KEY, age INT32, city STRING, score DOUBLE)")
    connection.execute("CREATE REL TABLE Knows(FROM Person TO Person, since INT32)")
    connection.execute(f"COPY Person FROM '{sys.argv[4]}'")
    connection.execute(f"COPY Knows FROM '{sys.argv[5]}'")
    print(json.dumps({"name": "load", "seconds": time.monotonic() - begin}))
for name, text in queries:
    times = []
    for _ in range(rounds):
        begin = time.monotonic()
        result = connection.execute(text)
        rows = []
        while result.has_next():
            rows.append(result.get_next())
        times.append((time.monotonic() - begin) * 1000)
    print(json.dumps({"name": name, "first_ms": times[0], "best_ms": min(times), "rows": len(rows), "row": rows[0] if rows else []}))
"""


def generate(nodes, edges):
    """Lines for weft, CSV for kuzu; made once."""
    name = os.path.join(FOLDER, f"{nodes}-{edges}")
    if os.path.exists(name + ".done"):
        return name
    draw = random.Random(1)
    cities = [f"city {i:02}" for i in range(50)]
    with open(name + ".jsonl", "w") as lines, open(name + ".people.csv", "w") as people, open(name + ".knows.csv", "w") as knows:
        for i in range(nodes):
            age, city, score = draw.randrange(18, 80), draw.choice(cities), draw.random()
            lines.write(f'{{"type":"Person","data":{{"name":"p{i}","age":{age},"city":"{city}","score":{score!r}}}}}\n')
            people.write(f"p{i},{age},{city},{score!r}\n")
        for _ in range(edges):
            a, b, since = draw.randrange(nodes), int(nodes * draw.random() ** 2), draw.randrange(1990, 2026)
            lines.write(f'{{"edge":"Knows","from":"p{a}","to":"p{b}","data":{{"since":{since}}}}}\n')
            knows.write(f"p{a},p{b},{since}\n")
    open(name + ".done", "w").close()
    return name


def close(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return abs(a - b) <= 1e-9 * max(1.0, abs(a))
    return a == b


def main(argv):
    nodes, edges, rounds = (int(argv[i]) if len(argv) > i else d for i, d in enumerate((1_000_000, 3_000_000, 5)))
    os.makedirs(FOLDER, exist_ok=True)
    name = generate(nodes, edges)
    graph, store, queries = name + ".weft", name + ".kuzu", name + ".gq"
    with open(name + ".pg", "w") as file:
        file.write(SCHEMA)
    with open(queries, "w") as file:
        file.writelines(f"query {q}() {{ {text} }}\n" for q, text, _ in QUERIES)
    if not os.path.exists(graph):
        begin = time.monotonic()
        subprocess.run([peers.WEFT, "init", "--schema", name + ".pg", graph], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([peers.WEFT, "load", "--data", name + ".jsonl", "--mode", "overwrite", graph], check=True,
                       stdout=subprocess.DEVNULL)
        print(f"weft load: {time.monotonic() - begin:.1f} s")
    ours = subprocess.run([SPEED, graph, queries, str(rounds)], check=True, capture_output=True, text=True).stdout
    ours = {r["name"]: r for r in map(json.loads, ours.splitlines())}
    theirs = {}
    if os.path.exists(KUZU_PYTHON):
        with open(name + ".cypher.json", "w") as file:
            json.dump([[q, text] for q, _, text in QUERIES], file)
        data = [] if os.path.exists(store) else [name + ".people.csv", name + ".knows.csv"]
        out = subprocess.run([KUZU_PYTHON, "-c", KUZU, store, str(rounds), name + ".cypher.json", *data], check=True,
                             capture_output=True, text=True).stdout
        theirs = {r["name"]: r for r in map(json.loads, out.splitlines())}
        if "load" in theirs:
            print(f"kuzu load: {theirs['load']['seconds']:.1f} s")
    else:
        print("graph_query: kuzu is absent (tools/peers.sh graph); no comparison", file=sys.stderr)
    bad = 0
    print(f"{'query':20} {'first ms':>10} {'warm ms':>10} {'kuzu ms':>10} {'ratio':>7}")
    for query, _, _ in QUERIES:
        a, b = ours[query], theirs.get(query)
        line = f"{query:20} {a['first_ms']:10.2f} {a['best_ms']:10.2f}"
        if b:
            line += f" {b['best_ms']:10.2f} {a['best_ms'] / b['best_ms']:7.2f}"
            if a["rows"] != b["rows"] or not all(map(close, a["row"], b["row"])):
                bad += 1
                line += f"  DIFFERS: {a['row']} {b['row']}"
        print(line)
    print(f"memory: {ours['memory']['budget_bytes'] >> 20} MiB kept, {ours['memory']['peak_bytes'] >> 20} MiB peak")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
