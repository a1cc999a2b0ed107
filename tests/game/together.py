"""Two players at a time, each of the programs with each: on one cursor and on cursors of their own,
pressing keys at once, one of them killed, the daemon started again under both."""
import os
import re
import signal
import subprocess

from players import BOTH, C, PYTHON, daemon, lasting_daemon, play
from view import PUSHED, START, Room, cursor, each, each_pair, shows_board, terminal
from harness import TIMEOUT, wait_for
import harness

GONE, BACK = "The daemon is gone.", "The daemon is back."
OWN = ("--cursor", "ann"), ("--cursor", "bob")
SHARED = ("--name", "ann"), ("--name", "bob")

# So wide that two moves in either direction are possible wherever the player is.
WIDE = """\
##############
#@           #
# $.         #
##############
"""


def each_lasting_pair(test):
    for first in BOTH.values():
        for second in BOTH.values():
            with lasting_daemon() as running:
                test(first, second, running)


def ended(process):
    """Waits for the end of a --play: (exit status, its lines, what it complained of)"""
    out, err = process.communicate(timeout=TIMEOUT)
    return process.returncode, out.splitlines(), err


def plays(program, running, session, moves, *options):
    """Starts a --play."""
    return subprocess.Popen([*program, "--socket", running.socket_path, "--session", session,
                             "--play", moves, *options], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# ---- who is where ----------------------------------------------------------------------------


def test_move_shows_at_once_with_who_made_it():
    def check(first, second, running):
        with terminal(first, running, "--name", "ann") as a, \
                terminal(second, running, "--name", "bob") as b:
            b.shows("Moves     0")
            a.press("j")
            for t in (a, b):
                t.shows("Moves     1", "Made by   ann")
            b.press("h")
            for t in (a, b):
                t.shows("Moves     2", "Made by   bob")
            a.shows("Another player has moved.")
            assert "Others" not in a.screen.text() + b.screen.text()
    each_pair(check)


def test_players_with_cursors_of_their_own_see_where_the_other_is():
    def check(first, second, running):
        with terminal(first, running, "--name", "ann", *OWN[0]) as a, \
                terminal(second, running, "--name", "ben", *OWN[1]) as b:
            a.shows("cursor ann", "Others: bob at 0")
            b.shows("cursor bob", "Others: ann at 0")
            a.press("jhk")
            shows_board(a, PUSHED)
            b.shows("Others: ann at 3 (by ann)")
            shows_board(b, START)
            b.press("l")
            a.shows("Others: bob at 1 (by ben)")
            shows_board(a, PUSHED)
            a.press("u")
            b.shows("Others: ann at 2 (by ann)")
            b.press("u")
            a.shows("Others: bob at 0")
            b.press("jh")  # the positions that ann has made
            a.shows("Others: bob at 2 (by ann)")
            b.shows("Made by   ann")
    each_pair(check)


def test_many_cursors_and_strange_names_do_no_harm():
    def check(program, running):
        with terminal(program, running) as t, running.client() as client:
            t.shows("Moves     0")
            for name in ("\x1b[2Jclear", "two\nlines", "c", "d", "e", "f", "g", "h", "i", "x" * 255):
                assert client.call("setcursor", "sokoban-1", name, 0)[2] is None
            t.shows("Others: ?[2Jclear at 0", ", c at 0")
            t.resize(24, 200)
            t.shows("i at 0", ", ...")
            t.press("j")
            t.shows("Moves     1")
    each(check)


def test_cursor_that_was_taken_away_is_made_again_where_the_player_is():
    def check(program, running):
        with terminal(program, running) as t, running.client() as client:
            t.press("jh")
            t.shows("Moves     2")
            client.call("dropcursor", "sokoban-1", "game")
            t.press("k")
            t.shows("The cursor was taken away: once more.", "Moves     2")
            t.press("k")
            t.shows("Moves     3")
            assert cursor(client)["movecount"] == 3
    each(check)


# ---- undo ------------------------------------------------------------------------------------


def test_undo_mine_takes_back_own_moves_only():
    def check(first, second, running):
        with terminal(first, running, "--name", "ann") as a, \
                terminal(second, running, "--name", "bob") as b:
            b.shows("Moves     0")
            a.press("j")
            b.shows("Moves     1")
            b.press("hk")
            a.shows("Moves     3")
            a.press("m")
            a.shows("Another player made this move.", "Moves     3")
            b.press("mmm")
            b.shows("Another player made this move.", "Moves     1")
            a.shows("Moves     1")
            a.press("mm")
            a.shows("This is the start.", "Moves     0")
            b.shows("Moves     0")
    each_pair(check)


def test_undo_and_as_many_redo_come_back():
    """Also when the other has played something else there, with a cursor of its own."""
    def check(first, second, running):
        with terminal(first, running) as a, terminal(second, running, *OWN[1]) as b:
            b.shows("Moves     0")
            a.press("jhkuuu")
            b.shows("Others: game at 0", "Position  0 of 4")
            b.press("jl")  # another way from the position after the first move
            a.shows("Position  0 of 5", "Others: bob at 2")
            a.press("rrr")  # the second asks, the third answers: what was undone
            a.shows("Position  2 of 5")
            a.press("r")
            shows_board(a, PUSHED)
    each_pair(check)


# ---- at the same time ------------------------------------------------------------------------


class Log:
    """What was done to a session, as the daemon tells it."""

    def __init__(self, client, session="sokoban-1"):
        self.client, self.operations = client, []
        assert client.call("attach", session, {"snapshot": False})[2] is None

    def call(self, method, *params):
        """Hears of all that was done before the answer."""
        self.client.send(harness.request(1, method, *params))
        while True:
            message = self.client.read()
            if message[0] == 1:
                return message[1:]
            if message[1] == "operation":
                self.operations.append(message[2])

    def moves(self, name):
        """The positions that a player has made, with the cursor's way to them."""
        self.call("server.ping")
        return [effects for _, _, _, effects, _ in self.operations
                if effects["author"]["name"] == name and effects["new"]]


def test_keys_pressed_at_the_same_time_are_moves_or_are_refused():
    """None is lost, none is doubled: of each key the daemon has one move, or the screen says that
    the other player was faster; and both screens end where the cursor is."""
    def check(first, second, running):
        path = os.path.join(os.path.dirname(running.socket_path), "wide.xsb")
        with open(path, "w") as file:
            file.write(WIDE)
        room, rounds = Room(path), 25
        with running.client() as client, running.client() as listener, \
                terminal(first, running, "--levels", path, "--name", "ann") as a, \
                terminal(second, running, "--levels", path, "--name", "bob") as b:
            players = {"ann": a, "bob": b}
            for t in players.values():
                t.shows("Moves     0")
            log = Log(listener)
            for _ in range(rounds):
                for t in players.values():
                    room.shows_cursor(t, client)
                    t.press("x")  # no command: takes the message of before away
                    t.hides("Another player")
                before = {name: len(log.moves(name)) for name in players}
                key = "l" if cursor(client)["state"][0] % 14 <= 6 else "h"
                for t in players.values():
                    t.press(key)
                accepted = 0
                for name, t in players.items():
                    t.wait(lambda screen: len(log.moves(name)) > before[name] or
                           "Another player was faster." in screen, "what came of the key of " + name)
                    accepted += len(log.moves(name)) - before[name]
                assert 1 <= accepted <= 2, accepted
            for t in players.values():
                room.shows_cursor(t, client)
            check_chain(log, cursor(client))
    each_pair(check)


def check_chain(log, at):
    """The moves follow each other, one position each, and end where the cursor is."""
    log.call("server.ping")
    number = 0
    for _, _, _, effects, _ in log.operations:
        assert effects["position"]["prev"] == number, effects
        number = effects["position"]["number"]
        assert effects["cursors"] == [{"name": "game", "position": number}], effects
    assert (at["number"], at["movecount"]) == (number, len(log.operations))


def test_keys_held_down_by_both_end_in_the_same_place():
    """Nobody waits for anything: two terminals full of keys."""
    def check(first, second, running):
        path = os.path.join(os.path.dirname(running.socket_path), "wide.xsb")
        with open(path, "w") as file:
            file.write(WIDE)
        room = Room(path)
        with running.client() as client, running.client() as listener, \
                terminal(first, running, "--levels", path, "--name", "ann") as a, \
                terminal(second, running, "--levels", path, "--name", "bob") as b:
            for t in (a, b):
                t.shows("Moves     0")
            log = Log(listener)
            for keys in ("ll", "h", "l", "lll", "hh", "j", "k") * 8:
                a.press(keys)
                b.press(keys[::-1])
            a.press("?")  # when its last key is done
            b.press("?")
            for t in (a, b):
                t.shows("any key: on")
                t.press(" ")
            for t in (a, b):
                room.shows_cursor(t, client)
            check_chain(log, cursor(client))
    each_pair(check)


def test_two_that_play_at_once_have_each_step_told_done_once():
    """Each line that --play prints is a move that the daemon has made; the second joins as soon as the
    first has made the cursor."""
    def check(first, second, running):
        with running.client() as client:
            for n in range(4):
                name, lines = "s%d" % n, {}
                started = [plays(first, running, name, "rl" * 20, "--name", "ann")]
                wait_for(lambda: client.call("getcursor", name, "game")[2] is None, "the cursor")
                started.append(plays(second, running, name, "rl" * 20, "--name", "bob"))
                said = [ended(process) for process in started]
                for status, out, err in said:
                    assert status == 0 or (status == 1 and re.fullmatch(
                        r"sokoban: step \d+, [rl]: (Another player was faster|Something is in the way)"
                        r"\.\n", err)), (status, err)
                    for line in out[:-1]:
                        number = int(line.split()[1])
                        assert number not in lines, line
                        lines[number] = line
                at = cursor(client, session=name)
                assert at["movecount"] == len(lines) == client.call("getsessionsize", name)[3] - 1
                assert sorted(lines) == list(range(1, len(lines) + 1))
    each_pair(check)


# ---- one is killed ---------------------------------------------------------------------------


def test_killed_player_leaves_the_game_to_the_other():
    def check(first, second, running):
        for options in (SHARED, OWN):
            session = ("--session", options[0][0][2:])
            with terminal(second, running, *options[1], *session) as b:
                with terminal(first, running, *options[0], *session) as a:
                    for t in (a, b):
                        t.shows("Moves     0")
                    a.press("jh")
                    a.shows("Moves     2")
                    a.kill(signal.SIGKILL)
                    a.process.wait()
                    if options is SHARED:
                        b.shows("Moves     2")
                    else:
                        b.shows("Others: ann at 2", "Moves     0")
                        b.press("jh")
                        b.shows("Moves     2")
                b.press("k")
                shows_board(b, PUSHED)
                b.press("u")
                b.shows("Moves     2")
                with terminal(first, running, *options[0], *session) as a:
                    a.shows("Moves     2")  # where the cursor is
                    a.press("k")
                    shows_board(a, PUSHED)
                    b.press("q")
                    assert b.ends() == (0, "")
    each_pair(check)


# ---- the daemon is started again -------------------------------------------------------------


def restart(running, number, *terminals):
    running.end(number)
    for t in terminals:
        t.shows(GONE)
    running.start()
    for t in terminals:
        t.shows(BACK)


def test_game_goes_on_by_itself_when_the_daemon_is_started_again():
    def check(first, second, running):
        with terminal(first, running, *SHARED[0]) as a, terminal(second, running, *SHARED[1]) as b:
            for t in (a, b):
                t.shows("Moves     0")
            for number, keys, moves in ((signal.SIGTERM, "jh", 2), (signal.SIGKILL, "k", 3)):
                a.press(keys)
                for t in (a, b):
                    t.shows("Moves     %d" % moves)
                restart(running, number, a, b)
                for t in (a, b):
                    t.shows("Moves     %d" % moves, "Made by   ann")
            b.press("u")
            a.shows("Moves     2", "Another player has moved.")
            a.press("r")
            for t in (a, b):
                shows_board(t, PUSHED)
            with running.client() as client:
                assert cursor(client)["number"] == 3
                assert client.call("getsessionsize", "sokoban-1")[3] == 4
    each_lasting_pair(check)


def test_cursors_of_their_own_outlive_the_daemon():
    def check(first, second, running):
        with terminal(first, running, *OWN[0]) as a, terminal(second, running, *OWN[1]) as b:
            for t in (a, b):
                t.shows("Moves     0")
            a.press("jhk")
            a.shows("Moves     3")
            b.press("l")
            b.shows("Moves     1", "Others: ann at 3")
            for number in (signal.SIGKILL, signal.SIGTERM):
                restart(running, number, a, b)
                a.shows("Moves     3", "Others: bob at 1")
                b.shows("Moves     1", "Others: ann at 3")
            a.press("u")
            b.shows("Others: ann at 2")
            b.press("u")
            a.shows("Others: bob at 0")
    each_lasting_pair(check)


def test_what_was_missed_is_followed():
    """A player who was stopped while the daemon was started again and others played on."""
    def check(first, second, running):
        with terminal(first, running, *SHARED[0]) as a:
            a.press("j")
            a.shows("Moves     1")
            a.kill(signal.SIGSTOP)
            running.end(signal.SIGKILL)
            running.start()
            play(second, running, "sokoban-1", "lU<")
            a.kill(signal.SIGCONT)
            a.shows(BACK, "Moves     2", "Position  2 of 4")
    each_lasting_pair(check)


def test_board_stays_while_the_daemon_is_gone():
    def check(first, second, running):
        with terminal(first, running) as a, terminal(second, running, "--session", "other") as b:
            for t in (a, b):
                t.press("jhk")
                shows_board(t, PUSHED)
            running.end(signal.SIGTERM)
            for t in (a, b):
                t.shows(GONE)
                t.press("k")
                t.press("?")
                t.shows("any key: on")
                t.press("  ")
                t.shows(GONE)
                shows_board(t, PUSHED)
            b.press("q")
            assert b.ends() == (0, "")
            running.start()
            a.shows(BACK)
            shows_board(a, PUSHED)
    each_lasting_pair(check)


def test_history_can_be_looked_at_while_the_daemon_is_gone():
    """Of the C program, which has a copy of it. When the daemon is back, so is the player."""
    with lasting_daemon() as running:
        play(C, running, "sokoban-1", "d<rl<<dlU")
        with terminal(C, running) as t:
            shows_board(t, PUSHED)
            running.end(signal.SIGKILL)
            t.shows(GONE)
            t.press("uu")
            t.shows("Position  1 of 6", GONE)
            t.press("j")
            t.shows("The daemon is gone: you can only look.", "Position  1 of 6")
            t.press("0")
            shows_board(t, START)
            t.press("r")
            t.shows("Redo which?")
            t.press("2")
            t.shows("Position  2 of 6")
            t.press("r")
            t.shows("You have been here", "Position  3 of 6")
            t.press("B")
            t.shows("Position  0 of 6")
            t.press("f")
            t.shows("Position  5 of 6")
            t.press("b")
            t.shows("Position  0 of 6")
            t.press("s")
            t.shows("No solution from here is known.")
            running.start()
            t.shows(BACK, "Position  5 of 6")
            shows_board(t, PUSHED)
            t.press("u")
            t.shows("Position  4 of 6")


def test_player_who_was_told_too_much_to_read_is_where_the_cursor_is():
    """A frontend that was stopped is told no more of the session, and attaches again."""
    def check(program, running):
        with harness.Daemon(running.socket_path + "2", "--output-soft", "65536", "--output-hard",
                            "262144") as slow, slow.client() as client:
            with terminal(program, slow) as t:
                t.press("j")
                t.shows("Moves     1")
                t.kill(signal.SIGSTOP)
                for n in range(4000):  # events of several times what may wait, and the socket holds
                    client.call("setcursor", "sokoban-1", "other", n % 2)
                client.call("setcursor", "sokoban-1", "game", 0)
                t.kill(signal.SIGCONT)
                t.shows("Moves     0")
                t.press("j")
                t.shows("Moves     1")
                client.call("setcursor", "sokoban-1", "game", 0)
                t.shows("Moves     0")
    each(check)


def test_session_that_did_not_last_ends_the_game():
    """The store was in memory: there is nothing to go on with."""
    with harness.Folder() as folder:
        for program in BOTH.values():
            path = folder / "redod.sock"
            with harness.Daemon(path) as running, terminal(program, running) as t:
                t.press("j")
                t.shows("Moves     1")
                running.end()
                t.shows(GONE)
                with harness.Daemon(path):
                    assert t.ends() == (3, "sokoban: the session was deleted\n")


def test_moves_that_were_told_are_there_after_the_daemon_was_killed():
    """Under --play: the C program goes on with the next daemon, and no move is lost or doubled; the
    Python program ends, and what it has told was done."""
    for program in (C, PYTHON):
        with lasting_daemon() as running:
            moves = 400
            process = plays(program, running, "one", "rl" * (moves // 2))
            with running.client() as client:
                wait_for(lambda: (client.call("getsessionsize", "one")[3] or 0) > 50, "50 moves")
            running.end(signal.SIGKILL)
            running.start()
            status, out, err = ended(process)
            told = [int(line.split()[1]) for line in out if line[0] in "rl"]
            assert told == list(range(1, len(told) + 1))
            with running.client() as client:
                size = client.call("getsessionsize", "one")[3]
                assert cursor(client, session="one")["number"] == size - 1
            if program is C:
                assert (status, err, len(told), size) == (0, "", moves, moves + 1), (status, err, size)
            else:
                assert (status, err) == (3, "sokoban: the daemon has gone away\n"), (status, err)
                assert len(told) <= size - 1 <= len(told) + 1, (len(told), size)


if __name__ == "__main__":
    harness.run()
