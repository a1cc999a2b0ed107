"""redoctl and sessions told by change."""

import gzip
import json
import os

from ctl import CASES, Setting, run

TRACES = os.path.join(CASES, "baba")



def update(identity, name, new, old):
    """A line by which an object goes from one (x, y, dir) to another."""
    return ["update", name, *new, *old, identity, 1000 + identity]


RIGHT = [update(1, "baba", (2, 1, 0), (1, 1, 0)), update(2, "rock", (3, 1, 0), (2, 1, 0))]
DOWN = [update(1, "baba", (1, 2, 3), (1, 1, 0))]
BACK = [update(1, "baba", (1, 1, 0), (1, 2, 3))]


def whole_remove(identity, name, x, y, direction):
    return ["remove", name, x, y, direction, identity, identity, "", "", 0, 0, 0, False, "", "", 0, 0,
            name]


def table():
    return {"objects": [[1, {"name": "baba", "x": 1, "y": 1, "originalname": "baba"}],
                        [2, {"name": "rock", "x": 2, "y": 1, "originalname": "rock"}]]}


def begin(s, name="n", **options):
    """Positions 1 and 2 in a row, and 3, with 4 that equals 0, on a branch."""
    s.rpc.call("beginchanges", "baba", dict(options, table=table(), name=name))
    for prev, move, lines in ((0, 0, RIGHT), (1, 1, [whole_remove(2, "rock", 3, 1, 0)]),
                              (0, 2, DOWN), (3, 3, BACK)):
        s.rpc.call("addchanges", name, prev, move, lines, 0, 1)


def lines_of(output):
    return [json.loads(line) for line in output.splitlines()]


# ---- looking


def test_lines_are_told_one_a_line():
    with Setting() as s:
        begin(s)
        assert lines_of(s.output("lines", "n", 1)) == RIGHT
        assert lines_of(s.output("lines", "n", 3)) == DOWN


def test_what_lines_do_not_tell_is_told_apart():
    with Setting() as s:
        begin(s)
        s.rpc.call("addchanges", "n", 0, 9, [["backset", "baba", 1, 0]], 0, 1,
                   {"after": [[0, "back_init", 5]]})
        assert lines_of(s.output("lines", "n", 5)) == [["backset", "baba", 1, 0]]
        assert lines_of(s.output("lines", "n", 5, "--after")) == [[0, "back_init", 5]]
        assert s.output("lines", "n", 1, "--after") == ""


def test_the_first_position_has_no_lines():
    with Setting() as s:
        begin(s)
        result = s("lines", "n", 0)
        assert result.status == 1 and "no lines" in result.err and not result.out, result


def test_a_table_is_told_in_columns():
    with Setting() as s:
        begin(s)
        out = s.output("table", "n", 1).splitlines()
        assert [row.split()[:4] for row in out] == [["id", "name", "x", "y"], ["1", "baba", "2", "1"],
                                                    ["2", "rock", "3", "1"]]
        assert "float" not in out[0] and "float" in s.output("table", "n", 1, "--all")


def test_a_table_is_that_of_the_first_position_if_none_is_named():
    with Setting() as s:
        begin(s)
        assert s.output("table", "n") == s.output("table", "n", 0) != s.output("table", "n", 1)


def test_a_table_is_told_where_a_cursor_is():
    with Setting() as s:
        begin(s)
        s.rpc.call("setcursor", "n", "c", 3)
        assert s.output("table", "n", "--cursor", "c") == s.output("table", "n", 3)
        result = s("table", "n", 3, "--cursor", "c")
        assert result.status == 2 and "not both" in result.err, result


def test_a_table_as_json_begins_a_session():
    with Setting() as s:
        begin(s)
        told = json.loads(s.output("table", "n", 2, "--json"))
        assert [(i, o["name"], o["x"]) for i, o in told["objects"]] == [(1, "baba", 2)]
        s.rpc.call("beginchanges", "baba", {"table": told, "name": "again"})
        assert json.loads(s.output("table", "again", "--json")) == told


def test_a_table_of_many_pages_is_told_whole():
    with Setting() as s:
        objects = [[i, {"name": "o%d" % i, "x": i}] for i in range(1, 2501)]
        s.rpc.call("beginchanges", "baba", {"table": {"objects": objects}, "name": "n"})
        told = json.loads(s.output("table", "n", "--json"))
        assert [(i, o["name"], o["x"]) for i, o in told["objects"]] == [
            (i, o["name"], o["x"]) for i, o in objects]
        assert len(s.output("table", "n").splitlines()) == 2501


def test_a_table_does_no_harm_to_a_terminal():
    with Setting() as s:
        s.rpc.call("beginchanges", "baba", {
            "table": {"objects": [[1, {"name": "a\x1b[2Jb"}]]}, "name": "n"})
        assert "\x1b" not in s.output("table", "n") + s.output("table", "n", "--json")


def test_a_diff_goes_back_and_forth():
    with Setting() as s:
        begin(s)
        out = [line.split(" ", 2) for line in s.output("diff", "n", 2, 3).splitlines()]
        expected = [("-", "2", whole_remove(2, "rock", 3, 1, 0)), ("-", "1", RIGHT[1]),
                    ("-", "1", RIGHT[0]), ("+", "3", DOWN[0])]
        assert [(sign, number, json.loads(line)) for sign, number, line in out] == expected
        assert s.output("diff", "n", 2, 2) == ""


def test_a_long_diff_is_told_whole():
    with Setting() as s:
        s.rpc.call("beginchanges", "baba", {"table": table(), "name": "n"})
        at = 0
        for i in range(2500):
            line = update(1, "baba", (i + 2, 1, 0), (i + 1, 1, 0))
            at = s.rpc.call("addchanges", "n", at, 0, [line], 0, 0)["number"]
        assert len(s.output("diff", "n", 0, at).splitlines()) == 2500
        back = s.output("diff", "n", at, 0).splitlines()
        assert len(back) == 2500 and back[0].startswith("- 2500 ") and back[-1].startswith("- 1 ")


def test_a_tree_counts_lines_by_kind():
    with Setting() as s:
        begin(s)
        assert s.output("tree", "n", "--labels=0=r,1=s,2=d,3=u") == (
            "0. (Start)\n"
            "|_ 1. r update 2\n"
            "|  |_ 2. s remove 1\n"
            "|_ 3. d update 1\n"
            "   |_ 4. u update 1 [0]\n")


def test_a_tree_of_many_turns_is_labelled_whole():
    with Setting() as s:
        s.rpc.call("beginchanges", None, {"name": "n"})
        for i in range(700):
            s.rpc.call("addchanges", "n", 0, i, [["kind%d" % (i % 3), i]], 0, 0)
        out = s.output("tree", "n", "--limit", 0).splitlines()
        assert len(out) == 701
        assert all(row.endswith(" kind%d 1" % (i % 3)) for i, row in enumerate(out[1:]))


def test_a_session_told_by_states_has_no_such_labels():
    with Setting() as s:
        s.begin("n")
        s.add("n", 0, 5, b"\1")
        assert s.output("tree", "n") == "0. (Start)\n|_ 1. 5\n"
        for command in (("lines", "n", 1), ("table", "n"), ("diff", "n", 0, 1)):
            result = s(*command)
            assert result.status == 1 and "REDO_EKIND" in result.err, result


def test_show_counts_lines_in_the_place_of_a_state():
    with Setting() as s:
        begin(s)
        out = s.output("show", "n", 1)
        assert "\nlines         update 2\n" in out and "\nboard" in out, out
        assert "\nstate" not in out and "faults" not in out
        assert "\nlines" not in s.output("show", "n", 0)


def test_show_tells_faults_of_a_lenient_session():
    with Setting() as s:
        begin(s, lenient=True)
        s.rpc.call("addchanges", "n", 0, 9, [["float", "baba", 1, 7, 1]] + DOWN, 0, 1)
        assert "\nfaults        1\n" in s.output("show", "n", 5)
        assert "\nlenient              yes\n" in s.output("info", "n")


def test_info_tells_kind_and_schema():
    with Setting() as s:
        begin(s)
        out = s.output("info", "n")
        assert "\nkind                 changes\n" in out and "\nschema               baba\n" in out
        assert "\nlenient              no\n" in out
        s.rpc.call("beginchanges", None, {"name": "bare"})
        assert "\nschema               none\n" in s.output("info", "bare")
        s.rpc.call("beginchanges", {"version": 1, "objects": {"x": {}}, "kinds": {
            "go": {"type": "change", "id": 1, "old": {"x": 2}, "new": {"x": 3}}}}, {"name": "own"})
        assert "\nschema               its own, of 1 kinds of lines\n" in s.output("info", "own")
        s.begin("states")
        out = s.output("info", "states")
        assert "\nkind                 states\n" in out and "schema" not in out


def test_watch_tells_turns_by_kind():
    with Setting() as s:
        begin(s)
        watching = s.start("watch", "n", "--count", "2")
        assert "watching" in watching.stderr.readline()
        s.rpc.call("addchanges", "n", 2, 7, [["update", "baba", 3, 1, 0, 2, 1, 0, 1, 1001],
                                             ["float", "baba", 1, 0, 1]], 0, 1)
        s.rpc.call("addchanges", "n", 5, 8, [["float", "baba", 1, 1, 0]], 1, 0, {"cursor": "c"})
        out, _ = watching.communicate(timeout=60)
        assert watching.returncode == 0
        first, second = out.splitlines()
        assert first == ("5 addchanges prev=2 move=7 endpoint=0 check=1 "
                         "lines=[update 1 float 1] -> 5 new")
        assert "[prev=5 move=8 endpoint=1 check=0 lines=[float 1]] cursor=c" in second


def test_watch_tells_a_turn_that_is_told_line_by_line():
    with Setting() as s:
        begin(s)
        watching = s.start("watch", "n", "--count", "4")
        assert "watching" in watching.stderr.readline()
        s.rpc.call("newundo", "n", "c", {"move": 7})
        s.rpc.call("addundo", "n", "c", ["float", "baba", 1, 0, 1])
        s.rpc.call("newundo", "n", "c")
        s.rpc.call("newundo", "n", "c", {"drop": True})
        out, _ = watching.communicate(timeout=60)
        rows = [row.split(" ", 1)[1] for row in out.splitlines()]
        assert [row.split(" -> ")[0] for row in rows[:3]] == [
            "newundo cursor=c move=7", 'addundo cursor=c line=["float", "baba", 1, 0, 1]'.replace(", ", ","),
            "newundo cursor=c"], rows
        assert rows[2].endswith(" -> 5 new") and rows[3].startswith("newundo cursor=c drop"), rows


# ---- keeping


def test_an_exported_session_is_the_same_when_it_is_imported():
    with Setting() as s:
        begin(s)
        path = s.folder / "f"
        s.output("export", "n", "-o", path)
        assert s.output("import", path, "--name", "m") == "5 positions in m\n"
        for position in range(5):
            assert s.output("table", "m", position) == s.output("table", "n", position)
        assert s.output("tree", "m") == s.output("tree", "n")
        assert lines_of(s.output("lines", "m", 1)) == RIGHT


def test_a_session_is_the_same_after_a_restart_and_tells_its_kind_before_it_is_read():
    with Setting(stored=True) as s:
        begin(s)
        s.begin("states")
        before = [s.output("table", "n", position) for position in range(5)]
        s.end_daemon()
        s.begin_daemon()
        told = {x["name"]: x["kind"] for x in s.rpc.call("listsessions")["sessions"]}
        assert told == {"n": "changes", "states": "states"}
        assert [s.output("table", "n", position) for position in range(5)] == before
        assert lines_of(s.output("lines", "n", 3)) == DOWN


# ---- traces


def trace(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def board_hash(rows):
    import hashlib
    text = ";".join(sorted(",".join(map(str, row[1:])) for row in rows))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def small_trace(order=None):
    """A turn, an undo, another turn, and back to the first board."""
    tables = {0: [[1, "baba", 1, 1, 0], [2, "rock", 2, 1, 0]],
              1: [[1, "baba", 2, 1, 0], [2, "rock", 3, 1, 0]],
              2: [[1, "baba", 1, 2, 3], [2, "rock", 2, 1, 0]]}
    of = {n: board_hash(rows) for n, rows in tables.items()}
    first = {"kind": "level", "name": "small", "table": tables[0], "hash": of[0]}
    if order:
        first["update_order"] = order
    return [first,
            {"kind": "turn", "entry": 1, "from": 0, "move": "right", "lines": RIGHT,
             "hash": of[1], "table": tables[1]},
            {"kind": "undo", "entry": 0, "hash": of[0]},
            {"kind": "turn", "entry": 2, "from": 0, "move": "down", "lines": DOWN, "hash": of[2]},
            {"kind": "turn", "entry": 3, "from": 2, "move": "up", "lines": BACK, "hash": of[0],
             "equal": 0, "table": tables[0]},
            {"kind": "undo", "entry": 2, "hash": of[2], "table": tables[2]},
            {"kind": "undo", "entry": 0, "hash": of[0]},
            {"kind": "redo", "entry": 1, "from": 0, "move": "right", "hash": of[1]},
            {"kind": "end", "entries": 3, "turns": 3, "undos": 3, "redos": 1, "equal": 1,
             "table": tables[1]}]


def test_a_trace_that_agrees_passes():
    with Setting() as s:
        out = s.output("replay", "-", stdin=trace(*small_trace()))
        assert out == ("standard input: 3 turns, 3 undos, 1 redos, 1 to a known board: "
                       "9 of 9 records agree\n1 passed, 0 failed\n")
        assert s.rpc.call("listsessions")["sessions"] == []


def test_a_trace_is_kept_under_a_name():
    with Setting() as s:
        s.output("replay", "--session", "t", "-", stdin=trace(*small_trace()))
        assert s.output("tree", "t") == ("0. (Start)\n|_ 1. 0 update 2\n|_ 2. 1 update 1\n"
                                         "   |_ 3. 2 update 1 [0]\n")
        assert s.output("table", "t", "--cursor", "trace") == s.output("table", "t", 1)


def test_a_gzipped_trace_is_read():
    with Setting() as s:
        path = s.folder / "t.jsonl.gz"
        with gzip.open(path, "wt") as f:
            f.write(trace(*small_trace()))
        assert "9 of 9 records agree" in s.output("replay", path)


def test_several_traces_in_a_row_are_told_each():
    with Setting() as s:
        out = s.output("replay", "-", stdin=2 * trace(*small_trace()))
        assert out.count("9 of 9 records agree") == 2 and out.endswith("2 passed, 0 failed\n")


def altered(record, **fields):
    records = small_trace()
    records[record].update(fields)
    return trace(*records)


def test_what_differs_is_told_and_the_status_is_1():
    with Setting() as s:
        for script, words in (
                (altered(1, hash="0" * 16), ":2: hash: expected \"0000000000000000\", got \""),
                (altered(2, table=[]), ":3: table: expected [], got [[1,"),
                (altered(4, equal=1), ":5: equal: expected 1, got 0"),
                (altered(6, entry=1), ":7: position: expected 1, got 0"),
                (altered(8, turns=7), ":9: turns: expected 7, got 3")):
            result = s("replay", "-", stdin=script)
            assert result.status == 1 and words in result.out, result
            assert "8 of 9 records agree" in result.out
            assert result.out.endswith("0 passed, 1 failed\n")


def test_a_trace_whose_lines_do_not_fit_stops_and_says_which():
    with Setting() as s:
        result = s("replay", "-", stdin=altered(3, lines=[update(1, "baba", (1, 2, 3), (7, 1, 0))]))
        assert result.status == 1 and "there it stopped" in result.out, result
        assert "REDO_ELINE" in result.err and 'field "x"' in result.err, result.err


def swapped(lines):
    return [[*line[:2], *line[5:8], *line[2:5], *line[8:]] if line[0] == "update" else line
            for line in lines]


def test_updates_told_old_first_are_played_so_and_not_otherwise():
    records = small_trace("old-first")
    for record in records:
        if "lines" in record:
            record["lines"] = swapped(record["lines"])
    with Setting() as s:
        assert "9 of 9 records agree" in s.output("replay", "-", stdin=trace(*records))
        result = s("replay", "--schema", "baba", "-", stdin=trace(*records))
        assert result.status == 1 and "REDO_ELINE" in result.err, result


def test_an_undo_of_an_entry_that_is_not_there_is_told():
    with Setting() as s:
        result = s("replay", "-", stdin=altered(2, entry=77))
        assert result.status == 1 and "not there" in result.err, result


def test_the_recorded_traces_agree():
    if not os.path.isdir(TRACES):
        return
    with Setting() as s:
        names = sorted(n for n in os.listdir(TRACES) if ".jsonl" in n)
        out = s.output("replay", *(os.path.join(TRACES, n) for n in names))
        assert out.endswith("%d passed, 0 failed\n" % len(names)), out



run()
