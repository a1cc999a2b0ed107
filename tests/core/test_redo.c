/* redo.h in process: the functions of the document, what they refuse, and how they say so. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "redo.h"
#include "tests/suite.h"

/* A session whose states are text of one length, all of which counts. */
static redo_session *begin(char const *state)
{
    redo_session *session = redo_beginsession(state, (int)strlen(state), 0);
    ck_assert_ptr_nonnull(session);
    return session;
}

static redo_position *first(redo_session *session)
{
    return redo_getfirstposition(session);
}

static redo_position *add(redo_session *session, redo_position *prev, int move, char const *state)
{
    redo_position *p = redo_addposition(session, prev, move, state, 0, redo_check);
    ck_assert_ptr_nonnull(p);
    return p;
}

static redo_position *add_end(redo_session *session, redo_position *prev, int move,
                              char const *state, int endpoint)
{
    redo_position *p = redo_addposition(session, prev, move, state, endpoint, redo_check);
    ck_assert_ptr_nonnull(p);
    return p;
}

#define assert_error(code) ck_assert_str_eq(redo_errorname(redo_lasterror()), #code)
#define assert_solution(p, end, size)               \
    do {                                            \
        ck_assert_int_eq((p)->solutionend, end);    \
        ck_assert_uint_eq((p)->solutionsize, size); \
    } while (0)

/* The moves of a position's branches, in order: "3 1 2". */
static char const *moves(redo_position const *p)
{
    static char text[200];
    size_t n = 0;
    text[0] = '\0';
    for (redo_branch *b = p->next; b; b = b->cdr)
        n += (size_t)snprintf(text + n, sizeof text - n, n ? " %d" : "%d", b->move);
    return text;
}

/* ---- sessions ---------------------------------------------------------------------------- */

START_TEST(a_new_session_has_one_position_and_no_changes)
{
    redo_session *s = begin("start");
    redo_position *p = first(s);
    ck_assert_int_eq(redo_getsessionsize(s), 1);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    ck_assert_ptr_null(p->prev);
    ck_assert_ptr_null(p->next);
    ck_assert_ptr_null(p->better);
    ck_assert_uint_eq(p->nextcount, 0);
    ck_assert_uint_eq(p->movecount, 0);
    ck_assert_int_eq(p->endpoint, 0);
    assert_solution(p, 0, 0);
    ck_assert_uint_eq(p->inuse, 1);
    ck_assert_uint_eq(p->setbetter, 0);
    ck_assert_mem_eq(redo_getsavedstate(p), "start", 5);
    ck_assert_int_eq(redo_getgraftbehavior(s), redo_graft);
    redo_endsession(s);
}
END_TEST

START_TEST(sizes_of_states_are_from_1_to_16_MiB)
{
    char *state = calloc(1, REDO_STATE_MAX + 1);
    int const wrong[][2] = {{0, 0},       {-1, 0},      {REDO_STATE_MAX + 1, 0},
                            {INT_MIN, 0}, {INT_MAX, 0}, {4, 5},
                            {4, -1},      {4, INT_MIN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ck_assert_ptr_null(redo_beginsession(state, wrong[i][0], wrong[i][1]));
        assert_error(REDO_ESTATE);
    }
    ck_assert_ptr_null(redo_beginsession(NULL, 4, 0));
    assert_error(REDO_ESTATE);

    redo_session *s = redo_beginsession(state, 1, 1);
    ck_assert_ptr_nonnull(s);
    assert_error(REDO_OK);
    redo_endsession(s);
    free(state);
}
END_TEST

START_TEST(cmpsize_0_stands_for_all_bytes)
{
    redo_session *s = redo_beginsession("abcd", 4, 0);
    ck_assert_int_eq(redo_getstatesize(s), 4);
    ck_assert_int_eq(redo_getcmpsize(s), 4);
    redo_endsession(s);
    s = redo_beginsession("abcd", 4, 3);
    ck_assert_int_eq(redo_getstatesize(s), 4);
    ck_assert_int_eq(redo_getcmpsize(s), 3);
    redo_endsession(s);
}
END_TEST

START_TEST(states_of_16_MiB_are_kept_and_compared_to_the_last_byte)
{
    unsigned char *state = calloc(1, REDO_STATE_MAX);
    redo_session *s = redo_beginsession(state, REDO_STATE_MAX, 0);
    state[REDO_STATE_MAX - 1] = 1;
    redo_position *a = redo_addposition(s, first(s), 1, state, 0, redo_check);
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_null(a->better);
    redo_position *b = redo_addposition(s, a, 1, state, 0, redo_check);
    ck_assert_ptr_eq(b->better, a);
    unsigned char const *saved = redo_getsavedstate(b);
    ck_assert_uint_eq(saved[REDO_STATE_MAX - 1], 1);
    ck_assert_uint_eq(saved[REDO_STATE_MAX - 2], 0);
    redo_endsession(s);
    free(state);
}
END_TEST

START_TEST(a_session_copies_the_states_it_is_given)
{
    char state[] = "aaaa";
    redo_session *s = begin(state);
    memset(state, 'b', 4);
    redo_position *p = add(s, first(s), 1, state);
    memset(state, 'c', 4);
    ck_assert_mem_eq(redo_getsavedstate(first(s)), "aaaa", 4);
    ck_assert_mem_eq(redo_getsavedstate(p), "bbbb", 4);
    redo_endsession(s);
}
END_TEST

START_TEST(states_may_stand_anywhere_and_are_given_back_aligned)
{
    char bytes[64];
    for (int size = 1; size <= 17; size++) {
        redo_session *s = redo_beginsession(memset(bytes + 1, 0, 40), size, 0);
        for (int i = 1; i < 40; i++) {
            memset(bytes + i % 8, i, (size_t)size);
            redo_position *p = redo_addposition(s, first(s), i, bytes + i % 8, 0, redo_check);
            uintptr_t at = (uintptr_t)redo_getsavedstate(p);
            ck_assert_mem_eq((void *)at, bytes + i % 8, (size_t)size);
            ck_assert_uint_eq(at % (size >= 8 ? 8 : 4), 0);
        }
        redo_endsession(s);
    }
}
END_TEST

START_TEST(a_state_of_the_session_itself_can_be_given)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    redo_position *q = add(s, p, 1, redo_getsavedstate(first(s)));
    ck_assert_ptr_eq(q->better, first(s));
    redo_endsession(s);
}
END_TEST

START_TEST(ending_no_session_does_nothing)
{
    redo_endsession(NULL);
    assert_error(REDO_OK);
}
END_TEST

/* ---- adding ------------------------------------------------------------------------------ */

START_TEST(a_new_position_is_linked_with_the_one_before)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 7, "b");
    ck_assert_ptr_eq(p->prev, first(s));
    ck_assert_ptr_eq(first(s)->next->p, p);
    ck_assert_int_eq(first(s)->next->move, 7);
    ck_assert_ptr_null(first(s)->next->cdr);
    ck_assert_uint_eq(first(s)->nextcount, 1);
    ck_assert_uint_eq(p->movecount, 1);
    ck_assert_int_eq(redo_getsessionsize(s), 2);
    ck_assert_int_eq(redo_hassessionchanged(s), 1);
    redo_endsession(s);
}
END_TEST

START_TEST(a_known_move_gives_the_position_there_is)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 7, "b");
    redo_clearsessionchanged(s);
    ck_assert_ptr_eq(redo_addposition(s, first(s), 7, "z", 3, redo_nocheck), p);
    ck_assert_int_eq(redo_getsessionsize(s), 2);
    ck_assert_mem_eq(redo_getsavedstate(p), "b", 1);
    ck_assert_int_eq(p->endpoint, 0);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    redo_endsession(s);
}
END_TEST

START_TEST(the_branch_used_last_comes_first)
{
    redo_session *s = begin("a");
    for (int move = 1; move <= 4; move++)
        add(s, first(s), move, (char[]){(char)('a' + move), '\0'});
    ck_assert_str_eq(moves(first(s)), "4 3 2 1");
    ck_assert_ptr_nonnull(redo_getnextposition(first(s), 2));
    ck_assert_str_eq(moves(first(s)), "2 4 3 1");
    add(s, first(s), 1, "b");
    ck_assert_str_eq(moves(first(s)), "1 2 4 3");
    ck_assert_ptr_nonnull(redo_getnextposition(first(s), 1));
    ck_assert_str_eq(moves(first(s)), "1 2 4 3");
    redo_endsession(s);
}
END_TEST

START_TEST(moves_are_any_int)
{
    redo_session *s = begin("a");
    int const all[] = {INT_MIN, INT_MAX, 0, -1, INT_MIN + 1};
    redo_position *p[5];
    for (int i = 0; i < 5; i++)
        p[i] = add(s, first(s), all[i], (char[]){(char)('b' + i), '\0'});
    for (int i = 0; i < 5; i++) {
        ck_assert_ptr_eq(redo_getnextposition(first(s), all[i]), p[i]);
        ck_assert_int_eq(first(s)->next->move, all[i]);
    }
    redo_endsession(s);
}
END_TEST

START_TEST(a_longer_way_to_a_known_state_knows_the_better_one)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    redo_position *q = add(s, add(s, first(s), 2, "c"), 1, "b");
    ck_assert_ptr_eq(q->better, p);
    ck_assert_ptr_null(p->better);
    redo_endsession(s);
}
END_TEST

START_TEST(of_two_equally_long_ways_the_earlier_is_better)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b"), *q = add(s, first(s), 2, "b");
    ck_assert_ptr_eq(q->better, p);
    ck_assert_ptr_null(p->better);
    redo_endsession(s);
}
END_TEST

START_TEST(without_a_check_nothing_is_better)
{
    redo_session *s = begin("a");
    add(s, first(s), 1, "b");
    redo_position *q = redo_addposition(s, first(s), 2, "b", 0, redo_nocheck);
    ck_assert_ptr_null(q->better);
    ck_assert_uint_eq(q->setbetter, 0);
    redo_endsession(s);
}
END_TEST

START_TEST(bytes_after_cmpsize_do_not_make_states_differ)
{
    redo_session *s = redo_beginsession("a1", 2, 1);
    redo_position *p = redo_addposition(s, first(s), 1, "b1", 0, redo_check);
    redo_position *q = redo_addposition(s, p, 1, "b2", 0, redo_check);
    ck_assert_ptr_eq(q->better, p);
    ck_assert_mem_eq(redo_getsavedstate(p), "b1", 2);
    ck_assert_mem_eq(redo_getsavedstate(q), "b2", 2);
    redo_endsession(s);
}
END_TEST

START_TEST(adding_refuses_what_does_not_do)
{
    redo_session *s = begin("a"), *other = begin("a");
    redo_position *root = first(s), *dropped = add(s, root, 1, "b");
    redo_dropposition(s, dropped);
    redo_clearsessionchanged(s);
    ck_assert_ptr_null(redo_addposition(NULL, root, 1, "b", 0, redo_check));
    assert_error(REDO_ENOSESSION);
    ck_assert_ptr_null(redo_addposition(s, NULL, 1, "b", 0, redo_check));
    assert_error(REDO_EPOSITION);
    ck_assert_ptr_null(redo_addposition(s, dropped, 1, "b", 0, redo_check));
    assert_error(REDO_EDROPPED);
    ck_assert_ptr_null(redo_addposition(s, first(other), 1, "b", 0, redo_check));
    assert_error(REDO_EFOREIGN);
    ck_assert_ptr_null(redo_addposition(s, root, 1, NULL, 0, redo_check));
    assert_error(REDO_ESTATE);
    int const ends[] = {128, -129, INT_MAX, INT_MIN, 256};
    for (int i = 0; i < 5; i++) {
        ck_assert_ptr_null(redo_addposition(s, root, 1, "b", ends[i], redo_check));
        assert_error(REDO_ERANGE);
    }
    int const checks[] = {-1, 3, INT_MAX, INT_MIN};
    for (int i = 0; i < 4; i++) {
        ck_assert_ptr_null(redo_addposition(s, root, 1, "b", 0, checks[i]));
        assert_error(REDO_ECONSTANT);
    }
    ck_assert_int_eq(redo_getsessionsize(s), 1);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    ck_assert_int_eq(redo_getsessionsize(other), 1);
    redo_endsession(s);
    redo_endsession(other);
}
END_TEST

START_TEST(unfit_arguments_are_refused_for_known_moves_too)
{
    redo_session *s = begin("a");
    add(s, first(s), 1, "b");
    ck_assert_ptr_null(redo_addposition(s, first(s), 1, "b", 500, redo_check));
    assert_error(REDO_ERANGE);
    ck_assert_ptr_null(redo_addposition(s, first(s), 1, "b", 0, 9));
    assert_error(REDO_ECONSTANT);
    redo_endsession(s);
}
END_TEST

START_TEST(a_success_clears_the_error_of_before)
{
    redo_session *s = begin("a");
    ck_assert_ptr_null(redo_addposition(s, NULL, 1, "b", 0, redo_check));
    assert_error(REDO_EPOSITION);
    add(s, first(s), 1, "b");
    assert_error(REDO_OK);
    redo_endsession(s);
}
END_TEST

/* ---- solutions --------------------------------------------------------------------------- */

START_TEST(an_endpoint_marks_the_whole_path_to_it)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b"), *off = add(s, first(s), 2, "c");
    redo_position *end = add_end(s, p, 1, "z", 1);
    assert_solution(end, 1, 2);
    assert_solution(p, 1, 2);
    assert_solution(first(s), 1, 2);
    assert_solution(off, 0, 0);
    ck_assert_int_eq(end->endpoint, 1);
    ck_assert_int_eq(p->endpoint, 0);
    redo_endsession(s);
}
END_TEST

START_TEST(the_higher_endpoint_wins_and_of_equal_ones_the_shorter_way)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    add_end(s, add(s, p, 1, "c"), 1, "x", 1);
    assert_solution(first(s), 1, 3);
    add_end(s, p, 2, "y", 1);
    assert_solution(first(s), 1, 2);
    add_end(s, add(s, add(s, p, 3, "d"), 1, "e"), 1, "z", 2);
    assert_solution(first(s), 2, 4);
    add_end(s, first(s), 9, "w", 1);
    assert_solution(first(s), 2, 4);
    redo_endsession(s);
}
END_TEST

START_TEST(endpoints_are_from_minus_128_to_127_and_any_is_better_than_none)
{
    redo_session *s = begin("a");
    redo_position *end = add_end(s, first(s), 1, "b", -128);
    ck_assert_int_eq(end->endpoint, -128);
    assert_solution(first(s), -128, 1);
    add_end(s, add(s, first(s), 2, "c"), 1, "d", -1);
    assert_solution(first(s), -1, 2);
    add_end(s, add(s, add(s, first(s), 3, "e"), 1, "f"), 1, "g", 127);
    assert_solution(first(s), 127, 3);
    redo_endsession(s);
}
END_TEST

START_TEST(moves_may_go_on_from_an_endpoint)
{
    redo_session *s = begin("a");
    redo_position *end = add_end(s, first(s), 1, "b", 1);
    add_end(s, end, 1, "c", 2);
    assert_solution(end, 2, 2);
    add_end(s, end, 2, "d", 1);
    assert_solution(end, 2, 2);
    redo_endsession(s);
}
END_TEST

START_TEST(dropping_an_endpoint_takes_its_solution_away)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    redo_position *longer = add_end(s, add(s, p, 1, "c"), 1, "z", 1);
    redo_position *shorter = add_end(s, p, 2, "y", 1);
    assert_solution(first(s), 1, 2);
    redo_dropposition(s, shorter);
    assert_solution(p, 1, 3);
    assert_solution(first(s), 1, 3);
    redo_dropposition(s, longer);
    assert_solution(p, 0, 0);
    assert_solution(first(s), 0, 0);
    redo_endsession(s);
}
END_TEST

/* ---- grafting ---------------------------------------------------------------------------- */

START_TEST(the_graft_setting_answers_what_it_was)
{
    redo_session *s = begin("a");
    ck_assert_int_eq(redo_setgraftbehavior(s, redo_nograft), redo_graft);
    ck_assert_int_eq(redo_setgraftbehavior(s, redo_copypath), redo_nograft);
    ck_assert_int_eq(redo_setgraftbehavior(s, redo_graftandcopy), redo_copypath);
    ck_assert_int_eq(redo_getgraftbehavior(s), redo_graftandcopy);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    redo_endsession(s);
}
END_TEST

START_TEST(an_unknown_graft_setting_is_refused)
{
    redo_session *s = begin("a");
    int const wrong[] = {-1, 4, INT_MAX, INT_MIN};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(redo_setgraftbehavior(s, wrong[i]), redo_graft);
        assert_error(REDO_ECONSTANT);
    }
    ck_assert_int_eq(redo_getgraftbehavior(s), redo_graft);
    ck_assert_int_eq(redo_setgraftbehavior(NULL, redo_graft), -1);
    assert_error(REDO_ENOSESSION);
    redo_endsession(s);
}
END_TEST

/* a --1--> b --1--> c --1--> d (--1--> e, an endpoint), then a --9--> c. */
struct shortcut {
    redo_session *s;
    redo_position *old, *between, *end, *new;
};

static struct shortcut shortcut(int behavior)
{
    struct shortcut x = {.s = begin("a")};
    redo_setgraftbehavior(x.s, behavior);
    x.old = add(x.s, add(x.s, first(x.s), 1, "b"), 1, "c");
    x.between = add(x.s, x.old, 1, "d");
    x.end = add_end(x.s, x.between, 1, "e", 1);
    x.new = add(x.s, first(x.s), 9, "c");
    ck_assert_ptr_eq(x.old->better, x.new);
    ck_assert_ptr_null(x.new->better);
    return x;
}

START_TEST(nograft_only_links_the_longer_way)
{
    struct shortcut x = shortcut(redo_nograft);
    ck_assert_ptr_eq(x.between->prev, x.old);
    ck_assert_ptr_null(x.new->next);
    assert_solution(first(x.s), 1, 4);
    ck_assert_int_eq(redo_getsessionsize(x.s), 6);
    redo_endsession(x.s);
}
END_TEST

START_TEST(graft_moves_the_subtree_and_shortens_its_solutions)
{
    struct shortcut x = shortcut(redo_graft);
    ck_assert_ptr_eq(x.between->prev, x.new);
    ck_assert_ptr_eq(x.new->next->p, x.between);
    ck_assert_uint_eq(x.new->nextcount, 1);
    ck_assert_ptr_null(x.old->next);
    ck_assert_uint_eq(x.old->nextcount, 0);
    ck_assert_uint_eq(x.between->movecount, 2);
    ck_assert_uint_eq(x.end->movecount, 3);
    assert_solution(x.end, 1, 3);
    assert_solution(x.new, 1, 3);
    assert_solution(first(x.s), 1, 3);
    assert_solution(x.old, 0, 0);
    assert_solution(x.old->prev, 0, 0);
    ck_assert_int_eq(redo_getsessionsize(x.s), 6);
    redo_endsession(x.s);
}
END_TEST

START_TEST(copypath_copies_the_solution_to_the_new_way)
{
    struct shortcut x = shortcut(redo_copypath);
    ck_assert_ptr_eq(x.between->prev, x.old);
    ck_assert_int_eq(redo_getsessionsize(x.s), 8);
    redo_position *copy = x.new->next->p;
    ck_assert_mem_eq(redo_getsavedstate(copy), "d", 1);
    ck_assert_int_eq(copy->next->p->endpoint, 1);
    assert_solution(first(x.s), 1, 3);
    assert_solution(x.old, 1, 4);
    redo_endsession(x.s);
}
END_TEST

START_TEST(copypath_without_a_solution_copies_nothing)
{
    redo_session *s = begin("a");
    redo_setgraftbehavior(s, redo_copypath);
    redo_position *old = add(s, add(s, first(s), 1, "b"), 1, "c");
    add(s, old, 1, "d");
    redo_position *new = add(s, first(s), 2, "c");
    ck_assert_ptr_null(new->next);
    ck_assert_ptr_eq(old->better, new);
    redo_endsession(s);
}
END_TEST

START_TEST(graftandcopy_leaves_a_copy_of_the_solution_behind)
{
    struct shortcut x = shortcut(redo_graftandcopy);
    ck_assert_ptr_eq(x.between->prev, x.new);
    ck_assert_int_eq(redo_getsessionsize(x.s), 8);
    redo_position *copy = x.old->next->p;
    ck_assert_ptr_eq(copy->better, x.between);
    ck_assert_int_eq(copy->next->p->endpoint, 1);
    assert_solution(x.old, 1, 4);
    assert_solution(first(x.s), 1, 3);
    redo_endsession(x.s);
}
END_TEST

/* ---- moving ------------------------------------------------------------------------------ */

START_TEST(next_gives_NULL_without_error_where_no_branch_is)
{
    redo_session *s = begin("a");
    ck_assert_ptr_null(redo_getnextposition(first(s), 1));
    assert_error(REDO_OK);
    add(s, first(s), 1, "b");
    ck_assert_ptr_null(redo_getnextposition(first(s), 2));
    assert_error(REDO_OK);
    redo_endsession(s);
}
END_TEST

START_TEST(next_leaves_the_change_flag_alone)
{
    redo_session *s = begin("a");
    add(s, first(s), 1, "b");
    add(s, first(s), 2, "c");
    redo_clearsessionchanged(s);
    ck_assert_ptr_nonnull(redo_getnextposition(first(s), 1));
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    redo_endsession(s);
}
END_TEST

START_TEST(next_refuses_no_position_and_dropped_ones)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    redo_dropposition(s, p);
    ck_assert_ptr_null(redo_getnextposition(NULL, 1));
    assert_error(REDO_EPOSITION);
    ck_assert_ptr_null(redo_getnextposition(p, 1));
    assert_error(REDO_EDROPPED);
    redo_endsession(s);
}
END_TEST

START_TEST(the_saved_state_of_no_position_or_a_dropped_one_is_NULL)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    redo_dropposition(s, p);
    ck_assert_ptr_null(redo_getsavedstate(NULL));
    assert_error(REDO_EPOSITION);
    ck_assert_ptr_null(redo_getsavedstate(p));
    assert_error(REDO_EDROPPED);
    redo_endsession(s);
}
END_TEST

/* ---- dropping ---------------------------------------------------------------------------- */

START_TEST(dropping_answers_the_position_before)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    redo_clearsessionchanged(s);
    ck_assert_ptr_eq(redo_dropposition(s, p), first(s));
    assert_error(REDO_OK);
    ck_assert_ptr_null(first(s)->next);
    ck_assert_uint_eq(first(s)->nextcount, 0);
    ck_assert_int_eq(redo_getsessionsize(s), 1);
    ck_assert_int_eq(redo_hassessionchanged(s), 1);
    redo_endsession(s);
}
END_TEST

START_TEST(positions_with_branches_and_the_first_are_not_dropped)
{
    redo_session *s = begin("a");
    redo_position *root = first(s);
    ck_assert_ptr_eq(redo_dropposition(s, root), root);
    assert_error(REDO_EFIRST);
    redo_position *p = add(s, root, 1, "b");
    add(s, p, 1, "c");
    redo_clearsessionchanged(s);
    ck_assert_ptr_eq(redo_dropposition(s, p), p);
    assert_error(REDO_EBRANCHES);
    ck_assert_int_eq(redo_getsessionsize(s), 3);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    redo_endsession(s);
}
END_TEST

START_TEST(dropping_refuses_what_is_not_there)
{
    redo_session *s = begin("a"), *other = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    ck_assert_ptr_eq(redo_dropposition(NULL, p), p);
    assert_error(REDO_ENOSESSION);
    ck_assert_ptr_null(redo_dropposition(s, NULL));
    assert_error(REDO_EPOSITION);
    ck_assert_ptr_eq(redo_dropposition(other, p), p);
    assert_error(REDO_EFOREIGN);
    redo_dropposition(s, p);
    ck_assert_ptr_eq(redo_dropposition(s, p), p);
    assert_error(REDO_EDROPPED);
    ck_assert_ptr_eq(redo_dropposition(other, p), p);
    assert_error(REDO_EFOREIGN);
    redo_endsession(s);
    redo_endsession(other);
}
END_TEST

START_TEST(a_dropped_position_stays_readable_and_is_never_another)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    redo_dropposition(s, p);
    for (int i = 0; i < 1000; i++) {
        redo_position *q = add(s, first(s), i, "b");
        ck_assert_ptr_ne(q, p);
        redo_dropposition(s, q);
    }
    ck_assert_uint_eq(p->inuse, 0);
    ck_assert_ptr_eq(p->prev, first(s));
    ck_assert_ptr_null(p->next);
    redo_endsession(s);
}
END_TEST

START_TEST(what_a_dropped_position_was_better_than_gets_its_better)
{
    redo_session *s = begin("a");
    redo_setgraftbehavior(s, redo_nograft);
    redo_position *far = add(s, add(s, add(s, first(s), 1, "b"), 1, "c"), 1, "z");
    redo_position *middle = add(s, add(s, first(s), 2, "d"), 1, "z");
    redo_position *near = add(s, first(s), 3, "z");
    ck_assert_ptr_eq(far->better, middle);
    ck_assert_ptr_eq(middle->better, near);
    redo_dropposition(s, middle);
    ck_assert_ptr_eq(far->better, near);
    redo_dropposition(s, near);
    ck_assert_ptr_null(far->better);
    redo_endsession(s);
}
END_TEST

/* ---- changing states --------------------------------------------------------------------- */

START_TEST(update_changes_the_bytes_that_do_not_count)
{
    redo_session *s = redo_beginsession("ab1", 3, 2);
    redo_clearsessionchanged(s);
    redo_updatesavedstate(s, first(s), "zz2");
    assert_error(REDO_OK);
    ck_assert_mem_eq(redo_getsavedstate(first(s)), "ab2", 3);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    redo_endsession(s);
}
END_TEST

START_TEST(update_without_such_bytes_has_no_effect)
{
    redo_session *s = begin("abc");
    redo_updatesavedstate(s, first(s), "xyz");
    assert_error(REDO_OK);
    ck_assert_mem_eq(redo_getsavedstate(first(s)), "abc", 3);
    redo_endsession(s);
}
END_TEST

START_TEST(update_changes_one_of_several_positions_with_the_same_state)
{
    redo_session *s = redo_beginsession("a1", 2, 1);
    redo_position *p = redo_addposition(s, first(s), 1, "a1", 0, redo_check);
    redo_position *q = redo_addposition(s, first(s), 2, "a1", 0, redo_check);
    redo_updatesavedstate(s, p, "a2");
    ck_assert_mem_eq(redo_getsavedstate(first(s)), "a1", 2);
    ck_assert_mem_eq(redo_getsavedstate(p), "a2", 2);
    ck_assert_mem_eq(redo_getsavedstate(q), "a1", 2);
    redo_updatesavedstate(s, p, "a1");
    redo_dropposition(s, q);
    redo_dropposition(s, p);
    ck_assert_mem_eq(redo_getsavedstate(first(s)), "a1", 2);
    redo_endsession(s);
}
END_TEST

START_TEST(update_keeps_equal_positions_equal)
{
    redo_session *s = redo_beginsession("a1", 2, 1);
    redo_position *p = redo_addposition(s, first(s), 1, "b1", 0, redo_check);
    redo_updatesavedstate(s, p, "c9");
    redo_position *q = redo_addposition(s, p, 1, "b5", 0, redo_check);
    ck_assert_ptr_eq(q->better, p);
    redo_endsession(s);
}
END_TEST

START_TEST(update_refuses_what_does_not_do)
{
    redo_session *s = redo_beginsession("a1", 2, 1), *other = redo_beginsession("a1", 2, 1);
    redo_position *p = redo_addposition(s, first(s), 1, "b1", 0, redo_check);
    redo_updatesavedstate(NULL, p, "b2");
    assert_error(REDO_ENOSESSION);
    redo_updatesavedstate(s, NULL, "b2");
    assert_error(REDO_EPOSITION);
    redo_updatesavedstate(other, p, "b2");
    assert_error(REDO_EFOREIGN);
    redo_updatesavedstate(s, p, NULL);
    assert_error(REDO_ESTATE);
    ck_assert_mem_eq(redo_getsavedstate(p), "b1", 2);
    redo_dropposition(s, p);
    redo_updatesavedstate(s, p, "b2");
    assert_error(REDO_EDROPPED);
    redo_endsession(s);
    redo_endsession(other);
}
END_TEST

/* ---- checking later ---------------------------------------------------------------------- */

START_TEST(checklater_marks_a_position_until_setbetterfields)
{
    redo_session *s = begin("a");
    redo_position *far = redo_addposition(
        s, redo_addposition(s, first(s), 1, "b", 0, redo_checklater), 1, "z", 0, redo_checklater);
    redo_position *near = redo_addposition(s, first(s), 2, "z", 0, redo_checklater);
    ck_assert_ptr_null(far->better);
    ck_assert_uint_eq(far->setbetter, 1);
    ck_assert_uint_eq(near->setbetter, 1);
    redo_clearsessionchanged(s);
    ck_assert_int_eq(redo_setbetterfields(s), 1);
    ck_assert_uint_eq(far->setbetter, 0);
    ck_assert_uint_eq(near->setbetter, 0);
    ck_assert_ptr_eq(far->better, near);
    ck_assert_ptr_null(near->better);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    ck_assert_int_eq(redo_setbetterfields(s), 0);
    redo_endsession(s);
}
END_TEST

START_TEST(setbetterfields_never_grafts)
{
    redo_session *s = begin("a");
    redo_position *old = add(s, add(s, first(s), 1, "b"), 1, "z");
    redo_position *below = add(s, old, 1, "c");
    redo_addposition(s, first(s), 2, "z", 0, redo_checklater);
    redo_setbetterfields(s);
    ck_assert_ptr_nonnull(old->better);
    ck_assert_ptr_eq(below->prev, old);
    redo_endsession(s);
}
END_TEST

START_TEST(setbetterfields_without_a_session_is_minus_1)
{
    ck_assert_int_eq(redo_setbetterfields(NULL), -1);
    assert_error(REDO_ENOSESSION);
}
END_TEST

/* ---- cycles ------------------------------------------------------------------------------ */

/* a --1--> b --1--> c --1--> d */
static redo_position *line(redo_session *s)
{
    return add(s, add(s, add(s, first(s), 1, "b"), 1, "c"), 1, "d");
}

START_TEST(a_cycle_is_found_at_the_position_itself_or_before)
{
    redo_session *s = begin("a");
    redo_position *end = line(s), *p = end;
    ck_assert_int_eq(redo_suppresscycle(s, &p, "d", 0), 1);
    ck_assert_ptr_eq(p, end);
    ck_assert_int_eq(redo_suppresscycle(s, &p, "b", 0), 1);
    ck_assert_ptr_eq(p, first(s)->next->p);
    ck_assert_int_eq(redo_getsessionsize(s), 4);
    redo_endsession(s);
}
END_TEST

START_TEST(states_elsewhere_make_no_cycle)
{
    redo_session *s = begin("a");
    redo_position *end = line(s), *p = end;
    add(s, first(s), 2, "x");
    ck_assert_int_eq(redo_suppresscycle(s, &p, "x", 9), 0);
    assert_error(REDO_OK);
    ck_assert_int_eq(redo_suppresscycle(s, &p, "y", 9), 0);
    ck_assert_ptr_eq(p, end);
    redo_endsession(s);
}
END_TEST

START_TEST(a_cycle_within_the_limit_is_pruned)
{
    redo_session *s = begin("a");
    redo_position *p = line(s);
    redo_clearsessionchanged(s);
    ck_assert_int_eq(redo_suppresscycle(s, &p, "a", 3), 1); /* 3 moves are not less than 3 */
    ck_assert_int_eq(redo_getsessionsize(s), 4);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    p = redo_getposition(s, 3);
    ck_assert_int_eq(redo_suppresscycle(s, &p, "a", 4), 1);
    ck_assert_ptr_eq(p, first(s));
    ck_assert_int_eq(redo_getsessionsize(s), 1);
    ck_assert_int_eq(redo_hassessionchanged(s), 1);
    redo_endsession(s);
}
END_TEST

START_TEST(pruning_stops_at_a_position_with_other_branches)
{
    redo_session *s = begin("a");
    redo_position *p = line(s), *b = first(s)->next->p;
    add(s, b, 2, "x");
    ck_assert_int_eq(redo_suppresscycle(s, &p, "a", 9), 1);
    ck_assert_ptr_eq(p, first(s));
    ck_assert_str_eq(moves(b), "2");
    ck_assert_int_eq(redo_getsessionsize(s), 3);
    redo_endsession(s);
}
END_TEST

START_TEST(limits_of_0_and_less_prune_nothing)
{
    redo_session *s = begin("a");
    int const limits[] = {0, -1, INT_MIN};
    line(s);
    for (int i = 0; i < 3; i++) {
        redo_position *p = redo_getposition(s, 3);
        ck_assert_int_eq(redo_suppresscycle(s, &p, "a", limits[i]), 1);
        ck_assert_int_eq(redo_getsessionsize(s), 4);
    }
    redo_endsession(s);
}
END_TEST

START_TEST(suppresscycle_refuses_what_does_not_do)
{
    redo_session *s = begin("a"), *other = begin("a");
    redo_position *p = add(s, first(s), 1, "b"), *none = NULL, *kept = p;
    ck_assert_int_eq(redo_suppresscycle(NULL, &p, "a", 9), 0);
    assert_error(REDO_ENOSESSION);
    ck_assert_int_eq(redo_suppresscycle(s, NULL, "a", 9), 0);
    assert_error(REDO_EPOSITION);
    ck_assert_int_eq(redo_suppresscycle(s, &none, "a", 9), 0);
    assert_error(REDO_EPOSITION);
    ck_assert_int_eq(redo_suppresscycle(other, &p, "a", 9), 0);
    assert_error(REDO_EFOREIGN);
    ck_assert_int_eq(redo_suppresscycle(s, &p, NULL, 9), 0);
    assert_error(REDO_ESTATE);
    redo_dropposition(s, p);
    ck_assert_int_eq(redo_suppresscycle(s, &p, "a", 9), 0);
    assert_error(REDO_EDROPPED);
    ck_assert_ptr_eq(p, kept);
    redo_endsession(s);
    redo_endsession(other);
}
END_TEST

/* ---- copying ----------------------------------------------------------------------------- */

START_TEST(duplicatepath_copies_the_best_solution)
{
    redo_session *s = begin("a");
    redo_setgraftbehavior(s, redo_nograft);
    redo_position *source = add(s, first(s), 1, "b");
    add_end(s, add(s, add(s, source, 1, "c"), 1, "d"), 1, "z", 1);
    add_end(s, add(s, source, 2, "e"), 1, "z", 1);
    redo_position *dest = add(s, add(s, first(s), 2, "x"), 1, "b");
    ck_assert_int_eq(redo_duplicatepath(s, dest, source), 1);
    ck_assert_str_eq(moves(dest), "2");
    ck_assert_mem_eq(redo_getsavedstate(dest->next->p), "e", 1);
    ck_assert_ptr_eq(dest->next->p->better, source->next->p);
    assert_solution(dest, 1, 4);
    ck_assert_int_eq(redo_getsessionsize(s), 11);
    redo_endsession(s);
}
END_TEST

START_TEST(duplicatepath_follows_moves_that_are_there)
{
    redo_session *s = begin("a");
    redo_position *source = add(s, first(s), 1, "b");
    add_end(s, add(s, source, 1, "c"), 1, "z", 1);
    redo_position *dest = add(s, first(s), 2, "b"), *there = add(s, dest, 1, "c");
    add(s, dest, 5, "y");
    ck_assert_int_eq(redo_duplicatepath(s, dest, source), 1);
    ck_assert_ptr_eq(dest->next->p, there);
    ck_assert_int_eq(there->next->p->endpoint, 1);
    ck_assert_int_eq(redo_duplicatepath(s, dest, source), 1);
    ck_assert_int_eq(redo_getsessionsize(s), 8);
    redo_endsession(s);
}
END_TEST

START_TEST(duplicatepath_without_a_solution_is_0_without_error)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    redo_clearsessionchanged(s);
    ck_assert_int_eq(redo_duplicatepath(s, first(s), p), 0);
    assert_error(REDO_OK);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    redo_endsession(s);
}
END_TEST

START_TEST(a_path_can_be_copied_to_its_own_end_and_to_where_it_is)
{
    redo_session *s = begin("a");
    redo_position *end = add_end(s, add(s, first(s), 1, "b"), 1, "a", 1);
    ck_assert_int_eq(redo_duplicatepath(s, end, first(s)), 1);
    ck_assert_uint_eq(end->next->p->next->p->movecount, 4);
    ck_assert_int_eq(redo_duplicatepath(s, first(s), first(s)), 1);
    ck_assert_int_eq(redo_getsessionsize(s), 5);
    assert_solution(first(s), 1, 2);
    redo_endsession(s);
}
END_TEST

START_TEST(duplicatepath_refuses_what_is_not_there)
{
    redo_session *s = begin("a"), *other = begin("a");
    redo_position *end = add_end(s, first(s), 1, "b", 1), *p = add(s, first(s), 2, "c");
    ck_assert_int_eq(redo_duplicatepath(NULL, p, end), 0);
    assert_error(REDO_ENOSESSION);
    ck_assert_int_eq(redo_duplicatepath(s, NULL, end), 0);
    assert_error(REDO_EPOSITION);
    ck_assert_int_eq(redo_duplicatepath(s, p, NULL), 0);
    assert_error(REDO_EPOSITION);
    ck_assert_int_eq(redo_duplicatepath(s, first(other), end), 0);
    assert_error(REDO_EFOREIGN);
    ck_assert_int_eq(redo_duplicatepath(s, p, first(other)), 0);
    assert_error(REDO_EFOREIGN);
    redo_dropposition(s, p);
    ck_assert_int_eq(redo_duplicatepath(s, p, end), 0);
    assert_error(REDO_EDROPPED);
    ck_assert_int_eq(redo_duplicatepath(s, end, p), 0);
    assert_error(REDO_EDROPPED);
    redo_endsession(s);
    redo_endsession(other);
}
END_TEST

/* ---- the change flag, numbers, what only asks --------------------------------------------- */

START_TEST(clearing_the_change_flag_answers_what_it_was)
{
    redo_session *s = begin("a");
    ck_assert_int_eq(redo_clearsessionchanged(s), 0);
    add(s, first(s), 1, "b");
    ck_assert_int_eq(redo_hassessionchanged(s), 1);
    ck_assert_int_eq(redo_clearsessionchanged(s), 1);
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
    redo_endsession(s);
}
END_TEST

START_TEST(positions_are_numbered_in_the_order_in_which_they_are_made)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b"), *q = add(s, p, 1, "c");
    ck_assert_uint_eq(redo_getpositionid(first(s)), 0);
    ck_assert_uint_eq(redo_getpositionid(p), 1);
    ck_assert_uint_eq(redo_getpositionid(q), 2);
    ck_assert_uint_eq(p->next->id, 2);
    ck_assert_ptr_eq(redo_getposition(s, 2), q);
    redo_dropposition(s, q);
    ck_assert_uint_eq(redo_getpositionid(add(s, p, 1, "c")), 3);
    redo_endsession(s);
}
END_TEST

START_TEST(a_number_that_never_was_and_one_that_is_no_more_are_told_apart)
{
    redo_session *s = begin("a");
    redo_position *p = add(s, first(s), 1, "b");
    redo_dropposition(s, p);
    ck_assert_ptr_null(redo_getposition(s, 1));
    assert_error(REDO_EDROPPED);
    ck_assert_ptr_null(redo_getposition(s, 2));
    assert_error(REDO_EPOSITION);
    ck_assert_ptr_null(redo_getposition(s, REDO_NOPOSITION));
    assert_error(REDO_EPOSITION);
    ck_assert_uint_eq(redo_getpositionid(p), REDO_NOPOSITION);
    assert_error(REDO_EDROPPED);
    ck_assert_uint_eq(redo_getpositionid(NULL), REDO_NOPOSITION);
    assert_error(REDO_EPOSITION);
    redo_endsession(s);
}
END_TEST

START_TEST(no_session_gives_the_failure_value_of_each_function)
{
    void *data;
    size_t size;
#define NONE(assertion)                \
    do {                               \
        assertion;                     \
        assert_error(REDO_ENOSESSION); \
    } while (0)
    NONE(ck_assert_ptr_null(redo_getfirstposition(NULL)));
    NONE(ck_assert_int_eq(redo_getsessionsize(NULL), 0));
    NONE(ck_assert_int_eq(redo_hassessionchanged(NULL), 0));
    NONE(ck_assert_int_eq(redo_clearsessionchanged(NULL), 0));
    NONE(ck_assert_ptr_null(redo_getposition(NULL, 0)));
    NONE(ck_assert_int_eq(redo_getstatesize(NULL), 0));
    NONE(ck_assert_int_eq(redo_getcmpsize(NULL), 0));
    NONE(ck_assert_int_eq(redo_getgraftbehavior(NULL), -1));
    NONE(ck_assert_int_eq(redo_dump(NULL, &data, &size), REDO_ENOSESSION));
    NONE(ck_assert_int_eq(redo_apply(NULL, &(redo_operation){.kind = REDO_OP_CLEAR}, NULL),
                          REDO_ENOSESSION));
#undef NONE
}
END_TEST

START_TEST(every_error_has_a_name_and_a_text)
{
#define CHECK(name, number, text)                    \
    ck_assert_str_eq(redo_errorname(number), #name); \
    ck_assert_str_eq(redo_strerror(number), text);
    REDO_ERRORS(CHECK)
#undef CHECK
    ck_assert_str_eq(redo_errorname(-1), "REDO_E?");
    ck_assert_str_eq(redo_strerror(INT_MAX), "unknown error");
}
END_TEST

/* ---- limits that the original has ---------------------------------------------------------- */

START_TEST(more_than_65535_moves_and_branches_are_counted)
{
    redo_session *s = redo_beginsession(&(int){0}, sizeof(int), 0);
    redo_position *p = first(s);
    for (int i = 1; i <= 70000; i++)
        p = redo_addposition(s, p, 1, &i, i == 70000 ? 5 : 0, redo_check);
    ck_assert_uint_eq(p->movecount, 70000);
    assert_solution(first(s), 5, 70000);
    for (int i = 70001; i <= 140000; i++)
        redo_addposition(s, p, i, &i, 0, redo_check);
    ck_assert_uint_eq(p->nextcount, 70000);
    for (int i = 70001; i <= 140000; i++) {
        redo_position *q = redo_getnextposition(p, i);
        ck_assert_ptr_nonnull(q);
        ck_assert_ptr_eq(p->next->p, q);
    }
    redo_endsession(s);
}
END_TEST

START_TEST(sessions_do_not_know_of_each_other)
{
    redo_session *s[50];
    for (int i = 0; i < 50; i++)
        s[i] = begin("a");
    for (int i = 0; i < 50; i++)
        for (int k = 0; k <= i; k++)
            add(s[i], first(s[i]), k, "b");
    for (int i = 0; i < 50; i += 2)
        redo_endsession(s[i]);
    for (int i = 1; i < 50; i += 2) {
        ck_assert_int_eq(redo_getsessionsize(s[i]), i + 2);
        redo_endsession(s[i]);
    }
}
END_TEST

/* ---- operations ---------------------------------------------------------------------------- */

START_TEST(apply_tells_what_came_of_an_operation)
{
    redo_session *s = begin("a");
    redo_operation op = {
        .kind = REDO_OP_ADD, .move = 3, .state = "b", .statesize = 1, .value = redo_check};
    redo_result r;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.position, 1);
    ck_assert_uint_eq(r.firstmade, 1);
    ck_assert_uint_eq(r.made, 1);
    ck_assert_uint_eq(r.created, 1);
    ck_assert_uint_eq(r.changed, 1);
    ck_assert_uint_eq(r.graftedfrom, REDO_NOPOSITION);
    op.state = "c";
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.position, 1);
    ck_assert_uint_eq(r.created, 0);
    ck_assert_uint_eq(r.differs, 1);
    ck_assert_uint_eq(r.changed, 0);
    ck_assert_uint_eq(r.firstmade, REDO_NOPOSITION);
    ck_assert_uint_eq(r.made, 0);
    redo_endsession(s);
}
END_TEST

START_TEST(apply_tells_of_grafts_and_of_what_was_made_besides)
{
    redo_session *s = begin("a");
    redo_setgraftbehavior(s, redo_graftandcopy);
    redo_position *old = add(s, add(s, first(s), 1, "b"), 1, "c");
    add_end(s, add(s, old, 1, "d"), 1, "e", 1);
    redo_operation op = {
        .kind = REDO_OP_ADD, .move = 9, .state = "c", .statesize = 1, .value = redo_check};
    redo_result r;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.position, 5);
    ck_assert_uint_eq(r.graftedfrom, 2);
    ck_assert_uint_eq(r.graftedto, 5);
    ck_assert_uint_eq(r.supersedes, 2);
    ck_assert_uint_eq(r.firstmade, 5);
    ck_assert_uint_eq(r.made, 3);
    redo_endsession(s);
}
END_TEST

START_TEST(apply_tells_whose_better_a_new_position_has_become)
{
    redo_session *s = begin("a");
    redo_setgraftbehavior(s, redo_nograft);
    redo_position *one = add(s, first(s), 1, "b"), *two = add(s, one, 1, "c");
    add(s, two, 1, "d");
    redo_operation op = {
        .kind = REDO_OP_ADD, .move = 7, .state = "d", .statesize = 1, .value = redo_check};
    redo_result r;
    op.position = 1; /* two moves instead of three */
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.position, 4);
    ck_assert_uint_eq(r.supersedes, 3);
    op.position = 0; /* one: now that of 4, which is that of 3 */
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.position, 5);
    ck_assert_uint_eq(r.supersedes, 4);
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK); /* known */
    ck_assert_uint_eq(r.supersedes, REDO_NOPOSITION);
    op.position = 2; /* longer: it gets a better, and is none */
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.supersedes, REDO_NOPOSITION);
    op.position = 0;
    op.move = 8;
    op.value = redo_nocheck;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.supersedes, REDO_NOPOSITION);
    op = (redo_operation){.kind = REDO_OP_SETBETTER, .position = REDO_NOPOSITION};
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.supersedes, REDO_NOPOSITION);
    redo_endsession(s);
}
END_TEST

START_TEST(apply_of_a_copy_that_only_links_says_that_it_changed_something)
{
    redo_session *s = begin("a");
    redo_position *source = add(s, first(s), 1, "b");
    add_end(s, source, 1, "z", 1);
    redo_position *dest = redo_addposition(s, first(s), 2, "b", 0, redo_nocheck);
    add_end(s, dest, 1, "z", 1);
    redo_operation op = {.kind = REDO_OP_DUPLICATE, .position = 3, .source = 1};
    redo_result r;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_ptr_eq(dest->better, source);
    ck_assert_uint_eq(r.made, 0);
    ck_assert_uint_eq(r.changed, 1);
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.changed, 0);
    redo_endsession(s);
}
END_TEST

START_TEST(apply_tells_how_many_positions_a_cycle_dropped)
{
    redo_session *s = begin("a");
    line(s);
    redo_operation op = {
        .kind = REDO_OP_CYCLE, .position = 3, .state = "b", .statesize = 1, .value = 9};
    redo_result r;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_int_eq(r.value, 1);
    ck_assert_uint_eq(r.position, 1);
    ck_assert_uint_eq(r.dropped, 2);
    redo_endsession(s);
}
END_TEST

START_TEST(apply_refuses_what_is_no_operation)
{
    redo_session *s = begin("a");
    redo_result r = {.value = 77};
    ck_assert_int_eq(redo_apply(s, NULL, &r), REDO_EOPERATION);
    int const kinds[] = {0, 63, -1, INT_MAX, INT_MIN};
    for (int i = 0; i < 5; i++) {
        redo_operation op = {.kind = (enum redo_operation_kind)kinds[i]};
        ck_assert_int_eq(redo_apply(s, &op, &r), REDO_EOPERATION);
        assert_error(REDO_EOPERATION);
    }
    redo_operation op = {.kind = REDO_OP_ADD, .state = "bb", .statesize = 2};
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_ESTATE);
    op = (redo_operation){.kind = REDO_OP_DROP, .position = 44};
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_EPOSITION);
    ck_assert_int_eq(r.value, 77);
    ck_assert_int_eq(redo_getsessionsize(s), 1);
    redo_endsession(s);
}
END_TEST

TEST_MAIN_SLOW(
    "redo", 30, a_new_session_has_one_position_and_no_changes, sizes_of_states_are_from_1_to_16_MiB,
    cmpsize_0_stands_for_all_bytes, states_of_16_MiB_are_kept_and_compared_to_the_last_byte,
    a_session_copies_the_states_it_is_given, states_may_stand_anywhere_and_are_given_back_aligned,
    a_state_of_the_session_itself_can_be_given, ending_no_session_does_nothing,
    a_new_position_is_linked_with_the_one_before, a_known_move_gives_the_position_there_is,
    the_branch_used_last_comes_first, moves_are_any_int,
    a_longer_way_to_a_known_state_knows_the_better_one,
    of_two_equally_long_ways_the_earlier_is_better, without_a_check_nothing_is_better,
    bytes_after_cmpsize_do_not_make_states_differ, adding_refuses_what_does_not_do,
    unfit_arguments_are_refused_for_known_moves_too, a_success_clears_the_error_of_before,
    an_endpoint_marks_the_whole_path_to_it,
    the_higher_endpoint_wins_and_of_equal_ones_the_shorter_way,
    endpoints_are_from_minus_128_to_127_and_any_is_better_than_none,
    moves_may_go_on_from_an_endpoint, dropping_an_endpoint_takes_its_solution_away,
    the_graft_setting_answers_what_it_was, an_unknown_graft_setting_is_refused,
    nograft_only_links_the_longer_way, graft_moves_the_subtree_and_shortens_its_solutions,
    copypath_copies_the_solution_to_the_new_way, copypath_without_a_solution_copies_nothing,
    graftandcopy_leaves_a_copy_of_the_solution_behind,
    next_gives_NULL_without_error_where_no_branch_is, next_leaves_the_change_flag_alone,
    next_refuses_no_position_and_dropped_ones,
    the_saved_state_of_no_position_or_a_dropped_one_is_NULL, dropping_answers_the_position_before,
    positions_with_branches_and_the_first_are_not_dropped, dropping_refuses_what_is_not_there,
    a_dropped_position_stays_readable_and_is_never_another,
    what_a_dropped_position_was_better_than_gets_its_better,
    update_changes_the_bytes_that_do_not_count, update_without_such_bytes_has_no_effect,
    update_changes_one_of_several_positions_with_the_same_state, update_keeps_equal_positions_equal,
    update_refuses_what_does_not_do, checklater_marks_a_position_until_setbetterfields,
    setbetterfields_never_grafts, setbetterfields_without_a_session_is_minus_1,
    a_cycle_is_found_at_the_position_itself_or_before, states_elsewhere_make_no_cycle,
    a_cycle_within_the_limit_is_pruned, pruning_stops_at_a_position_with_other_branches,
    limits_of_0_and_less_prune_nothing, suppresscycle_refuses_what_does_not_do,
    duplicatepath_copies_the_best_solution, duplicatepath_follows_moves_that_are_there,
    duplicatepath_without_a_solution_is_0_without_error,
    a_path_can_be_copied_to_its_own_end_and_to_where_it_is, duplicatepath_refuses_what_is_not_there,
    clearing_the_change_flag_answers_what_it_was,
    positions_are_numbered_in_the_order_in_which_they_are_made,
    a_number_that_never_was_and_one_that_is_no_more_are_told_apart,
    no_session_gives_the_failure_value_of_each_function, every_error_has_a_name_and_a_text,
    more_than_65535_moves_and_branches_are_counted, sessions_do_not_know_of_each_other,
    apply_tells_what_came_of_an_operation, apply_tells_of_grafts_and_of_what_was_made_besides,
    apply_tells_whose_better_a_new_position_has_become,
    apply_of_a_copy_that_only_links_says_that_it_changed_something,
    apply_tells_how_many_positions_a_cycle_dropped, apply_refuses_what_is_no_operation)
