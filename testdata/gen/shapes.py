"""The shapes of data that the fixtures hold: for each a schema and its rows, the same on every run.

A value of a union is written as (branch, value) wherever the branch is not plain from the value's type.
"""

import math
import random

NAN, INF = math.nan, math.inf
INTS = [0, 1, -1, 63, 64, -64, -65, 8191, 8192, 2**31 - 1, -(2**31)]
LONGS = INTS + [2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.5, -1.5, 2.0**-149, 3.4028234663852886e38, INF, -INF, NAN]
DOUBLES = [0.0, -0.0, 0.1, -1e300, 5e-324, 1.7976931348623157e308, INF, -INF, NAN]
STRINGS = ["", "a", "foo", "é", "日本語", "\U0001f600", "nul\x00inside", "x" * 63, "y" * 64, 'quo"te\\', "line\nbreak"]
BYTES = [b"", b"\x00", b"\xff" * 3, bytes(range(256)), b"Obj\x01", b"z" * 64]


def record(name, *fields, **more):
    """A record's schema; a field is (name, type)."""
    return {"type": "record", "name": name, "fields": [{"name": n, "type": t} for n, t in fields], **more}


def array(items):
    return {"type": "array", "items": items}


def map_of(values):
    return {"type": "map", "values": values}


def pick(values, i):
    return values[i % len(values)]


ENUM = {"type": "enum", "name": "Suit", "symbols": ["SPADES", "HEARTS", "DIAMONDS", "CLUBS"]}
FIXED = {"type": "fixed", "name": "Three", "size": 3}
SUITS = ENUM["symbols"]


def primitives():
    schema = record(
        "Primitives",
        ("n", "null"), ("b", "boolean"), ("i", "int"), ("l", "long"), ("f", "float"), ("d", "double"),
        ("s", "string"), ("by", "bytes"), ("e", ENUM), ("fx", FIXED),
        namespace="fixtures",
    )
    rows = [
        {
            "n": None, "b": i % 3 == 0, "i": pick(INTS, i), "l": pick(LONGS, i), "f": pick(FLOATS, i),
            "d": pick(DOUBLES, i), "s": pick(STRINGS, i), "by": pick(BYTES, i), "e": pick(SUITS, i),
            "fx": bytes([i % 256, 0, 255]),
        }
        for i in range(203)
    ]
    return schema, rows


def nulls():
    """Every place of null in a union, and its absence; a union of one branch, and of null alone."""
    schema = record(
        "Nulls",
        ("first", ["null", "long"]), ("last", ["string", "null"]), ("middle", ["int", "null", "string"]),
        ("nowhere", ["int", "string"]), ("one", ["double"]), ("only", ["null"]), ("flag", ["null", "boolean"]),
        ("e", ["null", ENUM]), ("f", [FIXED, "null"]), ("always", ["null", "int"]), ("never", ["null", "int"]),
        namespace="fixtures",
    )
    rng = random.Random(2)
    rows = []
    for i in range(500):
        rows.append({
            "first": None if rng.random() < 0.4 else pick(LONGS, i),
            "last": None if i // 50 % 2 else pick(STRINGS, i),
            "middle": rng.choice([None, i, str(i)]),
            "nowhere": rng.choice([i, "s%d" % i]),
            "one": pick(DOUBLES, i), "only": None,
            "flag": rng.choice([None, True, False]),
            "e": None if i % 7 else pick(SUITS, i),
            "f": None if i % 5 == 0 else bytes([1, 2, i % 256]),
            "always": i, "never": None,
        })
    return schema, rows


def unions():
    """Unions of everything: records, arrays, maps, enums and fixed side by side."""
    point = record("Point", ("x", "int"), ("y", ["null", "double"]))
    schema = record(
        "Unions",
        ("u", ["null", "string", point, array("int"), map_of("long"), ENUM, FIXED, "bytes", "boolean"]),
        ("recs", ["fixtures.Point", record("Line", ("from", "fixtures.Point"), ("to", "fixtures.Point"))]),
        ("arr", array(["null", "string", "fixtures.Point"])),
        namespace="fixtures",
    )
    rng = random.Random(3)

    def point_of(i):
        return {"x": i, "y": None if i % 2 else i / 4}

    def any_of(i):
        return [
            None, "s%d" % i, ("fixtures.Point", point_of(i)), list(range(i % 4)),
            {"k%d" % j: i * j for j in range(i % 3)}, ("fixtures.Suit", pick(SUITS, i)),
            ("fixtures.Three", bytes([i % 256] * 3)), pick(BYTES, i), i % 2 == 0,
        ][rng.randrange(9)]

    rows = []
    for i in range(300):
        line = ("fixtures.Line", {"from": point_of(i), "to": point_of(i + 1)})
        arr = [rng.choice([None, "a%d" % j, ("fixtures.Point", point_of(j))]) for j in range(rng.randrange(4))]
        rows.append({"u": any_of(i), "recs": ("fixtures.Point", point_of(i)) if i % 3 else line, "arr": arr})
    return schema, rows


def unions_without_maps():
    """As unions, but without a map: what Java's writer can shred."""
    point = record("Point", ("x", "int"), ("y", ["null", "double"]))
    schema = record(
        "Unions",
        ("u", ["null", "string", point, array("int"), array_in_record(), ENUM, FIXED, "bytes", "boolean"]),
        namespace="fixtures",
    )
    rng = random.Random(4)

    def any_of(i):
        return [
            None, "s%d" % i, ("fixtures.Point", {"x": i, "y": None if i % 2 else i / 4}), list(range(i % 4)),
            ("fixtures.Holder", {"held": [str(j) for j in range(i % 5)]}), ("fixtures.Suit", pick(SUITS, i)),
            ("fixtures.Three", bytes([i % 256] * 3)), pick(BYTES, i), i % 2 == 0,
        ][rng.randrange(9)]

    return schema, [{"u": any_of(i)} for i in range(300)]


def array_in_record():
    return record("Holder", ("held", array("string")))


def arrays():
    pair = record("Pair", ("a", "int"), ("b", ["null", "string"]))
    schema = record(
        "Arrays",
        ("ints", array("int")), ("strings", array("string")), ("flags", array("boolean")), ("nothings", array("null")),
        ("enums", array(ENUM)), ("fixeds", array(FIXED)), ("aa", array(array("int"))),
        ("aaa", array(array(array("string")))), ("pairs", array(pair)), ("maybe", array(["null", "long"])),
        ("opt", ["null", array("double")]), ("optrecs", ["null", array("fixtures.Pair")]),
        namespace="fixtures",
    )
    rng = random.Random(5)

    def some(make, most=4):
        return [make() for _ in range(rng.randrange(most + 1))]

    def small():
        return rng.randrange(-100, 100)

    def pair_of():
        return {"a": small(), "b": rng.choice([None, "p"])}

    def row():
        return {
            "ints": some(small), "strings": some(lambda: rng.choice(STRINGS)), "flags": some(lambda: rng.random() < 0.5, 10),
            "nothings": some(lambda: None), "enums": some(lambda: rng.choice(SUITS)), "fixeds": some(lambda: b"abc"),
            "aa": some(lambda: some(small)), "aaa": some(lambda: some(lambda: some(lambda: "t"))), "pairs": some(pair_of),
            "maybe": some(lambda: rng.choice([None, 5])), "opt": rng.choice([None, some(lambda: 0.5)]),
            "optrecs": rng.choice([None, some(pair_of)]),
        }

    return schema, [row() for _ in range(250)]


def maps():
    pair = record("Pair", ("a", "int"), ("b", ["null", "string"]))
    schema = record(
        "Maps",
        ("longs", map_of("long")), ("strings", map_of("string")), ("flags", map_of("boolean")), ("nothings", map_of("null")),
        ("arrays", map_of(array("int"))), ("maps", map_of(map_of("double"))), ("recs", map_of(pair)),
        ("unions", map_of(["null", "string", "fixtures.Pair"])), ("opt", ["null", map_of("int")]),
        ("inarray", array(map_of("string"))),
        namespace="fixtures",
    )
    rng = random.Random(6)

    def some(make):
        return {rng.choice(["k", "key", "é", ""]) + str(j): make() for j in range(rng.randrange(4))}

    def pair_of():
        return {"a": rng.randrange(1000), "b": rng.choice([None, "p"])}

    def row():
        return {
            "longs": some(lambda: rng.choice(LONGS)), "strings": some(lambda: rng.choice(STRINGS)),
            "flags": some(lambda: rng.random() < 0.5), "nothings": some(lambda: None),
            "arrays": some(lambda: [1] * rng.randrange(3)), "maps": some(lambda: some(lambda: 0.25)), "recs": some(pair_of),
            "unions": some(lambda: rng.choice([None, "u", ("fixtures.Pair", pair_of())])),
            "opt": rng.choice([None, some(lambda: 7)]), "inarray": [some(lambda: "v") for _ in range(rng.randrange(3))],
        }

    return schema, [row() for _ in range(200)]


def nested():
    """Records in records, and the spec folder's first example of format: flat and nested side by side."""
    s = record("S", ("p", "int"), ("q", ["null", "double"]))
    schema = record(
        "R",
        ("x", ["null", "long"]), ("a", array("string")), ("u", ["null", "string", s]), ("e", ENUM), ("f", FIXED),
        ("b", "boolean"), ("nb", ["null", "boolean"]), ("aa", array(array("int"))),
        ("deep", record("D1", ("d2", record("D2", ("d3", record("D3", ("leaf", "int"), ("more", array("n.S")))))), ("z", "long"))),
        namespace="n",
    )
    rng = random.Random(7)

    def s_of(i):
        return {"p": i, "q": None if i % 2 else i / 8}

    rows = []
    for i in range(400):
        more = [s_of(j) for j in range(i % 3)]
        rows.append({
            "x": None if i % 4 == 0 else i * 1000003, "a": ["v%d" % j for j in range(i % 4)],
            "u": [None, "str", ("n.S", s_of(i))][i % 3], "e": pick(SUITS, i), "f": b"%03d" % (i % 1000), "b": i % 2 == 0,
            "nb": [None, True, False][i % 3], "aa": [[1] * rng.randrange(3) for _ in range(rng.randrange(3))],
            "deep": {"d2": {"d3": {"leaf": i, "more": more}}, "z": -i},
        })
    return schema, rows


def events():
    """Nested events: arrays of records with arrays, unions of records, maps of records."""
    geo = record("Geo", ("lat", "double"), ("lon", "double"))
    click = record("Click", ("url", "string"), ("at", ["null", "fixtures.ev.Geo"]))
    buy = record("Buy", ("sku", "string"), ("cents", "long"), ("tags", array("string")))
    item = record("Item", ("seq", "int"), ("what", [click, buy, "null"]), ("attrs", map_of(["null", "string", "long"])))
    schema = record(
        "Event",
        ("id", "string"), ("home", ["null", geo]), ("items", array(item)), ("places", map_of("fixtures.ev.Geo")),
        ("ratings", map_of(array("int"))),
        namespace="fixtures.ev",
    )
    rng = random.Random(8)

    def geo_of():
        return {"lat": rng.randrange(-900, 900) / 10, "lon": rng.randrange(-1800, 1800) / 10}

    def what_of():
        clicked = {"url": "/p/%d" % rng.randrange(50), "at": rng.choice([None, geo_of()])}
        bought = {"sku": "SKU%d" % rng.randrange(9), "cents": rng.randrange(10**6), "tags": ["t"] * rng.randrange(3)}
        return rng.choice([None, ("fixtures.ev.Click", clicked), ("fixtures.ev.Buy", bought)])

    def item_of(i):
        attrs = {"a%d" % j: rng.choice([None, "v", 42]) for j in range(rng.randrange(3))}
        return {"seq": i, "what": what_of(), "attrs": attrs}

    rows = []
    for i in range(300):
        rows.append({
            "id": "ev-%06d" % i, "home": rng.choice([None, geo_of()]),
            "items": [item_of(j) for j in range(rng.randrange(5))],
            "places": {"p%d" % j: geo_of() for j in range(rng.randrange(3))},
            "ratings": {"r%d" % j: [rng.randrange(6)] * rng.randrange(4) for j in range(rng.randrange(2))},
        })
    return schema, rows


def reused():
    """One named type in many places, in two namespaces, with aliases, none of it recursive."""
    money = record("Money", ("units", "long"), ("currency", {"type": "enum", "name": "Currency", "symbols": ["EUR", "USD"]}),
                   namespace="shop.base", aliases=["Amount", "old.Money"])
    schema = record(
        "Order",
        ("net", money), ("gross", "shop.base.Money"), ("parts", array("shop.base.Money")),
        ("refund", ["null", "shop.base.Money"]), ("currency", "shop.base.Currency"),
        ("inner", record("Inner", ("m", "shop.base.Money"), ("again", array(["null", "shop.base.Money"])), namespace="other")),
        ("last", ["null", "other.Inner"]), ("bare", record("Bare", ("m", "shop.base.Money"), namespace="")),
        namespace="shop", doc="a doc", aliases=["Purchase"],
    )

    def money_of(i):
        return {"units": i, "currency": ["EUR", "USD"][i % 2]}

    def inner_of(i):
        return {"m": money_of(i), "again": [None if j % 2 else money_of(j) for j in range(i % 4)]}

    rows = []
    for i in range(150):
        rows.append({
            "net": money_of(i), "gross": money_of(2 * i), "parts": [money_of(j) for j in range(i % 3)],
            "refund": None if i % 4 else money_of(i), "currency": "USD", "inner": inner_of(i), "last": None if i % 2 else inner_of(1),
            "bare": {"m": money_of(-i)},
        })
    return schema, rows


def logical():
    """Logical types, known, unknown and misplaced: values are given in the underlying type."""
    schema = record(
        "Logical",
        ("day", {"type": "int", "logicalType": "date"}), ("tms", {"type": "int", "logicalType": "time-millis"}),
        ("tus", {"type": "long", "logicalType": "time-micros"}), ("ts", {"type": "long", "logicalType": "timestamp-millis"}),
        ("tsus", ["null", {"type": "long", "logicalType": "timestamp-micros"}]),
        ("lts", {"type": "long", "logicalType": "local-timestamp-micros"}),
        ("tsns", {"type": "long", "logicalType": "timestamp-nanos"}),
        ("dec", {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}),
        ("decf", {"type": "fixed", "name": "Dec", "size": 5, "logicalType": "decimal", "precision": 9, "scale": 2}),
        ("uuid", {"type": "string", "logicalType": "uuid"}),
        ("dur", {"type": "fixed", "name": "Dur", "size": 12, "logicalType": "duration"}),
        ("odd", {"type": "string", "logicalType": "x-unheard-of", "x-more": {"deep": [1, 2]}}),
        ("wrong", {"type": "string", "logicalType": "date"}),
        ("baddec", {"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 7}),
        ("list", array({"type": "int", "logicalType": "date"})),
        namespace="fixtures",
    )
    rows = []
    for i in range(120):
        rows.append({
            "day": 19000 + i, "tms": i * 1000, "tus": i * 10**6, "ts": 1700000000000 + i,
            "tsus": None if i % 3 else 1700000000000000 + i, "lts": -i, "tsns": 1700000000000000000 + i,
            "dec": (i * 7919).to_bytes(4, "big"), "decf": (-i).to_bytes(5, "big", signed=True),
            "uuid": "123e4567-e89b-12d3-a456-%012d" % i, "dur": bytes([i % 256] * 12), "odd": "o%d" % i, "wrong": "w",
            "baddec": b"\x01", "list": [i] * (i % 3),
        })
    return schema, rows


def zero_bytes():
    """Rows, elements and values that take no byte of input at all."""
    empty = record("Empty")
    schema = record(
        "ZeroBytes",
        ("n", "null"), ("r", empty), ("ns", array("null")), ("rs", array("fixtures.Empty")), ("opt", ["null", "fixtures.Empty"]),
        ("nn", record("AllNull", ("a", "null"), ("b", "fixtures.Empty"))),
        namespace="fixtures",
    )
    rows = []
    for i in range(100):
        rows.append({
            "n": None, "r": {}, "ns": [None] * (i * 7), "rs": [{}] * (i % 5), "opt": None if i % 2 else ("fixtures.Empty", {}),
            "nn": {"a": None, "b": {}},
        })
    return schema, rows


def no_fields():
    return record("Nothing", namespace="fixtures"), [{}] * 1000


def null_record():
    return record("AllNull", ("a", "null"), ("b", "null"), namespace="fixtures"), [{"a": None, "b": None}] * 1000


def address_book():
    contact = record("Contact", ("name", "string"), ("phoneNumber", ["null", "string"]))
    schema = record("AddressBook", ("owner", "string"), ("ownerPhoneNumbers", array("string")), ("contacts", array(contact)))
    rows = [
        {
            "owner": "Julien Le Dem", "ownerPhoneNumbers": ["555 123 4567", "555 666 1337"],
            "contacts": [
                {"name": "Dmitriy Ryaboy", "phoneNumber": "555 987 6543"}, {"name": "Chris Aniszczyk", "phoneNumber": None},
            ],
        },
        {"owner": "A. Nonymous", "ownerPhoneNumbers": [], "contacts": []},
    ]
    return schema, rows


def dremel():
    """The two documents of the Dremel paper, figure 2."""
    language = record("Language", ("Code", "string"), ("Country", ["null", "string"]))
    name = record("Name", ("Language", array(language)), ("Url", ["null", "string"]))
    links = record("Links", ("Backward", array("long")), ("Forward", array("long")))
    schema = record("Document", ("DocId", "long"), ("Links", ["null", links]), ("Name", array(name)))
    rows = [
        {
            "DocId": 10, "Links": {"Backward": [], "Forward": [20, 40, 60]},
            "Name": [
                {"Language": [{"Code": "en-us", "Country": "us"}, {"Code": "en", "Country": None}], "Url": "http://A"},
                {"Language": [], "Url": "http://B"},
                {"Language": [{"Code": "en-gb", "Country": "gb"}], "Url": None},
            ],
        },
        {"DocId": 20, "Links": {"Backward": [10, 30], "Forward": [80]}, "Name": [{"Language": [], "Url": "http://C"}]},
    ]
    return schema, rows


def flat():
    """A flat table of enough rows for several blocks and files."""
    schema = record(
        "Flat",
        ("id", "long"), ("qty", "int"), ("price", "double"), ("ok", "boolean"), ("name", "string"), ("note", ["null", "string"]),
        namespace="fixtures",
    )
    rng = random.Random(9)
    words = ["carefully", "final", "deposits", "sleep", "furiously", "ironic", "packages"]
    rows = []
    for i in range(2000):
        note = None if rng.random() < 0.3 else " ".join(rng.choice(words) for _ in range(rng.randrange(6)))
        rows.append({"id": i, "qty": rng.randrange(50), "price": rng.randrange(10**6) / 100, "ok": rng.random() < 0.9,
                     "name": "Customer#%09d" % rng.randrange(1000), "note": note})
    return schema, rows


def booleans():
    """Booleans in every place: bit-packed in plain columns, a fresh byte per length in array columns."""
    schema = record(
        "Booleans",
        ("plain", "boolean"), ("opt", ["null", "boolean"]), ("many", array("boolean")),
        ("recs", array(record("Flag", ("on", "boolean"), ("opt", ["boolean", "null"])))),
        namespace="fixtures",
    )
    rng = random.Random(10)

    def flag():
        return rng.random() < 0.5

    rows = []
    for i in range(331):
        rows.append({
            "plain": flag(), "opt": rng.choice([None, True, False, False]), "many": [flag() for _ in range(i % 20)],
            "recs": [{"on": flag(), "opt": rng.choice([None, flag()])} for _ in range(rng.randrange(4))],
        })
    return schema, rows


def runs():
    """Nullable columns whose presence comes in runs of every length, and across many blocks."""
    pair = record("Pair", ("a", "int"), ("b", ["null", "int"]))
    schema = record("Runs", ("v", ["null", "int"]), ("s", ["null", "string"]), ("p", ["null", pair]), ("l", array("int")), namespace="fixtures")
    rng = random.Random(11)

    def pattern():
        while True:
            present = rng.random() < 0.5
            for _ in range(rng.choice([1, 1, 1, 2, 3, 4, 5, 63, 64, 65, 200])):
                yield present

    on = {name: pattern() for name in "vspl"}
    rows = []
    for i in range(3000):
        p = {"a": i, "b": None if i // 100 % 2 else i} if next(on["p"]) else None
        many = [i] if next(on["l"]) else [[], [1, 2], []][i % 3]
        rows.append({"v": i if next(on["v"]) else None, "s": "x" if next(on["s"]) else None, "p": p, "l": many})
    return schema, rows


def wide(columns=300):
    schema = record("Wide", *[("c%03d" % i, ["null", "int"] if i % 3 else "string") for i in range(columns)], namespace="fixtures")
    rows = [{"c%03d" % i: (None if (i + r) % 4 else r) if i % 3 else "v%d" % (r % 7) for i in range(columns)} for r in range(40)]
    return schema, rows


def big_values():
    """A few rows much larger than a block."""
    rng = random.Random(12)
    schema = record("Big", ("k", "int"), ("blob", "bytes"), ("text", ["null", "string"]), ("many", array("int")), namespace="fixtures")
    rows = []
    for i in range(6):
        text = None if i % 2 else "ab" * (40000 * (i == 2) + 10)
        rows.append({"k": i, "blob": rng.randbytes(3) * (30000 if i == 3 else 5), "text": text, "many": [7] * (70000 if i == 4 else i)})
    return schema, rows


SHAPES = {
    "primitives": primitives, "nulls": nulls, "unions": unions, "unions-without-maps": unions_without_maps, "arrays": arrays,
    "maps": maps, "nested": nested, "events": events, "reused-types": reused, "logical": logical, "zero-bytes": zero_bytes,
    "no-fields": no_fields, "null-record": null_record, "address-book": address_book, "dremel": dremel, "flat": flat,
    "booleans": booleans, "runs": runs, "wide": wide,
}

# Files whose top level is no record.
TOP = {
    "null": ("null", [None] * 300),
    "boolean": ("boolean", [i % 3 == 0 for i in range(100)]),
    "int": ("int", INTS * 9),
    "long": ("long", LONGS * 9),
    "float": ("float", FLOATS * 9),
    "double": ("double", DOUBLES * 9),
    "string": ("string", STRINGS * 9),
    "bytes": ("bytes", BYTES * 9),
    "enum": (dict(ENUM, namespace="fixtures"), SUITS * 20),
    "fixed": (dict(FIXED, namespace="fixtures"), [bytes([i, i, i]) for i in range(90)]),
    "array": (array("int"), [list(range(i % 6)) for i in range(90)]),
    "array-of-records": (
        array(record("P", ("a", "int"), ("b", ["null", "string"]))),
        [[{"a": j, "b": None if j % 2 else "b"} for j in range(i % 4)] for i in range(90)],
    ),
    "map": (map_of("long"), [{"k%d" % j: j for j in range(i % 4)} for i in range(90)]),
    "union": (["null", "long", "string"], [[None, i, "s%d" % i][i % 3] for i in range(90)]),
    "union-of-null": (["null"], [None] * 90),
}

RECURSIVE = (
    record("Node", ("value", "int"), ("next", ["null", "fixtures.Node"]), ("kids", array("fixtures.Node")), namespace="fixtures"),
    [{"value": i, "next": {"value": -i, "next": None, "kids": []}, "kids": []} for i in range(10)],
)
