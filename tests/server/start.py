"""Starting and ending: one daemon a path, never displaced, and nothing left that is in the way."""

import os
import resource
import shutil
import signal
import socket
import stat
import subprocess
import time

from harness import (REDOD, TIMEOUT, Client, Daemon, Folder, Skip, connect_fails, run, wait_for)


def start_fails(*options, status=1):
    """The words of a daemon that can not start."""
    result = subprocess.run([REDOD, "--store", "memory", *options], stderr=subprocess.PIPE,
                            text=True, timeout=TIMEOUT, check=False)
    assert result.returncode == status, (result.returncode, result.stderr)
    return result.stderr


def test_second_daemon_says_who_has_the_socket():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        said = start_fails("--socket", folder / "s")
        assert str(daemon.pid) in said and folder / "s" in said, said
        with daemon.client() as client:
            client.ping()


def test_live_daemon_is_not_displaced_when_its_lock_file_is_gone():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        os.unlink(folder / "s.lock")
        assert "in use" in start_fails("--socket", folder / "s")
        with daemon.client() as client:
            client.ping()


def test_other_program_that_listens_is_not_displaced():
    with Folder() as folder, socket.socket(socket.AF_UNIX) as other:
        other.bind(folder / "s")
        other.listen(0)
        # A full backlog makes connect() wait: that is life, too.
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for probe in waiting:
            probe.setblocking(False)
            probe.connect_ex(folder / "s")
        assert "in use" in start_fails("--socket", folder / "s")
        for probe in waiting:
            probe.close()
        assert os.path.exists(folder / "s")


def test_file_that_is_no_socket_is_left_alone():
    with Folder() as folder:
        with open(folder / "s", "w") as file:
            file.write("mine")
        said = start_fails("--socket", folder / "s")
        assert "is not a socket" in said and "in use" not in said, said
        with open(folder / "s") as file:
            assert file.read() == "mine"
        assert os.listdir(folder.path) == ["s"]


def test_folder_is_no_socket_and_left_alone():
    with Folder() as folder:
        os.mkdir(folder / "s")
        assert "is not a socket" in start_fails("--socket", folder / "s")
        assert os.listdir(folder.path) == ["s"] and os.listdir(folder / "s") == []


def test_starts_after_kill_9():
    with Folder() as folder:
        with Daemon(folder / "s") as daemon:
            daemon.end(signal.SIGKILL)
        assert os.path.exists(folder / "s")
        with Daemon(folder / "s") as daemon, daemon.client() as client:
            client.ping()


def test_of_50_started_at_once_one_runs_and_49_say_who():
    with Folder() as folder:
        started = [subprocess.Popen([REDOD, "--store", "memory", "--socket", folder / "s"],
                                    stderr=subprocess.PIPE, text=True) for _ in range(50)]
        try:
            wait_for(lambda: sum(p.poll() is not None for p in started) >= 49, "49 to give up")
            running = [p for p in started if p.poll() is None]
            assert len(running) == 1
            winner = running[0]
            wait_for(lambda: os.path.exists(folder / "s"), "the socket")
            for process in started:
                if process is not winner:
                    said = process.stderr.read()
                    assert process.returncode == 1 and str(winner.pid) in said, said
            with Client(folder / "s") as client:
                client.ping()
        finally:
            for process in started:
                process.kill()
                process.wait()
                process.stderr.close()


def test_socket_is_unlinked_at_the_end_and_the_lock_file_is_not():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        assert daemon.end() == 0
        assert os.listdir(folder.path) == ["s.lock"]


def test_socket_that_is_another_ones_by_now_is_not_unlinked():
    with Folder() as folder, Daemon(folder / "s") as daemon, \
            socket.socket(socket.AF_UNIX) as other:
        os.unlink(folder / "s")
        other.bind(folder / "s")
        inode = os.stat(folder / "s").st_ino
        assert daemon.end() == 0
        assert os.stat(folder / "s").st_ino == inode


def check_modes(mask):
    with Folder() as folder:
        with Daemon(folder / "new/s", preexec_fn=lambda: os.umask(mask)):
            assert stat.S_IMODE(os.stat(folder / "new").st_mode) == 0o700
            assert stat.S_IMODE(os.stat(folder / "new/s").st_mode) == 0o600
            assert stat.S_IMODE(os.stat(folder / "new/s.lock").st_mode) == 0o600
        with Daemon(folder / "other", "--mode", "0666", preexec_fn=lambda: os.umask(mask)):
            assert stat.S_IMODE(os.stat(folder / "other").st_mode) == 0o666
        for mode, search in ("0660", 0o710), ("0666", 0o711), ("0606", 0o701):
            with Daemon(folder / (mode + "/in/s"), "--mode", mode,
                        preexec_fn=lambda: os.umask(mask)) as daemon:
                for above in mode, mode + "/in":
                    assert stat.S_IMODE(os.stat(folder / above).st_mode) == search
                daemon.wait_log("can not come to it: the folder %s has mode 0700" % folder.path)


def test_modes_are_as_asked_for_under_umask_0():
    check_modes(0)


def test_modes_are_as_asked_for_under_umask_077():
    check_modes(0o077)


def test_path_that_is_too_long_is_refused_with_its_length():
    with Folder() as folder:
        path = folder / ("x" * 120)
        said = start_fails("--socket", path, status=2)
        assert str(len(path)) in said and "107" in said, said
        assert os.listdir(folder.path) == []


def test_longest_path_works():
    with Folder() as folder:
        path = folder / ("x" * (107 - len(folder.path) - 1))
        assert len(path) == 107
        with Daemon(path) as daemon, daemon.client() as client:
            client.ping()


def test_without_standard_streams_the_log_goes_nowhere():
    for closed in (range(3), [2], [1, 2], [0, 2]):
        with Folder() as folder:
            def close():
                for number in closed:
                    os.close(number)

            with Daemon(folder / "s", "--store", folder / "store", "--log-level", "debug", wait=False,
                        preexec_fn=close) as daemon:
                wait_for(lambda: not connect_fails(folder / "s"), "the daemon to listen")
                for _ in range(3):
                    with daemon.client() as client:
                        assert client.call("beginsession", bytes(4), 4, 0)[2] is None
                        client.ping()
                for number in closed:
                    assert os.readlink("/proc/%d/fd/%d" % (daemon.pid, number)) == "/dev/null"
                assert daemon.end() == 0


def test_that_threads_can_not_be_made_is_said_at_the_start_and_ends_nothing_later():
    if os.geteuid() != 0:
        raise Skip("only root can run it as a user who has no threads yet")
    user, started = 61234, 0
    with Folder() as folder:
        os.chown(folder.path, user, user)
        shutil.copy(REDOD, folder / "redod")  # which it may not be able to reach
        for threads in range(1, 12):
            shutil.rmtree(folder / "store", ignore_errors=True)

            def become():
                resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
                os.setgroups([])
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)

            daemon = Daemon(folder / "s", "--store", folder / "store", wait=False, preexec_fn=become,
                            executable=folder / "redod", env={"ASAN_OPTIONS": "detect_leaks=0"})  # takes a thread
            with daemon:
                wait_for(lambda: daemon.process.poll() is not None or "listening on" in daemon.log(),
                         "it to start or end")
                if daemon.process.poll() is not None:
                    assert daemon.process.returncode == 1 and "error: " in daemon.log(), daemon.log()
                    assert not started, (threads, started, daemon.log())
                    continue
                started = started or threads
                with daemon.client() as client:  # what is asked of the pool
                    client.call("beginsession", bytes(4), 4, 0, {"name": "x"})
                    client.call("listsessions")
                assert daemon.end() == 0, daemon.log()
    assert 2 < started < 11, started


def test_sigterm_ends_within_5_seconds_while_clients_are_connected():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        clients = [daemon.client() for _ in range(20)]
        for client in clients:
            client.ping()
        begin = time.monotonic()
        assert daemon.end() == 0
        assert time.monotonic() - begin < 5
        for client in clients:
            assert client.read() is None
            client.socket.close()


def test_sigterm_ends_within_5_seconds_though_a_client_does_not_read():
    with Folder() as folder, Daemon(folder / "s") as daemon, daemon.client() as client:
        client.socket.setblocking(False)
        pings = b"\x94\x00\x01\xabserver.ping\x90" * 1000
        try:
            while True:
                client.socket.send(pings)
        except BlockingIOError:
            pass
        begin = time.monotonic()
        assert daemon.end() == 0
        assert time.monotonic() - begin < 5


def test_sigint_ends_it_too():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        assert daemon.end(signal.SIGINT) == 0


def test_sighup_makes_a_vanished_socket_again_and_keeps_connections():
    with Folder() as folder, Daemon(folder / "s") as daemon, daemon.client() as old:
        old.ping()
        os.unlink(folder / "s")
        daemon.kill(signal.SIGHUP)
        wait_for(lambda: os.path.exists(folder / "s") and connect_fails(folder / "s") == 0,
                 "the socket")
        old.ping()
        with daemon.client() as new:
            new.ping()
        assert daemon.end() == 0
        assert not os.path.exists(folder / "s")


def test_sighup_makes_a_vanished_folder_again_with_the_lock():
    with Folder() as folder, Daemon(folder / "run/s") as daemon:
        os.unlink(folder / "run/s")
        os.unlink(folder / "run/s.lock")
        os.rmdir(folder / "run")
        daemon.kill(signal.SIGHUP)
        wait_for(lambda: os.path.exists(folder / "run/s") and connect_fails(folder / "run/s") == 0,
                 "the socket")
        assert str(daemon.pid) in start_fails("--socket", folder / "run/s")
        with daemon.client() as client:
            client.ping()


def test_sighup_lets_in_who_waits_at_the_old_socket():
    with Folder() as folder, Daemon(folder / "s") as daemon:
        daemon.kill(signal.SIGSTOP)
        with daemon.client() as waiting:
            os.unlink(folder / "s")
            daemon.kill(signal.SIGHUP)
            daemon.kill(signal.SIGCONT)
            waiting.ping()


def test_sighup_leaves_a_socket_alone_that_is_there():
    with Folder() as folder, Daemon(folder / "s") as daemon, daemon.client() as client:
        inode = os.stat(folder / "s").st_ino
        daemon.kill(signal.SIGHUP)
        client.ping()
        assert os.stat(folder / "s").st_ino == inode


run()
