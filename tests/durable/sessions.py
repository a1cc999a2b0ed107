"""Stored sessions over restarts, in and out of memory, and when they are renamed, deleted and brought back
while others do the same."""
import random
import threading

from durable import (EEXISTS, EINUSE, ENOSESSION, ENOTKEPT, Closed, RpcError, add, begin, chain,
                     error_of, names, needs_slow_disk, number, numbers, placed, run, snapshot, states)

ENAME = 26


# ---- over restarts


@placed()
def test_session_is_the_same_after_a_restart_and_after_a_kill(place, rpc):
    s = begin(rpc, 4, 3, name="n")
    for i in range(300):
        add(rpc, s, i // 3, i, number(i // 2), endpoint=int(i % 7 == 6), check=i % 3)
    rpc.call("setproperty", s, "level", {"a": [1, b"x", None]})
    rpc.call("dropsubtree", s, 40)
    before, told = snapshot(rpc, s), rpc.call("getsession", s)
    told.pop("bytes")  # as the store counts, from then on
    for again in (place.restart, place.crash):
        again()
        with place.connect() as rpc:
            assert {**told, **rpc.call("getsession", "n")} == {
                **told, "bytes": rpc.call("getsession", "n")["bytes"]}
            assert snapshot(rpc, "n") == before


@placed()
def test_handles_and_numbers_stay_over_restarts_and_are_not_given_again(place, rpc):
    a, b = begin(rpc, name="a"), begin(rpc, name="b")
    add(rpc, a, 0, 1, 1)
    rpc.call("deletesession", b)
    rpc.call("purgesession", b)
    for again in (place.restart, place.crash):
        again()
        with place.connect() as rpc:
            assert rpc.call("getsession", a)["name"] == "a"
            assert error_of(rpc, "getsession", b) == ENOSESSION
            new = begin(rpc, name="new")
            assert new not in (a, b)
            rpc.call("deletesession", new)
            first = rpc.call("getsessionsize", a)
            assert add(rpc, a, 0, 100 + first, 100 + first)["number"] == first
            assert rpc.call("getsession", a)["sequence"] == first


@placed()
def test_sessions_are_loaded_when_asked_for(place, rpc):
    for i in range(200):
        s = begin(rpc, 1000, name="n%03d" % i, relaxed=True)
        rpc.call("addpositions", s, [[-k if k else 0, 0, i.to_bytes(4, "big") * 250, 0, 0]
                                     for k in range(200)])
    place.restart()
    with place.connect() as rpc:
        little = place.daemon.memory()
        listed = rpc.call("listsessions")["sessions"]
        assert [x["positions"] for x in listed] == [201] * 200
        assert rpc.call("getsavedstate", "n007", 5) == bytes([0, 0, 0, 7]) * 250
        assert place.daemon.memory() - little < 8 << 20


@placed("--memory-budget", "4M")
def test_sessions_leave_memory_under_the_budget_and_come_back_as_they_were(place, rpc):
    sessions = {}
    for i in range(100):
        s = begin(rpc, 500, name="n%d" % i)
        rpc.call("addpositions", s, [[-k if k else 0, 0, b"%05d" % (i * 1000 + k) * 100, 0, 0]
                                     for k in range(300)])
        sessions[s] = i
    order = list(sessions)
    random.Random(1).shuffle(order)
    for s in order:
        assert rpc.call("getsavedstate", s, 300)[:5] == b"%05d" % (sessions[s] * 1000 + 299)
        assert add(rpc, s, 0, 7, b"later" * 100)["number"] == 301
    for s in order:
        assert rpc.call("getsession", "n%d" % sessions[s])["sequence"] == 2


@placed("--memory-budget", "1")
def test_many_clients_on_sessions_that_leave_memory_at_once_lose_nothing(place, rpc):
    for i in range(4):
        begin(rpc, name="n%d" % i)
    acked, failures = [], []

    def work(who):
        try:
            with place.connect() as mine:
                for k in range(150):
                    session = "n%d" % ((who + k) % 4)
                    add(mine, session, 0, who * 1000 + k, who * 1000 + k)
                    acked.append((session, who * 1000 + k))
                    if k % 10 == 0:
                        mine.call("getsession", "n%d" % ((who + k + 1) % 4))
        except Exception as error:  # pylint: disable=broad-except
            failures.append(repr(error))

    threads = [threading.Thread(target=work, args=(who,)) for who in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    place.crash()
    with place.connect() as rpc:
        for i in range(4):
            there = sorted(states(rpc, "n%d" % i).values())[1:]
            assert there == sorted(number(v) for s, v in acked if s == "n%d" % i)


@placed("--memory-budget", "1")
def test_attached_session_stays_in_memory_and_tells_of_changes(place, rpc):
    s = begin(rpc, name="n")
    rpc.call("attach", s)
    with place.connect() as other:
        for i in range(20):
            begin(other, name="other%d" % i)
            add(other, "n", 0, i, i + 1)
    assert [e.params[1] for e in rpc.wait_notifications(20)] == list(range(1, 21))


@placed()
def test_used_tells_of_changes_alone(place, rpc):
    s = begin(rpc, name="n")
    used = rpc.call("getsession", s)["used"]
    import time
    time.sleep(1.1)
    assert rpc.call("getsession", s)["used"] == used
    add(rpc, s, 0, 1, 1)
    changed = rpc.call("getsession", s)["used"]
    assert changed > used
    place.restart()
    with place.connect() as rpc:
        assert rpc.call("getsession", "n")["used"] == changed
        assert rpc.call("listsessions")["sessions"][0]["used"] == changed


# ---- names


@placed()
def test_deleted_session_is_in_the_trash_and_comes_back_whole(place, rpc):
    s = begin(rpc, name="n")
    chain(rpc, s, 50)
    before = snapshot(rpc, s)
    rpc.call("deletesession", s)
    assert names(rpc) == [] and names(rpc, trash=True) == ["n"]
    (trashed,) = rpc.call("listsessions", {"trash": True})["sessions"]
    assert trashed["session"] == s and trashed["trashed"]
    place.crash()
    with place.connect() as rpc:
        assert error_of(rpc, "getsession", s) == error_of(rpc, "getsession", "n") == ENOSESSION
        assert rpc.call("restoresession", s)["session"] == s
        assert snapshot(rpc, "n") == before
        assert names(rpc, trash=True) == []
        add(rpc, s, 0, 99, 99)
    place.crash()
    with place.connect() as rpc:
        assert rpc.call("getsessionsize", "n") == 52


@placed()
def test_name_of_a_trashed_session_is_free_and_restoring_takes_another(place, rpc):
    first = begin(rpc, name="n")
    rpc.call("deletesession", first)
    second = begin(rpc, name="n")
    assert second != first
    assert error_of(rpc, "restoresession", first) == EEXISTS
    assert rpc.call("restoresession", first, {"name": "m"})["name"] == "m"
    rpc.call("deletesession", second)
    third = begin(rpc, name="n")
    rpc.call("deletesession", third)
    assert names(rpc, trash=True) == ["n", "n"]
    assert error_of(rpc, "restoresession", first) == ENOSESSION
    rpc.call("purgesession", second)
    assert error_of(rpc, "restoresession", second) == ENOSESSION
    assert rpc.call("restoresession", third)["name"] == "n"


@placed()
def test_purged_session_leaves_nothing(place, rpc):
    s = begin(rpc, 32, name="n")
    add(rpc, s, 0, 1, b"this is what is looked for later")
    rpc.call("deletesession", s)
    rpc.call("purgesession", s)
    assert error_of(rpc, "purgesession", s) == ENOSESSION
    assert names(rpc, trash=True) == []


@placed()
def test_rename_and_copy_are_there_after_a_kill(place, rpc):
    s = begin(rpc, name="a")
    chain(rpc, s, 10)
    assert rpc.call("renamesession", s, "b")["session"] == s
    copy = rpc.call("copysession", s, "c")["session"]
    add(rpc, copy, 0, 9, 9)
    before = snapshot(rpc, s), snapshot(rpc, copy)
    place.crash()
    with place.connect() as rpc:
        assert names(rpc) == ["b", "c"]
        assert (snapshot(rpc, "b"), snapshot(rpc, "c")) == before
        assert rpc.call("getsession", "b")["session"] == s
        assert error_of(rpc, "getsession", "a") == ENOSESSION


@placed()
def test_names_can_be_swapped(place, rpc):
    a, b = begin(rpc, name="a"), begin(rpc, name="b")
    ids = rpc.send_all([("renamesession", a, "t"), ("renamesession", b, "a"),
                        ("renamesession", a, "b")])
    for id in ids:
        rpc.result(id)
    place.crash()
    with place.connect() as rpc:
        assert rpc.call("getsession", "a")["session"] == b
        assert rpc.call("getsession", "b")["session"] == a


# ---- races


@placed()
def test_name_is_begun_again_while_its_deletion_is_not_on_disk(place, rpc):
    needs_slow_disk()
    old = begin(rpc, name="n")
    with place.connect() as other:
        place.disk("wait")
        gone = rpc.send("deletesession", "n")
        rpc.poll(0.05)
        again = other.send("beginsession", number(5), 4, 0, {"name": "n"})
        other.poll(0.05)
        place.disk("ok")
        rpc.result(gone)
        new = other.result(again)
        assert new["created"] and new["session"] != old
    place.crash()
    with place.connect() as rpc:
        assert rpc.call("getsavedstate", "n", 0) == number(5)
        assert names(rpc, trash=True) == ["n"]


@placed()
def test_rename_onto_a_name_being_deleted(place, rpc):
    needs_slow_disk()
    a, b = begin(rpc, name="a"), begin(rpc, name="b")
    with place.connect() as other:
        place.disk("wait")
        gone = rpc.send("deletesession", b)
        rpc.poll(0.05)
        renamed = other.send("renamesession", a, "b")
        other.poll(0.05)
        copied = other.send("beginsession", bytes(4), 4, 0, {"name": "a"})
        other.poll(0.05)
        place.disk("ok")
        rpc.result(gone)
        assert other.result(renamed)["session"] == a
        assert other.result(copied)["created"]
    place.crash()
    with place.connect() as rpc:
        assert rpc.call("getsession", "b")["session"] == a
        assert names(rpc) == ["a", "b"] and names(rpc, trash=True) == ["b"]


@placed()
def test_of_two_who_begin_one_name_one_makes_it(place, rpc):
    with place.connect() as other:
        for i in range(30):
            name = "n%d" % i
            calls = [(client, client.send("beginsession", bytes(4), 4, 0, {"name": name, "join": i % 2 == 0}))
                     for client in (rpc, other)]
            answers = [client.response(id) for client, id in calls]
            if i % 2:
                assert sorted(bool(error) for error, _ in answers) == [False, True]
            else:
                assert sorted(result["created"] for _, result in answers) == [False, True]
                assert answers[0][1]["session"] == answers[1][1]["session"]


@placed()
def test_purged_twice_at_once_costs_nobody_a_change(place, rpc):
    with place.connect() as other, place.connect() as third:
        keep = begin(third, name="keep")
        for i in range(20):
            s = begin(rpc, name="n")
            rpc.call("deletesession", s)
            ids = [(client, client.send(method, s)) for client in (rpc, other, rpc, other)
                   for method in ("purgesession", "restoresession")]
            change = third.send("addposition", keep, 0, i, number(i + 1), 0, 1)
            answers = [client.response(id) for client, id in ids]
            assert all(error is None or error[0] in (ENOSESSION, EEXISTS) for error, _ in answers)
            third.result(change)
            for client in (rpc,):
                if "n" in names(client):
                    client.call("deletesession", "n")
        assert rpc.call("getsessionsize", "keep") == 21


@placed("--memory-budget", "1")
def test_random_keeping_of_sessions_by_several_at_once_keeps_every_answer(place, rpc):
    """Each client has names of its own, which it knows all about, and shares the disk with the others."""
    failures = []

    def work(who):
        rng = random.Random(who)
        there, trash, i = {}, {}, 0
        try:
            with place.connect() as mine:
                for _ in range(120):
                    i += 1
                    what = rng.choice(("begin", "begin", "add", "add", "delete", "restore", "purge",
                                       "rename", "copy"))
                    name = "%d-%d" % (who, i)
                    if what == "begin":
                        there[name] = [begin(mine, name=name), 1]
                    elif what == "restore" and trash:
                        handle, (_, size) = trash.popitem()
                        assert mine.call("restoresession", handle, {"name": name})["positions"] == size
                        there[name] = [handle, size]
                    elif what == "purge" and trash:
                        mine.call("purgesession", trash.popitem()[0])
                    elif there:
                        old = rng.choice(list(there))
                        handle, size = there[old]
                        if what == "add":
                            add(mine, rng.choice((old, handle)), 0, i, i)
                            there[old][1] += 1
                        elif what == "delete":
                            mine.call("deletesession", old)
                            trash[handle] = [old, size]
                            del there[old]
                        elif what == "rename":
                            mine.call("renamesession", handle, name)
                            there[name] = there.pop(old)
                        elif what == "copy":
                            there[name] = [mine.call("copysession", old, name)["session"], size]
                listed = {s["name"]: [s["session"], s["positions"]]
                          for s in mine.call("listsessions", {"prefix": "%d-" % who, "limit": 1000})["sessions"]}
                assert listed == there, (listed, there)
        except (AssertionError, RpcError, Closed) as error:
            failures.append("%d: %r" % (who, error))

    threads = [threading.Thread(target=work, args=(who,)) for who in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


# ---- subtrees


@placed()
def test_dropped_subtree_comes_back_under_its_numbers_over_a_kill(place, rpc):
    s = begin(rpc, name="n")
    for i in range(60):
        add(rpc, s, i // 2, i % 2, i + 1, endpoint=int(i % 10 == 9))
    tree = rpc.call("gettree", s, 3)["positions"]
    told = rpc.call("dropsubtree", s, 3)
    assert told["position"] == 1 and told["dropped"] == len(tree)
    place.crash()
    with place.connect() as rpc:
        (kept,) = rpc.call("listsubtrees", "n")
        assert kept["key"] == told["key"] and kept["position"] == 3 and kept["prev"] == 1
        assert kept["positions"] == told["dropped"]
        assert rpc.call("restoresubtree", "n", kept["key"]) == {"position": 3,
                                                                "restored": told["dropped"]}
        assert rpc.call("gettree", "n", 3)["positions"] == tree
        assert error_of(rpc, "restoresubtree", "n", kept["key"]) == ENOTKEPT
    place.crash()
    with place.connect() as rpc:
        assert rpc.call("gettree", "n", 3)["positions"] == tree and rpc.call("listsubtrees", "n") == []


@placed()
def test_subtree_restored_by_two_at_once_comes_back_once(place, rpc):
    s = begin(rpc, name="n")
    with place.connect() as other:
        for i in range(10):
            add(rpc, s, 0, i, i + 1)
            key = rpc.call("dropsubtree", s, i + 1)["key"]
            ids = [(client, client.send(method, s, key)) for client in (rpc, other)
                   for method in ("restoresubtree", "purgesubtree", "restoresubtree")]
            errors = [client.response(id)[0] for client, id in ids]
            assert all(e is None or e[0] in (EINUSE, ENOTKEPT) for e in errors), errors
        assert rpc.call("listsubtrees", s) == []


@placed()
def test_purged_subtree_is_gone(place, rpc):
    s = begin(rpc, name="n")
    add(rpc, s, 0, 1, 1)
    key = rpc.call("dropsubtree", s, 1)["key"]
    rpc.call("purgesubtree", s, key)
    assert error_of(rpc, "restoresubtree", s, key) == ENOTKEPT
    assert error_of(rpc, "purgesubtree", s, key) == ENOTKEPT


@placed()
def test_subtree_whose_place_is_taken_is_refused_and_kept(place, rpc):
    s = begin(rpc, name="n")
    add(rpc, s, 0, 1, 1)
    key = rpc.call("dropsubtree", s, 1)["key"]
    add(rpc, s, 0, 1, 2)
    assert error_of(rpc, "restoresubtree", s, key) == 11
    rpc.call("dropposition", s, 2)
    assert rpc.call("restoresubtree", s, key)["position"] == 1


@placed()
def test_subtree_of_a_hundred_thousand_branches_is_dropped_and_restored_without_delay(place, rpc):
    s = begin(rpc, name="n")
    top = add(rpc, s, 0, 1, 1)["number"]
    for first in range(0, 100000, 10000):
        rpc.call("addpositions", s, [[top, i, number(i + 2), 0, 0]
                                     for i in range(first, first + 10000)])
    import time
    start = time.monotonic()
    key = rpc.call("dropsubtree", s, top)["key"]
    assert rpc.call("restoresubtree", s, key)["restored"] == 100001
    assert time.monotonic() - start < 10
    assert numbers(rpc.call("getbranches", s, top, {"limit": 3})["positions"]) == [100001, 100000, 99999]


@placed()
def test_private_sessions_have_no_trash(place, rpc):
    s = begin(rpc)
    add(rpc, s, 0, 1, 1)
    assert rpc.call("dropsubtree", s, 1)["key"] is None
    assert rpc.call("listsubtrees", s) == []
    assert error_of(rpc, "restoresubtree", s, 1) == ENOTKEPT
    assert error_of(rpc, "renamesession", s, "n") == ENAME


@placed()
def test_a_damaged_session_that_comes_back_from_the_trash_goes_on(place, rpc):
    """And costs nobody else what is changed together with it."""
    damaged, other = begin(rpc, 64, name="n"), begin(rpc, name="other")
    for i in range(20):
        add(rpc, damaged, i, 0, (b"MARK%02d" % i).ljust(64, b"."))
    rpc.call("deletesession", damaged)
    place.stop()
    for path, data in place.bytes_on_disk():
        with open(path, "wb") as file:
            file.write(data.replace(b"MARK10", b"MARK??"))
    place.start()
    with place.connect() as rpc:
        told = rpc.call("restoresession", damaged)
        assert told["damaged"] and told["positions"] == 11 and told["sequence"] == 10
        adds = rpc.call_all([("addposition", s, 0, 5, bytes(size - 1) + b"x", 0, 1)
                             for s, size in ((damaged, 64), (other, 4))])
        assert [error for error, _ in adds] == [None, None]
    place.crash()
    with place.connect() as rpc:
        assert [rpc.call("getsessionsize", s) for s in (damaged, other)] == [12, 2]
        assert rpc.call("getsession", damaged)["damaged"]

if __name__ == "__main__":
    run()
