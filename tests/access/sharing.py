"""Sessions of several users: whose a name is, what others may read and change, and what stays the owner's."""
from access import (ANN, BOB, EDENIED, EEXISTS, ENAME, ENOSESSION, EVE, RpcError, STAFF, add, begin, error_of,
                    everywhere, number, owners, run, sessions, snapshot, used)

STATE = number(1)


# ---- whose a name is


@everywhere
def test_each_user_has_names_of_their_own(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    a, b = begin(ann, name="sokoban"), begin(bob, name="sokoban")
    assert a != b
    add(ann, "sokoban", 0, 1, 1)
    assert ann.call("getsessionsize", "sokoban") == 2 and bob.call("getsessionsize", "sokoban") == 1
    told = bob.call("getsession", "sokoban")
    assert (told["session"], told["name"], told["owner"], told["group"], told["mode"]) == (
        b, "sokoban", BOB, BOB, 0o600)
    if not place.memory:
        place.restart()
        ann, bob = place.connect(ANN), place.connect(BOB)
    assert ann.call("getsession", "sokoban")["session"] == a
    assert bob.call("getsession", "sokoban")["session"] == b


@everywhere
def test_plain_name_is_the_own_session_or_the_first_begun_that_may_be_read(place):
    ann, bob, eve = (place.connect(u) for u in (ANN, BOB, EVE))
    hidden = begin(ann, name="n")
    first = begin(bob, name="n", mode=0o644)
    begin(place.connect(BOB + 100), name="n", mode=0o644)
    for again in range(2):
        assert eve.call("getsession", "n")["session"] == first
        assert eve.call("opensession", "n")["session"] == first
        assert eve.call("getbranches", "n", 0)["positions"] == []
        assert ann.call("getsession", "n")["session"] == hidden
        if not place.memory:
            place.restart()
            ann, bob, eve = (place.connect(u) for u in (ANN, BOB, EVE))
    ann.call("setsessionmode", "n", 0o604)
    assert eve.call("getsession", "n")["session"] == hidden
    own = begin(eve, name="n")
    assert eve.call("getsession", "n")["session"] == own
    eve.call("deletesession", "n")
    assert eve.call("getsession", "n")["session"] == hidden
    ann.call("renamesession", "n", "m")
    assert eve.call("getsession", "n")["session"] == first
    bob.call("deletesession", "n")
    assert eve.call("getsession", "n")["owner"] == BOB + 100


@used()
def test_plain_name_is_anothers_as_soon_as_the_own_session_is_deleted(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    s = begin(ann, name="n", mode=0o644)
    for loaded in (True, False):
        begin(bob, name="n")
        if not loaded:
            place.restart()
            bob = place.connect(BOB)
        told = bob.call_all([("deletesession", "n"), ("getsession", "n"), ("getsessionsize", "n"),
                             ("listsubtrees", "n")])
        assert told[0] == (None, None) and told[1][1]["session"] == s and told[2:] == [(None, 1), (None, [])]


@everywhere
def test_address_with_a_user_names_that_users_session(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    a = begin(ann, name="a/b~c", mode=0o644)
    begin(bob, name="a/b~c")
    for again in range(2):
        for rpc in (ann, bob):
            assert rpc.call("getsession", "~%d/a/b~c" % ANN)["session"] == a
        for wrong in ("~%d/a" % ANN, "~%d" % ANN, "~%d/" % ANN, "~/a/b~c", "~0%d/a/b~c" % ANN, "~-1/a/b~c",
                      "~%d/a/b~c" % EVE, "~99999999999999999999/a", "~4294967295/a/b~c", "~x/a"):
            assert error_of(bob, "getsession", wrong) == ENOSESSION, wrong
        assert error_of(ann, "getsession", "~%d/a/b~c" % BOB) == ENOSESSION
        if not place.memory:
            place.restart()
            ann, bob = place.connect(ANN), place.connect(BOB)


@everywhere
def test_another_users_session_is_joined_and_none_begun(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    a = begin(ann, name="n", mode=0o644)
    address = "~%d/n" % ANN
    joined = bob.call("beginsession", bytes(4), 4, 0, {"name": address, "join": True})
    assert (joined["session"], joined["created"], joined["name"]) == (a, False, "n")
    for name in (address, "~%d/none" % ANN):
        assert error_of(bob, "beginsession", bytes(4), 4, 0, {"name": name}) == EDENIED
    assert error_of(bob, "beginsession", bytes(4), 4, 0,
                    {"name": "~%d/none" % ANN, "join": True}) == ENOSESSION
    own = bob.call("beginsession", bytes(4), 4, 0, {"name": "~%d/n" % BOB})
    assert (own["name"], own["owner"], own["created"]) == ("n", BOB, True)
    assert owners(ann) == [("n", ANN)] and owners(bob) == [("n", ANN), ("n", BOB)]
    assert error_of(bob, "beginsession", bytes(4), 4, 0, {"name": "~%d/n" % BOB}) == EEXISTS


@everywhere
def test_names_do_not_begin_with_a_tilde(place):
    ann = place.connect(ANN)
    s, dump = begin(ann, name="n"), snapshot(ann, "n")
    for name in ("~", "~x", "~%d" % ANN, "~x/n", "~%d/~x" % ANN):
        for call in (("beginsession", bytes(4), 4, 0, {"name": name}), ("loadsession", dump, {"name": name}),
                     ("renamesession", s, name), ("copysession", s, name)):
            try:
                ann.call(*call)
                assert False, call
            except RpcError as error:
                assert error.code == ENAME and "~" in error.message, (call, error)
    for call in (("loadsession", dump, {"name": "~%d/x" % ANN}), ("renamesession", s, "~%d/x" % ANN),
                 ("copysession", s, "~%d/x" % ANN)):
        assert error_of(ann, *call) == ENAME
    assert owners(ann) == [("n", ANN)]


@everywhere
def test_renaming_copying_and_loading_look_at_own_names_alone(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    begin(ann, name="taken", mode=0o666)
    s = begin(bob, name="mine")
    dump = snapshot(bob, s)
    assert bob.call("copysession", s, "taken")["owner"] == BOB
    assert error_of(bob, "copysession", s, "taken") == EEXISTS
    assert error_of(bob, "loadsession", dump, {"name": "taken"}) == EEXISTS
    assert error_of(bob, "renamesession", s, "taken") == EEXISTS
    bob.call("deletesession", "~%d/taken" % BOB)
    assert bob.call("loadsession", dump, {"name": "taken"})["owner"] == BOB
    bob.call("deletesession", "~%d/taken" % BOB)
    assert bob.call("renamesession", s, "taken")["session"] == s
    assert owners(ann) == [("taken", ANN)]


# ---- listing


@everywhere
def test_own_sessions_and_those_that_may_be_read_are_listed_by_name_then_owner(place):
    ann, bob, eve = (place.connect(u) for u in (ANN, BOB, EVE))
    for rpc, mode in ((eve, 0o644), (bob, 0o600), (ann, 0o640)):
        for name in ("b", "a", "c"):
            begin(rpc, name=name, mode=mode if name != "c" else 0o604)
    member = place.connect(EVE + 1, groups=[ANN])
    seen = {ann: [("a", ANN), ("a", EVE), ("b", ANN), ("b", EVE), ("c", ANN), ("c", BOB), ("c", EVE)],
            bob: [("a", BOB), ("a", EVE), ("b", BOB), ("b", EVE), ("c", ANN), ("c", BOB), ("c", EVE)],
            place.connect(0): [(n, u) for n in "abc" for u in (ANN, BOB, EVE)]}
    # Of mode 0604 those in the group are the ones that may not.
    seen[member] = [("a", ANN), ("a", EVE), ("b", ANN), ("b", EVE), ("c", BOB), ("c", EVE)]
    for rpc, expected in seen.items():
        for limit in (1, 2, 3, 100):
            assert owners(rpc, limit=limit) == expected, (limit, owners(rpc, limit=limit))
        assert owners(rpc, prefix="b", limit=1) == [x for x in expected if x[0] == "b"]
        # Without aftersession all of the name told last are passed over.
        after = rpc.call("listsessions", {"after": "a"})["sessions"]
        assert [(s["name"], s["owner"]) for s in after] == [x for x in expected if x[0] > "a"]


@used()
def test_trash_tells_of_sessions_that_may_be_read(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    for i in range(3):
        for rpc, mode in ((ann, 0o600), (bob, 0o644)):
            begin(rpc, name="n", mode=mode)
            rpc.call("deletesession", "n")
    assert owners(bob, trash=True, limit=1) == [("n", BOB)] * 3
    assert owners(ann, trash=True, limit=1) == [("n", ANN), ("n", BOB)] * 3
    assert owners(place.connect(0), trash=True, limit=2) == [("n", ANN), ("n", BOB)] * 3


# ---- what others may do


def calls(info, session):
    """A call of each method on the session, that its owner could make."""
    good = {"position": 0, "int": 1, "size": 0o666, "str": "other", "array": [], "bin": STATE, "bin|nil": STATE, "any": 5}
    for method in info["methods"]:
        if method["params"] and method["params"][0]["name"] == "session":
            params = [session] + [good[p["type"]] for p in method["params"][1:]]
            if method["name"] == "apply":
                params[1] = b"\x04\x00"
            if method["name"] == "addpositions":
                params[1] = [[0, 7, STATE, 0, 0]]
            yield (method["name"], *params)


READING = {"getrecord", "getrecords", "readrecord", "getcandidates", "getpositionproperty", "getalternates",
           "gettable", "getlines", "getdiff", "getschema", "getfirstposition", "getsessionsize",
           "getgraftbehavior", "getsavedstate", "getproperties", "hassessionchanged", "getsession",
           "getposition", "getbranches", "getpath", "getsolution", "gettree", "getpositions",
           "listsubtrees", "getcursor", "getcursors", "getauthors", "getgames", "attach", "readsnapshot",
           "detach", "endsession", "copysession", "routes.best", "routes.check", "routes.reach"}
IN_THE_TRASH = {"restoresession", "purgesession"}


@everywhere
def test_who_may_only_read_is_denied_every_change_and_nothing_changes(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    s = begin(ann, name="n", mode=0o644)
    add(ann, s, 0, 1, 1)
    ann.call("setproperty", s, "k", 1)
    key = ann.call("dropsubtree", s, 1)["key"]
    before = (snapshot(ann, s), sessions(ann))
    ann.call("attach", s)
    for session in (s, "n", "~%d/n" % ANN):
        for call in calls(bob.call("server.info"), session):
            error, result = bob.response(bob.send(*call))
            if call[0] in READING:
                assert error is None or error[0] not in (EDENIED, ENOSESSION), (call, error)
                if call[0] == "copysession":
                    assert result["owner"] == BOB and result["mode"] == 0o600
                    bob.call("deletesession", "other")
            elif call[0] not in IN_THE_TRASH:
                assert error and error[0] == EDENIED, (call, error, result)
                assert error[2] == {"session": session, "method": call[0]}
        if key:
            assert error_of(bob, "restoresubtree", session, key) == EDENIED
    bob.call("attach", s)
    bob.call("detach", s)
    ann.call("server.ping")
    ann.poll(0.01)
    assert not ann.notifications
    ann.call("detach", s)
    assert (snapshot(ann, s), sessions(ann)) == before


@everywhere
def test_who_may_write_changes_but_does_not_rename_delete_or_open_it(place):
    ann, bob = place.connect(ANN), place.connect(BOB, groups=[ANN])
    s = begin(ann, name="n", mode=0o660)
    assert add(bob, s, 0, 1, 1)["new"]
    bob.call("setproperty", "n", "k", 1)
    bob.call("dropsubtree", "n", 1)
    bob.call("getnextposition", "n", 0, 5)
    for call in (("renamesession", s, "m"), ("deletesession", s), ("setsessionmode", s, 0o666)):
        assert error_of(bob, *call) == EDENIED
    assert ann.call("getproperties", s) == {"k": 1}
    assert ann.call("getsession", s)["mode"] == 0o660


@used()
def test_what_was_deleted_is_its_owners_to_restore_and_purge(place):
    ann, bob, root = place.connect(ANN), place.connect(BOB), place.connect(0)
    s = begin(ann, name="n", mode=0o666)
    begin(bob, name="n")
    ann.call("deletesession", s)
    for method in ("restoresession", "purgesession"):
        assert error_of(bob, method, s) == EDENIED
    assert bob.call("getsession", "n")["owner"] == BOB
    assert root.call("restoresession", s)["owner"] == ANN
    ann.call("deletesession", s)
    begin(ann, name="n")
    assert error_of(ann, "restoresession", s) == EEXISTS
    assert ann.call("restoresession", s, {"name": "n2"})["mode"] == 0o666
    ann.call("deletesession", s)
    ann.call("purgesession", s)


@everywhere
def test_copy_belongs_to_who_made_it(place):
    ann, bob = place.connect(ANN), place.connect(BOB, gid=STAFF)
    s = begin(ann, name="n", mode=0o644)
    add(ann, s, 0, 1, 1)
    for source, name, mode in ((s, "x", 0o600), ("n", "n", 0o640), ("~%d/n" % ANN, "z", 0o666)):
        copy = bob.call("copysession", source, name, *([{"mode": mode}] if mode != 0o600 else []))
        assert (copy["owner"], copy["group"], copy["mode"], copy["name"]) == (BOB, STAFF, mode, name)
        assert snapshot(bob, copy["session"]) == snapshot(ann, s)
        add(bob, copy["session"], 0, 2, 2)
    assert ann.call("getsessionsize", s) == 2


@used("--memory-budget", "1")
def test_anothers_session_is_served_by_its_plain_name_in_requests_that_go_to_the_store(place):
    """Each of them has more than one thing to wait for."""
    ann, bob, root = place.connect(ANN), place.connect(BOB), place.connect(0)
    s = begin(ann, name="n", mode=0o666)
    for i in range(3):
        add(ann, s, 0, i, i + 1)
    begin(ann, name="out of memory")
    assert bob.call("copysession", "n", "copy")["positions"] == 4
    key = bob.call("dropsubtree", "n", 2)["key"]
    begin(ann, name="out of memory too")
    assert [d["key"] for d in bob.call("listsubtrees", "n")] == [key]
    begin(ann, name="and again")
    assert bob.call("restoresubtree", "n", key)["restored"] == 1
    key = bob.call("dropsubtree", "n", 2)["key"]
    begin(ann, name="once more")
    bob.call("purgesubtree", "n", key)
    begin(ann, name="the last")
    assert root.call("renamesession", "n", "m")["session"] == s
    begin(bob, name="really")
    root.call("deletesession", "m")
    assert error_of(bob, "getsession", "m") == ENOSESSION


# ---- the daemon's user and root


@used(user=EVE, group=EVE, extra_groups=[])
def test_root_and_the_daemons_user_may_do_everything(place):
    ann = place.connect(ANN)
    for uid in (0, EVE):
        rpc = place.connect(uid)
        s = begin(ann, name="n")
        for session in (s, "n", "~%d/n" % ANN):
            assert rpc.call("getsession", session)["session"] == s
        add(rpc, "n", 0, 1, 1)
        rpc.call("setsessionmode", "n", 0o640)
        assert rpc.call("renamesession", "n", "m")["owner"] == ANN
        begin(ann, name="n")
        assert error_of(rpc, "renamesession", "m", "n") == EEXISTS
        rpc.call("deletesession", "m")
        assert rpc.call("restoresession", s, {"name": "k"})["owner"] == ANN
        for name in ("n", "k"):
            rpc.call("deletesession", name)
        rpc.call("purgesession", s)
        own = begin(rpc, name="n")
        begin(ann, name="n")
        assert rpc.call("getsession", "n")["session"] == own
        ann.call("deletesession", "n")
        rpc.call("deletesession", own)


@used()
def test_private_session_of_a_connection_is_nobody_elses(place):
    ann = place.connect(ANN)
    s = begin(ann)
    ann.call("setsessionmode", s, 0o666)
    for rpc in (place.connect(ANN), place.connect(BOB), place.connect(0)):
        assert error_of(rpc, "getsession", s) == ENOSESSION


@used()
def test_backup_is_for_root_and_the_daemons_user(place):
    begin(place.connect(ANN), name="n", mode=0o666)
    assert error_of(place.connect(ANN), "backup", place.folder / "b") == EDENIED
    place.connect(0).call("backup", place.folder / "b")


run()
