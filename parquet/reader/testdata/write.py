"""Writes two tables, one flat and one nested, with the writers that are installed, for the
tests of this package: small files, in the folder that is given.

    python3 write.py FOLDER WRITER...       pyarrow, duckdb, polars, datafusion, clickhouse, spark
"""

import datetime
import decimal
import os
import random
import shutil
import sys

import pyarrow as pa
import pyarrow.parquet as pq

N = 120


def flat():
    r = random.Random(1)
    day = datetime.date(2020, 2, 28)
    maybe = lambda v: None if r.random() < 0.2 else v
    return pa.table({
        "id": pa.array(range(N), pa.int64()),
        "small": pa.array([maybe(r.randrange(-100, 100)) for _ in range(N)], pa.int32()),
        "flag": pa.array([maybe(r.random() < 0.5) for _ in range(N)], pa.bool_()),
        "price": pa.array([r.gauss(0, 1e6) for _ in range(N)], pa.float64()),
        "ratio": pa.array([maybe(float(r.randrange(9))) for _ in range(N)], pa.float32()),
        "name": pa.array([maybe("name" + "é" * (i % 7)) for i in range(N)], pa.string()),
        "raw": pa.array([bytes(r.randrange(256) for _ in range(i % 5)) for i in range(N)], pa.binary()),
        "day": pa.array([day + datetime.timedelta(i) for i in range(N)], pa.date32()),
        "at": pa.array([maybe(1_600_000_000_000_000 + 977 * i) for i in range(N)], pa.timestamp("us")),
        "sum": pa.array([maybe(decimal.Decimal(r.randrange(-10**9, 10**9)).scaleb(-2)) for _ in range(N)], pa.decimal128(12, 2)),
    })


def nested():
    r = random.Random(2)
    maybe = lambda v, p=0.2: None if r.random() < p else v
    many = lambda f, most=4: [f() for _ in range(r.randrange(most))]
    number = lambda: maybe(r.randrange(1000))
    rows = [{
        "id": i,
        "list": maybe(many(number)),
        "lists": maybe(many(lambda: maybe(many(number)))),
        "struct": maybe({"a": number(), "b": maybe({"c": maybe("x" * r.randrange(4))})}),
        "structs": maybe(many(lambda: maybe({"a": number(), "tags": maybe(many(lambda: maybe("tag%d" % r.randrange(3))))}))),
    } for i in range(N)]
    i32 = pa.int32()
    tags = pa.struct([("a", i32), ("tags", pa.list_(pa.string()))])
    return pa.Table.from_pylist(rows, pa.schema([
        ("id", pa.int64()), ("list", pa.list_(i32)), ("lists", pa.list_(pa.list_(i32))),
        ("struct", pa.struct([("a", i32), ("b", pa.struct([("c", pa.string())]))])), ("structs", pa.list_(tags)),
    ]))


def with_map(table):
    r = random.Random(3)
    maps = [None if i % 9 == 0 else [("k%d" % k, None if r.random() < 0.3 else k) for k in range(i % 4)] for i in range(N)]
    return table.append_column("map", pa.array(maps, pa.map_(pa.string(), pa.int64())))


def pyarrow(folder):
    """Each codec, both versions of pages, and the encodings in turn."""
    encodings = [
        None,
        {"id": "DELTA_BINARY_PACKED", "small": "DELTA_BINARY_PACKED", "name": "DELTA_LENGTH_BYTE_ARRAY", "raw": "DELTA_BYTE_ARRAY",
         "price": "BYTE_STREAM_SPLIT", "ratio": "BYTE_STREAM_SPLIT", "flag": "RLE", "sum": "DELTA_BYTE_ARRAY"},
        {"id": "BYTE_STREAM_SPLIT", "small": "BYTE_STREAM_SPLIT", "name": "DELTA_BYTE_ARRAY", "sum": "BYTE_STREAM_SPLIT", "at": "DELTA_BINARY_PACKED"},
    ]
    for i, codec in enumerate(["none", "snappy", "gzip", "brotli", "zstd", "lz4"]):
        for version in (1, 2):
            how = encodings[(i + version) % 3]
            common = dict(compression=codec, data_page_version=f"{version}.0", write_page_checksum=i % 2 == 0, store_schema=False,
                          row_group_size=80, data_page_size=300, write_batch_size=10)
            kind = dict(use_dictionary=True) if how is None else dict(use_dictionary=False, column_encoding=how)
            pq.write_table(flat(), f"{folder}/pyarrow-flat-{codec}-v{version}.parquet", **common, **kind)
            pq.write_table(with_map(nested()), f"{folder}/pyarrow-nested-{codec}-v{version}.parquet", **common, use_dictionary=version == 1)
    t = flat().select(["at", "id"])
    pq.write_table(t, f"{folder}/pyarrow-int96.parquet", use_deprecated_int96_timestamps=True, store_schema=False)


def duckdb(folder):
    import duckdb
    for name, rows in ("flat", flat()), ("nested", with_map(nested())):
        for version in ("V1", "V2"):
            duckdb.sql(f"COPY (SELECT * FROM rows) TO '{folder}/duckdb-{name}-{version.lower()}.parquet' (PARQUET_VERSION {version}, COMPRESSION {'snappy' if version == 'V1' else 'zstd'})")


def polars(folder):
    import polars as pl
    for name, table in ("flat", flat()), ("nested", nested()):
        pl.from_arrow(table).write_parquet(f"{folder}/polars-{name}.parquet")


def datafusion(folder):
    from datafusion import SessionContext
    for name, table in ("flat", flat()), ("nested", nested()):
        SessionContext().from_arrow(table).write_parquet(f"{folder}/datafusion-{name}.parquet")
        lift(f"{folder}/datafusion-{name}.parquet")


def clickhouse(folder):
    import chdb
    pq.write_table(flat(), f"{folder}/in.parquet")
    for codec in "snappy", "lz4", "brotli":
        out = f"{folder}/clickhouse-flat-{codec}.parquet"
        if os.path.exists(out):
            os.remove(out)
        chdb.query(f"SELECT * FROM file('{folder}/in.parquet') INTO OUTFILE '{out}' FORMAT Parquet SETTINGS output_format_parquet_compression_method='{codec}'")
    nulls = nested().select(["id", "list", "lists"])
    pq.write_table(nulls, f"{folder}/in.parquet")
    out = f"{folder}/clickhouse-nested.parquet"
    if os.path.exists(out):
        os.remove(out)
    chdb.query(f"SELECT * FROM file('{folder}/in.parquet') INTO OUTFILE '{out}' FORMAT Parquet")
    os.remove(f"{folder}/in.parquet")


def spark(folder):
    from pyspark.sql import SparkSession
    s = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    for version in ("PARQUET_1_0", "PARQUET_2_0"):
        s.conf.set("parquet.writer.version", version)
        for name, table in ("flat", flat()), ("nested", with_map(nested())):
            pq.write_table(table, f"{folder}/in.parquet", coerce_timestamps="us")
            out = f"{folder}/spark-{name}-v{version[8]}.parquet"
            s.read.parquet(f"{folder}/in.parquet").coalesce(1).write.option("parquet.writer.version", version).mode("overwrite").parquet(out)
            lift(out)
    os.remove(f"{folder}/in.parquet")


def lift(path):
    """Puts the one part of a folder in the folder's place."""
    if os.path.isdir(path):
        part = [f for f in os.listdir(path) if f.endswith(".parquet")]
        assert len(part) == 1, part
        os.rename(os.path.join(path, part[0]), path + ".part")
        shutil.rmtree(path)
        os.rename(path + ".part", path)


for writer in sys.argv[2:]:
    globals()[writer](sys.argv[1])
