"""The real gnubg loads what the library wrote as it loads what it wrote itself: both are loaded and
saved again, and have to come out the same. Skipped where there is no gnubg (in PATH, /usr/games, or
named by GNUBG).

    real_gnubg.py GNUBG-TOOL SGF-TOOL CASES
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import sgf

tool, sgf_tool, cases = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
gnubg = os.environ.get("GNUBG") or shutil.which("gnubg") or \
    shutil.which("/usr/games/gnubg")
COMMANDS = """set confirm new off
set confirm save off
set confirm default yes
set threads 1
load match in.sgf
save match out.sgf
export match text report.txt
"""


def normal_form(data):
    """What gnubg makes of a file: as it saves it, and its report of boards and statistics."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "in.sgf").write_bytes(data)
        env = {**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        done = subprocess.run([gnubg, "-t", "-q", "-r"], input=COMMANDS.encode(), cwd=folder, env=env,
                              capture_output=True, timeout=300)
        out = folder / "out.sgf"
        sgf.check(done.returncode == 0 and out.exists(), f"gnubg: {done.stdout[-300:]}")
        report = b"".join(p.read_bytes() for p in sorted(folder.glob("report*.txt")))
        report = re.sub(rb"Output generated .*", b"", report)
        return re.sub(rb"AP\[[^]]*\]", b"", out.read_bytes()), report


def same(path):
    def test():
        read = path.read_bytes()
        want = normal_form(read)
        made = [sgf.run(tool, "rewrite", str(path))[1], sgf.run(tool, "rebuild", str(path))[1],
                sgf.run(sgf_tool, "plain", str(path))[1]]
        for data in {d for d in made if d != read}:
            sgf.check(normal_form(data) == want, "gnubg sees another match")
    return test


if not gnubg:
    print("skipped: there is no gnubg; it is in Debian's package of that name")
    sys.exit(77)
# Text before the first game is what gnubg complains of, and we leave out.
sgf.main([(p.stem, same(p)) for p in sorted((cases / "gnubg").glob("*.sgf"))])
