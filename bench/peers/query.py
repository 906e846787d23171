"""Asks a question of Parquet files in turn: query.py ENGINE QUESTION ROUNDS NAME=FILE ...

The files hold TPC-H lineitem. After a round that is not counted, each round asks it of all
of them; the first is another one each time. An answer is a line of JSON: the file's name,
seconds, processor seconds, and what was found, with nine digits.
"""
import datetime
import glob
import json
import os
import sys
import time

TURN = 0.1  # seconds that a turn takes at least
SUM_1 = "sum(l_quantity), sum(l_extendedprice), sum(l_extendedprice * (1 - l_discount))"
SQL = {
    "q1": f"SELECT l_returnflag, l_linestatus, {SUM_1}, sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_discount), count(*) "
    "FROM t WHERE l_shipdate <= DATE '1998-09-02' GROUP BY ALL ORDER BY ALL",
    "q6": "SELECT sum(l_extendedprice * l_discount) FROM t WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' "
    "AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
    "point": "SELECT * FROM t WHERE l_orderkey = 3000003 ORDER BY l_linenumber",
    "full": "SELECT count(*), bit_xor(hash(COLUMNS(*))) FROM t",  # a largest value would come of the statistics
}
FOUR = ["l_extendedprice", "l_discount", "l_quantity", "l_shipdate"]


def files(path):
    return sorted(glob.glob(os.path.join(path, "*.parquet"))) if os.path.isdir(path) else [path]


def duckdb(question):
    import duckdb

    connection = duckdb.connect()
    return lambda path: connection.execute(SQL[question].replace("FROM t", f"FROM read_parquet({files(path)})")).fetchall()


def pyarrow(question):
    import pyarrow.compute as pc
    import pyarrow.dataset as ds

    def full(path):
        table = ds.dataset(files(path)).to_table()
        return [table.num_rows, table.num_columns]

    def four(path):
        table = ds.dataset(files(path)).to_table(columns=FOUR)
        return [pc.sum(table[c]).as_py() for c in FOUR[:3]]

    return {"full": full, "four": four}[question]


def polars(question):
    import polars as pl

    def full(path):
        return list(pl.read_parquet(files(path)).shape)

    def q6(path):
        day = pl.col("l_shipdate")
        rows = pl.scan_parquet(files(path)).filter(
            day >= datetime.date(1994, 1, 1),
            day < datetime.date(1995, 1, 1),
            pl.col("l_discount").is_between(0.05, 0.07),
            pl.col("l_quantity") < 24,
        )
        return rows.select((pl.col("l_extendedprice") * pl.col("l_discount")).sum()).collect().rows()

    return {"full": full, "q6": q6}[question]


def told(answer):
    """An answer as text, with numbers to nine digits: sums depend on the order."""
    if isinstance(answer, (list, tuple)):
        return "(" + " ".join(told(a) for a in answer) + ")"
    return f"{answer:.9g}" if isinstance(answer, float) else str(answer)


def turn(ask, path):
    """The mean of as many as fill a turn."""
    n, start, processor = 0, time.perf_counter(), time.process_time()
    while n == 0 or time.perf_counter() - start < TURN:
        answer = ask(path)
        n += 1
    return (time.perf_counter() - start) / n, (time.process_time() - processor) / n, answer


def main(engine, question, rounds, *named):
    ask = {f.__name__: f for f in (duckdb, pyarrow, polars)}[engine](question)
    named = [n.split("=", 1) for n in named]
    for i in range(-1, int(rounds)):
        k = i % len(named)
        for name, path in named[k:] + named[:k]:
            wall, cpu, answer = turn(ask, path)
            if i >= 0:
                print(json.dumps({"name": name, "wall": wall, "cpu": cpu, "answer": told(answer)}), flush=True)


main(*sys.argv[1:])
