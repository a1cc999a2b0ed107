"""A thousand connections attached to one session, a tenth of them stopped: the others get everything, in
order, and the daemon's memory stays within bounds. Nothing here depends on how fast anything is; what it does
to the time an event takes is measured by tests/bench/run crowd."""
import os
import resource
import signal
import subprocess
import sys

from api import Skip, begin, harness, run, serving

CROWD = os.environ.get("CROWD") or os.path.join("build", "tests", "bench", "bench-crowd")
GROUPS, MEMBERS = 10, 100
EVENTS, BATCH = 2000, 100
STATE = 512
HARD = 256 * 1024  # of output, a connection


class Group:
    """A process with some of the connections."""

    def __init__(self, daemon):
        self.process = subprocess.Popen([CROWD, daemon.socket_path, "crowd", str(MEMBERS)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.communicate()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hears(self, line):
        said = self.process.stdout.readline()
        assert said == line + "\n", "%r, exit status %s" % (said, self.process.poll())

    def report(self):
        """(connections that get events, that lag, that were closed, events that came)"""
        self.tell("report")
        return tuple(map(int, self.process.stdout.readline().split()[:4]))


def need_descriptors(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise Skip("only %d descriptors are allowed" % hard)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def state(number):
    """Of full size; it begins with a time, which does not matter here."""
    return bytes(8) + number.to_bytes(8, "big") + bytes(STATE - 16)


def add_all(rpc, session, groups):
    """Adds, as far as the groups have come along; their events are larger than the bound for one."""
    for first in range(0, EVENTS, BATCH):
        calls = [("addposition", session, 0, i, state(i), 0, 0) for i in range(first, first + BATCH)]
        for error, _ in rpc.call_all(calls):
            assert error is None, error
        for group in groups:
            group.tell("wait %d" % (first + BATCH))
        for group in groups:
            group.hears("there")


def test_those_who_read_get_everything_while_others_are_stopped():
    need_descriptors(GROUPS * MEMBERS + 200)
    assert EVENTS * STATE > 2 * HARD
    with serving("--output-soft", str(HARD // 4), "--output-hard", str(HARD)) as daemon, daemon.connect() as rpc:
        session = begin(rpc, STATE, 0, name="crowd")
        groups = [Group(daemon) for _ in range(GROUPS)]
        try:
            for group in groups:
                group.hears("attached")
            stopped, reading = groups[0], groups[1:]
            stopped.process.send_signal(signal.SIGSTOP)
            before = daemon.memory()
            add_all(rpc, session, reading)
            grown = daemon.memory() - before
            print("memory grew by %.0f MiB" % (grown / (1 << 20)))
            # What is held for a tenth of them, and of the rest what one batch comes to.
            bound = MEMBERS * HARD + GROUPS * MEMBERS * 2 * BATCH * (STATE + 64)
            assert grown < 2 * bound, (grown, bound)
            for group in reading:
                assert group.report() == (MEMBERS, 0, 0, MEMBERS * EVENTS), group.process.args
            stopped.process.send_signal(signal.SIGCONT)
            stopped.tell("wait %d" % EVENTS)
            stopped.hears("there")
            live, lag, closed, _ = stopped.report()
            print("of those that were stopped %d lag, %d were disconnected" % (lag, closed))
            assert (live, lag + closed) == (0, MEMBERS)
            assert rpc.call("getsessionsize", session) == EVENTS + 1
        finally:
            for group in groups:
                group.__exit__(*sys.exc_info())


if __name__ == "__main__":
    run()
