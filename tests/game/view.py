"""The example in a terminal, as the tests of it want it: level 1, alone and by two."""
from players import BOTH, SCRIPT, daemon, load_script
from terminal import Terminal

START = """\
########
##  . ##
##    ######
##* @     ##
##    $   ##
##    ######
########"""

# After dlU.
PUSHED = """\
########
##  . ##
##$   ######
##+       ##
##    $   ##
##    ######
########"""


def terminal(program, running, *options, **more):
    return Terminal([*program, "--socket", running.socket_path, *options], **more)


def shows_board(t, board):
    """Waits until level 1 stands so; what is beside it does not count."""
    t.wait(lambda screen: board == "\n".join(row[:14].rstrip() for row in screen.split("\n")[2:9]),
           "the board")


def each(test):
    """Runs a test with a daemon and each of the programs."""
    for program in BOTH.values():
        with daemon() as running:
            test(program, running)


def each_pair(test):
    """With each of the programs as the first and as the second."""
    for first in BOTH.values():
        for second in BOTH.values():
            with daemon() as running:
                test(first, second, running)


def cursor(client, name="game", session="sokoban-1"):
    """Where a cursor is: a position, with its state."""
    message = client.call("getcursor", session, name, {"states": True})
    assert message[2] is None, message
    return message[3]


class Room:
    """A level as a file, and what the screen shows of it where a cursor is."""

    def __init__(self, path=SCRIPT.replace("sokoban.py", "levels.xsb")):
        self.level = load_script().Level.read(path, 1)

    def board(self, state):
        level, rows = self.level, []
        for y in range(level.height):
            cells = (level.cell(state, y * level.width + x) for x in range(level.width))
            rows.append("".join(cell + ("#" if cell == "#" else " ") for cell in cells).rstrip())
        return "\n".join(rows)

    def shown(self, screen, at):
        """Whether it is what is shown of this position."""
        rows = screen.split("\n")[2:2 + self.level.height]
        return ("Moves     %d\n" % at["movecount"] in screen.replace(" \n", "\n")
                and "Position  %d of " % at["number"] in screen
                and "\n".join(row[:2 * self.level.width].rstrip() for row in rows)
                == self.board(at["state"]))

    def shows_cursor(self, t, client, name="game"):
        """Waits until the screen is where the daemon says that the cursor is."""
        t.wait(lambda screen: self.shown(screen, cursor(client, name)), "the cursor's position")
