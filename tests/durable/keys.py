"""Keys of requests: a request that is repeated with its key does nothing and gets the first answer, byte
for byte, whatever has happened meanwhile; for every method that has the option key."""
import os
import random
import time

import msgpack

from durable import add, begin, chain, number, numbers, placed, run, snapshot
from api import EBRANCHES, EEXISTS, EKEY, EMETHOD, ENOSESSION, error_of


def raw(place, method, *params, client=None):
    """The bytes of the answer, on a connection of its own."""
    with place.connect() as rpc:
        if client is not None:
            rpc.call("server.hello", {"client": client})
        rpc.send_bytes(msgpack.packb([0, 7, method, list(params)]))
        unpacker, data = msgpack.Unpacker(raw=False, strict_map_key=False), b""
        while True:
            piece = rpc.recv_bytes()
            assert piece, "the connection ended"
            data += piece
            unpacker.feed(piece)
            for message in unpacker:
                assert message[:2] == [1, 7]
                return data, message[2], message[3]


def begin_rich(rpc, name):
    """A session on which every method has something to do. It returns what requests need of it."""
    session = begin(rpc, 4, 3, name=name)
    chain(rpc, session, 4)
    add(rpc, session, 4, 1, b"end.", endpoint=3)        # 5
    add(rpc, session, 0, 1, b"\0\0\0\3", check=2)       # 6, equal to 3, if it is looked
    add(rpc, session, 0, 2, b"two.")                    # 7
    add(rpc, session, 7, 1, b"one.")                    # 8
    add(rpc, session, 8, 1, b"two.")                    # 9
    add(rpc, session, 0, 3, b"tree")                    # 10
    add(rpc, session, 10, 1, b"leaf")                   # 11
    add(rpc, session, 0, 4, b"kept")                    # 12
    add(rpc, session, 12, 1, b"with")                   # 13
    rpc.call("addcandidates", session, 7, [{"move": 1, "text": "a"}, {"text": "b"}, {"text": "c"}])
    rpc.call("addcandidates", session, 7, [{"text": "double", "analysis": {"kind": "k"}},
                                           {"text": "take", "shared": True}], {"list": "decisions"})
    subtree = rpc.call("dropsubtree", session, 12)["key"]
    rpc.call("setcursor", session, "c", 4)
    rpc.call("setcursor", session, "d", 9)
    rpc.call("undo", session, "d", {"n": 2})
    return subtree


def requests(subtree):
    """Of each method that has keys a request that changes the session, but for the options."""
    return {
        "addposition": [(0, 9, b"new.", 0, 1), (0, 9, b"new.", 0, 1, {"cursor": "c"}),
                        (0, 5, b"\0\0\0\4", 0, 1), (4, 1, b"end.", 3, 1)],
        "addpositions": [([[0, 9, b"new.", 0, 1], [-1, 1, b"more", 0, 1], [0, 0, b"\0\0\0\1", 0, 1]],),
                         ([[0, 9, b"new.", 0, 1]], {"cursor": "c", "expect": 4})],
        "setgraftbehavior": [(3,)],
        "getnextposition": [(0, 1), (0, 77)],
        "dropposition": [(11,)],
        "updatesavedstate": [(7, b"two!")],
        "setbetterfields": [()],
        "suppresscycle": [(9, b"two.", 9), (9, b"none", 9)],
        "duplicatepath": [(6, 3), (11, 9)],
        "dropsubtree": [(10,)],
        "restoresubtree": [(subtree,)],
        "setproperty": [("p", {"a": [1, b"\0"]})],
        "clearsessionchanged": [()],
        "setcursor": [("c", 7), ("new", 7, {"expect": None})],
        "undo": [("c", {"n": 2}), ("c", {"mine": True, "expect": 4})],
        "redo": [("d",), ("d", {"move": 1})],
        "movecursor": [("c", "branchback"), ("c", "solution", {"n": 3}), ("c", "better"),
                       ("d", "branchforth")],
        "dropcursor": [("d",)],
        "setrecord": [(7, {"properties": {"b": 1}, "candidates": [{"text": "x"}]}), (10, None)],
        "setpositionproperty": [(7, "p", [1, b"x"]), (7, "p", 1, {"candidate": 2}), (7, "p", None)],
        "addcandidates": [(7, [{"text": "d"}, {"move": 9}], {"at": 1}), (7, [{"text": "d"}], {"list": "decisions"})],
        "setcandidate": [(7, 2, {"text": "z", "analysis": {"kind": "k"}}),
                         (7, 2, {"shared": False}, {"list": "decisions"}), (7, 1, {"shared": False})],
        "dropcandidates": [(7, [2, 1])],
        "ordercandidates": [(7, [3, 1, 2])],
        "choose": [(7, 2), (7, "open")],
        "decide": [(7, 1)],
        "playcandidate": [(7, 2, b"play", 0, 1), (7, 1, None, 0, 1),
                          (7, 1, None, 0, 1, {"cursor": "c", "expect": None}), (7, 1, b"play", 0, 0, {"list": "decisions"})],
        "addalternate": [(7, b"two!"), (7, b"two?", {"move": 60})],
        "apply": [(b"\1\0\x10\0\2new.",), (b"\3\x09",)],
    }


def with_key(session, params, key):
    """The params of a request, with the key among its options."""
    more = {"key": key}
    if params and isinstance(params[-1], dict) and not {"a", "properties", "text", "shared"} & set(params[-1]):
        more.update(params[-1])
        params = params[:-1]
    return [session, *params, more]


def disturb(rpc, session, i):
    """Changes after which nothing of what was told is so any more."""
    last = rpc.call("getsession", session)["positions"]
    rpc.call_all([("addposition", session, n, 50 + i, number(5000 + i * 100 + n), 1, 1)
                  for n in range(14)])
    rpc.call_all([("dropcursor", session, "c"), ("setcursor", session, "d", 0),
                  ("setcursor", session, "c", 0), ("setgraftbehavior", session, i % 4),
                  ("setproperty", session, "p", i), ("dropsubtree", session, 7 + i % 5),
                  ("getnextposition", session, 0, 2), ("updatesavedstate", session, 3, b"\0\0\0\7"),
                  ("setbetterfields", session)])
    assert rpc.call("getsession", session)["sequence"] > last


def steady(method, answer):
    """What must be the same in all answers. apply says itself that it was repeated."""
    data, error, result = answer
    if method != "apply":
        return data, error
    return {k: v for k, v in result.items() if k not in ("repeated", "changed")}, error


OTHERS = {"addchanges", "newundo", "addundo", "addgames", "dropgames", "ordergames"}  # see matches.py
BEGINNING = {"beginsession", "beginchanges", "loadsession"}


@placed()
def test_every_method_that_changes_a_session_has_keys(place, rpc):
    info = rpc.call("server.info")["methods"]
    keyed = {m["name"] for m in info if "key" in {o["name"] for o in m["options"]}}
    # Of sessions of another kind, and those that begin one.
    keyed -= OTHERS | {"beginmatch"} | BEGINNING
    assert keyed == set(requests(1)), keyed ^ set(requests(1))
    durable = {m["name"] for m in info if "durable" in {o["name"] for o in m["options"]}}
    durable -= OTHERS
    assert keyed == durable


@placed()
def test_a_retried_request_is_done_once_and_gets_the_first_answer(place, rpc):
    """For each method: at once, after other changes, after a restart, after a kill."""
    first, asked = {}, {}
    for method, variants in requests(0).items():
        for v in range(len(variants)):
            name = "%s %d" % (method, v)
            params = requests(begin_rich(rpc, name))[method][v]
            asked[name] = method, with_key(name, params, name.encode())
            answer = raw(place, method, *asked[name][1])
            assert answer[1] is None, (name, answer)
            first[name] = steady(method, answer)

    def repeat(when):
        before = {}
        with place.connect() as rpc:
            for name in first:
                before[name] = snapshot(rpc, name), rpc.call("getsession", name)["sequence"]
            for name, (method, params) in asked.items():
                answer = raw(place, method, *params)
                assert steady(method, answer) == first[name], (when, name, answer)
                if method == "apply":
                    assert answer[2]["repeated"] is True and answer[2]["changed"] is False
            for name in first:
                assert before[name] == (snapshot(rpc, name),
                                        rpc.call("getsession", name)["sequence"]), (when, name)
    repeat("at once")
    for i, name in enumerate(first):
        disturb(rpc, name, i)
    repeat("after other changes")
    place.restart()
    repeat("after a restart")
    place.crash()
    repeat("after a kill")
    with place.connect() as rpc:
        for i, name in enumerate(first):
            disturb(rpc, name, i + 1)
    place.crash()
    repeat("after changes and a kill")


@placed()
def test_another_request_with_a_key_is_refused(place, rpc):
    """Each method's key with each other method, and with other params of the same."""
    for method, variants in requests(0).items():
        name = "of " + method
        subtree = begin_rich(rpc, name)
        rpc.call(method, *with_key(name, requests(subtree)[method][0], b"k"))
        before = snapshot(rpc, name), rpc.call("getsession", name)
        for other, tried in requests(subtree).items():
            for v, params in enumerate(tried):
                if (other, v) == (method, 0):
                    continue
                error, _ = rpc.response(rpc.send(other, *with_key(name, params, b"k")))
                assert error is not None and error[0] == EKEY, (method, other, params, error)
        assert (snapshot(rpc, name), rpc.call("getsession", name)) == before, method


@placed()
def test_the_key_of_a_restored_subtree_does_not_cost_an_equal_one(place, rpc):
    """Dropped again, it is kept under another number: that is another request, and what is kept stays."""
    session = begin(rpc, name="n")
    chain(rpc, session, 3)
    first = rpc.call("dropsubtree", session, 1)["key"]
    assert rpc.call("restoresubtree", session, first, {"key": b"k"})["restored"] == 3
    second = rpc.call("dropsubtree", session, 1)["key"]
    assert error_of(rpc, "restoresubtree", session, second, {"key": b"k"}) == EKEY
    assert rpc.call("restoresubtree", session, first, {"key": b"k"})["restored"] == 3  # as then
    assert [k["key"] for k in rpc.call("listsubtrees", session)] == [second]
    assert rpc.call("restoresubtree", session, second, {"key": b"l"})["restored"] == 3


@placed()
def test_a_repeated_request_makes_no_event(place, rpc):
    session = begin(rpc, name="n")
    rpc.call("setcursor", session, "c", chain(rpc, session, 5)[-1])
    rpc.call("attach", session)
    rpc.call("undo", session, "c", {"key": b"1"})
    for _ in range(3):
        rpc.call("undo", session, "c", {"key": b"1"})
    rpc.call("server.ping")
    assert len(rpc.notifications) == 1
    assert rpc.call("getcursor", session, "c")["number"] == 4


@placed()
def test_the_same_key_of_another_author_is_another(place, rpc):
    session = begin(rpc, name="n")
    rpc.call("setcursor", session, "c", chain(rpc, session, 9)[-1])
    call = ("undo", session, "c", {"key": b"k"})
    for i, who in enumerate((None, "one", "two", "")):
        _, error, result = raw(place, *call, client=who)
        # Who gives no name and who gives an empty one are the same.
        assert error is None and result["position"]["number"] == (8 - i if who != "" else 8)
    for i, who in enumerate((None, "one", "two")):
        assert raw(place, *call, client=who)[2]["position"]["number"] == 8 - i


@placed()
def test_the_last_1024_keys_are_kept_and_the_next_pushes_out_the_first(place, rpc):
    session = begin(rpc, name="n")
    keys = rpc.call("server.info")["limits"]["keys"]
    rpc.call("setcursor", session, "c", chain(rpc, session, keys + 20)[-1])
    undo = lambda i: ("undo", session, "c", {"key": b"%d" % i})
    answers = rpc.call_all([undo(i) for i in range(keys)])
    for again in range(2):
        assert rpc.call_all([undo(i) for i in (0, 1, keys - 1)]) == [
            answers[i] for i in (0, 1, keys - 1)]
        if not again:
            place.restart()
            rpc = place.connect()
    rpc.call(*undo(keys))
    assert rpc.call(*undo(1)) == answers[1][1]
    assert rpc.call(*undo(0)) != answers[0][1]  # it is done as a new one: and pushes out 1
    assert rpc.call(*undo(2)) == answers[2][1]
    assert rpc.call(*undo(1)) != answers[1][1]
    assert rpc.call("getcursor", session, "c")["number"] == 20 - 3
    rpc.close()


@placed()
def test_keys_of_large_turns_push_out_others_by_their_bytes(place, rpc):
    session = begin(rpc, name="n")
    turns = [[[0, 10000 * t + i, number(i), 0, 0] for i in range(10000)] for t in range(8)]
    for t, turn in enumerate(turns):
        rpc.call("addpositions", session, turn, {"key": b"%d" % t})
    new = [rpc.call("addpositions", session, turns[t], {"key": b"%d" % t})["new"][0]
           for t in (7, 6, 5, 0)]
    assert new == [True, True, True, False]  # the oldest is done anew


@placed()
def test_a_key_has_1_to_64_bytes(place, rpc):
    session = begin(rpc, name="n")
    for key in (b"", b"x" * 65):
        error, _ = rpc.response(rpc.send("addposition", session, 0, 1, number(1), 0, 0, {"key": key}))
        assert error[0] == EKEY and (error[2]["limit"], error[2]["given"]) == (64, len(key)), error
    assert rpc.call("getsession", session)["sequence"] == 0
    for key in (b"\0", b"\xff" * 64, "text"):
        assert add(rpc, session, 0, 1, 1, key=key)["number"] == 1
    assert rpc.call("addposition", session, 0, 1, number(1), 0, 1, {"key": b"text"})["new"] is False


@placed()
def test_a_refused_request_keeps_no_key(place, rpc):
    session = begin(rpc, name="n")
    chain(rpc, session, 2)
    error, _ = rpc.response(rpc.send("dropposition", session, 1, {"key": b"k"}))
    assert error[0] == EBRANCHES
    rpc.call("dropposition", session, 2)
    assert rpc.call("dropposition", session, 1, {"key": b"k"}) == 0
    assert rpc.call("dropposition", session, 1, {"key": b"k"}) == 0
    error, _ = rpc.response(rpc.send("no.such", {"key": b"k"}))
    assert error[0] == EMETHOD


@placed()
def test_a_client_that_closes_before_it_reads_can_retry(place, rpc):
    session = begin(rpc, name="n")
    rpc.call("setcursor", session, "c", chain(rpc, session, 300)[-1])
    rng = random.Random(8)
    for i in range(150):
        request = msgpack.packb([0, 1, "undo", [session, "c", {"key": b"%d" % i}]])
        for _ in range(rng.randrange(1, 3)):
            with place.connect() as hasty:
                cut = len(request) if rng.random() < 0.8 else rng.randrange(len(request))
                hasty.send_bytes(request[:cut])
        with place.connect() as again:
            answer = again.call("undo", session, "c", {"key": b"%d" % i})
            assert answer["position"]["number"] == 299 - i and answer["steps"] == 1, (i, answer)
    assert rpc.call("getcursor", session, "c")["number"] == 150


@placed()
def test_a_daemon_that_is_killed_before_it_answers_does_a_retried_request_once(place, rpc):
    session = begin(rpc, name="n")
    rpc.call("setcursor", session, "c", chain(rpc, session, 100)[-1])
    rng = random.Random(9)
    done = 0
    for i in range(12):
        rpc = place.connect()
        calls = [("undo", "n", "c", {"key": b"%d/%d" % (i, k)}) for k in range(rng.randrange(1, 6))]
        ids = rpc.send_all(calls)
        if i % 3 == 0:
            rpc.response(ids[0])  # at least that one is on disk, and perhaps others
        else:
            time.sleep(rng.random() * 0.006)  # anywhere before, in, or after the commit
        place.crash()
        rpc.close()
        with place.connect() as again:
            answers = again.call_all(calls)
            for k, (error, result) in enumerate(answers):
                assert error is None and result["position"]["number"] == 99 - done - k, (i, k, result)
            done += len(calls)
            assert again.call("getcursor", "n", "c")["number"] == 100 - done
            assert again.call_all(calls) == answers


@placed()
def test_a_repeated_request_is_answered_when_the_first_is_on_disk(place, rpc):
    """The answer means that it lasts, also the second time."""
    session = begin(rpc, name="n")
    rpc.call("setcursor", session, "c", chain(rpc, session, 9)[-1])
    if "SLOW_SYNC" not in os.environ:
        return
    place.disk("wait")
    rpc.send("undo", session, "c", {"key": b"k"})
    with place.connect() as other:
        id = other.send("undo", session, "c", {"key": b"k"})
        try:
            other.response(id, 0.15)
            raise AssertionError("answered before it was on disk")
        except TimeoutError:
            pass
        place.disk("ok")
        assert other.result(id)["position"]["number"] == 8
    assert rpc.call("getcursor", session, "c")["number"] == 8


# ---- cursors and authors last, too


def look(rpc, name):
    page = rpc.call("getpositions", name, {"limit": 10000})
    return rpc.call("getcursors", name), rpc.call("getauthors", name), page["positions"]


@placed()
def test_cursors_with_their_ways_and_authors_with_their_times_survive_restart_and_kill(place, rpc):
    session = begin(rpc, name="n")
    for client in ("one", "two", "one", ""):
        rpc.call("server.hello", {"client": client})
        last = max(numbers(rpc.call("getpositions", session)["positions"]))
        add(rpc, session, last, 1, last + 1)
    for name, position in (("a", 4), ("\u00e9", 2), ("gone", 3)):
        rpc.call("setcursor", session, name, position)
    add(rpc, session, 1, 9, 99)  # in front of the way
    rpc.call("undo", session, "a", {"n": 4})
    rpc.call("dropcursor", session, "gone")
    before = look(rpc, "n")
    for again in (place.restart, place.crash, place.restart):
        again()
        with place.connect() as rpc:
            assert look(rpc, "n") == before
    with place.connect() as rpc:
        assert rpc.call("redo", "n", "a", {"n": 9})["position"]["number"] == 4
        rpc.call("undo", "n", "a", {"n": 4})
        # After a compaction, too: enough that the journal is folded up.
        for i in range(300):
            rpc.call("setproperty", "n", "p", "%d" % i * 2000)
        rpc.call("flush")
        assert look(rpc, "n") == before
    place.crash()
    with place.connect() as rpc:
        assert look(rpc, "n") == before
        rpc.call("server.hello", {"client": "two"})
        assert add(rpc, "n", 0, 5, 5)["author"] == 3  # the number it had
        assert rpc.call("redo", "n", "a", {"n": 9})["position"]["number"] == 4


@placed()
def test_a_turn_is_there_whole_or_not_at_all_after_a_kill(place, rpc):
    begin(rpc, name="n")
    rng = random.Random(10)
    whole = 1
    for i in range(15):
        rpc = place.connect()
        size = rng.choice((2, 50, 3000))
        rpc.send("addpositions", "n", [[-k if k else 0, i, number(i * 5000 + k), 0, 0]
                                       for k in range(size)], {"cursor": "c"})
        time.sleep(rng.random() * 0.01)
        place.crash()
        rpc.close()
        with place.connect() as again:
            there = again.call("getsession", "n")["positions"]
            assert there in (whole, whole + size), (there, whole, size)
            if there != whole:
                assert again.call("getcursor", "n", "c")["number"] == there - 1
            whole = there


# ---- keys of what begins a session


def beginnings(rpc, **more):
    dump = snapshot(rpc, begin(rpc, name="loaded from"))
    return {"begun": ("beginsession", b"abcd", 4, 3, {"key": b"k", "name": "begun", **more}),
            "changes": ("beginchanges", "baba", {"key": b"k", "name": "changes", **more}),
            "loaded": ("loadsession", dump, {"key": b"k", "name": "loaded"})}


@placed()
def test_a_beginning_asked_again_with_its_key_is_answered_as_begun(place, rpc):
    """At once, after changes, after a kill; without the key, or with another, the name is taken."""
    asked = beginnings(rpc)
    handles = {name: rpc.call(*request)["session"] for name, request in asked.items()}

    def repeat():
        for name, request in asked.items():
            with place.connect() as other:
                answer = other.call(*request)
                assert answer["session"] == handles[name] and answer["created"], name
                for key in (None, b"other"):
                    again = [*request[:-1], {**request[-1], "key": key}]
                    assert error_of(other, *again) == EEXISTS, name

    repeat()
    add(rpc, "begun", 0, 1, b"more")
    rpc.call("setproperty", "loaded", "p", 1)
    repeat()
    place.crash()
    repeat()


@placed()
def test_a_key_of_a_beginning_is_of_its_request_and_author(place, rpc):
    for method, *params in beginnings(rpc).values():
        session = rpc.call(method, *params)["session"]
        with place.connect() as other:
            other.call("server.hello", {"client": "another"})
            assert error_of(other, method, *params) == EEXISTS
        if method != "beginchanges":
            assert error_of(rpc, "setproperty", session, "p", 1, {"key": b"k"}) == EKEY
    for state, cmpsize in ((b"abce", 3), (b"abcd", 4)):
        assert error_of(rpc, "beginsession", state, 4, cmpsize, {"key": b"k", "name": "begun"}) == EKEY
    assert error_of(rpc, "beginsession", b"abcd", 4, 3, {"key": b"", "name": "new"}) == EKEY
    assert error_of(rpc, "beginsession", b"abcd", 4, 3, {"key": bytes(65), "name": "new"}) == EKEY
    joined = {"key": b"other", "name": "begun", "join": True}
    assert rpc.call("beginsession", b"abcd", 4, 3, joined)["created"] is False
    # A copy has its keys, and is not what was begun.
    rpc.call("copysession", "begun", "copy")
    assert error_of(rpc, "beginsession", b"abcd", 4, 3, {"key": b"k", "name": "copy"}) == EKEY


@placed()
def test_a_private_beginning_asked_again_on_its_connection_is_the_same(place, rpc):
    request = ("beginsession", b"abcd", 4, 0, {"key": b"k"})
    session = rpc.call(*request)["session"]
    again = rpc.call(*request)
    assert again["session"] == session and again["created"]
    with place.connect() as other:
        assert other.call(*request)["session"] != session


@placed()
def test_a_session_named_by_its_handle_is_not_deleted_or_renamed_twice(place, rpc):
    session = begin(rpc, name="n")
    assert rpc.call("renamesession", session, "m")["name"] == "m"
    assert rpc.call("renamesession", session, "m")["name"] == "m"
    assert rpc.call("setsessionmode", session, 0o644) == rpc.call("setsessionmode", session, 0o644)
    rpc.call("deletesession", session)
    other = begin(rpc, name="m")
    assert error_of(rpc, "deletesession", session) == ENOSESSION
    place.crash()
    with place.connect() as rpc:
        assert error_of(rpc, "deletesession", session) == ENOSESSION
        assert rpc.call("getsession", "m")["session"] == other


run()
