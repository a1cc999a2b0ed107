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

Cursors, authors, turns, keys (core/README.md alone: no library has them)
  - A cursor is a position under a name, and the way it went back: the numbers
    of the positions it left, the last one on top. Going back puts them there.
    Going forth takes the top if it leads on from here; else, and where it
    leads to another position than the one gone to, the way is forgotten.
  - goto: to a position before it is going back, to one along the way is going
    forth, any other forgets the way.
  - A dropped position's cursors go to the one before it, and forget the way.
  - Moving one leaves the change flag alone, though `move` brings its branch to
    the front.
  - Whatever makes positions signs them: author and time, if they were told. An
    author is known from the first operation on that changed something.
  - A turn looks at all its arguments first; then it is its adds in order, and
    its cursor's goto.
  - A key stands for one operation of one author. The same again changes
    nothing, and has the first answer; another under that key is refused. A
    refused operation leaves no key.

The rest
  - update takes over only the bytes after cmpsize. update, next, graft and
    setbetter leave the change flag alone. next brings the branch to the front;
    -1 if there is none. clear answers the flag as it was. (Document, recorded.)
"""

NO_GRAFT, GRAFT, COPY_PATH, GRAFT_AND_COPY = range(4)
NO_CHECK, CHECK, CHECK_LATER = range(3)
(GOTO, UNDO, REDO, MOVE, BRANCH_BACK, BRANCH_FORTH, BETTER, SOLUTION, UNDOMINE,
 DROP) = range(10)


class Position:
    __slots__ = ("number", "parent", "move", "movecount", "better", "endpoint",
                 "solutionend", "solutionsize", "children", "state", "later", "stamp")

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
        self.stamp = None       # (author's number, time)

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

    def line(self):
        """The position and those before it."""
        found = [self]
        while found[-1].parent:
            found.append(found[-1].parent)
        return found

    def best_solution(self):
        """The solution as it ought to be, from the endpoint and the children."""
        best = (self.endpoint, self.movecount) if self.endpoint else (0, 0)
        for child in self.children:
            if rank(child.solution()) > rank(best):
                best = child.solution()
        return best


class Cursor:
    def __init__(self, position):
        self.position = position
        self.way = []           # numbers; the next one forth is the last

    def back(self, to):
        while self.position is not to:
            self.way.append(self.position.number)
            self.position = self.position.parent

    def on(self, positions):
        """Where the way leads next, if it does."""
        position = positions.get(self.way[-1]) if self.way else None
        return position if position and position.parent is self.position else None

    def forth(self, to, positions):
        if self.on(positions) is to:
            self.way.pop()
        else:
            self.way.clear()
        self.position = to

    def goto(self, to, positions):
        line = to.line()
        if to in self.position.line():
            self.back(to)
        elif self.position in line:
            steps = line[:line.index(self.position)]    # to first
            if [step.number for step in steps] == self.way[-len(steps):]:
                del self.way[-len(steps):]
            else:
                self.way.clear()
        else:
            self.way.clear()
        self.position = to


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
        self.cursors = {}       # by name
        self.authors = []       # (uid, name), the author 1 first
        self.keys = {}          # (author, key) -> (operation, answer)
        self.now = None         # the stamp of what is made now
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

    def droptree(self, position):
        """How many were dropped."""
        position = self.positions.get(position)
        if position is None or position.parent is None:
            return None
        below = self._below(position)
        self.above_dropped = position.parent.number
        for each in reversed(below):
            self._drop(each)
        self._drop(position)
        return len(below) + 1

    # ---- cursors, turns, keys

    def cursor(self, name, step, n, position, expect):
        """[moves made, or 1 or 0; where it is, or -1]."""
        if not self._cursor_fits(name, step, n, expect):
            return None
        if step == GOTO and position not in self.positions:
            return None
        if step == DROP:
            del self.cursors[name]
            return [1, -1]
        if name not in self.cursors:
            self.cursors[name] = Cursor(self.positions[position])
            return [1, position]
        cursor = self.cursors[name]
        value = self._step(cursor, step, n, position)
        return [value, cursor.position.number]

    def turn(self, adds, cursor):
        """The positions. Adds are [after (from 1, or 0), prev, move, state, endpoint,
        check], a cursor [name, after, position, expect] or None."""
        if not self._turn_fits(adds, cursor):
            return None
        made = [None]
        self.turn_changed = 0
        for after, prev, move, state, endpoint, check in adds:
            prev = made[after] if after else self.positions[prev]
            before = [child.number for child in prev.children]
            made.append(self._add(prev, move, bytes.fromhex(state), endpoint, check))
            known = made[-1].number in before
            self.turn_created = int(not known)
            self.turn_changed |= not known or made[-1].number != before[0]
        numbers = [position.number for position in made[1:]]
        if cursor:
            name, after, position, _ = cursor
            to = numbers[after - 1] if after else position
            self.cursor(name, GOTO, 0, to, -1)
        return numbers

    def beside(self):
        return {"cursors": [[name, self.cursors[name].position.number]
                            for name in sorted(self.cursors, key=str.encode)],
                "authors": [[p.number, p.stamp[0], *self.authors[p.stamp[0] - 1], p.stamp[1]]
                            for p in self.positions.values() if p.stamp]}

    def reload(self):
        """Dumped and loaded, it is the same."""
        return 1

    def told(self, stamp, key, op):
        """An operation with a stamp ([uid, name, time] or None) and a key (or None):
        [value, position, positions made, created, changed, repeated]."""
        author, time = 0, 0
        if stamp:
            uid, name, time = stamp
            known = (uid, name) in self.authors
            author = self.authors.index((uid, name)) + 1 if known else len(self.authors) + 1
        if key is not None and (author, key) in self.keys:
            first, answer = self.keys[author, key]
            return answer[:4] + [0, 1] if first == op else None
        if stamp:
            self.now = (author, time)
            if not known:       # undomine and the stamps look there
                self.authors.append((uid, name))
        answer = self._apply_told(op)
        self.now = None
        if answer and key is not None:
            answer[4] = 1
            self.keys[author, key] = (op, answer)
        if stamp and not known and not (answer and answer[4]):
            self.authors.pop()
        return answer

    def _apply_told(self, op):
        before, made, size = self._all(), self.made, self.size()
        there = op[0] == "add" and op[1] in self.positions and \
            self.positions[op[1]].branch(op[2])
        answer = apply(self, op)["ret"]
        if answer is None:
            return None
        changed = int(self._all() != before)
        made = self.made - made
        value, position, created = 0, -1, 0
        if op[0] == "cursor":
            value, position = answer
        elif op[0] == "turn":
            value, position = len(answer), answer[-1]
            created, changed = self.turn_created, max(changed, self.turn_changed)
        elif op[0] == "dup":
            value = answer
        elif op[0] == "droptree":
            return [0, self.above_dropped, 0, 0, 1, 0]
        elif op[0] == "drop":
            if self.size() == size:     # the first, or one with branches
                return None
            position = answer
        elif op[0] == "add":
            position, created = answer, int(not there)
        else:
            position = answer
        return [value, position, made, created, changed, 0]

    def _all(self):
        """All there is, to see whether anything changes."""
        return (self.dump(), [p.later for p in self.positions.values()], self.behaviour,
                self.change, {name: (c.position.number, list(c.way))
                              for name, c in self.cursors.items()})

    def _cursor_fits(self, name, step, n, expect):
        if not 1 <= len(name.encode()) <= 255 or "\0" in name or not GOTO <= step <= DROP:
            return False
        if step in (UNDO, REDO, SOLUTION, UNDOMINE) and n < 1:
            return False
        if name not in self.cursors:
            return step == GOTO and expect == -1 and len(self.cursors) < 1024
        return expect in (-1, self.cursors[name].position.number)

    def _turn_fits(self, adds, cursor):
        for place, (after, prev, _, state, endpoint, check) in enumerate(adds):
            if not 0 <= after <= place or (not after and prev not in self.positions):
                return False
            if (len(state) != 2 * self.statesize or not -128 <= endpoint <= 127
                    or check not in (NO_CHECK, CHECK, CHECK_LATER)):
                return False
        if not cursor:
            return bool(adds)
        name, after, position, expect = cursor
        return (bool(adds) and 0 <= after <= len(adds)
                and (after or position in self.positions)
                and self._cursor_fits(name, GOTO, 0, expect))

    def _step(self, cursor, step, n, position):
        start = cursor.position
        line = start.line()
        if step == GOTO:
            cursor.goto(self.positions[position], self.positions)
            return int(cursor.position is not start)
        if step == UNDO:
            cursor.back(line[min(n, len(line) - 1)])
        elif step == UNDOMINE:
            mine = self.now[0] if self.now else 0
            while n and cursor.position.parent and \
                    (cursor.position.stamp or (0,))[0] == mine:
                cursor.back(cursor.position.parent)
                n -= 1
        elif step == BRANCH_BACK:
            cursor.back(next((p for p in line[1:] if len(p.children) > 1), line[-1]))
        elif step == REDO:
            return self._forth(cursor, n)
        elif step == BRANCH_FORTH:
            moves = self._forth(cursor, 1)
            while moves and len(cursor.position.children) == 1:
                moves += self._forth(cursor, 1)
            return moves
        elif step == MOVE:
            to = start.branch(n)
            if to:
                to.to_front()
                cursor.forth(to, self.positions)
            return int(to is not None)
        elif step == BETTER:
            if start.better:
                cursor.goto(start.better, self.positions)
            return int(start.better is not None)
        else:
            path = self._solution_path(start) if start.solutionend else []
            for to in path[:n]:
                cursor.forth(to, self.positions)
            return len(path[:n])
        return start.movecount - cursor.position.movecount

    def _forth(self, cursor, n):
        for moves in range(n):
            children = cursor.position.children
            to = cursor.on(self.positions) or (children[0] if children else None)
            if to is None:
                return moves
            cursor.forth(to, self.positions)
        return n

    # ---- what they are made of

    def _key(self, state):
        return bytes(state[:self.cmpsize])

    def _make(self, parent, move, state):
        position = Position(self.made, parent, move, state)
        position.stamp = self.now
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
        for cursor in self.cursors.values():
            if cursor.position is position:
                cursor.position = position.parent
                cursor.way.clear()
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
                    "update", "clear", "changed", "droptree", "cursor", "turn",
                    "beside", "reload", "told"):
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
