"""What the tests of the protocol share: a daemon of their own, clients, and a session's bytes."""
import contextlib
import functools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [TESTS, os.path.join(TESTS, "server")]

import harness  # noqa: E402
from harness import Skip, need_plain_memory, run, wait_for  # noqa: E402,F401
from rpc import Closed, ProtocolError, Rpc, RpcError  # noqa: E402,F401

# The fields of a POSITION, without states.
POSITION = {"number", "prev", "move", "movecount", "better", "endpoint", "solutionend",
            "solutionsize", "nextcount", "setbetter", "author", "time"}

# The numbers of core/redo_error.h that tests name.
(ENOMEM, ENOSESSION, EPOSITION, EDROPPED, EFOREIGN, ESTATE, ERANGE, ECONSTANT, EBRANCHES, EFIRST,
 EDIFFERS, EOPERATION, EDAMAGED, EVERSION, EFULL) = range(1, 16)
(EMETHOD, EPARAMS, ETYPE, EMESSAGE, EFRAME, ETOOBIG, ENAME, EEXISTS, EATTACHED, ENOTATTACHED,
 EUTF8, EOPTION) = range(20, 32)
EINUSE, ENOTKEPT = 16, 37
ERESYNC, ENOCURSOR, EEXPECTED, EKEY, EKIND = 46, 48, 49, 50, 54

MIB = 1 << 20
STATE_MAX = 16 * MIB


@contextlib.contextmanager
def serving(*options):
    """A daemon in a folder of its own. It must be alive at the end, and then end as it should: a
    sanitizer that found a leak or worse says so there."""
    with harness.Folder() as folder, harness.Daemon(folder / "s", *options) as daemon:
        daemon.connect = lambda timeout=60: Rpc(daemon.socket_path, timeout=timeout)
        yield daemon
        assert daemon.process.poll() is None, "the daemon ended: " + daemon.log()
        status = daemon.end()
        log = daemon.log()
        assert status == 0 and "Sanitizer" not in log and "runtime error" not in log, (status, log)


def served(test):
    """Gives the test a daemon, and a connection to it."""
    @functools.wraps(test)
    def wrapped():
        with serving() as daemon, daemon.connect() as rpc:
            test(daemon, rpc)
    return wrapped


def number(value, size=4):
    """A state of so many bytes."""
    return value.to_bytes(size, "big")


def begin(rpc, size=4, cmpsize=0, **options):
    """A session; its handle."""
    return rpc.call("beginsession", bytes(size), size, cmpsize, *([options] if options else []))[
        "session"]


def add(rpc, session, prev, move, state, endpoint=0, check=1, **options):
    state = number(state) if isinstance(state, int) else state
    return rpc.call("addposition", session, prev, move, state, endpoint, check,
                    *([options] if options else []))


def chain(rpc, session, count, prev=0, first=1):
    """Positions one after the other, with the states first, first + 1 ...; their numbers."""
    numbers = []
    while len(numbers) < count:
        part = min(10000, count - len(numbers))
        adds = [[-i if i else prev, 0, number(first + len(numbers) + i), 0, 0]
                for i in range(part)]
        numbers += rpc.call("addpositions", session, adds)["numbers"]
        prev = numbers[-1]
    return numbers


def error_of(rpc, method, *params):
    """The code of the error that a call is answered with, which must have its whole form."""
    error, _ = rpc.response(rpc.send(method, *params))
    assert error is not None, "%s%r was not refused" % (method, params)
    check_error(error)
    return error[0]


def check_error(error):
    assert isinstance(error, list) and len(error) == 3, error
    code, message, detail = error
    assert isinstance(code, int) and code > 0 and isinstance(message, str) and message, error
    assert isinstance(detail, dict) and all(isinstance(key, str) for key in detail), error


def snapshot(rpc, session):
    """The session's bytes, as attaching gives them. The connection must not be attached."""
    size = rpc.call("attach", session)["snapshot"]
    data = b""
    while len(data) < size:
        data += rpc.call("readsnapshot", session, len(data), MIB)
    rpc.call("detach", session)
    return data


def varint(data, at):
    """The unsigned LEB128 number there, and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def bare_operation(data):
    """An encoded operation without its stamp and key (core/README.md has the form)."""
    at = 1
    if data[0] & 128:
        author, at = varint(data, at)
        if not author:
            _, at = varint(data, at)  # the user
            size, at = varint(data, at)
            at += size
        _, at = varint(data, at)  # the time
    if data[0] & 64:
        size, at = varint(data, at)
        at += size
    return bytes([data[0] & 63]) + data[at:]


def unstamped(position):
    """A position without who made it, and when."""
    return {k: v for k, v in position.items() if k not in ("author", "time")}


def whole(rpc, session):
    """All that can be read of a session but for who made its positions, and when."""
    positions = [unstamped(p) for page in pages(rpc, "getpositions", session, start="after",
                                                limit=10000, states=True) for p in page]
    forks = [p["number"] for p in positions if p["nextcount"] > 1]
    branches = []
    for i in range(0, len(forks), 1000):
        for error, page in rpc.call_all([("getbranches", session, n, {"limit": 10000})
                                         for n in forks[i:i + 1000]]):
            assert error is None, error
            branches.append((page["positions"][0]["prev"], numbers(page["positions"])))
    told = rpc.call("getsession", session)
    return (positions, branches, rpc.call("getcursors", session),
            rpc.call("getproperties", session),
            [told[k] for k in ("size", "cmpsize", "graft", "changed", "positions")])


def pages(rpc, method, session, *params, start="offset", **options):
    """The pages of a method, each a list of positions, until there is no next."""
    next, all = None, []
    while True:
        asked = dict(options) if next is None else {**options, start: next}
        page = rpc.call(method, session, *params, asked)
        all.append(page["positions"])
        next = page["next"]
        if next is None:
            return all


def numbers(positions):
    return [p["number"] for p in positions]
