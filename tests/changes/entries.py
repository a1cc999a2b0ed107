"""newundo, addundo, undo: a turn told line by line, as a game with an undo buffer does."""
import baba
from changes import (ELINE, EPARAMS, addchanges, begin, error_of, gettable, pages, run, served,
                     serving, snapshot)
import harness

EENTRY, EKIND = 56, 54
TABLE = {"objects": [[1, {"name": "baba", "x": 2}], [2, {"name": "rock", "x": 4}]]}


def start(rpc, **options):
    return rpc.call("beginchanges", "baba", {"table": TABLE, **options})["session"]


def update(id, x, was, name="baba"):
    return ["update", name, x, 0, 0, was, 0, 0, id, 100 + id]


def play(rpc, s, *lines, **options):
    rpc.call("newundo", s, "me", options)
    for line in lines:
        rpc.call("addundo", s, "me", line)


def x(rpc, s, position, id=1):
    return gettable(rpc, s, position)["objects"][id]["x"]


@served
def test_an_entry_becomes_a_turn_when_the_next_is_begun(daemon, rpc):
    s = start(rpc)
    answer = rpc.call("newundo", s, "me")
    assert (answer["number"], answer["turn"], answer["new"]) == (0, False, False)
    assert rpc.call("addundo", s, "me", update(1, 3, 2)) == {"lines": 1, "faults": 0}
    assert rpc.call("addundo", s, "me", update(2, 5, 4, "rock")) == {"lines": 2, "faults": 0}
    assert rpc.call("getsessionsize", s) == 1
    answer = rpc.call("newundo", s, "me", {"move": 9})
    assert (answer["number"], answer["turn"], answer["new"], answer["move"]) == (1, True, True, 0)
    assert x(rpc, s, 1) == 3 and x(rpc, s, 1, 2) == 5
    # Without lines it leaves nothing.
    assert rpc.call("newundo", s, "me", {"move": 7})["turn"] is False
    rpc.call("addundo", s, "me", update(1, 4, 3))
    answer = rpc.call("newundo", s, "me", {})
    assert (answer["number"], answer["move"], answer["prev"]) == (2, 7, 1)
    assert rpc.call("getsessionsize", s) == 3


@served
def test_undo_hands_back_lines_newest_first_and_redo_oldest_first(daemon, rpc):
    s = start(rpc)
    a, b = update(1, 3, 2), update(1, 4, 3)
    c = ["backset", "rock", 2, 0]
    play(rpc, s, a, b)
    rpc.call("newundo", s, "me")
    rpc.call("addundo", s, "me", c, {"after": [["back_init", 5]]})
    answer = rpc.call("undo", s, "me")  # closes what is open, and goes back over it
    assert (answer["position"]["number"], answer["steps"], answer["lines"]) == (1, 1, [c])
    answer = rpc.call("undo", s, "me", {"n": 5})
    assert (answer["position"]["number"], answer["steps"], answer["lines"]) == (0, 1, [b, a])
    assert answer["after"] is None
    answer = rpc.call("redo", s, "me", {"n": 2})
    assert (answer["position"]["number"], answer["lines"]) == (2, [a, b, c])
    assert answer["after"] == [[2, "back_init", 5]]
    assert gettable(rpc, s, 2)["objects"][2]["back_init"] == 5
    assert rpc.call("undo", s, "me", {"n": 9})["lines"] == [c, b, a]
    assert rpc.call("undo", s, "me")["lines"] == []


@served
def test_what_was_undone_stays_and_the_same_lines_follow_it(daemon, rpc):
    s = start(rpc)
    play(rpc, s, update(1, 3, 2))
    rpc.call("undo", s, "me")
    play(rpc, s, update(1, 3, 2), move=5)
    assert rpc.call("newundo", s, "me")["number"] == 1  # the very same lines
    rpc.call("undo", s, "me")
    play(rpc, s, update(1, 9, 2))
    answer = rpc.call("newundo", s, "me")
    assert (answer["number"], answer["move"]) == (2, 1)
    rpc.call("undo", s, "me")
    play(rpc, s, update(1, 7, 2), move=1)  # which another turn has
    assert rpc.call("newundo", s, "me")["move"] == 2
    assert rpc.call("getsessionsize", s) == 4


@served
def test_a_line_that_does_not_fit_leaves_the_entry_as_it_was(daemon, rpc):
    s = start(rpc)
    play(rpc, s, update(1, 3, 2))
    for bad, line in ((update(1, 4, 2), {"line": 1, "place": 5, "field": "x", "expected": 3,
                                         "given": 2}),
                      (update(7, 4, 2), {"line": 1, "place": 8, "given": 7}),
                      (["nothing"], {"line": 1, "place": 0})):
        error, _ = rpc.response(rpc.send("addundo", s, "me", bad))
        assert error[0] == ELINE and error[2].items() >= line.items(), error
    assert rpc.call("addundo", s, "me", update(1, 4, 3))["lines"] == 2
    assert rpc.call("newundo", s, "me")["turn"] and x(rpc, s, 1) == 4
    rpc.call("addundo", s, "me", update(1, 5, 4))
    assert not rpc.call("newundo", s, "me", {"drop": True})["turn"]
    assert rpc.call("getsessionsize", s) == 2


@served
def test_a_line_too_deep_for_a_turn_is_refused_at_once(daemon, rpc):
    def deep(arrays):
        value = 1
        for _ in range(arrays):
            value = [value]
        return ["update", "baba", 3, 0, 0, 2, 0, 0, 1, value]
    s = start(rpc)
    for options in ({}, {"after": []}):
        play(rpc, s)
        assert error_of(rpc, "addundo", s, "me", deep(14), options) == 12
        assert rpc.call("addundo", s, "me", deep(13), options)["lines"] == 1
        assert rpc.call("newundo", s, "me")["turn"]
        rpc.call("undo", s, "me")
    assert error_of(rpc, "addundo", s, "me", [update(1, 3, 2), []]) == ELINE  # no kind


@served
def test_what_else_moves_the_cursor_closes_what_is_open(daemon, rpc):
    s = start(rpc)
    play(rpc, s, update(1, 3, 2))
    assert rpc.call("setcursor", s, "me", 0)["position"]["number"] == 0
    assert rpc.call("getsessionsize", s) == 2
    play(rpc, s, update(1, 5, 2))
    assert error_of(rpc, "addchanges", s, 0, 5, [update(1, 6, 2)], 0, 1,
                    {"cursor": "me"}) == EENTRY
    rpc.call("dropcursor", s, "me")
    assert rpc.call("getsessionsize", s) == 2
    play(rpc, s, update(1, 5, 2))  # at the first position
    rpc.call("setcursor", s, "me", 1)
    assert rpc.call("getsessionsize", s) == 3
    play(rpc, s, update(1, 6, 3))
    rpc.call("dropsubtree", s, 1)  # its place is gone
    assert rpc.call("getcursor", s, "me")["number"] == 0
    assert not rpc.call("newundo", s, "me")["turn"]


@served
def test_equal_boards_are_found_for_entries_too(daemon, rpc):
    s = start(rpc)
    play(rpc, s, update(1, 3, 2))
    play(rpc, s, update(1, 2, 3))
    answer = rpc.call("newundo", s, "me")
    assert answer["better"] == 0
    states = {p["number"]: p["state"] for page in pages(rpc, "getpositions", s, start="after",
                                                        states=True) for p in page}
    assert states[0] == states[2] != states[1]


@served
def test_only_sessions_told_by_change_have_entries(daemon, rpc):
    s = begin(rpc)
    assert error_of(rpc, "newundo", s, "me") == EKIND
    assert error_of(rpc, "addundo", s, "me", ["a"]) == EKIND
    rpc.call("setcursor", s, "me", 0)
    assert "lines" not in rpc.call("undo", s, "me")
    assert error_of(rpc, "addundo", start(rpc), "me", []) == 12


def test_an_open_entry_survives_a_restart():
    with harness.Folder() as folder:
        options = ("--store", folder / "store")
        with harness.Daemon(folder / "s", *options) as daemon:
            with daemon_client(daemon) as rpc:
                s = start(rpc, name="game")
                play(rpc, s, update(1, 3, 2))
            daemon.end()
        with harness.Daemon(folder / "s", *options) as daemon:
            with daemon_client(daemon) as rpc:
                assert rpc.call("addundo", "game", "me", update(1, 4, 3))["lines"] == 2
                before = snapshot(rpc, "game")
                rpc.call("undo", "game", "me")
                assert x(rpc, "game", 1) == 4 and before != snapshot(rpc, "game")


def daemon_client(daemon):
    from rpc import Rpc
    return Rpc(daemon.socket_path, timeout=60)


@served
def test_the_traces_told_line_by_line(daemon, rpc):
    for path in baba.names("19", "20"):
        records = baba.read(path)
        s = rpc.call("beginchanges", "baba", {"table": baba.told(baba.table_of(records[0]))})[
            "session"]
        rpc.call("setgraftbehavior", s, 0)
        number = {0: 0}
        for record in records[1:]:
            if record["kind"] == "turn":
                rpc.call("setcursor", s, "me", number[record["from"]])
                rpc.call("newundo", s, "me", {"move": record["entry"]})
                for line in record["lines"]:
                    rpc.call("addundo", s, "me", line)
                number[record["entry"]] = rpc.call("newundo", s, "me")["number"]
            elif record["kind"] == "undo":
                rpc.call("undo", s, "me")
            elif record["kind"] == "redo":
                rpc.call("setcursor", s, "me", number[record["entry"]])
            if "hash" in record:
                now = rpc.call("getcursor", s, "me")["number"]
                assert baba.board_hash(gettable(rpc, s, now)) == record["hash"], record


if __name__ == "__main__":
    run()
