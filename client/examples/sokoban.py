#!/usr/bin/python3
"""Sokoban, as an example of a game whose history is in redod, written against the bare protocol:
msgpack and a socket are all it needs. It keeps no copy of the history but asks for what it shows,
and hears of what other frontends of the session do.

Exit status: 0; 1 if a move of --play was not possible, or the output could not be written; 2 if the
options or the level are wrong; 3 if there is no daemon, or it went away.
"""
import argparse
import collections
import curses
import os
import re
import select
import signal
import socket
import sys

import msgpack

TIMEOUT = 10  # seconds that an answer may take
PRUNE = 4  # with cycles suppressed, a detour of fewer moves than this is forgotten

# Errors of the daemon that mean something here.
NOSESSION, POSITION, DROPPED, STATE = 2, 3, 4, 6
NOPOSITION = 2 ** 32 - 1  # a number that no position has


# ---- the daemon ------------------------------------------------------------------------------


class Gone(Exception):
    """There is no history any more, or never was."""


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

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(TIMEOUT)
        try:
            self.socket.connect(path)
        except (OSError, ValueError):
            raise Gone("no daemon answers at %s: start redod, or name its socket with --socket"
                       % path) from None
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False,
                                         max_buffer_size=64 * 1024 * 1024)
        self.answers = collections.deque()  # (id, error, result)
        self.events = collections.deque()  # (method, params)
        self.id = 0

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
            raise Gone("the daemon has gone away") from None
        while len(self.answers) < len(calls):
            self._receive(TIMEOUT)
        answers = [self.answers.popleft() for _ in calls]
        if [id for id, _, _ in answers] != list(range(first, self.id + 1)):
            raise Gone("the other end does not speak this protocol")
        return [(error, result) for _, error, result in answers]

    def poll(self):
        """Takes in what has come, without waiting."""
        while select.select([self.socket], [], [], 0)[0]:
            self._receive(TIMEOUT)

    def _receive(self, timeout):
        try:
            self.socket.settimeout(timeout)
            data = self.socket.recv(1 << 16)
        except socket.timeout:
            raise Gone("no answer in time") from None
        except OSError:
            data = b""
        if not data:
            raise Gone("the daemon has gone away")
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


class Game:
    """A level, the session that holds its history, and the position the player is at. Commands are
    characters, those of --play."""

    def __init__(self, daemon, level, name, follow=False, suppress=False):
        self.daemon, self.level = daemon, level
        self.follow, self.suppress = follow, suppress
        self.message = ""
        try:
            session = daemon.call("beginsession", level.initial, len(level.initial), 0,
                                  {"name": name, "join": True})
            self.session = session["session"]
            state = daemon.call("getsavedstate", self.session, 0)
        except Refused as e:
            other = e.code == STATE
            raise Gone("the session holds another level" if other else str(e)) from None
        if state != level.initial:
            raise Gone("the session holds another level")
        self.go(0)

    def ask(self, method, *params):
        return self.daemon.call(method, self.session, *params)

    def pages(self, method, *params, start=None):
        """The positions of all pages; start is the option that `next` is given as."""
        options = {}
        while True:
            page = self.ask(method, *params, options)
            yield from page["positions"]
            if page["next"] is None:
                return
            options = {start: page["next"]}

    # -- where the player is

    def go(self, number):
        """Puts the player at a position and finds out all that is shown of it."""
        self.number = number
        self.refresh()

    def refresh(self):
        answers = self.daemon.call_all([
            ("getposition", self.session, self.number, {"states": True}),
            ("getfirstposition", self.session),
            ("getsession", self.session),
        ])
        for error, _ in answers:
            if error is not None:
                raise Refused(error)
        self.at, self.first, self.about = [result for _, result in answers]
        self.best = self.at  # the end of the chain of better positions
        while self.best["better"] is not None:
            self.best = self.ask("getposition", self.best["better"])

    def resume(self):
        """Puts the player where the session's players are; if nobody has said so, where the front
        branches lead: the line that was played last. Without follow always there."""
        if self.follow and self.go_first(self.shared()):
            return
        number, deeper = 0, True
        while deeper:
            deeper = False
            for p in self.ask("gettree", number)["positions"][1:]:
                if p["prev"] != number:
                    break
                number, deeper = p["number"], True
        self.go(number)

    def share(self):
        """Tells the session's other frontends where the player is: as a property of the session,
        since undo, say, changes nothing in the history."""
        self.ask("setproperty", "position", self.number)

    def shared(self):
        """The position that was shared last, or None; it may have been dropped."""
        number = self.ask("getproperties").get("position")
        return number if type(number) is int and 0 <= number < NOPOSITION else None

    def go_first(self, *numbers):
        """Goes to the first of these positions that is there; whether one was."""
        for number in numbers:
            if number is not None:
                before = self.number
                try:
                    self.go(number)
                    return True
                except Refused as e:
                    self.number = before
                    if e.code not in (POSITION, DROPPED):
                        raise
        return False

    def attach(self):
        """From now on, events tell of what is done to the session."""
        self.ask("attach", {"snapshot": False})

    def step(self):
        """Takes in what others have done; whether there was anything."""
        self.daemon.poll()
        if not self.daemon.events:
            return False
        self.settle()
        return True

    def settle(self):
        """Looks at the events that have come: follows, and leaves what was dropped."""
        if not self.daemon.events:
            return
        number, refuge, elsewhere = self.number, None, False
        while self.daemon.events:
            method, params = self.daemon.events.popleft()
            if params[0] != self.session:
                continue
            if method == "sessionended":
                raise Gone("the session was deleted")
            if method == "operation":
                effects, own = params[3:5]
                # Of this frontend and another, that one leads which was the last to tell.
                if effects["method"] == "setproperty":
                    elsewhere = self.follow and not own
                if effects["dropped"]:
                    refuge = effects["position"]["number"]
                    if effects["method"] == "dropposition" and number in effects["gone"]:
                        number = refuge
        shared = self.shared() if elsewhere else None
        before = self.number
        self.go_first(shared, number, refuge, 0)
        if shared == self.number != before:
            self.message = "Another frontend has moved."

    # -- commands

    def command(self, letter):
        """Does it, or raises NotPossible."""
        self.message = ""
        run = COMMANDS.get(letter)
        if not run:
            raise NotPossible("There is no such command.")
        try:
            before, number = self.number, run(self, letter)
            self.go(before if number is None else number)
            if self.follow and self.number != before:
                self.share()
        except Refused as e:
            if e.code == NOSESSION:
                raise Gone("the session was deleted") from None
            # Another frontend may just have dropped what was asked for.
            raise NotPossible("That position was dropped." if e.code == DROPPED
                              else str(e)) from None
        finally:
            self.settle()

    def move(self, letter):
        if self.at["endpoint"]:
            raise NotPossible("The level is solved.")
        made = self.level.move(self.at["state"], "lurd".index(letter.lower()))
        if not made:
            raise NotPossible("Something is in the way.")
        move, state = made
        if self.suppress:
            found = self.ask("suppresscycle", self.number, state, PRUNE)
            if found["found"]:
                self.message = "Back where you were on this path."
                return found["position"]
        endpoint = int(self.level.solved(state))
        return self.ask("addposition", self.number, move, state, endpoint, 1)["number"]

    def undo(self, _):
        if self.at["prev"] is None:
            raise NotPossible("This is the start.")
        return self.at["prev"]

    def start(self, _):
        if self.at["prev"] is None:
            raise NotPossible("This is the start.")
        return 0

    def along(self, branch):
        """Goes along a branch, which thereby becomes the front one."""
        position = self.ask("getnextposition", branch["prev"], branch["move"])
        if position is None:
            raise NotPossible("That position was dropped.")
        return position["number"]

    def branches(self):
        return list(self.pages("getbranches", self.number, start="offset"))

    def redo(self, letter):
        branches = self.branches()
        if not branches:
            raise NotPossible("There is nothing to redo.")
        n = 1 if letter == ">" else int(letter)
        if n > len(branches):
            raise NotPossible("There is no such branch.")
        return self.along(branches[n - 1])

    def back(self, _):
        path = list(self.pages("getpath", self.number, start="offset"))
        for p in reversed(path[:-1]):
            if p["nextcount"] > 1:
                return p["number"]
        raise NotPossible("There is no branch point before.")

    def forward(self, _):
        p = self.at
        if not p["nextcount"]:
            raise NotPossible("There is nothing to redo.")
        while p is self.at or p["nextcount"] == 1:
            p = self.ask("getbranches", p["number"], {"limit": 1})["positions"][0]
        return p["number"]

    def better(self, _):
        if self.best is self.at:
            raise NotPossible("No better way to here is known.")
        return self.best["number"]

    def solution(self, letter):
        """A page of the solution starts with the position it was asked for."""
        page = self.ask("getsolution", self.number)
        if not page["positions"]:
            raise NotPossible("No solution from here is known.")
        path = page["positions"][1:]
        if not path:
            raise NotPossible("This is the solution's end.")
        if letter == "$":
            return self.along(path[0])
        number = self.number
        while path:
            for p in path:
                number = self.along(p)
            following = page["next"]
            page = self.ask("getsolution", following) if following is not None else None
            path = page["positions"] if page else []
        return number

    def drop(self, _):
        if self.at["prev"] is None:
            raise NotPossible("The start can not be dropped.")
        if self.at["nextcount"]:
            raise NotPossible("Only a position that nothing follows can be dropped.")
        number = self.ask("dropposition", self.number)
        self.message = "Dropped."
        return number

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

    def print(self):
        for p in self.pages("getpositions", start="after"):
            fields = [p[key] for key in ("number", "prev", "move", "movecount", "better",
                                         "endpoint", "solutionsize")]
            print(*("-" if field is None else field for field in fields))


COMMANDS = {
    **dict.fromkeys("lurdLURD", Game.move), **dict.fromkeys(">123456789", Game.redo),
    "<": Game.undo, "^": Game.back, "v": Game.forward, "*": Game.better, "$": Game.solution,
    "!": Game.solution, "0": Game.start, "_": Game.drop, "%": Game.graft,
    "~": Game.toggle_suppress,
}


# ---- the terminal ----------------------------------------------------------------------------

HELP = """\
arrows, hjkl   move
u              undo
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
q              quit; the history stays, and can be played on""".split("\n")

KEYS = {curses.KEY_LEFT: "l", curses.KEY_UP: "u", curses.KEY_RIGHT: "r", curses.KEY_DOWN: "d"}
KEYS.update((ord(key), command) for key, command in zip("hklj" "urbf0BsSgcd", "lurd" "<>^v0*$!%~_"))

PANEL_WIDTH = 36
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

    def __init__(self, window, game, name, wakeup):
        self.window, self.game, self.name, self.wakeup = window, game, name, wakeup
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

    def draw_choice(self):
        """The branches to choose from, over the middle of the window."""
        width, branches = 56, self.branches[:9]
        x = max(0, (self.columns - width) // 2)
        y = max(0, (self.lines - len(branches) - 3) // 2)
        self.put(y, x, MARK, "-" * width)
        self.put(y + 1, x, MARK, " Redo which? (Enter: 1, Esc: none)".ljust(width))
        for n, p in enumerate(branches, 1):
            name = MOVES[p["move"]] if 0 <= p["move"] < len(MOVES) else "?"
            solution = ("solution in %d" % p["solutionsize"] if p["solutionend"]
                        else "no solution known")
            line = " %d  %-10s  position %-6d  %s" % (n, name, p["number"], solution)
            self.put(y + 1 + n, x, PLAIN, line.ljust(width))
        self.put(y + 2 + len(branches), x, MARK, "-" * width)

    def draw_last(self):
        """The last line: a message, or what the key for help is."""
        game = self.game
        if game.message:
            self.put(self.lines - 1, 0, MARK, game.message)
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
        beside = lines >= 8 and self.columns >= level.width + 2 + PANEL_WIDTH
        columns = self.columns - PANEL_WIDTH - 2 if beside else self.columns
        wide = 2 if columns >= 2 * level.width else 1
        if top:
            self.put(0, 0, PLAIN, "Level %d  %s" % (level.number, self.name))
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
        game.message = ""
        if self.mode == CHOOSING:
            self.mode = PLAYING
            if key in (ord("\n"), ord("\r"), curses.KEY_ENTER, ord("r")):
                self.command("1")
            elif ord("1") <= key <= ord("9"):
                self.command(chr(key))
        elif key == ord("q"):
            return False
        elif key == ord("?"):
            self.mode, self.help_top = HELPING, 0
        elif key == ord("r") and game.at["nextcount"] > 1:
            self.mode, self.choice, self.branches = CHOOSING, game.number, game.branches()
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

    def run(self):
        self.game.attach()
        self.game.resume()
        while True:
            if self.game.step() and self.mode == CHOOSING:
                self.branches = self.game.branches()
                if self.game.number != self.choice or len(self.branches) < 2:
                    self.mode = PLAYING  # someone else has moved
            self.draw()
            if self.game.daemon.events:
                continue  # they came with an answer: the socket will not tell
            key = self.window.getch()
            if key == curses.ERR:
                ready, _, _ = select.select([sys.stdin, self.game.daemon, self.wakeup], [], [])
                if self.wakeup in ready:
                    self.resize()
                key = self.window.getch()
                if key == curses.ERR:
                    if sys.stdin in ready and hung_up(sys.stdin):
                        return
                    continue
            if not self.press(key):
                return


def hung_up(file):
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))


class Ended(Exception):
    """A signal that ends the program."""


def end(number, _):
    raise Ended(number)


def play_in_terminal(game, name):
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return complain("this is no terminal: use --play or --print")
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
        curses.wrapper(lambda window: Screen(window, game, name, wakeup).run())
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
        at = game.at
        better = "-" if at["better"] is None else at["better"]
        print(letter, at["number"], at["movecount"], better, at["solutionsize"])
    print("solved" if game.level.solved(game.at["state"]) else "not solved")
    return status


def level_number(text):
    if not re.fullmatch(r"\d{1,6}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError("wants a number from 1")
    return int(text)


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
    parser.add_argument("--follow", choices=["yes", "no"], default="yes",
                        help="no: neither follow other frontends of the session nor lead them")
    parser.add_argument("--suppress", action="store_true", help="suppress cycles from the start")
    parser.add_argument("--play", metavar="MOVES",
                        help="play without a terminal, and tell each step: l u r d moves (also upper "
                        "case), < undo, > redo, 1-9 redo that branch, ^ back and v forward to a "
                        "branch point, * to better, 0 to the start, $ step to the solution, ! to its "
                        "end, _ drop, %% graft, ~ suppress")
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
    alone = options.play is not None or options.print
    status = 0
    try:
        daemon = Daemon(options.socket or usual_place())
        game = Game(daemon, level, name, follow=options.follow == "yes" and not alone,
                    suppress=options.suppress)
        if options.play is not None:
            status = play(game, options.play)
            if options.follow == "yes":
                game.share()
        if options.print:
            game.print()
        if not alone:
            status = play_in_terminal(game, name)
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
