#!/usr/bin/env python3
"""Checks the layout of the tree: layers, file lists, names, sizes. Prints one line per finding.

usage: tools/tidy.py [ROOT]          exit 0: clean, 1: findings

Rules
  include   a file of weft/LAYER (the layer server: of server/) includes only its layer and the layers named
            below it in weft/layers.cmake; cli/, tests/, fuzz/ and bench/ may include every layer
  listed    every .cc and .h of a layer stands in its files.cmake, and every listed file exists
  name      no file or folder is called util, helper, common, misc, manager or context
  size      a source file of weft/, server/ or cli/ has at most 500 lines (400 is the aim)
  guard     every header begins with a comment and has #pragma once
"""
import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), ".."))
BAD_NAME = re.compile(r"(^|[_./])(utils?|helpers?|common|misc|manager|context)([_./]|$)")
LINES_MAX = 500
BESIDE = {"server"}  # layers whose folder stands beside weft/


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def layers():
    """Layer -> set of layers it may include, itself included."""
    direct = {}
    for name, rest in re.findall(r"^layer\((\w+)([^)]*)\)", read("weft/layers.cmake"), re.M):
        deps = re.search(r"DEPS ([\w ]+?)(?: LIBS|$)", rest.strip())
        direct[name] = deps.group(1).split() if deps else []
    allowed = {}
    for name, deps in direct.items():
        allowed[name] = {name}
        for dep in deps:
            if dep not in allowed:
                yield_error(f"weft/layers.cmake: {name} names {dep} before it is defined")
                continue
            allowed[name] |= allowed[dep]
    return allowed


findings = []


def yield_error(text):
    findings.append(text)


def sources(folder):
    for path, folders, files in os.walk(os.path.join(ROOT, folder)):
        folders[:] = [f for f in folders if f not in ("__pycache__", "node_modules", "target")]
        for file in files:
            yield os.path.relpath(os.path.join(path, file), ROOT)


def folder_of(layer):
    return layer if layer in BESIDE else f"weft/{layer}"


def check_layer(layer, allowed):
    listed = set()
    folder = folder_of(layer)
    text = re.sub(r"#.*", "", read(f"{folder}/files.cmake"))
    for body in re.findall(r"set\((?:SOURCES|HEADERS|TESTS)([^)]*)\)", text):
        listed |= {os.path.normpath(f"{folder}/{name}") for name in body.split()}
    present = {p for p in sources(folder) if p.endswith((".cc", ".h"))}
    for path in sorted(present - listed):
        yield_error(f"{path}: not listed in {folder}/files.cmake")
    for path in sorted(listed - present):
        yield_error(f"{folder}/files.cmake: lists {path}, which does not exist")
    for path in sorted(present):
        for other in re.findall(r'^\s*#include "(?:weft/(\w+)|(server|cli))/', read(path), re.M):
            other = "".join(other)
            if other not in allowed:
                yield_error(f"{path}: layer {layer} must not include layer {other}")


def main():
    allowed = layers()
    folders = {d for d in os.listdir(os.path.join(ROOT, "weft")) if os.path.isdir(os.path.join(ROOT, "weft", d))}
    folders |= {d for d in BESIDE if os.path.isdir(os.path.join(ROOT, d))}
    for layer in sorted(folders ^ set(allowed)):
        yield_error(f"weft/{layer}: folder and weft/layers.cmake disagree")
    for layer in sorted(folders & set(allowed)):
        check_layer(layer, allowed[layer])
    for folder in ("weft", "server", "cli", "tests", "fuzz", "bench", "tools", "cmake"):
        for path in sources(folder):
            if BAD_NAME.search(path):
                yield_error(f"{path}: name says nothing (util, helper, common, misc, manager, context)")
            if folder in ("weft", "server", "cli") and path.endswith((".cc", ".h")):
                lines = read(path).count("\n")
                if lines > LINES_MAX and not path.endswith("_test.cc"):
                    yield_error(f"{path}: {lines} lines; split it (at most {LINES_MAX})")
            if path.endswith(".h"):
                text = read(path)
                if not text.startswith("//"):
                    yield_error(f"{path}: a header begins with a comment that says what it is")
                if "#pragma once" not in text:
                    yield_error(f"{path}: no #pragma once")
    for line in findings:
        print(line)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
