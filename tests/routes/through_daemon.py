"""All route cases and streams of the folder as sessions of a daemon: the best total at each position,
sets that are legal by the rules as they are written (oracle.py), sets that must be refused; again after
undoing to it from the end, again after jumping at random, with the table equal each time."""
import random

import oracle
from cases import REASONS
from sessions import (apply_ops, begin_network, best, case, case_names, lay, line, network_ops, run,
                      served, stream, stream_names, table)


def legal(net, question, rules, answer, total):
    assert (answer["total"], answer["bound"], answer["proven"]) == (total, total, True), answer
    assert oracle.why_not(net, question, rules, answer["set"]) is None
    assert oracle.worth(net, question, answer["set"]) == total
    assert sum(row["value"] for row in answer["set"]) == total


def check(rpc, session, position, question, rows):
    return rpc.call("routes.check", session, position, question["company"], question["trains"], rows,
                    {"rules": question["rules"], "bonuses": question.get("bonuses", [])})


@served
def test_every_case_has_its_total_and_a_set_that_is_legal_and_worth_it(daemon, rpc):
    for name in case_names():
        question = case(name)
        session, position = begin_network(rpc, *network_ops(question))
        legal(oracle.Network.of_case(question), question, question["rules"],
              best(rpc, session, position, question), question["expect"]["best"])


@served
def test_sets_of_the_cases_are_worth_what_they_say_and_invalid_ones_are_refused_for_their_reason(
        daemon, rpc):
    for name in case_names():
        question = case(name)
        session, position = begin_network(rpc, *network_ops(question))
        expect = question["expect"]
        for rows, total in ((expect["best_set"], expect["best"]),
                            (expect.get("actual_set"), expect["actual"])):
            if rows:
                answer = check(rpc, session, position, question, rows)
                assert (answer["legal"], answer["total"]) == (True, total), (name, answer)
                assert answer["values"] == [row["value"] for row in rows]
        for bad in expect.get("invalid", []):
            answer = check(rpc, session, position, question, bad["set"])
            assert not answer["legal"] and answer["text"] == REASONS[bad["why"]], (name, answer)


@served
def test_every_stream_has_its_totals_going_forth_undone_and_jumped_to(daemon, rpc):
    for name in stream_names():
        header, records = stream(name)
        session, position, net, rows = *begin_network(rpc), oracle.Network(), {}
        asked, tables = [], {}
        rpc.call("setcursor", session, "game", 0)
        for record in records:
            if "step" in record:
                net.apply(record["ops"])
                rows = apply_ops(dict(rows), record["ops"])
                position = rpc.call("addchanges", session, position, record["step"],
                                    [line(op) for op in record["ops"]], 0, 0, {"cursor": "game"})["number"]
                tables[position] = rows
            else:
                question = {**record, "rules": header["rules"]}
                answer = best(rpc, session, position, question)
                legal(net, question, header["rules"], answer, record["best"])
                asked.append((position, question, answer))
        for at, question, answer in reversed(asked):
            while position != at:
                position = rpc.call("undo", session, "game")["position"]["number"]
            ask_again(rpc, session, at, question, answer, tables)
        rng = random.Random(name)
        for at, question, answer in rng.sample(asked, len(asked)):
            ask_again(rpc, session, at, question, answer, tables)


def ask_again(rpc, session, at, question, answer, tables):
    """Cached, and, by a field more that is passed over, found anew."""
    again = best(rpc, session, at, question)
    anew = best(rpc, session, at, {**question, "rules": {**question["rules"], "x": random.random()}})
    assert again.pop("cached") and not anew.pop("cached")
    assert {k: v for k, v in answer.items() if k != "cached"} == again
    assert (anew["total"], anew["set"]) == (again["total"], again["set"])
    assert table(rpc, session, at) == tables[at]


@served
def test_what_is_reached_holds_all_that_the_best_set_uses(daemon, rpc):
    header, records = stream("stream-1889-314")
    session, position = begin_network(rpc)
    for record in records:
        if "step" in record:
            position = lay(rpc, session, position, record["ops"])["number"]
        else:
            reach = rpc.call("routes.reach", session, position, record["company"])
            for row in record["best_set"]:
                assert set(row["edges"]) <= set(reach["edges"])
                assert set(row["stops"]) <= set(reach["nodes"])
    assert rpc.call("routes.reach", session, position, "nobody") == {
        "nodes": [], "edges": [], "cached": False}


if __name__ == "__main__":
    run(__name__)
