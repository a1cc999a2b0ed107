"""The store as files: whose they are, what is in them, who may open them, and ending."""
import os
import signal
import sqlite3
import stat
import subprocess
import time

from durable import (Place, add, begin, chain, harness, needs_slow_disk, number, placed, run, snapshot,
                     wait_for)


def test_files_are_0600_and_folders_0700_under_any_umask():
    for mask in (0o000, 0o077, 0o022):
        old = os.umask(mask)
        try:
            place = Place("--relaxed-delay", "1")
            place.folder.__enter__()
            place.store = place.folder / "a" + "/b/store"
            place.control = place.folder / "disk"
            place.disk("ok")
            place.start()
        finally:
            os.umask(old)
        with place.daemon, place.connect() as rpc:
            s = begin(rpc, name="n")
            chain(rpc, s, 1000)
            rpc.call("backup", place.folder / "copy")
            files = place.files() + [place.folder / "copy"]
            assert len(files) >= 3
            for path in files:
                assert stat.S_IMODE(os.stat(path).st_mode) == 0o600, (oct(mask), path)
            for path in (place.store, place.folder / "a", place.folder / "a" + "/b"):
                assert stat.S_IMODE(os.stat(path).st_mode) == 0o700, (oct(mask), path)
        place.folder.__exit__(None, None, None)


@placed()
def test_private_sessions_never_touch_the_disk(place, rpc):
    secret = b"the secret of the private session"
    named = begin(rpc, 33, name="whispered", private=True)
    nameless = begin(rpc, 33)
    public = begin(rpc, 33, name="public")
    for s in (named, nameless):
        add(rpc, s, 0, 1, secret)
        rpc.call("setproperty", s, "note", secret.decode())
        rpc.call("dropsubtree", s, 1)
        add(rpc, s, 0, 1, secret)
    rpc.call("renamesession", named, "whispered on")
    rpc.call("copysession", named, "whispered copy")
    add(rpc, public, 0, 1, b"this one is on the disk, as told.")
    rpc.call("flush")
    place.stop()
    all_bytes = b"".join(data for _, data in place.bytes_on_disk())
    assert secret not in all_bytes and b"whispered" not in all_bytes
    assert b"this one is on the disk" in all_bytes
    place.start()
    with place.connect() as rpc:
        assert [s["name"] for s in rpc.call("listsessions")["sessions"]] == ["public"]


def test_of_50_started_at_once_on_one_store_one_runs():
    with harness.Folder() as folder:
        environment = {k: v for k, v in os.environ.items() if k != "NOTIFY_SOCKET"}
        daemons = [subprocess.Popen([harness.REDOD, "--store", folder / "store", "--socket",
                                     folder / ("s%d" % i)], stderr=subprocess.PIPE, text=True,
                                    env=environment) for i in range(50)]
        try:
            wait_for(lambda: sum(d.poll() is None for d in daemons) == 1, "one to be left")
            (winner,) = [d for d in daemons if d.poll() is None]
            for d in daemons:
                if d is not winner:
                    said = d.stderr.read()
                    assert d.returncode != 0 and str(winner.pid) in said, said
            place = daemons.index(winner)
            wait_for(lambda: harness.connect_fails(folder / ("s%d" % place)) == 0, "the one to listen")
            assert harness.comes_in(folder / ("s%d" % place))
            winner.terminate()
            assert winner.wait(30) == 0
        finally:
            for d in daemons:
                if d.poll() is None:
                    d.kill()
                d.wait()
                d.stderr.close()


@placed()
def test_second_daemon_is_refused_and_the_first_does_not_notice(place, rpc):
    s = begin(rpc, name="n")
    second = subprocess.run([harness.REDOD, "--store", place.store, "--socket", place.folder / "t"],
                            stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert second.returncode != 0 and str(place.daemon.pid) in second.stderr, second.stderr
    add(rpc, s, 0, 1, 1)


@placed()
def test_kill_during_a_backup_leaves_the_store_and_no_half_backup(place, rpc):
    s = begin(rpc, 1000, name="n")
    for i in range(20):
        rpc.call("addpositions", s, [[-k if k else 0, i, os.urandom(1000), 0, 0] for k in range(500)])
    before = snapshot(rpc, s)
    copy = place.folder / "copy"
    for i in range(6):
        with place.connect() as rpc:
            rpc.send("backup", copy)
            time.sleep(0.004 * i)
            place.crash()
        with place.connect() as rpc:
            assert snapshot(rpc, "n") == before
        if os.path.exists(copy):  # then it is whole
            with sqlite3.connect(copy) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            database.close()
            os.unlink(copy)
    with place.connect() as rpc:
        rpc.call("backup", copy)
        assert os.path.getsize(copy) > 9000000


@placed("--relaxed-delay", "60000")
def test_sigterm_writes_everything_within_5_seconds(place, rpc):
    sessions = [begin(rpc, name="n%d" % i, relaxed=True) for i in range(20)]
    for i in range(1, 200):
        rpc.send_all([("addposition", s, 0, i, number(i), 0, 1) for s in sessions])
    rpc.call("server.ping")
    start = time.monotonic()
    place.stop()
    assert time.monotonic() - start < 5
    place.start()
    with place.connect() as rpc:
        assert [rpc.call("getsessionsize", "n%d" % i) for i in range(20)] == [200] * 20


@placed()
def test_sigterm_answers_what_waits_for_the_disk(place, rpc):
    needs_slow_disk()
    s = begin(rpc, name="n")
    place.disk("wait")
    id = rpc.send("addposition", s, 0, 1, number(1), 0, 1)
    rpc.poll(0.05)
    place.daemon.kill(signal.SIGTERM)
    rpc.poll(0.05)
    place.disk("ok")
    assert rpc.result(id)["number"] == 1
    assert place.daemon.process.wait(5) == 0
    place.daemon.__exit__(None)
    place.start()
    with place.connect() as rpc:
        assert rpc.call("getsessionsize", "n") == 2


@placed()
def test_sigterm_while_the_disk_hangs_ends_all_the_same(place, rpc):
    needs_slow_disk()
    s = begin(rpc, name="n")
    place.disk("wait")
    rpc.send("addposition", s, 0, 1, number(1), 0, 1)
    rpc.poll(0.05)
    start = time.monotonic()
    place.daemon.kill(signal.SIGTERM)
    place.daemon.process.wait(15)
    assert time.monotonic() - start < 8
    place.daemon.__exit__(None)
    place.disk("ok")
    place.start()
    with place.connect() as rpc:
        assert rpc.call("getsessionsize", "n") in (1, 2)


@placed()
def test_sigterm_while_sessions_are_loaded_and_listed_ends_cleanly(place, rpc):
    for i in range(300):
        begin(rpc, name="n%d" % i, relaxed=True)
    rpc.call("flush")
    for delay in (0, 0, 0.001, 0.002, 0.005, 0.01):
        place.restart()
        clients = [place.connect() for _ in range(30)]
        for k, client in enumerate(clients):
            client.send_all([("getsession", "n%d" % (i * 7 % 300)) for i in range(k, k + 10)] +
                            [("listsessions",), ("listsessions", {"trash": True})])
            if k % 3 == 0:
                client.close()
        time.sleep(delay)
    # and once more by stop(), at the end, which looks for what sanitizers say


if __name__ == "__main__":
    run()
