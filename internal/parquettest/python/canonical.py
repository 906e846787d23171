"""The canonical form of rows, a line of JSON each:

    integers, booleans, null       themselves
    float, double                  "d:" and the 16 hexadecimal digits of a double's bits, "d:nan" of every NaN
    string                         "s:" and the text
    bytes, fixed, uuid             "x:" and hexadecimal digits
    decimal                        "n:" and the number, with all digits of its scale
    date, time, timestamp          "date:" days, "time:" nanoseconds, "ts:" nanoseconds and a "Z" if it is an instant
    struct, list                   {"name": value, ...}, [value, ...]
    map                            a list of {"key": key, "value": value}

and the talk with who asks for them: a job is a line of standard input, its words parted by tabs, the first its name; the
answer is OK or BAD, the name, and what was seen.
"""

import json
import sys


def jobs():
    sys.stdin.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        yield line.rstrip("\n").split("\t")


def answer(name, do, *args):
    """Answers for a job. What a reader throws may be no Exception, as a panic in Rust."""
    try:
        verdict, said = "OK", do(*args)
    except KeyboardInterrupt:
        raise
    except BaseException as e:
        verdict, said = "BAD", f"{type(e).__name__}: {e}"
    said = str(said).replace("\n", " ").replace("\t", " ")
    causes = [c[:200] for c in said.split("Caused by: ")[1:]]  # of an exception in Java
    print(verdict, name, ": ".join([said[:500], *causes]), sep="\t", flush=True)


def write(path, rows):
    with open(path, "w", encoding="utf-8", newline="\n") as f:
        for row in rows:
            json.dump(row, f, separators=(",", ":"))
            f.write("\n")
    return len(rows)
