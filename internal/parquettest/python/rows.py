"""Reads Parquet files, and writes their rows in canonical form: python3 rows.py READER < jobs

A job is a line: NAME, the Parquet file, the file to write, between tabs. All readers give their rows to Arrow, which loses
nothing of them that Python's own values would: keys that are twice in a map, nanoseconds, years before 1.
"""

import math
import struct
import sys

import pyarrow as pa
import pyarrow.types as types

import canonical

MASK = 2**32 - 1
NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def main(reader):
    read = {
        "pyarrow": with_pyarrow, "duckdb": with_duckdb, "polars": with_polars,
        "datafusion": with_datafusion, "spark": with_spark,
    }[reader]()
    for name, parquet, target in canonical.jobs():
        canonical.answer(name, lambda: canonical.write(target, table_rows(read(parquet))))


def with_pyarrow():
    import pyarrow.parquet as pq

    return lambda path: pq.ParquetFile(path, page_checksum_verification=True).read()


def with_duckdb():
    import duckdb

    db = duckdb.connect()
    db.execute("SET arrow_lossless_conversion = true; SET TimeZone = 'UTC'")
    return lambda path: db.sql("SELECT * FROM read_parquet(?)", params=[path]).to_arrow_table()


def with_polars():
    import polars

    return lambda path: polars.read_parquet(path).to_arrow()


def with_datafusion():  # which is arrow-rs
    import datafusion

    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))
    return lambda path: context.read_parquet(path, file_extension=path[path.rindex("."):]).to_arrow_table()


def with_spark():
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.hadoop.parquet.page.verify-checksum.enabled", "true")
        .getOrCreate()
    )
    return lambda path: spark.read.parquet("file://" + path).toArrow()


def table_rows(table):
    columns = [[v for chunk in c.chunks for v in values(chunk)] for c in table.columns]
    names = table.column_names
    return [dict(zip(names, row)) for row in zip(*columns)] if names else [{}] * table.num_rows


def values(a):
    """The values of an array."""
    if isinstance(a, pa.Bool8Array):  # which DuckDB makes of booleans
        a = a.storage.cast(pa.bool_())
    if isinstance(a, pa.ExtensionArray):
        a = a.storage
    t = a.type
    if types.is_dictionary(t):
        return values(a.dictionary_decode())
    if types.is_struct(t):
        names = [t.field(i).name for i in range(t.num_fields)]
        fields = [values(a.field(i)) for i in range(t.num_fields)]
        rows = (dict(zip(names, row)) for row in zip(*fields))
        return [row if ok else None for row, ok in zip(rows, a.is_valid().to_pylist())]
    if types.is_map(t):
        inner = [{"key": k, "value": v} for k, v in zip(values(a.keys), values(a.items))]
        return lists(a, inner)
    if types.is_list(t) or types.is_large_list(t):
        return lists(a, values(a.values))
    return simple(a, t)


def lists(a, inner):
    ends = a.offsets.to_pylist()
    return [inner[i:j] if ok else None for i, j, ok in zip(ends, ends[1:], a.is_valid().to_pylist())]


def simple(a, t):
    form = None
    if types.is_floating(t):
        form = number
    elif types.is_string(t) or types.is_large_string(t) or types.is_string_view(t):
        form = lambda v: "s:" + v
    elif types.is_binary(t) or types.is_large_binary(t) or types.is_fixed_size_binary(t) or types.is_binary_view(t):
        form = lambda v: "x:" + v.hex()
    elif types.is_decimal(t):
        form = lambda v: "n:" + format(v, "f")
    elif types.is_date32(t):
        a, form = a.cast(pa.int32()), "date:{}".format
    elif types.is_date64(t):
        a, form = a.cast(pa.int64()), lambda v: f"date:{v // 86_400_000}"
    elif types.is_time(t):
        a, scale = a.cast(pa.int32() if types.is_time32(t) else pa.int64()), NANOS[t.unit]
        form = lambda v: f"time:{v * scale}"
    elif types.is_timestamp(t):
        a, scale, zone = a.cast(pa.int64()), NANOS[t.unit], "Z" if t.tz else ""
        form = lambda v: f"ts:{v * scale}{zone}"
    elif types.is_interval(t):  # as Avro has a duration
        form = lambda v: "x:" + struct.pack("<III", v.months & MASK, v.days & MASK, v.nanoseconds // 1_000_000 & MASK).hex()
    elif not (types.is_integer(t) or types.is_boolean(t) or types.is_null(t)):
        raise TypeError(f"a column of type {t}")
    return [v if v is None or form is None else form(v) for v in a.to_pylist()]


def number(v):
    return "d:nan" if math.isnan(v) else "d:" + struct.pack(">d", v).hex()


if __name__ == "__main__":
    main(sys.argv[1])
