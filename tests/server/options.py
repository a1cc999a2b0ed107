"""Options: the command line, the file, and where things are when nothing is said."""

import os
import subprocess

from harness import REDOD, TIMEOUT, Daemon, Folder, run, wait_for


def redod(*options, env=None):
    result = subprocess.run([REDOD, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, timeout=TIMEOUT, env=env, check=False)
    return result.returncode, result.stdout, result.stderr


def test_help_tells_of_every_option():
    status, out, _ = redod("--help")
    assert status == 0
    for name in ("socket", "store", "mode", "allow", "max-message", "max-connections",
                 "max-per-user", "user-connections", "user-sessions", "user-positions",
                 "user-bytes", "output-soft", "output-seconds", "output-hard",
                 "output-per-user", "idle-timeout", "keepalive", "stall-timeout", "log-level", "foreground",
                 "config", "version", "help"):
        assert "--" + name in out, name


def test_help_tells_the_places_that_are_used_by_default():
    for args in (["--help"], ["--socket", "/other", "--store", "memory", "--help"]):
        said = subprocess.run([REDOD, *args], capture_output=True, text=True, check=True,
                              env={"XDG_RUNTIME_DIR": "/run/me", "XDG_STATE_HOME": "/state"}).stdout
        assert "\n  --socket /run/me/redod/redod.sock\n  --store /state/redod\n" in said, said
    said = subprocess.run([REDOD, "--help"], capture_output=True, text=True, check=True,
                          env={"XDG_RUNTIME_DIR": "/run/me"}).stdout
    assert "\n  --store (none)\n" in said, said


def test_version_is_printed():
    status, out, _ = redod("--version")
    assert status == 0 and out.startswith("redod ")


def test_unknown_option_and_stray_word_are_refused():
    assert redod("--no-such")[0] == 2
    assert "no-such" in redod("--no-such")[2]
    assert "stray" in redod("stray")[2]
    assert "--mode" in redod("--mode")[2]


def test_bad_values_are_refused_by_name():
    for option, value in (("--mode", "9"), ("--mode", "01000"), ("--max-message", "many"),
                          ("--max-message", "5"), ("--max-connections", "0"),
                          ("--log-level", "loud"), ("--allow", "no-such-user"),
                          ("--output-soft", "1025G"), ("--output-seconds", "-1"),
                          ("--output-per-user", "1023"), ("--output-per-user", "x"),
                          ("--idle-timeout", "1s"), ("--keepalive", ""),
                          ("--stall-timeout", "31536001")):
        status, _, said = redod(option, value)
        assert status == 2 and said.startswith("redod: " + option), said


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return path


def test_file_gives_options_and_the_command_line_goes_before_it():
    with Folder() as folder:
        conf = write(folder / "conf", "# a comment\n\n  socket = %s\nmode=0640\n"
                     "max-connections = 7\nforeground = yes\nstore = memory\n" % (folder / "s"))
        with Daemon(folder / "s", "--config", conf):
            assert os.stat(folder / "s").st_mode & 0o777 == 0o640
        with Daemon(folder / "t", "--config", conf, "--mode", "0620"):
            assert os.stat(folder / "t").st_mode & 0o777 == 0o620


def test_unknown_key_is_refused_with_file_and_line():
    with Folder() as folder:
        conf = write(folder / "conf", "# one\nmode = 0600\ncolour = red\n")
        status, _, said = redod("--config", conf)
        assert status == 2 and conf + ":3: unknown key 'colour'" in said, said
        for text in ("help = yes\n", "config = other\n", "mode 0600\n", "mode = 999\n"):
            status, _, said = redod("--config", write(conf, text))
            assert status == 2 and conf + ":1: " in said, said


def test_file_that_is_not_there_is_refused():
    status, _, said = redod("--config", "/no/such/file")
    assert status == 2 and "/no/such/file" in said


def start_with(env, path):
    process = subprocess.Popen([REDOD, "--store", "memory"], stderr=subprocess.DEVNULL,
                               env=dict(env, PATH=os.environ["PATH"]))
    try:
        wait_for(lambda: os.path.exists(path), path)
    finally:
        process.kill()
        process.wait()


def test_socket_is_in_the_runtime_folder():
    with Folder() as folder:
        start_with({"XDG_RUNTIME_DIR": folder.path, "HOME": "/nowhere"}, folder / "redod/redod.sock")


run()
