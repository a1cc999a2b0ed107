"""One program that tells changes, with each of the two libraries: it prints the same, and the daemon
has the session that it tells of."""
import os
import subprocess

from changes import gettable, served
from harness import run


def play(way, **env):
    done = subprocess.run([os.environ["TELLER_" + way]], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, **env), check=False)
    assert done.returncode == 0 and not done.stderr, (way, done)
    return done.stdout


@served
def test_a_program_prints_the_same_with_both_libraries(daemon, rpc):
    there = play("CLIENT", REDO_SOCKET=daemon.socket_path, REDO_SESSION="n")
    here = play("PROCESS", REDO_SOCKET="/nowhere")
    assert there == here, (there, here)
    assert "on: position 3, moves 2\n" in here and "back: position 2, moves 2, better 0\n" in here
    assert "refused: REDO_ELINE\nfault: the old value is not the table's, line 0, place 5, field x\n" in here
    assert "  expected 05\n  given 09\n" in here
    assert "REDO_ESCHEMA" in here and "a state: REDO_EKIND" in here and "states: REDO_EKIND" in here
    size = int(here.splitlines()[-1].split()[0])
    assert rpc.call("getsession", "n")["positions"] == size
    at = rpc.call("getcursor", "n", "c")["number"]
    assert gettable(rpc, "n", at)["objects"][1]["x"] == 2


run()
