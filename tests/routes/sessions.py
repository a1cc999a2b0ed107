"""What the tests of routes in sessions share: networks and streams as lines of change."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "api")]

from api import *  # noqa: E402,F401,F403
from api import served  # noqa: E402,F401

CASES = os.path.join(TESTS, "cases", "routes")
ELINE, ESCHEMA, ETABLE, ENETWORK = 51, 52, 53, 55
ECANCELED = 60


def case_names():
    return sorted(f[:-5] for f in os.listdir(CASES) if f.endswith(".json"))


def case(name):
    with open(os.path.join(CASES, name + ".json"), encoding="utf-8") as f:
        return json.load(f)


def stream_names():
    return sorted(f[:-6] for f in os.listdir(os.path.join(CASES, "streams"))
                  if f.endswith(".jsonl"))


def stream(name):
    """The header, and the records."""
    with open(os.path.join(CASES, "streams", name + ".jsonl"), encoding="utf-8") as f:
        header, *records = map(json.loads, f)
    return header, records


def line(op):
    """An op of a stream as a line."""
    fields = {k: v for k, v in op.items() if k not in ("op", "id")}
    return [op["op"], op["id"]] if op["op"].startswith("remove") else [op["op"], op["id"], fields]


def network_ops(network):
    return [{"op": "add_" + what, "id": i, **thing}
            for table, what in (("nodes", "node"), ("edges", "edge"), ("mutex", "mutex"))
            for i, thing in enumerate(network.get(table, []))]


def begin_network(rpc, *ops, **options):
    """A session whose first turn, if there are ops, makes a network: its handle and the position."""
    session = rpc.call("beginchanges", "route-network", options)["session"]
    return (session, lay(rpc, session, 0, ops)["number"]) if ops else (session, 0)


def lay(rpc, session, prev, ops, move=1, check=1):
    return rpc.call("addchanges", session, prev, move, [line(op) for op in ops], 0, check)


def table(rpc, session, position):
    """{(what, id): {field: value}}, without what has its default."""
    defaults = {"value": 0, "cost": 1, "track": "broad", "terminal": False, "scope": "route"}
    rows, after = {}, None
    while True:
        page = rpc.call("gettable", session, position, {"after": after})
        for key, row in page["objects"]:
            assert tuple(key) == (row.pop("what"), row.pop("id"))
            rows[tuple(key)] = {k: v for k, v in row.items()
                                if v is not None and v != defaults.get(k)}
        after = page["next"]
        if after is None:
            return rows


KNOWN = set("name kind hex hexes value values cost slots tokens limit a b track terminal scope nodes "
            "edges why".split())


def apply_ops(rows, ops):
    """The same table, worked out here from the format's text."""
    defaults = {"value": 0, "cost": 1, "track": "broad", "terminal": False, "scope": "route"}
    for op in ops:
        verb, what = op["op"].split("_")
        fields = {k: v for k, v in op.items() if k in KNOWN}
        if verb == "add":
            rows[what, op["id"]] = {}
        if verb == "remove":
            del rows[what, op["id"]]
            continue
        row = dict(rows[what, op["id"]])
        row.update(fields)
        rows[what, op["id"]] = {k: v for k, v in row.items()
                                if v is not None and v != defaults.get(k)}
    return rows


def best(rpc, session, position, question, **options):
    return rpc.call("routes.best", session, position, question["company"], question["trains"],
                    {k: v for k, v in {"rules": question.get("rules"),
                                       "bonuses": question.get("bonuses"), **options}.items()
                     if v is not None})
