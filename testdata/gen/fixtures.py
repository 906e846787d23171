"""Writes the fixtures made with fastavro: python3 fixtures.py DIR. Needs fastavro 1.13.1, cramjam, backports.zstd."""

import io
import json
import pathlib
import sys

import fastavro
from fastavro import schema as fschema

import shapes

SYNC = bytes(range(0xA0, 0xB0))


def strip_logical(schema):
    """The schema without logical types, so that values in the underlying type are written as they are."""
    if isinstance(schema, dict):
        return {k: strip_logical(v) for k, v in schema.items() if k not in ("logicalType", "precision", "scale")}
    if isinstance(schema, list):
        return [strip_logical(s) for s in schema]
    return schema


def encode(schema, rows, codec="null", interval=16000):
    """An Avro file of these rows, whose header carries the schema's text as given."""
    out = io.BytesIO()
    parsed = fschema.parse_schema(strip_logical(schema))
    fastavro.writer(out, parsed, rows, codec=codec, sync_interval=interval, sync_marker=SYNC)
    return with_schema(out.getvalue(), schema)


def with_schema(data, schema):
    """The same file with its header written anew: avro.codec first, and the schema verbatim."""
    src = io.BytesIO(data)
    reader = fastavro.block_reader(src)
    codec = reader.metadata["avro.codec"]
    body = data[data.index(SYNC) + 16:]
    return header({"avro.codec": codec, "avro.schema": json.dumps(schema)}) + body


def long(n):
    """A zigzag varint."""
    n = (n << 1) ^ (n >> 63)
    n &= 2**64 - 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def text(s):
    data = s if isinstance(s, bytes) else s.encode()
    return long(len(data)) + data


def header(meta, sync=SYNC):
    pairs = b"".join(text(k) + text(v) for k, v in meta.items())
    return b"Obj\x01" + long(len(meta)) + pairs + long(0) + sync


def block(rows, data, sync=SYNC):
    return long(rows) + long(len(data)) + data + sync


def main(top):
    avro = top / "avro"
    avro.mkdir(parents=True, exist_ok=True)
    maker = "fastavro-" + fastavro.__version__

    def put(name, schema, rows, **how):
        (avro / f"{maker}-{name}.avro").write_bytes(encode(schema, rows, **how))

    for name, make in shapes.SHAPES.items():
        schema, rows = make()
        put(name, schema, rows)
    for name, (schema, rows) in shapes.TOP.items():
        put("top-" + name, schema, rows)
    for codec in ("deflate", "snappy", "bzip2", "xz", "zstandard"):
        put("flat-" + codec, *shapes.flat(), codec=codec)
        put("events-" + codec, *shapes.events(), codec=codec)
    put("flat-many-blocks", *shapes.flat(), interval=64)
    put("events-many-blocks-snappy", *shapes.events(), interval=500, codec="snappy")
    put("runs-one-block-deflate", *shapes.runs(), interval=1 << 30, codec="deflate")
    put("big-values-deflate", *shapes.big_values(), codec="deflate")
    put("zero-rows", shapes.events()[0], [])
    put("zero-rows-top-int", "int", [])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
