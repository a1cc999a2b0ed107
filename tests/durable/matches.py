"""Matches and their games on disk: what is told after a restart without opening any, and all or nothing when
the daemon is killed, or the disk fails, while games come and go, or a match does."""
import random
import threading
import time

from durable import (EIO, ENOSESSION, ERESYNC, SOON, Place, add, answered, begin, error_of, names, needs_slow_disk,
                     placed, run, snapshot, wait_for)

EINMATCH = 64


def match_of(rpc, count, name="match", prefix="game"):
    games = []
    for at in range(0, count, 1000):
        told = rpc.call_all([("beginsession", bytes(4), 4, 0, {"name": "%s%04d" % (prefix, i)})
                             for i in range(at, min(count, at + 1000))])
        games += [session["session"] for error, session in told]
    match = rpc.call("beginmatch", name)["session"]
    if games:
        rpc.call("addgames", match, games)
    return match, games


def told(rpc, match):
    """Those that are not gone, and those that are."""
    there, gone, offset = [], [], 0
    while offset is not None:
        page = rpc.call("getgames", match, {"offset": offset, "limit": 10000})
        for game in page["games"]:
            (gone if game.get("gone") else there).append(game["session"])
        offset = page["next"]
    return there, gone


def listed(rpc, **options):
    """Handle: match, of all that are listed."""
    found, after = {}, {}
    while True:
        page = rpc.call("listsessions", dict(options, **after, limit=10000))
        found.update((s["session"], s["match"]) for s in page["sessions"])
        if page["next"] is None:
            return found
        after = {"after": page["next"], "aftersession": page["nextsession"]}


def agrees(rpc, match):
    """The match's list, and what each session says, are one."""
    there, gone = told(rpc, match)
    everywhere = {**listed(rpc), **listed(rpc, trash=True)}
    assert {id for id, of in everywhere.items() if of == match} == {i for i in there + gone if i in everywhere}
    return there, gone


# ---- restarts


@placed()
def test_matches_and_games_are_told_after_a_restart(place, rpc):
    match, games = match_of(rpc, 5)
    rpc.call("dropgames", match, [games[1]])
    rpc.call("ordergames", match, [games[4]], {"at": 0})
    rpc.call("setproperty", match, "event", "x")
    before = rpc.call("listsessions")["sessions"]
    for end in (place.restart, place.crash):
        end()
        with place.connect() as rpc:
            assert rpc.call("listsessions")["sessions"] == before
            assert rpc.call("getsession", games[0])["match"] == match
            assert rpc.call("getsession", games[1])["match"] is None
            assert told(rpc, match) == ([games[4], games[0], games[2], games[3]], [])
            assert error_of(rpc, "addgames", match, [games[0]]) == EINMATCH
            assert rpc.call("getproperties", match) == {"event": "x"}
            assert rpc.call("getsession", match)["games"] == 4


@placed()
def test_games_that_went_with_a_match_come_back_after_a_restart(place, rpc):
    match, games = match_of(rpc, 4)
    rpc.call("deletesession", games[1])
    rpc.call("deletesession", match)
    place.crash()
    with place.connect() as rpc:
        assert names(rpc) == []
        rpc.call("restoresession", match)
    place.crash()
    with place.connect() as rpc:
        assert agrees(rpc, match) == ([games[0], games[2], games[3]], [games[1]])
        rpc.call("deletesession", match)
        rpc.call("purgesession", match)
    place.crash()
    with place.connect() as rpc:
        assert names(rpc) == [] and names(rpc, trash=True) == ["game0001"]
        assert rpc.call("restoresession", games[1])["match"] is None


@placed()
def test_a_request_with_a_key_is_done_once_whatever_comes_between(place, rpc):
    games = [begin(rpc, name=name) for name in "abc"]
    match = rpc.call("beginmatch", "m", {"key": b"b"})["session"]
    asked = [("addgames", match, games, {"key": b"1"}), ("ordergames", match, ["c"], {"at": 0, "key": b"2"}),
             ("dropgames", match, ["a", games[1]], {"key": b"3"})]
    first = [rpc.call(*call) for call in asked]
    rpc.call("deletesession", games[1])
    for end in (place.restart, place.crash, place.crash):
        with place.connect() as rpc:
            assert rpc.call("beginmatch", "m", {"key": b"b"})["session"] == match
            assert [rpc.call(*call) for call in asked] == first
            assert agrees(rpc, match) == ([games[2]], [])
        end()


@placed("--memory-budget", "1M")
def test_games_need_not_be_in_memory(place, rpc):
    match, games = match_of(rpc, 3000)
    more = match_of(rpc, 0, "other")[0]
    assert len(told(rpc, match)[0]) == 3000
    rpc.call("dropgames", match, games[:1000])
    rpc.call("addgames", more, games[:1000])
    rpc.call("deletesession", match)
    assert len(listed(rpc)) == 1001
    rpc.call("restoresession", match)
    assert len(agrees(rpc, match)[0]) == 2000 and len(agrees(rpc, more)[0]) == 1000


@placed("--trash-age", "1")
def test_a_match_that_was_deleted_long_ago_goes_with_its_games(place, rpc):
    match, games = match_of(rpc, 1500)
    alone = begin(rpc, name="alone")
    rpc.call("deletesession", match)
    rpc.call("deletesession", alone)
    wait_for(lambda: names(rpc, trash=True) == [], "the trash to be empty")
    assert "with its 1500 games" in place.daemon.log()
    assert error_of(rpc, "restoresession", match) == ENOSESSION
    assert error_of(rpc, "restoresession", games[7]) == ENOSESSION


# ---- kills


def killed_during(place, rpc, rng, *call):
    """Sends the request and kills the daemon a moment later."""
    rpc.send(*call)
    time.sleep(rng.random() * 0.08)
    place.crash()
    return place.connect()


def test_a_kill_leaves_all_or_nothing():
    rng = random.Random(5)
    done = {True: 0, False: 0}
    for round in range(12):
        with Place() as place:
            rpc = place.connect()
            match, games = match_of(rpc, 0)[0], match_of(rpc, 400, "first")[1]
            rpc.call("dropgames", "first", games)
            rpc = killed_during(place, rpc, rng, "addgames", match, games)
            there, gone = agrees(rpc, match)
            assert there in ([], games) and gone == []
            done[bool(there)] += 1
            if not there:
                rpc.call("addgames", match, games)
            rpc = killed_during(place, rpc, rng, "deletesession", match)
            there, trashed = listed(rpc), listed(rpc, trash=True)
            all_of_it = {match, *games}
            assert all_of_it & set(there) in (set(), all_of_it) and all_of_it & set(trashed) in (set(), all_of_it)
            done[match in trashed] += 1
            if match not in trashed:
                rpc.call("deletesession", match)
            rpc = killed_during(place, rpc, rng, "restoresession", match)
            there, trashed = listed(rpc), listed(rpc, trash=True)
            assert all_of_it & set(there) in (set(), all_of_it) and len(there) + len(trashed) == 402
            done[match in there] += 1
            if match in there:
                assert agrees(rpc, match) == (games, [])
                rpc.call("deletesession", match)
            rpc = killed_during(place, rpc, rng, "purgesession", match)
            trashed = listed(rpc, trash=True)
            assert set(trashed) in (set(), all_of_it)
            done[not trashed] += 1
            rpc.close()
    print("done %d times, not %d times" % (done[True], done[False]))


def test_a_kill_leaves_no_session_that_was_to_begin_as_a_game_alone():
    rng = random.Random(7)
    between = 0
    for round in range(12):
        with Place() as place:
            rpc = place.connect()
            match = rpc.call("beginmatch", "m")["session"]
            rpc.send_all([("beginsession", bytes(4), 4, 0, {"name": "g%04d" % i, "match": match}) for i in range(3000)])
            time.sleep(rng.random() * 0.12)
            place.crash()
            rpc = place.connect()
            there, gone = agrees(rpc, match)
            assert sorted(listed(rpc)) == sorted([match, *there]) and not gone
            assert [s["name"] for s in rpc.call("getgames", match, {"limit": 10000})["games"]] == \
                ["g%04d" % i for i in range(len(there))]
            between += 0 < len(there) < 3000
            rpc.close()
    print("in the middle %d times" % between)


@placed("--relaxed-delay", "60000")
def test_a_game_that_begins_in_a_relaxed_match_is_answered_at_once(place, rpc):
    needs_slow_disk()
    match = rpc.call("beginmatch", "m", {"relaxed": True})["session"]
    dump = snapshot(rpc, begin(rpc, name="other"))
    rpc.call("flush")
    place.disk("wait")
    games = [rpc.call("loadsession", dump, {"name": "loaded", "match": match})["session"],
             rpc.call("beginsession", bytes(4), 4, 0, {"name": "begun", "match": match})["session"]]
    with place.connect() as other:  # whose match is not relaxed
        id = other.send("beginsession", bytes(4), 4, 0, {"name": "third", "match": match})
        assert not answered(other, id)
        place.disk("ok")
        games.append(other.result(id)["session"])
    place.crash()
    with place.connect() as rpc:
        assert agrees(rpc, match) == (games, [])


@placed()
def test_games_of_a_relaxed_match_that_are_lost_are_told_of_by_the_match(place, rpc):
    needs_slow_disk()
    match = rpc.call("beginmatch", "m", {"relaxed": True})["session"]
    begun = ("beginsession", bytes(4), 4, 0, {"name": "g", "match": match})
    rpc.call("flush")
    place.disk("fail")
    lost = rpc.call(*begun)["session"]
    wait_for(lambda: error_of(rpc, "getgames", match) == ERESYNC, "the match to be lost")
    error, _ = rpc.response(rpc.send("getgames", match))
    assert error[2]["why"] == EIO and error[2]["session"] == match, error
    place.disk("ok")
    whole = ("setproperty", match, "whole", True, {"durable": True})
    keyed = ("loadsession", b"", {"name": "h", "match": match, "key": b"k"})
    for call in (begun, keyed, ("beginchanges", "baba", {"name": "h", "match": match}), whole):
        error, _ = rpc.response(rpc.send(*call))
        assert error[0] == ERESYNC and error[2]["why"] == EIO and error[2]["session"] == match, (call, error)
    rpc.call("opensession", "m")
    assert agrees(rpc, match) == ([], []) and error_of(rpc, "getsession", lost) == ENOSESSION
    there = rpc.call(*begun)["session"]
    rpc.call("setproperty", match, "whole", True, {"durable": True})
    place.crash()
    with place.connect() as rpc:
        assert agrees(rpc, match) == ([there], [])


@placed()
def test_that_a_match_is_gone_is_told_to_who_begins_a_game_when_it_is_on_disk(place, rpc):
    needs_slow_disk()
    match = rpc.call("beginmatch", "m")["session"]
    signal = begin(rpc, name="signal", private=True)  # which the disk has nothing to do with
    with place.connect() as other:
        other.call("attach", signal)
        for call in (("beginsession", bytes(4), 4, 0), ("beginchanges", "baba"), ("loadsession", b"")):
            for key in ({}, {"key": b"k"}):
                place.disk("wait")
                deleting, *_ = rpc.send_all([("deletesession", match), ("setproperty", signal, "of", [*call, key])])
                other.wait_notifications()
                beginning = other.send(*call, {"name": "g", "match": match, **key})
                other.poll(SOON)
                assert beginning in other.waiting, call
                place.disk("ok")
                assert other.response(beginning)[0][0] == ENOSESSION, call
                assert rpc.response(deleting)[0] is None
                rpc.call("restoresession", match)


@placed()
def test_a_match_is_deleted_while_games_come_into_it_all_the_time(place, rpc):
    match, games = match_of(rpc, 2000)
    errors, come = [], 0

    def put_in(other):
        nonlocal come
        sent, waits = 0, []
        while not errors or waits:
            if not errors:
                waits.append(other.send_all([("beginsession", bytes(4), 4, 0, {"name": "new%d" % i, "match": match})
                                             for i in range(sent, sent + 200)]))
                sent += 200
            if errors or len(waits) > 3:  # there is always something to do
                for id in waits.pop(0):
                    error, _ = other.response(id)
                    errors.extend([error[0]] if error else [])
                    come += error is None

    with place.connect() as other:
        thread = threading.Thread(target=put_in, args=(other,))
        thread.start()
        wait_for(lambda: rpc.call("getsession", match)["games"] > 2500, "games to come")
        rpc.call("deletesession", match)
        thread.join()
    assert come > 500 and set(errors) == {ENOSESSION}
    assert listed(rpc) == {} and len(listed(rpc, trash=True)) == 2001 + come
    rpc.call("restoresession", match)
    assert len(agrees(rpc, match)[0]) == 2000 + come


def waiting(place, rpc, *call):
    """Sends a request, and kills the daemon while the disk is at it: it is done, or not, and nobody was told."""
    place.disk("wait")
    id = rpc.send(*call)
    assert not answered(rpc, id, 0.3), call
    place.disk("ok")  # for the next; this one is killed before it looks
    place.crash()
    return place.connect()


@placed()
def test_a_kill_while_the_disk_is_at_it_leaves_all_or_nothing(place, rpc):
    needs_slow_disk()
    match, games = match_of(rpc, 20)
    more = begin(rpc, name="more")
    rpc = waiting(place, rpc, "addgames", match, [more])
    there, gone = agrees(rpc, match)
    assert there in (games, games + [more]) and not gone
    games = there
    rpc = waiting(place, rpc, "dropgames", match, games[:10])
    there, gone = agrees(rpc, match)
    assert there in (games, games[10:]) and not gone
    games = there
    for call in ("deletesession", "restoresession", "deletesession", "purgesession"):
        rpc = waiting(place, rpc, call, match)
        trashed = match in listed(rpc, trash=True)
        if match in listed(rpc):
            assert agrees(rpc, match) == (games, [])
        elif trashed:
            assert {*games, match} <= set(listed(rpc, trash=True)) and not {*games} & set(listed(rpc))
        else:
            assert call == "purgesession" and not {*games} & {*listed(rpc), *listed(rpc, trash=True)}
        if call == "deletesession" and not trashed:
            rpc.call("deletesession", match)
    rpc.close()


# ---- a disk that fails


@placed()
def test_what_the_disk_refuses_is_undone(place, rpc):
    needs_slow_disk()
    match, games = match_of(rpc, 20)
    more = begin(rpc, name="more")
    add(rpc, games[3], 0, 1, 1)

    def fails(*call):
        place.disk("fail")
        assert error_of(rpc, *call) == EIO, call
        place.disk("ok")

    fails("addgames", match, [more])
    assert agrees(rpc, match) == (games, []) and rpc.call("getsession", more)["match"] is None
    for call in (("beginsession", bytes(4), 4, 0), ("beginchanges", "baba"), ("loadsession", snapshot(rpc, more))):
        fails(*call, {"name": "begun", "match": match})
        assert agrees(rpc, match) == (games, []) and "begun" not in names(rpc)
    fails("dropgames", match, [games[0]])
    assert agrees(rpc, match) == (games, []) and rpc.call("getsession", games[0])["match"] == match
    assert error_of(rpc, "addgames", match, [games[0]]) == EINMATCH
    fails("deletesession", match)
    assert agrees(rpc, match) == (games, []) and rpc.call("getsessionsize", games[3]) == 2
    assert rpc.call("addgames", match, [more]) == {"games": 21}
    rpc.call("deletesession", match)
    fails("restoresession", match)
    assert names(rpc) == [] and len(names(rpc, trash=True)) == 22
    fails("purgesession", match)
    rpc.call("restoresession", match)
    assert agrees(rpc, match) == (games + [more], []) and rpc.call("getsessionsize", games[3]) == 2
    place.crash()
    with place.connect() as rpc:
        assert agrees(rpc, match) == (games + [more], [])


@placed()
def test_others_find_a_game_as_it_is_while_the_disk_waits(place, rpc):
    needs_slow_disk()
    match, games = match_of(rpc, 3)
    other = match_of(rpc, 0, "other")[0]
    place.restart()  # nothing is in memory
    rpc, second = place.connect(), place.connect()
    rpc.call("getgames", match)
    place.disk("wait")
    first = rpc.send("dropgames", match, [games[0]])
    later = second.send("addgames", other, [games[0], games[1]])
    time.sleep(0.3)
    place.disk("ok")
    assert rpc.response(first)[0] is None
    error, _ = second.response(later)
    assert error[0] == EINMATCH and error[2]["session"] == games[1]
    assert second.call("addgames", other, [games[0]]) == {"games": 1}
    assert agrees(second, other) == ([games[0]], []) and agrees(second, match) == (games[1:], [])
    rpc.close()
    second.close()


run()
