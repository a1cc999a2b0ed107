"""The programs in README.md are complete, short, and do what is said."""
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT, BUILD, CC = sys.argv[1], sys.argv[2], sys.argv[3].split()
EXPECTED = "position 4 after 2 moves: the same as position 2\n"


def example(name, file="README.md"):
    text = open(os.path.join(ROOT, file), encoding="utf-8").read()
    found = re.search(r"<!-- example: %s -->\n```\w+\n(.*?)```" % re.escape(name), text, re.S)
    assert found, name + " is not in " + file
    return found.group(1)


def start_daemon(folder):
    path = os.path.join(folder, "socket")
    daemon = subprocess.Popen([os.path.join(BUILD, "server", "redod"), "--socket", path,
                               "--store", "memory"])
    deadline = time.monotonic() + 60
    while not os.path.exists(path):
        assert daemon.poll() is None and time.monotonic() < deadline, "the daemon did not start"
        time.sleep(0.01)
    return daemon, dict(os.environ, REDO_SOCKET=path)


def compiled(folder, library, where):
    source = os.path.join(folder, "tour.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(example("tour.c"))
    program = os.path.join(folder, "tour-" + library)
    lib = os.path.join(BUILD, where)
    subprocess.run(CC + [source, "-I" + os.path.join(ROOT, "core"), "-L" + lib, "-Wl,-rpath," + lib,
                         "-l" + library, "-o", program], check=True)
    return program


def test_examples_are_under_thirty_lines(folder, env):
    for name in ("tour.c", "tour.py"):
        assert len(example(name).splitlines()) < 30, name


def test_the_c_program_runs_against_the_daemon(folder, env):
    program = compiled(folder, "redo-client", "client")
    out = subprocess.run([program], env=env, check=True, capture_output=True, text=True, timeout=60)
    assert out.stdout == EXPECTED, out.stdout


def test_the_c_program_runs_in_process(folder, env):
    program = compiled(folder, "redo", "core")
    out = subprocess.run([program], env=dict(env, REDO_SOCKET="/nowhere"), check=True,
                         capture_output=True, text=True, timeout=60)
    assert out.stdout == EXPECTED, out.stdout


def test_the_c_program_says_what_is_wrong_without_a_daemon(folder, env):
    program = compiled(folder, "redo-client", "client")
    out = subprocess.run([program], env=dict(env, REDO_SOCKET=folder + "/none"),
                         capture_output=True, text=True, timeout=60)
    assert out.returncode == 1 and "no daemon answers" in out.stderr, out


def test_the_python_program_runs_against_the_daemon(folder, env):
    out = subprocess.run(["/usr/bin/python3", "-c", example("tour.py")], env=env, check=True,
                         capture_output=True, text=True, timeout=60)
    assert out.stdout == EXPECTED, out.stdout


def test_the_game_that_tells_changes_is_shown_as_it_is(folder, env):
    out = subprocess.run(["/bin/sh", "-c", example("changes.sh")], capture_output=True, text=True, timeout=60,
                         check=False, env=dict(env, PATH=os.path.join(BUILD, "client") + ":" + env["PATH"]))
    text = open(os.path.join(ROOT, "README.md"), encoding="utf-8").read()
    printed = re.search(r"<!-- example: changes.sh -->.*?```text\n(.*?)```", text, re.S).group(1)
    assert out.stdout == printed, out.stdout
    assert 'field "x", expected 1, given 9' in out.stderr and out.stderr.count("\n") == 1, out.stderr


def in_path(env):
    return dict(env, PATH=os.path.join(BUILD, "client") + ":" + env["PATH"])


def test_games_of_a_file_are_imported_analysed_and_exported(folder, env):
    script = "set -e\n" + example("games.sh").replace("-o final.sgf", "-o " + folder + "/final.sgf")
    out = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, timeout=60, check=False,
                         cwd=ROOT, env=in_path(env))
    assert out.returncode == 0 and out.stderr == "", out
    assert "4 games, 414 positions in final\n" in out.stdout and "24/20 20/15" in out.stdout, out.stdout
    text = open(folder + "/final.sgf", encoding="utf-8").read()
    assert "C[A pity.]" in text and "-0.500000" in text, text[:2000]


def test_the_small_network_pays_what_is_said(folder, env):
    text = open(os.path.join(ROOT, "core/routes/README.md"), encoding="utf-8").read()
    printed = re.search(r"    \$ redoctl routes case.json\n(.*?)\n\n", text, re.S).group(1)
    out = subprocess.run(["redoctl", "routes", "-"], input=example("case.json", "core/routes/README.md"),
                         capture_output=True, text=True, timeout=60, check=False, env=in_path(env))
    assert out.stdout.splitlines() == [line[4:] for line in printed.splitlines()], out


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        daemon, env = start_daemon(folder)
        try:
            for name, test in sorted(globals().items()):
                if not name.startswith("test_"):
                    continue
                try:
                    test(folder, env)
                    passed += 1
                    print("ok", name)
                except (AssertionError, subprocess.SubprocessError) as error:
                    failed += 1
                    print("FAILED", name, error)
        finally:
            daemon.terminate()
            daemon.wait(timeout=30)
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
