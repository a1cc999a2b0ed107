"""Many connections that send whatever comes to mind, and one that counts on its answers.

    fuzz.py [--seed N] [--seconds N]

Valid requests, requests with a param or a byte changed, halves of requests, garbage, connections that
go without a word or do not read: the daemon must not crash (built with sanitizers, it says more), its
memory must come back, who keeps to the protocol must get the right answers in time, and who is
attached every operation. The same seed sends the same bytes; how they interleave is the daemon's."""
import argparse
import os
import random
import sys
import time

import msgpack

import api
from api import MIB, Closed, number, serving, snapshot

sys.path.insert(0, os.path.join(api.TESTS, "runner"))

import bare  # noqa: E402
import differential  # noqa: E402
import scriptgen  # noqa: E402

options = argparse.ArgumentParser()
options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
options.add_argument("--seconds", type=float, default=4)
options, sys.argv[1:] = options.parse_known_args()

RECORDS = {"addcandidates", "setrecord", "dropcandidates", "ordercandidates", "setcandidate", "choose",
           "playcandidate"}
CONNECTIONS = 8
NAMES = ["shared", "a", "a/b", "é", "x" * 255]
PATIENCE = 30  # seconds in which an honest request is answered, whatever others do


class Fuzzer:
    """A connection, again and again, and what it sends."""

    def __init__(self, daemon, methods, rng):
        self.daemon, self.methods, self.rng = daemon, methods, rng
        self.rpc, self.sent, self.lives = None, 0, 0
        self.handles = []

    def value(self, type):
        rng = self.rng
        if type == "session":
            if self.handles and rng.random() < 0.3:
                return rng.choice(self.handles)
            return rng.choice((rng.randrange(40), rng.randrange(1000), *NAMES, *["shared"] * 12))
        if type == "position":
            return rng.choice((0, rng.randrange(10), rng.randrange(300), rng.randrange(300)))
        if type == "int":
            return rng.choice((0, 0, 1, 1, 2, 3, 4, 4, rng.randrange(8), -1, 127, 2**31 - 1))
        if type in ("size", "count"):
            return rng.choice((0, 1, 2, 10, 1000, 2**20, 2**53 - 1))
        if type == "bool":
            return rng.random() < 0.5
        if type == "str":
            return rng.choice(NAMES + ["", "string", "array"])
        if type == "array":
            return [[rng.choice((-3, -2, -1, 0, 0, 1, rng.randrange(300))), self.value("int"),
                     self.value("bin"), rng.randrange(2), rng.randrange(3)]
                    for _ in range(rng.randrange(5))]
        return self.state()

    def state(self):
        rng = self.rng
        if rng.random() < 0.9:
            return number(rng.randrange(30))
        return rng.randbytes(rng.choice((0, 1, 3, 5, 40, 5000)))

    def item(self):
        """What a candidate may be, and more."""
        rng, item = self.rng, {}
        for key in rng.sample(("id", "move", "text", "properties", "analysis", "shared", "leads", "x"),
                              rng.randrange(4)):
            item[key] = rng.choice((None, 1, True, "text", -5, [1], {"a": [b"x"]}, 0.5, self.value("int")))
        if rng.random() < 0.6:
            item["text"] = "t%d" % rng.randrange(9)
        if rng.random() < 0.4:
            item["analysis"] = {"kind": "k", "equity": rng.random(), "numbers": [rng.random()] * rng.randrange(4),
                                "context": rng.choice((None, {"a": 1}, "x" * 300))}
        return item

    def records(self, name, params):
        """Params of methods that change records, mostly so that they could be."""
        rng = self.rng
        if rng.random() < 0.8:
            params[1] = rng.randrange(4)
        if name == "addcandidates":
            params[2] = [self.item() for _ in range(rng.randrange(4))]
        elif name == "setrecord":
            params[2] = rng.choice((None, {"candidates": [self.item() for _ in range(rng.randrange(3))],
                                           "properties": {"a": self.value("int")}, "choice": rng.choice((1, "open"))}))
        elif name in ("dropcandidates", "ordercandidates"):
            params[2] = [rng.randrange(9) for _ in range(rng.randrange(3))]
        elif name == "setcandidate":
            params[2:4] = [rng.randrange(9), self.item()]
        elif name == "choose":
            params[2] = rng.choice(("open", "none", 1, 2, 3))
        elif name == "playcandidate":
            params[2] = rng.randrange(9)

    def request(self):
        rng = self.rng
        method = rng.choice(self.methods)
        if method["name"] in ("deletesession", "endsession") and rng.random() < 0.97:
            method = rng.choice(self.methods)
        if rng.random() < 0.4:
            method = next(m for m in self.methods if m["name"] == "addposition")
        params = [self.value(p["type"]) for p in method["params"]]
        if method["name"] == "beginsession":
            params = [number(rng.randrange(30)), 4, rng.randrange(5)]
        if method["name"] in RECORDS:
            self.records(method["name"], params)
        if method["options"] and rng.random() < 0.5:
            chosen = rng.sample(method["options"], rng.randint(0, len(method["options"])))
            params.append({o["name"]: self.value(o["type"]) for o in chosen})
        return method["name"], params

    def mutated(self, data):
        rng, data = self.rng, bytearray(data)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(data)) if data else 0
            kind = rng.randrange(4)
            if kind == 0:
                data[at:at + 1] = bytes([rng.randrange(256)])
            elif kind == 1:
                del data[at:at + rng.randint(1, 4)]
            elif kind == 2:
                data[at:at] = rng.randbytes(rng.randint(1, 4))
            else:
                data[at:at + 1] = bytes([data[at] ^ 1 << rng.randrange(8)]) if data else b""
        return bytes(data)

    def burst(self):
        """Some requests at once; now and then something else."""
        rng = self.rng
        if self.rpc is None:
            self.rpc, self.lives = self.daemon.connect(PATIENCE), self.lives + 1
            self.honest = rng.random() < 0.7  # sends no bytes that are no request
            self.reads = rng.random() < 0.9
            self.handles = []  # of the newest sessions it was told of
        data = []
        for _ in range(rng.choice((1, 5, 40))):
            method, params = self.request()
            self.sent += 1
            if rng.random() < 0.1:
                data.append(msgpack.packb([2, method, params]))
                continue
            id = rng.randrange(2**32)
            if rng.random() < 0.2 and params:
                params[rng.randrange(len(params))] = rng.choice(
                    (None, True, -1, 2**32, 2**64 - 1, 1.5, "", b"", [], {}, [[]], "é"))
            packed = msgpack.packb([0, id, method, params])
            if self.honest:
                self.rpc.expect(id)
            elif rng.random() < 0.1:
                packed = self.mutated(packed)
            data.append(packed)
        data = b"".join(data)
        if not self.honest and rng.random() < 0.05:
            data += rng.randbytes(rng.randint(1, 100))
        cut = rng.random() < 0.02
        if cut:
            data = data[:rng.randrange(len(data) + 1)]
        self.rpc.socket.settimeout(0.2 if not self.reads else PATIENCE)
        try:
            self.rpc.send_bytes(data)
        except TimeoutError:
            cut = True  # it does not read, and so is not read from
        except OSError:
            assert not self.honest, "an honest connection was ended"
            cut = True
        if cut or rng.random() < 0.02:
            self.leave()

    def leave(self):
        if self.rpc is not None:
            self.rpc.close()
        self.rpc = None

    def take(self):
        """Reads what is there. An honest connection gets an answer to each request, in order."""
        if self.rpc is None or not self.reads:
            return
        try:
            if not self.honest:
                self.rpc.socket.settimeout(0.001)
                if not self.rpc.recv_bytes(1 << 20):
                    self.leave()
                return
            while self.rpc.waiting:
                self.rpc._receive(PATIENCE)
            for responses in self.rpc.responses.values():
                for error, result in responses:
                    if isinstance(result, dict) and "session" in result:
                        self.handles = self.handles[-3:] + [result["session"]]
            self.rpc.responses.clear()
            self.rpc.notifications.clear()
            self.rpc.log.clear()
        except TimeoutError:
            assert not self.honest, "no answer in time"
        except (Closed, ConnectionError):
            assert not self.honest, "an honest connection was ended"
            self.leave()


def is_undo_mine(operation):
    """Of the form of operations: position, source, move and step of a cursor's."""
    at, step = 1, 0
    for _ in range(4 if operation[0] == 13 else 0):
        step, at = api.varint(operation, at)
    return step == 2 * 8


class Watcher:
    """Is attached to the shared session, and keeps a replica by what it is told."""

    def __init__(self, daemon):
        self.rpc, self.told = daemon.connect(PATIENCE), 0
        self.join()

    def join(self):
        rpc = self.rpc
        while True:
            error, answer = rpc.response(rpc.send("beginsession", bytes(4), 4, 3,
                                                  {"name": "shared", "join": True}))
            if error is not None:  # another made one of other sizes
                assert error[0] == api.ESTATE, error
                rpc.response(rpc.send("deletesession", "shared"))
                continue
            self.session = answer["session"]
            rpc.notifications.clear()
            error, answer = rpc.response(rpc.send("attach", self.session, {"effects": False}))
            if error is None:
                break  # else it was deleted between the two
        self.sequence, data = answer["sequence"], b""
        while len(data) < answer["snapshot"]:
            error, piece = rpc.response(rpc.send("readsnapshot", self.session, len(data), MIB))
            if error is not None:
                return self.join()
            data += piece
        self.replica = rpc.call("loadsession", data)["session"]

    def look(self):
        """Takes in what was told; joins again where the session has been deleted."""
        rpc = self.rpc
        rpc.call("server.ping")
        events, rpc.notifications = rpc.notifications, []
        for event in events:
            if event.params[0] != self.session:
                continue
            if event.method == "sessionended":
                assert event is events[-1]
                rpc.call("endsession", self.replica)
                return self.join()
            assert event.params[1] == self.sequence + 1, (event.params[:2], self.sequence)
            self.sequence, self.told = self.sequence + 1, self.told + 1
            operation = api.bare_operation(event.params[2])
            if is_undo_mine(operation):  # in the replica all is the watcher's own
                rpc.call("endsession", self.replica)
                rpc.call("detach", self.session)
                return self.join()
            answer = rpc.call("apply", self.replica, operation)
            assert answer["changed"] or event.params[2][0] & 64  # the key alone was new
        rpc.log.clear()

    def check(self, rpc):
        """When nobody changes anything any more."""
        self.look()
        # But for stamps: what is applied anew is stamped anew.
        assert api.whole(rpc, self.session) == api.whole(self.rpc, self.replica)


def honest_answers(rpc, rng, count):
    """A script through the bare protocol; it comes out as the model says."""
    name = "%d/%d" % (options.seed, count)
    script = scriptgen.Generator(name, rng.choice((10, 50, 150))).script(name)
    expected, fault = differential.model_answer(script)
    assert not fault, fault
    wrong = differential.difference(expected, bare.play(rpc, script))
    assert wrong is None, (script["name"], wrong)
    rpc.log.clear()


def tidy(rpc):
    for session in rpc.call("listsessions")["sessions"]:
        rpc.response(rpc.send("deletesession", session["session"]))


def test_nothing_that_is_sent_harms_the_daemon_or_who_keeps_to_the_protocol():
    print("seed %d" % options.seed, flush=True)
    rng = random.Random(options.seed)
    with serving("--output-soft", "256K") as daemon:
        # Without room a sanitizer's report would be lost in complaints about input.
        with daemon.connect(PATIENCE) as model, daemon.connect(PATIENCE) as rpc:
            methods = rpc.call("server.info")["methods"]
            fuzzers = [Fuzzer(daemon, methods, random.Random("%d:%d" % (options.seed, i)))
                       for i in range(CONNECTIONS)]
            watcher = Watcher(daemon)
            base, peak, rounds = daemon.memory(), 0, 0
            end = time.monotonic() + options.seconds
            while time.monotonic() < end:
                rounds += 1
                for fuzzer in fuzzers:
                    fuzzer.burst()
                for fuzzer in fuzzers:
                    fuzzer.take()
                watcher.look()
                if rounds % 5 == 0:
                    honest_answers(model, rng, rounds)
                if rounds % 20 == 0:
                    peak = max(peak, daemon.memory())
                if rounds % 200 == 0:
                    tidy(rpc)
            for fuzzer in fuzzers:
                fuzzer.leave()
            rpc.call("server.ping")
            watcher.check(rpc)
            tidy(rpc)
            watcher.rpc.close()
            honest_answers(model, rng, 0)
            api.wait_for(lambda: daemon.descriptors() < 24, "connections to be closed")
            print("%d requests, %d connections, %d scripts, %d operations told; %d MiB at most, "
                  "%d after" % (sum(f.sent for f in fuzzers), sum(f.lives for f in fuzzers),
                                rounds // 5, watcher.told, peak // MIB, daemon.memory() // MIB))
            with open(api.harness.REDOD, "rb") as binary:
                plain = b"__asan_init" not in binary.read()
            if plain:
                assert peak < base + 256 * MIB and daemon.memory() < base + 96 * MIB
            else:
                assert peak < base + 1024 * MIB


api.run()
