"""Turns: many positions added as one operation, all or none, told as one event."""
import random

from api import (ECONSTANT, EDIFFERS, EDROPPED, EFULL, EPARAMS, EPOSITION, ERANGE, ESTATE, ETYPE, add,
                 begin, error_of, number, run, served, snapshot, whole)


def good(i, prev=None):
    return [-i if prev is None and i else prev or 0, 5, number(1000 + i), 0, 1]


# What can be wrong with an item: what is in its place, the code, and the details that tell why.
BAD = [
    (7, ETYPE, {}),
    ([], EPARAMS, {}),
    ([0, 1, number(1), 0], EPARAMS, {}),
    ([0, 1, number(1), 0, 0, 0], EPARAMS, {}),
    ([99, 1, number(1), 0, 0], EPOSITION, {"position": 99}),
    ([2, 1, number(1), 0, 0], EDROPPED, {"position": 2}),
    ([2**32, 1, number(1), 0, 0], EPOSITION, {"field": "prev"}),
    (["0", 1, number(1), 0, 0], ETYPE, {"field": "prev"}),
    ([0, 2**31, number(1), 0, 0], ERANGE, {"field": "move"}),
    ([0, 1.0, number(1), 0, 0], ETYPE, {"field": "move"}),
    ([0, 1, b"abc", 0, 0], ESTATE, {"expected": 4, "given": 3}),
    ([0, 1, None, 0, 0], ETYPE, {"field": "state"}),
    ([0, 1, number(1), 128, 0], ERANGE, {"endpoint": 128}),
    ([0, 1, number(1), 0, 3], ECONSTANT, {"given": 3}),
]


@served
def test_one_bad_item_at_any_place_refuses_the_whole_turn_and_changes_nothing(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    add(rpc, session, 0, 2, 2)
    rpc.call("dropposition", session, 2)
    rpc.call("setcursor", session, "c", 1)
    before = snapshot(rpc, session), rpc.call("getsession", session)
    for size in (1, 2, 5):
        for place in range(size):
            for bad, code, detail in BAD + [
                    ([-place - 1, 1, number(1), 0, 0], EPOSITION, {"field": "prev"}),
                    ([-2**40, 1, number(1), 0, 0], EPOSITION, {"field": "prev"})]:
                for options in ({}, {"strict": True}, {"cursor": "c"}, {"key": b"k"}):
                    items = [good(i) for i in range(size)]
                    items[place] = bad
                    error, _ = rpc.response(rpc.send("addpositions", session, items, options))
                    assert error and error[0] == code, (bad, error)
                    assert error[2]["index"] == place, (bad, place, error)
                    assert error[2].items() >= detail.items(), (bad, error)
    assert (snapshot(rpc, session), rpc.call("getsession", session)) == before
    # A turn that was refused keeps no key.
    rpc.call("addpositions", session, [good(0)], {"key": b"k"})


@served
def test_an_item_that_differs_refuses_a_strict_turn_at_any_place(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    before = snapshot(rpc, session)
    for size in (1, 2, 5):
        for place in range(size):
            items = [good(i) for i in range(size)]
            items[place] = [0, 1, number(9), 0, 1]
            if place + 1 < size:
                items[place + 1][0] = 0
            error, _ = rpc.response(rpc.send("addpositions", session, items, {"strict": True}))
            assert error[0] == EDIFFERS and error[2]["index"] == place, error
            assert error[2]["position"] == 1
    error, _ = rpc.response(rpc.send("addpositions", session, [
        good(0), [-1, 3, number(7), 0, 1], [-1, 3, number(8), 0, 1]], {"strict": True}))
    assert error[0] == EDIFFERS and (error[2]["index"], error[2]["item"]) == (2, 1), error
    assert snapshot(rpc, session) == before


@served
def test_a_turn_is_one_operation_and_one_event(daemon, rpc):
    session = begin(rpc, name="n")
    with daemon.connect() as watcher:
        watcher.call("attach", "n")
        answer = rpc.call("addpositions", session, [good(i) for i in range(500)], {"cursor": "c"})
        watcher.call("server.ping")
        (event,) = watcher.notifications
        assert event.params[1] == 1 and event.params[3]["made"] == [1, 500]
        assert event.params[3]["items"] == [[n, True] for n in answer["numbers"]]
        assert event.params[3]["cursors"] == [{"name": "c", "position": 500}]
        assert rpc.call("getsession", session)["sequence"] == 1


@served
def test_an_empty_turn_makes_no_position_and_no_operation(daemon, rpc):
    session = begin(rpc)
    before = snapshot(rpc, session)
    assert rpc.call("addpositions", session, []) == {"numbers": [], "new": []}
    assert snapshot(rpc, session) == before
    assert rpc.call("getsession", session)["sequence"] == 0


@served
def test_a_turn_that_changes_nothing_makes_no_event(daemon, rpc):
    session = begin(rpc)
    turn = [good(0), good(1)]
    rpc.call("addpositions", session, turn)
    sequence = rpc.call("attach", session)["sequence"]
    assert rpc.call("addpositions", session, turn) == {"numbers": [1, 2], "new": [False, False]}
    rpc.call("server.ping")
    assert rpc.notifications == []
    assert rpc.call("getsession", session)["sequence"] == sequence


@served
def test_a_turn_does_what_its_adds_one_by_one_do(daemon, rpc):
    one, two = begin(rpc, 4, 3), begin(rpc, 4, 3)
    rng = random.Random(7)
    made = 1
    for i in range(150):
        if i % 10 == 0:
            grafting = rng.randrange(4)
            rpc.call("setgraftbehavior", one, grafting)
            rpc.call("setgraftbehavior", two, grafting)
        items = []
        for k in range(rng.choice((1, 2, 10))):
            prev = -1 - rng.randrange(k) if k and rng.random() < 0.7 else rng.randrange(made)
            items.append([prev, rng.randrange(4), bytes([0, 0, rng.randrange(60), k & 1]),
                          int(rng.random() < 0.05), rng.randrange(3)])
        answer = rpc.call("addpositions", one, items)
        expected = {"numbers": [], "new": []}
        for prev, *rest in items:
            told = rpc.call("addposition", two, expected["numbers"][-1 - prev] if prev < 0 else prev,
                            *rest)
            expected["numbers"].append(told["number"])
            expected["new"].append(told["new"])
        assert answer == expected, items
        made = max(made, max(answer["numbers"]) + 1)
    assert whole(rpc, one) == whole(rpc, two)


@served
def test_a_turn_is_never_seen_half(daemon, rpc):
    """Others who read at the same time see all of it or nothing."""
    session = begin(rpc, name="n")
    with daemon.connect() as other:
        for i in range(30):
            ids = [rpc.send("addpositions", session,
                            [[0, 100 * i + k, number(k), 0, 0] for k in range(100)])]
            sizes = {size for error, size in other.call_all([("getsessionsize", "n")] * 20)}
            assert all(size % 100 == 1 for size in sizes), sizes
            rpc.result(ids[0])


@served
def test_a_turn_that_may_copy_without_end_is_refused(daemon, rpc):
    """Paths that the turn makes itself, each copied for a shorter way to one of its positions."""
    session = begin(rpc)
    rpc.call("setgraftbehavior", session, 2)
    adds = [[-i if i else 0, 0, number(i + 1), int(i == 9999), 0] for i in range(10000)]
    adds += [[0, 1000 + i, number(i + 2), 0, 1] for i in range(9000)]
    assert error_of(rpc, "addpositions", session, adds) == EFULL
    assert rpc.call("getsessionsize", session) == 1
    assert len(rpc.call("addpositions", session, adds[:10050])["numbers"]) == 10050
    assert rpc.call("getsessionsize", session) > 10050 + 50 * 9000


run()
