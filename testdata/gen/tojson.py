"""Writes shapes for avro-tools fromjson: python3 tojson.py DIR makes DIR/NAME.avsc and DIR/NAME.json. Needs fastavro."""

import json
import pathlib
import sys

import fastavro

import fixtures
import shapes

NAMES = ["events", "nested", "maps", "reused-types", "flat", "address-book", "dremel", "unions-without-maps", "nulls"]


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        schema, rows = shapes.SHAPES[name]()
        if name == "nulls":  # NaN and the infinities have no JSON
            rows = [dict(r, one=1.5) for r in rows]
        (out / f"{name}.avsc").write_text(json.dumps(schema))
        with open(out / f"{name}.json", "w") as f:
            fastavro.json_writer(f, fixtures.strip_logical(schema), rows)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
