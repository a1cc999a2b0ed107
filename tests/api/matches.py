"""Matches: sessions with an ordered list of games, on a daemon with a store and on one without."""
import functools

from api import (EDAMAGED, EEXISTS, EKEY, EKIND, ENAME, ENOSESSION, EOPERATION, EPARAMS, ERANGE, ESTATE, ETYPE, add,
                 begin, check_error, error_of, harness, run, serving, snapshot, wait_for)

EINMATCH, ENOTMATCH = 64, 65
END = 2**32 - 1


def everywhere(test):
    """With a store, and without."""
    @functools.wraps(test)
    def wrapped():
        for stored in (True, False):
            with harness.Folder() as folder:
                options = ("--store", folder / "store") if stored else ("--store", "memory")
                with serving(*options) as daemon, daemon.connect() as rpc:
                    test(daemon, rpc, stored)
    return wrapped


def games_of(rpc, count, first=0):
    """Sessions game0, game1 ...; their handles."""
    return [begin(rpc, name="game%d" % i) for i in range(first, first + count)]


def match_of(rpc, count, name="match"):
    """A match of so many games; its handle and theirs."""
    games = games_of(rpc, count)
    match = rpc.call("beginmatch", name)["session"]
    assert rpc.call("addgames", match, games) == {"games": count}
    return match, games


def told(rpc, match, **options):
    return [g["session"] for g in rpc.call("getgames", match, options)["games"]]


def names(rpc, **options):
    return [s["name"] for s in rpc.call("listsessions", options)["sessions"]]


def events(rpc, name):
    """The params of the events of that name that have come by now."""
    rpc.call("server.ping")
    rpc.poll()
    return [params for event, params in rpc.notifications if event == name]


def refused(rpc, code, method, *params):
    """Refused so; the details."""
    error, _ = rpc.response(rpc.send(method, *params))
    assert error is not None, (method, params)
    check_error(error)
    assert error[0] == code, error
    return error[2]


# ---- beginning


@everywhere
def test_a_match_is_a_session_that_says_so(daemon, rpc, stored):
    answer = rpc.call("beginmatch", "m", {"mode": 0o640})
    assert answer["kind"] == "match" and answer["games"] == 0 and answer["match"] is None
    assert answer["created"] and answer["mode"] == 0o640 and answer["positions"] == 1
    rpc.call("setproperty", "m", "event", "Monte Carlo")
    assert rpc.call("getproperties", "m") == {"event": "Monte Carlo"}
    assert rpc.call("getgames", "m") == {"games": [], "total": 0, "next": None, "sequence": 1}
    session = begin(rpc, name="s")
    assert rpc.call("getsession", session)["kind"] == "states"
    assert rpc.call("getsession", session)["games"] is None


@everywhere
def test_a_match_is_joined_and_no_other_session_as_one(daemon, rpc, stored):
    match = rpc.call("beginmatch", "m")["session"]
    assert error_of(rpc, "beginmatch", "m") == EEXISTS
    again = rpc.call("beginmatch", "m", {"join": True})
    assert again["session"] == match and not again["created"]
    begin(rpc, size=1, name="s")
    assert error_of(rpc, "beginmatch", "s", {"join": True}) == ESTATE
    assert error_of(rpc, "beginsession", b"\0", 1, 0, {"name": "m", "join": True}) == ESTATE
    for name in ("", "x" * 256, "~x"):
        assert error_of(rpc, "beginmatch", name) == ENAME


@everywhere
def test_a_match_begun_with_a_key_is_begun_once(daemon, rpc, stored):
    first = rpc.call("beginmatch", "m", {"key": b"k"})
    again = rpc.call("beginmatch", "m", {"key": b"k"})
    assert again["session"] == first["session"] and again["created"]
    assert error_of(rpc, "beginmatch", "m", {"key": b"l"}) == EEXISTS


# ---- games


@everywhere
def test_games_come_in_order_by_names_and_handles(daemon, rpc, stored):
    games = games_of(rpc, 5)
    match = rpc.call("beginmatch", "m")["session"]
    assert rpc.call("addgames", "m", ["game0", games[1]]) == {"games": 2}
    assert rpc.call("addgames", match, [games[4], "game3"], {"at": 1}) == {"games": 4}
    assert told(rpc, "m") == [games[0], games[4], games[3], games[1]]
    assert rpc.call("ordergames", match, [games[1], "game0"], {"at": 0}) == {"games": 4}
    assert told(rpc, "m") == [games[1], games[0], games[4], games[3]]
    assert rpc.call("ordergames", match, [games[1]]) == {"games": 4}
    assert rpc.call("dropgames", match, ["game4", games[0]]) == {"games": 2}
    assert told(rpc, "m") == [games[3], games[1]]
    page = rpc.call("getgames", match)
    assert [g["name"] for g in page["games"]] == ["game3", "game1"] and page["total"] == 2
    assert page["games"][0]["match"] == match
    for game, of in zip(games, (None, match, None, match, None)):
        assert rpc.call("getsession", game)["match"] == of
    assert rpc.call("getsession", "m")["games"] == 2


@everywhere
def test_a_session_is_a_game_of_one_match(daemon, rpc, stored):
    match, games = match_of(rpc, 2)
    other = rpc.call("beginmatch", "other")["session"]
    more = games_of(rpc, 1, first=7)
    details = refused(rpc, EINMATCH, "addgames", "other", [more[0], games[1]])
    assert details["session"] == games[1] and details["index"] == 1 and details["match"] == match
    assert refused(rpc, EINMATCH, "addgames", "match", ["game0"])["session"] == "game0"
    assert error_of(rpc, "addgames", other, [more[0], more[0]]) == EINMATCH
    assert told(rpc, other) == [] and rpc.call("getsession", more[0])["match"] is None
    rpc.call("dropgames", match, [games[1]])
    assert rpc.call("addgames", other, [games[1]]) == {"games": 1}
    assert rpc.call("getsession", games[1])["match"] == other


@everywhere
def test_what_can_be_no_game_is_refused(daemon, rpc, stored):
    match, games = match_of(rpc, 1)
    rpc.call("beginmatch", "other")
    private = begin(rpc)
    assert refused(rpc, EKIND, "addgames", match, ["other"])["index"] == 0
    assert error_of(rpc, "addgames", match, [match]) == EKIND
    assert error_of(rpc, "addgames", match, [private]) == EKIND
    if stored:
        begin(rpc, name="unkept", private=True)
        assert error_of(rpc, "addgames", match, ["unkept"]) == EKIND
    assert refused(rpc, ENOSESSION, "addgames", match, [games[0] + 100])["session"] == games[0] + 100
    assert refused(rpc, ENOSESSION, "addgames", match, ["nobody"])["session"] == "nobody"
    assert error_of(rpc, "addgames", match, [0]) == ENOSESSION
    assert error_of(rpc, "addgames", match, [""]) == ENOSESSION
    assert error_of(rpc, "addgames", match, []) == EPARAMS
    assert error_of(rpc, "addgames", match, [1.5]) == ETYPE
    assert error_of(rpc, "addgames", match, [[games[0]]]) == ETYPE
    assert error_of(rpc, "addgames", match, [-1]) == ENOSESSION
    for method in ("addgames", "dropgames", "ordergames"):
        assert error_of(rpc, method, games[0], [games[0]]) == ENOTMATCH
    assert error_of(rpc, "getgames", games[0]) == ENOTMATCH
    assert told(rpc, match) == games


# ---- sessions that begin as games


def game(rpc, name, match, **options):
    return rpc.call("beginsession", bytes(4), 4, 0, {"name": name, "match": match, **options})


@everywhere
def test_sessions_begin_as_games_in_the_order_of_the_requests(daemon, rpc, stored):
    match, games = match_of(rpc, 1)
    dump = snapshot(rpc, games[0])
    large = begin(rpc, 100000, name="large")
    large_dump = snapshot(rpc, large)
    asked = [("beginsession", bytes(4), 4, 0, {"name": "a", "match": "match"}),
             ("loadsession", large_dump, {"name": "b", "match": match}),  # on the pool, and others wait for it
             ("loadsession", dump, {"name": "c", "match": "match"}),
             ("beginchanges", "baba", {"name": "d", "match": match})]
    answers = [answer for error, answer in rpc.call_all(asked)]
    assert [a["created"] for a in answers] == [True] * 4 and {a["match"] for a in answers} == {match}
    games += [a["session"] for a in answers]
    assert told(rpc, match) == games
    assert error_of(rpc, "addgames", "match", ["c"]) == EINMATCH
    rpc.call("dropgames", match, ["c"])
    assert rpc.call("addgames", match, ["c"]) == {"games": 5}
    assert names(rpc, games=False) == ["large", "match"]
    rpc.call("deletesession", match)
    assert names(rpc) == ["large"]


@everywhere
def test_what_can_not_begin_as_a_game_is_not_there(daemon, rpc, stored):
    match, games = match_of(rpc, 1)
    rpc.call("beginmatch", "other")
    dump, empty = snapshot(rpc, games[0]), snapshot(rpc, "other")
    before = names(rpc), told(rpc, match), rpc.call("getsession", match)["sequence"]

    def all_refuse(code, name, match):
        options = {"match": match, **({"name": name} if name else {})}
        for call in (("beginsession", bytes(4), 4, 0, options), ("beginchanges", "baba", options),
                     ("loadsession", dump, options)):
            error, _ = rpc.response(rpc.send(*call))
            assert error is not None and error[0] == code, (call, error)
        rpc.call("loadpart", 0, dump)
        assert error_of(rpc, "loadsession", None, options) == code
        if code == ENOSESSION:  # what was collected is there for another try
            private = rpc.call("loadsession", None)["session"]
            rpc.call("endsession", private)

    all_refuse(ENOSESSION, "x", "nobody")
    all_refuse(ENOSESSION, "x", games[0] + 100)
    all_refuse(ENOSESSION, "x", "")
    all_refuse(ENOTMATCH, "x", "game0")
    all_refuse(EKIND, None, match)
    all_refuse(ENAME, "~x", match)
    all_refuse(EEXISTS, "game0", match)
    all_refuse(ETYPE, "x", 1.5)
    assert refused(rpc, ENOTMATCH, "loadsession", dump, {"name": "x", "match": games[0]})["session"] == games[0]
    assert error_of(rpc, "loadsession", empty, {"name": "x", "match": match}) == EKIND  # a match
    assert error_of(rpc, "loadsession", dump[:-1], {"name": "x", "match": match}) == EDAMAGED
    assert error_of(rpc, "beginsession", bytes(4), 3, 0, {"name": "x", "match": match}) == ESTATE
    private = rpc.call("loadsession", empty)["session"]
    assert error_of(rpc, "loadsession", dump, {"name": "x", "match": private}) == EKIND
    if stored:
        assert error_of(rpc, "beginsession", bytes(4), 4, 0, {"name": "x", "match": match, "private": True}) == EKIND
    assert (names(rpc), told(rpc, match), rpc.call("getsession", match)["sequence"]) == before


@everywhere
def test_a_session_is_joined_as_a_game_of_its_match_alone(daemon, rpc, stored):
    match, games = match_of(rpc, 1)
    rpc.call("beginmatch", "other")
    assert game(rpc, "a", match, join=True)["created"]
    again = game(rpc, "a", "match", join=True)
    assert not again["created"] and told(rpc, match) == games + [again["session"]]
    begin(rpc, name="loose")
    for name, of in (("a", "other"), ("loose", match)):
        assert error_of(rpc, "beginsession", bytes(4), 4, 0, {"name": name, "match": of, "join": True}) == ESTATE
    assert told(rpc, "other") == []


@everywhere
def test_a_session_begun_with_a_key_becomes_a_game_once(daemon, rpc, stored):
    match = rpc.call("beginmatch", "match")["session"]
    dump = snapshot(rpc, begin(rpc, name="first"))
    asked = [("beginsession", bytes(4), 4, 0, {"name": "a", "match": match, "key": b"k"}),
             ("loadsession", dump, {"name": "b", "match": match, "key": b"k"}),
             ("beginchanges", None, {"name": "c", "match": match, "key": b"k"})]
    first = [rpc.call(*call) for call in asked]
    assert told(rpc, match) == [s["session"] for s in first]  # one key, of three sessions
    assert [rpc.call(*call) for call in asked] == first
    assert error_of(rpc, "beginsession", bytes(4), 4, 0, {"name": "a", "key": b"k"}) == EKEY
    assert error_of(rpc, "loadsession", dump, {"name": "b", "match": "match", "key": b"k"}) == EKEY
    rpc.call("dropgames", match, ["a"])
    assert rpc.call(*asked[0])["match"] is None  # it was done, and is as it is
    assert told(rpc, match) == [s["session"] for s in first[1:]]
    rpc.call("dropgames", match, ["b", "c"])
    rpc.call("deletesession", match)
    assert [rpc.call(*call)["session"] for call in asked] == [s["session"] for s in first]
    assert error_of(rpc, "loadsession", dump, {"name": "d", "match": match, "key": b"k"}) == ENOSESSION


@everywhere
def test_who_is_attached_to_a_match_is_told_of_sessions_that_begin_as_games(daemon, rpc, stored):
    match, games = match_of(rpc, 1)
    with daemon.connect() as other:
        other.call("attach", match)
        new = game(rpc, "new", match)["session"]
        wait_for(lambda: events(other, "operation"), "the event")
        (event,) = events(other, "operation")
        assert event[3]["method"] == "addgames"
        assert event[3]["games"] == {"sessions": [new], "at": None, "total": 2}


@everywhere
def test_a_match_takes_relaxed_games(daemon, rpc, stored):
    match, games = match_of(rpc, 1)
    new = game(rpc, "new", match, relaxed=True)["session"]
    rpc.call("flush")
    assert told(rpc, match) == games + [new]


def test_a_match_stays_while_room_is_made_for_its_game():
    with harness.Folder() as folder:
        with serving("--store", folder / "store", "--memory-budget", "1") as daemon, daemon.connect() as rpc:
            match, games = rpc.call("beginmatch", "match")["session"], []
            for i in range(300):  # often enough for the match to be measured
                games.append(game(rpc, "new%d" % i, match)["session"])
            assert told(rpc, match) == games


@everywhere
def test_places_and_games_that_are_not_there_are_refused(daemon, rpc, stored):
    match, games = match_of(rpc, 3)
    other = games_of(rpc, 1, first=9)[0]
    assert refused(rpc, ERANGE, "addgames", match, [other], {"at": 4})["games"] == 3
    assert error_of(rpc, "addgames", match, [other], {"at": 2**53 - 1}) == ERANGE
    assert error_of(rpc, "ordergames", match, [games[0]], {"at": 3}) == ERANGE
    details = refused(rpc, ENOSESSION, "ordergames", match, [games[0], other])
    assert details["session"] == other and details["index"] == 1
    assert error_of(rpc, "ordergames", match, [games[0], games[0]]) == ENOSESSION
    assert error_of(rpc, "dropgames", match, [other]) == ENOSESSION
    assert error_of(rpc, "dropgames", match, ["nobody"]) == ENOSESSION
    assert told(rpc, match) == games and rpc.call("getsession", other)["match"] is None


@everywhere
def test_an_encoded_operation_does_not_get_around_the_rules(daemon, rpc, stored):
    match, games = match_of(rpc, 1)
    other = games_of(rpc, 1, first=9)[0]
    assert error_of(rpc, "apply", match, b"\x14\0\0" + other.to_bytes(8, "little")) == EOPERATION
    assert told(rpc, match) == games


@everywhere
def test_a_key_stands_for_an_edit(daemon, rpc, stored):
    match, games = match_of(rpc, 1)
    other = games_of(rpc, 1, first=9)[0]
    for _ in range(2):
        assert rpc.call("addgames", match, [other], {"key": b"a"}) == {"games": 2}
    assert error_of(rpc, "addgames", match, [other], {"key": b"a", "at": 0}) == EKEY
    for _ in range(2):
        assert rpc.call("dropgames", match, [other], {"key": b"d"}) == {"games": 1}
    # Again after it was dropped: as the first time, and nothing is done.
    assert rpc.call("addgames", match, [other], {"key": b"a"}) == {"games": 2}
    assert told(rpc, match) == games and rpc.call("getsession", other)["match"] is None


# ---- telling


@everywhere
def test_games_are_told_in_pages(daemon, rpc, stored):
    match, games = match_of(rpc, 7)
    found, offset = [], 0
    while offset is not None:
        page = rpc.call("getgames", match, {"offset": offset, "limit": 3})
        assert page["total"] == 7 and len(page["games"]) <= 3
        found += [g["session"] for g in page["games"]]
        offset = page["next"]
    assert found == games
    assert rpc.call("getgames", match, {"offset": 7})["games"] == []
    assert rpc.call("getgames", match, {"offset": 2**53 - 1})["next"] is None


@everywhere
def test_lists_tell_matches_and_leave_out_games(daemon, rpc, stored):
    match_of(rpc, 2)
    begin(rpc, name="alone")
    assert names(rpc) == ["alone", "game0", "game1", "match"]
    assert names(rpc, matches=True) == ["match"]
    assert names(rpc, games=False) == ["alone", "match"]
    page = rpc.call("listsessions", {"games": False, "limit": 1})
    assert page["next"] == "alone"
    assert names(rpc, games=False, after=page["next"], aftersession=page["nextsession"]) == ["match"]


@everywhere
def test_a_game_that_is_gone_leaves_a_gap(daemon, rpc, stored):
    match, games = match_of(rpc, 3)
    rpc.call("deletesession", games[1])
    gap = rpc.call("getgames", match)["games"][1]
    assert gap["session"] == games[1] and gap["gone"] is True
    assert gap["name"] == ("game1" if stored else None) and bool(gap["trashed"]) == stored
    if stored:
        rpc.call("restoresession", games[1])
        assert rpc.call("getgames", match)["games"][1]["name"] == "game1"
        assert rpc.call("getsession", games[1])["match"] == match
        rpc.call("deletesession", games[1])
        rpc.call("purgesession", games[1])
        assert rpc.call("getgames", match)["games"][1] == {"session": games[1], "gone": True, "name": None,
                                                           "trashed": None}
    assert rpc.call("dropgames", match, [games[1]]) == {"games": 2}
    assert told(rpc, match) == [games[0], games[2]]


# ---- as one


@everywhere
def test_a_match_is_deleted_with_its_games(daemon, rpc, stored):
    match, games = match_of(rpc, 3)
    begin(rpc, name="alone")
    with daemon.connect() as other:
        other.call("attach", games[1])
        other.call("attach", match)
        rpc.call("deletesession", match)
        assert sorted(e[0] for e in events(other, "sessionended")) == sorted([match, games[1]])
    assert names(rpc) == ["alone"]
    for session in [match] + games:
        assert error_of(rpc, "getsession", session) == ENOSESSION
    begin(rpc, name="game1")  # the name is free


@everywhere
def test_a_match_comes_back_with_its_games(daemon, rpc, stored):
    if not stored:
        return
    match, games = match_of(rpc, 4)
    add(rpc, games[0], 0, 5, 77)
    rpc.call("deletesession", games[2])
    rpc.call("deletesession", match)
    assert sorted(names(rpc, trash=True)) == ["game0", "game1", "game2", "game3", "match"]
    back = rpc.call("restoresession", match, {"name": "again"})
    assert back["name"] == "again" and back["games"] == 4
    assert names(rpc) == ["again", "game0", "game1", "game3"]  # what was deleted by itself stays there
    assert told(rpc, "again") == games
    assert rpc.call("getsessionsize", "game0") == 2
    rpc.call("restoresession", games[2])
    assert [g.get("gone") for g in rpc.call("getgames", "again")["games"]] == [None] * 4


@everywhere
def test_nothing_comes_back_if_the_name_of_a_game_is_taken(daemon, rpc, stored):
    if not stored:
        return
    match, games = match_of(rpc, 3)
    rpc.call("deletesession", match)
    begin(rpc, name="game1")
    details = refused(rpc, EEXISTS, "restoresession", match)
    assert details["name"] == "game1" and details["session"] == games[1]
    assert names(rpc) == ["game1"] and len(names(rpc, trash=True)) == 4
    assert error_of(rpc, "restoresession", match, {"name": "game0"}) == EEXISTS
    rpc.call("renamesession", "game1", "mine")
    rpc.call("restoresession", match)
    assert names(rpc) == ["game0", "game1", "game2", "match", "mine"]


@everywhere
def test_names_of_games_that_come_back_are_taken_at_once(daemon, rpc, stored):
    if not stored:
        return
    match, games = match_of(rpc, 3)
    rpc.call("deletesession", match)
    with daemon.connect() as other:
        id = rpc.send("restoresession", match)
        for i in range(20):
            error, answer = other.response(other.send("beginsession", b"xxxx", 4, 0, {"name": "game2"}))
            if error:
                assert error[0] == EEXISTS
                break
        error, _ = rpc.response(id)
    assert (error is None) == (rpc.call("getsession", "game2")["session"] == games[2])


@everywhere
def test_a_match_goes_for_ever_with_what_was_deleted_with_it(daemon, rpc, stored):
    if not stored:
        return
    match, games = match_of(rpc, 4)
    rpc.call("deletesession", games[3])
    rpc.call("deletesession", match)
    rpc.call("restoresession", games[0])
    assert rpc.call("getsession", games[0])["match"] == match
    rpc.call("purgesession", match)
    assert names(rpc, trash=True) == ["game3"] and names(rpc) == ["game0"]
    assert rpc.call("getsession", games[0])["match"] is None
    assert rpc.call("restoresession", games[3])["match"] is None
    new = rpc.call("beginmatch", "new")["session"]
    assert rpc.call("addgames", new, [games[0], games[3]]) == {"games": 2}
    assert error_of(rpc, "restoresession", games[1]) == ENOSESSION


@everywhere
def test_renaming_and_modes_of_a_match_are_nothing_to_its_games(daemon, rpc, stored):
    match, games = match_of(rpc, 2)
    rpc.call("renamesession", "match", "other")
    rpc.call("setsessionmode", "other", 0o644)
    assert names(rpc) == ["game0", "game1", "other"]
    assert {rpc.call("getsession", g)["mode"] for g in games} == {0o600}
    assert told(rpc, "other") == games


@everywhere
def test_a_match_is_not_copied_and_loaded_without_its_games(daemon, rpc, stored):
    match, games = match_of(rpc, 2)
    rpc.call("setproperty", match, "length", 7)
    assert error_of(rpc, "copysession", match, "copy") == EKIND
    dump = snapshot(rpc, match)
    loaded = rpc.call("loadsession", dump, {"name": "loaded"})
    assert loaded["kind"] == "match" and loaded["games"] == 0
    assert rpc.call("getproperties", "loaded") == {"length": 7}
    private = rpc.call("loadsession", dump)["session"]
    other = games_of(rpc, 1, first=9)[0]
    assert error_of(rpc, "addgames", private, [other]) == EKIND
    assert rpc.call("addgames", "loaded", [other]) == {"games": 1}


# ---- events


@everywhere
def test_who_is_attached_is_told_what_has_changed(daemon, rpc, stored):
    match, games = match_of(rpc, 3)
    more = games_of(rpc, 2, first=5)
    with daemon.connect() as other:
        other.call("attach", match, {"snapshot": False})
        rpc.call("addgames", match, more, {"at": 1})
        rpc.call("dropgames", match, [games[0]])
        rpc.call("ordergames", match, [games[2]], {"at": 0})
        rpc.call("setproperty", match, "x", 1)
        effects = [e[3] for e in events(other, "operation")]
    assert [e["method"] for e in effects] == ["addgames", "dropgames", "ordergames", "setproperty"]
    assert [e["games"] for e in effects] == [
        {"sessions": more, "at": 1, "total": 5}, {"sessions": [games[0]], "at": None, "total": 4},
        {"sessions": [games[2]], "at": 0, "total": 4}, None]
    assert all(e["position"] is None for e in effects)


@everywhere
def test_who_comes_back_is_told_what_was_missed(daemon, rpc, stored):
    match, games = match_of(rpc, 2)
    sequence = rpc.call("getsession", match)["sequence"]
    with daemon.connect() as other:
        other.call("attach", match)
    rpc.call("ordergames", match, [games[0]])
    with daemon.connect() as other:
        other.call("attach", match, {"since": sequence})
        assert [e[1] for e in events(other, "operation")] == [sequence + 1]


run()
