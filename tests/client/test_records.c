/* Records through the client library: the functions of redo_record.h work on the replica, and two
 * clients on one record end with the same bytes. */
#include <math.h>

#include "redo_record.h"
#include "tests/client/live.h"
#include "tests/suite.h"

static redo_candidate item(char const *text, int move)
{
    return (redo_candidate){
        .hasmove = move >= 0, .move = move, .text = text, .textsize = text ? strlen(text) : 0};
}

static redo_analysis analysis(double equity)
{
    redo_analysis a = {.kind = "rollout", .kindsize = 7, .equity = equity, .numbercount = 2};
    a.numbers[0] = 0.5;
    a.numbers[1] = -equity;
    a.context = "\x93\x01\x02\xa1"
                "x";
    a.contextsize = 5;
    return a;
}

START_TEST(every_function_changes_the_daemons_session_and_the_replica_shows_it)
{
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    redo_position *zero = first(session);
    redo_candidate items[] = {item("24/18", 4), item("pass", -1)}, told;
    redo_analysis one = analysis(-0.25), got;
    redo_analysis const *analyses[] = {&one, NULL};
    uint32_t ids[2], chosen;
    size_t size;
    ck_assert_int_eq(
        redo_addcandidates(session, zero, redo_of_candidate, 9, items, analyses, 2, ids), REDO_OK);
    ck_assert_uint_eq(ids[0], 1);
    ck_assert_uint_eq(ids[1], 2);
    ck_assert_int_eq(redo_getcandidate(zero, redo_of_candidate, 0, &told), 1);
    ck_assert_str_eq(told.text, "24/18");
    ck_assert_int_eq(redo_getanalysis(zero, redo_of_candidate, 1, &got), 1);
    ck_assert(got.equity == -0.25 && got.numbers[1] == 0.25 && got.contextsize == 5);
    ck_assert_int_eq(redo_setpositionproperty(session, zero, redo_of_position, 0, "a", "\x05", 1),
                     REDO_OK);
    ck_assert_mem_eq(redo_getpositionproperty(zero, redo_of_position, 0, "a", &size), "\x05", 1);
    assert_fails(redo_setpositionproperty(session, zero, redo_of_position, 0, "b", "\xc1", 1),
                 REDO_ETYPE, REDO_ETYPE); /* no msgpack: the daemon looks */
    assert_fails(redo_setpositionproperty(session, zero, redo_of_branch, 0, "b", "\x01", 1),
                 REDO_EFIRST, REDO_EFIRST);
    redo_position *played =
        redo_playcandidate(session, zero, redo_of_candidate, 1, "baaa", SIZE, 0, redo_check);
    ck_assert_ptr_eq(played, redo_getposition(session, 1));
    ck_assert_int_eq(redo_getmove(played), 4);
    ck_assert_int_eq(redo_getchoice(zero, &chosen), redo_choice_made);
    ck_assert_uint_eq(chosen, 1);
    redo_position *other = redo_addalternate(session, zero, NULL, "aaab");
    ck_assert_ptr_nonnull(other);
    ck_assert_ptr_eq(redo_getfirstalternate(other), zero);
    ck_assert_ptr_eq(redo_getnextalternate(zero), other);
    redo_candidate chain[] = {item("double", -1), item("take", -1)};
    chain[1].analysed = redo_analysis_shared;
    redo_analysis const *first_only[] = {&one, NULL};
    ck_assert_int_eq(
        redo_addcandidates(session, zero, redo_of_decision, 0, chain, first_only, 2, NULL),
        REDO_OK);
    ck_assert_int_eq(redo_getanalysis(zero, redo_of_decision, 2, &got), 1);
    ck_assert_int_eq(redo_decide(session, zero, 1), REDO_OK);
    ck_assert_uint_eq(redo_getdecided(zero), 1);
    uint32_t order[] = {2, 1};
    ck_assert_int_eq(redo_ordercandidates(session, zero, redo_of_candidate, order, 2), REDO_OK);
    redo_candidate renamed = item("other", -1);
    ck_assert_int_eq(
        redo_setcandidate(session, zero, redo_of_candidate, 2, redo_part_text, &renamed, NULL),
        REDO_OK);
    ck_assert_int_eq(redo_dropcandidates(session, zero, redo_of_candidate, order + 1, 1), REDO_OK);
    ck_assert_int_eq(redo_choose(session, zero, redo_choice_open, 0), REDO_OK);
    ck_assert_uint_eq(redo_getcandidatecount(zero, redo_of_candidate), 1);
    assert_fails(redo_dropcandidates(session, zero, redo_of_candidate, order + 1, 1),
                 REDO_ENOCANDIDATE, REDO_ENOCANDIDATE);
    void const *record = redo_getrecord(zero, &size);
    char *copy = malloc(size);
    memcpy(copy, record, size);
    ck_assert_int_eq(redo_setrecord(session, played, copy, size), REDO_OK);
    ck_assert_mem_eq(redo_getrecord(played, NULL), copy, size);
    free(copy);
    ck_assert_int_eq(redo_client_status(session), REDO_OK);
    assert_as_stored(session);
    redo_client_close(client);
}
END_TEST

/* Adds candidates with analysis, and drops some. */
static void analyse(redo_session *session, redo_position *at, int i)
{
    redo_candidate some[] = {item(i % 3 ? "a move" : NULL, 1000 + 2 * i), item("another", -1)};
    redo_analysis one = analysis(i / 7.0), two = analysis(-i);
    redo_analysis const *analyses[] = {&one, i % 2 ? &two : NULL};
    uint32_t ids[2];
    int rc =
        redo_addcandidates(session, at, redo_of_candidate, (unsigned)i % 4, some, analyses, 2, ids);
    ck_assert_int_eq(rc, REDO_OK);
    if (i % 5 == 0)
        ck_assert_int_eq(redo_dropcandidates(session, at, redo_of_candidate, ids, 1), REDO_OK);
    if (i % 4 == 0)
        ck_assert_int_eq(redo_setcandidate(session, at, redo_of_candidate, ids[1],
                                           redo_part_analysis,
                                           &(redo_candidate){.analysed = redo_analysis_own}, &two),
                         REDO_OK);
}

START_TEST(two_clients_on_one_record_end_with_the_same_bytes)
{
    redo_client *analyst = connect_to(NULL), *player = connect_to(NULL);
    redo_session *a = join(analyst, "n"), *b = join(player, "n");
    redo_position *at = first(b);
    for (int i = 0; i < 60; i++) {
        char state[] = {(char)('b' + i), 'x', 'x', 'x', 0};
        analyse(a, first(a), i);
        redo_client_step(player, 100);
        uint32_t id = i % 7 == 0 ? redo_getcandidatecount(first(b), redo_of_candidate) : 0;
        redo_candidate last;
        if (id && redo_getcandidate(first(b), redo_of_candidate, id - 1, &last))
            at = redo_playcandidate(b, first(b), redo_of_candidate, last.id, state, SIZE, 0,
                                    redo_check);
        else
            at = add(b, at, i, state);
        ck_assert_ptr_nonnull(at);
        ck_assert_ptr_nonnull(redo_setcursor(b, "here", at, NULL));
        if (i % 9 == 0)
            ck_assert_int_eq(redo_setpositionproperty(b, at, redo_of_branch, 0, "note", "\xa1n", 2),
                             REDO_OK);
    }
    step_until(analyst, redo_client_sequence(a) == redo_client_sequence(b));
    step_until(player, redo_client_sequence(a) == redo_client_sequence(b));
    ck_assert_uint_gt(redo_getcandidatecount(first(b), redo_of_candidate), 90);
    assert_equal(a, b);
    assert_as_stored(a);
    restart_daemon();
    redo_client *later = connect_to(NULL);
    redo_session *c = redo_client_opensession(later, "n");
    ck_assert_ptr_nonnull(c);
    assert_equal(b, c);
    redo_client_close(analyst);
    redo_client_close(player);
    redo_client_close(later);
}
END_TEST

START_TEST(a_dump_larger_than_a_message_becomes_a_session)
{
    size_t size = (size_t)50 * 1024 * 1024, dumped, again;
    void *dump, *other;
    char *value = calloc(1, size);
    redo_client *client = connect_to(NULL);
    redo_session *session = join(client, "n");
    memcpy(value, "\xc6\x03\x1f\xff\xfb", 5); /* so many bytes */
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(redo_setpositionproperty(session, first(session), redo_of_position, 0,
                                                  i ? "a" : "b", value, size),
                         REDO_OK);
    free(value);
    ck_assert_int_eq(redo_dump(session, &dump, &dumped), REDO_OK);
    ck_assert_uint_gt(dumped, 2 * size);
    redo_session *loaded = redo_load(dump, dumped);
    ck_assert_msg(loaded != NULL, "%s", redo_strerror(redo_lasterror()));
    ck_assert_int_eq(redo_dump(loaded, &other, &again), REDO_OK);
    ck_assert_uint_eq(dumped, again);
    ck_assert_mem_eq(dump, other, dumped);
    ((char *)dump)[dumped / 2] ^= 1;
    assert_fails(redo_load(dump, dumped), NULL, REDO_EDAMAGED);
    free(dump);
    free(other);
    redo_endsession(loaded);
    redo_client_close(client);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("records");
    TCase *stored = tcase_create("stored");
    tcase_set_timeout(stored, 200);
    tcase_add_checked_fixture(stored, setup, teardown);
    tcase_add_test(stored, every_function_changes_the_daemons_session_and_the_replica_shows_it);
    tcase_add_test(stored, two_clients_on_one_record_end_with_the_same_bytes);
    tcase_add_test(stored, a_dump_larger_than_a_message_becomes_a_session);
    suite_add_tcase(suite, stored);
    return run_suite(suite);
}
