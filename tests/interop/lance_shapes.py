"""Columns of every type that Lance holds and of every kind of content, by seed."""
import datetime
import decimal
import random

import pyarrow as pa

INTS = {
    "int8": (-(2**7), 2**7 - 1), "int16": (-(2**15), 2**15 - 1), "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 2**8 - 1), "uint16": (0, 2**16 - 1), "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1),
}


class Shapes:
    """Makes arrays of `rows` values; `nulls` is the share of nulls, None for a type without."""

    def __init__(self, seed, rows):
        self.r = random.Random(seed)
        self.rows = rows
        self.words = ["".join(self.r.choice("abcdefghij klmnop") for _ in range(self.r.randint(3, 12))) for _ in range(900)]

    def thin(self, values, share):
        return [None if share and self.r.random() < share else v for v in values]

    def content(self, kind, any_value, few):
        """Values that are random, few, sequential in runs, or one."""
        r = self.r
        if kind == "runs":
            out = []
            while len(out) < self.rows:
                out += [any_value()] * r.randint(1, max(2, self.rows // 20))
            return out[: self.rows]
        if kind == "few":
            some = [any_value() for _ in range(few)]
            return [r.choice(some) for _ in range(self.rows)]
        if kind == "one":
            return [any_value()] * self.rows
        return [any_value() for _ in range(self.rows)]

    def scalar(self, t):
        """A function that makes one value of a type."""
        r = self.r
        if pa.types.is_boolean(t):
            return lambda: r.random() < 0.5
        if pa.types.is_integer(t):
            low, high = INTS[str(t)]
            if r.random() < 0.5:
                low, high = max(low, -3), min(high, 90)
            return lambda: r.randint(low, high)
        if pa.types.is_float16(t):
            import numpy

            return lambda: numpy.float16(r.uniform(-100, 100))
        if pa.types.is_float32(t):
            import struct

            return lambda: struct.unpack("<f", struct.pack("<f", r.uniform(-1e6, 1e6)))[0]
        if pa.types.is_float64(t):
            return lambda: r.choice([r.uniform(-1, 1), float("inf"), -0.0, 1e300, 0.1])
        if pa.types.is_string(t) or pa.types.is_large_string(t):
            size = r.choice([0, 1, 2, 6, 60])
            return lambda: " ".join(r.choice(self.words) for _ in range(r.randint(0, size))) + r.choice(["", "é", "漢", "\0"])
        if pa.types.is_fixed_size_binary(t):
            return lambda: r.randbytes(t.byte_width)
        if pa.types.is_binary(t) or pa.types.is_large_binary(t):
            size = r.choice([3, 20, 700])
            return lambda: r.randbytes(r.randint(0, size))
        if pa.types.is_date32(t):
            return lambda: datetime.date(1970, 1, 1) + datetime.timedelta(days=r.randint(-40000, 40000))
        if pa.types.is_date64(t):
            return lambda: r.randint(-40000, 40000) * 86400000
        if pa.types.is_decimal(t):
            digits = 10 ** min(t.precision, 60)
            return lambda: decimal.Context(prec=80).scaleb(decimal.Decimal(r.randint(-digits + 1, digits - 1)), -t.scale)
        if pa.types.is_time32(t) or pa.types.is_time64(t):
            most = 86400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[t.unit]
            return lambda: r.randint(0, most - 1)
        if pa.types.is_timestamp(t) or pa.types.is_duration(t):
            return lambda: r.randint(-(2**40), 2**40)
        if pa.types.is_fixed_size_list(t):
            inner = self.scalar(t.value_type)
            return lambda: [inner() for _ in range(t.list_size)]
        if pa.types.is_map(t):
            key, value = self.scalar(t.key_type), self.element(t.item_field)
            return lambda: [(k, value()) for k in {key() for _ in range(r.randint(0, 3))}]
        if pa.types.is_list(t) or pa.types.is_large_list(t):
            item = self.element(t.value_field)
            most = r.choice([1, 3, 8])
            return lambda: [item() for _ in range(r.choice([0, 1, r.randint(0, most)]))]
        if pa.types.is_struct(t):
            members = [(t.field(i).name, self.element(t.field(i))) for i in range(t.num_fields)]
            return lambda: {name: member() for name, member in members}
        raise TypeError(str(t))

    def element(self, field):
        one = self.scalar(field.type)
        share = self.r.choice([0, 0.1, 0.6]) if field.nullable else 0
        return lambda: None if share and self.r.random() < share else one()

    def array(self, t, kind, share):
        if pa.types.is_null(t):
            return pa.nulls(self.rows)
        if pa.types.is_dictionary(t):
            values = self.thin(self.content("few", self.scalar(t.value_type), 5), share)
            return pa.array(values, t.value_type).dictionary_encode().cast(t)
        if kind == "null":
            return pa.nulls(self.rows, t)
        return pa.array(self.thin(self.content(kind, self.scalar(t), 7), share), t)

    def leaf_types(self):
        f = pa.float32()
        return [pa.bool_(), *(getattr(pa, name)() for name in INTS), pa.float16(), f, pa.float64(),
                pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.binary(16), pa.binary(5), pa.binary(300),
                pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns"),
                *(pa.timestamp(u) for u in ("s", "ms", "us", "ns")), pa.timestamp("us", "UTC"),
                *(pa.duration(u) for u in ("s", "ms", "us", "ns")), pa.decimal128(20, 4), pa.decimal256(50, 6)]

    def list_types(self):
        f = pa.float32()
        return [*(pa.list_(f, d) for d in (1, 2, 4, 16, 63, 64, 128)), pa.list_(pa.float16(), 8), pa.list_(pa.uint8(), 16),
                pa.list_(pa.int64(), 3), pa.list_(pa.bool_(), 9), pa.list_(pa.list_(f, 2), 3)]

    def nested_type(self, depth, maps):
        """A random type with at most `depth` levels of lists and structs above its leaves."""
        r = self.r
        if depth == 0:
            return r.choice(self.leaf_types() + self.list_types()[:4])
        inner = lambda: self.nested_type(depth - 1, maps)  # noqa: E731
        kind = r.choice(["list", "list", "large", "struct", "struct", "map" if maps else "list"])
        if kind == "map":
            return pa.map_(r.choice([pa.string(), pa.int32()]), inner())
        if kind == "struct":
            return pa.struct([pa.field(f"m{i}", inner(), r.random() < 0.8) for i in range(r.randint(1, 3))])
        item = pa.field("item", inner(), r.random() < 0.8)
        return pa.list_(item) if kind == "list" else pa.large_list(item)

    def dictionary_types(self):
        return [pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.string()), pa.dictionary(pa.uint16(), pa.int64())]


def all_columns(seed, rows, version):
    """Every type, nullable and not, with every kind of content: (name, array, nullable)."""
    shapes = Shapes(seed, rows)
    out = []
    kinds = ["any", "few", "runs", "one"]
    for t in shapes.leaf_types() + shapes.list_types():
        for kind in kinds:
            out.append((f"{t}/{kind}", shapes.array(t, kind, 0), False))
            out.append((f"{t}/{kind}/nulls", shapes.array(t, kind, 0.2), True))
        out.append((f"{t}/null", shapes.array(t, "null", 0), True))
    out.append(("null", shapes.array(pa.null(), "null", 0), True))
    for t in shapes.dictionary_types():
        out.append((f"{t}", shapes.array(t, "few", 0.2), True))
    for i in range(40):
        t = shapes.nested_type(1 + i % 3, version == "2.2")
        nullable = shapes.r.random() < 0.8
        out.append((f"nested {i} {t}", shapes.array(t, "any", 0.2 if nullable else 0), nullable))
    return out


def random_table(seed, rows, columns, version):
    """A table of many columns of random types and contents."""
    shapes = Shapes(seed, rows)
    fields, arrays = [], []
    for i in range(columns):
        pool = shapes.leaf_types() + shapes.list_types() + shapes.dictionary_types()
        t = shapes.r.choice(pool) if shapes.r.random() < 0.7 else shapes.nested_type(shapes.r.randint(1, 3), version == "2.2")
        nullable = shapes.r.random() < 0.7
        share = shapes.r.choice([0, 0.02, 0.5]) if nullable else 0
        arrays.append(shapes.array(t, shapes.r.choice(["any", "any", "few", "runs", "one"]), share))
        fields.append(pa.field(f"c{i}", t, nullable))
    return pa.table(arrays, schema=pa.schema(fields))


def same(left, right):
    """Whether two chunked arrays hold equal values, and where they first differ. Dictionaries are
    compared by their values, floats by their bits, but for NaN."""

    def plain(a):
        a = a.combine_chunks() if isinstance(a, pa.ChunkedArray) else a
        if isinstance(a, pa.ChunkedArray):
            a = pa.concat_arrays(a.chunks)
        return a.dictionary_decode() if pa.types.is_dictionary(a.type) else a

    left, right = plain(left), plain(right)
    if len(left) != len(right):
        return f"{len(left)} values, wanted {len(right)}"
    if left.equals(right):
        return None
    a, b = left.to_pylist(), right.to_pylist()
    for i, (x, y) in enumerate(zip(a, b)):
        if repr(x) != repr(y):
            return f"at {i}: {str(x)[:60]!r}, wanted {str(y)[:60]!r}"
    return None
