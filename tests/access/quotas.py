"""Limits of what one user takes: each refusal names its limit and changes nothing; what is given back can be taken
again; root and the daemon's user have none."""
import os

from access import (ANN, BOB, EFULL, EVE, Closed, Rpc, RpcError, Users, add, begin, chain, error_of, number, run,
                    sessions, snapshot, used, user, wait_for)
from durable import EIO, needs_slow_disk


def refused(limit, value, rpc, *call):
    """The call is refused by this limit, and the error says so in both ways."""
    try:
        told = rpc.call(*call)
    except RpcError as error:
        detail = {k: v for k, v in error.detail.items() if k in ("limit", "value")}
        assert error.code == EFULL and detail == {"limit": limit, "value": value}, (call, error)
        assert limit in error.message and str(value) in error.message, error
        return
    raise AssertionError("%r was answered with %r" % (call[:1], told))


def new(name=None, size=4, **options):
    return ("beginsession", bytes(size), size, 0, {**({"name": name} if name else {}), **options})


def everywhere_with(*options):
    """As access.everywhere, with options of the daemon."""
    def wrap(test):
        def wrapped():
            for memory in (False, True):
                with Users(*options, memory=memory) as place:
                    test(place)
        wrapped.__name__, wrapped.__module__ = test.__name__, test.__module__
        return wrapped
    return wrap


# ---- connections


@used("--user-connections", "2")
def test_connections_of_a_user_are_limited_and_others_come_in(place):
    first, second = place.connect(ANN), place.connect(ANN)
    first.call("server.ping")
    second.call("server.ping")
    with user(ANN):
        third = Rpc(place.daemon.socket_path)
    assert third.closed_by_peer()
    (told,) = third.notifications
    assert told.method == "error" and told.params[0] == EFULL
    assert told.params[2] == {"limit": "user_connections", "value": 2} and "user_connections is 2" in told.params[1]
    place.connect(BOB).call("server.ping")
    for _ in range(4):
        place.connect(0).call("server.ping")
    first.close()

    def comes_in():
        try:
            place.connect(ANN).call("server.ping")
            return True
        except (Closed, BrokenPipeError, ConnectionResetError):
            return False
    wait_for(comes_in, "the place of the connection that has ended")


# ---- sessions


@everywhere_with("--user-sessions", "3")
def test_sessions_of_a_user_are_limited_whatever_begins_them(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    dump = snapshot(ann, begin(ann, name="a"))
    begin(ann, name="b", private=True)
    private = begin(ann)
    for call in (new("c"), new(), new("c", private=True), ("loadsession", dump, {"name": "c"}),
                 ("loadsession", dump), ("copysession", "a", "c"), ("copysession", "b", "c")):
        refused("user_sessions", 3, ann, *call)
    assert begin(ann, name="a", join=True) and begin(bob, name="c")
    ann.call("endsession", private)
    begin(ann, name="c")
    refused("user_sessions", 3, ann, *new("d"))
    ann.call("deletesession", "c")
    begin(ann, name="d")
    refused("user_sessions", 3, ann, *new("e"))
    other = place.connect(ANN)
    ann.call("deletesession", "d")
    begin(other)
    refused("user_sessions", 3, ann, *new("e"))
    other.close()
    wait_for(lambda: ann.response(ann.send(*new("e", join=True)))[0] is None, "the private session to end")


@used("--user-sessions", "2")
def test_sessions_are_counted_after_a_restart_and_a_kill_and_in_and_out_of_the_trash(place):
    ann = place.connect(ANN)
    a = begin(ann, name="a")
    begin(ann, name="b")
    for again in (place.restart, place.crash):
        again()
        ann = place.connect(ANN)
        refused("user_sessions", 2, ann, *new("c"))
        ann.call("deletesession", a)
        place.restart()
        ann = place.connect(ANN)
        c = begin(ann, name="c")
        refused("user_sessions", 2, ann, "restoresession", a)
        ann.call("deletesession", c)
        ann.call("restoresession", a)
        refused("user_sessions", 2, ann, *new("c"))
        ann.call("purgesession", c)
        refused("user_sessions", 2, ann, *new("c"))
    assert [x["name"] for x in sessions(ann)] == ["a", "b"]


@everywhere_with("--user-sessions", "3", "--user-bytes", "100000")
def test_what_a_game_and_the_list_of_its_match_take_is_charged_to_their_owners(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    match = ann.call("beginmatch", "m", {"mode": 0o666})["session"]
    for i in range(3):
        bob.call(*new("b%d" % i, match=match))
    dump = snapshot(bob, "b0")
    refused("user_sessions", 3, bob, *new("c", match=match))
    refused("user_sessions", 3, bob, "loadsession", dump, {"name": "c", "match": match})
    ann.call(*new("a", match=match))
    chain(ann, "a", 2)
    while True:  # the owner of the match has no bytes left for its list
        try:
            ann.call("setproperty", "a", "x%d" % ann.call("getsession", "a")["sequence"], bytes(10000))
        except RpcError:
            break
    for size in (2000, 100, 1):
        try:
            while True:
                ann.call("setproperty", "a", "y%d" % ann.call("getsession", "a")["sequence"], bytes(size))
        except RpcError:
            pass
    bob.call("deletesession", "b0")
    refused("user_bytes", 100000, bob, *new("c", match=match))
    assert ann.call("getgames", match)["total"] == 4 and "c" not in [s["name"] for s in sessions(place.connect())]
    bob.call(*new("c"))  # by itself


@used("--user-sessions", "2", "--memory-budget", "1")
def test_sessions_that_left_memory_count(place):
    ann = place.connect(ANN)
    for i in range(2):
        begin(ann, name="n%d" % i)
    for i in range(6):
        ann.call("getsession", "n%d" % (i % 2))
        refused("user_sessions", 2, ann, *new("c"))


# ---- positions


@everywhere_with("--user-positions", "10")
def test_positions_are_charged_to_the_owner_whoever_adds_them(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    s = begin(ann, name="s", mode=0o666)
    t = begin(ann, name="t")
    chain(ann, s, 4)
    bob.call("addpositions", s, [[0, 20 + i, number(20 + i), 0, 0] for i in range(4)])
    for rpc, call in ((ann, ("addposition", s, 0, 99, number(99), 0, 1)), (bob, ("addposition", s, 0, 99, number(99), 0, 1)),
                      (ann, ("addposition", t, 0, 99, number(99), 0, 1)), (ann, new("u")), (ann, new()),
                      (ann, ("copysession", t, "u")), (ann, ("loadsession", snapshot(ann, s), {"name": "u"})),
                      (bob, ("addpositions", s, [[0, 98, number(98), 0, 0]]))):
        refused("user_positions", 10, rpc, *call)
    # What is there already can be gone to, and what makes room be done.
    again = add(ann, s, 0, 0, 1)
    assert not again["new"]
    ann.call("setproperty", s, "k", "v")
    last = ann.call("getpositions", s)["positions"][-1]["number"]
    ann.call("dropposition", s, last)
    assert add(bob, s, 0, 99, 99)["new"]
    refused("user_positions", 10, bob, "addposition", s, 0, 100, number(100), 0, 1)
    begin(bob, name="s")
    ann.call("deletesession", t)
    assert add(bob, s, 0, 100, 100)["new"]


@everywhere_with("--user-positions", "100")
def test_bulk_add_over_the_limit_is_refused_as_a_whole(place):
    ann = place.connect(ANN)
    s = begin(ann, name="s")
    chain(ann, s, 50)
    before = snapshot(ann, s)
    refused("user_positions", 100, ann, "addpositions", s, [[-i if i else 0, 7, number(1000 + i), 0, 0]
                                                           for i in range(50)])
    assert snapshot(ann, s) == before
    ann.call("addpositions", s, [[-i if i else 0, 7, number(1000 + i), 0, 0] for i in range(49)])
    assert ann.call("getsessionsize", s) == 100


@everywhere_with("--user-positions", "12")
def test_operation_that_would_copy_too_many_positions_is_refused(place):
    ann = place.connect(ANN)
    s = begin(ann, name="s")
    ann.call("setgraftbehavior", s, 2)
    chain(ann, s, 5)
    add(ann, s, 5, 0, 6, endpoint=1)  # 0 1 2 3 4 5 6: a solution
    far = add(ann, s, 0, 9, 50)["number"]
    assert ann.call("getsessionsize", s) == 8
    # 5 more would be 13.
    refused("user_positions", 12, ann, "duplicatepath", s, far, 1)
    # The state of 3 at a shorter way: with it the 3 moves from there would be made.
    add(ann, s, 0, 8, 51)
    refused("user_positions", 12, ann, "addposition", s, 0, 7, number(3), 0, 1)
    refused("user_positions", 12, ann, "addpositions", s, [[0, 7, number(3), 0, 1]])
    assert ann.call("getsessionsize", s) == 9
    assert ann.call("duplicatepath", s, far, 3)["made"] == [9, 3]
    assert ann.call("getsessionsize", s) == 12


@everywhere_with("--user-positions", "3000")
def test_what_a_turn_may_copy_of_paths_that_it_makes_counts_before(place):
    """Each of the later items is a shorter way to a position on the path before, which is copied from there on."""
    ann = place.connect(ANN)
    for graft in (2, 3):
        s = begin(ann, name="g%d" % graft)
        ann.call("setgraftbehavior", s, graft)
        adds = [[-i if i else 0, 0, number(i + 1), int(i == 199), 0] for i in range(200)]
        refused("user_positions", 3000, ann, "addpositions", s,
                adds + [[0, 1000 + i, number(i + 2), 0, 1] for i in range(198)])
        assert ann.call("getsession", s)["positions"] == 1
        assert len(ann.call("addpositions", s, adds + [[0, 1000, number(100), 0, 1]])["numbers"]) == 201


@used("--user-positions", "10")
def test_subtree_that_is_brought_back_counts(place):
    ann = place.connect(ANN)
    s = begin(ann, name="s")
    chain(ann, s, 6)
    key = ann.call("dropsubtree", s, 1)["key"]
    ann.call("addpositions", s, [[0, 30 + i, number(30 + i), 0, 0] for i in range(4)])
    refused("user_positions", 10, ann, "restoresubtree", s, key)
    place.restart()
    ann = place.connect(ANN)
    refused("user_positions", 10, ann, "restoresubtree", "s", key)
    last = ann.call("getpositions", "s")["positions"][-1]["number"]
    ann.call("dropposition", "s", last)
    assert ann.call("restoresubtree", "s", key)["restored"] == 6


@used("--user-positions", "20", "--memory-budget", "1")
def test_positions_are_counted_of_sessions_in_the_store_alone(place):
    ann = place.connect(ANN)
    for i in range(4):
        chain(ann, begin(ann, name="n%d" % i), 3)
    for again in (lambda: None, place.restart, place.crash):
        again()
        ann = place.connect(ANN)
        refused("user_positions", 20, ann, "addpositions", "n2", [[0, 50 + i, number(50 + i), 0, 0] for i in range(5)])
    ann.call("addpositions", "n2", [[0, 50 + i, number(50 + i), 0, 0] for i in range(4)])
    assert sum(x["positions"] for x in sessions(ann)) == 20


# ---- bytes


@everywhere_with("--user-bytes", "200K")
def test_bytes_are_limited(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    s = begin(ann, 10000, name="s")
    added = 0
    while True:
        error, _ = ann.response(ann.send("addposition", s, 0, added, os.urandom(10000), 0, 1))
        if error:
            break
        added += 1
        assert added < 25
    assert added > 10 and error[0] == EFULL and error[2]["limit"] == "user_bytes" and error[2]["value"] == 200 << 10
    assert ann.call("getsessionsize", s) == added + 1
    if not place.memory:
        refused("user_bytes", 200 << 10, ann, "updatesavedstate", s, 0, bytes(10000))
    for call in (("setproperty", s, "k", "v" * 100000),
                 ("copysession", s, "t"), new("t", 100000), new(None, 100000)):
        refused("user_bytes", 200 << 10, ann, *call)
    begin(bob, 100000, name="s")
    ann.call("getnextposition", s, 0, 0)
    ann.call("dropposition", s, 1)
    # In the trash its bytes count, not when it is purged.
    ann.call("deletesession", s)
    if not place.memory:
        refused("user_bytes", 200 << 10, ann, *new("t", 100000))
        place.restart()
        ann = place.connect(ANN)
        refused("user_bytes", 200 << 10, ann, *new("t", 100000))
        ann.call("purgesession", s)
    begin(ann, 100000, name="t")


@everywhere_with("--user-bytes", "300K")
def test_records_count_and_taking_them_away_does_not(place):
    ann, bob = place.connect(ANN), place.connect(BOB, groups=[ANN])
    s = begin(ann, 4, 3, name="s", mode=0o660)
    limit = ("user_bytes", 300 << 10)
    bob.call("addcandidates", s, 0, [{"text": "a", "move": 1}, {"text": "b"}])
    for i in range(60):
        error, _ = bob.response(bob.send("setpositionproperty", s, 0, "p%d" % i, os.urandom(10000)))
        if error:
            break
    assert 15 < i < 40 and error[0] == EFULL and (error[2]["limit"], error[2]["value"]) == limit, (i, error)
    before = snapshot(ann, s)
    for call in (("setpositionproperty", s, 0, "q", bytes(10000)), ("setrecord", s, 0, {"properties": {"a": bytes(10000)}}),
                 ("addcandidates", s, 0, [{"text": "x" * 10000}]),
                 ("setcandidate", s, 0, 1, {"analysis": {"kind": "k", "context": bytes(10000)}})):
        refused(*limit, bob, *call)
    assert snapshot(ann, s) == before
    ann.call("setpositionproperty", s, 0, "large", None)
    ann.call("ordercandidates", s, 0, [2, 1])
    ann.call("choose", s, 0, 1)
    ann.call("dropcandidates", s, 0, [2])
    ann.call("setpositionproperty", s, 0, "p0", None)


@everywhere_with("--user-positions", "3")
def test_positions_that_are_played_and_alternates_count(place):
    ann = place.connect(ANN)
    s = begin(ann, 4, 3, name="s")
    ann.call("addcandidates", s, 0, [{"text": "a"}, {"text": "b"}])
    ann.call("playcandidate", s, 0, 1, b"aaaa", 0, 1)
    ann.call("addalternate", s, 0, b"\0\0\0\1")
    refused("user_positions", 3, ann, "playcandidate", s, 0, 2, b"baaa", 0, 1)
    refused("user_positions", 3, ann, "playcandidate", s, 0, 2, b"baaa", 0, 1, {"cursor": "c"})
    refused("user_positions", 3, ann, "addalternate", s, 0, b"\0\0\0\2")
    assert ann.call("playcandidate", s, 0, 1, None, 0, 1)["number"] == 1
    assert ann.call("playcandidate", s, 0, 1, None, 0, 1, {"cursor": "c"})["number"] == 1
    assert not ann.call("addalternate", s, 0, b"\0\0\0\1")["new"]


@used()
def test_what_one_user_uploads_is_no_others_matter(place):
    ann, more, bob = place.connect(ANN), place.connect(ANN), place.connect(BOB)
    part = bytes(60 << 20)
    limit = ann.call("server.info")["limits"]["upload"]
    for i in range(limit // len(part)):
        ann.call("loadpart", i * len(part), part)
    refused("upload", limit, more, "loadpart", 0, part)
    assert bob.call("loadpart", 0, part)["size"] == len(part)
    ann.close()
    wait_for(lambda: more.response(more.send("loadpart", 0, part))[0] is None, "what has gone")


@used("--user-bytes", "2M")
def test_bytes_of_a_session_count_over_its_compactions(place):
    ann = place.connect(ANN)
    s = begin(ann, 1000, name="s")
    for added in range(0, 4000, 20):
        error, _ = ann.response(ann.send("addpositions", s, [[0, added + i, os.urandom(1000), 0, 0] for i in range(20)]))
        if error:
            break
    assert error and error[2]["limit"] == "user_bytes" and 2**20 < added * 1000 < 2 * 2**20, (added, error)


@everywhere_with("--user-bytes", "100K")
def test_cursors_and_authors_that_are_made_count_and_moving_and_dropping_do_not(place):
    ann = place.connect(ANN)
    s = begin(ann, name="s")
    chain(ann, s, 5)
    ann.call("setcursor", s, "there", 1)
    limit, names = ("user_bytes", 100 << 10), [("%d" % i).zfill(200) for i in range(800)]
    for i, name in enumerate(names):
        ann.call("server.hello", {"client": name})
        error, _ = ann.response(ann.send("setcursor", s, name, 0))
        if error:
            break
    assert i < 700 and error[0] == EFULL and (error[2]["limit"], error[2]["value"]) == limit, (i, error)
    for who in "abc":  # authors take the rest of it
        ann.call("server.hello", {"client": who * 255})
        ann.response(ann.send("setcursor", s, "there", 1 + ord(who) % 3))
    refused(*limit, ann, "setcursor", s, "there", 4)
    ann.call("server.hello", {"client": names[0]})
    refused(*limit, ann, "setcursor", s, "x" * 255, 0)
    for at in (4, 2, 3):
        ann.call("setcursor", s, "there", at)
    ann.call("server.hello", {"client": "y" * 255})
    ann.call("dropposition", s, 5)
    ann.call("dropcursor", s, "there")


# ---- who, and what is told


@used("--user-sessions", "1", "--user-positions", "2", "--user-bytes", "1K", "--user-connections", "1", user=EVE,
      group=EVE, extra_groups=[])
def test_root_and_the_daemons_user_have_no_limits(place):
    for uid in (0, EVE):
        for i in range(3):
            chain(place.connect(uid), begin(place.connect(uid), 4, name="n%d" % i), 50)
    refused("user_positions", 2, place.connect(ANN), "loadsession", snapshot(place.connect(0), "n1"))


@used("--user-sessions", "7", "--user-positions", "1K", "--user-bytes", "2M", "--user-connections", "3")
def test_limits_are_told(place):
    limits = place.connect(ANN).call("server.info")["limits"]
    assert {k: v for k, v in limits.items() if k.startswith("user_")} == {
        "user_connections": 3, "user_sessions": 7, "user_positions": 1024, "user_bytes": 2 << 20}


@used()
def test_no_limit_is_the_default(place):
    limits = place.connect(ANN).call("server.info")["limits"]
    assert {k: v for k, v in limits.items() if k.startswith("user_")} == dict.fromkeys(
        ("user_connections", "user_sessions", "user_positions", "user_bytes"), 0)


@used("--user-sessions", "2")
def test_session_that_could_not_be_stored_does_not_count(place):
    needs_slow_disk()
    ann = place.connect(ANN)
    begin(ann, name="a")
    place.disk("fail")
    assert error_of(ann, *new("b")) == EIO
    place.disk("ok")
    begin(ann, name="c")
    refused("user_sessions", 2, ann, *new("d"))
    # One whose deletion is lost counts on.
    place.disk("fail")
    assert error_of(ann, "deletesession", "c") == EIO
    place.disk("ok")
    refused("user_sessions", 2, ann, *new("d"))
    ann.call("deletesession", "c")
    begin(ann, name="d")


run()
