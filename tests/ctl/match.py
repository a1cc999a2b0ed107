"""redoctl match, and matches in list, delete, undelete, purge, info, watch."""
from ctl import Setting, run


def begin_match(s, count=3):
    for i in range(count):
        s.begin("game%d" % i)
    assert s.output("match", "m", "--new", "--add", *["game%d" % i for i in range(count)]) == ""


def rows(s, name="m"):
    return [line.split() for line in s.output("match", name).splitlines()[2:]]


def test_a_match_is_begun_and_its_games_are_listed_with_their_properties():
    with Setting(stored=True) as s:
        begin_match(s)
        s.output("set", "m", "event", '"Monte Carlo"')
        s.output("set", "game1", "result", "2")
        s.output("set", "game1", "white", '"Ann B"')
        head, columns, *lines = s.output("match", "m").splitlines()
        assert head == "3 games  event=Monte Carlo" and columns.split() == ["place", "handle", "positions",
                                                                           "name,", "properties"]
        assert [line.split()[0] for line in lines] == ["0", "1", "2"]
        assert lines[1].endswith("1  game1  result=2  white=Ann B")


def test_games_are_added_dropped_and_ordered():
    with Setting(stored=True) as s:
        begin_match(s)
        s.begin("new")
        assert s.output("match", "m", "--add", "new", "--at", 1) == ""
        assert [r[3] for r in rows(s)] == ["game0", "new", "game1", "game2"]
        s.output("match", "m", "--order", "game2", "game0", "--at", "0")
        assert [r[3] for r in rows(s)] == ["game2", "game0", "new", "game1"]
        s.output("match", "m", "--drop", "game0", "game1")
        assert [r[3] for r in rows(s)] == ["game2", "new"]
        handle = rows(s)[0][1]
        s.output("delete", "game2")
        assert rows(s)[0][3:] == ["game2", "(in", "the", "trash)"]
        s.output("purge", handle, "--yes")
        assert rows(s)[0][3:] == ["(gone)"]
        s.output("match", "m", "--drop", "#" + handle)
        assert [r[3] for r in rows(s)] == ["new"]


def test_what_does_not_do_is_told():
    with Setting(stored=True) as s:
        begin_match(s)
        s.begin("alone")
        for args, status, text in ((("alone",), 1, "not a match"), (("nobody",), 1, "no such session"),
                                   (("m", "--add", "game0"), 1, "in a match already"),
                                   (("m", "--drop", "alone"), 1, "no such session"),
                                   (("alone", "--add", "game0"), 1, "not a match"),
                                   (("m", "game0"), 2, "--add"), (("m", "--add"), 2, "which sessions"),
                                   (("m", "--add", "--drop", "game0"), 2, "one of"),
                                   (("m", "--drop", "game0", "--at", "1"), 2, "--at"),
                                   (("m", "--drop", "#x"), 2, "not a handle"), (("m", "--new"), 1, "exists"), ((), 2, "")):
            result = s("match", *args)
            assert result.status == status and text in result.err, (args, result)


def test_list_shows_matches():
    with Setting(stored=True) as s:
        begin_match(s)
        s.begin("alone")
        lines = s.output("list").splitlines()
        assert [line for line in lines if line.endswith("m  (a match of 3)")]
        assert s.output("list", "--names", "--matches") == "m\n"
        assert s.output("list", "--names", "--no-games") == "alone\nm\n"
        assert "match" in s.output("info", "m") and "games" in s.output("info", "m")


def test_a_match_is_deleted_brought_back_and_purged_with_its_games():
    with Setting(stored=True) as s:
        begin_match(s)
        s.output("delete", "m")
        assert s.output("list", "--names") == ""
        trash = [line.split() for line in s.output("trash").splitlines()[1:]]
        assert len(trash) == 4
        handle = [row[0] for row in trash if row[-1] == "m"][0]
        s.output("undelete", handle)
        assert s.output("list", "--names") == "game0\ngame1\ngame2\nm\n"
        s.output("delete", "game0")
        s.output("delete", "m")
        assert s.output("purge", "--all", "--yes") == "purged 4 sessions\n"
        assert s.output("trash").count("\n") == 1


def test_watch_tells_of_games():
    with Setting(stored=True) as s:
        begin_match(s)
        watching = s.start("watch", "m", "--count", "2")
        assert watching.stderr.readline().startswith("redoctl: watching m")
        s.output("match", "m", "--order", "game2", "--at", "0")
        s.output("match", "m", "--drop", "game2")
        out, err = watching.communicate(timeout=30)
        assert "ordergames at=0 sessions=3" in out and "dropgames sessions=3" in out, (out, err)


run()
