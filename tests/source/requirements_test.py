"""docs/requirements.md: every number once, in order, with a known state; every test that it names is in the tree."""
import glob
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
STATES = {"met", "met: no effect first", "not applicable", "later"}
COUNT = 134
SUITE_TEST = re.compile(r"\b([A-Z]\w*)\.([A-Z]\w+)\b")
PATH = re.compile(r"\b(?:tests|specs|fuzz)/[\w./-]+\.(?:py|cc|pml)\b")


def tests_of_the_tree():
    found = set()
    for folder in ("weft", "tests"):
        for path in glob.glob(os.path.join(ROOT, folder, "**", "*.cc"), recursive=True):
            text = open(path, encoding="utf-8").read()
            found.update(re.findall(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", text))
    return found


def main():
    rows = re.findall(r"^\| W-(\d{3}) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$",
                      open(os.path.join(ROOT, "docs", "requirements.md"), encoding="utf-8").read(), re.M)
    known, failures, named = tests_of_the_tree(), [], 0
    if [int(number) for number, *_ in rows] != list(range(1, COUNT + 1)):
        failures.append(f"not W-001 to W-{COUNT}, each once and in order: {len(rows)} rows")
    for number, title, state, text in rows:
        tests = SUITE_TEST.findall(text)
        paths = PATH.findall(text)
        named += len(tests) + len(paths)
        if state not in STATES:
            failures.append(f"W-{number}: no such state: {state}")
        if state.startswith("met") and not tests and not paths:
            failures.append(f"W-{number}: {state}, but no test is named")
        failures += [f"W-{number}: there is no test {suite}.{test}" for suite, test in tests if (suite, test) not in known]
        failures += [f"W-{number}: there is no {path}" for path in paths if not os.path.exists(os.path.join(ROOT, path))]
    for failure in failures:
        print("FAILED:", failure)
    states = {state: sum(row[2] == state for row in rows) for state in sorted(STATES)}
    print(f"{len(rows)} requirements, {named} tests named: {states}")
    return 1 if failures else 0


sys.exit(main())
