"""Runs weft and its peers for the tests of this folder, and counts what held.

The program is $WEFT, test data $WEFT_TESTDATA, peers $WEFT_PEERS (default ~/.cache/weft-peers). A test
ends with `checks.finish()`: one line "N passed, M failed", exit 0 or 1. What cannot run is skipped with
`skip(reason)`: exit 77, which ctest counts as skipped.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
TESTDATA = os.path.abspath(os.environ.get("WEFT_TESTDATA") or os.path.join(ROOT, "..", "shared", "testdata"))
PEERS = os.environ.get("WEFT_PEERS") or os.path.expanduser("~/.cache/weft-peers")
WEFT = os.environ.get("WEFT") or os.path.join(ROOT, "build", "release", "weft")
RETE = os.path.join(PEERS, "rete-cli-0.5.0", "bin", "rete")
PYTHON = os.path.join(PEERS, "python", "bin", "python")
NIGHTLY = os.environ.get("WEFT_NIGHTLY") == "1"
PEER_PACKAGES = os.path.join(PEERS, "vocabularies-4.0.0", "node_modules", "@vocabulary")

# Exit codes of weft by kind of error (docs/guide/common-options.md).
INVALID, DENIED, NOT_FOUND, CONFLICT, LIMIT, UNAVAILABLE, CORRUPT = 2, 3, 4, 5, 6, 7, 8


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


def need_weft():
    if not os.access(WEFT, os.X_OK):
        print(f"FAILED: no program at {WEFT}; set WEFT")
        sys.exit(1)


def need_rete():
    if not os.access(RETE, os.X_OK):
        skip(f"no rete-cli 0.5.0 at {RETE} (tools/peers.sh rete)")


def need_testdata(name):
    path = os.path.join(TESTDATA, name)
    if not os.path.isdir(path):
        skip(f"no {name} in {TESTDATA}")
    return path


def use_peer_python():
    """Starts this script again under the Python that has the peers' packages."""
    if os.path.realpath(sys.prefix) == os.path.realpath(os.path.join(PEERS, "python")):
        return
    if not os.access(PYTHON, os.X_OK):
        skip(f"no Python packages of the peers at {PYTHON} (tools/peers.sh python)")
    os.execv(PYTHON, [PYTHON, *sys.argv])


def build_faulty_calls(folder):
    """The shared object of faulty_calls.cc, to be preloaded; None without a compiler."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faulty_calls.cc")
    target = os.path.join(folder, "faulty_calls.so")
    done = subprocess.run([os.environ.get("CXX", "g++"), "-std=c++23", "-shared", "-fPIC", "-O1", "-o", target, source, "-ldl"],
                          capture_output=True, text=True, check=False)
    return target if done.returncode == 0 else None


class Run:
    """One finished program: exit code (negative: signal), output, errors, seconds."""

    def __init__(self, code, out, err, seconds, argv):
        self.code, self.out, self.err, self.seconds, self.argv = code, out, err, seconds, argv

    @property
    def text(self):
        return self.out.decode("utf-8", "replace")

    @property
    def errors(self):
        return self.err.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        words = " ".join(repr(a) if " " in str(a) else str(a) for a in self.argv)
        if len(words) > 400:
            words = words[:400] + "…"
        tail = self.text[-600:] + self.errors[-1200:]
        return f"$ {words}\n  exit {self.code}\n  " + tail.replace("\n", "\n  ")


def run(argv, cwd=None, stdin=b"", env=None, timeout=600, preexec=None):
    """Never raises for what the program does; a timeout is exit code -999."""
    begin = time.monotonic()
    try:
        done = subprocess.run([str(a) for a in argv], cwd=cwd, input=stdin, capture_output=True, timeout=timeout,
                              env={**os.environ, **(env or {})}, preexec_fn=preexec)
        return Run(done.returncode, done.stdout, done.stderr, time.monotonic() - begin, argv)
    except subprocess.TimeoutExpired as late:
        return Run(-999, late.stdout or b"", (late.stderr or b"") + b"\ntimed out", time.monotonic() - begin, argv)


def weft(*args, **options):
    return run([WEFT, *args], **options)


def rete(*args, generation=6, **options):
    env = {"RETE_BUILD_RECORD": "reproducible", "SOURCE_DATE_EPOCH": "1700000000", "RUST_BACKTRACE": "0",
           **options.pop("env", {})}
    if generation == 5:
        env["RETE_WRITE_FORMAT"] = "5"
    return run([RETE, *args], env=env, **options)


class Checks:
    """Counts what held, prints what did not. One object per test."""

    PRINTED_MAX = 40

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.skipped = []
        self.begin = time.monotonic()

    def that(self, held, name, detail=""):
        if held:
            self.passed += 1
        else:
            self.failed += 1
            if self.failed <= self.PRINTED_MAX:
                print(f"FAILED {name}\n  {str(detail)[:3000]}".rstrip(), flush=True)
        return bool(held)

    def equal(self, got, want, name, detail=""):
        return self.that(got == want, name, f"got {str(got)[:600]}\n  want {str(want)[:600]}\n  {detail}")

    def code(self, done, want, name):
        """The exit code is `want`, or one of several."""
        wanted = want if isinstance(want, (tuple, list, set)) else (want,)
        return self.that(done.code in wanted, name, f"want exit {want}\n  {done}")

    def part_skipped(self, reason):
        print(f"SKIPPED in part: {reason}", flush=True)
        self.skipped.append(reason)

    def finish(self):
        parts = f", {len(self.skipped)} parts skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{parts} in {time.monotonic() - self.begin:.1f} s")
        sys.exit(1 if self.failed else 0)


def scratch(prefix):
    """A folder that goes away at the end; kept with WEFT_KEEP=1."""
    if os.environ.get("WEFT_KEEP") == "1":
        path = tempfile.mkdtemp(prefix=f"weft-{prefix}-")
        print(f"kept: {path}")

        class Kept:
            def __enter__(self):
                return path

            def __exit__(self, *_):
                return None

        return Kept()
    return tempfile.TemporaryDirectory(prefix=f"weft-{prefix}-")


def write(path, content):
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()
