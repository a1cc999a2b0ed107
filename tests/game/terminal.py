"""A program in a terminal of its own: keys in, screen out. The screen is kept by an emulation of as
much of a terminal as curses uses; what it does not know is an error, so that nothing is missed."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))
from harness import TIMEOUT

SEQUENCE = re.compile(rb"\x1b(?:\[([?>!]?)([0-9;]*)([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][0AB]"
                      rb"|([=>78MDEc]))")
LEFT, UP, RIGHT, DOWN = b"\x1bOD", b"\x1bOA", b"\x1bOC", b"\x1bOB"


class Emulation:
    """The screen as text. Colors are counted, not kept."""

    def __init__(self, lines, columns):
        self.full = False  # the program has taken the whole screen (alternate buffer)
        self.colors = 0
        self.rest = b""
        self.resize(lines, columns)

    def resize(self, lines, columns):
        self.lines, self.columns = lines, columns
        self.cells = [[" "] * columns for _ in range(lines)]
        self.y = self.x = 0
        self.top, self.bottom = 0, lines - 1
        self.saved = (0, 0)
        self.last = " "

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)

    def feed(self, data):
        data = self.rest + data
        self.rest = b""
        at = 0
        while at < len(data):
            byte = data[at]
            if byte == 0x1B:
                found = SEQUENCE.match(data, at)
                if not found:
                    assert len(data) - at < 64, "an unknown sequence: %r" % data[at:at + 16]
                    self.rest = data[at:]
                    return
                at = found.end()
                if found[3]:
                    self.control(found[1], found[2], chr(found[3][0]))
                elif found[4]:
                    self.escape(chr(found[4][0]))
                continue
            at += 1
            if byte == 0x0A:
                self.index()
            elif byte == 0x0D:
                self.x = 0
            elif byte == 0x08:
                self.x = max(0, self.x - 1)
            elif byte == 0x09:
                self.x = min(self.columns - 1, self.x // 8 * 8 + 8)
            elif byte >= 0x20:
                self.write(chr(byte))

    def write(self, c):
        if self.x == self.columns:
            self.x = 0
            self.index()
        self.cells[self.y][self.x] = self.last = c
        self.x += 1

    def index(self):
        if self.y == self.bottom:
            self.scroll(self.top, 1)
        elif self.y < self.lines - 1:
            self.y += 1

    def scroll(self, top, count):
        """Scrolls what is from top to the bottom margin, up; down if count is negative."""
        for _ in range(abs(count)):
            blank = [" "] * self.columns
            if count > 0:
                del self.cells[top]
                self.cells.insert(self.bottom, blank)
            else:
                del self.cells[self.bottom]
                self.cells.insert(top, blank)

    def escape(self, c):
        if c == "7":
            self.saved = (self.y, self.x)
        elif c == "8":
            self.y, self.x = self.saved
        elif c == "M":
            if self.y == self.top:
                self.scroll(self.top, -1)
            else:
                self.y = max(0, self.y - 1)
        elif c not in "=>":
            raise AssertionError("an unknown escape: %r" % c)

    def control(self, private, params, final):
        numbers = [int(n or 0) for n in params.split(b";")] if params else []
        first = numbers[0] if numbers else 0
        count = max(1, first)
        if private:
            if final in "hl" and set(numbers) & {47, 1047, 1049}:
                self.full = final == "h"
            assert final in "hlpc", "an unknown control: %r" % final
            return
        x = min(self.x, self.columns - 1)
        row = self.cells[self.y]
        if final in "Hf":
            self.y = min(count, self.lines) - 1
            self.x = min(max(1, numbers[1] if len(numbers) > 1 else 1), self.columns) - 1
        elif final == "A":
            self.y = max(0, self.y - count)
        elif final == "B":
            self.y = min(self.lines - 1, self.y + count)
        elif final == "C":
            self.x = min(self.columns - 1, self.x + count)
        elif final == "D":
            self.x = max(0, x - count)
        elif final == "G":
            self.x = min(count, self.columns) - 1
        elif final == "d":
            self.y = min(count, self.lines) - 1
        elif final == "Z":
            self.x = max(0, (x - 1) // 8 * 8)
        elif final == "J":
            here = self.y * self.columns + x
            for at in range(self.lines * self.columns):
                if (first == 2 or (first == 0 and at >= here) or (first == 1 and at <= here)):
                    self.cells[at // self.columns][at % self.columns] = " "
        elif final == "K":
            start, end = (x, self.columns) if first == 0 else (0, x + 1 if first == 1 else self.columns)
            row[start:end] = " " * (end - start)
        elif final == "X":
            count = min(count, self.columns - x)
            row[x:x + count] = " " * count
        elif final == "@":
            row[x:x] = " " * count
            del row[self.columns:]
        elif final == "P":
            del row[x:x + count]
            row.extend(" " * (self.columns - len(row)))
        elif final in "LM":
            self.scroll(self.y, count if final == "M" else -count)
        elif final in "ST":
            self.scroll(self.top, count if final == "S" else -count)
        elif final == "r":
            self.top = count - 1
            self.bottom = (numbers[1] if len(numbers) > 1 and numbers[1] else self.lines) - 1
            self.y = self.x = 0
        elif final == "b":
            for _ in range(count):
                self.write(self.last)
        elif final == "m":
            self.colors += any(30 <= n < 38 for n in numbers)
        elif final not in "hlt":
            raise AssertionError("an unknown control: %r" % final)


class Terminal:
    """A program that runs in a terminal. Its standard error is kept apart."""

    def __init__(self, command, lines=24, columns=80, term="xterm", env=None):
        self.screen = Emulation(lines, columns)
        self.master, slave = pty.openpty()
        self.set_size(slave, lines, columns)
        self.before = termios.tcgetattr(slave)
        self.slave = slave  # kept open, so that what was written last can be read
        environment = {k: v for k, v in os.environ.items() if k not in ("LINES", "COLUMNS")}
        environment.update(TERM=term, LC_ALL="C.UTF-8", **(env or {}))
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE,
                                        env=environment, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if exception[0] is not None:
            sys.stdout.write("".join("    screen: %s\n" % line
                                     for line in self.screen.text().split("\n")))
            sys.stdout.write("    error: %r\n" % self.process.stderr.read()[-2000:])
        self.process.stderr.close()
        os.close(self.master)
        os.close(self.slave)

    @staticmethod
    def set_size(fd, lines, columns):
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, lines, columns):
        """The kernel tells the program."""
        self.read(0)
        self.screen.resize(lines, columns)
        self.set_size(self.master, lines, columns)

    def press(self, keys):
        os.write(self.master, keys if isinstance(keys, bytes) else keys.encode())

    def read(self, timeout):
        """Takes in what the program has written; whether there was anything."""
        ready, _, _ = select.select([self.master], [], [], timeout)
        if ready:
            self.screen.feed(os.read(self.master, 1 << 16))
        return bool(ready)

    def wait(self, condition, what):
        """Waits until the screen's text meets a condition."""
        end = time.monotonic() + TIMEOUT
        while not condition(self.screen.text()):
            assert time.monotonic() < end, "waited in vain for %s" % what
            assert self.read(0.1) or self.process.poll() is None, "ended before %s" % what

    def shows(self, *texts):
        for text in texts:
            self.wait(lambda screen: text in screen, "%r on the screen" % text)

    def hides(self, text):
        self.wait(lambda screen: text not in screen, "%r to leave the screen" % text)

    def quiet(self, seconds=0.3):
        """Reads until nothing has come for so long."""
        while self.read(seconds):
            pass

    def ends(self):
        """Waits for the end: (exit status, what it said). The terminal must be as it was."""
        status = self.process.wait(TIMEOUT)
        while self.read(0):
            pass
        assert not self.screen.full, "the terminal was not given back"
        # What the line discipline does by itself (PENDIN) is not the program's.
        pending = getattr(termios, "PENDIN", 0o40000)
        now = termios.tcgetattr(self.slave)
        now[3] &= ~pending
        before = list(self.before)
        before[3] &= ~pending
        assert now == before, "the terminal is not as it was: %r, was %r" % (now, before)
        return status, self.process.stderr.read().decode()

    def kill(self, number=signal.SIGTERM):
        self.process.send_signal(number)
