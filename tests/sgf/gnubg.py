"""gnubg's files: what the library makes of each record agrees with what the real gnubg told of it, and
games made anew of headers and records are those that were read, byte for byte where gnubg wrote them.
"""
import csv
import pathlib
import re
import sys
import tempfile

import sgf

tool, sgf_tool, cases = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
BY_HAND = {"escapes", "mixed-collection", "old-format"}


def told(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


COLUMNS = ["game", "record", "who", "what", "dice", "move", "candidates", "made", "cube",
           "luckvalue", "positionid", "matchid", "comment"]


def records(path):
    status, out, err = sgf.run(tool, "records", str(path))
    sgf.check(status == 0, f"{path.name}: {err}")
    return [dict(zip(COLUMNS, line.split("\t"))) for line in out.decode().split("\n")[:-1]]


def as_gnubg_holds(rows):
    """gnubg drops nodes that are no record, and a roll directly before the same player's move."""
    kept = []
    for row in rows:
        if row["what"] == "none":
            continue
        if kept and kept[-1]["what"] == "set-dice" and row["what"] == "move" and \
                kept[-1]["who"] == row["who"] and kept[-1]["game"] == row["game"]:
            kept.pop()
        kept.append(row)
    return kept


def facts(path):
    def test():
        got = as_gnubg_holds(records(path))
        # A resignation is no node: gnubg makes a record of it.
        want = [row for row in told(path.with_suffix(".tsv")) if row["what"] != "resign"]
        sgf.check(len(got) == len(want), f"{len(got)} records, not {len(want)}")
        compared = 0
        for g, w in zip(got, want):
            where = f"game {w['game']} record {w['record']}"
            # The real gnubg gives no player of a board or cube that is set, nor IDs of set-up.
            columns = ["game", "what", "dice", "move", "candidates"]
            if w["what"] in ("move", "double", "take", "drop"):
                columns += ["who", "positionid", "matchid", "luckvalue", "made", "comment"]
                compared += 2
            # gnubg tells a chain's cube analysis of the doubles only.
            if w["what"] in ("move", "double"):
                columns.append("cube")
            for column in columns:
                a, b = g[column], w[column]
                if column == "made" and w["candidates"] == "0":
                    continue
                if column == "comment":
                    a = a.replace("\\t", " ")
                    b = b.replace("\\t", " ")
                sgf.check(a == b, f"{where}: {column} {a}, not {b}")
        sgf.check(compared > 0, "no IDs were compared")
    return test


def trees(data):
    """Each node's properties, sorted: their order counts for none of gnubg's that we write."""
    for root in sgf.parse(data.decode()):
        yield [(number, parent, sorted((re.sub("[a-z]", "", n), v) for n, v in node.properties))
               for number, parent, node in sgf.nodes(root)]


def anew(path):
    def test():
        read = path.read_bytes()
        for how in "rewrite", "rebuild":
            status, out, err = sgf.run(tool, how, str(path))
            sgf.check(status == 0, f"{how}: {err}")
            if path.stem not in BY_HAND:
                sgf.check(out == read, f"{how}: other bytes")
            if how == "rewrite":
                sgf.check(list(trees(out)) == list(trees(read)), f"{how}: another tree")
    return test


def refused():
    """Bad records are told with their place."""
    head = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]\n;"
    bad = [("W[71hefe]", "2:4", "neither double"), ("W[31hef]", "2:4", "neither double"),
           ("W[31hefehefehefe]", "2:4", "neither double"), ("W[31zafe]", "2:4", "neither double"),
           ("W[passed]", "2:4", "neither double"), ("PL[Q]", "2:5", "W or B"),
           ("PL[W]DI[77]", "2:10", "dice"), ("CV[3]", "2:5", "power of 2"),
           ("CP[x]", "2:5", "owner"), ("AE[a:y]AW[1]", "2:12", "points"),
           ("AB" + "[f]" * 16, "2:50", "15"), ("W[31hefe]A[3][hefe ][mjxw ]", "2:13", "made"),
           ("W[31hefe]A[x]", "2:13", "made"), ("W[31hefe]A[0][he!e ]", "2:16", "candidate"),
           ("A[0][hefe ]", "2:2", "without a player"), ("W[31hefe]LU[much]", "2:14", "luck"),
           ("W[31hefe]A[0][hefe ]MR[2 ]", "2:25", "number of a candidate"),
           ("W[31aefe]", "2:2", "no chequer"), ("W[31hefe]\n;W[64xrfa]", "3:2", "blocked"),
           ("W[take]", "2:2", "not offered")]
    for text, place, message in bad:
        with tempfile.NamedTemporaryFile(suffix=".sgf") as f:
            f.write((head + text + ")").encode())
            f.flush()
            status, _, err = sgf.run(tool, "records", f.name)
            sgf.check(status == 1 and err.startswith(place + ":") and message in err,
                      f"{text}: {status} {err}")


def unknown():
    """What is not understood is kept: properties, marks, analyses, and what stands twice."""
    text = ("(;FF[4]GM[6]XX[a][b]AP[x]MI[length:0][game:0][ws:0][bs:0][wtime:0]PW[A][B]RU[Odd:Jacoby]"
            "RE[?]\n;W[31hefe]DA[Q 1 2]A[0][hefe Z 9 ver 4][mjxw ]MR[]LU[0.10000]GW[3]C[first]\n"
            ";C[last]XY[]B[31rrrr]W[11]\n;C[no record]\n;KO[]TE[1]IT[])\n")
    want = text.replace("C[last]XY[]B[31rrrr]W[11]", "B[31rrrr]C[last]XY[]W[11]") \
               .replace("XX[a][b]AP[x]", "AP[x]").replace("RE[?]", "RE[?]XX[a][b]") \
               .replace("LU[0.10000]GW[3]C[first]", "LU[0.10000]C[first]GW[3]")
    with tempfile.NamedTemporaryFile(suffix=".sgf") as f:
        f.write(text.encode())
        f.flush()
        status, out, err = sgf.run(tool, "rewrite", f.name)
        sgf.check(status == 0 and out.decode() == want, f"{err}{out.decode()}")
        twice = text.replace("C[first]", "C[zeroth]C[first][more]")
        f.seek(0)
        f.write(twice.encode())
        f.flush()
        status, out, err = sgf.run(tool, "rewrite", f.name)
        sgf.check("C[zeroth]W[31hefe]" in out.decode() and "C[first][more]" in out.decode(), out)


paths = sorted((cases / "gnubg").glob("*.sgf"))
sgf.main([(f"records of {p.stem}", facts(p)) for p in paths] +
         [(f"{p.stem} made anew", anew(p)) for p in paths] +
         [("bad records are refused", refused), ("what is not understood is kept", unknown)])
