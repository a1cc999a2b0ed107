"""Attaching: the snapshot, and every operation after it, numbered, in order, before its answer."""
import os
import random

from api import (EATTACHED, ENOTATTACHED, ERANGE, MIB, POSITION, add, bare_operation, begin,
                 chain, error_of, need_plain_memory, number, numbers, run, served, snapshot, whole)

NOTHING = {"position": None, "new": False, "grafted": None, "made": None, "dropped": 0,
           "gone": [], "supersedes": None, "changed": [], "solutions": [], "order": [],
           "front": None, "cursors": [], "items": None, "record": None}


def event_of(rpc):
    """The one event that has come: (sequence, operation, effects, own)."""
    rpc.call("server.ping")
    (event,) = rpc.wait_notifications()
    assert event.method == "operation" and len(event.params) == 5, event
    return event.params[1:]


def effects_of(rpc):
    effects = event_of(rpc)[2]
    assert set(effects) == set(NOTHING) | {"method", "author", "time"}
    assert effects.pop("author") == {"author": 1, "uid": os.getuid(), "name": ""}
    assert effects.pop("time") > 1700000000
    for position in effects["changed"] or ():
        assert set(position) == POSITION
    if effects["changed"] is not None:
        effects["changed"] = numbers(effects["changed"])
    if effects["position"] is not None:
        assert set(effects["position"]) == POSITION
        effects["position"] = effects["position"]["number"]
    return effects


def taken(rpc):
    """What has come, taken from the connection's list."""
    events, rpc.notifications = rpc.notifications, []
    return events


def read(rpc, session, size, piece=MIB):
    data = b""
    while len(data) < size:
        data += rpc.call("readsnapshot", session, len(data), piece)
    return data


def play(rpc, session, rng, count):
    """Random changes, some of them refused or without effect."""
    for _ in range(count):
        size = rpc.call("getsession", session)["sequence"] + 2
        at = lambda: rng.randrange(size)
        state = number(rng.randrange(40))
        call = rng.choice((
            ("addposition", at(), rng.randrange(4), state, rng.choice((0, 0, 0, 1)), 1),
            ("addposition", at(), rng.randrange(4), state, 0, 2),
            ("addpositions", [[at(), 1, state, 0, 1], [-1, 2, state, 0, 1]]),
            ("getnextposition", at(), rng.randrange(4)), ("dropposition", at()),
            ("setgraftbehavior", rng.randrange(5)), ("updatesavedstate", at(), state),
            ("suppresscycle", at(), state, 3), ("duplicatepath", at(), at()),
            ("setbetterfields",), ("clearsessionchanged",)))
        rpc.response(rpc.send(call[0], session, *call[1:]))


# ---- the snapshot


@served
def test_attach_tells_the_session_and_the_length_of_its_snapshot(daemon, rpc):
    session = begin(rpc, name="n")
    add(rpc, session, 0, 1, 1)
    answer = rpc.call("attach", "n")
    size = answer.pop("snapshot")
    assert answer == rpc.call("getsession", session) and answer["sequence"] == 1
    data = read(rpc, "n", size)
    assert len(data) == size and data[:4] == b"REDO"
    assert rpc.call("loadsession", data)["positions"] == 2


@served
def test_snapshot_is_read_in_pieces_of_any_size(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 100)
    whole = snapshot(rpc, session)
    for piece in (1, 7, len(whole) - 1, len(whole), len(whole) + 1, 2**53 - 1):
        size = rpc.call("attach", session)["snapshot"]
        assert read(rpc, session, size, piece) == whole, piece
        rpc.call("detach", session)


@served
def test_piece_of_a_snapshot_has_at_most_a_mebibyte(daemon, rpc):
    session = begin(rpc, 3 * MIB)
    size = rpc.call("attach", session)["snapshot"]
    assert size > 3 * MIB
    assert len(rpc.call("readsnapshot", session, 0, 2**53 - 1)) == MIB
    assert len(rpc.call("readsnapshot", session, size - 5, 100)) == 5


@served
def test_snapshot_is_gone_when_its_last_byte_was_read(daemon, rpc):
    session = begin(rpc)
    size = rpc.call("attach", session)["snapshot"]
    assert rpc.call("readsnapshot", session, 0, 0) == b""
    first = rpc.call("readsnapshot", session, 0, size - 1)
    assert rpc.call("readsnapshot", session, 0, size - 1) == first
    for offset in (size + 1, 2**53 - 1):
        error, _ = rpc.response(rpc.send("readsnapshot", session, offset, 1))
        assert error[0] == ERANGE and error[2] == {"method": "readsnapshot", "snapshot": size}
    read(rpc, session, size)
    assert error_of(rpc, "readsnapshot", session, 0, 1) == ENOTATTACHED


@served
def test_snapshot_is_the_session_as_it_was_when_attached(daemon, rpc):
    session = begin(rpc, name="n")
    chain(rpc, session, 1000)
    before = snapshot(rpc, session)
    with daemon.connect() as other:
        size = other.call("attach", session)["snapshot"]
        start = other.call("readsnapshot", session, 0, 10)
        chain(rpc, session, 1000, prev=1000, first=5000)
        rpc.call("setgraftbehavior", session, 3)
        assert start + read_rest(other, session, 10, size) == before


def read_rest(rpc, session, at, size):
    data = b""
    while at + len(data) < size:
        data += rpc.call("readsnapshot", session, at + len(data), 500)
    return data


@served
def test_attaching_twice_is_refused_and_detaching_what_is_not_attached(daemon, rpc):
    session = begin(rpc, name="n")
    assert error_of(rpc, "detach", session) == ENOTATTACHED
    assert error_of(rpc, "readsnapshot", session, 0, 1) == ENOTATTACHED
    rpc.call("attach", session)
    assert error_of(rpc, "attach", "n") == EATTACHED
    assert rpc.call("detach", session) is None
    assert error_of(rpc, "detach", session) == ENOTATTACHED
    add(rpc, session, 0, 1, 1)
    rpc.call("server.ping")
    assert rpc.notifications == []
    assert rpc.call("attach", session)["sequence"] == 1


@served
def test_attach_without_a_snapshot_gives_events_alone(daemon, rpc):
    session = begin(rpc, name="n")
    add(rpc, session, 0, 1, 1)
    answer = rpc.call("attach", session, {"snapshot": False})
    assert (answer["snapshot"], answer["sequence"]) == (0, 1)
    assert error_of(rpc, "readsnapshot", session, 0, 1) == ENOTATTACHED
    add(rpc, session, 0, 2, 2)
    assert event_of(rpc)[0] == 2
    assert error_of(rpc, "attach", session) == EATTACHED


# ---- events


@served
def test_nothing_is_sent_to_who_is_not_attached(daemon, rpc):
    session, other = begin(rpc, name="n"), begin(rpc, name="m")
    with daemon.connect() as watcher:
        watcher.call("attach", other)
        chain(rpc, session, 100)
        rpc.call("deletesession", session)
        watcher.call("server.ping")
        assert watcher.notifications == [] and rpc.notifications == []


@served
def test_events_are_numbered_from_the_snapshot_on_without_a_gap(daemon, rpc):
    session = begin(rpc, name="n")
    play(rpc, session, random.Random(1), 100)
    with daemon.connect() as watcher:
        start = watcher.call("attach", session)["sequence"]
        play(rpc, session, random.Random(2), 500)
        watcher.call("server.ping")
        events = taken(watcher)
        end = rpc.call("getsession", session)["sequence"]
        assert [e.params[1] for e in events] == list(range(start + 1, end + 1))
        assert len(events) > 100 and all(e.params[0] == session for e in events)


@served
def test_event_comes_before_the_answer_of_what_caused_it(daemon, rpc):
    session = begin(rpc)
    rpc.call("attach", session)
    rpc.log.clear()
    rpc.call_all([("addposition", session, i, 0, number(i), 0, 1) for i in range(50)])
    assert [kind for kind, _ in rpc.log] == ["notification", "response"] * 50
    rpc.log.clear()
    rpc.call("addpositions", session, [[0, i, number(i), 0, 1] for i in range(1, 6)])
    assert [kind for kind, _ in rpc.log] == ["notification", "response"]


@served
def test_own_tells_who_caused_it(daemon, rpc):
    session = begin(rpc, name="n")
    with daemon.connect() as other:
        rpc.call("attach", session)
        other.call("attach", session)
        add(rpc, session, 0, 1, 1)
        assert event_of(rpc)[3] is True
        assert event_of(other)[3] is False
        other.notify("addposition", session, 0, 2, number(2), 0, 1)
        other.call("server.ping")
        assert event_of(other)[3] is True
        assert event_of(rpc)[3] is False


@served
def test_all_who_are_attached_see_the_same(daemon, rpc):
    session = begin(rpc, name="n")
    watchers = [daemon.connect() for _ in range(5)]
    for i, watcher in enumerate(watchers):
        watcher.call("attach", session, {"effects": i % 2 == 0})
    clients = [daemon.connect() for _ in range(3)]
    rng = random.Random(3)
    for _ in range(60):
        play(rng.choice(clients), session, rng, 5)
    seen = []
    for watcher in watchers:
        watcher.call("server.ping")
        seen.append([e.params[1:3] for e in taken(watcher)])
        watcher.close()
    assert len(seen[0]) > 50 and all(s == seen[0] for s in seen)


@served
def test_snapshot_and_events_make_the_same_session(daemon, rpc):
    session = begin(rpc, 4, 3, name="n")
    play(rpc, session, random.Random(4), 300)
    with daemon.connect() as watcher:
        size = watcher.call("attach", session, {"effects": False})["snapshot"]
        copy = None
        for i in range(10):
            play(rpc, session, random.Random(50 + i), 60)
            if copy is None:
                copy = watcher.call("loadsession", read(watcher, session, size))["session"]
        watcher.call("server.ping")
        for event in taken(watcher):
            answer = watcher.call("apply", copy, event.params[2])
            assert answer["changed"] is True
        # But for stamps: what is applied anew is stamped anew.
        assert whole(watcher, copy) == whole(rpc, session)


@served
def test_what_changes_nothing_makes_no_event_and_no_number(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    rpc.call("clearsessionchanged", session)
    sequence = rpc.call("attach", session)["sequence"]
    add(rpc, session, 0, 1, 1)
    add(rpc, session, 0, 1, 2)
    for call in (("getnextposition", 0, 1), ("getnextposition", 0, 9), ("setgraftbehavior", 1),
                 ("updatesavedstate", 1, number(1)), ("suppresscycle", 1, number(0), 0),
                 ("setbetterfields",), ("duplicatepath", 0, 0), ("clearsessionchanged",)):
        rpc.call(call[0], session, *call[1:])
    assert error_of(rpc, "dropposition", session, 0) and error_of(rpc, "dropposition", session, 9)
    assert rpc.call("getsession", session)["sequence"] == sequence
    assert rpc.notifications == []


@served
def test_effects_false_tells_the_operation_alone(daemon, rpc):
    session = begin(rpc)
    rpc.call("attach", session, {"effects": False})
    add(rpc, session, 0, 1, 1)
    sequence, operation, effects, own = event_of(rpc)
    assert (sequence, effects, own) == (1, None, True)
    assert bare_operation(operation) == b"\1\0\2\0\2" + number(1)


# ---- effects


@served
def test_effects_of_each_method(daemon, rpc):
    session = begin(rpc, 4, 3)
    rpc.call("attach", session)

    def told(method, *params):
        rpc.call(method, session, *params)
        return effects_of(rpc)

    assert told("addposition", 0, 1, b"aaa1", 0, 1) == {
        **NOTHING, "method": "addposition", "position": 1, "new": True, "made": [1, 1],
        "changed": [0, 1], "front": 1}
    assert told("addposition", 1, 2, b"bbb1", 0, 1)["made"] == [2, 1]
    # An endpoint: those before it have a solution now.
    assert told("addposition", 2, 3, b"ccc1", 5, 1) == {
        **NOTHING, "method": "addposition", "position": 3, "new": True, "made": [3, 1],
        "changed": [2, 3], "solutions": [[0, 5, 3], [1, 5, 3]], "front": 3}
    assert told("addposition", 0, 2, b"ddd1", 0, 1)["position"] == 4
    # The known one is brought to the front, and is not new.
    assert told("addposition", 0, 1, b"aaa1", 0, 1) == {
        **NOTHING, "method": "addposition", "position": 1, "front": 1}
    assert told("getnextposition", 0, 2) == {
        **NOTHING, "method": "getnextposition", "position": 4, "front": 4}
    assert told("setgraftbehavior", 3) == {**NOTHING, "method": "setgraftbehavior"}
    assert told("updatesavedstate", 4, b"...9") == {
        **NOTHING, "method": "updatesavedstate", "position": 4, "changed": [4]}
    # A shorter way to bbb: grafted from 2 to 5, and the solution copied back as 6.
    assert told("addposition", 0, 7, b"bbb2", 0, 1) == {
        **NOTHING, "method": "addposition", "position": 5, "new": True,
        "grafted": {"from": 2, "to": 5}, "made": [5, 2], "supersedes": 2,
        "changed": [0, 2, 3, 5, 6], "solutions": [[1, 5, 3]], "order": [0], "front": 5}
    assert told("addposition", 4, 9, b"bbb9", 0, 2)["position"] == 7
    assert told("setbetterfields") == {
        **NOTHING, "method": "setbetterfields", "changed": [7]}
    assert told("duplicatepath", 7, 5) == {
        **NOTHING, "method": "duplicatepath", "position": 7, "made": [8, 1],
        "changed": [7, 8], "solutions": [[4, 5, 3]]}
    # From the old end upwards: 8 and 7 are dropped, the match is what it is about.
    assert told("suppresscycle", 8, b"ddd.", 10) == {
        **NOTHING, "method": "suppresscycle", "position": 4, "dropped": 2, "gone": [8, 7],
        "changed": [4]}
    # Of a drop: the position before it.
    assert told("dropposition", 4) == {
        **NOTHING, "method": "dropposition", "position": 0, "dropped": 1, "gone": [4],
        "changed": [0]}
    assert told("clearsessionchanged") == {**NOTHING, "method": "clearsessionchanged"}
    # One event for a turn; what each item came upon.
    assert told("addpositions", [[0, 1, b"aaa1", 0, 1], [0, 2, b"new1", 0, 1],
                                 [-2, 1, b"new2", 0, 1]], {"cursor": "c"}) == {
        **NOTHING, "method": "addpositions", "position": 10, "new": True, "made": [9, 2],
        "changed": [0, 9, 10], "items": [[1, False], [9, True], [10, True]],
        "cursors": [{"name": "c", "position": 10}]}
    assert told("undo", "c") == {
        **NOTHING, "method": "undo", "position": 9, "cursors": [{"name": "c", "position": 9}]}
    assert told("redo", "c", {"move": 1})["front"] == 10
    # A cursor whose position is dropped goes to the one before.
    assert told("dropsubtree", 9) == {
        **NOTHING, "method": "dropsubtree", "position": 0, "dropped": 2, "gone": [9],
        "changed": [0], "cursors": [{"name": "c", "position": 0}]}
    assert told("movecursor", "c", "branchforth")["method"] == "movecursor"
    assert told("setcursor", "c", 1)["cursors"] == [{"name": "c", "position": 1}]
    assert told("dropcursor", "c") == {
        **NOTHING, "method": "dropcursor", "cursors": [{"name": "c", "position": None}]}
    assert told("setproperty", "p", 1) == {**NOTHING, "method": "setproperty"}


@served
def test_effects_name_up_to_1000_positions_that_are_gone(daemon, rpc):
    session = begin(rpc)
    rpc.call("attach", session)
    for count, named in ((1, True), (1000, True), (1001, False), (5000, False)):
        made = chain(rpc, session, count)
        rpc.call("server.ping")
        taken(rpc)
        rpc.call("suppresscycle", session, made[-1], number(0), 2**31 - 1)
        effects = effects_of(rpc)
        assert effects["dropped"] == count
        assert effects["gone"] == (made[::-1] if named else None), count


@served
def test_effects_tell_the_position_as_the_answer_does(daemon, rpc):
    session = begin(rpc)
    rpc.call("attach", session)
    rng = random.Random(9)
    for i in range(200):
        answer = add(rpc, session, rng.randrange(i + 1), i, rng.randrange(50))
        effects = event_of(rpc)[2]
        assert effects["position"] == {k: answer[k] for k in POSITION}
        assert effects["new"] is answer["new"] and effects["grafted"] == answer.get("grafted")
        assert effects["made"] == answer.get("made", [answer["number"], 1])


@served
def test_apply_is_told_with_the_method_that_makes_such_operations(daemon, rpc):
    session = begin(rpc)
    rpc.call("attach", session)
    rpc.call("apply", session, b"\1\0\2\0\2" + number(1))
    assert effects_of(rpc)["method"] == "addposition"


@served
def test_refused_states_of_any_size_cost_an_attended_session_no_memory(daemon, rpc):
    sessions = [begin(rpc) for _ in range(20)]
    for session in sessions:
        rpc.call("attach", session)
    before = daemon.memory()
    for session in sessions:
        for method, params in (("addposition", (0, 1, bytes(20 * MIB), 0, 1)),
                               ("updatesavedstate", (0, bytes(20 * MIB)))):
            assert error_of(rpc, method, session, *params) == 6
    need_plain_memory()
    rpc.call("server.ping")
    assert daemon.memory() < before + 100 * MIB, (daemon.memory() - before) / MIB


@served
def test_who_goes_away_while_attached_harms_nobody(daemon, rpc):
    session = begin(rpc, name="n")
    rpc.call("attach", session)
    for i in range(1, 30):
        other = daemon.connect()
        other.call("attach", session)
        other.send("readsnapshot", session, 0, 10)
        other.send_bytes(b"\x94\0\1")
        other.close()
        add(rpc, session, 0, i, i)
    rpc.call("server.ping")
    assert [e.params[1] for e in taken(rpc)] == list(range(1, 30))


run()
