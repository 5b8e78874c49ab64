"""Where the program, its peers and the data of the benchmarks are, and how each is called."""
import os
import subprocess

import data
import measure

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
FOLDER = os.path.join(ROOT, "build", "bench")
PEERS = os.environ.get("WEFT_PEERS") or os.path.expanduser("~/.cache/weft-peers")
WEFT = os.environ.get("WEFT") or os.path.join(ROOT, "build", "release", "weft")
RETE = os.path.join(PEERS, "rete-cli-0.5.0", "bin", "rete")
PYTHON = os.path.join(PEERS, "python", "bin", "python")

BULK_LOAD = """
import shutil, sys, pyoxigraph
shutil.rmtree(sys.argv[2], ignore_errors=True)
store = pyoxigraph.Store(sys.argv[2])
store.bulk_load(path=sys.argv[1])
print(len(store))
"""
BULK_LOAD_MEMORY = """
import sys, pyoxigraph
store = pyoxigraph.Store()
store.bulk_load(path=sys.argv[1])
print(len(store))
"""


def input_file(kind, triples, seed=1):
    """Generated once, then kept."""
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, f"{kind}-{triples}-{seed}.nt")
    if not os.path.exists(path):
        data.write(kind, triples, f"{path}.part", seed)
        os.replace(f"{path}.part", path)
    return path


def remove(path):
    if os.path.exists(path):
        os.remove(path)
    return path


def weft(*words, **options):
    return measure.run([WEFT, *words], **options)


def rete(*words, **options):
    return measure.run([RETE, *words], env={"RETE_BUILD_RECORD": "reproducible"}, **options)


def number(measured):
    """The one number that a program printed last."""
    return int(measured.out.split()[-1])


def serd_parse():
    """The path of the compiled counterpart, or None where serd's headers are not there."""
    os.makedirs(FOLDER, exist_ok=True)
    source, target = os.path.join(os.path.dirname(__file__), "serd_parse.c"), os.path.join(FOLDER, "serd_parse")
    done = subprocess.run(["cc", "-O2", source, "-I/usr/include/serd-0", "-lserd-0", "-o", target], capture_output=True)
    return target if done.returncode == 0 else None
