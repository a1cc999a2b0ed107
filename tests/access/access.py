"""What the tests of who may do what share: a daemon that lets every user in, and connections as any of them.
The kernel tells the daemon who a peer is, so the tests have to be root."""
import contextlib
import functools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "durable")]

from durable import (EEXISTS, ENOSESSION, Closed, Place, RpcError, Skip, add, begin, chain,  # noqa: E402,F401
                     error_of, number, numbers, run, snapshot, states, wait_for)
from rpc import Rpc, pack_request  # noqa: E402,F401

ERANGE, EDAMAGED, EFULL, ENAME, ENOTATTACHED, EDENIED = 7, 13, 15, 26, 29, 36
ANN, BOB, EVE = 54321, 54322, 54323  # users
STAFF, CLUB = 54400, 54401  # groups


def need_root():
    if os.geteuid() != 0:
        raise Skip("only root can become other users")


@contextlib.contextmanager
def user(uid, gid=None, groups=()):
    """This process, as the kernel tells others who connects."""
    before = os.getgroups()
    os.setgroups(list(groups))
    os.setegid(uid if gid is None else gid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(before)


class Users(Place):
    """A daemon for everybody, with a store or without."""

    def __init__(self, *options, memory=False, **popen):
        super().__init__("--mode", "0777", "--allow", "any", *options,
                         *(("--store", "memory") if memory else ()))
        self.memory, self.popen, self.open = memory, popen, []

    def __enter__(self):
        need_root()
        return super().__enter__()

    def __exit__(self, *exception):
        for rpc in self.open:
            rpc.close()
        super().__exit__(*exception)

    def start(self, *options, **more):
        os.chmod(self.folder.path, 0o755)
        os.chown(self.folder.path, self.popen.get("user", 0), self.popen.get("group", 0))
        super().start(*options, **self.popen, **more)

    def connect(self, uid=0, gid=None, groups=()):
        """As that user; closed at the end."""
        with user(uid, gid, groups):
            rpc = Rpc(self.daemon.socket_path, timeout=60)
        self.open.append(rpc)
        return rpc


def everywhere(test):
    """Gives the test a daemon with a store, then one without."""
    @functools.wraps(test)
    def wrapped():
        for memory in (False, True):
            with Users(memory=memory) as place:
                test(place)
    return wrapped


def used(*options, **more):
    """Gives the test a daemon with these options."""
    def wrap(test):
        @functools.wraps(test)
        def wrapped():
            with Users(*options, **more) as place:
                test(place)
        return wrapped
    return wrap


def sessions(rpc, **options):
    """What listsessions tells, all its pages."""
    found, after = [], {}
    while True:
        page = rpc.call("listsessions", dict(options, **after))
        found += page["sessions"]
        if page["next"] is None:
            assert page["nextsession"] is None
            return found
        after = {"after": page["next"], "aftersession": page["nextsession"]}


def owners(rpc, **options):
    return [(s["name"], s["owner"]) for s in sessions(rpc, **options)]
