"""redoctl watch: operations as they happen."""

import signal
import subprocess

from ctl import TIMEOUT, Setting, run


class Watching:
    """redoctl watch on a session, attached."""

    def __init__(self, s, *options):
        self.process = s.start("watch", "n", *options)
        line = self.process.stderr.readline()
        assert line.startswith("redoctl: watching n from operation "), line

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.kill()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait()

    def line(self):
        return self.process.stdout.readline().rstrip("\n")

    def end(self):
        """Its exit status, and what else it says."""
        out, err = self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode, out, err


def test_every_kind_of_operation_is_a_line():
    with Setting() as s:
        s.begin("n", b"\0\0", 1)
        with Watching(s) as w:
            call = s.rpc.call
            call("addposition", "n", 0, 4, b"\1\0", 0, 1)
            assert w.line() == \
                "2 addposition prev=0 move=4 endpoint=0 check=1 state=0100 -> 1 new"
            call("addposition", "n", 1, -2, b"\2\0", 1, 0)
            assert w.line() == \
                "3 addposition prev=1 move=-2 endpoint=1 check=0 state=0200 -> 2 new *"
            call("addposition", "n", 1, 3, b"\0\5", 0, 1)
            assert w.line() == \
                "4 addposition prev=1 move=3 endpoint=0 check=1 state=0005 -> 3 new [0]"
            call("getnextposition", "n", 1, -2)
            assert w.line() == "5 getnextposition position=1 move=-2 -> 2 *"
            call("dropposition", "n", 3)
            assert w.line() == "6 dropposition position=3 -> 1"
            call("updatesavedstate", "n", 1, b"\1\7")
            assert w.line() == "7 updatesavedstate position=1 state=0107"
            call("setgraftbehavior", "n", 3)
            assert w.line() == "8 setgraftbehavior grafting=3"
            call("addposition", "n", 0, 7, b"\1\1", 0, 0)
            assert w.line().startswith("9 addposition ")
            call("duplicatepath", "n", 4, 1)
            line = w.line()
            assert line.startswith("10 duplicatepath dest=4 source=1 -> 4 "), line
            assert line.endswith(" made=5..5"), line
            call("addposition", "n", 4, 8, b"\3\1", 0, 0)
            assert w.line().startswith("11 addposition ")
            call("suppresscycle", "n", 6, b"\0\0", 9)
            assert w.line() == \
                "12 suppresscycle position=6 prunelimit=9 state=0000 -> 0 dropped=1"
            call("addposition", "n", 0, 9, b"\1\1", 0, 2)
            assert w.line().endswith("-> 7 new ?")
            call("setbetterfields", "n")
            assert w.line() == "14 setbetterfields"
            call("clearsessionchanged", "n")
            assert w.line() == "15 clearsessionchanged"


def test_turns_and_cursors_are_told():
    with Setting() as s:
        s.begin("n")
        s.add("n", 0, 1, b"\1")
        with Watching(s) as w:
            call = s.rpc.call
            call("addpositions", "n", [[1, 2, b"\2", 0, 0], [-1, 3, b"\3", 1, 1]], {"cursor": "c"})
            assert w.line() == ("3 addpositions 2 [prev=1 move=2 endpoint=0 check=0 state=02] "
                                "[prev=-1 move=3 endpoint=1 check=1 state=03] cursor=c -> 3 new * "
                                "made=2..3"), w.line()
            call("undo", "n", "c", {"n": 2})
            assert w.line() == "4 undo cursor=c n=2 -> 1"
            call("setcursor", "n", "c", 0)
            assert w.line() == "5 setcursor cursor=c position=0 -> 0"
            call("redo", "n", "c", {"move": 1})
            assert w.line() == "6 redo cursor=c move=1 -> 1"
            call("movecursor", "n", "c", "branchforth")
            assert w.line() == "7 movecursor cursor=c step=branchforth -> 3 *"
            call("dropcursor", "n", "c")
            assert w.line() == "8 dropcursor cursor=c"
            call("addpositions", "n", [[0, 10 + i, b"\4", 0, 0] for i in range(30)])
            line = w.line()
            assert line.count("[prev=") == 20 and " ... -> 33 new made=4..33" in line, line
            call("addcandidates", "n", 0, [{"move": 50}])
            w.line()
            call("playcandidate", "n", 0, 1, b"\5", 0, 1, {"cursor": "c"})
            assert w.line() == ("11 playcandidate position=0 candidate=1 endpoint=0 check=1 cursor=c "
                                "-> 34 new"), w.line()


def test_grafts_and_copies_are_told():
    with Setting() as s:
        s.begin("n", graft=1)
        for prev, state in ((0, 1), (1, 2), (2, 3)):
            s.add("n", prev, 0, bytes([state]))
        with Watching(s) as w:
            s.add("n", 0, 1, b"\2")
            assert w.line().endswith(" -> 4 new grafted=2->4")


def test_long_states_are_cut():
    with Setting() as s:
        s.begin("n", bytes(100))
        with Watching(s) as w:
            s.add("n", 0, 0, b"\x11" * 100)
            assert " state=" + "11" * 32 + "... -> 1" in w.line()


def test_it_ends_after_so_many():
    with Setting() as s:
        s.begin("n")
        with Watching(s, "--count", 2) as w:
            for move in range(5):
                s.add("n", 0, move, b"\0", 0, 0)
            status, out, err = w.end()
            assert status == 0 and len(out.splitlines()) == 2 and not err


def test_it_ends_on_signals():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Setting() as s:
            s.begin("n")
            with Watching(s) as w:
                s.add("n", 0, 0, b"\1")
                assert w.line()
                w.process.send_signal(number)
                assert w.end() == (0, "", "")


def test_it_ends_when_the_session_is_deleted():
    with Setting() as s:
        s.begin("n")
        with Watching(s) as w:
            s.rpc.call("deletesession", "n")
            assert w.end() == (0, "", "redoctl: the session was deleted\n")


def test_a_daemon_that_ends_is_told():
    with Setting() as s:
        s.begin("n")
        with Watching(s) as w:
            s.daemon.end()
            status, out, err = w.end()
            assert status == 1 and err.startswith("redoctl: the daemon at %s has stopped" % s.socket)


def test_many_operations_come_without_gap():
    with Setting() as s:
        s.begin("n")
        with Watching(s, "--count", 3000) as w:
            s.rpc.call_all([("addposition", "n", 0, move, b"\0", 0, 0) for move in range(3000)])
            status, out, err = w.end()
            assert [int(line.split()[0]) for line in out.splitlines()] == list(range(2, 3002))


run()
