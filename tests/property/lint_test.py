"""weft lint: what it prints and how it ends; the recorded cases of the origin, where they are there."""
import glob
import json
import os
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]
SCHEMA = "node Person {\n  name: String @key\n  age: I32?\n  tags: [String]?\n  v: Vector(3)?\n}\nedge Knows: Person -> Person\n"
# Suspect cases of the origin's lint that pass there and must not.
STRICTER = {"lint-undeclared-param", "lint-mixed-mutation"}

failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED:", text)


def lint(folder, schema, queries=None, *flags, stdin=None):
    argv = [WEFT, "lint", "--schema", "-" if stdin is not None else os.path.join(folder, "s.pg"), *flags]
    if stdin is None:
        with open(argv[3], "w", encoding="utf-8") as file:
            file.write(schema)
    for i, text in enumerate(queries or []):
        path = os.path.join(folder, f"q{i}.gq")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        argv += ["--query", path]
    return subprocess.run(argv, capture_output=True, text=True, input=stdin, timeout=60)


def by_hand(folder):
    ran = lint(folder, SCHEMA)
    expect((ran.returncode, ran.stdout, ran.stderr) == (0, "no errors\n", ""), "a good schema")
    ran = lint(folder, "", None, "--json", stdin=SCHEMA)
    answer = json.loads(ran.stdout)
    expect(ran.returncode == 0 and answer["status"] == "ok" and len(answer["schema"]["hash"]) == 64
           and answer["schema"]["nodes"] == 1, "a schema from standard input")
    ran = lint(folder, "node A { k: Strin }\nnode B { k: String? @key }")
    lines = ran.stdout.splitlines()
    expect(ran.returncode == 2 and len(lines) == 2 and "s.pg:1:13: parse:" in lines[0]
           and "s.pg:2:22: schema:" in lines[1] and "errors=2" in ran.stderr, f"two errors: {ran.stdout}")
    ran = lint(folder, SCHEMA, ["query a() { match { $p: Persn } return { $p.x } }",
                                "query b($n: String) { update Person set { age: 1 } where name = $n }"])
    lines = ran.stdout.splitlines()
    expect(ran.returncode == 2 and "q0.gq:1:25: T1: there is no node type Persn (query a)" in lines[0]
           and any("q1.gq: warning L201" in line for line in lines), f"two files: {ran.stdout}")
    answer = json.loads(lint(folder, SCHEMA, ["query a() { match { $p: Person } return { $p.v, $p.tags, $p } }"],
                             "--json").stdout)
    expect(answer["results"][0]["operation"]["result"] == [
        {"name": "v", "kind": "vector", "vector_dim": 3, "nullable": True},
        {"name": "tags", "kind": "list", "item_kind": "string", "nullable": True},
        {"name": "p", "kind": "object", "nullable": False}], f"the descriptor: {answer}")
    ran = subprocess.run([WEFT, "lint", "--schema", os.path.join(folder, "none.pg")], capture_output=True, text=True)
    expect(ran.returncode == 4 and ran.stdout == "", "a schema that is not there")
    ran = lint(folder, " " * (4 << 20))
    expect(ran.returncode == 0, "a schema as long as may be")
    ran = lint(folder, " " * ((4 << 20) + 1))
    expect(ran.returncode == 6, f"a schema that is too long: {ran.returncode}")


def recorded(folder, cases):
    fixtures = json.load(open(os.path.join(cases, "fixtures.json"), encoding="utf-8"))
    count = 0
    for line in open(glob.glob(os.path.join(cases, "27-lint.jsonl"))[0], encoding="utf-8"):
        case = json.loads(line)
        for step in case["steps"]:
            schema = step.get("schema") or fixtures[case["graph"]]["schema"]
            ran = lint(folder, schema, [step["lint"]], "--json")
            answer = json.loads(ran.stdout)
            count += 1
            if case["name"] in STRICTER:
                expect(ran.returncode == 2 and answer["status"] == "error", case["name"])
                continue
            want = step["expect"]
            shown = [{k: q[k] for k in ("name", "kind", "status", "operation") if k in q} for q in answer["results"]]
            findings = sorted(json.dumps({k: f[k] for k in ("severity", "code", "type_name", "property", "query_names")
                                          if f.get(k)}, sort_keys=True) for f in answer["findings"])
            expect((ran.returncode == 0) == want["ok"] and answer["status"] == want["status"], case["name"])
            expect(shown == want["queries"], f"{case['name']}: {shown} is not {want['queries']}")
            expect(findings == want["findings"], f"{case['name']}: {findings} is not {want['findings']}")
    expect(count >= 13, "all cases")


def main():
    with tempfile.TemporaryDirectory() as folder:
        by_hand(folder)
        cases = os.path.join(os.environ["WEFT_TESTDATA"], "omnigraph-golden", "cases")
        if os.path.isdir(cases):
            recorded(folder, cases)
        else:
            print("WEFT_TESTDATA/omnigraph-golden is absent: the recorded cases are not read")
    return 1 if failures else 0


sys.exit(main())
