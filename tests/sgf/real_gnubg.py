"""The real gnubg loads what the library wrote as it loads what it wrote itself: both are loaded and
saved again, and have to come out the same. Skipped where there is no gnubg (in PATH, /usr/games, or
named by GNUBG).

    real_gnubg.py GNUBG-TOOL SGF-TOOL CASES
"""
import pathlib
import sys

import gnubg_program
import sgf

tool, sgf_tool, cases = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def same(path):
    def test():
        read = path.read_bytes()
        want = gnubg_program.normal_form(read)
        made = [sgf.run(tool, "rewrite", str(path))[1], sgf.run(tool, "rebuild", str(path))[1],
                sgf.run(sgf_tool, "plain", str(path))[1]]
        for data in {d for d in made if d != read}:
            sgf.check(gnubg_program.normal_form(data) == want, "gnubg sees another match")
    return test


gnubg_program.need()
# Text before the first game is what gnubg complains of, and we leave out.
sgf.main([(p.stem, same(p)) for p in sorted((cases / "gnubg").glob("*.sgf"))])
