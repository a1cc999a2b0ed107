"""Operations: as bytes, and drawn at random.

decode() reads the form that core/README.md describes, on its own: it shares nothing with the engine."""
import collections

SIZE, CMPSIZE = 8, 3
CLASSES = 40   # states that differ in what counts
CURSORS = ("a", "b", "c")
NONE = 0xFFFFFFFF

(ADD, NEXT, DROP, GRAFT, UPDATE, SETBETTER, CYCLE, DUPLICATE, CLEAR, PROPERTY, DROPTREE, RESTORE, CURSOR,
 TURN) = range(1, 15)
GOTO, UNDO, REDO, MOVE, BRANCHBACK, BRANCHFORTH, BETTER, SOLUTION, UNDOMINE, DROPCURSOR = range(10)
STEPS = {"branchback": BRANCHBACK, "branchforth": BRANCHFORTH, "better": BETTER, "solution": SOLUTION}

# The arguments of each kind, in the order in which they are encoded.
ARGUMENTS = {
    ADD: ("position", "move", "endpoint", "value", "state"), NEXT: ("position", "move"),
    DROP: ("position",), GRAFT: ("value",), UPDATE: ("position", "state"), SETBETTER: (),
    CYCLE: ("position", "value", "state"), DUPLICATE: ("position", "source"), CLEAR: (),
    PROPERTY: ("name", "state"), DROPTREE: ("position",), RESTORE: ("position", "state"),
    CURSOR: ("maybe position", "maybe source", "move", "value", "name"), TURN: ("state",)}

Operation = collections.namedtuple("Operation", "kind author uid name time key arguments")


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def bytes(self, size):
        self.at += size
        assert self.at <= len(self.data), "an operation ends early"
        return self.data[self.at - size:self.at]

    def argument(self, what):
        if what in ("position", "source"):
            return self.number()
        if what in ("maybe position", "maybe source"):
            value = self.number()
            return None if value == 0 else value - 1
        if what == "name":
            return self.bytes(self.number())
        if what == "state":
            return self.bytes(len(self.data) - self.at)
        return self.signed()


def decode(data):
    r = Reader(data)
    head = r.bytes(1)[0]
    author = uid = name = time = key = None
    if head & 128:
        author = r.number()
        if not author:
            uid, name = r.number(), r.bytes(r.number())
        time = r.number()
    if head & 64:
        key = r.bytes(r.number())
    kind = head & 63
    arguments = tuple(r.argument(what) for what in ARGUMENTS[kind])
    assert r.at == len(data), "bytes after an operation"
    return Operation(kind, author, uid, name, time, key, arguments)


def decode_turn(state):
    """[(after, operation)]"""
    r = Reader(state)
    return [(r.number(), decode(r.bytes(r.number()))) for _ in range(r.number())]


class Draw:
    """Draws what to ask for. `made`: about how many positions there have been; `kept`: keys of dropped
    subtrees, shared by all who draw."""

    def __init__(self, rng, who, kept):
        self.rng, self.who, self.kept = rng, who, kept
        self.made = 1
        self.count = 0
        self.newest = 0
        self.cursors = {}   # where they were last seen, for expect

    def state(self):
        """What counts is one of a few; the rest is of this client alone, and never twice."""
        self.count += 1
        return (bytes([0, 0, self.rng.randrange(CLASSES), self.who]) +
                self.count.to_bytes(SIZE - 4, "big"))

    def position(self):
        rng = self.rng
        what = rng.random()
        if what < 0.45:
            return min(self.newest, self.made - 1)
        if what < 0.8:
            return max(0, self.made - 1 - rng.randrange(30))
        return rng.randrange(self.made + 1)

    def endpoint(self):
        return self.rng.choice((1, 2, -1)) if self.rng.random() < 0.06 else 0

    def add(self, prev):
        rng = self.rng
        return [prev, rng.randrange(5), self.state(), self.endpoint(), rng.choice((1, 1, 1, 1, 0, 2))]

    def turn(self):
        adds = [self.add(self.position())]
        for i in range(1, self.rng.choice((1, 2, 3, 6))):
            after = -1 - self.rng.randrange(i) if self.rng.random() < 0.2 else -i
            adds.append(self.add(after if self.rng.random() < 0.8 else self.position()))
        return adds

    def expect(self, options, cursor):
        if self.rng.random() < 0.4 and cursor in self.cursors:
            options["expect"] = self.cursors[cursor]
        return options

    def with_cursor(self):
        if self.rng.random() < 0.7:
            return {}
        cursor = self.rng.choice(CURSORS)
        return self.expect({"cursor": cursor}, cursor)

    def request(self):
        """(method, params after the session, options)"""
        rng = self.rng
        kind = rng.choices(
            ("add", "turn", "next", "drop", "tree", "restore", "graft", "update", "setbetter", "cycle", "dup",
             "clear", "property", "cursor"), (40, 8, 6, 7, 2, 3, 3, 4, 2, 4, 3, 1, 3, 14))[0]
        if kind == "add":
            return "addposition", self.add(self.position()), self.with_cursor()
        if kind == "turn":
            return "addpositions", [self.turn()], self.with_cursor()
        if kind == "next":
            return "getnextposition", [self.position(), rng.randrange(5)], {}
        if kind == "drop":
            return "dropposition", [self.position()], {}
        if kind == "tree":
            return "dropsubtree", [self.position()], {}
        if kind == "restore" and self.kept:
            return "restoresubtree", [self.kept[-1 - rng.randrange(min(3, len(self.kept)))]], {}
        if kind == "graft":
            return "setgraftbehavior", [rng.randrange(4)], {}
        if kind == "update":
            return "updatesavedstate", [self.position(), self.state()], {}
        if kind == "cycle":
            return "suppresscycle", [self.position(), self.state(), rng.randrange(4)], {}
        if kind == "dup":
            return "duplicatepath", [self.position(), self.position()], {}
        if kind == "clear":
            return "clearsessionchanged", [], {}
        if kind == "property":
            value = rng.choice((None, self.count, "text %d" % self.count, [self.who, {"n": self.count}]))
            return "setproperty", ["p%d" % rng.randrange(4), value], {}
        if kind == "cursor":
            return self.cursor()
        return "setbetterfields", [], {}

    def cursor(self):
        rng = self.rng
        name = rng.choice(CURSORS)
        what = rng.choice(("set", "set", "undo", "undo", "undo", "redo", "redo", "move", "step", "drop"))
        options = self.expect({}, name)
        if what == "set":
            return "setcursor", [name, self.position()], options
        if what == "undo":
            options.update(n=rng.randint(1, 4), mine=rng.random() < 0.3)
            return "undo", [name], options
        if what == "redo":
            return "redo", [name], dict(options, n=rng.randint(1, 4))
        if what == "move":
            return "redo", [name], dict(options, move=rng.randrange(5))
        if what == "step":
            return "movecursor", [name, rng.choice(sorted(STEPS))], dict(options, n=rng.randint(1, 3))
        if rng.random() < 0.5:
            return "dropcursor", [name], {}
        return "setcursor", [name, self.position()], options


def cursor_arguments(method, params, options):
    """What the operation of such a request has for arguments: (position, source, move, value, name)."""
    name, expect = params[0].encode(), options.get("expect")
    if method == "setcursor":
        return params[1], expect, 0, GOTO, name
    if method == "dropcursor":
        return None, None, 0, DROPCURSOR, name
    if method == "undo":
        return None, expect, options.get("n", 1), UNDOMINE if options.get("mine") else UNDO, name
    if method == "redo":
        along = "move" in options
        return None, expect, options["move"] if along else options.get("n", 1), MOVE if along else REDO, name
    return None, expect, options.get("n", 1), STEPS[params[1]], name


def check_add(operation, add):
    """Whether the operation is this add; a prev below 0, which is told beside it, is left out."""
    prev, move, state, endpoint, check = add
    return operation.kind == ADD and operation.arguments == (max(prev, 0), move, endpoint, check, state)


def check_turn(operation, adds, options):
    if operation.kind != TURN:
        return False
    items = decode_turn(operation.arguments[0])
    cursor = "cursor" in options
    if len(items) != len(adds) + cursor:
        return False
    if cursor:
        after, last = items.pop()
        if after != len(adds) or last.kind != CURSOR or last.arguments != (
                0, options.get("expect"), 0, GOTO, options["cursor"].encode()):
            return False
    return all(after == max(0, -add[0]) and check_add(item, add) for (after, item), add in zip(items, adds))


def is_that(operation, method, params, options):
    """Whether the operation is what this request asks for."""
    kind, arguments = operation.kind, operation.arguments
    if method == "addposition" and "cursor" in options:
        return check_turn(operation, [params], options)
    if method == "addposition":
        return check_add(operation, params)
    if method == "addpositions":
        return check_turn(operation, params[0], options)
    if method in ("setcursor", "dropcursor", "undo", "redo", "movecursor"):
        return kind == CURSOR and arguments == cursor_arguments(method, params, options)
    if method == "setproperty":  # the value is compared as it is told in the end
        return kind == PROPERTY and arguments[0] == params[0].encode()
    if method == "restoresubtree":
        return kind == RESTORE
    expected = {"getnextposition": (NEXT, 0, 1), "dropposition": (DROP, 0), "dropsubtree": (DROPTREE, 0),
                "setgraftbehavior": (GRAFT, 0), "updatesavedstate": (UPDATE, 0, 1), "setbetterfields": (SETBETTER,),
                "suppresscycle": (CYCLE, 0, 2, 1), "duplicatepath": (DUPLICATE, 0, 1),
                "clearsessionchanged": (CLEAR,)}[method]
    return (kind, *arguments) == (expected[0], *(params[i] for i in expected[1:]))
