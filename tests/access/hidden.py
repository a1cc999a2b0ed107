"""A session that a user may not read is answered as one that is not there, byte for byte, by every method of the
table, under its name and its handle: before it was begun, while it is there, and in the trash."""
import msgpack

from access import ANN, BOB, EDAMAGED, add, begin, error_of, everywhere, number, run, used

SECRET = "secret"  # BOB's; ANN asks, whose number is lower: of one name hers comes first
STATE = number(1)


def exchange(rpc, data):
    """The bytes of the one answer."""
    rpc.send_bytes(data)
    got, unpacker = b"", msgpack.Unpacker(strict_map_key=False, max_buffer_size=1 << 28)
    while True:
        piece = rpc.recv_bytes()
        assert piece, "the connection ended"
        got += piece
        unpacker.feed(piece)
        for _ in unpacker:
            assert unpacker.tell() == len(got)
            return got


def fitting(method, session):
    """Params of a call on the session that could succeed."""
    good = {"position": 0, "int": 1, "size": 0o644, "bool": True, "count": 1, "str": "other", "array": [],
            "bin": STATE, "bin|nil": STATE, "any": None}
    params = [session if i == 0 else good[p["type"]] for i, p in enumerate(method["params"])]
    if method["name"] == "apply":
        params[1] = b"\x04\x00"
    return params


def names_session(method):
    """The first param names a session, as a name or a handle, in the trash or not."""
    return method["params"] and (method["params"][0]["type"] == "session" or
                                 method["params"][0]["name"] == "session" or method["name"] == "opensession")


def calls(info, handle):
    """Calls on the session that is or will be called SECRET and have the handle."""
    plain, trash = ("~%d/%s" % (BOB, SECRET), SECRET, handle), (handle,)
    for method in info["methods"]:
        if not names_session(method):
            continue
        by = {"session": plain, "size": trash, "str": plain[:2]}[method["params"][0]["type"]]
        for session in by:
            params = fitting(method, session)
            yield (method["name"], *params)
            for option in method["options"]:
                value = {"bool": True, "count": 1, "size": 0o600, "position": 0, "str": "x", "int": 1,
                         "bin": b"k", "array": [], "any": 1}
                yield (method["name"], *params, {option["name"]: value[option["type"]]})
    for join in ({}, {"join": True}, {"join": True, "relaxed": True}):
        yield ("beginsession", STATE, 4, 0, {"name": "~%d/%s" % (BOB, SECRET), **join})
    for join in ({}, {"join": True}):
        yield ("beginmatch", "~%d/%s" % (BOB, SECRET), {**join})
    yield ("loadsession", b"x", {"name": SECRET})
    yield ("server.info",)
    for trash in (False, True):
        for options in ({}, {"limit": 1}, {"prefix": SECRET}, {"after": "own"}, {"aftersession": handle},
                        {"after": "own", "aftersession": handle}, {"after": "a", "aftersession": handle}):
            yield ("listsessions", {**options, "trash": trash})


def answers(rpc, info, handle):
    told = {}
    for call in calls(info, handle):
        told[repr(call)] = exchange(rpc, msgpack.packb([0, 7, call[0], list(call[1:])]))
    return told


def same(place, before, handle, info, what):
    asker = place.connect(ANN)
    now = answers(asker, info, handle)
    differ = [(call, before[call], now[call]) for call in before if before[call] != now[call]]
    assert not differ, (what, differ[:3])
    assert len(before) > 150, len(before)


def next_handle(rpc):
    """What the next session that is begun will have: handles are no secret."""
    return begin(rpc) + 1


def prepare(place):
    """What the one who asks has: one before the secret one's name, one of its own trashed name."""
    ann = place.connect(ANN)
    for name in ("own", "zzz"):
        begin(ann, name=name)
    if not place.memory:
        begin(ann, name="own too")
        ann.call("deletesession", "own too")
    return ann


def try_all(place, mode, *states):
    ann, bob = prepare(place), place.connect(BOB, groups=[ANN])
    info = ann.call("server.info")
    handle = next_handle(bob)
    before = answers(ann, info, handle)
    assert begin(bob, name=SECRET, mode=mode) == handle
    add(bob, handle, 0, 1, 1)
    bob.call("setproperty", handle, "k", "v")
    bob.call("dropsubtree", handle, 1)
    add(bob, handle, 0, 1, 1)
    same(place, before, handle, info, "there")
    for name, change in states:
        change(place, bob, handle)
        bob = place.connect(BOB)
        same(place, before, handle, info, name)


def restart(place, bob, handle):
    place.restart()


def delete(place, bob, handle):
    bob.call("deletesession", handle)


def purge(place, bob, handle):
    bob.call("purgesession", handle)


def close(place, bob, handle):
    bob.call("setsessionmode", handle, 0o666)
    bob.call("setsessionmode", handle, 0o600)


@used()
def test_private_session_is_answered_as_none_by_every_method_in_each_state(place):
    try_all(place, 0o600, ("restarted", restart), ("closed again", close), ("deleted", delete),
            ("restarted with it in the trash", restart), ("purged", purge))


@used(memory=True)
def test_private_session_in_memory_is_answered_as_none_by_every_method(place):
    try_all(place, 0o600, ("closed again", close), ("deleted", delete))


@used()
def test_session_of_a_group_is_answered_as_none_to_who_is_not_in_it(place):
    try_all(place, 0o660, ("restarted", restart), ("deleted", delete))


@used("--memory-budget", "1")
def test_private_session_that_left_memory_is_answered_as_none(place):
    def leave(place, bob, handle):
        for i in range(3):
            begin(bob, name="other%d" % i)
    try_all(place, 0o600, ("out of memory", leave))


@used()
def test_damaged_private_session_is_answered_as_none(place):
    """Neither its name in server.info nor the code for damage."""
    ann, bob = prepare(place), place.connect(BOB)
    info = ann.call("server.info")
    handle = next_handle(bob)
    before = answers(ann, info, handle)
    mark = b"a state that is found in the file"
    assert bob.call("beginsession", mark, len(mark), 0, {"name": SECRET})["session"] == handle
    place.stop()
    for path, data in place.bytes_on_disk():
        with open(path, "wb") as file:
            file.write(data.replace(mark, mark[::-1]))
    place.start()
    same(place, before, handle, info, "damaged")
    bob = place.connect(BOB)
    assert error_of(bob, "getsession", SECRET) == EDAMAGED
    assert bob.call("server.info")["damaged"] == [SECRET]
    same(place, before, handle, info, "known to be damaged")
    bob.call("deletesession", SECRET)
    same(place, before, handle, info, "deleted")


@everywhere
def test_name_that_another_has_is_free(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    for name in ("a", "b", "c"):
        begin(ann, name=name)
    a = begin(bob, name="a")
    assert bob.call("renamesession", a, "b")["name"] == "b"
    assert bob.call("copysession", "b", "a")["owner"] == BOB
    assert bob.call("deletesession", "a") is None
    assert begin(bob, name="a", join=True) not in [s["session"] for s in ann.call("listsessions")["sessions"]]
    assert [s["name"] for s in bob.call("listsessions")["sessions"]] == ["a", "b"]
    assert [s["name"] for s in ann.call("listsessions")["sessions"]] == ["a", "b", "c"]


run()
