"""Writes the fixtures made byte by byte: python3 handmade.py DIR. Needs what fixtures.py needs."""

import json
import pathlib
import sys
import zlib

import cramjam

import fixtures
import shapes
from fixtures import block, header, long, text

ARRAYS = shapes.record("Sized", ("a", shapes.array("int")), ("m", shapes.map_of("string")), ("aa", shapes.array(shapes.array("int"))))
LONG = shapes.record("One", ("v", "long"))


def file_of(schema, *blocks, **meta):
    more = {k.replace("_", "."): v for k, v in meta.items()}
    return header({"avro.schema": json.dumps(schema), **more}) + b"".join(blocks)


def sized(items):
    """One array or map block with a negative count and its size in bytes."""
    data = b"".join(items)
    return long(-len(items)) + long(len(data)) + data


def plain(items):
    return long(len(items)) + b"".join(items) if items else b""


def collection(*parts):
    return b"".join(parts) + long(0)


def negative_counts():
    """Arrays and maps in several blocks, some with negative counts, some empty though sized, mixed with plain ones."""
    rows = []
    for i in range(60):
        ints = [long(j * 100) for j in range(i % 7)]
        pairs = [text("k%d" % j) + text("v" * j) for j in range(i % 4)]
        cut = len(ints) // 2
        a = [collection(plain(ints)), collection(sized(ints)) if ints else collection(),
             collection(plain(ints[:cut]), sized(ints[cut:]) if ints[cut:] else b""),
             collection(*[sized([x]) for x in ints])][i % 4]
        m = collection(sized(pairs)) if i % 2 and pairs else collection(*[plain([p]) for p in pairs])
        inner = collection(sized(ints)) if ints else collection()
        aa = collection(sized([inner, long(0)]), plain([inner]))
        rows.append(a + m + aa)
    return file_of(ARRAYS, block(30, b"".join(rows[:30])), block(30, b"".join(rows[30:])))


def empty_blocks():
    """File blocks of no rows before, between and behind the others."""
    none = block(0, b"")
    return file_of(LONG, none, block(2, long(1) + long(2)), none, none, block(1, long(3)), none)


def split_header():
    """Header metadata in several blocks, one with a negative count; keys of the user's; no avro.codec."""
    pairs = [("avro.schema", json.dumps(LONG)), ("user.key", b"\x00\xffbinary"), ("another", "")]
    encoded = [text(k) + text(v) for k, v in pairs]
    meta = long(1) + encoded[1] + sized([encoded[0]]) + long(1) + encoded[2] + long(0)
    return b"Obj\x01" + meta + fixtures.SYNC + block(3, long(7) + long(8) + long(-9))


def long_varints():
    """Numbers in more bytes than they need, which Avro's readers take."""
    padded = bytes([0x82, 0x80, 0x00]), bytes([0x80, 0x00]), bytes([0x81, 0x80, 0x80, 0x00])  # 1, 0, -1
    return file_of(LONG, block(3, b"".join(padded)))


def unnamed():
    """Records, a fixed and fields without a name, which Java's reader of data files takes: in a record, in unions, in an array."""
    point = shapes.record("", ("x", "int"), ("", "long"))
    schema = shapes.record("R", ("u", ["null", point]), ("", ["null", {"type": "fixed", "name": "n.", "size": 2}]),
                           ("a", shapes.array("n.")))
    rows = [long(i % 2) + (long(i) + long(-i) if i % 2 else b"") + (long(1) + b"ab" if i % 3 else long(0))
            + collection(plain([b"cd"] * (i % 4))) for i in range(40)]
    return file_of(schema, block(40, b"".join(rows)))


def sync_in_data():
    """The file's own sync marker inside the values, where a scan for it must not be deceived."""
    schema = shapes.record("Traps", ("id", "long"), ("blob", "bytes"))
    row = lambda i: long(i) + text(fixtures.SYNC if i % 3 == 0 else fixtures.SYNC[:15])
    return file_of(schema, *[block(20, b"".join(row(20 * b + i) for i in range(20))) for b in range(10)])


def false_block():
    """A value that holds a whole false block: sync marker, count, size, data, sync marker."""
    schema = shapes.record("Traps", ("id", "long"), ("blob", "bytes"))
    decoy = fixtures.SYNC + block(1, long(99) + text(b"x"))
    row = lambda i: long(i) + text(decoy)
    return file_of(schema, *[block(5, b"".join(row(5 * b + i) for i in range(5))) for b in range(8)])


def schema_text():
    """A schema as no tool writes it: spaces, newlines, escapes, a doc, properties."""
    odd = '{ "type" : {"type":"record", "name":"fi\\u0078tures.Odd",\n "doc":"\\"quoted\\"", "x":[1,2.50,{"y":null}],\n' \
          ' "fields":[{"name":"a","type":{"type":"int","y":[]},"default":0,"order":"ignore"}, {"type":["null","string"],"name":"b","aliases":["c"]}]} }'
    flat = odd[odd.index("{", 1):odd.rindex("}")].strip()
    rows = b"".join(long(i) + (long(0) if i % 2 else long(1) + text("s")) for i in range(10))
    return header({"avro.schema": flat, "avro.codec": "null"}) + block(10, rows)


def zero_byte_bomb():
    """Two rows of an array of 100,000 nulls and of empty records, in a few bytes: legal, and to be converted."""
    schema = shapes.record("Zeros", ("ns", shapes.array("null")), ("rs", shapes.array(shapes.record("E"))))
    row = long(100000) + long(0) + long(100000) + long(0)
    return file_of(schema, block(2, row * 2))


GOOD = {
    "negative-counts": negative_counts, "empty-blocks": empty_blocks, "split-header": split_header, "long-varints": long_varints,
    "sync-in-data": sync_in_data, "false-block-in-data": false_block, "schema-text": schema_text, "many-zero-bytes": zero_byte_bomb,
    "unnamed": unnamed,
}


def raw_deflate(data):
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    return c.compress(data) + c.flush()


def zstandard_bytes(n):
    """A bytes value of n zeros compressed: some 30 bytes for a MiB."""
    return bytes(cramjam.zstd.compress(long(n) + bytes(n), 19))


def broken():
    """Damaged files: name to bytes. All but a few start as the same ten blocks of longs, 100 rows each."""
    data = [b"".join(long(100 * b + i) for i in range(100)) for b in range(10)]
    blocks = [block(100, d) for d in data]
    head = file_of(LONG)
    whole = head + b"".join(blocks)
    at = [len(head) + sum(map(len, blocks[:b])) for b in range(11)]
    flat = fixtures.encode(*shapes.flat(), codec="snappy")
    mid = len(flat) // 2
    rows = lambda n, d: head + block(n, d)
    zero = lambda schema, body: file_of(schema, block(1, body))
    text_schema = lambda s: header({"avro.schema": s})
    return {
        "zero-bytes": b"",
        "text": b"id,name\n1,one\n2,two\n",
        "magic-only": b"Obj\x01",
        "magic-of-avro-0": b"Obj\x00" + whole[4:],
        "truncated-in-header": whole[:len(head) - 20],
        "truncated-in-header-sync": whole[:len(head) - 5],
        "truncated-in-block-3": whole[:at[3] + 50],
        "truncated-in-count-of-block-3": whole[:at[3] + 1],
        "truncated-in-sync-of-block-3": whole[:at[4] - 3],
        "truncated-before-sync-of-block-3": whole[:at[4] - 16],
        "bad-sync-of-block-3": whole[:at[4] - 1] + b"\x00" + whole[at[4]:],
        "garbage-behind-last-block": whole + b"garbage",
        "negative-rows": rows(-1, data[0]),
        "negative-size": head + long(100) + long(-5) + data[0] + fixtures.SYNC,
        "huge-size": head + long(100) + long(2**40) + data[0] + fixtures.SYNC,
        "huge-rows": rows(2**62, data[0]),
        "fewer-values-than-rows": rows(101, data[0]),
        "more-values-than-rows": rows(99, data[0]),
        "rows-without-bytes": rows(5, b""),
        "varint-of-11-bytes": rows(1, b"\xff" * 10 + b"\x01"),
        "varint-past-64-bits": rows(1, b"\xff" * 9 + b"\x7f"),
        "no-schema": header({"avro.codec": "null"}) + blocks[0],
        "schema-not-json": text_schema("{not json") + blocks[0],
        "schema-unknown-type": text_schema('"decimal128"') + blocks[0],
        "schema-deep": text_schema('{"type":"array","items":' * 5000 + '"int"' + "}" * 5000) + blocks[0],
        "codec-unknown": file_of(LONG, *blocks, avro_codec="lzo"),
        "header-count-huge": b"Obj\x01" + long(2**62) + whole[5:],
        "header-key-length-huge": b"Obj\x01" + long(1) + long(2**50) + b"avro.schema",
        "snappy-bad-crc": flat[:-17] + bytes([flat[-17] ^ 1]) + flat[-16:],
        "snappy-flipped-byte": flat[:mid] + bytes([flat[mid] ^ 0x55]) + flat[mid + 1:],
        "snappy-declares-huge": file_of(LONG, block(1, b"\xff\xff\xff\xff\x0f" + b"\x00" * 8), avro_codec="snappy"),
        "deflate-bad": file_of(LONG, block(100, b"\xff" * 30), avro_codec="deflate"),
        "zstandard-bomb": file_of("bytes", block(1, zstandard_bytes(300 << 20)), avro_codec="zstandard"),
        "deflate-cut": file_of(LONG, block(100, raw_deflate(data[0])[:-9]), avro_codec="deflate"),
        "string-length-huge": zero("string", long(2**40) + b"abc"),
        "string-length-negative": zero("string", long(-4) + b"abc"),
        "enum-out-of-range": zero(shapes.ENUM, long(4)),
        "enum-negative": zero(shapes.ENUM, long(-1)),
        "union-out-of-range": zero(["null", "int"], long(2)),
        "int-out-of-range": zero("int", long(2**31)),
        "array-count-huge": zero(shapes.array("long"), long(2**40) + long(1)),
        "array-of-null-count-huge": zero(shapes.array("null"), long(2**62) + long(0)),
        "array-count-least": zero(shapes.array("int"), long(-(2**63)) + long(1)),
        "array-without-end": zero(shapes.array("int"), long(1) + long(5)),
        "fixed-cut": zero(shapes.FIXED, b"ab"),
    }


def lenient():
    """Files against the letter of Avro that most readers take, and Java's among them."""
    one = lambda schema, body: file_of(schema, block(1, body))
    return {
        "string-not-utf8": one("string", text(b"\xff\xfe")),
        "boolean-of-2": one("boolean", b"\x02"),
        "array-size-wrong": one(shapes.array("int"), long(-2) + long(99) + long(1) + long(2) + long(0)),
    }


# Sound files that cannot be converted together: each folder holds two.
def mixed():
    one = lambda schema, data: file_of(schema, block(1, data))
    rec = lambda *fields, **more: shapes.record("Row", *fields, **more)
    base = rec(("a", "int"), ("b", "string"))
    day = {"type": "int", "logicalType": "date"}
    enum = lambda *symbols: {"type": "enum", "name": "E", "symbols": list(symbols)}
    return {
        "type": (one(base, long(1) + text("x")), one(rec(("a", "long"), ("b", "string")), long(1) + text("x"))),
        "field-added": (one(base, long(1) + text("x")), one(rec(("a", "int"), ("b", "string"), ("c", "int")), long(1) + text("x") + long(2))),
        "field-order": (one(base, long(1) + text("x")), one(rec(("b", "string"), ("a", "int")), text("x") + long(1))),
        "enum-order": (one(rec(("e", enum("A", "B"))), long(0)), one(rec(("e", enum("B", "A"))), long(0))),
        "union-order": (one(rec(("u", ["null", "int"])), long(0)), one(rec(("u", ["int", "null"])), long(1))),
        "logical": (one(rec(("a", "int")), long(1)), one(rec(("a", day)), long(1))),
    }


def same_schema():
    """Two files whose schemas' texts differ and mean the same: documentation, aliases and properties decide nothing."""
    base = shapes.record("Row", ("a", "int"), ("b", ["null", "string"]))
    other = dict(base, doc="a doc", aliases=["Old"], note={"x": 1})
    body = lambda i: block(2, (long(i) + long(0)) + (long(i + 1) + long(1) + text("s")))
    return file_of(base, body(1)), file_of(other, body(3))


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def main(top):
    for name, make in GOOD.items():
        write(top / "avro" / f"handmade-{name}.avro", make())
    for name, data in broken().items():
        write(top / "broken" / f"{name}.avro", data)
    for name, data in lenient().items():
        write(top / "lenient" / f"{name}.avro", data)
    for name, pair in mixed().items():
        for letter, data in zip("ab", pair):
            write(top / "mixed" / name / f"{letter}.avro", data)
    for letter, data in zip("ab", same_schema()):
        write(top / "alike" / f"{letter}.avro", data)
    for codec in ("null", "deflate"):
        write(top / "refused" / f"recursive-{codec}.avro", fixtures.encode(*shapes.RECURSIVE, codec=codec))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
