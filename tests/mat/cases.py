"""The matches that gnubg wrote, read and written again: the same bytes, also where the layout is made anew;
and the moves are those that gnubg tells of, record by record (NAME.tsv).

    cases.py TOOL CASES
"""
import csv
import glob
import os
import subprocess
import sys

tool, cases = sys.argv[1:3]
failed = 0

# gnubg writes a record of set-up as an empty column; no program reads that back as what it was.
SET_UP = {"setup-match"}


def run(what, path):
    return subprocess.run([tool, what, path], check=True, stdout=subprocess.PIPE).stdout


def check(condition, text):
    global failed
    if not condition:
        failed += 1
        print("not ok", text)


def moves_of_dump(text):
    """(game, player, dice, hops) of each move that was made, in order."""
    moves, game = [], 0
    for line in text.splitlines():
        fields = line.split("\t")
        if line.startswith("game "):
            game += 1
        elif len(fields) > 1 and fields[1] == "move":
            hops = fields[5].replace("*", "").split() if int(fields[4]) > 0 else []
            moves.append((game, "WB"[int(fields[0])], sorted(fields[2]), sorted(hops)))
    return moves


def moves_of_gnubg(path):
    with open(path, encoding="utf-8") as f:
        rows = list(csv.reader(f, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [(int(r[0]), r[2], sorted(r[4]), sorted([] if r[5] == "none" else r[5].replace("*", "").split()))
            for r in rows if r[3] == "move"]


paths = sorted(glob.glob(os.path.join(cases, "gnubg", "*.mat")))
check(len(paths) == 12, f"{len(paths)} cases")
for path in paths:
    name = os.path.basename(path)[:-4]
    with open(path, "rb") as f:
        want = f.read()
    check(run("copy", path) == want, f"{name}: other bytes")
    if name in SET_UP:
        continue
    check(run("plain", path) == want, f"{name}: another layout")
    got = moves_of_dump(run("dump", path).decode())
    told = moves_of_gnubg(path[:-4] + ".tsv")
    # Of an unfinished match the last move is only a hint, which the match does not have.
    if name.startswith("unfinished"):
        told = told[:len(got)]
    check(len(got) == len(told), f"{name}: {len(got)} moves, not {len(told)}")
    for number, (one, other) in enumerate(zip(got, told), 1):
        check(one == other, f"{name}: move {number}: {one}, not {other}")
print(f"{len(paths)} matches, {failed} failures")
sys.exit(failed > 0)
