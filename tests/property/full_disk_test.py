"""A disk that fills up while a property graph is written: an error that names it, the graph as it was, readable all the
while, and writing goes on when there is room again. Needs root, for a small file system of its own."""
import json
import os
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]
SIZE_MIB = 6
SCHEMA = "node Row { k: String @key text: String }\nedge Next: Row -> Row\n"
UNAVAILABLE = 7
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED:", text)


def weft(*argv, stdin=b""):
    return subprocess.run([WEFT, *argv], capture_output=True, input=stdin, timeout=300)


def rows(prefix, count, size):
    return "".join(json.dumps({"type": "Row", "data": {"k": f"{prefix}{i}", "text": os.urandom(size // 2).hex()}}) + "\n"
                   for i in range(count)).encode()


def state(graph):
    """What readers see, and the history: must not fail on a full disk."""
    listed, exported = weft("commit", "list", "--json", graph), weft("export", graph)
    expect(listed.returncode == 0 and exported.returncode == 0, f"reading: {listed.stderr} {exported.stderr}")
    return listed.stdout, exported.stdout


def fill(folder):
    with open(os.path.join(folder, "filler"), "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


def nearly_full(folder):
    """The disk ends at many points of a small write: it is there as a whole or not at all, and told so."""
    graph = os.path.join(folder, "n.weft")
    expect(weft("init", "--schema", "-", graph, stdin=SCHEMA.encode()).returncode == 0, "init")
    done, refused = [], 0
    for free in range(0, 320, 8):
        fill(folder)
        filler = os.path.join(folder, "filler")
        os.truncate(filler, os.path.getsize(filler) - (free << 10))
        key = f"free{free}"
        mutation = f'query m() {{ insert Row {{ k: "{key}", text: "t" }} insert Next {{ from: "{key}", to: "{key}" }} }}'
        ran = weft("mutate", "-e", mutation, "--store", graph)
        if ran.returncode == 0:
            done.append(key)
        else:
            refused += 1
            expect(ran.returncode == UNAVAILABLE, f"{free} KiB free: {ran.returncode} {ran.stderr[:300]}")
        found = [json.loads(line) for line in weft("export", graph).stdout.splitlines()]
        expect(sorted(row["data"]["k"] for row in found if "type" in row) == sorted(done)
               and sorted(row["from"] for row in found if "edge" in row) == sorted(done), f"{free} KiB free: {found}")
    os.remove(os.path.join(folder, "filler"))
    expect(done and refused, f"{len(done)} writes had room, {refused} had not")
    print(f"{len(done)} writes had room, {refused} had not")


def scenario(folder):
    graph = os.path.join(folder, "g.weft")
    expect(weft("init", "--schema", "-", graph, stdin=SCHEMA.encode()).returncode == 0, "init")
    expect(weft("load", "--data", "-", "--mode", "append", graph, stdin=rows("a", 50, 100)).returncode == 0, "a load that fits")
    before = state(graph)
    # A load that is larger than the disk, in each mode.
    for mode in ("append", "merge", "overwrite"):
        ran = weft("load", "--data", "-", "--mode", mode, graph, stdin=rows("b", 10000, 2000))
        expect(ran.returncode == UNAVAILABLE and b"no space" in ran.stderr.lower() and ran.stdout == b"",
               f"{mode} beyond the disk: {ran.returncode} {ran.stderr[:300]}")
        expect(state(graph) == before, f"{mode} beyond the disk changed the graph")
    # No room at all: small writes, branches, a graph.
    fill(folder)
    mutation = 'query m() { insert Row { k: "m", text: "t" } }'
    for what, argv in (("mutate", ["mutate", "-e", mutation, "--store", graph]),
                       ("branch create", ["branch", "create", "full", "--store", graph]),
                       ("init", ["init", "--schema", "-", os.path.join(folder, "other.weft")])):
        ran = weft(*argv, stdin=SCHEMA.encode())
        expect(ran.returncode == UNAVAILABLE, f"{what} on a full disk: {ran.returncode} {ran.stderr[:300]}")
        expect(state(graph) == before, f"{what} on a full disk changed the graph")
    # Room again, without anybody repairing anything.
    os.remove(os.path.join(folder, "filler"))
    expect(subprocess.run(["mount", "-o", f"remount,size={SIZE_MIB * 20}m", folder]).returncode == 0, "more room")
    for what, argv in (("mutate", ["mutate", "-e", mutation, "--store", graph]),
                       ("branch create", ["branch", "create", "full", "--store", graph]),
                       ("load", ["load", "--data", "-", "--mode", "append", graph])):
        ran = weft(*argv, stdin=rows("c", 100, 100))
        expect(ran.returncode == 0, f"{what} with room again: {ran.returncode} {ran.stderr[:300]}")
    expect(len(state(graph)[1].splitlines()) == 151, "all rows")


def main():
    if os.geteuid() != 0:
        print("SKIPPED: a file system of its own needs root")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_MIB}m", "tmpfs", folder], capture_output=True, text=True)
        if mounted.returncode != 0:
            print(f"SKIPPED: tmpfs cannot be mounted here: {mounted.stderr.strip()}")
            return 77
        try:
            nearly_full(folder)
            scenario(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)
    return 1 if failures else 0


sys.exit(main())
