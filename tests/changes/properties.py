"""Random schemas, random lines, grafting: boards are found equal if a brute-force comparison finds them
so; boards stay what they were wherever they are moved; every line fits where it stands then."""
import random

from changes import (ELINE, EKIND, addchanges, error_of, getdiff, gettable, harness, run, served,
                     serving, states)


class Schema:
    """A random one, and what its lines do to a plain table, by itself."""

    def __init__(self, rng):
        self.fields = ["f%d" % i for i in range(rng.randint(1, 4))]
        self.defaults = {f: rng.choice([0, "", None, [1], 2.5, False]) for f in self.fields}
        self.board = {f: i == 0 or rng.random() < 0.8 for i, f in enumerate(self.fields)}
        places = rng.sample(range(2, 20), 2 * len(self.fields))
        self.id = 1
        self.old = dict(zip(self.fields, places))
        self.new = dict(zip(self.fields, places[len(self.fields):]))
        self.told = rng.sample(self.fields, rng.randint(1, len(self.fields)))  # by change

    def form(self):
        def parts(which, fields):
            return {f: which[f] for f in fields}
        return {"version": 1,
                "objects": {f: {"default": self.defaults[f], "board": self.board[f]}
                            for f in self.fields},
                "level": {"sun": {"default": 0}},
                "kinds": {"change": {"type": "change", "id": 1, "old": parts(self.old, self.told),
                                     "new": parts(self.new, self.told)},
                          "make": {"type": "create", "id": 1, "new": parts(self.new, self.fields)},
                          "take": {"type": "remove", "id": 1, "old": parts(self.old, self.fields)},
                          "sun": {"type": "level", "old": {"sun": 1}, "new": {"sun": 2}},
                          "say": {"type": "opaque"}}}

    def line(self, kind, id, old=None, new=None):
        items = {}
        for told, at in ((old, self.old), (new, self.new)):
            items.update({at[f]: v for f, v in (told or {}).items()})
        return [kind, id] + [items.get(p) for p in range(2, max(items, default=1) + 1)]

    def draw(self, rng, table, fresh):
        """A line that fits the table, and is done to it."""
        ids = list(table["objects"])
        kind = rng.choice(["change"] * 4 + ["make", "take", "sun", "say"])
        values = [0, 1, "a", None, 2.5, [0, {"k": b"x"}], True]
        if kind == "say":
            return ["say", rng.random()]
        if kind == "sun":
            new = rng.randrange(3)
            line = ["sun", table["level"]["sun"], new]
            table["level"]["sun"] = new
        elif kind == "make" or not ids:
            id = fresh()
            row = {f: rng.choice(values) for f in self.fields}
            line, table["objects"][id] = self.line("make", id, new=row), row
        else:
            id = rng.choice(ids)
            row = table["objects"][id]
            if kind == "take":
                line = self.line("take", id, old=table["objects"].pop(id))
            else:
                new = {f: rng.choice(values) for f in self.told}
                line = self.line("change", id, {f: row[f] for f in self.told}, new)
                row.update(new)
        return line

    def get(self, line, at, fields):
        return {f: line[at[f]] if at[f] < len(line) else None for f in fields}

    def do(self, table, line, undone):
        """Does or undoes a line, which must fit."""
        old, new = (self.new, self.old) if undone else (self.old, self.new)
        objects, kind = table["objects"], line[0]
        if kind == "sun":
            a, b = (2, 1) if undone else (1, 2)
            assert table["level"]["sun"] == line[a], line
            table["level"]["sun"] = line[b]
        elif kind == "change":
            row = objects[line[1]]
            assert same({f: row[f] for f in self.told}, self.get(line, old, self.told)), line
            row.update(self.get(line, new, self.told))
        elif kind in ("make", "take"):
            comes = (kind == "make") != undone
            told = self.get(line, self.new if kind == "make" else self.old, self.fields)
            if comes:
                assert line[1] not in objects, line
                objects[line[1]] = told
            else:
                assert same(objects.pop(line[1]), told), line

    def board_of(self, table):
        rows = sorted(repr([norm(r[f]) for f in self.fields if self.board[f]])
                      for r in table["objects"].values())
        return repr((rows, table["level"]))


def norm(value):
    """Numbers are equal by value, strings and bytes by their bytes; booleans are no numbers."""
    if isinstance(value, bool) or value is None:
        return repr(value)
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [norm(v) for v in value]
    if isinstance(value, dict):
        return {norm(k): norm(v) for k, v in value.items()}
    return value


def same(a, b):
    return {k: norm(v) for k, v in a.items()} == {k: norm(v) for k, v in b.items()}


def copy_of(table):
    return {"objects": {k: dict(v) for k, v in table["objects"].items()},
            "level": dict(table["level"])}


class Game:
    def __init__(self, rpc, seed, graft):
        self.rng = random.Random(seed)
        self.rpc, self.schema = rpc, Schema(self.rng)
        self.session = rpc.call("beginchanges", self.schema.form(), {})["session"]
        rpc.call("setgraftbehavior", self.session, graft)
        self.top = 0
        self.boards = {0: self.schema.board_of(self.table(0))}
        self.renamed = 0

    def fresh(self):
        """Now and then an id that is taken elsewhere."""
        self.top += 1
        return self.top

    def table(self, number):
        table = gettable(self.rpc, self.session, number)
        return {"objects": table["objects"], "level": table["level"]}

    def turn(self):
        rng = self.rng
        prev = rng.choice(list(self.boards)[-12:] + [0])
        table = self.table(prev)
        free = iter(range(1, 1000))

        def fresh():
            if rng.random() < 0.5:
                return next(i for i in free if i not in table["objects"])
            while True:
                id = self.fresh()
                if id not in table["objects"]:
                    return id
        lines = [self.schema.draw(rng, table, fresh) for _ in range(rng.choice((1, 1, 1, 2, 4)))]
        answer = addchanges(self.rpc, self.session, prev, rng.randrange(10**6), lines)
        self.boards[answer["number"]] = self.schema.board_of(table)
        if answer["prev"] == prev and answer["new"]:
            assert self.schema.board_of(self.table(answer["number"])) == self.boards[answer["number"]]
        self.renamed += len(answer.get("renamed", []))

    def check_equality(self):
        state = states(self.rpc, self.session)
        groups = {}
        for number, board in self.boards.items():
            groups.setdefault(board, set()).add(state[number])
        assert all(len(g) == 1 for g in groups.values())
        assert len(set(state.values())) == len(groups)

    def check_boards(self):
        for number, board in self.boards.items():
            assert self.schema.board_of(self.table(number)) == board, number

    def check_jumps(self, count):
        for _ in range(count):
            a, b = (self.rng.choice(list(self.boards)) for _ in range(2))
            table = copy_of(self.table(a))
            for _, undone, lines, _ in getdiff(self.rpc, self.session, a, b,
                                               self.rng.choice((1, 2, 1000))):
                for line in lines:
                    self.schema.do(table, line, undone)
            there = self.table(b)
            assert table["level"] == there["level"]
            assert table["objects"].keys() == there["objects"].keys()
            assert all(same(r, there["objects"][i]) for i, r in table["objects"].items())


@served
def test_boards_are_equal_if_brute_force_says_so_and_lines_lead_everywhere(daemon, rpc):
    for seed in range(12):
        game = Game(rpc, seed, 0)
        for _ in range(60):
            game.turn()
        game.check_equality()
        game.check_boards()
        game.check_jumps(30)


@served
def test_grafting_leaves_every_board_and_every_line_fits_where_it_stands_then(daemon, rpc):
    renamed = 0
    for seed in range(100, 130):
        game = Game(rpc, seed, 1)
        for _ in range(60):
            game.turn()
        game.check_equality()
        game.check_boards()
        game.check_jumps(30)
        renamed += game.renamed
    assert renamed > 0


BABA = {"objects": [[1, {"name": "baba"}]]}


def update(name, x, was, id):
    return ["update", name, x, 0, 0, was, 0, 0, id, 0]


def create(id, name="rock"):
    return ["create", name, id, -1, "create", 0, 0, 0]


@served
def test_ids_that_are_others_where_a_branch_is_grafted_are_told(daemon, rpc):
    s = rpc.call("beginchanges", "baba", {"table": BABA})["session"]
    long = addchanges(rpc, s, 0, 1, [update("baba", 1, 0, 1)])["number"]
    long = addchanges(rpc, s, long, 1, [create(7), update("baba", 0, 1, 1)])["number"]
    below = addchanges(rpc, s, long, 1, [update("rock", 3, 0, 7), create(8),
                                         ["holder", 1, 0, 7]])["number"]
    answer = addchanges(rpc, s, 0, 2, [create(8)])
    assert answer["grafted"] == {"from": long, "to": answer["number"]}
    assert answer["renamed"] == [[7, 8], [8, 9]]
    told = rpc.call("getlines", s, below)["lines"]
    assert told == [update("rock", 3, 0, 8), create(9), ["holder", 1, 0, 8]]
    objects = gettable(rpc, s, below)["objects"]
    assert sorted(objects) == [1, 8, 9] and objects[1]["holder"] == 8 and objects[8]["x"] == 3


def test_a_subtree_comes_back_if_its_lines_still_fit():
    with harness.Folder() as folder, serving("--store", folder / "store") as daemon, \
            daemon.connect() as rpc:
        s = rpc.call("beginchanges", "baba", {"table": BABA, "name": "game"})["session"]
        a = addchanges(rpc, s, 0, 1, [create(7)])["number"]
        b = addchanges(rpc, s, a, 1, [update("rock", 3, 0, 7)])["number"]
        before = gettable(rpc, s, b)
        key = rpc.call("dropsubtree", s, a)["key"]
        assert rpc.call("getsessionsize", s) == 1
        rpc.call("restoresubtree", s, key)
        assert gettable(rpc, s, b) == before and rpc.call("getsessionsize", s) == 3
        assert rpc.call("getlines", s, b)["lines"] == [update("rock", 3, 0, 7)]


@served
def test_what_needs_states_is_refused(daemon, rpc):
    s = rpc.call("beginchanges", "baba", {"table": BABA})["session"]
    assert error_of(rpc, "addposition", s, 0, 1, bytes(20), 0, 1) in (EKIND, 12)
    assert error_of(rpc, "suppresscycle", s, 0, bytes(20), 1) == EKIND
    assert error_of(rpc, "updatesavedstate", s, 0, bytes(20)) == EKIND
    assert error_of(rpc, "addchanges", s, 0, 1, [["update", "baba"]], 0, 1) == ELINE


if __name__ == "__main__":
    run()
