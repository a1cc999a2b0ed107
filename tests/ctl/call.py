"""redoctl call: every method, with JSON."""

import json

from ctl import Setting, run


def answer(s, *args):
    out = s.output("call", *args)
    assert out.count("\n") == 1
    return json.loads(out)


def test_params_are_json_values_or_one_array():
    with Setting() as s:
        made = answer(s, "beginsession", '{"$bin": "00ff"}', "2", "0", '{"name": "n"}')
        assert made["name"] == "n" and made["size"] == 2 and made["created"] is True
        assert answer(s, "getsession", '"n"')["positions"] == 1
        assert answer(s, "getsession", '["n"]')["positions"] == 1
        assert answer(s, "server.ping") is None


def test_bytes_are_hex_in_both_directions():
    with Setting() as s:
        s.begin("n", b"\0\xff")
        assert answer(s, "getsavedstate", '"n"', "0") == {"$bin": "00ff"}
        added = answer(s, "addposition", '"n"', "0", "-5", '{"$bin": "ABcd"}', "0", "1")
        assert added["move"] == -5
        assert s.rpc.call("getsavedstate", "n", 1) == b"\xab\xcd"


def test_a_lone_array_is_written_in_an_array():
    with Setting() as s:
        s.begin("n")
        result = answer(s, "addpositions", '["n", [[0, 1, {"$bin": "01"}, 0, 0], '
                                           '[-1, 2, {"$bin": "02"}, 0, 0]]]')
        assert result == {"numbers": [1, 2], "new": [True, True]}


def test_every_kind_of_value_goes_through():
    with Setting() as s:
        result = s("call", "server.hello", '{"client": "\\u00e9", "errors": "array"}')
        assert result.status == 0 and json.loads(result.out)["server"] == "redod", result
        result = s("call", "server.hello", '{"client": null, "errors": 1.5}')
        assert result.status == 1 and "float" in result.err, result
        result = s("call", "server.hello", '{"client": 9223372036854775807}')
        assert result.status == 1 and "expected" in result.err, result


def test_errors_of_the_daemon_are_told_with_their_details():
    with Setting() as s:
        s.begin("n")
        result = s("call", "getposition", '"n"', "7")
        assert result.status == 1 and not result.out
        assert result.err == \
            "redoctl: getposition: no such position: position 7 (REDO_EPOSITION, 3)\n"
        result = s("call", "no.such.method")
        assert result.status == 1 and "REDO_EMETHOD" in result.err


def test_what_is_not_json_or_bytes_is_told_before_anything_is_sent():
    with Setting() as s:
        s.begin("n")
        for param, word in (("n", "quotes"), ('{"$bin": "0g"}', "hex"), ('{"$bin": 5}', "hex"),
                            ('"\\ud800"', "JSON"), ("[" * 40 + "]" * 40, "deep")):
            result = s("call", "getsession", param, "1")
            assert result.status == 2 and word in result.err, result


run()
