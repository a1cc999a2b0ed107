"""redoctl cursor: current positions with names, listed and moved."""

from ctl import Setting, begin_example, run


def test_cursors_are_set_moved_listed_and_dropped():
    with Setting() as s:
        begin_example(s, "n")
        cursor = lambda do, *more: s.output("cursor", do, "n", *more)
        assert cursor("list") == "  position  cursor\n"
        assert cursor("set", "mine", 5) == "5\n"
        assert cursor("undo", "mine") == "3\n"
        assert cursor("undo", "mine", 9) == "0\n"
        assert cursor("undo", "mine") == "0 (it has not moved)\n"
        assert cursor("redo", "mine", 4) == "5\n"
        assert cursor("branchback", "mine") == "2 [10]\n"
        assert cursor("better", "mine") == "10\n"
        assert cursor("solution", "mine") == "10 (it has not moved)\n"
        assert cursor("set", "a b", 0) == "0\n"
        assert cursor("list") == "  position  cursor\n         0  a b\n        10  mine\n"
        assert cursor("drop", "mine") == ""
        assert cursor("list") == "  position  cursor\n         0  a b\n"


def test_what_can_not_be_done_is_told():
    with Setting() as s:
        begin_example(s, "n")
        for args, status, words in (
                (("undo", "n", "none"), 1, "no such cursor"),
                (("set", "n", "c", 77), 1, "no such position"),
                (("list", "no"), 1, "no such session"),
                (("set", "n", "c"), 2, "too few"), (("undo", "n"), 2, "too few"),
                (("list", "n", "c"), 2, "too many"), (("drop", "n", "c", 1), 2, "too many"),
                (("undo", "n", "c", 0), 2, "number of moves"),
                (("set", "n", "c", "x"), 2, "not a position"), (("fly", "n", "c"), 2, "fly")):
            result = s("cursor", *args)
            assert result.status == status and words in result.err, (args, result)


run()
