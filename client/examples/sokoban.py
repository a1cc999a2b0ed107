#!/usr/bin/python3
"""Sokoban, as an example of a game whose history is in redod, written against the bare protocol:
msgpack and a socket are all it needs. It keeps no copy of the history but asks for what it shows,
and hears of what other players of the session do. Where the player is, a cursor of the session says.

If the daemon goes away and comes back, it connects again and goes on. A request whose answer was lost
on the way is not sent a second time: where the cursor is then tells whether it was done.

Exit status: 0; 1 if a move of --play was not possible, or the output could not be written; 2 if the
options or the level are wrong; 3 if there is no daemon, or it went away under --play, or the session
was deleted.
"""
import argparse
import collections
import curses
import os
import pwd
import re
import select
import signal
import socket
import sys

import msgpack

TIMEOUT = 10  # seconds that an answer may take
PRUNE = 4  # with cycles suppressed, a detour of fewer moves than this is forgotten

SHARED_CURSOR = "game"  # of all who do not name one
OTHERS = 8  # cursors that a line has room for
BACKOFF = 0.05, 1.0  # seconds from one try to find the daemon again to the next: at first, at most

# Errors of the daemon that mean something here.
NOSESSION, POSITION, DROPPED, STATE, RESYNC, NOCURSOR, EXPECTED = 2, 3, 4, 6, 46, 48, 49
NOPOSITION = 2 ** 32 - 1  # a number that no position has


# ---- the daemon ------------------------------------------------------------------------------


class Gone(Exception):
    """There is no history any more, or never was."""


class Lost(Gone):
    """The connection is gone; the daemon may come back."""


class Refused(Exception):
    """What the daemon answered instead of a result."""

    def __init__(self, error):
        super().__init__(error[1])
        self.code = error[0]


def usual_place():
    """Where redod listens if nobody said otherwise."""
    if os.environ.get("REDO_SOCKET"):
        return os.environ["REDO_SOCKET"]
    if os.environ.get("XDG_RUNTIME_DIR", "").startswith("/"):
        return os.environ["XDG_RUNTIME_DIR"] + "/redod/redod.sock"
    if os.geteuid() == 0:
        return "/run/redod/redod.sock"
    return os.environ.get("HOME", "") + "/.local/state/redod/redod.sock"


class Daemon:
    """A connection: requests out, answers in; events wait in a queue until someone looks."""

    def __init__(self, path, name):
        self.path, self.name = path, name
        self.id = 0
        self.connect()

    def connect(self):
        """Connects, the first time or again, and says who calls."""
        self.answers = collections.deque()  # (id, error, result)
        self.events = collections.deque()  # (method, params)
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False,
                                         max_buffer_size=64 * 1024 * 1024)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(TIMEOUT)
        try:
            self.socket.connect(self.path)
        except (OSError, ValueError):
            self.close()
            raise Lost("no daemon answers at %s: start redod, or name its socket with --socket"
                       % self.path) from None
        self.call("server.hello", {"client": self.name})

    def fileno(self):
        return self.socket.fileno()

    def close(self):
        self.socket.close()

    def call(self, method, *params):
        """The result; Refused if it is an error."""
        error, result = self.call_all([(method, *params)])[0]
        if error is not None:
            raise Refused(error)
        return result

    def call_all(self, calls):
        """Requests sent in one piece; [(error, result)] in their order."""
        first = self.id + 1
        self.id += len(calls)
        requests = [msgpack.packb([0, first + i, method, params])
                    for i, (method, *params) in enumerate(calls)]
        try:
            self.socket.sendall(b"".join(requests))
        except OSError:
            raise self._lost("the daemon has gone away") from None
        while len(self.answers) < len(calls):
            self._receive()
        answers = [self.answers.popleft() for _ in calls]
        if [id for id, _, _ in answers] != list(range(first, self.id + 1)):
            raise Gone("the other end does not speak this protocol")
        return [(error, result) for _, error, result in answers]

    def poll(self):
        """Takes in what has come, without waiting."""
        while select.select([self.socket], [], [], 0)[0]:
            self._receive()

    def _lost(self, why):
        self.close()
        return Lost(why)

    def _receive(self):
        try:
            data = self.socket.recv(1 << 16)
        except socket.timeout:
            raise self._lost("no answer in time") from None
        except OSError:
            data = b""
        if not data:
            raise self._lost("the daemon has gone away")
        try:
            self.unpacker.feed(data)
            for message in self.unpacker:
                if message[0] == 1:
                    self.answers.append(message[1:])
                elif message[0] == 2:
                    self.events.append((message[1], message[2]))
        except (ValueError, LookupError, TypeError, msgpack.exceptions.UnpackException):
            raise Gone("the other end does not speak this protocol") from None


# ---- the board -------------------------------------------------------------------------------


class BadLevel(Exception):
    """What is wrong with a file of levels, or with the level wanted."""


class Level:
    """A level: what does not move, and the state at the start. A state is bytes: the player's cell,
    then the boxes' cells in rising order; a cell is y * width + x."""

    def __init__(self, number, rows):
        self.number = number
        self.width, self.height = max(map(len, rows)), len(rows)
        cells = "".join(row.ljust(self.width) for row in rows)
        if len(cells) > 256 or sum(c in "$*" for c in cells) > 64:
            raise BadLevel("the level is too large: it may have 256 cells and 64 boxes")
        players = [i for i, c in enumerate(cells) if c in "@+"]
        boxes = [i for i, c in enumerate(cells) if c in "$*"]
        self.goals = {i for i, c in enumerate(cells) if c in ".+*"}
        self.walls = {i for i, c in enumerate(cells) if c == "#"}
        if len(players) != 1:
            raise BadLevel("the level must have one player")
        if not boxes or len(boxes) != len(self.goals):
            raise BadLevel("the level must have boxes, and as many goals")
        self.initial = bytes(players + boxes)

    @classmethod
    def read(cls, path, number):
        """The level of that number (0: the first) from a file in XSB."""
        try:
            with open(path, encoding="latin-1") as file:
                lines = file.read().split("\n")
        except OSError as e:
            raise BadLevel("can not be read: " + e.strerror) from None
        coming, rows = 1, []
        for line in lines + [""]:
            line = line.rstrip("\r")
            if "#" in line and not line.strip("#@+$*. "):
                rows.append(line)
                continue
            if rows:
                if number in (0, coming):
                    return cls(coming, rows)
                coming, rows = coming + 1, []
            comment = re.fullmatch(r";\s*(\d{1,6})\s*", line)
            if comment and int(comment[1]) > 0:
                coming = int(comment[1])
        raise BadLevel("there is no level of that number")

    def neighbor(self, cell, direction):
        """The cell next to one, or None beyond the edge or at a wall."""
        x, y = cell % self.width, cell // self.width
        x, y = x + (-1, 0, 1, 0)[direction], y + (0, -1, 0, 1)[direction]
        if not (0 <= x < self.width and 0 <= y < self.height):
            return None
        cell = y * self.width + x
        return None if cell in self.walls else cell

    def move(self, state, direction):
        """Directions are 0 left, 1 up, 2 right, 3 down; (move, state after), a push being the
        direction + 4; or None if a wall or a box is in the way."""
        boxes = list(state[1:])
        to = self.neighbor(state[0], direction)
        if to is None:
            return None
        if to not in boxes:
            return direction, bytes([to]) + state[1:]
        beyond = self.neighbor(to, direction)
        if beyond is None or beyond in boxes:
            return None
        boxes[boxes.index(to)] = beyond
        return direction + 4, bytes([to] + sorted(boxes))

    def solved(self, state):
        return self.goals.issuperset(state[1:])

    def cell(self, state, cell):
        """What a cell shows, in XSB."""
        goal = cell in self.goals
        if cell == state[0]:
            return "+" if goal else "@"
        if cell in state[1:]:
            return "*" if goal else "$"
        return "#" if cell in self.walls else "." if goal else " "


# ---- the game --------------------------------------------------------------------------------

MOVES = ["left", "up", "right", "down", "push left", "push up", "push right", "push down"]
GRAFTS = ["none", "graft", "copy path", "graft and copy"]


class NotPossible(Exception):
    """A command that can not be done here; nothing was."""


def plain(name):
    """A name is what others say it is: it must not play tricks with the terminal."""
    return "".join("?" if c < " " or c == "\x7f" else c for c in name)


class Game:
    """A level, the session that holds its history, and the cursor that says where the player is.
    Commands are characters, those of --play.

    All who play with one cursor are at the same place. Each command that moves it says where the
    player saw it: if another has moved it meanwhile nothing is done, since the key was meant for
    another board."""

    def __init__(self, daemon, level, name, cursor=SHARED_CURSOR, suppress=False):
        self.daemon, self.level, self.name, self.cursor = daemon, level, name, cursor
        self.suppress = suppress
        self.away = False  # the daemon is gone, for now
        self.message = ""
        self.mine = None
        self.authors = {}  # names by number
        try:
            session = daemon.call("beginsession", level.initial, len(level.initial), 0,
                                  {"name": name, "join": True})
            self.session = session["session"]
            self.at = self.ask("getposition", 0, {"states": True})
        except Refused as e:
            other = e.code == STATE
            raise Gone("the session holds another level" if other else str(e)) from None
        if self.at["state"] != level.initial:
            raise Gone("the session holds another level")
        self.attach()

    def ask(self, method, *params):
        return self.result(self.daemon.call_all([(method, self.session, *params)])[0])

    @staticmethod
    def result(answer):
        error, result = answer
        if error is not None and error[0] == NOSESSION:
            raise Gone("the session was deleted")
        if error is not None:
            raise Refused(error)
        return result

    def pages(self, method, *params, start=None):
        """The positions of all pages; start is the option that `next` is given as."""
        options = {}
        while True:
            page = self.ask(method, *params, options)
            yield from page["positions"]
            if page["next"] is None:
                return
            options = {start: page["next"]}

    # -- what others do

    def attach(self):
        """From now on, events tell of what is done to the session."""
        self.sequence = self.ask("attach", {"snapshot": False})["sequence"]

    def step(self):
        """Takes in what others have done; whether there was anything."""
        self.daemon.poll()
        if not self.daemon.events:
            return False
        self.settle()
        return True

    def settle(self):
        """Looks at the events that have come, and at what there is to show since."""
        if not self.daemon.events:
            return
        elsewhere = False  # another has moved the cursor
        mine = self.at["number"]  # where this player has left it
        while self.daemon.events:  # others come while this looks at what there is
            while self.daemon.events:
                method, params = self.daemon.events.popleft()
                if params[0] != self.session:
                    continue
                if method == "sessionended":
                    raise Gone("the session was deleted")
                if method in ("resync", "lagged"):  # from here on nothing more would be told
                    self.attach()
                if method == "operation":
                    self.sequence, effects, own = params[1], params[3], params[4]
                    moved = self.moved(effects)
                    if moved and own:
                        self.mine = mine = moved[0]
                    elsewhere = elsewhere or not own and bool(moved)
            self.refresh()
        if elsewhere and self.at["number"] != mine:
            self.message = "Another player has moved."

    def moved(self, effects):
        """Where an operation has moved the cursor to: [number], or []."""
        return [c["position"] for c in effects["cursors"]
                if c["name"] == self.cursor and c["position"] is not None]

    def events_moved(self, own):
        """Where operations that were heard of and not yet looked at have moved the cursor to: those
        of this player, or of others; [number]."""
        return [number for method, params in self.daemon.events
                if method == "operation" and params[0] == self.session and params[4] == own
                for number in self.moved(params[3])]

    # -- where the player is

    def refresh(self):
        """Finds out all that is shown."""
        here, *others = self.daemon.call_all([
            ("getcursor", self.session, self.cursor, {"states": True}),
            ("getfirstposition", self.session),
            ("getsession", self.session),
            ("getcursors", self.session),
        ])
        self.first, self.about, cursors = [self.result(answer) for answer in others]
        # If the cursor was taken away the player stays where it was.
        gone = here[0] is not None and here[0][0] == NOCURSOR
        self.at = self.position(self.at["number"]) if gone else self.result(here)
        self.best = self.at  # the end of the chain of better positions
        while self.best["better"] is not None:
            self.best = self.position(self.best["better"])
        self.refresh_others([c for c in cursors if c["name"] != self.cursor])

    def refresh_others(self, cursors):
        """Where the other cursors are: [(name, position)], and who made those positions."""
        self.more = len(cursors) > OTHERS
        answers = self.daemon.call_all([("getposition", self.session, c["position"])
                                        for c in cursors[:OTHERS]])
        self.others = [(c["name"], position)
                       for c, (error, position) in zip(cursors, answers) if error is None]
        made = {p["author"] for p in (self.at, *(p for _, p in self.others))} - {None}
        if not made.issubset(self.authors):
            self.read_authors()

    def read_authors(self):
        """Authors are never taken away: only those with higher numbers are new."""
        after = max(self.authors, default=0)
        while after is not None:
            page = self.ask("getauthors", {"after": after})
            for author in page["authors"]:
                self.authors[author["author"]] = author["name"] or "user %d" % author["uid"]
            after = page["next"]

    def position(self, number):
        """A position with its state; the first one, if it was dropped just now."""
        try:
            return self.ask("getposition", number, {"states": True})
        except Refused as e:
            if e.code != DROPPED:
                raise
            return self.ask("getposition", 0, {"states": True})

    # -- joining, and joining again

    def join(self):
        """Joins those who play with the cursor, where they are. If nobody does, it is made: where an
        older version of this program has left the session, else at the start."""
        try:
            self.ask("getcursor", self.cursor)
        except Refused as e:
            if e.code != NOCURSOR:
                raise
            self.make_cursor(self.left_before())
        self.refresh()

    def make_cursor(self, start):
        self.ask("setcursor", self.cursor, start)
        # If another has made it in the same moment, and may have moved already, that counts.
        for theirs in self.events_moved(own=False)[-1:]:
            try:
                self.ask("setcursor", self.cursor, theirs, {"expect": start})
            except Refused as e:
                if e.code not in (EXPECTED, DROPPED):
                    raise

    def left_before(self):
        """Older versions, which knew no cursors, kept the position's number as a property."""
        number = self.ask("getproperties").get("position")
        if type(number) is not int or not 0 <= number < NOPOSITION:
            return 0
        try:
            return self.ask("getposition", number)["number"]
        except Refused as e:
            if e.code not in (POSITION, DROPPED):
                raise
            return 0

    def lose(self):
        """The daemon is gone: what is shown stays."""
        self.away, self.message = True, ""

    def reconnect(self):
        """Looks for a daemon that is gone; whether it is back. What was missed comes as events, as if
        the connection had never broken; if it can not be told, all is read anew in any case."""
        try:
            self.daemon.connect()
            self.session = self.daemon.call("opensession", self.name)["session"]
            try:
                self.ask("attach", {"snapshot": False, "since": self.sequence})
            except Refused as e:
                if e.code != RESYNC:
                    raise
                self.attach()
            self.settle()
            self.refresh()
        except Lost:
            return False
        except Refused as e:
            raise Gone("the session was deleted" if e.code == NOSESSION else str(e)) from None
        self.away, self.message = False, "The daemon is back."
        return True

    # -- commands

    def command(self, letter):
        """Does it, or raises NotPossible."""
        self.message = ""
        self.mine = None  # where it has moved the cursor to
        run = COMMANDS.get(letter)
        if not run:
            raise NotPossible("There is no such command.")
        refusal = None
        try:
            run(self, letter)
        except NotPossible as e:
            refusal = e
        except Refused as e:
            refusal = self.refusal(e)
        self.settle()
        if refusal:
            raise refusal

    def refusal(self, error):
        """In words: another player may just have moved the cursor, or dropped what was asked for."""
        if error.code == NOCURSOR:  # it was taken away: it is made anew where the player is
            self.make_cursor(self.position(self.at["number"])["number"])
            return NotPossible("The cursor was taken away: once more.")
        return NotPossible({EXPECTED: "Another player was faster.",
                            DROPPED: "That position was dropped."}.get(error.code, str(error)))

    def go(self, method, *params, none="", **options):
        """Moves the cursor; none: what there is to say if that leads nowhere."""
        options["expect"] = self.at["number"]
        if not self.ask(method, self.cursor, *params, options)["steps"]:
            raise NotPossible(none)

    def move(self, letter):
        if self.at["endpoint"]:
            raise NotPossible("The level is solved.")
        made = self.level.move(self.at["state"], "lurd".index(letter.lower()))
        if not made:
            raise NotPossible("Something is in the way.")
        move, state = made
        if self.suppress and self.close_cycle(state):
            return
        # The position and the cursor's way to it are one operation: both or none.
        here, endpoint = self.at["number"], int(self.level.solved(state))
        self.ask("addposition", here, move, state, endpoint, 1,
                 {"cursor": self.cursor, "expect": here})

    def close_cycle(self, state):
        """Whether the state is on the path to here; then the cursor goes back to it, and a short
        detour is forgotten: its positions are dropped, and the cursor is at the last that is left."""
        here = self.at["number"]
        found = self.ask("suppresscycle", here, state, PRUNE)
        if not found["found"]:
            return False
        for left in self.events_moved(own=True):
            here = left
        self.ask("setcursor", self.cursor, found["position"], {"expect": here})
        self.message = "Back where you were on this path."
        return True

    def undo(self, _):
        self.go("undo", none="This is the start.")

    def undo_mine(self, _):
        start = self.at["prev"] is None
        self.go("undo", mine=True,
                none="This is the start." if start else "Another player made this move.")

    def start(self, _):
        if self.at["prev"] is None:
            raise NotPossible("This is the start.")
        self.go("setcursor", 0)

    def redo(self, _):
        self.go("redo", none="There is nothing to redo.")

    def branches(self):
        try:
            return list(self.pages("getbranches", self.at["number"], start="offset"))
        except Refused as e:
            if e.code != DROPPED:
                raise
            return []

    def redo_branch(self, letter):
        branches, n = self.branches(), int(letter)
        if not branches:
            raise NotPossible("There is nothing to redo.")
        if n > len(branches):
            raise NotPossible("There is no such branch.")
        self.go("redo", move=branches[n - 1]["move"], none="That position was dropped.")

    def back(self, _):
        self.go("movecursor", "branchback", none="This is the start.")

    def forward(self, _):
        self.go("movecursor", "branchforth", none="There is nothing to redo.")

    def better(self, _):
        if self.best is self.at:
            raise NotPossible("No better way to here is known.")
        while self.at["better"] is not None:  # to the end of the chain
            self.go("movecursor", "better", none="No better way to here is known.")
            self.settle()

    def solution(self, letter):
        if not self.at["solutionend"]:
            raise NotPossible("No solution from here is known.")
        self.go("movecursor", "solution", n=1 if letter == "$" else self.about["positions"],
                none="This is the solution's end.")

    def drop(self, _):
        if self.at["prev"] is None:
            raise NotPossible("The start can not be dropped.")
        if self.at["nextcount"]:
            raise NotPossible("Only a position that nothing follows can be dropped.")
        self.ask("dropposition", self.at["number"])  # its cursors go to the one before by themselves
        self.message = "Dropped."

    def graft(self, _):
        following = (self.about["graft"] + 1) % len(GRAFTS)
        self.ask("setgraftbehavior", following)
        self.message = "Grafting: %s." % GRAFTS[following]

    def toggle_suppress(self, _):
        self.suppress = not self.suppress
        self.message = "Cycles are %s." % ("suppressed" if self.suppress else "kept")

    # -- telling

    def mark(self):
        """The two lines of the mark, or None."""
        if self.best is self.at:
            return None
        fewer = self.at["movecount"] - self.best["movecount"]
        how = "as many moves" if not fewer else "%d fewer move%s" % (fewer, "s" * (fewer != 1))
        return "You have been here", "(in %s)" % how

    def author(self, position):
        """Who made a position; None if that is not known."""
        name = self.authors.get(position["author"])
        return name and plain(name)

    def others_line(self):
        """Where the other cursors are: "ann at 12 (by bob), game at 3"."""
        told = []
        for name, p in self.others:
            author = self.author(p)
            told.append("%s at %d%s" % (plain(name), p["movecount"],
                                        " (by %s)" % author if author else ""))
        return ", ".join(told + ["..."] * self.more)

    def print(self):
        for p in self.pages("getpositions", start="after"):
            fields = [p[key] for key in ("number", "prev", "move", "movecount", "better",
                                         "endpoint", "solutionsize")]
            print(*("-" if field is None else field for field in fields))


COMMANDS = {
    **dict.fromkeys("lurdLURD", Game.move), **dict.fromkeys("123456789", Game.redo_branch),
    "<": Game.undo, "m": Game.undo_mine, ">": Game.redo, "^": Game.back, "v": Game.forward,
    "*": Game.better, "$": Game.solution, "!": Game.solution, "0": Game.start, "_": Game.drop,
    "%": Game.graft, "~": Game.toggle_suppress,
}


# ---- the terminal ----------------------------------------------------------------------------

HELP = """\
arrows, hjkl   move
u              undo
m              undo, but only your own move
r              redo; where there are several branches, choose one
b              back to the last branch point
f              forward to the next branch point, or the end
0              to the start
B              to the better position: the same board in fewer moves
s              a step towards the solution
S              to the solution's end
g              grafting: what a shorter way to a known board takes over
c              suppress cycles: going in circles leaves no trace
d              drop this position, if nothing follows it
?              this help
q              quit; the history stays, and can be played on

All who play with one cursor move together. A key that another player
was faster than does nothing: look at the new board, and press again.
While the daemon is gone the board stays, and keys that must ask it do
nothing; the game goes on by itself when it is back.""".split("\n")

KEYS = {curses.KEY_LEFT: "l", curses.KEY_UP: "u", curses.KEY_RIGHT: "r", curses.KEY_DOWN: "d"}
KEYS.update((ord(key), command) for key, command in zip("hklj" "umrbf0BsSgcd", "lurd" "<m>^v0*$!%~_"))

PANEL_WIDTH, PANEL_LINES = 36, 9
PLAIN, WALL, BOX, DONE, GOAL, PLAYER, MARK = range(7)
CELL_COLORS = {"#": WALL, "$": BOX, "*": DONE, ".": GOAL, "@": PLAYER, "+": PLAYER, " ": PLAIN}
PLAYING, CHOOSING, HELPING = range(3)


def scrolled(size, room, at):
    """Where to begin so that `at` is in the middle, of `size` of which `room` are seen."""
    return max(0, min(at - room // 2, size - room))


class Screen:
    """The game in a terminal. One loop: draw, wait for a key or for the daemon, do it. The panel
    stands beside the board, or below it in short form; a board that is too large is shown around
    the player."""

    def __init__(self, window, game, wakeup):
        self.window, self.game, self.wakeup = window, game, wakeup
        self.mode, self.choice, self.branches, self.help_top = PLAYING, None, [], 0
        window.nodelay(True)
        try:
            curses.curs_set(0)
        except curses.error:
            pass
        self.attributes = [curses.A_NORMAL, curses.A_DIM, curses.A_BOLD, curses.A_BOLD,
                           curses.A_NORMAL, curses.A_BOLD, curses.A_BOLD]
        if curses.has_colors():
            curses.use_default_colors()
            colors = (curses.COLOR_BLUE, curses.COLOR_YELLOW, curses.COLOR_GREEN,
                      curses.COLOR_MAGENTA, curses.COLOR_CYAN, curses.COLOR_YELLOW)
            for pair, color in enumerate(colors, 1):
                curses.init_pair(pair, color, -1)
                self.attributes[pair] |= curses.color_pair(pair)

    # -- drawing

    def put(self, y, x, color, text):
        """Writes text as far as it fits into the window."""
        if 0 <= y < self.lines and 0 <= x < self.columns:
            try:
                self.window.addnstr(y, x, text, self.columns - x, self.attributes[color])
            except curses.error:
                pass  # the last cell of the window was written: the cursor can go nowhere

    def draw_board(self, top, lines, wide):
        level, state = self.game.level, self.game.at["state"]
        columns = self.columns // wide
        first_x = scrolled(level.width, columns, state[0] % level.width)
        first_y = scrolled(level.height, lines, state[0] // level.width)
        for y in range(first_y, min(level.height, first_y + lines)):
            for x in range(first_x, min(level.width, first_x + columns)):
                cell = level.cell(state, y * level.width + x)
                text = cell + ("#" if cell == "#" else " ")
                self.put(top + y - first_y, (x - first_x) * wide, CELL_COLORS[cell], text[:wide])

    def draw_panel(self, y, x):
        game, at = self.game, self.game.at
        known, here = game.first["solutionsize"], at["solutionsize"]
        solution = ("none known" if not known else "%d, none from here" % known if not here
                    else "%d, from here %d" % (known, here) if here != known else "%d" % known)
        lines = ["Moves     %d" % at["movecount"],
                 "Position  %d of %d" % (at["number"], game.about["positions"]),
                 "Made by   " + (game.author(at) or "-"),
                 "Branches  %d" % at["nextcount"],
                 "Solution  " + solution,
                 "Grafting  " + GRAFTS[game.about["graft"]],
                 "Cycles    " + ("suppressed" if game.suppress else "kept")]
        for i, line in enumerate(lines):
            self.put(y + i, x, PLAIN, line)
        for i, line in enumerate(game.mark() or ()):
            self.put(y + len(lines) + i, x, MARK, line)

    def draw_short_panel(self, y):
        """The same in two lines."""
        game, at = self.game, self.game.at
        self.put(y, 0, PLAIN, "Moves %d  Pos %d  Br %d  Sol %s" % (
            at["movecount"], at["number"], at["nextcount"], game.first["solutionsize"] or "-"))
        mark = " ".join(game.mark() or ())
        if len(mark) > self.columns:
            mark = "B" + mark[len("You have b"):]
        self.put(y + 1, 0, MARK, mark)

    def draw_title(self):
        """Which game this is, and where the others are in it."""
        game = self.game
        self.put(0, 0, PLAIN, "Level %d  %s  cursor %s" % (game.level.number, game.name, game.cursor))
        if game.others:
            self.put(1, 0, PLAIN, "Others: " + game.others_line())

    def draw_choice(self):
        """The branches to choose from, over the middle of the window."""
        width, branches = 56, self.branches[:9]
        x = max(0, (self.columns - width) // 2)
        y = max(0, (self.lines - len(branches) - 3) // 2)
        self.put(y, x, MARK, "-" * width)
        self.put(y + 1, x, MARK, " Redo which? (Enter: what was undone, or 1; Esc: none)".ljust(width))
        for n, p in enumerate(branches, 1):
            name = MOVES[p["move"]] if 0 <= p["move"] < len(MOVES) else "?"
            solution = ("solution in %d" % p["solutionsize"] if p["solutionend"]
                        else "no solution known")
            line = " %d  %-10s  position %-6d  %s" % (n, name, p["number"], solution)
            self.put(y + 1 + n, x, PLAIN, line.ljust(width))
        self.put(y + 2 + len(branches), x, MARK, "-" * width)

    def draw_last(self):
        """The last line: what there is to say, or what the key for help is."""
        game = self.game
        if game.message:
            self.put(self.lines - 1, 0, MARK, game.message)
        elif game.away:
            self.put(self.lines - 1, 0, MARK,
                     "The daemon is gone. The game goes on when it is back.")
        elif game.at["endpoint"]:
            self.put(self.lines - 1, 0, MARK, "Solved in %d moves. u takes one back, q leaves."
                     % game.at["movecount"])
        else:
            self.put(self.lines - 1, 0, PLAIN, "? help  q quit")

    def draw(self):
        self.lines, self.columns = self.window.getmaxyx()
        self.window.erase()
        if self.mode == HELPING:
            for i, line in enumerate(HELP[self.help_top:self.help_top + self.lines - 1]):
                self.put(i, 0, PLAIN, line)
            self.put(self.lines - 1, 0, MARK, "any key: on")
            self.window.refresh()
            return
        level = self.game.level
        top = 2 if self.lines >= 10 else 0
        lines = under = self.lines - top - 1
        beside = lines >= PANEL_LINES and self.columns >= level.width + 2 + PANEL_WIDTH
        columns = self.columns - PANEL_WIDTH - 2 if beside else self.columns
        wide = 2 if columns >= 2 * level.width else 1
        if top:
            self.draw_title()
        if not beside and lines > 4:
            lines -= 2
        self.draw_board(top, lines, wide)
        if beside:
            self.draw_panel(top, level.width * wide + 2)
        elif under > 4:
            self.draw_short_panel(self.lines - 3)
        self.draw_last()
        if self.mode == CHOOSING:
            self.draw_choice()
        self.window.move(self.lines - 1, self.columns - 1)
        self.window.refresh()

    # -- keys

    def command(self, letter):
        try:
            self.game.command(letter)
        except NotPossible as e:
            self.game.message = str(e)

    def press(self, key):
        """Does what a key asks for; False if it is to leave."""
        game = self.game
        if key == curses.KEY_RESIZE:
            return True
        if self.mode == HELPING:
            self.help_top += max(1, self.lines - 1)
            if self.help_top >= len(HELP):
                self.mode = PLAYING
            return True
        if key == ord("q"):
            return False
        if key == ord("?"):
            self.mode, self.help_top = HELPING, 0
            return True
        if game.away:
            return True
        game.message = ""
        if self.mode == CHOOSING:
            self.mode = PLAYING
            if key in (ord("\n"), ord("\r"), curses.KEY_ENTER, ord("r")):
                self.command(">")
            elif ord("1") <= key <= ord("9"):
                self.command(chr(key))
        elif key == ord("r") and game.at["nextcount"] > 1:
            self.branches = game.branches()
            self.mode, self.choice = CHOOSING, game.at["number"]
        elif key in KEYS:
            self.command(KEYS[key])
        return True

    # -- the loop

    def resize(self):
        """A signal has come, perhaps of another window size."""
        os.read(self.wakeup, 4096)
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
        if (lines, columns) != self.window.getmaxyx():
            curses.resizeterm(lines, columns)

    def step(self):
        """Takes in what others have done."""
        if self.game.step() and self.mode == CHOOSING:
            self.branches = self.game.branches()
            if self.game.at["number"] != self.choice or len(self.branches) < 2:
                self.mode = PLAYING  # someone else has moved

    def wait(self, timeout):
        """Waits for a key, the daemon, a signal, or so many seconds; False if the terminal is
        gone."""
        there = [] if self.game.away else [self.game.daemon]
        ready, _, _ = select.select([sys.stdin, self.wakeup, *there], [], [], timeout)
        if self.wakeup in ready:
            self.resize()
        return not (sys.stdin in ready and hung_up(sys.stdin))

    def turn(self):
        """One round of the loop; False if it is to leave."""
        self.step()
        self.draw()
        if self.game.daemon.events:
            return True  # they came with an answer: the socket will not tell
        key = self.window.getch()
        if key == curses.ERR:
            return self.wait(None)
        return self.press(key)

    def turn_away(self, pause):
        """The same while the daemon is gone, for so many seconds at most."""
        self.draw()
        key = self.window.getch()
        if key == curses.ERR:
            return self.wait(pause)
        return self.press(key)

    def run(self):
        pause, go_on = BACKOFF[0], True
        while go_on:
            try:
                if not self.game.away:
                    go_on = self.turn()
                elif self.game.reconnect():
                    pause = BACKOFF[0]
                else:
                    go_on = self.turn_away(pause)
                    pause = min(2 * pause, BACKOFF[1])
            except Lost:
                self.game.lose()
                self.mode = PLAYING if self.mode == CHOOSING else self.mode


def hung_up(file):
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))


class Ended(Exception):
    """A signal that ends the program."""


def end(number, _):
    raise Ended(number)


def play_in_terminal(game):
    wakeup, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGWINCH, lambda *_: None)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, end)
    os.environ.setdefault("ESCDELAY", "25")
    try:
        curses.setupterm()
    except curses.error:
        return complain("this terminal can not be used: is TERM right?")
    try:
        curses.wrapper(lambda window: Screen(window, game, wakeup).run())
    except Ended as e:
        return 128 + e.args[0]
    return 0


# ---- options ---------------------------------------------------------------------------------


def complain(what, status=2):
    sys.stdout.flush()
    print("sokoban: " + what, file=sys.stderr)
    return status


def play(game, letters):
    """Plays letter by letter, up to the first that is not possible."""
    status = 0
    for i, letter in enumerate(letters, 1):
        try:
            game.command(letter)
        except NotPossible as e:
            status = complain("step %d, %s: %s" % (i, letter, e), 1)
            break
        at = game.at if game.mine is None else game.position(game.mine)
        better = "-" if at["better"] is None else at["better"]
        print(letter, at["number"], at["movecount"], better, at["solutionsize"])
    print("solved" if game.level.solved(game.at["state"]) else "not solved")
    return status


def level_number(text):
    if not re.fullmatch(r"\d{1,6}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError("wants a number from 1")
    return int(text)


def kept_name(text):
    """A name that is kept with the session."""
    try:
        if 1 <= len(text.encode()) <= 255:
            return text
    except UnicodeEncodeError:
        pass
    raise argparse.ArgumentTypeError("wants 1 to 255 bytes of UTF-8")


def login_name():
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return "user %d" % os.getuid()


def read_options():
    parser = argparse.ArgumentParser(prog="sokoban", description="Sokoban; its history is in redod.")
    parser.add_argument("--level", type=level_number, default=0, metavar="N",
                        help="level number N of the file (default: the first)")
    parser.add_argument("--levels", metavar="FILE", help="another file of levels, in XSB",
                        default=os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                             "levels.xsb"))
    parser.add_argument("--session", metavar="NAME",
                        help="the history to play in (default: $REDO_SESSION, or sokoban-N)")
    parser.add_argument("--socket", metavar="PATH",
                        help="where redod listens (default: $REDO_SOCKET, or the usual place)")
    parser.add_argument("--cursor", type=kept_name, default=SHARED_CURSOR, metavar="NAME",
                        help="play with a cursor of your own, or with those who name the same; "
                        "without, all players of the session are at one place (the cursor "
                        "\"game\"). A move that another player was faster than is not made")
    parser.add_argument("--name", type=kept_name, default=login_name(),
                        help="who plays: positions remember who made them (default: the login name)")
    parser.add_argument("--suppress", action="store_true", help="suppress cycles from the start")
    parser.add_argument("--play", metavar="MOVES",
                        help="play without a terminal, from where the cursor is, and tell each step: "
                        "l u r d moves (also upper case), < undo, m undo own moves only, > redo, 1-9 "
                        "redo that branch, ^ back and v forward to a branch point, * to better, 0 to "
                        "the start, $ step to the solution, ! to its end, _ drop, %% graft, ~ "
                        "suppress")
    parser.add_argument("--print", action="store_true",
                        help="print the history: number prev move movecount better endpoint "
                        "solutionsize")
    return parser.parse_args()


def run(options):
    try:
        level = Level.read(options.levels, options.level)
    except BadLevel as e:
        return complain("%s: %s" % (options.levels, e))
    name = options.session or os.environ.get("REDO_SESSION") or "sokoban-%d" % level.number
    try:
        name.encode()
    except UnicodeEncodeError:
        return complain("the name of a session is UTF-8")
    terminal = options.play is None and not options.print
    if terminal and not (sys.stdin.isatty() and sys.stdout.isatty()):
        return complain("this is no terminal: use --play or --print")
    status = 0
    try:
        daemon = Daemon(options.socket or usual_place(), options.name)
        game = Game(daemon, level, name, options.cursor, options.suppress)
        if terminal or options.play is not None:
            game.join()
        if terminal:
            status = play_in_terminal(game)
        if options.play is not None:
            status = play(game, options.play)
        if options.print:
            game.print()
        daemon.close()
    except (Gone, Refused) as e:
        return complain(str(e), 3)
    return status


def main():
    options = read_options()
    try:
        status = run(options)
        sys.stdout.flush()
        return status
    except OSError as e:
        # The disk may be full. What is left is not to be tried again when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return complain("can not write the output: %s" % e.strerror, 1)


if __name__ == "__main__":
    sys.exit(main())
