"""What the tests of what lasts share: a daemon on a store of its own, whose disk can be told to wait or to
fail (see slow_sync.c)."""
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(TESTS, "api"), os.path.join(TESTS, "server"), TESTS]

import harness  # noqa: E402
from api import (EEXISTS, ENOSESSION, Closed, RpcError, Skip, add, begin, chain,  # noqa: E402,F401
                 error_of, number, numbers, run, snapshot, wait_for)
from rpc import Rpc  # noqa: E402

EVERSION, EINUSE, ELOCKED, ESTORE, EFULLDISK, EIO, ENOTKEPT, ERESYNC = 14, 16, 32, 33, 34, 35, 37, 46
SOON = 0.15  # long enough for what must not come, to come


class Place:
    """A folder with a store, and daemons on it, one after the other."""

    def __init__(self, *options):
        self.options = options
        self.folder = harness.Folder()
        self.daemon = None

    def __enter__(self):
        self.folder.__enter__()
        self.store = self.folder / "store"
        self.control = self.folder / "disk"
        self.disk("ok")
        self.start()
        return self

    def __exit__(self, *exception):
        try:
            if exception[0] is None:
                self.stop()
        finally:
            if self.daemon:
                self.disk("ok")
                self.daemon.__exit__(*exception)
            self.folder.__exit__(*exception)

    def start(self, *options, **more):
        environment = {"SYNC_CONTROL": self.control}
        if "SLOW_SYNC" in os.environ:
            environment["LD_PRELOAD"] = os.environ["SLOW_SYNC"]
            environment["ASAN_OPTIONS"] = ":".join(
                filter(None, (os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0")))
        self.daemon = harness.Daemon(self.folder / "s", "--store", self.store, *self.options,
                                     *options, env=environment, **more)

    def stop(self):
        """Ends the daemon, which must be alive and end well."""
        daemon, self.daemon = self.daemon, None
        with daemon:
            assert daemon.process.poll() is None, "the daemon ended: " + daemon.log()
            status, log = daemon.end(), daemon.log()
            assert status == 0 and "Sanitizer" not in log and "runtime error" not in log, (
                status, log)

    def restart(self, *options):
        self.stop()
        self.start(*options)

    def crash(self):
        """As by a kill, and started again."""
        daemon, self.daemon = self.daemon, None
        with daemon:
            daemon.end(signal.SIGKILL)
        self.start()

    def connect(self):
        return Rpc(self.daemon.socket_path, timeout=60)

    def disk(self, what):
        with open(self.control + "-", "w") as file:
            file.write(what)
        os.rename(self.control + "-", self.control)

    def bytes_on_disk(self):
        """All files of the store."""
        for path in self.files():
            with open(path, "rb") as file:
                yield path, file.read()

    def files(self):
        return [os.path.join(folder, name)
                for folder, _, names in os.walk(self.store) for name in names]


def placed(*options):
    """Gives the test a place, and a connection to its daemon."""
    def wrap(test):
        def wrapped():
            with Place(*options) as place, place.connect() as rpc:
                test(place, rpc)
        wrapped.__name__, wrapped.__module__ = test.__name__, test.__module__
        return wrapped
    return wrap


def answered(rpc, id, timeout=SOON):
    """Whether the answer to a request comes soon; it can be asked for again if not."""
    try:
        rpc.result(id, timeout)
        return True
    except TimeoutError:
        return False


def needs_slow_disk():
    if "SLOW_SYNC" not in os.environ:
        raise Skip("no disk that can be told to wait")


def names(rpc, **options):
    found, after = [], {}
    while True:
        page = rpc.call("listsessions", dict(options, **after))
        found += [s["name"] for s in page["sessions"]]
        if page["next"] is None:
            return found
        after = {"after": page["next"]}


def states(rpc, session):
    """The states of all positions, by number."""
    found, after = {}, {}
    while True:
        page = rpc.call("getpositions", session, dict(after, states=True, limit=10000))
        found.update((p["number"], p["state"]) for p in page["positions"])
        if page["next"] is None:
            return found
        after = {"after": page["next"]}
