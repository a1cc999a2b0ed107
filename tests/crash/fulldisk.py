"""A full disk, a real one: a tmpfs of 2 MB (root only, else skipped). Changes that do not fit are
refused with the code that says so and leave no trace, in memory either; reads go on; when there is room
again so does writing, by itself.

    fulldisk.py REDOD"""
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from rpc import Rpc, RpcError  # noqa: E402

FULL, SIZE = 34, 4096


def mounted(folder):
    return subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M,mode=0700", "tmpfs", folder],
                          capture_output=True, check=False).returncode == 0


def start(redod, folder):
    socket = os.path.join(folder, "socket")
    daemon = subprocess.Popen([redod, "--socket", socket, "--store", os.path.join(folder, "disk", "store"),
                               "--log-level", "error"])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            return daemon, Rpc(socket, 60)
        except OSError:
            assert daemon.poll() is None, "the daemon did not start"
            time.sleep(0.01)
    raise AssertionError("the daemon did not start")


def state(i):
    return b"%08d" % i + os.urandom(SIZE - 8)


def dump(rpc, name):
    rows, after = [], {}
    while True:
        page = rpc.call("getpositions", name, dict(after, states=True))
        rows += page["positions"]
        if page["next"] is None:
            return rows
        after = {"after": page["next"]}


def fill(rpc, first):
    """Adds until the disk is full; the states that were acknowledged."""
    acked, prev = [], 0
    for i in range(first, first + 5000):
        s = state(i)
        try:
            rpc.call("addposition", "full", 0, i, s, 0, 1)
        except RpcError as error:
            assert error.code == FULL, error
            return acked
        acked.append(s)
    raise AssertionError("2 MB held 20 MB")


def main():
    redod = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        disk = os.path.join(folder, "disk")
        os.mkdir(disk)
        if not mounted(disk):
            print("skipped: no tmpfs can be mounted here")
            return 77
        daemon = None
        try:
            with open(os.path.join(disk, "filler"), "wb") as filler:
                filler.write(b"\0" * 700000)
            daemon, rpc = start(redod, folder)
            rpc.call("beginsession", state(0), SIZE, 0, {"name": "full"})
            acked = fill(rpc, 1)
            print("ok full after %d acknowledged positions" % len(acked))

            rows = dump(rpc, "full")
            assert [r["state"] for r in rows[1:]] == acked
            print("ok what memory shows is what was acknowledged, and reads go on")
            try:
                rpc.call("addpositions", "full", [[0, 100000 + k, state(k), 0, 1] for k in range(200)])
                raise AssertionError("200 positions of 4 KB fitted on a full disk")
            except RpcError as error:
                assert error.code == FULL, error
            assert dump(rpc, "full") == rows
            print("ok a refused request of many positions leaves none of them")
            rpc.call("beginsession", b"x", 1, 0)
            print("ok private sessions do not mind")

            os.unlink(os.path.join(disk, "filler"))
            more = fill(rpc, 200000)
            assert more
            assert [r["state"] for r in dump(rpc, "full")[1:]] == acked + more
            print("ok with room again %d more are written, without a restart" % len(more))

            daemon.send_signal(signal.SIGKILL)
            daemon.wait()
            daemon, rpc = start(redod, folder)
            assert [r["state"] for r in dump(rpc, "full")[1:]] == acked + more
            print("ok a kill on the full disk, and it starts again with all that was acknowledged")
            print("6 passed, 0 failed")
            return 0
        finally:
            if daemon:
                daemon.kill()
                daemon.wait()
            subprocess.run(["umount", disk], check=False)


if __name__ == "__main__":
    sys.exit(main())
