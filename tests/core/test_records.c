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

/* ---- candidates --------------------------------------------------------------------------- */

static int add_items(enum redo_of list, unsigned place, redo_candidate const *c, size_t count)
{
    return redo_addcandidates(session, root, list, place, c, NULL, count, NULL);
}

static redo_analysis evaluation(double equity)
{
    return (redo_analysis){.kind = "evaluation",
                           .kindsize = 10,
                           .equity = equity,
                           .numbers = {0.5, 0.25},
                           .deviations = {0.125},
                           .numbercount = 2,
                           .deviationcount = 1,
                           .context = "\x81\xa5plies\x02",
                           .contextsize = 8,
                           .text = "E ver 3",
                           .textsize = 7};
}

START_TEST(an_id_is_not_given_twice)
{
    uint32_t id = put(CANDIDATES, "8/5", 3);
    ck_assert_int_eq(redo_dropcandidates(session, root, CANDIDATES, &id, 1), REDO_OK);
    ck_assert_uint_eq(put(CANDIDATES, "8/5", 3), 2);
}
END_TEST

START_TEST(an_id_is_not_given_again_after_a_record_is_set_as_a_whole)
{
    put(CANDIDATES, "8/5", 3);
    put(DECISIONS, "double", 100);
    size_t size, again;
    void const *record = redo_getrecord(root, &size);
    unsigned char *copy = malloc(size);
    memcpy(copy, record, size);
    put(CANDIDATES, "6/3", 4);
    uint32_t decisions = redo_getcandidatecount(root, DECISIONS);
    ck_assert_uint_eq(put(DECISIONS, "beaver", 104), decisions + 1);
    ck_assert_int_eq(redo_setrecord(session, root, copy, size), REDO_OK);
    ck_assert_uint_eq(redo_getcandidatecount(root, CANDIDATES), 1);
    ck_assert_uint_eq(redo_getcandidatecount(root, DECISIONS), decisions);
    record = redo_getrecord(root, &again);
    unsigned char *now = malloc(again);
    memcpy(now, record, again);
    redo_clearsessionchanged(session); /* the same once more changes nothing */
    ck_assert_int_eq(redo_setrecord(session, root, copy, size), REDO_OK);
    ck_assert_int_eq(redo_hassessionchanged(session), 0);
    ck_assert_mem_eq(redo_getrecord(root, &size), now, again);
    ck_assert_uint_eq(put(CANDIDATES, "6/3", 4), 3);
    ck_assert_uint_eq(put(DECISIONS, "drop", 105), decisions + 2);
    ck_assert_int_eq(redo_setrecord(session, root, NULL, 0), REDO_OK);
    ck_assert_uint_eq(put(CANDIDATES, "8/5", 3), 1);
    free(now);
    free(copy);
}
END_TEST

START_TEST(an_alternate_takes_no_move_that_a_candidate_has)
{
    put(CANDIDATES, "first", -1);
    redo_candidate below[] = {item("second", -1), item("third", -1)};
    below[0].hasmove = below[1].hasmove = 1;
    below[0].move = -1;
    below[1].move = -3;
    ck_assert_int_eq(add_items(CANDIDATES, 0, below, 2), REDO_OK);
    ck_assert_int_eq(redo_getmove(redo_addalternate(session, root, NULL, "aa01")), -2);
    ck_assert_int_eq(redo_getmove(redo_addalternate(session, root, NULL, "aa02")), -4);
    redo_candidate told;
    ck_assert_int_eq(redo_getcandidate(root, CANDIDATES, 0, &told), 1);
    ck_assert_ptr_null(told.leads);
}
END_TEST

START_TEST(candidates_and_decisions_have_ids_of_their_own)
{
    put(CANDIDATES, "8/5", 3);
    ck_assert_uint_eq(put(DECISIONS, "double", 100), 1);
    ck_assert_uint_eq(put(DECISIONS, "take", 101), 2);
    assert_texts(CANDIDATES, "8/5");
    assert_texts(DECISIONS, "double take");
}
END_TEST

START_TEST(an_item_needs_a_move_or_a_text)
{
    redo_candidate none = item(NULL, -1), empty = item("", -1), move = item(NULL, 4);
    ck_assert_int_eq(add_items(CANDIDATES, 0, &none, 1), REDO_ECANDIDATE);
    ck_assert_int_eq(add_items(CANDIDATES, 0, &empty, 1), REDO_ECANDIDATE);
    ck_assert_int_eq(add_items(CANDIDATES, 0, &move, 1), REDO_OK);
    ck_assert_int_eq(redo_setcandidate(session, root, CANDIDATES, 1, redo_part_move, &none, NULL),
                     REDO_ECANDIDATE);
}
END_TEST

START_TEST(two_candidates_have_no_move_in_common)
{
    redo_candidate twice[] = {item("a", 5), item("b", 5)};
    ck_assert_int_eq(add_items(CANDIDATES, 0, twice, 2), REDO_ECANDIDATE);
    ck_assert_int_eq(add_items(CANDIDATES, 0, twice, 1), REDO_OK);
    ck_assert_int_eq(add_items(CANDIDATES, 0, twice + 1, 1), REDO_ECANDIDATE);
    uint32_t id = put(CANDIDATES, "c", 6);
    ck_assert_int_eq(redo_setcandidate(session, root, CANDIDATES, id, redo_part_move, twice, NULL),
                     REDO_ECANDIDATE);
    ck_assert_int_eq(add_items(DECISIONS, 0, twice, 2), REDO_OK);
}
END_TEST

START_TEST(a_text_that_is_not_utf8_is_refused)
{
    redo_candidate c = item("\xff", 5);
    ck_assert_int_eq(add_items(CANDIDATES, 0, &c, 1), REDO_ECANDIDATE);
    c = item("\xc3\xb8", 5);
    ck_assert_int_eq(add_items(CANDIDATES, 0, &c, 1), REDO_OK);
}
END_TEST

START_TEST(an_analysis_is_given_back_as_it_was_told)
{
    redo_candidate c = item("8/5", 3);
    redo_analysis a = evaluation(-0.25), got;
    redo_analysis const *given = &a;
    ck_assert_int_eq(redo_addcandidates(session, root, CANDIDATES, 0, &c, &given, 1, NULL),
                     REDO_OK);
    ck_assert(redo_getanalysis(root, CANDIDATES, 1, &got));
    ck_assert(got.kindsize == 10 && memcmp(got.kind, "evaluation", 11) == 0);
    ck_assert(got.equity == -0.25 && got.numbercount == 2 && got.deviationcount == 1);
    ck_assert(got.numbers[0] == 0.5 && got.numbers[1] == 0.25 && got.deviations[0] == 0.125);
    ck_assert(got.contextsize == 8 && memcmp(got.context, "\x81\xa5plies\x02", 8) == 0);
    ck_assert(got.textsize == 7 && strcmp(got.text, "E ver 3") == 0);
    ck_assert(redo_findcandidate(root, CANDIDATES, 1, &c));
    ck_assert_int_eq(c.analysed, redo_analysis_own);
}
END_TEST

START_TEST(an_analysis_may_have_neither_equity_nor_context_nor_text)
{
    redo_candidate c = item("8/5", 3);
    redo_analysis a = {.kind = "x", .kindsize = 1, .equity = (double)NAN}, got;
    redo_analysis const *given = &a;
    ck_assert_int_eq(redo_addcandidates(session, root, CANDIDATES, 0, &c, &given, 1, NULL),
                     REDO_OK);
    ck_assert(redo_getanalysis(root, CANDIDATES, 1, &got));
    ck_assert(isnan(got.equity) && !got.context && !got.text && !got.numbercount);
}
END_TEST

static int add_analysis(redo_analysis a)
{
    redo_candidate c = item("x", -1);
    redo_analysis const *given = &a;
    return redo_addcandidates(session, root, CANDIDATES, 0, &c, &given, 1, NULL);
}

START_TEST(an_analysis_that_is_none_is_refused)
{
    redo_analysis a = evaluation((double)INFINITY);
    ck_assert_int_eq(add_analysis(a), REDO_ECANDIDATE);
    a = evaluation(0);
    a.numbers[1] = (double)NAN;
    ck_assert_int_eq(add_analysis(a), REDO_ECANDIDATE);
    a = evaluation(0);
    a.deviationcount = 3;
    ck_assert_int_eq(add_analysis(a), REDO_ECANDIDATE);
    a = evaluation(0);
    a.numbercount = REDO_NUMBERS_MAX + 1;
    ck_assert_int_eq(add_analysis(a), REDO_EFULL);
    a = evaluation(0);
    a.contextsize--;
    ck_assert_int_eq(add_analysis(a), REDO_ECANDIDATE);
    a.contextsize = 0;
    ck_assert_int_eq(add_analysis(a), REDO_ECANDIDATE);
    a = evaluation(0);
    a.kind = NULL;
    ck_assert_int_eq(add_analysis(a), REDO_ECANDIDATE);
    a = evaluation(0);
    a.kindsize = 0;
    ck_assert_int_eq(add_analysis(a), REDO_ECANDIDATE);
    a = evaluation(0);
    a.text = "\xc0\x80";
    a.textsize = 2;
    ck_assert_int_eq(add_analysis(a), REDO_ECANDIDATE);
    ck_assert_ptr_null(redo_getrecord(root, NULL));
}
END_TEST

START_TEST(setting_a_part_leaves_the_others)
{
    redo_candidate c = item("8/5", 3), got;
    redo_analysis a = evaluation(0.5), told;
    redo_analysis const *given = &a;
    redo_addcandidates(session, root, CANDIDATES, 0, &c, &given, 1, NULL);
    redo_setpositionproperty(session, root, CANDIDATES, 1, "bad", "\x01", 1);
    c = item("8/5*", 9);
    ck_assert_int_eq(redo_setcandidate(session, root, CANDIDATES, 1, redo_part_text, &c, NULL),
                     REDO_OK);
    ck_assert(redo_getcandidate(root, CANDIDATES, 0, &got));
    ck_assert(got.hasmove && got.move == 3 && strcmp(got.text, "8/5*") == 0);
    ck_assert(redo_getanalysis(root, CANDIDATES, 1, &told) && told.equity == 0.5);
    ck_assert_ptr_nonnull(redo_getpositionproperty(root, CANDIDATES, 1, "bad", NULL));
    ck_assert_int_eq(redo_setcandidate(session, root, CANDIDATES, 1, redo_part_analysis, &c, NULL),
                     REDO_OK);
    ck_assert(!redo_getanalysis(root, CANDIDATES, 1, NULL));
    ck_assert_int_eq(
        redo_setcandidate(session, root, CANDIDATES, 1, redo_part_text, &(redo_candidate){0}, NULL),
        REDO_OK);
    ck_assert(redo_getcandidate(root, CANDIDATES, 0, &got) && !got.text && got.move == 3);
    ck_assert_ptr_nonnull(redo_getpositionproperty(root, CANDIDATES, 1, "bad", NULL));
}
END_TEST

START_TEST(an_item_that_is_not_there_is_no_candidate)
{
    redo_candidate c = item("x", 1);
    uint32_t id = 7;
    put(CANDIDATES, "8/5", 3);
    ck_assert_int_eq(redo_setcandidate(session, root, CANDIDATES, id, redo_part_text, &c, NULL),
                     REDO_ENOCANDIDATE);
    ck_assert_int_eq(redo_dropcandidates(session, root, CANDIDATES, &id, 1), REDO_ENOCANDIDATE);
    ck_assert_int_eq(redo_choose(session, root, redo_choice_made, id), REDO_ENOCANDIDATE);
    ck_assert_int_eq(redo_setpositionproperty(session, root, CANDIDATES, id, "a", "b", 1),
                     REDO_ENOCANDIDATE);
    ck_assert_ptr_null(redo_playcandidate(session, root, CANDIDATES, id, "bb00", 4, 0, 0));
    ck_assert_int_eq(redo_lasterror(), REDO_ENOCANDIDATE);
    ck_assert(!redo_findcandidate(root, CANDIDATES, id, &c));
}
END_TEST

START_TEST(a_list_is_put_in_an_order_by_all_of_its_ids)
{
    put(CANDIDATES, "a", 1);
    put(CANDIDATES, "b", 2);
    put(CANDIDATES, "c", 3);
    ck_assert_int_eq(redo_ordercandidates(session, root, CANDIDATES, (uint32_t[]){3, 1, 2}, 3),
                     REDO_OK);
    assert_texts(CANDIDATES, "c a b");
    ck_assert_int_eq(redo_ordercandidates(session, root, CANDIDATES, (uint32_t[]){3, 1}, 2),
                     REDO_ECANDIDATE);
    ck_assert_int_eq(redo_ordercandidates(session, root, CANDIDATES, (uint32_t[]){3, 1, 1}, 3),
                     REDO_ECANDIDATE);
    ck_assert_int_eq(redo_ordercandidates(session, root, CANDIDATES, (uint32_t[]){3, 1, 4}, 3),
                     REDO_ECANDIDATE);
    assert_texts(CANDIDATES, "c a b");
}
END_TEST

START_TEST(no_legal_move_is_told_from_none_chosen_yet)
{
    ck_assert_int_eq(redo_choose(session, root, redo_choice_none, 0), REDO_OK);
    ck_assert_int_eq(redo_getchoice(root, NULL), redo_choice_none);
    put(CANDIDATES, "8/5", 3);
    ck_assert_int_eq(redo_getchoice(root, NULL), redo_choice_open);
    ck_assert_int_eq(redo_choose(session, root, redo_choice_none, 0), REDO_ECANDIDATE);
}
END_TEST

START_TEST(none_is_chosen_once_the_played_one_is_dropped)
{
    uint32_t id = put(CANDIDATES, "8/5", 3), got;
    put(CANDIDATES, "6/3", 4);
    ck_assert_int_eq(redo_choose(session, root, redo_choice_made, id), REDO_OK);
    ck_assert(redo_getchoice(root, &got) == redo_choice_made && got == id);
    ck_assert_int_eq(redo_dropcandidates(session, root, CANDIDATES, &id, 1), REDO_OK);
    ck_assert_int_eq(redo_getchoice(root, NULL), redo_choice_open);
    assert_texts(CANDIDATES, "6/3");
}
END_TEST

START_TEST(more_candidates_than_the_limit_are_refused)
{
    redo_candidate *all = calloc(100000, sizeof *all), got;
    for (int i = 0; i < 100000; i++)
        all[i] = item("m", i);
    ck_assert_int_eq(add_items(CANDIDATES, 0, all, 100000), REDO_EFULL);
    ck_assert_int_eq(add_items(CANDIDATES, 0, all, REDO_CANDIDATES_MAX), REDO_OK);
    ck_assert_int_eq(add_items(CANDIDATES, 0, &all[99999], 1), REDO_EFULL);
    for (unsigned i = 0; i < REDO_CANDIDATES_MAX; i++)
        ck_assert(redo_getcandidate(root, CANDIDATES, i, &got) && got.move == (int)i &&
                  redo_findcandidate(root, CANDIDATES, i + 1, &got) && got.move == (int)i);
    for (int i = REDO_CANDIDATES_MAX; i > 60000; i--)
        ck_assert(redo_findcandidate(root, CANDIDATES, (uint32_t)(i % 7 + 1), &got));
    free(all);
}
END_TEST

/* ---- decisions ---------------------------------------------------------------------------- */

static void put_chain(void)
{
    redo_candidate c[] = {item("double", 100), item("take", 101), item("beaver", 102)};
    redo_analysis a = evaluation(1);
    redo_analysis const *given[] = {&a, NULL, NULL};
    c[1].analysed = c[2].analysed = redo_analysis_shared;
    ck_assert_int_eq(redo_addcandidates(session, root, DECISIONS, 0, c, given, 3, NULL), REDO_OK);
}

START_TEST(the_chain_shares_the_analysis_of_its_first)
{
    redo_analysis a;
    redo_candidate c;
    put_chain();
    ck_assert(redo_getanalysis(root, DECISIONS, 3, &a) && a.equity == 1);
    ck_assert(redo_findcandidate(root, DECISIONS, 3, &c));
    ck_assert_int_eq(c.analysed, redo_analysis_shared);
    a = evaluation(2);
    c = (redo_candidate){.analysed = redo_analysis_own};
    redo_setcandidate(session, root, DECISIONS, 1, redo_part_analysis, &c, &a);
    ck_assert(redo_getanalysis(root, DECISIONS, 2, &a) && a.equity == 2);
}
END_TEST

START_TEST(the_first_and_candidates_share_nothing)
{
    redo_candidate c = item("double", 100);
    c.analysed = redo_analysis_shared;
    ck_assert_int_eq(add_items(DECISIONS, 0, &c, 1), REDO_ECANDIDATE);
    ck_assert_int_eq(add_items(CANDIDATES, 5, &c, 1), REDO_ECANDIDATE);
    put_chain();
    ck_assert_int_eq(add_items(DECISIONS, 0, &c, 1), REDO_ECANDIDATE);
    ck_assert_int_eq(redo_setcandidate(session, root, DECISIONS, 1, redo_part_analysis, &c, NULL),
                     REDO_ECANDIDATE);
    ck_assert_int_eq(redo_ordercandidates(session, root, DECISIONS, (uint32_t[]){2, 1, 3}, 3),
                     REDO_ECANDIDATE);
}
END_TEST

START_TEST(what_becomes_the_first_by_dropping_has_the_shared_analysis_as_its_own)
{
    redo_analysis a;
    redo_candidate c;
    put_chain();
    ck_assert_int_eq(redo_dropcandidates(session, root, DECISIONS, (uint32_t[]){1}, 1), REDO_OK);
    assert_texts(DECISIONS, "take beaver");
    ck_assert(redo_getcandidate(root, DECISIONS, 0, &c));
    ck_assert_int_eq(c.analysed, redo_analysis_own);
    ck_assert(redo_getanalysis(root, DECISIONS, 3, &a) && a.equity == 1);
}
END_TEST

START_TEST(decisions_that_were_made_are_the_first_ones)
{
    put_chain();
    ck_assert_int_eq(redo_decide(session, root, 4), REDO_ECANDIDATE);
    ck_assert_int_eq(redo_decide(session, root, 3), REDO_OK);
    ck_assert_uint_eq(redo_getdecided(root), 3);
    ck_assert_int_eq(redo_dropcandidates(session, root, DECISIONS, (uint32_t[]){2}, 1), REDO_OK);
    ck_assert_uint_eq(redo_getdecided(root), 1);
    redo_candidate c = item("no double", 99);
    ck_assert_int_eq(add_items(DECISIONS, 0, &c, 1), REDO_OK);
    ck_assert_uint_eq(redo_getdecided(root), 0);
}
END_TEST

START_TEST(a_decision_is_played_after_those_before_it)
{
    put_chain();
    redo_candidate c;
    ck_assert_ptr_null(redo_playcandidate(session, root, DECISIONS, 2, "bb00", 4, 0, redo_check));
    ck_assert_int_eq(redo_lasterror(), REDO_EDECISION);
    redo_position *doubled =
        redo_playcandidate(session, root, DECISIONS, 1, "bb00", 4, 0, redo_check);
    ck_assert_uint_eq(redo_getdecided(root), 1);
    redo_position *taken =
        redo_playcandidate(session, root, DECISIONS, 2, "cc00", 4, 0, redo_check);
    ck_assert_ptr_eq(taken->prev, doubled);
    ck_assert_uint_eq(redo_getdecided(root), 2);
    ck_assert_ptr_eq(redo_playcandidate(session, root, DECISIONS, 1, NULL, 0, 0, 0), doubled);
    ck_assert_uint_eq(redo_getdecided(root), 2);
    ck_assert(redo_findcandidate(root, DECISIONS, 2, &c));
    ck_assert_ptr_eq(c.leads, taken);
}
END_TEST

/* ---- playing ------------------------------------------------------------------------------ */

START_TEST(an_item_without_a_move_gets_the_lowest_that_is_free)
{
    add(root, 0, "xx00");
    add(root, 2, "yy00");
    put(CANDIDATES, "a", 1);
    uint32_t id = put(CANDIDATES, "b", -1);
    redo_position *p = redo_playcandidate(session, root, CANDIDATES, id, "bb00", 4, 0, redo_check);
    redo_candidate c;
    ck_assert_int_eq(redo_getmove(p), 3);
    ck_assert(redo_findcandidate(root, CANDIDATES, id, &c) && c.hasmove && c.move == 3);
    assert_texts(CANDIDATES, "a b");
}
END_TEST

START_TEST(an_item_without_a_move_keeps_all_else_when_it_gets_one)
{
    uint32_t id = put(CANDIDATES, "b", -1);
    redo_analysis a = evaluation(0.5), got;
    redo_candidate own = {.analysed = redo_analysis_own};
    redo_setcandidate(session, root, CANDIDATES, id, redo_part_analysis, &own, &a);
    redo_setpositionproperty(session, root, CANDIDATES, id, "k", "v", 1);
    ck_assert_ptr_nonnull(redo_playcandidate(session, root, CANDIDATES, id, "bb00", 4, 0, 0));
    ck_assert(redo_getanalysis(root, CANDIDATES, id, &got) && got.equity == 0.5);
    ck_assert_ptr_nonnull(redo_getpositionproperty(root, CANDIDATES, id, "k", NULL));
}
END_TEST

START_TEST(a_move_that_is_there_is_followed_and_needs_no_state)
{
    redo_position *p = add(root, 3, "bb00");
    add(root, 4, "cc00");
    uint32_t id = put(CANDIDATES, "8/5", 3);
    ck_assert_ptr_eq(redo_playcandidate(session, root, CANDIDATES, id, NULL, 0, 0, 0), p);
    ck_assert_ptr_eq(root->next->p, p);
    ck_assert_int_eq(redo_getchoice(root, NULL), redo_choice_made);
    id = put(CANDIDATES, "new", 5);
    ck_assert_ptr_null(redo_playcandidate(session, root, CANDIDATES, id, NULL, 0, 0, 0));
    ck_assert_int_eq(redo_lasterror(), REDO_ESTATE);
}
END_TEST

START_TEST(what_can_not_be_added_is_not_played_either)
{
    uint32_t id = put(CANDIDATES, "8/5", -1);
    redo_candidate c;
    ck_assert_ptr_null(redo_playcandidate(session, root, CANDIDATES, id, "bb00", 4, 128, 0));
    ck_assert_int_eq(redo_lasterror(), REDO_ERANGE);
    ck_assert_ptr_null(redo_playcandidate(session, root, CANDIDATES, id, "bb", 2, 0, 0));
    ck_assert_int_eq(redo_lasterror(), REDO_ESTATE);
    ck_assert_ptr_null(redo_playcandidate(session, root, redo_of_position, id, "bb00", 4, 0, 0));
    ck_assert_int_eq(redo_lasterror(), REDO_ECONSTANT);
    ck_assert(redo_findcandidate(root, CANDIDATES, id, &c) && !c.hasmove);
    ck_assert_int_eq(redo_getchoice(root, NULL), redo_choice_open);
}
END_TEST

START_TEST(a_played_position_takes_over_as_an_added_one_does)
{
    redo_position *far = add(add(root, 1, "bb00"), 1, "cc00"), *after = add(far, 7, "dd00");
    redo_setpositionproperty(session, after, redo_of_branch, 0, "k", "v", 1);
    uint32_t id = put(CANDIDATES, "short", 2);
    redo_position *p = redo_playcandidate(session, root, CANDIDATES, id, "cc00", 4, 0, redo_check);
    ck_assert_ptr_eq(far->better, p);
    ck_assert_ptr_eq(after->prev, p);
    ck_assert_ptr_nonnull(redo_getpositionproperty(after, redo_of_branch, 0, "k", NULL));
}
END_TEST

/* ---- properties --------------------------------------------------------------------------- */

START_TEST(properties_keep_the_order_in_which_they_were_first_set)
{
    redo_position *p = add(root, 1, "bb00");
    size_t size;
    for (int of = redo_of_position; of <= redo_of_branch; of++) {
        ck_assert_int_eq(redo_setpositionproperty(session, p, of, 0, "zz", "1", 1), REDO_OK);
        ck_assert_int_eq(redo_setpositionproperty(session, p, of, 0, "a", "22", 2), REDO_OK);
        ck_assert_int_eq(redo_setpositionproperty(session, p, of, 0, "zz", "333", 3), REDO_OK);
        ck_assert_str_eq(redo_getpositionpropertyname(p, of, 0, 0, &size), "zz");
        ck_assert_str_eq(redo_getpositionpropertyname(p, of, 0, 1, &size), "a");
        ck_assert_ptr_null(redo_getpositionpropertyname(p, of, 0, 2, &size));
        ck_assert(memcmp(redo_getpositionproperty(p, of, 0, "zz", &size), "333", 3) == 0);
        ck_assert_uint_eq(size, 3);
    }
    ck_assert_int_eq(redo_setpositionproperty(session, p, 0, 0, "zz", NULL, 0), REDO_OK);
    ck_assert_str_eq(redo_getpositionpropertyname(p, 0, 0, 0, &size), "a");
    ck_assert_ptr_null(redo_getpositionproperty(p, 0, 0, "zz", &size));
}
END_TEST

START_TEST(a_name_that_is_none_is_refused)
{
    char longest[REDO_NAME_MAX + 2];
    memset(longest, 'n', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    ck_assert_int_eq(redo_setpositionproperty(session, root, 0, 0, "", "v", 1), REDO_ENAME);
    ck_assert_int_eq(redo_setpositionproperty(session, root, 0, 0, NULL, "v", 1), REDO_ENAME);
    ck_assert_int_eq(redo_setpositionproperty(session, root, 0, 0, "\xff", "v", 1), REDO_ENAME);
    ck_assert_int_eq(redo_setpositionproperty(session, root, 0, 0, longest, "v", 1), REDO_ENAME);
    ck_assert_int_eq(redo_setpositionproperty(session, root, 0, 0, longest + 1, "v", 1), REDO_OK);
}
END_TEST

START_TEST(no_branch_leads_to_the_first_position)
{
    ck_assert_int_eq(redo_setpositionproperty(session, root, redo_of_branch, 0, "a", "v", 1),
                     REDO_EFIRST);
    redo_position *p = add(root, 1, "bb00");
    size_t size;
    redo_setpositionproperty(session, p, redo_of_branch, 0, "a", "v", 1);
    void const *record = redo_getrecord(p, &size);
    ck_assert_int_eq(redo_setrecord(session, root, record, size), REDO_EFIRST);
}
END_TEST

START_TEST(a_large_value_is_kept)
{
    size_t size = 64 << 20, got;
    char *value = calloc(1, size);
    ck_assert_int_eq(redo_setpositionproperty(session, root, 0, 0, "a", value, size), REDO_OK);
    put(CANDIDATES, "8/5", 3);
    ck_assert_ptr_nonnull(redo_getpositionproperty(root, 0, 0, "a", &got));
    ck_assert_uint_eq(got, size);
    free(value);
    ck_assert_int_eq(redo_setpositionproperty(session, root, 0, 0, "a", NULL, 0), REDO_OK);
}
END_TEST

START_TEST(more_than_a_record_may_have_is_refused)
{
    size_t size = REDO_RECORD_MAX;
    char *value = calloc(1, size);
    ck_assert_int_eq(redo_setpositionproperty(session, root, 0, 0, "a", value, size), REDO_EFULL);
    ck_assert_ptr_null(redo_getrecord(root, NULL));
    free(value);
}
END_TEST

/* ---- the whole record --------------------------------------------------------------------- */

START_TEST(a_record_is_set_as_a_whole)
{
    redo_position *p = add(root, 1, "bb00");
    size_t size, again;
    put_chain();
    put(CANDIDATES, "8/5", 3);
    redo_setpositionproperty(session, root, 0, 0, "k", "v", 1);
    void const *record = redo_getrecord(root, &size);
    ck_assert_int_eq(redo_setrecord(session, p, record, size), REDO_OK);
    void const *copy = redo_getrecord(p, &again);
    ck_assert_uint_eq(size, again);
    ck_assert(memcmp(copy, redo_getrecord(root, &size), size) == 0);
    ck_assert_int_eq(redo_setrecord(session, p, NULL, 0), REDO_OK);
    ck_assert_ptr_null(redo_getrecord(p, &size));
}
END_TEST

static void set_big(redo_position *p, size_t size)
{
    static char zeros[100000];
    ck_assert_int_eq(redo_setpositionproperty(session, p, redo_of_position, 0, "big", zeros, size),
                     REDO_OK);
}

/* One of many edits, of a position's record. */
static int any_edit(redo_position *p, unsigned draw)
{
    static char const *const names[] = {"a", "bb", "ccc"};
    static char const value[400];
    unsigned pick = draw / 16 % 64, list = 2 + draw % 2;
    size_t size = draw / 1024 % 4 * 131;
    uint32_t id = 1 + pick % 12, ids[40];
    char text[8] = "move x";
    text[5] = (char)('a' + pick % 26);
    redo_candidate c = item(text, (int)pick);
    redo_analysis a = evaluation(pick);
    redo_analysis const *analyses[] = {pick % 3 ? &a : NULL};
    switch (draw / 2 % 8) {
    case 0:
    case 1:
        return redo_addcandidates(session, p, list, pick % 5, &c, analyses, 1, ids);
    case 2:
        return redo_setcandidate(session, p, list, id, redo_part_text | redo_part_analysis, &c,
                                 analyses[0]);
    case 3:
        return redo_setpositionproperty(session, p, list, id, names[pick % 3], value, size);
    case 4:
        return redo_setpositionproperty(session, p, redo_of_branch, 0, names[pick % 3], value,
                                        size);
    case 5:
        return redo_setpositionproperty(session, p, redo_of_position, 0, names[pick % 3], value,
                                        size);
    case 6:
        return pick % 4 ? redo_dropcandidates(session, p, list, &id, 1)
                        : redo_choose(session, p, redo_choice_made, id);
    default: {
        unsigned count = redo_getcandidatecount(p, list);
        redo_candidate one;
        for (unsigned i = 0; count < 40 && i < count; i++)
            ids[count - 1 - i] = redo_getcandidate(p, list, i, &one) ? one.id : 0;
        return count < 40 && pick % 2 ? redo_ordercandidates(session, p, list, ids, count)
                                      : redo_decide(session, p, pick % 4);
    }
    }
}

START_TEST(a_large_record_becomes_what_a_small_one_does)
{
    redo_position *large = add(root, 1, "bb00"), *small = add(root, 2, "cc00"),
                  *copy = add(root, 3, "dd00");
    unsigned done = 0;
    set_big(large, 1);
    set_big(small, 1);
    for (unsigned i = 0, draw = 1; i < 3000; i++) {
        size_t size, other_size;
        draw = draw * 1664525 + 1013904223;
        set_big(large, 70000 + draw / 7 % 30000);
        int rc = any_edit(large, draw >> 12);
        ck_assert_int_eq(any_edit(small, draw >> 12), rc);
        done += rc == REDO_OK;
        void const *bytes = redo_getrecord(large, &size);
        ck_assert_int_eq(redo_setrecord(session, copy, NULL, 0), REDO_OK);
        ck_assert_int_eq(redo_setrecord(session, copy, bytes, size), REDO_OK);
        set_big(copy, 1);
        bytes = redo_getrecord(copy, &size);
        void const *other = redo_getrecord(small, &other_size);
        ck_assert_uint_eq(size, other_size);
        ck_assert(memcmp(bytes, other, size) == 0);
        if (i % 300 == 0)
            invariants_hold(session->history);
    }
    ck_assert_uint_gt(done, 1500);
}
END_TEST

START_TEST(bytes_that_are_no_record_are_refused)
{
    size_t size;
    put_chain();
    put(CANDIDATES, "8/5", 3);
    redo_choose(session, root, redo_choice_made, 1);
    redo_setpositionproperty(session, root, CANDIDATES, 1, "k", "v", 1);
    unsigned char const *record = redo_getrecord(root, &size);
    unsigned char *copy = malloc(size + 1);
    redo_position *p = add(root, 1, "bb00");
    for (size_t cut = 1; cut < size; cut++) {
        unsigned char *exact = malloc(cut);
        memcpy(exact, record, cut);
        ck_assert_int_eq(redo_setrecord(session, p, exact, cut), REDO_ECANDIDATE);
        free(exact);
    }
    memcpy(copy, record, size);
    copy[size] = 0;
    ck_assert_int_eq(redo_setrecord(session, p, copy, size + 1), REDO_ECANDIDATE);
    for (size_t i = 0; i < 8 * size; i++) { /* whatever is accepted is given back as it is */
        size_t got;
        memcpy(copy, record, size);
        copy[i / 8] ^= (unsigned char)(1 << i % 8);
        ck_assert_int_eq(redo_setrecord(session, p, NULL, 0), REDO_OK);
        int rc = redo_setrecord(session, p, copy, size);
        ck_assert(rc == REDO_OK || rc == REDO_ECANDIDATE || rc == REDO_EFULL);
        if (rc == REDO_OK) {
            void const *now = redo_getrecord(p, &got);
            ck_assert(got == size && memcmp(now, copy, size) == 0);
        }
        invariants_hold(session->history);
    }
    free(copy);
}
END_TEST

START_TEST(a_writer_makes_the_same_record_as_the_edits_do)
{
    struct record_writer w = {0};
    void const *data;
    size_t size, got;
    put_chain();
    put(CANDIDATES, "8/5", 3);
    put(CANDIDATES, "6/3", -1);
    redo_setpositionproperty(session, root, 0, 0, "k", "v", 1);
    redo_setpositionproperty(session, root, CANDIDATES, 2, "c", "w", 1);
    redo_choose(session, root, redo_choice_made, 2);
    redo_decide(session, root, 2);

    redo_candidate c[] = {item("double", 100), item("take", 101), item("beaver", 102)};
    redo_analysis a = evaluation(1);
    for (int round = 0; round < 2; round++) {
        record_writer_begin(&w);
        for (int i = 0; i < 3; i++) {
            c[i].analysed = i ? redo_analysis_shared : redo_analysis_own;
            record_writer_item(&w, DECISIONS, &c[i], i ? NULL : &a);
        }
        redo_candidate one = item("8/5", 3), two = item("6/3", -1);
        record_writer_item(&w, CANDIDATES, &one, NULL);
        ck_assert_uint_eq(record_writer_item(&w, CANDIDATES, &two, NULL), 2);
        record_writer_property(&w, CANDIDATES, "c", 1, "w", 1);
        record_writer_property(&w, redo_of_position, "k", 1, "v", 1);
        record_writer_choose(&w, redo_choice_made, 2);
        record_writer_decide(&w, 2);
        ck_assert_int_eq(record_writer_end(&w, &data, &size), REDO_OK);
    }
    void const *record = redo_getrecord(root, &got);
    ck_assert_uint_eq(size, got);
    ck_assert(memcmp(record, data, size) == 0);
    record_writer_begin(&w);
    ck_assert_int_eq(record_writer_end(&w, &data, &size), REDO_OK);
    ck_assert(!data && !size);
    record_writer_close(&w);
}
END_TEST

START_TEST(an_edit_sets_the_change_flag_and_one_that_changes_nothing_does_not)
{
    ck_assert(!redo_hassessionchanged(session));
    redo_setpositionproperty(session, root, 0, 0, "k", NULL, 0);
    ck_assert(!redo_hassessionchanged(session));
    redo_setpositionproperty(session, root, 0, 0, "k", "v", 1);
    ck_assert(redo_hassessionchanged(session));
    redo_clearsessionchanged(session);
    redo_setpositionproperty(session, root, 0, 0, "k", "v", 1);
    ck_assert(!redo_hassessionchanged(session));
}
END_TEST

START_TEST(a_dropped_position_has_no_record_and_costs_no_memory)
{
    redo_position *p = add(root, 1, "bb00");
    redo_setpositionproperty(session, p, 0, 0, "k", "v", 1);
    size_t with = history_memory(session->history);
    ck_assert_ptr_eq(redo_dropposition(session, p), root);
    ck_assert_uint_lt(history_memory(session->history), with);
    ck_assert_ptr_null(redo_getrecord(p, NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_EDROPPED);
    ck_assert_int_eq(redo_setpositionproperty(session, p, 0, 0, "k", "v", 1), REDO_EDROPPED);
}
END_TEST

START_TEST(a_copied_path_has_no_record)
{
    redo_position *a = add(root, 1, "bb00"), *copy = add(root, 2, "bb00");
    redo_position *last = redo_addposition(session, a, 3, "cc00", 1, redo_nocheck);
    redo_setpositionproperty(session, last, 0, 0, "k", "v", 1);
    ck_assert(redo_duplicatepath(session, copy, a));
    ck_assert_ptr_null(redo_getrecord(copy->next->p, NULL));
    ck_assert_ptr_nonnull(redo_getrecord(last, NULL));
}
END_TEST

/* ---- alternates --------------------------------------------------------------------------- */

START_TEST(an_alternate_hangs_on_the_first_along_a_move_below_0)
{
    redo_position *dmp = redo_addalternate(session, root, NULL, "aa01");
    ck_assert_ptr_nonnull(dmp);
    ck_assert_ptr_eq(dmp->prev, root);
    ck_assert_int_eq(redo_getmove(dmp), -1);
    redo_position *other = redo_addalternate(session, dmp, NULL, "aa02");
    ck_assert_ptr_eq(other->prev, root);
    ck_assert_int_eq(redo_getmove(other), -2);
    ck_assert_ptr_eq(redo_getfirstalternate(other), root);
    ck_assert_ptr_eq(redo_getnextalternate(root), dmp);
    ck_assert_ptr_eq(redo_getnextalternate(dmp), other);
    ck_assert_ptr_null(redo_getnextalternate(other));
    ck_assert_ptr_null(dmp->better); /* which nothing was checked for */
}
END_TEST

START_TEST(an_alternate_that_is_there_is_given_again)
{
    redo_position *dmp = redo_addalternate(session, root, NULL, "aa01");
    ck_assert_ptr_eq(redo_addalternate(session, root, NULL, "aa01"), dmp);
    ck_assert_ptr_eq(redo_addalternate(session, dmp, NULL, "aa00"), root);
    ck_assert_ptr_eq(redo_addalternate(session, dmp, &(int){9}, "aa01"), dmp);
    ck_assert_int_eq(redo_getsessionsize(session), 2);
}
END_TEST

START_TEST(an_alternate_is_the_same_board)
{
    add(root, 5, "bb00");
    ck_assert_ptr_null(redo_addalternate(session, root, NULL, "ab00"));
    ck_assert_int_eq(redo_lasterror(), REDO_EDIFFERS);
    ck_assert_ptr_null(redo_addalternate(session, root, &(int){5}, "aa07"));
    ck_assert_int_eq(redo_lasterror(), REDO_EDIFFERS);
    ck_assert_ptr_null(redo_addalternate(session, root, NULL, NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_ESTATE);
    redo_session *whole = redo_beginsession("aa", 2, 0);
    ck_assert_ptr_null(redo_addalternate(whole, redo_getfirstposition(whole), NULL, "aa"));
    ck_assert_int_eq(redo_lasterror(), REDO_EKIND);
    redo_endsession(whole);
}
END_TEST

START_TEST(a_ring_of_one_is_none)
{
    redo_position *dmp = redo_addalternate(session, root, NULL, "aa01");
    redo_dropposition(session, dmp);
    ck_assert_ptr_eq(redo_getfirstalternate(root), root);
    ck_assert_ptr_null(redo_getnextalternate(root));
    ck_assert_uint_eq(session->history->records.linked, 0);
}
END_TEST

START_TEST(alternates_of_which_the_first_is_dropped_have_the_next_as_first)
{
    redo_position *far = add(add(root, 1, "bb00"), 1, "cc00");
    redo_position *b = redo_addalternate(session, far, NULL, "cc01");
    redo_position *c = redo_addalternate(session, far, NULL, "cc02");
    redo_position *shorter = redo_addposition(session, root, 2, "cc00", 0, redo_check);
    ck_assert_ptr_eq(b->prev, shorter); /* grafted, with their places in the ring */
    ck_assert_ptr_nonnull(redo_dropposition(session, far));
    ck_assert_ptr_eq(redo_getfirstalternate(c), b);
    ck_assert_ptr_eq(redo_getnextalternate(b), c);
    redo_position *d = redo_addalternate(session, c, NULL, "cc03");
    ck_assert_ptr_eq(d->prev, b);
}
END_TEST

/* ---- subtrees ----------------------------------------------------------------------------- */

/* Drops a position with all below it, and brings it back. */
static void drop_and_restore(redo_position *p)
{
    void *data;
    size_t size;
    uint32_t parent = redo_getpositionid(p->prev);
    ck_assert_int_eq(subtree_capture(session->history, node_of(p), &data, &size), REDO_OK);
    ck_assert_int_gt(redo_dropsubtree(session, p), 0);
    invariants_hold(session->history);
    redo_operation op = {
        .kind = REDO_OP_RESTORE, .position = parent, .state = data, .statesize = size};
    ck_assert_int_eq(redo_apply(session, &op, NULL), REDO_OK);
    free(data);
}

START_TEST(a_subtree_that_is_brought_back_has_its_records)
{
    redo_position *a = add(root, 1, "bb00"), *b = add(a, 2, "cc00");
    size_t size;
    redo_setpositionproperty(session, a, redo_of_branch, 0, "k", "v", 1);
    redo_setpositionproperty(session, b, 0, 0, "k", "w", 1);
    drop_and_restore(a);
    ck_assert(memcmp(redo_getpositionproperty(a, redo_of_branch, 0, "k", &size), "v", 1) == 0);
    ck_assert(memcmp(redo_getpositionproperty(b, 0, 0, "k", &size), "w", 1) == 0);
}
END_TEST

START_TEST(a_subtree_that_is_brought_back_is_in_its_rings)
{
    redo_position *b = redo_addalternate(session, root, NULL, "aa01");
    redo_position *c = redo_addalternate(session, root, NULL, "aa02");
    drop_and_restore(b);
    ck_assert_ptr_eq(redo_getnextalternate(root), b);
    ck_assert_ptr_eq(redo_getnextalternate(b), c);
    redo_position *far = add(root, 1, "bb00");
    redo_position *d = redo_addalternate(session, far, NULL, "bb01");
    redo_position *e = redo_addalternate(session, far, NULL, "bb02");
    drop_and_restore(far); /* the ring whole */
    ck_assert_ptr_eq(redo_getnextalternate(far), d);
    ck_assert_ptr_eq(redo_getnextalternate(d), e);
}
END_TEST

START_TEST(what_is_brought_back_without_any_of_its_alternates_is_alone)
{
    redo_position *b = redo_addalternate(session, root, NULL, "aa01");
    redo_position *c = redo_addalternate(session, b, NULL, "aa02");
    void *data;
    size_t size;
    subtree_capture(session->history, node_of(c), &data, &size);
    redo_dropposition(session, c);
    redo_dropposition(session, b);
    redo_operation op = {.kind = REDO_OP_RESTORE, .position = 0, .state = data, .statesize = size};
    ck_assert_int_eq(redo_apply(session, &op, NULL), REDO_OK);
    free(data);
    ck_assert_ptr_eq(redo_getfirstalternate(c), root); /* which is still there */
    ck_assert_ptr_eq(redo_getnextalternate(root), c);
}
END_TEST

START_TEST(bytes_of_a_subtree_that_are_damaged_change_nothing)
{
    redo_position *a = add(root, 1, "bb00"), *b = add(a, 2, "cc00");
    redo_setpositionproperty(session, b, 0, 0, "k", "w", 1);
    redo_addalternate(session, b, NULL, "cc01");
    void *data, *before, *after;
    size_t size, before_size, after_size;
    subtree_capture(session->history, node_of(a), &data, &size);
    redo_dropsubtree(session, a);
    redo_dump(session, &before, &before_size);
    for (size_t cut = 1; cut < size; cut++) {
        void *exact = malloc(cut);
        memcpy(exact, data, cut);
        redo_operation op = {
            .kind = REDO_OP_RESTORE, .position = 0, .state = exact, .statesize = cut};
        int rc = redo_apply(session, &op, NULL);
        free(exact);
        if (rc == REDO_OK) { /* what ends before the records is a subtree without them */
            redo_dropsubtree(session, a);
            continue;
        }
        redo_dump(session, &after, &after_size);
        ck_assert(before_size == after_size && memcmp(before, after, after_size) == 0);
        free(after);
    }
    free(before);
    free(data);
}
END_TEST

/* ---- dumps -------------------------------------------------------------------------------- */

START_TEST(a_session_without_records_is_dumped_as_ever)
{
    void *data;
    size_t size;
    redo_setpositionproperty(session, root, 0, 0, "k", "w", 1);
    redo_dump(session, &data, &size);
    ck_assert_int_eq(((char *)data)[4], 3);
    free(data);
    redo_setpositionproperty(session, root, 0, 0, "k", NULL, 0);
    redo_dump(session, &data, &size);
    ck_assert_int_eq(((char *)data)[4], 1);
    free(data);
}
END_TEST

START_TEST(a_record_is_dumped_in_the_form_of_the_document)
{
    redo_setpositionproperty(session, root, 0, 0, "k", "\x91\x01", 2);
    uint32_t id = put(CANDIDATES, "8/5", 3);
    redo_choose(session, root, redo_choice_made, id);
    size_t size;
    unsigned char const *record = redo_getrecord(root, &size);
    unsigned char const bytes[] = {1, 6, 1, 'k', 0, 2, 0x91, 1,                /* of the position */
                                   0,                                          /* of the branch */
                                   2, 1,                                       /* chosen, given */
                                   1, 9, 8, 1,   3, 6, 3,    '8', '/', '5', 0, /* candidates */
                                   0, 0, 0};
    ck_assert_uint_eq(size, sizeof bytes);
    ck_assert(memcmp(record, bytes, size) == 0);
}
END_TEST

START_TEST(a_deep_session_with_a_record_everywhere_is_dumped_and_loaded)
{
    redo_position *p = root;
    for (int i = 0; i < 100000; i++) {
        p = add(p, 1, "bb00");
        ck_assert_int_eq(redo_setpositionproperty(session, p, 0, 0, "k", "v", 1), REDO_OK);
    }
    drop_and_restore(root->next->p->next->p);
    ck_assert_uint_eq(session->history->records.count, 100000);
}
END_TEST

/* ---- operations --------------------------------------------------------------------------- */

START_TEST(an_edit_that_is_none_is_refused)
{
    redo_operation op = {.kind = REDO_OP_RECORD, .value = 9};
    ck_assert_int_eq(redo_apply(session, &op, NULL), REDO_ECONSTANT);
    op.value = 0;
    ck_assert_int_eq(redo_apply(session, &op, NULL), REDO_ECONSTANT);
    op.value = redo_edit_decide;
    op.move = 4;
    ck_assert_int_eq(redo_apply(session, &op, NULL), REDO_ECONSTANT);
    op.value = redo_edit_add;
    op.move = redo_of_branch;
    ck_assert_int_eq(redo_apply(session, &op, NULL), REDO_ECONSTANT);
    op.move = CANDIDATES;
    ck_assert_int_eq(redo_apply(session, &op, NULL), REDO_ECANDIDATE);
    op.position = 7;
    ck_assert_int_eq(redo_apply(session, &op, NULL), REDO_EPOSITION);
}
END_TEST

START_TEST(the_encoded_form_of_an_edit_gives_it_back)
{
    unsigned char bytes[100];
    redo_operation op = {.kind = REDO_OP_RECORD,
                         .position = 3,
                         .source = NOBODY,
                         .move = 2,
                         .value = redo_edit_choose},
                   read;
    size_t size = redo_operation_encode(&op, bytes, sizeof bytes);
    ck_assert_uint_eq(size, 6);
    ck_assert_uint_eq(redo_operation_decode(bytes, size, &read), size);
    ck_assert(read.kind == op.kind && read.position == 3 && read.source == NOBODY &&
              read.move == 2 && read.value == op.value && !read.namesize && !read.statesize);
    op = (redo_operation){
        .kind = REDO_OP_PLAY, .position = 3, .source = 1, .move = 2, .endpoint = -1, .value = 1};
    size = redo_operation_encode(&op, bytes, sizeof bytes);
    ck_assert_uint_eq(redo_operation_decode(bytes, size, &read), size);
    ck_assert(read.endpoint == -1 && read.source == 1 && !read.statesize);
}
END_TEST

START_TEST(an_edit_given_twice_under_a_key_adds_once)
{
    struct record_writer w = {0};
    redo_operation op = {.kind = REDO_OP_RECORD,
                         .source = NOBODY,
                         .move = CANDIDATES,
                         .value = redo_edit_add,
                         .key = "k",
                         .keysize = 1};
    redo_candidate c = item("a", -1);
    redo_result first, again;
    record_writer_begin_items(&w);
    record_writer_item(&w, CANDIDATES, &c, NULL);
    ck_assert_int_eq(record_writer_items(&w, CANDIDATES, &op.state, &op.statesize), REDO_OK);
    ck_assert_int_eq(redo_apply(session, &op, &first), REDO_OK);
    ck_assert_int_eq(redo_apply(session, &op, &again), REDO_OK);
    record_writer_close(&w);
    ck_assert(again.repeated && again.value == 1 && first.value == 1);
    ck_assert_uint_eq(redo_getcandidatecount(root, CANDIDATES), 1);
}
END_TEST

START_TEST(what_is_played_and_made_is_foreseen)
{
    uint32_t id = put(CANDIDATES, "a", 1);
    redo_operation op = {.kind = REDO_OP_PLAY,
                         .source = id,
                         .move = CANDIDATES,
                         .state = "bb00",
                         .statesize = 4,
                         .value = redo_check};
    redo_result r;
    ck_assert_uint_eq(history_growth(session->history, &op), 1);
    ck_assert_int_eq(redo_apply(session, &op, &r), REDO_OK);
    ck_assert(r.created && r.made == 1 && r.firstmade == r.position && r.changed);
    ck_assert_uint_eq(history_growth(session->history, &op), 0);
    op.state = "bb01";
    ck_assert_int_eq(redo_apply(session, &op, &r), REDO_OK);
    ck_assert(!r.created && !r.made && r.differs && !r.changed);
    op = (redo_operation){.kind = REDO_OP_ALTERNATE, .state = "aa01", .statesize = 4};
    ck_assert_uint_eq(history_growth(session->history, &op), 1);
    ck_assert_int_eq(redo_apply(session, &op, &r), REDO_OK);
    ck_assert_uint_eq(history_growth(session->history, &op), 0);
    ck_assert(r.created && r.made == 1);
}
END_TEST

START_TEST(a_candidate_is_played_in_a_session_told_by_change)
{
    redo_session *s = redo_beginchanges(NULL, 0, NULL, 0, 0, NULL);
    ck_assert_ptr_nonnull(s);
    redo_position *first = redo_getfirstposition(s);
    redo_candidate c = item("right", 6);
    ck_assert_int_eq(redo_addcandidates(s, first, CANDIDATES, 0, &c, NULL, 1, NULL), REDO_OK);
    ck_assert_ptr_null(redo_playcandidate(s, first, CANDIDATES, 1, NULL, 0, 0, 0));
    redo_position *p =
        redo_playcandidate(s, first, CANDIDATES, 1, "\x93\x91\x91\x01\xc0\xa1x", 7, 0, redo_check);
    ck_assert_ptr_nonnull(p);
    ck_assert_int_eq(redo_getmove(p), 6);
    ck_assert_int_eq(redo_getchoice(first, NULL), redo_choice_made);
    ck_assert_ptr_eq(redo_playcandidate(s, first, CANDIDATES, 1, NULL, 0, 0, 0), p);
    ck_assert_ptr_null(redo_addalternate(s, first, NULL, "x"));
    ck_assert_int_eq(redo_lasterror(), REDO_EKIND);
    redo_endsession(s);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        a_position_has_no_record_at_first,
        items_come_in_their_order_with_ids_from_1,
        a_candidate_that_is_played_leads_on_and_is_chosen,
        an_id_is_not_given_twice,
        an_id_is_not_given_again_after_a_record_is_set_as_a_whole,
        an_alternate_takes_no_move_that_a_candidate_has,
        candidates_and_decisions_have_ids_of_their_own,
        an_item_needs_a_move_or_a_text,
        two_candidates_have_no_move_in_common,
        a_text_that_is_not_utf8_is_refused,
        an_analysis_is_given_back_as_it_was_told,
        an_analysis_may_have_neither_equity_nor_context_nor_text,
        an_analysis_that_is_none_is_refused,
        setting_a_part_leaves_the_others,
        an_item_that_is_not_there_is_no_candidate,
        a_list_is_put_in_an_order_by_all_of_its_ids,
        no_legal_move_is_told_from_none_chosen_yet,
        none_is_chosen_once_the_played_one_is_dropped,
        more_candidates_than_the_limit_are_refused,
        the_chain_shares_the_analysis_of_its_first,
        the_first_and_candidates_share_nothing,
        what_becomes_the_first_by_dropping_has_the_shared_analysis_as_its_own,
        decisions_that_were_made_are_the_first_ones,
        a_decision_is_played_after_those_before_it,
        an_item_without_a_move_gets_the_lowest_that_is_free,
        an_item_without_a_move_keeps_all_else_when_it_gets_one,
        a_move_that_is_there_is_followed_and_needs_no_state,
        what_can_not_be_added_is_not_played_either,
        a_played_position_takes_over_as_an_added_one_does,
        properties_keep_the_order_in_which_they_were_first_set,
        a_name_that_is_none_is_refused,
        no_branch_leads_to_the_first_position,
        a_large_value_is_kept,
        more_than_a_record_may_have_is_refused,
        a_record_is_set_as_a_whole,
        a_large_record_becomes_what_a_small_one_does,
        bytes_that_are_no_record_are_refused,
        a_writer_makes_the_same_record_as_the_edits_do,
        an_edit_sets_the_change_flag_and_one_that_changes_nothing_does_not,
        a_dropped_position_has_no_record_and_costs_no_memory,
        a_copied_path_has_no_record,
        an_alternate_hangs_on_the_first_along_a_move_below_0,
        an_alternate_that_is_there_is_given_again,
        an_alternate_is_the_same_board,
        a_ring_of_one_is_none,
        alternates_of_which_the_first_is_dropped_have_the_next_as_first,
        a_subtree_that_is_brought_back_has_its_records,
        a_subtree_that_is_brought_back_is_in_its_rings,
        what_is_brought_back_without_any_of_its_alternates_is_alone,
        bytes_of_a_subtree_that_are_damaged_change_nothing,
        a_session_without_records_is_dumped_as_ever,
        a_record_is_dumped_in_the_form_of_the_document,
        a_deep_session_with_a_record_everywhere_is_dumped_and_loaded,
        an_edit_that_is_none_is_refused,
        the_encoded_form_of_an_edit_gives_it_back,
        an_edit_given_twice_under_a_key_adds_once,
        what_is_played_and_made_is_foreseen,
        a_candidate_is_played_in_a_session_told_by_change,
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
