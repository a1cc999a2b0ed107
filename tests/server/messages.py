"""From bytes to messages and back: however they come, and whatever they are."""

import socket

import msgpack

from harness import Daemon, Folder, need_plain_memory, request, run, wait_for

PING = request(7, "server.ping")


def with_daemon(test):
    """Gives the test a daemon and a client of it."""
    def wrapped():
        with Folder() as folder, Daemon(folder / "s") as daemon, daemon.client() as client:
            test(daemon, client)
    wrapped.__module__, wrapped.__name__ = test.__module__, test.__name__
    return wrapped


@with_daemon
def test_request_that_comes_byte_by_byte_is_answered(daemon, client):
    for byte in PING:
        client.send(bytes([byte]))
    assert client.read() == [1, 7, None, None]


@with_daemon
def test_10000_pings_in_one_write_are_answered_in_order(daemon, client):
    client.send(b"".join(request(i, "server.ping") for i in range(10000)))
    for i in range(10000):
        assert client.read() == [1, i, None, None]


@with_daemon
def test_method_name_may_be_bin(daemon, client):
    client.send(msgpack.packb([0, 1, b"server.ping", []], use_bin_type=True))
    assert client.read() == [1, 1, None, None]


@with_daemon
def test_unknown_method_gets_error_20(daemon, client):
    error, result = client.call("no.such.method")[2:]
    assert error[0] == 20 and isinstance(error[1], str) and result is None
    client.ping()


@with_daemon
def test_any_id_of_32_bits_comes_back(daemon, client):
    for number in (0, 1, 2**31, 2**32 - 1):
        client.send(request(number, "server.ping"))
        assert client.read() == [1, number, None, None]


@with_daemon
def test_notification_and_stray_response_are_ignored(daemon, client):
    client.send(msgpack.packb([2, "what", [1, 2]]))
    client.send(msgpack.packb([1, 99, None, None]))
    client.ping()


@with_daemon
def test_msgpack_that_is_no_call_gets_an_error_and_the_connection_stays(daemon, client):
    for value in (1, "text", {}, [], [3, 1, "x", []], [0, 1], None):
        client.send(msgpack.packb(value))
        kind, *rest = client.read()
        error = rest[1]
        if kind == 2:
            assert rest[0] == "error"
        else:
            assert (kind, rest[0]) == (1, 1)
        assert error[0] == 23, (value, error)
    client.ping()


@with_daemon
def test_garbage_gets_one_last_error_and_the_log_says_why(daemon, client):
    client.send(PING + b"\xc1" + PING)
    first, last = client.read_last_words()
    assert first == [1, 7, None, None]
    assert last[:2] == [2, "error"] and last[2][0] == 24
    daemon.wait_log("not msgpack")


@with_daemon
def test_request_that_breaks_off_in_its_params_gets_the_error_as_its_response(daemon, client):
    client.send(b"\x94\x00\x2a\xabserver.ping\x91\xc1")
    (last,) = client.read_last_words()
    assert last[:2] == [1, 42] and last[2][0] == 24


@with_daemon
def test_head_that_announces_a_huge_array_costs_nothing(daemon, client):
    before = daemon.memory()
    client.send(b"\xdd\xff\xff\xff\xff")
    (last,) = client.read_last_words()
    assert last[:2] == [2, "error"] and last[2][0] == 25
    assert daemon.memory() < before + (4 << 20)


@with_daemon
def test_deep_nesting_is_refused(daemon, client):
    client.send(b"\x91" * 100000)
    (last,) = client.read_last_words()
    assert last[2][0] == 25


@with_daemon
def test_name_that_is_not_utf8_gets_error_30_and_the_connection_stays(daemon, client):
    client.send(b"\x94\x00\x05\xabopensession\x91\xa2\xff\xfe")
    message = client.read()
    assert message[:2] == [1, 5] and message[2][0] == 30
    client.ping()


def test_message_over_the_limit_is_refused_with_the_limit_named():
    with Folder() as folder, Daemon(folder / "s", "--max-message", "1000") as daemon:
        with daemon.client() as client:
            client.send(request(1, "server.ping", b"x" * 2000))
            (last,) = client.read_last_words()
            assert last[:2] == [1, 1] and last[2][0] == 25
            assert last[2][2] == {"limit": "bytes", "value": 1000}
        with daemon.client() as client:
            client.send(request(1, "server.ping", b"x" * 900))
            assert client.read()[2][0] == 21  # ping takes no params: it was read whole


@with_daemon
def test_large_message_comes_through_and_its_memory_is_given_back(daemon, client):
    client.ping()
    before = daemon.memory()
    client.send(request(1, "server.ping", b"x" * (32 << 20)))
    assert client.read()[2][0] == 21  # ping takes no params: it was read whole
    need_plain_memory()
    wait_for(lambda: daemon.memory() < before + (8 << 20), "memory to be given back")
    client.ping()


@with_daemon
def test_who_closes_its_sending_side_gets_all_answers_first(daemon, client):
    client.send(PING * 1000)
    client.socket.shutdown(socket.SHUT_WR)
    assert client.read_last_words() == [[1, 7, None, None]] * 1000


@with_daemon
def test_connection_cut_in_the_middle_of_a_message_harms_nobody(daemon, client):
    for cut in range(1, len(PING)):
        with daemon.client() as other:
            other.send(PING[:cut])
    client.ping()


run()
