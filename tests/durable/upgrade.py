"""Going from one version to the next: the daemon's restart keeps every number, and a client that knows only
what the first version had is served as it was."""
import msgpack

from durable import add, begin, placed, run

# Requests as a client of version 0.1.0 sends them, and the fields that it knows of the answers.
POSITION = {"number", "prev", "move", "movecount", "better", "endpoint", "solutionend",
            "solutionsize", "nextcount", "setbetter"}
SESSION = {"session", "name", "size", "cmpsize", "graft", "positions", "changed", "sequence"}
EFFECTS = {"method", "position", "new", "grafted", "made", "dropped", "gone", "supersedes"}
FIRST_VERSION = [
    ("server.hello", [{"client": "old"}], {"server", "version"}),
    ("beginsession", [bytes(4), 4, 0, {"name": "n", "join": True}], SESSION | {"created"}),
    ("attach", ["n"], SESSION | {"snapshot"}),
    ("addposition", ["n", 0, 1, b"aaaa", 0, 1], POSITION | {"new"}),
    ("addposition", ["n", 1, 2, b"bbbb", 1, 1, {"strict": True}], POSITION | {"new"}),
    ("addpositions", ["n", [[2, 1, b"cccc", 0, 1], [-1, 2, b"dddd", 0, 1]]], {"numbers", "new"}),
    ("getnextposition", ["n", 0, 1], POSITION),
    ("getpositions", ["n", {"limit": 2}], {"positions", "next"}),
    ("getbranches", ["n", 0], {"positions", "next"}),
    ("getpath", ["n", 4], {"positions", "next"}),
    ("getsolution", ["n", 0], {"positions", "next"}),
    ("gettree", ["n", 0], {"positions", "complete"}),
    ("suppresscycle", ["n", 4, b"bbbb", 9], {"found", "position", "dropped"}),
    ("duplicatepath", ["n", 0, 0], {"copied", "made"}),
    ("apply", ["n", b"\x04\x04"], {"value", "position", "created", "changed", "sequence"}),
    ("listsessions", [], {"sessions", "next"}),
]


def numbers_of(rpc, name):
    """All numbers that clients keep: of the session, of operations, positions and dropped subtrees."""
    session = rpc.call("getsession", name)
    positions = rpc.call("getpositions", name)
    trees = [(t["key"], t["position"]) for t in rpc.call("listsubtrees", name)]
    return (session["session"], session["sequence"], positions["sequence"], trees,
            [(p["number"], p["author"]) for p in positions["positions"]])


@placed()
def test_the_daemons_restart_keeps_numbers(place, rpc):
    for name in ("first", "n"):
        session = begin(rpc, name=name)
    for i in range(20):
        rpc.call("server.hello", {"client": "c%d" % (i % 3)})
        add(rpc, session, i // 2, i, i + 1)
    rpc.call("dropsubtree", session, 3)
    rpc.call("dropposition", session, 20)
    before = numbers_of(rpc, "n")
    for again in (place.restart, place.crash, place.restart):
        again()
        with place.connect() as rpc:
            assert numbers_of(rpc, session) == before
    with place.connect() as rpc:
        # And none is given again.
        assert add(rpc, session, 0, 99, 99)["number"] == 21
        assert begin(rpc, name="later") > session


@placed()
def test_a_client_of_the_first_version_works(place, rpc):
    for method, params, fields in FIRST_VERSION:
        id = rpc.expect()
        rpc.send_bytes(msgpack.packb([0, id, method, params]))
        result = rpc.result(id)
        assert set(result) >= fields, (method, fields - set(result))
    rpc.call("server.ping")
    assert rpc.notifications
    for event in rpc.notifications:
        assert event.method == "operation" and len(event.params) == 5, event
        assert set(event.params[3]) >= EFFECTS


run()
