"""Slow readers where events wait for the disk: a slow disk makes no laggard of a client that reads."""
from durable import begin, needs_slow_disk, number, placed, run, wait_for

EIO = 35


def play(rpc, session, first, count):
    """So many changes, none of which is answered."""
    for i in range(first, first + count):
        rpc.notify("addposition", session, i, 1, number(i + 1), 0, 0)


def take(rpc, session, first, last):
    """The operations with these numbers come, and nothing else."""
    told = rpc.wait_notifications(last - first + 1, timeout=60)
    assert [(n.method, n.params[0], n.params[1]) for n in told] == [
        ("operation", session, i) for i in range(first, last + 1)]


@placed("--output-soft", "64K", "--output-seconds", "0")
def test_what_waits_for_the_disk_makes_no_laggard(place, rpc):
    needs_slow_disk()
    s = begin(rpc, name="n")
    with place.connect() as reads:
        reads.call("attach", s, {"snapshot": False})
        place.disk("wait")
        play(rpc, s, 0, 3000)
        with place.connect() as relaxed:  # it is told at once: all of it has been applied
            relaxed.call("opensession", "n", {"relaxed": True})
            wait_for(lambda: relaxed.call("getsessionsize", s) == 3001, "the changes")
        assert "lags" not in place.daemon.log()
        place.disk("ok")
        take(reads, s, 1, 3000)
        play(rpc, s, 3000, 1)
        take(reads, s, 3001, 3001)


@placed("--output-soft", "64K", "--output-seconds", "1000")
def test_what_comes_at_once_from_the_disk_makes_no_laggard(place, rpc):
    needs_slow_disk()
    s = begin(rpc, name="n")
    with place.connect() as reads:
        reads.call("attach", s, {"snapshot": False})
        for i in range(5):
            place.disk("wait")
            play(rpc, s, i * 4000, 4000)
            place.disk("ok")
            rpc.call("flush")
        take(reads, s, 1, 20000)


@placed("--output-soft", "64K", "--output-seconds", "0")
def test_laggard_is_told_after_what_waits_for_the_disk(place, rpc):
    s = begin(rpc, name="n")
    with place.connect() as lags:
        lags.call("attach", s, {"snapshot": False})
        count = 0
        while "lags, and is told no more" not in place.daemon.log():
            play(rpc, s, count, 100)
            rpc.call("server.ping")
            count += 100
        lags.call("server.ping")
        *told, last = lags.wait_notifications(len(lags.notifications))
        assert [n.params[1] for n in told] == list(range(1, len(told) + 1))
        assert (last.method, last.params) == ("lagged", [s, len(told)]) and 0 < len(told) < count
        # Attached since then, it is told the rest.
        assert lags.call("attach", s, {"since": len(told)})["sequence"] == count
        play(rpc, s, count, 1)
        take(lags, s, len(told) + 1, count + 1)


@placed("--output-hard", "4M")
def test_laggard_whose_last_changes_are_lost_is_told_to_resync(place, rpc):
    needs_slow_disk()
    s = begin(rpc, name="n")
    with place.connect() as lags:
        lags.call("attach", s, {"snapshot": False})
        play(rpc, s, 0, 100)
        rpc.call("flush")
        place.disk("wait")
        play(rpc, s, 100, 30000)
        id = rpc.send("addposition", s, 0, 2, number(0), 0, 0)
        place.daemon.wait_log("lags, and is told no more")
        place.disk("fail")
        error, _ = rpc.response(id, 60)
        assert error[0] == EIO, error
        place.disk("ok")
        lags.call("server.ping")
        assert [n.params[1] for n in lags.notifications[:100]] == list(range(1, 101))
        assert {(n.method, *n.params) for n in lags.notifications[100:]} == {("resync", s)}
        assert lags.call("attach", s)["sequence"] == 100


run()
