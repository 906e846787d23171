"""Writes an Avro file's rows as Parquet: to_parquet.py IN.avro OUT.parquet

pyarrow's defaults: snappy, row groups of 1,048,576 rows, dictionaries where they pay; and
a page index, so that a row can be sought.
A field that is never null in Avro is required in Parquet. Unions of several types,
maps, and what hangs on them have no like in Parquet and are left out.
"""

import sys

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

PRIMITIVES = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "bytes": pa.binary(),
}
ROWS = 1 << 20


def known(named, schema):
    """The schema that a name stands for, and names learnt on the way."""
    if isinstance(schema, str) and schema in named:
        return named[schema]
    if isinstance(schema, dict) and schema["type"] in ("record", "enum", "fixed"):
        named[schema["name"]] = schema
    return schema


def arrow_type(named, schema):
    """The Arrow type of a schema and whether it takes null, or None."""
    schema = known(named, schema)
    if isinstance(schema, list):
        rest = [s for s in schema if s != "null"]
        if len(rest) != 1:
            return None
        inner = arrow_type(named, rest[0])
        return inner and (inner[0], len(rest) < len(schema))
    kind = schema if isinstance(schema, str) else schema["type"]
    if kind in PRIMITIVES:
        return PRIMITIVES[kind], False
    if kind == "enum":
        return pa.string(), False
    if kind == "fixed":
        return pa.binary(schema["size"]), False
    if kind == "array":
        inner = arrow_type(named, schema["items"])
        return inner and (pa.list_(pa.field("element", inner[0], inner[1])), False)
    if kind == "record":
        fields = arrow_fields(named, schema)
        return (pa.struct(fields), False) if fields else None
    return None


def arrow_fields(named, record):
    """The fields of a record that have a like in Parquet."""
    fields = []
    for f in record["fields"]:
        t = arrow_type(named, f["type"])
        if t is not None:
            fields.append(pa.field(f["name"], t[0], t[1]))
    return fields


def batches(rows):
    batch = []
    for row in rows:
        batch.append(row)
        if len(batch) == 100_000:
            yield batch
            batch = []
    if batch:
        yield batch


def main(source, target):
    fastavro.read.LOGICAL_READERS.clear()  # dates and times stay the numbers that they are
    with open(source, "rb") as f:
        reader = fastavro.reader(f)
        schema = pa.schema(arrow_fields({}, reader.writer_schema))
        with pq.ParquetWriter(target, schema, write_page_index=True) as writer:
            held, rows = [], 0
            for batch in batches(reader):
                held.append(pa.RecordBatch.from_pylist(batch, schema))
                rows += len(batch)
                if rows >= ROWS:
                    table = pa.Table.from_batches(held, schema)
                    writer.write_table(table.slice(0, ROWS), ROWS)
                    held = table.slice(ROWS).to_batches()
                    rows -= ROWS
            if held:
                writer.write_table(pa.Table.from_batches(held, schema), ROWS)


main(sys.argv[1], sys.argv[2])
