"""redoctl replay: recorded scripts against the daemon."""

import glob
import gzip
import json
import os

from ctl import CASES, Setting, run


def script(name="one", **changes):
    """A small one that is right."""
    made = {
        "name": name, "size": 1, "cmpsize": 0, "initial": "00", "rule": "first",
        "steps": [
            {"op": ["graft", 1], "ret": 1, "size": 1, "chg": 0},
            {"op": ["add", 0, 3, "01", 0, 1], "ret": 1, "size": 2, "chg": 1},
            {"op": ["add", 1, 4, "00", 1, 1], "ret": 2, "size": 3, "chg": 1},
            {"op": ["next", 0, 3], "ret": 1, "size": 3, "chg": 1},
            {"op": ["next", 0, 9], "ret": -1, "size": 3, "chg": 1},
            {"op": ["drop", 0], "ret": 0, "size": 3, "chg": 1},
            {"op": ["drop", 1], "ret": 1, "size": 3, "chg": 1},
            {"op": ["drop", 9], "ret": None, "size": 3, "chg": 1},
            {"op": ["add", 0, 3, "0102", 0, 1], "ret": None, "size": 3, "chg": 1},
            {"op": ["cycle", 1, "00", 0], "ret": 1, "pos": 0, "size": 3, "chg": 1},
            {"op": ["cycle", 1, "07", 0], "ret": 0, "pos": 1, "size": 3, "chg": 1},
            {"op": ["update", 1, "09"], "ret": 0, "size": 3, "chg": 1},
            {"op": ["setbetter"], "ret": 0, "size": 3, "chg": 1},
            {"op": ["clear"], "ret": 1, "size": 3, "chg": 0},
            {"op": ["changed"], "ret": 0, "size": 3, "chg": 0},
            {"op": ["dup", 0, 0], "ret": 1, "size": 3, "chg": 0},
            {"dump": [[0, -1, 0, 0, -1, 0, 1, 2, [1], "00"], [1, 0, 3, 1, -1, 0, 1, 2, [2], "01"],
                      [2, 1, 4, 2, -1, 1, 1, 2, [], "00"]], "size": 3, "chg": 0},
        ]}
    made.update(changes)
    return made


def changed(step, **fields):
    made = script()
    made["steps"][step].update(fields)
    return made


def lines(*scripts):
    return "".join(json.dumps(s) + "\n" for s in scripts)


def last_words(result):
    return result.out.splitlines()[-2:]


def test_a_script_that_agrees_passes():
    with Setting() as s:
        result = s("replay", "-", stdin=lines(script()))
        assert result.status == 0 and not result.err, result
        assert last_words(result) == [
            '17 steps; left out: 0 with the rule "shortest", 0 without steps, '
            "0 that are no scripts", "1 passed, 0 failed"]
        assert len(result.out.splitlines()) == 2
        assert s.rpc.call("listsessions", {})["sessions"] == []


def test_every_recorded_case_agrees():
    with Setting() as s:
        files = sorted(glob.glob(os.path.join(CASES, "*", "*.jsonl*")))
        assert len(files) > 15
        result = s("replay", *files)
        assert result.status == 0, result
        words = last_words(result)
        assert '1 with the rule "shortest", 12 without steps, 189 that are no scripts' in words[0]
        assert int(words[1].split()[0]) >= 289 and words[1].endswith(" passed, 0 failed"), words


def test_a_different_answer_is_told():
    with Setting() as s:
        result = s("replay", "-", stdin=lines(changed(2, ret=7), script("two")))
        assert result.status == 1
        assert last_words(result)[1] == "1 passed, 1 failed"
        assert result.out.startswith(
            'standard input:1 one: step 2: ["add",1,4,"00",1,1]\n'
            "    ret: expected 7, got 2\n"), result.out


def test_a_refusal_that_was_not_expected_is_told_with_its_reason():
    with Setting() as s:
        result = s("replay", "-", stdin=lines(changed(7, ret=5)))
        assert "    ret: expected 5, got null (REDO_EPOSITION: no such position)\n" in result.out
        result = s("replay", "-", stdin=lines(changed(3, ret=None)))
        assert "    ret: expected null, got 1\n" in result.out


def test_other_sizes_flags_and_places_are_told():
    with Setting() as s:
        for step, field in ((1, "size"), (13, "chg"), (9, "pos"), (16, "size")):
            result = s("replay", "-", stdin=lines(changed(step, **{field: 9})))
            assert result.status == 1
            assert ": step %d: " % step in result.out and field + ": expected 9" in result.out


def test_rows_of_a_dump_that_differ_are_told():
    with Setting() as s:
        dump = script()["steps"][16]["dump"]
        dump[1] = [1, 0, 3, 1, -1, 0, 1, 2, [2], "ff"]
        dump[2:] = [[3, 1, 4, 2, -1, 1, 1, 2, [], "00"]]
        result = s("replay", "-", stdin=lines(changed(16, dump=dump)))
        assert result.status == 1
        assert result.out.startswith("""\
standard input:1 one: step 16: dump
    expected [1,0,3,1,-1,0,1,2,[2],"ff"]
    got      [1,0,3,1,-1,0,1,2,[2],"01"]
    got      [2,1,4,2,-1,1,1,2,[],"00"]
    expected [3,1,4,2,-1,1,1,2,[],"00"]
"""), result.out


def test_only_the_first_differences_are_printed():
    with Setting() as s:
        made = script()
        for step in made["steps"]:
            step["size"] += 1
        result = s("replay", "-", stdin=lines(made))
        assert result.out.count("expected") == 3 and "and 14 differences more" in result.out
        result = s("replay", "--differences", 100, "-", stdin=lines(made))
        assert result.out.count("expected") == 17


def test_what_is_no_script_is_left_out_and_counted():
    with Setting() as s:
        text = lines({"kind": "level", "name": "l"}, {"name": "d", "ops": []}, {"ops": []},
                     script(rule="shortest"), script())
        result = s("replay", "-", stdin=text)
        assert result.status == 0
        assert last_words(result)[0].endswith('left out: 1 with the rule "shortest", '
                                              "1 without steps, 2 that are no scripts")
        assert "standard input:2 d: has ops instead of steps" in result.out


def test_broken_scripts_fail():
    with Setting() as s:
        for text in ("{\n", "[]\n", lines(script(initial="0")), lines(script(size=7)),
                     lines(script(steps=[{"op": ["jump", 1]}])), lines(script(steps=[{}])),
                     lines(script(steps=[{"op": ["add", 0]}])), lines(script(steps=[7]))):
            result = s("replay", "-", stdin=text + lines(script("good")))
            assert result.status == 1, (text, result)
            assert last_words(result)[1] == "1 passed, 1 failed", (text, result)


def test_files_may_be_gzipped():
    with Setting() as s:
        path = s.folder / "a.jsonl.gz"
        with gzip.open(path, "wt") as file:
            file.write(lines(script("a"), script("b")))
        assert last_words(s("replay", path))[1] == "2 passed, 0 failed"
        with open(path, "rb") as file:
            data = file.read()
        assert last_words(s("replay", "-", stdin=data))[1] == b"2 passed, 0 failed"
        with open(path, "wb") as file:
            file.write(data[:-12])
        result = s("replay", path)
        assert result.status == 1 and "after line" in result.err


def test_a_file_that_is_not_there_fails():
    with Setting() as s:
        result = s("replay", s.folder / "nothing")
        assert result.status == 1 and "No such file" in result.err
        assert last_words(result)[1] == "0 passed, 1 failed"


def test_the_last_line_needs_no_end():
    with Setting() as s:
        assert last_words(s("replay", "-", stdin=lines(script())[:-1]))[1] == "1 passed, 0 failed"


def test_long_scripts_and_large_trees_go_through():
    with Setting() as s:
        count = 12000
        steps = [{"op": ["add", 0, i, "00", 0, 0], "ret": i + 1, "size": i + 2, "chg": 1}
                 for i in range(count)]
        rows = [[0, -1, 0, 0, -1, 0, 0, 0, list(range(count, 0, -1))]]
        rows += [[i + 1, 0, i, 1, -1, 0, 0, 0, []] for i in range(count)]
        steps.append({"dump": rows, "size": count + 1, "chg": 1})
        result = s("replay", "-", stdin=lines(script(steps=steps)))
        assert result.status == 0, result.out[:500]


run()
