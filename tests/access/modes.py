"""The mode of a session: what each lets whom do, that it lasts, and that it counts at once."""
import os
import shutil
import signal

from access import (ANN, BOB, CLUB, EDENIED, ENOSESSION, ENOTATTACHED, ERANGE, EVE, STAFF, Closed, Rpc, add, begin,
                    error_of, everywhere, need_root, owners, run, sessions, snapshot, used, user)
from durable import EIO, TESTS, answered, harness, needs_slow_disk

MODES = [o << 6 | g << 3 | w for o in (4, 6) for g in (0, 4, 6) for w in (0, 4, 6)]


def may(mode, uid, groups, owner, group):
    """(read, write) of POSIX."""
    bits = mode >> 6 if uid == owner else mode >> 3 if group in groups else mode
    return bool(bits & 4), bool(bits & 2)


@everywhere
def test_modes_mean_what_those_of_files_mean(place):
    ann = place.connect(ANN, gid=STAFF)
    s = begin(ann, name="n")
    # The group is that of who began it, whatever other groups they are in.
    assert ann.call("getsession", s)["group"] == STAFF
    peers = [(ANN, [STAFF]), (ANN, [CLUB]), (BOB, [STAFF]), (BOB, [CLUB, STAFF]), (BOB, [CLUB]), (BOB, [])]
    rpcs = [(place.connect(uid, groups[0] if groups else uid, groups[1:]), uid, groups) for uid, groups in peers]
    root = place.connect(0)
    for mode in MODES:
        assert ann.call("setsessionmode", s, mode)["mode"] == mode
        for rpc, uid, groups in rpcs:
            read, write = may(mode, uid, groups, ANN, STAFF)
            error, _ = rpc.response(rpc.send("getsession", s))
            assert (error is None) == read and (read or error[0] == ENOSESSION), (oct(mode), uid, groups)
            error, _ = rpc.response(rpc.send("setproperty", s, "k", mode))
            code = None if error is None else error[0]
            assert code == (None if write else EDENIED if read else ENOSESSION), (oct(mode), uid, groups, code)
        root.call("setproperty", s, "k", mode)


@everywhere
def test_what_is_no_mode_is_refused_and_changes_nothing(place):
    ann = place.connect(ANN)
    s = begin(ann, name="n", mode=0o640)
    dump = snapshot(ann, s)
    for mode in [m for m in range(0o1100) if m not in MODES] + [0o1600, 0o2640, 0o100644, 2**32 + 0o600, 2**53 - 1]:
        assert error_of(ann, "setsessionmode", s, mode) == ERANGE, oct(mode)
        if mode % 37 == 0:
            for call in (("beginsession", bytes(4), 4, 0, {"name": "m", "mode": mode}),
                         ("loadsession", dump, {"name": "m", "mode": mode}), ("copysession", s, "m", {"mode": mode})):
                assert error_of(ann, *call) == ERANGE, (call, oct(mode))
    assert [(x["name"], x["mode"]) for x in sessions(ann)] == [("n", 0o640)]


@everywhere
def test_session_begins_private_or_with_the_mode_asked_for(place):
    ann = place.connect(ANN)
    dump = snapshot(ann, begin(ann, name="a"))
    begin(ann, name="b", mode=0o644)
    ann.call("loadsession", dump, {"name": "c"})
    ann.call("loadsession", dump, {"name": "d", "mode": 0o660})
    ann.call("copysession", "d", "e")
    ann.call("copysession", "a", "f", {"mode": 0o666})
    begin(ann, name="g", private=True, mode=0o604)
    told = {x["name"]: x["mode"] for x in sessions(ann)}
    told["g"] = ann.call("getsession", "g")["mode"]
    assert told == {"a": 0o600, "b": 0o644, "c": 0o600, "d": 0o660, "e": 0o600, "f": 0o666, "g": 0o604}
    assert place.connect(BOB).call("getsession", "g")["mode"] == 0o604


# ---- at once


@everywhere
def test_who_may_not_read_any_more_is_told_that_the_session_ended_and_others_stay(place):
    ann, bob, root = place.connect(ANN), place.connect(BOB), place.connect(0)
    member = place.connect(EVE, groups=[ANN])
    s = begin(ann, name="n", mode=0o644)
    for rpc in (ann, bob, member, root):
        rpc.call("attach", s)
    second = place.connect(ANN)
    second.call("setsessionmode", s, 0o640)
    add(ann, s, 0, 1, 1)
    (event,) = bob.wait_notifications()
    assert event.method == "sessionended" and event.params == [s]
    for rpc in (ann, member, root):
        (event,) = rpc.wait_notifications()
        assert event.method == "operation" and event.params[:2] == [s, 1]
    bob.call("server.ping")
    assert not bob.notifications
    for call in (("getsession", s), ("readsnapshot", s, 0, 10), ("detach", s), ("attach", s)):
        assert error_of(bob, *call) == ENOSESSION, call
    # It is as if it was new when it may be read again.
    ann.call("setsessionmode", s, 0o644)
    assert error_of(bob, "detach", s) == ENOTATTACHED
    assert bob.call("attach", s)["sequence"] == 1


@everywhere
def test_end_is_told_before_the_mode_is_answered(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    s = begin(ann, name="n", mode=0o666)
    bob.call("attach", s)
    ann.call("setsessionmode", s, 0o600)
    bob.call("server.ping")
    assert [n.method for n in bob.notifications] == ["sessionended"]


@used()
def test_mode_counts_at_once_and_is_answered_when_it_is_on_disk(place):
    needs_slow_disk()
    ann, bob = place.connect(ANN), place.connect(BOB)
    s = begin(ann, name="n", mode=0o644)
    bob.call("attach", s)
    place.disk("wait")
    id = ann.send("setsessionmode", s, 0o600)
    assert not answered(ann, id)
    # Of who was attached, what comes later waits behind the event.
    assert error_of(place.connect(BOB), "getsession", s) == ENOSESSION
    place.disk("ok")
    assert ann.result(id)["mode"] == 0o600
    assert [n.method for n in bob.wait_notifications()] == ["sessionended"]


@used()
def test_mode_that_could_not_be_stored_is_undone(place):
    needs_slow_disk()
    ann, bob = place.connect(ANN), place.connect(BOB)
    s = begin(ann, name="n", mode=0o644)
    bob.call("attach", s)
    place.disk("fail")
    assert error_of(ann, "setsessionmode", s, 0o600) == EIO
    place.disk("ok")
    assert [n.method for n in bob.wait_notifications()] == ["resync"]
    assert bob.call("attach", s)["mode"] == 0o644


# ---- what lasts


@used()
def test_mode_that_was_answered_is_there_after_a_kill(place):
    for i, mode in enumerate(MODES):
        ann = place.connect(ANN, gid=STAFF)
        s = begin(ann, name="n%d" % i)
        add(ann, s, 0, 1, 1)
        ann.call("setsessionmode", s, mode)
        if i % 6 == 5:
            place.crash()
    ann = place.connect(ANN)
    told = [(x["mode"], x["owner"], x["group"], x["positions"]) for x in
            (ann.call("getsession", "n%d" % i) for i in range(len(MODES)))]
    assert told == [(mode, ANN, STAFF, 2) for mode in MODES]


@used()
def test_kill_while_a_mode_is_on_its_way_leaves_the_old_or_the_new(place):
    needs_slow_disk()
    for _ in range(3):
        ann = place.connect(ANN)
        s = begin(ann, name="n", join=True)
        ann.call("setsessionmode", s, 0o644)
        add(ann, s, 0, 1, 1)
        place.disk("wait")
        id = ann.send("setsessionmode", s, 0o660)
        assert not answered(ann, id)
        place.daemon.kill(signal.SIGKILL)
        place.disk("ok")
        place.crash()
        ann, bob = place.connect(ANN), place.connect(BOB)
        told = ann.call("getsession", "n")
        assert told["mode"] in (0o644, 0o660) and told["positions"] == 2 and not told["damaged"]
        assert bob.response(bob.send("getsession", s))[0] is None or told["mode"] == 0o660


@used()
def test_mode_of_a_session_in_the_trash_is_kept(place):
    ann, bob = place.connect(ANN), place.connect(BOB)
    s = begin(ann, name="n", mode=0o644)
    ann.call("deletesession", s)
    place.restart()
    ann, bob = place.connect(ANN), place.connect(BOB)
    assert [x["mode"] for x in sessions(bob, trash=True)] == [0o644]
    assert ann.call("restoresession", s)["mode"] == 0o644
    assert bob.call("getsession", s)["session"] == s


@used()
def test_backup_keeps_owners_and_modes(place):
    for uid, mode in ((ANN, 0o640), (BOB, 0o604)):
        begin(place.connect(uid, gid=STAFF), name="n", mode=mode)
    place.connect(0).call("backup", place.folder / "b")
    place.stop()
    shutil.rmtree(place.store)
    os.mkdir(place.store, 0o700)
    os.rename(place.folder / "b", os.path.join(place.store, "redo-1.db"))
    place.start()
    assert [(x["name"], x["owner"], x["group"], x["mode"]) for x in sessions(place.connect(0))] == [
        ("n", ANN, STAFF, 0o640), ("n", BOB, STAFF, 0o604)]


@used()
def test_sessions_of_an_older_store_are_private_and_their_names_their_owners(place):
    place.stop()
    shutil.rmtree(place.store)
    shutil.copytree(os.path.join(TESTS, "cases", "stores", "v1"), place.store)
    os.chmod(place.store, 0o700)
    place.start()
    one, ann = place.connect(1), place.connect(ANN)
    assert owners(one) == [("compacted", 1), ("plain", 1), ("set aside", 1)]
    assert owners(ann) == [] and error_of(ann, "getsession", "plain") == ENOSESSION
    begin(ann, name="plain")
    one.call("setsessionmode", "plain", 0o604)
    place.restart()
    one, ann = place.connect(1), place.connect(ANN)
    assert one.call("getsession", "plain")["session"] == 1 and ann.call("getsession", "plain")["owner"] == ANN
    assert owners(place.connect(BOB), prefix="pl") == [("plain", 1)]


# ---- who comes in at all


def test_daemon_is_its_users_alone_if_nobody_else_was_named():
    need_root()
    with harness.Folder() as folder:
        os.chmod(folder.path, 0o755)
        os.chown(folder.path, ANN, ANN)
        with harness.Daemon(folder / "s", "--store", folder / "store", "--mode", "0777", user=ANN, group=ANN,
                            extra_groups=[]) as daemon:
            for uid, comes in ((ANN, True), (0, True), (BOB, False)):
                with user(uid, groups=[ANN]):
                    rpc = Rpc(daemon.socket_path)
                try:
                    rpc.call("server.ping")
                    assert comes, uid
                except (Closed, BrokenPipeError, ConnectionResetError):
                    assert not comes, uid
                rpc.close()
            assert daemon.end() == 0


run()
