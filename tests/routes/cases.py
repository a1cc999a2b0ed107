#!/usr/bin/python3
"""All route cases and streams of a folder against the engine: totals, proofs, the numbers of routes,
sets that must be refused; streams forward, back, and at random."""
import argparse
import json
import pathlib
import random

import oracle
from engine import Engine

# Reason in the case, rule of the engine's validator.
REASONS = {
    "one stop only": "too few stops",
    "no token": "no stop holds a token of the company",
    "both on lane 0": "two routes use one edge",
    "city visited twice": "a node or an edge is used twice",
    "through an off-board area": "passes an off-board area",
    "turns back at the side": "turns, or changes track, at a side",
    "side used twice": "a node or an edge is used twice",
    "four sides": "longer than the train's distance",
    "throat used twice": "two members of a mutex in one route",
    "same hex twice": "two members of a mutex in one route",
    "two routes pass": "too many routes pass a blocked city",
    "one route passes two": "passes too many blocked cities",
    "home not visited": "no route stops where one must",
    "two 2-trains on one track": "two routes use one edge",
    "junction twice": "a node or an edge is used twice",
    "runs on past a terminal edge": "a terminal edge is neither first nor last",
    "A1-P with A1-Q": "two routes use members of one mutex",
    "A1-R with A1-Q": "two routes use members of one mutex",
}


class Failures(list):
    def expect(self, name, what, got, wanted):
        if got != wanted:
            self.append(name)
            print("%s: %s is %r, not %r" % (name, what, got, wanted))


def check_set(failures, name, net, question, rules, rows, total):
    failures.expect(name, "oracle on the set", oracle.why_not(net, question, rules, rows), None)
    failures.expect(name, "worth of the set", oracle.worth(net, question, rows), total)


def check_answer(failures, name, net, question, rules, answer, expected):
    failures.expect(name, "best", answer["best"], expected["best"])
    failures.expect(name, "bound", answer["bound"], expected["best"])
    failures.expect(name, "proven, stable", (answer["proven"], answer["stable"]), (True, True))
    failures.expect(name, "candidates", answer["candidates"], expected["candidates"])
    failures.expect(name, "verdict", answer["verdict"]["legal"], True)
    failures.expect(name, "total by the validator", answer["verdict"]["total"], expected["best"])
    failures.expect(name, "values", answer["verdict"]["values"],
                    [row["value"] for row in answer["set"]])
    check_set(failures, name, net, question, rules, answer["set"], answer["best"])


def check_case(engine, failures, path):
    case = json.loads(path.read_text())
    name, expected, rules = case["case"], case["expect"], case["rules"]
    net = oracle.Network.of_case(case)
    engine.load(case)
    sets = [expected["best_set"]]
    if expected.get("actual_set"):
        sets.append(expected["actual_set"])
    invalid = expected.get("invalid", [])
    answer = engine.ask(case, rules, count=True, check=sets + [i["set"] for i in invalid])
    check_answer(failures, name, net, case, rules, answer, expected)
    totals = [expected["best"], expected["actual"]]
    for rows, verdict, total in zip(sets, answer["checks"], totals):
        failures.expect(name, "verdict on a set of the case", verdict["text"], "legal")
        failures.expect(name, "its total", verdict["total"], total)
        failures.expect(name, "its values", verdict["values"], [row["value"] for row in rows])
    for given, verdict in zip(invalid, answer["checks"][len(sets):]):
        failures.expect(name, given["why"], verdict["text"], REASONS[given["why"]])
    # Where there is little memory for lists, the other ways of searching find the same.
    few = len(case["trains"]) > 1 and max(expected["candidates"]) <= 100
    for memory in (1, 20000) if few else ():
        again = engine.ask(case, rules, memory=memory)
        failures.expect(name, "with little memory", (again["set"], again["proven"], again["stable"]),
                        (answer["set"], True, True))
    # And where the question is divided at once.
    if max(expected["candidates"]) <= 1200:
        divided = engine.ask(case, rules, patience=2000)
        failures.expect(name, "divided", (divided["set"], divided["proven"], divided["stable"]),
                        (answer["set"], True, True))
    return answer["seconds"], name, answer["nodes"]


def play(engine, failures, path, rng):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    name, rules = lines[0]["stream"], lines[0]["rules"]
    engine.call({"new": True})
    net, asked, at = oracle.Network(), [], 0
    states = {0: engine.call({"dump": True})}
    for line in lines[1:]:
        if "step" in line:
            net.apply(line["ops"])
            sizes = engine.call({"ops": line["ops"], "verify": True})
            at += 1
            failures.expect(name, "sizes after step %d" % at, (sizes["nodes"], sizes["edges"]),
                            (line["nodes"], line["edges"]))
            states[at] = engine.call({"dump": True})
        else:
            answer = engine.ask(line, rules, count=True)
            check_answer(failures, "%s query %d" % (name, line["query"]), net, line, rules, answer,
                         line)
            reach = engine.call({"reach": line["company"]})
            asked.append((at, line, answer["set"], reach))

    def go_to(step):
        nonlocal at
        while at != step:
            near = abs(at - step) == 1
            engine.call({"undo" if at > step else "redo": True, "verify": near})
            at += 1 if at < step else -1
            if near:
                failures.expect(name, "network at step %d" % at,
                                engine.call({"dump": True}) == states[at], True)

    def ask_again(entry, how):
        step, line, rows, reach = entry
        go_to(step)
        answer = engine.ask(line, rules)
        failures.expect(name, "query %d %s" % (line["query"], how), (answer["best"], answer["set"]),
                        (line["best"], rows))
        failures.expect(name, "reach", engine.call({"reach": line["company"]}), reach)

    for entry in reversed(asked):
        ask_again(entry, "going back")
    go_to(0)
    for entry in rng.sample(asked, len(asked)):
        ask_again(entry, "jumping")
    return len(asked)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runner", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    engine, failures, times = Engine(args.runner), Failures(), []
    cases = sorted(args.folder.glob("*.json"))
    for path in cases:
        times.append(check_case(engine, failures, path))
    passed = len(cases) - len({f for f in failures})
    queries = 0
    for path in sorted(args.folder.rglob("*.jsonl")):
        queries += play(engine, failures, path, random.Random(path.name))
    for seconds, name, nodes in sorted(times, reverse=True)[:6]:
        print("%8.2f ms %9d nodes  %s" % (seconds * 1e3, nodes, name))
    print("%d of %d cases, %d queries of streams, each three times; %d failures"
          % (passed, len(cases), queries, len(failures)))
    if engine.close() != 0 or failures or not cases:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
