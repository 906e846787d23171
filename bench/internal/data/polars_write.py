"""Writes TPC-H lineitem as polars does: every field a union with null, and a block for each chunk of the frame.

usage: python polars_write.py IN.parquet OUT.avro chunks|one
chunks: those of the Parquet file's row groups, blocks of some 6 MB; one: the whole table a single block.
"""
import sys

import polars

source, target, blocks = sys.argv[1:]
frame = polars.read_parquet(source).with_columns(polars.col(polars.Decimal).cast(polars.Float64))
if blocks == "one":
    frame = frame.rechunk()
frame.write_avro(target, compression="snappy", name="lineitem")
