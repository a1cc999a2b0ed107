#!/usr/bin/python3
"""Files of games through the daemon: how long importing takes (on disk at the end) beside exporting,
and how fast many games come in.

    games.py BUILD [ROUNDS]     BUILD is a folder of a release build
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = os.path.join(ROOT, "tests", "cases")
build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 9
GAMES = ["chat-escapes", "ff4-example", "nested-variations", "utf8-bom"]
LARGE = 100000000


def large(path):
    one = b""
    for name in GAMES:
        with open(os.path.join(CASES, "sgf", name + ".sgf"), "rb") as f:
            one += f.read().removeprefix(b"\xef\xbb\xbf").strip() + b"\n"
    with open(path, "wb") as f:
        for _ in range(LARGE // len(one) + 1):
            f.write(one)
    return os.path.getsize(path)


def seconds_of(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


with tempfile.TemporaryDirectory() as folder:
    socket = os.path.join(folder, "s")
    env = {**os.environ, "REDO_SOCKET": socket}
    daemon = subprocess.Popen([os.path.join(build, "server", "redod"), "--socket", socket, "--store",
                               os.path.join(folder, "store")], stderr=subprocess.DEVNULL)

    def redoctl(*args):
        begun = time.monotonic()
        subprocess.run([os.path.join(build, "client", "redoctl"), *args], env=env, check=True,
                       stdout=subprocess.DEVNULL)
        return time.monotonic() - begun

    while not os.path.exists(socket):
        time.sleep(0.01)
    try:
        match = os.path.join(CASES, "gnubg", "match7-analysed.sgf")
        times = [(redoctl("import", match, "--name", "m%d" % i),
                  redoctl("export", "m%d" % i, "--format", "sgf")) for i in range(rounds)]
        into, out = (statistics.median(t) for t in zip(*times))
        print("a match of gnubg's, 247 KB: import %.1f ms, export %.1f ms: %.1f times" %
              (into * 1e3, out * 1e3, into / out))
        path = os.path.join(folder, "large.sgf")
        size = large(path)
        daemon_before = seconds_of(daemon.pid)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall = redoctl("import", path, "--name", "large")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        cpu += seconds_of(daemon.pid) - daemon_before
        print("%.0f MB of games: %.1f MB/s; by processor time of both %.1f MB/s" %
              (size / 1e6, size / 1e6 / wall, size / 1e6 / cpu))
        print("memory of redoctl at most: %.1f MB" % (after.ru_maxrss / 1e3))
    finally:
        daemon.terminate()
        daemon.wait()
