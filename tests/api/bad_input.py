"""Whatever is sent, the answer is an error that says what is wrong, nothing has changed, and nobody
else has noticed. The bad calls are made from server.info, so that each method that is ever added is
tried in the same ways."""
import random

import msgpack

from api import (EBRANCHES, ECONSTANT, EDAMAGED, EDROPPED, EFRAME, EKIND, EMESSAGE, EMETHOD,
                 ENOSESSION, EOPERATION, EOPTION, EPARAMS, EPOSITION, ERANGE, ESTATE, ETOOBIG, ETYPE, EUTF8,
                 MIB, STATE_MAX, Closed, add, begin, chain, check_error, error_of, number, run,
                 serving, snapshot)

STATE = number(1)
EXT = msgpack.ExtType(5, b"abc")
ONE_OF_EACH = {"nil": None, "bool": True, "int": 7, "negative": -7, "float": 1.0, "str": "x",
               "bin": b"x", "array": [1], "map": {"a": 1}}
# What each type takes, by the names above.
TAKES = {"session": {"int", "str", "bin"}, "position": {"int"}, "int": {"int", "negative"},
         "size": {"int"}, "count": {"int"}, "bin": {"bin", "str"}, "str": {"str", "bin"},
         "bool": {"bool"}, "array": {"array"}, "any": set(ONE_OF_EACH), "bin|nil": {"bin", "str", "nil"}}
# Of the right kind, and out of range.
OUTSIDE = {
    "session": [(-1, ENOSESSION), (0, ENOSESSION), (2**53, ENOSESSION), (2**64 - 1, ENOSESSION),
                (-2**63, ENOSESSION), ("", ENOSESSION), ("nobody", ENOSESSION),
                ("x" * 70000, ENOSESSION), ("a\0b", ENOSESSION)],
    "position": [(-1, EPOSITION), (-2**63, EPOSITION), (5, EPOSITION), (2**32 - 2, EPOSITION),
                 (2**32 - 1, EPOSITION), (2**32, EPOSITION), (2**64 - 1, EPOSITION)],
    "int": [(2**31, ERANGE), (-2**31 - 1, ERANGE), (2**64 - 1, ERANGE), (-2**63, ERANGE)],
    "size": [(-1, ERANGE), (2**53, ERANGE), (2**64 - 1, ERANGE), (-2**63, ERANGE)],
    "count": [(0, ERANGE), (-1, ERANGE), (2**53, ERANGE), (2**64 - 1, ERANGE), (-2**63, ERANGE)],
}


OF_CHANGES = ("addchanges", "gettable", "getlines", "getdiff", "getschema", "newundo", "addundo")
EKIND, ENOCANDIDATE = 54, 57


class Bench:
    """A session with something in it, one who watches it, and one who is somewhere else."""

    def __enter__(self):
        self.serving = serving()
        self.daemon = self.serving.__enter__()
        self.rpc, self.watcher, self.other = (self.daemon.connect() for _ in range(3))
        rpc = self.rpc
        self.session = begin(rpc, 4, 3, name="bench")
        for i in range(1, 4):
            add(rpc, self.session, i - 1, i, i)
        add(rpc, self.session, 0, 9, 9, endpoint=1)
        rpc.call("dropposition", self.session, 3)  # numbers 0 1 2 4 are there, 3 was, 5 never
        self.watcher.call("attach", self.session)
        self.larger = begin(self.other, 4, 0)
        chain(self.other, self.larger, 20)
        self.info = rpc.call("server.info")
        self.before = self.state()
        return self

    def state(self):
        sessions = self.rpc.call("listsessions")["sessions"]
        for session in sessions:
            session.pop("used")
        return (snapshot(self.rpc, self.session), sessions,
                snapshot(self.other, self.larger))

    def unharmed(self, what):
        """Nothing has changed, and nobody was told or cut off."""
        assert self.state() == self.before, what
        self.watcher.call("server.ping")
        assert self.watcher.notifications == self.other.notifications == [], what

    def __exit__(self, *exception):
        if exception[0] is None:
            self.unharmed("at the end")
        for rpc in (self.rpc, self.watcher, self.other):
            rpc.close()
        self.serving.__exit__(*exception)

    def params(self, method):
        """Params that this method takes, if they are not what it does with them."""
        return [{"session": self.session, "position": 1, "int": 0, "size": 1, "bool": True,
                 "count": 1, "str": "nobody", "array": [], "bin": STATE, "bin|nil": STATE, "any": None}[p["type"]]
                for p in method["params"]]

    def refused(self, calls):
        """Each of [(call, codes)] is answered with one of the codes."""
        for start in range(0, len(calls), 200):
            part = calls[start:start + 200]
            for (call, codes), (error, result) in zip(part,
                                                      self.rpc.call_all([c for c, _ in part])):
                assert error is not None, "%r was answered with %r" % (short(call), result)
                check_error(error)
                codes = codes if isinstance(codes, tuple) else (codes,)
                if call[0] == "playcandidate":  # there is none to play
                    codes += (ENOCANDIDATE,)
                if call[0] in OF_CHANGES: # the session is one of states
                    codes += (EKIND,)
                assert error[0] in codes, (short(call), error)
                yield call, error
        self.unharmed([short(call) for call, _ in calls[:5]])


def short(call):
    text = repr(call)
    return text if len(text) < 300 else text[:300] + "..."


def exhaust(iterator):
    for _ in iterator:
        pass


def put(params, place, value):
    return params[:place] + [value] + params[place + 1:]


# ---- calls


def test_wrong_number_of_params_is_refused_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            good, name = bench.params(method), method["name"]
            most = len(good) + bool(method["options"])
            calls = [((name, *good[:n]), EPARAMS) for n in range(len(good))]
            calls += [((name, *(good + [{}] * 9)[:n]), EPARAMS) for n in range(most + 1, most + 4)]
            calls += [((name, *[None] * 1000), EPARAMS)]
            for call, error in bench.refused(calls):
                assert error[2] == {"method": name, "expected": len(good),
                                    "given": len(call) - 1}, error


def test_each_param_of_each_wrong_type_is_refused_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            good, calls = bench.params(method), []
            for place, param in enumerate(method["params"]):
                for kind, value in ONE_OF_EACH.items():
                    if kind not in TAKES[param["type"]] and kind != "negative":
                        calls.append(((method["name"], *put(good, place, value)), ETYPE))
            for call, error in bench.refused(calls):
                detail = error[2]
                place = detail["index"]
                assert detail["method"] == method["name"]
                assert detail["param"] == method["params"][place]["name"]
                assert detail["expected"] == method["params"][place]["type"]
                assert type(call[1 + place]) is not type(good[place])


def test_each_option_of_each_wrong_type_is_refused_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            good, calls = bench.params(method), []
            for option in method["options"]:
                for kind, value in ONE_OF_EACH.items():
                    if kind not in TAKES[option["type"]] | {"nil", "negative"}:
                        calls.append(((method["name"], *good, {option["name"]: value}), ETYPE))
            for call, error in bench.refused(calls):
                assert error[2]["param"] in call[-1] and error[2]["index"] == len(good), error


def test_options_that_are_no_map_are_refused_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            if method["options"]:
                exhaust(bench.refused([
                    ((method["name"], *bench.params(method), value), ETYPE)
                    for value in (True, 0, 1.5, "options", b"options", [1], [[]], "")]))


def test_unknown_option_is_refused_and_named_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            if not method["options"]:
                continue
            good, known = bench.params(method), method["options"][0]["name"]
            calls = [((method["name"], *good, {key: None}), EOPTION)
                     for key in ("", "x", known + "x", known[:-1], known.upper(), "x" * 70000, 1,
                                 None, 1.5, True, b"x", known.encode() + b"\0")]
            for call, error in bench.refused(calls):
                (key,) = call[-1]
                assert error[2]["method"] == method["name"]
                if isinstance(key, bytes):
                    key = key.decode()
                if isinstance(key, str):
                    assert error[2]["option"] == key or len(key) > 1000, error
                else:
                    assert error[2]["expected"] == "str" and error[2]["given"] in error[1], error


def test_option_given_twice_is_refused_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            if not method["options"]:
                continue
            params = bench.params(method)
            key = msgpack.packb(method["options"][0]["name"])
            data = b"\x94\x00\x07" + msgpack.packb(method["name"])
            data += bytes([0x90 + len(params) + 1]) + b"".join(map(msgpack.packb, params))
            bench.rpc.send_bytes(data + b"\x82" + key + b"\xc0" + key + b"\xc0")
            bench.rpc.expect(7)
            error, _ = bench.rpc.response(7)
            check_error(error)
            assert error[0] == EOPTION, error


def test_numbers_out_of_range_are_refused_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            good, name = bench.params(method), method["name"]
            calls = [((name, *put(good, place, value)), code)
                     for place, param in enumerate(method["params"])
                     for value, code in OUTSIDE.get(param["type"], [])]
            calls += [((name, *good, {option["name"]: value}), code)
                      for option in method["options"]
                      for value, code in OUTSIDE.get(option["type"], [])
                      if not (option["type"] == "position" and 0 <= value < 2**32 - 1)
                      and not (option["type"] == "session" and (value == 0 or isinstance(value, str)))]
            exhaust(bench.refused(calls))


def test_positions_that_were_dropped_or_are_of_another_session_are_refused_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            good = bench.params(method)
            calls = [((method["name"], *put(good, place, value)), code)
                     for place, param in enumerate(method["params"])
                     if param["type"] == "position"
                     for value, code in ((3, EDROPPED), (5, EPOSITION), (20, EPOSITION))]
            exhaust(bench.refused(calls))


def test_private_session_of_another_is_refused_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            good = bench.params(method)
            exhaust(bench.refused([
                ((method["name"], *put(good, place, bench.larger)), ENOSESSION)
                for place, param in enumerate(method["params"]) if param["type"] == "session"]))


def test_states_of_the_wrong_size_are_refused_by_every_method():
    with Bench() as bench:
        for method in bench.info["methods"]:
            good = bench.params(method)
            calls = [((method["name"], *put(good, place, state)), ESTATE)
                     for place, param in enumerate(method["params"])
                     if param["name"] in ("state", "initialstate")
                     for state in (b"", b"abc", b"abcde", "", "abc", bytes(STATE_MAX + 1))]
            exhaust(bench.refused(calls))


def test_bytes_that_stand_for_something_are_looked_at():
    with Bench() as bench:
        rng = random.Random(7)
        for method in bench.info["methods"]:
            good, calls = bench.params(method), []
            for place, param in enumerate(method["params"]):
                code = {"operation": (EOPERATION, EPOSITION, ESTATE, ERANGE, ECONSTANT),
                        "dump": EDAMAGED}.get(param["name"])
                if code:
                    calls += [((method["name"], *put(good, place, bytes([0]) + rng.randbytes(n))),
                               code) for n in range(60)]
            exhaust(bench.refused(calls))


def test_ext_anywhere_in_a_call_is_refused():
    with Bench() as bench:
        calls = []
        for method in bench.info["methods"]:
            good, name = bench.params(method), method["name"]
            calls += [((name, *put(good, place, EXT)), ETYPE) for place in range(len(good))]
            if method["options"]:
                calls.append(((name, *good, {method["options"][0]["name"]: EXT}), ETYPE))
        calls.append((("addpositions", bench.session, [[0, 1, EXT, 0, 1]]), ETYPE))
        calls.append((("server.ping", [[{"a": [EXT]}]]), ETYPE))
        exhaust(bench.refused(calls))


def test_every_first_byte_of_msgpack_as_a_param_gets_an_answer_or_the_end():
    """Whatever a param is: an answer to the request, or a last word about the bytes."""
    with Bench() as bench:
        for first in range(256):
            with bench.daemon.connect() as rpc:
                rpc.expect(5)
                rpc.send_bytes(b"\x94\x00\x05" + msgpack.packb("getsession") + b"\x91" +
                               bytes([first]) + b"\xc1" * 40)
                rpc.socket.shutdown(1)
                try:
                    error, result = rpc.response(5)
                except Closed:  # the bytes announce more than has come
                    continue
                if first != bench.session:
                    assert result is None, (first, result)
                    check_error(error)
        bench.unharmed("any byte")


def test_random_params_are_answered_one_for_one():
    def value(rng, depth=0):
        kind = rng.randrange(12 if depth < 4 else 9)
        if kind < 4:
            return rng.choice((0, 1, 2, 4, -1, 2**31, 2**32, 2**53, 2**63, -2**63, 77))
        if kind < 6:
            return rng.randbytes(rng.choice((0, 1, 3, 4, 4, 4, 5, 300)))
        if kind == 6:
            return rng.choice((None, True, False, 0.5, float("nan"), float("inf")))
        if kind < 9:
            return rng.choice(("", "bench", "states", "limit", "strict", "x" * 300))
        if kind == 9:
            return {rng.choice(("limit", "states", "name", "join", "after", "depth", 1)):
                    value(rng, depth + 1) for _ in range(rng.randrange(3))}
        return [value(rng, depth + 1) for _ in range(rng.randrange(6))]

    with serving() as daemon, daemon.connect() as rpc, daemon.connect() as other:
        rng = random.Random(11)
        methods = rpc.call("server.info")["methods"]
        session = begin(other)
        before = snapshot(other, session)
        for _ in range(60):
            calls = []
            for _ in range(100):
                method = rng.choice(methods)
                count = max(0, len(method["params"]) + rng.choice((0, 0, 0, 1, 1, -1, 2)))
                calls.append((method["name"], *(value(rng) for _ in range(count))))
            for call, (error, result) in zip(calls, rpc.call_all(calls)):
                if isinstance(error, str):  # after a server.hello
                    rpc.call("server.hello", {"errors": "array"})
                elif error is not None:
                    check_error(error)
        assert snapshot(other, session) == before


# ---- messages


def messages_that_are_no_call():
    return [1, -1, 1.5, "text", b"bytes", None, True, {}, {1: 2}, [], [0], [0, 1], [0, 1, "x"],
            [0, 1, "x", [], 5], [3, 1, "x", []], [-1, 1, "x", []], ["0", 1, "x", []],
            [0, -1, "x", []], [0, 2**32, "x", []], [0, 1.0, "x", []], [0, "1", "x", []],
            [0, None, "x", []], [0, 1, 5, []], [0, 1, None, []], [0, 1, ["x"], []],
            [0, 1, "x", {}], [0, 1, "x", None], [0, 1, "x", 5], [2], [2, "x"], [2, "x", [], 1],
            [2, 5, []], [2, "x", {}], [[0, 1, "server.ping", []]]]


def test_msgpack_that_is_no_call_is_answered_and_the_connection_goes_on():
    with Bench() as bench:
        for value in messages_that_are_no_call():
            with bench.daemon.connect() as rpc:
                rpc.send_bytes(msgpack.packb(value))
                if (isinstance(value, list) and len(value) > 1 and value[0] == 0 and
                        isinstance(value[1], int) and 0 <= value[1] < 2**32):
                    rpc.expect(value[1])
                    error, _ = rpc.response(value[1])
                else:
                    (event,) = rpc.wait_notifications()
                    assert event.method == "error", (value, event)
                    error = event.params
                check_error(error)
                assert error[0] == EMESSAGE, (value, error)
                rpc.call("server.ping")
        bench.unharmed("no call")


def test_every_error_of_a_call_names_its_method():
    with Bench() as bench:
        calls = [((m["name"], *[None] * 20), EPARAMS) for m in bench.info["methods"]]
        calls += [(("getposition", bench.session, 3), EDROPPED), (("getsession", "x"), ENOSESSION),
                  (("dropposition", bench.session, 1), EBRANCHES),
                  (("apply", bench.session, b""), EOPERATION), (("loadsession", b"x"), EDAMAGED), (("no.such", 1), EMETHOD),
                  (("setgraftbehavior", bench.session, 9), ECONSTANT),
                  (("addpositions", bench.session, [5]), ETYPE)]
        for call, error in bench.refused(calls):
            assert error[2]["method"] == call[0], (call, error)


def test_a_session_told_by_change_takes_no_states_and_one_of_states_no_lines():
    with Bench() as bench:
        rpc, state = bench.rpc, bytes(20)
        changes = rpc.call("beginchanges", "baba")["session"]
        for call in (("addposition", changes, 0, 1, state, 0, 1),
                     ("addpositions", changes, [[0, 1, state, 0, 1]]),
                     ("updatesavedstate", changes, 0, state),
                     ("suppresscycle", changes, 0, state, 1),
                     ("addchanges", bench.session, 0, 1, [["create", "baba", 1]], 0, 1),
                     ("gettable", bench.session, 0), ("getlines", bench.session, 0),
                     ("newundo", bench.session, "a"), ("addundo", bench.session, "a", ["x"])):
            assert error_of(rpc, *call) == EKIND, call
        assert rpc.call("getsessionsize", changes) == 1


# Texts that are not UTF-8, each a str of fewer than 32 bytes.
NOT_UTF8 = [b"\xff", b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"ab\xc3",
            b"\xe2\x82", b"\xf8\x88\x80\x80\x80"]


def raw(rpc, body):
    """The error of a request of which method and params are these bytes; it must be one."""
    rpc.expect(3)
    rpc.send_bytes(b"\x94\x00\x03" + body)
    error, _ = rpc.response(3)
    check_error(error)
    return error


def test_invalid_utf8_is_refused_wherever_text_is_taken():
    """In a str or in a bin, by every method; and never taken for something else elsewhere."""
    with Bench() as bench:
        for method in bench.info["methods"]:
            good = [msgpack.packb(p) for p in bench.params(method)]
            name = msgpack.packb(method["name"])
            for text in NOT_UTF8:
                for packed in (bytes([0xa0 + len(text)]) + text, msgpack.packb(text)):
                    bad = []
                    for place, param in enumerate(method["params"]):
                        if param["type"] in ("str", "session"):
                            bad.append((put(good, place, packed), param["name"]))
                        elif param["type"] == "any" and packed[0] < 0xc0:
                            for around in (b"", b"\x91", b"\x81\x01", b"\x93\x90\x80"):
                                bad.append((put(good, place, around + packed), param["name"]))
                            bad.append((put(good, place, b"\x91\x81" + packed + b"\xc0"),
                                        param["name"]))
                        elif param["type"] not in ("any", "bin", "bin|nil"):
                            error = raw(bench.rpc, name + bytes([0x90 + len(good)]) +
                                        b"".join(put(good, place, packed)))
                            assert error[0] == ETYPE, (method["name"], error)
                    for option in method["options"]:
                        if option["type"] == "str":
                            key = msgpack.packb(option["name"])
                            bad.append((good + [b"\x81" + key + packed], option["name"]))
                    if method["options"]:
                        bad.append((good + [b"\x81" + packed + b"\xc0"], "options"))
                    for params, wrong in bad:
                        error = raw(bench.rpc, name + bytes([0x90 + len(params)]) +
                                    b"".join(params))
                        assert error[0] == EUTF8 and error[2]["param"] == wrong, (params, error)
                        assert error[2]["method"] == method["name"], error
        bench.unharmed("utf8")


def test_invalid_utf8_as_the_name_of_a_method_is_no_method():
    with Bench() as bench:
        for text in NOT_UTF8:
            assert raw(bench.rpc, bytes([0xa0 + len(text)]) + text + b"\x90")[0] == EMETHOD, text
        bench.unharmed("utf8")


def test_invalid_utf8_where_bytes_are_taken_is_bytes():
    """A state of the wrong size, an unfit dump or operation: refused for that."""
    with Bench() as bench:
        text = b"\xff\xfe\xfd"
        packed = bytes([0xa0 + len(text)]) + text
        session = msgpack.packb(bench.session)
        for body, code in (
                (msgpack.packb("addposition") + b"\x96" + session + b"\0\1" + packed + b"\0\1", ESTATE),
                (msgpack.packb("addpositions") + b"\x92" + session + b"\x91\x95\0\1" + packed +
                 b"\0\1", ESTATE),
                (msgpack.packb("updatesavedstate") + b"\x93" + session + b"\1" + packed, ESTATE),
                (msgpack.packb("loadsession") + b"\x91" + packed, EDAMAGED),
                (msgpack.packb("apply") + b"\x92" + session + packed, EOPERATION)):
            error = raw(bench.rpc, body)
            assert error[0] == code, (body, error)
        bench.unharmed("utf8")


def last_words(rpc, data, id=None):
    """Sends bytes after which the connection must end; the error that is said before."""
    if id is not None:
        rpc.expect(id)
    try:
        rpc.send_bytes(data)
    except (BrokenPipeError, ConnectionResetError):
        pass
    assert rpc.closed_by_peer(20), data[:50]
    if id is not None:
        error, _ = rpc.response(id)
    else:
        (event,) = rpc.notifications
        assert event.method == "error"
        error = event.params
    check_error(error)
    return error


def test_bombs_of_length_and_depth_are_refused_at_once():
    heads = [b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff",
             b"\xc6\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x01", b"\xdd\x7f\xff\xff\xff",
             b"\xdf\x80\0\0\0", b"\x91" * 33, b"\x81\xa1k" * 33, b"\xdc\0\1" * 40,
             b"\xdd\0\x0f\xff\xff" * 30]
    with Bench() as bench:
        call = b"\x94\x00\x09\xabserver.ping\x91"
        memory = bench.daemon.memory()
        for head in heads:
            with bench.daemon.connect() as rpc:
                assert last_words(rpc, head)[0] == ETOOBIG, head
            with bench.daemon.connect() as rpc:
                assert last_words(rpc, call + head, id=9)[0] == ETOOBIG, head
        assert bench.daemon.memory() < memory + 16 * MIB
        bench.unharmed("bombs")


def test_nesting_up_to_the_limit_is_taken():
    with Bench() as bench:
        depth = bench.info["limits"]["depth"]
        rpc = bench.rpc
        for nested in (b"\x91" * (depth - 3) + b"\x90", b"\x81\x01" * (depth - 3) + b"\x80",
                       b"\x91" * (depth - 2) + b"\x01"):
            rpc.expect(4)
            rpc.send_bytes(b"\x94\x00\x04\xabserver.ping\x91" + nested)
            error, result = rpc.response(4)
            assert error is None or error[0] == EPARAMS, error
        with bench.daemon.connect() as rpc:
            error = last_words(rpc, b"\x94\x00\x04\xabserver.ping\x91" + b"\x91" * (depth - 1), id=4)
            assert error[0] == ETOOBIG and error[2] == {"limit": "depth", "value": depth}, error


def test_message_over_the_limit_of_bytes_or_items_is_refused_with_the_limit_named():
    with serving("--max-message", "100000") as daemon:
        with daemon.connect() as rpc:
            session = begin(rpc, 50000, name="n")
            limits = rpc.call("server.info")["limits"]
        for data in (bytes(100000), "x" * 100000, b"\xc0" * 99990):
            with daemon.connect() as rpc:
                request = msgpack.packb([0, 1, "addposition", [session, 0, 1, data, 0, 1]])
                error = last_words(rpc, request, id=1)
                assert error[0] == ETOOBIG
                assert error[2] == {"limit": "bytes", "value": 100000}, error
    with serving() as daemon:
        with daemon.connect() as rpc:
            error = last_words(rpc, b"\x94\x00\x01\xabserver.ping\x91\xdd\x00\x0f\x42\x40", id=1)
            assert error[0] == ETOOBIG
            assert error[2] == {"limit": "items", "value": limits["items"]}, error


def test_messages_come_through_byte_by_byte():
    with Bench() as bench:
        with bench.daemon.connect() as rpc:
            session = begin(rpc)
            data = b"".join(msgpack.packb([0, i, *call]) for i, call in enumerate((
                ["addposition", [session, 0, 1, STATE, 0, 1, {"strict": True}]],
                ["getposition", [session, 1, {"states": True}]],
                ["getposition", [session, "1"]], ["no.such", []],
                ["getpositions", [session]])))
            for i in range(5):
                rpc.expect(i)
            for byte in data:
                rpc.send_bytes(bytes([byte]))
            got = [rpc.response(i) for i in range(5)]
            assert [error and error[0] for error, _ in got] == [None, None, ETYPE, EMETHOD, None]
            assert got[1][1]["state"] == STATE and len(got[4][1]["positions"]) == 2
        bench.unharmed("bytes")


def test_connection_cut_anywhere_in_a_change_changes_nothing_or_all():
    with Bench() as bench:
        rpc = bench.rpc
        session = begin(rpc, name="cut")
        data = msgpack.packb([0, 1, "addposition", [session, 0, 1, STATE, 0, 1]])
        for cut in range(1, len(data)):
            with bench.daemon.connect() as other:
                other.send_bytes(data[:cut])
        for _ in range(3):
            rpc.call("server.ping")
        assert rpc.call("getsession", session)["sequence"] == 0
        with bench.daemon.connect() as other:
            other.send_bytes(data + data[:5])
            other.expect(1)
            assert other.response(1)[0] is None
        rpc.call("deletesession", session)


def test_garbage_ends_only_its_own_connection_with_a_last_word():
    with Bench() as bench:
        rng = random.Random(3)
        for i in range(150):
            with bench.daemon.connect() as rpc:
                data = rng.randbytes(rng.choice((1, 10, 300, 5000)))
                if i % 3 == 0:
                    data = b"\xc1" + data
                try:
                    rpc.send_bytes(data)
                    rpc.socket.shutdown(1)
                except OSError:
                    pass  # it has ended already
                try:
                    while True:
                        rpc._receive(20)
                except Closed:
                    pass
                for event in rpc.notifications:
                    assert event.method == "error"
                    check_error(event.params)
                if i % 3 == 0:
                    assert rpc.notifications[-1].params[0] == EFRAME
        bench.unharmed("garbage")


def test_valid_requests_before_garbage_are_done_and_answered():
    with Bench() as bench:
        with bench.daemon.connect() as rpc:
            ids = [rpc.expect() for _ in range(100)]
            rpc.send_bytes(b"".join(msgpack.packb([0, i, "server.ping", []]) for i in ids) + b"\xc1")
            assert rpc.closed_by_peer(20)
            assert all(rpc.response(i) == (None, None) for i in ids)
            assert [e.params[0] for e in rpc.notifications] == [EFRAME]


def test_unknown_methods_are_named_in_the_error():
    with Bench() as bench:
        names = ["", "x", "ADDPOSITION", "addposition ", "addposition\0", "x" * 64, "x" * 65,
                 "x" * 70000, "é"]
        for call, error in bench.refused([((name, 1, 2), EMETHOD) for name in names]):
            assert len(error[2]["method"]) <= len(call[0])


run()
