"""What the tests of SGF in Python share: running sgf-tool, and a parser of their own, written from
the grammar of FF[4] and as plain as can be, for what the library says to be held against."""
import subprocess
import sys


class Failed(Exception):
    pass


def run(tool, what, path, data=None):
    """(status, standard output, standard error as text)"""
    done = subprocess.run([tool, what, path], input=data, capture_output=True)
    if done.returncode not in (0, 1):
        raise Failed(f"sgf-tool {what} {path}: status {done.returncode}: {done.stderr.decode()}")
    return done.returncode, done.stdout, done.stderr.decode()


def check(condition, text):
    if not condition:
        raise Failed(text)


class Node:
    def __init__(self, parent):
        self.parent, self.children, self.properties = parent, [], []
        if parent:
            parent.children.append(self)


def parse(text):
    """The games of a text: a list of roots."""
    games, node, stack, at = [], None, [], 0
    opened = bare = False
    while at < len(text):
        c = text[at]
        at += 1
        if c == "(":
            stack.append(node)
            opened, bare = True, False
        elif c == ")":
            if stack:
                node, bare = stack.pop(), False
        elif c == ";" and stack or c.isalpha() and stack:
            if opened or c == ";" and not bare:
                node = Node(node)
                if len(stack) == 1 and opened:
                    games.append(node)
                # Properties before the semicolon are those of the same node.
                bare = opened and c != ";"
                opened = False
            elif c == ";":
                bare = False
            if c != ";":
                at = parse_property(text, at - 1, node)
    return games


def parse_property(text, at, node):
    begin = at
    while text[at].isalnum():
        at += 1
    name, values = text[begin:at], []
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text) or text[at] != "[":
            break
        begin = at = at + 1
        while text[at] != "]":
            at += 2 if text[at] == "\\" else 1
        values.append(text[begin:at])
        at += 1
    node.properties.append((name, values))
    return at


def nodes(root):
    """In the order of the file: (number, number of the parent, node)."""
    stack, number = [(root, 0)], 0
    while stack:
        node, parent = stack.pop()
        number += 1
        yield number, parent, node
        stack += [(child, number) for child in reversed(node.children)]


def lines(root):
    """The game as sgf-tool dump tells it."""
    for number, parent, node in nodes(root):
        words = ["node", str(number), str(parent)]
        for name, values in node.properties:
            words.append(name + "=" + ",".join(v.encode().hex() for v in values))
        yield " ".join(words)


def dump(tool, path):
    """What the library read: a list of (charset, told or guessed, lines)."""
    status, out, err = run(tool, "dump", path)
    check(status == 0, f"{path}: {err}")
    games = []
    for line in out.decode().split("\n")[:-1]:
        if line.startswith("game "):
            games.append((*line.split(" ")[1:], []))
        else:
            games[-1][2].append(line)
    return games


def main(tests):
    failed = 0
    for name, test in tests:
        try:
            test()
            print(f"ok {name}")
        except Failed as e:
            failed += 1
            print(f"FAILED {name}: {e}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
