"""The Lua module: a small game with an undo buffer (game.lua) plays with it against the daemon."""

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[1:1] = [os.path.join(TESTS, "server"), TESTS]

from harness import TIMEOUT, Daemon, Folder, Skip, run, wait_for  # noqa: E402
from rpc import Rpc  # noqa: E402

MODULE = os.path.join(TESTS, os.pardir, "client", "lua")
TRACES = os.path.join(TESTS, "cases", "baba")
LUAS = ("luajit", "lua5.4", "lua5.3", "lua5.1", "lua")


def can_run(lua):
    """Whether that Lua has what the module needs."""
    if not shutil.which(lua):
        return False
    probe = 'require "luv"; if not string.pack then require "mpack" end'
    return subprocess.run([lua, "-e", probe], capture_output=True, check=False).returncode == 0


def luas():
    """Those that are there, one of each version."""
    found = {}
    for lua in filter(can_run, LUAS):
        version = subprocess.run([lua, "-e", "print(_VERSION, jit and jit.version)"], check=True,
                                 capture_output=True, text=True).stdout
        found.setdefault(version, lua)
    return list(found.values())


def literal(value):
    """A value of JSON as Lua."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{%s}" % ",".join("[%s]=%s" % (literal(k), literal(v)) for k, v in value.items())
    if isinstance(value, list):
        return "{%s}" % ",".join(map(literal, value))
    return json.dumps(value)


def examples():
    with open(os.path.join(MODULE, "README.md"), encoding="utf-8") as f:
        page = f.read()
    blocks = re.findall(r"<!-- example: \w+\.lua -->\n```lua\n(.*?)```", page, re.S)
    assert len(blocks) == 2
    return 'redo_module = require "redo"\n' + "\n".join(blocks)


def board(rows):
    return ";".join(sorted("%d,%s,%d,%d,%d" % tuple(row) for row in rows))


class Play:
    """The game, with a script."""

    def __init__(self, folder, lua, script):
        self.files = {"examples.lua": examples(), "script.lua": "return " + literal(script)}
        for name, text in self.files.items():
            with open(folder / name, "w", encoding="utf-8") as f:
                f.write(text)
        self.process = subprocess.Popen(
            [lua, os.path.join(HERE, "game.lua"), MODULE, folder / "examples.lua",
             folder / "script.lua"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.out = []

    def until_pause(self):
        for line in self.process.stdout:
            self.out.append(line)
            if line.startswith("pause"):
                return
        raise AssertionError("no pause: " + "".join(self.out))

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self):
        """What it has said; it went well."""
        rest, _ = self.process.communicate(timeout=TIMEOUT)
        self.out += rest.splitlines(True)
        assert self.process.returncode == 0, "".join(self.out)
        return [line.rstrip("\n").split("\t") for line in self.out]


def said(out):
    return [words[1] for words in out if words[0] == "say"]


def told(out):
    return [words[1:] for words in out if words[0] == "tell"]


def everywhere(test):
    """Runs a test with each Lua."""
    def all_of_them():
        found = luas()
        if not found:
            raise Skip("no Lua 5.3 or later with luv (lua-luv), and no older one with luv and mpack (lua-mpack)")
        for lua in found:
            with Folder() as folder:
                test(folder, lua)
    all_of_them.__name__ = test.__name__
    all_of_them.__module__ = test.__module__
    return all_of_them


# ---- scripts

def update(identity, name, old, new):
    return ["update", name, *old, *new, identity, 1000 + identity]


FIRST = {1: {"name": "baba", "x": 1, "y": 1, "dir": 0}, 2: {"name": "rock", "x": 2, "y": 1, "dir": 0}}
RIGHT = [update(1, "baba", (1, 1, 0), (2, 1, 0)), update(2, "rock", (2, 1, 0), (3, 1, 0))]
DOWN = [update(1, "baba", (2, 1, 0), (2, 2, 3))]
UP = [update(1, "baba", (2, 2, 3), (2, 1, 0))]
MADE = [["create", "flag", 7, -1, "convert", 3, 1, 0],
        ["remove", "rock", 3, 1, 0, 2, 2, "", "", 0, 0, 0, False, "", "", 0, 0, "rock"]]


def turn(lines, **more):
    return dict(more, kind="turn", lines=lines)


UNDO, REDO, CHECK, TELL = ({"kind": kind} for kind in ("undo", "redo", "check", "tell"))
SETTLE, BACK = {"kind": "settle"}, {"kind": "back"}


def pause(text="here"):
    return {"kind": "pause", "text": text}


def script(folder, records, **more):
    return dict({"name": "level", "socket": folder / "s", "table": FIRST, "records": records,
                 "options": {"retry": 0, "timeout": 5}}, **more)


def trace(name):
    path = os.path.join(TRACES, name)
    with (gzip.open(path, "rt") if name.endswith(".gz") else open(path)) as f:
        return [json.loads(line) for line in f]


def old_first(line):
    return [*line[:2], *line[5:8], *line[2:5], *line[8:]] if line[0] == "update" else line


def traced(folder, name):
    """A trace as a script, its lines as the game itself writes them."""
    first, *rest, end = trace(name)
    records, moves = [], {}
    for record in rest:
        made = {"kind": record["kind"]}
        if "move" in record:
            made["move"] = moves.setdefault(record["move"], len(moves))
        if "lines" in record:
            made["lines"] = [old_first(line) for line in record["lines"]]
        if "table" in record:
            made["board"] = board(record["table"])
        records.append(made)
        if len(records) % 10 == 0:
            records.append(CHECK)
    objects = {row[0]: dict(zip(("name", "x", "y", "dir"), row[1:])) for row in first["table"]}
    return script(folder, [*records, CHECK], table=objects), end


def positions(rpc, name="level"):
    return rpc.call("getsession", name)["positions"]


def rows(rpc, position, name="level"):
    return [[i, o["name"], o["x"], o["y"], o["dir"]]
            for i, o in rpc.call("gettable", name, position)["objects"]]


# ---- tests


@everywhere
def test_a_game_of_the_page_plays_a_trace_and_the_daemon_has_its_tables(folder, lua):
    for name in ("19-own-convert.jsonl", "20-own-sink-mover.jsonl"):
        with Daemon(folder / "s") as daemon:
            made, end = traced(folder, name)
            assert not said(Play(folder, lua, made).end())
            rpc = Rpc(folder / "s")
            assert positions(rpc) == end["entries"] + 1
            at = rpc.call("getcursor", "level", "player")["number"]
            assert rows(rpc, at) == end["table"]
            rpc.close()
            assert daemon.end() == 0


@everywhere
def test_a_board_that_was_reached_before_is_told(folder, lua):
    with Daemon(folder / "s"):
        records = [turn(RIGHT), TELL, turn(DOWN), TELL, turn(UP), TELL]
        out = told(Play(folder, lua, script(folder, records)).end())
        assert [words[:4] for words in out] == [["here", "false", "1", "nil"],
                                                ["here", "false", "2", "nil"],
                                                ["here", "false", "3", "1"]]


@everywhere
def test_undo_and_another_turn_make_a_branch_and_redo_goes_the_way_that_was_undone(folder, lua):
    with Daemon(folder / "s"):
        records = [turn(RIGHT), UNDO, turn([update(1, "baba", (1, 1, 0), (1, 2, 3))]), UNDO, REDO,
                   CHECK, UNDO, turn(RIGHT), CHECK, TELL]
        out = told(Play(folder, lua, script(folder, records)).end())
        assert out[-1][2] == "1"  # the same turn from the same place again
        rpc = Rpc(folder / "s")
        assert positions(rpc) == 3
        assert [p["prev"] for p in rpc.call("getpositions", "level")["positions"]] == [None, 0, 0]
        rpc.close()


@everywhere
def test_a_turn_without_lines_leaves_nothing(folder, lua):
    with Daemon(folder / "s"):
        Play(folder, lua, script(folder, [turn([]), turn(RIGHT), turn([])])).end()
        rpc = Rpc(folder / "s")
        assert positions(rpc) == 2
        rpc.close()


@everywhere
def test_what_lines_do_not_tell_is_in_the_table_if_the_game_tells_it(folder, lua):
    backset = ["backset", "baba", 1, 0]
    with Daemon(folder / "s"):
        Play(folder, lua, script(folder, [
            {"kind": "raw", "lines": [backset], "untold": [{"back_init": 4}]},
            {"kind": "raw", "lines": [["backset", "baba", 1, 4]]}])).end()
        rpc = Rpc(folder / "s")
        tables = [rpc.call("gettable", "level", n)["objects"][0][1] for n in range(3)]
        assert [o.get("back_init") for o in tables] == [0, 4, None]
        rpc.close()


@everywhere
def test_places_of_a_line_without_a_value_are_told_as_nil(folder, lua):
    made = ["create", "flag", 7, None, None, 3, 1, 0]
    with Daemon(folder / "s"):
        Play(folder, lua, script(folder, [{"kind": "raw", "lines": [made]}])).end()
        rpc = Rpc(folder / "s")
        assert rpc.call("getlines", "level", 1)["lines"] == [made]
        rpc.close()


@everywhere
def test_the_lines_of_a_turn_that_is_dropped_are_not_told(folder, lua):
    with Daemon(folder / "s"):
        Play(folder, lua, script(folder, [
            {"kind": "raw", "lines": RIGHT, "dropped": True}, turn(RIGHT), CHECK])).end()
        rpc = Rpc(folder / "s")
        assert positions(rpc) == 2
        rpc.close()


@everywhere
def test_without_a_daemon_the_game_plays_on_and_tells_it_all_when_there_is_one(folder, lua):
    records = [turn(RIGHT), turn(MADE), UNDO, turn(DOWN), TELL, pause(), SETTLE, CHECK, TELL]
    play = Play(folder, lua, script(folder, records))
    play.until_pause()
    with Daemon(folder / "s"):
        play.go_on()
        out = play.end()
        assert [words[:2] for words in told(out)] == [["away", "true"], ["here", "false"]]
        assert len(said(out)) == 2
        assert "no daemon at" in said(out)[0] and "the game plays on" in said(out)[0]
        assert said(out)[1] == "redo: the daemon is there, and has been told all"
        rpc = Rpc(folder / "s")
        assert positions(rpc) == 4
        assert rpc.call("getcursor", "level", "player")["number"] == 3
        rpc.close()


@everywhere
def test_a_daemon_that_was_killed_does_not_end_the_game_and_keeps_what_it_had(folder, lua):
    records = [turn(RIGHT), pause("a"), turn(DOWN), UNDO, TELL, pause("b"), SETTLE, CHECK, TELL]
    store = ("--store", folder / "store")
    with Daemon(folder / "s", *store) as daemon:
        play = Play(folder, lua, script(folder, records))
        play.until_pause()
        daemon.kill(signal.SIGKILL)
        daemon.process.wait()
    play.go_on()
    play.until_pause()
    with Daemon(folder / "s", *store):
        play.go_on()
        out = play.end()
        assert [words[0] for words in told(out)] == ["away", "here"]
        rpc = Rpc(folder / "s")
        assert positions(rpc) == 3
        assert rpc.call("getcursor", "level", "player")["number"] == 1
        rpc.close()


@everywhere
def test_a_daemon_that_has_forgotten_is_told_again(folder, lua):
    records = [turn(RIGHT), turn(DOWN), SETTLE, pause(), turn(UP), SETTLE, CHECK, TELL]
    with Daemon(folder / "s") as daemon:
        play = Play(folder, lua, script(folder, records))
        play.until_pause()
        daemon.end()
    with Daemon(folder / "s"):
        play.go_on()
        assert told(play.end())[-1][:4] == ["here", "false", "3", "1"]
        rpc = Rpc(folder / "s")
        assert positions(rpc) == 4
        rpc.close()


@everywhere
def test_a_daemon_that_does_not_answer_is_not_waited_for(folder, lua):
    records = [turn(RIGHT), SETTLE, pause("a"), turn(DOWN), turn(UP), TELL, pause("b"), SETTLE,
               CHECK, TELL]
    with Daemon(folder / "s") as daemon:
        play = Play(folder, lua, script(folder, records, options={"retry": 0, "timeout": 0.3}))
        play.until_pause()
        daemon.kill(signal.SIGSTOP)
        try:
            play.go_on()
            play.until_pause()
        finally:
            daemon.kill(signal.SIGCONT)
        play.go_on()
        out = play.end()
        assert told(out)[0][:2] == ["away", "true"] and told(out)[1][:2] == ["here", "false"]
        assert any("no answer in time" in text for text in said(out))
        rpc = Rpc(folder / "s")
        assert positions(rpc) == 4  # what was answered too late was not told twice
        rpc.close()


@everywhere
def test_a_line_that_does_not_fit_is_told_and_the_game_goes_on_from_before_it(folder, lua):
    wrong = [update(1, "baba", (1, 1, 0), (1, 2, 3)), update(2, "rock", (8, 1, 0), (3, 1, 0))]
    records = [turn(wrong), TELL, turn([update(1, "baba", (1, 2, 3), (1, 3, 3))]), TELL, UNDO, UNDO]
    # The game's own board is as wrong as its lines: put right before it goes on.
    records += [turn([update(1, "baba", (1, 1, 0), (2, 1, 0))]), TELL]
    with Daemon(folder / "s"):
        out = Play(folder, lua, script(folder, records)).end()
        assert told(out)[0][2:] == ["nil", "nil", "1", "x", "2", "8"]
        assert len(said(out)) == 1 and "line 1, field x, expected 2, given 8" in said(out)[0]
        assert told(out)[2][:3] == ["here", "false", "1"]
        rpc = Rpc(folder / "s")
        assert positions(rpc) == 2
        rpc.close()


@everywhere
def test_lines_of_the_wrong_order_are_refused(folder, lua):
    records = [turn([["update", "baba", 2, 1, 0, 1, 1, 0, 1, 1001]]), TELL]
    with Daemon(folder / "s"):
        out = told(Play(folder, lua, script(folder, records, order="new-first")).end())
        assert out[0][4:] == ["0", "x", "1", "2"]
        out = Play(folder, lua, script(folder, records, order="new-first", name="other", options={
            "schema": "baba", "retry": 0, "timeout": 5})).end()
        assert told(out)[0][:3] == ["here", "false", "1"]


@everywhere
def test_a_saved_game_goes_on_where_it_was_and_undoes_what_was_played_before(folder, lua):
    after = {1: {"name": "baba", "x": 2, "y": 2, "dir": 3}, 2: {"name": "rock", "x": 3, "y": 1, "dir": 0}}
    with Daemon(folder / "s"):
        Play(folder, lua, script(folder, [turn(RIGHT), turn(DOWN)])).end()
        resumed = script(folder, [CHECK, turn(UP), CHECK, TELL, BACK, BACK, CHECK, TELL, BACK, CHECK,
                                  TELL, {"kind": "back", "none": True}], table=after,
                         options={"at": 2, "retry": 0, "timeout": 5})
        out = told(Play(folder, lua, resumed).end())
        assert [words[2] for words in out] == ["3", "1", "0"]


@everywhere
def test_what_was_played_another_time_can_be_done_again(folder, lua):
    with Daemon(folder / "s"):
        Play(folder, lua, script(folder, [turn(RIGHT), turn(DOWN), turn(UP)])).end()
        out = told(Play(folder, lua, script(folder, [CHECK, REDO, REDO, REDO, CHECK, TELL])).end())
        assert out[0][:4] == ["here", "false", "3", "1"]
        rpc = Rpc(folder / "s")
        assert positions(rpc) == 4
        rpc.close()


RECORDS = """
package.path = %r .. "/?.lua;" .. package.path
local redo = require "redo"
local history = redo.open{name = "level", schema = "baba-old-first", socket = %r, timeout = 5,
                          table = {objects = {[1] = {name = "baba", x = 1, y = 1, dir = 0}}}}
history:newundo(4)
history:addundo({"update", "baba", 1, 1, 0, 2, 1, 0, 1, 1001})
local answer = history:call("addcandidates", 1, {
  {text = "right", move = 4, analysis = {kind = "guess", equity = 0.1, numbers = {1, 0.25, -3}}}, {text = "wait"}})
assert(#answer.ids == 2 and answer.ids[2] == 2)
assert(history:call("setpositionproperty", 1, "comment", "h\195\169", {candidate = 2}) == nil)
local played = assert(history:call("playcandidate", 1, 1, require("redo.pack").null, 0, 1, {
  lines = {{"update", "baba", 2, 1, 0, 3, 1, 0, 1, 1001}}}))
assert(played.number == 2 and played.new and played.prev == 1)
local record = history:call("getrecord", 1)
assert(record.choice == 1 and #record.candidates == 2 and record.candidates[1].leads == 2)
local told = record.candidates[1].analysis
assert(told.equity == 0.1 and told.numbers[1] == 1 and told.numbers[2] == 0.25 and told.numbers[3] == -3)
assert(record.candidates[2].properties.comment == "h\195\169")
local none, why = history:call("choose", 1, 9)
assert(none == nil and why:find("no such candidate"), why)
history:close()
print("well")
"""


@everywhere
def test_records_are_kept_by_calls_of_the_protocol(folder, lua):
    with Daemon(folder / "s"):
        with open(folder / "records.lua", "w", encoding="utf-8") as f:
            f.write(RECORDS % (MODULE, folder / "s"))
        done = subprocess.run([lua, folder / "records.lua"], capture_output=True, text=True, timeout=TIMEOUT)
        assert done.stdout == "well\n", done
        rpc = Rpc(folder / "s")
        told = rpc.call("getrecord", "level", 1)
        assert told["candidates"][0]["analysis"]["numbers"] == [1.0, 0.25, -3.0]
        rpc.close()


if not luas():
    print("skipped: no Lua 5.3 or later with luv (lua-luv), and no older one with luv and mpack (lua-mpack)")
    sys.exit(77)
run()
