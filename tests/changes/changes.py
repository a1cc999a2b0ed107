"""What the tests of sessions told by change share."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "api")]

from api import *  # noqa: E402,F401,F403
from api import served  # noqa: E402,F401

ELINE, ESCHEMA, ETABLE, EKIND = range(51, 55)


def gettable(rpc, session, position, limit=1000):
    """The whole table, in pages."""
    objects, options = [], {"limit": limit}
    while True:
        page = rpc.call("gettable", session, position, options)
        objects += page["objects"]
        if "level" in page:
            level, cursors = page["level"], page["cursors"]
        if page["next"] is None:
            ids = [i for i, _ in objects]
            assert len({repr(i) for i in ids}) == len(ids)
            return {"objects": dict(objects), "level": level, "cursors": dict(cursors)}
        options["after"] = page["next"]


def addchanges(rpc, session, prev, move, lines, endpoint=0, check=1, **options):
    return rpc.call("addchanges", session, prev, move, lines, endpoint, check,
                    {k: v for k, v in options.items() if v is not None})


def getdiff(rpc, session, a, b, limit=1000):
    steps = []
    while True:
        page = rpc.call("getdiff", session, a, b, {"limit": limit})
        steps += page["steps"]
        if page["next"] is None:
            return steps
        a = page["next"]


def states(rpc, session):
    """The state of each position: equal boards have equal ones."""
    return {p["number"]: p["state"] for page in pages(rpc, "getpositions", session, start="after",
                                                      limit=10000, states=True) for p in page}
