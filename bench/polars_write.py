"""Writes an Avro file as polars writes it: blocks of some 6 MB, every field a union with null.

usage: python polars_write.py IN.avro OUT.avro
"""
import sys

import polars

polars.read_avro(sys.argv[1]).write_avro(sys.argv[2], compression="snappy", name="lineitem")
