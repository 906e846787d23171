"""Writes tables of real data with polars and fastavro: python3 frames.py DIR. Needs polars 2.1.0, pyarrow, vega_datasets 0.9.0, fastavro."""

import datetime
import pathlib
import sys

import fastavro
import polars
from vega_datasets import local_data

import fixtures

MAKER = "polars-" + polars.__version__


def typed():
    """One column for each type that polars writes, all of them nullable."""
    n = 150
    rows = range(n)
    some = lambda make: [None if i % 11 == 3 else make(i) for i in rows]
    return polars.DataFrame({
        "flag": some(lambda i: i % 2 == 0),
        "i32": polars.Series(some(lambda i: i - 75), dtype=polars.Int32),
        "i64": some(lambda i: i * 10**12),
        "f32": polars.Series(some(lambda i: i / 8), dtype=polars.Float32),
        "f64": some(lambda i: i / 3),
        "text": some(lambda i: "é" * (i % 5)),
        "blob": some(lambda i: bytes([i])),
        "day": some(lambda i: datetime.date(2026, 1, 1) + datetime.timedelta(i)),
        "at": some(lambda i: datetime.datetime(2026, 1, 1) + datetime.timedelta(hours=i)),
        "list": some(lambda i: [None if j == 1 else j for j in range(i % 4)]),
        "struct": [{"x": i, "y": None if i % 2 else "s"} for i in rows],
        "allnull": polars.Series([None] * n, dtype=polars.Int64),
    })


def main(avro):
    typed().write_avro(avro / f"{MAKER}-typed.avro", name="Typed")
    typed().write_avro(avro / f"{MAKER}-typed-deflate.avro", compression="deflate", name="Typed")
    polars.from_pandas(local_data("airports")).write_avro(avro / f"{MAKER}-airports-snappy.avro", compression="snappy", name="Airport")
    polars.from_pandas(local_data("cars")).write_avro(avro / f"{MAKER}-cars.avro", name="Car")
    polars.from_pandas(local_data("seattle-weather")).write_avro(avro / f"{MAKER}-weather-snappy.avro", compression="snappy", name="Day")
    weather(avro)


def weather(avro):
    """The same weather by fastavro: a date as such, an enum, and a record in the record."""
    maker = "fastavro-" + fastavro.__version__
    frame = polars.from_pandas(local_data("seattle-weather"))
    kinds = sorted(set(frame["weather"]))
    double = lambda name: {"name": name, "type": "double"}
    temp = {"type": "record", "name": "Temp", "fields": [double("max"), double("min")]}
    kind = {"type": "enum", "name": "Kind", "symbols": kinds}
    schema = {"type": "record", "name": "Day", "namespace": "weather", "fields": [
        {"name": "date", "type": {"type": "int", "logicalType": "date"}},
        double("precipitation"), {"name": "temp", "type": temp}, double("wind"), {"name": "weather", "type": kind},
    ]}
    epoch = datetime.date(1970, 1, 1)
    rows = [{
        "date": (r["date"].date() - epoch).days, "precipitation": r["precipitation"],
        "temp": {"max": r["temp_max"], "min": r["temp_min"]}, "wind": r["wind"], "weather": r["weather"],
    } for r in frame.iter_rows(named=True)]
    (avro / f"{maker}-weather-zstandard.avro").write_bytes(fixtures.encode(schema, rows, codec="zstandard"))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]) / "avro")
