"""Converts Avro to Parquet: parquet_convert.py ENGINE INPUT.avro OUTPUT.parquet CODEC

ENGINE is polars, duckdb, datafusion or clickhouse; each converts with its defaults but for the codec.
"""
import os
import sys


def polars(source, target, codec):
    import polars

    polars.read_avro(source).write_parquet(target, compression=codec)


def duckdb(source, target, codec):
    import duckdb
    import duckdb_extension_avro

    folder = os.path.dirname(duckdb_extension_avro.__file__)
    connection = duckdb.connect()
    connection.execute(f"LOAD '{folder}/extensions/v{duckdb.__version__}/avro.duckdb_extension'")
    connection.execute(f"COPY (FROM read_avro('{source}')) TO '{target}' (FORMAT parquet, CODEC '{codec}')")


def datafusion(source, target, codec):
    import datafusion

    datafusion.SessionContext().read_avro(source).write_parquet(target, compression=codec)


def clickhouse(source, target, codec):
    import chdb

    codec = codec.replace("uncompressed", "none")
    chdb.query(
        f"INSERT INTO FUNCTION file('{target}', Parquet) SELECT * FROM file('{source}', Avro) "
        f"SETTINGS output_format_parquet_compression_method = '{codec}'"
    )


engine, source, target, codec = sys.argv[1:]
{f.__name__: f for f in (polars, duckdb, datafusion, clickhouse)}[engine](os.path.abspath(source), os.path.abspath(target), codec)
