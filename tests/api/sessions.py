"""Sessions: names, joining, privacy, ending, deleting, loading; and the daemon's own methods."""
import os

import msgpack

from api import (EATTACHED, ECONSTANT, EDAMAGED, EEXISTS, EFRAME, EMESSAGE, EMETHOD, ENAME,
                 ENOSESSION, ENOTATTACHED, EOPTION, EPARAMS, EPOSITION, ERANGE, ESTATE, ETYPE,
                 EUTF8, EVERSION, MIB, STATE_MAX, TESTS, add, begin, check_error, error_of,
                 number, run, served, serving, snapshot, wait_for)

SESSION_FIELDS = {"session", "name", "kind", "size", "cmpsize", "graft", "positions", "changed", "sequence",
                  "solved", "damaged", "begun", "used", "bytes", "trashed", "owner", "group", "mode",
                  "match", "games"}


def names(rpc, **options):
    return [s["name"] for s in rpc.call("listsessions", options)["sessions"]]


# ---- beginning


@served
def test_begun_session_is_told_whole(daemon, rpc):
    answer = rpc.call("beginsession", b"abcd", 4, 3, {"name": "n"})
    assert set(answer) == SESSION_FIELDS | {"created"}
    handle = answer.pop("session")
    assert isinstance(handle, int) and handle > 0
    assert isinstance(answer.pop("used"), int) and answer.pop("bytes") >= 0
    assert answer.pop("begun") > 0
    assert answer == {"name": "n", "kind": "states", "size": 4, "cmpsize": 3, "graft": 1, "positions": 1,
                      "changed": False, "sequence": 0, "created": True, "solved": False,
                      "damaged": False, "trashed": None, "owner": os.getuid(), "group": os.getgid(),
                      "mode": 0o600, "match": None, "games": None}
    assert rpc.call("getsavedstate", "n", 0) == b"abcd"


@served
def test_cmpsize_0_stands_for_all_bytes(daemon, rpc):
    assert rpc.call("beginsession", b"abcd", 4, 0)["cmpsize"] == 4


@served
def test_unfit_sizes_are_refused(daemon, rpc):
    for state, size, cmpsize in ((b"", 0, 0), (b"ab", 3, 0), (b"abc", 2, 0), (b"ab", 2, 3),
                                 (b"ab", 2, -1), (b"ab", -1, 0), (b"a", 2**31 - 1, 0),
                                 (b"", STATE_MAX + 1, 0)):
        assert error_of(rpc, "beginsession", state, size, cmpsize) == ESTATE, (size, cmpsize)
    assert error_of(rpc, "beginsession", b"a", 2**31, 0) == ERANGE
    assert names(rpc) == []


@served
def test_state_of_16_mib_is_taken_and_a_byte_more_refused(daemon, rpc):
    largest = bytes(STATE_MAX - 1) + b"!"
    session = rpc.call("beginsession", largest, STATE_MAX, 0)["session"]
    assert rpc.call("getsavedstate", session, 0) == largest
    assert error_of(rpc, "beginsession", largest + b"!", STATE_MAX + 1, 0) == ESTATE


@served
def test_state_may_be_a_str(daemon, rpc):
    session = rpc.call("beginsession", "abcd", 4, 0)["session"]
    assert rpc.call("getsavedstate", session, 0) == b"abcd"


# ---- names


@served
def test_names_are_utf8_of_1_to_255_bytes(daemon, rpc):
    fit = ["n", "level 3/été", "関数", "\U0001f600" * 63, "x" * 255, "é" * 127 + "x", "\n", "\x7f"]
    for name in fit:
        answer = rpc.call("beginsession", b"a", 1, 0, {"name": name})
        assert answer["name"] == name and answer["created"]
        assert rpc.call("opensession", name)["session"] == answer["session"]
    assert sorted(n.encode() for n in fit) == [n.encode() for n in names(rpc)]


@served
def test_names_and_options_may_come_as_bin(daemon, rpc):
    """As from a language that sends nothing else."""
    session = rpc.call("beginsession", b"a", 1, 0, {b"name": "é".encode(), b"join": True})
    assert session["name"] == "é"
    assert rpc.call("opensession", "é".encode())["session"] == session["session"]
    assert rpc.call("getsession", "é".encode())["session"] == session["session"]
    assert rpc.call(b"listsessions".decode(), {b"prefix": b"\xc3\xa9"})["next"] is None
    for call in (("beginsession", b"a", 1, 0, {"name": b"\xc3"}), ("opensession", b"\xc3"),
                 ("getsession", b"\xff"), ("listsessions", {"prefix": b"\xc3"}),
                 ("listsessions", {b"\xc3": None})):
        assert error_of(rpc, *call) == EUTF8, call
    rpc.call("setproperty", "é", b"name", {"a": [b"\xff"]})
    assert rpc.call("getproperties", "é") == {"name": {"a": [b"\xff"]}}


@served
def test_unfit_names_are_refused(daemon, rpc):
    dump = snapshot(rpc, begin(rpc))
    for name in ("", "x" * 256, "é" * 128, "a\0b", "\0"):
        assert error_of(rpc, "beginsession", b"a", 1, 0, {"name": name}) == ENAME
        assert error_of(rpc, "loadsession", dump, {"name": name}) == ENAME
        assert error_of(rpc, "opensession", name) == ENOSESSION
        assert error_of(rpc, "getsession", name) == ENOSESSION
    assert names(rpc) == []


@served
def test_refused_name_names_the_limit(daemon, rpc):
    error, _ = rpc.response(rpc.send("beginsession", b"a", 1, 0, {"name": "x" * 256}))
    assert error[2] == {"method": "beginsession", "limit": 255, "given": 256}, error


@served
def test_name_that_exists_is_refused_without_join(daemon, rpc):
    session = begin(rpc, name="n")
    assert error_of(rpc, "beginsession", bytes(4), 4, 0, {"name": "n"}) == EEXISTS
    assert error_of(rpc, "beginsession", bytes(4), 4, 0, {"name": "n", "join": False}) == EEXISTS
    assert error_of(rpc, "loadsession", snapshot(rpc, session), {"name": "n"}) == EEXISTS


@served
def test_join_answers_the_session_that_exists(daemon, rpc):
    session = rpc.call("beginsession", b"abcd", 4, 2, {"name": "n", "join": True})
    assert session["created"]
    rpc.call("addposition", "n", 0, 1, b"wxyz", 0, 1)
    with daemon.connect() as other:
        joined = other.call("beginsession", b"ABCD", 4, 2, {"name": "n", "join": True})
        assert (joined["session"], joined["created"]) == (session["session"], False)
        assert (joined["positions"], joined["changed"], joined["sequence"]) == (2, True, 1)
        assert other.call("getsavedstate", "n", 0) == b"abcd"


@served
def test_join_with_other_sizes_is_refused_and_tells_them(daemon, rpc):
    begin(rpc, 4, 2, name="n")
    for size, cmpsize in ((3, 2), (5, 2), (4, 0), (4, 4), (4, 1)):
        error, _ = rpc.response(rpc.send("beginsession", bytes(size), size, cmpsize,
                                         {"name": "n", "join": True}))
        check_error(error)
        assert error[0] == ESTATE and error[2] == {
            "method": "beginsession", "size": 4, "cmpsize": 2}, error
    begin(rpc, 4, 4, name="all")
    assert rpc.call("beginsession", bytes(4), 4, 0, {"name": "all", "join": True})["cmpsize"] == 4


@served
def test_join_without_a_name_begins_a_private_session(daemon, rpc):
    assert begin(rpc, join=True) != begin(rpc, join=True)


@served
def test_options_that_are_nil_or_an_empty_array_are_left_out(daemon, rpc):
    assert rpc.call("beginsession", b"a", 1, 0, None)["name"] is None
    assert rpc.call("beginsession", b"a", 1, 0, [])["name"] is None
    assert rpc.call("beginsession", b"a", 1, 0, {"name": None, "join": None})["name"] is None


# ---- privacy


@served
def test_private_session_is_not_there_for_others(daemon, rpc):
    session = begin(rpc)
    with daemon.connect() as other:
        assert names(other) == []
        for call in (("getsession", session), ("getfirstposition", session),
                     ("attach", session), ("deletesession", session), ("endsession", session),
                     ("addposition", session, 0, 1, bytes(4), 0, 1),
                     ("getpositions", session)):
            assert error_of(other, *call) == ENOSESSION, call
        # And said in the same words as of one that never was.
        error, _ = other.response(other.send("getsession", session))
        never, _ = other.response(other.send("getsession", session + 1000))
        assert error[:2] == never[:2]
    assert rpc.call("getsession", session)["positions"] == 1


@served
def test_private_session_is_gone_with_its_connection(daemon, rpc):
    with daemon.connect() as other:
        session = begin(other)
        kept = begin(other, name="kept")
    wait_for(lambda: rpc.call("server.ping") is None, "a turn")
    assert error_of(rpc, "getsession", session) == ENOSESSION
    assert rpc.call("getsession", kept)["name"] == "kept"


@served
def test_handle_is_never_given_again(daemon, rpc):
    handles = []
    for _ in range(50):
        handles.append(begin(rpc))
        rpc.call("endsession", handles[-1])
    assert handles == sorted(set(handles))


# ---- ending and deleting


@served
def test_ended_private_session_is_gone(daemon, rpc):
    session = begin(rpc)
    assert rpc.call("endsession", session) is None
    assert error_of(rpc, "getsession", session) == ENOSESSION
    assert error_of(rpc, "endsession", session) == ENOSESSION
    assert error_of(rpc, "addposition", session, 0, 1, bytes(4), 0, 1) == ENOSESSION


@served
def test_named_session_outlives_who_ends_it_and_who_leaves(daemon, rpc):
    with daemon.connect() as other:
        session = begin(other, name="n")
        add(other, session, 0, 1, 1)
        assert other.call("endsession", session) is None
        assert other.call("getsessionsize", "n") == 2
    assert rpc.call("opensession", "n")["positions"] == 2


@served
def test_ending_detaches(daemon, rpc):
    session = begin(rpc, name="n")
    rpc.call("attach", session)
    rpc.call("endsession", session)
    add(rpc, session, 0, 1, 1)
    rpc.call("server.ping")
    assert rpc.notifications == []
    assert error_of(rpc, "detach", session) == ENOTATTACHED


@served
def test_deleted_session_is_gone_for_all_and_the_attached_are_told_once(daemon, rpc):
    session = begin(rpc, name="n")
    with daemon.connect() as other, daemon.connect() as third:
        other.call("attach", session)
        rpc.call("attach", session)
        assert third.call("deletesession", "n") is None
        for one in (rpc, other):
            (event,) = one.wait_notifications()
            assert event == ("sessionended", [session])
            for call in (("getsession", "n"), ("getsession", session), ("attach", session),
                         ("detach", session), ("readsnapshot", session, 0, 1),
                         ("deletesession", session), ("opensession", "n")):
                assert error_of(one, *call) == ENOSESSION, call
            assert one.notifications == []
    assert names(rpc) == []


@served
def test_name_of_a_deleted_session_is_free_and_its_handle_stays_stale(daemon, rpc):
    old = begin(rpc, name="n")
    add(rpc, old, 0, 1, 1)
    rpc.call("deletesession", old)
    new = begin(rpc, name="n")
    assert new != old and rpc.call("getsessionsize", "n") == 1
    assert error_of(rpc, "getsession", old) == ENOSESSION


@served
def test_who_deletes_while_attached_is_told_before_the_answer(daemon, rpc):
    session = begin(rpc, name="n")
    rpc.call("attach", session)
    rpc.log.clear()
    rpc.call("deletesession", session)
    assert [kind for kind, _ in rpc.log] == ["notification", "response"], rpc.log


@served
def test_own_private_session_can_be_deleted(daemon, rpc):
    session = begin(rpc)
    assert rpc.call("deletesession", session) is None
    assert error_of(rpc, "getsession", session) == ENOSESSION


# ---- listing


@served
def test_sessions_are_listed_in_the_order_of_their_bytes_in_pages(daemon, rpc):
    wanted = ["a", "a/1", "a/10", "a/2", "ab", "b", "é", "\U0001f600"]
    for name in reversed(wanted):
        begin(rpc, name=name)
    begin(rpc)
    assert names(rpc) == wanted
    for limit in (1, 2, 3, 7, 8, 9, 2**53 - 1):
        found, next = [], None
        while True:
            page = rpc.call("listsessions", {"limit": limit, "after": next})
            assert len(page["sessions"]) <= limit
            found += [s["name"] for s in page["sessions"]]
            next = page["next"]
            if next is None:
                break
        assert found == wanted, limit
    assert all(set(s) == SESSION_FIELDS for s in page["sessions"])


@served
def test_listing_by_prefix_and_after_a_name_that_is_not_there(daemon, rpc):
    for name in ("a", "a/1", "a/2", "ab", "b"):
        begin(rpc, name=name)
    assert names(rpc, prefix="a/") == ["a/1", "a/2"]
    assert names(rpc, prefix="a/", after="a/1") == ["a/2"]
    assert names(rpc, prefix="a/", after="A") == ["a/1", "a/2"]
    assert names(rpc, prefix="a/", after="z") == []
    assert names(rpc, after="a/15") == ["a/2", "ab", "b"]
    assert names(rpc, prefix="") == ["a", "a/1", "a/2", "ab", "b"]
    assert names(rpc, prefix="c") == []
    assert rpc.call("listsessions", {"prefix": "a/", "limit": 1})["next"] == "a/1"
    assert rpc.call("listsessions", {"prefix": "a/", "limit": 2})["next"] is None


@served
def test_page_of_sessions_has_at_most_a_mebibyte(daemon, rpc):
    for i in range(6000):
        rpc.send("beginsession", b"a", 1, 0, {"name": "%0255d" % i})
        if i % 500 == 499:
            rpc.call("server.ping")
    found, next, pages = 0, None, 0
    while True:
        id = rpc.send("listsessions", {"limit": 10000, "after": next})
        page = rpc.result(id)
        assert len(msgpack.packb(page)) <= MIB + 1000
        found, pages = found + len(page["sessions"]), pages + 1
        next = page["next"]
        if next is None:
            break
    assert found == 6000 and pages > 1


# ---- loading


@served
def test_loaded_session_is_a_copy(daemon, rpc):
    session = begin(rpc, 4, 3)
    for i in range(1, 40):
        add(rpc, session, i // 2, i, number(i % 7), endpoint=int(i % 11 == 0))
    rpc.call("dropposition", session, 39)
    rpc.call("setgraftbehavior", session, 2)
    dump = snapshot(rpc, session)
    answer = rpc.call("loadsession", dump)
    assert set(answer) == SESSION_FIELDS | {"created"} and answer["created"]
    was = rpc.call("getsession", session)
    for field in ("size", "cmpsize", "graft", "positions", "changed"):
        assert answer[field] == was[field], field
    assert answer["name"] is None and answer["sequence"] == 0
    assert snapshot(rpc, answer["session"]) == dump
    # From here on they part, and numbers go on where they were.
    assert add(rpc, answer["session"], 0, 99, 99)["number"] == 40
    assert snapshot(rpc, session) == dump


@served
def test_loaded_session_may_be_named_and_is_private_otherwise(daemon, rpc):
    dump = snapshot(rpc, begin(rpc))
    named = rpc.call("loadsession", dump, {"name": "copy"})
    private = rpc.call("loadsession", dump)
    with daemon.connect() as other:
        assert other.call("opensession", "copy")["session"] == named["session"]
        assert error_of(other, "getsession", private["session"]) == ENOSESSION


@served
def test_damaged_dump_is_refused_wherever_the_damage_is(daemon, rpc):
    session = begin(rpc)
    for i in range(1, 12):
        add(rpc, session, i // 2, i, i % 5)
    dump = snapshot(rpc, session)
    for place in range(len(dump)):
        broken = bytearray(dump)
        broken[place] ^= 1 << place % 8
        code = error_of(rpc, "loadsession", bytes(broken), {"name": "n"})
        assert code == EDAMAGED or (code == EVERSION and place < 8), (place, code)
    for size in range(len(dump)):
        assert error_of(rpc, "loadsession", dump[:size]) == EDAMAGED, size
    assert error_of(rpc, "loadsession", dump + b"\0") == EDAMAGED
    assert names(rpc) == []


@served
def test_dump_of_a_newer_version_is_refused_as_such(daemon, rpc):
    dump = bytearray(snapshot(rpc, begin(rpc)))
    dump[4] = 4  # the version follows the four bytes of magic
    assert error_of(rpc, "loadsession", bytes(dump)) == EVERSION


# ---- the daemon's own methods


@served
def test_hello_tells_name_and_version(daemon, rpc):
    answer = rpc.call("server.hello", {"client": "tests/1"})
    assert answer == {"server": "redod", "version": rpc.call("server.info")["version"]}
    assert rpc.call("server.hello") == answer == rpc.call("server.hello", {"client": "x" * 255})


@served
def test_hello_with_string_errors_makes_every_error_a_string(daemon, rpc):
    rpc.call("server.hello", {"errors": "string"})
    for call, name in ((("nothing",), "REDO_EMETHOD"), (("getsession",), "REDO_EPARAMS"),
                       (("getsession", 1.5), "REDO_ETYPE"), (("getsession", 77), "REDO_ENOSESSION"),
                       (("server.hello", {"x": 1}), "REDO_EOPTION")):
        error, _ = rpc.response(rpc.send(*call))
        assert isinstance(error, str) and error.startswith(name + ": "), error
    with daemon.connect() as other:
        assert error_of(other, "nothing") == EMETHOD
    rpc.call("server.hello", {"errors": "array"})
    assert error_of(rpc, "nothing") == EMETHOD


@served
def test_hello_with_string_errors_holds_for_bytes_that_are_no_call(daemon, rpc):
    rpc.call("server.hello", {"errors": "string"})
    for sent, name in ((msgpack.packb([0, 5, "server.ping"]), "REDO_EMESSAGE"),
                       (b"\x94\x00\x05\xabopensession\x91\xa1\xff", "REDO_EUTF8"),
                       (b"\x94\x00\x05\xabserver.ping\x91\xc1", "REDO_EFRAME")):
        rpc.expect(5)
        rpc.send_bytes(sent)
        error, _ = rpc.response(5)
        assert isinstance(error, str) and error.startswith(name + ": "), error


@served
def test_hello_with_unknown_errors_is_refused(daemon, rpc):
    for errors in ("", "strings", "ARRAY", "str"):
        assert error_of(rpc, "server.hello", {"errors": errors}) == ECONSTANT


@served
def test_ping_answers_nil(daemon, rpc):
    assert rpc.call("server.ping") is None


@served
def test_info_describes_all_there_is(daemon, rpc):
    info = rpc.call("server.info")
    assert set(info) == {"server", "version", "methods", "events", "shapes", "errors", "limits",
                         "damaged"}
    methods = {m["name"]: m for m in info["methods"]}
    assert len(methods) == len(info["methods"]) >= 35
    types = {"session", "position", "int", "size", "count", "bin", "str", "bool", "array", "any",
             "bin|nil"}
    for method in info["methods"]:
        assert set(method) == {"name", "params", "options", "result", "doc"}, method
        assert method["result"] and method["doc"]
        for param in method["params"] + method["options"]:
            assert set(param) == {"name", "type"} and param["type"] in types, param
        # There is a method of that name, and it takes so many params.
        error, _ = rpc.response(rpc.send(method["name"], *[None] * 20))
        assert error[0] == EPARAMS and error[2]["expected"] == len(method["params"]), error
    assert {e["name"] for e in info["events"]} == {
        "operation", "resync", "lagged", "routes", "keepalive", "sessionended", "error"}
    for event in info["events"]:
        assert set(event) == {"name", "params", "doc"} and event["doc"]
    assert {s["name"] for s in info["shapes"]} >= {"POSITION", "SESSION", "PAGE"}
    codes = {e["code"]: e["name"] for e in info["errors"]}
    assert len(codes) == len(info["errors"]) and codes[0] == "REDO_OK"
    for code, name in ((EPOSITION, "EPOSITION"), (EFRAME, "EFRAME"), (EMESSAGE, "EMESSAGE"),
                       (EATTACHED, "EATTACHED"), (EUTF8, "EUTF8"), (EOPTION, "EOPTION"),
                       (ETYPE, "ETYPE")):
        assert codes[code] == "REDO_" + name


@served
def test_info_tells_every_limit_once(daemon, rpc):
    limits = []

    def pairs(items):
        for key, _ in items:
            if key == "depth":
                limits.append([key for key, _ in items])
            assert len({key for key, _ in items}) == len(items), items
        return dict(items)

    rpc.unpacker = msgpack.Unpacker(raw=False, object_pairs_hook=pairs)
    info = rpc.call("server.info")
    assert limits
    assert info["limits"]["state"] == STATE_MAX and info["limits"]["name"] == 255
    assert info["limits"]["page_bytes"] == MIB and info["limits"]["page"] == 10000
    off = {"idle", "keepalive", "stall", "connections_per_user", "user_connections", "user_sessions", "user_positions",
           "user_bytes"}
    assert all(isinstance(v, int) and (v > 0) == (k not in off) for k, v in info["limits"].items())


@served
def test_reference_has_the_limits_that_a_daemon_tells(daemon, rpc):
    table = {}
    with open(os.path.join(os.path.dirname(TESTS), "protocol", "README.md")) as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if len(cells) == 3 and cells[0].startswith("`") and cells[1].isdigit():
                table[cells[0].strip("`")] = int(cells[1])
    assert table == rpc.call("server.info")["limits"]


def test_info_tells_the_limits_that_the_daemon_was_given():
    given = {"max-message": ("bytes", 123456), "max-connections": ("connections", 77),
             "max-per-user": ("connections_per_user", 60),
             "output-soft": ("output_soft", 500001), "output-seconds": ("output_seconds", 50),
             "output-hard": ("output", 500002), "output-per-user": ("output_user", 500003),
             "idle-timeout": ("idle", 51), "keepalive": ("keepalive", 52),
             "stall-timeout": ("stall", 53)}
    options = [word for name, (_, value) in given.items() for word in ("--" + name, str(value))]
    with serving(*options) as daemon:
        with daemon.connect() as rpc:
            limits = rpc.call("server.info")["limits"]
            for limit, value in given.values():
                assert limits[limit] == value, (limit, limits)


run()
