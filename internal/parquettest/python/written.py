"""Writes Parquet files with other programs, from one nested table and one flat, and compares Avro
files that were made of them with the tables.

    written.py make FOLDER     x.parquet, of each program and way
    written.py check FOLDER    x.avro of each x.parquet: prints what differs
"""

import datetime
import decimal
import os
import sys

import duckdb
import fastavro
import polars
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 300
DAY = datetime.date(2020, 1, 1)
NOW = datetime.datetime(2021, 1, 1)
UTC = datetime.timezone.utc


def flat(i):
    return {
        "id": i,
        "flag": i % 2 == 0,
        "small": i % 100 - 50,
        "unsigned": 2**32 - 1 - i,
        "large": 2**64 - 1 - i,
        "single": i / 4,
        "double": -i / 3,
        "text": None if i % 7 == 0 else "text %d" % (i % 20),
        "data": bytes([i % 256, 255]),
        "day": DAY + datetime.timedelta(days=i),
        "local": NOW + datetime.timedelta(microseconds=i),
        "instant": NOW.replace(tzinfo=UTC) + datetime.timedelta(milliseconds=i),
        "price": decimal.Decimal(i - 100) / 100,
        "wide": decimal.Decimal(i - 100) * 10**20,
        "nothing": None,
    }


def nested(i):
    return {
        "id": i,
        "tags": None if i % 5 == 0 else [None if k == 1 else "t%d" % k for k in range(i % 4)],
        "grid": [[i, k] for k in range(i % 3)],
        "person": None if i % 6 == 0 else {"name": "n%d" % i, "phones": [{"kind": "home", "no": i}] * (i % 3)},
        "long": list(range(i % 90)),
        "props": {"k%d" % k: None if k == 1 else k for k in range(i % 3)},
    }


SCHEMAS = {
    "flat": pa.schema([
        ("id", pa.int64()), ("flag", pa.bool_()), ("small", pa.int8()), ("unsigned", pa.uint32()), ("large", pa.uint64()),
        ("single", pa.float32()), ("double", pa.float64()), ("text", pa.string()), ("data", pa.binary()), ("day", pa.date32()),
        ("local", pa.timestamp("us")), ("instant", pa.timestamp("ms", "UTC")), ("price", pa.decimal128(9, 2)),
        ("wide", pa.decimal128(30, 2)), ("nothing", pa.null()),
    ]),
    "nested": pa.schema([
        ("id", pa.int64()), ("tags", pa.list_(pa.string())), ("grid", pa.list_(pa.list_(pa.int32()))),
        ("person", pa.struct([("name", pa.string()), ("phones", pa.list_(pa.struct([("kind", pa.string()), ("no", pa.int32())])))])),
        ("long", pa.list_(pa.int64())), ("props", pa.map_(pa.string(), pa.int32())),
    ]),
}
TABLES = {"flat": [flat(i) for i in range(ROWS)], "nested": [nested(i) for i in range(ROWS)]}

# What a program cannot write, or not as it is.
OMITTED = {"polars": ["props"], "duckdb": ["nothing"], "int96": []}


def tables():
    for name, rows in TABLES.items():
        yield name, pa.Table.from_pylist(rows, schema=SCHEMAS[name])


def without(table, program):
    return table.drop_columns([n for n in OMITTED[program] if n in table.column_names])


def make(folder):
    for name, table in tables():
        def write(way, **options):
            pq.write_table(table, os.path.join(folder, "%s-%s.parquet" % (way, name)), **options)

        write("pyarrow", row_group_size=70, write_page_checksum=True, write_page_index=True)
        write("pyarrow_v2", data_page_version="2.0", compression="zstd", use_dictionary=False, data_page_size=500)
        write("pyarrow_old", version="1.0", use_compliant_nested_type=False, compression="gzip", store_schema=False)
        write("int96", use_deprecated_int96_timestamps=True, compression="none")
        duck = without(table, "duckdb")
        duckdb.sql("copy duck to '%s' (format parquet)" % os.path.join(folder, "duckdb-%s.parquet" % name))
        duckdb.sql("copy duck to '%s' (format parquet, parquet_version v2, codec zstd)" % os.path.join(folder, "duckdb_v2-%s.parquet" % name))
        polars.from_arrow(without(table, "polars")).write_parquet(os.path.join(folder, "polars-%s.parquet" % name))


def plain(value):
    """Returns a value as the tables have it."""
    if isinstance(value, datetime.datetime) and value.tzinfo:
        return value.astimezone(UTC)
    if isinstance(value, bytes) and len(value) == 12:  # INT96: nanoseconds, and a Julian day
        nanos, day = int.from_bytes(value[:8], "little"), int.from_bytes(value[8:], "little")
        return datetime.datetime(1970, 1, 1) + datetime.timedelta(days=day - 2440588, microseconds=nanos // 1000)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


def check(folder):
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".parquet"):
            continue
        name = file[: -len(".parquet")]
        program, table = name.split("-")
        omitted = OMITTED[program.split("_")[0]] if program.split("_")[0] in OMITTED else []
        with open(os.path.join(folder, name + ".avro"), "rb") as f:
            rows = list(fastavro.reader(f))
        if len(rows) != ROWS:
            print("%s: %d rows of %d" % (name, len(rows), ROWS))
        for i, (want, have) in enumerate(zip(TABLES[table], rows)):
            want = {k: v for k, v in want.items() if k not in omitted}
            have = plain(have)
            if program == "int96":
                for k in ("local", "instant"):
                    if k in have:
                        want[k] = want[k].replace(tzinfo=None)
            if want != have:
                print("%s: row %d: %r, not %r" % (name, i, have, want))
                break
        else:
            print("%s: equal" % name)


{"make": make, "check": check}[sys.argv[1]](sys.argv[2])
