"""rpc.py against a server of a few lines, so that a failure elsewhere is not its own."""
import os
import socket
import sys
import tempfile
import threading
import unittest

import msgpack

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from rpc import Closed, Notification, ProtocolError, Rpc, RpcError  # noqa: E402


def serve(listener):
    connection, _ = listener.accept()
    unpacker = msgpack.Unpacker(raw=False)
    with connection:
        while True:
            data = connection.recv(65536)
            if not data:
                return
            unpacker.feed(data)
            for message in unpacker:
                if message[0] == 0:
                    _, id, method, params = message
                    if method == "close":
                        return
                    if method == "event":
                        connection.sendall(msgpack.packb([2, "happened", params]))
                    error = [7, "no", {"param": params[0]}] if method == "fail" else None
                    if method == "string":
                        error = "REDO_ERANGE: no"
                    if method == "stray":
                        id += 1
                    result = None if error else params
                    connection.sendall(msgpack.packb([1, id, error, result]))
                else:
                    connection.sendall(msgpack.packb([2, message[1], message[2]]))


class RpcTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "socket")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen()
        self.thread = threading.Thread(target=serve, args=(self.listener,))
        self.thread.start()
        self.rpc = Rpc(path, timeout=5)

    def tearDown(self):
        self.rpc.close()
        self.thread.join()
        self.listener.close()
        self.folder.cleanup()

    def test_a_call_returns_the_result(self):
        self.assertEqual(self.rpc.call("echo", 1, b"\xff", {"a": None}), [1, b"\xff", {"a": None}])

    def test_an_error_is_raised(self):
        with self.assertRaises(RpcError) as caught:
            self.rpc.call("fail", "move")
        self.assertEqual(caught.exception.code, 7)
        self.assertEqual(caught.exception.message, "no")
        self.assertEqual(caught.exception.detail, {"param": "move"})

    def test_a_string_error_is_raised(self):
        with self.assertRaises(RpcError) as caught:
            self.rpc.call("string")
        self.assertIsNone(caught.exception.code)

    def test_pipelined_answers_are_told_apart(self):
        ids = self.rpc.send_all([("echo", n) for n in range(100)])
        self.assertEqual(self.rpc.result(ids[99]), [99])
        self.assertEqual(self.rpc.result(ids[0]), [0])
        self.assertEqual(self.rpc.call_all([("echo", 1), ("fail", 2)])[1][0][0], 7)

    def test_an_id_may_be_used_twice(self):
        for n in range(2):
            self.rpc.send("echo", n, id=5)
        self.assertEqual([self.rpc.result(5), self.rpc.result(5)], [[0], [1]])

    def test_notifications_are_collected(self):
        self.rpc.call("event", 5)
        self.assertEqual(self.rpc.notifications, [Notification("happened", [5])])
        self.assertEqual(self.rpc.log, [("notification", "happened"), ("response", 0)])
        self.rpc.notify("back", 6)
        self.assertEqual(self.rpc.wait_notifications(2)[1], Notification("back", [6]))

    def test_raw_bytes_can_be_sent_in_pieces(self):
        id = self.rpc.expect(7)
        for byte in msgpack.packb([0, id, "echo", []]):
            self.rpc.send_bytes(bytes([byte]))
        self.assertEqual(self.rpc.result(id), [])

    def test_a_stray_response_is_found(self):
        with self.assertRaises(ProtocolError):
            self.rpc.call("stray")

    def test_the_end_is_told(self):
        with self.assertRaises(Closed):
            self.rpc.call("close")
        self.assertTrue(self.rpc.closed_by_peer())

    def test_silence_is_told(self):
        with self.assertRaises(TimeoutError):
            self.rpc.wait_notifications(timeout=0.05)
        self.assertFalse(self.rpc.closed_by_peer(0.05))


if __name__ == "__main__":
    unittest.main()
