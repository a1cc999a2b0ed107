/* The library and a daemon that is killed, stopped, started again, or cut off. */
#include "tests/client/live.h"
#include "tests/suite.h"

/* ---- started again ------------------------------------------------------------------------ */

START_TEST(restarted_daemon_is_found_and_what_was_missed_is_applied_to_the_same_replica)
{
    struct told told = {0};
    redo_client *client = connect_to(NULL);
    redo_client_listen(client, tell, &told);
    redo_session *session = join(client, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    restart_daemon();
    redo_client *other = connect_to(NULL);
    redo_session *theirs = join(other, "n");
    add(theirs, redo_getposition(theirs, 1), 2, "cccc");
    add(theirs, first(theirs), 3, "dddd");
    step_until(client, told.resumed);
    ck_assert_int_eq(told.lost, 1);
    ck_assert_int_eq(told.reloaded + told.ended, 0);
    step_until(client, redo_getsessionsize(session) == 4);
    assert_equal(session, theirs);
    ck_assert_uint_eq(p->inuse, 1);
    ck_assert_uint_eq(p->nextcount, 1);
    ck_assert_ptr_eq(redo_getposition(session, 1), p);
    add(session, p, 4, "eeee");
    ck_assert_int_eq(redo_client_status(session), REDO_OK);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(change_after_a_restart_connects_at_once)
{
    struct told told = {0};
    redo_client *client = connect_to(NULL);
    redo_client_listen(client, tell, &told);
    redo_session *session = join(client, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    for (int i = 1; i <= 3; i++) {
        restart_daemon();
        p = add(session, p, 2, "cccc");
        ck_assert_int_eq(redo_getsessionsize(session), 2 + i);
        ck_assert_int_eq(told.resumed, i);
    }
    restart_daemon();
    ck_assert_ptr_nonnull(redo_client_beginsession(client, "m", "aaaa", SIZE, 0));
    assert_as_stored(session);
    redo_client_close(client);
}
END_TEST

START_TEST(replica_is_readable_without_a_daemon_and_changes_fail_at_once)
{
    struct told told = {0};
    redo_client *client = connect_to(NULL);
    redo_client_listen(client, tell, &told);
    redo_session *session = join(client, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    kill_daemon();
    int64_t begun = now();
    for (int i = 0; i < 3; i++) {
        assert_fails(redo_addposition(session, p, 2, "cccc", 0, 0), NULL, REDO_ECLOSED);
        assert_fails(redo_dropposition(session, p), p, REDO_ECLOSED);
        assert_fails(redo_client_opensession(client, "m"), NULL, REDO_ECLOSED);
        ck_assert_int_eq(redo_client_step(client, 0), -1);
        ck_assert_int_eq(redo_lasterror(), REDO_ECLOSED);
        ck_assert_int_eq(redo_client_status(session), REDO_ECLOSED);
    }
    ck_assert_int_lt(now() - begun, 5000); /* half of the timeout */
    ck_assert_int_eq(told.lost, 1);
    ck_assert_mem_eq(redo_getsavedstate(p), "bbbb", SIZE);
    ck_assert_ptr_eq(redo_getnextposition(first(session), 1), p);
    ck_assert_int_eq(redo_getsessionsize(session), 2);
    redo_client_close(client);
}
END_TEST

START_TEST(step_without_a_daemon_returns_in_its_time)
{
    redo_client *client = connect_to(NULL);
    join(client, "n");
    kill_daemon();
    step_until(client, redo_lasterror() == REDO_ECLOSED);
    int64_t begun = now();
    ck_assert_int_eq(redo_client_step(client, 150), -1);
    int64_t took = now() - begun;
    ck_assert_msg(took >= 149 && took < 3000, "%d ms", (int)took);
    begun = now();
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(redo_client_step(client, 0), -1);
    ck_assert_int_lt(now() - begun, 3000);
    redo_client_close(client);
}
END_TEST

START_TEST(private_session_is_gone_with_its_connection_and_stays_readable)
{
    struct told told = {0};
    redo_client *client = connect_to(NULL);
    redo_client_listen(client, tell, &told);
    redo_session *session = join(client, NULL), *named = join(client, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    restart_daemon();
    step_until(client, told.resumed);
    ck_assert_int_eq(told.ended, 1);
    ck_assert_int_eq(redo_client_status(session), REDO_ENOSESSION);
    assert_fails(redo_addposition(session, p, 2, "cccc", 0, 0), NULL, REDO_ENOSESSION);
    ck_assert_mem_eq(redo_getsavedstate(p), "bbbb", SIZE);
    add(named, first(named), 1, "bbbb");
    redo_endsession(session);
    add(named, first(named), 2, "cccc");
    redo_client_close(client);
}
END_TEST

START_TEST(session_that_was_deleted_meanwhile_ends_and_stays_readable)
{
    struct told told = {0};
    redo_client *client = connect_to(NULL);
    redo_client_listen(client, tell, &told);
    redo_session *session = join(client, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    restart_daemon();
    redo_client *other = connect_to(NULL);
    ck_assert_int_eq(redo_client_deletesession(other, "n"), REDO_OK);
    step_until(client, told.ended);
    ck_assert_int_eq(told.code, REDO_ENOSESSION);
    ck_assert_int_eq(redo_client_status(session), REDO_ENOSESSION);
    ck_assert_mem_eq(redo_getsavedstate(p), "bbbb", SIZE);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

/* ---- loaded anew -------------------------------------------------------------------------- */

/* The positions of before are dropped ones, and refused by whatever changes the session. */
static void assert_retired(redo_session *session, redo_position *p, char const *move_state)
{
    redo_position *at = p;
    ck_assert_uint_eq(p->inuse, 0);
    ck_assert_uint_eq(p->movecount, 1);
    ck_assert_uint_eq(p->prev->inuse, 0);
    ck_assert_ptr_null(redo_getsavedstate(p));
    ck_assert_ptr_null(redo_getnextposition(p, 1));
    ck_assert_ptr_null(redo_addposition(session, p, 5, move_state, 0, 0));
    ck_assert_ptr_eq(redo_dropposition(session, p), p);
    ck_assert_int_eq(redo_suppresscycle(session, &at, move_state, 9), 0);
    ck_assert_ptr_eq(at, p);
    ck_assert_uint_eq(redo_getpositionid(p), REDO_NOPOSITION);
}

START_TEST(session_that_is_another_now_is_loaded_anew)
{
    struct told told = {0};
    redo_client *client = connect_to(NULL);
    redo_client_listen(client, tell, &told);
    redo_session *session = join(client, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    restart_daemon();
    redo_client *other = connect_to(NULL);
    redo_session *theirs = join(other, "n");
    for (int i = 0; i < 5; i++)
        add(theirs, first(theirs), 10 + i, "cccc");
    step_until(client, told.reloaded);
    ck_assert_int_eq(told.resumed + told.ended, 0);
    assert_equal(session, theirs);
    assert_retired(session, p, "dddd");
    ck_assert_uint_eq(first(session)->inuse, 1);
    add(session, first(session), 3, "dddd");
    ck_assert_int_eq(redo_client_step(other, 5000), 1);
    assert_equal(session, theirs);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(change_that_comes_upon_another_session_is_not_done)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    restart_daemon();
    redo_client *other = connect_to(NULL);
    redo_session *theirs = join(other, "n");
    add(theirs, first(theirs), 9, "zzzz");
    assert_fails(redo_addposition(session, p, 2, "cccc", 0, 0), NULL, REDO_ERESYNC);
    ck_assert_uint_eq(p->inuse, 0);
    ck_assert_int_eq(redo_getsessionsize(session), 2);
    add(session, redo_getposition(session, 1), 2, "cccc");
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

/* A relaxed session whose last operation has not reached the disk when the daemon dies. */
static redo_session *lose_operations(struct told *told)
{
    kill_daemon();
    relaxed_delay = "10000";
    start_daemon();
    setenv("REDO_SESSION", "n", 1);
    redo_session *session = redo_beginsession("aaaa", SIZE, 3);
    ck_assert_ptr_nonnull(session);
    redo_client_listen(redo_client_of(session), tell, told);
    redo_position *p = add(session, first(session), 1, "bbbb");
    redo_clearsessionchanged(session); /* waits for the disk */
    add(session, p, 2, "cccc");
    add(session, p, 3, "dddd");
    kill_daemon();
    start_daemon();
    return session;
}

START_TEST(operations_that_a_relaxed_session_has_lost_are_gone_from_the_replica)
{
    struct told told = {0};
    redo_session *session = lose_operations(&told);
    step_until(redo_client_of(session), told.reloaded + told.resumed);
    ck_assert_int_eq(told.reloaded, 1);
    ck_assert_int_eq(redo_getsessionsize(session), 2);
    assert_as_stored(session);
    redo_endsession(session);
}
END_TEST

START_TEST(operations_made_in_the_place_of_lost_ones_are_not_taken_for_them)
{
    struct told told = {0};
    redo_session *session = lose_operations(&told);
    redo_client *other = connect_to(NULL);
    redo_session *theirs = redo_client_opensession(other, "n");
    for (int i = 0; i < 10; i++)
        add(theirs, first(theirs), 20 + i, "yyyy");
    step_until(redo_client_of(session), told.reloaded + told.resumed);
    ck_assert_int_eq(told.reloaded, 1);
    assert_equal(session, theirs);
    redo_client_close(other);
    redo_endsession(session);
}
END_TEST

START_TEST(relaxed_session_that_has_lost_nothing_is_resumed)
{
    struct told told = {0};
    setenv("REDO_SESSION", "n", 1);
    redo_session *session = redo_beginsession("aaaa", SIZE, 3);
    redo_client_listen(redo_client_of(session), tell, &told);
    redo_position *p = first(session);
    for (int i = 0; i < 50; i++)
        p = add(session, p, i, "bbbb");
    redo_clearsessionchanged(session);
    restart_daemon();
    add(session, p, 2, "cccc");
    ck_assert_int_eq(told.resumed, 1);
    ck_assert_int_eq(told.reloaded, 0);
    ck_assert_uint_eq(p->inuse, 1);
    assert_as_stored(session);
    redo_endsession(session);
}
END_TEST

/* ---- cut off ------------------------------------------------------------------------------ */

START_TEST(daemon_killed_while_a_call_waits_is_found_again_and_the_change_done_once)
{
    struct proxy proxy;
    struct told told = {0};
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    redo_client_close(client);
    for (long cut = 900; cut < 1200; cut += 9) { /* about where the add is on its way */
        proxy_start(&proxy, cut, restart_daemon);
        client = connect_to(proxy_path);
        redo_client_listen(client, tell, &told);
        session = redo_client_opensession(client, "n");
        if (!session) /* it was cut earlier: opening fails, and goes the second time */
            session = redo_client_opensession(client, "n");
        ck_assert_ptr_nonnull(session);
        int before = redo_getsessionsize(session);
        for (int i = 0; i < 4; i++)
            add(session, first(session), (int)cut * 10 + i, "bbbb");
        ck_assert_int_eq(redo_getsessionsize(session), before + 4);
        assert_as_stored(session);
        redo_client_close(client);
        proxy_stop(&proxy);
    }
    ck_assert_int_gt(told.resumed, 0);
}
END_TEST

/* Some of all that a game does; each exactly once. */
static void play(redo_session *session)
{
    redo_position *p = first(session), *q;
    int steps;
    for (int i = 0; i < 5; i++)
        p = add(session, p, i, "bbbb");
    ck_assert_ptr_ne(redo_dropposition(session, p), p);
    ck_assert_int_eq(redo_setgraftbehavior(session, redo_copypath), redo_graft);
    ck_assert_int_eq(redo_setgraftbehavior(session, redo_graft), redo_copypath);
    q = redo_getposition(session, 2);
    ck_assert_ptr_eq(redo_setcursor(session, "c", q, NULL), q);
    ck_assert_ptr_eq(redo_movecursor(session, "c", redo_step_undo, 1, q, &steps), q->prev);
    ck_assert_int_eq(steps, 1);
    redo_add adds[3] = {{.prev = q, .move = 50, .state = "cccc"},
                        {.after = 0, .move = 51, .state = "dddd"},
                        {.after = 0, .move = 52, .state = "eeee"}};
    redo_position *made[3];
    ck_assert_int_eq(redo_addpositions(session, adds, 3, "c", q->prev, made), REDO_OK);
    ck_assert_ptr_eq(made[1]->prev, made[0]);
    ck_assert_ptr_eq(made[2]->prev, made[0]);
    ck_assert_ptr_eq(redo_getcursor(session, "c"), made[2]);
    ck_assert_int_eq(redo_dropsubtree(session, made[0]), 3);
    ck_assert_int_eq(redo_setproperty(session, "x", "\x01", 1), REDO_OK);
}

START_TEST(connection_cut_at_any_byte_loses_nothing_and_does_nothing_twice)
{
    struct proxy proxy;
    struct told all = {0};
    long last = 0;
    for (long cut = 1; !last; cut += cut < 40 ? 1 : 17) {
        struct told told = {0};
        char name[32];
        snprintf(name, sizeof name, "n%ld", cut);
        proxy_start(&proxy, cut, NULL);
        redo_client *client = connect_to(proxy_path);
        redo_client_listen(client, tell, &told);
        redo_session *session = NULL;
        for (int i = 0; i < 2 && !session; i++)
            session = redo_client_beginsession(client, name, "aaaa", SIZE, 3);
        ck_assert_msg(session != NULL, "%ld: %s", cut, redo_strerror(redo_lasterror()));
        play(session);
        assert_as_stored(session);
        ck_assert_int_eq(redo_getsessionsize(session), 5);
        ck_assert_int_eq(told.reloaded + told.ended, 0);
        all.resumed += told.resumed;
        redo_client_close(client);
        proxy_stop(&proxy);
        last = proxy.was_cut ? 0 : cut; /* it came through */
    }
    ck_assert_int_gt(all.resumed, 50);
}
END_TEST

/* An event of the first session of a daemon, in the words of another. */
static void say(struct proxy *proxy, char const *bytes, size_t size)
{
    ck_assert_int_eq(write(proxy->say[1], bytes, size), (ssize_t)size);
}

START_TEST(session_that_lags_is_attached_again)
{
    struct proxy proxy;
    struct told told = {0};
    proxy_start(&proxy, -1, NULL);
    redo_client *client = connect_to(proxy_path);
    redo_client_listen(client, tell, &told);
    redo_session *session = join(client, NULL);
    for (int i = 0; i < 20; i++)
        add(session, first(session), i, "bbbb");
    /* The daemon says that we are attached already: all it can do is to tell everything anew. */
    say(&proxy, "\x93\x02\xa6lagged\x92\x01\x14", 12);
    step_until(client, told.reloaded);
    ck_assert_int_eq(redo_getsessionsize(session), 21);
    say(&proxy, "\x93\x02\xa6resync\x91\x01", 11);
    step_until(client, told.reloaded == 2);
    say(&proxy, "\x93\x02\xa9keepalive\x91\x01", 14);
    say(&proxy, "\x93\x02\xa6lagged\x92\x01\x14", 12);
    redo_position *p = redo_addposition(session, first(session), 99, "cccc", 0, 0);
    if (!p) /* it was first told of the event */
        ck_assert_int_eq(redo_lasterror(), REDO_ERESYNC);
    step_until(client, told.reloaded == 3);
    add(session, first(session), 99, "cccc");
    ck_assert_int_eq(redo_getsessionsize(session), 22);
    ck_assert_int_eq(told.lost + told.ended, 0);
    redo_client_close(client);
    proxy_stop(&proxy);
}
END_TEST

static void count(redo_session *session, redo_operation const *op, redo_result const *result,
                  int own, void *data)
{
    ++*(int *)data;
}

START_TEST(slow_reader_catches_up_with_what_it_was_not_told)
{
    int seen = 0;
    kill_daemon();
    output_soft = "1024";
    output_seconds = "0";
    start_daemon();
    redo_client *client = connect_to(NULL), *other = connect_to(NULL);
    struct told told = {0};
    redo_client_listen(client, tell, &told);
    redo_session *session = join(client, "n"), *theirs = join(other, "n");
    redo_client_observe(session, count, &seen);
    redo_client_setkeys(other, 0);
    for (int i = 0; i < 10000; i++)
        add(theirs, first(theirs), i, "bbbb");
    step_until(client, redo_getsessionsize(session) == 10001);
    ck_assert_int_eq(told.lost + told.ended, 0);
    ck_assert(told.reloaded || seen == 10000);
    assert_equal(session, theirs);
    add(session, first(session), 10000, "bbbb");
    step_until(other, redo_getsessionsize(theirs) == 10002);
    assert_equal(session, theirs);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

/* ---- stopped ------------------------------------------------------------------------------ */

START_TEST(stopped_daemon_ends_beginning_in_time_and_it_can_be_begun_later)
{
    redo_client *client = redo_client_connect(NULL, 200);
    redo_session *session = join(client, "n");
    kill(daemon_pid, SIGSTOP);
    int64_t begun = now();
    assert_fails(redo_client_beginsession(client, "m", "aaaa", SIZE, 0), NULL, REDO_ETIMEOUT);
    assert_fails(redo_client_opensession(client, "m"), NULL, REDO_ETIMEOUT);
    ck_assert_int_eq(redo_client_deletesession(client, "x"), REDO_ETIMEOUT);
    ck_assert_int_eq(redo_client_flush(client, 100), REDO_OK); /* nothing is to be waited for */
    ck_assert_int_eq(redo_client_step(client, 100), 0);
    ck_assert_int_lt(now() - begun, 4000);
    kill(daemon_pid, SIGCONT);
    redo_client_settimeout(client, 0);
    add(session, first(session), 1, "bbbb");
    ck_assert_ptr_nonnull(redo_client_beginsession(client, "m", "aaaa", SIZE, 0));
    redo_client_close(client);
}
END_TEST

START_TEST(more_than_the_socket_holds_ends_in_time_at_a_stopped_daemon)
{
    size_t size = 4 * 1024 * 1024;
    char *large = calloc(1, size);
    redo_client *client = redo_client_connect(NULL, 10000);
    redo_session *session = redo_client_beginsession(client, "n", large, (int)size, 0);
    ck_assert_ptr_nonnull(session);
    redo_client_settimeout(client, 200);
    kill(daemon_pid, SIGSTOP);
    large[0] = 1;
    int64_t begun = now();
    assert_fails(redo_addposition(session, first(session), 1, large, 0, 0), NULL, REDO_ETIMEOUT);
    ck_assert_int_lt(now() - begun, 4000);
    kill(daemon_pid, SIGCONT);
    redo_client_settimeout(client, 0);
    ck_assert_ptr_nonnull(redo_addposition(session, first(session), 2, large, 0, 0));
    assert_as_stored(session);
    redo_client_close(client);
    free(large);
}
END_TEST

/* ---- in a loop, in threads ---------------------------------------------------------------- */

START_TEST(descriptor_leads_through_a_restart_with_poll_alone)
{
    struct told told = {0};
    redo_client *client = connect_to(NULL);
    redo_client_listen(client, tell, &told);
    redo_session *session = join(client, "n");
    struct pollfd p = {.fd = redo_client_fd(client), .events = POLLIN};
    ck_assert_int_eq(poll(&p, 1, 0), 0);
    kill_daemon();
    int restarts = 0, wakes = 0;
    while (!told.resumed) {
        ck_assert_int_eq(poll(&p, 1, 20000), 1);
        redo_client_step(client, 0);
        if (++wakes == 3) {
            start_daemon();
            restarts++;
        }
    }
    ck_assert_int_eq(restarts, 1);
    ck_assert_int_eq(redo_client_fd(client), p.fd);
    ck_assert_int_lt(wakes, 200);
    redo_client *other = connect_to(NULL);
    redo_session *theirs = join(other, "n");
    add(theirs, first(theirs), 1, "bbbb");
    ck_assert_int_eq(poll(&p, 1, 20000), 1);
    step_until(client, redo_getsessionsize(session) == 2);
    while (poll(&p, 1, 0))
        redo_client_step(client, 0);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

static void *play_along(void *data)
{
    redo_client *client = redo_client_connect(path, 20000);
    redo_session *session = client ? redo_client_beginsession(client, "n", "aaaa", SIZE, 3) : NULL;
    redo_position *p = session ? redo_getfirstposition(session) : NULL;
    for (int i = 0; i < 100 && p; i++)
        p = redo_addposition(session, p, (int)(intptr_t)data * 1000 + i, "bbbb", 0, redo_check);
    redo_client_close(client);
    return p ? data : NULL;
}

START_TEST(threads_have_a_client_each)
{
    pthread_t thread[4];
    void *end;
    for (intptr_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, play_along, (void *)(i + 1)), 0);
    for (intptr_t i = 0; i < 4; i++) {
        pthread_join(thread[i], &end);
        ck_assert_ptr_eq(end, (void *)(i + 1));
    }
    redo_client *client = connect_to(NULL);
    ck_assert_int_eq(redo_getsessionsize(redo_client_opensession(client, "n")), 401);
    redo_client_close(client);
}
END_TEST

/* ---- other ways to be told and not to be --------------------------------------------------- */

START_TEST(session_opened_to_look_at_refuses_changes_and_follows_others)
{
    redo_client *client = connect_to(NULL), *other = connect_to(NULL);
    redo_session *theirs = join(other, "n");
    redo_session *session = redo_client_opensession_readonly(client, "n");
    assert_fails(redo_addposition(session, first(session), 1, "bbbb", 0, 0), NULL, REDO_EDENIED);
    assert_fails(redo_clearsessionchanged(session), 0, REDO_EDENIED);
    redo_add one = {.prev = first(session), .move = 1, .state = "bbbb"};
    assert_fails(redo_client_addposition_async(session, &one, NULL, NULL), 0, REDO_EDENIED);
    add(theirs, first(theirs), 1, "bbbb");
    step_until(client, redo_getsessionsize(session) == 2);
    assert_equal(session, theirs);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

static void try_all(redo_session *session, redo_operation const *op, redo_result const *result,
                    int own, void *data)
{
    redo_client *client = redo_client_of(session);
    assert_fails(redo_addposition(session, first(session), 9, "zzzz", 0, 0), NULL, REDO_EDENIED);
    assert_fails(redo_client_step(client, 0), -1, REDO_EDENIED);
    assert_fails(redo_client_opensession(client, "n"), NULL, REDO_EDENIED);
    ck_assert_int_eq(redo_client_flush(client, 0), REDO_EDENIED);
    redo_client_close(client);
    ck_assert_int_eq(redo_lasterror(), REDO_EDENIED);
    redo_endsession(session);
    ck_assert_int_eq(redo_lasterror(), REDO_EDENIED);
    ++*(int *)data;
}

START_TEST(what_would_wait_is_refused_in_functions_that_the_library_calls)
{
    int called = 0;
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    redo_client_observe(session, try_all, &called);
    add(session, first(session), 1, "bbbb");
    ck_assert_int_eq(called, 1);
    redo_client_observe(session, NULL, NULL);
    add(session, first(session), 2, "bbbb");
    redo_client_close(client);
}
END_TEST

struct seen {
    int count, own;
    redo_position *position;
};

static void see(redo_session *session, char const *name, redo_position *position, int own,
                void *data)
{
    struct seen *seen = data;
    ck_assert_str_eq(name, "c");
    seen->count++;
    seen->own += own;
    seen->position = position;
}

START_TEST(watched_cursor_is_told_wherever_it_goes)
{
    struct seen seen = {0};
    redo_client *client = connect_to(NULL), *other = connect_to(NULL);
    redo_session *session = join(client, "n"), *theirs = join(other, "n");
    ck_assert_int_eq(redo_client_watchcursor(session, "c", see, &seen), REDO_OK);
    redo_position *p = add(session, first(session), 1, "bbbb");
    ck_assert_int_eq(seen.count, 0);
    redo_setcursor(session, "c", p, NULL);
    ck_assert_int_eq(seen.count, 1);
    ck_assert_int_eq(seen.own, 1);
    ck_assert_ptr_eq(seen.position, p);
    redo_setcursor(session, "other", p, NULL);
    ck_assert_int_eq(seen.count, 1);
    step_until(other, redo_getcursor(theirs, "other"));
    redo_movecursor(theirs, "c", redo_step_undo, 1, NULL, NULL);
    step_until(client, seen.count == 2);
    ck_assert_int_eq(seen.own, 1);
    ck_assert_ptr_eq(seen.position, first(session));
    redo_setcursor(session, "c", p, NULL);
    redo_dropposition(session, p); /* takes it along */
    ck_assert_ptr_eq(seen.position, first(session));
    ck_assert_int_eq(redo_dropcursor(session, "c"), REDO_OK);
    ck_assert_ptr_null(seen.position);
    ck_assert_int_eq(seen.count, 5);
    redo_client_watchcursor(session, "c", NULL, NULL);
    redo_setcursor(session, "c", first(session), NULL);
    ck_assert_int_eq(seen.count, 5);
    redo_client_close(client);
    redo_client_close(other);
}
END_TEST

START_TEST(name_is_told_again_to_a_daemon_that_was_started_again)
{
    redo_author author;
    redo_client *client = connect_to(NULL);
    ck_assert_int_eq(redo_client_setname(client, "frontend"), REDO_OK);
    ck_assert_int_eq(redo_client_setname(client, NULL), REDO_ENAME);
    ck_assert_int_eq(redo_client_setname(client, "\xff"), REDO_EUTF8);
    redo_session *session = join(client, "n");
    redo_position *p = add(session, first(session), 1, "bbbb");
    ck_assert_int_eq(redo_getauthor(p, &author), 1);
    ck_assert_str_eq(author.name, "frontend");
    restart_daemon();
    p = add(session, p, 2, "cccc");
    ck_assert_int_eq(redo_getauthor(p, &author), 1);
    ck_assert_str_eq(author.name, "frontend");
    redo_client_close(client);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("loss");
    TCase *stored = tcase_create("stored"), *memory = tcase_create("memory");
    tcase_set_timeout(stored, 120);
    tcase_set_timeout(memory, 120);
    tcase_add_checked_fixture(stored, setup, teardown);
    tcase_add_checked_fixture(memory, setup_in_memory, teardown);
    tcase_add_test(stored,
                   restarted_daemon_is_found_and_what_was_missed_is_applied_to_the_same_replica);
    tcase_add_test(stored, change_after_a_restart_connects_at_once);
    tcase_add_test(stored, replica_is_readable_without_a_daemon_and_changes_fail_at_once);
    tcase_add_test(stored, step_without_a_daemon_returns_in_its_time);
    tcase_add_test(stored, private_session_is_gone_with_its_connection_and_stays_readable);
    tcase_add_test(stored, session_that_was_deleted_meanwhile_ends_and_stays_readable);
    tcase_add_test(memory, session_that_is_another_now_is_loaded_anew);
    tcase_add_test(memory, change_that_comes_upon_another_session_is_not_done);
    tcase_add_test(stored, operations_that_a_relaxed_session_has_lost_are_gone_from_the_replica);
    tcase_add_test(stored, operations_made_in_the_place_of_lost_ones_are_not_taken_for_them);
    tcase_add_test(stored, relaxed_session_that_has_lost_nothing_is_resumed);
    tcase_add_test(stored,
                   daemon_killed_while_a_call_waits_is_found_again_and_the_change_done_once);
    tcase_add_test(memory, connection_cut_at_any_byte_loses_nothing_and_does_nothing_twice);
    tcase_add_test(memory, session_that_lags_is_attached_again);
    tcase_add_test(memory, slow_reader_catches_up_with_what_it_was_not_told);
    tcase_add_test(stored, stopped_daemon_ends_beginning_in_time_and_it_can_be_begun_later);
    tcase_add_test(memory, more_than_the_socket_holds_ends_in_time_at_a_stopped_daemon);
    tcase_add_test(stored, descriptor_leads_through_a_restart_with_poll_alone);
    tcase_add_test(memory, threads_have_a_client_each);
    tcase_add_test(memory, session_opened_to_look_at_refuses_changes_and_follows_others);
    tcase_add_test(memory, what_would_wait_is_refused_in_functions_that_the_library_calls);
    tcase_add_test(memory, watched_cursor_is_told_wherever_it_goes);
    tcase_add_test(stored, name_is_told_again_to_a_daemon_that_was_started_again);
    suite_add_tcase(suite, stored);
    suite_add_tcase(suite, memory);
    return run_suite(suite);
}
