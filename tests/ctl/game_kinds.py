"""redoctl import: what kind of games a file has is told by how it begins, not by what its texts look like."""

import json
import os

from ctl import CASES, Setting, run

TAGS = b'[Event "Friendly"]\n[Result "*"]\n\n'


def kind(s, name, data):
    told = s("import", "-", "--name", name, stdin=data)
    assert told.status == 0, told
    return s.rpc.call("getproperties", name)["format"]


def complaint(s, data):
    told = s("import", "-", "--name", "x", stdin=data)
    assert told.status == 1 and not told.out, told
    assert s.rpc.call("listsessions", {})["sessions"] == []
    return told.err.decode()


def test_a_text_of_sgf_may_look_like_the_head_of_mat():
    with Setting(stored=True) as s:
        assert kind(s, "a", b"(;GM[1]C[Won a 7 point match])") == "sgf"
        assert kind(s, "b", b"Lead\n(;GM[1]C[\n 7 point match\n])") == "sgf"
        path = os.path.join(CASES, "gnubg", "match7-analysed.sgf")
        text = open(path, "rb").read().replace(b"EV[Winter Open]", b"EV[7 point match]")
        assert s("import", "-", "--name", "c", stdin=text).status == 0
        assert s.rpc.call("getproperties", "c")["event"] == "7 point match"


def test_a_text_of_mat_or_pgn_may_look_like_sgf():
    with Setting(stored=True) as s:
        mat = b'; [Event "(;x"]\n\n 3 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5\n'
        assert kind(s, "a", mat) == "gnubg"
        assert kind(s, "b", b"\t3 point match\n; (AB[ and the rest\n" + mat[mat.index(b"\n Game"):]) == "gnubg"
        assert kind(s, "c", TAGS.replace(b"Friendly", b"7 point match (;)") + b"1. e4 *\n") == "pgn"


def test_comments_before_a_game_of_pgn_are_passed_over():
    with Setting(stored=True) as s:
        for n, before in enumerate((b"{a note}\n", b"; a line\n{two\nlines}", b"% not read\n")):
            assert kind(s, f"n{n}", before + TAGS + b"1. e4 *\n") == "pgn"
        assert kind(s, "bare", b"1 e4 e5 *\n") == "pgn"


def test_a_file_that_begins_as_a_game_is_complained_of_with_line_and_column():
    with Setting(stored=True) as s:
        for data, place in ((b"(" * 100, "1:101: "), (b"\n ()", "2:4: "), (b"(;C[a\0b])", "1:6: "),
                            (b"[Event abc]\n\n1. e4 *\n", "1:8: "), (TAGS + b"1. e4 {\0} *\n", "4:8: "),
                            (b" 99999999999 point match\n\n Game 1\n A : 0 B : 0\n", "1:2: a length above")):
            told = complaint(s, data)
            assert "standard input:" + place in told and "nothing was imported" in told, (data, told)


def test_json_is_no_game_whatever_stands_in_it():
    with Setting(stored=True) as s:
        text = json.dumps({"name": "x", "comment": "(;GM[1])\n 7 point match\n"}).encode()
        assert "is JSON" in complaint(s, text)
        assert "is JSON" in complaint(s, text.replace(b"\\n", b"\n"))


run()
