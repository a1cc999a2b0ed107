"""redoctl export, import: one session in a file."""

import os
import pty
import subprocess

from ctl import CASES, REDOCTL, TIMEOUT, Folder, Setting, begin_example, environment, redoctl, run
from api import whole

SAMPLE = os.path.join(CASES, "archive", "v1.redo")


def export(s, name):
    """The file, from standard output."""
    done = subprocess.run([REDOCTL, "export", name], capture_output=True, timeout=TIMEOUT,
                          env=environment(REDO_SOCKET=s.socket))
    assert done.returncode == 0 and done.stderr == b"", done
    return done.stdout


def begin_rich(s, name="rich"):
    """A session with something of everything."""
    begin_example(s, name)
    s.rpc.call("setgraftbehavior", name, 3)
    s.add(name, 4, 5, b"\x20", endpoint=-3)
    s.add(name, 5, 6, b"\x02", check=2)
    s.rpc.call("dropposition", name, 7)
    s.rpc.call("setproperty", name, "title", "Rich \u00e9")
    s.rpc.call("setproperty", name, "tags", [1, {"a": b"\0\xff"}])


def test_what_is_exported_is_imported_byte_for_byte():
    with Setting(stored=True) as s:
        begin_rich(s)
        file = export(s, "rich")
        result = s("import", "-", "--name", "again", stdin=file)
        assert result.status == 0 and result.out == b"12 positions in again\n", result
        assert s.dump("again") == s.dump("rich")
        assert s.rpc.call("getproperties", "again") == s.rpc.call("getproperties", "rich")
        again = export(s, "again")
        assert again.replace(b"again", b"rich")[28:-8] == file[28:-8]
        tree = s.output("tree", "rich")
        s.end_daemon()
        s.begin_daemon()
        assert s.output("tree", "again") == tree


def test_a_file_is_written_whole_and_replaces_nothing_unasked():
    with Setting() as s:
        begin_rich(s)
        file = s.folder / "x.redo"
        told = s.rpc.call("getsession", "rich")
        out = s.output("export", "rich", "-o", file)
        assert out == "12 positions, as of operation %d: %d bytes in %s\n" % (
            told["sequence"], os.path.getsize(file), file), out
        assert open(file, "rb").read() == export(s, "rich")
        result = s("export", "rich", "-o", file)
        assert result.status == 1 and "--force" in result.err, result
        s.add("rich", 0, 60, b"\x3c")
        s.output("export", "rich", "--output=" + file, "--force")
        assert open(file, "rb").read() == export(s, "rich")
        assert sorted(os.listdir(s.folder.path)) in (["s", "s.lock", "x.redo"], ["s", "x.redo"])
        result = s("export", "rich", "-o", s.folder / "none/x")
        assert result.status == 1 and "No such file" in result.err, result


def test_the_name_in_the_file_is_the_default():
    with Setting() as s:
        begin_rich(s)
        s.output("export", "rich", "-o", s.folder / "x")
        result = s("import", s.folder / "x")
        assert result.status == 1 and "exists" in result.err, result
        s.rpc.call("renamesession", "rich", "other")
        assert s.output("import", s.folder / "x") == "12 positions in rich\n"
        assert s.dump("rich") == s.dump("other")


def test_the_file_is_not_written_to_a_terminal():
    with Setting() as s:
        s.begin("a")
        mine, its = pty.openpty()
        done = subprocess.run([REDOCTL, "export", "a"], stdout=its, stderr=subprocess.PIPE,
                              timeout=TIMEOUT, env=environment(REDO_SOCKET=s.socket))
        os.close(its)
        os.close(mine)
        assert done.returncode == 2 and b"-o FILE" in done.stderr, done


def test_a_session_of_many_pages_is_exported_while_another_writes():
    with Setting() as s:
        s.begin("a", bytes(1000))
        s.rpc.call("addpositions", "a",
                   [[0, i, i.to_bytes(4, "big") * 250, 0, 0] for i in range(4000)])
        exporting = subprocess.Popen([REDOCTL, "export", "a"], stdout=subprocess.PIPE,
                                     env=environment(REDO_SOCKET=s.socket))
        number = 5000
        while exporting.poll() is None and number < 7000:
            s.add("a", 0, number, number.to_bytes(4, "big") * 250)
            number += 1
            if number == 5100:
                file = exporting.stdout.read()
        assert exporting.wait(TIMEOUT) == 0
        if number < 5100:
            file = exporting.stdout.read()
        result = s("import", "-", "--name", "b", stdin=file)
        assert result.status == 0, result
        states = [s.rpc.call("getsavedstate", name, 4001 - 1) for name in ("a", "b")]
        assert states[0] == states[1]
        size = s.rpc.call("getsessionsize", "b")
        assert 4001 <= size <= s.rpc.call("getsessionsize", "a")


def test_what_is_no_whole_file_of_export_is_told_and_changes_nothing():
    with Setting() as s:
        begin_rich(s)
        file = export(s, "rich")
        newer = bytearray(file)
        newer[8] = 2
        flipped = bytearray(file)
        flipped[60] ^= 4
        for data, words in ((b"", "is not a file of redoctl export"),
                            (b"some text", "is not a file of redoctl export"),
                            (s.dump("rich"), "is not a file of redoctl export"),
                            (file[:5], "cut off"), (file[:40], "cut off"), (file[:-1], "cut off"),
                            (file + b"x", "damaged"), (bytes(flipped), "damaged"),
                            (bytes(newer), "damaged"), (file.replace(b"\r\n", b"\n"), "is not")):
            result = s("import", "-", "--name", "n", stdin=data)
            assert result.status == 1 and words.encode() in result.err, (words, result)
            assert b"nothing was imported" in result.err and not result.out
        assert s.output("list", "--names") == "rich\n"
        for path, words in ((s.folder / "none", "No such file"), (s.folder.path, "directory")):
            result = s("import", path, "--name", "n")
            assert result.status == 1 and words in result.err, result


def test_a_session_over_the_daemons_limit_is_told_in_parts():
    with Setting() as s, Setting("--max-message", "4096") as small:
        s.begin("a", bytes(64))
        s.rpc.call("addpositions", "a",
                   [[0, i, i.to_bytes(4, "big") * 16, 0, 0] for i in range(100)])
        s.output("export", "a", "-o", s.folder / "x")
        assert small.output("import", s.folder / "x", "--name", "n") == "101 positions in n\n"
        assert small.dump("n") == s.dump("a")
        assert s.output("import", s.folder / "x", "--name", "n") == "101 positions in n\n"


def test_a_session_that_is_not_there_is_not_exported():
    with Setting() as s:
        result = s("export", "none", "-o", s.folder / "x")
        assert result.status == 1 and "no such session" in result.err, result
        assert not os.path.exists(s.folder / "x")


def test_a_file_of_an_earlier_release_is_imported():
    with Setting(stored=True) as s:
        assert s.output("import", SAMPLE, "--name", "n") == "12 positions in n\n"
        assert s.rpc.call("getproperties", "n") == {"title": "Rich \u00e9",
                                                    "tags": [1, {"a": b"\0\xff"}]}
        begin_rich(s, "made-now")
        # But for who made its positions, and when, which that release did not keep.
        assert whole(s.rpc, "n") == whole(s.rpc, "made-now")


run()
