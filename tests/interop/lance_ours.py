"""weft's Lance layer for the tests: the other side of lance_driver (lance_wire.h says what passes).

    ours = Ours()
    file = ours.write(folder, "part-0", table, version="2.1")     # a pyarrow table -> size, leaf ids
"""
import os
import struct
import subprocess
import tempfile

import pyarrow as pa

from driver import ROOT, skip

BUILD = os.environ.get("WEFT_BUILD") or os.path.join(ROOT, "build", "dev")
DRIVER = os.environ.get("WEFT_LANCE_DRIVER") or os.path.join(BUILD, "tests", "interop", "lance_driver")
ABSENT = (1 << 64) - 1


class OurError(Exception):
    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


def logical_type(t):
    """The word of the Lance schema language for a pyarrow type."""
    unit = getattr(t, "unit", None)
    simple = {
        pa.null(): "null", pa.bool_(): "bool", pa.float16(): "halffloat", pa.float32(): "float",
        pa.float64(): "double", pa.string(): "string", pa.large_string(): "large_string",
        pa.binary(): "binary", pa.large_binary(): "large_binary", pa.date32(): "date32:day",
        pa.date64(): "date64:ms",
    }
    if t in simple:
        return simple[t]
    if pa.types.is_integer(t):
        return str(t)
    if pa.types.is_timestamp(t):
        return f"timestamp:{unit}:{t.tz or '-'}"
    if pa.types.is_time32(t):
        return f"time32:{unit}"
    if pa.types.is_time64(t):
        return f"time64:{unit}"
    if pa.types.is_duration(t):
        return f"duration:{unit}"
    if pa.types.is_decimal(t):
        return f"decimal:{t.bit_width}:{t.precision}:{t.scale}"
    if pa.types.is_fixed_size_binary(t):
        return f"fixed_size_binary:{t.byte_width}"
    if pa.types.is_fixed_size_list(t):
        return f"fixed_size_list:{logical_type(t.value_type)}:{t.list_size}"
    if pa.types.is_map(t):
        return "map"
    if pa.types.is_large_list(t):
        return "large_list.struct" if pa.types.is_struct(t.value_type) else "large_list"
    if pa.types.is_list(t):
        return "list.struct" if pa.types.is_struct(t.value_type) else "list"
    if pa.types.is_struct(t):
        return "struct"
    if pa.types.is_dictionary(t):
        return f"dict:{logical_type(t.value_type)}:{logical_type(t.index_type)}:false"
    raise TypeError(str(t))


def _plain_type(word):
    """The pyarrow type of a word that has no children in the schema."""
    parts = word.split(":")
    simple = {
        "null": pa.null(), "bool": pa.bool_(), "halffloat": pa.float16(), "float": pa.float32(), "double": pa.float64(),
        "string": pa.string(), "large_string": pa.large_string(), "binary": pa.binary(), "large_binary": pa.large_binary(),
        "date32": pa.date32(), "date64": pa.date64(), "json": pa.large_binary(),
    }
    if parts[0] in simple:
        return simple[parts[0]]
    if parts[0].startswith(("int", "uint")):
        return getattr(pa, parts[0])()
    if parts[0] in ("time32", "time64", "duration"):
        return getattr(pa, parts[0])(parts[1])
    if parts[0] == "timestamp":
        zone = ":".join(parts[2:])
        return pa.timestamp(parts[1], None if zone == "-" else zone)
    if parts[0] == "decimal":
        return (pa.decimal128 if parts[1] == "128" else pa.decimal256)(int(parts[2]), int(parts[3]))
    if parts[0] == "fixed_size_binary":
        return pa.binary(int(parts[1]))
    if parts[0] == "fixed_size_list":
        return pa.list_(_plain_type(":".join(parts[1:-1])), int(parts[-1]))
    if parts[0] == "dict":
        value, index, _ = word[5:].rsplit(":", 2)
        return pa.dictionary(_plain_type(index), _plain_type(value))
    raise TypeError(word)


def schema_of(fields):
    """The pyarrow schema of flat fields: what flat_fields makes of it, backwards."""

    def field(own):
        number, _, nullable, word, name = own
        below = [field(f) for f in fields if f[1] == number]
        if word == "map":
            entries = below[0].type
            return pa.field(name, pa.map_(entries.field(0).type, entries.field(1).with_name("value")), nullable)
        if word == "struct":
            return pa.field(name, pa.struct(below), nullable)
        if word.startswith("list"):
            return pa.field(name, pa.list_(below[0]), nullable)
        if word.startswith("large_list"):
            return pa.field(name, pa.large_list(below[0]), nullable)
        return pa.field(name, _plain_type(word), nullable)

    return pa.schema([field(f) for f in fields if f[1] == -1])


def children(t):
    """Fields of a type that are fields of the schema too."""
    if pa.types.is_map(t):
        entries = pa.struct([pa.field("key", t.key_type, False), t.item_field.with_name("value")])
        return [pa.field("entries", entries, False)]
    if pa.types.is_list(t) or pa.types.is_large_list(t):
        return [t.value_field]
    if pa.types.is_struct(t):
        return [t.field(i) for i in range(t.num_fields)]
    return []


def flat_fields(schema):
    """(id, parent, nullable, logical type, name) in depth-first pre-order."""
    out = []

    def visit(field, parent):
        own = len(out)
        out.append((own, parent, field.nullable, logical_type(field.type), field.name))
        for child in children(field.type):
            visit(child, own)

    for field in schema:
        visit(field, -1)
    return out


def _sub_arrays(t):
    """Types of the children arrays that an array of this type has in memory."""
    if pa.types.is_fixed_size_list(t):
        return [t.value_type]
    return [field.type for field in children(t)]


def _buffer_count(t):
    if pa.types.is_null(t) or pa.types.is_struct(t) or pa.types.is_fixed_size_list(t):
        return 1
    if pa.types.is_binary(t) or pa.types.is_string(t) or pa.types.is_large_binary(t) or pa.types.is_large_string(t):
        return 3
    return 2


def _ends(buffer, t, count):
    """The last of count + 1 list offsets."""
    if buffer is None or count == 0:
        return 0
    if pa.types.is_large_list(t):
        return struct.unpack_from("<q", buffer, 8 * count)[0]
    return struct.unpack_from("<i", buffer, 4 * count)[0]


def _send(out, t, length, offset, buffers):
    own = [next(buffers) for _ in range(_buffer_count(t))]
    out.append(struct.pack("<QQ", length, offset))
    for i, buffer in enumerate(own):
        if buffer is None:
            # Only validity may be absent; an empty array may lack the others.
            out.append(struct.pack("<Q", ABSENT if i == 0 else 8) + (b"" if i == 0 else bytes(8)))
        else:
            out.append(struct.pack("<Q", buffer.size))
            out.append(buffer)
    reach = offset + length
    if pa.types.is_fixed_size_list(t):
        reach *= t.list_size
    elif not pa.types.is_struct(t) and _sub_arrays(t):
        reach = _ends(own[1], t, reach)
    for sub in _sub_arrays(t):
        _send(out, sub, reach, 0, buffers)


def array_bytes(array):
    """Pieces of the wire form. Children with offsets of their own are not known here: build nested
    arrays whole and slice them at the top."""
    out = []
    t = array.type
    if pa.types.is_dictionary(t):
        _send(out, t.index_type, len(array), array.offset, iter(array.buffers()))
        _send(out, t.value_type, len(array.dictionary), array.dictionary.offset, iter(array.dictionary.buffers()))
    else:
        _send(out, t, len(array), array.offset, iter(array.buffers()))
    return out


class Ours:
    def __init__(self):
        if not os.access(DRIVER, os.X_OK):
            skip(f"no lance_driver at {DRIVER}")
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen([DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors)

    def close(self):
        self._process.stdin.close()
        code = self._process.wait()
        if code != 0:
            raise RuntimeError(f"lance_driver ended with {code}: {self._stderr()}")

    def _stderr(self):
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-4000:]

    def _ask(self, words, pieces):
        try:
            self._process.stdin.write((" ".join(str(w) for w in words) + "\n").encode())
            for piece in pieces:
                self._process.stdin.write(piece)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self._process.stdout.readline().decode("utf-8", "replace").rstrip("\n")
        if line.startswith("error "):
            raise OurError(*line[6:].split(" ", 1))
        if not line.startswith("ok "):
            raise RuntimeError(f"lance_driver answered {line!r}, code {self._process.poll()}: {self._stderr()}")
        return line[3:].split(" ")

    def _bytes(self, count):
        data = self._process.stdout.read(count)
        if len(data) != count:
            raise RuntimeError(f"lance_driver ended early: {self._stderr()}")
        return data

    def _u64(self):
        return struct.unpack("<Q", self._bytes(8))[0]

    def _array(self, t):
        length, offset = self._u64(), self._u64()
        buffers = []
        in_memory = t.index_type if pa.types.is_dictionary(t) else t
        for _ in range(_buffer_count(in_memory)):
            size = self._u64()
            buffers.append(None if size == ABSENT else pa.py_buffer(self._bytes(size)))
        subs = [self._array(sub) for sub in _sub_arrays(in_memory)]
        if pa.types.is_dictionary(t):
            dictionary = self._array(t.value_type)
            indices = pa.Array.from_buffers(t.index_type, length, buffers, offset=offset)
            return pa.DictionaryArray.from_arrays(indices, dictionary)
        return pa.Array.from_buffers(t, length, buffers, offset=offset, children=subs)

    @staticmethod
    def _field_lines(fields):
        return [
            f"{i} {parent} {int(nullable)} {word.encode().hex()} {name.encode().hex()}\n".encode()
            for i, parent, nullable, word, name in fields
        ]

    def write(self, folder, name, table, version="2.1", page_bytes=8 << 20, threads=2, fields=None):
        """Writes one data file. Returns its size and the ids of its leaves."""
        fields = fields or flat_fields(table.schema)
        batches = table.to_batches()
        pieces = self._field_lines(fields)
        for batch in batches:
            pieces.append(struct.pack("<Q", batch.num_rows))
            for column in batch.columns:
                pieces += array_bytes(column)
        answer = self._ask(
            ["write", folder.encode().hex(), name.encode().hex(), version, page_bytes, threads, len(fields), len(batches)],
            pieces,
        )
        return int(answer[0]), [int(word) for word in answer[1:]]

    def read(self, path, schema, fields, field_ids, column_indices):
        """All of a data file, as a table of `schema` whose fields are `fields` (of a manifest)."""
        folder, name = os.path.split(path)
        pieces = self._field_lines(fields)
        for numbers in (field_ids, column_indices):
            pieces.append((" ".join(str(n) for n in numbers) + "\n").encode())
        rows = int(self._ask(["read", folder.encode().hex(), name.encode().hex(), len(fields)], pieces)[0])
        arrays = [self._array(field.type) for field in schema]
        if any(len(array) != rows for array in arrays):
            raise RuntimeError(f"{path}: arrays of other lengths than {rows}")
        return pa.table(arrays, schema=schema)

    # Whole tables. `branch` is None for main; each answers the version that it made.

    def _table(self, request, folder, branch, *words, rows=None):
        """`rows`: a table whose fields and batches follow the line."""
        own = [request, _hex(folder), _hex(branch), *words]
        if rows is None:
            return self._ask(own, [])
        table, batched = rows if isinstance(rows, tuple) else (rows, True)
        fields = flat_fields(table.schema)
        own.append(len(fields))
        pieces = self._field_lines(fields)
        if batched:
            batches = table.to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
            own.append(len(batches))
            for batch in batches:
                pieces.append(struct.pack("<Q", batch.num_rows))
                for column in batch.columns:
                    pieces += array_bytes(column)
        return self._ask(own, pieces)

    def create(self, folder, table, version="2.1", stable=False, keys=(), branch=None):
        return int(self._table("create", folder, branch, version, int(stable), _names(keys), rows=table)[0])

    def append(self, folder, table, branch=None, fold=True):
        return int(self._table("append", folder, branch, int(fold), rows=table)[0])

    def overwrite(self, folder, table, branch=None):
        return int(self._table("overwrite", folder, branch, rows=table)[0])

    def upsert(self, folder, table, keys, insert_only=False, branch=None):
        return int(self._table("upsert", folder, branch, _names(keys), int(insert_only), rows=table.combine_chunks())[0])

    def delete(self, folder, keys_table, branch=None):
        return int(self._table("delete", folder, branch, _names(keys_table.column_names), rows=keys_table.combine_chunks())[0])

    def add_columns(self, folder, schema, branch=None):
        return int(self._table("add_columns", folder, branch, rows=(schema.empty_table(), False))[0])

    def merge(self, folder, table, keys, branch=None):
        """The columns of `table` that are no keys become new ones, by key."""
        return int(self._table("merge", folder, branch, _names(keys), rows=table.combine_chunks())[0])

    def drop_columns(self, folder, names, branch=None):
        return int(self._table("drop_columns", folder, branch, _names(names))[0])

    def compact(self, folder, rows_per_fragment=1 << 20, branch=None):
        """0: there was nothing to do."""
        return int(self._table("compact", folder, branch, rows_per_fragment)[0])

    def restore(self, folder, version, branch=None):
        return int(self._table("restore", folder, branch, version)[0])

    def make_branch(self, folder, name, version=None, branch=None):
        return int(self._table("branch", folder, branch, version or "-", _hex(name))[0])

    def make_tag(self, folder, name, version=None, branch=None):
        return int(self._table("tag", folder, branch, version or "-", _hex(name))[0])

    def drop_branch(self, folder, name):
        self._table("drop_branch", folder, None, _hex(name))

    def drop_tag(self, folder, name):
        self._table("drop_tag", folder, None, _hex(name))

    def refs(self, folder):
        """(tags, branches): name -> (branch, version), name -> (parent, version)."""
        words = self._table("refs", folder, None)
        count = int(words[0])
        triples = [words[i : i + 3] for i in range(1, len(words) - 2, 3)]
        as_map = lambda some: {a: (None if b == "-" else b, int(c)) for a, b, c in some}  # noqa: E731
        return as_map(triples[:count]), as_map(triples[count:])

    def clean(self, folder):
        return int(self._table("clean", folder, None)[0])

    def detach_append(self, folder, table):
        """(detached version, the number that it is meant for)"""
        return tuple(map(int, self._table("detach_append", folder, None, rows=table)))

    def detach_delete(self, folder, keys_table):
        names = _names(keys_table.column_names)
        return tuple(map(int, self._table("detach_delete", folder, None, names, rows=keys_table.combine_chunks())))

    def follow(self, folder, detached, version):
        return self._table("follow", folder, None, detached, version)[0] == "1"

    def verify(self, folder, version=None, branch=None):
        return int(self._table("verify", folder, branch, version or "-")[0])

    def dump(self, folder, version=None, branch=None, columns=(), rows=None):
        """A version's rows as a pyarrow table, and its number and count of fragments."""
        wanted = "-" if rows is None else ",".join(map(str, rows))
        answer = self._table("dump", folder, branch, version or "-", _names(columns), wanted)
        number, fragments, count, field_count = map(int, answer)
        fields = []
        for _ in range(field_count):
            i, parent, nullable, word, name = self._process.stdout.readline().decode().rstrip("\n").split(" ")
            text = lambda x: bytes.fromhex(x).decode()  # noqa: E731
            fields.append((int(i), int(parent), nullable == "1", text(word), text(name)))
        schema = schema_of(fields)
        arrays = [self._array(field.type) for field in schema]
        if any(len(array) != count for array in arrays):
            raise RuntimeError(f"{folder}: arrays of other lengths than {count}")
        return Dump(pa.table(arrays, schema=schema), number, fragments)


class Dump:
    def __init__(self, table, version, fragments):
        self.table, self.version, self.fragments = table, version, fragments


def _hex(text):
    return "-" if text is None else text.encode().hex()


def _names(names):
    return ",".join(name.encode().hex() for name in names) or "-"
