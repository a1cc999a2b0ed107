"""Who may do what with a match and its games: a game is its owner's to give, a match is deleted by who may
delete each of its games, and what may not be read is not there."""
from access import (ANN, BOB, EDENIED, ENOSESSION, EVE, CLUB, begin, error_of, everywhere, run, sessions, snapshot)

EINMATCH = 64


def details(rpc, code, *call):
    error, _ = rpc.response(rpc.send(*call))
    assert error is not None and error[0] == code, (call, error)
    return error[2]


@everywhere
def test_who_may_change_the_match_adds_own_sessions(place):
    root, ann, bob, eve = place.connect(), place.connect(ANN), place.connect(BOB), place.connect(EVE)
    match = ann.call("beginmatch", "m", {"mode": 0o666})["session"]
    anns, bobs = begin(ann, name="a", mode=0o666), begin(bob, name="b", mode=0o644)
    secret = begin(bob, name="secret")
    assert details(ann, EDENIED, "addgames", match, [anns, bobs])["session"] == bobs
    assert details(ann, EDENIED, "addgames", match, ["~%d/b" % BOB])["index"] == 0
    assert details(ann, ENOSESSION, "addgames", match, [secret])["session"] == secret
    assert error_of(ann, "addgames", match, ["~%d/secret" % BOB]) == ENOSESSION
    assert error_of(ann, "addgames", match, ["secret"]) == ENOSESSION
    assert ann.call("addgames", match, [anns]) == {"games": 1}
    assert bob.call("addgames", match, ["b"]) == {"games": 2}
    assert root.call("addgames", match, [secret]) == {"games": 3}
    ann.call("setsessionmode", match, 0o644)
    other = begin(eve, name="e")
    assert error_of(eve, "addgames", match, [other]) == EDENIED
    for method in ("dropgames", "ordergames"):
        assert error_of(eve, method, match, [anns]) == EDENIED
    ann.call("setsessionmode", match, 0o600)
    for call in (("addgames", match, [other]), ("dropgames", match, [anns]), ("ordergames", match, [anns]),
                 ("getgames", match)):
        assert error_of(eve, *call) == ENOSESSION
    assert ann.call("dropgames", match, [bobs]) == {"games": 2}


@everywhere
def test_who_may_change_the_match_begins_games_of_it(place):
    root, ann, bob, eve = place.connect(), place.connect(ANN), place.connect(BOB), place.connect(EVE)
    match = ann.call("beginmatch", "m", {"mode": 0o666})["session"]
    dump = snapshot(ann, begin(ann, name="a"))

    def calls(name, match):
        options = {"name": name, "match": match}
        return (("loadsession", dump, options), ("beginsession", bytes(4), 4, 0, options),
                ("beginchanges", None, options))

    for rpc, of in ((ann, "m"), (bob, "~%d/m" % ANN), (bob, "m"), (root, match)):
        for n, (method, what, *rest) in enumerate(calls("", match)):
            rest[-1].update(name="%s%d" % (of, n) if of != "~%d/m" % ANN else "far%d" % n, match=of)
            assert rpc.call(method, what, *rest)["match"] == match
    assert ann.call("getgames", match)["total"] == 12
    assert bob.call("getsession", "far0")["owner"] == BOB
    for mode, code in ((0o644, EDENIED), (0o600, ENOSESSION)):
        ann.call("setsessionmode", match, mode)
        for call in (*calls("e", match), *calls("e", "~%d/m" % ANN)):
            details(eve, code, *call)
    assert ann.call("getgames", match)["total"] == 12 and "e" not in [s["name"] for s in sessions(root)]


@everywhere
def test_a_game_that_may_not_be_read_is_told_as_gone(place):
    ann, bob, eve = place.connect(ANN), place.connect(BOB), place.connect(EVE)
    match = ann.call("beginmatch", "m", {"mode": 0o666})["session"]
    anns, bobs = begin(ann, name="a", mode=0o644), begin(bob, name="b")
    ann.call("addgames", match, [anns])
    bob.call("addgames", match, [bobs])
    hidden = {"session": bobs, "gone": True, "name": None, "trashed": None}
    for again in range(2):
        for rpc in (ann, eve):
            page = rpc.call("getgames", match)
            assert page["games"][0]["name"] == "a" and page["games"][1] == hidden and page["total"] == 2
        assert bob.call("getgames", match)["games"][1].get("name") == ("b" if not (again and place.memory) else None)
        if not again:
            bob.call("deletesession", bobs)
        assert ann.call("getgames", match)["games"][1] == hidden  # as before: not even that is told


@everywhere
def test_a_match_is_deleted_by_who_may_delete_each_game(place):
    root, ann, bob = place.connect(), place.connect(ANN), place.connect(BOB)
    match = ann.call("beginmatch", "m", {"mode": 0o666})["session"]
    anns, bobs = begin(ann, name="a"), begin(bob, name="b", mode=0o666)
    ann.call("addgames", match, [anns])
    bob.call("addgames", match, [bobs])
    for again in range(2):
        assert details(ann, EDENIED, "deletesession", match)["session"] == bobs
        assert error_of(bob, "deletesession", match) == EDENIED
        assert len(sessions(ann)) == 3 and len(sessions(bob)) == 2
        if not place.memory:
            place.restart()
            root, ann, bob = place.connect(), place.connect(ANN), place.connect(BOB)
    root.call("deletesession", match)
    assert sessions(root) == []
    if place.memory:
        return
    for method in ("restoresession", "purgesession"):
        assert details(ann, EDENIED, method, match)["session"] == bobs
        assert error_of(bob, method, match) == EDENIED
    root.call("restoresession", match)
    assert len(sessions(root)) == 3
    bob.call("deletesession", bobs)
    ann.call("deletesession", match)  # all that are there are her own
    assert sessions(root) == []
    ann.call("restoresession", match)
    assert [s["name"] for s in sessions(root)] == ["a", "m"]


@everywhere
def test_a_group_that_may_write_gives_own_games(place):
    ann, bob = place.connect(ANN, CLUB), place.connect(BOB, BOB, [CLUB])
    match = ann.call("beginmatch", "m", {"mode": 0o660})["session"]
    game = begin(bob, name="b")
    assert bob.call("addgames", match, [game]) == {"games": 1}
    assert error_of(bob, "addgames", match, [game]) == EINMATCH
    assert bob.call("beginmatch", "~%d/m" % ANN, {"join": True})["session"] == match
    assert error_of(bob, "beginmatch", "~%d/m" % ANN) == EDENIED


@everywhere
def test_a_name_stands_for_what_may_be_seen_under_it(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    match = bob.call("beginmatch", "m", {"mode": 0o666})["session"]
    bobs = begin(bob, name="n")
    bob.call("addgames", match, [bobs])
    for method in ("dropgames", "ordergames"):
        told = details(ann, ENOSESSION, method, match, ["~%d/n" % BOB])
        assert told["session"] == "~%d/n" % BOB  # and not its handle
        assert told == {**details(ann, ENOSESSION, method, match, ["~%d/x" % BOB]), "session": told["session"]}


run()
