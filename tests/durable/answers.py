"""When answers and events leave: of a durable session after what they tell is on disk, for whoever they
are; of a relaxed one at once."""
from durable import (EEXISTS, ENOSESSION, ENOTKEPT, SOON, RpcError, add, answered, begin, needs_slow_disk,
                     number, placed, run, snapshot, states, wait_for)


def slow(*options):
    needs_slow = placed(*options)

    def wrap(test):
        inner = needs_slow(test)

        def wrapped():
            needs_slow_disk()
            inner()
        wrapped.__name__, wrapped.__module__ = test.__name__, test.__module__
        return wrapped
    return wrap


@slow()
def test_answer_of_a_durable_change_waits_for_the_disk(place, rpc):
    s = begin(rpc, name="n")
    place.disk("wait")
    id = rpc.send("addposition", s, 0, 1, number(1), 0, 1)
    assert not answered(rpc, id)
    place.disk("ok")
    assert rpc.result(id)["number"] == 1


@slow()
def test_beginning_deleting_and_renaming_wait_for_the_disk(place, rpc):
    a, b = begin(rpc, name="a"), begin(rpc, name="b")
    with place.connect() as other, place.connect() as third:
        place.disk("wait")
        ids = [(rpc, rpc.send("beginsession", bytes(4), 4, 0, {"name": "c"})),
               (other, other.send("deletesession", a)),
               (third, third.send("renamesession", b, "d"))]
        for client, id in ids:
            assert not answered(client, id)
        place.disk("ok")
        for client, id in ids:
            client.result(id)


@slow()
def test_reads_of_others_wait_for_what_they_would_tell(place, rpc):
    s = begin(rpc, name="n")
    with place.connect() as other:
        place.disk("wait")
        id = rpc.send("addposition", s, 0, 1, number(1), 0, 1)
        assert not answered(rpc, id, 0.05)
        reads = [other.send(*call) for call in (
            ("getposition", s, 1), ("getsessionsize", s), ("getpositions", s), ("getsession", "n"),
            ("attach", s), ("gettree", s, 0), ("getsavedstate", s, 1), ("hassessionchanged", s))]
        assert not answered(other, reads[0])
        place.disk("ok")
        answers = [other.result(id) for id in reads]
        assert answers[1] == 2


@slow()
def test_errors_that_tell_of_a_change_wait_too(place, rpc):
    s = begin(rpc, name="n")
    add(rpc, s, 0, 1, 1)
    with place.connect() as other:
        place.disk("wait")
        rpc.send("dropposition", s, 1)
        id = other.send("getposition", s, 1)
        assert not answered(other, id)
        place.disk("ok")
        try:
            other.result(id)
            raise AssertionError("the position is there")
        except RpcError as error:
            assert error.code == 4, error


@slow()
def test_that_a_name_is_taken_or_free_again_waits_too(place, rpc):
    begin(rpc, name="old")
    with place.connect() as other, place.connect() as third:
        place.disk("wait")
        rpc.send("beginsession", bytes(4), 4, 0, {"name": "new"})
        rpc.send("deletesession", "old")
        rpc.poll()
        taken = other.send("beginsession", bytes(4), 4, 0, {"name": "new"})
        gone = third.send("getsession", "old")
        assert not answered(other, taken) and not answered(third, gone)
        place.disk("ok")
        assert other.response(taken)[0][0] == EEXISTS
        assert third.response(gone)[0][0] == ENOSESSION


@slow()
def test_reads_of_what_is_on_disk_do_not_wait(place, rpc):
    s, t = begin(rpc, name="n"), begin(rpc, name="other")
    private = begin(rpc)
    with place.connect() as other:
        mine = begin(other)
        place.disk("wait")
        rpc.send("addposition", s, 0, 1, number(1), 0, 1)
        rpc.poll()
        assert other.call("getsessionsize", t) == 1
        assert other.call("getsessionsize", mine) == 1
        add(other, mine, 0, 1, 1)
        assert private != mine
        place.disk("ok")


@slow()
def test_events_wait_for_the_disk(place, rpc):
    s = begin(rpc, name="n")
    with place.connect() as other:
        other.call("attach", s)
        place.disk("wait")
        id = rpc.send("addposition", s, 0, 1, number(1), 0, 1)
        other.poll(SOON)
        assert other.notifications == []
        place.disk("ok")
        rpc.result(id)
        (event,) = other.wait_notifications()
        assert event.params[1] == 1


@slow()
def test_answers_keep_their_order_behind_one_that_waits(place, rpc):
    s, private = begin(rpc, name="n"), begin(rpc)
    place.disk("wait")
    ids = [rpc.send("addposition", s, 0, 1, number(1), 0, 1), rpc.send("server.ping"),
           rpc.send("getsessionsize", private), rpc.send("getsessionsize", s)]
    assert not answered(rpc, ids[1])
    place.disk("ok")
    assert [rpc.result(id) for id in ids[1:]] == [None, 1, 2]  # Rpc sees to the order


@slow()
def test_relaxed_is_told_at_once(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    rpc.call("flush")
    rpc.call("attach", s)
    place.disk("wait")
    assert add(rpc, s, 0, 1, 1)["number"] == 1
    assert rpc.wait_notifications()[0].params[1] == 1
    assert rpc.call("getsessionsize", s) == 2
    place.disk("ok")


@slow("--relaxed-delay", "60000")
def test_durable_request_of_a_relaxed_session_waits(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    rpc.call("flush")
    place.disk("wait")
    add(rpc, s, 0, 1, 1)
    id = rpc.send("addposition", s, 0, 2, number(2), 0, 1, {"durable": True})
    assert not answered(rpc, id)
    place.disk("ok")
    rpc.result(id)
    place.crash()
    with place.connect() as rpc:
        assert rpc.call("getsessionsize", "n") == 3


@slow("--relaxed-delay", "60000")
def test_durable_request_that_changes_nothing_waits_for_what_was_before(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    add(rpc, s, 0, 1, 1)
    place.disk("wait")
    id = rpc.send("addposition", s, 0, 1, number(1), 0, 1, {"durable": True})
    assert not answered(rpc, id)
    place.disk("ok")
    rpc.result(id)


@slow("--relaxed-delay", "60000")
def test_flush_waits_for_all_that_was_before(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    add(rpc, s, 0, 1, 1)
    place.disk("wait")
    id = rpc.send("flush")
    assert not answered(rpc, id)
    place.disk("ok")
    rpc.result(id)
    place.crash()
    with place.connect() as rpc:
        assert rpc.call("getsessionsize", "n") == 2


@placed()
def test_flush_of_nothing_is_answered(place, rpc):
    rpc.call("flush")
    begin(rpc, name="n")
    rpc.call("flush")


@slow("--relaxed-delay", "60000")
def test_who_is_not_relaxed_waits_for_the_changes_of_who_is(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    with place.connect() as other:
        other.call("attach", s)
        place.disk("wait")
        add(rpc, s, 0, 1, 1)
        other.poll(SOON)
        assert other.notifications == []
        id = other.send("getsessionsize", s)
        assert not answered(other, id)
        place.disk("ok")  # and nobody waits the minute of --relaxed-delay
        assert other.result(id) == 2
        assert other.wait_notifications()[0].params[1] == 1


@slow()
def test_opening_again_ends_and_begins_being_relaxed_for_events_too(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    rpc.call("attach", s)
    with place.connect() as other:
        rpc.call("opensession", "n")
        other.call("opensession", "n", {"relaxed": True})
        place.disk("wait")
        add(other, s, 0, 1, 1)
        rpc.poll(SOON)
        assert rpc.notifications == []
        place.disk("ok")
        rpc.wait_notifications()
        rpc.call("opensession", "n", {"relaxed": True})
        place.disk("wait")
        add(other, s, 0, 2, 2)
        rpc.wait_notifications()
        place.disk("ok")


@placed("--relaxed-delay", "30")
def test_relaxed_changes_are_on_disk_after_the_delay(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    for i in range(1, 50):
        add(rpc, s, 0, i, i)
    with place.connect() as other:  # which waits, as it is durable, for the same batch
        wait_for(lambda: other.call("getsession", "n")["positions"] == 50, "all to be there")
    place.crash()
    with place.connect() as rpc:
        assert rpc.call("getsessionsize", "n") == 50


@placed("--relaxed-delay", "60000")
def test_listing_shows_what_this_client_was_told(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    add(rpc, s, 0, 1, 1)
    (told,) = rpc.call("listsessions")["sessions"]
    assert told["name"] == "n" and told["positions"] == 2


@placed()
def test_listing_sent_behind_a_change_shows_it(place, rpc):
    ids = rpc.send_all([("beginsession", bytes(4), 4, 0, {"name": "n"}), ("listsessions",),
                        ("deletesession", "n"), ("listsessions",), ("listsessions", {"trash": True}),
                        ("restoresession", 1), ("listsessions",)])
    answers = [rpc.result(id) for id in ids]
    assert [len(answers[i]["sessions"]) for i in (1, 3, 4, 6)] == [1, 0, 1, 1]


@placed("--relaxed-delay", "60000")
def test_subtree_dropped_in_a_relaxed_session_can_be_restored_at_once(place, rpc):
    s = begin(rpc, name="n", relaxed=True)
    for i in range(3):
        add(rpc, s, i, 1, i + 1)
    key = rpc.call("dropsubtree", s, 1)["key"]
    assert [k["key"] for k in rpc.call("listsubtrees", s)] == [key]
    assert rpc.call("restoresubtree", s, key) == {"position": 1, "restored": 3}
    assert rpc.call("listsubtrees", s) == []


@slow()
def test_who_leaves_while_waiting_harms_nobody(place, rpc):
    s = begin(rpc, name="n")
    place.disk("wait")
    other = place.connect()
    other.send_all([("addposition", s, 0, i, number(i), 0, 1) for i in range(100)] +
                   [("listsessions",), ("listsubtrees", s)])
    other.close()
    third = place.connect()
    third.send("addposition", s, 0, 1000, number(1000), 0, 1)
    third.send("listsessions")
    third.poll(0.05)
    third.close()
    place.disk("ok")
    assert rpc.call("getsessionsize", s) == 102
    assert len(snapshot(rpc, s)) > 400


@placed()
def test_a_subtree_dropped_again_under_its_key_is_answered_as_the_first_time(place, rpc):
    s = begin(rpc, name="n")
    for i in range(1, 4):
        add(rpc, s, i - 1, i, i)
    first = rpc.call("dropsubtree", s, 1, {"key": "drop"})
    assert first["dropped"] == 3
    assert rpc.call("dropsubtree", s, 1, {"key": "drop"}) == first
    assert len(rpc.call("listsubtrees", s)) == 1


@slow()
def test_a_subtree_restored_again_under_its_key_is_answered_when_the_first_time_is_on_disk(place, rpc):
    s = begin(rpc, name="n")
    for i in range(1, 4):
        add(rpc, s, i - 1, i, i)
    kept = rpc.call("dropsubtree", s, 1)["key"]
    with place.connect() as other:
        place.disk("wait")
        first = rpc.send("restoresubtree", s, kept, {"key": "restore"})
        assert not answered(rpc, first)
        again = other.send("restoresubtree", s, kept, {"key": "restore"})
        assert not answered(other, again)
        place.disk("ok")
        assert other.result(again) == rpc.result(first) == {"position": 1, "restored": 3}


@slow()
def test_a_request_that_waits_is_about_one_session_though_another_gets_its_name(place, rpc):
    """What was read of the one is not taken for the other's."""
    x, z = (begin(rpc, name=name) for name in "xz")
    for session, dropped in ((x, 1), (z, 2)):
        add(rpc, session, 0, 1, 1)
        add(rpc, session, 0, 2, 2)
        assert rpc.call("dropsubtree", session, dropped)["key"] == 3
    for call in (("attach", "x", {"since": 0}), ("listsubtrees", "x"), ("copysession", "x", "copy"),
                 ("restoresubtree", "x", 3), ("purgesubtree", "x", 3)):
        place.restart()
        with place.connect() as one, place.connect() as two:
            for name in "xz":  # both are in memory
                two.call("getsession", name)
            place.disk("wait")
            two.send("setproperty", z, "p", call[0])  # what the one waits for
            first = one.send(*call)
            one.poll()
            two.send_all([("renamesession", "x", "y"), ("renamesession", "z", "x")])
            assert not answered(two, two.waiting[-1])
            place.disk("ok")
            error, result = one.response(first)
            assert error is None or error[0] == ENOTKEPT, (call, error)
            two.result(two.waiting[-1])
            if call[0] == "attach":
                assert {n.params[0] for n in one.notifications} <= {result["session"]}
            if call[0] == "listsubtrees":
                assert [k["position"] for k in result] == [2]
            if call[0] == "copysession":
                assert list(states(two, "copy")) == [0, 1]
            assert list(states(two, x)) == [0, 2]
            assert list(states(two, z)) == ([0, 1, 2] if call[0] in ("restoresubtree", "purgesubtree") else [0, 1])
            assert [k["position"] for k in two.call("listsubtrees", x)] == [1]
            for session, name in ((z, "z"), (x, "x")):
                two.call("renamesession", session, name)


@slow()
def test_what_has_a_key_is_not_done_after_its_connection_is_closed(place, rpc):
    s = begin(rpc, name="n")
    place.disk("wait")
    with place.connect() as gone:
        gone.send_all([("backup", place.folder / "backup"),  # what keeps it from being looked at
                       ("addposition", s, 0, 1, number(1), 0, 1, {"key": "k"}),
                       ("addposition", s, 0, 2, number(2), 0, 1)])
        assert rpc.call("getsessionsize", s) == 1
    place.disk("ok")
    wait_for(lambda: rpc.call("getsessionsize", s) > 1, "the one without a key")
    assert rpc.call("getposition", s, 1)["move"] == 2


@placed()
def test_effects_told_from_the_store_are_those_that_were_told_at_once(place, rpc):
    s = begin(rpc, name="n")
    rpc.call("attach", s, {"snapshot": False})
    for prev, move, value in ((0, 1, 1), (1, 1, 2), (2, 1, 3), (2, 2, 4),
                              (0, 2, 2),   # takes over the branches of number 2
                              (0, 3, 5)):  # of which nothing must be told here
        add(rpc, s, prev, move, value)
    told = [event.params[3] for event in rpc.wait_notifications(6)]
    assert [effects["order"] for effects in told] == [[], [], [], [], [0, 5], []]
    place.restart()
    with place.connect() as later:
        later.call("attach", "n", {"since": 0})
        assert [event.params[3] for event in later.wait_notifications(6)] == told


if __name__ == "__main__":
    run()
