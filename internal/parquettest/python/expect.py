"""Writes what a Parquet file of an Avro file's rows is to hold, in canonical form: python3 expect.py < jobs

A job is a line: NAME, the Avro file, the file to write, "portable" or "all", between tabs. With a fifth word, a Parquet file
of these rows is written there by pyarrow too. It is answered as rows.py does.
"""

import sys

import avro
import canonical
import mapping


def main():
    for job in canonical.jobs():
        canonical.answer(job[0], expect, *job[1:])


def expect(source, target, logical="portable", parquet=None):
    schema, values = avro.rows(source)
    shape = mapping.shape(schema, logical == "portable")
    rows = [shape.canonical(v) for v in values]
    if parquet:
        import write

        write.table(parquet, shape, rows)
    return canonical.write(target, rows)


if __name__ == "__main__":
    sys.exit(main())
