"""A branching game history written the plainest way: the second implementation.

It shares nothing with the engine but the documents it was written from, so
that a mistake in one is not also in the other. The engine is held against it
by model_cases.py (recorded scripts) and differential.py (random ones).

The rules, and where each comes from. *Document* is libredo's own; *recorded*
means the scripts and README in cases/redo-fuzz and cases/sokoban; *class ...*
a class of the divergences there, where the recorded library is not followed.

Positions and numbers
  - Numbers are given in order of creation, root 0, never reused. (Recorded.)
  - A call with a number that is not in the session is refused: the answer is
    None and nothing changes. So are a state of the wrong length, an endpoint
    outside -128..127 (class range), an unknown check or graft behaviour.
    Arguments are looked at before anything else, so an unfit one is refused
    even where the move is already there and it would not have been used.
  - Counts have no upper bound. (The library's 16 bits are its own limit.)

add
  - A move already there is returned, whatever state, endpoint and check say;
    it comes to the front of the branches and nothing else changes, not even
    the change flag. (Recorded; class unspecified: same-move-other-state.)
  - A new position comes to the front, and sets the change flag. (Document.)
  - With an endpoint other than 0 nothing is checked (recorded; class
    unspecified: endpoint-never-checked); "check later" marks it all the same.
    Endpoints are found by the checks of others. Moves after an endpoint are
    allowed. (Recorded.)
  - A check looks for the equal position that was made first, leaves out
    those still marked "check later", and goes along its better pointers to
    the end. (Recorded; classes order and memory-order: the first made.)
  - If the one at the end has no more moves than the new one, it becomes the
    new one's better: of equal counts the earlier wins. Otherwise the new one
    becomes its better, and the graft behaviour says what follows. (Document;
    recorded for equal counts.)
  - Graft behaviours: 0 nothing; 1 graft; 2 copy the solution from old to new;
    3 graft, then copy the solution back. 1 at the start. (Document.)

Grafting
  - The branches move to the new position in their order, the old one is left
    without; its endpoint and its own better (the new one) stay. (Recorded.)
  - All move counts of the subtree are put right first, and better pointers
    only then. (Class flip: the links of equal ones do not turn round.)
  - Then each position of the subtree whose better now has more moves than
    itself is held against the end of its better pointers: if that has no more
    moves, it becomes the better; else the position becomes the better of that
    end and has none itself. (Class lost-link.) Those with fewest moves go
    first, of equal ones the first made: no word on it anywhere but in two
    divergences, and so what comes out does not hang on the order of branches.

Solutions
  - solutionend and solutionsize are always those of the best endpoint at or
    below a position: any is better than none, then the higher value, then
    fewer moves. (Document; classes solution: after pruning, dropping or
    grafting below an endpoint too. Recorded for negative values.)

Copying a solution (dup, graft behaviours 2 and 3)
  - 0 if the source has no solution. (Document.)
  - The path is the source's own solution: at each position itself if it is
    the endpoint, else the first branch, in order of use, that has the same
    solutionend and solutionsize. It is known before copying starts; walking
    it moves no branch of the source to the front. (Recorded.)
  - Every step is an add without check; so moves already there are taken,
    and come to the front. (Document.)
  - Every position of the path but the last, the source and its destination
    included, may get a better pointer: the copy, if it has none yet and has
    no fewer moves than the original, gets the original's better, or the
    original if that has none. (Recorded.) It gets none that would lead back
    to itself, and none to another state. (Class broken.) The original never
    gets one. (Recorded.)

drop
  - The root, and positions with branches, are not dropped: the answer is the
    position. (Document; recorded for the root.)
  - Those whose better was the dropped one get its better, or none if it has
    none, even if they are equal to each other. (Recorded; class unspecified:
    drop-unlinks-all.) Sets the change flag.

setbetter
  - Goes over the marked positions in order of creation; each loses its mark,
    then is held against the equal ones as by a check: those still marked
    are left out. Never grafts or copies. Counts the positions that had an
    equal one. If the end of the better pointers is the position itself, it
    counts, but nothing is linked. (Recorded; class broken.) Does not touch
    the change flag.

cycle
  - Looks for the state at the position itself, then upwards; the first found
    is the answer. Pruned if the number of moves between is less than the
    limit: dropped one by one from the lowest, as drop does (classes broken and
    solution), until the match or a position with other branches. (Document;
    recorded for "less than" and for the position itself.)
  - Sets the change flag only if something was dropped. (Recorded.)

The rest
  - update takes over only the bytes after cmpsize. update, next, graft and
    setbetter leave the change flag alone. next brings the branch to the front;
    -1 if there is none. clear answers the flag as it was. (Document, recorded.)
"""

NO_GRAFT, GRAFT, COPY_PATH, GRAFT_AND_COPY = range(4)
NO_CHECK, CHECK, CHECK_LATER = range(3)


class Position:
    __slots__ = ("number", "parent", "move", "movecount", "better", "endpoint",
                 "solutionend", "solutionsize", "children", "state", "later")

    def __init__(self, number, parent, move, state):
        self.number = number
        self.parent = parent
        self.move = move
        self.movecount = parent.movecount + 1 if parent else 0
        self.better = None
        self.endpoint = 0
        self.solutionend = 0
        self.solutionsize = 0
        self.children = []      # most recently used first
        self.state = state
        self.later = False      # still to be checked by setbetter

    def solution(self):
        return (self.solutionend, self.solutionsize)

    def branch(self, move):
        for child in self.children:
            if child.move == move:
                return child
        return None

    def to_front(self):
        self.parent.children.remove(self)
        self.parent.children.insert(0, self)

    def best_end(self):
        """Where the better pointers lead: the position itself if it has none."""
        position = self
        while position.better:
            position = position.better
        return position

    def best_solution(self):
        """The solution as it ought to be, from the endpoint and the children."""
        best = (self.endpoint, self.movecount) if self.endpoint else (0, 0)
        for child in self.children:
            if rank(child.solution()) > rank(best):
                best = child.solution()
        return best


def rank(solution):
    end, size = solution
    return (1, end, -size) if end else (0, 0, 0)


class Session:
    """All methods take numbers and bytes, and answer numbers; None: refused."""

    def __init__(self, initial, cmpsize=0):
        self.statesize = len(initial)
        self.cmpsize = cmpsize or len(initial)
        self.positions = {}     # by number, in order of creation
        self.same = {}          # compared bytes -> {number: position}, likewise
        self.made = 0
        self.behaviour = GRAFT
        self.change = False
        self._make(None, 0, bytes(initial))
        self.change = False

    # ---- the operations

    def add(self, prev, move, state, endpoint, check):
        prev = self.positions.get(prev)
        if (prev is None or len(state) != self.statesize
                or not -128 <= endpoint <= 127
                or check not in (NO_CHECK, CHECK, CHECK_LATER)):
            return None
        return self._add(prev, move, bytes(state), endpoint, check).number

    def next(self, position, move):
        position = self.positions.get(position)
        if position is None:
            return None
        child = position.branch(move)
        if child is None:
            return -1
        child.to_front()
        return child.number

    def drop(self, position):
        position = self.positions.get(position)
        if position is None:
            return None
        if position.parent is None or position.children:
            return position.number
        self._drop(position)
        return position.parent.number

    def graft(self, behaviour):
        if behaviour not in (NO_GRAFT, GRAFT, COPY_PATH, GRAFT_AND_COPY):
            return None
        before, self.behaviour = self.behaviour, behaviour
        return before

    def cycle(self, position, state, prunelimit):
        """(1, the match) or (0, the position given)."""
        position = self.positions.get(position)
        if position is None or len(state) != self.statesize:
            return None
        match = position
        while match and self._key(match.state) != self._key(state):
            match = match.parent
        if match is None:
            return 0, position.number
        if position.movecount - match.movecount < prunelimit:
            while position is not match and not position.children:
                self._drop(position)
                position = position.parent
        return 1, match.number

    def dup(self, dest, source):
        dest, source = self.positions.get(dest), self.positions.get(source)
        if dest is None or source is None:
            return None
        return self._copy(dest, source)

    def setbetter(self):
        count = 0
        for position in self.positions.values():
            if not position.later:
                continue
            position.later = False
            other = self._equal(position)
            if other is None:
                continue
            count += 1
            if other is position:
                continue
            if other.movecount <= position.movecount:
                position.better = other
            else:
                other.better = position
        return count

    def update(self, position, state):
        position = self.positions.get(position)
        if position is None or len(state) != self.statesize:
            return None
        position.state = position.state[:self.cmpsize] + state[self.cmpsize:]
        return 0

    def clear(self):
        before, self.change = self.change, False
        return int(before)

    def changed(self):
        return int(self.change)

    def size(self):
        return len(self.positions)

    def dump(self):
        return [[p.number, p.parent.number if p.parent else -1, p.move,
                 p.movecount, p.better.number if p.better else -1,
                 p.endpoint, p.solutionend, p.solutionsize,
                 [child.number for child in p.children], p.state.hex()]
                for p in self.positions.values()]

    # ---- what they are made of

    def _key(self, state):
        return bytes(state[:self.cmpsize])

    def _make(self, parent, move, state):
        position = Position(self.made, parent, move, state)
        self.made += 1
        self.positions[position.number] = position
        self.same.setdefault(self._key(state), {})[position.number] = position
        if parent:
            parent.children.insert(0, position)
        self.change = True
        return position

    def _add(self, prev, move, state, endpoint, check):
        known = prev.branch(move)
        if known:
            known.to_front()
            return known
        new = self._make(prev, move, state)
        new.later = check == CHECK_LATER
        if endpoint:
            new.endpoint = endpoint
            self._solutions_from(new)
        elif check == CHECK:
            self._check(new)
        return new

    def _equal(self, position):
        """What a position is held against: the first made, then to the end."""
        for other in self.same[self._key(position.state)].values():
            if other is not position and not other.later:
                return other.best_end()
        return None

    def _check(self, new):
        old = self._equal(new)
        if old is None:
            return
        if old.movecount <= new.movecount:
            new.better = old
            return
        old.better = new
        if self.behaviour in (GRAFT, GRAFT_AND_COPY):
            self._graft(new, old)
        if self.behaviour == COPY_PATH:
            self._copy(new, old)
        elif self.behaviour == GRAFT_AND_COPY:
            self._copy(old, new)

    def _graft(self, new, old):
        new.children, old.children = old.children, []
        for child in new.children:
            child.parent = new
        subtree = self._below(new)
        for position in subtree:
            position.movecount = position.parent.movecount + 1
        for position in reversed(subtree):
            position.solutionend, position.solutionsize = position.best_solution()
        self._solutions_from(new)
        self._solutions_from(old)
        for position in sorted(subtree, key=lambda p: (p.movecount, p.number)):
            if position.better and position.better.movecount > position.movecount:
                end = position.best_end()
                if end.movecount <= position.movecount:
                    position.better = end
                else:
                    position.better = None
                    end.better = position

    def _copy(self, dest, source):
        if not source.solutionend:
            return 0
        original = source
        for step in self._solution_path(source):
            self._link_copy(dest, original)
            dest = self._add(dest, step.move, step.state, step.endpoint, NO_CHECK)
            original = step
        return 1

    def _link_copy(self, copy, original):
        if (copy.better or copy.movecount < original.movecount
                or self._key(copy.state) != self._key(original.state)):
            return
        better = original.better or original
        if better.best_end() is not copy:
            copy.better = better

    def _drop(self, position):
        same = self.same[self._key(position.state)]
        for other in same.values():
            if other.better is position:
                other.better = position.better
        del same[position.number]
        if not same:
            del self.same[self._key(position.state)]
        del self.positions[position.number]
        position.parent.children.remove(position)
        self._solutions_from(position.parent)
        self.change = True

    @staticmethod
    def _solutions_from(position):
        """Puts solutions right from here upwards, until nothing changes."""
        while position:
            best = position.best_solution()
            if best == position.solution():
                return
            position.solutionend, position.solutionsize = best
            position = position.parent

    @staticmethod
    def _solution_path(position):
        """The positions after this one on the way to its solution's end."""
        path = []
        while (position.endpoint, position.movecount) != position.solution():
            position = next(child for child in position.children
                            if child.solution() == position.solution())
            path.append(position)
        return path

    @staticmethod
    def _below(root):
        """Every position below root, each after its parent."""
        found, waiting = [], list(root.children)
        while waiting:
            position = waiting.pop()
            found.append(position)
            waiting.extend(position.children)
        return found


# ---- scripts: the form in which cases, generator and runners speak

def apply(session, op):
    """Applies a script's op; answers {"ret": ..., "pos": ... (cycle only)}."""
    name, args = op[0], list(op[1:])
    if name in ("add", "update", "cycle"):
        place = 2 if name == "add" else 1
        args[place] = bytes.fromhex(args[place])
    if name not in ("add", "next", "drop", "graft", "cycle", "dup", "setbetter",
                    "update", "clear", "changed"):
        raise ValueError("unknown op %r" % (name,))
    answer = getattr(session, name)(*args)
    if name == "cycle" and answer is not None:
        return {"ret": answer[0], "pos": answer[1]}
    return {"ret": answer}


def open_script(script):
    initial = bytes.fromhex(script["initial"])
    if len(initial) != script["size"]:
        raise ValueError("initial state is not of the script's size")
    return Session(initial, script["cmpsize"])
