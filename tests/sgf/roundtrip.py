"""Trees made at random, written in every way the grammar allows, in several charsets: the library reads
the tree that was meant, and writes the bytes that it read.

    roundtrip.py TOOL [SEED [FILES]]
"""
import random
import sys
import tempfile
import time

import sgf

tool = sys.argv[1]
seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
files = int(sys.argv[3]) if len(sys.argv) > 3 else 60
print(f"seed {seed}")

CHARSETS = {"UTF-8": ("utf-8", "äöü €→先手ソ表𝄞"), "GB2312": ("gb18030", "围棋黑白手"),
            "Shift_JIS": ("cp932", "ソ表能囲碁の手"), "ISO-8859-1": ("latin-1", "äöüé"),
            "Big5": ("cp950", "圍棋功許蓋"), "EUC-KR": ("cp949", "바둑흑백"),
            "windows-1251": ("cp1251", "шахматы")}
SPACES = ["", "", "", "\n", " ", "\r\n", "\n\n  ", "\t"]


class Writer:
    def __init__(self, rng, letters):
        self.rng, self.letters, self.out = rng, letters, []

    def space(self):
        self.out.append(self.rng.choice(SPACES))

    def value(self):
        rng, pieces = self.rng, []
        for _ in range(rng.choice([0, 1, 2, 5, 30])):
            pieces.append(rng.choice(["a", "Z", "7", ":", "[", "(", ")", ";", "\\]", "\\\\", "\\a",
                                      "\\\n", "\n", "\r\n", " ", "\t", *self.letters]))
        return "".join(pieces)

    def property(self, node, name=None, values=None):
        rng = self.rng
        name = name or rng.choice(["B", "W", "C", "AB", "LB", "COmment", "X9", "LONGNAME"])
        values = values or [self.value() for _ in range(rng.choice([1, 1, 1, 2, 5]))]
        node.properties.append((name, values))
        self.space()
        self.out.append(name)
        for value in values:
            self.space()
            self.out.append(f"[{value}]")

    def node(self, parent, first):
        node = sgf.Node(parent)
        count = self.rng.choice([0, 1, 1, 2, 4])
        # In some files the first semicolon comes after properties.
        before = self.rng.randint(0, count) if first and self.rng.random() < 0.1 else 0
        for i in range(count + 1):
            if i == before:
                self.space()
                self.out.append(";")
            if i < count:
                self.property(node)
        return node

    def line(self, parent, size, declared):
        """Some nodes in a row, then variations; they are small enough to recurse here."""
        self.out.append("(")
        node = self.node(parent, True)
        top = node
        if declared and not parent:
            self.property(node, "CA", [declared])
        for _ in range(size // 2):
            node = self.node(node, False)
        if size > 1:
            for _ in range(self.rng.choice([0, 1, 2, 3])):
                self.space()
                self.line(node, size // 2, None)
        self.space()
        self.out.append(")")
        return top


def one(rng, number):
    label = rng.choice(list(CHARSETS))
    codec, letters = CHARSETS[label]
    writer = Writer(rng, letters)
    roots = []
    for _ in range(rng.choice([1, 1, 5])):
        roots.append(writer.line(None, rng.choice([1, 4, 16]), label))
        writer.space()
    text = "".join(writer.out)
    with tempfile.NamedTemporaryFile(suffix=".sgf") as f:
        f.write(text.encode(codec))
        f.flush()
        got = sgf.dump(tool, f.name)
        want = [list(sgf.lines(root)) for root in roots]
        sgf.check([g[2] for g in got] == want, f"file {number}: another tree:\n{text}")
        for how in "copy", "stream":
            copy = sgf.run(tool, how, f.name)[1]
            expected = text.replace(f"[{label}]", "[UTF-8]").encode()
            sgf.check(copy == expected, f"file {number}: {how}: other bytes:\n{text}")
        plain = sgf.run(tool, "plain", f.name)[1]
    got = [list(sgf.lines(root)) for root in sgf.parse(plain.decode())]
    for root in roots:
        root.properties = [(n, ["UTF-8"] if n == "CA" else v) for n, v in root.properties]
    sgf.check(got == [list(sgf.lines(root)) for root in roots], f"file {number}: plain: {plain}")


def test():
    for number in range(files):
        one(random.Random(seed * 1000003 + number), number)


sgf.main([(f"{files} files", test)])
