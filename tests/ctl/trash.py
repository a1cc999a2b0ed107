"""redoctl rename, copy, trash, undelete, purge, drop, dropped, undrop, set, properties, flush."""

import json
import os
import pty
import subprocess
import time

from ctl import REDOCTL, TIMEOUT, Setting, begin_example, environment, run


def names(s):
    return s.output("list", "--names").split()


def trash(s):
    """What is in the trash: rows of handle, day, time, positions, name."""
    head, *rows = [row.split() for row in s.output("trash").splitlines()]
    assert head == ["handle", "deleted", "positions", "name"]
    return rows


# ---- names


def test_a_session_is_renamed_with_all_it_has():
    with Setting(stored=True) as s:
        begin_example(s, "old")
        before = s.dump("old")
        assert s.output("rename", "old", "new") == ""
        assert names(s) == ["new"] and s.dump("new") == before


def test_a_copy_is_equal_and_goes_its_own_way():
    with Setting(stored=True) as s:
        begin_example(s, "a")
        assert s.output("copy", "a", "b") == ""
        assert s.dump("a") == s.dump("b")
        s.add("b", 0, 77, b"\x4d")
        assert s.dump("a") != s.dump("b")


def test_a_name_that_is_taken_or_not_there_is_told():
    with Setting(stored=True) as s:
        s.begin("a")
        s.begin("b")
        for command in ("rename", "copy"):
            result = s(command, "a", "b")
            assert result.status == 1 and "a session of that name exists" in result.err, result
            result = s(command, "c", "d")
            assert result.status == 1 and "no such session" in result.err, result
            result = s(command, "a", "x" * 256)
            assert result.status == 1 and "255 bytes" in result.err, result
        assert names(s) == ["a", "b"]


# ---- the trash


def test_what_was_deleted_is_in_the_trash_and_comes_back():
    with Setting(stored=True) as s:
        begin_example(s, "a")
        s.begin("b")
        before, handle = s.dump("a"), s.rpc.call("getsession", "a")["session"]
        assert s.output("delete", "a") == "" and names(s) == ["b"]
        assert abs(time.time() - s.rpc.call("listsessions", {"trash": True})["sessions"][0]
                   ["trashed"]) < TIMEOUT
        (row,) = trash(s)
        assert row[0] == str(handle) and row[3:] == ["11", "a"]
        assert s.output("undelete", handle) == ""
        assert names(s) == ["a", "b"] and trash(s) == [] and s.dump("a") == before


def test_a_session_comes_back_under_another_name_if_its_own_is_taken():
    with Setting(stored=True) as s:
        begin_example(s, "a")
        s.output("delete", "a")
        s.begin("a")
        handle = trash(s)[0][0]
        result = s("undelete", handle)
        assert result.status == 1 and "exists" in result.err, result
        assert s.output("undelete", handle, "--name", "a-2") == ""
        assert names(s) == ["a", "a-2"]


def test_all_of_many_deleted_sessions_of_one_name_are_told():
    with Setting(stored=True) as s:
        sent = [s.rpc.send(*request) for _ in range(1200) for request in (
            ("beginsession", b"a", 1, 0, {"name": "again"}), ("deletesession", "again"))]
        refused = [(i, error) for i, error in
                   ((i, s.rpc.response(number)[0]) for i, number in enumerate(sent)) if error]
        assert not refused, refused
        handles = {row[0] for row in trash(s)}
        assert handles == {str(n) for n in range(1, 1201)}, (
            sorted({str(n) for n in range(1, 1201)} ^ handles))


def test_what_is_not_in_the_trash_does_not_come_back():
    with Setting(stored=True) as s:
        s.begin("a")
        for command in (["undelete", "1"], ["purge", "1", "--yes"], ["undelete", "99"]):
            result = s(*command)
            assert result.status == 1 and "no such session" in result.err, result


def test_without_a_store_there_is_no_trash():
    with Setting() as s:
        for command in (["trash"], ["undelete", "1"], ["purge", "1", "--yes"],
                        ["purge", "--all", "--yes"]):
            result = s(*command)
            assert result.status == 1 and "there is no store" in result.err, result


def test_purging_needs_a_yes():
    with Setting(stored=True) as s:
        for name in ("a", "b", "c"):
            s.begin(name)
            s.output("delete", name)
        assert [row[4] for row in trash(s)] == ["a", "b", "c"]
        for command in (["purge", trash(s)[0][0]], ["purge", "--all"]):
            result = s(*command)
            assert result.status == 2 and "--yes" in result.err, result
        assert s.output("purge", trash(s)[0][0], "--yes") == ""
        assert [row[4] for row in trash(s)] == ["b", "c"]
        assert s.output("purge", "--all", "--yes") == "purged 2 sessions\n"
        assert trash(s) == []
        assert s.output("purge", "--all", "--yes") == "purged 0 sessions\n"


def at_terminal(s, answer, *args):
    """Runs redoctl at a terminal, where one types the answer: the status, and what it showed."""
    mine, its = pty.openpty()
    process = subprocess.Popen([REDOCTL, *args], stdin=its, stdout=its, stderr=its,
                               env=environment(REDO_SOCKET=s.socket))
    os.close(its)
    shown = b""
    try:
        while b"?" not in shown:
            shown += os.read(mine, 4096)
        os.write(mine, answer + b"\n")
        while True:
            shown += os.read(mine, 4096)
    except OSError:  # the other end is closed
        pass
    os.close(mine)
    return process.wait(TIMEOUT), shown.decode()


def test_a_terminal_is_asked():
    with Setting(stored=True) as s:
        s.begin("a")
        s.output("delete", "a")
        for answer in (b"no", b"", b"maybe"):
            status, shown = at_terminal(s, answer, "purge", "--all")
            assert status == 1 and "The 1 sessions in the trash will be gone" in shown, shown
            assert "nothing was purged" in shown and len(trash(s)) == 1
        status, shown = at_terminal(s, b"yes", "purge", trash(s)[0][0])
        assert status == 0 and trash(s) == [], shown


# ---- subtrees


def test_a_dropped_subtree_comes_back_by_its_key():
    with Setting(stored=True) as s:
        begin_example(s)
        before = s.output("tree", "example")
        out = s.output("drop", "example", 2)
        assert out.startswith("dropped 4 positions; they are kept under the key "), out
        key = out.split("undrop example ")[1].strip()
        head, row = [line.split() for line in s.output("dropped", "example").splitlines()]
        assert head == ["key", "dropped", "position", "below", "positions"]
        assert row[0] == key and row[3:] == ["2", "1", "4"]
        assert s.output("tree", "example") != before
        assert s.output("undrop", "example", key) == "restored 4 positions, at 2\n"
        assert s.output("tree", "example") == before
        assert len(s.output("dropped", "example").splitlines()) == 1


def test_errors_of_dropping_are_told():
    with Setting(stored=True) as s:
        begin_example(s)
        for command, words in ((["drop", "example", "99"], "no such position"),
                               (["drop", "example", "0"], "first position"),
                               (["drop", "none", "1"], "no such session"),
                               (["dropped", "none"], "no such session"),
                               (["undrop", "example", "5"], "nothing is kept under that key")):
            result = s(*command)
            assert result.status == 1 and words in result.err, result


def test_without_a_store_what_is_dropped_is_gone():
    with Setting() as s:
        begin_example(s)
        assert s.output("drop", "example", 2) == \
            "dropped 4 positions; they are gone, since the session is in no store\n"


# ---- properties


def test_properties_are_json():
    with Setting(stored=True) as s:
        s.begin("a")
        assert json.loads(s.output("properties", "a")) == {}
        values = {"title": "The \u00e9nd", "list": [1, -2.5, None, True], "map": {"a": {}},
                  "raw": {"$bin": "00ff"}}
        for key, value in values.items():
            assert s.output("set", "a", key, json.dumps(value)) == ""
        assert json.loads(s.output("properties", "a")) == values
        assert s.rpc.call("getproperties", "a")["raw"] == b"\0\xff"
        s.output("set", "a", "raw", "null")
        del values["raw"]
        assert json.loads(s.output("properties", "a")) == values


def test_errors_of_properties_are_told():
    with Setting(stored=True) as s:
        s.begin("a")
        result = s("set", "a", "k", "word")
        assert result.status == 2 and "quotes" in result.err, result
        result = s("set", "a", "k", '{"$bin": 3}')
        assert result.status == 2 and "hex" in result.err, result
        result = s("set", "a", "k" * 256, "1")
        assert result.status == 1 and not result.out, result
        result = s("properties", "b")
        assert result.status == 1 and "no such session" in result.err, result


def test_flush_waits_for_what_relaxed_clients_did():
    with Setting("--relaxed-delay", "60000", stored=True) as s:
        s.rpc.call("beginsession", b"\0", 1, 0, {"name": "a", "relaxed": True})
        s.add("a", 0, 1, b"\1")
        assert s.output("flush") == ""
        s.kill_daemon()
        s.begin_daemon()
        assert s.rpc.call("getsessionsize", "a") == 2


run()
