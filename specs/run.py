#!/usr/bin/env python3
"""Explores the model of the write protocol with Spin.

usage: specs/run.py VARIANT...       exit 0: as expected, 1: not, 77: no spin here (skipped)
       specs/run.py --list           the variants, one a line
       specs/run.py --all            all but the long ones, with a table of states and seconds

A variant without `mistake` must be free of violations; one with it must have one, which is what the
assertions of the model are worth. Bounds are those of the variant: specs/README.md.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "write_protocol.pml")

# Name -> what the model is compiled with.
VARIANTS = {
    "two-writers": ["FOREIGN=1"],
    "three-writers": ["WRITERS=3", "FOREIGN=0", "TRIES=0", "CRASHES=0"],
    "sweeping": ["FOREIGN=0", "TICKS=3", "ONE_TABLE", "TRIES=0", "CRASHES=0", "NO_CLEANER"],
    "long-two-foreigners": ["FOREIGN=2"],
    "long-three-writers": ["WRITERS=3", "FOREIGN=0", "TRIES=1"],
    "long-foreign-cleanup": ["FOREIGN=2", "FOREIGN_CLEANUP", "TRIES=1"],
    "long-cleanup": ["FOREIGN=0", "TICKS=3", "TRIES=0", "CRASHES=0", "NO_SWEEPER"],
    "long-sweeping": ["FOREIGN=0", "TICKS=3", "TRIES=0", "CRASHES=0", "NO_CLEANER"],
    "mistake-cleanup-without-waiting": ["FOREIGN=0", "TICKS=1", "TRIES=0", "CRASHES=0",
                                        "MISTAKE_CLEANUP_WITHOUT_WAITING"],
    "mistake-sweep-without-age": ["FOREIGN=0", "TICKS=1", "TRIES=0", "CRASHES=0",
                                  "MISTAKE_SWEEP_WITHOUT_AGE"],
    "mistake-age-after-reading": ["FOREIGN=0", "TICKS=3", "ONE_TABLE", "TRIES=0", "CRASHES=0", "NO_CLEANER",
                                  "MISTAKE_AGE_AFTER_READING"],
    "mistake-fail-after-timeout": ["FOREIGN=0", "MISTAKE_FAIL_AFTER_TIMEOUT"],
    "mistake-new-id-after-timeout": ["FOREIGN=0", "MISTAKE_NEW_ID_AFTER_TIMEOUT"],
    "mistake-acknowledge-blindly": ["FOREIGN=0", "MISTAKE_ACKNOWLEDGE_BLINDLY"],
    "mistake-head-first": ["FOREIGN=0", "MISTAKE_HEAD_FIRST"],
    "mistake-over-foreign-rows": ["FOREIGN=1", "MISTAKE_OVER_FOREIGN_ROWS"],
    "mistake-no-rebase": ["FOREIGN=1", "MISTAKE_NO_REBASE"],
    "mistake-taken-by-number": ["FOREIGN=2", "MISTAKE_TAKEN_BY_NUMBER"],
}
# Processes in the other order, where that leads to the violation sooner.
REVERSED = {"mistake-sweep-without-age"}
SECONDS_MAX = 200
MEMORY_MIB = 2000


def explore(name, show_trace=False):
    """(violation found, states, seconds, what Spin said)"""
    definitions = ["-D" + text for text in VARIANTS[name]]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weft-specs-") as folder:
        shutil.copy(MODEL, folder)
        model = os.path.basename(MODEL)
        run = lambda *argv: subprocess.run(argv, cwd=folder, capture_output=True, text=True,
                                           timeout=SECONDS_MAX * 3)
        made = run("spin", "-a", *definitions, model)
        if made.returncode != 0 or "rror" in made.stdout:
            raise RuntimeError(f"{name}: spin -a: {made.stdout}{made.stderr}")
        order = ["-DREVERSE"] if name in REVERSED else []
        built = run("gcc", "-O2", "-w", *order, "-DSAFETY", "-DNOCLAIM", "-DCOLLAPSE", "-DVECTORSZ=2048",
                    f"-DMEMLIM={MEMORY_MIB}", "-o", "pan", "pan.c")
        if built.returncode != 0:
            raise RuntimeError(f"{name}: gcc: {built.stderr}")
        ran = run("./pan", "-m200000", "-w24")
        text = ran.stdout
        states = re.search(r"(\d[\d.e+]*) states, stored", text)
        errors = re.search(r"errors: (\d+)", text)
        if states is None or errors is None or "out of memory" in text or "max search depth too" in text:
            raise RuntimeError(f"{name}: the search was not complete\n{text}{ran.stderr}")
        said = next((line for line in text.splitlines() if line.startswith("pan:") and "elapsed" not in line and "rate" not in line), "")
        if show_trace and errors.group(1) != "0":
            trace = run("spin", "-t", "-p", "-g", *definitions, model)
            said += "\n" + trace.stdout
        return errors.group(1) != "0", int(float(states.group(1))), time.monotonic() - begin, said


def main(argv):
    if argv == ["--list"]:
        print("\n".join(VARIANTS))
        return 0
    trace = "--trace" in argv
    names = [n for n in VARIANTS if not n.startswith("long-")] if "--all" in argv else [a for a in argv if not a.startswith("--")]
    if not names or any(name not in VARIANTS for name in names):
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        print("specs: spin or gcc is not installed (tools/setup.sh test); the model is not explored")
        return 77
    failed = False
    for name in names:
        found, states, seconds, said = explore(name, trace)
        good = found == name.startswith("mistake-")
        failed = failed or not good
        print(f"{name:34} {'violation' if found else 'clean':9} {states:>9} states {seconds:5.1f} s"
              f"{'' if good else '   NOT AS EXPECTED'}  {said}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
