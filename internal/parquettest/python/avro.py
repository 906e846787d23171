"""Rows of Avro files by fastavro, raw: logical types are not applied, a union's value is (branch, value), a map's its pairs.

fastavro refuses some schemas for their logical types, which readers are to pass over: it gets to see none. The schema has
them as "logical" instead.
"""

import fastavro._read_py as reading

parse_schema, read_map = reading.parse_schema, reading.READERS["map"]


def union(decoder, schema, names, reader=None, options={}):
    index = decoder.read_index()
    return index, reading.read_data(decoder, schema[index], names, None, options)


def pairs(decoder, schema, names, reader=None, options={}):
    out = []
    decoder.read_map_start()
    for _ in decoder.iter_map():
        key = decoder.read_utf8()
        out.append((key, reading.read_data(decoder, schema["values"], names, None, options)))
    decoder.read_map_end()
    return out


def header(*args, **options):
    """A file's metadata without what is not Avro's own, which need not be text."""
    return {k: v for k, v in read_map(*args, **options).items() if k.startswith("avro.")}


def renamed(schema):
    if isinstance(schema, list):
        return [renamed(s) for s in schema]
    if isinstance(schema, dict):
        return {"logical" if k == "logicalType" else k: renamed(v) for k, v in schema.items()}
    return schema


reading.parse_schema = lambda schema, *args, **options: parse_schema(renamed(schema), *args, **options)
reading.READERS["union"] = reading.READERS["error_union"] = union


def rows(path):
    """The schema of a file, parsed, and its rows."""
    with open(path, "rb") as f:
        reading.READERS["map"] = header
        r = reading.reader(f)
        reading.READERS["map"] = pairs
        return r.writer_schema, list(r)
