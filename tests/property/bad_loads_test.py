"""Bad input of init and load: an error of the right kind that says where, and nothing published."""
import os
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]
SCHEMA = """node Person { name: String @key age: I32? @range(age, 0..150) born: Date? mail: String? @unique }
node Pair { a: I64 b: String @key(a, b) }
edge Knows: Person -> Person @card(0..2) { since: I32? }
"""
GOOD = '{"type":"Person","data":{"name":"ada","age":36,"mail":"a@x"}}\n'
LINES = {
    "no JSON": ("{oops}\n", 2, "line 1: input"),
    "cut": ('{"type":"Person","data":{"name":"x"\n', 2, "line 1: input"),
    "an array": ("[1]\n", 2, "line 1: input"),
    "not UTF-8": (b'{"type":"Person","data":{"name":"\xff"}}\n', 2, "line 1: input"),
    "unknown type": ('{"type":"Persn","data":{}}\n', 2, "line 1: unknown_type"),
    "unknown property": ('{"type":"Person","data":{"name":"x","hue":1}}\n', 2, "line 1: unknown_property"),
    "repeated member": ('{"type":"Person","data":{"name":"x","age":1,"age":2}}\n', 2, "line 1: input"),
    "repeated member outside": ('{"type":"Person","type":"Person","data":{"name":"x"}}\n', 2, "line 1: input"),
    "reserved name": ('{"type":"Person","data":{"name":"x","_rowid":1}}\n', 2, "line 1: reserved_name"),
    "tombstone": ('{"type":"Person","data":{"name":"x","_tombstone":true}}\n', 2, "line 1: reserved_name"),
    "noncanonical id": ('{"type":"Person","data":{"id":"y","name":"x"}}\n', 2, "line 1: noncanonical_id"),
    "noncanonical pair": ('{"type":"Pair","data":{"id":"[\\"1\\", \\"x\\"]","a":1,"b":"x"}}\n', 2, "line 1: noncanonical_id"),
    "wrong type": ('{"type":"Person","data":{"name":"x","age":"old"}}\n', 2, "line 1: value"),
    "out of range": ('{"type":"Person","data":{"name":"x","age":151}}\n', 2, "line 1: range"),
    "too large a number": ('{"type":"Person","data":{"name":"x","age":2147483648}}\n', 2, "line 1: value"),
    "bad date": ('{"type":"Person","data":{"name":"x","born":"2024-02-30"}}\n', 2, "line 1: value"),
    "missing key": ('{"type":"Person","data":{}}\n', 2, "line 1: required"),
    "dangling end": ('{"edge":"Knows","from":"ada","to":"nobody"}\n', 2, "line 1: dangling_endpoint"),
    "key twice": ('{"type":"Person","data":{"name":"x"}}\n' * 2, 2, "line 2: unique"),
    "unique value there": ('{"type":"Person","data":{"name":"x","mail":"a@x"}}\n', 2, "line 1: unique"),
    "too many edges": ('{"edge":"Knows","from":"ada","to":"ada"}\n' * 3, 2, "line 1: cardinality"),
    "key there": (GOOD.replace("a@x", "b@x"), 5, "line 1: key_conflict"),
    "too long an id": ('{"type":"Person","data":{"name":"%s"}}\n' % ("x" * 8193), 6, "line 1: limit"),
    "too long a line": ('{"type":"Person","data":{"name":"%s"}}\n' % ("x" * (33 << 20)), 6, "line 1: limit"),
    "too deep": ('{"type":"Person","data":{"name":%s1%s}}\n' % ("[" * 200, "]" * 200), 2, "line 1: input"),
    "cut gzip": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01", 8, "cannot decompress"),
}
SCHEMAS = {
    "no property type": ("node A { k: Strin @key }\n", "1:13: parse"),
    "an edge to nowhere": ("node A { k: String @key }\nedge E: A -> B\n", "2:1"),
    "an inverted range": ("node A { k: String @key n: I32 @range(n, 5..1) }\n", "1:"),
    "a pattern that is none": ('node A { k: String @key @check(k, "(") }\n', "1:"),
    "a key that may be null": ("node A { k: String? @key }\n", "1:"),
    "a reserved name": ("node A { id: String @key }\n", "1:"),
    "two errors": ("node A { k: Strin }\nnode B { k: String? @key }\n", "2:"),
}
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED:", text)


def weft(*argv, stdin=None):
    return subprocess.run([WEFT, *argv], capture_output=True, input=stdin, timeout=600)


def load(graph, data, *flags):
    data = data if isinstance(data, bytes) else data.encode()
    return weft("load", "--data", "-", "--mode", "append", *flags, graph, stdin=data)


def history(graph):
    return weft("commit", "list", "--json", graph).stdout


def huge_line(graph):
    """A line of 2 GB: its tail is not kept, whatever its length."""
    process = subprocess.Popen([WEFT, "load", "--data", "-", "--mode", "append", graph], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    piece = b"x" * (1 << 20)
    for _ in range(2048):
        process.stdin.write(piece)
    _, err = process.communicate()
    expect(process.returncode == 6 and b"line 1: limit" in err, f"a line of 2 GB: {process.returncode} {err[:300]}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        def schema_file(text):
            path = os.path.join(folder, "s.pg")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path

        for name, (text, place) in SCHEMAS.items():
            graph = os.path.join(folder, "bad.weft")
            ran = weft("init", "--schema", schema_file(text), graph)
            expect(ran.returncode == 2 and place.encode() in ran.stderr and not os.path.exists(graph),
                   f"schema with {name}: {ran.returncode} {ran.stderr}")
        graph = os.path.join(folder, "g.weft")
        path = schema_file(SCHEMA)
        expect(weft("init", "--schema", path, graph).returncode == 0, "init")
        ran = weft("init", "--schema", path, graph)
        expect(ran.returncode == 5, f"init again: {ran.returncode} {ran.stderr}")
        expect(load(graph, GOOD).returncode == 0, "a good load")
        before = history(graph)
        for name, (data, code, words) in LINES.items():
            ran = load(graph, data)
            expect(ran.returncode == code and words.encode() in ran.stderr and ran.stdout == b"",
                   f"{name}: {ran.returncode} {ran.stderr[:400]}")
        # All of them at once: in the order of their lines, the first hundred told, all counted.
        many = "".join('{"type":"Person","data":{"name":"p%d","age":-1}}\n' % i for i in range(150))
        ran = load(graph, many)
        expect(ran.returncode == 2 and b"load has 150 violations" in ran.stderr
               and ran.stderr.count(b"violation=line") == 100 and b"line 100: range" in ran.stderr
               and b"line 101: range" not in ran.stderr, f"150 violations: {ran.stderr[:300]}")
        huge_line(graph)
        expect(load(graph, GOOD, "--branch", "nowhere").returncode == 4, "an unknown branch")
        expect(load(os.path.join(folder, "none.weft"), GOOD).returncode == 4, "no graph")
        expect(load(graph, "", "--if-commit", "01ARZ3NDEKTSV4RRFFQ69G5FAV").returncode == 5, "another head")
        expect(load(graph, "", "--if-commit", "x").returncode == 2, "no id")
        expect(history(graph) == before, "something was published")
        # Nothing stays of what was refused but what sweeping takes.
        expect(load(graph, many.replace("-1", "1"), "--dry-run").returncode == 0, "a dry run")
        expect(history(graph) == before, "a dry run published")
        expect(load(graph, many.replace("-1", "1")).returncode == 0, "the next good load")
    return 1 if failures else 0


sys.exit(main())
