"""Schemas whose ids have spaces of their own, and whose lines tell fields as maps."""
from changes import (ELINE, ESCHEMA, addchanges, getdiff, run, served)

SHIPS = {"version": 1,
         "objects": {"kind": {}, "x": {"default": 0}, "y": {"default": 0},
                     "seen": {"default": False, "board": False}},
         "level": {"wind": {"default": 0}, "rain": {"default": 1}},
         "kinds": {"ship": {"type": "create", "id": {"ship": 1}, "fields": 2,
                            "new": {"kind": {"value": "ship"}}},
                   "port": {"type": "create", "id": {"port": 1}, "fields": 2,
                            "new": {"kind": {"value": "port"}}},
                   "sail": {"type": "change", "id": {"ship": 1}, "fields": 2},
                   "step": {"type": "change", "id": {"ship": 1}, "old": {"x": 2}, "new": {"x": 3},
                            "fields": 4},
                   "sink": {"type": "remove", "id": {"ship": 1}, "old": {"x": 2}},
                   "air": {"type": "level", "fields": 1}}}


def rows(rpc, session, position):
    page = rpc.call("gettable", session, position)
    return {tuple(i): row for i, row in page["objects"]}, page["level"]


def begin(rpc):
    return rpc.call("beginchanges", SHIPS)["session"]


@served
def test_things_of_two_spaces_may_have_the_same_id(daemon, rpc):
    s = begin(rpc)
    a = addchanges(rpc, s, 0, 1, [["ship", 1, {"x": 3}], ["port", 1, {"y": 2}]])["number"]
    assert rows(rpc, s, a)[0] == {
        ("ship", 1): {"kind": "ship", "x": 3, "y": 0, "seen": False},
        ("port", 1): {"kind": "port", "x": 0, "y": 2, "seen": False}}
    for line in (["ship", 1, {}], ["sail", 2, {}], ["sink", 2, 0]):
        error, _ = rpc.response(rpc.send("addchanges", s, a, 2, [line], 0, 1))
        assert error[0] == ELINE and error[2]["place"] == 1, error


@served
def test_a_map_changes_the_fields_it_tells_and_nil_gives_the_default(daemon, rpc):
    s = begin(rpc)
    a = addchanges(rpc, s, 0, 1, [["ship", 1, {"x": 3, "y": 4, "color": "red"}], ["air", {"wind": 7}]])
    b = addchanges(rpc, s, a["number"], 1, [["sail", 1, {"y": 9}], ["sail", 1], ["sail", 1, None],
                                            ["air", {"rain": None}], ["step", 1, 3, 5, {"y": None}]])
    objects, level = rows(rpc, s, b["number"])
    assert objects == {("ship", 1): {"kind": "ship", "x": 5, "y": 0, "seen": False}}
    assert level == {"wind": 7, "rain": 1}
    assert rows(rpc, s, a["number"])[0]["ship", 1]["y"] == 4
    for line in (["sail", 1, 5], ["sail", 1, [1]], ["step", 1, 4, 5, {}]):
        error, _ = rpc.response(rpc.send("addchanges", s, b["number"], 2, [line], 0, 1))
        assert error[0] == ELINE, error


@served
def test_what_is_undone_is_what_was_there(daemon, rpc):
    s = begin(rpc)
    a = addchanges(rpc, s, 0, 1, [["ship", 1, {"x": 3, "seen": True}], ["port", 1, {}]])["number"]
    before = rows(rpc, s, a)
    b = addchanges(rpc, s, a, 1, [["sail", 1, {"x": 7, "seen": False}], ["sink", 1, 7]])["number"]
    assert ("ship", 1) not in rows(rpc, s, b)[0]
    assert rows(rpc, s, a) == before
    assert getdiff(rpc, s, b, a) == [[b, True, [["sink", 1, 7],
                                                ["sail", 1, {"x": 7, "seen": False}]], None]]


@served
def test_equal_boards_under_other_ids_are_linked_and_branches_stay(daemon, rpc):
    s = begin(rpc)
    rpc.call("setgraftbehavior", s, 1)
    long = addchanges(rpc, s, addchanges(rpc, s, 0, 1, [["ship", 1, {"x": 1}]])["number"], 1,
                      [["sail", 1, {"x": 3}]])["number"]
    below = addchanges(rpc, s, long, 1, [["sail", 1, {"x": 8}]])["number"]
    table = rows(rpc, s, below)
    short = addchanges(rpc, s, 0, 2, [["ship", 9, {"x": 3}]])["number"]
    assert rpc.call("getposition", s, long)["better"] == short
    assert rows(rpc, s, below) == table and rpc.call("getposition", s, below)["prev"] == long
    same = addchanges(rpc, s, 0, 3, [["ship", 1, {"x": 3}]])
    assert same["better"] == short


@served
def test_branches_go_to_an_equal_board_where_ids_are_the_same(daemon, rpc):
    s = begin(rpc)
    rpc.call("setgraftbehavior", s, 1)
    long = addchanges(rpc, s, addchanges(rpc, s, 0, 1, [["ship", 1, {"x": 1}]])["number"], 1,
                      [["sail", 1, {"x": 3}]])["number"]
    below = addchanges(rpc, s, long, 1, [["sail", 1, {"x": 8}], ["step", 1, 8, 9]])["number"]
    table = rows(rpc, s, below)
    short = addchanges(rpc, s, 0, 2, [["ship", 1, {"x": 3}]])["number"]
    assert rows(rpc, s, below) == table and rpc.call("getposition", s, below)["prev"] == short


@served
def test_schemas_that_say_it_wrongly_are_refused(daemon, rpc):
    def refused(**kind):
        error, _ = rpc.response(rpc.send("beginchanges", {
            "version": 1, "objects": {"x": {}}, "kinds": {"k": kind}}))
        assert error is not None and error[0] == ESCHEMA, kind
    refused(type="change", id={"a": 1, "b": 2})
    refused(type="change", id={})
    refused(type="change", id={"a": 0})
    refused(type="change", id={"": 1})
    refused(type="change", id={5: 1})
    refused(type="change", id={"a": {"b": 1}})
    refused(type="change", id=1, fields=0)
    refused(type="change", id=1, fields="x")
    refused(type="remove", id=1, fields=2)
    refused(type="opaque", fields=2)
    refused(type="level", id={"a": 1}, fields=2)


if __name__ == "__main__":
    run(__name__)
