"""A mirror of a session in a client that has no engine: what protocol/README.md says it has to do, and
no more. It reads pages once, while others change the session, and then lives on effects; after every
burst of changes of all kinds it is what the daemon tells, orders of branches and cursors included.

    mirror.py [--rounds N] [--seed N]"""
import argparse
import os
import random
import sys

from api import (EBRANCHES, ECONSTANT, EDIFFERS, EDROPPED, EEXPECTED, EFIRST, EINUSE, EKEY,
                 ENOCURSOR, ENOTKEPT, EPOSITION, ESTATE, MIB, RpcError, begin, harness, number, numbers,
                 run, serving)
from rpc import Rpc

ENOCANDIDATE, ECANDIDATE, EDECISION = 57, 58, 59

options = argparse.ArgumentParser()
options.add_argument("--rounds", type=int, default=40)
options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
options, sys.argv[1:] = options.parse_known_args()
if os.environ.get("REDO_TEST_LONG") == "1":
    options.rounds = max(options.rounds, 2000)


class Listening(Rpc):
    """A connection that knows of each answer how many notifications came before it."""

    def __init__(self, *params, **more):
        super().__init__(*params, **more)
        self.came, self.came_before = 0, {}

    def _file(self, message):
        if message[0] == 1:
            self.came_before[message[1]] = self.came
        else:
            self.came += 1
        super()._file(message)


EMPTY_RECORD = {"properties": {}, "branch": {}, "choice": "open", "candidates": [], "decided": 0,
                "decisions": [], "alternates": []}


class Mirror:
    def __init__(self, path, session):
        self.rpc, self.session = Listening(path, timeout=60), session
        self.rpc.call("server.hello", {"client": "mirror"})
        self.sequence = self.rpc.call("attach", session, {"snapshot": False})["sequence"]
        self.taken = 0  # notifications
        self.positions, self.branches, self.states = {}, {}, {}
        self.cursors, self.authors = {}, {}
        self.graft = self.properties = None
        self.unread, self.unordered, self.stateless = True, set(), set()
        self.records, self.rings, self.unrecorded = {}, {}, set()
        self.told_of_others = {"graft", "properties"}
        self.methods, self.read_again = set(), 0
        self.cursors = {c["name"]: c["position"] for c in self.ask("getcursors")}
        after = {}
        while after is not None:
            page = self.ask("getauthors", after)
            self.authors.update((a["author"], a) for a in page["authors"])
            after = {"after": page["next"]} if page["next"] else None

    # ---- asking

    def ask(self, method, *params):
        """What is answered; what came before it has been taken in then, and no more."""
        id = self.rpc.send(method, self.session, *params)
        try:
            result = self.rpc.result(id)
        finally:
            self.take(self.rpc.came_before.pop(id))
        if isinstance(result, dict) and "sequence" in result:
            assert result["sequence"] == self.sequence, (result["sequence"], self.sequence)
        return result

    def take(self, until):
        while self.taken < until:
            self.taken += 1
            event = self.rpc.notifications.pop(0)
            assert event.method == "operation" and event.params[0] == self.session, event
            self.apply(event.params[1], event.params[3])

    # ---- effects

    def apply(self, sequence, effects):
        assert sequence == self.sequence + 1, (sequence, self.sequence)
        self.sequence = sequence
        self.methods.add(effects["method"])
        if effects["gone"] is None or effects["changed"] is None:
            self.unread = True
        for top in effects["gone"] or ():
            self.remove(top, effects["method"] == "dropsubtree")
        for position in effects["changed"] or ():
            if effects["method"] == "restoresubtree" and position["number"] not in self.positions:
                self.unrecorded.add(position["number"])
            self.change(position, effects["method"] == "updatesavedstate")
        for n, end, size in effects["solutions"] or ():
            if n in self.positions:
                self.positions[n].update(solutionend=end, solutionsize=size)
        for n in [effects["front"]] + [n for n, _ in effects["items"] or ()]:
            if n in self.positions:
                self.to_front(n)
        self.unordered.update(effects["order"] or ())
        for cursor in effects["cursors"]:
            self.cursors[cursor["name"]] = cursor["position"]
            if cursor["position"] is None:
                del self.cursors[cursor["name"]]
        if effects["record"]:
            self.take_record(effects["record"]["position"], effects["record"]["record"])
        if effects["author"]:
            self.authors[effects["author"]["author"]] = effects["author"]
        if effects["method"] == "setgraftbehavior":
            self.told_of_others.add("graft")
        if effects["method"] == "setproperty":
            self.told_of_others.add("properties")

    def remove(self, top, whole):
        left = [top]
        while left:
            n = left.pop()
            if whole:
                left += self.branches.get(n, ())
            position = self.positions.pop(n, None)
            self.branches.pop(n, None)
            self.states.pop(n, None)
            self.records.pop(n, None)
            self.leave_ring(n)
            if n == top and position and n in self.branches.get(position["prev"], ()):
                self.branches[position["prev"]].remove(n)

    def change(self, position, state):
        n, prev = position["number"], position["prev"]
        known = self.positions.get(n)
        self.positions[n] = dict(position)
        if known is None or state:
            self.stateless.add(n)
        if known is None or known["prev"] != prev:
            if known is not None and n in self.branches.get(known["prev"], ()):
                self.branches[known["prev"]].remove(n)
            self.branches.setdefault(prev, []).insert(0, n)

    def to_front(self, n):
        branches = self.branches.setdefault(self.positions[n]["prev"], [])
        if n in branches:
            branches.remove(n)
        branches.insert(0, n)

    # ---- records

    def take_record(self, n, record):
        """It is so now; None: it is to be read."""
        if record is None:
            self.unrecorded.add(n)
            return
        self.unrecorded.discard(n)
        ring = record["alternates"]
        if not ring:
            self.leave_ring(n)
        for member in ring:
            self.rings[member] = ring
        self.records[n] = record

    def leave_ring(self, n):
        ring = self.rings.pop(n, [])
        if n in ring:
            ring.remove(n)
        if len(ring) == 1:
            self.rings.pop(ring.pop(), None)

    def lead(self, n, move):
        """Where the branch of that move leads to."""
        if move is None:
            return None
        return next((c for c in self.branches.get(n, ()) if self.positions[c]["move"] == move), None)

    def all_records(self):
        """Those that tell anything: where moves lead, and who is alternate of whom, as it is now."""
        told = {}
        for n in set(self.records) | set(self.rings):
            record = {**self.records.get(n, EMPTY_RECORD), "position": n, "alternates": self.rings.get(n, [])}
            if record == {**EMPTY_RECORD, "position": n}:
                continue
            record["candidates"] = [{**c, "leads": self.lead(n, c["move"])} for c in record["candidates"]]
            at, chain = n, []
            for c in record["decisions"]:
                at = self.lead(at, c["move"]) if at is not None else None
                chain.append({**c, "leads": at})
            record["decisions"] = chain
            told[n] = record
        return told

    # ---- reading

    def settle(self):
        """Until nothing is left to be read."""
        while True:
            if self.unread:
                self.read_all()
            elif self.unordered:
                self.read_branches(self.unordered.pop())
            elif self.unrecorded:
                self.read_record(self.unrecorded.pop())
            elif self.stateless:
                self.read_state(self.stateless.pop())
            elif "graft" in self.told_of_others:
                self.told_of_others.discard("graft")
                self.graft = self.ask("getgraftbehavior")
            elif "properties" in self.told_of_others:
                self.told_of_others.discard("properties")
                self.properties = self.ask("getproperties")
            else:
                self.rpc.call("server.ping")
                self.take(self.rpc.came)
                if not (self.unread or self.unordered or self.unrecorded or self.stateless or
                        self.told_of_others):
                    return

    def read_all(self):
        self.read_again += 1
        self.unread = False
        self.positions, self.states, self.branches = {}, {}, {}
        self.records, self.rings, self.unrecorded = {}, {}, set()
        next = None
        while True:
            page = self.ask("getpositions", {"limit": 100, "states": True,
                                             **({"after": next} if next is not None else {})})
            for position in page["positions"]:
                self.states[position["number"]] = position.pop("state")
                self.stateless.discard(position["number"])
                self.positions[position["number"]] = position
            next = page["next"]
            if next is None:
                break
        next = {}
        while next is not None:
            page = self.ask("getrecords", {"limit": 20, **next})
            for record in page["records"]:
                self.take_record(record["position"], None if "large" in record else record)
            next = {"after": page["next"]} if page["next"] is not None else None
        self.drop_orphans()
        self.branches = {}
        for n, position in self.positions.items():
            if n:
                self.branches.setdefault(position["prev"], []).append(n)
        self.unordered.update(n for n, all in self.branches.items() if len(all) > 1)

    def drop_orphans(self):
        """Those that were dropped with a subtree before the way to it was known."""
        good, bad = {0}, set()
        for n in list(self.positions):
            way = []
            while n not in good and n not in bad:
                if n not in self.positions:
                    bad.add(n)
                    break
                way.append(n)
                n = self.positions[n]["prev"]
            (good if n in good else bad).update(way)
        for n in bad:
            self.positions.pop(n, None)
            self.states.pop(n, None)
            self.records.pop(n, None)
            self.leave_ring(n)

    def read_record(self, n):
        if n not in self.positions:
            return
        try:
            record = self.ask("getrecord", n)
        except RpcError as e:
            assert e.code == EDROPPED and n not in self.positions, (e, n)
            return
        self.take_record(n, record)

    def read_branches(self, n):
        offset, found, sequence = 0, [], None
        if n not in self.positions:
            return
        while offset is not None:
            try:
                page = self.ask("getbranches", n, {"offset": offset, "limit": 50})
            except RpcError as e:
                assert e.code == EDROPPED and n not in self.positions, (e, n)
                return
            if sequence not in (None, page["sequence"]):
                self.unordered.add(n)  # it has changed between two pages
                return
            sequence, offset = page["sequence"], page["next"]
            found += numbers(page["positions"])
        assert sorted(found) == sorted(self.branches.get(n, ())), (n, found, self.branches.get(n))
        self.branches[n] = found

    def read_state(self, n):
        page = self.ask("getpositions", {"after": n - 1, "limit": 1, "states": True}
                        if n else {"limit": 1, "states": True})
        if n in self.positions:
            self.states[n] = page["positions"][0]["state"]
            assert page["positions"][0]["number"] == n

    # ---- comparing

    def check(self, rpc):
        """With the loop quiet: it is what the daemon tells."""
        self.settle()
        session = self.session
        assert self.sequence == rpc.call("getsession", session)["sequence"]
        there, next = {}, {}
        while next is not None:
            page = rpc.call("getpositions", session, {**next, "states": True, "limit": 10000})
            there.update((p["number"], p) for p in page["positions"])
            next = {"after": page["next"]} if page["next"] is not None else None
        for n in sorted(set(there) | set(self.positions)):
            mine = n in self.positions and {**self.positions[n], "state": self.states.get(n)}
            assert mine == there.get(n), (self.sequence, mine, there.get(n))
        forks = [n for n, p in there.items() if p["nextcount"] > 1]
        for i in range(0, len(forks), 500):
            answers = rpc.call_all([("getbranches", session, n, {"limit": 10000})
                                    for n in forks[i:i + 500]])
            for n, (error, page) in zip(forks[i:i + 500], answers):
                assert error is None and page["next"] is None
                assert numbers(page["positions"]) == self.branches[n], n
        for n, p in there.items():
            assert len(self.branches.get(n, ())) == p["nextcount"], n
        assert [{"name": n, "position": p} for n, p in sorted(self.cursors.items())] == \
            rpc.call("getcursors", session)
        assert self.authors == {a["author"]: a for a in rpc.call("getauthors", session)["authors"]}
        assert self.properties == rpc.call("getproperties", session)
        records, next = {}, {}
        while next is not None:
            page = rpc.call("getrecords", session, next)
            records.update((r["position"], r) for r in page["records"])
            next = {"after": page["next"]} if page["next"] is not None else None
        mine = self.all_records()
        for n in sorted(set(records) | set(mine)):
            assert records.get(n) == mine.get(n), (n, records.get(n), mine.get(n))
        assert self.graft == rpc.call("getgraftbehavior", session)


class Writer:
    """Changes of all kinds, most of them near the newest positions, sent without waiting."""

    MAY_FAIL = {EPOSITION, EDROPPED, EBRANCHES, EFIRST, ECONSTANT, EDIFFERS, EINUSE, EKEY,
                ENOCURSOR, EEXPECTED, ENOTKEPT, ESTATE, ENOCANDIDATE, ECANDIDATE, EDECISION}

    def __init__(self, path, session, seed, name):
        self.rpc, self.session, self.rng = Rpc(path, timeout=60), session, random.Random(seed)
        if name is not None:
            self.rpc.call("server.hello", {"client": name})
        self.kept, self.made = [], 1

    def at(self):
        rng = self.rng
        return max(0, self.made - 1 - rng.randrange(60)) if rng.random() < 0.7 \
            else rng.randrange(self.made)

    def state(self):
        return bytes([0, 0, self.rng.randrange(60), self.rng.randrange(3)])

    def item(self, place):
        rng = self.rng
        prev = -1 - rng.randrange(place) if place and rng.random() < 0.7 else self.at()
        return [prev, rng.randrange(5), self.state(), int(rng.random() < 0.05), rng.randrange(3)]

    def given_item(self):
        rng = self.rng
        item = {"text": "t%d" % rng.randrange(99)}
        if rng.random() < 0.7:
            item["move"] = rng.randrange(5)
        if rng.random() < 0.5:
            item["analysis"] = {"kind": "rollout", "equity": rng.random(), "numbers": [rng.random()] * 3,
                                "context": rng.choice((None, 5, [1, {"a": b"x"}]))}
        return item

    def edit(self, more):
        """Of a record: mostly of one of a few positions, so that they come to have something."""
        rng = self.rng
        at = rng.choice((0, 0, 1, 2, 3, self.at(), self.at()))
        chain = {**more, "list": rng.choice(("candidates", "decisions"))}
        kind = rng.randrange(12)
        if kind < 2:
            of = rng.choice(({}, {}, {"branch": True}, {"candidate": 1}, {"decision": rng.randrange(1, 4)}))
            value = rng.choice((None, rng.randrange(9), "x" * 200))
            if rng.random() < 0.03:
                value = "large" * 20000
            return "setpositionproperty", at, rng.choice("xyz"), value, {**more, **of}
        if kind < 5:
            return ("addcandidates", at, [self.given_item() for _ in range(rng.randrange(1, 3))],
                    {**chain, "at": rng.randrange(9)})
        if kind == 5:
            changes = rng.choice(({"text": "new"}, {"move": rng.randrange(5)}, {"move": None}, {"shared": True},
                                  {"shared": False}, self.given_item()))
            return "setcandidate", at, rng.randrange(1, 12), changes, chain
        if kind == 6:
            return "dropcandidates", at, [rng.randrange(1, 12)], chain
        if kind == 7:
            return rng.choice((("choose", at, rng.choice(("open", "none", 1, 2, 3)), more),
                               ("decide", at, rng.randrange(3), more)))
        if kind < 10:
            if rng.random() < 0.3:
                chain["cursor"] = rng.choice(("a", "b"))
            return ("playcandidate", at, rng.randrange(1, 12), rng.choice((None, self.state())), 0,
                    rng.randrange(3), chain)
        if kind == 10:
            where = rng.choice((0, 0, self.at()))
            state = self.state()
            return "addalternate", where, state if where else bytes([0, 0, 0, state[2]]), more
        items = [self.given_item()["text"] for _ in range(rng.randrange(4))]
        record = {"candidates": [{"text": text, "move": i} for i, text in enumerate(items)],
                  "choice": rng.choice(("open", len(items) or "none"))}
        return "setrecord", at, rng.choice((None, record, {"properties": {"p": 1}, "decisions": [{"text": "x"}]})), more

    def change(self):
        rng, at, state = self.rng, self.at, self.state
        cursor = rng.choice(("a", "b", "\u00e9", "long" * 20))
        more = {}
        if rng.random() < 0.1:
            more["key"] = b"%d" % rng.randrange(200)
        kind = rng.randrange(42)
        if kind >= 34:
            return self.edit(more)
        if kind < 10:
            if rng.random() < 0.2:
                more["cursor"] = cursor
            return ("addposition", at(), rng.randrange(5), state(),
                    rng.choice((0,) * 20 + (1, -3, 5)), rng.choice((0, 1, 1, 1, 1, 2)), more)
        if kind < 13:
            if rng.random() < 0.4:
                more["cursor"] = cursor
            size = rng.choice((1, 2, 5, 20, 20, 300, 1100) if rng.random() < 0.3 else (2, 5))
            return "addpositions", [self.item(i) for i in range(size)], more
        if kind == 13 and rng.random() < 0.2:  # a long chain, which changes in many places later
            size = rng.choice((30, 150, 400))
            return "addpositions", [[-i if i else at(), 7, state(), int(i == size - 1), 0]
                                    for i in range(size)], more
        if kind < 16:
            return "getnextposition", at(), rng.randrange(5), more
        if kind == 16:
            return "dropposition", at(), more
        if kind == 17:
            return "setgraftbehavior", rng.randrange(4), more
        if kind == 18:
            return "updatesavedstate", at(), state(), more
        if kind < 21:
            return "suppresscycle", at(), state(), rng.choice((2, 4, 3000)), more
        if kind < 23:
            return "duplicatepath", at(), at(), more
        if kind == 23:
            return "setbetterfields", more
        if kind == 24 and rng.random() < 0.6:
            return "dropsubtree", at(), more
        if kind < 27 and self.kept:
            return "restoresubtree", self.kept.pop(rng.randrange(len(self.kept))), more
        if kind == 27:
            return "setproperty", rng.choice("xyz"), rng.choice((None, rng.randrange(9))), more
        if kind == 28:
            return rng.choice((("clearsessionchanged", more), ("dropcursor", cursor, more)))
        if kind == 29:
            return "setcursor", cursor, at(), more
        if kind == 30:
            return "undo", cursor, {**more, "n": rng.randrange(1, 6), "mine": rng.random() < 0.3}
        if kind == 31:
            return "redo", cursor, {**more, **rng.choice(({"n": rng.randrange(1, 6)},
                                                          {"move": rng.randrange(5)}))}
        return "movecursor", cursor, rng.choice(("branchback", "branchforth", "better",
                                                 "solution")), more

    def send(self, count):
        calls = [(call[0], self.session, *call[1:]) for call in (self.change() for _ in range(count))]
        self.sent = list(zip(self.rpc.send_all(calls), calls))

    def take(self):
        for id, call in self.sent:
            error, result = self.rpc.response(id)
            assert error is None or error[0] in self.MAY_FAIL, (call, error)
            if error is None and call[0] == "dropsubtree":
                self.kept.append(result["key"])
            if error is None and call[0] in ("addposition", "playcandidate", "addalternate"):
                self.made = max(self.made, result["number"] + 1)
            if error is None and call[0] == "addpositions":
                self.made = max(self.made, max(result["numbers"]) + 1)


ALL_METHODS = {"addposition", "addpositions", "getnextposition", "dropposition", "setgraftbehavior",
               "updatesavedstate", "setbetterfields", "suppresscycle", "duplicatepath", "dropsubtree",
               "restoresubtree", "setproperty", "clearsessionchanged", "setcursor", "undo", "redo",
               "movecursor", "setpositionproperty", "addcandidates", "setcandidate", "dropcandidates",
               "choose", "decide", "playcandidate", "addalternate", "setrecord"}


def play(rounds, seed, *daemon_options, most=1500):
    """Sessions one after the other: a mirror joins early, one in the middle of a burst, and one by its
    own writer's connection; they are compared at random moments. So many rounds, and as many more as it
    takes until each method has changed something."""
    rng = random.Random(seed)
    with harness.Folder() as folder, \
            serving("--store", folder / "store", *daemon_options) as daemon, \
            daemon.connect() as rpc:
        path, methods, again = daemon.socket_path, set(), 0
        sessions = 0
        while rounds > 0 or not methods >= ALL_METHODS:
            assert rounds > -2000, ("never done", ALL_METHODS - methods)
            sessions += 1
            session = begin(rpc, 4, 3, name="mirrored-%d" % sessions)
            writers = [Writer(path, session, rng.random(), name)
                       for name in (None, "one", "two", "one")]
            mirrors = [Mirror(path, session)]
            late = rng.randrange(2, 8)
            for i in range(20):
                rounds -= 1
                for writer in writers:
                    writer.send(rng.choice((1, 5, 20, 60)))
                if i == late:
                    mirrors.append(Mirror(path, session))
                for mirror in mirrors:
                    if rng.random() < 0.5:
                        mirror.settle()  # while they write
                for writer in writers:
                    writer.take()
                if i == 19 or rng.random() < 0.5:
                    for mirror in mirrors:
                        mirror.check(rpc)
                if rpc.call("getsessionsize", session) > most:
                    break
            for mirror in mirrors:
                mirror.check(rpc)
                methods |= mirror.methods
                again += mirror.read_again - 1
                mirror.rpc.close()
            for writer in writers:
                writer.rpc.close()
            rpc.call("deletesession", session)
        return again


def test_a_mirror_that_lives_on_effects_alone_is_the_session():
    print("seed %d" % options.seed)
    again = play(options.rounds, options.seed)
    print("%d times all had to be read again" % again)


run()
