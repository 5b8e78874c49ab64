"""The recorded cases of the origin (OmniGraph 0.10.0): schemas, loads, mutations, queries, branches, history, exports.

Runs them by the runner that recorded them (WEFT_TESTDATA/omnigraph-golden/run.py). Two lists beside this file name the
cases that do not agree, one a line with its reason: known_differences.txt what we do otherwise by design, later_steps.txt
what belongs to steps to come. Each of these must still differ: a listed case that agrees fails the test, so both lists stay
true, and so does a listed case that is not recorded.

usage: cases_test.py [--show] [TOPIC[/CASE] ...]      how names begin; none: all cases
"""
import glob
import importlib.util
import json
import os
import re
import subprocess
import sys

WEFT = os.environ["WEFT"]
HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(os.environ.get("WEFT_TESTDATA", "../shared/testdata"), "omnigraph-golden")

# Our error texts -> names of the origin's classes. An answer that tells several errors is of each of their classes: the
# origin tells one.
CLASSES = [
    (r"already there; nothing was changed|a graph is there already", "already_initialized"),
    (r"reason\W+(?:value\W+)?precondition\b", "precondition_failed"),
    (r"(?:\n  |violation\",\"value\":\")(?:line \d+: )?([a-z]\w*): ", None),  # the code of a violation
    (r"\b\d+:\d+: (T\d+):", "type"),
    (r"\b\d+:\d+: type:", "type"),
    (r"\b\d+:\d+: (parse|schema|key_update|required|value|missing_param):", None),
    (r"code\W+(?:value\W+)?(mixed_mutation)\b", None),
    (r"is a mutation; run it as one", "type"),
    (r"reads; it is no mutation|has several queries; name one|text has no query", "wrong_query"),
    (r"parameter \w+ is [^:]+: it is missing", "missing_param"),
    (r"parameter \w+ is [^:]+: it cannot be null|parameter \w+ is .* does not fit|parameters are a JSON object", "value"),
    (r"parameters are no JSON", "input"),
    (r"a type that the graph does not have", "unknown_type"),
    (r"bad name of a branch|no branch may be called main|main cannot be deleted|is kept for the program|"
     r"a name that ends like the life of a branch", "branch_name"),
    (r"has a branch of that name", "branch_exists"),
    (r"no such branch|the branch was deleted|no such commit|query not found in text|neither the id of a commit nor a time",
     "not_found"),
    (r"\[limit\]|\"kind\":\"limit\"", "resource_limit"),
    (r"unknown result format", "usage"),
    (r"has no parent to differ from", "no_parent"),
]
# What is wrong with a value is told before anything runs; the origin finds some of these only while it runs.
FOUND_EARLIER = {
    "value": {"type:T3", "type:T7", "value"},
    "storage": {"type:T3", "type:T7", "value"},
    "unsupported_at_run_time": {"type", "type:T6", "type:T8", "type:T9"},
    "wrong_query": {"wrong_query", "parse"},
}


def load_runner():
    spec = importlib.util.spec_from_file_location("golden_run", os.path.join(GOLDEN, "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def classes_of(rc, err):
    """The classes of all errors that a text tells."""
    found = set()
    for pattern, named in CLASSES:
        for match in re.finditer(pattern, err):
            code = match.group(1) if match.groups() else None
            found.add(f"type:{code}" if named == "type" and code else named or code)
    if not found and rc == 2 and ("Usage" in err or "is required" in err or "not expected" in err or "--help" in err):
        found.add("usage")
    return found or {"other"}


def make_runner(module):
    class Ours(module.Runner):
        def failure(self, rc, out, err, saved, inputs, verb):
            self.last_text = err.strip()
            return {"ok": False, "exit": rc, "class": sorted(classes_of(rc, err)), "facts": []}
    return Ours(WEFT, {"classes": None})


def differences(module, runner, case):
    """Texts that say in which steps the program answers otherwise than recorded."""
    got = runner.run(case)
    want = module.expected(case)
    out = []
    for i, (w, g) in enumerate(zip(want, got)):
        if w is None:
            continue
        text = runner.texts[i]
        if w.get("ok") is False and g.get("ok") is False and "facts" in w:
            missing = [f for f in w["facts"] if f not in text]
            wanted = {w["class"]} | FOUND_EARLIER.get(w["class"], set())
            if not wanted & set(g["class"]) or missing:
                out.append(f"step {i}: class {g['class']}, not {w['class']}; missing {missing}: {text}")
            continue
        w = module.any_actor(w, g)
        if json.dumps(w, sort_keys=True) != json.dumps(g, sort_keys=True):
            out.append(f"step {i}: want {json.dumps(w)[:600]}\n        got {json.dumps(g)[:600]}\n        {text}")
    if len(want) != len(got):
        out.append(f"{len(got)} steps, not {len(want)}: {runner.texts}")
    return out


def read_list(name):
    listed = {}
    with open(os.path.join(HERE, name), encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                case, reason = line.rstrip("\n").split(": ", 1)
                if case in listed:
                    sys.exit(f"FAILED: {name} lists {case} twice")
                listed[case] = reason
    return listed


def main():
    if not os.path.isdir(GOLDEN):
        print(f"SKIPPED: no recorded cases at {GOLDEN}")
        return 77
    module = load_runner()
    lists = {name: read_list(name) for name in ("known_differences.txt", "later_steps.txt")}
    listed = {}
    for name, cases in lists.items():
        for case, reason in cases.items():
            if case in listed:
                sys.exit(f"FAILED: {case} stands in both lists")
            listed[case] = f"{name} says: {reason}"
    show = "--show" in sys.argv[1:]
    wanted = [w for w in sys.argv[1:] if not w.startswith("--")]
    recorded, failed = set(), []
    ran = agreeing = 0
    runner = make_runner(module)
    try:
        for path in sorted(glob.glob(os.path.join(GOLDEN, "cases", "*.jsonl"))):
            topic = os.path.basename(path)[:-6]
            for line in open(path, encoding="utf-8"):
                case = json.loads(line)
                name = topic + "/" + case["name"]
                recorded.add(name)
                if wanted and not any(w in (name[:2], topic) or name.startswith(w) for w in wanted):
                    continue
                ran += 1
                try:
                    found = differences(module, runner, case)
                except (module.Fail, KeyError, ValueError, IndexError, TypeError, subprocess.TimeoutExpired) as error:
                    # The runner gives up where an answer has another form.
                    found = [f"{type(error).__name__}: {error}"]
                agreeing += not found
                if bool(found) == (name in listed):
                    if found and show:
                        print(f"{name}: {listed[name]}\n    " + "\n    ".join(found))
                    continue
                failed.append(name)
                print(f"FAILED {name}" + ("" if found else f": it agrees, but {listed[name]}"))
                for text in found:
                    print("    " + text)
    finally:
        runner.close()
    for name in sorted(set(listed) - recorded):
        failed.append(name)
        print(f"FAILED {name}: no such case is recorded, but {listed[name]}")
    print(f"{ran} of {len(recorded)} cases ran, {agreeing} agree, {ran - agreeing} differ, {len(failed)} failed")
    return 1 if failed or not ran else 0


sys.exit(main())
