"""Sessions of the schema route-network: what makes a network and what does not, equal boards, undo,
and what comes back from bytes."""
import random

import oracle
from sessions import (EDROPPED, EFULL, EKIND, ELINE, ENAME, ENETWORK, ETYPE, Rpc, apply_ops, begin,
                      begin_network, best, case, case_names, check_error, error_of, lay, line,
                      network_ops, run, served, snapshot, stream, table)

CITY = {"op": "add_node", "kind": "city", "hex": "A1", "value": 20, "slots": 1, "tokens": ["X"]}
SIDE = {"op": "add_node", "kind": "side", "hexes": ["A1", "A3"]}


def city(i, **fields):
    return {**CITY, "id": i, **fields}


def edge(i, a, b, hex="A1", **fields):
    return {"op": "add_edge", "id": i, "a": a, "b": b, "hex": hex, **fields}


def two_cities():
    return [city(0), {**SIDE, "id": 1}, city(2, hex="A3", value=30, tokens=[None]), edge(0, 0, 1),
            edge(1, 1, 2, "A3")]


QUESTION = {"company": "X", "trains": [{"name": "2", "distance": {"stops": 2}}]}


def refused(rpc, ops, first=()):
    """The code and message; the session is as before."""
    session, position = begin_network(rpc, *first)
    before = snapshot(rpc, session)
    error, _ = rpc.response(rpc.send("addchanges", session, position, 9, [line(op) for op in ops], 0,
                                     1))
    assert error is not None and snapshot(rpc, session) == before, ops
    return error[0], error[1]


@served
def test_a_turn_that_leads_to_no_network_is_refused_with_the_id_at_fault(daemon, rpc):
    two = two_cities()
    remove = lambda what, i: {"op": "remove_" + what, "id": i}
    mutex = {"op": "add_mutex", "id": 7, "scope": "route", "nodes": [0, 2]}
    for ops, first, named in (
            ([edge(1, 0, 5)], [city(0)], "edge 1: there is no node 5"),
            ([edge(4, 0, 0)], [city(0)], "edge 4"),
            ([{**mutex, "nodes": [0, 9]}], two, "mutex 7: there is no node 9"),
            ([{**mutex, "edges": [9]}], two, "mutex 7: there is no edge 9"),
            ([{**mutex, "nodes": [0, 0]}], two, "mutex 7: node 0 twice"),
            ([remove("node", 1)], two, "node 1: edge 0 still ends there"),
            ([remove("edge", 0)], two + [{**mutex, "edges": [0]}], "edge 0"),
            ([{**SIDE, "id": 3, "hexes": ["A1", "A3", "A5"]}], (), "node 3: a side lies between two"),
            ([{**SIDE, "id": 3, "hexes": ["A1", "A1"]}], (), "node 3"),
            ([edge(6, 0, 1, "B2")], two, "edge 6: hex B2 does not meet at side 1"),
            ([city(3, value=10**6 + 1)], (), "node 3"),
            ([city(3, value=2**40)], (), "node 3: value is out of range"),
            ([city(3, value=2**64 - 1)], (), "node 3: value is out of range"),
            ([city(3, cost=-1)], (), "node 3"),
            ([city(3, kind="village")], (), "node 3: kind"),
            ([city(3, kind=None)], (), "node 3: it has no kind"),
            ([city(3, tokens="X")], (), "node 3: tokens"),
            ([city(3, tokens=[5])], (), "node 3: tokens"),
            ([city(3, values={"D": "much"})], (), "node 3: values"),
            ([city(3, values={7: 7})], (), "node 3: values"),
            ([city(3, slots=2**32 - 1)], (), "node 3: slots is out of range (0 to 64)"),
            ([city(2**31)], (), "node 2147483648: ids are"),
            ([city(-1)], (), "node -1: ids are"),
            ([city("a")], (), "ids are"),
            ([edge(1, 0, 2, "A1", track="wide")], two[:3], "edge 1: track"),
            ([edge(11, 0, None)], two, "edge 11: it has no two ends")):
        code, message = refused(rpc, ops, first)
        assert code == ENETWORK and message.startswith(named), (named, code, message)


@served
def test_a_thing_is_not_made_another_by_what_a_line_tells_of_its_id_and_kind(daemon, rpc):
    session, position = begin_network(rpc, city(0))
    for fields, why in (({"id": 3}, "node 0: its id can not be another"),
                        ({"what": "edge"}, "node 0: what it is can not be another")):
        error, _ = rpc.response(rpc.send("addchanges", session, position, 9,
                                         [["set_node", 0, fields]], 0, 1))
        assert error[0] == ENETWORK and error[1] == why, error
    rpc.call("addchanges", session, position, 9,
             [["add_node", 1, {"id": 1, "what": "node", "kind": "town"}]], 0, 1)


@served
def test_a_refusal_names_no_thing_of_another_turn(daemon, rpc):
    session, position = begin_network(rpc, city(0))
    for ops, why in (([{"op": "add_mutex", "id": 5, "nodes": [9]}], "mutex 5: there is no node 9"),
                     ([city("a")], "ids are")):
        error, _ = rpc.response(rpc.send("addchanges", session, position, 9,
                                         [line(op) for op in ops], 0, 1))
        assert error[0] == ENETWORK and error[1].startswith(why), error


@served
def test_an_id_twice_or_one_that_is_not_there_does_not_fit_the_table(daemon, rpc):
    assert refused(rpc, [city(0)], [city(0)])[0] == ELINE
    assert refused(rpc, [{"op": "remove_edge", "id": 0}], [city(0)])[0] == ELINE
    assert refused(rpc, [{"op": "set_node", "id": 4, "value": 1}], [city(0)])[0] == ELINE
    session, position = begin_network(rpc, city(0))
    lay(rpc, session, position, [edge(0, 1, 0), {**SIDE, "id": 1}])  # a node and an edge 0


@served
def test_a_table_over_the_limits_is_refused(daemon, rpc):
    code, message = refused(rpc, [{"op": "add_node", "id": i, "kind": "town"} for i in range(4097)])
    assert code == ENETWORK and "4096 nodes" in message, message
    lay(rpc, begin_network(rpc)[0], 0,
        [{"op": "add_node", "id": i, "kind": "town"} for i in range(4096)])
    code, message = refused(rpc, [edge(i, 0, 1) for i in range(65)], [city(0), city(1)])
    assert code == ENETWORK and message.startswith("edge ") and "at most 64" in message, message


@served
def test_within_a_turn_order_does_not_matter_as_long_as_it_ends_in_a_network(daemon, rpc):
    session, position = begin_network(rpc, *reversed(two_cities()))
    position = lay(rpc, session, position, [
        {"op": "set_node", "id": 1, "hexes": ["B2", "B4"]}, {"op": "set_edge", "id": 0, "hex": "B2"},
        {"op": "set_edge", "id": 1, "hex": "B4"}])["number"]
    assert best(rpc, session, position, QUESTION)["total"] == 50


@served
def test_at_the_limits_things_may_be_replaced_in_one_turn(daemon, rpc):
    town = lambda i: {"op": "add_node", "id": i, "kind": "town", "hex": "A1"}
    session, position = begin_network(rpc, *map(town, range(4096)))
    position = lay(rpc, session, position,
                   [{"op": "remove_node", "id": i} for i in range(10)] + [town(5000 + i)
                                                                          for i in range(10)])["number"]
    wheel = [edge(i, 10, 11 + i) for i in range(64)]
    position = lay(rpc, session, position, wheel)["number"]
    lay(rpc, session, position, [{"op": "set_edge", "id": 0, "a": 200, "b": 201},
                                 {"op": "add_edge", "id": 64, "a": 10, "b": 300, "hex": "A1"}])
    lay(rpc, session, position, [
        {"op": "set_edge", "id": 1, "a": 10, "b": 400}, {"op": "set_edge", "id": 2, "a": 202, "b": 203},
        {"op": "add_edge", "id": 64, "a": 10, "b": 300, "hex": "A1"}], move=2)


@served
def test_equal_networks_are_equal_boards_whatever_way_led_to_them(daemon, rpc):
    session, first = begin_network(rpc)
    a = lay(rpc, session, 0, two_cities(), move=1)["number"]
    half = lay(rpc, session, 0, [city(0)], move=2)["number"]
    b = lay(rpc, session, half, two_cities()[1:])
    assert b["better"] == a
    set_twice = lay(rpc, session, a, [{"op": "set_node", "id": 0, "value": 40}])["number"]
    back = lay(rpc, session, set_twice, [{"op": "set_node", "id": 0, "value": 20}])
    assert back["better"] == a and set_twice != a
    named = lay(rpc, session, a, [{"op": "set_node", "id": 0, "name": "Aville"}], move=8)
    assert named["better"] == a  # names are for people


@served
def test_the_same_track_under_other_ids_is_another_board(daemon, rpc):
    session, _ = begin_network(rpc)
    a = lay(rpc, session, 0, [city(0)], move=1)
    b = lay(rpc, session, 0, [city(1)], move=2)
    assert b["better"] is None and a["number"] != b["number"]


@served
def test_a_shorter_way_to_a_board_takes_over_the_turns_below_it(daemon, rpc):
    session, _ = begin_network(rpc)
    rpc.call("setgraftbehavior", session, 1)
    two = two_cities()
    at = 0
    for op in two:
        at = lay(rpc, session, at, [op])["number"]
    below = lay(rpc, session, at, [{"op": "set_node", "id": 2, "value": 70}, edge(5, 0, 1)])["number"]
    rows, total = table(rpc, session, below), best(rpc, session, below, QUESTION)["total"]
    short = lay(rpc, session, 0, two, move=2)["number"]
    assert rpc.call("getposition", session, below)["prev"] == short
    assert table(rpc, session, below) == rows and total == 90
    anew = {**QUESTION, "rules": {"x": 1}}
    assert best(rpc, session, below, anew)["total"] == total


@served
def test_nil_takes_a_field_away_and_unknown_fields_are_passed_over(daemon, rpc):
    session, position = begin_network(rpc, *two_cities())
    position = lay(rpc, session, position, [
        {"op": "set_node", "id": 2, "value": None, "color": "green"}])["number"]
    rows = table(rpc, session, position)
    assert "value" not in rows["node", 2] and "color" not in rows["node", 2]
    assert best(rpc, session, position, QUESTION)["total"] == 20
    assert rpc.call("getlines", session, position)["lines"] == [
        ["set_node", 2, {"value": None, "color": "green"}]]


@served
def test_a_stream_comes_back_from_its_dump_and_is_undone_there(daemon, rpc):
    header, records = stream("stream-1889-314")
    session, position = begin_network(rpc)
    tables, rows = {0: {}}, {}
    for record in records:
        if "step" in record:
            position = lay(rpc, session, position, record["ops"], check=0)["number"]
            rows = tables[position] = apply_ops(dict(rows), record["ops"])
    again = rpc.call("loadsession", snapshot(rpc, session))["session"]
    for at, rows in reversed(tables.items()):
        assert table(rpc, again, at) == rows
    query = next(r for r in reversed(records) if "query" in r)
    question = {**query, "rules": header["rules"]}
    assert best(rpc, again, position, question)["total"] == best(rpc, session, position,
                                                                 question)["total"]


@served
def test_a_first_table_is_held_to_be_a_network_too(daemon, rpc):
    good = {"objects": [[["node", 0], {"what": "node", "id": 0, "kind": "city", "hex": "A1"}]],
            "level": {}, "cursors": []}
    rpc.call("beginchanges", "route-network", {"table": good})
    bad = {**good, "objects": [[["edge", 0], {"what": "edge", "id": 0, "a": 1, "b": 2, "hex": "A1"}]]}
    error, _ = rpc.response(rpc.send("beginchanges", "route-network", {"table": bad}))
    assert error[0] == ENETWORK and error[1].startswith("edge 0: there is no node 1"), error


@served
def test_a_lenient_session_may_hold_what_is_no_network_and_says_so_when_asked(daemon, rpc):
    session = rpc.call("beginchanges", "route-network", {"lenient": True})["session"]
    bad = lay(rpc, session, 0, [city(0), edge(3, 0, 9)])["number"]
    error, _ = rpc.response(rpc.send("routes.best", session, bad, "X", QUESTION["trains"]))
    assert error[0] == ENETWORK and error[1].startswith("edge 3: there is no node 9"), error
    good = lay(rpc, session, bad, [city(9)])["number"]
    assert best(rpc, session, good, QUESTION)["proven"]


@served
def test_questions_that_do_not_fit_are_refused_by_what_is_wrong_with_them(daemon, rpc):
    session, position = begin_network(rpc, *two_cities())
    train = QUESTION["trains"][0]

    def rows(kinds, **numbers):
        return [{"name": "2", "distance": {"rows": [{"kinds": kinds, **numbers}]}}]

    def answer(trains, **options):
        error, _ = rpc.response(rpc.send("routes.best", session, position, "X", trains, options))
        assert error is not None, (trains, options)
        return error
    for trains, options, named in (
            ([5], {}, "train 0: has to be a map"),
            ([{}], {}, "train 0: it has no name"),
            ([{"name": "2"}], {}, "train 0: it has no distance"),
            ([train, {"name": "2", "distance": {"miles": 3}}], {}, "train 1: distance"),
            ([{"name": "2", "distance": {"stops": -1}}], {}, "train 0: stops is out of range"),
            ([{"name": "2", "distance": {"stops": "2"}}], {}, "train 0: stops has to be an integer"),
            (rows([], pay=1, visit=1), {}, "train 0: row 0 is for no kind of stop"),
            (rows(["side"], pay=1, visit=1), {}, "train 0: row 0 is for no kind of stop"),
            (rows(["mine"], pay=1, visit=1), {}, "train 0: row 0: kinds"),
            (rows(["city"], pay=0, visit=0), {}, "train 0: row 0 visits no stop"),
            (rows(["city"], pay=3, visit=2), {}, "train 0: row 0 pays for more stops than it visits"),
            (rows(["city"], pay=2), {}, "train 0: row 0: it has no pay or no visit"),
            (rows(["city"], visit=2), {}, "train 0: row 0: it has no pay or no visit"),
            (rows(["city"], pay=-1, visit=2), {}, "train 0: row 0: pay is out of range"),
            ([train], {"rules": {"set": [{"rule": "visit"}]}}, "set rule 0: it has no nodes"),
            ([train], {"rules": {"set": [{"rule": "bypass_routes"}]}}, "set rule 0: it has no max"),
            ([train], {"rules": {"min_stops_if": [{"nodes": [0]}]}}, "min_stops_if 0: it has no"),
            ([train], {"rules": {"min_stops_if": [{"min": 3}]}}, "min_stops_if 0: it has no"),
            ([{**train, "tracks": ["wide"]}], {}, "train 0: tracks"),
            ([train], {"rules": 5}, "rules: has to be a map"),
            ([train], {"rules": {"set": [{"rule": "sing"}]}}, "set rule 0: rule"),
            ([train], {"bonuses": [{"value": 10**12}]}, "bonus 0: value is out of range"),
            ([train], {"bonuses": [{"value": 10, "need": [[1], "x"]}]}, "bonus 0: need")):
        code, message, _ = answer(trains, **options)
        assert code in (ENETWORK, 7) and message.startswith(named), (named, code, message)
    assert answer([train] * 33)[0] == EFULL
    assert answer([train], bonuses=[{}] * 257)[0] == EFULL
    assert answer([train], id="")[0] == ENAME and answer([train], id="x" * 65)[0] == ENAME
    deep = []
    for _ in range(20):
        deep = [deep]
    assert answer([train], rules={"x": deep})[0] == ETYPE
    assert error_of(rpc, "routes.best", begin(rpc), 0, "X", [train]) == EKIND
    plain = rpc.call("beginchanges", None)["session"]
    assert error_of(rpc, "routes.reach", plain, 0, "X") == EKIND


@served
def test_a_train_that_can_use_no_kind_of_track_runs_at_home_at_most(daemon, rpc):
    session, position = begin_network(rpc, *two_cities())
    train = {"name": "2", "distance": {"stops": 2}}
    for tracks, total in ((None, 50), (["broad"], 50), ([], 0)):
        question = {"company": "X", "trains": [{**train, "tracks": tracks}]}
        assert best(rpc, session, position, question)["total"] == total, tracks
    question = {"company": "X", "trains": [{**train, "tracks": [], "local": True}]}
    assert [r["stops"] for r in best(rpc, session, position, question)["set"]] == [[0]]
    verdict = rpc.call("routes.check", session, position, "X", [{**train, "tracks": []}],
                       [{"train": 0, "stops": [0, 2], "edges": [0, 1]}])
    assert verdict["rule"] == "track", verdict


JUNK = [None, True, -1, 0, 3, 2**31, 2**63, 2**64 - 1, -2**63, 1.5, float("nan"), "", "x", "a\0b", "D" * 300,
        b"\xff\xfe", [], {}, [None], [[[]]], {"x": {}}, {1: 2}, ["side"], list(range(2000))]


def spoil(value, rng):
    """The same with something else somewhere in it."""
    if rng.random() < 0.15 or not isinstance(value, (dict, list)) or not value:
        return rng.choice(JUNK)
    if isinstance(value, list):
        i = rng.randrange(len(value))
        return value[:i] + [spoil(value[i], rng)] + value[i + 1:]
    key = rng.choice(list(value))
    return {**value, key: spoil(value[key], rng)}


@served
def test_questions_and_turns_that_are_spoiled_anywhere_are_refused_or_answered(daemon, rpc):
    rng = random.Random(7)
    names = [n for n in case_names() if n.startswith("rule-")]
    for i in range(1500):
        question = case(rng.choice(names))
        session, position = begin_network(rpc, *network_ops(question))
        before = snapshot(rpc, session)
        parts = {k: question.get(k) or [] for k in ("trains", "rules", "bonuses", "company")}
        parts["set"] = question["expect"]["best_set"]
        key = rng.choice(list(parts))
        parts[key] = spoil(parts[key], rng)
        options = {"rules": parts["rules"], "bonuses": parts["bonuses"], "deadline": 100}
        for method, more in (("routes.best", []), ("routes.check", [parts["set"]])):
            error, result = rpc.response(rpc.send(method, session, position, parts["company"],
                                                  parts["trains"], *more, options))
            if error is not None:
                check_error(error)
            else:
                assert "total" in result or "rule" in result
        lines = [line(op) for op in network_ops(question)]
        error, result = rpc.response(rpc.send("addchanges", session, 0, 5, spoil(lines, rng), 0, 0))
        if error is not None:
            check_error(error)
            assert snapshot(rpc, session) == before
        rpc.call("endsession", session)


@served
def test_sets_that_are_spoiled_are_never_legal_and_worth_more(daemon, rpc):
    rng = random.Random(8)
    for i in range(600):
        question = case(rng.choice([n for n in case_names() if n.startswith("rule-")]))
        session, position = begin_network(rpc, *network_ops(question))
        rows = question["expect"]["best_set"]
        if not rows:
            continue
        row = dict(rng.choice(rows))
        key = rng.choice(["stops", "edges", "train"])
        row[key] = rng.randrange(4) if key == "train" else [
            rng.choice(row[key] + [0, 1, 2]) for _ in row[key]][:rng.randrange(1, 9)]
        rows = [row] + [r for r in rows if r["train"] != row["train"]]
        answer = rpc.call("routes.check", session, position, question["company"], question["trains"], rows,
                          {"rules": question["rules"], "bonuses": question["bonuses"]})
        why = oracle.why_not(oracle.Network.of_case(question), question, question["rules"], rows)
        assert answer["legal"] == (why is None), (answer, why, rows)
        rpc.call("endsession", session)


@served
def test_turns_come_line_by_line_and_are_copied(daemon, rpc):
    session, _ = begin_network(rpc, name="rails")
    rpc.call("setcursor", session, "hand", 0)
    rpc.call("newundo", session, "hand")
    for op in two_cities():
        rpc.call("addundo", session, "hand", line(op))
    first = rpc.call("newundo", session, "hand")["number"]
    assert best(rpc, session, first, QUESTION)["total"] == 50
    rpc.call("addundo", session, "hand", line(edge(7, 0, 99)))
    error, _ = rpc.response(rpc.send("newundo", session, "hand"))
    assert error[0] == ENETWORK and "edge 7: there is no node 99" in error[1], error
    rpc.call("newundo", session, "hand", {"drop": True})
    below = lay(rpc, session, first, [{"op": "set_node", "id": 0, "value": 90}])["number"]
    copy = rpc.call("copysession", "rails", "copy")["session"]
    assert best(rpc, copy, below, QUESTION)["set"] == best(rpc, session, below, QUESTION)["set"]


def test_networks_outlive_the_daemon():
    import harness
    with harness.Folder() as folder:
        options = ("--store", folder / "store")
        with harness.Daemon(folder / "s", *options) as daemon:
            with Rpc(daemon.socket_path) as rpc:
                session, position = begin_network(rpc, *two_cities(), name="rails")
                assert best(rpc, "rails", position, QUESTION)["total"] == 50
                rich = [{"op": "set_node", "id": 0, "value": 90}]
                below = lay(rpc, session, position, rich)["number"]
                key = rpc.call("dropsubtree", session, below)["key"]
                assert error_of(rpc, "routes.best", session, below, "X",
                                QUESTION["trains"]) == EDROPPED
                rpc.call("restoresubtree", session, key)
                assert best(rpc, session, below, QUESTION)["total"] == 120
            assert daemon.end() == 0
        with harness.Daemon(folder / "s", *options) as daemon:
            with Rpc(daemon.socket_path) as rpc:
                answer = best(rpc, "rails", position, QUESTION)
                assert (answer["total"], answer["cached"]) == (50, False)
                assert best(rpc, "rails", below, QUESTION)["total"] == 120
            assert daemon.end() == 0


if __name__ == "__main__":
    run(__name__)
