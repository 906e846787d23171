"""Avro's types as Parquet's columns, told a second time: independently of the Go code, from the table in docs/parquet.md.

shape(schema, portable) of an Avro schema, as fastavro parsed it, is a Column, which knows the values' canonical form (see
canonical.py) and their type in Arrow. Values are fastavro's of avro.py: raw, unions told apart by their branch.
"""

import math
import struct

SIMPLE = ("null", "boolean", "int", "long", "float", "double", "string", "bytes")
WHOLE = {"": 10**9, "millis": 10**6, "micros": 10**3, "nanos": 1}  # nanoseconds


class Column:
    """A type: its name in Arrow, as pyarrow's calls, and what makes a value canonical. columns is 0 where it leaves nothing."""

    def __init__(self, arrow, canonical, optional=False, columns=1):
        self.arrow, self.canonical, self.optional, self.columns = arrow, canonical, optional, columns


def shape(schema, portable=True):
    """The columns of a file's rows: a struct."""
    names = {}
    kind = schema.get("type") if isinstance(schema, dict) else schema
    if kind in ("record", "error"):
        return Mapper(names, portable).of(schema)
    inner = Mapper(names, portable).of(schema)
    return Column(("struct", [("value", inner)]), lambda v: {"value": inner.canonical(v)})


class Mapper:
    def __init__(self, names, portable):
        self.names, self.portable = names, portable

    def of(self, schema):
        if isinstance(schema, list):
            return self.union(schema)
        kind = schema if isinstance(schema, str) else schema["type"]
        if isinstance(kind, (list, dict)):
            return self.of(kind)
        if isinstance(schema, dict) and "name" in schema:
            self.names[schema["name"]] = schema
        if kind in self.names and not (isinstance(schema, dict) and kind != schema.get("name") and "fields" in schema):
            if isinstance(schema, str) or kind not in ("record", "error", "enum", "fixed"):
                return self.of(self.names[kind])
        if kind in ("record", "error"):
            return self.record(schema)
        if kind == "array":
            item = self.of(schema["items"])
            return Column(("list", item), lambda v: [item.canonical(x) for x in v])
        if kind == "map":
            item = self.of(schema["values"])
            return Column(("map", item), lambda v: [{"key": "s:" + k, "value": item.canonical(x)} for k, x in v])
        if kind == "enum":
            return Column("string", text)
        return self.simple(kind, schema if isinstance(schema, dict) else {})

    def record(self, schema):
        fields = [(f["name"], self.of(f["type"])) for f in schema["fields"]]
        kept = [(n, c) for n, c in fields if c.columns] or [("_", NOTHING)]
        return Column(
            ("struct", kept),
            lambda v: {n: c.canonical(v[n]) if n != "_" or "_" in v else None for n, c in kept},
        )

    def union(self, branches):
        some = [(i, self.of(b)) for i, b in enumerate(branches) if kind_of(b) != "null"]
        optional = len(some) < len(branches)
        if not some:
            return NULL
        if len(some) == 1:
            at, inner = some[0]
            return Column(
                inner.arrow, lambda v: inner.canonical(v[1]) if v[0] == at else None, optional or inner.optional
            )
        members = [(f"member{n}", Column(c.arrow, c.canonical, True)) for n, (_, c) in enumerate(some)]

        def canonical(v):
            if all(i != v[0] for i, _ in some):
                return None
            return {f"member{n}": c.canonical(v[1]) if i == v[0] else None for n, (i, c) in enumerate(some)}

        return Column(("struct", members), canonical, optional)

    def simple(self, kind, schema):
        logical = schema.get("logical")
        if kind == "null":
            return NULL
        if kind in ("boolean", "int", "long"):
            return self.number(kind, logical)
        if kind in ("float", "double"):
            return Column(kind, number)
        if kind == "string":
            return Column("string", text)
        size = schema.get("size") if kind == "fixed" else None
        if logical == "decimal" and (d := decimal_of(schema, size)):
            precision, scale = d
            if precision <= 38 or not self.portable:
                return Column(("decimal", precision, scale), lambda v: decimal(int.from_bytes(v, "big", signed=True), scale))
        if size and logical == "uuid" and int(size) == 16 and not self.portable:
            return Column("uuid", octets)
        if size and int(size):
            return Column(("fixed", int(size)), octets)
        return Column("bytes", octets)

    def number(self, kind, logical):
        if kind == "int" and logical == "date":
            return Column("date", lambda v: f"date:{v}")
        if logical in {"int": ["time-millis"], "long": ["time-micros"]}.get(kind, []) and not self.portable:
            unit = logical[5:]
            return Column(("time", unit), lambda v: f"time:{v * WHOLE[unit]}")
        if kind == "long" and logical and "timestamp-" in logical:
            local, unit = logical.startswith("local-"), logical.rpartition("-")[2]
            if unit in WHOLE and logical.removeprefix("local-") == "timestamp-" + unit and not (unit == "nanos" and self.portable):
                zone = "" if local else "Z"
                return Column(("timestamp", unit, not local), lambda v: f"ts:{v * WHOLE[unit]}{zone}")
        return Column(kind, lambda v: v)


def kind_of(schema):
    return schema.get("type") if isinstance(schema, dict) else schema


def text(v):
    return "s:" + v


def octets(v):
    return "x:" + v.hex()


def number(v):
    return "d:nan" if math.isnan(v) else "d:" + struct.pack(">d", v).hex()


def decimal(unscaled, scale):
    digits = str(abs(unscaled)).zfill(scale + 1)
    whole, part = (digits[:-scale], digits[-scale:]) if scale else (digits, "")
    return "n:" + ("-" if unscaled < 0 else "") + whole + ("." + part if part else "")


def decimal_of(schema, size):
    """Precision and scale, where they are as Avro asks."""
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if not all(isinstance(n, int) and not isinstance(n, bool) for n in (precision, scale)):
        return None
    if precision <= 0 or scale < 0 or scale > precision:
        return None
    if size is not None and precision > int(math.log10(2) * (8 * int(size) - 1)):
        return None
    return precision, scale


NULL = Column("boolean", lambda v: None, True, 0)  # as a field nothing, else an optional boolean
NOTHING = Column("boolean", lambda v: None, True)
