"""Searches that wait for their turn, while as many run as may: what becomes of them, and that nothing else
waits with them."""
import contextlib
import os

from searches import answer, ask, long_question, network, short_question, unproven
from sessions import Rpc, best, harness, run, served, wait_for


@contextlib.contextmanager
def all_threads_busy(daemon):
    """Two searches under way, with the ids busy-0 and busy-1. They go on until the end, unless the test
    has canceled them."""
    question = long_question()
    connections = [daemon.connect() for _ in range(2)]
    session, position = network(connections[0], question, name="busy", mode=0o666)
    requests = [ask(c, "busy", position, question, progress=0, id="busy-%d" % i)
                for i, c in enumerate(connections)]
    for c in connections:
        c.wait_notifications(1)
    yield
    with daemon.connect() as other:
        for i in range(2):
            cancel(other, "busy-%d" % i)
        for c, request in zip(connections, requests):
            unproven(answer(c, request), "canceled")
            c.close()
        other.call("deletesession", "busy")


def cancel(rpc, name):
    return rpc.call("routes.cancel", {"id": name})["canceled"]


@served
def test_one_that_waits_is_canceled_and_the_others_run_on(daemon, rpc):
    session, position = network(rpc, long_question())
    with all_threads_busy(daemon), daemon.connect() as other:
        request = ask(rpc, session, position, long_question(), id="waits")
        rpc.send("server.ping")
        while not cancel(other, "waits"):
            pass
        unproven(answer(rpc, request), "canceled")
        assert (cancel(other, "busy-0"), cancel(other, "busy-1")) == (1, 1)


@served
def test_those_whose_deadline_is_over_while_they_wait_are_answered_and_the_others_run_on(daemon, rpc):
    session, position = network(rpc, long_question(), name="shared", mode=0o666)
    others = [daemon.connect() for _ in range(6)]
    with all_threads_busy(daemon):
        requests = [ask(c, "shared", position, long_question(), deadline=20 * i)
                    for i, c in enumerate(others)]
        for c, request in zip(others, requests):
            unproven(answer(c, request), "deadline")
            c.close()
        assert (cancel(rpc, "busy-0"), cancel(rpc, "busy-1")) == (1, 1)


@served
def test_one_whose_connection_goes_while_it_waits_takes_no_turn(daemon, rpc):
    session, position = network(rpc, short_question())
    for close in (lambda c: c.close(), lambda c: c.socket.shutdown(2)):
        with all_threads_busy(daemon), daemon.connect() as other:
            gone = [daemon.connect() for _ in range(3)]
            for c in gone:
                ask(c, *network(c, long_question()), long_question())
            request = ask(rpc, session, position, {**short_question(), "rules": {"x": str(close)}})
            other.call("server.ping")
            for c in gone:
                close(c)
            assert cancel(other, "busy-0") == 1
            assert answer(rpc, request)["proven"]
            assert cancel(other, "busy-1") == 1


@served
def test_searches_of_many_connections_are_all_answered(daemon, rpc):
    question = short_question()
    network(rpc, question, name="rails", mode=0o666)
    connections = [daemon.connect() for _ in range(40)]
    requests = [[ask(c, "rails", 1, {**question, "rules": {**question["rules"], "x": [i, k]}})
                 for k in range(3)] for i, c in enumerate(connections)]
    rpc.call("server.ping")
    for c, of_one in zip(connections, requests):
        for request in of_one:
            result = answer(c, request)
            assert (result["total"], result["proven"], result["cached"]) == (260, True, False), result
        c.close()


def test_the_store_is_read_and_written_while_searches_run_and_wait():
    # The pool, which serves the store, has one thread: a search on it would be in the way.
    with harness.Folder() as folder:
        def daemon():
            d = harness.Daemon(folder / "s", "--store", folder / "store", env={"UV_THREADPOOL_SIZE": "1"})
            d.connect = lambda: Rpc(d.socket_path)
            return d

        with daemon() as first, first.connect() as rpc:
            for name in ("one", "two"):
                rpc.call("beginsession", bytes(4), 4, 0, {"name": name})
            rpc.close()
            assert first.end() == 0
        with daemon() as second, second.connect() as rpc, second.connect() as waits:
            with all_threads_busy(second):
                session, position = network(waits, long_question())
                request = ask(waits, session, position, long_question(), id="waits")
                one = rpc.call("opensession", "one")["session"]
                rpc.call("addposition", one, 0, 1, b"next", 0, 1)
                assert rpc.call("copysession", "one", "three")["positions"] == 2
                rpc.call("deletesession", "two")
                assert cancel(rpc, "waits") == 1
                unproven(answer(waits, request), "canceled")
                assert (cancel(rpc, "busy-0"), cancel(rpc, "busy-1")) == (1, 1)
            waits.close()
            rpc.close()
            assert second.end() == 0, second.log()


def threads(daemon):
    return len(os.listdir("/proc/%d/task" % daemon.pid))


@served
def test_long_searches_one_after_the_other_leave_no_more_threads_than_run_at_a_time(daemon, rpc):
    session, position = network(rpc, long_question())
    before = threads(daemon)
    for _ in range(8):
        unproven(best(rpc, session, position, long_question(), deadline=200), "deadline")
    wait_for(lambda: threads(daemon) <= before + 3, "threads to end")
    session, position = network(rpc, short_question())
    assert best(rpc, session, position, short_question())["proven"]


def test_a_daemon_that_is_told_to_end_ends_searches_that_run_and_that_wait():
    with harness.Folder() as folder, harness.Daemon(folder / "s") as daemon:
        question = long_question()
        connections = [Rpc(daemon.socket_path) for _ in range(6)]
        network(connections[0], question, name="rails", mode=0o666)
        for i, c in enumerate(connections):
            ask(c, "rails", 1, question, progress=0)
            ask(c, "rails", 1, {**question, "rules": {"x": i}})
        for c in connections[:2]:
            c.wait_notifications(1)
        assert daemon.end() == 0, daemon.log()
        assert "Sanitizer" not in daemon.log() and "runtime error" not in daemon.log(), daemon.log()
        for c in connections:
            c.close()


if __name__ == "__main__":
    run(__name__)
