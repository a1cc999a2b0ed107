"""A branching game history, written the plainest way: the second opinion."""


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
        self.children = []
        self.state = state
        self.later = False


def ordering(end, size):
    """Sort key of a solution: any is better than none, higher end, shorter."""
    return (1, end, -size) if end else (0, 0, 0)


class Session:
    def __init__(self, initial, cmpsize=0):
        self.statesize = len(initial)
        self.cmpsize = cmpsize or len(initial)
        self.positions = {}
        self.equals = {}
        self.made = 0
        self.grafting = GRAFT
        self.change = False
        self._make(None, -1, bytes(initial))
        self.change = False

    # ---- bits

    def _key(self, state):
        return bytes(state[:self.cmpsize])

    def _make(self, parent, move, state):
        p = Position(self.made, parent, move, state)
        self.made += 1
        self.positions[p.number] = p
        self.equals.setdefault(self._key(state), {})[p.number] = p
        if parent:
            parent.children.insert(0, p)
        self.change = True
        return p

    @staticmethod
    def _best(p):
        best = (p.endpoint, p.movecount) if p.endpoint else (0, 0)
        for c in p.children:
            mine = (c.solutionend, c.solutionsize)
            if ordering(*mine) > ordering(*best):
                best = mine
        return best

    def _solutions_up(self, p):
        while p:
            best = self._best(p)
            if best == (p.solutionend, p.solutionsize):
                break
            p.solutionend, p.solutionsize = best
            p = p.parent

    @staticmethod
    def _branch(p, move):
        for c in p.children:
            if c.move == move:
                return c
        return None

    @staticmethod
    def _front(c):
        c.parent.children.remove(c)
        c.parent.children.insert(0, c)

    @staticmethod
    def _end(p):
        while p.better:
            p = p.better
        return p

    def _equal(self, p):
        for q in self.equals[self._key(p.state)].values():
            if q is not p and not q.later:
                return self._end(q)
        return None

    # ---- ops

    def size(self):
        return len(self.positions)

    def graft(self, behaviour):
        if behaviour not in (0, 1, 2, 3):
            return None
        old, self.grafting = self.grafting, behaviour
        return old

    def changed(self):
        return int(self.change)

    def clear(self):
        old, self.change = self.change, False
        return int(old)

    def _add(self, prev, move, state, endpoint, check):
        p = self._branch(prev, move)
        if p:
            self._front(p)
            return p
        p = self._make(prev, move, state)
        p.later = check == 2
        if endpoint:
            p.endpoint = endpoint
            self._solutions_up(p)
        elif check == 1:
            q = self._equal(p)
            if q:
                if q.movecount <= p.movecount:
                    p.better = q
                else:
                    q.better = p
                    if self.grafting in (1, 3):
                        self._graft(p, q)
                        if self.grafting == 3:
                            self._copy(q, p)
                    elif self.grafting == 2:
                        self._copy(p, q)
        return p

    def add(self, prev, move, state, endpoint, check):
        prev = self.positions.get(prev)
        if prev is None or len(state) != self.statesize or \
                not -128 <= endpoint <= 127 or check not in (0, 1, 2):
            return None
        return self._add(prev, move, state, endpoint, check).number

    def _graft(self, new, old):
        new.children = old.children
        old.children = []
        for c in new.children:
            c.parent = new
        subtree = self._preorder(new)[1:]
        for p in subtree:
            p.movecount = p.parent.movecount + 1
        for p in reversed(subtree):
            p.solutionend, p.solutionsize = self._best(p)
        self._solutions_up(new)
        self._solutions_up(old)
        for p in subtree:
            if p.better and p.better.movecount > p.movecount:
                e = self._end(p)
                if e.movecount <= p.movecount:
                    p.better = e
                else:
                    p.better = None
                    e.better = p

    @staticmethod
    def _preorder(root):
        out, todo = [], [root]
        while todo:
            p = todo.pop()
            out.append(p)
            todo.extend(reversed(p.children))
        return out

    def _path(self, p):
        path = []
        while not (p.endpoint == p.solutionend and p.movecount == p.solutionsize):
            for c in p.children:
                if (c.solutionend, c.solutionsize) == (p.solutionend, p.solutionsize):
                    break
            p = c
            path.append(p)
        return path

    def _copy(self, dest, source):
        if not source.solutionend:
            return 0
        path = self._path(source)
        before = [source] + path
        for o, nxt in zip(before, path):
            self._link_copy(dest, o)
            dest = self._add(dest, nxt.move, nxt.state, nxt.endpoint, 0)
        return 1

    def _link_copy(self, c, o):
        if c is o or c.better or self._key(c.state) != self._key(o.state):
            return
        if c.movecount >= o.movecount:
            e = o.better or o
            if e is not c:
                c.better = e

    def dup(self, dest, source):
        dest, source = self.positions.get(dest), self.positions.get(source)
        if dest is None or source is None:
            return None
        return self._copy(dest, source)

    def next(self, position, move):
        p = self.positions.get(position)
        if p is None:
            return None
        c = self._branch(p, move)
        if c is None:
            return -1
        self._front(c)
        return c.number

    def _drop(self, p):
        group = self.equals[self._key(p.state)]
        for q in group.values():
            if q.better is p:
                q.better = p.better
        del group[p.number]
        if not group:
            del self.equals[self._key(p.state)]
        del self.positions[p.number]
        p.parent.children.remove(p)
        self._solutions_up(p.parent)
        self.change = True

    def drop(self, position):
        p = self.positions.get(position)
        if p is None:
            return None
        if p.parent is None or p.children:
            return position
        self._drop(p)
        return p.parent.number

    def update(self, position, state):
        p = self.positions.get(position)
        if p is None or len(state) != self.statesize:
            return None
        p.state = p.state[:self.cmpsize] + state[self.cmpsize:]
        return 0

    def setbetter(self):
        count = 0
        for p in self.positions.values():
            if not p.later:
                continue
            p.later = False
            q = self._equal(p)
            if q:
                count += 1
                if q is p:
                    continue
                if q.movecount <= p.movecount:
                    p.better = q
                else:
                    q.better = p
        return count

    def cycle(self, position, state, prunelimit):
        p = self.positions.get(position)
        if p is None or len(state) != self.statesize:
            return None
        a = p
        while a and self._key(a.state) != self._key(state):
            a = a.parent
        if a is None:
            return 0, position
        if p.movecount - a.movecount < prunelimit:
            while p is not a and not p.children:
                self._drop(p)
                p = p.parent
        return 1, a.number

    def dump(self):
        return [[p.number, p.parent.number if p.parent else -1,
                 p.move if p.parent else 0, p.movecount,
                 p.better.number if p.better else -1,
                 p.endpoint, p.solutionend, p.solutionsize,
                 [c.number for c in p.children], p.state.hex()]
                for p in self.positions.values()]


GRAFT = 1
