"""Records over the protocol: each method as it is described, and what it refuses; they last, have keys, and
two frontends see them alike."""
import math
import os
import random
import signal

import msgpack

from api import (ECONSTANT, EDAMAGED, EDIFFERS, EDROPPED, EEXPECTED, EFIRST, EFULL, EKEY, EKIND, ENAME, ENOCURSOR, EPARAMS, EPOSITION,
                 ERANGE, ESTATE, ETYPE, MIB, RpcError, add, begin, chain, error_of, harness, number, run, served,
                 serving, snapshot)

ENOCANDIDATE, ECANDIDATE, EDECISION = 57, 58, 59
EMPTY = {"properties": {}, "branch": {}, "choice": "open", "candidates": [], "decided": 0, "decisions": [],
         "alternates": []}
ROLLOUT = {"kind": "rollout", "equity": -0.1234567890123, "numbers": [0.5, 0.1, 1e-300, 0.25, 3],
           "deviations": [0.001, 0.002], "context": {"plies": 2, "seed": b"\0\xff", "list": [1, [2, [None]]]},
           "text": "X ver 3 \u00e9 [escaped\\]]"}
EVALUATION = {"kind": "evaluation"}


def record(rpc, session, position=0):
    told = rpc.call("getrecord", session, position)
    assert told.pop("position") == position
    return told


def analysis(**fields):
    """As it is told: with all fields."""
    told = {"equity": None, "numbers": [], "deviations": [], "context": None, "text": None, **fields}
    told["numbers"] = [float(x) for x in told["numbers"]]
    return told


def candidate(id, move=None, text=None, **more):
    return {"id": id, "move": move, "text": text, "properties": {}, "analysis": None, "shared": False,
            "leads": None, **more}


def refused(rpc, code, field, method, *params, **details):
    """Refused with that code, told with the field, and the details."""
    try:
        result = rpc.call(method, *params)
    except RpcError as error:
        assert error.code == code, (method, params, error)
        assert field is None or error.detail.get("field") == field, (method, params, error.detail)
        for name, value in details.items():
            assert error.detail.get(name) == value, (method, params, error.detail)
        assert error.detail["method"] == method and error.message
        return error
    raise AssertionError("%s%r was answered with %r" % (method, params, result))


# ---- whole records


@served
def test_a_position_without_a_record_has_an_empty_one(daemon, rpc):
    s = begin(rpc)
    assert record(rpc, s) == EMPTY
    assert rpc.call("getrecords", s)["records"] == []
    assert rpc.call("getcandidates", s, 0)["candidates"] == []
    assert rpc.call("getpositionproperty", s, 0, "x") is None
    assert rpc.call("getalternates", s, 0)["positions"] == []
    assert rpc.call("readrecord", s, 0, 0, 9) == {"bytes": b"", "size": 0, "sequence": 0}


@served
def test_a_record_that_was_told_is_set_again_as_it_was(daemon, rpc):
    s = begin(rpc)
    add(rpc, s, 0, 3, 1)
    given = {"properties": {"title": "\u00e9", "n": [1.5, None, {"a": b"\0"}]}, "branch": {"why": True},
             "choice": 7, "decided": 1,
             "candidates": [candidate(7, 3, "24/18", properties={"luck": -0.5}, analysis=ROLLOUT),
                            candidate(2, None, "pass"), candidate(9, -5, None, analysis=EVALUATION)],
             "decisions": [candidate(1, 1, "double", analysis=ROLLOUT), candidate(2, 2, "take", shared=True)],
             "alternates": []}
    assert rpc.call("setrecord", s, 1, given) is None
    told = record(rpc, s, 1)
    assert [c["id"] for c in told["candidates"]] == [7, 2, 9]
    assert told["candidates"][0]["analysis"] == analysis(**ROLLOUT)
    assert told["candidates"][2]["analysis"] == analysis(**EVALUATION)
    assert told["decisions"][1]["analysis"] == analysis(**ROLLOUT) and told["decisions"][1]["shared"]
    assert told["properties"] == given["properties"] and told["branch"] == {"why": True}
    assert told["choice"] == 7 and told["decided"] == 1
    before = snapshot(rpc, s)
    rpc.call("setrecord", s, 1, {"position": 1, **told})
    assert snapshot(rpc, s) == before
    assert rpc.call("addcandidates", s, 1, [{"text": "new"}]) == {"ids": [10]}
    assert rpc.call("setrecord", s, 1, None) is None
    assert record(rpc, s, 1) == EMPTY


@served
def test_items_without_ids_get_the_next_ones(daemon, rpc):
    s = begin(rpc)
    rpc.call("setrecord", s, 0, {"candidates": [{"text": "a"}, {"id": 5, "text": "b"}, {"text": "c"}],
                                 "choice": 6})
    assert [c["id"] for c in record(rpc, s)["candidates"]] == [6, 5, 7]
    assert record(rpc, s)["choice"] == 6


@served
def test_a_whole_record_over_another_gives_no_id_again(daemon, rpc):
    s = begin(rpc)
    rpc.call("addcandidates", s, 0, [{"text": "a"}, {"text": "b"}])
    told = record(rpc, s)
    rpc.call("addcandidates", s, 0, [{"text": "c"}])
    rpc.call("addcandidates", s, 0, [{"text": "double"}], {"list": "decisions"})
    rpc.call("setrecord", s, 0, told)
    assert record(rpc, s) == told
    assert rpc.call("addcandidates", s, 0, [{"text": "d"}]) == {"ids": [4]}
    assert rpc.call("addcandidates", s, 0, [{"text": "double"}], {"list": "decisions"}) == {"ids": [2]}
    rpc.call("setrecord", s, 0, None)
    assert rpc.call("addcandidates", s, 0, [{"text": "a"}]) == {"ids": [1]}


@served
def test_an_alternate_is_not_where_a_candidate_leads(daemon, rpc):
    s = begin(rpc, 4, 3)
    rpc.call("addcandidates", s, 0, [{"move": -1, "text": "a"}, {"move": -2, "text": "b"}])
    made = rpc.call("addalternate", s, 0, number(1))
    assert made["move"] == -3
    assert [c["leads"] for c in record(rpc, s)["candidates"]] == [None, None]
    assert rpc.call("addalternate", s, 0, number(2))["move"] == -4


@served
def test_alternates_come_last_so_that_redo_goes_along_what_was_played(daemon, rpc):
    s = begin(rpc, 4, 3)
    played, made = [], []
    for i in range(1, 60):
        made.append(rpc.call("addalternate", s, 0, number(2 * i))["number"])
        played.append(add(rpc, s, 0, i, 2 * i + 1)["number"])
        if i % 7 == 0:  # another one comes to the front
            played.append(played.pop(len(played) // 2))
            rpc.call("getnextposition", s, 0, rpc.call("getposition", s, played[-1])["move"])
        branches = [p["number"] for p in rpc.call("getbranches", s, 0)["positions"]]
        assert branches == played[::-1] + made
        rpc.call("setcursor", s, "new", 0)
        assert rpc.call("redo", s, "new")["position"]["number"] == played[-1]
        rpc.call("dropcursor", s, "new")
    for number_ in made[::2]:
        rpc.call("dropposition", s, number_)
    again = rpc.call("loadsession", snapshot(rpc, s))["session"]
    branches = [p["number"] for p in rpc.call("getbranches", again, 0)["positions"]]
    assert branches == played[::-1] + made[1::2]


@served
def test_what_is_no_record_is_refused_with_its_place_and_nothing_changes(daemon, rpc):
    s = begin(rpc, 4, 0)
    add(rpc, s, 0, 1, 1)
    rpc.call("setrecord", s, 0, {"properties": {"a": 1}, "candidates": [{"move": 1, "text": "x"}]})
    before = snapshot(rpc, s)
    deep = value = []
    for _ in range(16):
        value.append([])
        value = value[0]
    items = {
        "it": [5, "x", [], {}, {"texts": "x"}, {5: 1}, {"id": 1}],
        "move": [{"move": "1"}, {"move": 1.0}, {"move": 2**31}],
        "text": [{"text": 5}, {"text": ["x"]}],
        "id": [{"id": 0, "text": "x"}, {"id": "x", "text": "x"}, {"id": 2**31, "text": "x"}],
        "properties": [{"text": "x", "properties": []}, {"text": "x", "properties": {"a": deep}}],
        "shared": [{"text": "x", "shared": 1}],
        "analysis": [{"text": "x", "analysis": 5}],
        "analysis.kind": [{"text": "x", "analysis": a} for a in ({}, {"kind": ""}, {"kind": 5},
                                                                 {"kind": "x" * 256}, {"kind": "a\0b"})],
        "analysis.equity": [{"text": "x", "analysis": {"kind": "k", "equity": e}}
                            for e in (math.nan, math.inf, -math.inf, "1", True)],
        "analysis.numbers": [{"text": "x", "analysis": {"kind": "k", "numbers": n}}
                             for n in (5, [1, math.nan], ["1"], [None])],
        "analysis.deviations": [{"text": "x", "analysis": {"kind": "k", "numbers": [1], "deviations": n}}
                                for n in (5, [math.inf], [1, 2])],
        "analysis.context": [{"text": "x", "analysis": {"kind": "k", "context": deep}}],
        "analysis.text": [{"text": "x", "analysis": {"kind": "k", "text": 5}}],
        "analysis.": [{"text": "x", "analysis": {"kind": "k", "other": 5}}],
    }
    for field, bad in items.items():
        for item in bad:
            for name in ("candidates", "decisions"):
                for index, list in ((0, [item]), (1, [{"text": "y"}, item])):
                    refused(rpc, ECANDIDATE, field, "setrecord", s, 0, {name: list}, list=name, index=index)
                    refused(rpc, ECANDIDATE, field, "addcandidates", s, 0, list, {"list": name}, list=name,
                            index=index)
    for wrong in ({"candidate": []}, {5: 1}, 5, "x", [], {"candidates": 5}, {"properties": 5}, {"branch": []},
                  {"choice": 0}, {"choice": "x"}, {"choice": 1.5}, {"choice": 3}, {"decided": 1}, {"decided": -1},
                  {"decided": "1"}, {"choice": "none", "candidates": [{"text": "x"}]},
                  {"candidates": [{"move": 1}, {"move": 1}]}, {"properties": {"a": deep}},
                  {"candidates": [{"id": 1, "text": "x"}, {"id": 1, "text": "y"}]},
                  {"decisions": [{"text": "x", "shared": True}]},
                  {"candidates": [{"text": "x"}, {"text": "y", "shared": True}]}):
        refused(rpc, ECANDIDATE, None, "setrecord", s, 0, wrong)
    for wrong in ({"properties": {"": 1}}, {"properties": {"x" * 256: 1}}, {"branch": {5: 1}},
                  {"properties": {"a\0": 1}}):
        refused(rpc, ENAME, None, "setrecord", s, 1, wrong)
    for full in ({"text": "x" * 65536}, {"text": "x", "analysis": {"kind": "k", "text": "x" * 65536}},
                 {"text": "x", "analysis": {"kind": "k", "numbers": [0] * 65}}):
        refused(rpc, EFULL, None, "addcandidates", s, 0, [full])
    refused(rpc, EFULL, None, "addcandidates", s, 0, [{"text": "x"}] * 65536, limit="candidates", value=65535)
    refused(rpc, EFIRST, None, "setrecord", s, 0, {"branch": {"a": 1}})
    assert snapshot(rpc, s) == before
    assert rpc.call("getsession", s)["sequence"] == 2


@served
def test_text_that_is_not_utf8_is_refused_in_items_and_tells_the_item(daemon, rpc):
    s = begin(rpc)
    bad = b"\xa2\xff\xfe"
    text, kind, context, properties, name = (msgpack.packb(x) for x in ("text", "kind", "context", "properties", "n"))
    good = b"\x81" + text + name
    for item in (b"\x81" + text + bad, b"\x81" + text + b"\xc4\x02\xff\xfe", b"\x81" + bad + name,
                 b"\x82" + text + name + properties + b"\x81" + bad + b"\x01",
                 b"\x82" + text + name + properties + b"\x81" + name + b"\x91" + bad,
                 b"\x82" + text + name + msgpack.packb("analysis") + b"\x81" + kind + bad,
                 b"\x82" + text + name + msgpack.packb("analysis") + b"\x82" + kind + name + context + bad):
        rpc.expect(9)
        rpc.send_bytes(b"\x94\x00\x09" + msgpack.packb("addcandidates") + b"\x93" + msgpack.packb(s) + b"\x00\x92" +
                       good + item)
        error, _ = rpc.response(9)
        assert error[0] == ECANDIDATE and error[2]["index"] == 1, (item, error)
    assert record(rpc, s) == EMPTY


# ---- lists


@served
def test_candidates_are_added_at_a_place_and_their_ids_stay(daemon, rpc):
    s = begin(rpc)
    assert rpc.call("addcandidates", s, 0, [{"text": "a", "move": 4}, {"text": "b"}]) == {"ids": [1, 2]}
    assert rpc.call("addcandidates", s, 0, [{"move": -1, "analysis": ROLLOUT, "properties": {"p": [1]}}],
                    {"at": 1}) == {"ids": [3]}
    assert rpc.call("addcandidates", s, 0, [{"text": "c"}], {"at": 99}) == {"ids": [4]}
    assert rpc.call("addcandidates", s, 0, []) == {"ids": []}
    assert record(rpc, s)["candidates"] == [
        candidate(1, 4, "a"), candidate(3, -1, analysis=analysis(**ROLLOUT), properties={"p": [1]}),
        candidate(2, None, "b"), candidate(4, None, "c")]
    rpc.call("dropcandidates", s, 0, [2, 4])
    assert rpc.call("addcandidates", s, 0, [{"text": "d"}]) == {"ids": [5]}
    rpc.call("ordercandidates", s, 0, [5, 1, 3])
    assert [c["id"] for c in record(rpc, s)["candidates"]] == [5, 1, 3]
    before = snapshot(rpc, s)
    for ids, code in (([5, 1], ECANDIDATE), ([5, 1, 3, 3], ECANDIDATE), ([5, 1, 2], ECANDIDATE),
                      ([5, 1, 3, 4], ECANDIDATE)):
        refused(rpc, code, None, "ordercandidates", s, 0, ids, position=0)
    for ids, code in (([9], ENOCANDIDATE), ([0], ENOCANDIDATE), ([2**31], ENOCANDIDATE), (["x"], ETYPE),
                      ([1, 1], ECANDIDATE), ([-1], ERANGE)):
        refused(rpc, code, None, "dropcandidates", s, 0, ids)
    assert snapshot(rpc, s) == before


@served
def test_two_candidates_have_no_one_move_and_the_second_is_named(daemon, rpc):
    s = begin(rpc)
    rpc.call("addcandidates", s, 0, [{"move": 1}, {"move": 2}])
    refused(rpc, ECANDIDATE, "move", "addcandidates", s, 0, [{"text": "x"}, {"move": 3}, {"move": 2}], index=2)
    refused(rpc, ECANDIDATE, "move", "addcandidates", s, 0, [{"move": 3}, {"move": 3}], index=1)
    refused(rpc, ECANDIDATE, None, "setcandidate", s, 0, 2, {"move": 1})
    assert rpc.call("addcandidates", s, 0, [{"move": 1}, {"move": 1}], {"list": "decisions"}) == {"ids": [1, 2]}
    many = [{"move": 10 + i} for i in range(50000)]
    for at in (1, 300, 49999):
        refused(rpc, ECANDIDATE, "move", "addcandidates", s, 0,
                [*many[:at], {"move": 10}, *many[at:]], index=at if at else 1)


@served
def test_parts_of_an_item_are_set_alone(daemon, rpc):
    s = begin(rpc)
    rpc.call("addcandidates", s, 0, [{"move": 1, "text": "a", "analysis": ROLLOUT, "properties": {"k": 1}}])
    for changes, told in (({"text": "b"}, {"text": "b"}), ({"move": 7}, {"move": 7}), ({}, {}),
                          ({"analysis": EVALUATION}, {"analysis": analysis(**EVALUATION)}),
                          ({"text": None}, {"text": None}), ({"analysis": None}, {"analysis": None}),
                          ({"move": None, "text": "c"}, {"move": None, "text": "c"}),
                          ({"shared": False}, {})):
        expected = {**record(rpc, s)["candidates"][0], **told}
        assert rpc.call("setcandidate", s, 0, 1, changes) is None
        assert record(rpc, s)["candidates"] == [expected], changes
    before = snapshot(rpc, s)
    for changes, code, field in (({"text": None}, ECANDIDATE, None), (5, ECANDIDATE, "it"),
                                 ({"id": 5}, ECANDIDATE, "it"), ({"properties": {}}, ECANDIDATE, "it"),
                                 ({"shared": True}, ECANDIDATE, "shared"), ({"move": "x"}, ECANDIDATE, "move")):
        refused(rpc, code, field, "setcandidate", s, 0, 1, changes)
    for id in (0, 2, 2**31, 2**53 - 1):
        refused(rpc, ENOCANDIDATE, None, "setcandidate", s, 0, id, {"text": "x"}, candidate=id)
    assert error_of(rpc, "setcandidate", s, 0, 1, {"text": "x"}, {"list": "decisions"}) == ENOCANDIDATE
    assert error_of(rpc, "setcandidate", s, 0, 1, {"text": "x"}, {"list": "other"}) == ECONSTANT
    assert snapshot(rpc, s) == before


@served
def test_decisions_share_the_analysis_of_the_first(daemon, rpc):
    s = begin(rpc)
    rpc.call("addcandidates", s, 0, [{"text": "double", "analysis": ROLLOUT}, {"text": "take", "shared": True}],
             {"list": "decisions"})
    double, take = record(rpc, s)["decisions"]
    assert double["analysis"] == take["analysis"] == analysis(**ROLLOUT)
    assert (double["shared"], take["shared"]) == (False, True)
    rpc.call("setcandidate", s, 0, 1, {"analysis": EVALUATION}, {"list": "decisions"})
    assert record(rpc, s)["decisions"][1]["analysis"] == analysis(**EVALUATION)
    rpc.call("setcandidate", s, 0, 2, {"shared": False}, {"list": "decisions"})
    assert record(rpc, s)["decisions"][1]["analysis"] is None
    rpc.call("setcandidate", s, 0, 2, {"shared": True, "analysis": ROLLOUT}, {"list": "decisions"})
    assert record(rpc, s)["decisions"][1]["analysis"] == analysis(**EVALUATION)
    rpc.call("setcandidate", s, 0, 2, {"analysis": ROLLOUT}, {"list": "decisions"})
    assert not record(rpc, s)["decisions"][1]["shared"]
    rpc.call("setcandidate", s, 0, 2, {"shared": True}, {"list": "decisions"})
    assert rpc.call("decide", s, 0, 2) is None and record(rpc, s)["decided"] == 2
    refused(rpc, ECANDIDATE, None, "decide", s, 0, 3)
    refused(rpc, ECANDIDATE, None, "decide", s, 0, 2**53 - 1)
    refused(rpc, ECANDIDATE, None, "addcandidates", s, 0, [{"text": "x", "shared": True}],
            {"list": "decisions", "at": 0})
    refused(rpc, ECANDIDATE, None, "setcandidate", s, 0, 1, {"shared": True}, {"list": "decisions"})
    error = refused(rpc, ECANDIDATE, None, "ordercandidates", s, 0, [2, 1], {"list": "decisions"})
    assert "shares its analysis" in error.message
    rpc.call("dropcandidates", s, 0, [1], {"list": "decisions"})
    (take,) = record(rpc, s)["decisions"]
    assert take["analysis"] == analysis(**EVALUATION) and not take["shared"]
    assert record(rpc, s)["decided"] == 0


@served
def test_none_chosen_yet_is_not_no_legal_move(daemon, rpc):
    s = begin(rpc)
    assert rpc.call("choose", s, 0, "none") is None
    assert record(rpc, s)["choice"] == "none"
    rpc.call("addcandidates", s, 0, [{"text": "a"}, {"text": "b"}])
    assert record(rpc, s)["choice"] == "open"
    refused(rpc, ECANDIDATE, None, "choose", s, 0, "none")
    rpc.call("choose", s, 0, 2)
    assert record(rpc, s)["choice"] == 2
    for choice, code in ((3, ENOCANDIDATE), (0, ENOCANDIDATE), (2**31, ENOCANDIDATE), ("x", ECONSTANT),
                         (None, ECONSTANT), (-1, ECONSTANT), ([1], ECONSTANT), (1.0, ECONSTANT)):
        refused(rpc, code, None, "choose", s, 0, choice)
    rpc.call("dropcandidates", s, 0, [2])
    assert record(rpc, s)["choice"] == "open"
    rpc.call("choose", s, 0, 1)
    rpc.call("choose", s, 0, "open")
    assert record(rpc, s)["choice"] == "open"


# ---- properties


@served
def test_positions_branches_and_items_have_properties(daemon, rpc):
    s = begin(rpc)
    add(rpc, s, 0, 1, 1)
    rpc.call("addcandidates", s, 1, [{"text": "a"}])
    rpc.call("addcandidates", s, 1, [{"text": "a"}], {"list": "decisions"})
    places = ({}, {"branch": True}, {"candidate": 1}, {"decision": 1})
    for i, place in enumerate(places):
        for name, value in (("a", i), ("b", [i, {"x": b"\0"}, None]), ("a", "again"), ("\u00e9", 0.1)):
            assert rpc.call("setpositionproperty", s, 1, name, value, place) is None
            assert rpc.call("getpositionproperty", s, 1, name, place) == value
        rpc.call("setpositionproperty", s, 1, "\u00e9", None, place)
        assert rpc.call("getpositionproperty", s, 1, "\u00e9", place) is None
    told = record(rpc, s, 1)
    for i, properties in enumerate((told["properties"], told["branch"], told["candidates"][0]["properties"],
                                    told["decisions"][0]["properties"])):
        assert properties == {"a": "again", "b": [i, {"x": b"\0"}, None]}
    before = snapshot(rpc, s)
    deep = value = []
    for _ in range(16):
        value.append([])
        value = value[0]
    for code, *params in ((EFIRST, 0, "a", 1, {"branch": True}), (ENOCANDIDATE, 1, "a", 1, {"candidate": 2}),
                          (ENOCANDIDATE, 0, "a", 1, {"decision": 1}), (ENAME, 1, "", 1), (ENAME, 1, "x" * 256, 1),
                          (ENAME, 1, "a\0b", 1), (EPARAMS, 1, "a", 1, {"branch": True, "candidate": 1}),
                          (EPARAMS, 1, "a", 1, {"decision": 1, "candidate": 1}), (EPOSITION, 5, "a", 1),
                          (ETYPE, 1, "a", deep)):
        refused(rpc, code, None, "setpositionproperty", s, *params)
    for code, *params in ((ENOCANDIDATE, 1, "a", {"candidate": 2}), (ENOCANDIDATE, 1, "a", {"decision": 0}),
                          (EPARAMS, 1, "a", {"branch": True, "candidate": 1})):
        refused(rpc, code, None, "getpositionproperty", s, *params)
    assert snapshot(rpc, s) == before


@served
def test_large_values_are_read_in_pieces(daemon, rpc):
    s = begin(rpc)
    value = bytes(range(256)) * (20 * MIB // 256)
    rpc.call("setpositionproperty", s, 0, "large", value)
    refused(rpc, EFULL, None, "getpositionproperty", s, 0, "large", limit="record_answer")
    refused(rpc, EFULL, None, "getrecord", s, 0, limit="record_answer")
    assert rpc.call("getrecords", s)["records"] == [{"position": 0, "large": True}]
    data, size = b"", None
    while size is None or len(data) < size:
        piece = rpc.call("getpositionproperty", s, 0, "large", {"offset": len(data)})
        data, size = data + piece["bytes"], piece["size"]
        assert 0 < len(piece["bytes"]) <= MIB and piece["sequence"] == 1
    assert msgpack.unpackb(data) == value
    assert rpc.call("getpositionproperty", s, 0, "large", {"limit": 5})["bytes"] == data[:5]
    assert rpc.call("getpositionproperty", s, 0, "large", {"offset": size - 3})["bytes"] == data[-3:]
    for past in (size, size + 1, 2**53 - 1):
        assert rpc.call("getpositionproperty", s, 0, "large", {"offset": past})["bytes"] == b""
    assert rpc.call("getpositionproperty", s, 0, "no", {"offset": 0}) == {"bytes": b"", "size": 0, "sequence": 1}
    whole, size = b"", None
    while size is None or len(whole) < size:
        piece = rpc.call("readrecord", s, 0, len(whole), 2**53 - 1)
        whole, size = whole + piece["bytes"], piece["size"]
    assert data in whole and len(whole) < len(data) + 100


@served
def test_records_come_in_pages_by_number(daemon, rpc):
    s = begin(rpc)
    for i in range(60):
        add(rpc, s, i, 0, i + 1)
    for i in range(1, 60, 2):
        rpc.call("setpositionproperty", s, i, "p", "x" * (200000 if i % 10 == 1 else 10))
    found, options, sizes = [], {}, []
    while True:
        page = rpc.call("getrecords", s, options)
        found += page["records"]
        sizes.append(len(msgpack.packb(page)))
        if page["next"] is None:
            break
        options = {"after": page["next"]}
    assert found == [rpc.call("getrecord", s, i) for i in range(1, 60, 2)]
    assert max(sizes) < MIB + 1000 and len(sizes) == 2, sizes
    page = rpc.call("getrecords", s, {"limit": 3})
    assert [r["position"] for r in page["records"]] == [1, 3, 5] and page["next"] in (5, 6)
    rpc.call("addcandidates", s, 0, [{"text": "%d" % i + "x" * 60000} for i in range(40)])
    offset, all = 0, []
    while offset is not None:
        page = rpc.call("getcandidates", s, 0, {"offset": offset, "limit": 30})
        all, offset = all + page["candidates"], page["next"]
        assert len(msgpack.packb(page)) < MIB + 70000
    assert all == record(rpc, s)["candidates"]
    assert rpc.call("getcandidates", s, 0, {"offset": 40})["candidates"] == []


# ---- playing


@served
def test_a_candidate_is_played_as_a_position_is_added(daemon, rpc):
    s = begin(rpc, 4, 3)
    rpc.call("addcandidates", s, 0, [{"move": 5, "text": "a"}, {"text": "b"}, {"move": 0}])
    told = rpc.call("playcandidate", s, 0, 1, number(1), 0, 1)
    assert told["number"] == 1 and told["new"] and told["move"] == 5 and told["prev"] == 0
    assert record(rpc, s)["choice"] == 1 and record(rpc, s)["candidates"][0]["leads"] == 1
    told = rpc.call("playcandidate", s, 0, 2, number(2), 1, 1)
    assert told["move"] == 1 and told["endpoint"] == 1  # 0 is another candidate's
    assert record(rpc, s)["candidates"][1] == candidate(2, 1, "b", leads=2) and record(rpc, s)["choice"] == 2
    told = rpc.call("playcandidate", s, 0, 1, None, 0, 0)
    assert told["number"] == 1 and not told["new"] and record(rpc, s)["choice"] == 1
    assert [p["number"] for p in rpc.call("getbranches", s, 0)["positions"]] == [1, 2]
    assert rpc.call("playcandidate", s, 0, 1, number(9), 0, 0)["differs"]
    before = snapshot(rpc, s)
    for code, *params in ((ESTATE, 3, None, 0, 0), (ESTATE, 3, b"abc", 0, 0), (ENOCANDIDATE, 4, number(1), 0, 0),
                          (ENOCANDIDATE, 0, None, 0, 0), (ERANGE, 3, number(1), 128, 0),
                          (ECONSTANT, 3, number(1), 0, 3), (ECONSTANT, 3, number(1), 0, 0, {"list": "x"}),
                          (EKIND, 3, None, 0, 0, {"lines": [["x"]]}), (EKIND, 3, None, 0, 0, {"after": []}),
                          (EKIND, 3, number(1), 0, 0, {"digest": 5})):
        refused(rpc, code, None, "playcandidate", s, 0, *params)
    assert error_of(rpc, "playcandidate", s, 9, 1, None, 0, 0) == EPOSITION
    assert snapshot(rpc, s) == before
    # A shorter way to a known state: better, and grafted.
    add(rpc, s, 1, 0, 0x700)
    add(rpc, s, 3, 0, 0x800)
    told = rpc.call("playcandidate", s, 0, 3, number(0x700), 0, 1)
    assert told["number"] == 5 and told["grafted"] == {"from": 3, "to": 5} and told["supersedes"] == 3


@served
def test_decisions_are_played_in_their_order(daemon, rpc):
    s = begin(rpc)
    rpc.call("addcandidates", s, 0, [{"text": "double"}, {"text": "take"}], {"list": "decisions"})
    chain = {"list": "decisions"}
    refused(rpc, EDECISION, None, "playcandidate", s, 0, 2, number(2), 0, 0, chain, candidate=2)
    assert rpc.call("playcandidate", s, 0, 1, number(1), 0, 0, chain)["prev"] == 0
    assert record(rpc, s)["decided"] == 1
    assert rpc.call("playcandidate", s, 0, 2, number(2), 0, 0, chain)["prev"] == 1
    told = record(rpc, s)
    assert told["decided"] == 2 and [d["leads"] for d in told["decisions"]] == [1, 2]
    rpc.call("dropposition", s, 2)
    assert [d["leads"] for d in record(rpc, s)["decisions"]] == [1, None]
    rpc.call("dropposition", s, 1)
    refused(rpc, EDECISION, None, "playcandidate", s, 0, 2, number(2), 0, 0, chain)


@served
def test_a_candidate_of_a_session_told_by_change_is_played_with_lines(daemon, rpc):
    s = rpc.call("beginchanges", "baba")["session"]
    rpc.call("addcandidates", s, 0, [{"move": 2, "text": "right"}, {"text": "none"}])
    line = ["create", "rock", 1, -1, "x", 3, 4, 0]
    told = rpc.call("playcandidate", s, 0, 1, None, 0, 1, {"lines": [line]})
    assert told["number"] == 1 and told["new"] and told["faults"] == 0 and told["move"] == 2
    assert rpc.call("getlines", s, 1)["lines"] == [line]
    assert record(rpc, s)["choice"] == 1
    assert rpc.call("playcandidate", s, 0, 1, None, 0, 1)["number"] == 1
    before = snapshot(rpc, s)
    assert error_of(rpc, "playcandidate", s, 0, 2, None, 0, 1, {"lines": [["update", "x"]]}) == 51
    assert error_of(rpc, "playcandidate", s, 0, 2, b"x" * 20, 0, 1) == EKIND
    assert error_of(rpc, "addalternate", s, 0, b"x" * 20) == EKIND
    assert snapshot(rpc, s) == before


@served
def test_a_candidate_is_played_and_a_cursor_goes_there_as_one(daemon, rpc):
    s = begin_rich(rpc, name="n")
    where = lambda name: rpc.call("getcursor", s, name)["number"]
    with daemon.connect() as other:
        other.call("attach", s)
        told = rpc.call("playcandidate", s, 0, 2, number(2), 0, 1, {"cursor": "c"})
        assert told["number"] == 2 and told["new"] and "items" not in told and where("c") == 2
        other.call("server.ping")
        (event,) = other.notifications
        effects = event.params[3]
        assert effects["method"] == "playcandidate" and effects["front"] == 2 and effects["items"] is None
        assert effects["cursors"] == [{"name": "c", "position": 2}]
        assert effects["record"] == {"position": 0, "record": rpc.call("getrecord", s, 0)}
        other.call("detach", s)
    # From where it is expected alone; and then nothing is played.
    before = snapshot(rpc, s)
    for code, *params in ((EEXPECTED, 1, number(1), 0, 0, {"cursor": "c", "expect": 0}),
                          (ENOCURSOR, 1, number(1), 0, 0, {"cursor": "d", "expect": 0}),
                          (EPARAMS, 1, number(1), 0, 0, {"expect": 0}),
                          (ENAME, 1, number(1), 0, 0, {"cursor": ""}),
                          (ENOCANDIDATE, 9, number(1), 0, 0, {"cursor": "d"}),
                          (ESTATE, 1, None, 0, 0, {"cursor": "d"}), (ESTATE, 1, b"abc", 0, 0, {"cursor": "d"}),
                          (ERANGE, 1, number(1), 128, 0, {"cursor": "d"}),
                          (ECONSTANT, 1, number(1), 0, 3, {"cursor": "d"}),
                          (EKIND, 1, None, 0, 0, {"lines": [["x"]], "cursor": "d"})):
        refused(rpc, code, None, "playcandidate", s, 0, *params)
    assert error_of(rpc, "playcandidate", s, 99, 1, None, 0, 0, {"cursor": "d"}) == EPOSITION
    refused(rpc, ESTATE, None, "playcandidate", s, 0, 1, b"abc", 0, 0, {"cursor": "d"}, expected=4, given=3,
            position=0)
    refused(rpc, ERANGE, None, "playcandidate", s, 0, 1, number(1), 200, 0, {"cursor": "d"}, endpoint=200)
    assert snapshot(rpc, s) == before
    # One that is there; and the same request once more does nothing, wherever the cursor is by now.
    call = ("playcandidate", s, 0, 2, None, 0, 0, {"cursor": "c", "expect": 2, "key": b"k"})
    first = rpc.call(*call)
    assert first["number"] == 2 and not first["new"]
    rpc.call("setcursor", s, "c", 0)
    before = snapshot(rpc, s)
    assert rpc.call(*call) == first and snapshot(rpc, s) == before and where("c") == 0
    assert error_of(rpc, *call[:-1], {"cursor": "c", "key": b"k"}) == EKEY
    # A decision, behind the one before it.
    rpc.call("addcandidates", s, 0, [{"text": "take"}], {"list": "decisions"})
    chain = {"list": "decisions", "cursor": "c"}
    refused(rpc, EDECISION, None, "playcandidate", s, 0, 2, number(4), 0, 0, chain, candidate=2)
    for id in (1, 2):
        told = rpc.call("playcandidate", s, 0, id, number(3 + id), 0, 0, chain)
        assert told["new"] and where("c") == told["number"]
    assert rpc.call("undo", s, "c", {"n": 2})["position"]["number"] == 0


@served
def test_playing_with_a_cursor_answers_what_playing_without_one_does(daemon, rpc):
    rng = random.Random(11)
    one, two = begin(rpc, 4, 3), begin(rpc, 4, 3)
    for i in range(400):
        size = rpc.call("getsession", one)["sequence"] + 1
        at, kind = rng.choice((0, rng.randrange(size))), rng.randrange(4)
        if kind == 0:
            call = ("addcandidates", at, [{"text": "x"}, {"move": i, "text": "y"}])
        elif kind == 1:
            call = ("setgraftbehavior", rng.randrange(4))
        else:
            call = ("playcandidate", at, rng.randrange(1, 9), rng.choice((None, bytes([0, 0, rng.randrange(30), i % 2]))),
                    int(rng.random() < 0.1), rng.randrange(3))
        plays = call[0] == "playcandidate"
        answers = [rpc.response(rpc.send(call[0], session, *call[1:], *([more] if plays else [])))
                   for session, more in ((one, {}), (two, {"cursor": "c"}))]
        for error, result in answers:
            if result and plays:
                assert result.pop("time")
        assert answers[0] == answers[1], call


@served
def test_a_candidate_of_a_session_told_by_change_is_played_with_a_cursor(daemon, rpc):
    s = rpc.call("beginchanges", "baba")["session"]
    rpc.call("addcandidates", s, 0, [{"move": 2, "text": "right"}, {"text": "none"}])
    line = ["create", "rock", 1, -1, "x", 3, 4, 0]
    told = rpc.call("playcandidate", s, 0, 1, None, 0, 1, {"lines": [line], "cursor": "c"})
    assert told["number"] == 1 and told["new"] and told["faults"] == 0
    assert rpc.call("getcursor", s, "c")["number"] == 1
    assert rpc.call("undo", s, "c")["lines"] == [line]
    before = snapshot(rpc, s)
    assert error_of(rpc, "playcandidate", s, 0, 2, None, 0, 1, {"lines": [["update", "x"]], "cursor": "c"}) == 51
    assert error_of(rpc, "playcandidate", s, 0, 2, None, 0, 1, {"cursor": "d"}) is not None
    assert snapshot(rpc, s) == before
    rpc.call("newundo", s, "c")
    rpc.call("addundo", s, "c", line)
    assert error_of(rpc, "playcandidate", s, 0, 1, None, 0, 1, {"cursor": "c"}) == 56  # it has open lines
    assert rpc.call("playcandidate", s, 0, 1, None, 0, 1)["number"] == 1


# ---- alternates


@served
def test_alternates_are_the_same_board_with_another_score(daemon, rpc):
    s = begin(rpc, 4, 3)
    add(rpc, s, 0, 1, number(0x010100))
    first = rpc.call("addalternate", s, 1, number(0x010101))
    assert first["new"] and first["number"] == 2 and first["prev"] == 1 and first["move"] == -1
    second = rpc.call("addalternate", s, 2, number(0x010102), {"move": 77})
    assert second["prev"] == 1 and second["move"] == 77
    assert not rpc.call("addalternate", s, 3, number(0x010101))["new"]
    assert rpc.call("addalternate", s, 3, number(0x010100))["number"] == 1
    for n in (1, 2, 3):
        assert record(rpc, s, n)["alternates"] == [1, 2, 3]
        assert [p["number"] for p in rpc.call("getalternates", s, n)["positions"]] == [1, 2, 3]
    page = rpc.call("getalternates", s, 3, {"offset": 1, "limit": 1, "states": True})
    assert [(p["number"], p["state"]) for p in page["positions"]] == [(2, number(0x010101))] and page["next"] == 2
    assert [r["position"] for r in rpc.call("getrecords", s)["records"]] == [1, 2, 3]
    before = snapshot(rpc, s)
    for code, *params in ((EDIFFERS, 1, number(0x020200)), (EDIFFERS, 1, number(0x010103), {"move": 77}),
                          (ESTATE, 1, b"abc"), (EPOSITION, 9, number(1))):
        refused(rpc, code, None, "addalternate", s, *params)
    assert snapshot(rpc, s) == before
    rpc.call("dropposition", s, 2)
    assert record(rpc, s, 3)["alternates"] == [1, 3]
    rpc.call("dropposition", s, 3)
    assert record(rpc, s, 1)["alternates"] == []
    plain = begin(rpc, 4, 0)
    assert error_of(rpc, "addalternate", plain, 0, number(0)) == EKIND


@served
def test_what_is_no_alternate_and_what_can_not_be_played_is_told_in_words(daemon, rpc):
    s, plain, told = begin(rpc, 4, 3), begin(rpc, 4, 0), rpc.call("beginchanges", "baba")["session"]
    add(rpc, s, 0, 1, number(1))
    rpc.call("addcandidates", s, 0, [{"move": 5}])
    for words, code, *call in (
            ("another board", EDIFFERS, "addalternate", s, 0, number(0x700)),
            ("by that move", EDIFFERS, "addalternate", s, 0, number(5), {"move": 1}),
            ("all bytes", EKIND, "addalternate", plain, 0, number(0)),
            ("told by change", EKIND, "addalternate", told, 0, b""),
            ("takes a state", ESTATE, "playcandidate", s, 0, 1, None, 0, 1),
            ("wrong size", ESTATE, "playcandidate", s, 0, 1, b"x", 0, 1),
            ("takes addchanges", EKIND, "addposition", told, 0, 1, b"x", 0, 1),
            ("told by states", EKIND, "addchanges", s, 0, 1, [], 0, 1)):
        assert words in refused(rpc, code, None, *call).message, call


# ---- keys, events, what lasts


def edits(session):
    """One of each method that changes a record, on a session that begin_rich() made."""
    return [("setpositionproperty", session, 0, "k", 1), ("ordercandidates", session, 0, [2, 1, 3]),
            ("addcandidates", session, 0, [{"text": "z"}], {"at": 0}),
            ("setcandidate", session, 0, 1, {"text": "other"}),
            ("choose", session, 0, 2), ("decide", session, 0, 1),
            ("playcandidate", session, 0, 1, number(0x50), 0, 1), ("dropcandidates", session, 0, [2]),
            ("addalternate", session, 0, number(5)), ("setrecord", session, 1, {"properties": {"a": 1}})]


def begin_rich(rpc, **options):
    session = begin(rpc, 4, 3, **options)
    add(rpc, session, 0, 9, 0x900)
    rpc.call("addcandidates", session, 0, [{"move": 1}, {"move": 2}, {"move": 3, "analysis": ROLLOUT}])
    rpc.call("addcandidates", session, 0, [{"text": "double"}], {"list": "decisions"})
    return session


@served
def test_an_edit_with_a_key_is_done_once_whatever_happens_meanwhile(daemon, rpc):
    for i in range(len(edits(0))):
        s = begin_rich(rpc)
        call = edits(s)[i]
        options = call[-1] if isinstance(call[-1], dict) and call[0] == "addcandidates" else {}
        call = (*(call[:-1] if options else call), {**options, "key": b"k"})
        first = rpc.call(*call)
        rpc.call("setrecord", s, 0, None)
        if call[2] == 1:
            rpc.call("dropposition", s, 1)
        before = snapshot(rpc, s)
        assert rpc.call(*call) == first, call
        assert snapshot(rpc, s) == before
        assert error_of(rpc, "setpositionproperty", s, 0, "other", 5, {"key": b"k"}) == EKEY
        if call[2] == 0:
            assert error_of(rpc, *call[:-1], {**call[-1], "key": b"k" * 65}) == EKEY


@served
def test_events_tell_the_record_as_it_is_now(daemon, rpc):
    s = begin_rich(rpc, name="n")
    with daemon.connect() as other:
        other.call("attach", s)
        for call in edits(s):
            rpc.call(*call)
            other.call("server.ping")
            (event,) = other.notifications
            other.notifications.clear()
            effects = event.params[3]
            assert effects["method"] == call[0]
            assert effects["record"] == {"position": call[2], "record": rpc.call("getrecord", s, call[2])}, call
            if call[0] == "playcandidate":
                assert effects["new"] and effects["front"] == effects["position"]["number"]
            elif call[0] == "addalternate":
                assert effects["new"] and effects["front"] is None and call[2] in effects["order"]
            else:
                assert effects["position"] == rpc.call("getposition", s, call[2])
                assert effects["changed"] == []
        rpc.call("setpositionproperty", s, 0, "large", "x" * 70000)
        rpc.call("setgraftbehavior", s, 0)
        other.call("server.ping")
        large, graft = other.notifications
        assert large.params[3]["record"] == {"position": 0, "record": None}
        assert graft.params[3]["record"] is None


def test_records_last_over_a_restart_and_a_kill():
    with harness.Folder() as folder:
        for end in (signal.SIGTERM, signal.SIGKILL):
            store = folder / ("store%d" % end)
            with harness.Daemon(folder / "s", "--store", store) as daemon:
                rpc = harness_rpc(daemon)
                s = begin_rich(rpc, name="n")
                for call in edits(s):
                    rpc.call(*call)
                rpc.call("setpositionproperty", s, 0, "large", bytes(3 * MIB))
                before = (snapshot(rpc, s), rpc.call("getrecords", s)["records"][1:])
                rpc.close()
                daemon.end(end)
            with harness.Daemon(folder / "s", "--store", store) as daemon:
                rpc = harness_rpc(daemon)
                assert (snapshot(rpc, "n"), rpc.call("getrecords", "n")["records"][1:]) == before
                assert rpc.call("addcandidates", "n", 0, [{"text": "next"}]) == {"ids": [5]}
                copy = rpc.call("copysession", "n", "copy")["session"]
                assert rpc.call("getcandidates", copy, 0)["candidates"][-1]["text"] == "next"
                rpc.close()


def test_operations_larger_than_a_state_may_be_last_over_a_kill():
    with harness.Folder() as folder:
        with harness.Daemon(folder / "s", "--store", folder / "store") as daemon:
            rpc = harness_rpc(daemon)
            s = begin(rpc, 4, 3, name="n")
            large = begin(rpc, 3 * MIB, 4, name="states")
            told = rpc.call("beginchanges", "baba", {"name": "lines"})["session"]
            add(rpc, s, 0, 1, 1)
            for i in range(3):
                rpc.call("setpositionproperty", s, 1, "p%d" % i, bytes(17 * MIB + i))
            rpc.call("setpositionproperty", s, 1, "p1", b"\1" + bytes(17 * MIB + 1))  # of the same length
            rpc.call("setrecord", s, 0, {"properties": {"a": bytes(20 * MIB)}})
            key = rpc.call("dropsubtree", s, 1)["key"]
            rpc.call("restoresubtree", s, key)
            rpc.call("addpositions", large, [[0, i, bytes([i]) + bytes(3 * MIB - 1), 0, 0] for i in range(1, 8)])
            line = ["create", "rock", 1, -1, "x" * (15 * MIB), 3, 4, 0]
            rpc.call("addchanges", told, 0, 1, [line], 0, 0)
            before = [rpc.call("getsession", name) for name in ("n", "states", "lines")]
            pieces = [rpc.call("readrecord", s, n, at, 9) for n in (0, 1) for at in (0, 17 * MIB, 40 * MIB)]
            rpc.close()
            daemon.end(signal.SIGKILL)
        with harness.Daemon(folder / "s", "--store", folder / "store") as daemon:
            rpc = harness_rpc(daemon)
            for was in before:
                now = rpc.call("getsession", was["name"])
                assert not now["damaged"] and now["sequence"] == was["sequence"], now
                assert now["positions"] == was["positions"]
            s = rpc.call("opensession", "n")["session"]
            assert [{**rpc.call("readrecord", s, n, at, 9)}
                    for n in (0, 1) for at in (0, 17 * MIB, 40 * MIB)] == pieces
            rpc.close()


def test_a_subtree_too_large_to_be_kept_is_not_dropped_and_costs_nobody_else_anything():
    if os.environ.get("REDO_TEST_LONG") != "1":
        print("skipped: it takes a gigabyte")
        return
    with harness.Folder() as folder, \
            harness.Daemon(folder / "s", "--store", folder / "store", "--memory-budget", "8G") as daemon:
        rpc, other = harness_rpc(daemon), harness_rpc(daemon)
        limit = rpc.call("server.info")["limits"]["subtree"]
        s, theirs = begin(rpc, 4, 3, name="n"), begin(other, 4, 3, name="theirs")
        for i in range(1, 4):
            add(rpc, s, i - 1, 1, i << 8)
            for k in range(4):
                rpc.call("setpositionproperty", s, i, "p%d" % k, bytes(limit // 12 + 100))
        for i in range(9):
            other.send("addposition", theirs, 0, i, number(i), 0, 0)
        told = refused(rpc, EFULL, None, "dropsubtree", s, 1, limit="subtree", value=limit)
        assert told.detail["position"] == 1 and rpc.call("getsessionsize", s) == 4
        other.call("server.ping")
        assert other.call("getsessionsize", theirs) == 10
        key = rpc.call("dropsubtree", s, 2)["key"]
        assert rpc.call("dropsubtree", s, 1)["dropped"] == 1 and rpc.call("getsessionsize", s) == 1
        assert key
        rpc.close()
        other.close()


def harness_rpc(daemon):
    from api import Rpc
    return Rpc(daemon.socket_path, timeout=60)


def test_records_come_back_with_a_dropped_subtree():
    with harness.Folder() as folder, serving("--store", folder / "store") as daemon, daemon.connect() as rpc:
        s = begin(rpc, 4, 3, name="n")
        add(rpc, s, 0, 1, 0x100)
        add(rpc, s, 1, 1, 0x200)
        rpc.call("addalternate", s, 1, number(0x101))
        rpc.call("addcandidates", s, 2, [{"text": "a", "analysis": ROLLOUT}])
        rpc.call("setpositionproperty", s, 2, "why", 1, {"branch": True})
        before = snapshot(rpc, s)
        told = [record(rpc, s, n) for n in (1, 2, 3)]
        key = rpc.call("dropsubtree", s, 1)["key"]
        assert rpc.call("getrecords", s)["records"] == []
        rpc.call("restoresubtree", s, key)
        assert [record(rpc, s, n) for n in (1, 2, 3)] == told
        assert len(snapshot(rpc, s)) == len(before)


# ---- a dump in parts


def upload(rpc, dump, part):
    for at in range(0, len(dump), part):
        assert rpc.call("loadpart", at, dump[at:at + part]) == {"size": min(len(dump), at + part)}


@served
def test_a_dump_is_loaded_in_parts(daemon, rpc):
    s = begin_rich(rpc, name="n")
    dump = snapshot(rpc, s)
    upload(rpc, dump, 7)
    told = rpc.call("loadsession", None, {"name": "m"})
    assert told["created"] and told["name"] == "m" and told["positions"] == 2
    assert snapshot(rpc, "m") == dump
    assert error_of(rpc, "loadsession", None, {"name": "o"}) == EDAMAGED  # it is gone
    upload(rpc, dump, 1000)
    assert error_of(rpc, "loadsession", None, {"name": "m"}) == 27  # the name is taken, and it is kept
    assert rpc.call("loadsession", None, {"name": "o"})["created"]
    upload(rpc, dump, 1000)
    private = rpc.call("loadsession", None)["session"]
    assert snapshot(rpc, private) == dump
    upload(rpc, dump, 50)
    refused(rpc, ERANGE, None, "loadpart", 5, b"x", size=len(dump))
    refused(rpc, ERANGE, None, "loadpart", len(dump) + 1, b"x", size=len(dump))
    assert rpc.call("loadpart", 0, b"") == {"size": 0}
    assert error_of(rpc, "loadsession", None) == EDAMAGED
    upload(rpc, dump[:-1], 50)
    assert error_of(rpc, "loadsession", None, {"name": "p"}) == EDAMAGED
    rpc.call("loadpart", 0, b"garbage")
    assert error_of(rpc, "loadsession", None, {"name": "p"}) == EDAMAGED
    assert [x["name"] for x in rpc.call("listsessions")["sessions"]] == ["m", "n", "o"]


@served
def test_a_dump_in_parts_is_known_by_its_key(daemon, rpc):
    s = begin_rich(rpc, name="n")
    dump = snapshot(rpc, s)
    upload(rpc, dump, 100)
    first = rpc.call("loadsession", None, {"name": "m", "key": b"k"})
    upload(rpc, dump, 60)
    assert rpc.call("loadsession", None, {"name": "m", "key": b"k"})["session"] == first["session"]
    upload(rpc, dump[:-1] + b"x", 60)
    assert error_of(rpc, "loadsession", None, {"name": "m", "key": b"k"}) == EKEY


def test_a_large_dump_in_one_message_is_loaded_as_a_small_one_is():
    with harness.Folder() as folder, serving("--store", folder / "store") as daemon, daemon.connect() as rpc:
        s = begin_rich(rpc, name="n")
        for i in range(3):
            rpc.call("setpositionproperty", s, 0, "large%d" % i, bytes([i]) * 200000)
        dump = snapshot(rpc, s)
        assert rpc.call("loadsession", dump, {"name": "m"})["created"] and snapshot(rpc, "m") == dump
        assert error_of(rpc, "loadsession", dump, {"name": "m"}) == 27
        bad = bytearray(dump)
        bad[len(bad) // 2] ^= 1
        assert error_of(rpc, "loadsession", bytes(bad), {"name": "o"}) == EDAMAGED
        private = rpc.call("loadsession", dump)["session"]
        assert snapshot(rpc, private) == dump
        for _ in range(2):  # with a key, once
            told = rpc.call("loadsession", dump, {"name": "o", "key": b"k"})
            assert told["name"] == "o" and told["created"]
        assert error_of(rpc, "loadsession", bytes(bad), {"name": "o", "key": b"k"}) == EKEY
        # What loadpart has collected stays as it is, and several in a row are several.
        upload(rpc, dump, MIB)
        ids = [rpc.send("loadsession", dump, {"name": "p%d" % i}) for i in range(3)]
        assert len({rpc.result(id)["session"] for id in ids}) == 3
        assert rpc.call("loadsession", None, {"name": "q"})["created"]
        for i in range(20):  # who goes meanwhile leaves nothing half done
            with daemon.connect() as other:
                other.send("loadsession", dump, {"name": "gone%d" % i, "key": b"%d" % i})
                if i % 2:
                    other.call("server.ping")
        for name in ["m", "o", "q", "p0", "p1", "p2"] + ["gone%d" % i for i in range(1, 20, 2)]:
            assert rpc.call("getcandidates", name, 0)["candidates"][0]["move"] == 1
            assert rpc.call("getpositionproperty", name, 0, "large2") == bytes([2]) * 200000


@served
def test_what_is_uploaded_is_bounded_and_ends_with_its_connection(daemon, rpc):
    part = bytes(60 * MIB)
    limit = rpc.call("server.info")["limits"]["upload"]
    with daemon.connect() as one:
        for i in range(4):
            one.call("loadpart", i * len(part), part)
        with daemon.connect() as two:
            for i in range(4):
                two.call("loadpart", i * len(part), part)
            refused(two, EFULL, None, "loadpart", 4 * len(part), part, limit="upload", value=limit)
            assert two.call("loadpart", 4 * len(part), b"x")["size"] == 4 * len(part) + 1
            refused(rpc, EFULL, None, "loadpart", 0, part)
        rpc.call("server.ping")
        harness.wait_for(lambda: rpc.response(rpc.send("loadpart", 0, part))[0] is None, "what two had to go")
        rpc.call("loadpart", 0, b"")


def test_a_connection_that_goes_while_its_dump_is_loaded_leaves_nothing():
    for store in (True, False):
        with harness.Folder() as folder, \
                serving(*(("--store", folder / "store") if store else ())) as daemon, daemon.connect() as rpc:
            s = begin(rpc, name="n")
            chain(rpc, s, 60000)
            dump = snapshot(rpc, s)
            for i in range(6):
                with daemon.connect() as other:
                    upload(other, dump, 1 << 18)
                    other.send("loadsession", None, *([{"name": "m%d" % i}] if i % 2 else []))
                rpc.call("server.ping")
            with daemon.connect() as other:
                upload(other, dump, 1 << 18)
                assert other.call("loadsession", None, {"name": "whole"})["created"]
            assert rpc.call("getsessionsize", "whole") == 60001


def test_a_session_larger_than_a_message_is_loaded_in_parts():
    with harness.Folder() as folder, \
            serving("--store", folder / "store", "--max-message", str(MIB)) as daemon, daemon.connect() as rpc:
        s = begin(rpc, name="n")
        for i in range(20):
            rpc.call("setpositionproperty", s, 0, "comment%d" % i, bytes([i]) * (MIB // 2))
        dump = snapshot(rpc, s)
        assert len(dump) > 10 * MIB
        upload(rpc, dump, MIB // 2)
        with daemon.connect() as other:
            id = rpc.send("loadsession", None, {"name": "m"})
            other.call("server.ping")
            assert rpc.result(id)["created"]
        assert snapshot(rpc, "m") == dump


run()
