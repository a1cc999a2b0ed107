"""A game in SGF of 64 MB, nearly all of it comments, through the daemon and back: the same bytes, so the same tree,
in memory of a few times its size. For a release build: sanitizers take memory of their own."""

import filecmp
import os
import subprocess

from ctl import REDOCTL, Setting, environment, run

MB = 1000000
SIZE = 64 * MB
LARGE = 17 * MB  # one comment, which is more than a message may be
MOST = {"import": 5, "export": 3, "daemon": 4}  # times the size of the file


def write_game(path):
    """A main line with a side line at every eighth move, and a comment at each."""
    text = "it was said that \\] and [ and \\\\ stand in it, and é and 申; so "
    with open(path, "w", encoding="utf-8") as file:
        file.write("(;GM[1]FF[4]CA[UTF-8]C[")
        for _ in range(LARGE // MB):
            file.write("x" * MB)
        file.write("]")
        move = 0
        while file.tell() < SIZE:
            move += 1
            point = "abcdefghij"[move % 10] + "klmnopqrs"[move % 9]
            node = "\n;%s[%s]C[%d %s]" % ("BW"[move % 2], point, move, text * (40 + move * 37 % 500))
            file.write("(" + node + ")(" + node if move % 8 == 0 else node)
        file.write(")" * (1 + move // 8))


def redoctl(s, *args):
    """The most memory it had. (That of this process counts until the program begins.)"""
    process = subprocess.Popen([REDOCTL, *args], stdout=subprocess.DEVNULL, env=environment(REDO_SOCKET=s.socket))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, args
    return usage.ru_maxrss * 1024


def test_a_game_of_64_mb_of_comments_comes_back_in_a_few_times_its_memory():
    with Setting(stored=True) as s:
        path, back = s.folder / "large.sgf", s.folder / "back.sgf"
        write_game(path)
        size = os.path.getsize(path)
        assert SIZE <= size < 1.1 * SIZE, size
        took = {"import": redoctl(s, "import", path, "--name", "large"),
                "export": redoctl(s, "export", "large", "--format", "sgf", "-o", back)}
        assert filecmp.cmp(path, back, shallow=False)
        took["daemon"] = s.daemon.memory(most=True)
        print("times the file: " + ", ".join("%s %.1f" % (what, most / size) for what, most in took.items()))
        for what, most in took.items():
            assert most <= MOST[what] * size, (what, most / size)
        s.kill_daemon()  # all was on disk
        s.begin_daemon()
        redoctl(s, "export", "large", "--format", "sgf", "-o", back, "--force")
        assert filecmp.cmp(path, back, shallow=False)


run()
