#!/usr/bin/env python3
"""tools/tidy.py finds each planted fault, and nothing in the clean tree."""
import os
import subprocess
import sys
import tempfile

TIDY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "tidy.py")
CLEAN = {
    "weft/layers.cmake": "layer(base)\nlayer(codec DEPS base)\nlayer(storage DEPS codec LIBS z)\n",
    "weft/base/files.cmake": "set(SOURCES a.cc)\nset(HEADERS a.h)\nset(TESTS)\n",
    "weft/base/a.h": "// A.\n#pragma once\n",
    "weft/base/a.cc": '#include "weft/base/a.h"\n',
    "weft/codec/files.cmake": "set(SOURCES)\nset(HEADERS b.h)\nset(TESTS)\n",
    "weft/codec/b.h": '// B.\n#pragma once\n#include "weft/base/a.h"\n',
    "weft/storage/files.cmake": "set(SOURCES)\nset(HEADERS)\nset(TESTS)\n",
}
# (name, changed files, words of the finding)
FAULTS = [
    ("a layer includes one above it", {"weft/base/a.cc": '#include "weft/codec/b.h"\n'}, "must not include layer codec"),
    ("a file is not listed", {"weft/base/new.cc": "\n"}, "not listed"),
    ("a listed file is missing", {"weft/codec/files.cmake": "set(HEADERS b.h c.h)\n"}, "does not exist"),
    ("a name says nothing", {"weft/base/files.cmake": "set(SOURCES a.cc string_utils.cc)\nset(HEADERS a.h)\n",
                             "weft/base/string_utils.cc": "\n"}, "name says nothing"),
    ("a folder's name says nothing", {"tests/common/x.py": "\n"}, "name says nothing"),
    ("a file is too long", {"weft/base/a.cc": "\n" * 501}, "split it"),
    ("a header has no opening comment", {"weft/base/a.h": "#pragma once\n"}, "begins with a comment"),
    ("a header has no guard", {"weft/base/a.h": "// A.\n"}, "no #pragma once"),
    ("a folder is no layer", {"weft/extra/files.cmake": ""}, "disagree"),
    ("a layer is named before it is defined", {"weft/layers.cmake": "layer(base DEPS codec)\nlayer(codec)\nlayer(storage)\n"},
     "before it is defined"),
]


def findings(files):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            path = os.path.join(root, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        run = subprocess.run([sys.executable, TIDY, root], capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr


def main():
    cases = [("the clean tree", {}, None)] + FAULTS
    failed = 0
    for name, change, words in cases:
        code, text = findings({**CLEAN, **change})
        good = (code == 0 and text == "") if words is None else (code == 1 and words in text)
        if not good:
            failed += 1
            print(f"FAILED {name}: exit {code}\n{text}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
