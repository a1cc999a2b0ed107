"""What the end-to-end tests share: a daemon in a folder of its own, a client, and a runner.

A test is a function whose name says the behavior; run() calls those of a script in order. Nothing
here waits for a fixed time: it waits for what is to happen, and gives up after TIMEOUT."""

import inspect
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

import msgpack

REDOD = os.environ.get("REDOD") or os.path.join("build", "server", "redod")
TIMEOUT = 60


class Skip(Exception):
    """The machine can not show the behavior; the reason is said."""


def wait_for(condition, what):
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("waited in vain for " + what)


class Folder:
    """A short folder (the paths of sockets are limited), gone at the end of the test."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="redod-", dir="/tmp")
        return self

    def __exit__(self, *exception):
        shutil.rmtree(self.path, ignore_errors=True)

    def __truediv__(self, name):
        return os.path.join(self.path, name)


class Daemon:
    """A running redod; killed at the end if the test has not ended it."""

    def __init__(self, socket_path, *options, before=(), wait=True, env=None, **popen):
        self.socket_path = socket_path
        self.log_path = tempfile.NamedTemporaryFile(prefix="redod-log-", delete=False).name
        command = [*before, REDOD, "--store", "memory", "--socket", socket_path, *options]
        environment = {k: v for k, v in os.environ.items()
                       if k not in ("NOTIFY_SOCKET", "JOURNAL_STREAM", "LISTEN_FDS", "LISTEN_PID")}
        environment.update(env or {})
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(command, stderr=log, env=environment, **popen)
        if wait:
            wait_for(self.listens, "the daemon to listen; it said:\n" + self.log())

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if exception[0] is not None:
            sys.stdout.write("".join("    log: " + line + "\n"
                                     for line in self.log().splitlines()[-30:]))
        os.unlink(self.log_path)

    @property
    def pid(self):
        return self.process.pid

    def log(self):
        with open(self.log_path, errors="replace") as log:
            return log.read()

    def listens(self):
        assert self.process.poll() is None, "the daemon ended: " + self.log()
        return "listening on" in self.log()

    def wait_log(self, text):
        wait_for(lambda: text in self.log(), repr(text) + " in the log")

    def kill(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        """Ends it; the exit status."""
        self.kill(number)
        return self.process.wait(TIMEOUT)

    def memory(self, most=False):
        """Resident bytes: now, or the most there ever were."""
        with open("/proc/%d/status" % self.pid) as status:
            return int(re.search(r"Vm%s:\s+(\d+)" % ("HWM" if most else "RSS"), status.read()).group(1)) * 1024

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.pid))

    def client(self):
        return Client(self.socket_path)


class Client:
    """A plain msgpack-rpc client over a socket, blocking."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(path)
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)
        self.id = 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def read(self):
        """The next message; None if the connection has ended."""
        while True:
            for message in self.unpacker:
                return message
            try:
                data = self.socket.recv(1 << 16)
            except ConnectionResetError:
                data = b""
            if not data:
                return None
            self.unpacker.feed(data)

    def call(self, method, *params):
        """A response: [1, id, error, result]."""
        self.id += 1
        self.send(request(self.id, method, *params))
        message = self.read()
        assert message is not None, "the connection ended"
        assert message[:2] == [1, self.id], message
        return message

    def ping(self):
        assert self.call("server.ping")[2:] == [None, None]

    def answers(self):
        """Whether a ping is answered; False if the connection is ended instead."""
        try:
            self.send(request(1, "server.ping"))
        except (BrokenPipeError, ConnectionResetError):
            return False
        return self.read() == [1, 1, None, None]

    def read_last_words(self):
        """What came until the connection ended."""
        messages = []
        while True:
            message = self.read()
            if message is None:
                return messages
            messages.append(message)


def request(msgid, method, *params):
    return msgpack.packb([0, msgid, method, list(params)], use_bin_type=True)


# A request whose answer is longer than it: the unknown name comes back as a detail.
LONG = request(1, "x" * 150)


def fill(client, data, seconds=TIMEOUT):
    """Sends without reading until the other end takes no more; the bytes sent."""
    client.socket.setblocking(False)
    sent = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not select.select([], [client.socket], [], 1)[1]:
            break
        try:
            sent += client.socket.send(data)
        except BlockingIOError:
            continue
    client.socket.settimeout(TIMEOUT)
    return sent


def comes_in(path):
    """Whether a new client is served."""
    with Client(path) as client:
        return client.answers()


def need_plain_memory():
    """Sanitizers keep what was freed for a while."""
    with open(REDOD, "rb") as binary:
        if b"__asan_init" in binary.read():
            raise Skip("built with a sanitizer")


def connect_fails(path):
    """The errno of connecting; 0 if it succeeds."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(path)


def run(module_name="__main__"):
    module = sys.modules[module_name]
    tests = [(name, f) for name, f in vars(module).items()
             if inspect.isfunction(f) and f.__module__ == module_name and name.startswith("test_")]
    wanted = sys.argv[1:]
    passed = failed = 0
    for name, test in tests:
        if wanted and name not in wanted:
            continue
        try:
            test()
            print("ok      " + name, flush=True)
            passed += 1
        except Skip as reason:
            print("skipped %s: %s" % (name, reason), flush=True)
        except Exception:
            traceback.print_exc(file=sys.stdout)
            print("FAILED  " + name, flush=True)
            failed += 1
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed else 0)
