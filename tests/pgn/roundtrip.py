"""Trees made at random, written in every way the format allows: the library reads the tree that was meant,
writes it so that it is read the same again, and counts what an independent tokenizer counts.

    roundtrip.py TOOL [SEED [FILES]]
"""
import random
import re
import subprocess
import sys
import tempfile
import time

tool = sys.argv[1]
seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
files = int(sys.argv[3]) if len(sys.argv) > 3 else 60
print(f"seed {seed}")
failed = 0

SIGNS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!", 10: "=", 16: "+/-", 18: "+-", 19: "-+"}
MOVES = ["e4", "Nf3+", "O-O", "O-O-O#", "exd8=Q", "--", "Z0", "0-0", "e2-e4", "N@f7", "R1xa1", "\u2658f3"]
LETTERS = "ab c\n;()[]\"\\$1!*-0 1-0 %é→"
RESULTS = ["*", "1-0", "0-1", "1/2-1/2"]


class Node:
    def __init__(self, parent, move):
        self.parent, self.move, self.nags, self.before, self.after, self.children = parent, move, [], [], [], []
        if parent:
            parent.children.append(self)


class Writer:
    def __init__(self, rng):
        self.rng, self.out = rng, []

    def space(self, needed=True):
        self.out.append(self.rng.choice([" ", "\n", "  ", "\r\n", " \t"] + ([] if needed else [""] * 5)))

    def comment(self, comments):
        line = self.rng.random() < 0.2
        text = "".join(self.rng.choice(LETTERS) for _ in range(self.rng.choice([0, 3, 30])))
        text += self.rng.choice(["", "[%clk 0:01:02]"])
        self.space(False)
        if line:
            text = text.replace("\n", "") + self.rng.choice(["", "}"])
            self.out.append(";" + text + "\n")
        else:
            self.out.append("{" + text.replace("\n", self.rng.choice(["\n", "\r\n"])) + "}")
        comments.append((line, text))

    def comments(self, comments, likely=0.15):
        while self.rng.random() < likely:
            self.comment(comments)

    def number(self, ply):
        chance = self.rng.random()
        if chance < 0.3 and ply > 0:
            self.space()
            return
        self.space()
        dots = self.rng.choice([".", ". ", "", " ."]) if ply % 2 == 0 else self.rng.choice(["...", ". ..", "... "])
        if ply == 0:
            dots = self.rng.choice([".", ". "])
        self.out.append(f"{ply // 2 + 1}{dots}")
        if not dots.strip():
            self.space()

    def node(self, parent, ply):
        node = Node(parent, self.rng.choice(MOVES))
        # Where the comments between two moves belong is one place: after the first.
        if parent.parent is None and len(parent.children) == 1:
            self.comments(parent.after)
        elif len(parent.children) > 1 or self.closed:
            self.comments(node.before)
        self.closed = False
        self.number(ply)
        self.out.append(node.move)
        for _ in range(self.rng.choice([0, 0, 0, 1, 2])):
            number = self.rng.choice(list(SIGNS))
            if self.rng.random() < 0.5:
                self.space()
                self.out.append(SIGNS[number])
                node.nags.append((number, SIGNS[number]))
            else:
                self.space(False)
                self.out.append(f"${number}")
                node.nags.append((number, ""))
        self.comments(node.after)
        return node

    def line(self, parent, ply, size, depth):
        """Moves in a row, each with variations beside it; they are small enough to recurse here."""
        node = parent
        for i in range(size):
            node = self.node(node, ply + i)
            for _ in range(self.rng.choice([0, 0, 0, 0, 1, 2]) if depth < 4 else 0):
                # A variation of a variation's first move is one beside it: not made here.
                if i == 0 and depth > 0:
                    break
                self.space(False)
                self.out.append("(")
                self.closed = False
                self.line(node.parent, ply + i, self.rng.choice([1, 2, 5]), depth + 1)
                self.space(False)
                self.out.append(")")
                self.closed = True

    def game(self):
        root = Node(None, "")
        self.closed = False
        tags = []
        for _ in range(self.rng.choice([0, 1, 7])):
            name = self.rng.choice(["Event", "White", "X_1"])
            value = "".join(self.rng.choice('ab "\\é;{(') for _ in range(self.rng.choice([0, 5, 20])))
            tags.append((name, value))
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            self.out.append(f'[{name} "{escaped}"]\n')
        size = self.rng.choice([0, 1, 5, 40])
        if size == 0:
            self.comments(root.after)
        self.line(root, 0, size, 0)
        result = self.rng.randrange(4)
        self.space()
        self.out.append(RESULTS[result] + "\n\n")
        return root, tags, result


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def comment_words(name, comments):
    return "".join(f" {name}{';' if line else ''}{quote(text)}" for line, text in comments)


def lines(root, tags, result):
    """As pgn-tool dump prints it."""
    yield f"game UTF-8 1. {result}"
    for name, value in tags:
        yield f"tag {name} {quote(value)}"
    yield "root" + comment_words("after", root.after)
    stack = [(child, 1) for child in reversed(root.children)]
    while stack:
        node, depth = stack.pop()
        nags = "".join(f" ${number}{sign}" for number, sign in node.nags)
        yield (f"node {depth} {quote(node.move)}{nags}" + comment_words("before", node.before)
               + comment_words("after", node.after))
        stack += [(child, depth + 1) for child in reversed(node.children)]


TOKEN = re.compile(r"""(?P<comment>\{[^}]*\}|;[^\r\n]*)|(?P<tag>\[\s*\w+\s*"(?:\\.|[^"\\])*"\s*\])|(?P<nag>\$\d+|[!?]{1,2}
    |(?:[+=/-]+(?<!--))(?=[\s(){};$!?]))|(?P<open>\()|(?P<result>(?:1-0|0-1|1/2-1/2|\*)(?=[\s;{(]|$))
    |(?P<number>\d+(?=[\s.]))|(?P<dot>\.)|(?P<close>\))|(?P<move>[^\s(){};$!?.\[\]*]+)|\s+""", re.X)


def count(text):
    """Tokens by kind, found by a pattern and nothing else."""
    counts = dict.fromkeys(["comment", "tag", "nag", "open", "result", "move"], 0)
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match, text[at:at + 50]
        at = match.end()
        if match.lastgroup in counts:
            counts[match.lastgroup] += 1
    return (f"games {counts['result']} moves {counts['move']} variations {counts['open']} comments "
            f"{counts['comment']} nags {counts['nag']} tags {counts['tag']}")


def longest_line(text):
    """Without tags and comments, which are not broken."""
    rest, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        at = match.end()
        if match.lastgroup in ("comment", "tag"):
            rest.append("\n" if "\n" in match[0] else "")
        else:
            rest.append(match[0])
    return max(map(len, "".join(rest).split("\n")))


def run(what, data):
    with tempfile.NamedTemporaryFile(suffix=".pgn") as f:
        f.write(data)
        f.flush()
        result = subprocess.run([tool, what, f.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return result.stdout + result.stderr


def check(number, what, got, want, text):
    global failed
    if got == want:
        return
    failed += 1
    print(f"not ok file {number}: {what}")
    for one, other in zip(got.splitlines(), want.splitlines()):
        if one != other:
            print(f"  {one}\n  not {other}")
            break
    if failed == 1:
        print(text)


for file in range(files):
    rng = random.Random(seed * 1000003 + file)
    writer = Writer(rng)
    games = [writer.game() for _ in range(rng.choice([1, 1, 5]))]
    text = "".join(writer.out)
    want = "".join(line + "\n" for game in games for line in lines(*game))
    check(file, "another tree", run("dump", text.encode()).decode(), want, text)
    copy = run("copy", text.encode())
    check(file, "another tree when written", run("dump", copy).decode(), want, copy.decode())
    check(file, "other bytes when written again", run("copy", copy).decode(), copy.decode(), text)
    check(file, "other counts", run("count", text.encode()).decode().strip(), count(text), text)
    check(file, "other counts when written", run("count", copy).decode().strip(), count(copy.decode()), text)
    check(file, "a line of 80 or more", str(longest_line(copy.decode()) < 80), "True", copy.decode())
print(f"{files} files, {failed} failures")
sys.exit(failed > 0)
