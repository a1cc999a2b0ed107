"""A small client of msgpack-rpc for tests: calls, pipelining, events, and hostile bytes.

    rpc = Rpc("/run/redod.sock")
    session = rpc.call("beginsession", bytes(4), 4, 0)["session"]
    try:
        rpc.call("getposition", session, 99)
    except RpcError as e:
        assert e.code == 3

Nothing beyond the standard library and msgpack. It checks what it gets: a response to nothing, a
message that is none, or an answer out of order is a ProtocolError.
"""
import collections
import socket
import time

import msgpack

TIMEOUT = 10.0


class RpcError(Exception):
    """What the server answered instead of a result. A string error has no code (None)."""

    def __init__(self, error):
        self.error = error
        if isinstance(error, (list, tuple)):
            self.code = error[0]
            self.message = error[1]
            self.detail = error[2] if len(error) > 2 else {}
        else:
            self.code, self.message, self.detail = None, error, {}
        super().__init__(f"{self.code}: {self.message} {self.detail}")


class ProtocolError(Exception):
    """The server does not keep to the protocol."""


class Closed(Exception):
    """The connection ended."""


Notification = collections.namedtuple("Notification", "method params")


class Rpc:
    """One connection. `notifications` holds what came and was not asked for, oldest first."""

    def __init__(self, path, timeout=TIMEOUT):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.timeout = timeout
        self.notifications = []
        self.log = []  # what came, in order: ("response", id) and ("notification", method)
        self.unpacker = msgpack.Unpacker(
            raw=False, strict_map_key=False, max_buffer_size=256 * 1024 * 1024
        )
        self.next_id = 0
        self.waiting = collections.deque()  # ids sent and not answered, in order
        # id: [(error, result)], answered and not taken; an id may be used twice
        self.responses = collections.defaultdict(collections.deque)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    # ---- bytes

    def send_bytes(self, data):
        """Sends bytes as they are, hostile or not."""
        self.socket.sendall(data)

    def recv_bytes(self, size=65536):
        """What comes next as bytes, b"" at the end. Not together with the methods below."""
        return self.socket.recv(size)

    def closed_by_peer(self, timeout=None):
        """Reads on until the end; False if it does not come in time."""
        try:
            while True:
                self._receive(timeout)
        except Closed:
            return True
        except TimeoutError:
            return False

    # ---- messages

    def send(self, method, *params, id=None):
        """Sends a request and returns its id, for result(). The answer is not waited for."""
        id = self.expect(id)
        self.send_bytes(pack_request(id, method, *params))
        return id

    def send_all(self, calls):
        """Sends requests, each (method, *params), in one piece; returns their ids."""
        ids = [self.expect() for _ in calls]
        self.send_bytes(b"".join(pack_request(id, *call) for id, call in zip(ids, calls)))
        return ids

    def expect(self, id=None):
        """Takes an id into the order of answers, for a request sent with send_bytes()."""
        if id is None:
            id = self.next_id
        self.next_id = (id + 1) & 0xFFFFFFFF
        self.waiting.append(id)
        return id

    def notify(self, method, *params):
        self.send_bytes(pack_notification(method, *params))

    def response(self, id, timeout=None):
        """Waits for the answer to a request: (error, result)."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while not self.responses[id]:
            if id not in self.waiting:
                raise ValueError(f"no request {id} is waiting")
            self._receive(max(0.0, deadline - time.monotonic()))
        response = self.responses[id].popleft()
        if not self.responses[id]:
            del self.responses[id]
        return response

    def result(self, id, timeout=None):
        """Waits for the answer to a request; RpcError if it is an error."""
        error, result = self.response(id, timeout)
        if error is not None:
            raise RpcError(error)
        return result

    def call(self, method, *params):
        """Sends a request and waits for its result."""
        return self.result(self.send(method, *params))

    def call_all(self, calls):
        """Pipelines requests, each (method, *params); returns [(error, result)], in their order."""
        return [self.response(id) for id in self.send_all(calls)]

    def wait_notifications(self, count=1, timeout=None):
        """Waits until so many have come, takes them from the list and returns them."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while len(self.notifications) < count:
            self._receive(max(0.0, deadline - time.monotonic()))
        taken, self.notifications = self.notifications[:count], self.notifications[count:]
        return taken

    def poll(self, timeout=0.05):
        """Takes in what comes until nothing has come for so long."""
        try:
            while True:
                self._receive(timeout)
        except TimeoutError:
            pass

    # ---- receiving

    def _receive(self, timeout=None):
        """Reads once from the socket and files the messages that are then whole."""
        # Not 0: that would make the socket non-blocking, and the error another one.
        self.socket.settimeout(self.timeout if timeout is None else max(timeout, 0.001))
        try:
            data = self.socket.recv(1 << 20)
        except ConnectionResetError:
            data = b""
        except socket.timeout as e:  # TimeoutError itself from Python 3.10 on
            raise TimeoutError("nothing came in time") from e
        finally:
            self.socket.settimeout(self.timeout)
        if not data:
            raise Closed()
        self.unpacker.feed(data)
        for message in self.unpacker:
            self._file(message)

    def _file(self, message):
        if not isinstance(message, list) or not message:
            raise ProtocolError(f"not a message: {message!r}")
        if message[0] == 1 and len(message) == 4:
            _, id, error, result = message
            if not self.waiting or self.waiting[0] != id:
                raise ProtocolError(f"response {id}, waiting for {list(self.waiting)[:3]}")
            if error is not None and result is not None:
                raise ProtocolError(f"an error and a result: {message!r}")
            self.waiting.popleft()
            self.responses[id].append((error, result))
            self.log.append(("response", id))
        elif message[0] == 2 and len(message) == 3:
            self.notifications.append(Notification(message[1], message[2]))
            self.log.append(("notification", message[1]))
        else:
            raise ProtocolError(f"not a message: {message!r}")


def pack_request(id, method, *params):
    return msgpack.packb([0, id, method, list(params)])


def pack_notification(method, *params):
    return msgpack.packb([2, method, list(params)])
