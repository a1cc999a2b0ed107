"""A client of the bare protocol that is cut off at any byte: what it asked for and was not answered it asks
for again under the same key, and what was told meanwhile it has told by `since`. It keeps a record of both.

It never blocks: step() does one thing that there is to do, and answers whether there was any."""
import collections
import os
import socket
import sys

import msgpack

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from rpc import pack_request  # noqa: E402
from operations import Draw, decode  # noqa: E402

NOT_ATTACHED = 29
PIECES = (1, 2, 9, 60, 500, 4096, 65536, 1 << 20)  # bytes taken or given at once
PIECES_WEIGHTS = (1, 1, 2, 3, 3, 6, 6, 8)


class Wrong(Exception):
    """What must not be."""


class Request:
    """One that changes the session, and what came of it."""

    def __init__(self, key, method, params, options):
        self.key, self.method, self.params, self.options = key, method, params, options
        self.sent = []  # when it had gone out whole, each time, in the client's own count
        self.listens = False  # the client is attached by the time it is done
        self.answer = None  # (error, result)


class Bare:
    """Beside its record: `base`, a dump as of `base_sequence`, and `operations`, all of those after it."""

    def __init__(self, name, who, rng, path, session, kept, depth, cuts):
        self.name, self.rng, self.path, self.session, self.cuts = name, rng, path, session, cuts
        self.draw = Draw(rng, who, kept)
        self.depth = depth
        self.requests = []  # all of them, in order
        self.pending = []   # not answered
        self.count_sent = 0
        self.base = self.base_sequence = None
        self.operations = []
        self.snapshots = []  # (sequence, bytes): all that it ever read
        self.keys_seen = set()
        self.socket = None
        self.losses = self.resumes = self.repeats = self.lags = 0
        self.told = {}  # effects by sequence, shared by all: whenever and whoever they are told, they are the same
        self.lazy = 0  # so many steps it does not read
        self.quiet = False

    # ---- the connection

    def fileno(self):
        return self.socket.fileno()

    def writes(self):
        return bool(self.out)

    def connect(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.connect(self.path)
        except OSError:
            self.socket.close()
            self.socket = None
            return False
        self.socket.setblocking(False)
        self.out, self.ends = bytearray(), collections.deque()  # what is to go out; where requests end
        self.gone_out = 0
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=1 << 28)
        self.id = self.rng.randrange(1 << 32)
        self.waiting = collections.deque()  # (id, what to do with the answer)
        self.attached = self.listens = self.detaching = False
        self.snapshot, self.lazy = None, 0
        self.ask("server.hello", [{"client": self.name}], self.check_fine)
        self.attach()
        for request in self.pending:
            self.transmit(request)
        return True

    def lose(self):
        """The connection is no more; what was read of a snapshot is worth nothing."""
        self.socket.close()
        self.socket = None
        self.losses += 1
        if self.snapshot is not None:
            self.base, self.snapshot = None, None

    def ask(self, method, params, then):
        self.id = (self.id + 1) & 0xFFFFFFFF
        self.out += pack_request(self.id, method, *params)
        self.waiting.append((self.id, then))

    def transmit(self, request):
        self.ask(request.method, [self.session, *request.params, dict(request.options, key=request.key)],
                 lambda error, result: self.answered(request, error, result))
        self.ends.append((self.gone_out + len(self.out), request))
        request.listens = self.listens

    # ---- attaching

    @property
    def sequence(self):
        return self.base_sequence + len(self.operations)

    def attach(self):
        options = {"effects": self.rng.random() < 0.5}
        self.listens = True
        if self.base is not None and self.rng.random() < 0.9:
            options["since"] = self.sequence
            if self.operations and self.rng.random() < 0.5:
                options["operation"] = self.operations[-1]
            self.attached = True  # its events come before the answer
            self.ask_since(options)
        else:
            self.base = self.snapshot = None
            self.ask("attach", [self.session, options], self.took_snapshot)

    def ask_since(self, options):
        lags = self.lags
        self.ask("attach", [self.session, options], lambda error, result: self.resumed(error, result, lags))

    def resumed(self, error, result, lags):
        if error:
            raise Wrong("%s: attach since %d: %s" % (self.name, self.sequence, error))
        self.resumes += 1
        if self.lags == lags and result["sequence"] != self.sequence:
            raise Wrong("%s: attached at %d with %d seen" % (self.name, result["sequence"], self.sequence))

    def took_snapshot(self, error, result):
        self.check_fine(error, result)
        self.attached = True
        self.base_sequence, self.operations = result["sequence"], []
        self.snapshot, self.snapshot_size = b"", result["snapshot"]
        self.read_on()

    def read_on(self):
        limit, lags = self.rng.choice((10, 500, 20000, 1 << 20)), self.lags
        self.ask("readsnapshot", [self.session, len(self.snapshot), limit],
                 lambda error, result: self.read_piece(error, result, lags))

    def read_piece(self, error, result, lags):
        if self.lags != lags:
            return  # that snapshot went with its attachment
        self.check_fine(error, result)
        self.snapshot += result
        if len(self.snapshot) < self.snapshot_size:
            self.read_on()
            return
        self.base, self.snapshot = self.snapshot, None
        self.snapshots.append((self.base_sequence, self.base))

    def attach_again(self):
        """On the same connection, at once."""
        lags = self.lags
        self.ask("detach", [self.session], lambda error, result: self.detached(error, result, lags))
        self.listens, self.detaching = False, True

    def detached(self, error, result, lags):
        if not (error and error[0] == NOT_ATTACHED and self.lags != lags):
            self.check_fine(error, result)
        self.attached = self.detaching = False
        self.attach()

    def lagged(self, sequence):
        """It is told of no more until it attaches again."""
        if not self.attached or sequence != self.sequence:
            raise Wrong("%s: lags at %d, told %s" % (self.name, sequence, self.attached and self.sequence))
        self.lags += 1
        self.attached = False
        for request in self.pending:
            request.listens = False
        if not self.detaching:
            self.attach()

    # ---- what comes

    def check_fine(self, error, _):
        if error:
            raise Wrong("%s: %s" % (self.name, error))

    def answered(self, request, error, result):
        request.answer = (error, result)
        if self.pending[0] is not request:
            raise Wrong("%s: answers out of order" % self.name)
        self.pending.pop(0)
        if len(request.sent) > 1:
            self.repeats += 1
        elif not error and request.listens and request.key not in self.keys_seen:
            raise Wrong("%s: %s was answered before its event came" % (self.name, request.key))
        if not error:
            self.learn(request, result)

    def learn(self, request, result):
        draw = self.draw
        if request.method == "addposition":
            draw.newest = result["number"]
        elif request.method == "addpositions":
            draw.newest = result["numbers"][-1]
        elif request.method == "dropsubtree":
            draw.kept.append(result["key"])
        elif request.method in ("setcursor", "undo", "redo", "movecursor"):
            draw.cursors[request.params[0]] = draw.newest = result["position"]["number"]
        draw.made = max(draw.made, draw.newest + 1)

    def notified(self, method, params):
        if method == "lagged":
            self.lagged(params[1])
            return
        if method != "operation":
            raise Wrong("%s: event %s %s" % (self.name, method, params))
        _, sequence, operation, effects, own = params
        if not self.attached or sequence != self.sequence + 1:
            raise Wrong("%s: event %d after %s" % (self.name, sequence, self.attached and self.sequence))
        if effects is not None and self.told.setdefault(sequence, effects) != effects:
            raise Wrong("%s: effects of %d are %s, others were told %s" % (
                self.name, sequence, effects, self.told[sequence]))
        self.operations.append(operation)
        key = decode(operation).key
        mine = key is not None and key.startswith(self.name.encode() + b"/")
        if own and not mine:
            raise Wrong("%s: event %d is said to be its own" % (self.name, sequence))
        if mine:
            self.keys_seen.add(key)

    def receive(self, size):
        try:
            data = self.socket.recv(size)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.lose()
            return True
        self.unpacker.feed(data)
        for message in self.unpacker:
            if message[0] == 2:
                self.notified(*message[1:])
                continue
            _, id, error, result = message
            expected, then = self.waiting.popleft()
            if id != expected:
                raise Wrong("%s: response %d, expected %d" % (self.name, id, expected))
            then(error, result)
        return True

    def transfer(self, size):
        try:
            sent = self.socket.send(self.out[:size])
        except BlockingIOError:
            return False
        except OSError:
            self.lose()
            return True
        del self.out[:sent]
        self.gone_out += sent
        while self.ends and self.ends[0][0] <= self.gone_out:
            self.ends.popleft()[1].sent.append(self.count_sent)
            self.count_sent += 1
        return sent > 0

    # ---- what it does

    def piece(self):
        if self.quiet:
            return 1 << 20
        return self.rng.choices(PIECES, PIECES_WEIGHTS)[0]

    def request_more(self):
        for _ in range(self.rng.randint(1, self.depth - len(self.pending))):
            key = b"%s/%d" % (self.name.encode(), len(self.requests))
            request = Request(key, *self.draw.request())
            self.requests.append(request)
            self.pending.append(request)
            self.transmit(request)

    def step(self):
        rng = self.rng
        if self.socket is None:
            return self.connect()
        if not self.quiet:
            if rng.random() < self.cuts:
                self.lose()
                return True
            if self.attached and self.snapshot is None and not self.waiting and rng.random() < 0.02:
                self.attach_again()
            if self.lazy == 0 and rng.random() < 0.003:
                self.lazy = rng.choice((10, 100, 400))
            if len(self.pending) < self.depth and rng.random() < 0.5:
                self.request_more()
        sent = bool(self.out) and self.transfer(self.piece())
        if self.socket is None:
            return True
        if self.lazy and not self.quiet:
            self.lazy -= 1
            return sent
        return self.receive(self.piece()) or sent

    def __str__(self):
        return "%s: %s, %d pending, %d waiting, %d to go out, base %s, seen %s" % (
            self.name, "connected" if self.socket else "not connected", len(self.pending), len(self.waiting),
            len(self.out) if self.socket else 0, self.base is not None,
            self.sequence if self.base_sequence is not None else None)

    def settled(self):
        """Nothing is asked for, and all is there."""
        return (self.socket is not None and not self.waiting and not self.pending and not self.out and
                self.base is not None)


class Observer(Bare):
    """Asks for nothing and sees all, from the beginning."""

    def __init__(self, rng, path, session, base, cuts):
        super().__init__("observer", 255, rng, path, session, [], 0, cuts)
        self.base, self.base_sequence = base

    def attach(self):
        self.attached = True
        self.listens = True
        self.ask_since({"since": self.sequence, "effects": self.rng.random() < 0.5})
