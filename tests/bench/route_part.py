"""The part `routes` of run: time to proof and of a step in the engine; and through the daemon's socket a
tile lay, a repeated question, and what others see of a search."""
import json
import os
import socket
import statistics
import subprocess
import sys
import time

import msgpack

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests"), os.path.join(ROOT, "tests", "routes")]
CASES = os.path.join(ROOT, "tests", "cases", "routes")
SLOWEST = "1856-bank-0914-CV-ifDD6"


def lines_of(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit("failed: " + " ".join(map(str, command)))
    return [line.split() for line in done.stdout.splitlines()]


def engine(bench, options, table):
    program = os.path.join(bench, "bench-routes")
    cases = sorted(os.path.join(CASES, f) for f in os.listdir(CASES) if f.endswith(".json"))
    proofs = sorted(((float(line[1]), line[0].split("/", 1)[1], line[3])
                     for line in lines_of(program, "proof", options.rounds, *cases)), reverse=True)
    table("Train routes: ms of CPU until the best set is proved, and the first of the best; the slowest of %d "
          "cases" % len(cases), ["case", "ms", "nodes of the search", "aim"],
          [[name, "%.1f" % ms, nodes, "1000" if i < 2 else "250"]
           for i, (ms, name, nodes) in enumerate(proofs[:6])])
    streams = os.path.join(CASES, "streams")
    table("A step of a network, as the benchmark tells it (us)", ["", ""],
          [[line[0], " ".join(line[1:])] for line in lines_of(
              program, "step", options.rounds,
              *(os.path.join(streams, f) for f in sorted(os.listdir(streams))))])
    lays = {line[0]: line[1] for line in lines_of(
        os.path.join(bench, "bench-lays"), 3 * options.rounds,
        *(os.path.join(streams, f) for f in sorted(os.listdir(streams))))}
    table("The same steps as turns of a session, us of CPU",
          ["stream", "added: lines, table, digest, network, reach", "back, the network asked about",
           "aim"],
          [[name[:-4], us, lays[name[:-3] + "back"], "20"]
           for name, us in lays.items() if name.endswith("/add")])


class Plain:
    """A connection that sends what was packed before, and reads what comes."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)

    def time(self, data, count, pause=0.0):
        """Microseconds of each of so many requests, one at a time, sorted."""
        times = []
        for _ in range(count):
            start = time.perf_counter_ns()
            self.socket.sendall(data)
            self.socket.recv(65536)
            times.append((time.perf_counter_ns() - start) / 1e3)
            if pause:
                time.sleep(pause)
        return sorted(times)


def packed(method, *params):
    return msgpack.packb([0, 1, method, params])


def at(times, share):
    return times[min(len(times) - 1, int(len(times) * share))]


def through_the_socket(path, options, table, rpc_of):
    import sessions
    count = 500 if options.quick else 5000
    rpc, plain = rpc_of(path), Plain(path)
    rounds = {"ping": [], "cached": [], "lay": []}
    question = sessions.case("1858-qsb-0796-W")
    session, position = sessions.begin_network(rpc, *sessions.network_ops(question), name="bench-routes",
                                               mode=0o666)
    ask = packed("routes.best", "bench-routes", position, question["company"], question["trains"],
                 {"rules": question["rules"], "bonuses": question["bonuses"]})
    plain.time(ask, 1)
    for _ in range(options.rounds):
        rounds["ping"].append(at(plain.time(packed("server.ping"), count), 0.5))
        rounds["cached"].append(at(plain.time(ask, count), 0.5))
        lays = [packed("addchanges", "bench-routes", position, move,
                       [["remove_edge", question["edges"][0]["id"]],
                        ["set_node", 0, {"name": str(time.time())}]], 0, 0)
                for move in range(len(rounds["lay"]) * 1000 + 1, len(rounds["lay"]) * 1000 + 201)]
        rounds["lay"].append(statistics.median(plain.time(lay, 1)[0] for lay in lays))
    show = lambda key: "%.0f  (%.0f..%.0f)" % (statistics.median(rounds[key]), min(rounds[key]),
                                               max(rounds[key]))
    table("Through the socket, one at a time, us, at %d nodes and %d edges"
          % (len(question["nodes"]), len(question["edges"])), ["", "p50", "aim"],
          [["server.ping", show("ping"), "-"],
           ["a repeated question at an equal board", show("cached"), "100"],
           ["a tile lay (addchanges of two lines), each from the same position", show("lay"), "-"]])
    rpc.call("deletesession", "bench-routes")


def beside_searches(path, options, table, rpc_of):
    import sessions
    seconds = 1 if options.quick else 2
    rpc, plain = rpc_of(path), Plain(path)
    states = rpc.call("beginsession", bytes(64), 64, 0, {"name": "bench-others", "mode": 0o666})["session"]
    add = packed("addposition", states, 0, 1, bytes(64), 0, 0)
    question = sessions.case("1856-bank-0919-CGR")
    session, position = sessions.begin_network(rpc, *sessions.network_ops(question), name="bench-long",
                                               mode=0o666)
    shares = (0.5, 0.99, 0.999)
    kept = {(searches, share): [] for searches in (0, 1, 2) for share in shares}
    for searches in (0, 1, 2) * options.rounds:
        asking = [rpc_of(path) for _ in range(searches)]
        requests = [c.send("routes.best", "bench-long", position, question["company"],
                           question["trains"] * 6, {"rules": question["rules"], "id": "bench"})
                    for c in asking]
        time.sleep(0.3)
        times = plain.time(add, 1000 * seconds, pause=0.001)
        plain.time(packed("routes.cancel", {"id": "bench"}), 1)
        for c, request in zip(asking, requests):
            c.response(request, timeout=60)
            c.close()
        for share in shares:
            kept[searches, share].append(at(times, share))
    show = lambda values: "%.0f  (%.0f..%.0f)" % (statistics.median(values), min(values), max(values))
    table("addposition by another client, one a millisecond, us, while so many searches run (%d processors)"
          % os.cpu_count(), ["searches", "p50", "p99", "p99.9"],
          [[searches, *(show(kept[searches, share]) for share in shares)] for searches in (0, 1, 2)])
    rpc.call("deletesession", "bench-others")
    rpc.call("deletesession", "bench-long")


def routes(path, bench, options, table, rpc_of):
    engine(bench, options, table)
    through_the_socket(path, options, table, rpc_of)
    beside_searches(path, options, table, rpc_of)
