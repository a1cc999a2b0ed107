"""The two programs of the example, and what the tests of it share."""
import contextlib
import gzip
import importlib.util
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "server"))
from harness import TIMEOUT, Daemon, Folder

ROOT = os.path.join(HERE, "..", "..")
CASES = os.path.join(ROOT, "tests", "cases", "sokoban")
SCRIPT = os.path.join(ROOT, "client", "examples", "sokoban.py")
C = [os.environ.get("SOKOBAN") or os.path.join(ROOT, "build", "client", "examples", "sokoban")]
PYTHON = [sys.executable, SCRIPT]
BOTH = {"c": C, "python": PYTHON}
os.environ.pop("REDO_SESSION", None)  # the tests name their sessions, or want the usual name


@contextlib.contextmanager
def daemon():
    with Folder() as folder, Daemon(folder / "redod.sock") as running:
        yield running


def run(program, *options, socket=None, env=None):
    """(exit status, output, what it complained of)"""
    place = ["--socket", socket] if socket else []
    done = subprocess.run([*program, *place, *options], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=TIMEOUT, text=True,
                          env={**os.environ, **(env or {})})
    return done.returncode, done.stdout, done.stderr


def play(program, running, session, moves, level=1, *options):
    """What --play printed, line by line; all moves must be possible."""
    status, out, err = run(program, "--session", session, "--level", str(level), "--play", moves,
                           *options, socket=running.socket_path)
    assert (status, err) == (0, ""), (status, err, out[-200:])
    return out.splitlines()


def history(program, running, session, level=1):
    """What --print printed."""
    status, out, err = run(program, "--session", session, "--level", str(level), "--print",
                           socket=running.socket_path)
    assert (status, err) == (0, ""), (status, err)
    return out


def load_script():
    spec = importlib.util.spec_from_file_location("sokoban", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def levels():
    """The level records of the cases."""
    for name in sorted(os.listdir(CASES)):
        if name.endswith(".jsonl.gz"):
            with gzip.open(os.path.join(CASES, name)) as file:
                yield json.loads(file.readline())


class Lasting:
    """A daemon whose store is on disk, so that it can be ended and started again."""

    def __init__(self, folder):
        self.folder, self.socket_path = folder, folder / "redod.sock"
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.running.__exit__(*exception)

    def start(self):
        self.running = Daemon(self.socket_path, "--store", self.folder / "store")

    def end(self, number):
        self.running.end(number)
        self.running.__exit__(None, None, None)

    def client(self):
        return self.running.client()


@contextlib.contextmanager
def lasting_daemon():
    with Folder() as folder, Lasting(folder) as running:
        yield running
