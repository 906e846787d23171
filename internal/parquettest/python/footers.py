"""Compares what the footers of Parquet files say with the values, as pyarrow reads both: python3 footers.py < jobs

A job is a line: NAME, the Parquet file. Of each chunk, the least and greatest value must bound the values, and be there where
there are values that have an order; the nulls must be the entries without one; the sizes must add up.
"""

import math

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as types

import canonical


def main():
    for name, parquet, *_ in canonical.jobs():
        canonical.answer(name, check, parquet)


def check(path):
    file = pq.ParquetFile(path)
    rows = 0
    for i in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(i)
        rows += group.num_rows
        chunks = [group.column(j) for j in range(group.num_columns)]
        if group.total_byte_size != sum(c.total_uncompressed_size for c in chunks):
            raise ValueError(f"row group {i}: a size of {group.total_byte_size}")
        for c in chunks:
            if c.num_values == 0:
                continue
            table = file.read_row_group(i, [c.path_in_schema])
            values = [v for chunk in table.column(0).chunks for v in leaf(chunk)]
            try:
                chunk(c, file.metadata.schema.column(chunks.index(c)), values)
            except ValueError as e:
                raise ValueError(f"row group {i}: {c.path_in_schema}: {e}") from None
    if rows != file.metadata.num_rows:
        raise ValueError(f"{rows} rows in row groups, {file.metadata.num_rows} in the footer")
    return rows


def chunk(c, column, values):
    s = c.statistics
    if s is None or not s.has_null_count:
        raise ValueError("no count of nulls")
    if s.null_count != c.num_values - len(values):
        raise ValueError(f"{s.null_count} nulls of {c.num_values} entries, and {len(values)} values")
    values = [v for v in values if not (isinstance(v, float) and math.isnan(v))]
    ordered = column.converted_type != "INTERVAL"
    if s.has_min_max != (bool(values) and ordered):
        raise ValueError(f"bounds: {s.has_min_max}, and {len(values)} values")
    if not s.has_min_max:
        return
    least, greatest = s.min_raw, s.max_raw
    if isinstance(least, bytes) and column.logical_type.type == "DECIMAL":
        least, greatest = (int.from_bytes(b, "big", signed=True) for b in (least, greatest))
    for v in values:
        if key(v) < key(least) or key(v) > key(greatest):
            raise ValueError(f"{v!r} is not from {least!r} to {greatest!r}")


def key(v):
    """What orders values: -0.0 is before 0.0."""
    return (v, math.copysign(1, v)) if isinstance(v, float) else v


def leaf(a):
    """The values, but nulls, of the one leaf of an array, as numbers or bytes."""
    if isinstance(a, pa.ExtensionArray):
        a = a.storage
    t = a.type
    if types.is_struct(t):
        return leaf(a.flatten()[0])
    if types.is_list(t) or types.is_map(t):
        return leaf(a.flatten())
    if types.is_string(t):
        a = a.cast(pa.binary())
    elif types.is_date32(t) or types.is_time32(t):
        a = a.cast(pa.int32())
    elif types.is_timestamp(t) or types.is_time64(t):
        a = a.cast(pa.int64())
    elif types.is_decimal(t):
        return [int(format(v, "f").replace(".", "")) for v in present(a)]
    return present(a)


def present(a):
    return [v for v in a.to_pylist() if v is not None]


if __name__ == "__main__":
    main()
