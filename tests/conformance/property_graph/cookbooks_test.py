"""Both cookbooks load without edits, and their export loads back to an equal graph."""
import json
import os
import subprocess
import sys
import tempfile

WEFT = os.environ["WEFT"]
BOOKS = os.path.join(os.environ.get("WEFT_TESTDATA", "../shared/testdata"), "cookbooks")


def weft(*argv, stdin=None):
    ran = subprocess.run([WEFT, *argv], capture_output=True, input=stdin, timeout=300)
    if ran.returncode != 0:
        sys.exit(f"FAILED: weft {' '.join(argv)}: {ran.stderr.decode()}")
    return ran.stdout


def main():
    if not os.path.isdir(BOOKS):
        print(f"SKIPPED: no cookbooks at {BOOKS}")
        sys.exit(77)
    for name in ("second-brain", "industry-intel"):
        with tempfile.TemporaryDirectory() as folder:
            first, second = os.path.join(folder, "a.weft"), os.path.join(folder, "b.weft")
            schema, seed = os.path.join(BOOKS, name, "schema.pg"), os.path.join(BOOKS, name, "seed.jsonl")
            lines = [json.loads(line) for line in open(seed, encoding="utf-8") if line.strip()]
            weft("init", "--schema", schema, first)
            done = json.loads(weft("load", "--data", seed, "--mode", "overwrite", "--json", first))
            assert done["total_entities"] == len(lines), (done, len(lines))
            text = weft("export", first)
            out = [json.loads(line) for line in text.splitlines()]
            assert len(out) == len(lines), (name, len(out), len(lines))
            # Every line of the seed is there, with what it says.
            ends = {}
            for row in out:
                if "edge" in row:
                    ends.setdefault((row["edge"].lower(), row["from"], row["to"]), []).append(row)
            nodes = {(row["type"], row["data"]["id"]): row for row in out if "type" in row}
            for row in lines:
                if "edge" in row:
                    assert (row["edge"].lower(), row["from"], row["to"]) in ends, row
            assert len(nodes) == sum("type" in row for row in lines)
            weft("init", "--schema", schema, second)
            weft("load", "--data", "-", "--mode", "append", second, stdin=text)
            assert weft("export", second) == text, f"{name}: the second export differs"
            shown = json.loads(weft("snapshot", "--json", "--locations", second))
            assert sum(d["entity_count"] for d in shown["datasets"]) == len(lines)
            assert all(d["available"] for d in shown["datasets"])
            assert weft("schema", "show", second) == open(schema, "rb").read()
            print(f"{name}: {len(lines)} rows, there and back")


main()
