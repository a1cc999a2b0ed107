/* Adds that are not waited for. */
#include "tests/client/live.h"
#include "tests/suite.h"

/* What came of adds, by ticket. */
#define MOST 20000
static struct {
    size_t count, failed;
    int code[MOST + 1];
    redo_position *position[MOST + 1];
} told;

static void note(redo_session *session, size_t ticket, redo_position *position, int code,
                 void *data)
{
    ck_assert_uint_le(ticket, MOST);
    ck_assert_uint_eq(ticket, told.count + 1); /* in their order, each once */
    ck_assert_ptr_eq(data, &told);
    ck_assert(!position == (code != REDO_OK));
    told.count = ticket;
    told.failed += code != REDO_OK;
    told.code[ticket] = code;
    told.position[ticket] = position;
}

static size_t put(redo_session *session, redo_position *prev, size_t after, int move)
{
    char state[SIZE + 1];
    snprintf(state, sizeof state, "%04u", (unsigned)move % 10000);
    redo_add one = {
        .prev = prev, .after = after, .move = move, .state = state, .checkequiv = redo_check};
    return redo_client_addposition_async(session, &one, note, &told);
}

/* A chain of so many after a position. */
static size_t put_chain(redo_session *session, redo_position *prev, int count)
{
    size_t ticket = put(session, prev, 0, 0);
    for (int i = 1; i < count; i++) {
        ck_assert_uint_ne(ticket, 0);
        ticket = put(session, NULL, ticket, i);
    }
    return ticket;
}

static void flush(redo_client *client)
{
    ck_assert_int_eq(redo_client_flush(client, 60000), REDO_OK);
}

START_TEST(adds_return_before_they_are_answered_and_follow_each_other)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    kill(daemon_pid, SIGSTOP);
    ck_assert_uint_eq(put_chain(session, first(session), 100), 100);
    ck_assert_uint_eq(told.count, 0);
    ck_assert_int_eq(redo_getsessionsize(session), 1);
    ck_assert_int_eq(redo_client_flush(client, 50), REDO_ETIMEOUT);
    kill(daemon_pid, SIGCONT);
    flush(client);
    ck_assert_uint_eq(told.count, 100);
    ck_assert_uint_eq(told.failed, 0);
    for (size_t i = 1; i <= 100; i++)
        ck_assert_ptr_eq(told.position[i]->prev, i == 1 ? first(session) : told.position[i - 1]);
    assert_as_stored(session);
    redo_client_close(client);
}
END_TEST

START_TEST(more_adds_than_the_window_are_all_done)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    ck_assert_uint_eq(put_chain(session, first(session), MOST), MOST);
    flush(client);
    ck_assert_uint_eq(told.count, MOST);
    ck_assert_uint_eq(told.failed, 0);
    ck_assert_int_eq(redo_getsessionsize(session), MOST + 1);
    ck_assert_uint_eq(told.position[MOST]->movecount, MOST);
    assert_as_stored(session);
    redo_client_close(client);
}
END_TEST

START_TEST(window_that_is_full_is_waited_for_in_time)
{
    redo_client *client = redo_client_connect(NULL, 200);
    redo_session *session = join(client, "n");
    kill(daemon_pid, SIGSTOP);
    size_t last = 0, ticket;
    int64_t begun = now();
    while ((ticket = put(session, first(session), 0, (int)last)))
        last = ticket;
    ck_assert_int_eq(redo_lasterror(), REDO_ETIMEOUT);
    ck_assert_uint_le(last, 2048);
    ck_assert_uint_ge(last, 1024);
    ck_assert_int_lt(now() - begun, 5000);
    kill(daemon_pid, SIGCONT);
    flush(client);
    ck_assert_uint_eq(told.count, last);
    ck_assert_uint_eq(put(session, first(session), 0, 9999), last + 1);
    flush(client);
    ck_assert_int_eq(redo_getsessionsize(session), (int)last + 2);
    redo_client_close(client);
}
END_TEST

START_TEST(add_that_fails_is_told_alone_and_those_after_it_follow_suit)
{
    redo_client *client = connect_to(NULL), *other = connect_to(NULL);
    redo_session *session = join(client, "n"), *theirs = join(other, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    step_until(other, redo_getsessionsize(theirs) == 2);
    redo_dropposition(theirs, redo_getposition(theirs, 1)); /* p, and we do not know yet */
    size_t good = put(session, first(session), 0, 5);
    size_t bad = put(session, p, 0, 6), below = put(session, NULL, bad, 7);
    size_t after = put(session, NULL, good, 8), wrong = put(session, NULL, below, 9);
    flush(client);
    ck_assert_int_eq(told.code[good], REDO_OK);
    ck_assert_int_eq(told.code[bad], REDO_EDROPPED);
    ck_assert_int_eq(told.code[below], REDO_EPOSITION);
    ck_assert_int_eq(told.code[wrong], REDO_EPOSITION);
    ck_assert_int_eq(told.code[after], REDO_OK);
    ck_assert_ptr_eq(told.position[after]->prev, told.position[good]);
    ck_assert_uint_eq(put(session, NULL, bad, 10), wrong + 1);
    flush(client);
    ck_assert_int_eq(told.code[wrong + 1], REDO_EPOSITION);
    assert_as_stored(session);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(unfit_adds_are_refused_at_once_or_told)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n"), *beside = join(client, "m");
    redo_position *p = add(session, first(session), 1, "bbbb");
    redo_add one = {.prev = first(session), .move = 1};
    assert_fails(redo_client_addposition_async(session, NULL, note, &told), 0, REDO_EPOSITION);
    assert_fails(redo_client_addposition_async(session, &one, note, &told), 0, REDO_ESTATE);
    assert_fails(redo_client_addposition_async(NULL, &one, note, &told), 0, REDO_ENOSESSION);
    assert_fails(put(session, NULL, 0, 1), 0, REDO_EPOSITION);
    assert_fails(put(session, NULL, 1, 1), 0, REDO_EPOSITION);
    assert_fails(put(session, first(beside), 0, 1), 0, REDO_EFOREIGN);
    redo_dropposition(session, p);
    assert_fails(put(session, p, 0, 1), 0, REDO_EDROPPED);
    one.state = "bbbb";
    one.checkequiv = 77;
    ck_assert_uint_eq(redo_client_addposition_async(session, &one, note, &told), 1);
    one.checkequiv = redo_check;
    one.endpoint = 1000;
    ck_assert_uint_eq(redo_client_addposition_async(session, &one, note, &told), 2);
    flush(client);
    ck_assert_int_eq(told.code[1], REDO_ECONSTANT);
    ck_assert_int_eq(told.code[2], REDO_ERANGE);
    redo_client_close(client);
}
END_TEST

START_TEST(change_that_is_waited_for_comes_after_the_adds_before_it)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    put_chain(session, first(session), 10);
    redo_position *p = add(session, first(session), 77, "bbbb");
    ck_assert_uint_eq(told.count, 10);
    ck_assert_uint_eq(redo_getpositionid(p), 11);
    put_chain(session, p, 10);
    redo_client_close(client); /* waits for them */
    ck_assert_uint_eq(told.count, 20);
    ck_assert_uint_eq(told.failed, 0);
}
END_TEST

START_TEST(adds_go_out_in_steps_that_the_descriptor_asks_for)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    struct pollfd p = {.fd = redo_client_fd(client), .events = POLLIN};
    put_chain(session, first(session), 10);
    while (told.count < 10) {
        ck_assert_int_eq(poll(&p, 1, 20000), 1);
        redo_client_step(client, 0);
    }
    while (poll(&p, 1, 0))
        redo_client_step(client, 0);
    redo_client_close(client);
}
END_TEST

static void add_more(redo_session *session, size_t ticket, redo_position *position, int code,
                     void *data)
{
    redo_add one = {.prev = position, .move = (int)ticket, .state = "cccc"};
    told.count++;
    if (ticket < 50)
        ck_assert_uint_eq(redo_client_addposition_async(session, &one, add_more, data), ticket + 1);
}

START_TEST(answer_to_an_add_may_add_the_next)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    redo_add one = {.prev = first(session), .move = 1, .state = "cccc"};
    ck_assert_uint_eq(redo_client_addposition_async(session, &one, add_more, NULL), 1);
    flush(client);
    ck_assert_uint_eq(told.count, 50);
    ck_assert_int_eq(redo_getsessionsize(session), 51);
    redo_client_close(client);
}
END_TEST

START_TEST(adds_wait_for_a_daemon_that_is_started_again)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    put_chain(session, first(session), 3000);
    kill_daemon();
    ck_assert_int_eq(redo_client_flush(client, 100), REDO_ECLOSED);
    size_t last = put(session, first(session), 0, 9999);
    ck_assert_uint_eq(last, 3001);
    start_daemon();
    flush(client);
    ck_assert_uint_eq(told.count, 3001);
    ck_assert_uint_eq(told.failed, 0);
    ck_assert_int_eq(redo_getsessionsize(session), 3002);
    assert_as_stored(session);
    redo_client_close(client);
}
END_TEST

START_TEST(adds_of_a_session_that_ends_meanwhile_are_told_so)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, NULL);
    kill(daemon_pid, SIGSTOP);
    put_chain(session, first(session), 300);
    ck_assert_uint_eq(told.count, 0);
    kill_daemon();
    redo_client_flush(client, 100);
    ck_assert_uint_eq(told.count, 300);
    ck_assert_uint_eq(told.failed, 300);
    ck_assert_int_eq(told.code[300], REDO_ENOSESSION);
    assert_fails(put(session, first(session), 0, 1), 0, REDO_ENOSESSION);
    redo_client_close(client);
}
END_TEST

START_TEST(connection_cut_at_any_byte_loses_no_add_and_doubles_none)
{
    struct proxy proxy;
    bool through = false;
    for (long cut = 500; !through; cut += 97) {
        char name[32];
        memset(&told, 0, sizeof told);
        snprintf(name, sizeof name, "n%ld", cut);
        proxy_start(&proxy, cut, NULL);
        redo_client *client = connect_to(proxy_path);
        redo_session *session = NULL;
        for (int i = 0; i < 2 && !session; i++)
            session = redo_client_beginsession(client, name, "aaaa", SIZE, 3);
        ck_assert_msg(session != NULL, "%ld: %s", cut, redo_strerror(redo_lasterror()));
        put_chain(session, first(session), 600);
        flush(client);
        ck_assert_uint_eq(told.count, 600);
        ck_assert_uint_eq(told.failed, 0);
        ck_assert_int_eq(redo_getsessionsize(session), 601);
        assert_as_stored(session);
        redo_client_close(client);
        proxy_stop(&proxy);
        through = !proxy.was_cut;
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("adds");
    TCase *stored = tcase_create("stored"), *memory = tcase_create("memory");
    tcase_set_timeout(stored, 120);
    tcase_set_timeout(memory, 120);
    tcase_add_checked_fixture(stored, setup, teardown);
    tcase_add_checked_fixture(memory, setup_in_memory, teardown);
    tcase_add_test(memory, adds_return_before_they_are_answered_and_follow_each_other);
    tcase_add_test(memory, more_adds_than_the_window_are_all_done);
    tcase_add_test(memory, window_that_is_full_is_waited_for_in_time);
    tcase_add_test(memory, add_that_fails_is_told_alone_and_those_after_it_follow_suit);
    tcase_add_test(memory, unfit_adds_are_refused_at_once_or_told);
    tcase_add_test(memory, change_that_is_waited_for_comes_after_the_adds_before_it);
    tcase_add_test(memory, adds_go_out_in_steps_that_the_descriptor_asks_for);
    tcase_add_test(memory, answer_to_an_add_may_add_the_next);
    tcase_add_test(stored, adds_wait_for_a_daemon_that_is_started_again);
    tcase_add_test(memory, adds_of_a_session_that_ends_meanwhile_are_told_so);
    tcase_add_test(memory, connection_cut_at_any_byte_loses_no_add_and_doubles_none);
    suite_add_tcase(suite, stored);
    suite_add_tcase(suite, memory);
    return run_suite(suite);
}
