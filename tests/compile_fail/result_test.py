#!/usr/bin/env python3
"""An ignored Result or Status does not compile, a used one does.

usage: result_test.py COMPILER      run from the root of the sources
"""
import re
import subprocess
import sys

HEAD = """
#include "weft/base/result.h"
weft::Result<int> number();
weft::Status status();
weft::Error error();
"""
# (name, body of a function, words of the refusal or None if it compiles)
CASES = [
    ("used result", "auto n = number(); return n.ok() ? *n : 0;", None),
    ("used status", "return status().ok() ? 1 : 0;", None),
    ("result dropped on purpose", "(void)number(); return 0;", None),
    ("ignored result", "number(); return 0;", "nodiscard"),
    ("ignored status", "status(); return 0;", "nodiscard"),
    ("ignored error", "error(); return 0;", "nodiscard"),
    ("result taken for its value", "int n = number(); return n;", "cannot convert|no viable conversion"),
]
FLAGS = ["-std=c++23", "-I.", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", "c++", "-"]


def main():
    compiler = sys.argv[1]
    failed = 0
    for name, body, refusal in CASES:
        source = f"{HEAD}\nint f();\nint f() {{ {body} }}\n"
        run = subprocess.run([compiler, *FLAGS], input=source, capture_output=True, text=True)
        good = run.returncode == 0 if refusal is None else run.returncode != 0 and re.search(refusal, run.stderr)
        if not good:
            failed += 1
            print(f"FAILED {name}: exit {run.returncode}\n{run.stderr}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
