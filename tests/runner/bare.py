"""Plays scripts through the bare protocol: a runner for differential.py, beside runner.c.

    REDO_SOCKET=/run/redod.sock bare.py < scripts

Reads scripts, one a line, plays each in a private session of the daemon, and writes one line of
JSON a script. It keeps nothing of its own: every answer, and every row of a dump, is the daemon's.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from rpc import Rpc, RpcError  # noqa: E402

EBRANCHES, EFIRST = 9, 10
WINDOW = 200  # requests sent before their answers are read: a daemon does not read on for ever


class Session:
    """A script's session. Operations are only noted, and sent many at once: the numbers in a script
    are fixed, so none waits for the answer to another."""

    def __init__(self, rpc, script):
        initial = bytes.fromhex(script["initial"])
        self.rpc = rpc
        self.handle = rpc.call("beginsession", initial, len(initial), script["cmpsize"])["session"]
        # Pages of varied sizes, the same ones each time the script is played.
        self.random = random.Random(script["name"])

    def request(self, op):
        """The request that an op of a script stands for."""
        name, *args = op
        session = self.handle
        if name == "add":
            prev, move, state, endpoint, check = args
            return "addposition", session, prev, move, bytes.fromhex(state), endpoint, check
        if name == "next":
            return "getnextposition", session, *args
        if name == "drop":
            return "dropposition", session, *args
        if name == "graft":
            return "setgraftbehavior", session, *args
        if name == "cycle":
            position, state, limit = args
            return "suppresscycle", session, position, bytes.fromhex(state), limit
        if name == "dup":
            return "duplicatepath", session, *args
        if name == "update":
            position, state = args
            return "updatesavedstate", session, position, bytes.fromhex(state)
        return {"setbetter": "setbetterfields", "clear": "clearsessionchanged",
                "changed": "hassessionchanged"}[name], session

    @staticmethod
    def answer(op, error, result):
        """The step's answer: ret (null if refused), and pos of cycle."""
        name = op[0]
        if error is not None:
            kept = name == "drop" and error[0] in (EBRANCHES, EFIRST)
            return {"ret": op[1] if kept else None}
        if name == "add":
            return {"ret": result["number"]}
        if name == "next":
            return {"ret": -1 if result is None else result["number"]}
        if name == "cycle":
            return {"ret": int(result["found"]), "pos": result["position"]}
        if name == "dup":
            return {"ret": int(result["copied"])}
        if name == "update":
            return {"ret": 0 if result is None else result}
        return {"ret": int(result)}

    def play(self, ops):
        """The answers to some ops, each with the session's size and flag after it."""
        answers = []
        for start in range(0, len(ops), WINDOW):
            part = ops[start:start + WINDOW]
            calls = []
            for op in part:
                calls += [self.request(op), ("getsession", self.handle)]
            responses = self.rpc.call_all(calls)
            for op, response, (error, session) in zip(part, responses[::2], responses[1::2]):
                if error is not None:
                    raise RpcError(error)
                answers.append({"op": op, **self.answer(op, *response), **state_of(session)})
        return answers

    def pages(self, method, *params, first):
        """All positions of a paged method, page by page; first: the option that continues."""
        positions, next, limit = [], None, self.random.choice((1, 7, 100, 1000, 10000))
        while True:
            options = {"limit": limit, "states": True}
            if next is not None:
                options[first] = next
            page = self.rpc.call(method, self.handle, *params, options)
            positions += page["positions"]
            if len(page["positions"]) > limit:
                raise ValueError("%d positions in a page of %d" % (len(page["positions"]), limit))
            next = page["next"]
            if next is None:
                return positions

    def dump(self):
        positions = self.pages("getpositions", first="after")
        branches = {p["number"]: [] for p in positions}
        many = [p["number"] for p in positions if p["nextcount"] > 1]
        for start in range(0, len(many), WINDOW):
            part = many[start:start + WINDOW]
            answers = self.rpc.call_all([("getbranches", self.handle, n, {"limit": 3})
                                         for n in part])
            for number, (error, page) in zip(part, answers):
                if error is not None:
                    raise RpcError(error)
                if page["next"] is not None:
                    page["positions"] = self.pages("getbranches", number, first="offset")
                branches[number] = [p["number"] for p in page["positions"]]
        for p in positions:  # an only branch can be in no wrong order
            if p["prev"] is not None and p["number"] not in branches[p["prev"]]:
                branches[p["prev"]].append(p["number"])
        return [row(p, branches[p["number"]]) for p in positions]

    def end(self):
        self.rpc.call("endsession", self.handle)


def state_of(session):
    return {"size": session["positions"], "chg": int(session["changed"])}


def row(p, branches):
    if len(branches) != p["nextcount"]:
        branches = branches + ["nextcount is %d" % p["nextcount"]]
    return [p["number"], none(p["prev"]), p["move"] or 0, p["movecount"], none(p["better"]),
            p["endpoint"], p["solutionend"], p["solutionsize"], branches, p["state"].hex()]


def none(number):
    return -1 if number is None else number


def play(rpc, script):
    session = Session(rpc, script)
    steps, ops = [], []
    for step in script["steps"] + [None]:
        if step is not None and step.get("op") and step["op"][0] != "dump":
            ops.append(step["op"])
            continue
        steps += session.play(ops)
        ops = []
        if step is not None:
            steps.append({"dump": session.dump(),
                          **state_of(rpc.call("getsession", session.handle))})
    session.end()
    return {"name": script["name"], "steps": steps}


def main():
    with Rpc(os.environ["REDO_SOCKET"], timeout=60) as rpc:
        for line in sys.stdin:
            print(json.dumps(play(rpc, json.loads(line)), separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
