"""Bad input of init, load, mutate, query and branch: an error of the right kind that says where, and nothing published.
Lines of any length take bounded memory."""
import glob
import os
import shutil
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
    "repeated member in a list of objects": ('{"type":"Person","data":{"name":"x","age":{"a":1,"a":2}}}\n', 2, "line 1: input"),
    "neither node nor edge": ('{"data":{"name":"x"}}\n', 2, "line 1: input"),
    "both node and edge": ('{"type":"Person","edge":"Knows","from":"ada","to":"ada"}\n', 2, "line 1: input"),
    "no end": ('{"edge":"Knows","from":"ada"}\n', 2, "line 1: input"),
    "an end that is no text": ('{"edge":"Knows","from":1,"to":"ada"}\n', 2, "line 1: input"),
    "structural names": ('{"edge":"Knows","from":"ada","to":"ada","data":{"src":"ada"}}\n', 2, "line 1:"),
    "null data": ('{"type":"Person","data":null}\n', 2, "line 1: input"),
    "unknown member": ('{"type":"Person","data":{"name":"x"},"more":1}\n', 2, "line 1: input"),
    "null for a required value": ('{"type":"Person","data":{"name":null}}\n', 2, "line 1: required"),
    "a fraction for an integer": ('{"type":"Person","data":{"name":"x","age":1.0}}\n', 2, "line 1: value"),
    "a number too large for any type": ('{"type":"Person","data":{"name":"x","age":%s}}\n' % ("9" * 400), 2, "line 1: value"),
    "half of a surrogate pair": ('{"type":"Person","data":{"name":"\\ud800"}}\n', 2, "line 1:"),
    "an id that is no text": ('{"type":"Person","data":{"id":7,"name":"x"}}\n', 2, "line 1:"),
    "a byte order mark in the middle": ('{"type":"Person","data":{"name":"x"}}\n\ufeff{"type":"Person","data":{"name":"y"}}\n', 2, "line 2: input"),
    "a dangling end and an unknown property": ('{"edge":"Knows","from":"ada","to":"nobody"}\n{"type":"Person","data":{"hue":1}}\n', 2, "line 2: unknown_property"),
    "the last line without its end": ('{"type":"Person","data":{"name":"x"}}\n{"type":"Person"', 2, "line 2: input"),
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
    "two types of one name": ("node A { k: String @key }\nnode A { k: String @key }\n", "2:"),
    "a property twice": ("node A { k: String @key n: I32 n: I64 }\n", "1:"),
    "a key that is not there": ("node A { k: String @key(z) }\n", "1:"),
    "two keys": ("node A { k: String @key j: String @key }\n", "1:"),
    "a range of a text": ("node A { k: String @key @range(k, 1..2) }\n", "1:"),
    "a pattern of a number": ('node A { k: String @key n: I32 @check(n, "a") }\n', "1:"),
    "a cardinality upside down": ("node A { k: String @key }\nedge E: A -> A @card(3..1)\n", "2:"),
    "an interface that its node contradicts": ("interface I { n: I32 }\nnode A implements I { k: String @key n: I64 }\n", "2:"),
    "an interface that is not there": ("node A implements I { k: String @key }\n", "1:"),
    "a unique value that is not there": ("node A { k: String @key @unique(z) }\n", "1:"),
    "an empty enum": ("node A { k: String @key e: enum() }\n", "1:"),
    "no end": ("node A { k: String @key\n", ":"),
    "two errors": ("node A { k: Strin }\nnode B { k: String? @key }\n", "2:"),
}
MUTATIONS = {
    "no mutation": ("mutate", "query q() { match { $p: Person } return { $p.name } }", "{}", 2, "mutation"),
    "mixed kinds": ("mutate", 'query m() { insert Person { name: "x" } delete Person where name = "y" }', "{}", 2, "mixed_mutation"),
    "unknown type": ("mutate", 'query m() { insert Robot { name: "x" } }', "{}", 2, "1:20: T10"),
    "unknown property": ("mutate", 'query m() { insert Person { name: "x", hue: 1 } }', "{}", 2, "T11"),
    "a key that is updated": ("mutate", 'query m() { update Person set { name: "x" } where name = "ada" }', "{}", 2, "key_update"),
    "out of range": ("mutate", 'query m() { insert Person { name: "x", age: 151 } }', "{}", 2, "range"),
    "unique value there": ("mutate", 'query m() { insert Person { name: "x", mail: "a@x" } }', "{}", 2, "unique"),
    "dangling end": ("mutate", 'query m() { insert Knows { from: "ada", to: "nobody" } }', "{}", 2, "dangling_endpoint"),
    "missing parameter": ("mutate", "query m($n: String) { insert Person { name: $n } }", "{}", 2, "parameter n"),
    "a parameter of another type": ("mutate", "query m($n: String) { insert Person { name: $n } }", '{"n":1}', 2, "parameter n"),
    "parameters that are no JSON": ("mutate", "query m($n: String) { insert Person { name: $n } }", "{", 2, "parameters are no JSON"),
    "text that is none": ("query", "query q() { match { $p Person } }", "{}", 2, "parse"),
    "an empty text": ("query", "", "{}", 2, ""),
    "a search": ("query", 'query q() { match { $p: Person search($p.name, "a") } return { $p.name } }', "{}", 2, "unsupported"),
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


def huge_line(graph, begin):
    """A line of 2 GB: its tail is not kept, whatever its length; what follows it is still checked."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([WEFT, "load", "--data", "-", "--mode", "append", graph], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=errors)
        process.stdin.write(begin)
        piece = b"x" * (1 << 20)
        for _ in range(2048):
            process.stdin.write(piece)
        process.stdin.write(b'"}}\n' + LINES["unknown type"][0].encode())
        process.stdin.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        err = errors.read()
    # Two violations of two kinds: the exit code is that of bad input.
    expect(process.returncode == 2 and b"line 1: limit" in err and b"line 2: unknown_type" in err,
           f"a line of 2 GB: {process.returncode} {err[:300]}")
    expect(usage.ru_maxrss < 300 << 10, f"a line of 2 GB took {usage.ru_maxrss >> 10} MiB")
    print(f"a line of 2 GB: {usage.ru_maxrss >> 10} MiB of memory")


def damaged(graph, folder):
    """The newest version of the catalog is cut, empty or overwritten: named, and never an older graph in silence."""
    copy = os.path.join(folder, "damaged.weft")
    shutil.copytree(graph, copy)
    names = glob.glob(os.path.join(copy, "__manifest", "_versions", "*.manifest"))
    newest = max(names, key=os.path.getmtime)
    whole = open(newest, "rb").read()
    for what, content in (("cut", whole[:len(whole) // 2]), ("empty", b""), ("overwritten", bytes(len(whole)))):
        with open(newest, "wb") as file:
            file.write(content)
        for argv in (["export", copy], ["commit", "list", copy], ["load", "--data", "-", "--mode", "append", copy]):
            ran = weft(*argv, stdin=GOOD.encode())
            expect(ran.returncode == 8, f"{argv[0]}, the catalog {what}: {ran.returncode} {ran.stderr[:300]}")


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
               and ran.stderr.count(b"\n  line ") == 100 and b"line 100: range" in ran.stderr
               and b"line 101: range" not in ran.stderr, f"150 violations: {ran.stderr[:300]}")
        for name, (command, text, params, code, words) in MUTATIONS.items():
            ran = weft(command, "-e", text, "--params", params, "--store", graph)
            expect(ran.returncode == code and words.encode() in ran.stderr and ran.stdout == b"",
                   f"{command}, {name}: {ran.returncode} {ran.stderr[:400]}")
        for name in ("main", "", "a b", "a//b", "../a", "a\\b", "x.01ARZ3NDEKTSV4RRFFQ69G5FAV", "__x", "a.lock", "x" * 300):
            ran = weft("branch", "create", name, "--store", graph)
            expect(ran.returncode == (6 if len(name) > 200 else 2), f"branch {name}: {ran.returncode} {ran.stderr[:300]}")
        expect(weft("branch", "delete", "none", "--store", graph).returncode == 4, "a branch that is not there")
        expect(weft("commit", "show", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--store", graph).returncode == 4, "a commit that is not there")
        expect(weft("export", "--at", "2001-01-01", graph).returncode == 4, "before the graph was")
        expect(weft("export", "--type", "Robot", graph).returncode == 4, "a type that is not there")
        expect(weft("export", folder).returncode == 4, "a folder that is no graph")
        huge_line(graph, b"")
        huge_line(graph, b'{"type":"Person","data":{"name":"')
        damaged(graph, folder)
        expect(load(graph, GOOD, "--branch", "nowhere").returncode == 4, "an unknown branch")
        expect(load(os.path.join(folder, "none.weft"), GOOD).returncode == 4, "no graph")
        expect(load(graph, "", "--if-commit", "01ARZ3NDEKTSV4RRFFQ69G5FAV").returncode == 5, "another head")
        expect(load(graph, "", "--if-commit", "x").returncode == 2, "no id")
        # What an unset variable of a script leaves is no option that was not given.
        for option in ("--if-commit", "--idempotency-key", "--operation", "--as", "--from"):
            ran = load(graph, GOOD.replace("ada", "eve").replace("a@x", "e@x"), option, "")
            expect(ran.returncode == 2 and option.encode() in ran.stderr, f"load with an empty {option}: {ran}")
        insert = 'query m() { insert Person { name: "eve" } }'
        for argv in (["mutate", "-e", insert, "--if-commit", ""], ["mutate", "-e", insert, "--idempotency-key", ""],
                     ["query", "-e", "query q() { match { $p: Person } return { $p.name } }", "--at", ""], ["export", "--at", ""],
                     ["branch", "create", "eve", "--at", ""], ["snapshot", "--at", ""], ["commit", "list", "--at", ""],
                     ["cleanup", "--yes", "--as", ""]):
            ran = weft(*argv, "--store", graph)
            expect(ran.returncode == 2 and argv[-2].encode() in ran.stderr and ran.stdout == b"", f"{argv}: {ran}")
        expect(history(graph) == before, "something was published")
        # Nothing stays of what was refused but what sweeping takes.
        expect(load(graph, many.replace("-1", "1"), "--dry-run").returncode == 0, "a dry run")
        expect(history(graph) == before, "a dry run published")
        expect(load(graph, many.replace("-1", "1")).returncode == 0, "the next good load")
    return 1 if failures else 0


sys.exit(main())
