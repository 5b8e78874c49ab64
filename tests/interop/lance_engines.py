"""The Lance engines behind one face: pylance, lancedb for Python, @lancedb/lancedb for Node. `folder` is that
of a table and ends in ".lance"; rows are pyarrow tables. Import after use_lance_python()."""
import json
import os
import shutil
import subprocess
import tempfile

import lance
import lancedb
import pyarrow as pa

from lance_peers import LANCE_JS


class EngineError(Exception):
    pass


class Pylance:
    name = "pylance"

    def __init__(self):
        lance  # noqa: B018

    def _open(self, folder, version=None, tag=None, branch=None):
        table = lance.dataset(folder)
        if branch:
            return table.checkout_version((branch, version))
        return table.checkout_version(version or tag) if version or tag else table

    def create(self, folder, rows, version=None, **options):
        lance.write_dataset(rows, folder, data_storage_version=version, **options)

    def rows(self, folder, where=None, columns=None, **at):
        return self._open(folder, **at).to_table(filter=where, columns=columns)

    def count(self, folder, where=None, **at):
        return self._open(folder, **at).count_rows(filter=where)

    def version(self, folder, **at):
        return self._open(folder, **at).version

    def take(self, folder, offsets, columns=None):
        return self._open(folder).take(offsets, columns=columns)

    def vector(self, folder, vector, k, where=None):
        nearest = {"column": "v", "q": vector, "k": k, "nprobes": 1000, "refine_factor": 50}
        return self._open(folder).to_table(nearest=nearest, filter=where, columns=["id"])

    def text(self, folder, words):
        return self._open(folder).to_table(full_text_query={"query": words, "columns": ["s"]}, columns=["id"])

    def append(self, folder, rows, branch=None, **options):
        lance.write_dataset(rows, self._open(folder, branch=branch), mode="append", **options)

    def delete(self, folder, where, branch=None):
        self._open(folder, branch=branch).delete(where)

    def update(self, folder, where, values):
        self._open(folder).update(values, where=where)

    def merge(self, folder, on, rows):
        merge = self._open(folder).merge_insert(on)
        merge.when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def add_column(self, folder, name, sql):
        self._open(folder).add_columns({name: sql})

    def drop_column(self, folder, name):
        self._open(folder).drop_columns([name])

    def index(self, folder, column, kind):
        table = self._open(folder)
        if kind == "ivf_pq":
            table.create_index(column, "IVF_PQ", num_partitions=2, num_sub_vectors=4, replace=True)
        else:
            table.create_scalar_index(column, {"btree": "BTREE", "fts": "INVERTED"}[kind], replace=True)

    def optimize(self, folder):
        table = self._open(folder)
        table.optimize.compact_files()
        table.optimize.optimize_indices()

    def restore(self, folder, version):
        self._open(folder, version=version).restore()

    def make_branch(self, folder, name, branch=None):
        self._open(folder, branch=branch).create_branch(name)

    def branches(self, folder):
        return set(lance.dataset(folder).branches.list())

    def drop_branch(self, folder, name):
        lance.dataset(folder).branches.delete(name)

    def close(self):
        pass


class LanceDb:
    name = "lancedb"

    def _open(self, folder, version=None, tag=None, branch=None):
        table = lancedb.connect(os.path.dirname(folder)).open_table(os.path.basename(folder)[: -len(".lance")])
        if branch:
            return table.branches.checkout(branch, version)
        if version or tag:
            table.checkout(version or tag)
        return table

    def create(self, folder, rows):
        lancedb.connect(os.path.dirname(folder)).create_table(os.path.basename(folder)[: -len(".lance")], rows, on_bad_vectors="null")

    def rows(self, folder, where=None, columns=None, **at):
        query = self._open(folder, **at).search()
        query = query.where(where) if where else query
        query = query.select(columns) if columns else query
        return query.limit(10**9).to_arrow()

    def count(self, folder, where=None, **at):
        return self._open(folder, **at).count_rows(where)

    def version(self, folder, **at):
        return self._open(folder, **at).version

    def take(self, folder, offsets, columns=None):
        query = self._open(folder).take_offsets(offsets)
        return (query.select(columns) if columns else query).to_arrow()

    def vector(self, folder, vector, k, where=None):
        query = self._open(folder).search(vector, vector_column_name="v").nprobes(1000).refine_factor(50).limit(k)
        return (query.where(where) if where else query).to_arrow()

    def text(self, folder, words):
        return self._open(folder).search(words, query_type="fts", fts_columns="s").limit(1000).to_arrow()

    def append(self, folder, rows, branch=None):
        self._open(folder, branch=branch).add(rows, on_bad_vectors="null")  # a null is one

    def delete(self, folder, where, branch=None):
        self._open(folder, branch=branch).delete(where)

    def update(self, folder, where, values):
        self._open(folder).update(where=where, values_sql=values)

    def merge(self, folder, on, rows):
        merge = self._open(folder).merge_insert(on)
        merge.when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def add_column(self, folder, name, sql):
        self._open(folder).add_columns({name: sql})

    def drop_column(self, folder, name):
        self._open(folder).drop_columns([name])

    def index(self, folder, column, kind):
        table = self._open(folder)
        if kind == "btree":
            table.create_scalar_index(column, replace=True)
        elif kind == "fts":
            table.create_fts_index(column, replace=True)
        else:
            table.create_index(vector_column_name=column, num_partitions=2, num_sub_vectors=4, replace=True)

    def optimize(self, folder):
        self._open(folder).optimize()

    def restore(self, folder, version):
        self._open(folder).restore(version)

    def make_branch(self, folder, name, branch=None):
        self._open(folder).branches.create(name, from_ref=branch)

    def branches(self, folder):
        return set(self._open(folder).branches.list())

    def drop_branch(self, folder, name):
        self._open(folder).branches.delete(name)

    def close(self):
        pass


class LanceJs:
    """Absent without Node or the package."""

    name = "@lancedb/lancedb"

    @staticmethod
    def is_there():
        return shutil.which("node") is not None and os.path.isdir(os.path.join(LANCE_JS, "@lancedb", "lancedb"))

    def __init__(self):
        self._folder = tempfile.mkdtemp(prefix="weft-lance-js-")
        self._files = 0
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lance_js_peer.mjs")
        self._process = subprocess.Popen(["node", script, LANCE_JS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _ask(self, what, folder, **request):
        line = {"do": what, "folder": folder, **{k: v for k, v in request.items() if v is not None}}
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "node ended"}')
        if "error" in answer:
            raise EngineError(f"{what}: {answer['error']}")
        return answer["ok"]

    def _path(self):
        self._files += 1
        return os.path.join(self._folder, f"{self._files}.arrow")

    def _put(self, rows):
        path = self._path()
        with pa.ipc.new_file(path, rows.schema) as out:
            out.write_table(rows.combine_chunks())
        return path

    def _get(self, what, folder, **request):
        path = self._path()
        self._ask(what, folder, out=path, **request)
        with pa.OSFile(path) as file:
            rows = pa.ipc.open_file(file).read_all()
        os.remove(path)
        return rows

    def create(self, folder, rows):
        self._ask("create", folder, rows=self._put(rows))

    def rows(self, folder, where=None, columns=None, **at):
        return self._get("rows", folder, where=where, columns=columns, **at)

    def count(self, folder, where=None, **at):
        return self._ask("count", folder, where=where, **at)

    def version(self, folder, **at):
        return self._ask("version", folder, **at)

    def take(self, folder, offsets, columns=None):
        return self._get("take", folder, offsets=offsets, columns=columns)

    def vector(self, folder, vector, k, where=None):
        return self._get("vector", folder, vector=[float(x) for x in vector], k=k, where=where)

    def text(self, folder, words):
        return self._get("text", folder, words=words, limit=1000)

    def append(self, folder, rows, branch=None):
        self._ask("append", folder, rows=self._put(rows), branch=branch)

    def delete(self, folder, where, branch=None):
        self._ask("delete", folder, where=where, branch=branch)

    def update(self, folder, where, values):
        self._ask("update", folder, where=where, values=values)

    def merge(self, folder, on, rows):
        self._ask("merge", folder, on=on, rows=self._put(rows))

    def add_column(self, folder, name, sql):
        self._ask("add_column", folder, name=name, sql=sql)

    def drop_column(self, folder, name):
        self._ask("drop_column", folder, name=name)

    def index(self, folder, column, kind):
        self._ask("index", folder, column=column, kind=kind)

    def optimize(self, folder):
        self._ask("optimize", folder)

    def restore(self, folder, version):
        self._ask("restore", folder, version=version)

    def clean(self, folder):
        self._ask("clean", folder)

    def make_branch(self, folder, name, branch=None):
        self._ask("make_branch", folder, name=name, source=branch)

    def branches(self, folder):
        return set(self._ask("branches", folder))

    def drop_branch(self, folder, name):
        self._ask("drop_branch", folder, name=name)


def engines(checks):
    """All that are there; what is not is named."""
    found = [Pylance(), LanceDb()]
    if LanceJs.is_there():
        found.append(LanceJs())
    else:
        checks.part_skipped(f"no node, or no @lancedb/lancedb 0.31.0 at {LANCE_JS} (tools/peers.sh lance-js)")
    return found
