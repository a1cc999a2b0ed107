"""redoctl record: what an analyst has hung on a position; and large sessions in a file."""

import json
import os

from ctl import Setting, run

ROLLOUT = {"kind": "rollout", "equity": 0.25, "numbers": [0.5, 0.125], "deviations": [0.001]}


def begin_analysed(s, name="game"):
    s.begin(name, b"\0\0", cmpsize=1)
    s.add(name, 0, 3, b"\1\0")
    call = s.rpc.call
    call("addcandidates", name, 1, [
        {"move": 4, "text": "24/18 13/11", "analysis": ROLLOUT},
        {"move": 5, "text": "13/11 13/8", "analysis": {"kind": "evaluation", "equity": -0.05}},
        {"text": "\x1b[31mred\u00e9\x9b\n", "properties": {"\x07bell": "\x1b]0;x\x07"}}])
    call("addcandidates", name, 1, [{"text": "double", "analysis": ROLLOUT}, {"text": "take", "shared": True},
                                    {"text": "drop"}], {"list": "decisions"})
    call("playcandidate", name, 1, 2, b"\2\0", 0, 1)
    call("decide", name, 1, 2)
    for key, value in (("position_id", "4HPwATDgc/ABMA"), ("match_id", "QYkKAAAAAAAA"), ("dice", [3, 1]),
                       ("comment", "First line\n\x1b[1msecond"), ("mark", {"bad": True})):
        call("setpositionproperty", name, 1, key, value)
    call("setpositionproperty", name, 1, "why", "\u00e9", {"branch": True})
    call("addalternate", name, 1, b"\1\5")


def test_a_record_is_printed_for_people_and_nothing_reaches_the_terminal_raw():
    with Setting() as s:
        begin_analysed(s)
        out = s.output("record", "game", 1, "--labels=3=left")
        for words in ("position      1, move left from 0\n", "board         4HPwATDgc/ABMA:QYkKAAAAAAAA\n",
                      "dice          3 1\n", "comment       First line\n              \\x1b[1msecond\n",
                      "*    2  13/11 13/8", "-0.3000  evaluation  -> 2\n", "     1  24/18 13/11", "+0.2500",
                      "\\x1b[31mred\u00e9\\xc2\\x9b\\x0a", "\\x07bell: \\x1b]0;x\\x07\n", "*    1  double",
                      "*    2  take", "(shared)\n", "     3  drop", "numbers    0.5000 0.1250\n",
                      "deviations 0.0010\n", "mark: {\"bad\":true}\n", "branch        why: \u00e9\n",
                      "alternates    1 3\n"):
            assert words in out, (words, out)
        assert all(c == "\n" or c.isprintable() for c in out), repr(out)
        s.rpc.call("choose", "game", 0, "none")
        assert s.output("record", "game", 0) == "position      0\ncandidates    none: there is no legal move\n"


def test_of_a_double_it_is_said_which_numbers_are_of_which_answer():
    with Setting() as s:
        s.begin("game", b"\0")
        numbers, deviations = [i / 16 for i in range(14)], [i / 32 for i in range(14)]
        analysis = {"kind": "rollout", "equity": 0.8125, "numbers": numbers, "deviations": deviations}
        s.rpc.call("addcandidates", "game", 0, [{"text": "double", "analysis": analysis}], {"list": "decisions"})
        lines = s.output("record", "game", 0).splitlines()[-4:]
        assert lines[0] == "        no double    0.0000 0.0625 0.1250 0.1875 0.2500 0.3125 0.3750", lines
        assert lines[1].split() == ["deviations"] + ["%.4f" % d for d in deviations[:7]], lines
        assert lines[2] == "        double, take 0.4375 0.5000 0.5625 0.6250 0.6875 0.7500 0.8125", lines
        assert lines[3].split() == ["deviations"] + ["%.4f" % d for d in deviations[7:]], lines


def texts(s, position):
    """Those of the candidates, as they are printed."""
    lines = s.output("record", "game", position).splitlines()
    return [line.split()[line[0] == "*":][1] for line in lines[lines.index("candidates") + 1:]]


def test_candidates_are_printed_best_first_unless_they_were_analysed_in_different_ways():
    with Setting() as s:
        s.begin("game", b"\0")
        equities = {"low": -0.5, "high": 0.5, "none": None, "equal": 0.5}
        s.rpc.call("addcandidates", "game", 0, [
            {"text": text, "analysis": {"kind": "evaluation", "equity": e, "context": {"plies": 2}}}
            for text, e in equities.items()])
        assert texts(s, 0) == ["high", "equal", "low", "none"]
        assert ["1", "low", "-0.5000", "-1.0000", "evaluation"] in [
            line.split() for line in s.output("record", "game", 0).splitlines()]
        for changed in ({"kind": "rollout", "equity": 1.0, "context": {"plies": 2}},
                        {"kind": "evaluation", "equity": 1.0, "context": {"plies": 0}}):
            s.rpc.call("setcandidate", "game", 0, 4, {"analysis": changed})
            assert texts(s, 0) == list(equities)


def test_a_record_is_one_json_object():
    with Setting() as s:
        begin_analysed(s)
        told = json.loads(s.output("record", "game", 1, "--json"))
        assert told == s.rpc.call("getrecord", "game", 1)
        assert s.output("record", "game", 1, "--json").count("\n") == 1


def test_properties_are_set_with_what_has_them():
    with Setting() as s:
        begin_analysed(s)
        for place, options in (({}, ()), ({"branch": True}, ("--branch",)), ({"candidate": 2}, ("--candidate", 2)),
                               ({"decision": 3}, ("--decision=3",))):
            assert s.output("record", "game", 1, "--set", "k", '{"a": [1, {"$bin": "00ff"}]}', *options) == ""
            assert s.rpc.call("getpositionproperty", "game", 1, "k", place) == {"a": [1, b"\0\xff"]}
            s.output("record", "game", 1, "--set", "k", "null", *options)
            assert s.rpc.call("getpositionproperty", "game", 1, "k", place) is None


def test_what_is_wrong_is_told_and_changes_nothing():
    with Setting() as s:
        begin_analysed(s)
        before = s.dump("game")
        for args, status, words in ((("game", 9), 1, "no such position"), (("none", 0), 1, "no such session"),
                                    (("game", "x"), 2, "not the number"), (("game", 1, "k", "5"), 2, "--set"),
                                    (("game", 1, "--set", "k"), 2, "--set"), (("game",), 2, "usage"),
                                    (("game", 1, "--set", "k", "text"), 2, "quotes"),
                                    (("game", 1, "--branch"), 2, "--set"),
                                    (("game", 0, "--set", "k", "1", "--branch"), 1, "first position"),
                                    (("game", 1, "--set", "k", "1", "--candidate", 9), 1, "candidate 9"),
                                    (("game", 1, "--set", "", "1"), 1, "a name has")):
            result = s("record", *args)
            assert result.status == status and words in result.err and not result.out, (args, result)
        assert s.dump("game") == before


def test_a_session_larger_than_a_message_is_exported_and_imported():
    with Setting("--max-message", "2000000", stored=True) as s:
        begin_analysed(s)
        for i in range(8):
            s.rpc.call("setpositionproperty", "game", 0, "comment%d" % i, bytes([i]) * 1900000)
        file = s.folder / "game.redo"
        s.output("export", "game", "-o", file)
        assert os.path.getsize(file) > 15000000
        assert s.output("import", file, "--name", "again") == "4 positions in again\n"
        assert s.dump("again") == s.dump("game")
        s.end_daemon()
        s.begin_daemon()
        assert s.dump("again") == s.dump("game")


run()
