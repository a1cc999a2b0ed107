"""The example in a terminal: keys in, screen out, alone and two of them in one game."""
import signal

from players import BOTH, C, PYTHON, daemon, history, play
from terminal import DOWN, LEFT, RIGHT, UP, Terminal
from view import PUSHED, START, each, each_pair, shows_board, terminal
from harness import Folder, wait_for
import harness

# Level 1, by its shortest solution, and the same as keys.
SOLUTION = "dlUrrrdLullddrUluRuulDrddrruLdlUU"
KEYS = SOLUTION.lower().translate(str.maketrans("lurd", "hklj"))

def test_start_shows_board_and_panel():
    def check(program, running):
        with terminal(program, running, "--name", "ann") as t:
            t.shows("Level 1  sokoban-1  cursor game", "Moves     0", "Position  0 of 1",
                    "Made by   ann", "Branches  0",
                    "Solution  none known", "Grafting  graft", "Cycles    kept", "? help  q quit")
            shows_board(t, START)
            assert t.screen.full and t.screen.colors
            t.press("q")
            assert t.ends() == (0, "")
    each(check)


def test_arrows_and_letters_move():
    def check(program, running):
        with terminal(program, running) as t:
            for number, key in enumerate([RIGHT, LEFT, DOWN, UP, "l", "h", "j", "k"], 1):
                t.press(key)
                t.shows("Moves     %d" % number)
            shows_board(t, START)
            t.press("q")
            assert t.ends() == (0, "")
        kept = history(program, running, "sokoban-1").splitlines()
        assert [row.split()[2] for row in kept[1:]] == list("20312031")
    each(check)


def test_wall_stops_the_player():
    def check(program, running):
        with terminal(program, running) as t:
            t.press("lll")
            t.shows("Something is in the way.", "Moves     2")
            t.press("h")
            t.hides("Something")
    each(check)


def test_solved_level_is_told_and_takes_no_more():
    def check(program, running):
        with terminal(program, running) as t:
            t.press(KEYS)
            t.shows("Solved in 33 moves.", "Solution  33")
            t.press("j")
            t.shows("The level is solved.", "Moves     33")
            t.press("u")
            t.shows("Moves     32", "? help")
    each(check)


def test_solution_is_stepped_along_and_jumped_to():
    def check(program, running):
        play(C, running, "sokoban-1", SOLUTION)
        with terminal(program, running) as t:
            t.shows("Solved in 33 moves.")  # where the game was left
            t.press("0")
            t.shows("Moves     0", "Solution  33")
            t.press("s")
            t.shows("Moves     1")
            t.press("k")
            t.shows("Moves     2", "Solution  33, none from here")
            t.press("s")
            t.shows("No solution from here is known.")
            t.press("uS")
            t.shows("Moves     33", "Solved")
    each(check)


def test_been_here_is_marked_and_led_to():
    def check(program, running):
        with terminal(program, running) as t:
            t.press("lhlh")
            t.shows("You have been here", "(in 4 fewer moves)")
            t.press("B")
            t.hides("You have been here")
            t.shows("Position  0 of 5")
    each(check)


def test_branches_are_chosen_from_a_menu():
    def check(program, running):
        play(C, running, "sokoban-1", SOLUTION + "0r<")
        with terminal(program, running) as t:
            t.press("0")
            t.shows("Branches  2")
            t.press("r")
            t.shows("Redo which?", " 1  right       position 34      no solution known",
                    " 2  down        position 1       solution in 33")
            t.press(b"\x1b")
            t.hides("Redo which?")
            t.shows("Moves     0")
            t.press("r2")
            t.shows("Position  1 of 35")
            t.press("0r\r")  # the front one is now that one
            t.shows("Position  1 of 35", "Moves     1")
            t.press("r")  # one branch: no question
            t.shows("Moves     2")
            t.hides("Redo which?")
            t.press("b")
            t.shows("Position  0 of 35")
            t.press("f")
            t.shows("Moves     33")
    each(check)


def test_drop_grafting_and_cycles():
    def check(program, running):
        with terminal(program, running) as t:
            t.press("ld")
            t.shows("Dropped.", "Position  0 of 1")
            t.press("g")
            t.shows("Grafting: copy path.", "Grafting  copy path")
            t.press("c")
            t.shows("Cycles are suppressed.", "Cycles    suppressed")
            t.press("lh")
            t.shows("Back where you were on this path.", "Position  0 of 1")
    each(check)


def test_help_is_shown():
    def check(program, running):
        with terminal(program, running, lines=10) as t:
            t.shows("Level 1")
            t.press("?")
            t.shows("back to the last branch point", "any key: on")
            t.press(" ")
            t.shows("q              quit; the history stays")
            t.press("  ")
            t.shows("Level 1")
    each(check)


def test_move_in_one_shows_in_the_other():
    def check(first, second, running):
        with terminal(first, running) as a, terminal(second, running) as b:
            a.shows("Moves     0")
            b.shows("Moves     0")
            a.press("j")
            b.shows("Moves     1", "Another player has moved.")
            b.press("h")
            a.shows("Moves     2", "Another player has moved.")
            a.press("k")
            shows_board(a, PUSHED)
            shows_board(b, PUSHED)
            a.press("uuulu")  # another branch
            b.shows("Position  0 of 5")
            a.press("r2")  # and the first again, by redo
            b.shows("Position  1 of 5")
    each_pair(check)


def test_every_way_of_moving_is_followed():
    """Also those that change nothing in the history."""
    def check(first, second, running):
        play(C, running, "sokoban-1", "dlU")
        with terminal(first, running) as a, terminal(second, running) as b:
            a.shows("Moves     3")
            b.shows("Moves     3")
            for key, moves in (("u", 2), ("r", 3),  # undo, and redo along the front branch
                               ("0", 0), ("f", 3),  # jumps
                               ("0", 0), ("j", 1), ("h", 2)):  # moves that are known
                a.press(key)
                b.shows("Moves     %d" % moves, "Position  %d of 4" % moves)
            b.press("u")
            a.shows("Moves     1", "Another player has moved.")
            a.press("ul")  # right, then left: the start again
            b.shows("Position  4 of 5")
            b.press("h")
            a.shows("You have been here")
            a.press("B")
            b.shows("Position  0 of 6")
            b.press("cl")
            a.shows("Position  4 of 6")
            b.press("h")  # a cycle
            b.shows("Back where you were on this path.")
            a.shows("Position  0 of 6")
    each_pair(check)


def test_solution_is_gone_along_together():
    def check(first, second, running):
        play(C, running, "sokoban-1", SOLUTION + "0")
        with terminal(first, running) as a, terminal(second, running) as b:
            b.shows("Moves     0")
            a.press("s")
            b.shows("Moves     1")
            a.press("S")
            b.shows("Position  33 of 34", "Another player has moved.")
    each_pair(check)


def test_game_is_joined_where_it_stands():
    def check(first, second, running):
        moves = "rl" * 150
        play(first, running, "sokoban-1", moves)
        with terminal(second, running) as t:
            t.shows("Position  300 of 301")
        play(first, running, "sokoban-1", "0r")
        with terminal(second, running) as t:
            t.shows("Position  1 of 301")
            with terminal(first, running, "--cursor", "mine") as other:
                other.shows("Position  0 of 301", "cursor mine")
    each_pair(check)


def test_positions_that_others_add_do_not_move_the_player():
    def check(program, running):
        with terminal(program, running) as t, running.client() as client:
            t.shows("Position  0 of 1")
            state = client.call("getsavedstate", "sokoban-1", 0)[3]
            right = bytes([state[0] + 1]) + state[1:]
            client.call("addposition", "sokoban-1", 0, 2, right, 0, 1)
            t.shows("Position  0 of 2")
            client.call("setproperty", "sokoban-1", "position", 1)
            client.call("setcursor", "sokoban-1", "other", 1)
            t.shows("Others: other at 1")
            client.call("setcursor", "sokoban-1", "game", 1)
            t.shows("Position  1 of 2", "Another player has moved.")
    each(check)


def test_with_a_cursor_of_its_own_it_stays_but_shows_what_is_new():
    def check(first, second, running):
        with terminal(first, running) as a, terminal(second, running, "--cursor", "mine") as b:
            a.shows("Moves     0")
            b.shows("Moves     0")
            a.press("j")
            b.shows("Position  0 of 2", "Branches  1")
            a.press(KEYS[1:])
            b.shows("Position  0 of 34", "Solution  33")
            a.press("g")
            b.shows("Grafting  copy path")
            shows_board(b, START)
            b.press("l")
            a.shows("Position  33 of 35")
            b.press("uj")
            b.shows("Position  1 of 35")
            a.press("g")
            a.shows("Position  33 of 35", "Grafting  graft and copy")
    each_pair(check)


def test_dropped_under_the_other_it_goes_to_the_position_before():
    def check(first, second, running):
        with terminal(first, running) as a, terminal(second, running) as b:
            b.shows("Moves     0")
            a.press("jh")
            b.shows("Moves     2")
            a.press("d")
            b.shows("Moves     1", "Position  1 of 2")
            b.press("d")
            a.shows("Moves     0", "Position  0 of 1")
    each_pair(check)


def test_choice_ends_when_another_moves_on():
    def check(first, second, running):
        play(C, running, "sokoban-1", "d<r<")
        with terminal(first, running) as a, terminal(second, running) as b:
            a.press("0r")
            a.shows("Redo which?")
            b.shows("Moves     0")
            b.press("lh")
            a.hides("Redo which?")
            a.shows("Moves     2")
    each_pair(check)


def test_both_show_the_same():
    steps = [("lhjh", "Moves     4"), ("0", "Moves     0"), ("j", "Branches  1"),
             ("ur", "Redo which?"), ("1", "Moves     1"), ("0" + KEYS, "Solved in 33"),
             ("?", "any key"), (" " * 3, "Solved in 33"), ((24, 40), "Solved in 33"),
             ((12, 30), "Solved in 33"), ((9, 40), "Solved in 33"), ((6, 12), "Solved in 33"),
             ((24, 80), "Solved in 33")]
    with daemon() as running:
        with terminal(C, running, "--session", "game-1") as c, \
                terminal(PYTHON, running, "--session", "game-2") as python:
            for step, text in steps:
                for t in (c, python):
                    if isinstance(step, tuple):
                        t.resize(*step)
                    else:
                        t.press(step)
                    t.shows(text)
                c.quiet()
                expected = c.screen.text().replace("game-1", "game-2")
                python.wait(lambda screen: screen == expected, "the same screen:\n" + expected)


def test_window_can_change_and_be_small():
    def check(program, running):
        with terminal(program, running) as t:
            t.shows("Moves     0")
            t.resize(24, 40)
            t.shows("Moves 0  Pos 0  Br 0  Sol -")
            t.press("j")
            t.shows("Moves 1  Pos 1")
            t.press("k")
            t.shows("You have been here (in 2 fewer moves)")
            t.resize(24, 30)
            t.shows("\nBeen here (in 2 fewer moves)")
            for size in ((1, 1), (1, 80), (50, 1), (2, 2), (3, 5), (4, 4), (10, 3)):
                t.resize(*size)
                t.press("?")
                t.press(" " * 20)  # through the help, whose pages are short
                t.quiet(0.1)
                t.press("ukj0r\x1b")
                t.quiet(0.1)
            t.resize(5, 6)
            t.shows("@")
            t.resize(30, 100)
            t.shows("Level 1", "Position  ")
            t.press("q")
            assert t.ends() == (0, "")
    each(check)


def test_other_terminals_will_do():
    def check(program, running):
        for term in ("vt100", "linux", "xterm-256color"):
            with terminal(program, running, "--session", term, term=term) as t:
                t.press("j")
                t.shows("Moves     1")
                t.press("q")
                assert t.ends() == (0, "")
        # Of a terminal that it does not know, ncurses itself loses what it had begun.
        with terminal(program, running, term="no-such-terminal",
                      env={"ASAN_OPTIONS": "detect_leaks=0"}) as t:
            status, said = t.ends()
            assert status == 2 and "is TERM right?" in said, said
    each(check)


def test_terminal_is_given_back_when_the_session_is_deleted():
    def check(program, running):
        with terminal(program, running) as t, running.client() as client:
            t.press("j")
            t.shows("Moves     1")
            client.call("deletesession", "sokoban-1")
            assert t.ends() == (3, "sokoban: the session was deleted\n")
    each(check)


def test_missing_daemon_is_told_before_the_terminal_is_taken():
    with Folder() as folder:
        for program in BOTH.values():
            with Terminal([*program], env={"REDO_SOCKET": folder / "none"}) as t:
                status, said = t.ends()
                assert status == 3 and said.startswith("sokoban: no daemon answers at "), said


def test_terminal_is_given_back_on_signals():
    def check(program, running):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with terminal(program, running) as t:
                t.shows("Moves     0")
                t.kill(number)
                assert t.ends() == (128 + number, "")
        with terminal(program, running) as t:
            t.shows("Moves     0")
            t.press(b"\x03")
            assert t.ends() == (128 + signal.SIGINT, "")
    each(check)


if __name__ == "__main__":
    harness.run()
