"""Slow readers where events wait for the disk: a slow disk makes no laggard of a client that reads."""
from durable import begin, needs_slow_disk, number, placed, run, wait_for

EIO = 35


def adds(first, count):
    return [[first if i == 0 else -i, 1, number(first + i + 1), 0, 0] for i in range(count)]


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
        ids = [rpc.send("addpositions", s, adds(i * 1000, 1000)) for i in range(3)]
        with place.connect() as relaxed:  # it is told at once: all of it has been applied
            relaxed.call("opensession", "n", {"relaxed": True})
            wait_for(lambda: relaxed.call("getsessionsize", s) == 3001, "the changes")
        assert "lags" not in place.daemon.log()
        place.disk("ok")
        for id in ids:
            rpc.result(id)
        take(reads, s, 1, 3000)
        rpc.call("addpositions", s, adds(3000, 1))
        take(reads, s, 3001, 3001)


@placed("--output-soft", "64K", "--output-seconds", "1000")
def test_what_comes_at_once_from_the_disk_makes_no_laggard(place, rpc):
    needs_slow_disk()
    s = begin(rpc, name="n")
    with place.connect() as reads:
        reads.call("attach", s, {"snapshot": False})
        for i in range(5):
            place.disk("wait")
            ids = [rpc.send("addpositions", s, adds(i * 4000 + j * 1000, 1000)) for j in range(4)]
            place.disk("ok")
            for id in ids:
                rpc.result(id)
        take(reads, s, 1, 20000)


@placed("--output-soft", "64K", "--output-seconds", "0")
def test_laggard_is_told_after_what_waits_for_the_disk(place, rpc):
    s = begin(rpc, name="n")
    with place.connect() as lags:
        lags.call("attach", s, {"snapshot": False})
        count = 0
        while "lags, and is told no more" not in place.daemon.log():
            rpc.call("addpositions", s, adds(count, 100))
            count += 100
        id = lags.send("attach", s, {"snapshot": False})
        answer = lags.result(id, 60)
        assert answer["sequence"] == count
        told = lags.notifications
        last = told.pop()
        assert [n.params[1] for n in told] == list(range(1, len(told) + 1))
        assert (last.method, last.params) == ("lagged", [s, len(told)]) and 0 < len(told) < count
        assert [kind for kind, _ in lags.log][-1] == "response"


@placed("--output-hard", "4M")
def test_laggard_whose_last_changes_are_lost_is_told_to_resync(place, rpc):
    needs_slow_disk()
    s = begin(rpc, name="n")
    with place.connect() as lags:
        lags.call("attach", s, {"snapshot": False})
        rpc.call("addpositions", s, adds(0, 100))
        place.disk("wait")
        id = rpc.send("addpositions", s, adds(100, 30000))
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
