"""Writes a Parquet file of canonical rows with pyarrow, by the mapping of mapping.py."""

import struct

import pyarrow as pa
import pyarrow.parquet as pq

SIMPLE = {
    "boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(),
    "string": pa.string(), "bytes": pa.binary(), "date": pa.int32(), "uuid": pa.binary(16),
}
FILLERS = {"boolean": False, "float": "d:nan", "double": "d:nan", "string": "s:", "bytes": "x:", "date": "date:0",
           "uuid": "x:" + "00" * 16, "decimal": "n:0", "list": [], "map": []}
UNITS = {"millis": ("ms", 10**6), "micros": ("us", 10**3), "nanos": ("ns", 1)}


def table(path, shape, rows):
    columns = shape.arrow[1]
    arrays = [array(c, [r[n] for r in rows]) for n, c in columns]
    fields = [pa.field(n, a.type, c.optional) for (n, c), a in zip(columns, arrays)]
    t = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    pq.write_table(t, path, store_decimal_as_integer=True, write_page_checksum=True, store_schema=False)


def array(c, values):
    """Values of a column as an array, made part by part: pyarrow's own way from Python knows no raw timestamps."""
    if not c.optional:  # what stands in for it where what it is part of is missing
        values = [filler(c) if v is None else v for v in values]
    if isinstance(c.arrow, str):
        return simple(c.arrow, values)
    kind, *rest = c.arrow
    missing = pa.array([v is None for v in values], pa.bool_())
    if kind == "struct":
        fields = [(n, f, array(f, [None if v is None else v[n] for v in values])) for n, f in rest[0]]
        types = [pa.field(n, a.type, f.optional) for n, f, a in fields]
        return pa.StructArray.from_arrays([a for *_, a in fields], fields=types, mask=missing)
    if kind in ("list", "map"):
        ends = [0]
        for v in values:
            ends.append(ends[-1] + len(v or []))
        offsets = pa.array(ends, pa.int32(), mask=None)
        flat = [x for v in values if v is not None for x in v]
        if kind == "list":
            inner = array(rest[0], flat)
            t = pa.list_(pa.field("element", inner.type, rest[0].optional))
            return pa.ListArray.from_arrays(offsets, inner, type=t, mask=missing)
        keys, items = pa.array([x["key"][2:] for x in flat], pa.string()), array(rest[0], [x["value"] for x in flat])
        t = pa.map_(pa.string(), pa.field("value", items.type, rest[0].optional))
        return pa.MapArray.from_arrays(offsets, keys, items, type=t, mask=missing)
    return logical(kind, rest, values)


def filler(c):
    kind = c.arrow if isinstance(c.arrow, str) else c.arrow[0]
    if kind == "struct":
        return {n: None for n, _ in c.arrow[1]}
    if kind == "fixed":
        return "x:" + "00" * c.arrow[1]
    return FILLERS.get(kind, ":0" if kind in ("time", "timestamp") else 0)


def simple(kind, values):
    if kind in ("float", "double"):
        values = [None if v is None else number(v) for v in values]
    elif kind == "string":
        values = [None if v is None else v[2:] for v in values]
    elif kind in ("bytes", "uuid"):
        values = [None if v is None else bytes.fromhex(v[2:]) for v in values]
    elif kind == "date":
        return pa.array([None if v is None else int(v[5:]) for v in values], pa.int32()).cast(pa.date32())
    a = pa.array(values, SIMPLE[kind])
    return pa.ExtensionArray.from_storage(pa.uuid(), a) if kind == "uuid" else a


def number(v):
    return float("nan") if v == "d:nan" else struct.unpack(">d", bytes.fromhex(v[2:]))[0]


def logical(kind, rest, values):
    if kind == "fixed":
        return pa.array([None if v is None else bytes.fromhex(v[2:]) for v in values], pa.binary(rest[0]))
    if kind == "decimal":
        import decimal

        make = pa.decimal128 if rest[0] <= 38 else pa.decimal256
        return pa.array([None if v is None else decimal.Decimal(v[2:]) for v in values], make(*rest))
    unit, scale = UNITS[rest[0]]
    raw = [None if v is None else int(v.partition(":")[2].rstrip("Z")) // scale for v in values]
    if kind == "time":
        return pa.array(raw, pa.int32() if unit == "ms" else pa.int64()).cast((pa.time32 if unit == "ms" else pa.time64)(unit))
    return pa.array(raw, pa.int64()).cast(pa.timestamp(unit, "UTC" if rest[1] else None))
