"""How redoctl is called, and what it says when it is called wrongly or finds no daemon."""

import os
import socket

from ctl import CASES, Folder, Setting, environment, redoctl, run

SAMPLE = os.path.join(CASES, "archive", "v1.redo")

COMMANDS = {"list": [], "info": [], "tree": ["n"], "show": ["n", "0"], "path": ["n", "0"],
            "solution": ["n"], "watch": ["n"], "call": ["server.ping"], "delete": ["n"],
            "replay": ["/dev/null"], "set": ["n", "k", "1"], "properties": ["n"],
            "rename": ["n", "m"], "copy": ["n", "m"], "trash": [], "undelete": ["1"],
            "purge": ["1", "--yes"], "drop": ["n", "1"], "dropped": ["n"], "undrop": ["n", "1"],
            "flush": [], "export": ["n"], "import": [SAMPLE], "backup": ["/nowhere-yet"]}
OFFLINE = {"restore": ["/dev/null"], "check": []}


def test_help_names_every_command():
    result = redoctl("--help")
    assert result.status == 0 and not result.err
    for command in {**COMMANDS, **OFFLINE}:
        assert "\n  %s " % command in result.out


def test_every_command_has_help():
    for command in {**COMMANDS, **OFFLINE}:
        result = redoctl(command, "--help")
        assert result.status == 0 and not result.err
        assert result.out.startswith("usage: redoctl %s [options]" % command)
        assert ("--store DIR" if command in OFFLINE else "--socket PATH") in result.out


def test_version_is_printed():
    result = redoctl("--version")
    assert result.status == 0 and result.out.startswith("redoctl 0.")


def test_without_a_daemon_every_command_says_how_to_start_one():
    with Folder() as folder:
        path = folder / "s"
        for command, params in COMMANDS.items():
            result = redoctl(command, *params, "--socket", path)
            assert result.status == 1 and not result.out, (command, result)
            assert result.err == "redoctl: no daemon at %s; start it with: redod --socket %s\n" % (
                path, path), result.err


def test_a_socket_that_nobody_listens_on_is_no_daemon():
    with Folder() as folder:
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(folder / "s")
        result = redoctl("list", env=environment(REDO_SOCKET=folder / "s"))
        assert result.status == 1 and "no daemon at" in result.err


def test_the_socket_is_the_one_given_or_the_environments_or_the_default():
    with Setting() as s:
        assert redoctl("--socket", s.socket, "list").status == 0
        assert redoctl("list", "--socket=" + s.socket).status == 0
        assert redoctl("list", env=environment(REDO_SOCKET=s.socket)).status == 0
        result = redoctl("list", env=environment(XDG_RUNTIME_DIR="/nowhere"))
        assert "no daemon at /nowhere/redod/redod.sock;" in result.err


def test_a_path_too_long_for_a_socket_is_told():
    result = redoctl("list", "--socket", "/" + "x" * 120)
    assert result.status == 1 and "--socket PATH" in result.err


def test_wrong_use_is_told_with_status_2():
    for args in ([], ["nonsense"], ["--nonsense"], ["list", "--nonsense"], ["list", "-x"],
                 ["list", "a", "b"], ["tree"], ["tree", "n", "--depth"],
                 ["tree", "n", "--depth", "x"], ["tree", "n", "--depth=-1"],
                 ["tree", "n", "--order", "alphabetical"], ["list", "--names=yes"], ["show", "n"],
                 ["show", "n", "x"], ["show", "n", "4294967295"], ["path", "n", "1.5"],
                 ["call"], ["call", "m", "{"], ["call", "m", '{"$bin": "0"}'], ["replay"],
                 ["list", "--timeout", "0"], ["rename", "n"], ["copy", "n"], ["purge"],
                 ["purge", "1", "--all"], ["purge", "x", "--yes"], ["undelete", "x"],
                 ["drop", "n"], ["drop", "n", "x"], ["undrop", "n", "x"], ["set", "n", "k"],
                 ["set", "n", "k", "{"], ["flush", "x"], ["export"], ["export", "n", "-o"],
                 ["export", "n", "-x"], ["import"], ["backup"], ["restore"], ["check", "x"],
                 ["check", "--store", ""]):
        result = redoctl(*args, env=environment(REDO_SOCKET="/nowhere/s"))
        assert result.status == 2, (args, result)
        assert result.err.startswith("redoctl: ") and not result.out, (args, result)


def test_an_option_of_a_command_comes_after_it():
    for args, word in ((["--bogus"], "--bogus"), (["--color", "always", "tree", "n"], "--color"),
                       (["-x"], "-x")):
        result = redoctl(*args)
        assert (result.status, result.err) == (
            2, "redoctl: '%s' is not an option of every command; those of one come after it; "
               "see: redoctl --help\n" % word), result


def test_a_name_that_begins_with_a_dash_comes_after_two():
    with Setting() as s:
        s.begin("--help")
        assert s.output("tree", "--", "--help") == "0. (Start)\n"


def test_a_name_that_is_not_utf8_is_told():
    with Setting() as s:
        result = s("info", os.fsdecode(b"\xff"))
        assert result.status == 2 and "UTF-8" in result.err


def test_a_daemon_that_does_not_answer_is_not_waited_for_longer_than_told():
    with Folder() as folder, socket.socket(socket.AF_UNIX) as mute:
        mute.bind(folder / "s")
        mute.listen(5)
        result = redoctl("list", "--timeout", 1, "--socket", folder / "s")
        assert result.status == 1 and "did not answer listsessions within 1 seconds" in result.err


def test_output_that_can_not_be_written_is_an_error():
    if not os.path.exists("/dev/full"):
        return
    with Setting() as s:
        s.begin("n")
        import subprocess
        from ctl import REDOCTL, TIMEOUT
        with open("/dev/full", "w") as full:
            done = subprocess.run([REDOCTL, "list", "--socket", s.socket], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
        assert done.returncode == 1 and "can not write" in done.stderr


run()
