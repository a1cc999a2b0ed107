"""What a service manager sees: sockets handed down, notifications, priorities in the log."""

import os
import signal
import socket
import subprocess

from harness import REDOD, TIMEOUT, Client, Daemon, Folder, run, wait_for


def hand_down(listening):
    """What the child does before it becomes the daemon: the socket is its descriptor 3."""
    def move():
        if listening.fileno() == 3:
            os.set_inheritable(3, True)
        else:
            os.dup2(listening.fileno(), 3)
    return move


# LISTEN_PID is known in the child only: a shell says it and becomes the daemon.
AS_MANAGER = ["/bin/sh", "-c", 'export LISTEN_PID=$$; exec "$@"', "sh"]


def activated(listening, path):
    return Daemon(path, before=AS_MANAGER, env={"LISTEN_FDS": "1", "LISTEN_FDNAMES": "redod.socket"},
                  preexec_fn=hand_down(listening), close_fds=False)


def listening_socket(path):
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(path)
    listening.listen(16)
    return listening


def test_inherited_socket_is_served_and_not_unlinked():
    with Folder() as folder, listening_socket(folder / "s") as listening:
        inode = os.stat(folder / "s").st_ino
        with activated(listening, folder / "s") as daemon:
            with daemon.client() as client:
                client.ping()
            daemon.kill(signal.SIGHUP)
            assert daemon.end() == 0
        assert os.stat(folder / "s").st_ino == inode


def test_no_connect_is_lost_over_stop_and_start():
    with Folder() as folder, listening_socket(folder / "s") as listening:
        with activated(listening, folder / "s") as daemon:
            assert daemon.end() == 0
        with Client(folder / "s") as client:
            client.send(b"\x94\x00\x07\xabserver.ping\x90")
            with activated(listening, folder / "s"):
                assert client.read() == [1, 7, None, None]


def test_environment_meant_for_another_process_is_ignored():
    with Folder() as folder:
        env = {"LISTEN_PID": "1", "LISTEN_FDS": "1"}
        with Daemon(folder / "s", env=env) as daemon, daemon.client() as client:
            client.ping()


def test_inherited_descriptor_that_does_not_listen_is_refused():
    with Folder() as folder, open(folder / "file", "w") as file:
        result = subprocess.run(
            [*AS_MANAGER, REDOD], env=dict(os.environ, LISTEN_FDS="1"), stderr=subprocess.PIPE,
            text=True, preexec_fn=hand_down(file), close_fds=False, timeout=TIMEOUT, check=False)
        assert result.returncode == 1 and "not a listening Unix stream socket" in result.stderr


def test_ready_is_told_after_listening_and_stopping_at_the_end():
    with Folder() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(folder / "notify")
        manager.settimeout(TIMEOUT)
        with Daemon(folder / "s", wait=False, env={"NOTIFY_SOCKET": folder / "notify"}) as daemon:
            assert manager.recv(1000) == b"READY=1"
            with daemon.client() as client:
                client.ping()
                daemon.kill(signal.SIGTERM)
                assert manager.recv(1000) == b"STOPPING=1"
            assert daemon.process.wait(TIMEOUT) == 0


def test_abstract_notify_socket_is_found():
    name = "redod-test-%d" % os.getpid()
    with Folder() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind("\0" + name)
        manager.settimeout(TIMEOUT)
        with Daemon(folder / "s", wait=False, env={"NOTIFY_SOCKET": "@" + name}):
            assert manager.recv(1000) == b"READY=1"


def test_log_lines_carry_priorities_in_the_journal_only():
    with Folder() as folder:
        with open(folder / "log", "w") as log:
            status = os.fstat(log.fileno())
            stream = "%d:%d" % (status.st_dev, status.st_ino)
            process = subprocess.Popen([REDOD, "--store", "memory", "--socket", folder / "s"],
                                       stderr=log, env=dict(os.environ, JOURNAL_STREAM=stream))
        wait_for(lambda: "listening" in open(folder / "log").read(), "the log")
        process.kill()
        process.wait()
        assert open(folder / "log").read().startswith("<6>listening on")
        with Daemon(folder / "t", env={"JOURNAL_STREAM": "1:1"}) as daemon:
            assert daemon.log().startswith("redod: info: listening on")


run()
