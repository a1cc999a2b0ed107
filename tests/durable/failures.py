"""A disk that fails: who asked is told, what they did is undone, who watches is told to load anew, and when
the disk is well again writing goes on."""
from durable import (EIO, ENOSESSION, ERESYNC, SOON, RpcError, add, answered, begin, chain, error_of, names,
                     needs_slow_disk, number, placed, run, snapshot, states)


def failing(*options):
    """As placed(), for a disk that can be told to fail."""
    place_it = placed(*options)

    def wrap(test):
        inner = place_it(test)

        def wrapped():
            needs_slow_disk()
            inner()
        wrapped.__name__, wrapped.__module__ = test.__name__, test.__module__
        return wrapped
    return wrap


def writes_again(place, rpc, session):
    """Without a restart; and it is there after one."""
    place.disk("ok")
    told = add(rpc, session, 0, 999, 999, durable=True)
    assert told["new"]
    place.crash()
    with place.connect() as again:
        assert again.call("getsavedstate", session, told["number"]) == number(999)


@failing()
def test_change_that_is_not_synced_is_refused_and_undone(place, rpc):
    s = begin(rpc, name="n")
    add(rpc, s, 0, 1, 1)
    before = snapshot(rpc, s)
    place.disk("fail")
    assert error_of(rpc, "addposition", s, 0, 2, number(2), 0, 1) == EIO
    assert snapshot(rpc, s) == before
    assert rpc.call("getsession", s)["sequence"] == 1
    with place.connect() as other:
        assert snapshot(other, "n") == before
    writes_again(place, rpc, s)


@failing()
def test_what_was_refused_is_not_there_after_a_kill(place, rpc):
    s = begin(rpc, name="n")
    add(rpc, s, 0, 1, 1)
    before = snapshot(rpc, s)
    place.disk("fail")
    for i in range(5):
        assert error_of(rpc, "addposition", s, 0, 2 + i, number(2 + i), 0, 1) == EIO
    place.disk("ok")
    place.crash()
    with place.connect() as rpc:
        assert snapshot(rpc, "n") == before


@failing()
def test_requests_in_flight_fail_each_on_its_own_and_others_do_not(place, rpc):
    s, private = begin(rpc, name="n"), begin(rpc)
    place.disk("fail")
    ids = rpc.send_all([("addposition", s, 0, 1, number(1), 0, 1), ("getsessionsize", private),
                        ("addposition", s, 1, 1, number(2), 0, 1), ("server.ping",),
                        ("addposition", private, 0, 1, number(1), 0, 1)])
    answers = [rpc.response(id) for id in ids]
    assert answers[0][0][0] == EIO and answers[1] == (None, 1) and answers[3] == (None, None)
    # The second was made in the same batch, or when the first was undone already.
    assert answers[2][0][0] in (EIO, 3)
    assert answers[4][0] is None
    writes_again(place, rpc, s)


@failing()
def test_who_is_attached_is_told_to_resync(place, rpc):
    s, t = begin(rpc, name="n"), begin(rpc, name="t")
    with place.connect() as other:
        other.call("attach", s)
        other.call("attach", t)
        place.disk("fail")
        assert error_of(rpc, "addposition", s, 0, 1, number(1), 0, 1) == EIO
        events = other.wait_notifications()
        other.poll(SOON)
        events += other.notifications
        assert {(e.method, *e.params) for e in events} == {("resync", s)}
        other.notifications.clear()
        place.disk("ok")
        add(rpc, s, 0, 2, 2)
        other.poll(SOON)
        assert other.notifications == []  # not attached any more
        assert other.call("attach", s)["sequence"] == 1
        add(rpc, t, 0, 1, 1)
        assert other.wait_notifications()[0].params[:2] == [t, 1]  # still attached


@failing("--relaxed-delay", "50")
def test_relaxed_changes_that_can_not_be_stored_are_undone_and_resync_is_sent(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    add(rpc, s, 0, 1, 1)
    rpc.call("flush")
    before = snapshot(rpc, s)
    rpc.call("attach", s)
    place.disk("fail")
    add(rpc, s, 0, 2, 2)  # told at once
    events = rpc.wait_notifications(2)
    assert [e.method for e in events] == ["operation", "resync"]
    place.disk("ok")
    rpc.call("opensession", "n", {"relaxed": True})
    assert snapshot(rpc, s) == before
    writes_again(place, rpc, s)


@failing("--relaxed-delay", "20")
def test_who_was_told_at_once_of_what_is_lost_can_not_build_on_it(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    rpc.call("flush")
    with place.connect() as attached, place.connect() as durable:
        attached.call("opensession", "n", {"relaxed": True})
        attached.call("attach", s)
        place.disk("fail")
        assert add(rpc, s, 0, 1, 1)["number"] == 1  # to be undone
        attached.wait_notifications(2)
        place.disk("ok")
        assert add(durable, s, 0, 9, 9)["number"] == 1  # another one under that number
        for client in (rpc, attached):
            for call in (("addposition", s, 1, 2, number(2), 0, 1), ("getsession", s),
                         ("getpositions", "n"), ("deletesession", s)):
                assert error_of(client, *call) == ERESYNC, call
        assert rpc.call("opensession", "n", {"relaxed": True})["positions"] == 2
        assert attached.call("attach", s)["positions"] == 2
        for client in (rpc, attached):
            add(client, s, 1, 2, 2)


@failing("--relaxed-delay", "20")
def test_who_was_told_of_what_is_lost_may_end_the_session(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    rpc.call("flush")
    place.disk("fail")
    add(rpc, s, 0, 1, 1)
    place.daemon.wait_log("undone")
    place.disk("ok")
    rpc.call("endsession", s)
    assert rpc.call("getsessionsize", s) == 1


@failing()
def test_flush_after_a_failure_is_answered(place, rpc):
    s = begin(rpc, name="n")
    place.disk("fail")
    assert error_of(rpc, "addposition", s, 0, 1, number(1), 0, 1) == EIO
    place.disk("ok")
    rpc.call("flush")
    with place.connect() as other:
        other.call("flush")
    rpc.call("listsessions")


@failing("--relaxed-delay", "60000")
def test_flush_fails_if_what_was_before_it_is_lost(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    rpc.call("flush")
    add(rpc, s, 0, 1, 1)
    place.disk("fail")
    assert error_of(rpc, "flush") == EIO
    rpc.call("opensession", "n")
    assert rpc.call("getsessionsize", s) == 1


@failing()
def test_session_whose_beginning_fails_is_not_there(place, rpc):
    rpc.call("flush")
    place.disk("fail")
    assert error_of(rpc, "beginsession", bytes(4), 4, 0, {"name": "n"}) == EIO
    place.disk("ok")
    assert names(rpc) == []
    assert error_of(rpc, "getsession", "n") == ENOSESSION
    s = begin(rpc, name="n")
    writes_again(place, rpc, s)


@failing()
def test_failed_deletion_rename_restore_and_purge_are_undone(place, rpc):
    a, b, c = (begin(rpc, name=n) for n in "abc")
    for s in (a, b, c):
        chain(rpc, s, 3)
    rpc.call("deletesession", c)
    with place.connect() as other:
        other.call("attach", a)
        place.disk("fail")
        for call in (("deletesession", a), ("renamesession", b, "z"), ("restoresession", c),
                     ("purgesession", c), ("copysession", a, "y")):
            assert error_of(rpc, *call) == EIO, call
        place.disk("ok")
        other.poll(SOON)
        assert {e.method for e in other.notifications} == {"resync"}
    assert names(rpc) == ["a", "b"] and names(rpc, trash=True) == ["c"]
    assert error_of(rpc, "getsession", "z") == error_of(rpc, "getsession", "y") == ENOSESSION
    assert [rpc.call("getsessionsize", s) for s in (a, b)] == [4, 4]
    assert rpc.call("restoresession", c)["positions"] == 4
    rpc.call("renamesession", b, "z")
    rpc.call("deletesession", a)
    place.crash()
    with place.connect() as rpc:
        assert names(rpc) == ["c", "z"]


@failing()
def test_failed_dropping_of_a_subtree_loses_nothing(place, rpc):
    s = begin(rpc, name="n")
    chain(rpc, s, 10)
    before = snapshot(rpc, s)
    place.disk("fail")
    assert error_of(rpc, "dropsubtree", s, 3) == EIO
    place.disk("ok")
    assert snapshot(rpc, s) == before and rpc.call("listsubtrees", s) == []
    key = rpc.call("dropsubtree", s, 3)["key"]
    place.disk("fail")
    assert error_of(rpc, "restoresubtree", s, key) == EIO
    place.disk("ok")
    assert rpc.call("restoresubtree", s, key)["restored"] == 8
    assert snapshot(rpc, s)[8:-8] == before[8:-8]


@failing()
def test_any_one_sync_that_fails_costs_nothing_that_was_acknowledged(place, rpc):
    """The nth sync of a mixed script fails, for each n; then all is as it was told."""
    for nth in range(1, 13):
        place.disk("ok")
        rpc.call("flush")
        session = begin(rpc, name="n%d" % nth)
        acked, refused = [], 0
        place.disk("fail %d" % nth)
        for i in range(1, 9):
            try:
                add(rpc, session, 0, i, i)
                acked.append(number(i))
            except RpcError as error:
                assert error.code == EIO, error
                refused += 1
        assert refused == (1 if nth <= 8 else 0), (nth, refused)
        place.disk("ok")
        assert list(states(rpc, session).values())[1:] == acked, nth
    place.crash()
    with place.connect() as rpc:
        for nth in range(1, 13):
            there = list(states(rpc, "n%d" % nth).values())[1:]
            assert there == [number(i) for i in range(1, 9) if i != nth], nth


@failing()
def test_reads_go_on_while_the_disk_fails(place, rpc):
    s, t = begin(rpc, name="n"), begin(rpc, name="t")
    chain(rpc, s, 20)
    place.restart()
    with place.connect() as rpc:
        place.disk("fail")
        assert error_of(rpc, "addposition", t, 0, 1, number(1), 0, 1) == EIO
        assert rpc.call("getsessionsize", "n") == 21
        assert names(rpc) == ["n", "t"]
        assert "could not be stored" in place.daemon.log() or "undone" in place.daemon.log()
        private = begin(rpc)
        add(rpc, private, 0, 1, 1)
        place.disk("ok")


@failing()
def test_many_clients_while_the_disk_fails_now_and_then_keep_what_they_were_told(place, rpc):
    import threading
    import time
    begin(rpc, name="shared")
    acked, failures, stop = {}, [], threading.Event()

    def work(who):
        mine, i = acked.setdefault(who, []), 0
        try:
            with place.connect() as client:
                while not stop.is_set():
                    i += 1
                    move = who * 100000 + i
                    ids = client.send_all([("addposition", "shared", 0, move * 4 + k,
                                            number(move * 4 + k), 0, 1) for k in range(4)])
                    for k, id in enumerate(ids):
                        error, _ = client.response(id)
                        if error is None:
                            mine.append(number(move * 4 + k))
                        else:
                            assert error[0] == EIO, error
        except Exception as error:  # pylint: disable=broad-except
            failures.append(repr(error))

    threads = [threading.Thread(target=work, args=(who,)) for who in range(1, 5)]
    for thread in threads:
        thread.start()
    for _ in range(15):
        time.sleep(0.05)
        place.disk("fail")
        time.sleep(0.02)
        place.disk("ok")
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures, failures
    told = sorted(state for mine in acked.values() for state in mine)
    assert sorted(states(rpc, "shared").values())[1:] == told
    place.crash()
    with place.connect() as rpc:
        assert sorted(states(rpc, "shared").values())[1:] == told
    assert told


if __name__ == "__main__":
    run()
