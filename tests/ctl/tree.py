"""redoctl tree: the document's diagrams, and what goes beyond them."""

import os
import re

from ctl import LETTERS, Setting, begin_example, run


def test_documents_diagram_comes_out_character_for_character():
    with Setting() as s:
        begin_example(s)
        assert s.output("tree", "example", LETTERS) == """\
0. (Start)
|_ 1. A
|  |_ 2. A [10]
|     |_ 3. B
|     |  |_ 5. B
|     |_ 4. C
|_ 6. B
|  |_ 7. C
|  |_ 8. B
|     |_ 9. B [1]
|_ 10. C
"""


def test_documents_diagram_after_grafting_too():
    with Setting() as s:
        s.begin("g", graft=1)
        for prev, move, state in [(0, 0, 1), (1, 0, 2), (2, 1, 3), (2, 2, 4), (3, 1, 5), (0, 1, 6),
                                  (6, 2, 7), (6, 1, 8), (8, 1, 1), (0, 2, 2)]:
            s.add("g", prev, move, bytes([state]))
        assert s.output("tree", "g", LETTERS) == """\
0. (Start)
|_ 1. A
|  |_ 2. A [10]
|_ 6. B
|  |_ 7. C
|  |_ 8. B
|     |_ 9. B [1]
|_ 10. C
   |_ 3. B
   |  |_ 5. B
   |_ 4. C
"""


def test_branches_can_be_in_order_of_use():
    with Setting() as s:
        begin_example(s)
        s.rpc.call("getnextposition", "example", 0, 1)
        expected = """\
0. (Start)
|_ 6. B
|  |_ 8. B
|  |  |_ 9. B [1]
|  |_ 7. C
|_ 10. C
|_ 1. A
   |_ 2. A [10]
      |_ 4. C
      |_ 3. B
         |_ 5. B
"""
        assert s.output("tree", "example", LETTERS, "--order", "recent") == expected
        assert s.output("tree", "example", LETTERS, "--order=recent", "--limit=0") == expected


def test_moves_without_labels_are_numbers():
    with Setting() as s:
        s.begin("n")
        s.add("n", 0, -7, b"\1")
        s.add("n", 0, 2147483647, b"\2")
        assert s.output("tree", "n", "--labels", "5=five") == \
            "0. (Start)\n|_ 1. -7\n|_ 2. 2147483647\n"


def test_labels_may_come_from_a_file():
    with Setting() as s:
        s.begin("n")
        s.add("n", 0, -7, b"\1")
        s.add("n", 0, 1, b"\2")
        with open(s.folder / "labels", "w") as file:
            file.write("# moves\n-7=left, then right\n1=up\n")
        assert s.output("tree", "n", "--labels", s.folder / "labels") == \
            "0. (Start)\n|_ 1. left, then right\n|_ 2. up\n"
        assert s("tree", "n", "--labels", s.folder / "nothing").status == 2
        assert s("tree", "n", "--labels", "x=up").status == 2


def test_endpoints_solutions_the_cursor_and_unchecked_positions_are_marked():
    with Setting() as s:
        s.begin("m")
        s.add("m", 0, 0, b"\1")
        s.add("m", 1, 0, b"\2", 1)
        s.add("m", 1, 1, b"\3", 2)
        s.add("m", 0, 1, b"\4", -1)
        s.add("m", 0, 2, b"\5", 0, 2)
        assert s.output("tree", "m", "--cursor", 1) == """\
0. (Start) +
|_ 1. 0 + <
|  |_ 2. 0 *
|  |_ 3. 1 *2 +
|_ 4. 1 *-1
|_ 5. 2 ?
"""


def test_a_part_is_drawn_below_any_position():
    with Setting() as s:
        begin_example(s)
        for limit in (400, 0):
            assert s.output("tree", "example", 6, LETTERS, "--limit", limit) == \
                "6. B\n|_ 7. C\n|_ 8. B\n   |_ 9. B [1]\n"


def test_depth_leaves_out_what_is_below_and_says_so():
    with Setting() as s:
        begin_example(s)
        out = s.output("tree", "example", LETTERS, "--depth", 1)
        assert out.startswith("0. (Start)\n|_ 1. A (1 below)\n|_ 6. B (2 below)\n|_ 10. C\n\n(4 "
                              "positions shown of 11, 1 moves deep;"), out
        assert "--depth N" in out
        assert s.output("tree", "example", LETTERS, "--depth", 1, "--limit", 0) == out


def test_a_large_tree_is_cut_at_the_depth_where_the_limit_holds():
    with Setting() as s:
        s.begin("wide", b"\0\0")
        level = [0]
        for depth in range(6):  # 3 branches everywhere: 1, 4, 13, 40, 121, 364, 1093 positions
            level = [s.add("wide", prev, move, b"\0\0", 0, 0) for prev in level for move in range(3)]
        for limit in (400, 365, 364, 120, 6000):
            out = s.output("tree", "wide", "--limit", limit)
            rows = [row for row in out.split("\n\n")[0].splitlines() if row]
            expected = max(n for n in (1, 4, 13, 40, 121, 364, 1093) if n <= limit)
            assert len(rows) == expected, (limit, len(rows))
            assert ("%d positions shown of 1093" % expected in out) == (expected < 1093), out
        assert len(s.output("tree", "wide", "--limit", 0).splitlines()) == 1093


def test_of_too_many_branches_the_newest_are_shown():
    with Setting() as s:
        s.begin("fan", b"\0\0")
        for move in range(900):
            s.add("fan", 0, move, b"\0\0", 0, 0)
        rows = s.output("tree", "fan").splitlines()
        assert rows[0] == "0. (Start) (501 more)"
        assert rows[1] == "|_ 502. 501" and rows[399] == "|_ 900. 899"
        assert "400 positions shown of 901" in rows[401]


def test_a_deep_tree_is_drawn_in_parts_as_wide_as_the_terminal():
    with Setting() as s:
        s.begin("line")
        for i in range(12):
            s.add("line", i, 0, b"\0", 0, 0)
        s.add("line", 4, 1, b"\0", 0, 0)
        assert s.output("tree", "line", "--width", 32) == """\
0. (Start)
|_ 1. 0
   |_ 2. 0
      |_ 3. 0
         |_ 4. 0 ...

4. 0 (depth 4)
|_ 5. 0
|  |_ 6. 0
|     |_ 7. 0
|        |_ 8. 0 ...
|_ 13. 1

8. 0 (depth 8)
|_ 9. 0
   |_ 10. 0
      |_ 11. 0
         |_ 12. 0
"""


def test_parts_come_in_the_order_of_their_rows_and_each_with_what_is_below_it():
    with Setting() as s:
        s.begin("two")
        for move in range(2):
            s.add("two", 0, move, b"\0", 0, 0)
        for i in range(1, 21):
            s.add("two", i, 0, b"\0", 0, 0)
        out = s.output("tree", "two", "--width", 30)
        heads = re.findall(r"^(\d+)\. 0 \(depth", out, re.M)
        assert heads == ["7", "15", "8", "16"], out


def test_a_tree_of_any_depth_is_drawn():
    with Setting() as s:
        s.begin("deep")
        adds = [[-i if i else 0, 0, b"\0", 0, 0] for i in range(30000)]
        s.rpc.call("addpositions", "deep", adds)
        out = s.output("tree", "deep", "--limit", 0)
        rows = [row for row in out.splitlines() if row and "(depth" not in row]
        assert len(rows) == 30001
        assert len(out) < 30001 * 200
        assert len(s.output("tree", "deep").splitlines()) < 500


def test_every_position_is_there_whichever_way_it_is_loaded():
    with Setting() as s:
        begin_example(s)
        for i in range(11, 300):
            s.add("example", i * 7919 % i, 100 + i, bytes([i % 7]))
        assert s.output("tree", "example", "--limit", 5000) == \
            s.output("tree", "example", "--limit", 0)
        assert s.output("tree", "example", "--limit", 5000, "--order", "recent") == \
            s.output("tree", "example", "--limit", 0, "--order", "recent")


def test_colors_are_for_terminals_or_on_demand():
    with Setting() as s:
        begin_example(s)
        assert "\033" not in s.output("tree", "example")
        colored = s.output("tree", "example", "--color=always")
        assert "\033[36m[10]\033[0m" in colored
        assert re.sub("\033\\[[0-9;]*m", "", colored) == s.output("tree", "example")

        def on_terminal(*options, **env):
            command = " ".join([os.path.abspath(os.environ.get("REDOCTL", "build/client/redoctl")),
                                "tree", "example", *options])
            import subprocess
            from ctl import TIMEOUT, environment
            return subprocess.run(["script", "-qec", command, "/dev/null"], capture_output=True,
                                  stdin=subprocess.DEVNULL, text=True, timeout=TIMEOUT,
                                  env=environment(REDO_SOCKET=s.socket, TERM="xterm", **env)).stdout

        if os.access("/usr/bin/script", os.X_OK):
            assert "\033[36m" in on_terminal()
            assert "\033" not in on_terminal(NO_COLOR="1")
            assert "\033" not in on_terminal("--color=never")


def test_moves_are_called_what_their_candidates_are():
    with Setting() as s:
        s.begin("g", b"\0", cmpsize=1)
        call = s.rpc.call
        call("addcandidates", "g", 0, [{"text": "e4"}, {"text": "\x1b[31md4"}, {"move": 7}])
        for item, state in ((1, b"\1"), (2, b"\2"), (3, b"\3")):
            call("playcandidate", "g", 0, item, state, 0, 0)
        s.add("g", 1, 31, b"\4")
        call("setpositionproperty", "g", 4, "dice", "31")
        call("addcandidates", "g", 4, [{"text": "double"}, {"text": "take"}], {"list": "decisions"})
        for item, state in ((1, b"\5"), (2, b"\6")):
            call("playcandidate", "g", 4, item, state, 0, 0, {"list": "decisions"})
        assert s.output("tree", "g", "--labels", "7=seven") == (
            "0. (Start)\n|_ 1. e4\n|  |_ 4. 31\n|     |_ 5. double\n|        |_ 6. take\n"
            "|_ 2. \\x1b[31md4\n|_ 3. seven\n")
        assert s.output("tree", "g", 5) == "5. double\n|_ 6. take\n"
        assert s.output("tree", "g", "--limit", 0, "--labels", "7=seven") == s.output(
            "tree", "g", "--labels", "7=seven")


def test_what_is_not_there_is_told():
    with Setting() as s:
        begin_example(s)
        result = s("tree", "nothing")
        assert result.status == 1 and "no such session" in result.err and not result.out
        for limit in (400, 0):
            result = s("tree", "example", 99, "--limit", limit)
            assert result.status == 1 and "no such position" in result.err and not result.out
        assert s("tree", "example", "x").status == 2
        assert s("tree", "example", "-1").status == 2


run()
