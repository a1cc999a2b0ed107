"""Records of positions, written the plainest way, and random scripts that are held against the engine.

    records_model.py RUNNER [--seed N] [--scripts N] [--ops N]

Shares nothing with the engine but core/redo_record.h and the rules in core/README.md. The session
has states of two bytes, of which the first is compared. The runner (core/record_runner.c) gets an
operation a line and answers with a line: the code, the number in the result, and all there is of
every position. On the first difference of a script it is cut down to the fewest operations.

Operations, in words parted by blanks (- is none; texts have no blanks):
    add PREV MOVE STATE                a position, unchecked
    drop POSITION                      with all below it, kept to be brought back
    restore                            what was dropped last
    property POSITION OF ID NAME VALUE
    items POSITION LIST PLACE ITEM...  an item: move:text:analysis, of which each may be empty;
    set POSITION LIST ID PARTS ITEM    the analysis is a letter (own) or * (shared)
    dropitems POSITION LIST ID...
    order POSITION LIST ID...
    choose POSITION CHOICE ID
    decide POSITION COUNT
    copy TO FROM                       the whole record
    play POSITION LIST ID STATE
    playto POSITION LIST ID STATE EXPECT   in a turn, and the cursor c goes there; EXPECT: it is there, or -
    alternate POSITION STATE MOVE
"""
import argparse
import copy
import random
import subprocess
import sys

OK, EPOSITION, EDROPPED, EDIFFERS, EFIRST, EDAMAGED, EINUSE = 0, 3, 4, 11, 10, 13, 16
ESTATE, ENOCURSOR, EEXPECTED, ENOCANDIDATE, ECANDIDATE, EDECISION = 6, 48, 49, 57, 58, 59
CANDIDATES, DECISIONS = 2, 3
OPEN, NONE, MADE = range(3)


class Refused(Exception):
    pass


class Item:
    def __init__(self, word):
        move, self.text, self.analysis = word.split(":")
        self.move = int(move) if move else None
        self.id, self.properties = None, {}

    def show(self, leads):
        return "%d:%s:%s:%s:%s:%s" % (
            self.id, "" if self.move is None else self.move, self.text, self.analysis,
            ",".join("%s=%s" % p for p in self.properties.items()),
            "" if leads is None else leads)


class Record:
    def __init__(self):
        self.properties = {0: {}, 1: {}}
        self.items = {CANDIDATES: [], DECISIONS: []}
        self.given = {CANDIDATES: 0, DECISIONS: 0}
        self.choice, self.decided = (OPEN, 0), 0

    def is_empty(self):
        return not (any(self.properties.values()) or any(self.given.values()) or self.choice[0] != OPEN)

    def find(self, which, number):
        for item in self.items[which]:
            if item.id == number:
                return item
        raise Refused(ENOCANDIDATE)


def check(which, items):
    """A list as it would be."""
    for place, item in enumerate(items):
        if item.move is None and not item.text:
            raise Refused(ECANDIDATE)
        if item.analysis == "*" and (which == CANDIDATES or place == 0):
            raise Refused(ECANDIDATE)
    moves = [item.move for item in items if item.move is not None]
    if which == CANDIDATES and len(moves) != len(set(moves)):
        raise Refused(ECANDIDATE)


class Position:
    def __init__(self, number, prev, move, state):
        self.number, self.prev, self.move, self.state = number, prev, move, state
        self.branches, self.record, self.ring = [], Record(), None

    def branch(self, move):
        return next((p for p in self.branches if p.move == move), None)


class Session:
    def __init__(self):
        self.all = [Position(0, None, 0, "a0")]
        self.gone = set()
        self.kept = None
        self.cursor = None

    def at(self, number):
        if number >= len(self.all):
            raise Refused(EPOSITION)
        if number in self.gone:
            raise Refused(EDROPPED)
        return self.all[number]

    def make(self, prev, move, state):
        p = prev.branch(move)
        if p is None:
            p = Position(len(self.all), prev, move, state)
            self.all.append(p)
        else:
            prev.branches.remove(p)
        prev.branches.insert(0, p)
        return p

    # ---- operations: what they answer --------------------------------------------------------

    def add(self, prev, move, state):
        return self.make(self.at(int(prev)), int(move), state).number

    def drop(self, position):
        top = self.at(int(position))
        if top.prev is None:
            raise Refused(EFIRST)
        below, left = [], [top]
        while left:
            p = left.pop()
            below.append(p)
            left += p.branches
        self.kept = (top, [(p, p.ring and list(p.ring)) for p in below])
        top.prev.branches.remove(top)
        for p in below:
            self.gone.add(p.number)
            self.leave(p)
        if self.cursor in self.gone:
            self.cursor = top.prev.number
        return len(below)

    def leave(self, p):
        if p.ring is None:
            return
        p.ring.remove(p)
        if len(p.ring) == 1:
            p.ring[0].ring = None
        p.ring = None

    def restore(self):
        if self.kept is None:
            raise Refused(EDAMAGED)
        top, below = self.kept
        if top.prev.number in self.gone:
            raise Refused(EDROPPED)
        if top.number not in self.gone:
            raise Refused(EINUSE)
        if top.prev.branch(top.move):
            raise Refused(EDIFFERS)
        top.prev.branches.insert(0, top)
        for p, _ in below:
            self.gone.remove(p.number)
        for p, ring in sorted(below, key=lambda b: b[0].number):
            if ring is None or p.ring is not None:
                continue
            there = [q for q in ring if q.number not in self.gone and q is not p]
            joined = next((q.ring for q in there if q.ring is not None), None)
            if joined is None and there:
                joined = [there[0]]
                there[0].ring = joined
            if joined is None:
                continue
            p.ring = joined
            joined.append(p)
            joined.sort(key=lambda q: q.number)
        return len(below)

    def property(self, position, of, number, name, value):
        p, of, number = self.at(int(position)), int(of), int(number)
        if of == 1 and p.prev is None:
            raise Refused(EFIRST)
        if of < 2:
            if number:
                raise Refused(ENOCANDIDATE)
            where = p.record.properties[of]
        else:
            where = p.record.find(of, number).properties
        if value == "-":
            where.pop(name, None)
        else:
            where[name] = value

    def items(self, position, which, place, *words):
        record, which = self.at(int(position)).record, int(which)
        new = [Item(word) for word in words]
        there = record.items[which]
        place = min(int(place), len(there))
        whole = there[:place] + new + there[place:]
        if which == DECISIONS and new and not place and there and there[0].analysis == "*":
            raise AssertionError
        check(which, whole)
        first = record.given[which] + 1
        for item in new:
            record.given[which] += 1
            item.id = record.given[which]
        record.items[which] = whole
        if new and which == CANDIDATES and record.choice[0] == NONE:
            record.choice = (OPEN, 0)
        if new and which == DECISIONS:
            record.decided = min(record.decided, place)
        return first

    def set(self, position, which, number, parts, word):
        record, which, parts = self.at(int(position)).record, int(which), int(parts)
        item, given = record.find(which, int(number)), Item(word)
        new = copy.copy(item)
        if parts & 1:
            new.move = given.move
        if parts & 2:
            new.text = given.text
        if parts & 4:
            new.analysis = given.analysis
        whole = [new if i is item else i for i in record.items[which]]
        check(which, whole)
        record.items[which] = whole

    def dropitems(self, position, which, *numbers):
        record, which = self.at(int(position)).record, int(which)
        numbers = [int(n) for n in numbers]
        if len(set(numbers)) != len(numbers):
            raise Refused(ECANDIDATE)
        for number in numbers:
            record.find(which, number)
        there = record.items[which]
        left = [i for i in there if i.id not in numbers]
        if which == CANDIDATES and record.choice[0] == MADE and record.choice[1] in numbers:
            record.choice = (OPEN, 0)
        if which == DECISIONS and numbers:
            before = next(k for k, i in enumerate(there) if i.id in numbers)
            record.decided = min(record.decided, before)
            if left and left[0].analysis == "*":
                left[0].analysis = there[0].analysis
        record.items[which] = left
        return len(numbers)

    def order(self, position, which, *numbers):
        record, which = self.at(int(position)).record, int(which)
        numbers, there = [int(n) for n in numbers], record.items[which]
        if sorted(numbers) != sorted(i.id for i in there):
            raise Refused(ECANDIDATE)
        whole = [record.find(which, n) for n in numbers]
        check(which, whole)
        if which == DECISIONS:
            same = 0
            while same < len(there) and there[same] is whole[same]:
                same += 1
            if same < len(there):
                record.decided = min(record.decided, same)
        record.items[which] = whole

    def choose(self, position, choice, number):
        record, choice, number = self.at(int(position)).record, int(choice), int(number)
        if choice == NONE and record.items[CANDIDATES]:
            raise Refused(ECANDIDATE)
        if choice == MADE:
            record.find(CANDIDATES, number)
        record.choice = (choice, number if choice == MADE else 0)

    def decide(self, position, count):
        record = self.at(int(position)).record
        if int(count) > len(record.items[DECISIONS]):
            raise Refused(ECANDIDATE)
        record.decided = int(count)

    def copy(self, to, source):
        p, source = self.at(int(to)), self.at(int(source))
        if p.prev is None and source.record.properties[1]:
            raise Refused(EFIRST)
        given, empty = p.record.given, source.record.is_empty()
        p.record = copy.deepcopy(source.record)
        if not empty:
            p.record.given = {which: max(n, p.record.given[which]) for which, n in given.items()}

    def play(self, position, which, number, state):
        p, which = self.at(int(position)), int(which)
        record = p.record
        item = record.find(which, int(number))
        there, place = p, record.items[which].index(item)
        if which == DECISIONS:
            for before in record.items[which][:place]:
                there = None if before.move is None else there.branch(before.move)
                if there is None:
                    raise Refused(EDECISION)
        move = item.move
        if move is None:
            taken = {q.move for q in there.branches}
            taken |= {i.move for i in there.record.items[CANDIDATES]}
            move = next(m for m in range(1000) if m not in taken)
        if state == "-" and there.branch(move) is None:
            raise Refused(ESTATE)
        item.move = move
        if which == CANDIDATES:
            record.choice = (MADE, item.id)
        else:
            record.decided = max(record.decided, place + 1)
        return self.make(there, move, state).number

    def playto(self, position, which, number, state, expect):
        self.at(int(position))
        if expect != "-" and self.cursor is None:
            raise Refused(ENOCURSOR)
        if expect != "-" and int(expect) >= len(self.all):
            raise Refused(EPOSITION)
        if expect != "-" and self.cursor != int(expect):
            raise Refused(EEXPECTED)
        self.cursor = self.play(position, which, number, state)
        return self.cursor

    def alternate(self, position, state, move):
        p = self.at(int(position))
        if state[0] != p.state[0]:
            raise Refused(EDIFFERS)
        ring = p.ring or [p]
        for q in [p] + ring:
            if q.state == state:
                return q.number
        first = ring[0]
        if move == "-":
            taken = {i.move for i in first.record.items[CANDIDATES]}
            move = next(-m for m in range(1, 1000) if first.branch(-m) is None and -m not in taken)
        if first.branch(int(move)):
            raise Refused(EDIFFERS)
        made = self.make(first, int(move), state)
        p.ring = ring
        made.ring = ring
        ring.append(made)
        return made.number

    # ---- what there is -----------------------------------------------------------------------

    def show_position(self, p):
        r, at = p.record, p
        candidates = [i.show(self.number(p.branch(i.move))) for i in r.items[CANDIDATES]]
        decisions = []
        for item in r.items[DECISIONS]:
            at = at.branch(item.move) if at and item.move is not None else None
            decisions.append(item.show(self.number(at)))
        return "%d %s %s %s %d,%d %d %s %s %s" % (
            p.number, self.number(p.prev), self.names(r.properties[0]), self.names(r.properties[1]),
            r.choice[0], r.choice[1], r.decided, "|".join(candidates), "|".join(decisions),
            ",".join(str(q.number) for q in p.ring or [p]))

    @staticmethod
    def number(p):
        return None if p is None else p.number

    @staticmethod
    def names(properties):
        return ",".join("%s=%s" % p for p in properties.items())

    def answer(self, line):
        words = line.split()
        try:
            value = getattr(self, words[0])(*words[1:])
            code = OK
        except Refused as refused:
            code, value = refused.args[0], None
        return "%d %s %s; %s" % (code, 0 if value is None else value, self.cursor,
                                 "; ".join(self.show_position(p) for p in self.all
                                           if p.number not in self.gone))


# ---- scripts -----------------------------------------------------------------------------------

def draw_item(r):
    return "%s:%s:%s" % (r.choice(["", "", *map(str, range(-2, 12))]),
                         r.choice(["", "a", "bb", "24/18", "double"]),
                         r.choice(["", "", "x", "y", "*"]))


def draw_ids(r, session, position, which, whole):
    if position >= len(session.all):
        return []
    there = [i.id for i in session.all[position].record.items[which]]
    ids = r.sample(there, len(there) if whole else r.randint(0, min(3, len(there))))
    if r.random() < 0.1:
        ids.append(r.randint(0, 9))
    return ids


def draw(r, session):
    """A line; mostly what can be done."""
    there = [p.number for p in session.all if p.number not in session.gone]
    position = r.choice(there) if r.random() < 0.95 else r.randint(0, len(session.all))
    if r.random() < 0.4:
        position = 0
    which = r.choice([CANDIDATES, DECISIONS])
    one = (draw_ids(r, session, position, which, True) or [1])[0]
    name = r.choice(["add", "drop", "restore", "property", "property", "property", "items", "items",
                     "items", "set", "set", "set", "dropitems", "order", "order", "choose",
                     "decide", "copy", "play", "play", "play", "playto", "playto", "alternate", "alternate"])
    state = r.choice("ab") + r.choice("0123")
    rest = {
        "add": lambda: [position, r.randint(0, 5), state],
        "drop": lambda: [position if r.random() < 0.4 else 0],
        "restore": lambda: [],
        "property": lambda: (
            [position, which, one] if r.random() < 0.5 else
            [position, r.randint(0, 1), int(r.random() < 0.05)])
        + [r.choice(["k", "mm", "n"]), r.choice(["-", "v", "wwww", "u" * r.randint(1, 200)])],
        "items": lambda: [position, which, r.choice([0, 1, 2, 9]),
                          *(draw_item(r) for _ in range(r.choice([0, 1, 1, 1, 2, 3])))],
        "set": lambda: [position, which, one, r.randint(0, 7), draw_item(r)],
        "dropitems": lambda: [position, which, *draw_ids(r, session, position, which, False)],
        "order": lambda: [position, which, *draw_ids(r, session, position, which, True)],
        "choose": lambda: [position, *r.choice([(0, 0), (1, 0), (2, one), (2, one), (2, one)])],
        "decide": lambda: [position, r.randint(0, 4)],
        "copy": lambda: [position, r.choice(there)],
        "play": lambda: [position, which, one, r.choice([state, state, "-"])],
        "playto": lambda: [position, which, one, r.choice([state, state, "-"]),
                           r.choice(["-", "-", "-" if session.cursor is None else session.cursor, r.choice(there)])],
        "alternate": lambda: [position, (session.all[position].state[0]
                                         if position < len(session.all) and r.random() < 0.9
                                         else "b") + r.choice("0123456"),
                              r.choice(["-", "-", r.randint(-3, 5)])],
    }[name]()
    return " ".join(map(str, [name, *rest]))


def run(runner, lines):
    done = subprocess.run([runner], input="\n".join(lines) + "\n", capture_output=True, text=True,
                          check=False)
    answers = done.stdout.split("\n")[:-1]
    return answers, None if done.returncode == 0 else "exit %d\n%s" % (done.returncode,
                                                                       done.stderr[-3000:])


def differs(runner, lines):
    """(place, expected, got) or None."""
    session = Session()
    expected = [session.answer(line) for line in lines]
    got, wrong = run(runner, lines)
    for place, answer in enumerate(expected):
        if place >= len(got) or got[place] != answer:
            return place, answer, got[place] if place < len(got) else wrong
    return (len(lines), "exit 0", wrong) if wrong else None


def cut_down(runner, lines):
    lines = lines[:differs(runner, lines)[0] + 1]
    place = len(lines) - 2
    while place >= 0:
        fewer = lines[:place] + lines[place + 1:]
        if differs(runner, fewer):
            lines = fewer
        place -= 1
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--scripts", type=int, default=100)
    parser.add_argument("--ops", type=int, default=80)
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    codes = {}
    for number in range(seed, seed + options.scripts):
        r, session, lines = random.Random(number), Session(), []
        for _ in range(options.ops):
            lines.append(draw(r, session))
            code = session.answer(lines[-1]).split()[0]
            key = lines[-1].split()[0], code
            codes[key] = codes.get(key, 0) + 1
        if differs(options.runner, lines):
            lines = cut_down(options.runner, lines)
            place, expected, got = differs(options.runner, lines)
            sys.exit("seed %d\n%s\nexpected %s\ngot      %s" % (number, "\n".join(lines), expected,
                                                              got))
    print("%d scripts from seed %d agree" % (options.scripts, seed))
    for key in sorted(codes):
        print("  %s %s: %d" % (*key, codes[key]))


if __name__ == "__main__":
    main()
