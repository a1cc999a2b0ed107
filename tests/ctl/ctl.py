"""What the tests of redoctl share: a daemon in a folder of its own, redoctl run against it, and a
plain client to make sessions with."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[1:1] = [os.path.join(TESTS, "server"), os.path.join(TESTS, "api"), TESTS]

from harness import TIMEOUT, Daemon, Folder, Skip, run, wait_for  # noqa: E402,F401
from rpc import Rpc  # noqa: E402

REDOCTL = os.environ.get("REDOCTL") or os.path.join("build", "client", "redoctl")
CASES = os.path.join(TESTS, "cases")


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return "status %s\n%s\n%s" % (self.status, self.out, self.err)


def environment(**more):
    env = {k: v for k, v in os.environ.items()
           if k not in ("REDO_SOCKET", "NO_COLOR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")}
    env.update(more)
    return env


def redoctl(*args, stdin="", env=None):
    """Runs redoctl as it is."""
    done = subprocess.run([REDOCTL, *map(str, args)], input=stdin, capture_output=True,
                          text=not isinstance(stdin, bytes), timeout=TIMEOUT,
                          env=env if env is not None else environment())
    return Result(done.returncode, done.stdout, done.stderr)


class Setting:
    """A daemon, redoctl, and a client; with stored, sessions are kept in the folder self.store."""

    def __init__(self, *options, stored=False):
        self.options, self.stored = options, stored

    def __enter__(self):
        self.folder = Folder()
        self.folder.__enter__()
        self.socket = self.folder / "s"
        self.store = self.folder / "store"
        self.daemon = None
        self.begin_daemon()
        return self

    def __exit__(self, *exception):
        self.end_daemon(*exception)
        self.folder.__exit__(*exception)

    def begin_daemon(self, store=None):
        """Starts it, on another store if one is given."""
        self.store = store or self.store
        options = ("--store", self.store) if self.stored else ()
        self.daemon = Daemon(self.socket, *options, *self.options)
        self.rpc = Rpc(self.socket)

    def end_daemon(self, *exception):
        if not self.daemon:
            return
        self.rpc.close()
        if not any(exception):
            assert self.daemon.end() == 0, self.daemon.log()
        self.daemon.__exit__(*(exception or (None, None, None)))
        self.daemon = None

    def kill_daemon(self):
        self.rpc.close()
        self.daemon.__exit__(None, None, None)
        self.daemon = None

    def dump(self, name):
        """The session's dump, at its sequence number now."""
        told = self.rpc.call("attach", name, {"effects": False})
        size, dump = told["snapshot"], b""
        while len(dump) < size:
            dump += self.rpc.call("readsnapshot", name, len(dump), size)
        self.rpc.call("detach", name)
        return dump

    def __call__(self, *args, **more):
        env = environment(REDO_SOCKET=self.socket, **more.pop("env", {}))
        return redoctl(*args, env=env, **more)

    def output(self, *args, **more):
        """What it prints, of a run in which all goes well."""
        result = self(*args, **more)
        assert result.status == 0 and result.err == "", result
        return result.out

    def begin(self, name, initial=b"\0", cmpsize=0, graft=0):
        self.rpc.call("beginsession", initial, len(initial), cmpsize, {"name": name})
        self.rpc.call("setgraftbehavior", name, graft)

    def add(self, name, prev, move, state, endpoint=0, check=1):
        return self.rpc.call("addposition", name, prev, move, state, endpoint, check)["number"]

    def start(self, *args):
        """Starts redoctl and lets it run."""
        return subprocess.Popen([REDOCTL, *map(str, args)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                env=environment(REDO_SOCKET=self.socket))


def begin_example(s, name="example"):
    """The history of the document's use cases, up to its diagram with position 10."""
    s.begin(name)
    for prev, move, state in [(0, 0, 1), (1, 0, 2), (2, 1, 3), (2, 2, 4), (3, 1, 5), (0, 1, 6),
                              (6, 2, 7), (6, 1, 8), (8, 1, 1), (0, 2, 2)]:
        s.add(name, prev, move, bytes([state]))


LETTERS = "--labels=0=A,1=B,2=C"
