"""Recorded games replayed: after every turn, undo and redo the table is the trace's; equal boards are
found, and no others; jumps lead where they should."""
import random

import baba
from changes import ELINE, Skip, addchanges, error_of, getdiff, gettable, run, served, states

PLAYED = ("0", "1", "2", "80")
MADE_UP = ("9",)


class Replay:
    """One trace in one session."""

    def __init__(self, rpc, path, graft=0, schema=None):
        self.rpc, self.records = rpc, baba.read(path)
        first = self.records[0]
        self.old_first = first.get("update_order") == "old-first"
        schema = schema or ("baba-old-first" if self.old_first else "baba")
        self.session = rpc.call("beginchanges", schema,
                                {"table": baba.told(baba.table_of(first))})["session"]
        rpc.call("setgraftbehavior", self.session, graft)
        self.number = {0: 0}           # of an entry
        self.tables = {0: baba.table_of(first)}
        self.turns = {}                # number: the record
        self.ids = graft == 0          # nothing is renamed: tables are the trace's in all

    def table(self, entry):
        return gettable(self.rpc, self.session, self.number[entry])

    def check(self, record, entry):
        table = self.table(entry)
        if "hash" in record:
            assert baba.board_hash(table) == record["hash"], record
        if "table" in record and self.ids:
            assert table == self.whole(record, table), record
        return table

    def whole(self, record, table):
        """The record's table, with the fields that traces of played games do not have."""
        told = baba.table_of(record)
        if isinstance(record["table"], list):
            for i, r in told["objects"].items():
                r["originalname"] = table["objects"][i]["originalname"]
        return told

    def turn(self, record):
        prev = self.number[record["from"]]
        answer = addchanges(self.rpc, self.session, prev, record["entry"], record["lines"],
                            after=baba.after_of(record))
        assert answer["new"] and answer["faults"] == 0
        self.number[record["entry"]] = answer["number"]
        self.turns[answer["number"]] = record
        self.tables[record["entry"]] = self.check(record, record["entry"])
        assert self.table(record["from"]) == self.tables[record["from"]] or not self.ids

    def run(self):
        for record in self.records[1:]:
            if record["kind"] == "turn":
                self.turn(record)
            elif record["kind"] in ("undo", "redo"):
                table = self.check(record, record["entry"])
                assert not self.ids or table == self.tables[record["entry"]]
        return self


def each(*prefixes):
    paths = baba.names(*prefixes)
    if not paths:
        raise Skip("no such traces here")
    return paths


@served
def test_every_turn_undo_and_redo_leads_to_the_traces_table(daemon, rpc):
    for path in each(*PLAYED, *MADE_UP):
        replay = Replay(rpc, path).run()
        end = replay.records[-1]
        assert len(replay.turns) == end.get("turns", len(replay.turns)), path


@served
def test_equal_boards_are_found_and_no_others(daemon, rpc):
    for path in each(*PLAYED):
        replay = Replay(rpc, path).run()
        state = states(rpc, replay.session)
        first, found = {}, {}
        for entry in sorted(replay.number):
            board = state[replay.number[entry]]
            if board in first:
                found[entry] = first[board]
            else:
                first[board] = entry
        expected = {r["entry"]: r["equal"] for r in replay.records if "equal" in r and
                    r["kind"] == "turn"}
        assert found == expected, path


@served
def test_with_grafting_every_board_stays_what_it_was(daemon, rpc):
    """Ids may become others there, and lines that still tell the old ones are then refused."""
    for path in each("05", "07", "09", "10", "12", "13", "15", "17", "20"):
        replay = Replay(rpc, path, graft=1).run()
        for record in replay.turns.values():
            assert baba.board_hash(replay.table(record["entry"])) == record["hash"]


@served
def test_lines_lead_from_any_position_to_any_other(daemon, rpc):
    """getdiff, done on a plain table by rules that are not the engine's."""
    rng = random.Random(7)
    for path in each("19", "20", "9"):
        replay = Replay(rpc, path).run()
        entries = sorted(replay.number)
        for _ in range(60):
            a, b = rng.choice(entries), rng.choice(entries)
            table = baba.deep(replay.tables[a])
            for number, undone, lines, after in getdiff(rpc, replay.session, replay.number[a],
                                                        replay.number[b], rng.choice((1, 3, 1000))):
                record = replay.turns[number]
                if undone:
                    assert lines == record["lines"][::-1]
                    baba.undo(table, lines, replay.tables[record["from"]])
                else:
                    assert lines == record["lines"] and after == baba.after_of(record)
                    baba.do(table, lines, after)
            assert table == replay.tables[b], (path, a, b)


@served
def test_lines_are_told_as_they_were(daemon, rpc):
    for path in each("19", "9"):
        replay = Replay(rpc, path).run()
        for number, record in replay.turns.items():
            told = rpc.call("getlines", replay.session, number)
            assert told == {"lines": record["lines"], "after": baba.after_of(record),
                            "digest": None, "faults": 0, "faulty": []}


@served
def test_update_with_the_old_place_first_needs_its_own_schema(daemon, rpc):
    for path in each("80"):
        Replay(rpc, path).run()
        replay = Replay(rpc, path, schema="baba")
        refused = 0
        for record in replay.records[1:]:
            if record["kind"] != "turn":
                continue
            error, _ = rpc.response(rpc.send("addchanges", replay.session, 0, record["entry"],
                                             record["lines"], 0, 1))
            refused += bool(error and error[0] == ELINE)
            break
        assert refused == 1
        assert rpc.call("getsessionsize", replay.session) == 1


@served
def test_a_lenient_session_keeps_what_does_not_fit_and_undoes_it_by_its_own_table(daemon, rpc):
    table = {"objects": [[1, {"name": "baba", "x": 1}]]}
    s = rpc.call("beginchanges", "baba", {"table": table, "lenient": True})["session"]
    wrong = ["update", "baba", 3, 0, 0, 2, 0, 0, 1, 0]  # it was not at 2
    gone = ["update", "baba", 3, 0, 0, 2, 0, 0, 7, 0]   # there is no 7
    answer = addchanges(rpc, s, 0, 1, [wrong, gone])
    assert answer["faults"] == 2
    assert gettable(rpc, s, answer["number"])["objects"][1]["x"] == 3
    assert gettable(rpc, s, 0)["objects"][1]["x"] == 1
    assert rpc.call("getlines", s, answer["number"])["lines"] == [wrong, gone]
    strict = rpc.call("beginchanges", "baba", {"table": table})["session"]
    assert error_of(rpc, "addchanges", strict, 0, 1, [wrong], 0, 1) == ELINE


@served
def test_a_line_with_several_faults_is_one(daemon, rpc):
    table = {"objects": [[1, {"name": "baba", "x": 1}], [2, {}]]}
    s = rpc.call("beginchanges", "baba", {"table": table, "lenient": True})["session"]
    wrong = ["update", "baba", 3, 3, 3, 9, 9, 9, 1, 0]
    # What is told beside lines that do nothing keeps nothing from those after them.
    lines = [wrong, ["nothing"], ["create"], ["backset", "", 2, 0]]
    beside = [[0, "nothing", 1], [1, "x", 1], [2, "name", "a"], [3, "back_init", 5]]
    answer = addchanges(rpc, s, 0, 1, lines, after=beside)
    told = rpc.call("getlines", s, answer["number"])
    assert answer["faults"] == 3 == told["faults"] and told["faulty"] == [0, 1, 2]
    fits = addchanges(rpc, s, answer["number"], 2, [["backset", "", 2, 5]])
    assert rpc.call("getlines", s, fits["number"])["faulty"] == []
    assert gettable(rpc, s, answer["number"])["objects"][2]["back_init"] == 5
    assert rpc.call("addundo", s, "me", wrong) == {"lines": 1, "faults": 1}
    assert rpc.call("addundo", s, "me", wrong) == {"lines": 2, "faults": 2}


@served
def test_a_schema_at_fault_is_told_by_kind_and_field(daemon, rpc):
    for where, why in (({"y": 2}, "a kind tells a field that is not among the fields: y"),
                       ({"x": 0}, "a field is told by a place, places, {value: ...} or {not: place}: x"),
                       ({"x": [0]}, "a place in a line is an integer, 1 to 256: x")):
        schema = {"version": 1, "objects": {"x": {}},
                  "kinds": {"move": {"type": "change", "id": 1, "new": where}}}
        error, _ = rpc.response(rpc.send("beginchanges", schema))
        assert error[1] == why and error[2]["field"] == "move", error


@served
def test_places_behind_the_end_of_a_line_are_not_told(daemon, rpc):
    s = rpc.call("beginchanges", "baba", {"table": {"objects": [[1, {}]]}})["session"]
    number = addchanges(rpc, s, 0, 1, [["colour", 1]])["number"]
    assert "colour" not in gettable(rpc, s, number)["objects"][1]


if __name__ == "__main__":
    run()
