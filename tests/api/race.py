"""Several change one session at once, each in its own way; all end with the same bytes.

    race.py --programs DIRECTORY [--operations N] [--seed N]"""
import argparse
import os
import random
import subprocess
import sys

from api import begin, harness, run, serving, snapshot, wait_for, whole

options = argparse.ArgumentParser()
options.add_argument("--programs", default=os.path.join("build", "tests", "api"))
options.add_argument("--operations", type=int, default=10000)
options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
options, sys.argv[1:] = options.parse_known_args()


class Racer:
    """The program racer on the session of a name."""

    def __init__(self, daemon, folder, name, seed, operations):
        self.path = folder / ("racer-%d" % seed)
        self.process = subprocess.Popen(
            [os.path.join(options.programs, "racer"), name, str(seed), str(operations), self.path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "REDO_SOCKET": daemon.socket_path})

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def finish(self):
        assert self.process.stdout.readline() == "done\n", "it ended: %s" % self.process.wait(10)

    def check(self, rpc, session, sequence):
        """Its replica as of that number has the session's bytes."""
        self.process.stdin.write("%d\n" % sequence)
        self.process.stdin.flush()
        assert self.process.wait(60) == 0
        with open(self.path, "rb") as file:
            assert file.read() == snapshot(rpc, session)


class Player:
    """Random changes through the bare protocol, sent without waiting; and a replica made of a
    snapshot and of the operations told since, as a session of its own."""

    def __init__(self, daemon, session, seed):
        self.rpc, self.session, self.rng = daemon.connect(), session, random.Random(seed)
        self.replica = None
        self.changes = 0

    def attach(self):
        answer = self.rpc.call("attach", self.session, {"effects": False})
        self.sequence, data = answer["sequence"], b""
        while len(data) < answer["snapshot"]:
            data += self.rpc.call("readsnapshot", self.session, len(data), 60000)
        self.replica = self.rpc.call("loadsession", data)["session"]

    def change(self, made):
        rng, session = self.rng, self.session
        at = lambda: max(0, made - rng.randrange(60)) if rng.random() < 0.5 else rng.randrange(made)
        state = bytes([0, 0, rng.randrange(40), rng.randrange(3)])
        kind = rng.randrange(16)
        if kind < 2:
            return "dropposition", session, at()
        if kind == 2:
            return "getnextposition", session, at(), rng.randrange(5)
        if kind == 3:
            return "setgraftbehavior", session, rng.randrange(5)
        if kind == 4:
            return "updatesavedstate", session, at(), state
        if kind == 5:
            return "suppresscycle", session, at(), state, rng.randrange(4)
        if kind == 6 and rng.random() < 0.1:
            return "duplicatepath", session, at(), at()
        if kind == 7:
            return "setbetterfields", session
        if kind == 8:
            return "clearsessionchanged", session
        if kind == 9:
            return "addpositions", session, [[at(), 1, state, 0, 1], [-1, 2, state, 0, 1]]
        return ("addposition", session, at(), rng.randrange(5), state,
                int(rng.random() < 0.03), rng.randrange(3))

    def send(self, count, made):
        self.changes += count
        self.ids = self.rpc.send_all([self.change(made) for _ in range(count)])

    def take(self):
        for id in self.ids:
            error, _ = self.rpc.response(id)
            assert error is None or error[0] in (3, 4, 8, 9, 10), error
        self.catch_up()

    def catch_up(self):
        """Applies what was told to the replica."""
        events, self.rpc.notifications = self.rpc.notifications, []
        calls = []
        for event in events:
            handle, sequence, operation, effects, own = event.params
            assert sequence == self.sequence + 1, (sequence, self.sequence)
            self.sequence = sequence
            calls.append(("apply", self.replica, operation))
        for error, result in self.rpc.call_all(calls):
            assert error is None and result["changed"], error

    def check(self, rpc, session, sequence):
        """The replica is the session, but for stamps: what is applied anew is stamped anew."""
        self.rpc.call("server.ping")
        self.catch_up()
        assert self.sequence == sequence
        assert whole(self.rpc, self.replica) == whole(rpc, session)


def loaded_in_process(folder, data):
    """The bytes that the library in process makes of a dump."""
    with open(folder / "dump", "wb") as file:
        file.write(data)
    return subprocess.run([os.path.join(options.programs, "redump"), folder / "dump"],
                          stdout=subprocess.PIPE, check=True, timeout=60).stdout


def end_equal(rpc, folder, session, sides):
    sequence = rpc.call("getsession", session)["sequence"]
    data = snapshot(rpc, session)
    assert loaded_in_process(folder, data) == data
    for side in sides:
        side.check(rpc, session, sequence)
    return sequence


def test_two_c_clients_and_one_that_joins_half_way_end_equal():
    print("seed %d" % options.seed)
    with serving() as daemon, daemon.connect() as rpc, harness.Folder() as folder:
        session = begin(rpc, 4, 3, name="race")
        seed, count = options.seed, options.operations
        with Racer(daemon, folder, "race", seed, count) as one, \
                Racer(daemon, folder, "race", seed + 1, count) as two:
            wait_for(lambda: rpc.call("getsession", session)["sequence"] > count // 2, "half")
            with Racer(daemon, folder, "race", seed + 2, 0) as third:
                for racer in (one, two, third):
                    racer.finish()
                print("%d operations" % end_equal(rpc, folder, session, (one, two, third)))


def test_two_clients_of_the_bare_protocol_and_one_that_joins_half_way_end_equal():
    print("seed %d" % options.seed)
    with serving() as daemon, daemon.connect() as rpc, harness.Folder() as folder:
        session = begin(rpc, 4, 3, name="race")
        one, two, third = (Player(daemon, session, options.seed + i) for i in range(3))
        one.attach()
        two.attach()
        while one.changes < options.operations:
            if one.changes >= options.operations // 2 and third.replica is None:
                third.attach()
            made = rpc.call("getsession", session)["positions"] * 2
            for player in (one, two):
                player.send(100, made)
            for player in (one, two):
                player.take()
        print("%d operations" % end_equal(rpc, folder, session, (one, two, third)))


def test_c_and_bare_clients_end_equal():
    with serving() as daemon, daemon.connect() as rpc, harness.Folder() as folder:
        session = begin(rpc, 4, 3, name="race")
        player = Player(daemon, session, options.seed)
        player.attach()
        with Racer(daemon, folder, "race", options.seed + 7, options.operations) as racer:
            while player.changes < options.operations:
                player.send(20, rpc.call("getsession", session)["positions"] * 2)
                player.take()
            racer.finish()
            print("%d operations" % end_equal(rpc, folder, session, (racer, player)))


run()
