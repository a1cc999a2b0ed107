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
    def __init__(self, seed, ops, profile=None):
        self.rng = rng = random.Random(seed)
        # The maze more often: what it is for seldom comes about.
        self.name = profile or rng.choice(sorted(PROFILES) + 3 * ["maze"])
        self.profile = PROFILES[self.name]
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
        name = rng.choices(OPS, [profile.get(op, 0) for op in OPS])[0]
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
        if name == "update":
            return ["update", here, self.bytes_of(rng.randrange(self.game.states))]
        return [name]

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
                 "dup": ("position", "source")}.get(op[0], ("position",))
        kind = rng.choice(kinds)
        if len(op) < 2:
            return op
        if kind == "position":
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
            steps.append({"op": op})
            answer = model.apply(self.session, op)
            if op[0] in ("add", "drop", "next") and answer["ret"] not in (None, -1):
                self.current = answer["ret"]
            elif op[0] == "cycle" and answer["ret"]:
                self.current = answer["pos"]
            if count % every == 0:
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
    parser.add_argument("--profile", choices=sorted(PROFILES))
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(2**31) if options.seed is None else options.seed
    print("seed %d" % seed, file=sys.stderr)
    for script in generate(seed, options.scripts, options.ops, options.profile):
        print(json.dumps(script))


if __name__ == "__main__":
    main()
