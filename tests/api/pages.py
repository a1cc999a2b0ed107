"""Reading what may be large: in pages and windows."""
import msgpack

from api import (EPOSITION, ERANGE, MIB, add, begin, chain, error_of, need_plain_memory, number,
                 numbers, pages, run, served)


def is_empty(page):
    return set(page) == {"positions", "sequence", "next"} and not page["positions"] \
        and page["next"] is None


def tree(rpc):
    """0 with the branches 3, 2, 1 (newest first); 2 with 6, 5, 4; 5 with 7."""
    session = begin(rpc)
    for prev, move in ((0, 1), (0, 2), (0, 3), (2, 1), (2, 2), (2, 3), (5, 1)):
        position = add(rpc, session, prev, move, 10 * prev + move)
    assert position["number"] == 7
    return session


# ---- getpositions


@served
def test_all_positions_come_by_number_whatever_the_limit(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 2500)
    for limit in (1, 7, 1000, 2500, 2501, 2502, 10000, 2**53 - 1):
        if limit == 1:
            part = pages(rpc, "getpositions", session, start="after", limit=1)[:3]
            assert [numbers(p) for p in part] == [[0], [1], [2]]
            continue
        got = pages(rpc, "getpositions", session, start="after", limit=limit)
        assert [n for p in got for n in numbers(p)] == list(range(2501)), limit
        assert all(len(p) == limit for p in got[:-1]) and 0 < len(got[-1]) <= limit


@served
def test_page_has_1000_if_none_are_asked_for_and_10000_at_most(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 12000)
    size = lambda options: len(rpc.call("getpositions", session, options)["positions"])
    assert [size({}), size({"limit": 1})] == [1000, 1]
    assert 8000 <= size({"limit": 10000}) == size({"limit": 20000}) <= 10000
    for outside in (0, -1, 2**53, 2**63):
        assert error_of(rpc, "getpositions", session, {"limit": outside}) == ERANGE


@served
def test_dropped_positions_are_left_out_of_pages(daemon, rpc):
    session = begin(rpc)
    for i in range(1, 101):
        add(rpc, session, 0, i, i)
    for i in range(1, 101):
        if i % 3:
            rpc.call("dropposition", session, i)
    left = [0] + list(range(3, 101, 3))
    for limit in (1, 2, 5, 1000):
        got = pages(rpc, "getpositions", session, start="after", limit=limit)
        assert [n for p in got for n in numbers(p)] == left, limit
    # One that was dropped can be gone on from, and so can one that never was.
    for after, first in ((4, 6), (5, 6), (6, 9), (98, 99), (99, None), (100, None), (5000, None),
                         (2**32 - 2, None)):
        page = rpc.call("getpositions", session, {"after": after, "limit": 1})
        assert numbers(page["positions"]) == ([first] if first else []), after
    assert error_of(rpc, "getpositions", session, {"after": 2**32 - 1}) == EPOSITION
    assert error_of(rpc, "getpositions", session, {"after": -1}) == EPOSITION


@served
def test_300000_dropped_positions_are_passed_over_in_bounded_steps(daemon, rpc):
    session = begin(rpc)
    last = chain(rpc, session, 300000)[-1]
    assert rpc.call("suppresscycle", session, last, number(0), 2**31 - 1)["dropped"] == 300000
    assert add(rpc, session, 0, 1, 1)["number"] == 300001
    got = pages(rpc, "getpositions", session, start="after")
    assert [n for p in got for n in numbers(p)] == [0, 300001]
    assert len(got) > 1


# ---- bytes


@served
def test_page_with_states_ends_at_a_mebibyte(daemon, rpc):
    size = 100000
    session = begin(rpc, size)
    for i in range(1, 40):
        add(rpc, session, i - 1, 0, number(i, size), check=0)
    for method, params, start in (("getpositions", (), "after"), ("getpath", (39,), "offset")):
        got = pages(rpc, method, session, *params, start=start, states=True)
        assert [n for p in got for n in numbers(p)] == list(range(40))
        assert all(len(msgpack.packb(p)) <= MIB + 100 for p in got)
        assert all(len(p) == 10 for p in got[:-1])
        assert all(p["state"] == number(p["number"], size) for page in got for p in page)
    assert len(rpc.call("getpositions", session)["positions"]) == 40


@served
def test_states_larger_than_a_page_come_one_a_page(daemon, rpc):
    for size in (MIB - 1, MIB, MIB + 1, 2 * MIB, 5 * MIB):
        session = begin(rpc, size)
        for i in range(1, 6):
            add(rpc, session, 0, i, number(i, size), endpoint=int(i == 5), check=0)
        for method, params, start, wanted in (
                ("getpositions", (), "after", [0, 1, 2, 3, 4, 5]),
                ("getbranches", (0,), "offset", [5, 4, 3, 2, 1]), ("getpath", (5,), "offset", [0, 5])):
            got = pages(rpc, method, session, *params, start=start, states=True, limit=10000)
            assert [numbers(p) for p in got] == [[n] for n in wanted], (size, method)
            assert all(p["state"] == number(p["number"], size) for page in got for p in page)
        window = rpc.call("gettree", session, 0, {"states": True})
        assert numbers(window["positions"]) == [0] and window["complete"] is False
        solution = rpc.call("getsolution", session, 0, {"states": True})
        assert numbers(solution["positions"]) == [0] and solution["next"] == 5
        rpc.call("endsession", session)


# ---- getbranches


@served
def test_branches_come_most_recently_used_first(daemon, rpc):
    session = tree(rpc)
    assert numbers(rpc.call("getbranches", session, 0)["positions"]) == [3, 2, 1]
    rpc.call("getnextposition", session, 0, 1)
    assert numbers(rpc.call("getbranches", session, 0)["positions"]) == [1, 3, 2]
    assert is_empty(rpc.call("getbranches", session, 7))
    page = rpc.call("getbranches", session, 0, {"limit": 2})
    assert (numbers(page["positions"]), page["next"]) == ([1, 3], 2)
    page = rpc.call("getbranches", session, 0, {"limit": 2, "offset": 2})
    assert (numbers(page["positions"]), page["next"]) == ([2], None)
    for offset in (3, 4, 2**53 - 1):
        assert is_empty(rpc.call("getbranches", session, 0, {"offset": offset}))


@served
def test_100000_branches_can_be_made_and_read(daemon, rpc):
    session = begin(rpc)
    items = [[0, i, number(i), 0, 1] for i in range(1, 100001)]
    assert rpc.call("addpositions", session, items)["numbers"][-1] == 100000
    got = pages(rpc, "getbranches", session, 0, limit=10000)
    assert 10 <= len(got) <= 15 and all(len(msgpack.packb(p)) <= MIB + 200 for p in got)
    assert [n for p in got for n in numbers(p)] == list(range(100000, 0, -1))
    assert rpc.call("getposition", session, 0)["nextcount"] == 100000
    # Each is found, and comes to the front.
    for move in (1, 50000, 100000):
        assert rpc.call("getnextposition", session, 0, move)["number"] == move
        assert numbers(rpc.call("getbranches", session, 0, {"limit": 1})["positions"]) == [move]
    window = rpc.call("gettree", session, 0, {"limit": 3})
    assert numbers(window["positions"]) == [0, 100000, 50000] and not window["complete"]


# ---- getpath


@served
def test_path_comes_from_the_first_position_in_windows(daemon, rpc):
    session = tree(rpc)
    assert rpc.call("getpath", session, 0)["next"] is None
    path = rpc.call("getpath", session, 7)
    assert (numbers(path["positions"]), path["next"]) == ([0, 2, 5, 7], None)
    path = rpc.call("getpath", session, 7, {"limit": 2})
    assert (numbers(path["positions"]), path["next"]) == ([0, 2], 2)
    path = rpc.call("getpath", session, 7, {"limit": 2, "offset": 1})
    assert (numbers(path["positions"]), path["next"]) == ([2, 5], 3)
    path = rpc.call("getpath", session, 7, {"offset": 3, "states": True})
    assert path["positions"][0]["state"] == number(51) and path["next"] is None
    for offset in (4, 5, 2**32, 2**53 - 1):
        assert is_empty(rpc.call("getpath", session, 7, {"offset": offset}))


@served
def test_path_of_100000_moves_is_read_in_pages(daemon, rpc):
    session = begin(rpc)
    last = chain(rpc, session, 100000)[-1]
    got = pages(rpc, "getpath", session, last, limit=10000)
    assert [n for p in got for n in numbers(p)] == list(range(100001))


# ---- getsolution


@served
def test_solution_is_told_from_the_position_to_its_end(daemon, rpc):
    session = tree(rpc)
    assert is_empty(rpc.call("getsolution", session, 0))
    add(rpc, session, 7, 5, 99, endpoint=1)
    assert numbers(rpc.call("getsolution", session, 0)["positions"]) == [0, 2, 5, 7, 8]
    assert numbers(rpc.call("getsolution", session, 5)["positions"]) == [5, 7, 8]
    assert numbers(rpc.call("getsolution", session, 8)["positions"]) == [8]
    assert numbers(rpc.call("getsolution", session, 1)["positions"]) == []
    add(rpc, session, 3, 5, 98, endpoint=1)
    assert numbers(rpc.call("getsolution", session, 0)["positions"]) == [0, 3, 9]


@served
def test_solution_goes_on_from_the_position_told_as_next(daemon, rpc):
    session = begin(rpc)
    last = chain(rpc, session, 5000)[-1]
    add(rpc, session, last, 1, 77777, endpoint=-1)
    got, at = [], 0
    while at is not None:
        page = rpc.call("getsolution", session, at, {"limit": 700})
        assert len(page["positions"]) <= 700
        got += numbers(page["positions"])
        at = page["next"]
    assert got == list(range(5002))


# ---- gettree


@served
def test_tree_comes_each_before_its_branches_and_branches_in_order(daemon, rpc):
    session = tree(rpc)
    whole = rpc.call("gettree", session, 0)
    assert numbers(whole["positions"]) == [0, 3, 2, 6, 5, 7, 4, 1] and whole["complete"] is True
    part = rpc.call("gettree", session, 2)
    assert numbers(part["positions"]) == [2, 6, 5, 7, 4] and part["complete"] is True
    assert part["positions"] == whole["positions"][2:7]


@served
def test_tree_is_cut_at_a_depth_and_nextcount_shows_where(daemon, rpc):
    session = tree(rpc)
    for depth, wanted in ((0, [0]), (1, [0, 3, 2, 1]), (2, [0, 3, 2, 6, 5, 4, 1]),
                          (3, [0, 3, 2, 6, 5, 7, 4, 1]), (2**53 - 1, [0, 3, 2, 6, 5, 7, 4, 1])):
        window = rpc.call("gettree", session, 0, {"depth": depth})
        assert numbers(window["positions"]) == wanted and window["complete"] is True, depth
    window = rpc.call("gettree", session, 2, {"depth": 1})
    assert [(p["number"], p["nextcount"]) for p in window["positions"]] == [
        (2, 3), (6, 0), (5, 1), (4, 0)]


@served
def test_tree_is_cut_at_a_limit_and_says_so(daemon, rpc):
    session = tree(rpc)
    for limit in range(1, 10):
        window = rpc.call("gettree", session, 0, {"limit": limit})
        assert numbers(window["positions"]) == [0, 3, 2, 6, 5, 7, 4, 1][:limit]
        assert window["complete"] is (limit >= 8)


@served
def test_cut_tree_is_gone_on_with_where_nextcount_shows_more(daemon, rpc):
    """As the reference says: ask from the positions of which branches are not in the window."""
    session = tree(rpc)
    for limit in range(1, 9):
        found, ask = {}, [0]
        while ask:
            window = rpc.call("gettree", session, ask.pop(), {"limit": limit})
            got = {p["number"]: p for p in window["positions"]}
            found.update(got)
            for p in got.values():
                here = [q for q in got.values() if q["prev"] == p["number"]]
                assert window["complete"] <= (len(here) == p["nextcount"])
                if len(here) < p["nextcount"]:
                    below = rpc.call("getbranches", session, p["number"])["positions"]
                    ask += [q["number"] for q in below if q["number"] not in found]
        assert set(found) == set(range(8)), limit


@served
def test_tree_of_100000_moves_deep_is_walked(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 100000)
    window = rpc.call("gettree", session, 0, {"limit": 10000})
    got = numbers(window["positions"])
    assert got == list(range(len(got))) and 8000 <= len(got) <= 10000 and not window["complete"]
    window = rpc.call("gettree", session, 99000, {"depth": 500})
    assert numbers(window["positions"]) == list(range(99000, 99501)) and window["complete"]


@served
def test_reading_changes_nothing_and_makes_no_event(daemon, rpc):
    session = tree(rpc)
    rpc.call("attach", session)
    before = rpc.call("getsession", session)
    for call in (("getfirstposition",), ("getsessionsize",), ("getgraftbehavior",),
                 ("getsavedstate", 2), ("hassessionchanged",), ("getposition", 2),
                 ("getbranches", 2), ("getpath", 7), ("getsolution", 7), ("gettree", 0),
                 ("getpositions",)):
        rpc.call(call[0], session, *call[1:])
    assert rpc.call("getsession", session) == before and rpc.notifications == []


@served
def test_pages_pipelined_without_reading_cost_bounded_memory(daemon, rpc):
    size = MIB
    session = begin(rpc, size)
    add(rpc, session, 0, 1, number(1, size))
    before = daemon.memory()
    rpc.send_all([("getpositions", session, {"states": True})] * 500)
    with daemon.connect() as other:
        for _ in range(200):
            other.call("server.ping")
    need_plain_memory()
    assert daemon.memory() < before + 40 * MIB, daemon.memory() - before


# ---- all that can be large


@served
def test_no_answer_exceeds_the_cap(daemon, rpc):
    """Honest clients are not dropped for asking too much: what can be large is paged, whatever is asked."""
    most = 2**53 - 1
    session = begin(rpc, 3000, name="n")
    last = 0
    for first in range(0, 3000, 1000):  # 9 MB of states, on one path and in one position's branches
        rpc.call("addpositions", session, [
            [0, i, number(i + 1, 3000), 0, 0] for i in range(first, first + 1000)])
        last = rpc.call("addpositions", session, [
            [-k if k else last, 5000, number(9000 + first + k, 3000), int(first + k == 2999), 0]
            for k in range(1000)])["numbers"][-1]
    for i in range(1024):
        rpc.notify("setcursor", session, ("%d" % i).ljust(255, "c"), i)
    for i in range(16):
        rpc.call("setproperty", session, "p%d" % i, bytes(65000))
    more = {"states": True, "limit": most}
    for call in (("getpositions", session, more), ("getbranches", session, 0, more),
                 ("getpath", session, last, more), ("getsolution", session, 0, more),
                 ("gettree", session, 0, more), ("getcursors", session),
                 ("getproperties", session), ("listsubtrees", session, {"limit": most}),
                 ("listsessions", {"limit": most}), ("getauthors", session, {"limit": most})):
        answer = rpc.call(*call)
        assert len(msgpack.packb(answer)) < MIB + 3000 + 500, call
        if call[0] in ("getpositions", "getbranches", "getpath"):
            assert answer["next"] is not None, call
    size = rpc.call("attach", session)["snapshot"]
    assert size > MIB
    assert len(rpc.call("readsnapshot", session, 0, most)) == MIB


run()
