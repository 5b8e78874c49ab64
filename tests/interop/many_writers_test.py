#!/usr/bin/env python3
"""Eight processes add 25 segments each to one manifest at once: 200 entries, each segment once, while a
reader never sees anything but a whole manifest.

usage: many_writers_test.py [WRITERS [SEGMENTS]]
"""
import collections
import json
import os
import subprocess
import sys

import driver
from driver import weft

M = "g.rete-manifest.json"


def main():
    driver.need_weft()
    writers = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    each = int(sys.argv[2]) if len(sys.argv) > 2 else 25
    checks = driver.Checks()
    with driver.scratch("writers") as folder:
        names = [f"s{w}-{i}" for w in range(writers) for i in range(each)]
        for name in names:
            driver.write(os.path.join(folder, f"{name}.nt"), f'<http://ex/{name}> <http://ex/p> "{name}" .\n<http://ex/all> <http://ex/p> <http://ex/x> .\n')
            checks.code(weft("build", f"{name}.nt", "-o", f"{name}.rete", cwd=folder), 0, f"build {name}")
        checks.code(weft("manifest", "init", M, cwd=folder), 0, "init of an empty graph")
        first = len(json.loads(driver.read(os.path.join(folder, M)))["log"])
        # Every writer is one shell that adds its segments one after the other, at once with the others.
        script = 'for i in $(seq 0 $(($2 - 1))); do "$0" manifest add "$3" --adds "s$1-$i.rete" || echo "failed $1-$i: $?"; done'
        running = [subprocess.Popen(["bash", "-c", script, driver.WEFT, str(w), str(each), M], cwd=folder,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for w in range(writers)]
        looks, broken, last = 0, [], 0
        while any(p.poll() is None for p in running):
            looks += 1
            try:
                document = json.loads(driver.read(os.path.join(folder, M)))
                if document["generation"] < last:
                    broken.append(f"generation {document['generation']} after {last}")
                last = document["generation"]
            except (OSError, ValueError) as error:
                broken.append(str(error))
        for w, process in enumerate(running):
            output = process.communicate()[0].decode("utf-8", "replace")
            checks.that(process.returncode == 0 and "failed" not in output, f"writer {w}", output[-1500:])
        checks.that(not broken, f"a reader that looked {looks} times saw a whole manifest each time", broken[:3])
        document = json.loads(driver.read(os.path.join(folder, M)))
        urls = collections.Counter(entry["adds"]["url"] for entry in document["log"][first:])
        checks.equal(len(document["log"]) - first, writers * each, "entries")
        checks.equal(urls, collections.Counter(f"{name}.rete" for name in names), "each segment once")
        checks.equal(document["generation"], 1 + writers * each, "one generation per entry")
        for w in range(writers):
            order = [u for u in (e["adds"]["url"] for e in document["log"][first:]) if u.startswith(f"s{w}-")]
            checks.equal(order, [f"s{w}-{i}.rete" for i in range(each)], f"writer {w}'s segments stand in its order")
        status = weft("manifest", "status", M, "--count", "--verify", "--json", cwd=folder)
        if checks.code(status, 0, "status"):
            checks.equal(status.json()["visible_quads"], writers * each + 1, "visible quads")
    checks.finish()


if __name__ == "__main__":
    main()
