"""Kills the daemon at random moments under load, and holds what it comes back with against what was
acknowledged: every acknowledged change is there, in order; of the others those that are there are the
next ones in order, whole requests each; nothing else is.

    crash.py REDOD [--rounds N] [--seed N] [--keep FOLDER]

Clients of several kinds write at once: pipelined and one by one, durable and relaxed, on sessions of
their own and on a shared one, over the protocol and with the C library; some begin, rename and delete
sessions, some add in bulk, some drop positions and subtrees and bring them back, some set properties, some edit
records, some back up the store. States are large enough now and then for journals to be compacted meanwhile; sometimes the
daemon is killed again while it recovers."""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from rpc import Closed, Rpc  # noqa: E402

SIZE = 64


class Daemon:
    def __init__(self, redod, folder):
        self.redod, self.socket = redod, os.path.join(folder, "socket")
        self.store = os.path.join(folder, "store")
        self.process = None
        self.killed = False

    def start(self):
        self.killed = False
        self.process = subprocess.Popen(
            [self.redod, "--socket", self.socket, "--store", self.store, "--log-level", "error",
             "--relaxed-delay", "20"])

    def connect(self):
        deadline = time.monotonic() + 120
        while True:
            try:
                return Rpc(self.socket, 60)
            except OSError:
                if self.killed:
                    raise Closed("the daemon was killed before this connected")
                if self.process.poll() is not None:
                    raise RuntimeError("the daemon ended with %s" % self.process.returncode)
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    def kill(self):
        self.killed = True
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def state(who, i, size=SIZE):
    return b"%d/%d/" % (who, i) + b"." * (size - len(b"%d/%d/" % (who, i)))


class Writer(threading.Thread):
    """Adds positions below the first one of a session, each with its own move, and notes what it sent
    and what was acknowledged, request by request."""

    def __init__(self, daemon, who, session, seed, depth, relaxed, bulk):
        super().__init__(daemon=True)
        self.daemon_, self.who, self.session = daemon, who, session
        self.random = random.Random(seed)
        self.depth, self.relaxed, self.bulk = depth, relaxed, bulk
        self.sent = []   # requests: lists of moves
        self.acked = 0   # of them, so many from the front
        self.flushed = 0 # relaxed: of them, so many surely on disk
        self.failure = None

    def move(self, i):
        return self.who * 1000000 + i

    def run(self):
        try:
            self.work()
        except (OSError, Closed):
            pass  # the daemon was killed
        except Exception as error:  # pylint: disable=broad-except
            self.failure = "%s: %r" % (type(error).__name__, error)

    def work(self):
        rpc = self.daemon_.connect()
        rpc.call("beginsession", state(0, 0), SIZE, 0,
                 {"name": self.session, "join": True, "relaxed": self.relaxed})
        count, waiting = 0, []
        while True:
            while len(waiting) < self.depth:
                n = self.random.choice((1, 1, 5, 20)) if self.bulk else 1
                moves = [self.move(count + k) for k in range(n)]
                count += n
                self.sent.append(moves)
                if self.bulk:
                    waiting.append(rpc.send("addpositions", self.session, [
                        [0, m, state(self.who, m), 0, 1] for m in moves],
                        {"cursor": "w%d" % self.who}))
                else:
                    waiting.append(rpc.send("addposition", self.session, 0, moves[0],
                                            state(self.who, moves[0]), 0, 1))
            rpc.result(waiting.pop(0))
            self.acked += 1
            if self.relaxed and self.random.random() < 0.02:
                before = self.acked
                waiting.append(None)
                waiting.pop()
                ids = [rpc.send("flush")]
                while waiting:
                    rpc.result(waiting.pop(0))
                    self.acked += 1
                rpc.result(ids[0])
                self.flushed = max(self.flushed, before)

    def check(self, there, cursors):
        """there: moves of this writer that the session has, by number of position, in order; cursors:
        the moves that led to where cursors are. A turn is there whole, its cursor with it, or not at all."""
        if self.bulk and cursors.get("w%d" % self.who) != (there[-1] if there else None):
            return "the cursor is at move %s" % cursors.get("w%d" % self.who)
        least = self.flushed if self.relaxed else self.acked
        expected = [m for request in self.sent[:least] for m in request]
        if there[:len(expected)] != expected:
            lost = sorted(set(expected) - set(there))
            return "%d acknowledged positions are lost or out of order: %s" % (len(lost), lost[:5])
        rest = there[len(expected):]
        for request in self.sent[least:]:
            if not rest:
                return None
            if rest[:len(request)] != request:
                return "a request came half, or out of order: %s" % rest[:3]
            rest = rest[len(request):]
        return "positions that were never sent: %s" % rest[:3] if rest else None


class Keeper(threading.Thread):
    """Begins, renames, copies and deletes sessions, and notes what must be there."""

    def __init__(self, daemon, who, seed, backup):
        super().__init__(daemon=True)
        self.daemon_, self.who, self.backup = daemon, who, backup
        self.random = random.Random(seed)
        self.present, self.absent, self.unsure = set(), set(), set()
        self.failure = None

    def run(self):
        try:
            self.work()
        except (OSError, Closed):
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.failure = "%s: %r" % (type(error).__name__, error)

    def work(self):
        rpc = self.daemon_.connect()
        i = 0
        while True:
            i += 1
            name = "keeper-%d-%d" % (self.who, i)
            self.unsure.add(name)
            rpc.call("beginsession", state(self.who, i), SIZE, 0, {"name": name})
            self.settle(name, True)
            what = self.random.choice(("stay", "delete", "rename", "copy", "backup"))
            if what == "delete":
                self.unsure.add(name)
                rpc.call("deletesession", name)
                self.settle(name, False)
            elif what in ("rename", "copy"):
                self.unsure |= {name, name + "'"} if what == "rename" else {name + "'"}
                rpc.call(what + "session", name, name + "'")
                self.settle(name + "'", True)
                if what == "rename":
                    self.settle(name, False)
            elif what == "backup" and self.backup and self.random.random() < 0.1:
                path = self.daemon_.store + "-backup-%d-%d" % (self.who, i)
                rpc.call("backup", path)
                os.unlink(path)

    def settle(self, name, present):
        self.unsure.discard(name)
        (self.present if present else self.absent).add(name)
        (self.absent if present else self.present).discard(name)

    def check(self, names):
        for name in self.present - self.unsure:
            if name not in names:
                return "session %s is lost" % name
        for name in self.absent - self.unsure:
            if name in names:
                return "session %s is there again" % name
        return None


class Dropper(threading.Thread):
    """Adds, drops and brings back in a session of its own, one request at a time: what is there is what
    was acknowledged last, or that and the one request that was not."""

    def __init__(self, daemon, who, seed):
        super().__init__(daemon=True)
        self.daemon_, self.session = daemon, "dropper-%d" % who
        self.random = random.Random(seed)
        self.settled = self.next = None  # what is there, as look() tells it
        self.acked = 0
        self.failure = None

    def run(self):
        try:
            self.work()
        except (OSError, Closed):
            pass
        except Exception as error:  # pylint: disable=broad-except
            self.failure = "%s: %r" % (type(error).__name__, error)

    def work(self):
        rpc = self.daemon_.connect()
        there, kept, props, count, moves = {0: None}, {}, {}, 1, 0
        self.next = (dict(there), set(), {})
        rpc.call("beginsession", state(0, 0), SIZE, 0, {"name": self.session})
        while True:
            self.settled, self.acked = (dict(there), set(kept), dict(props)), self.acked + 1
            what = self.random.choice(("add", "add", "add", "drop", "tree", "restore", "property"))
            victims = [n for n in there if n]
            if what == "drop":
                victims = [n for n in victims if n not in there.values()]
            if what == "add" or (what in ("drop", "tree") and not victims):
                prev = self.random.choice(list(there))
                moves += 1
                there[count] = prev
                self.next = (dict(there), set(kept), dict(props))
                answer = rpc.call("addposition", self.session, prev, moves, state(9, count), 0, 1)
                assert answer["number"] == count, answer
                count += 1
            elif what == "drop":
                victim = self.random.choice(victims)
                del there[victim]
                self.next = (dict(there), set(kept), dict(props))
                rpc.call("dropposition", self.session, victim)
            elif what == "tree":
                top = self.random.choice(victims)
                gone = {top: there[top]}
                for n in sorted(there):
                    if there[n] in gone:
                        gone[n] = there[n]
                for n in gone:
                    del there[n]
                self.next = (dict(there), set(kept) | {top}, dict(props))
                key = rpc.call("dropsubtree", self.session, top)["key"]
                kept[top] = (key, gone)
            elif what == "restore" and any(g[top] in there for top, (_, g) in kept.items()):
                top = self.random.choice([t for t, (_, g) in kept.items() if g[t] in there])
                key, gone = kept.pop(top)
                there.update(gone)
                self.next = (dict(there), set(kept), dict(props))
                rpc.call("restoresubtree", self.session, key)
            elif what == "property":
                name, value = "p%d" % self.random.randrange(4), self.random.choice((None, moves, "x" * moves))
                props.pop(name, None)
                if value is not None:
                    props[name] = value
                self.next = (dict(there), set(kept), dict(props))
                rpc.call("setproperty", self.session, name, value)

    def let_go(self):
        """It ends with its connection."""

    def check(self, rpc, names):
        if self.session not in names:
            return None if self.settled is None else "%s is lost" % self.session
        rows = all_positions(rpc, self.session)
        there = ({row["number"]: row["prev"] for row in rows},
                 {k["position"] for k in rpc.call("listsubtrees", self.session)},
                 rpc.call("getproperties", self.session))
        if there not in (self.settled, self.next):
            return "%s is neither as acknowledged nor one request further: %s" % (
                self.session, [[sorted(a.items() if isinstance(a, dict) else a) for a in x][:200]
                               for x in (there, self.settled, self.next) if x])
        for row in rows[1:]:
            if row["state"] != state(9, row["number"]):
                return "%s: position %d has another state" % (self.session, row["number"])
        return None


class Analyst(threading.Thread):
    """Edits the record of the first position of a session of its own, one request at a time: it is as it was
    acknowledged last, or that and the one request that was not."""

    def __init__(self, daemon, who, seed):
        super().__init__(daemon=True)
        self.daemon_, self.session = daemon, "analyst-%d" % who
        self.random = random.Random(seed)
        self.settled = self.next = None
        self.acked = 0
        self.failure = None

    run, let_go = Dropper.run, Dropper.let_go

    def work(self):
        rng, rpc = self.random, self.daemon_.connect()
        items, props, ids, choice, moves = [], {}, 0, "open", 0
        now = lambda: ([list(x) for x in items], dict(props), choice, moves + 1)
        self.next = now()
        rpc.call("beginsession", state(0, 0), SIZE, 0, {"name": self.session})
        while True:
            self.settled, self.acked = now(), self.acked + 1
            what = rng.choice(("add", "add", "drop", "order", "property", "play", "choose"))
            if what in ("drop", "order", "play", "choose") and not items:
                continue
            if what == "add":
                new = [[ids + 1 + i, "t%d" % rng.randrange(10**rng.choice((1, 9))), rng.random(), None]
                       for i in range(rng.choice((1, 2, 9)))]
                place = rng.randrange(len(items) + 1)
                items[place:place] = new
                ids += len(new)
                call = ("addcandidates", [{"text": t, "analysis": {"kind": "k", "equity": e, "numbers": [e] * 7}}
                                          for _, t, e, _ in new], {"at": place})
            elif what == "drop":
                gone = [x[0] for x in rng.sample(items, rng.randrange(1, len(items) + 1))][:20]
                items = [x for x in items if x[0] not in gone]
                choice = "open" if choice in gone else choice
                call = ("dropcandidates", gone)
            elif what == "order":
                rng.shuffle(items)
                call = ("ordercandidates", [x[0] for x in items])
            elif what == "property":
                name, value = "p%d" % rng.randrange(4), rng.choice((None, ids, "x" * rng.choice((9, 40000))))
                props.pop(name, None)
                if value is not None:
                    props[name] = value
                call = ("setpositionproperty", name, value)
            elif what == "choose":
                choice = rng.choice(items)[0]
                call = ("choose", choice)
            else:
                item = rng.choice(items)
                choice = item[0]
                if item[3] is None:
                    moves += 1
                    item[3] = moves
                call = ("playcandidate", item[0], state(8, moves), 0, 1)
            self.next = now()
            rpc.call(call[0], self.session, 0, *call[1:])

    def check(self, rpc, names):
        if self.session not in names:
            return None if self.settled is None else "%s is lost" % self.session
        told = rpc.call("getrecord", self.session, 0)
        for item in told["candidates"]:
            analysis = item["analysis"]
            if analysis["numbers"] != [analysis["equity"]] * 7 or (item["leads"] is None) != (item["move"] is None):
                return "%s: an item came half: %r" % (self.session, item)
        there = ([[c["id"], c["text"], c["analysis"]["equity"], c["leads"]] for c in told["candidates"]],
                 told["properties"], told["choice"], rpc.call("getsessionsize", self.session))
        if there not in (self.settled, self.next):
            return "%s is neither as acknowledged nor one request further: %s" % (
                self.session, [str(x)[:300] for x in (there, self.settled, self.next)])
        return None


class Library(threading.Thread):
    """A program of the C library: it tells each position that was added, and when it was told that all
    is saved."""

    def __init__(self, daemon, who, program, durable):
        super().__init__(daemon=True)
        self.session, self.durable = "library-%d" % who, durable
        environment = {**os.environ, "REDO_SOCKET": daemon.socket, "REDO_SESSION": self.session,
                       "REDO_DURABLE": "1" if durable else "0"}
        self.process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True, env=environment)
        self.told, self.saved, self.acked, self.failure = 0, 0, 0, None

    def run(self):
        for line in self.process.stdout:
            word, number = line.split()
            if word == "failed":
                break
            self.told = int(number)
            self.acked += 1
            if word == "saved" or self.durable:
                self.saved = self.told
        self.process.stdout.close()
        self.process.wait()

    def let_go(self):
        """The library would wait for the daemon to come back, and go on then."""
        self.process.kill()

    def check(self, rpc, names):
        if self.session not in names:
            return None if not self.saved else "%s is lost" % self.session
        there = [row["move"] for row in all_positions(rpc, self.session)[1:]]
        if there != list(range(1, len(there) + 1)):
            return "%s has gaps" % self.session
        if not self.saved <= len(there) <= self.told + 1:
            return "%s has %d positions, told were %d and saved %d" % (
                self.session, len(there), self.told, self.saved)
        return None


def all_positions(rpc, name):
    after, rows = {}, []
    while True:
        page = rpc.call("getpositions", name, dict(after, states=True, limit=10000))
        rows += page["positions"]
        if page["next"] is None:
            return rows
        after = {"after": page["next"]}


def all_names(rpc):
    after, names = {}, set()
    while True:
        page = rpc.call("listsessions", dict(after, limit=1000))
        names |= {s["name"] for s in page["sessions"]}
        damaged = [s["name"] for s in page["sessions"] if s["damaged"]]
        if damaged:
            raise AssertionError("damaged sessions: %s" % damaged)
        if page["next"] is None:
            return names
        after = {"after": page["next"]}


def verify(rpc, writers, keepers, others, problems):
    names = all_names(rpc)
    for keeper in keepers:
        problem = keeper.failure or keeper.check(names)
        if problem:
            problems.append(problem)
    for other in others:
        problem = other.failure or other.check(rpc, names)
        if problem:
            problems.append(problem)
    for session in {w.session for w in writers}:
        mine = [w for w in writers if w.session == session]
        rows = all_positions(rpc, session) if session in names else []
        there = {w.who: [] for w in mine}
        moves = {row["number"]: row["move"] for row in rows}
        cursors = {c["name"]: moves[c["position"]] for c in rpc.call("getcursors", session)} \
            if session in names else {}
        for row in rows[1:]:
            who = row["move"] // 1000000
            if row["state"] != state(who, row["move"]) or row["prev"] != 0:
                problems.append("%s: position %d is not what was sent" % (session, row["number"]))
                break
            there[who].append(row["move"])
        for w in mine:
            problem = w.failure or w.check(there[w.who], cursors)
            if problem:
                problems.append("%s, writer %d%s: %s" % (
                    session, w.who, " (relaxed)" if w.relaxed else "", problem))


def play_round(redod, library, folder, seed):
    rng = random.Random(seed)
    daemon = Daemon(redod, folder)
    daemon.start()
    daemon.connect()
    writers, keepers = [], []
    for who in range(1, rng.randint(4, 7)):
        shared = rng.random() < 0.4
        writers.append(Writer(daemon, who, "shared" if shared else "own-%d" % who, rng.random(),
                              rng.choice((1, 4, 64)), rng.random() < 0.3, rng.random() < 0.3))
    keepers = [Keeper(daemon, 100 + k, rng.random(), rng.random() < 0.3)
               for k in range(rng.randint(0, 2))]
    others = [Dropper(daemon, 200 + k, rng.random()) for k in range(rng.randint(0, 2))]
    others += [Analyst(daemon, 400 + k, rng.random()) for k in range(rng.randint(0, 2))]
    if library:
        others += [Library(daemon, 300 + k, library, rng.random() < 0.4)
                   for k in range(rng.randint(0, 2))]
    for thread in writers + keepers + others:
        thread.start()
    time.sleep(rng.random() * rng.choice((0.1, 0.5, 1.5)))
    daemon.kill()
    for other in others:
        other.let_go()
    for thread in writers + keepers + others:
        thread.join(60)
    for _ in range(rng.randint(0, 2)):  # and again while it recovers
        daemon.start()
        time.sleep(rng.random() * 0.05)
        daemon.kill()
    daemon.start()
    problems = []
    rpc = daemon.connect()
    verify(rpc, writers, keepers, others, problems)
    rpc.call("beginsession", state(0, 0), SIZE, 0, {"name": "after"})
    rpc.call("addposition", "after", 0, 1, state(1, 1), 0, 1)
    daemon.process.send_signal(signal.SIGTERM)
    if daemon.process.wait(30) != 0:
        problems.append("the daemon ended with %d" % daemon.process.returncode)
    acked = sum(w.acked for w in writers + others)
    return problems, acked


def see_half_a_turn():
    """A check that would not see one is none."""
    writer = Writer(None, 1, "s", 1, 1, False, True)
    writer.sent, writer.acked = [[1, 2, 3], [4, 5]], 1
    whole = lambda moves: writer.check(moves, {"w1": moves[-1]})
    assert whole([1, 2, 3]) is None and whole([1, 2, 3, 4, 5]) is None
    for half in ([1, 2], [1, 2, 3, 4], [1, 2, 3, 5], [2, 3]):
        assert whole(half) is not None, half
    assert writer.check([1, 2, 3], {"w1": 2}) is not None
    assert writer.check([1, 2, 3], {}) is not None


def main():
    see_half_a_turn()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("redod")
    parser.add_argument("--library", help="the program library of this folder")
    parser.add_argument("--rounds", type=int, default=50, help="or REDO_TEST_LONG=1: 1000")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--keep", help="leave the store of a failed round in this folder")
    options = parser.parse_args()
    if os.environ.get("REDO_TEST_LONG") == "1":
        options.rounds = max(options.rounds, 1000)
    print("seed %d" % options.seed)
    passed = failed = total = 0
    for i in range(options.rounds):
        folder = tempfile.mkdtemp(prefix="redod-crash-")
        try:
            problems, acked = play_round(options.redod, options.library, folder, options.seed + i)
        except Exception as error:  # pylint: disable=broad-except
            problems, acked = ["%s: %s" % (type(error).__name__, error)], 0
        total += acked
        passed, failed = (passed, failed + 1) if problems else (passed + 1, failed)
        for problem in problems:
            print("round %d (seed %d): %s" % (i, options.seed + i, problem))
        if problems and options.keep:
            shutil.copytree(folder, os.path.join(options.keep, str(options.seed + i)))
        shutil.rmtree(folder, ignore_errors=True)
    print("%d acknowledged requests were looked for" % total)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
