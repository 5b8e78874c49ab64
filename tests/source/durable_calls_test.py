"""Counts the calls that change a store, by site, in the layers of property graphs: one function publishes, one moves heads.

A call that is not listed, or is listed and gone, fails: whoever adds one says here why, and adds its crash scenario to
tests/crash. Calls of other layers (RDF) are not counted.
"""
import collections
import glob
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
LAYERS = ("txn", "catalog", "graph", "gqexec", "lance")
# Calls of storage::ObjectStore that change it. `create` is told from others by its receiver.
STORE_CALL = re.compile(r"(?:[.>]|\b)(put_if_absent|put_many_if_absent|put_many_foreseeing|put_if_match|open_append)\(|"
                        r"\b(?:store_?|root_)(?:\.|->)(create|remove)\(")
# Calls that publish a commit, move or bring a head, or make a branch.
PROTOCOL_CALL = re.compile(r"\b(catalog::publish|lance::commit|lance::follow|lance::follow_all|create_head|lance::create_branch|"
                           r"catalog::create_branch|catalog::beginning_of|lance::cleanup)\(")

STORE_CALLS = {
    # Staging: everything of a commit under one barrier, and the contents of what follows with it; tried again after
    # an unclear answer.
    ("weft/lance/table/stage.cc", "put_many_foreseeing"): 1,
    ("weft/lance/table/stage.cc", "put_many_if_absent"): 1,
    # The one creation that publishes a version or moves a head.
    ("weft/lance/table/commit.cc", "put_if_absent"): 1,
    # The heads of one publication, under one barrier.
    ("weft/lance/table/commit.cc", "put_many_if_absent"): 1,
    # Data files, as they come; held back while they are small.
    ("weft/lance/rows/held_file.cc", "create"): 1,
    ("weft/lance/write/data_file_writer.cc", "create"): 1,
    # The one creation that makes a branch of a graph.
    ("weft/catalog/branches.cc", "put_if_absent"): 1,
    # Native branches and tags of tables.
    ("weft/lance/table/branch_create.cc", "put_if_absent"): 2,
    ("weft/lance/table/branch_create.cc", "remove"): 1,
    ("weft/lance/table/refs.cc", "put_if_absent"): 1,
    ("weft/lance/table/refs.cc", "remove"): 3,
    # init asks whether the store creates only if absent.
    ("weft/graph/create.cc", "put_if_absent"): 2,
    ("weft/graph/create.cc", "remove"): 1,
    # Data files of a load that was refused.
    ("weft/graph/loaded_table.cc", "remove"): 1,
    # What no version names any more; of a graph, and the object that tells the store's time.
    ("weft/lance/table/cleanup.cc", "remove"): 1,
    ("weft/graph/table_cleanup.cc", "remove"): 1,
    ("weft/graph/cleanup.cc", "put_if_absent"): 1,
    ("weft/graph/cleanup.cc", "remove"): 2,
}
PROTOCOL_CALLS = {
    # One function publishes commits, of one writer or of several.
    ("weft/txn/write_steps.cc", "catalog::publish"): 1,
    ("weft/catalog/publication.cc", "lance::commit"): 1,
    # A head is moved by who published, or brought by whoever finds it missing.
    ("weft/txn/write_steps.cc", "lance::follow_all"): 1,
    ("weft/txn/head.cc", "lance::follow"): 1,
    # The two users of the creation of a version: a publication, and a head that follows.
    ("weft/lance/table/commit.cc", "create_head"): 3,  # with its definition
    # The guard branch of a version of others that is built upon or discarded; one for other readers.
    ("weft/txn/head.cc", "catalog::beginning_of"): 1,
    ("weft/graph/lance_version.cc", "lance::create_branch"): 1,
    ("weft/graph/branch.cc", "catalog::create_branch"): 1,
}


def sources():
    for layer in LAYERS:
        for path in glob.glob(os.path.join(ROOT, "weft", layer, "**", "*.cc"), recursive=True):
            name = os.path.relpath(path, ROOT)
            if not name.endswith("_test.cc") and "/testing/" not in name:
                yield name, re.sub(r"//[^\n]*", "", open(path, encoding="utf-8").read())


def count(pattern):
    found = collections.Counter()
    for name, text in sources():
        for match in pattern.finditer(text):
            found[name, next(group for group in match.groups() if group)] += 1
    return dict(found)


def main():
    failed = False
    for what, pattern, listed in (("store", STORE_CALL, STORE_CALLS), ("protocol", PROTOCOL_CALL, PROTOCOL_CALLS)):
        found = count(pattern)
        for key in sorted(set(found) | set(listed)):
            if found.get(key, 0) != listed.get(key, 0):
                failed = True
                print(f"FAILED: {key[0]} calls {key[1]} {found.get(key, 0)} times, {listed.get(key, 0)} are listed ({what})")
        print(f"{sum(found.values())} {what} calls at {len(found)} sites")
    return 1 if failed else 0


sys.exit(main())
