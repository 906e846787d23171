"""Prints what Parquet files hold as JSON: parquet_sums.py FILE | FOLDER

For each field of the rows: how many values there are in it and below it, and the sum of
their hashes, so that two files can be compared whatever their row groups, their pages,
their codecs, and the names that they have for what is in lists and unions.
"""
import json
import pathlib
import sys

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 1 << 18
NANOS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1000, "ns": 1}


def leaves(array):
    """The arrays of values in an array, without what is null."""
    kind = array.type
    if pa.types.is_struct(kind):
        for field, inner in zip(kind, array.flatten()):
            if field.name:  # DuckDB adds one without to unions, which says which type it is
                yield from leaves(inner)
    elif pa.types.is_map(kind):
        array = array.drop_null()
        yield from leaves(array.keys)
        yield from leaves(array.items)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from leaves(array.flatten())
    else:
        yield array.drop_null()


def plain(array):
    """Values as integers of 64 bits or as bytes; instants are nanoseconds, modulo 2**64."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return plain(array.dictionary_decode())
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return pa.array(array.view(width).to_numpy(zero_copy_only=False).astype(np.int64) * NANOS[kind.unit])
    if pa.types.is_date32(kind):
        return array.view(pa.int32()).cast(pa.int64())
    if pa.types.is_floating(kind):
        return array.view(pa.int64() if kind.bit_width == 64 else pa.int32()).cast(pa.int64())
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return array.cast(pa.int64())
    if pa.types.is_fixed_size_binary(kind):
        return array.cast(pa.binary()).cast(pa.large_binary())
    return array.cast(pa.large_binary())


def total(array):
    return int(np.sum(pl.from_arrow(array).hash(1).to_numpy(), dtype=np.uint64)) if len(array) else 0


def main(path):
    path = pathlib.Path(path)
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    rows, names, counts, sums = 0, [], {}, {}
    for file in files:
        for batch in pq.ParquetFile(file).iter_batches(ROWS):
            rows += len(batch)
            for name, column in zip(batch.schema.names, batch.columns):
                if name not in sums:
                    names.append(name)
                    counts[name] = sums[name] = 0
                for leaf in leaves(column):
                    counts[name] += len(leaf)
                    sums[name] += total(plain(leaf))
    columns = [{"name": n, "type": f"{counts[n]} values", "digest": f"{sums[n] % 2**64:016x}"} for n in names]
    print(json.dumps({"rows": rows, "columns": columns}))


main(sys.argv[1])
