/* Records of positions, as core/redo_record.h and the document of the game record say: candidates
 * with their analysis, which was played, the chain of decisions, alternates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/history.h"
#include "core/records/record.h"
#include "core/records/writer.h"
#include "core/redo_record.h"
#include "core/session.h"
#include "core/subtree.h"
#include "tests/core/invariants.h"
#include "tests/suite.h"

#define CANDIDATES redo_of_candidate
#define DECISIONS redo_of_decision

static redo_session *session;
static redo_position *root;

/* States of four bytes, of which two count. */
static redo_position *add(redo_position *prev, int move, char const *state)
{
    redo_position *p = redo_addposition(session, prev, move, state, 0, redo_nocheck);
    ck_assert_ptr_nonnull(p);
    return p;
}

static void begin(void)
{
    session = redo_beginsession("aa00", 4, 2);
    root = redo_getfirstposition(session);
}

/* Whatever a test did: dumped and loaded it is the same. */
static void end(void)
{
    void *data, *again;
    size_t size, size_again;
    invariants_hold(session->history);
    ck_assert_int_eq(redo_dump(session, &data, &size), REDO_OK);
    redo_session *other = redo_load(data, size);
    ck_assert_ptr_nonnull(other);
    ck_assert_int_eq(redo_dump(other, &again, &size_again), REDO_OK);
    ck_assert_uint_eq(size, size_again);
    ck_assert(memcmp(data, again, size) == 0);
    free(data);
    free(again);
    redo_endsession(other);
    redo_endsession(session);
}

/* A candidate or decision with this text, and a move if it is not -1. */
static redo_candidate item(char const *text, int move)
{
    return (redo_candidate){
        .hasmove = move != -1, .move = move, .text = text, .textsize = text ? strlen(text) : 0};
}

static uint32_t put(enum redo_of list, char const *text, int move)
{
    redo_candidate c = item(text, move);
    uint32_t id = 0;
    ck_assert_int_eq(redo_addcandidates(session, root, list, UINT32_MAX, &c, NULL, 1, &id),
                     REDO_OK);
    return id;
}

/* The texts of a list, one after the other. */
static void assert_texts(enum redo_of list, char const *expected)
{
    char texts[256] = "";
    redo_candidate c;
    for (unsigned i = 0; redo_getcandidate(root, list, i, &c); i++) {
        strcat(texts, i ? " " : "");
        strncat(texts, c.text, c.textsize);
    }
    ck_assert_str_eq(texts, expected);
}

START_TEST(a_position_has_no_record_at_first)
{
    size_t size = 1;
    ck_assert_ptr_null(redo_getrecord(root, &size));
    ck_assert_uint_eq(size, 0);
    ck_assert_uint_eq(redo_getcandidatecount(root, CANDIDATES), 0);
    ck_assert_int_eq(redo_getchoice(root, NULL), redo_choice_open);
    ck_assert_uint_eq(redo_getdecided(root), 0);
    ck_assert_ptr_eq(redo_getfirstalternate(root), root);
    ck_assert_ptr_null(redo_getnextalternate(root));
}
END_TEST

START_TEST(items_come_in_their_order_with_ids_from_1)
{
    redo_candidate c[] = {item("8/5 6/5", 3), item("24/20", 9)};
    uint32_t ids[2];
    ck_assert_int_eq(redo_addcandidates(session, root, CANDIDATES, 0, c, NULL, 2, ids), REDO_OK);
    ck_assert_uint_eq(ids[0], 1);
    ck_assert_uint_eq(ids[1], 2);
    redo_candidate front = item("13/9", -1);
    ck_assert_int_eq(redo_addcandidates(session, root, CANDIDATES, 0, &front, NULL, 1, ids),
                     REDO_OK);
    ck_assert_uint_eq(ids[0], 3);
    assert_texts(CANDIDATES, "13/9 8/5 6/5 24/20");
    redo_candidate got;
    ck_assert(redo_findcandidate(root, CANDIDATES, 2, &got));
    ck_assert_int_eq(got.move, 9);
    ck_assert_int_eq(got.text[got.textsize], 0);
}
END_TEST

START_TEST(a_candidate_that_is_played_leads_on_and_is_chosen)
{
    uint32_t id = put(CANDIDATES, "8/5", 3), chosen = 0;
    redo_candidate c;
    redo_position *p = redo_playcandidate(session, root, CANDIDATES, id, "bb00", 4, 0, redo_check);
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(redo_getmove(p), 3);
    ck_assert_int_eq(redo_getchoice(root, &chosen), redo_choice_made);
    ck_assert_uint_eq(chosen, id);
    ck_assert(redo_findcandidate(root, CANDIDATES, id, &c));
    ck_assert_ptr_eq(c.leads, p);
    ck_assert_ptr_eq(add(root, 3, "bb00"), p);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        a_position_has_no_record_at_first,
        items_come_in_their_order_with_ids_from_1,
        a_candidate_that_is_played_leads_on_and_is_chosen,
    };
    Suite *suite = suite_create("records");
    TCase *tcase = tcase_create("records");

    tcase_add_checked_fixture(tcase, begin, end);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
