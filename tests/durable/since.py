"""Attach since n: a client whose connection is cut at any byte gets exactly the rest, or is told to load
anew; from memory, from the store, over restarts, kills and compactions, while others go on."""
import random
import threading

import msgpack

from durable import (ERESYNC, SOON, add, begin, error_of, needs_slow_disk, number, placed, run)
from api import EATTACHED, EDROPPED, EPOSITION, EBRANCHES, serving

KINDS = ({"effects": True}, {"effects": False})


def play(rpc, session, rng, count):
    """Changes of all kinds, most of which change something."""
    size = rpc.call("getsession", session)["sequence"] + 2
    calls = []
    for _ in range(count):
        at = lambda: max(0, size - rng.randrange(1, 30))
        state = number(rng.randrange(60))
        calls.append(rng.choice((
            ("addposition", session, at(), rng.randrange(4), state, rng.choice((0, 0, 0, 1)), 1),
            ("addposition", session, at(), rng.randrange(4), state, 0, 2, {"cursor": "c"}),
            ("addpositions", session, [[at(), 1, state, 0, 1], [-1, 2, state, 0, 1]]),
            ("getnextposition", session, at(), rng.randrange(4)), ("dropposition", session, at()),
            ("setgraftbehavior", session, rng.randrange(4)),
            ("suppresscycle", session, at(), state, 3), ("duplicatepath", session, at(), at()),
            ("setcursor", session, "c", at()), ("dropsubtree", session, at()),
            ("setproperty", session, "p", rng.randrange(5)), ("setbetterfields", session))))
    for error, _ in rpc.call_all(calls):
        assert error is None or error[0] in (EDROPPED, EPOSITION, EBRANCHES, 10), error


def told(notifications):
    """What events tell, but for whether they are the connection's own."""
    assert all(n.method == "operation" for n in notifications), notifications
    return [n.params[1:4] for n in notifications]


def all_events(rpc, session, since=0, **options):
    """Attaches since that number and detaches; what is told, all before the answer."""
    rpc.call("server.ping")
    rpc.notifications.clear()
    rpc.log.clear()
    answer = rpc.call("attach", session, {"since": since, **options})
    events = list(rpc.notifications)
    before = [kind for kind, _ in rpc.log]
    assert before[:len(events) + 1] == ["notification"] * len(events) + ["response"]
    assert answer["snapshot"] == 0
    assert all(e.params[4] is False for e in events)
    rpc.call("detach", session)
    rpc.notifications.clear()
    assert [e.params[1] for e in events] == list(range(since + 1, answer["sequence"] + 1))
    return told(events)


class Cut:
    """A client that is attached since a number and whose connection is cut after so many bytes."""

    def __init__(self, place, session, since, **options):
        self.session, self.since = session, since
        self.rpc = place.connect()
        self.rpc.send_bytes(msgpack.packb([0, 1, "attach", [session, {"since": since, **options}]]))
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)
        self.events, self.answer = [], None

    def read(self, count):
        """At most so many bytes, fewer if no more come; then the connection is closed."""
        while count > 0:
            try:
                data = self.rpc.recv_bytes(min(count, 65536))
            except TimeoutError:
                break
            except OSError:
                data = b""
            if not data:
                break
            count -= len(data)
            self.unpacker.feed(data)
            for message in self.unpacker:
                if message[0] == 2:
                    assert message[1] == "operation", message
                    self.events.append(message[2])
                else:
                    assert message[2] is None, message
                    self.answer = message[3]
        self.rpc.close()
        events = [e[1:4] for e in self.events]
        assert [e[0] for e in events] == list(range(self.since + 1, self.since + 1 + len(events)))
        return events


# ---- a reconnecting client misses no events


@placed()
def test_a_connection_cut_at_any_byte_gets_exactly_the_rest(place, rpc):
    session = begin(rpc, name="n")
    play(rpc, session, random.Random(1), 40)
    for options, step in zip(KINDS, (17, 1)):
        whole = all_events(rpc, session, **options)
        size = sum(len(msgpack.packb([2, "operation", [session, *e, False]])) for e in whole)
        for cut in list(range(0, size, step)) + [size]:
            first = Cut(place, session, 0, **options).read(cut)
            assert first == whole[:len(first)], cut
            assert all_events(rpc, session, len(first), **options) == whole[len(first):], cut
        assert first == whole


@placed()
def test_cut_again_and_again_while_others_write_nothing_is_missed_or_told_twice(place, rpc):
    session = begin(rpc, name="n")
    stop, problems = threading.Event(), []

    def write(seed):
        try:
            with place.connect() as writer:
                rng = random.Random(seed)
                for _ in range(400):
                    if stop.is_set():
                        break
                    play(writer, session, rng, rng.choice((1, 3, 10)))
        except Exception as e:  # pylint: disable=broad-except
            problems.append(e)

    with place.connect() as watcher:
        watcher.call("attach", session, {"snapshot": False})
        threads = [threading.Thread(target=write, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        rng = random.Random(2)
        seen, bare = [], []
        while len(seen) < 400:
            for found, options in zip((seen, bare), KINDS):
                client = Cut(place, session, len(found), **options)
                client.rpc.socket.settimeout(0.02)
                found += client.read(rng.choice((1, 100, 1000, 20000)) * rng.randrange(1, 4))
        stop.set()
        for thread in threads:
            thread.join()
        assert not problems, problems
        seen += all_events(rpc, session, len(seen))
        bare += all_events(rpc, session, len(bare), effects=False)
        watcher.call("server.ping")
        assert told(watcher.notifications) == seen
        assert [[n, op, None] for n, op, _ in seen] == bare


@placed()
def test_events_after_the_rest_follow_without_a_gap(place, rpc):
    session = begin(rpc, name="n")
    chain_by_one(rpc, session, 10)
    for options in KINDS:
        with place.connect() as back:
            start = rpc.call("getsession", session)["sequence"]
            answer = back.call("attach", session, {"since": start - 3, **options})
            add(rpc, session, 0, 50 + start, 1)
            back.call("server.ping")
            assert [e.params[1] for e in back.notifications] == list(range(start - 2, start + 2))
            assert answer["sequence"] == start
            assert error_of(back, "attach", session, {"since": start}) == EATTACHED


def chain_by_one(rpc, session, count):
    for error, _ in rpc.call_all([("addposition", session, 0, i, number(i + 1), 0, 1)
                                  for i in range(count)]):
        assert error is None


@placed()
def test_who_has_seen_all_is_told_nothing_and_attached(place, rpc):
    session = begin(rpc, name="n")
    chain_by_one(rpc, session, 5)
    for again in range(2):
        assert all_events(rpc, session, 5) == all_events(rpc, session, 5, effects=False) == []
        place.restart()
        rpc = place.connect()
        session = "n"
    rpc.close()


@placed()
def test_a_number_that_was_never_reached_is_refused(place, rpc):
    session = begin(rpc, name="n")
    chain_by_one(rpc, session, 5)
    for since in (6, 7, 2**53 - 1):
        for options in KINDS:
            error, _ = rpc.response(rpc.send("attach", session, {"since": since, **options}))
            assert error[0] == ERESYNC and error[2]["since"] == since, error
            assert error[2]["sequence"] == 5
    assert len(all_events(rpc, session)) == 5  # it was not attached


@placed()
def test_the_rest_comes_from_the_store_after_a_restart_and_a_kill(place, rpc):
    session = begin(rpc, name="n")
    with place.connect() as watcher:
        watcher.call("attach", session, {"snapshot": False})
        play(rpc, session, random.Random(3), 150)
        watcher.call("server.ping")
        events = told(watcher.notifications)
    for again in (place.restart, place.crash):
        again()
        with place.connect() as rpc:
            for since in (0, 1, len(events) // 2, len(events) - 1, len(events)):
                assert all_events(rpc, "n", since) == events[since:]
                assert all_events(rpc, "n", since, effects=False) == [
                    [n, op, None] for n, op, _ in events[since:]]
            # And those of after the restart, which are in memory, behind them.
            with place.connect() as watcher:
                watcher.call("attach", "n", {"snapshot": False})
                play(rpc, "n", random.Random(len(events)), 20)
                watcher.call("server.ping")
                events += told(watcher.notifications)
            for since in (0, len(events) - 25, len(events) - 3):
                assert all_events(rpc, "n", since) == events[since:]


@placed()
def test_after_a_compaction_it_is_exactly_the_rest_or_load_anew(place, rpc):
    session = begin(rpc, 2000, name="n")
    with place.connect() as watcher:
        watcher.call("attach", session, {"snapshot": False})
        refused = exact = 0
        for i in range(8):
            for k in range(100):
                add(rpc, session, 0, 100 * i + k, number(100 * i + k + 1, 2000))
            watcher.call("server.ping")
            events = told(watcher.notifications)
            for since in (0, 1, len(events) // 2, len(events) - 50, len(events) - 1, len(events)):
                for options in KINDS:
                    rpc.notifications.clear()
                    error, answer = rpc.response(rpc.send("attach", session,
                                                          {"since": since, **options}))
                    if error:
                        assert error[0] == ERESYNC and not rpc.notifications, error
                        refused += 1
                        continue
                    exact += 1
                    rpc.call("detach", session)
                    expected = [e if options["effects"] else [*e[:2], None] for e in events[since:]]
                    assert told(rpc.notifications) == expected, (since, options)
        assert refused and exact, (refused, exact)
    # Folded up for sure, and out of memory: the old ones are gone, the state is not.
    place.restart()
    with place.connect() as rpc:
        for options in KINDS:
            assert error_of(rpc, "attach", "n", {"since": 1, **options}) == ERESYNC
            assert all_events(rpc, "n", len(events), **options) == []


@placed()
def test_too_many_to_be_told_are_refused(place, rpc):
    session = begin(rpc, 100000, name="n")
    for i in range(60):
        add(rpc, session, 0, i, number(i + 1, 100000))
    for options in KINDS:
        error, _ = rpc.response(rpc.send("attach", session, {"since": 0, **options}))
        assert error[0] == ERESYNC, error
        assert not rpc.notifications
    assert len(all_events(rpc, session, 58)) == 2


def test_without_a_store_the_rest_comes_from_memory():
    with serving() as daemon, daemon.connect() as rpc:
        session = begin(rpc, name="n")
        with daemon.connect() as watcher:
            watcher.call("attach", session, {"effects": False})
            chain_by_one(rpc, session, 5000)
            watcher.call("server.ping")
            events = told(watcher.notifications)
        assert all_events(rpc, session, 4000, effects=False) == events[4000:]
        # A ring holds the last ones alone; and no effects, for nobody was told of any.
        assert error_of(rpc, "attach", session, {"since": 5, "effects": False}) == ERESYNC
        assert error_of(rpc, "attach", session, {"since": 4000}) == ERESYNC


def test_without_a_store_the_rest_comes_with_effects_to_who_was_told_of_them():
    with serving() as daemon, daemon.connect() as rpc:
        session = begin(rpc, name="n")
        with daemon.connect() as watcher, daemon.connect() as engine:
            watcher.call("attach", session, {"snapshot": False})
            engine.call("attach", session, {"effects": False})
            play(rpc, session, random.Random(3), 200)
            watcher.call("server.ping")
            engine.call("server.ping")
            events, bare = told(watcher.notifications), told(engine.notifications)
        for since in range(len(events) + 1):
            assert all_events(rpc, session, since) == events[since:]
        assert all_events(rpc, session, 7, effects=False) == bare[7:]
        chain_by_one(rpc, session, 5000)
        last = rpc.call("getsession", session)["sequence"]
        assert len(all_events(rpc, session, last - 500)) == 500
        assert error_of(rpc, "attach", session, {"since": 5}) == ERESYNC


@placed()
def test_a_private_session_of_a_daemon_with_a_store_tells_the_rest_too(place, rpc):
    session = rpc.call("beginsession", bytes(4), 4, 0, {"name": "n", "private": True})["session"]
    with place.connect() as watcher:
        watcher.call("attach", session, {"snapshot": False})
    chain_by_one(rpc, session, 9)
    assert len(all_events(rpc, session, 4)) == 5


# ---- what is not on disk


@placed()
def test_what_is_not_on_disk_is_held_back(place, rpc):
    """A durable session's events leave after what they tell is on disk, those that were missed too."""
    needs_slow_disk()
    session = begin(rpc, name="n")
    chain_by_one(rpc, session, 3)
    with place.connect() as one, place.connect() as two, place.connect() as attached:
        attached.call("attach", session, {"snapshot": False})
        place.disk("wait")
        rpc.send("addposition", session, 0, 77, number(77), 0, 1)
        for back, options in zip((one, two), KINDS):
            back.send("attach", session, {"since": 2, **options})
            back.poll(SOON)
            assert all(n.params[1] < 4 for n in back.notifications), options
            assert not back.responses
        assert not attached.notifications
        place.disk("ok")
        for back in (one, two):
            back.call("server.ping")
            assert [n.params[1] for n in back.notifications] == [3, 4]


@placed("--relaxed-delay", "60000")
def test_relaxed_operations_that_were_lost_are_not_taken_for_others(place, rpc):
    session = rpc.call("beginsession", bytes(4), 4, 0, {"name": "n", "relaxed": True})["session"]
    with place.connect() as watcher:
        watcher.call("opensession", "n", {"relaxed": True})
        watcher.call("attach", session, {"snapshot": False})
        chain_by_one(rpc, session, 5)
        rpc.call("flush")
        for i in range(3):  # told at once, and lost
            rpc.call("addposition", session, 0, 50 + i, number(50 + i), 0, 1)
        watcher.call("server.ping")
        seen = told(watcher.notifications)
        assert len(seen) == 8
    place.crash()
    with place.connect() as rpc:
        assert rpc.call("opensession", "n")["sequence"] == 5
        last = lambda k: {"since": k, "operation": seen[k - 1][1]}
        for options in KINDS:
            for k in (6, 7, 8):
                assert error_of(rpc, "attach", "n", {**last(k), **options}) == ERESYNC
            for k in (0, 1, 4, 5):
                events = all_events(rpc, "n", **options, **(last(k) if k else {}))
                assert [e[1] for e in events] == [e[1] for e in seen[k:5]]
        for i in range(4):  # others take their numbers
            add(rpc, "n", 0, 90 + i, 90 + i)
        for again in range(2):
            for options in KINDS:
                for k in (6, 7, 8):
                    assert error_of(rpc, "attach", "n", {**last(k), **options}) == ERESYNC
                # Where it is the same one, it is the rest.
                for k in (1, 4, 5):
                    events = all_events(rpc, "n", **options, **last(k))
                    assert [e[0] for e in events] == list(range(k + 1, 10))
            # Who does not say what it saw is told what follows that number.
            assert [e[0] for e in all_events(rpc, "n", 8)] == [9]
            if not again:
                place.restart()
                rpc.close()
                rpc = place.connect()


@placed("--output-soft", "64K", "--output-hard", "1M")
def test_what_was_missed_and_may_not_wait_for_a_client_is_to_be_loaded_anew(place, rpc):
    """It would be disconnected, and the next time again."""
    session = begin(rpc, 1000, name="n")
    for k in range(30):
        rpc.call("addpositions", session, [[0, 100 * k + i, number(100 * k + i, 1000), 0, 0] for i in range(100)])
    place.restart()
    with place.connect() as rpc, place.connect() as other:
        for options in KINDS:
            for missed in (2, 15):
                since = rpc.call("getsession", session)["sequence"]
                for k in range(missed):
                    rpc.call("addpositions", session, [[0, 10**6 + 1000 * since + 100 * k + i, bytes(999) + b"x", 0, 0]
                                                       for i in range(100)])
                call = ("attach", session, {"since": since, **options})
                if missed == 15:
                    assert error_of(other, *call) == ERESYNC
                else:
                    other.call(*call)
                    assert len(other.notifications) == 2
                    other.call("detach", session)
                    other.notifications.clear()


run()
