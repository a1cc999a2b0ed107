"""The recorded files: the library's tree is that of a parser of the tests' own, counts are those of
facts.tsv, and what is written is what was read, but for the charset."""
import csv
import pathlib
import re
import sys
import tempfile

import sgf

tool, cases = sys.argv[1], pathlib.Path(sys.argv[2])
PYTHON_CHARSET = {"utf-8": "utf-8", "gb18030": "gb18030", "shift_jis": "cp932",
                  "utf-8-sig": "utf-8"}


def text_of(path, charset):
    # Not read_text(): line ends stay as they are.
    return path.read_bytes().decode(PYTHON_CHARSET[charset])


def same_tree(path, charset):
    text = text_of(path, charset)
    expected = [list(sgf.lines(root)) for root in sgf.parse(text)]
    got = sgf.dump(tool, str(path))
    sgf.check(len(got) == len(expected), f"{len(got)} games, not {len(expected)}")
    for (_, _, lines), want in zip(got, expected):
        sgf.check(lines == want, f"{path.name}: another tree")
    return text


def written(path, charset, text):
    """The same bytes, in UTF-8, with a CA that says so; and the plain form means the same."""
    want = text.encode()
    if PYTHON_CHARSET[charset] != "utf-8":
        want = re.sub(rb"CA\[[^]]*\]", b"CA[UTF-8]", want)
        if b"CA[" not in want:
            want = re.sub(rb"\((;?)", rb"(\1CA[UTF-8]", want, count=1)
    for how in "copy", "stream":
        sgf.check(sgf.run(tool, how, str(path))[1] == want, f"{how}: other bytes")
    for how in "copy", "plain":
        with tempfile.NamedTemporaryFile(suffix=".sgf") as again:
            again.write(sgf.run(tool, how, str(path))[1])
            again.flush()
            got, first = sgf.dump(tool, again.name), sgf.dump(tool, str(path))
            without = [[re.sub(r" CA=\w+", "", line) for line in g[2]] for g in got]
            sgf.check(without == [[re.sub(r" CA=\w+", "", line) for line in g[2]] for g in first],
                      f"{how}, read again: another tree")
            sgf.check(all(g[:2] == ("UTF-8", "told") for g in got), f"{how}: not UTF-8")


def measure(root):
    """Counts of a game: nodes, mainline, leaves, depth, properties, values."""
    count = {"nodes": 0, "leaves": 0, "properties": 0, "values": 0}
    for _, _, node in sgf.nodes(root):
        count["nodes"] += 1
        count["leaves"] += not node.children
        count["properties"] += len(node.properties)
        count["values"] += sum(len(values) for _, values in node.properties)
    node, count["mainline"] = root, 1
    while node.children:
        node, count["mainline"] = node.children[0], count["mainline"] + 1
    return count


def facts(row):
    def test():
        path = cases / "sgf" / (row["file"] + ".sgf")
        text = same_tree(path, row["charset"])
        charset = {"gb18030": "GB18030", "shift_jis": "Shift_JIS"}.get(row["charset"], "UTF-8")
        got = sgf.dump(tool, str(path))
        sgf.check(all(g[0] == charset for g in got), f"read as {got[0][0]}")
        games = [measure(root) for root in sgf.parse(text)]
        for what in "nodes", "mainline", "leaves":
            told = [int(n) for n in row[what].split("+")]
            sgf.check([g[what] for g in games] == told, f"{what}: {told}")
        for what in "properties", "values":
            told = [int(n) for n in row[what].split("+")]
            sgf.check([g[what] for g in games] == told, f"{what}: {told}")
        written(path, row["charset"], text)
    return test


def gnubg(path):
    def test():
        # The line before the first game has a parenthesis in none of these.
        written(path, "utf-8", same_tree(path, "utf-8"))
    return test


with open(cases / "sgf" / "facts.tsv", newline="") as f:
    tests = [(row["file"], facts(row)) for row in csv.DictReader(f, delimiter="\t")]
tests += [(path.stem, gnubg(path)) for path in sorted((cases / "gnubg").glob("*.sgf"))]
sgf.main(tests)
