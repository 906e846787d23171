"""Prints what pyarrow reads in Parquet files, as JSON: for each file the rows, and for each leaf
how many values it has and a digest of them, or why pyarrow refuses the file.

    python3 golden.py FOLDER FILE... > golden.json

Names are relative to the folder. The digest is SHA-256 of a line for each value that is not null:
"ROW:VALUE". Numbers are in decimal, decimals without their point, times as they are stored, INT96
as nanoseconds, floats and bytes in hexadecimal as they are stored.
"""

import hashlib
import json
import os
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq


def leaves(array, rows):
    """Yields the leaves of an array, each with the row of every element."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        yield from leaves(array.storage, rows)
    elif pa.types.is_dictionary(kind):
        yield from leaves(array.dictionary_decode(), rows)
    elif pa.types.is_struct(kind):
        for i in range(kind.num_fields):
            yield from leaves(pc.struct_field(array, [i]), rows)
    elif pa.types.is_map(kind):
        entries = pa.StructArray.from_arrays([array.keys, array.items], ["key", "value"])
        offsets = array.offsets.to_pylist()
        base = offsets[0]
        inner = []
        for row, (a, b) in zip(rows, zip(offsets, offsets[1:])):
            inner += [row] * (b - a)
        yield from leaves(entries.slice(0, offsets[-1] - base), inner)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        parents = pc.list_parent_indices(array).to_pylist()
        yield from leaves(pc.list_flatten(array), [rows[p] for p in parents])
    else:
        yield array, rows


WORDS = {"float": pa.uint32(), "double": pa.uint64(), "halffloat": pa.uint16()}


def texts(array):
    """Returns the values of a leaf as the digest has them."""
    kind = array.type
    if str(kind) in WORDS:
        width = WORDS[str(kind)].bit_width // 8
        return [v if v is None else v.to_bytes(width, "little").hex() for v in array.view(WORDS[str(kind)]).to_pylist()]
    if pa.types.is_temporal(kind):
        numbers = pa.int64() if kind.bit_width == 64 else pa.int32()
        return [v if v is None else str(v) for v in array.view(numbers).to_pylist()]
    if pa.types.is_decimal(kind):
        return [v if v is None else unscaled(v) for v in array.to_pylist()]
    if pa.types.is_boolean(kind):
        return [v if v is None else str(int(v)) for v in array.to_pylist()]
    if pa.types.is_integer(kind):
        return [v if v is None else str(v) for v in array.to_pylist()]
    if pa.types.is_null(kind):
        return [None] * len(array)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        array = array.cast(pa.large_binary())
    return [v if v is None else v.hex() for v in array.to_pylist()]


def unscaled(d):
    sign, digits, _ = d.as_tuple()
    n = int("".join(map(str, digits)))
    return str(-n if sign else n)


def read(path):
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as f:
            table = f.read()
            names = [f.schema.column(i).path for i in range(len(f.schema))]
            groups = f.metadata.num_row_groups
    except Exception as e:  # whatever pyarrow raises
        return {"refused": type(e).__name__ + ": " + str(e).split("\n")[0][:150]}
    digests, counts = [], []
    for name in range(table.num_columns):
        column, first = table.column(name), 0
        parts = []
        for chunk in column.chunks or [pa.array([], column.type)]:
            rows = range(first, first + len(chunk))
            first += len(chunk)
            parts.append(list(leaves(chunk, rows)))
        for leaf in range(len(parts[0])):
            digest, n = hashlib.sha256(), 0
            for part in parts:
                array, rows = part[leaf]
                for row, text in zip(rows, texts(array)):
                    if text is not None:
                        digest.update(f"{row}:{text}\n".encode())
                        n += 1
            digests.append(digest.hexdigest()[:16])
            counts.append(n)
    assert len(digests) == len(names), (names, len(digests))
    return {"rows": table.num_rows, "groups": groups, "leaves": [list(x) for x in zip(names, counts, digests)]}


def main():
    folder, files = sys.argv[1], sys.argv[2:]
    golden = {}
    for name in files:
        golden[name] = read(os.path.join(folder, name))
    print("{")
    items = sorted(golden.items())
    for i, (name, said) in enumerate(items):
        print(f" {json.dumps(name)}: {json.dumps(said)}" + ("," if i + 1 < len(items) else ""))
    print("}")


main()
