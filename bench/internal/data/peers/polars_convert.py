"""Converts Avro to Parquet with polars, in memory: polars_convert.py INPUT.avro OUTPUT.parquet CODEC"""
import sys

import polars

source, target, codec = sys.argv[1:]
polars.read_avro(source).write_parquet(target, compression=codec)
