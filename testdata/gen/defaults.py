"""Writes tables as polars and fastavro do when they are told nothing: python3 defaults.py DIR writes twenty of each into DIR, and
python3 defaults.py --fixtures testdata those that are fixtures. Needs polars 2.1.0 and fastavro 1.13.1. The sync markers are random."""

import datetime
import decimal
import io
import pathlib
import sys

import fastavro
import polars

import shapes

# A header as spreadsheets and pandas' to_csv write it: an index without a name, spaces, dashes, dots, units, a year.
CSV = """,unit price,sku-no,v1.2,weight (kg),2024,Größe,in stock?
0,1.50,A-1,x,0.25,7,S,true
1,,B-2,,1e3,8,M,false
2,-0.125,"C,3",é,,,XL,
"""

DAY = datetime.date(2026, 1, 1)
NOON = datetime.datetime(2026, 1, 1, 12)


def series(dtype, values):
    return polars.Series(values, dtype=dtype)


def frames():
    """Twenty tables by name, of every type that polars writes."""
    n = range(100)
    some = lambda make: [None if i % 7 == 3 else make(i) for i in n]
    frame = polars.DataFrame
    return {
        "csv-header": polars.read_csv(io.StringIO(CSV)),
        "typed": frame({
            "flag": some(lambda i: i % 2 == 0), "i32": series(polars.Int32, some(lambda i: i - 75)), "i64": some(lambda i: i * 10**12),
            "f32": series(polars.Float32, some(lambda i: i / 8)), "f64": some(lambda i: i / 3), "text": some(lambda i: "é" * (i % 5)),
            "blob": some(lambda i: bytes([i])), "day": some(lambda i: DAY + datetime.timedelta(i)),
            "at": some(lambda i: NOON + datetime.timedelta(hours=i)),
            "price": series(polars.Decimal(10, 2), some(lambda i: decimal.Decimal(i - 50) / 4)),
        }),
        "structs": frame({
            "id": list(n), "point": [{"x": i, "y": None if i % 3 else {"z": "s" * (i % 4)}} for i in n],
            "list": some(lambda i: list(range(i % 4))),
            "lists": series(polars.List(polars.List(polars.Int64)), some(lambda i: [[j] * j for j in range(i % 3)])),
            "points": some(lambda i: [{"x": j, "tags": ["t"] * (j + 1)} for j in range(i % 3)]),
        }),
        "booleans": frame({"a": some(lambda i: i % 3 == 0), "b": [i % 5 == 0 for i in n]}),
        "longs": frame({"a": [i**9 for i in n], "b": [-(i**9) for i in n]}),
        "doubles": frame({"a": [float("nan"), float("inf"), -0.0, 1e-320, None]}),
        "texts": frame({"a": ["", "a\x00b", "日本語", "\U0001f600", "x" * 1000, None]}),
        "blobs": frame({"a": [b"", b"\x00", bytes(range(256)), None]}),
        "days": frame({"a": some(lambda i: DAY - datetime.timedelta(i * 1000))}),
        "times": frame({"a": some(lambda i: NOON - datetime.timedelta(microseconds=i**5))}),
        "decimals": frame({"a": series(polars.Decimal(38, 10), some(lambda i: decimal.Decimal(10) ** (i % 20) - i))}),
        "nothing-but-null": frame({"a": series(polars.Int64, [None] * 10), "b": series(polars.String, [None] * 10)}),
        "no-rows": frame({"a": series(polars.Int64, []), "b": series(polars.List(polars.String), [])}),
        "one-row": frame({"a": [1]}),
        "wide": frame({f"c{i}": [i, None, -i] for i in range(60)}),
        "many-rows": frame({"a": list(range(5000)), "b": [str(i % 10) for i in range(5000)]}),
        "odd-names": frame({"a.b": [1], "a#b": [2], "a/b": [3], "a>": [4], "('x', 'y')": [5], "$": [6], " ": [7], '"': [8]}),
        "odd-names-below": frame({"s": [{"": 1, "a b": {"c-d": [2]}}]}),
        "no-names": frame({"": [{"": [1, None]}]}),
        "runs": frame({"a": [None if i // 30 % 2 else i for i in range(300)], "l": [[i] if i // 40 % 2 else [] for i in range(300)]}),
    }


def tables():
    """Twenty schemas and rows by name, for fastavro."""
    named = {name: make() for name, make in shapes.SHAPES.items() if name not in ("no-fields", "wide", "logical")}
    named.update({"top-" + name: table for name, table in shapes.TOP.items() if name in ("long", "array", "map", "union", "enum", "fixed")})
    header = ["", "unit price", "sku-no", "v1.2", "2024"]
    named["header"] = ({"type": "record", "name": "table", "fields": [{"name": h, "type": ["null", "double"]} for h in header]},
                       [{h: None if (i + k) % 3 == 0 else i / 4 for k, h in enumerate(header)} for i in range(50)])
    named["unnamed"] = ({"type": "record", "name": "", "namespace": "", "doc": "", "fields": [
        {"name": "a", "type": "int", "default": 0}, {"name": "b", "type": ["null", "string"], "default": "x"},
        {"name": "c", "type": {"type": "array", "items": "long", "name": "list"}, "default": []}]},
        [{"a": i, "b": None if i % 3 else "s", "c": list(range(i % 4))} for i in range(50)])
    return dict(list(named.items())[-20:])


def main(folder, wanted=None):
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in frames().items():
        if wanted is None or name in wanted:
            table.write_avro(folder / f"polars-{polars.__version__}-default-{name}.avro")
    for name, (schema, rows) in tables().items():
        if wanted is None or name in wanted:
            with open(folder / f"fastavro-{fastavro.__version__}-default-{name}.avro", "wb") as out:
                fastavro.writer(out, schema, rows)


if __name__ == "__main__":
    if sys.argv[1] == "--fixtures":
        main(pathlib.Path(sys.argv[2]) / "avro", ("csv-header", "typed", "structs", "odd-names-below", "header", "unnamed", "no-names"))
    else:
        main(pathlib.Path(sys.argv[1]))
