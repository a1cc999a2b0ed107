"""Bounds: slow readers, too many connections, no descriptors, the wrong people."""

import os
import resource
import select
import subprocess
import sys
import time

from harness import (LONG, TIMEOUT, Daemon, Folder, Skip, comes_in, fill, need_plain_memory, request, run,
                     wait_for)


def test_client_that_does_not_read_is_not_read_from():
    with Folder() as folder, Daemon(folder / "s", "--output-soft", "256K") as daemon:
        with daemon.client() as other, daemon.client() as slow:
            other.ping()
            before = daemon.memory()
            sent = fill(slow, LONG * 500)
            assert sent < 16 << 20, sent
            assert daemon.memory() < before + (8 << 20)
            other.ping()
            # It has only to read: then all that was asked is answered.
            slow.socket.setblocking(False)
            whole = sent // len(LONG)
            received = 0
            end = time.monotonic() + TIMEOUT
            while received < whole and time.monotonic() < end:
                if not select.select([slow.socket], [], [], TIMEOUT)[0]:
                    break
                slow.unpacker.feed(slow.socket.recv(1 << 16))
                received += sum(1 for _ in slow.unpacker)
            assert received == whole, (received, whole)


def test_client_that_pipelines_without_end_does_not_starve_another():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        code = ("import socket, sys, threading\n"
                "s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])\n"
                "def drain():\n"
                "    while s.recv(1 << 20): pass\n"
                "threading.Thread(target=drain, daemon=True).start()\n"
                "data = b'\\x94\\x00\\x01\\xabserver.ping\\x90' * 10000\n"
                "print('on', flush=True)\n"
                "while True: s.sendall(data)\n")
        flood = subprocess.Popen([sys.executable, "-c", code, folder / "s"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            flood.stdout.readline()
            with daemon.client() as client:
                begin = time.monotonic()
                for _ in range(100):
                    client.ping()
                assert time.monotonic() - begin < 20
        finally:
            flood.kill()
            flood.wait()
            flood.stdout.close()


def test_connection_over_the_limit_is_told_so_and_others_stay():
    with Folder() as folder, Daemon(folder / "s", "--max-connections", "3") as daemon:
        clients = [daemon.client() for _ in range(3)]
        for client in clients:
            client.ping()
        with daemon.client() as extra:
            (last,) = extra.read_last_words()
            assert last[:2] == [2, "error"] and last[2][0] == 15
            assert last[2][2] == {"limit": "connections", "value": 3}
        clients.pop().socket.close()
        wait_for(lambda: comes_in(folder / "s"), "a place to be free")
        for client in clients:
            client.ping()
            client.socket.close()


def test_connection_over_the_limit_of_a_user_is_refused():
    with Folder() as folder, Daemon(folder / "s", "--max-per-user", "1") as daemon:
        with daemon.client() as client:
            client.ping()
            with daemon.client() as extra:
                (last,) = extra.read_last_words()
                assert last[2][2] == {"limit": "connections_per_user", "value": 1}
            client.ping()


def test_out_of_descriptors_the_new_are_shown_out_and_the_old_stay():
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))

    with Folder() as folder, Daemon(folder / "s", preexec_fn=few) as daemon:
        clients = []
        while True:
            client = daemon.client()
            if not client.answers():
                break
            clients.append(client)
            assert len(clients) < 24
        assert clients
        for client in clients:
            client.ping()
        clients.pop().socket.close()
        wait_for(lambda: comes_in(folder / "s"), "a descriptor to be free")
        daemon.wait_log("refused")


def try_as(uid, path, groups=()):
    """What another user's ping gets: 'answered', 'closed' or the error of connect()."""
    code = ("import os, socket, sys\n"
            "os.setgroups([int(g) for g in sys.argv[3].split(',') if g])\n"
            "os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))\n"
            "s = socket.socket(socket.AF_UNIX)\n"
            "try: s.connect(sys.argv[1])\n"
            "except OSError as e: print(e.strerror); sys.exit()\n"
            "try:\n"
            "    s.sendall(b'\\x94\\x00\\x01\\xabserver.ping\\x90')\n"
            "    print('answered' if s.recv(100) else 'closed')\n"
            "except OSError: print('closed')\n")
    return subprocess.run([sys.executable, "-c", code, path, str(uid),
                           ",".join(map(str, groups))],
                          stdout=subprocess.PIPE, text=True, timeout=TIMEOUT,
                          check=True).stdout.strip()


def need_root():
    if os.geteuid() != 0:
        raise Skip("only root can become other users")


def test_other_user_is_refused_though_the_mode_lets_it_connect():
    need_root()
    with Folder() as folder, Daemon(folder / "s", "--mode", "0777") as daemon:
        os.chmod(folder.path, 0o755)
        assert try_as(54321, folder / "s") == "closed"
        daemon.wait_log("user 54321")
        with daemon.client() as client:
            client.ping()


def test_users_and_groups_that_are_allowed_come_in():
    need_root()
    with Folder() as folder, \
            Daemon(folder / "s", "--mode", "0777", "--allow", "54321,@54322") as daemon:
        os.chmod(folder.path, 0o755)
        assert try_as(54321, folder / "s") == "answered"
        assert try_as(54322, folder / "s") == "answered"
        assert try_as(54323, folder / "s", [54322]) == "answered"
        assert try_as(54323, folder / "s", [54324]) == "closed"
        assert daemon.end() == 0


def test_idle_connections_hold_no_buffers():
    need_plain_memory()
    with Folder() as folder, Daemon(folder / "s") as daemon:
        clients = [daemon.client() for _ in range(200)]
        for client in clients:
            client.send(request(1, "server.ping", b"x" * 60000))
        for client in clients:
            assert client.read()[2][0] == 21  # ping takes no params: it was read whole
        peak = daemon.memory()
        wait_for(lambda: daemon.memory() < peak - (4 << 20), "memory to be given back")
        for client in clients:
            client.ping()
            client.socket.close()


def test_connections_that_come_and_go_leave_no_descriptors():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        with daemon.client() as client:
            client.ping()
        before = daemon.descriptors()
        for _ in range(300):
            with daemon.client() as client:
                client.ping()
        wait_for(lambda: daemon.descriptors() <= before, "descriptors to be closed")


run()
