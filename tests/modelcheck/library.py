"""A client of the C library: the program player, which is told what to do line by line, lives through the loss
of its daemon, and is killed and started again. It keeps a record of what it did and what came of it, over all its lives."""
import os
import signal
import subprocess

import msgpack

from bare import Wrong
from operations import Draw, cursor_arguments

LOST = (40, 41, 42, 46)  # connecting, closed, timeout, resync: nobody knows whether it was done
CURSOR_METHODS = ("setcursor", "undo", "redo", "movecursor", "dropcursor")
SIMPLE = {"addposition": "add", "getnextposition": "next", "dropposition": "drop", "dropsubtree": "tree",
          "setgraftbehavior": "graft", "updatesavedstate": "update", "setbetterfields": "setbetter",
          "suppresscycle": "cycle", "duplicatepath": "dup", "clearsessionchanged": "clear"}


def word(value):
    if value is None:
        return "-1"
    return value.hex() if isinstance(value, bytes) else str(value)


def turn(adds, options):
    words = ["turn", options.get("cursor", "-"), word(options.get("expect"))]
    for prev, *rest in adds:
        words += [word(prev if prev >= 0 else prev - 1), *map(word, rest)]
    return words


def command(method, params, options):
    """The line for player."""
    if method == "addpositions":
        return turn(params[0], options)
    if method == "addposition" and "cursor" in options:
        return turn([params], options)
    if method in CURSOR_METHODS:
        position, source, move, value, name = cursor_arguments(method, params, options)
        return ["cursor", name.decode(), word(value), word(move), word(position), word(source)]
    if method == "setproperty":
        name, value = params
        return ["property", name] + ([] if value is None else [msgpack.packb(value).hex()])
    return [SIMPLE[method], *map(word, params)]


class Done:
    """A change that was asked for, and what came of it."""

    def __init__(self, method, params, options):
        self.method, self.params, self.options = method, params, options
        self.code = None   # None: nobody knows
        self.sequence = 0  # of its operation, if that is known
        self.changed = self.value = self.position = None


class Library:
    def __init__(self, name, who, rng, program, daemon, session, kills, log):
        self.name, self.rng, self.program, self.daemon, self.session = name, rng, program, daemon, session
        self.kills, self.log = kills, log
        self.draw = Draw(rng, who, [])
        self.record = []
        self.process = None
        self.doing = None   # what player is at: a Done, or a word
        self.sequence = self.lives = self.losses = 0
        self.quiet = False
        self.buffer = b""

    def fileno(self):
        return self.process.stdout.fileno()

    def writes(self):
        return False

    def start(self):
        self.lives += 1
        self.process = subprocess.Popen([self.program, self.session, self.name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, bufsize=0,
                                        env={**os.environ, "REDO_SOCKET": self.daemon.path})
        os.set_blocking(self.process.stdout.fileno(), False)
        self.buffer, self.doing = b"", "start"
        return True

    def end(self):
        """Kills it; what it was doing may have been done or not."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process, self.doing = None, None

    def tell(self, words, doing):
        self.doing = doing
        self.process.stdin.write((" ".join(words) + "\n").encode())

    def dump(self, path):
        self.tell(["dump", path], "dump")

    def read(self):
        """Takes the answer if it is there."""
        try:
            data = os.read(self.process.stdout.fileno(), 65536)
        except BlockingIOError:
            return False
        self.buffer += data
        if b"\n" in self.buffer:
            line, _, self.buffer = self.buffer.partition(b"\n")
            self.answered(list(map(int, line.split())))
        elif not data:
            code = self.process.wait()
            raise Wrong("%s ended with %d" % (self.name, code))
        return True

    def answered(self, numbers):
        doing, self.doing = self.doing, None
        code = numbers[0]
        if doing == "start" and code in LOST:
            self.end()  # it has ended: there was no daemon
        elif code in LOST:
            self.losses += 1
        elif isinstance(doing, Done):
            self.learn(doing, numbers)
        elif code:
            raise Wrong("%s: %s: %d" % (self.name, doing, code))
        else:
            self.sequence = numbers[1]
            self.draw.made = max(self.draw.made, numbers[2])

    def learn(self, done, numbers):
        done.code, done.sequence, done.changed, done.value, done.position = numbers
        if done.code == 0 and done.position >= 0:
            self.draw.newest = done.position
            self.draw.made = max(self.draw.made, done.position + 1)
            if done.method in CURSOR_METHODS:
                self.draw.cursors[done.params[0]] = done.position

    def act(self):
        method = "restoresubtree"
        while method == "restoresubtree":  # which the library has not
            method, params, options = self.draw.request()
        done = Done(method, params, options)
        self.record.append(done)
        self.tell(command(method, params, options), done)

    def step(self):
        if self.process is None:
            return self.daemon.running and self.start()
        if not self.quiet and self.rng.random() < self.kills:
            self.end()
            return True
        if self.doing is not None:
            return self.read()
        if self.quiet:
            return False
        if self.rng.random() < 0.1:
            self.tell(["step", "0"], "step")
        else:
            self.act()
        return True

    def __str__(self):
        return "%s: %s, doing %s, seen %d" % (self.name, "runs" if self.process else "does not run",
                                              getattr(self.doing, "method", self.doing), self.sequence)

    def settled(self):
        return self.process is not None and self.doing is None
