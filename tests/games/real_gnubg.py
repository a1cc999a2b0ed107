"""The real gnubg makes of a file that went through sessions what it makes of the file itself; and of
one in which other scores were compared the same, for these are in side lines. Skipped where there
is no gnubg (in PATH, /usr/games, or named by GNUBG).

    real_gnubg.py GAMES-TOOL CASES
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "sgf"))
import gnubg_program  # noqa: E402
import sgf  # noqa: E402

tool, cases = sys.argv[1], pathlib.Path(sys.argv[2])


def same(path, ways):
    def test():
        read, want = path.read_bytes(), None
        for way in ways:
            status, out, err = sgf.run(tool, way, str(path))
            sgf.check(status == 0, err)
            if out == read:
                continue
            want = want or gnubg_program.normal_form(read)
            sgf.check(gnubg_program.normal_form(out) == want, f"{way}: gnubg sees another match")
    return test


gnubg_program.need()
EDITED = {"match3-comments", "rollout-cube", "unfinished-hint", "nackgammon3"}
sgf.main([(p.stem, same(p, ["round", "alternates"] if p.stem in EDITED else ["round"]))
          for p in sorted((cases / "gnubg").glob("*.sgf"))])
