"""States that crashes of property-graph writers leave behind, opened by LanceDB: each table's newest version is whole and
holds the rows of a commit; weft reads such a state, writes on with no manual step, and then
LanceDB sees at each head what weft exports. The crash tests leave the states (WEFT_CRASH_STATES)."""
import json
import os
import subprocess
import sys
from collections import Counter

os.environ.setdefault("RUST_LOG", "error")

import driver
from driver import Checks, scratch, skip, weft
from lance_peers import use_lance_python

use_lance_python()

import lancedb  # noqa: E402

from lance_ours import BUILD  # noqa: E402

PROGRAM = os.path.join(BUILD, "tests", "crash", "crash_graph_enumeration_tests")
# A run of every script takes minutes; in CI these are left to LanceDB.
SCRIPTS = ("Init", "AppendToSeveralTables", "FirstRowsOfATable", "Merge", "Overwrite", "Upsert", "DeleteANodeWithItsEdges", "SmallFragmentsAreFolded",
           "FirstWriteOfABranch", "DeleteAWrittenBranch", "TheHeadIsMissing", "UponACompaction", "UponATakenNumber", "BesideRowsOfOthersInAnotherTable")
checks = Checks()


def rows_of(export, branch="main"):
    """{type: rows, sorted} of one branch of the export of a whole graph."""
    found, name = {}, None
    for line in export.splitlines():
        if line.startswith("-- "):
            name = line[3:]
        elif name == branch:
            row = json.loads(line)
            found.setdefault(row.get("type") or row["edge"], []).append(row_text(row["data"] | {k: row[k] for k in ("from", "to") if k in row}))
    return {kind: sorted(rows) for kind, rows in found.items()}


def row_text(row):
    return json.dumps({k: v for k, v in row.items() if v is not None}, sort_keys=True)


def rows_there(table):
    rows = table.search().limit(100_000).to_list()
    named = {"src": "from", "dst": "to"}
    return sorted(row_text({named.get(k, k): v for k, v in row.items() if not k.startswith(("_", "__"))}) for row in rows)


def locations(graph):
    done = weft("snapshot", "--locations", "--json", graph)
    checks.code(done, 0, f"snapshot {graph}")
    return {d["type_name"]: d for d in json.loads(done.out)["datasets"]} if done.code == 0 else {}


def check_state(state):
    with open(os.path.join(state, "expected"), encoding="utf-8") as file:
        expected = json.load(file)
    script, expected = expected["script"], expected["states"]
    os.remove(os.path.join(state, "expected"))
    commits = weft("commit", "list", "--json", state)
    at = locations(state) if commits.code == 0 else {}
    checks.that(at or "no graph" in expected, f"{state}: there is a graph")
    # A head may be behind: then it holds the rows of an earlier commit.
    published = [rows_of(text) for text in expected]
    for commit in commits.json()["commits"] if at else []:
        export = weft("export", "--at", commit["graph_commit_id"], state)
        checks.code(export, 0, f"{state}: export at a commit")
        published.append(rows_of("-- main\n" + export.text))
    database = lancedb.connect(state)
    for kind, place in at.items():
        try:
            table = database.open_table(os.path.basename(place["uri"]).removesuffix(".lance"))
            rows, count = rows_there(table), table.count_rows()
        except BaseException as error:
            # The heads of a new graph follow its publication as all do: there may be none yet, of an empty table.
            is_new = "was not found" in str(error) and place["version"] == 1 and place["entity_count"] == 0 and not place["available"]
            checks.that(is_new, f"{state}: LanceDB opens {kind}", str(error)[:600])
            continue
        wanted = [of.get(kind, []) for of in published]
        if "RowsOfOthers" in script:
            held = any(not Counter(of) - Counter(rows) for of in wanted)
        else:
            held = rows in wanted
        checks.that(held, f"{state}: LanceDB's rows of {kind} are those of a state of {script}", (rows, wanted))
        checks.equal(count, len(rows), f"{state}: count of {kind}")
    return bool(at)


def check_next_write(state):
    done = weft("load", "--data", "-", "--mode", "merge", state, stdin=b'{"type":"Person","data":{"name":"next"}}\n')
    checks.code(done, 0, f"{state}: the next write")
    export = weft("export", state)
    checks.code(export, 0, f"{state}: export")
    rows = rows_of("-- main\n" + export.text)
    place = locations(state)["Person"]
    table = lancedb.connect(state).open_table(os.path.basename(place["uri"]).removesuffix(".lance"))
    checks.equal(table.version, place["version"], f"{state}: the head of Person")
    checks.equal(rows_there(table), rows["Person"], f"{state}: LanceDB's rows of Person after the next write")


driver.need_weft()
if not os.access(PROGRAM, os.X_OK):
    skip(f"no program at {PROGRAM}")
with scratch("graph-crash") as folder:
    chosen = "*GraphEnumeration.*" if driver.NIGHTLY else ":".join(f"*GraphEnumeration.*/{name}" for name in SCRIPTS)
    done = subprocess.run([PROGRAM, f"--gtest_filter={chosen}"], env={**os.environ, "WEFT_CRASH_STATES": folder}, capture_output=True, text=True)
    checks.equal(done.returncode, 0, "the crash tests", done.stdout[-2000:])
    states = sorted(os.listdir(folder))
    checks.that(len(states) >= 30, "a sample of states", len(states))
    graphs = 0
    for state in states:
        if check_state(os.path.join(folder, state)):
            check_next_write(os.path.join(folder, state))
            graphs += 1
    checks.that(graphs > 0.8 * len(states), "most states have a graph", graphs)
    print(f"{len(states)} states, {graphs} graphs")
checks.finish()
