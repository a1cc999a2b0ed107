"""Searches beside everything else: one that takes long is canceled, over its deadline, or nobody's any
more, and meanwhile others are answered; answers that hold are kept, and others are not."""
import signal

from sessions import (ECANCELED, EFULL, begin_network, best, case, lay, network_ops, run, served,
                      serving, wait_for)


def long_question():
    question = case("1856-bank-0919-CGR")
    return {**question, "trains": question["trains"] * 6}


def short_question():
    return case("1889-314-0250-SR")


def network(rpc, question, **options):
    session, position = begin_network(rpc, **options)
    return session, lay(rpc, session, position, network_ops(question))["number"]


def ask(rpc, session, position, question, **options):
    """Sends the question; the id of the request."""
    return rpc.send("routes.best", session, position, question["company"], question["trains"],
                    {"rules": question["rules"], "bonuses": question["bonuses"], **options})


def answer(rpc, request):
    error, result = rpc.response(request)
    assert error is None, error
    return result


def unproven(result, why):
    assert (result["proven"], result["stopped"], result["cached"]) == (False, why, False), result
    assert result["total"] == sum(row["value"] for row in result["set"]) <= result["bound"]


def under_way(rpc, question):
    """Asked, with progress; when it is on the pool it says so."""
    session, position = network(rpc, question)
    request = ask(rpc, session, position, question, progress=0, id="long")
    rpc.wait_notifications(1)
    return session, position, request


@served
def test_a_deadline_ends_a_search_with_the_best_so_far_and_its_bound(daemon, rpc):
    question = long_question()
    session, position = network(rpc, question)
    unproven(best(rpc, session, position, question, deadline=200), "deadline")
    unproven(best(rpc, session, position, question, deadline=0), "deadline")
    again = best(rpc, session, position, question, deadline=100)
    unproven(again, "deadline")  # and was not kept


@served
def test_a_deadline_far_away_does_not_matter(daemon, rpc):
    question = short_question()
    session, position = network(rpc, question)
    result = best(rpc, session, position, question, deadline=2**53 - 1, progress=2**53 - 1)
    assert (result["total"], result["proven"], result["stopped"]) == (260, True, None)


@served
def test_a_search_is_canceled_by_the_same_connection_and_answers_come_in_order(daemon, rpc):
    session, position, request = under_way(rpc, long_question())
    cancel = rpc.send("routes.cancel")
    ping = rpc.send("server.ping")
    unproven(answer(rpc, request), "canceled")
    assert answer(rpc, cancel) == {"canceled": 1} and answer(rpc, ping) is None


@served
def test_a_search_is_canceled_by_its_id_from_another_connection(daemon, rpc):
    session, position, request = under_way(rpc, long_question())
    with daemon.connect() as other:
        assert other.call("routes.cancel", {"id": "short"}) == {"canceled": 0}
        assert other.call("routes.cancel") == {"canceled": 0}
        assert other.call("routes.cancel", {"id": "long"}) == {"canceled": 1}
    unproven(answer(rpc, request), "canceled")


@served
def test_cancel_meets_all_searches_that_were_asked_for_before_it_and_none_after(daemon, rpc):
    question = long_question()
    session, position, first = under_way(rpc, question)
    more = [ask(rpc, session, position, question) for _ in range(3)]
    cancel = rpc.send("routes.cancel")
    after = ask(rpc, session, position, short_question(), deadline=10**6)
    for request in [first] + more:
        unproven(answer(rpc, request), "canceled")
    canceled = answer(rpc, cancel)
    assert canceled == {"canceled": 4}, canceled
    assert answer(rpc, after)["proven"]


@served
def test_a_search_ends_when_its_connection_goes(daemon, rpc):
    question = long_question()
    for close in (lambda c: c.close(), lambda c: c.socket.shutdown(2)):
        others = [daemon.connect() for _ in range(4)]  # more than run at a time
        for other in others:
            session, position = network(other, question)
            ask(other, session, position, question)
        for other in others:
            close(other)
        # Their threads are free again: this one is answered.
        session, position = network(rpc, short_question())
        assert best(rpc, session, position, short_question())["proven"]


@served
def test_progress_comes_to_who_asks_for_it_and_to_nobody_else(daemon, rpc):
    question = long_question()
    session, position = network(rpc, question, name="shared", mode=0o666)
    with daemon.connect() as other:
        other.call("attach", "shared")
        result = best(rpc, session, position, question, progress=0, id="mine", deadline=300)
        events = [n.params for n in rpc.notifications if n.method == "routes"]
        assert events
        bounds = [e[5] for e in events]
        for handle, at, name, stage, found, bound, share, nodes in events:
            assert (handle, at, name) == (session, position, "mine")
            assert stage in ("listing", "choosing", "ordering") and 0 <= share <= 1000
            assert found <= result["total"] and bound >= result["total"]
        assert bounds == sorted(bounds, reverse=True) and bounds[-1] >= result["bound"]
        other.call("server.ping")
        assert not [n for n in other.notifications if n.method == "routes"]
    rpc.notifications.clear()
    best(rpc, session, position, question, deadline=300)
    assert not rpc.notifications


@served
def test_others_and_their_changes_go_on_while_searches_run(daemon, rpc):
    question = long_question()
    session, position = network(rpc, question, name="rails", mode=0o666)
    busy = [daemon.connect() for _ in range(3)]
    requests = [ask(c, "rails", position, question, id="all") for c in busy]
    with daemon.connect() as other:
        at = position
        for value in range(1, 200):
            at = other.call("addchanges", "rails", at, value, [["set_node", 0, {"value": value}]], 0,
                            1)["number"]
        # The network that is searched stays as it was; the others are of their own positions.
        assert other.call("routes.cancel", {"id": "all"}) == {"canceled": 3}
        other.call("routes.reach", "rails", at, question["company"])
        other.call("dropsubtree", "rails", position + 1)
    for connection, request in zip(busy, requests):
        result = answer(connection, request)
        unproven(result, "canceled")
        connection.close()


@served
def test_a_session_may_be_deleted_under_a_search(daemon, rpc):
    session, position, request = under_way(rpc, long_question())
    with daemon.connect() as other:
        rails = network(other, short_question(), name="rails")
        ask(other, *rails, long_question(), deadline=100)
        rpc.send("routes.cancel")
        with daemon.connect() as third:
            third.call("deletesession", "rails")
    unproven(answer(rpc, request), "canceled")


@served
def test_an_answer_is_kept_for_equal_boards_of_one_owner(daemon, rpc):
    question = short_question()
    session, position = network(rpc, question)
    first = best(rpc, session, position, question)
    assert not first.pop("cached")
    away = rpc.call("addchanges", session, position, 1, [["set_node", 0, {"value": 990}]], 0, 0)
    back = rpc.call("addchanges", session, away["number"], 1,
                    [["set_node", 0, {"value": question["nodes"][0].get("value")}]], 0, 0)
    other_session, other_position = network(rpc, question)
    for where in ((session, position), (session, back["number"]), (other_session, other_position)):
        again = best(rpc, *where, question)
        assert again.pop("cached") and again == first
    assert not best(rpc, session, away["number"], question)["cached"]
    fewer = {**question, "trains": question["trains"][:1]}
    assert not best(rpc, session, position, fewer)["cached"]


@served
def test_a_question_that_is_not_for_this_client_is_answered_as_if_there_was_no_session(daemon, rpc):
    session, position = network(rpc, short_question())
    with daemon.connect() as other:
        error, _ = other.response(ask(other, session, position, short_question()))
        assert error[0] == 2


@served
def test_a_check_that_is_canceled_says_so(daemon, rpc):
    question = short_question()
    session, position = network(rpc, question)
    error, result = rpc.response(rpc.send(
        "routes.check", session, position, question["company"], question["trains"], [],
        {"rules": question["rules"], "deadline": 0}))
    assert error is None and result["legal"] and result["total"] == 0 or error[0] == ECANCELED


@served
def test_what_is_sent_behind_a_search_waits_and_is_bounded(daemon, rpc):
    session, position, request = under_way(rpc, long_question())
    pings = [rpc.send("server.ping") for _ in range(2000)]
    with daemon.connect() as other:
        other.call("routes.cancel", {"id": "long"})
    unproven(answer(rpc, request), "canceled")
    for ping in pings:
        answer(rpc, ping)


@served
def test_what_waiting_searches_hold_is_bounded(daemon, rpc):
    question = long_question()
    network(rpc, question, name="rails", mode=0o666)

    def full():
        error, _ = rpc.response(ask(rpc, "rails", 1, question, deadline=10))
        assert error is None or (error[0], error[2]["limit"]) == (EFULL, "searches_bytes"), error
        return error

    others = [daemon.connect() for _ in range(9)]
    requests = []
    for i, other in enumerate(others):
        large = {**question, "rules": {**question["rules"], "x": i, "passed over": "x" * (20 << 20)}}
        requests.append(ask(other, "rails", 1, large, id="large", deadline=6000))
    wait_for(full, "no more to be taken")
    rpc.call("routes.cancel", {"id": "large"})
    refused = [other.response(request)[0] for other, request in zip(others, requests)]
    assert not all(refused) and all(error[0] == EFULL for error in refused if error)
    assert not full()
    for other in others:
        other.close()


def test_who_waits_for_a_search_is_not_idle():
    with serving("--idle", "1") as daemon, daemon.connect() as rpc:
        question = long_question()
        session, position = network(rpc, question)
        unproven(best(rpc, session, position, question, deadline=2500), "deadline")


def test_a_daemon_that_is_told_to_end_ends_its_searches():
    with serving() as daemon:
        with daemon.connect() as rpc:
            under_way(rpc, long_question())
            # serving() ends the daemon and sees to how it ends.
            daemon.process.send_signal(signal.SIGTERM)
            wait_for(lambda: daemon.process.poll() is not None, "the daemon to end")
            assert daemon.process.returncode == 0
        daemon.process.poll = lambda: None
        daemon.end = lambda: daemon.process.returncode


if __name__ == "__main__":
    run(__name__)
