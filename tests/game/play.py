"""The example without a terminal: both programs, the same moves, the same answers."""
import os
import pwd
import random
import subprocess

from players import BOTH, C, PYTHON, SCRIPT, daemon, history, levels, load_script, play, run
from harness import TIMEOUT, Folder
import harness

# Level 1, by its shortest solution.
SOLUTION = "dlUrrrdLullddrUluRuulDrddrruLdlUU"


def same(moves, level=1):
    """Plays with both, each in a session of its own; the lines and the history, which must be the
    same."""
    with daemon() as running:
        said = {name: play(program, running, name, moves, level) for name, program in BOTH.items()}
        kept = {name: history(program, running, name, level) for name, program in BOTH.items()}
    assert said["c"] == said["python"], said
    assert kept["c"] == kept["python"], kept
    return said["c"], kept["c"]


def test_shortest_solutions_solve_all_levels():
    count = 0
    with daemon() as running:
        for level in levels():
            for name, program in BOTH.items():
                said = play(program, running, "%s-%d" % (name, level["number"]),
                            level["shortest"], level["number"])
                moves = level["moves"]
                assert len(said) == moves + 1
                assert said[-2] == "%s %d %d - %d" % (level["shortest"][-1], moves, moves, moves)
                assert said[-1] == "solved"
                count += 1
    assert count == 24


def test_steps_tell_position_moves_better_and_solution():
    # Right and left again is where the game began, in two moves more.
    said, kept = same("rl")
    assert said == ["r 1 1 - 0", "l 2 2 0 0", "not solved"]
    assert kept == "0 - - 0 - 0 0\n1 0 2 1 - 0 0\n2 1 0 2 0 0 0\n"


def test_pushes_have_moves_of_their_own():
    _, kept = same("dlUr")
    assert [line.split()[2] for line in kept.splitlines()] == ["-", "3", "0", "5", "2"]


def test_undo_and_redo_keep_to_the_history():
    said, _ = same("dr<<>>")
    assert [line.split()[1] for line in said[:-1]] == ["1", "2", "1", "0", "1", "2"]


def test_redo_follows_the_branch_used_last_or_the_one_chosen():
    # Two branches from the start: 1 down, 2 right; front is the one used last.
    said, _ = same("d<r<" ">" "<2<>")
    assert [line.split()[1] for line in said[:-1]] == ["1", "0", "2", "0", "2", "0", "1", "0", "1"]


def test_branch_points_are_found_backwards_and_forwards():
    # 0 -d- 1 -l- 2 -U- 3, and 1 -r- 4 -l- 5
    said, _ = same("dlU<<rl^0vv")
    assert [line.split()[1] for line in said[:-1]] == [
        "1", "2", "3", "2", "1", "4", "5", "1", "0", "1", "5"]


def test_better_leads_to_the_end_of_the_chain():
    # The start again after 2 moves is better than after 4.
    said, _ = same("rlrl*")
    assert [line.split()[3] for line in said[:4]] == ["-", "0", "1", "0"]
    assert said[4].split()[1:3] == ["0", "0"]


def test_solution_is_followed_by_steps_and_to_its_end():
    said, kept = same(SOLUTION + "0" "$$" "!")
    assert said[-4] == "$ 1 1 - 33"
    assert said[-3] == "$ 2 2 - 33"
    assert said[-2] == "! 33 33 - 33"
    assert said[-1] == "solved"
    assert kept.splitlines()[33] == "33 32 5 33 - 1 33"


def test_solution_is_the_shortest_of_several():
    said, kept = same("rl" + SOLUTION + "0" + SOLUTION + "0!")
    assert said[-2].split()[2] == "33"
    assert kept.splitlines()[0].split()[-1] == "33"


def test_leaf_is_dropped_and_its_number_not_given_again():
    said, kept = same("d_r")
    assert [line.split()[1] for line in said[:-1]] == ["1", "0", "2"]
    assert [line.split()[0] for line in kept.splitlines()] == ["0", "2"]


def test_suppressed_cycles_leave_no_trace():
    said, kept = same("~rl")
    assert [line.split()[1] for line in said[:-1]] == ["0", "1", "0"]
    assert kept == "0 - - 0 - 0 0\n"
    with daemon() as running:
        for name, program in BOTH.items():
            play(program, running, name, "rl", 1, "--suppress")
            assert history(program, running, name) == kept


def test_graft_behavior_is_the_sessions_and_goes_round():
    with daemon() as running, running.client() as client:
        behaviors = []
        for program in (C, PYTHON, C, PYTHON):
            play(program, running, "one", "%")
            behaviors.append(client.call("getgraftbehavior", "one")[3])
        assert behaviors == [2, 3, 0, 1]


def test_shorter_way_takes_over_what_followed_the_longer():
    # Grafting is the setting of a new session: down by a detour, then directly. 3 is the same board
    # as 1 was made to be: the branches of the longer way move over.
    said, kept = same("rld" "l" "0" "d")
    rows = {row.split()[0]: row.split() for row in kept.splitlines()}
    assert said[-2].startswith("d 5 1 - ")
    assert rows["4"][1] == "5"  # the move after the detour
    assert rows["3"][4] == "5"  # and its old place, now better reached


def test_what_one_program_played_the_other_plays_on():
    with daemon() as running:
        play(C, running, "one", SOLUTION[:16])
        said = play(PYTHON, running, "one", SOLUTION[16:])  # from where the cursor is
        assert said[-1] == "solved"
        assert said[-2] == "U 33 33 - 33"
        assert play(C, running, "one", "0!")[-1] == "solved"
        assert history(C, running, "one") == history(PYTHON, running, "one")


def wander(running, number, seed, length):
    """A long way through a level, by chance: the commands that were possible."""
    sokoban = load_script()
    chance = random.Random(seed)
    level = sokoban.Level.read(SCRIPT.replace("sokoban.py", "levels.xsb"), number)
    daemon = sokoban.Daemon(running.socket_path, "wanderer")
    game = sokoban.Game(daemon, level, "wander-%d-%d" % (number, seed))
    game.join()
    made = ""
    while len(made) < length:
        command = chance.choice("lurdlurdlurdlurdlurdlurd<<<m>>123^v*0$!_%~")
        try:
            game.command(command)
            made += command
        except sokoban.NotPossible:
            pass
    game.daemon.close()
    return made


def test_long_ways_by_chance_come_out_the_same():
    with daemon() as running:
        for number, seed in ((1, 1), (2, 2), (21, 3), (31, 4)):
            moves = wander(running, number, seed, 600)
            said = {name: play(program, running, "%s-%d" % (name, seed), moves, number)
                    for name, program in BOTH.items()}
            assert said["c"] == said["python"]
            views = {history(program, running, session, number)
                     for program in BOTH.values()
                     for session in ("c-%d" % seed, "python-%d" % seed,
                                     "wander-%d-%d" % (number, seed))}
            assert len(views) == 1


def test_solved_level_takes_no_more_moves():
    with daemon() as running:
        for name, program in BOTH.items():
            status, out, err = run(program, "--session", name, "--play", SOLUTION + "d",
                                   socket=running.socket_path)
            assert status == 1
            assert out.splitlines()[-1] == "solved"
            assert err == "sokoban: step 34, d: The level is solved.\n"


def test_what_is_not_possible_ends_the_play():
    refusals = {"<": "This is the start.", "m": "This is the start.", "0": "This is the start.",
                ">": "There is nothing to redo.",
                "3": "There is nothing to redo.", "^": "This is the start.",
                "v": "There is nothing to redo.", "*": "No better way to here is known.",
                "$": "No solution from here is known.", "!": "No solution from here is known.",
                "_": "The start can not be dropped.", "?": "There is no such command."}
    with daemon() as running:
        for name, program in BOTH.items():
            sessions = iter("%s-%d" % (name, n) for n in range(9))
            for letter, reason in refusals.items():
                status, out, err = run(program, "--session", name + "-none", "--play", letter + "r",
                                       socket=running.socket_path)
                assert (status, out) == (1, "not solved\n"), (letter, status, out)
                assert err == "sokoban: step 1, %s: %s\n" % (letter, reason), err
            status, _, err = run(program, "--session", next(sessions), "--play", "d<d2",
                                 socket=running.socket_path)
            assert (status, err) == (1, "sokoban: step 4, 2: There is nothing to redo.\n")
            status, _, err = run(program, "--session", next(sessions), "--play", "d<2",
                                 socket=running.socket_path)
            assert (status, err) == (1, "sokoban: step 3, 2: There is no such branch.\n")
            status, _, err = run(program, "--session", next(sessions), "--play", "d<_",
                                 socket=running.socket_path)
            assert (status, err) == (1, "sokoban: step 3, _: The start can not be dropped.\n")
            status, _, err = run(program, "--session", next(sessions), "--play", "lll",
                                 socket=running.socket_path)
            assert status == 1 and "Something is in the way." in err


def test_missing_daemon_is_told():
    with Folder() as folder:
        for program in BOTH.values():
            for what in (["--print"], ["--play", "l"]):
                said = run(program, *what, socket=folder / "none.sock")
                assert said == (3, "", "sokoban: no daemon answers at %s/none.sock: start redod, or "
                                       "name its socket with --socket\n" % folder.path), said
            places = {"REDO_SOCKET": "", "XDG_RUNTIME_DIR": folder.path}
            _, _, err = run(program, "--print", env=places)
            assert " answers at %s/redod/redod.sock: " % folder.path in err, err
            _, _, err = run(program, "--print", env={**places, "REDO_SOCKET": folder / "other"})
            assert " answers at %s/other: " % folder.path in err, err


def test_session_of_another_level_is_not_played_in():
    with daemon() as running:
        play(C, running, "one", "d", 1)
        for program in BOTH.values():
            for level in ("9", "2"):  # as many boxes, and more
                said = run(program, "--level", level, "--session", "one", "--print",
                           socket=running.socket_path)
                assert said == (3, "", "sokoban: the session holds another level\n"), said


def test_wrong_options_and_levels_are_told():
    for program in BOTH.values():
        for wrong in (["--level", "0"], ["--level", "x"], ["--cursor", ""], ["--name", "x" * 256], ["--follow", "no"], ["--nothing"],
                      ["more"], ["--level", "3"], ["--levels", "/nonexistent"]):
            status, out, err = run(program, *wrong, "--print", socket="/nonexistent")
            assert (status, out) == (2, ""), (wrong, status, out)
            assert "sokoban" in err
        status, out, _ = run(program, "--help")
        assert status == 0 and "--cursor" in out and "--name" in out
        status, out, err = run(program, "--level", "3", "--print")
        assert err.endswith("levels.xsb: there is no level of that number\n")


def test_session_is_named_after_the_level_by_itself():
    with daemon() as running, running.client() as client:
        for program in BOTH.values():
            run(program, "--level", "21", "--play", "~", socket=running.socket_path)
            run(program, "--play", "~", socket=running.socket_path)
            names = [s["name"] for s in client.call("listsessions")[3]["sessions"]]
            assert names == ["sokoban-1", "sokoban-21"], names


def test_session_is_that_of_the_environment_if_none_is_said():
    with daemon() as running, running.client() as client:
        for program in BOTH.values():
            for value in ("mine", ""):  # an empty one is none
                run(program, "--play", "d", socket=running.socket_path, env={"REDO_SESSION": value})
            names = [s["name"] for s in client.call("listsessions")[3]["sessions"]]
            assert names == ["mine", "sokoban-1"], names


def cursors(client, session):
    return {c["name"]: c["position"] for c in client.call("getcursors", session)[3]}


def test_play_moves_the_cursor_and_print_makes_none():
    with daemon() as running, running.client() as client:
        for name, program in BOTH.items():
            history(program, running, name)
            assert cursors(client, name) == {}
            play(program, running, name, "dlU<")
            assert cursors(client, name) == {"game": 2}
            play(program, running, name, "dr_", 1, "--cursor", "mine")
            assert cursors(client, name) == {"game": 2, "mine": 1}
            play(program, running, name, "<")
            assert cursors(client, name) == {"game": 1, "mine": 1}


def test_undone_moves_are_redone_by_the_way_they_were_undone():
    """Whatever another has brought to the front meanwhile."""
    for first in BOTH.values():
        for second in BOTH.values():
            with daemon() as running:
                play(first, running, "one", "dlU<<<")
                play(second, running, "one", "dr", 1, "--cursor", "mine")
                said = play(first, running, "one", ">>>")
                assert [line.split()[1] for line in said[:-1]] == ["1", "2", "3"]


def test_undo_mine_stops_at_a_move_of_another():
    for first in BOTH.values():
        for second in BOTH.values():
            with daemon() as running:
                play(first, running, "one", "d", 1, "--name", "ann")
                play(second, running, "one", "l", 1, "--name", "bob")
                play(first, running, "one", "Ur", 1, "--name", "ann")
                for program, name, letters, at in ((first, "ann", "mmm", 2), (second, "bob", "mm", 1)):
                    status, out, err = run(program, "--session", "one", "--name", name, "--play",
                                           letters, socket=running.socket_path)
                    assert (status, err) == (1, "sokoban: step %d, m: Another player made this move.\n"
                                             % len(letters)), (status, err)
                    assert out.splitlines()[-2].startswith("m %d " % at), out


def test_positions_have_the_players_as_authors():
    with daemon() as running, running.client() as client:
        for name, program in BOTH.items():
            play(program, running, name, "d", 1, "--name", "ann")
            play(program, running, name, "l", 1, "--name", "bob")
            play(program, running, name, "U")
            names = {a["author"]: a["name"] for a in client.call("getauthors", name)[3]["authors"]}
            made = [names[client.call("getposition", name, n)[3]["author"]] for n in (1, 2, 3)]
            assert made == ["ann", "bob", pwd.getpwuid(os.getuid()).pw_name], made


def test_session_of_a_version_without_cursors_goes_on_where_it_was():
    with daemon() as running, running.client() as client:
        play(C, running, "one", "dlU")
        for name, program in BOTH.items():
            for value, at in ((2, 2), (0, 0), (300, 0), (77, 0), ("here", 0), (-1, 0), (2 ** 40, 0),
                              (True, 0), (None, 0)):
                for cursor in cursors(client, "one"):
                    assert client.call("dropcursor", "one", cursor)[2] is None
                assert client.call("setproperty", "one", "position", value)[2] is None
                play(program, running, "one", "~")
                assert cursors(client, "one") == {"game": at}, (name, value)


def test_output_that_can_not_be_written_is_told():
    with daemon() as running, open("/dev/full", "w") as full:
        for program in BOTH.values():
            for what in (["--print"], ["--play", "d<" * 2000]):
                done = subprocess.run([*program, "--socket", running.socket_path, *what], stdout=full,
                                      stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                      timeout=TIMEOUT, text=True)
                assert (done.returncode, done.stderr) == (
                    1, "sokoban: can not write the output: No space left on device\n"), done.stderr


def test_without_a_terminal_it_says_what_to_use():
    with daemon() as running:
        for program in BOTH.values():
            said = run(program, socket=running.socket_path)
            assert said == (2, "", "sokoban: this is no terminal: use --play or --print\n"), said


if __name__ == "__main__":
    harness.run()
