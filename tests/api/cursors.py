"""Cursors: current positions with names, shared by all; and who made what, so that one undoes one's own."""
import contextlib
import os
import random
import time

from api import (MIB, ECONSTANT, EDROPPED, EEXPECTED, EFULL, ENAME, ENOCURSOR, EPARAMS, EPOSITION, ERANGE,
                 ETYPE, EUTF8, POSITION, add, begin, chain, error_of, number, numbers, run, served,
                 snapshot)

STEPS = ("branchback", "branchforth", "better", "solution")


@contextlib.contextmanager
def unchanged(rpc, session):
    """Nothing is changed: neither the session, to the byte, nor its sequence number."""
    before = snapshot(rpc, session), rpc.call("getsession", session)
    yield
    assert (snapshot(rpc, session), rpc.call("getsession", session)) == before


def refused(rpc, code, method, session, *params):
    """The details of the error, which changes nothing."""
    with unchanged(rpc, session):
        error, _ = rpc.response(rpc.send(method, session, *params))
    assert error is not None and error[0] == code, (method, params, error)
    assert error[2].pop("method") == method
    return error[2]


def moved(rpc, session, method, *params):
    """Where the cursor is then, and the steps; the answer must have its whole form."""
    answer = rpc.call(method, session, *params)
    assert set(answer) == {"name", "position", "steps"} and set(answer["position"]) == POSITION
    assert answer["name"] == params[0]
    assert rpc.call("getcursor", session, params[0]) == answer["position"]
    return answer["position"]["number"], answer["steps"]


def at(rpc, session, name):
    return rpc.call("getcursor", session, name)["number"]


def tree(rpc, session):
    """0 - 1 - 2 - 3 - 4, and 5, 6 below 2, 7 below 6. In front: 0 1 2 6 7."""
    for prev, move, state in ((0, 1, 1), (1, 1, 2), (2, 1, 3), (3, 1, 4), (2, 2, 5), (2, 3, 6),
                              (6, 1, 7)):
        add(rpc, session, prev, move, state)
    return session


# ---- making, finding, dropping


@served
def test_a_cursor_is_made_where_it_is_set_and_shared_by_all(daemon, rpc):
    session = tree(rpc, begin(rpc, name="n"))
    assert rpc.call("getcursors", session) == []
    assert moved(rpc, session, "setcursor", "c", 3) == (3, 1)
    with daemon.connect() as other:
        assert at(other, "n", "c") == 3
        assert moved(other, "n", "setcursor", "c", 5) == (5, 1)
    assert at(rpc, session, "c") == 5
    assert moved(rpc, session, "setcursor", "c", 5) == (5, 0)
    assert rpc.call("getcursor", session, "c", {"states": True})["state"] == number(5)


@served
def test_cursors_are_listed_in_the_order_of_the_bytes_of_their_names(daemon, rpc):
    session = begin(rpc)
    names = ["b", "a", "\u00e9", "ab", "B", "z" * 255, "a b"]
    for name in names:
        rpc.call("setcursor", session, name, 0)
    rpc.call("dropcursor", session, "ab")
    names.remove("ab")
    assert rpc.call("getcursors", session) == [
        {"name": name, "position": 0} for name in sorted(names, key=lambda n: n.encode())]


@served
def test_cursors_of_one_session_are_not_those_of_another(daemon, rpc):
    one, two = begin(rpc, name="n"), begin(rpc, name="m")
    rpc.call("setcursor", one, "c", 0)
    assert error_of(rpc, "getcursor", two, "c") == ENOCURSOR


@served
def test_name_of_a_cursor_has_1_to_255_bytes_none_of_them_0(daemon, rpc):
    session = begin(rpc)
    for name in ("", "x" * 256, "a\0b"):
        refused(rpc, ENAME, "setcursor", session, name, 0)
        refused(rpc, ENAME, "addposition", session, 0, 1, number(1), 0, 0, {"cursor": name})
        refused(rpc, ENAME, "addpositions", session, [[0, 1, number(1), 0, 0]], {"cursor": name})
    refused(rpc, EUTF8, "setcursor", session, b"\xff", 0)
    assert moved(rpc, session, "setcursor", "x" * 255, 0) == (0, 1)


@served
def test_one_cursor_too_many_is_told_with_the_limit(daemon, rpc):
    session = begin(rpc)
    limit = rpc.call("server.info")["limits"]["cursors"]
    for error, _ in rpc.call_all([("setcursor", session, "c%d" % i, 0) for i in range(limit)]):
        assert error is None, error
    for call in (("setcursor", session, "more", 0),
                 ("addposition", session, 0, 1, number(1), 0, 0, {"cursor": "more"}),
                 ("addpositions", session, [[0, 1, number(1), 0, 0]], {"cursor": "more"})):
        assert refused(rpc, EFULL, *call) == {"limit": "cursors", "value": limit}, call
    rpc.call("dropcursor", session, "c5")
    rpc.call("setcursor", session, "more", 0)


@served
def test_a_cursor_that_there_is_not_is_told_by_name(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("setcursor", session, "gone", 1)
    assert rpc.call("dropcursor", session, "gone") is None
    calls = [("undo", "gone"), ("redo", "gone"), ("redo", "gone", {"move": 1}),
             ("dropcursor", "gone"), ("getcursor", "gone")]
    for method, *params in calls + [("movecursor", "gone", step) for step in STEPS]:
        assert refused(rpc, ENOCURSOR, method, session, *params) == {"cursor": "gone"}
    for call in (("setcursor", "gone", 1, {"expect": 1}), ("undo", "gone", {"expect": 1})):
        assert refused(rpc, ENOCURSOR, call[0], session, *call[1:]) == {
            "cursor": "gone", "expected": 1}
    # Who expects it somewhere does not make it.
    for method, params in (("addposition", (0, 9, number(1), 0, 0)),
                           ("addpositions", ([[0, 9, number(1), 0, 0]],))):
        assert refused(rpc, ENOCURSOR, method, session, *params,
                       {"cursor": "gone", "expect": 1})["cursor"] == "gone"


@served
def test_a_cursor_is_set_on_positions_that_are_there_alone(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("dropposition", session, 7)
    for position, code in ((8, EPOSITION), (7, EDROPPED)):
        assert refused(rpc, code, "setcursor", session, "c", position) == {"position": position}
    rpc.call("setcursor", session, "c", 1)
    assert refused(rpc, EDROPPED, "setcursor", session, "c", 7) == {"position": 7}
    for bad in (-1, 2**32):
        refused(rpc, EPOSITION, "setcursor", session, "c", bad)
    refused(rpc, ETYPE, "setcursor", session, "c", "1")


# ---- steps


@served
def test_undo_goes_back_n_moves_or_to_the_first_position(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("setcursor", session, "c", 4)
    assert moved(rpc, session, "undo", "c") == (3, 1)
    assert moved(rpc, session, "undo", "c", {"n": 2}) == (1, 2)
    assert moved(rpc, session, "undo", "c", {"n": 7}) == (0, 1)
    assert moved(rpc, session, "undo", "c") == (0, 0)
    rpc.call("setcursor", session, "c", 4)
    assert moved(rpc, session, "undo", "c", {"n": 2**53 - 1}) == (0, 4)


@served
def test_redo_comes_back_by_the_way_and_then_goes_along_the_front(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("setcursor", session, "c", 3)
    rpc.call("undo", session, "c", {"n": 3})
    assert moved(rpc, session, "redo", "c", {"n": 2}) == (2, 2)
    # In front of 2 is 6, but the way leads to 3; where it ends the front branch is followed.
    assert moved(rpc, session, "redo", "c") == (3, 1)
    assert moved(rpc, session, "redo", "c", {"n": 9}) == (4, 1)
    assert moved(rpc, session, "redo", "c") == (4, 0)
    # Set back to a position before, it knows the way as well.
    rpc.call("setcursor", session, "c", 1)
    assert moved(rpc, session, "redo", "c", {"n": 9}) == (4, 3)
    # Set elsewhere, it knows of none.
    rpc.call("setcursor", session, "c", 5)
    rpc.call("setcursor", session, "c", 1)
    rpc.call("setcursor", session, "d", 1)
    assert moved(rpc, session, "redo", "d", {"n": 9}) == (7, 3)
    assert moved(rpc, session, "redo", "c", {"n": 2}) == (5, 2)


@served
def test_redo_along_a_move_brings_its_branch_to_the_front(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("setcursor", session, "c", 2)
    branches = lambda: numbers(rpc.call("getbranches", session, 2)["positions"])
    assert branches() == [6, 5, 3]
    assert moved(rpc, session, "redo", "c", {"move": 1}) == (3, 1)
    assert branches() == [3, 6, 5]
    rpc.call("undo", session, "c")
    with unchanged(rpc, session):
        assert moved(rpc, session, "redo", "c", {"move": 77}) == (2, 0)
    refused(rpc, EPARAMS, "redo", session, "c", {"move": 1, "n": 1})
    # Another way from here is not the one that was remembered.
    assert moved(rpc, session, "redo", "c", {"move": 2}) == (5, 1)
    rpc.call("undo", session, "c")
    assert moved(rpc, session, "redo", "c") == (5, 1)


@served
def test_branch_points_are_found_back_and_forth(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("setcursor", session, "c", 7)
    assert moved(rpc, session, "movecursor", "c", "branchback") == (2, 2)
    assert moved(rpc, session, "movecursor", "c", "branchback") == (0, 2)
    assert moved(rpc, session, "movecursor", "c", "branchback") == (0, 0)
    assert moved(rpc, session, "movecursor", "c", "branchforth") == (2, 2)
    assert moved(rpc, session, "movecursor", "c", "branchforth") == (7, 2)
    assert moved(rpc, session, "movecursor", "c", "branchforth") == (7, 0)
    # Back by way of another branch, it is that one that it comes forth by.
    rpc.call("setcursor", session, "c", 4)
    assert moved(rpc, session, "movecursor", "c", "branchback") == (2, 2)
    assert moved(rpc, session, "movecursor", "c", "branchforth") == (4, 2)


@served
def test_a_cursor_goes_to_the_better_position(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 3)
    rpc.call("setgraftbehavior", session, 0)
    assert add(rpc, session, 3, 1, 1)["better"] == 1
    rpc.call("setcursor", session, "c", 4)
    assert moved(rpc, session, "movecursor", "c", "better") == (1, 1)
    with unchanged(rpc, session):
        assert moved(rpc, session, "movecursor", "c", "better") == (1, 0)


@served
def test_a_cursor_goes_along_the_best_solution(daemon, rpc):
    session = tree(rpc, begin(rpc))
    add(rpc, session, 4, 1, 90, endpoint=1)  # 8, in 5 moves
    add(rpc, session, 5, 1, 91, endpoint=1)  # 9, in 4: the better one
    rpc.call("getnextposition", session, 2, 3)
    rpc.call("setcursor", session, "c", 1)
    assert moved(rpc, session, "movecursor", "c", "solution") == (2, 1)
    assert moved(rpc, session, "movecursor", "c", "solution", {"n": 2}) == (9, 2)
    assert moved(rpc, session, "movecursor", "c", "solution", {"n": 5}) == (9, 0)
    rpc.call("setcursor", session, "c", 3)
    assert moved(rpc, session, "movecursor", "c", "solution", {"n": 5}) == (8, 2)
    rpc.call("setcursor", session, "c", 7)
    assert moved(rpc, session, "movecursor", "c", "solution") == (7, 0)


@served
def test_unknown_steps_and_numbers_of_moves_are_refused(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("setcursor", session, "c", 2)
    for step in ("", "undo", "Better", "branchback ", "solution\0"):
        assert refused(rpc, ECONSTANT, "movecursor", session, "c", step) == {"step": step}
    for n in (0, -1, 2**53):
        for method, *params in (("undo", "c"), ("redo", "c"), ("movecursor", "c", "solution")):
            refused(rpc, ERANGE, method, session, *params, {"n": n})
    refused(rpc, ERANGE, "redo", session, "c", {"move": 2**31})


@served
def test_undo_k_then_redo_k_comes_back_while_another_brings_branches_to_the_front(daemon, rpc):
    session = begin(rpc, name="n")
    rng = random.Random(5)
    made = 1
    for i in range(400):
        prev = max(0, made - 1 - rng.randrange(4))
        made = max(made, add(rpc, session, prev, rng.randrange(3), 1000 + i, check=0)["number"] + 1)
    with daemon.connect() as other:
        for i in range(150):
            start = rng.randrange(made)
            path = numbers(rpc.call("getpath", session, start, {"limit": 10000})["positions"])
            rpc.call("setcursor", session, "c", start)
            place = len(path) - 1
            for _ in range(6):  # back and forth, and never off the way
                k = rng.randrange(1, 12)
                back = rng.random() < 0.5
                steps = min(k, place if back else len(path) - 1 - place)
                if not back:
                    k = steps
                if k:
                    place += -steps if back else steps
                    assert moved(rpc, session, "undo" if back else "redo", "c", {"n": k}) == (
                        path[place], steps)
                for _ in range(3):  # the other one's play
                    n = rng.choice(path)
                    kind = rng.randrange(4)
                    if kind == 0:
                        other.response(other.send("getnextposition", "n", n, rng.randrange(3)))
                    elif kind == 1:
                        answer = add(other, "n", n, 3 + rng.randrange(50), 5000 + i, check=0)
                        made = max(made, answer["number"] + 1)
                    elif kind == 2:
                        other.call("setcursor", "n", "d", n)
                        other.call("redo", "n", "d", {"move": rng.randrange(3)})
                    else:
                        other.call("setproperty", "n", "p", i)
            if place < len(path) - 1:
                rpc.call("redo", session, "c", {"n": len(path) - 1 - place})
            assert at(rpc, session, "c") == start


@served
def test_a_cursor_whose_position_is_dropped_goes_to_the_one_before(daemon, rpc):
    session = tree(rpc, begin(rpc))
    for name, position in (("a", 7), ("b", 6), ("c", 4), ("d", 1)):
        rpc.call("setcursor", session, name, position)
    where = lambda: [c["position"] for c in rpc.call("getcursors", session)]
    rpc.call("dropposition", session, 7)
    assert where() == [6, 6, 4, 1]
    rpc.call("dropsubtree", session, 6)
    assert where() == [2, 2, 4, 1]
    rpc.call("suppresscycle", session, 4, number(1), 10)
    assert where() == [2, 2, 2, 1]
    # Its way is forgotten with that: it goes along the front.
    assert moved(rpc, session, "redo", "a", {"n": 5}) == (5, 1)


@served
def test_a_way_of_which_a_part_was_dropped_is_followed_up_to_there(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("setcursor", session, "c", 4)
    rpc.call("undo", session, "c", {"n": 4})
    rpc.call("dropposition", session, 4)
    rpc.call("getnextposition", session, 2, 3)
    assert moved(rpc, session, "redo", "c", {"n": 4}) == (3, 3)


@served
def test_moving_a_cursor_does_not_set_the_sessions_change_flag(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("clearsessionchanged", session)
    rpc.call("setcursor", session, "c", 4)
    rpc.call("undo", session, "c", {"n": 2})
    rpc.call("redo", session, "c", {"move": 2})
    for step in STEPS:
        rpc.call("movecursor", session, "c", step)
    rpc.call("addposition", session, 0, 1, number(1), 0, 0, {"cursor": "d"})
    rpc.call("dropcursor", session, "c")
    assert rpc.call("hassessionchanged", session) is False
    rpc.call("addposition", session, 0, 9, number(1), 0, 0, {"cursor": "d"})
    assert rpc.call("hassessionchanged", session) is True


# ---- expect


@served
def test_a_cursor_that_is_not_where_it_was_expected_is_told_and_nothing_changes(daemon, rpc):
    """A change with a wrong base gets an error that names the expected and the actual position."""
    session = tree(rpc, begin(rpc))
    rpc.call("setcursor", session, "c", 3)
    more = {"expect": 2}
    for call in (("setcursor", "c", 4, more), ("undo", "c", more), ("redo", "c", more),
                 ("undo", "c", {**more, "mine": True}), ("redo", "c", {**more, "move": 1}),
                 *(("movecursor", "c", step, more) for step in STEPS),
                 ("addposition", 3, 9, number(1), 0, 1, {**more, "cursor": "c"}),
                 ("addpositions", [[3, 9, number(1), 0, 1]], {**more, "cursor": "c"}),
                 ("addposition", 0, 1, number(1), 0, 1, {**more, "cursor": "c"})):
        assert refused(rpc, EEXPECTED, call[0], session, *call[1:]) == {
            "cursor": "c", "expected": 2, "actual": 3}, call
    assert moved(rpc, session, "undo", "c", {"expect": 3}) == (2, 1)
    answer = rpc.call("addposition", session, 2, 9, number(9), 0, 1, {"cursor": "c", "expect": 2})
    assert at(rpc, session, "c") == answer["number"]
    for method, params in (("addposition", (2, 9, number(9), 0, 1)),
                           ("addpositions", ([[2, 9, number(9), 0, 1]],))):
        assert refused(rpc, EPARAMS, method, session, *params, {"expect": 2})["option"] == "expect"


@served
def test_an_expected_position_may_be_dropped_but_must_have_been(daemon, rpc):
    session = tree(rpc, begin(rpc))
    rpc.call("setcursor", session, "c", 7)
    rpc.call("dropposition", session, 7)
    assert refused(rpc, EEXPECTED, "undo", session, "c", {"expect": 7}) == {
        "cursor": "c", "expected": 7, "actual": 6}
    refused(rpc, EPOSITION, "undo", session, "c", {"expect": 8})


@served
def test_of_two_players_who_move_one_cursor_from_one_place_one_is_refused(daemon, rpc):
    session = begin(rpc, name="n")
    rpc.call("setcursor", session, "c", 0)
    with daemon.connect() as one, daemon.connect() as two:
        here = 0
        for i in range(100):
            ids = [(player, player.send("addposition", "n", here, who, number(2 * i + who), 0, 0,
                                        {"cursor": "c", "expect": here}))
                   for who, player in enumerate((one, two))]
            answers = [player.response(id) for player, id in ids]
            errors = [error for error, _ in answers if error]
            (there,) = [result for error, result in answers if not error]
            assert len(errors) == 1 and errors[0][0] == EEXPECTED
            assert errors[0][2]["expected"] == here
            assert errors[0][2]["actual"] == there["number"]
            here = there["number"]
    assert rpc.call("getsessionsize", session) == 101


# ---- adding with a cursor


@served
def test_adding_moves_the_cursor_to_what_the_move_leads_to(daemon, rpc):
    session = begin(rpc)
    options = {"cursor": "c"}
    assert add(rpc, session, 0, 1, 1, **options)["new"] is True
    assert at(rpc, session, "c") == 1
    assert add(rpc, session, 0, 2, 2)["number"] == 2
    assert at(rpc, session, "c") == 1
    assert add(rpc, session, 0, 2, 2, **options)["new"] is False
    assert at(rpc, session, "c") == 2
    answer = rpc.call("addpositions", session, [[2, 1, number(3), 0, 1], [-1, 1, number(4), 0, 1],
                                                [0, 1, number(1), 0, 1]], options)
    assert answer == {"numbers": [3, 4, 1], "new": [True, True, False]}
    assert at(rpc, session, "c") == 1
    rpc.call("addpositions", session, [[2, 1, number(3), 0, 1], [-1, 1, number(4), 0, 1]], options)
    assert moved(rpc, session, "undo", "c", {"n": 2}) == (2, 2)
    assert moved(rpc, session, "redo", "c", {"n": 2}) == (4, 2)


@served
def test_adding_with_a_cursor_answers_what_adding_without_one_does(daemon, rpc):
    one, two = begin(rpc, 4, 3), begin(rpc, 4, 3)
    rng = random.Random(6)
    for graft in (0, 1, 2, 3):
        for session in (one, two):
            rpc.call("setgraftbehavior", session, graft)
        for i in range(150):
            size = rpc.call("getsession", one)["sequence"] + 1
            call = (rng.randrange(size), rng.randrange(4),
                    bytes([0, 0, rng.randrange(50), i % 2]),
                    int(rng.random() < 0.1), rng.randrange(3))
            answers = [rpc.response(rpc.send("addposition", session, *call, more))
                       for session, more in ((one, {}), (two, {"cursor": "c"}))]
            for error, result in answers:
                if result:
                    assert result.pop("time")
            assert answers[0] == answers[1], call


# ---- authors


def hello(rpc, name):
    rpc.call("server.hello", {"client": name})


@served
def test_a_position_knows_its_author_and_when_it_was_made(daemon, rpc):
    begun = int(time.time())
    session = begin(rpc, name="n")
    hello(rpc, "chess")
    first = add(rpc, session, 0, 1, 1)
    with daemon.connect() as other:
        hello(other, "map")
        second = add(other, "n", 1, 1, 2)
        again = add(rpc, session, 1, 1, 2)  # who comes upon it has not made it
        with daemon.connect() as third:
            hello(third, "chess")
            assert add(third, "n", 2, 1, 3)["author"] == first["author"]
    authors = {a["author"]: a for a in rpc.call("getauthors", session)["authors"]}
    me = os.getuid()
    assert [authors[p["author"]]["name"] for p in (first, second)] == ["chess", "map"]
    assert {a["uid"] for a in authors.values()} == {me}
    assert [a["name"] for _, a in sorted(authors.items())] == ["", "chess", "map"]
    assert again["author"] == second["author"] and again["time"] == second["time"]
    for p in (first, second, rpc.call("getfirstposition", session)):
        assert begun <= p["time"] <= time.time() + 1
    # The name may change; what was made before stays.
    hello(rpc, "go")
    assert add(rpc, session, 0, 5, 5)["author"] == 4
    assert rpc.call("getposition", session, 1)["author"] == first["author"]


@served
def test_authors_come_in_pages(daemon, rpc):
    session = begin(rpc)
    for i in range(50):
        hello(rpc, "author %d" % i)
        add(rpc, session, 0, i, i)
    expected = [""] + ["author %d" % i for i in range(50)]
    for limit in (1, 7, 51, 52, 1000):
        got, after = [], 0
        while after is not None:
            page = rpc.call("getauthors", session, {"after": after, "limit": limit})
            assert len(page["authors"]) <= limit
            got += page["authors"]
            after = page["next"]
        assert [a["name"] for a in got] == expected
        assert [a["author"] for a in got] == list(range(1, 52))
    for after in (51, 52, 2**53 - 1):
        assert rpc.call("getauthors", session, {"after": after}) == {"authors": [], "next": None}


@served
def test_a_page_of_authors_ends_once_it_has_1_mib(daemon, rpc):
    session = begin(rpc)
    count = 6000
    for i in range(0, count, 200):
        calls = [[("server.hello", {"client": str(k).zfill(255)}), ("setcursor", session, "c", k % 2)]
                 for k in range(i, i + 200)]
        add(rpc, session, 0, 1, 1) if not i else None
        assert all(error is None for error, _ in rpc.call_all(sum(calls, [])))
    first = rpc.call("getauthors", session, {"limit": 10000})
    assert MIB * 0.8 < sum(len(a["name"]) + 32 for a in first["authors"]) < MIB + 1000
    rest = rpc.call("getauthors", session, {"limit": 10000, "after": first["next"]})
    assert [a["name"] for a in (first["authors"] + rest["authors"])[-count:]] == [
        str(k).zfill(255) for k in range(count)]
    assert rest["next"] is None


@served
def test_name_of_a_client_has_255_bytes_at_most_none_of_them_0(daemon, rpc):
    session = begin(rpc)
    for name in ("x" * 256, "a\0"):
        assert error_of(rpc, "server.hello", {"client": name}) == ENAME
    hello(rpc, "\u00e9" * 127)
    add(rpc, session, 0, 1, 1)
    assert rpc.call("getauthors", session)["authors"][-1]["name"] == "\u00e9" * 127


@served
def test_names_of_cursors_that_are_not_utf_8_are_told_as_text_all_the_same(daemon, rpc):
    """An operation in its encoded form may name a cursor anyhow; who is attached must not stumble over it."""
    session = begin(rpc, name="n")
    rpc.call("attach", session, {"snapshot": False})
    rpc.call("setcursor", session, "cursor", 0)
    rpc.call("dropcursor", session, "cursor")
    add(rpc, session, 0, 1, 1, cursor="cursor")
    encoded = [n.params[2] for n in rpc.wait_notifications(3)]
    for bad, told in ((b"cur\xffor", "cur?or"), (b"\xe2\x82so\xc3r", "??so?r"), (b"\xed\xa0\x80sor", "???sor")):
        for operation in encoded:
            rpc.call("apply", session, operation.replace(b"cursor", bad))
            (event,) = rpc.wait_notifications()
            assert [c["name"] for c in event.params[3]["cursors"]] == [told]
        assert {"name": told, "position": 1} in rpc.call("getcursors", session)


@served
def test_all_positions_that_an_operation_makes_have_its_author(daemon, rpc):
    session = begin(rpc)
    hello(rpc, "one")
    chain(rpc, session, 3)
    add(rpc, session, 3, 0, 9, endpoint=1)
    hello(rpc, "two")
    rpc.call("setgraftbehavior", session, 2)
    answer = add(rpc, session, 0, 7, 2)  # a shorter way: the solution is copied
    assert answer["made"] == [5, 3]
    authors = [rpc.call("getposition", session, n)["author"] for n in range(1, 8)]
    assert authors == [2, 2, 2, 2, 3, 3, 3]


@served
def test_undo_mine_goes_back_over_ones_own_positions_alone(daemon, rpc):
    """One user undoes not another's work: "undo mine" and "undo" are different requests."""
    session = begin(rpc, name="n")
    hello(rpc, "white")
    with daemon.connect() as other:
        hello(other, "black")
        for i, (player, count) in enumerate(((rpc, 2), (other, 1), (rpc, 3))):
            last = len(rpc.call("getpositions", session)["positions"]) - 1
            for k in range(count):
                add(player, "n", last + k, 0, 10 * i + k + 1)
        rpc.call("setcursor", session, "c", 6)
        assert moved(other, "n", "undo", "c", {"mine": True}) == (6, 0)
        assert moved(rpc, session, "undo", "c", {"mine": True}) == (5, 1)
        assert moved(rpc, session, "undo", "c", {"mine": True, "n": 9}) == (3, 2)
        assert moved(rpc, session, "undo", "c", {"mine": True, "n": 9}) == (3, 0)
        assert moved(other, "n", "undo", "c", {"mine": True, "n": 9}) == (2, 1)
        assert moved(rpc, session, "redo", "c", {"n": 4}) == (6, 4)
        assert moved(other, "n", "undo", "c", {"n": 9}) == (0, 6)


run()
