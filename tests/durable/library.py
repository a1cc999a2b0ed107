"""Programs of the C library: relaxed unless REDO_DURABLE=1, saved when they say so, and told when what they
see can not be stored."""
import os
import select
import subprocess

from durable import EIO, SOON, needs_slow_disk, placed, run, wait_for

ENAME, ERESYNC = 26, 46


class Player:
    def __init__(self, place, durable=None):
        environment = {**os.environ, "REDO_SOCKET": place.daemon.socket_path, "REDO_SESSION": "game"}
        environment.pop("REDO_DURABLE", None)
        if durable is not None:
            environment["REDO_DURABLE"] = durable
        self.process = subprocess.Popen([os.environ["PLAYER"]], stdin=subprocess.PIPE, bufsize=0,
                                        stdout=subprocess.PIPE, env=environment)

    def __enter__(self):
        assert self.read() == "0"
        return self

    def __exit__(self, *exception):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()

    def send(self, text):
        self.process.stdin.write(text.encode() + b"\n")

    def answered(self, timeout=SOON):
        return bool(select.select([self.process.stdout], [], [], timeout)[0])

    def read(self):
        assert self.answered(60), "no answer"
        return self.process.stdout.readline().decode().strip()

    def do(self, text):
        self.send(text)
        return self.read()


@placed("--relaxed-delay", "60000")
def test_programs_are_relaxed(place, rpc):
    needs_slow_disk()
    with Player(place) as player:
        assert player.do("clear") == "0"
        place.disk("wait")
        assert [player.do("add %d" % i) for i in (5, 6, 7)] == ["1", "2", "3"]
        place.disk("ok")


@placed("--relaxed-delay", "60000")
def test_clearing_the_change_flag_waits_for_the_disk(place, rpc):
    needs_slow_disk()
    with Player(place) as player:
        player.do("add 5")
        place.disk("wait")
        player.send("clear")
        assert not player.answered()
        place.disk("ok")
        assert player.read() == "1"
        place.crash()
    with place.connect() as rpc:
        assert rpc.call("getsessionsize", "game") == 2
        assert rpc.call("hassessionchanged", "game") is False


@placed("--relaxed-delay", "60000")
def test_clearing_a_flag_that_is_clear_waits_for_the_disk_too(place, rpc):
    needs_slow_disk()
    with Player(place) as player:
        place.disk("wait")
        player.send("clear")  # the beginning of the session is not on disk
        assert not player.answered()
        place.disk("ok")
        assert player.read() == "0"


@placed("--relaxed-delay", "60000")
def test_with_redo_durable_every_call_waits(place, rpc):
    needs_slow_disk()
    with Player(place, "1") as player:
        assert player.do("add 4") == "1"
        place.disk("wait")
        player.send("add 5")
        assert not player.answered()
        place.disk("ok")
        assert player.read() == "2"
        place.crash()
    with place.connect() as rpc:
        assert rpc.call("getsessionsize", "game") == 3
    with Player(place, "0") as player:
        place.disk("wait")
        assert player.do("add 6") == "3"
        place.disk("ok")


@placed("--relaxed-delay", "30")
def test_session_that_could_not_be_stored_is_told_and_loaded_anew(place, rpc):
    needs_slow_disk()
    with Player(place) as player:
        assert player.do("add 5") == "1" and player.do("clear") == "1"
        place.disk("fail")
        assert player.do("add 6") == "2"
        wait_for(lambda: "undone" in place.daemon.log(), "the disk to fail")
        place.disk("ok")
        assert player.do("add 7") == "error %d" % ERESYNC
        assert player.do("clear") == "error %d" % ERESYNC
        # It is told, and then goes on with what the disk has.
        assert player.do("size") == "2"
        assert player.do("state 1") == "5"
        assert player.do("add 8") == "2" and player.do("clear") == "1"
    assert rpc.call("getsessionsize", "game") == 3


@placed()
def test_durable_call_that_fails_has_the_code_of_the_disk(place, rpc):
    needs_slow_disk()
    with Player(place, "1") as player:
        player.do("add 5")
        place.disk("fail")
        assert player.do("add 6") == "error %d" % EIO
        place.disk("ok")
        assert player.do("add 7") == "error %d" % ERESYNC
        assert player.do("size") == "2"


@placed()
def test_saving_that_fails_is_told(place, rpc):
    needs_slow_disk()
    with Player(place) as player:
        player.do("clear")
        place.disk("fail")
        player.do("add 5")
        assert player.do("clear") in ("error %d" % EIO, "error %d" % ERESYNC)
        place.disk("ok")


@placed()
def test_property_without_a_name_is_refused_as_by_the_engine(place, rpc):
    with Player(place) as player:
        assert player.do("property") == "error %d" % ENAME
        assert player.do("add 1") == "1"


if __name__ == "__main__":
    run()
