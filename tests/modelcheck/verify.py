"""What must be true of a round, once all is quiet: the operations that the observer saw are applied in this
process, and everything that anybody was told is held against what comes of them."""
import os
import subprocess

from bare import Wrong
from operations import decode, is_that

# Refused for what the history was like: no position, dropped, has branches, the first, another has that
# move, in use, not kept, no cursor, not where it was expected.
REFUSALS = (3, 4, 9, 10, 11, 16, 37, 48, 49)

FIELDS = ("value position created differs changed repeated graftedfrom graftedto supersedes firstmade made "
          "dropped prev move movecount better endpoint solutionend solutionsize nextcount setbetter author").split()


class Outcome:
    """What came of an operation, as the program replayer tells it."""

    def __init__(self, line):
        numbers = list(map(int, line.split()))
        for name, number in zip(FIELDS, numbers):
            setattr(self, name, number)
        self.items = numbers[len(FIELDS):]

    def fields(self):
        """POSITION, without the time."""
        none = lambda number: None if number < 0 else number
        return {"number": self.position, "prev": none(self.prev), "move": None if self.prev < 0 else self.move,
                "movecount": self.movecount, "better": none(self.better), "endpoint": self.endpoint,
                "solutionend": self.solutionend, "solutionsize": self.solutionsize,
                "nextcount": self.nextcount, "setbetter": bool(self.setbetter), "author": self.author or None}

    def made_range(self):
        return [self.firstmade, self.made] if self.made else None


class Replayer:
    """The program replayer: commands are gathered, and all done at once."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.lines, self.dumps = [], []

    def path(self):
        return os.path.join(self.folder, "replay-%d" % len(self.lines))

    def load(self, sequence, data):
        path = self.path()
        with open(path, "wb") as file:
            file.write(data)
        self.lines.append("load %d %s" % (sequence, path))

    def apply(self, operation):
        self.lines.append("apply " + operation.hex())

    def dump(self, expected, what):
        """What is written must be these bytes."""
        self.dumps.append((self.path(), expected, what))
        self.lines.append("dump " + self.path())

    def run(self):
        done = subprocess.run([self.program], input="\n".join(self.lines) + "\n", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise Wrong("applied in process: %s" % done.stderr.strip())
        for path, expected, what in self.dumps:
            with open(path, "rb") as file:
                if file.read() != expected:
                    raise Wrong("%s is not what the operations make" % what)
        return [Outcome(line) for line in done.stdout.splitlines() if line != "ok"]


def without_time(position):
    return {name: value for name, value in position.items() if name != "time"}


def expected_answer(request, o, sequence):
    """What the request must have been answered, without times."""
    method = request.method
    if method == "addposition":
        answer = dict(o.fields(), new=bool(o.created))
        if o.differs:
            answer["differs"] = True
        if o.graftedto >= 0:
            answer["grafted"] = {"from": o.graftedfrom, "to": o.graftedto}
        if o.made > 1:
            answer["made"] = [o.firstmade, o.made]
        if o.supersedes >= 0:
            answer["supersedes"] = o.supersedes
        return answer
    if method == "addpositions":
        return {"numbers": [item >> 1 for item in o.items], "new": [bool(item & 1) for item in o.items]}
    if method == "getnextposition":
        return None if o.position < 0 else o.fields()
    if method in ("setcursor", "undo", "redo", "movecursor"):
        return {"name": request.params[0], "position": o.fields(), "steps": o.value}
    return {"setgraftbehavior": o.value, "dropposition": o.position, "updatesavedstate": None,
            "setbetterfields": o.value, "setproperty": None, "dropcursor": None,
            "suppresscycle": {"found": bool(o.value), "position": o.position, "dropped": o.dropped},
            "duplicatepath": {"copied": bool(o.value), "made": o.made_range()},
            "dropsubtree": {"position": o.position, "dropped": o.dropped, "key": sequence},
            "restoresubtree": {"position": o.position, "restored": o.value},
            "clearsessionchanged": bool(o.value)}[method]


def plain(answer):
    """The answer without times."""
    if isinstance(answer, dict) and isinstance(answer.get("position"), dict):
        return dict(answer, position=without_time(answer["position"]))
    return without_time(answer) if isinstance(answer, dict) else answer


def authors_of(operations):
    """The name of each operation's author. Number 1 is who began the session, who gave none."""
    names, known = [], {1: b""}
    for op in operations:
        if op.name is not None:
            known[len(known) + 1] = op.name
            names.append(op.name)
        else:
            names.append(known.get(op.author))
    return names


def check_request(client, request, places, operations, outcomes):
    """One of a bare client: it is there once if it was done, not at all if it was refused, and was answered
    by what came of it."""
    error, result = request.answer
    place = places.get(request.key)
    who = "%s, %s %s" % (request.key, request.method, request.params)
    if error:
        if error[0] not in REFUSALS:
            raise Wrong("%s: %s" % (who, error))
        if place is not None:
            raise Wrong("%s was refused (%s), and is number %d" % (who, error, place + 1))
        return
    if place is None:
        raise Wrong("%s was acknowledged, and is not there" % who)
    if not is_that(operations[place], request.method, request.params, request.options):
        raise Wrong("%s is number %d: %s" % (who, place + 1, operations[place]))
    expected = expected_answer(request, outcomes[place], place + 1)
    if plain(result) != expected:
        raise Wrong("%s %s, number %d, was answered %s, not %s" % (who, request.options, place + 1, result, expected))


def check_order(client, places):
    """Those that are there are there in the order in which they were sent; one that was sent several times may
    stand for any of these."""
    last = -1
    for place, request in sorted((places[r.key], r) for r in client.requests if r.key in places):
        later = [when for when in request.sent if when > last]
        if not later:
            raise Wrong("%s is number %d, after one that was sent later" % (request.key, place + 1))
        last = min(later)


def check_bare(client, places, encoded, operations, outcomes):
    for request in client.requests:
        check_request(client, request, places, operations, outcomes)
    check_order(client, places)
    if client.operations != encoded[client.base_sequence:]:
        raise Wrong("%s has seen other operations than the observer" % client.name)


def find(done, operations, places):
    return next((p for p in places if is_that(operations[p], done.method, done.params, done.options)), None)


def check_library(client, operations, mine):
    """What was acknowledged is there, in order; where the library does not tell its number (it was sent again
    after a loss), there is one that fits. What is there else are changes of which nobody knows whether they
    were done, each once. mine: the places of its operations, in order."""
    last, left, unsure = -1, list(mine), []
    for done in client.record:
        who = "%s: %s %s" % (client.name, done.method, done.params)
        if done.code is None or (done.code == 0 and not done.sequence and not done.changed):
            unsure.append(done)
            continue
        if done.code:
            if done.code not in REFUSALS:
                raise Wrong("%s fails with %d" % (who, done.code))
            continue
        place = done.sequence - 1 if done.sequence else find(done, operations, [p for p in left if p > last])
        if place is None or place <= last or place not in left:
            raise Wrong("%s was acknowledged as number %s, after %d, and is not there" % (
                who, None if place is None else place + 1, last + 1))
        if not is_that(operations[place], done.method, done.params, done.options):
            raise Wrong("%s is number %d: %s" % (who, place + 1, operations[place]))
        left.remove(place)
        last = place
    for place in left:
        done = next((d for d in unsure if is_that(operations[place], d.method, d.params, d.options)), None)
        if done is None:
            raise Wrong("number %d was not asked for by %s: %s" % (place + 1, client.name, operations[place]))
        unsure.remove(done)


def check_round(replayer_program, folder, base, encoded, bares, libraries, final):
    """base: the session at the beginning; encoded: all operations since; final: (what, bytes) at the end."""
    operations = [decode(data) for data in encoded]
    replayer = Replayer(replayer_program, folder)
    replayer.load(0, base)
    snapshots = sorted(((sequence, data, client.name) for client in bares for sequence, data in client.snapshots),
                       key=lambda s: s[0])
    for sequence, operation in enumerate([None] + encoded):
        if operation is not None:
            replayer.apply(operation)
        while snapshots and snapshots[0][0] == sequence:
            _, data, name = snapshots.pop(0)
            replayer.dump(data, "the snapshot %s had at %d" % (name, sequence))
    for what, data in final:
        replayer.dump(data, what)
    outcomes = replayer.run()
    for client in bares:
        replica = Replayer(replayer_program, folder)
        replica.load(client.base_sequence, client.base)
        for operation in client.operations:
            replica.apply(operation)
        replica.dump(final[0][1], "the replica of %s" % client.name)
        replica.run()

    names = authors_of(operations)
    places = {}
    known = {request.key: client for client in bares for request in client.requests}
    makers = {client.name.encode(): [] for client in libraries}
    for place, op in enumerate(operations):
        if op.key not in known:
            if names[place] not in makers:
                raise Wrong("number %d was asked for by nobody: %s" % (place + 1, op))
            makers[names[place]].append(place)
            continue
        if op.key in places:
            raise Wrong("%s is there twice: %d and %d" % (op.key, places[op.key] + 1, place + 1))
        if names[place] != known[op.key].name.encode():
            raise Wrong("%s has the author %s" % (op.key, names[place]))
        places[op.key] = place
    for client in bares:
        check_bare(client, places, encoded, operations, outcomes)
    for client in libraries:
        check_library(client, operations, makers[client.name.encode()])
    return len(operations)
