"""Random scripts for a branching history, without answers.

    scriptgen.py [--seed N] [--scripts N] [--ops N] [--profile NAME]

Prints one script a line, in the form described in cases/README.md, with steps
that hold `op` only and dumps (`{"dump": null}`) between. The same seed gives the
same scripts; the seed is printed to stderr. About one position for every two
ops: for sessions of 5,000 positions ask for 10,000 ops.
"""

import argparse
import json
import random
import sys

import model

ENDPOINTS = (1, 2, 3, 127, -1, -128)
BAD_ENDPOINTS = (200, 256, 128, -129, 1000, -100000)
BAD_CHECKS = (3, -1, 99, 256)
BAD_GRAFTS = (4, -1, 77, 256, 257)
LIMITS = (-1, 0, 1, 2, 3, 8, 100)
ODD_MOVES = (-1, 99, 2**31 - 1, -2**31, 65536)

# How often each op is drawn, and how an added position is checked (no, check,
# later); `wild` draws states at random, `beyond` goes on after endpoints, `prune`
# lets cycle prune; `wide` has many moves, most of them at a few positions; `deep`: how often the next op goes on from the newest position.
PROFILES = {
    "play": dict(add=60, next=6, dup=3, graft=2, cycle=8, changed=1, clear=1,
                 update=1, check=(0, 1, 0), deep=0.8),
    "drop": dict(add=60, next=5, dup=2, graft=1, drop=14, changed=1, clear=1,
                 check=(0, 1, 0), deep=0.75),
    "cycle": dict(add=50, next=4, dup=1, graft=1, cycle=30, drop=2, prune=1,
                  check=(0, 1, 0), deep=0.85),
    "load": dict(add=70, next=3, graft=1, setbetter=3, drop=2, dup=1, update=2,
                 check=(4, 1, 4), deep=0.7),
    "mixed": dict(add=60, next=5, dup=4, graft=2, drop=6, cycle=8, setbetter=3,
                  update=2, changed=1, clear=1, prune=1, check=(2, 6, 2), deep=0.75),
    "graft": dict(add=80, graft=1, next=4, dup=2, drop=3, check=(1, 8, 1), deep=0.9),
    "maze": dict(add=90, graft=3, next=5, dup=2, drop=2, setbetter=1, cycle=1,
                 check=(1, 12, 1), deep=0.8, maze=1, beyond=1),
    "beyond": dict(add=60, next=3, dup=5, graft=3, drop=6, cycle=10, setbetter=2,
                   prune=1, check=(1, 6, 1), deep=0.8, beyond=1),
    "wide": dict(add=60, next=10, dup=2, graft=1, drop=25, setbetter=1, update=1,
                 check=(1, 6, 1), deep=0.1, wide=1, beyond=1),
    "wild": dict(add=60, next=5, dup=6, graft=3, drop=8, cycle=10, setbetter=3,
                 update=2, changed=1, clear=1, prune=1, check=(2, 4, 2), deep=0.6,
                 wild=1, beyond=1),
}
OPS = ("add", "next", "drop", "graft", "cycle", "dup", "setbetter", "update",
       "clear", "changed")

# With what not every runner knows: cursors, turns, authors, keys. `told`: how
# often an op has a stamp or a key; `again`: how often one with a key is repeated.
FURTHER = {
    "cursor": dict(add=25, next=3, graft=1, drop=5, droptree=1, cycle=2, prune=1, dup=2,
                   cursor=50, reload=1, check=(1, 5, 1), deep=0.7, told=0.2, beyond=1),
    "undo": dict(add=30, next=4, drop=6, cursor=60, reload=1, check=(1, 3, 0), deep=0.9,
                 told=0.5, beyond=1),
    "turn": dict(add=20, next=4, graft=2, drop=6, dup=2, setbetter=1, turn=40, cursor=20,
                 reload=1, check=(1, 4, 1), deep=0.8, told=0.4, again=0.05, beyond=1),
    "rooms": dict(add=40, graft=2, drop=3, turn=40, cursor=25, reload=1,
                  check=(1, 12, 1), deep=0.8, maze=1, told=0.2, beyond=1),
    "keys": dict(add=40, next=5, drop=8, droptree=1, dup=3, turn=15, cursor=20, reload=2,
                 check=(1, 4, 1), deep=0.7, told=0.95, again=0.2, beyond=1),
}
FURTHER_OPS = OPS + ("droptree", "cursor", "turn", "reload")
TOLD = ("add", "next", "drop", "droptree", "dup", "cursor", "turn")
USERS = ((0, "root"), (1000, "ann"), (1000, "bob"), (1001, "ann"), (4294967295, "\u00e4"))


class Game:
    """A small game: the next state is given by state and move."""

    def __init__(self, rng, states, moves):
        self.states, self.moves = states, moves
        self.table = [[rng.randrange(states) for _ in range(moves)]
                      for _ in range(states)]
        # Half of the games have moves that mostly can be taken back.
        if rng.random() < 0.5:
            for state in range(states):
                for move in range(0, moves - 1, 2):
                    self.table[self.table[state][move]][move + 1] = state
        self.corridor = 0
        self.ends = {state: rng.choice(ENDPOINTS) for state in range(1, states)
                     if rng.random() < rng.choice((0.05, 0.15))}


class Maze(Game):
    """A long corridor to a few rooms, with shortcuts: rooms are explored at a
    great depth first, then reached in few moves, so that grafting shortens a
    subtree past many equal positions."""

    def __init__(self, rng, states, moves):
        super().__init__(rng, states, moves)
        rooms = rng.randint(3, min(12, states - 2))
        self.corridor = corridor = states - rooms
        for state in range(corridor):
            self.table[state] = [max(0, state + rng.randint(-3, 1)) if rng.random() < 0.7
                                 else rng.randrange(corridor, states)
                                 for _ in range(moves)]
            self.table[state][0] = state + 1
        for state in range(corridor, states):
            self.table[state] = [rng.randrange(corridor, states) for _ in range(moves)]
        self.ends = {state: end for state, end in self.ends.items()
                     if rng.random() < 0.3}


class Generator:
    def __init__(self, seed, ops, profile=None, further=False):
        self.rng = rng = random.Random(seed)
        # The maze more often: what it is for seldom comes about.
        known = sorted(FURTHER) if further else sorted(PROFILES) + 3 * ["maze"]
        self.name = profile or rng.choice(known)
        self.profile = {**PROFILES, **FURTHER}[self.name]
        self.names = FURTHER_OPS if self.name in FURTHER else OPS
        self.keyed = []         # ops with a key, to be repeated
        self.ops = ops
        self.size = rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
        self.cmpsize = rng.choice((0, 0, self.size, rng.randint(1, self.size)))
        states = rng.randint(6, 60)
        if ops > 1000 and rng.random() < 0.7:
            states = rng.randint(60, 250)
        kind = Maze if self.profile.get("maze") else Game
        if kind is Maze:
            states = rng.randint(8, 24)
        moves = rng.randint(20, 60) if self.profile.get("wide") else rng.randint(2, 5)
        self.game = kind(rng, states, moves)
        self.filled = rng.random() < 0.5
        self.bad = rng.choice((0, 0.01, 0.04))
        self.current = 0

    def bytes_of(self, state):
        """A state of the game as hex: its byte is the last that counts, those
        before it are zero or follow from it."""
        count = self.cmpsize or self.size
        extra = bytes(self.rng.randrange(256) for _ in range(self.size - count))
        before = bytes((state * 37 + 11 * place) % 256 if self.filled else 0
                       for place in range(count - 1))
        return (before + bytes([state]) + extra).hex()

    def state_at(self, number):
        return self.session.positions[number].state[(self.cmpsize or self.size) - 1]

    def somewhere(self):
        positions = self.session.positions
        if self.profile.get("wide") and self.rng.random() < 0.8:
            return self.rng.choice([n for n in range(4) if n in positions])
        if self.current in positions and self.rng.random() < self.profile["deep"]:
            return self.current
        if self.rng.random() < 0.5:     # undo a few moves
            position = positions.get(self.current, positions[0])
            for _ in range(self.rng.randint(1, 8)):
                position = position.parent or position
            return position.number
        for _ in range(8):
            number = self.rng.randrange(self.session.made)
            if number in positions:
                return number
        return 0

    def no_position(self):
        gone = [n for n in (self.rng.randrange(self.session.made) for _ in range(8))
                if n not in self.session.positions]
        return self.rng.choice(gone + [self.session.made, self.session.made + 100, -1,
                                       2**31 - 1])

    def draw(self):
        """One op, fit to be applied."""
        rng, profile = self.rng, self.profile
        name = rng.choices(self.names, [profile.get(op, 0) for op in self.names])[0]
        here = self.somewhere()
        if name == "add":
            position = self.session.positions[here]
            if position.endpoint and not profile.get("beyond"):
                here = position.parent.number if position.parent else 0
            move = rng.randrange(self.game.moves)
            if self.state_at(here) < self.game.corridor and rng.random() < self.patience:
                move = 0        # on along the corridor
            if rng.random() < 0.01:
                move = rng.choice(ODD_MOVES)
            position = self.session.positions[here]
            if position.children and rng.random() < 0.1:    # a move made before
                move = rng.choice(position.children).move
            state = self.next_state(here, move)
            end = self.game.ends.get(state, 0)
            if profile.get("wild") and rng.random() < 0.1:
                end = rng.choice(ENDPOINTS + (0, 0))
            return ["add", here, move, self.bytes_of(state), end,
                    rng.choices((0, 1, 2), profile["check"])[0]]
        if name == "next":
            children = self.session.positions[here].children
            if children and rng.random() < 0.8:
                return ["next", here, rng.choice(children).move]
            return ["next", here, rng.choice((0, 1, 2, 99, -1))]
        if name == "drop":
            position = self.session.positions[here]
            while position.children and rng.random() < 0.9:
                position = rng.choice(position.children)
            return ["drop", position.number]
        if name == "graft":
            return ["graft", rng.randrange(4)]
        if name == "cycle":
            state = self.next_state(here, rng.randrange(self.game.moves))
            limit = rng.choice(LIMITS) if profile.get("prune") else rng.choice((-1, 0))
            return ["cycle", here, self.bytes_of(state), limit]
        if name == "dup":
            return self.draw_dup(here)
        if name == "cursor":
            return self.draw_cursor(here)
        if name == "turn":
            return self.draw_turn(here)
        if name == "droptree":
            return ["droptree", here]
        if name == "update":
            return ["update", here, self.bytes_of(rng.randrange(self.game.states))]
        return [name]

    def draw_expected(self, name):
        """Mostly not told; else mostly right."""
        cursor = self.session.cursors.get(name)
        if self.rng.random() < 0.8:
            return -1
        if cursor and self.rng.random() < 0.8:
            return cursor.position.number
        return self.rng.randrange(self.session.made)

    def draw_cursor(self, here):
        rng, session = self.rng, self.session
        name = rng.choice(("a", "b", "b\u00e4", "B"))
        step = rng.choice((0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 8))
        if rng.random() < 0.03:
            step = 9
        n = rng.choice((1, 1, 1, 2, 3, 5, 100))
        expect = self.draw_expected(name) if step != 9 else -1
        cursor = session.cursors.get(name)
        if step == 3:
            moves = [p.move for p in cursor.position.children] if cursor else []
            n = rng.choice(moves + [0, 1])
        elif cursor and step == 0 and rng.random() < 0.5:   # along its line, or its way
            here = rng.choice([p.number for p in cursor.position.line()] +
                              [n for n in cursor.way if n in session.positions])
        return ["cursor", name, step, n, here if step == 0 else -1, expect]

    def draw_turn(self, here):
        """Moves one after the other, some of them from elsewhere."""
        rng, adds, states = self.rng, [], []
        for place in range(rng.choice((1, 1, 2, 3, 5, 8))):
            after = place if rng.random() < 0.8 else rng.randint(0, place)
            prev = 0 if after else here if rng.random() < 0.7 else self.somewhere()
            moves = [p.move for p in self.session.positions[prev].children]
            move = rng.randrange(self.game.moves)
            if not after and moves and rng.random() < 0.3:
                move = rng.choice(moves)
            start = states[after - 1] if after else self.state_at(prev)
            state = self.game.table[start][move] if 0 <= move < self.game.moves else 0
            states.append(state)
            adds.append([after, prev, move, self.bytes_of(state), self.game.ends.get(state, 0),
                         rng.choices((0, 1, 2), self.profile["check"])[0]])
        cursor = None
        if rng.random() < 0.7:
            name = rng.choice(("a", "b"))
            cursor = [name, len(adds), 0, self.draw_expected(name)]
        return ["turn", adds, cursor]

    def tell(self, op):
        """Who says so, and under which key."""
        rng = self.rng
        if op[0] not in TOLD or rng.random() >= self.profile.get("told", 0):
            return op
        stamp = [*rng.choice(USERS), rng.choice((0, 1, 1700000000, 2**32 - 1))]
        key = None
        if rng.random() < 0.5:
            key = "k%d" % (rng.randrange(30) if rng.random() < 0.1 else rng.randrange(10**6))
        if rng.random() < 0.1:
            stamp = None
        if op[0] == "turn" and op[2] and rng.random() < 0.2:    # the cursor elsewhere
            op[2][1:3] = rng.choice(([rng.randint(1, len(op[1])), 0], [0, self.somewhere()]))
        told = ["told", stamp, key, op]
        if key:
            self.keyed = self.keyed[-9:] + [told]
        return told

    def repeat(self):
        rng, told = self.rng, json.loads(json.dumps(self.rng.choice(self.keyed)))
        if rng.random() < 0.2:
            told[3] = ["next", 0, 1]
        elif told[1] and rng.random() < 0.3:
            told[1] = [*rng.choice(USERS), 5]
        elif told[1]:
            told[1][2] = 7      # later
        return told

    def draw_dup(self, here):
        """Mostly between equal positions, mostly to one with a solution."""
        rng = self.rng
        position = self.session.positions[here]
        if rng.random() < (0.3 if self.profile.get("wild") else 0.05):
            return ["dup", here, self.somewhere()]
        for _ in range(10):
            if position.solutionend:
                break
            position = self.session.positions[self.somewhere()]
        same = list(self.session.same[self.session._key(position.state)])
        return ["dup", rng.choice(same), position.number]

    def next_state(self, here, move):
        if self.profile.get("wild") or not 0 <= move < self.game.moves:
            return self.rng.randrange(self.game.states)
        return self.game.table[self.state_at(here)][move]

    def spoil(self, op):
        """Makes an argument unfit, if the op has one."""
        rng = self.rng
        kinds = {"add": ("position", "endpoint", "check"), "graft": ("behaviour",),
                 "dup": ("position", "source"), "turn": ("turn",),
                 "cursor": ("cursor",)}.get(op[0], ("position",))
        kind = rng.choice(kinds)
        if len(op) < 2:
            return op
        if kind == "turn":
            add = rng.choice(op[1])
            if rng.random() < 0.5:
                add[0], add[1] = 0, self.no_position()
            else:
                add[4] = rng.choice(BAD_ENDPOINTS)
        elif kind == "cursor":
            place, bad = rng.choice(((2, 10), (2, -1), (3, 0), (3, -3), (5, self.no_position()),
                                     (4, self.no_position())))
            op[place] = bad
        elif kind == "position":
            op[1] = self.no_position()
        elif kind == "source":
            op[2] = self.no_position()
        elif kind == "endpoint":
            op[4] = rng.choice(BAD_ENDPOINTS)
        elif kind == "check":
            op[5] = rng.choice(BAD_CHECKS)
        elif kind == "behaviour":
            op[1] = rng.choice(BAD_GRAFTS)
        return op

    def script(self, name):
        """The generator plays along with the model, to know what there is."""
        script = {"name": name, "size": self.size, "cmpsize": self.cmpsize,
                  "initial": self.bytes_of(0), "steps": []}
        self.session = model.open_script(script)
        every = max(10, self.ops // 20)
        steps = script["steps"]
        if self.rng.random() < 0.8:
            steps.append({"op": ["graft", self.rng.randrange(4)]})
            model.apply(self.session, steps[0]["op"])
        for count in range(1, self.ops + 1):
            self.patience = 0.95 if count % 150 < 75 else 0.2
            op = self.draw()
            if self.rng.random() < self.bad:
                op = self.spoil(op)
            op = self.tell(op)
            if self.keyed and self.rng.random() < self.profile.get("again", 0):
                op = self.repeat()
            steps.append({"op": json.loads(json.dumps(op))})
            answer = model.apply(self.session, op)
            if op[0] in ("add", "drop", "next") and answer["ret"] not in (None, -1):
                self.current = answer["ret"]
            elif op[0] == "cycle" and answer["ret"]:
                self.current = answer["pos"]
            elif op[0] == "told" and answer["ret"] and answer["ret"][1] != -1:
                self.current = answer["ret"][1]
            elif op[0] == "turn" and answer["ret"]:
                self.current = answer["ret"][-1]
            if count % every == 0:
                if self.name in FURTHER:
                    steps.append({"op": ["beside"]})
                steps.append({"dump": None})
        if self.profile.get("setbetter"):
            steps.append({"op": ["setbetter"]})
        steps.append({"dump": None})
        return script


def generate(seed, scripts, ops, profile=None):
    """Script number n of a seed is the same however many are asked for."""
    for number in range(scripts):
        generator = Generator("%d/%d" % (seed, number), ops, profile)
        yield generator.script("%s-%d-%d" % (generator.name, seed, number))


def main():
    parser = argparse.ArgumentParser(description="Random scripts, one a line.")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--scripts", type=int, default=10)
    parser.add_argument("--ops", type=int, default=200)
    parser.add_argument("--profile", choices=sorted({**PROFILES, **FURTHER}))
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**31) if options.seed is None else options.seed
    print("seed %d" % seed, file=sys.stderr)
    for script in generate(seed, options.scripts, options.ops, options.profile):
        print(json.dumps(script))


if __name__ == "__main__":
    main()
