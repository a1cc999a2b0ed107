"""What changes a session: every method, every option, and what it answers."""
import time

import msgpack

from api import (EBRANCHES, ECONSTANT, EDIFFERS, EDROPPED, EFIRST, EOPERATION, EPARAMS, EPOSITION,
                 ERANGE, ESTATE, ETYPE, STATE_MAX, add, begin, chain, check_error, number,
                 POSITION as FIELDS, numbers, run, served, snapshot, unstamped, whole)

NO_GRAFT, GRAFT, COPY_PATH, GRAFT_AND_COPY = range(4)


def branches(rpc, session, position):
    return numbers(rpc.call("getbranches", session, position)["positions"])


def refused(rpc, session, code, *call):
    """The call is refused with the code, and changes nothing; its details."""
    before, told = snapshot(rpc, session), rpc.call("getsession", session)
    error, _ = rpc.response(rpc.send(*call))
    assert error is not None, "%r was not refused" % (call,)
    check_error(error)
    assert error[0] == code, error
    assert snapshot(rpc, session) == before
    assert rpc.call("getsession", session) == told
    detail = dict(error[2])
    assert detail.pop("method") == call[0], error
    return detail


# ---- addposition


@served
def test_first_position_is_told_whole(daemon, rpc):
    session = begin(rpc)
    expected = {"number": 0, "prev": None, "move": None, "movecount": 0, "better": None,
                "endpoint": 0, "solutionend": 0, "solutionsize": 0, "nextcount": 0,
                "setbetter": False}
    first = rpc.call("getfirstposition", session)
    expected.update(author=1, time=first["time"])
    assert abs(first["time"] - time.time()) < 1000
    assert rpc.call("getfirstposition", session) == expected
    assert rpc.call("getposition", session, 0) == expected
    assert rpc.call("getposition", session, 0, {"states": True}) == {**expected, "state": bytes(4)}


@served
def test_new_position_is_told_whole(daemon, rpc):
    session = begin(rpc)
    add_unstamped = lambda *params, **more: unstamped(add(rpc, session, *params, **more))
    assert add_unstamped(0, -7, 1) == {
        "number": 1, "prev": 0, "move": -7, "movecount": 1, "better": None, "endpoint": 0,
        "solutionend": 0, "solutionsize": 0, "nextcount": 0, "setbetter": False, "new": True}
    assert add_unstamped(1, 2**31 - 1, 2, endpoint=-128) == {
        "number": 2, "prev": 1, "move": 2**31 - 1, "movecount": 2, "better": None,
        "endpoint": -128, "solutionend": -128, "solutionsize": 2, "nextcount": 0,
        "setbetter": False, "new": True}
    assert add_unstamped(0, -2**31, 1) == {
        "number": 3, "prev": 0, "move": -2**31, "movecount": 1, "better": 1, "endpoint": 0,
        "solutionend": 0, "solutionsize": 0, "nextcount": 0, "setbetter": False, "new": True}


@served
def test_known_move_answers_the_position_that_is_there_and_brings_it_to_the_front(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    add(rpc, session, 0, 2, 2)
    assert branches(rpc, session, 0) == [2, 1]
    again = add(rpc, session, 0, 1, 1)
    assert again["number"] == 1 and again["new"] is False and "differs" not in again
    assert branches(rpc, session, 0) == [1, 2]


@served
def test_known_move_with_another_state_or_endpoint_differs(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    for state, endpoint in ((9, 0), (1, 5)):
        again = add(rpc, session, 0, 1, state, endpoint)
        assert (again["number"], again["new"], again["differs"]) == (1, False, True)
        assert again["endpoint"] == 0
    assert rpc.call("getsavedstate", session, 1) == number(1)


@served
def test_bytes_that_do_not_count_in_comparing_differ_too(daemon, rpc):
    session = begin(rpc, 4, 2)
    add(rpc, session, 0, 1, b"abcd")
    assert add(rpc, session, 0, 1, b"abXX")["differs"] is True
    assert add(rpc, session, 0, 2, b"abXX")["better"] == 1


@served
def test_strict_refuses_a_known_move_that_differs(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1, endpoint=3)
    add(rpc, session, 0, 2, 2)
    for state, endpoint in ((9, 3), (1, 4), (1, 0)):
        detail = refused(rpc, session, EDIFFERS, "addposition", session, 0, 1, number(state),
                         endpoint, 1, {"strict": True})
        assert detail == {"position": 1, "endpoint": 3}
    assert add(rpc, session, 0, 1, 1, endpoint=3, strict=True)["new"] is False
    assert add(rpc, session, 0, 3, 1, strict=True)["new"] is True
    assert add(rpc, session, 0, 1, 9, endpoint=3, strict=False)["differs"] is True


@served
def test_strict_leaves_other_errors_as_they_are(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    for code, call in ((ESTATE, (0, 1, b"abc", 0, 1)), (EPOSITION, (9, 1, number(1), 0, 1)),
                       (ERANGE, (0, 2, number(1), 128, 1)), (ECONSTANT, (0, 2, number(1), 0, 3))):
        refused(rpc, session, code, "addposition", session, *call, {"strict": True})


@served
def test_check_finds_an_equal_position_and_no_check_does_not(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    assert add(rpc, session, 0, 2, 1, check=0)["better"] is None
    later = add(rpc, session, 0, 3, 1, check=2)
    assert later["better"] is None and later["setbetter"] is True
    assert add(rpc, session, 0, 4, 1, check=1)["better"] == 1


@served
def test_shorter_way_takes_over_the_branches_and_says_whose(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    add(rpc, session, 1, 2, 2)
    add(rpc, session, 2, 3, 3)
    answer = add(rpc, session, 0, 4, 2)
    assert answer["grafted"] == {"from": 2, "to": 4} and "made" not in answer
    assert answer["supersedes"] == 2
    assert (answer["number"], answer["nextcount"]) == (4, 1)
    assert branches(rpc, session, 4) == [3] and branches(rpc, session, 2) == []
    moved = rpc.call("getposition", session, 3)
    assert (moved["prev"], moved["move"], moved["movecount"]) == (4, 3, 2)
    assert rpc.call("getposition", session, 2)["better"] == 4


@served
def test_shorter_way_to_a_position_without_branches_grafts_nothing(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    add(rpc, session, 1, 2, 2)
    answer = add(rpc, session, 0, 4, 2)
    assert "grafted" not in answer and "made" not in answer and answer["supersedes"] == 2


@served
def test_way_that_is_not_shorter_supersedes_nothing(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    for answer in (add(rpc, session, 0, 2, 1), add(rpc, session, 1, 2, 1),
                   add(rpc, session, 0, 1, 1), add(rpc, session, 0, 3, 1, check=2)):
        assert "supersedes" not in answer, answer
    assert rpc.call("apply", session, b"\1" + varint(0) + signed(9) + signed(0) + signed(1) +
                    number(1))["supersedes"] is None


def solved(rpc, behavior):
    """0 -1-> 1 -2-> 2 -3-> 3 -4-> 4, an endpoint; then a shorter way to 2."""
    session = begin(rpc)
    rpc.call("setgraftbehavior", session, behavior)
    for i in range(1, 5):
        add(rpc, session, i - 1, i, i, endpoint=int(i == 4))
    return session, add(rpc, session, 0, 9, 2)


@served
def test_shorter_way_without_grafting_only_becomes_the_better_one(daemon, rpc):
    session, answer = solved(rpc, NO_GRAFT)
    assert "grafted" not in answer and "made" not in answer
    assert rpc.call("getposition", session, 2)["better"] == 5
    assert branches(rpc, session, 2) == [3]


@served
def test_shorter_way_copies_the_solution_and_says_which_positions_were_made(daemon, rpc):
    session, answer = solved(rpc, COPY_PATH)
    assert answer["made"] == [5, 3] and "grafted" not in answer
    assert answer["solutionsize"] == 3 and answer["nextcount"] == 1
    assert branches(rpc, session, 2) == [3] and branches(rpc, session, 5) == [6]
    assert rpc.call("getposition", session, 7)["endpoint"] == 1


@served
def test_shorter_way_grafts_and_copies_back(daemon, rpc):
    session, answer = solved(rpc, GRAFT_AND_COPY)
    assert answer["grafted"] == {"from": 2, "to": 5} and answer["made"] == [5, 3]
    assert branches(rpc, session, 5) == [3] and branches(rpc, session, 2) == [6]


@served
def test_unfit_additions_are_refused_and_change_nothing(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 3)
    rpc.call("dropposition", session, 3)
    good = [0, 1, number(9), 0, 1]
    for place, value, code in ((0, 3, EDROPPED), (0, 4, EPOSITION), (0, 2**32 - 2, EPOSITION),
                               (2, b"", ESTATE), (2, b"abc", ESTATE), (2, b"abcde", ESTATE),
                               (2, bytes(STATE_MAX + 1), ESTATE), (3, 128, ERANGE),
                               (3, -129, ERANGE), (4, 3, ECONSTANT), (4, -1, ECONSTANT)):
        params = list(good)
        params[place] = value
        refused(rpc, session, code, "addposition", session, *params)


@served
def test_wrong_size_of_a_state_is_told(daemon, rpc):
    session = begin(rpc)
    detail = refused(rpc, session, ESTATE, "addposition", session, 0, 1, b"abc", 0, 1)
    assert detail == {"position": 0, "expected": 4, "given": 3}


# ---- addpositions


@served
def test_list_is_added_in_its_order_and_places_in_it_are_negative(daemon, rpc):
    session = begin(rpc)
    answer = rpc.call("addpositions", session, [
        [0, 1, number(1), 0, 1], [-1, 2, number(2), 0, 1], [-2, 3, number(3), 0, 1],
        [-1, 4, number(1), 0, 1], [0, 1, number(1), 0, 1], [-5, 5, number(5), 7, 1]])
    assert answer == {"numbers": [1, 2, 3, 4, 1, 5], "new": [True] * 4 + [False, True]}
    got = rpc.call("getpositions", session)["positions"]
    assert [(p["prev"], p["move"], p["better"]) for p in got[1:]] == [
        (0, 1, None), (1, 2, None), (2, 3, None), (1, 4, 1), (1, 5, None)]
    assert got[5]["endpoint"] == 7 and got[0]["solutionsize"] == 2


@served
def test_list_comes_out_as_its_items_one_by_one(daemon, rpc):
    import random
    rng = random.Random(5)
    one, many = begin(rpc), begin(rpc)
    made, items = [0], []
    for i in range(400):
        place = rng.randrange(len(made))
        state = number(rng.randrange(60))
        made.append(add(rpc, one, made[place], rng.randrange(4), state)["number"])
        items.append([-place if place else 0, items_move(rpc, one, made[-1]), state, 0, 1])
    answer = rpc.call("addpositions", many, items)
    assert answer["numbers"] == made[1:]
    def tree(session):  # in the order of the branches; when each was made may be another second
        found = rpc.call("gettree", session, 0, {"states": True, "limit": 10000})
        assert found["complete"]
        return [{**position, "time": None} for position in found["positions"]]
    assert tree(many) == tree(one)


def items_move(rpc, session, position):
    return rpc.call("getposition", session, position)["move"]


@served
def test_empty_list_does_nothing(daemon, rpc):
    session = begin(rpc)
    assert rpc.call("addpositions", session, []) == {"numbers": [], "new": []}
    assert rpc.call("getsession", session)["sequence"] == 0


@served
def test_list_with_an_unfit_item_is_refused_whole_and_names_the_item(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 3)
    rpc.call("dropposition", session, 3)
    good = [0, 50, number(50), 0, 1]
    unfit = [
        ([3, 1, number(9), 0, 1], EDROPPED), ([4, 1, number(9), 0, 1], EPOSITION),
        ([2**32 - 1, 1, number(9), 0, 1], EPOSITION), ([2**64 - 1, 1, number(9), 0, 1], EPOSITION),
        ([-3, 1, number(9), 0, 1], EPOSITION), ([-4, 1, number(9), 0, 1], EPOSITION),
        ([-2**31, 1, number(9), 0, 1], EPOSITION), ([-2**63, 1, number(9), 0, 1], EPOSITION),
        ([0, 2**31, number(9), 0, 1], ERANGE), ([0, -2**31 - 1, number(9), 0, 1], ERANGE),
        ([0, 1, b"abc", 0, 1], ESTATE), ([0, 1, b"", 0, 1], ESTATE),
        ([0, 1, number(9), 128, 1], ERANGE), ([0, 1, number(9), 0, 3], ECONSTANT),
        ([0, 1, number(9), 0], EPARAMS), ([0, 1, number(9), 0, 1, 1], EPARAMS), ([], EPARAMS),
        (5, ETYPE), ({}, ETYPE), (None, ETYPE), ("abcde", ETYPE),
        ([None, 1, number(9), 0, 1], ETYPE), ([0.0, 1, number(9), 0, 1], ETYPE),
        ([0, 1.0, number(9), 0, 1], ETYPE), ([0, 1, 9, 0, 1], ETYPE),
        ([0, 1, number(9), None, 1], ETYPE), ([0, 1, number(9), 0, True], ETYPE),
    ]
    for item, code in unfit:
        detail = refused(rpc, session, code, "addpositions", session, [good, good, item, good])
        assert detail["index"] == 2, (item, detail)
        named = isinstance(item, list) and item and isinstance(item[0], int) and 0 <= item[0] < 9
        assert detail.get("position") == (item[0] if named and "field" not in detail and
                                          code != EPARAMS else None), (item, detail)


@served
def test_unfit_field_of_an_item_is_named(daemon, rpc):
    session = begin(rpc)
    good = [0, 1, number(9), 0, 1]
    for place, name in enumerate(("prev", "move", "state", "endpoint", "checkequiv")):
        item = list(good)
        item[place] = 1.5
        assert refused(rpc, session, ETYPE, "addpositions", session, [good, item]) == {
            "field": name, "index": 1}
    assert refused(rpc, session, EPOSITION, "addpositions", session, [[-1, *good[1:]]]) == {
        "field": "prev", "index": 0}
    assert refused(rpc, session, ESTATE, "addpositions", session, [[0, 1, b"abc", 0, 1]]) == {
        "position": 0, "expected": 4, "given": 3, "index": 0}
    assert refused(rpc, session, ESTATE, "addpositions", session, [good, [-1, 1, b"", 0, 1]]) == {
        "expected": 4, "given": 0, "index": 1}


@served
def test_states_may_come_as_str_whatever_their_bytes(daemon, rpc):
    """As from a language that has no bin."""
    session = begin(rpc)

    def request(method, *params):
        id = rpc.expect()
        packer = msgpack.Packer(use_bin_type=False)
        rpc.send_bytes(packer.pack([0, id, method, list(params)]))
        error, result = rpc.response(id)
        assert error is None, error
        return result

    assert request("addposition", session, 0, 1, b"\xff\0\xc3\x80", 0, 1)["number"] == 1
    assert request("addpositions", session, [[0, 2, b"\xff\xff\xff\xff", 0, 1],
                                             [-1, 3, b"\x80abc", 0, 1]])["numbers"] == [2, 3]
    assert request("suppresscycle", session, 3, b"\xff\xff\xff\xff", 0)["found"] is True
    assert request("apply", session, b"\1" + varint(0) + signed(9) + signed(0) + signed(1) +
                   b"\xfe\xfe\xfe\xfe")["position"] == 4
    assert [rpc.call("getsavedstate", session, n) for n in (1, 2, 3, 4)] == [
        b"\xff\0\xc3\x80", b"\xff\xff\xff\xff", b"\x80abc", b"\xfe\xfe\xfe\xfe"]
    assert request("beginsession", b"\xff", 1, 0)["session"]


@served
def test_strict_list_is_refused_whole_if_a_known_move_differs(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    add(rpc, session, 1, 2, 2)
    same = [0, 1, number(1), 0, 1]
    new = [0, 5, number(5), 0, 1]
    for item in ([0, 1, number(9), 0, 1], [0, 1, number(1), 1, 1], [1, 2, number(9), 0, 1]):
        detail = refused(rpc, session, EDIFFERS, "addpositions", session, [same, new, item],
                         {"strict": True})
        assert detail["index"] == 2
        assert rpc.call("addpositions", session, [same, item])["new"] == [False, False]
    assert rpc.call("addpositions", session, [same, new], {"strict": True}) == {
        "numbers": [1, 3], "new": [False, True]}


@served
def test_strict_list_is_refused_whole_if_a_move_known_through_a_place_differs(daemon, rpc):
    session = begin(rpc)
    for i in range(1, 4):
        add(rpc, session, i - 1, i, i)
    path = [[0, 1, number(1), 0, 1], [-1, 2, number(2), 0, 1]]
    new = [0, 9, number(9), 0, 1]
    detail = refused(rpc, session, EDIFFERS, "addpositions", session,
                     [*path, new, [-2, 3, number(7), 0, 1]], {"strict": True})
    assert detail["index"] == 3 and detail["position"] == 3
    assert rpc.call("addpositions", session, [*path, [-2, 3, number(3), 0, 1]],
                    {"strict": True})["numbers"] == [1, 2, 3]


@served
def test_strict_list_is_refused_whole_if_its_own_items_differ(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1)
    for items in ([[0, 5, number(5), 0, 1], [0, 5, number(6), 0, 1]],
                  [[0, 5, number(5), 0, 1], [0, 5, number(5), 1, 1]],
                  [[0, 1, number(1), 0, 1], [1, 5, number(5), 0, 1], [-1, 5, number(6), 0, 1]],
                  [[0, 4, number(4), 0, 1], [0, 4, number(4), 0, 1],
                   [-1, 5, number(5), 0, 1], [-2, 5, number(6), 0, 1]]):
        detail = refused(rpc, session, EDIFFERS, "addpositions", session, items, {"strict": True})
        assert detail["index"] == len(items) - 1, detail
    items[-1][2] = number(5)
    assert rpc.call("addpositions", session, items, {"strict": True}) == {
        "numbers": [2, 2, 3, 3], "new": [True, False, True, False]}


@served
def test_list_of_100000_positions_is_added_in_one_request(daemon, rpc):
    session = begin(rpc)
    items = [[-i if i else 0, i % 3, number(i + 1), 0, 1] for i in range(100000)]
    answer = rpc.call("addpositions", session, items, {"strict": True})
    assert answer["numbers"] == list(range(1, 100001)) and all(answer["new"])
    assert rpc.call("getposition", session, 100000)["movecount"] == 100000


# ---- the other methods that change


@served
def test_graft_setting_answers_the_one_before(daemon, rpc):
    session = begin(rpc)
    assert rpc.call("getgraftbehavior", session) == GRAFT
    assert [rpc.call("setgraftbehavior", session, n) for n in (3, 2, 0, 0, 1)] == [1, 3, 2, 0, 0]
    for unknown in (-1, 4, 256, 2**31 - 1):
        assert refused(rpc, session, ECONSTANT, "setgraftbehavior", session, unknown) == {
            "given": unknown}


@served
def test_next_position_is_answered_and_brought_to_the_front(daemon, rpc):
    session = begin(rpc)
    for move in (1, 2, 3):
        add(rpc, session, 0, move, move)
    answer = rpc.call("getnextposition", session, 0, 1)
    assert answer == rpc.call("getposition", session, 1) and set(answer) == FIELDS
    assert branches(rpc, session, 0) == [1, 3, 2]
    before = rpc.call("getsession", session)
    assert rpc.call("getnextposition", session, 0, 4) is None
    assert rpc.call("getnextposition", session, 1, 1) is None
    assert rpc.call("getnextposition", session, 0, 1)["number"] == 1
    assert rpc.call("getsession", session) == before


@served
def test_drop_answers_the_position_before(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 3)
    assert refused(rpc, session, EBRANCHES, "dropposition", session, 1) == {"position": 1}
    assert refused(rpc, session, EBRANCHES, "dropposition", session, 0) == {"position": 0}
    assert [rpc.call("dropposition", session, n) for n in (3, 2, 1)] == [2, 1, 0]
    assert refused(rpc, session, EFIRST, "dropposition", session, 0) == {"position": 0}


@served
def test_dropped_position_is_refused_by_every_method_and_its_number_not_given_again(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 1)
    rpc.call("dropposition", session, 1)
    for call in (("getposition", session, 1), ("getsavedstate", session, 1),
                 ("getnextposition", session, 1, 0), ("dropposition", session, 1),
                 ("updatesavedstate", session, 1, bytes(4)), ("getbranches", session, 1),
                 ("getpath", session, 1), ("getsolution", session, 1), ("gettree", session, 1),
                 ("suppresscycle", session, 1, bytes(4), 0), ("duplicatepath", session, 1, 0),
                 ("duplicatepath", session, 0, 1),
                 ("addposition", session, 1, 0, bytes(4), 0, 1)):
        refused(rpc, session, EDROPPED, *call)
        unknown = tuple(2 if i > 1 and p == 1 and call[0] != "addposition" else p
                        for i, p in enumerate(call))
        if unknown != call:
            refused(rpc, session, EPOSITION, *unknown)
    assert add(rpc, session, 0, 0, 1)["number"] == 2


@served
def test_update_replaces_only_the_bytes_that_do_not_count(daemon, rpc):
    session = begin(rpc, 4, 2)
    add(rpc, session, 0, 1, b"abcd")
    assert rpc.call("updatesavedstate", session, 1, b"WXYZ") is None
    assert rpc.call("getsavedstate", session, 1) == b"abYZ"
    assert rpc.call("getsavedstate", session, 0) == bytes(4)
    for state in (b"", b"abc", b"abcde"):
        refused(rpc, session, ESTATE, "updatesavedstate", session, 1, state)
    before = rpc.call("getsession", session)
    rpc.call("updatesavedstate", session, 1, b"--YZ")
    assert rpc.call("getsession", session) == before


@served
def test_check_later_is_made_up_for_and_counted(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 1, check=2)
    add(rpc, session, 0, 2, 1, check=2)
    add(rpc, session, 0, 3, 1, check=2)
    add(rpc, session, 0, 4, 4, check=2)
    assert rpc.call("setbetterfields", session) == 2
    got = rpc.call("getpositions", session)["positions"]
    assert [p["better"] for p in got] == [None, None, 1, 1, None]
    assert not any(p["setbetter"] for p in got)
    assert rpc.call("setbetterfields", session) == 0


@served
def test_cycle_is_found_and_dropped_up_to_the_limit(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 6)
    answer = rpc.call("suppresscycle", session, 6, number(3), 3)
    assert answer == {"found": True, "position": 3, "dropped": 0}
    assert rpc.call("suppresscycle", session, 6, number(99), 100) == {
        "found": False, "position": 6, "dropped": 0}
    add(rpc, session, 4, 77, 77)
    assert rpc.call("suppresscycle", session, 6, number(3), 4) == {
        "found": True, "position": 3, "dropped": 2}
    assert numbers(rpc.call("getpositions", session)["positions"]) == [0, 1, 2, 3, 4, 7]
    for state in (b"", b"abc", b"abcde"):
        refused(rpc, session, ESTATE, "suppresscycle", session, 4, state, 3)


@served
def test_solution_path_is_copied_and_the_positions_made_are_told(daemon, rpc):
    session = begin(rpc)
    add(rpc, session, 0, 1, 5)
    add(rpc, session, 1, 2, 6)
    add(rpc, session, 2, 3, 7, endpoint=1)
    add(rpc, session, 0, 4, 5, check=0)
    assert rpc.call("duplicatepath", session, 4, 1) == {"copied": True, "made": [5, 2]}
    assert rpc.call("duplicatepath", session, 4, 1) == {"copied": True, "made": None}
    add(rpc, session, 0, 9, 9)
    assert rpc.call("duplicatepath", session, 0, 7) == {"copied": False, "made": None}
    assert numbers(rpc.call("getsolution", session, 4)["positions"]) == [4, 5, 6]


@served
def test_change_flag_is_set_by_what_the_document_says_and_cleared_with_its_value(daemon, rpc):
    session = begin(rpc, 4, 2)

    def flag():
        return rpc.call("hassessionchanged", session)

    assert flag() is False and rpc.call("clearsessionchanged", session) is False
    add(rpc, session, 0, 1, 1)
    add(rpc, session, 0, 2, 2)
    assert flag() is True and rpc.call("clearsessionchanged", session) is True
    assert flag() is False
    rpc.call("getnextposition", session, 0, 1)
    rpc.call("setgraftbehavior", session, 0)
    rpc.call("updatesavedstate", session, 1, b"..zz")
    add(rpc, session, 0, 2, 2)
    assert flag() is False
    rpc.call("dropposition", session, 2)
    assert flag() is True


# ---- apply: the encoded form


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def signed(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


@served
def test_encoded_operation_does_what_its_method_does(daemon, rpc):
    one, two = begin(rpc, 4, 3), begin(rpc, 4, 3)
    operations = [
        (("addposition", 0, -5, b"aaa1", 0, 1),
         b"\1" + varint(0) + signed(-5) + signed(0) + signed(1) + b"aaa1"),
        (("addposition", 1, 6, b"bbb1", -3, 1),
         b"\1" + varint(1) + signed(6) + signed(-3) + signed(1) + b"bbb1"),
        (("addposition", 0, 7, b"aaa2", 0, 2),
         b"\1" + varint(0) + signed(7) + signed(0) + signed(2) + b"aaa2"),
        (("getnextposition", 0, -5), b"\2" + varint(0) + signed(-5)),
        (("setgraftbehavior", 3), b"\4" + signed(3)),
        (("updatesavedstate", 1, b"...9"), b"\5" + varint(1) + b"...9"),
        (("setbetterfields",), b"\6"),
        (("duplicatepath", 3, 1), b"\x08" + varint(3) + varint(1)),
        (("suppresscycle", 4, b"aaa.", 9), b"\7" + varint(4) + signed(9) + b"aaa."),
        (("dropposition", 2), b"\3" + varint(2)),
        (("clearsessionchanged",), b"\x09"),
    ]
    for count, ((method, *params), encoded) in enumerate(operations, 1):
        rpc.call(method, one, *params)
        answer = rpc.call("apply", two, encoded)
        assert set(answer) == {"value", "position", "created", "differs", "changed", "graftedfrom",
                               "graftedto", "supersedes", "firstmade", "made", "dropped", "sequence",
                               "repeated"}
        assert answer["sequence"] == count and answer["changed"] is True, (method, answer)
        assert whole(rpc, one) == whole(rpc, two), method


@served
def test_bytes_that_are_no_operation_are_refused(daemon, rpc):
    session = begin(rpc)
    chain(rpc, session, 3)
    for data in (b"", b"\0", b"\x0a", b"\xff", b"\1", b"\1\0", b"\1\0\0\0\0", b"\6\0", b"\3",
                 b"\3\x80", b"\3\xff\xff\xff\xff\xff", b"\3\xff\xff\xff\xff\x7f", b"\4", b"\5\0"):
        refused(rpc, session, EOPERATION, "apply", session, data)
    refused(rpc, session, EPOSITION, "apply", session, b"\3" + varint(2**32 - 1))
    refused(rpc, session, EPOSITION, "apply", session, b"\3" + varint(77))
    refused(rpc, session, ESTATE, "apply", session, b"\5\1abc")
    refused(rpc, session, ECONSTANT, "apply", session, b"\4" + signed(4))


@served
def test_notification_that_names_a_method_is_done_and_not_answered(daemon, rpc):
    session = begin(rpc)
    rpc.notify("addposition", session, 0, 1, number(1), 0, 1)
    rpc.notify("addposition", session, 99, 1, number(1), 0, 1)
    rpc.notify("getpositions", session, {"states": True})
    rpc.notify("no.such.method")
    assert rpc.call("getsessionsize", session) == 2
    assert rpc.notifications == []


run()
