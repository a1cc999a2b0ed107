"""One program that lays track and asks for routes, with each of the two libraries: it prints the same."""
import os
import subprocess

from sessions import run, served


def play(way, **env):
    done = subprocess.run([os.environ["ROUTER_" + way]], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, **env), check=False)
    assert done.returncode == 0 and not done.stderr, (way, done)
    return done.stdout


@served
def test_a_program_prints_the_same_with_both_libraries(daemon, rpc):
    there = play("CLIENT", REDO_SOCKET=daemon.socket_path)
    here = play("PROCESS", REDO_SOCKET="/nowhere")
    assert there == here, (there, here)
    assert "refused: REDO_ENETWORK\nfault: edge 7: there is no node 9\n" in here
    assert "track: 50 proven 0 1; check: REDO_OK legal 50\n" in here
    assert "track again: 50 proven" in here and "gone: 0 proven;" in here
    assert "nothing: 0 proven;" in here
    assert "reached: 3 nodes, 2 edges\n" in here
    assert "no position: REDO_EPOSITION" in here and "plain: REDO_EKIND" in here


run(__name__)
