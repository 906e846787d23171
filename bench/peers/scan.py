"""Parquet readers of Python as scanning programs: scan.py pyarrow|duckdb --column=C ...

How they are spoken to is told in serve of bench/scanserve.go. Columns are the paths of
Parquet's leaves, as in "items.list.element.price".
"""

import sys
import time


class Task:
    def __init__(self, args):
        self.columns, self.rows, self.threads = [], None, 1
        for arg in args:
            name, value = arg.split("=", 1)
            if name == "--column":
                self.columns.append(value)
            elif name == "--rows":
                self.rows = tuple(int(n) for n in value.split(":"))
            elif name == "--threads":
                self.threads = int(value)
            else:
                raise ValueError(arg)


def arrow_reader(task):
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    pa.set_cpu_count(task.threads)
    pa.set_io_thread_count(task.threads)
    parallel = task.threads > 1

    def leaves(column):
        """The values of a chunked column without lists and structs around them."""
        chunks = column.chunks
        while chunks and (pa.types.is_list(chunks[0].type) or pa.types.is_struct(chunks[0].type)):
            inner = []
            for c in chunks:
                inner += [c.flatten()] if pa.types.is_list(c.type) else c.flatten()
            chunks = inner
        return pa.chunked_array(chunks)

    def total(values):
        count = len(values) - values.null_count
        kind = values.type
        if pa.types.is_string(kind) or pa.types.is_binary(kind):
            values = pc.binary_length(values)
        if count == 0:
            return 0, 0
        if pa.types.is_integer(values.type):
            values = values.cast(pa.int64())
        return count, pc.sum(values).as_py()

    def chosen(f):
        """The rows asked for, row group by row group."""
        first, (begin, end, step), parts = 0, task.rows, []
        for g in range(f.num_row_groups):
            last = first + f.metadata.row_group(g).num_rows
            wanted = [r - first for r in range(begin, end, step) if first <= r < last] if step > 1 else None
            if step == 1 and begin < last and end > first:
                low = max(begin, first)
                parts.append(f.read_row_group(g, task.columns, use_threads=parallel).slice(low - first, min(end, last) - low))
            elif wanted:
                parts.append(f.read_row_group(g, task.columns, use_threads=parallel).take(wanted))
            first = last
        return pa.concat_tables(parts)

    def scan(path):
        with pq.ParquetFile(path) as f:
            table = chosen(f) if task.rows else f.read(task.columns, use_threads=parallel)
            # Leaves of one top-level field come as one column: each is then read by itself.
            if len({c.split(".")[0] for c in task.columns}) == len(task.columns):
                return [total(leaves(table[c.split(".")[0]])) for c in task.columns]
            return [total(leaves(f.read([c], use_threads=parallel)[c.split(".")[0]])) for c in task.columns]

    return scan


def duck_reader(task):
    import duckdb

    db = duckdb.connect()
    db.execute(f"SET threads={task.threads}")

    def expression(column):
        """The value of a leaf, and how deep in lists it is."""
        parts, depth = column.split("."), 0
        value = f'"{parts[0]}"'
        rest = parts[1:]
        while rest:
            if rest[:2] == ["list", "element"]:
                depth += 1
                if depth > 1:
                    value = f"flatten({value})"
                rest = rest[2:]
            elif depth:
                value = f'list_transform({value}, lambda x: x."{rest[0]}")'
                rest = rest[1:]
            else:
                value += f'."{rest[0]}"'
                rest = rest[1:]
        return value, depth

    def type_of(path, value, depth):
        """What a leaf's values are, so that strings are measured and booleans counted."""
        name = db.execute(f"DESCRIBE SELECT {value} AS v FROM read_parquet('{path}')").fetchone()[1]
        return name[: -2] if depth and name.endswith("[]") else name

    def number(value, kind):
        if kind == "VARCHAR":
            return f"strlen({value})"
        if kind == "BLOB":
            return f"octet_length({value})"
        if kind == "BOOLEAN":
            return f"CAST({value} AS INTEGER)"
        return value

    wanted = []

    def prepare(path):
        """What is asked of the columns; their types are those of the first file."""
        for column in task.columns:
            value, depth = expression(column)
            kind = type_of(path, value, depth)
            if depth:
                values = f"list_transform({value}, lambda x: {number('x', kind)})" if number("x", kind) != "x" else value
                wanted.extend([f"sum(list_count({value}))", f"sum(list_sum({values}))"])
            else:
                wanted.extend([f"count({value})", f"sum({number(value, kind)})"])

    def scan(path):
        source = f"read_parquet('{path}')"
        if task.rows:
            begin, end, step = task.rows
            source = f"read_parquet('{path}', file_row_number=true) WHERE file_row_number >= {begin} AND file_row_number < {end}"
            if step > 1:
                source += f" AND (file_row_number - {begin}) % {step} = 0"
        row = db.execute(f"SELECT {', '.join(wanted)} FROM {source}").fetchone()
        return [(int(row[i] or 0), row[i + 1] or 0) for i in range(0, len(row), 2)]

    scan.prepare = prepare
    return scan


def written(count, total):
    """COUNT:SUM, whole sums modulo 2^64, as bench/scantask.go has them."""
    if not isinstance(total, float):
        total = (int(total) + 2**63) % 2**64 - 2**63
    return f"{count}:{total!r}"


def main():
    task = Task(sys.argv[2:])
    scan = {"pyarrow": arrow_reader, "duckdb": duck_reader}[sys.argv[1]](task)
    prepare = getattr(scan, "prepare", None)
    for line in sys.stdin:
        path = line.rstrip("\n")
        try:
            if prepare:
                prepare(path)
                prepare = None
            start = time.perf_counter()
            found = scan(path)
            took = time.perf_counter() - start
            print("ok", took, *(written(*f) for f in found), sep="\t", flush=True)
        except Exception as e:  # the harness lists the program as failed, and why
            print("error", str(e).replace("\n", " ").replace("\t", " "), sep="\t", flush=True)


main()
