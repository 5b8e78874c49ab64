"""Every query and mutation of both cookbooks: the origin's answers and outcomes, and the graph after all of them.

Runs and compares by the programs that recorded them (WEFT_TESTDATA/omnigraph-golden/cookbooks). Only search functions
may be refused, by name.
"""
import os
import re
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]
DATA = os.environ.get("WEFT_TESTDATA", "../shared/testdata")
GOLDEN = os.path.join(DATA, "omnigraph-golden", "cookbooks")
# Answers that are the same, queries of search that are refused.
EXPECTED = {"second-brain": (128, 0), "industry-intel": (66, 5)}


def main():
    if not os.path.isdir(GOLDEN):
        print(f"SKIPPED: no recorded cookbooks at {GOLDEN}")
        sys.exit(77)
    for name, expected in EXPECTED.items():
        with tempfile.TemporaryDirectory() as folder:
            graph, out = os.path.join(folder, "graph.weft"), os.path.join(folder, "out.jsonl")
            ran = subprocess.run([sys.executable, os.path.join(GOLDEN, "run.py"), WEFT, os.path.join(DATA, "cookbooks", name),
                                  graph, out, "--mutations"], capture_output=True, text=True, timeout=600)
            if ran.returncode != 0:
                sys.exit(f"FAILED: {name}: {ran.stdout}{ran.stderr}")
            told = subprocess.run([sys.executable, os.path.join(GOLDEN, "compare.py"), os.path.join(GOLDEN, f"{name}.jsonl"), out,
                                   os.path.join(GOLDEN, f"{name}.export.jsonl"), out + ".export"],
                                  capture_output=True, text=True, timeout=60)
            print(f"{name}: {told.stdout.strip()}")
            found = re.search(r"(\d+) same, 0 differ, (\d+) refused by name", told.stdout)
            if told.returncode != 0 or not found or tuple(map(int, found.groups())) != expected:
                sys.exit(f"FAILED: {name}: expected {expected[0]} same and {expected[1]} refused")


main()
