"""Many stored sessions, and a large one: what listing and opening them takes, and what memory.

    sessions.py REDOD [--sessions 100000] [--positions 20] [--large 1000000] [--budget 64M]

Makes the sessions through a daemon on a store of its own, starts it anew, and measures there. By hand."""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from rpc import Rpc  # noqa: E402

SIZE = 64


def state(who, i):
    return (b"%d/%d" % (who, i)).ljust(SIZE, b".")


def start(redod, folder, budget):
    socket = os.path.join(folder, "socket")
    began = time.monotonic()
    process = subprocess.Popen([redod, "--socket", socket, "--store", os.path.join(folder, "store"),
                                "--memory-budget", budget, "--log-level", "warn"])
    while True:
        try:
            return process, Rpc(socket, 600), time.monotonic() - began
        except OSError:
            assert process.poll() is None, "the daemon did not start"
            time.sleep(0.002)


def stop(process):
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0


def resident(process):
    with open("/proc/%d/status" % process.pid) as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1024


def make(rpc, count, positions):
    for first in range(0, count, 100):
        calls = []
        for who in range(first, min(first + 100, count)):
            name = "session-%07d" % who
            calls.append(("beginsession", state(who, 0), SIZE, 0, {"name": name}))
            calls.append(("addpositions", name, [[-i if i else 0, i, state(who, i + 1), 0, 1]
                                                 for i in range(positions - 1)]))
        for error, _ in rpc.call_all(calls):
            assert error is None, error


def make_large(rpc, positions):
    rpc.call("beginsession", state(0, 0), SIZE, 0, {"name": "large"})
    prev, made = 0, 1
    while made < positions:
        part = min(10000, positions - made)
        prev = rpc.call("addpositions", "large", [[-i if i else prev, i % 7, state(7, made + i), 0, 1]
                                                  for i in range(part)])["numbers"][-1]
        made += part


def timed(call):
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("redod")
    parser.add_argument("--sessions", type=int, default=100000)
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--large", type=int, default=1000000)
    parser.add_argument("--budget", default="64M")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="redod-bench-") as folder:
        process, rpc, _ = start(options.redod, folder, options.budget)
        took = timed(lambda: make(rpc, options.sessions, options.positions)) / 1000
        print("%d sessions of %d positions made in %.1f s; %.0f MiB resident" % (
            options.sessions, options.positions, took, resident(process)))
        took = timed(lambda: make_large(rpc, options.large)) / 1000
        print("one of %d positions made in %.1f s; %.0f MiB resident" % (
            options.large, took, resident(process)))
        rpc.close()
        stop(process)
        size = sum(os.path.getsize(os.path.join(folder, "store", name))
                   for name in os.listdir(os.path.join(folder, "store")))
        print("the store has %.0f MiB" % (size / (1 << 20)))

        process, rpc, took = start(options.redod, folder, options.budget)
        print("started in %.0f ms; %.0f MiB resident" % (took * 1000, resident(process)))
        print("first page of 100 listed in %.2f ms" % timed(lambda: rpc.call("listsessions", {"limit": 100})))
        some = random.Random(1).sample(range(options.sessions), min(2000, options.sessions))
        times = sorted(timed(lambda who=who: rpc.call("opensession", "session-%07d" % who)) for who in some)
        print("opened %d: p50 %.2f ms, p99 %.2f ms, longest %.2f ms; %.0f MiB resident" % (
            len(times), times[len(times) // 2], times[len(times) * 99 // 100], times[-1], resident(process)))

        def list_all():
            after, count = {}, 0
            while True:
                page = rpc.call("listsessions", dict(after, limit=1000))
                count += len(page["sessions"])
                if page["next"] is None:
                    assert count == options.sessions + 1, count
                    return
                after = {"after": page["next"]}
        print("all listed in %.2f s" % (timed(list_all) / 1000))

        took = timed(lambda: rpc.call("opensession", "large"))
        print("the large one opened in %.0f ms; %.0f MiB resident" % (took, resident(process)))
        database = max((os.path.join(folder, "store", name) for name in os.listdir(
            os.path.join(folder, "store"))), key=os.path.getsize)

        def read():
            left = options.large * (SIZE + 8)
            with open(database, "rb") as file:
                while left > 0 and (data := file.read(1 << 20)):
                    left -= len(data)
        read()
        print("as many bytes read from the store's file: %.0f ms" % timed(read))
        rpc.call("server.ping")
        rpc.close()
        stop(process)


if __name__ == "__main__":
    main()
