"""A model check: five clients, of the C library and of the bare protocol, change one session at random, while
connections are cut at any byte or read too slowly, programs are killed and the daemon is ended, killed and started again. Then all
replicas and the store must agree, and everybody's record must be what the session's sequence tells.

    modelcheck.py REDOD --redoctl REDOCTL --programs FOLDER [--seconds N] [--rounds N] [--seed N] [--keep FOLDER]

A round is made from its seed alone, but for what time decides: how far the others are when one does something.
What is checked, at the end of a round:

- the dump of the daemon, the replica of every client, the operations that an observer saw from the beginning
  applied in this process, and what the store gives after another start, are the same bytes; every snapshot
  that was read on the way is what the operations up to it make;
- every request that was acknowledged is in the session's sequence, once, however often it was sent; no other
  is there but those that were asked for and never answered; each client's are in the order in which it sent
  them; every answer, also to a request that was sent again, tells what came of it at its place;
- on the way: sequences have no gaps, answers come in order and after their events, `since` is never refused,
  effects are the same for all, told at once or later;
- the store is found whole by redoctl check; the daemon ends with 0 when asked to."""
import argparse
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from bare import Bare, Observer, Wrong
from library import Library
from operations import CMPSIZE, SIZE
from verify import check_round

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from rpc import Closed, Rpc  # noqa: E402

PATIENCE = float(os.environ.get('PATIENCE', 120))  # seconds in which something must happen
FAILURES = 3    # rounds: more of them tell nothing more
SESSION = "model"


class Daemon:
    """Also while it is being ended: it takes its time, and others go on."""

    def __init__(self, redod, folder, rng, log):
        self.redod, self.folder, self.rng, self.log = redod, folder, rng, log
        self.path, self.store = os.path.join(folder, "socket"), os.path.join(folder, "store")
        self.process, self.ending = None, None
        self.options = ["--memory-budget", rng.choice(("1M", "1G")),
                        "--output-per-user", rng.choice(("8K", "64K", "256M"))]
        self.starts = 0

    def start(self):
        self.starts += 1
        self.ending = None
        self.process = subprocess.Popen(
            [self.redod, "--socket", self.path, "--store", self.store, "--log-level", "error",
             "--relaxed-delay", "20", *self.options], stderr=self.log)

    @property
    def running(self):
        return self.process is not None and self.ending is None

    def listens(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            return probe.connect_ex(self.path) == 0

    def end(self, number):
        """One that starts yet is killed: a signal may come before it is prepared for it."""
        self.ending = number if self.listens() else signal.SIGKILL
        self.process.send_signal(self.ending)

    def look(self):
        """Starts it again once it has ended; True if something has changed."""
        code = self.process.poll()
        if code is None:
            return False
        if self.ending is None or (self.ending == signal.SIGTERM and code != 0):
            raise Wrong("the daemon ended with %s" % code)
        self.start()
        if self.rng.random() < 0.3:  # and again while it recovers
            time.sleep(self.rng.random() * 0.05)
            self.end(signal.SIGKILL)
        return True

    def stop(self, number):
        if self.process is None:
            return
        self.process.send_signal(number)
        code = self.process.wait(60)
        self.process = None
        if number == signal.SIGTERM and code:
            raise Wrong("the daemon ended with %s" % code)

    def connect(self):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return Rpc(self.path, PATIENCE)
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise Wrong("the daemon can not be reached; it ended with %s" % self.process.poll())
                time.sleep(0.005)


def snapshot(rpc):
    """(bytes, sequence)"""
    answer, data = rpc.call("attach", SESSION, {"effects": False}), b""
    while len(data) < answer["snapshot"]:
        data += rpc.call("readsnapshot", SESSION, len(data), 1 << 20)
    rpc.call("detach", SESSION)
    return data, answer["sequence"]


class Round:
    def __init__(self, options, seed, folder):
        self.options, self.folder = options, folder
        self.rng = rng = random.Random(seed)
        self.log = open(os.path.join(folder, "log"), "wb")
        self.daemon = Daemon(options.redod, folder, random.Random(rng.random()), self.log)
        self.bares, self.libraries = [], []
        self.faults = []

    def begin(self):
        """The daemon, the session and the clients."""
        rng = self.rng
        self.daemon.start()
        with self.daemon.connect() as rpc:
            rpc.call("beginsession", bytes(SIZE), SIZE, CMPSIZE, {"name": SESSION})
            base, sequence = snapshot(rpc)
        kept, cuts = [], rng.choice((0.002, 0.01, 0.03))
        self.observer = Observer(random.Random(rng.random()), self.daemon.path, SESSION, (base, sequence),
                                 rng.choice((0, 0.002, 0.01)))
        for who in range(5):
            mine = random.Random(rng.random())
            if who == 0 or (who != 4 and rng.random() < 0.5):
                self.bares.append(Bare("bare-%d" % who, who, mine, self.daemon.path, SESSION, kept,
                                       rng.choice((1, 5, 30)), cuts))
            else:
                program = os.path.join(self.options.programs, "model-player")
                self.libraries.append(Library("library-%d" % who, who, mine, program, self.daemon, SESSION,
                                              rng.choice((0, 0.0005, 0.003)), self.log))
        for bare in self.bares:
            bare.told = self.observer.told
        self.target = rng.choice((200, 500, 1000))
        self.faults = sorted(rng.randrange(self.target) for _ in range(rng.choice((0, 1, 2, 4))))

    @property
    def actors(self):
        return [self.observer, *self.bares, *self.libraries]

    def done(self):
        return (sum(len(b.requests) - len(b.pending) for b in self.bares) +
                sum(d.code is not None for l in self.libraries for d in l.record))

    def break_daemon(self):
        if self.faults and self.daemon.running and self.done() >= self.faults[0]:
            self.faults.pop(0)
            self.daemon.end(self.rng.choice((signal.SIGKILL, signal.SIGTERM)))

    def sleep(self):
        """Until anybody has something to do, or it is worth to look again."""
        there = [a for a in self.actors if (a.process if isinstance(a, Library) else a.socket) is not None]
        select.select(there, [a for a in there if a.writes()], [], 0.01)

    def run_until(self, condition, what):
        idle, acted = 0, time.monotonic()
        while not condition():
            progress = self.daemon.look()
            self.break_daemon()
            progress |= bool(self.rng.choice(self.actors).step())
            if progress:
                idle, acted = 0, time.monotonic()
                continue
            idle += 1
            if time.monotonic() - acted > PATIENCE:
                raise Wrong("nothing happens, waiting for %s\n%s" % (what, "\n".join(map(str, self.actors))))
            if idle > 2 * len(self.actors):
                self.sleep()
                idle = 0

    def settle(self):
        """All that was asked for is answered; nothing breaks any more."""
        self.faults = []
        for actor in self.actors:
            actor.quiet = True
        self.run_until(lambda: self.daemon.running and self.daemon.process.poll() is None and
                       all(a.settled() for a in self.actors), "answers")

    def replica(self, library, sequence):
        """The dump of its replica, which must come to be as of this number."""
        path = os.path.join(self.folder, library.name)
        end = time.monotonic() + PATIENCE
        while library.sequence < sequence or not library.settled():
            self.run_until(library.settled, library.name)
            library.tell(["step", "100"], "step")
            self.run_until(lambda: library.doing is None, "a step of " + library.name)
            if time.monotonic() > end:
                raise Wrong("%s stays at %d of %d" % (library.name, library.sequence, sequence))
        library.dump(path)
        self.run_until(lambda: library.doing is None, "a dump of " + library.name)
        with open(path, "rb") as file:
            return file.read()

    def check(self):
        """All must agree. The number of operations."""
        with self.daemon.connect() as rpc:
            data, sequence = snapshot(rpc)
        self.run_until(lambda: all(b.sequence >= sequence for b in [self.observer, *self.bares]), "events")
        final = [("the daemon's dump", data)]
        final += [("the replica of " + l.name, self.replica(l, sequence)) for l in self.libraries]
        self.daemon.stop(self.rng.choice((signal.SIGKILL, signal.SIGTERM)))
        checked = subprocess.run([self.options.redoctl, "check", "--store", self.daemon.store],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if checked.returncode:
            raise Wrong("redoctl check: " + checked.stdout)
        self.daemon.start()
        with self.daemon.connect() as rpc:
            again = snapshot(rpc)
        if again[1] != sequence:
            raise Wrong("the store ends at %d, not %d" % (again[1], sequence))
        final.append(("what the store gives", again[0]))
        self.daemon.stop(signal.SIGTERM)
        return check_round(os.path.join(self.options.programs, "model-replayer"), self.folder, self.observer.base,
                           self.observer.operations, self.bares, self.libraries, final)

    def play(self):
        try:
            self.begin()
            self.run_until(lambda: self.done() >= self.target, "requests")
            self.settle()
            return self.check()
        finally:
            for library in self.libraries:
                library.end()
            if self.daemon.process and self.daemon.process.poll() is None:
                self.daemon.process.kill()
                self.daemon.process.wait()
            self.log.close()


class Totals:
    def __init__(self):
        self.rounds = self.failed = self.operations = self.cuts = self.resumes = self.repeats = self.lags = 0
        self.starts = self.lives = 0

    def add(self, played):
        bares = [*played.bares, played.observer]
        self.cuts += sum(b.losses for b in bares)
        self.resumes += sum(b.resumes for b in bares)
        self.repeats += sum(b.repeats for b in bares)
        self.lags += sum(b.lags for b in bares)
        self.starts += played.daemon.starts
        self.lives += sum(l.lives for l in played.libraries)

    def __str__(self):
        return ("%d rounds: %d operations; %d connections lost, %d lagged, %d resumed, %d requests sent again; the "
                "daemon started %d times, programs %d times" % (
                    self.rounds, self.operations, self.cuts, self.lags, self.resumes, self.repeats, self.starts,
                    self.lives))


def play_round(options, seed, totals):
    folder = tempfile.mkdtemp(prefix="redod-model-", dir="/tmp")
    played = None
    try:
        played = Round(options, seed, folder)
        totals.operations += played.play()
        problem = None
    except (Wrong, Closed, AssertionError, OSError) as error:
        problem = "%s: %s" % (type(error).__name__, error)
    totals.rounds += 1
    if played and hasattr(played, "observer"):
        totals.add(played)
    with open(os.path.join(folder, "log"), errors="replace") as log:
        said = log.read()
    if "Sanitizer" in said or "runtime error" in said:
        problem = (problem or "") + " a sanitizer found something"
    if problem:
        totals.failed += 1
        print("seed %d: %s\n%s" % (seed, problem[:3000], said[-8000:]), flush=True)
        if options.keep:
            shutil.copytree(folder, os.path.join(options.keep, str(seed)), ignore=shutil.ignore_patterns("socket"))
    shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("redod")
    parser.add_argument("--redoctl", required=True)
    parser.add_argument("--programs", required=True, help="the folder of model-player and model-replayer")
    parser.add_argument("--seconds", type=float, default=20, help="new rounds begin for so long; with "
                        "REDO_TEST_LONG=1: 1200")
    parser.add_argument("--rounds", type=int, help="so many instead")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--keep", help="leave the files of failed rounds in this folder")
    options = parser.parse_args()
    if os.environ.get("REDO_TEST_LONG") == "1":
        options.seconds = max(options.seconds, 1200)
    print("seed %d" % options.seed, flush=True)
    totals, end = Totals(), time.monotonic() + options.seconds
    while totals.failed < FAILURES and (totals.rounds < options.rounds if options.rounds else time.monotonic() < end):
        play_round(options, options.seed + totals.rounds, totals)
    print(totals)
    print("%d passed, %d failed" % (totals.rounds - totals.failed, totals.failed))
    return totals.failed != 0


if __name__ == "__main__":
    sys.exit(main())
