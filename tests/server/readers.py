"""Slow and dead readers: who lags is told so and can attach again; who says nothing, or takes nothing,
for as long as was said, is closed; nobody else notices."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time

from harness import (LONG, TIMEOUT, Client, Daemon, Folder, Skip, fill, need_plain_memory, request, run,
                     wait_for)

EIDLE = 47
HERE = os.path.abspath(__file__)


def begin(client, name):
    error, session = client.call("beginsession", bytes(4), 4, 0, {"name": name})[2:]
    assert error is None, error
    return session["session"]


def attach(client, session, **options):
    """The number of the last operation before the first that it will be told of."""
    error, answer = client.call("attach", session, dict(options, snapshot=False))[2:]
    assert error is None, error
    return answer["sequence"]


class Player:
    """Makes changes: a chain of positions, each one operation."""

    def __init__(self, daemon, name):
        self.client = daemon.client()
        self.session = begin(self.client, name)
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.client.socket.close()

    def play(self, count):
        while count > 0:
            some = min(count, 500)
            self.client.send(b"".join(
                request(i, "addposition", self.session, self.count + i, 1,
                        (self.count + i).to_bytes(4, "big"), 0, 0) for i in range(some)))
            for i in range(some):
                assert self.client.read()[:3] == [1, i, None]
            self.count += some
            count -= some

    def play_until(self, condition, step=1000):
        end = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < end, "played in vain"
            self.play(step)


def lags(daemon, count=1):
    return lambda: daemon.log().count("lags, and is told no more") >= count


def read_told(client, session, first):
    """Reads until `lagged`, and what that tells; the operations before it are one sequence."""
    expected = first
    while True:
        message = client.read()
        assert message is not None, "the connection ended"
        assert message[0] == 2, message
        if message[1] == "lagged":
            assert message[2] == [session, expected - 1], (message, expected)
            return message[2][1]
        assert message[1:2] == ["operation"] and message[2][:2] == [session, expected], message[:2]
        expected += 1


def read_operations(client, session, first, last):
    for expected in range(first, last + 1):
        message = client.read()
        assert message is not None and message[1] == "operation", message
        assert message[2][:2] == [session, expected], message[2][:2]


# ---- a subscriber in a process of its own, that can be stopped


def subscriber(path, name):
    """Attaches; reads; attaches again when it lags; tells all that on its output, until told last."""
    with Client(path) as client:
        session = client.call("opensession", name)[3]["session"]
        told = attach(client, session)
        print("attached", told, flush=True)
        while True:
            message = client.read()
            if message is None:
                print("closed", flush=True)
                return
            if message[1] == "lagged":
                assert message[2] == [session, told], (message, told)
                print("lagged", told, flush=True)
                told = attach(client, session)
                print("attached", told, flush=True)
            elif message[1] == "operation":
                assert message[2][1] == told + 1, (message[2][1], told)
                told += 1
            elif message[1] == "sessionended":
                print("told", told, flush=True)
                return


class Subscriber:
    def __init__(self, daemon, name):
        self.process = subprocess.Popen([sys.executable, HERE, "--subscriber", daemon.socket_path, name],
                                        stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def says(self):
        word, *number = self.process.stdout.readline().split()
        return (word, int(number[0])) if number else (word, None)

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)
        wait_for(self.is_stopped, "the subscriber to stop")

    def is_stopped(self):
        with open("/proc/%d/stat" % self.process.pid) as stat:
            return stat.read().rpartition(")")[2].split()[0] == "T"

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)


def percentile_of_pings(client, player, rounds):
    """The 99th percentile of what another client waits for an answer while changes are made."""
    times = []
    for _ in range(rounds):
        player.play(100)
        for _ in range(5):
            start = time.monotonic()
            client.ping()
            times.append(time.monotonic() - start)
    return sorted(times)[len(times) * 99 // 100]


def test_a_stopped_subscriber_does_not_slow_the_others():
    with Folder() as folder, Daemon(folder / "s", "--output-soft", "1M", "--output-seconds", "0") as daemon, \
            Player(daemon, "n") as player, Subscriber(daemon, "n") as stopped, \
            Subscriber(daemon, "n") as reads, daemon.client() as other:
        assert stopped.says() == reads.says() == ("attached", 0)
        before = percentile_of_pings(other, player, 100)
        memory = daemon.memory()
        stopped.stop()
        while_stopped = percentile_of_pings(other, player, 100)
        assert while_stopped < before * 10 + 0.25, (before, while_stopped)
        for _ in range(100):
            player.play(800)
            other.ping()
        assert player.count == 100000
        assert lags(daemon)()
        # The session itself, some 100 bytes a position, is most of what has come.
        try:
            need_plain_memory()
            assert daemon.memory() < memory + (40 << 20), (memory, daemon.memory())
        except Skip:
            pass
        stopped.go_on()
        word, told = stopped.says()
        assert word == "lagged" and 0 < told < 100000, (word, told)
        assert stopped.says() == ("attached", 100000)
        player.play(1)
        player.client.call("deletesession", player.session)
        assert stopped.says() == ("told", 100001)
        # Whoever reads may be late, but is told all, or that it lags.
        said = [reads.says()]
        while said[-1][0] != "told":
            said.append(reads.says())
        assert said[-1][1] == 100001, said


def test_a_subscriber_that_stops_for_a_moment_misses_nothing():
    with Folder() as folder, \
            Daemon(folder / "s", "--output-soft", "64K", "--output-seconds", "1000") as daemon, \
            Player(daemon, "n") as player, Subscriber(daemon, "n") as stopped:
        assert stopped.says() == ("attached", 0)
        stopped.stop()
        player.play(20000)
        stopped.go_on()
        player.client.call("deletesession", player.session)
        assert stopped.says() == ("told", 20000)


def test_a_laggard_is_told_and_can_attach_again_since_its_last_number():
    with Folder() as folder, Daemon(folder / "s", "--output-soft", "64K", "--output-seconds", "0") as daemon, \
            Player(daemon, "n") as player, daemon.client() as slow:
        player.play(10)
        assert attach(slow, player.session) == 10
        player.play_until(lags(daemon))
        player.play(1000)
        told = read_told(slow, player.session, 11)
        assert 10 < told < player.count
        # It is as one that was never attached; all else of its connection is as before.
        player.play(1)
        slow.ping()
        error = slow.call("detach", player.session)[2]
        assert error[0] == 29, error
        assert slow.call("getsessionsize", player.session)[2:] == [None, player.count + 1]
        assert attach(slow, player.session) == player.count
        player.play(3)
        read_operations(slow, player.session, player.count - 2, player.count)
        slow.ping()


def test_lagged_comes_after_the_last_event_and_before_the_answer_of_a_later_attach():
    with Folder() as folder, Daemon(folder / "s", "--output-soft", "64K", "--output-seconds", "0") as daemon, \
            Player(daemon, "n") as player, daemon.client() as slow:
        attach(slow, player.session)
        player.play_until(lags(daemon))
        slow.send(request(7, "server.ping") + request(8, "attach", player.session))
        player.play(50)
        read_told(slow, player.session, 1)
        assert slow.read() == [1, 7, None, None]
        answer = slow.read()
        assert answer[:3] == [1, 8, None] and answer[3]["sequence"] == player.count, answer
        player.play(1)
        read_operations(slow, player.session, player.count, player.count)


def test_snapshots_that_are_not_read_are_bounded_for_all_connections_of_a_user():
    with Folder() as folder, Daemon(folder / "s", "--output-per-user", "64K", "--output-soft", "32K") as daemon, \
            daemon.client() as one, contextlib.ExitStack() as stack:
        size = 9 * 1024 * 1024
        answer = one.call("beginsession", b"x" * size, size, 0, {"name": "large"})
        assert answer[2] is None, answer
        first = one.call("attach", "large")
        assert first[2] is None, first
        others = [stack.enter_context(daemon.client()) for _ in range(5)]
        for other in others:
            error = other.call("attach", "large")[2]
            assert error[0] == 15 and error[2]["limit"] == "output_user", error
            assert other.call("attach", "large", {"snapshot": False})[2] is None
            assert other.call("detach", "large")[2] is None
        for offset in range(0, first[3]["snapshot"], 1 << 20):
            one.call("readsnapshot", "large", offset, 1 << 20)  # there is room again
        assert others[0].call("attach", "large")[2] is None
        others[0].socket.close()  # and again
        wait_for(lambda: others[1].call("attach", "large")[2] is None, "room for a snapshot")


def test_lagging_in_one_session_costs_no_other_session():
    with Folder() as folder, Daemon(folder / "s", "--output-soft", "64K", "--output-seconds", "0") as daemon, \
            Player(daemon, "busy") as busy, Player(daemon, "quiet") as quiet, daemon.client() as slow:
        attach(slow, busy.session)
        attach(slow, quiet.session)
        busy.play_until(lags(daemon))
        read_told(slow, busy.session, 1)
        quiet.play(3)
        read_operations(slow, quiet.session, 1, 3)
        assert daemon.log().count("lags") == 1


def test_a_subscriber_that_takes_no_more_lags_after_the_seconds_given():
    with Folder() as folder, Daemon(folder / "s", "--output-soft", "64K", "--output-seconds", "1") as daemon, \
            Player(daemon, "n") as player, daemon.client() as slow:
        attach(slow, player.session)
        player.play_until(lags(daemon), 10)
        read_told(slow, player.session, 1)
        slow.ping()


def test_near_the_hard_bound_a_subscriber_lags_at_once_and_its_connection_stays():
    with Folder() as folder, Daemon(folder / "s", "--output-soft", "1M", "--output-hard", "1M",
                                    "--output-seconds", "1000") as daemon, \
            Player(daemon, "n") as player, daemon.client() as slow:
        sessions = [begin(player.client, "other %d" % i) for i in range(500)]
        for session in sessions:
            attach(slow, session)
        attach(slow, player.session)
        player.play_until(lags(daemon))
        # None of these is told either, and what is said in their place still fits.
        for session in sessions:
            player.client.call("setgraftbehavior", session, 0)
        read_told(slow, player.session, 1)
        lagged = 0
        for session in sessions: # a smaller event than the one that did not fit may fit still
            message = slow.read()
            assert message[2][0] == session and message[1] in ("lagged", "operation"), message
            lagged += message == [2, "lagged", [session, 0]]
        assert lagged > 450, lagged
        slow.ping()


def test_one_uids_output_bound_drops_who_holds_the_most_first():
    with Folder() as folder, Daemon(folder / "s", "--output-per-user", "2M", "--output-soft", "64M",
                                    "--output-hard", "256M") as daemon, \
            Player(daemon, "n") as player, Player(daemon, "big") as big, \
            contextlib.ExitStack() as stack:
        most, least, reads = [stack.enter_context(daemon.client()) for _ in range(3)]
        attach(most, player.session)
        attach(least, player.session, effects=False)
        attach(reads, player.session)

        def play():
            player.play(100)
            read_operations(reads, player.session, player.count - 99, player.count)

        end = time.monotonic() + TIMEOUT
        while not lags(daemon)() and time.monotonic() < end:
            play()
        read_told(most, player.session, 1)
        # Now there is room again, and the others are told on.
        for _ in range(10):
            play()
        assert daemon.log().count("lags") == 1
        read_operations(least, player.session, 1, player.count)
        least.ping()
        most.ping()


def test_one_uids_output_bound_leaves_those_in_peace_that_hold_little():
    with Folder() as folder, Daemon(folder / "s", "--output-per-user", "1M", "--output-soft", "64M",
                                    "--output-hard", "256M") as daemon, \
            Player(daemon, "n") as player, contextlib.ExitStack() as stack:
        slow = [stack.enter_context(daemon.client()) for _ in range(4)]
        reads = stack.enter_context(daemon.client())
        for client in (*slow, reads):
            attach(client, player.session)
        end = time.monotonic() + TIMEOUT
        while not lags(daemon, 4)() and time.monotonic() < end:
            player.play(100)
            read_operations(reads, player.session, player.count - 99, player.count)
        for _ in range(10):
            player.play(100)
            read_operations(reads, player.session, player.count - 99, player.count)
        assert daemon.log().count("lags") == 4
        for client in slow:
            read_told(client, player.session, 1)
            client.ping()


def connect_as(uid, path):
    """A client whose connection another user made."""
    if os.geteuid() != 0:
        raise Skip("only root can become other users")
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        try:
            os.setgid(uid)
            os.setuid(uid)
            with socket.socket(socket.AF_UNIX) as made:
                made.connect(path)
                socket.send_fds(theirs, [b"x"], [made.fileno()])
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    theirs.close()
    with ours:
        _, (fd,), _, _ = socket.recv_fds(ours, 1, 1)
    client = Client(path)
    client.socket.close()
    client.socket = socket.socket(fileno=fd)
    client.socket.settimeout(TIMEOUT)
    return client


def test_one_uids_output_bound_costs_no_other_uid_anything():
    with Folder() as folder, Daemon(folder / "s", "--output-per-user", "2M", "--output-soft", "64M",
                                    "--output-hard", "256M", "--allow", "any", "--mode", "0777") as daemon:
        os.chmod(folder.path, 0o755)
        with Player(daemon, "n") as player, daemon.client() as slow, \
                connect_as(54321, folder / "s") as other:
            attach(slow, player.session)
            session = other.call("beginsession", bytes(4), 4, 0, {"name": "other"})[3]["session"]
            attach(other, session)
            with connect_as(54321, folder / "s") as helper:
                # It holds much, and does not read either, but its user is below the bound.
                for i in range(4000):
                    error = helper.call("setgraftbehavior", session, i % 2 * 2)[2]
                    assert error is None, error
                player.play_until(lags(daemon))
                player.play(10000)
                assert daemon.log().count("lags") == 1 and "(user 0," in daemon.log()
                read_operations(other, session, 1, 4000)


def test_past_one_uids_output_bound_who_does_not_read_is_not_read_from():
    with Folder() as folder, Daemon(folder / "s", "--output-per-user", "1M", "--output-soft", "16M") as daemon:
        with daemon.client() as other, contextlib.ExitStack() as stack:
            other.ping()
            before = daemon.memory()
            slow = [stack.enter_context(daemon.client()) for _ in range(8)]
            whole = [fill(client, LONG * 100) // len(LONG) for client in slow]
            assert sum(whole) * len(LONG) < 24 << 20, whole
            assert daemon.memory() < before + (24 << 20)
            other.ping()
            # They have only to read.
            for client, count in zip(slow, whole):
                for _ in range(count):
                    assert client.read()[:2] == [1, 1]


# ---- time


def test_idle_connection_is_told_so_and_closed():
    with Folder() as folder, Daemon(folder / "s", "--idle-timeout", "1") as daemon:
        with daemon.client() as silent, daemon.client() as attached:
            attach(attached, begin(attached, "n"))
            for client in (silent, attached):
                (last,) = client.read_last_words()
                assert last[:2] == [2, "error"] and last[2][0] == EIDLE, last
                assert last[2][2] == {"limit": "idle", "value": 1}, last
        with daemon.client() as client:
            client.ping()


def test_connection_from_which_something_comes_is_not_idle():
    with Folder() as folder, Daemon(folder / "s", "--idle-timeout", "3") as daemon:
        with daemon.client() as busy, daemon.client() as slow, daemon.client() as silent:
            word = request(1, "x" * 20000)
            while not select.select([silent.socket], [], [], 0.05)[0]:
                busy.ping()
                slow.send(word[:1])  # bytes of a message are something too
                word = word[1:]
            busy.ping()
            slow.send(word)
            assert slow.read()[:2] == [1, 1]


def test_connection_that_does_not_take_its_last_word_is_ended():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        with daemon.client() as slow:
            for _ in range(100):
                slow.send(LONG * 100)
            slow.send(b"\xc1")
            daemon.wait_log("it took nothing for")
            messages = slow.read_last_words()
            assert 0 < len(messages) < 10000


def test_keepalive_comes_to_those_who_are_attached_alone():
    with Folder() as folder, Daemon(folder / "s", "--keepalive", "1") as daemon:
        with daemon.client() as attached, daemon.client() as other:
            session = begin(attached, "n")
            attach(attached, session)
            for _ in range(2):
                assert attached.read() == [2, "keepalive", [1]]
            other.ping()  # and nothing came before the answer
            attached.send(request(5, "detach", session))
            while attached.read() != [1, 5, None, None]:
                pass
            with daemon.client() as third:
                attach(third, session)
                assert third.read() == [2, "keepalive", [1]]
            attached.ping()


def test_connection_that_takes_nothing_is_ended_and_one_that_takes_little_is_not():
    with Folder() as folder, Daemon(folder / "s", "--stall-timeout", "2") as daemon:
        with daemon.client() as stalled, daemon.client() as slow, daemon.client() as other:
            for client in (stalled, slow):
                fill(client, LONG * 100)
            end = time.monotonic() + TIMEOUT
            while "it took nothing for" not in daemon.log():
                assert time.monotonic() < end
                slow.unpacker.feed(slow.socket.recv(1 << 16))
                other.ping()
                time.sleep(0.02)
            assert daemon.log().count("it took nothing for") == 1
            assert stalled.read_last_words()
            while select.select([slow.socket], [], [], 0)[0]:
                slow.unpacker.feed(slow.socket.recv(1 << 16))
            slow.socket.settimeout(TIMEOUT)
            other.ping()


def test_no_connection_is_closed_for_its_silence_unless_asked():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        with daemon.client() as client:
            limits = client.call("server.info")[3]["limits"]
            assert limits["idle"] == limits["keepalive"] == limits["stall"] == 0


if sys.argv[1:2] == ["--subscriber"]:
    subscriber(*sys.argv[2:])
else:
    run()
