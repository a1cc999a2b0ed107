"""The real gnubg: what it makes of a file."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import sgf

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


def need():
    """Ends the test as skipped where there is no gnubg."""
    if not gnubg:
        print("skipped: there is no gnubg; it is in Debian's package of that name")
        sys.exit(77)
