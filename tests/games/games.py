"""Games of files through sessions and back: what hangs on positions agrees with what the real gnubg
told of each record, and what is written is what was read.

    games.py GAMES-TOOL CASES
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "sgf"))
import sgf  # noqa: E402

tool, cases = sys.argv[1], pathlib.Path(sys.argv[2])
COLUMNS = ["game", "number", "parent", "move", "positionid", "matchid", "choice", "decided",
           "candidates", "decisions", "luck", "comment", "endpoint", "alternate", "dice", "listed",
           "made", "text", "pending", "movetext"]


def run(what, path):
    done = subprocess.run([tool, what, str(path)], capture_output=True)
    sgf.check(done.returncode == 0, f"{what} {path.name}: {done.stderr.decode()}")
    return done.stdout


def positions(path):
    games = {}
    for line in run("facts", path).decode().split("\n")[:-1]:
        row = dict(zip(COLUMNS, line.split("\t")))
        row["children"] = []
        game = games.setdefault(int(row["game"]), [])
        if int(row["parent"]) >= 0:
            game[int(row["parent"])]["children"].append(row)
        game.append(row)
    # Games of other kinds have no rows: as gnubg counts them.
    return [games[number] for number in sorted(games)]


def hops(text):
    return text.replace("bar", "25").replace("off", "0")


def records(number, game):
    """The main line as gnubg tells of it: what was done, and at which position."""
    at = game[0]
    while True:
        if at["pending"] != "-" and at["dice"] != "-":
            moves = "none" if int(at["listed"]) == 0 else None
            yield {"game": number, "what": "move", "dice": at["dice"], "at": at, "move": moves,
                   "comment": "-", "made": 0}
        children = [c for c in at["children"] if c["alternate"] == "-"]
        if not children:
            return
        to = children[0]
        move = int(to["move"])
        if at["dice"] != "-" and move >= 0 and to["dice"] == "-":
            text = to["movetext"] if to["movetext"] != "-" else at["text"]
            yield {"game": number, "what": "move", "dice": at["dice"], "at": at,
                   "move": "none" if at["choice"] == "none" else hops(text),
                   "comment": to["comment"], "made": int(at["made"])}
        elif move >= 1000:
            what = {1000: "double", 1001: "take", 1002: "drop", 1003: "double", 1004: "double"}
            yield {"game": number, "what": what[move], "dice": "-", "at": at, "move": "-",
                   "comment": to["comment"], "made": 0}
        at = to


def facts(path):
    def test():
        got = [r for n, game in enumerate(positions(path)) for r in records(n + 1, game)]
        with open(path.with_suffix(".tsv"), newline="") as f:
            want = [row for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
                    if row["what"] in ("move", "double", "take", "drop")]
        sgf.check(len(got) == len(want), f"{len(got)} records, not {len(want)}")
        for g, w in zip(got, want):
            where = f"game {w['game']} record {w['record']}"
            at = g["at"]
            pairs = [(g["game"], int(w["game"])), (g["what"], w["what"]), (g["dice"], w["dice"]),
                     (at["positionid"], w["positionid"]), (at["matchid"], w["matchid"]),
                     (g["comment"].replace("\t", " "), w["comment"])]
            if g["what"] == "move":
                pairs += [(int(at["listed"]), int(w["candidates"])), (at["luck"], w["luckvalue"])]
                if g["move"]:
                    pairs.append((g["move"], w["move"]))
                if w["made"] != "-":
                    pairs.append((g["made"], int(w["made"])))
            for have, told in pairs:
                if isinstance(have, str):
                    have = have.replace("\\t", " ")
                sgf.check(have == told, f"{where}: {have!r}, gnubg tells {told!r}")
    return test


def endpoints(path):
    """The last position of a game that ended is the only final one."""
    def test():
        with open(cases / "gnubg" / "README.md") as f:
            row = next(line.split("|") for line in f
                       if line.startswith(f"| {path.stem} |") and line.count("|") > 10)
        results = row[7].split()
        for game, result in zip(positions(path), results):
            final = [p for p in game if p["endpoint"] != "0"]
            ended = result != "-" or path.stem == "old-format"  # which ends with a drop
            sgf.check(len(final) == ended, f"{len(final)} final positions: {result}")
            sgf.check(not final or not final[0]["children"], "a final position that is not the last")
    return test


def same(path):
    """gnubg's own files come back byte for byte; what is written is read as the same."""
    def test():
        read, out = path.read_bytes(), run("round", path)
        if path.stem not in ("escapes", "mixed-collection"):
            sgf.check(out == read, "other bytes")
        sgf.check(run("twice", path) == out, "other bytes the second time")
        plain = [[sorted(props(n)) for _, _, n in sgf.nodes(g)]
                 for text in (read, out) for g in sgf.parse(text.decode())]
        half = len(plain) // 2
        sgf.check(plain[:half] == plain[half:], "other nodes")
        sgf.check(run("generic", path) == read, "other bytes as any game")
        kinds = run("kinds", path).decode().split("\n")[:-1]
        other = [k for k in kinds if not k.startswith("gnubg\t")]
        sgf.check(len(other) == (path.stem == "mixed-collection"), f"not gnubg's: {other}")
    return test


def props(node):
    for name, values in node.properties:
        yield re.sub("[a-z]", "", name), values


def any_game(path, charset):
    """The same bytes, in UTF-8, with a CA that says so."""
    def test():
        codec = {"gb18030": "gb18030", "shift_jis": "cp932"}.get(charset, "utf-8")
        want = path.read_bytes().decode(codec).encode()
        if codec != "utf-8":
            want = re.sub(rb"CA\[[^]]*\]", b"CA[UTF-8]", want)
            if b"CA[" not in want:
                want = re.sub(rb"\((;?)", rb"(\1CA[UTF-8]", want, count=1)
        sgf.check(run("round", path) == want, "other bytes")
        sgf.check(run("twice", path) == want, "other bytes the second time")
    return test


def nodes(row, path):
    def test():
        kinds = [k.split("\t") for k in run("kinds", path).decode().split("\n")[:-1]]
        sgf.check([k[0] for k in kinds] == ["sgf"] * len(kinds), f"{kinds}")
        sgf.check([k[1] for k in kinds] == row["nodes"].split("+"), f"positions: {kinds}")
    return test


def alternates(path):
    """Other scores beside positions of a game: the main line stays, and they are read again."""
    def test():
        out = run("alternates", path)
        with tempfile.NamedTemporaryFile(suffix=".sgf") as f:
            f.write(out)
            f.flush()
            again = pathlib.Path(f.name)
            sgf.check(run("round", again) == out, "other bytes")
            game = positions(again)[0]
            mine = [r for r in records(1, game) if r["what"] != "none"]
            theirs = list(records(1, positions(path)[0]))
            for have, told in zip(mine, theirs, strict=True):
                for key in "what", "dice", "move", "comment":
                    sgf.check(have[key] == told[key], f"the main line: {have[key]}, {told[key]}")
                for key in "positionid", "matchid", "candidates", "choice", "decisions":
                    sgf.check(have["at"][key] == told["at"][key], f"the main line: {key}")
            found = [p for p in game if p["alternate"] == "alternate"]
            sgf.check(len(found) == 3, f"{len(found)} alternates")
            for p in found:
                first = game[int(p["parent"])]
                sgf.check(first["positionid"] == p["positionid"] and
                          first["matchid"] != p["matchid"], "not the same board at another score")
            rolled = next(p for p in found if p["parent"] == "3")
            sgf.check(rolled["listed"] == "2" and rolled["choice"] == "made 1" and
                      rolled["children"] and "+" not in rolled["text"] and
                      "24/18 13/11 evaluation 0.250000 5" in rolled["candidates"], "its analysis")
            before = next(p for p in found if p["parent"] == "2")
            sgf.check("double evaluation" in before["decisions"], "what is thought of the cube")
    return test


def made(text, check=None):
    def test():
        with tempfile.NamedTemporaryFile(suffix=".sgf") as f:
            f.write(text)
            f.flush()
            path = pathlib.Path(f.name)
            out = run("round", path)
            sgf.check(out == text, "other bytes")
            if check:
                check(path)
    return test


GNUBG = b"(;FF[4]GM[6]CA[UTF-8]MI[length:7][game:0][ws:0][bs:0]PW[Ann]PB[Bo]RU[Crawford]\n"
CUBE = b"E ver 3 0C 1 0.000000 1" + b" 0.500000" * 14


def backgammon(wanted):
    """Whole lines of what each decision is: what, position ID, match ID, decisions."""
    def check(path):
        sgf.check(run("kinds", path).startswith(b"gnubg\t"), "not as gnubg's")
        rows = positions(path)[0]
        for number, want in wanted.items():
            have = {key: rows[number][key] for key in want}
            sgf.check(have == want, f"position {number}: {have}, not {want}")
    return check


# gnubg saves a board that was set up as if White were to act, though Black was.
OUT_OF_TURN = GNUBG + b""";W[31hefe]
;PL[W]AE[a:y]AW[f][f][f][f][f][h][h][h][m][m][m][m][m][x][x]\
AB[s][s][s][s][s][q][q][q][l][l][l][l][l][a][a]
;B[double]DA[%s]
;W[take]DA[%s]
;B[66agaglrlr])
""".replace(b"\\\n", b"") % (CUBE, CUBE)
HINT_OUT_OF_TURN = OUT_OF_TURN[:OUT_OF_TURN.index(b"\n;W[take]")] + b")\n"
# And a hint at a double that waits for its answer as a take by the side that doubled.
HINT_OF_TAKE = GNUBG + b";W[31hefe]\n;B[double]\n;B[take]DA[%s])\n" % CUBE


def many_of_one_roll(path):
    """Side lines that begin with the same roll take no time for each other."""
    sgf.check(run("kinds", path) == b"gnubg\t40001\n", "another number of positions")


def positions_are(count):
    def check(path):
        sgf.check(run("kinds", path) == f"sgf\t{count}\n".encode(), "another number of positions")
    return check


LAYOUTS = [
    b"(;B[aa];W[bb])\n",
    b"(;GM[1]\n\n;B[aa] C [x]\t[y]\n ;W[bb](;B[cc])\n(;B[dd];W[ee]\n)  )\r\n",
    b"(;A[1](;B[2])(;C[3](;D[4])))",
    b"lead text (;AB[aa][bb]AB[cc]AB[dd];;COmment[x]C[y]) tail\n",
    b"(;C[a\\]b\\\\c\\\nd])\n(;B[x])\n",
    b"(FF[3]GM[1];B[aa](B[bb])(;B[cc]))\n",
]

tests = []
for case in sorted((cases / "gnubg").glob("*.sgf")):
    tests += [(f"facts-{case.stem}", facts(case)), (f"same-{case.stem}", same(case)),
              (f"final-{case.stem}", endpoints(case))]
with open(cases / "sgf" / "facts.tsv", newline="") as rows:
    for fact in csv.DictReader(rows, delimiter="\t"):
        case = cases / "sgf" / (fact["file"] + ".sgf")
        tests += [(f"any-{case.stem}", any_game(case, fact["charset"])),
                  (f"nodes-{case.stem}", nodes(fact, case))]
tests += [(f"alternates-{name}", alternates(cases / "gnubg" / (name + ".sgf")))
          for name in ("match3-comments", "rollout-cube", "unfinished-hint", "nackgammon3")]
tests.append(("alternate-between", made(
    b"(;FF[4]GM[6]CA[UTF-8]MI[length:5][game:0][ws:0][bs:0]\n;W[31hefe]\n(;B[64aggk])\n"
    b"(;PL[B]XM[ws:3])\n(;B[64lrlp]C[other]))\n",
    lambda path: sgf.check(run("kinds", path) == b"gnubg\t8\n", "not gnubg's"))))
tests += [(f"layout-{i}", made(text)) for i, text in enumerate(LAYOUTS)]
BLACK = {"positionid": "4HPwATDgc/ABMA", "matchid": "cAngAAAAAAAE"}
UNANALYSED = GNUBG + (
    b";W[31hefe]A[0][hefe E ver 3 0.55 0.17 0.01 0.12 0.01 0.2 0C 0 1 0.000000 1]MR[]"
    b"XM[candidate:24/23 13/10][candidate:8/5 6/5]\n;B[31qtst]XM[candidate:8/5 6/5]"
    b"[candidate:24/23 13/10])\n")


def has_unanalysed(path):
    rows = positions(path)[0]
    sgf.check(run("kinds", path).startswith(b"gnubg\t"), "not as gnubg's")
    sgf.check([rows[n]["listed"] for n in (1, 3)] == ["3", "2"], f"{rows[1]}, {rows[3]}")


tests += [
    ("without-analysis", made(UNANALYSED, has_unanalysed)),
    ("double-out-of-turn", made(OUT_OF_TURN, backgammon({4: BLACK}))),
    ("hint-out-of-turn", made(HINT_OUT_OF_TURN, backgammon({4: BLACK}))),
    ("hint-of-take", made(HINT_OF_TAKE, backgammon(
        {3: {"positionid": "sGfwATDgc/ABMA", "matchid": "cBHgAAAAAAAE", "decided": "0"},
         2: {"decided": "1"}}))),
    ("wide-gnubg", made(GNUBG[:-1] + b"\n(;B[31qusu])" * 20000 + b")\n", many_of_one_roll)),
    ("deep", made(b"(;GM[1]" + b";B[aa]" * 99999 + b")\n", positions_are(100000))),
    ("wide", made(b"(;GM[1]" + b"".join(b"\n(;B[%d])" % i for i in range(10000)) + b")\n",
                  positions_are(10001))),
    ("large", made(b"(;GM[1]" + b";C[" + b"0123456789abcdef" * 65536 * 8 + b"]" * 1 + b")\n")),
]
sgf.main(tests)
