"""The recorded cases of the origin that need no query: schemas, loads, exports, history.

Runs them by the runner that recorded them (WEFT_TESTDATA/omnigraph-golden/run.py). Steps that only ask (queries,
lint) are left out; cases that mutate, branch or optimize are left out whole and counted. What differs by design stands
in known_differences.txt with its reason: each of these must still differ.
"""
import copy
import glob
import importlib.util
import json
import os
import sys

WEFT = os.environ["WEFT"]
HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(os.environ.get("WEFT_TESTDATA", "../shared/testdata"), "omnigraph-golden")

# Our error texts -> names of the origin's classes. First match wins.
CLASSES = [
    (r"already there; nothing was changed|a graph is there already", "already_initialized"),
    (r"reason=precondition", "precondition_failed"),
    (r"\bno such branch\b", "not_found"),
    (r"violation(?:=|\",\"value\":\")(?:line \d+: )?(\w+):", None),  # the code of the first violation
    (r"error=\d+:\d+: parse:", "parse"),
    (r"error=\d+:\d+: schema:", "schema"),
    (r"a type that the graph does not have", "unknown_type"),
    (r"no such commit", "not_found"),
    (r"\[limit\]", "resource_limit"),
]
ASKING = {"query", "lint"}
LEFT_OUT = {"mutate", "branch_op", "optimize", "changes", "query", "lint"}


def load_runner():
    spec = importlib.util.spec_from_file_location("golden_run", os.path.join(GOLDEN, "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_questions(case):
    """The case without steps that change nothing and whose answer nobody uses; None: it is not for us."""
    case = copy.deepcopy(case)
    case["steps"] = [s for s in case["steps"] if not (set(s) & ASKING and "save" not in s)]
    for step in case["steps"]:
        if set(step) & LEFT_OUT or "branch" in step or "from" in step:
            return None
        if step.get("commit", [""])[0] == "changes":
            return None
    return case if case["steps"] or "schema" in case else None


def make_runner(module):
    class Ours(module.Runner):
        def failure(self, rc, out, err, saved, inputs, verb):
            import re
            self.last_text = err.strip()
            name = "other"
            for pattern, named in CLASSES:
                found = re.search(pattern, err)
                if found:
                    name = named or found.group(1)
                    break
            if rc == 2 and ("Usage" in err or "is required" in err or "--help" in err):
                name = "usage"
            return {"ok": False, "exit": rc, "class": name, "facts": []}
    return Ours(WEFT, {"classes": None})


def differences(module, runner, case):
    got = runner.run(case)
    want = module.expected(case)
    out = []
    for i, (w, g) in enumerate(zip(want, got)):
        if w is None:
            continue
        if w.get("ok") is False and g.get("ok") is False:
            text = runner.texts[i]
            missing = [f for f in w["facts"] if f not in text]
            if w["class"] != g["class"] or missing:
                out.append(f"step {i}: class {g['class']}, not {w['class']}; missing {missing}: {text}")
            continue
        w = module.any_actor(w, g)
        if json.dumps(w, sort_keys=True) != json.dumps(g, sort_keys=True):
            out.append(f"step {i}: want {json.dumps(w)[:600]}\n        got {json.dumps(g)[:600]}\n        {runner.texts[i]}")
    if len(want) != len(got):
        out.append(f"{len(got)} steps, not {len(want)}: {runner.texts}")
    return out


def main():
    if not os.path.isdir(GOLDEN):
        print(f"SKIPPED: no recorded cases at {GOLDEN}")
        return 77
    module = load_runner()
    known = {}
    for line in open(os.path.join(HERE, "known_differences.txt"), encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            name, reason = line.rstrip("\n").split(": ", 1)
            known[name] = reason
    wanted = sys.argv[1:]
    runner = make_runner(module)
    ran = left_out = differing = 0
    failed = []
    try:
        for path in sorted(glob.glob(os.path.join(GOLDEN, "cases", "*.jsonl"))):
            topic = os.path.basename(path)[:-6]
            for line in open(path, encoding="utf-8"):
                whole = json.loads(line)
                name = topic + "/" + whole["name"]
                if wanted and not any(w in name for w in wanted):
                    continue
                case = without_questions(whole)
                if case is None:
                    left_out += 1
                    continue
                ran += 1
                try:
                    found = differences(module, runner, case)
                except Exception as error:  # the runner gives up where an answer has another form
                    found = [f"{type(error).__name__}: {error}"]
                if found and name in known:
                    differing += 1
                elif found:
                    failed.append(name)
                    print(f"FAILED {name}")
                    for text in found:
                        print("    " + text)
                elif name in known:
                    failed.append(name)
                    print(f"FAILED {name}: it agrees, but known_differences.txt says: {known[name]}")
    finally:
        runner.close()
    print(f"{ran} cases ran, {differing} differ as known, {len(failed)} failed; {left_out} need queries, mutations or branches")
    return 1 if failed or (ran < 200 and not wanted) else 0


sys.exit(main())
