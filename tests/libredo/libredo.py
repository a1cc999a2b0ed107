"""Programs written for the Redo Library, as they are: alone, in process and over the daemon, and two
at a time on one session of it, one of them killed."""
import os
import select
import socket
import subprocess
import sys
import threading

import msgpack

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))
from harness import TIMEOUT, Daemon, Folder
import harness

WALKTHROUGH, WANDERER = os.environ["WALKTHROUGH_CLIENT"], os.environ["WANDERER_CLIENT"]
IN_PROCESS = {WALKTHROUGH: os.environ["WALKTHROUGH_PROCESS"],
              WANDERER: os.environ["WANDERER_PROCESS"]}


def daemon():
    return Running()


class Running:
    """A daemon in a folder of its own."""

    def __enter__(self):
        self.folder = Folder().__enter__()
        self.running = Daemon(self.folder / "s").__enter__()
        return self.running

    def __exit__(self, *exception):
        self.running.__exit__(*exception)
        self.folder.__exit__(*exception)


def start(running, session, *command, path=None):
    environment = {**os.environ, "REDO_SOCKET": path or running.socket_path}
    environment.pop("REDO_SESSION", None)
    if session:
        environment["REDO_SESSION"] = session
    # A small pipe, so that a wanderer whose lines nobody reads is not at its end before.
    small = 4096 if command[0] == WANDERER else -1
    return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, pipesize=small,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ends_right(process, before=()):
    """What it said, before and since; it must end well."""
    with process:
        said, err = process.stdout.read().splitlines(), process.stderr.read()
    assert (process.returncode, err) == (0, ""), (process.returncode, err)
    return [*before, *said]


def killed_after(process, count):
    """Kills it when it has told so many steps: all that it has told whole."""
    with process:
        said = [process.stdout.readline() for _ in range(count)]
        process.kill()
        said += process.stdout.readlines()
    return [line[:-1] for line in said if line.endswith("\n")]


# ---- what the daemon holds -------------------------------------------------------------------


def positions(client, session):
    """{number: position}, with place and label of the state."""
    found, after = {}, None
    while True:
        options = {"states": True} if after is None else {"states": True, "after": after}
        page = client.call("getpositions", session, options)[3]
        for p in page["positions"]:
            p["place"], p["label"] = (int.from_bytes(p["state"][i:i + 4], sys.byteorder)
                                      for i in (0, 4))
            found[p["number"]] = p
        after = page["next"]
        if after is None:
            return found


def path(held, number):
    """The moves that lead to a position, as letters."""
    moves = ""
    while held[number]["prev"] is not None:
        moves = chr(held[number]["move"]) + moves
        number = held[number]["prev"]
    return moves


def part(held, first):
    """Positions on paths that begin with one of these letters: {path: (place, path of better)}."""
    paths = {number: path(held, number) for number in held}
    return {paths[n]: (p["place"], None if p["better"] is None else paths[p["better"]])
            for n, p in held.items() if paths[n][:1] and paths[n][0] in first}


def labels(lines):
    """What a wanderer's lines say that there is, as labels."""
    there = set()
    for line in lines:
        word, *numbers = line.split()
        numbers = [int(n) for n in numbers]
        if word == "add":
            there.add(numbers[0])
        elif word == "drop":
            there.remove(numbers[0])
        elif word == "label":
            there.remove(numbers[0])
            there.add(numbers[1])
    return there


def check_wanderer(held, action, lines, killed=False):
    """The session holds what it has told, and nothing else of it; if it was killed perhaps what it
    was about to tell: one step, done or not yet."""
    told = labels(lines)
    found = [p["label"] for p in held.values() if p["label"] // 1000000 == ord(action)]
    assert len(found) == len(set(found)), "a step was done twice"
    missing, more = told - set(found), set(found) - told
    if killed:
        assert len(missing) <= 1 and len(more) <= 1, (missing, more)
    else:
        assert not missing and not more, (missing, more)
    assert len(told) > 20, len(told)


def alone(running, session="alone"):
    """What the walkthrough makes of a session of its own."""
    ends_right(start(running, session, WALKTHROUGH))
    with running.client() as client:
        return part(positions(client, session), "ABC")


# ---- tests -----------------------------------------------------------------------------------


def test_over_the_daemon_they_say_what_they_say_in_process():
    with daemon() as running:
        for program, *options in ([WALKTHROUGH], [WANDERER, "V", "500"], [WANDERER, "W", "500"]):
            said = ends_right(start(running, None, program, *options))
            assert said == ends_right(start(running, None, IN_PROCESS[program], *options))
            assert len(said) > 10


def test_two_at_a_time_on_one_session_both_end_right():
    with daemon() as running, running.client() as client:
        expected = alone(running)
        v = start(running, "one", WANDERER, "V", "400")
        walk = start(running, "one", WALKTHROUGH)
        w = start(running, "one", WANDERER, "W", "400")
        drawn, v, w = ends_right(walk), ends_right(v), ends_right(w)
        assert drawn[0] == "        0. (Start)"
        held = positions(client, "one")
        assert part(held, "ABC") == expected
        check_wanderer(held, "V", v)
        check_wanderer(held, "W", w)


def test_killed_in_the_middle_of_its_steps_it_leaves_the_other_alone():
    for count in (40, 150, 400):
        with daemon() as running, running.client() as client:
            expected = alone(running)
            v = start(running, "one", WANDERER, "V", "0")
            w = start(running, "one", WANDERER, "W", "3000")
            begun = [w.stdout.readline()[:-1] for _ in range(20)]
            walk = start(running, "one", WALKTHROUGH)
            v = killed_after(v, count)
            ends_right(walk)
            assert w.poll() is None
            w = ends_right(w, begun)
            assert w[-1] == "end" and v[-1] != "end"
            held = positions(client, "one")
            check_wanderer(held, "W", w)
            check_wanderer(held, "V", v, killed=True)
            assert part(held, "ABC") == expected


def tells_of_new(message):
    """Whether it is the answer that a position was made."""
    return (message[0] == 1 and isinstance(message[3], dict) and b"value" in message[3]
            and message[3].get(b"created") is True)


class Gate:
    """A socket between a program and the daemon, that lets so many requests through and then no
    more: there the program waits, to be killed in its middle. It counts the positions that the
    program was told to be made."""

    def __init__(self, running, path, requests):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(1)
        self.path, self.left, self.made = path, requests, 0
        self.shut = threading.Event()
        self.thread = threading.Thread(target=self._serve, args=(running.socket_path,),
                                       daemon=True)
        self.thread.start()

    def _serve(self, daemon_path):
        try:
            self._pass_on(daemon_path)
        except OSError:
            pass  # the program was killed while it was told something

    def _pass_on(self, daemon_path):
        program, _ = self.listener.accept()
        with program, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as there:
            there.connect(daemon_path)
            requests, answers = msgpack.Unpacker(raw=True), msgpack.Unpacker(raw=True)
            while True:
                ready, _, _ = select.select([program, there], [], [])
                if there in ready:
                    data = there.recv(1 << 16)
                    program.sendall(data)
                    answers.feed(data)
                    self.made += sum(map(tells_of_new, answers))
                if program in ready:
                    data = program.recv(1 << 16)
                    if not data:
                        return
                    requests.feed(data)
                    for request in requests:
                        self._pass(request, there)

    def _pass(self, request, there):
        if not self.left:
            self.shut.set()
            return
        self.left -= 1
        there.sendall(msgpack.packb(request, use_bin_type=False))

    def close(self):
        self.thread.join(TIMEOUT)
        self.listener.close()
        assert not self.thread.is_alive()


def test_killed_at_any_of_its_requests_it_leaves_what_it_was_told():
    with daemon() as running, running.client() as client, Folder() as folder:
        expected = alone(running)
        for requests in range(4, 14):
            session = "s%d" % requests
            gate = Gate(running, folder / session, requests)
            walk = start(running, session, WALKTHROUGH, path=gate.path)
            w = start(running, session, WANDERER, "W", "100")
            assert gate.shut.wait(TIMEOUT), "it made fewer requests than %d" % requests
            with walk:
                walk.kill()
            gate.close()
            w = ends_right(w)
            held = positions(client, session)
            check_wanderer(held, "W", w)
            walked = part(held, "ABC")
            assert len(walked) == gate.made, (requests, walked, gate.made)
            assert all(expected[p][0] == place for p, (place, _) in walked.items())


if __name__ == "__main__":
    harness.run()
