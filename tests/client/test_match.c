/* Matches through the client library: begun and joined, their games changed by one client and known
 * to the replica of another. */
#include "tests/client/live.h"
#include "tests/suite.h"

static uint64_t begin_game(redo_client *client, char const *name)
{
    redo_session *session = redo_client_beginsession(client, name, "a", 1, 0);
    ck_assert_msg(session != NULL, "%s", redo_strerror(redo_lasterror()));
    uint64_t handle = redo_client_handle(session);
    ck_assert_uint_gt(handle, 0);
    redo_endsession(session);
    return handle;
}

static void assert_games(redo_session *match, uint64_t const *games, size_t count)
{
    uint64_t const *is;
    size_t has;
    ck_assert_int_eq(redo_getgames(match, &is, &has), REDO_OK);
    ck_assert_uint_eq(has, count);
    ck_assert(!count || memcmp(is, games, count * sizeof *is) == 0);
}

/* What is told of games, as text. */
static int note(redo_client_game const *game, void *data)
{
    char *text = data;
    sprintf(text + strlen(text), "%s%s ", game->name ? game->name : "?", game->gone ? "!" : "");
    return strlen(text) > 40;
}

START_TEST(games_are_added_dropped_ordered_and_told)
{
    redo_client *one = connect_to(NULL), *two = connect_to(NULL);
    uint64_t games[3] = {begin_game(one, "a"), begin_game(one, "b"), begin_game(one, "c")};
    redo_session *match = redo_client_beginmatch(one, "m");
    ck_assert_ptr_nonnull(match);
    assert_games(match, NULL, 0);
    ck_assert_int_eq(redo_client_addgames(one, "m", games, 3, -1), REDO_OK);
    redo_session *other = redo_client_beginmatch(two, "m"); /* joined */
    assert_games(other, games, 3);
    ck_assert_int_eq(redo_client_ordergames(one, "m", &games[2], 1, 0), REDO_OK);
    ck_assert_int_eq(redo_client_dropgames(one, "m", &games[0], 1), REDO_OK);
    uint64_t const now[] = {games[2], games[1]};
    while (redo_client_sequence(other) < 3)
        redo_client_step(two, 1000);
    assert_games(other, now, 2);
    assert_games(match, now, 2); /* its own changes come before the answers */
    char text[100] = "";
    ck_assert_int_eq(redo_client_deletesession(one, "b"), REDO_OK);
    ck_assert_int_eq(redo_client_getgames(two, "m", note, text), REDO_OK);
    ck_assert_str_eq(text, "c b! ");
    assert_equal(match, other);
    redo_client_close(one);
    redo_client_close(two);
}
END_TEST

START_TEST(what_does_not_do_is_refused)
{
    redo_client *client = connect_to(NULL);
    uint64_t game = begin_game(client, "a");
    redo_session *match = redo_client_beginmatch(client, "m");
    ck_assert_ptr_nonnull(match);
    ck_assert_int_eq(redo_client_addgames(client, "m", &game, 1, 1), REDO_ERANGE);
    ck_assert_int_eq(redo_client_addgames(client, "m", &game, 1, 0), REDO_OK);
    ck_assert_int_eq(redo_client_addgames(client, "m", &game, 1, 0), REDO_EINMATCH);
    ck_assert_int_eq(redo_client_addgames(client, "a", &game, 1, 0), REDO_ENOTMATCH);
    ck_assert_int_eq(redo_client_addgames(client, "m", NULL, 1, 0), REDO_ERANGE);
    ck_assert_int_eq(redo_client_dropgames(client, NULL, &game, 1), REDO_ENAME);
    ck_assert_int_eq(redo_client_getgames(client, "a", note, NULL), REDO_ENOTMATCH);
    ck_assert_ptr_null(redo_client_beginmatch(client, "a"));
    ck_assert_int_eq(redo_lasterror(), REDO_ESTATE);
    ck_assert_ptr_null(redo_client_beginmatch(client, NULL));
    redo_session *session = redo_client_opensession(client, "a");
    ck_assert_int_eq(redo_getgames(session, NULL, NULL), REDO_ENOTMATCH);
    unsigned char id[8] = {(unsigned char)game};
    redo_operation op = {.kind = REDO_OP_GAMES,
                         .source = REDO_NOPOSITION,
                         .value = redo_games_drop,
                         .state = id,
                         .statesize = sizeof id};
    ck_assert_int_eq(redo_apply(match, &op, NULL), REDO_EOPERATION);
    assert_games(match, &game, 1);
    redo_client_close(client);
}
END_TEST

START_TEST(a_replica_lives_through_a_restart)
{
    redo_client *client = connect_to(NULL);
    uint64_t games[2] = {begin_game(client, "a"), begin_game(client, "b")};
    redo_session *match = redo_client_beginmatch(client, "m");
    ck_assert_int_eq(redo_client_addgames(client, "m", games, 1, -1), REDO_OK);
    kill_daemon();
    restart_daemon();
    ck_assert_int_eq(redo_client_addgames(client, "m", games + 1, 1, -1), REDO_OK);
    while (redo_client_sequence(match) < 2)
        redo_client_step(client, 1000);
    assert_games(match, games, 2);
    redo_client_close(client);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        games_are_added_dropped_ordered_and_told,
        what_does_not_do_is_refused,
        a_replica_lives_through_a_restart,
    };
    Suite *suite = suite_create("match");
    TCase *tcase = tcase_create("match");

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
