"""redoctl list, info, show, path, solution, delete."""

import os
import time

from ctl import Rpc, Setting, Skip, begin_example, run


def test_sessions_are_listed_in_the_order_of_their_names():
    with Setting() as s:
        s.begin("b", b"abcd", 2)
        s.begin("a")
        s.rpc.call("beginsession", b"\0", 1, 0)  # private
        s.rpc.call("addposition", "b", 0, 1, b"abce", 0, 1)
        rows = [row.split() for row in s.output("list").splitlines()]
        assert rows[0] == ["positions", "bytes", "used", "solved", "damaged", "owner", "mode", "name"]
        assert [row[0] for row in rows[1:]] == ["1", "2"]
        assert [row[4:] for row in rows[1:]] == [["no", "no", str(os.getuid()), "0600", name]
                                                 for name in "ab"]


def test_a_session_with_a_solution_is_listed_as_solved_and_when_it_was_used():
    with Setting() as s:
        s.begin("a")
        s.add("a", 0, 1, b"\1", endpoint=1)
        row = s.output("list").splitlines()[1].split()
        told = s.rpc.call("getsession", "a")
        assert row[:2] == ["2", str(told["bytes"])] and row[4:6] == ["yes", "no"], row
        assert " ".join(row[2:4]) == time.strftime("%Y-%m-%d %H:%M", time.localtime(told["used"]))


def test_a_long_list_tells_all_of_a_session():
    with Setting() as s:
        s.begin("b", b"abcd", 2, graft=3)
        s.add("b", 0, 1, b"abce")
        head, row = s.output("list", "--long").splitlines()
        assert len(head) == len(row) + len("name") - len("b")
        told = s.rpc.call("getsession", "b")
        row = row.split()
        assert row[8:14] == [str(told["session"]), "4", "2", "3", "yes", str(told["sequence"])]
        assert " ".join(row[14:16]) == time.strftime("%Y-%m-%d %H:%M",
                                                     time.localtime(told["begun"]))
        assert row[16] == "b"


def test_only_names_with_a_prefix_are_listed():
    with Setting() as s:
        for name in ("level-1", "level-2", "other"):
            s.begin(name)
        assert s.output("list", "level-", "--names") == "level-1\nlevel-2\n"
        assert s.output("list", "none", "--names") == ""


def test_more_sessions_than_a_page_holds_are_listed():
    with Setting() as s:
        names = ["%05d" % i for i in range(2500)]
        s.rpc.call_all([("beginsession", b"\0", 1, 0, {"name": name}) for name in names])
        assert s.output("list", "--names").split() == names


def test_names_do_a_terminal_no_harm():
    with Setting() as s:
        s.begin("a\x1b[2Jb\nc\u0085d\u00e9")
        assert s.output("list", "--names") == "a\\x1b[2Jb\\x0ac\\xc2\\x85d\u00e9\n"


def test_info_tells_of_the_daemon():
    with Setting() as s:
        facts = dict(line.rsplit(None, 1) for line in s.output("info").splitlines())
        assert facts["server"] == "redod" and facts["socket"] == s.socket
        info = s.rpc.call("server.info")
        assert facts["version"] == info["version"]
        assert facts["methods"] == str(len(info["methods"]))
        assert facts["limit bytes"] == str(info["limits"]["bytes"])


def test_info_tells_of_a_session():
    with Setting() as s:
        begin_example(s)
        facts = dict(line.split(None, 1) for line in s.output("info", "example").splitlines())
        assert facts["name"] == "example" and facts["positions"] == "11"
        assert facts["changed"] == "yes" and facts["graft"] == "0"
        told = s.rpc.call("getsession", "example")
        assert set(facts) == set(told)
        assert facts["used"] == time.strftime("%Y-%m-%d %H:%M", time.localtime(told["used"]))


def test_show_tells_all_of_a_position():
    with Setting() as s:
        s.begin("s", bytes(20))
        state = bytes(range(60, 80))
        s.add("s", 0, 5, state)
        s.add("s", 1, 6, b"x" * 20, 3)
        s.add("s", 1, 7, bytes(20))
        made = s.rpc.call("getposition", "s", 1)["time"]
        assert s.output("show", "s", 1, "--labels", "6=win") == """\
number        1
prev          0
move          5
movecount     1
better        none
endpoint      0
solutionend   3
solutionsize  2
nextcount     2
setbetter     no
state         20 bytes
  00000000  3c 3d 3e 3f 40 41 42 43  44 45 46 47 48 49 4a 4b  |<=>?@ABCDEFGHIJK|
  00000010  4c 4d 4e 4f                                       |LMNO|
made          %s
author        (user %d)
branches      most recently used first
  3. 7 [0]
  2. win *3 +2
""" % (time.strftime("%Y-%m-%d %H:%M", time.localtime(made)), os.getuid())
        s.rpc.call("server.hello", {"client": "ann"})
        s.add("s", 0, 9, bytes(20))
        assert "\nauthor        ann (user %d)\n" % os.getuid() in s.output("show", "s", 4)


def test_path_leads_from_the_first_position():
    with Setting() as s:
        begin_example(s)
        assert s.output("path", "example", 5) == "0. (Start)\n1. 0\n2. 0 [10]\n3. 1\n5. 1\n"
        assert s.output("path", "example", 5, "--moves", "--labels", "1=b") == "0 0 b b\n"
        assert s.output("path", "example", 0) == "0. (Start)\n"
        assert s.output("path", "example", 0, "--moves") == "\n"


def test_long_paths_come_whole():
    with Setting() as s:
        s.begin("deep")
        adds = [[-i if i else 0, i, b"\0", i == 24999, 0] for i in range(25000)]
        adds = [[p, m, state, int(e), c] for p, m, state, e, c in adds]
        s.rpc.call("addpositions", "deep", adds)
        moves = " ".join(map(str, range(25000))) + "\n"
        assert s.output("path", "deep", 25000, "--moves") == moves
        assert s.output("solution", "deep", "--moves") == moves
        assert len(s.output("path", "deep", 25000).splitlines()) == 25001


def test_solution_leads_to_the_best_end():
    with Setting() as s:
        s.begin("e")
        s.add("e", 0, 0, b"\1")
        s.add("e", 1, 0, b"\2", 1)
        s.add("e", 1, 1, b"\3", 2)
        s.add("e", 0, 5, b"\4")
        assert s.output("solution", "e") == "0. (Start)\n1. 0\n3. 1 *2\n"
        assert s.output("solution", "e", 1, "--moves") == "1\n"
        result = s("solution", "e", 4)
        assert result.status == 1 and not result.out
        assert result.err == "redoctl: no solution leads through position 4\n"


def test_chmod_says_who_may_and_list_and_info_show_it():
    with Setting() as s:
        s.begin("a")
        for mode in ("640", "0666", "0600", "604"):
            assert s.output("chmod", mode, "a") == ""
            assert s.rpc.call("getsession", "a")["mode"] == int(mode, 8)
            assert s.output("list").splitlines()[1].split()[7] == "%04o" % int(mode, 8)
            facts = dict(line.split(None, 1) for line in s.output("info", "a").splitlines())
            assert facts["mode"] == "%04o" % int(mode, 8)
            assert facts["owner"] == str(os.getuid()) and facts["group"] == str(os.getgid())
        result = s("chmod", "666", "none")
        assert result.status == 1 and "no such session" in result.err
        for wrong in ("rw", "8", "", "-1", "0o640", "640x", "77777777777"):
            result = s("chmod", "--", wrong, "a")
            assert result.status == 2 and "is not a mode in octal" in result.err, (wrong, result)
        result = s("chmod", "777", "a")
        assert result.status == 1 and "who may write may read" in result.err
        assert s.rpc.call("getsession", "a")["mode"] == 0o604


def test_sessions_of_others_are_listed_under_what_they_can_be_called_by():
    if os.getuid() != 0:
        raise Skip("only root can become other users")
    with Setting("--mode", "0777", "--allow", "any") as s:
        os.chmod(s.folder.path, 0o755)
        for uid in (54322, 54321):
            os.seteuid(uid)
            try:
                other = Rpc(s.socket)
            finally:
                os.seteuid(0)
            for name in ("a", "c"):
                other.call("beginsession", b"x", 1, 0, {"name": name})
            other.close()
        s.begin("b")
        listed = s.output("list", "--names").split()
        assert listed == ["~54321/a", "~54322/a", "b", "~54321/c", "~54322/c"]
        for name in listed:
            s.output("chmod", "640", name)
        assert [row.split()[6:] for row in s.output("list").splitlines()[1:]] == [
            ["54321", "0640", "a"], ["54322", "0640", "a"], ["0", "0640", "b"], ["54321", "0640", "c"],
            ["54322", "0640", "c"]]


def test_delete_deletes():
    with Setting() as s:
        s.begin("d")
        assert s.output("delete", "d") == ""
        assert s.output("list", "--names") == ""
        result = s("delete", "d")
        assert result.status == 1
        assert result.err == \
            'redoctl: deletesession: no such session: session "d" (REDO_ENOSESSION, 2)\n'


run()
