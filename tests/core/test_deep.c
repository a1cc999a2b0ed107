/* A million moves, and a hundred thousand branches, on a stack of 256 KiB. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/session.h"
#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/suite.h"

/* Sanitizers take three times the memory and more time. */
#if defined __SANITIZE_ADDRESS__
#define DEEP 200000
#define WIDE 50000
#else
#define DEEP 1000000
#define WIDE 100000
#endif

static void *run(void *test)
{
    ((void (*)(void))(uintptr_t)test)();
    return NULL;
}

static void on_a_small_stack(void (*test)(void))
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    ck_assert_int_eq(pthread_attr_setstacksize(&attr, 256 * 1024), 0);
    ck_assert_int_eq(pthread_create(&thread, &attr, run, (void *)(uintptr_t)test), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

static redo_session *begin(void)
{
    return redo_beginsession(&(int){0}, sizeof(int), 0);
}

/* A line of so many moves from p; states and moves from `from` on. The last is an endpoint if that
 * is not 0. */
static redo_position *line(redo_session *s, redo_position *p, int from, int moves, int endpoint)
{
    for (int i = from; i < from + moves; i++) {
        p = redo_addposition(s, p, i, &i, i == from + moves - 1 ? endpoint : 0, redo_check);
        if (!p)
            ck_abort_msg("%d: %s", i, redo_strerror(redo_lasterror()));
    }
    return p;
}

static void fan(redo_session *s, redo_position *p, int from, int branches)
{
    for (int i = from; i < from + branches; i++)
        if (!redo_addposition(s, p, i, &i, 0, redo_check))
            ck_abort_msg("%d: %s", i, redo_strerror(redo_lasterror()));
}

/* Dumps, loads and dumps again: the same bytes. */
static void there_and_back(redo_session *s)
{
    void *data, *again;
    size_t size, again_size;
    ck_assert_int_eq(redo_dump(s, &data, &size), REDO_OK);
    redo_session *loaded = redo_load(data, size);
    ck_assert_ptr_nonnull(loaded);
    invariants_hold(loaded->history);
    ck_assert_int_eq(redo_dump(loaded, &again, &again_size), REDO_OK);
    redo_endsession(loaded);
    ck_assert_uint_eq(size, again_size);
    ck_assert(memcmp(data, again, size) == 0);
    free(data);
    free(again);
}

static void deep_line(void)
{
    redo_session *s = begin();
    redo_position *end = line(s, redo_getfirstposition(s), 1, DEEP, 1);
    ck_assert_uint_eq(end->movecount, DEEP);
    ck_assert_uint_eq(redo_getfirstposition(s)->solutionsize, DEEP);
    invariants_hold(s->history);
    there_and_back(s);
    /* The whole way back to the first state is one cycle. */
    ck_assert_int_eq(redo_suppresscycle(s, &end, &(int){0}, DEEP + 1), 1);
    ck_assert_ptr_eq(end, redo_getfirstposition(s));
    ck_assert_int_eq(redo_getsessionsize(s), 1);
    ck_assert_int_eq(end->solutionend, 0);
    redo_endsession(s);
}

static void deep_graft(void)
{
    redo_session *s = begin();
    redo_position *root = redo_getfirstposition(s);
    redo_position *old = line(s, root, 1, 3, 0);
    redo_position *end = line(s, old, 10, DEEP, 1);
    redo_position *new = redo_addposition(s, root, -1, &(int){3}, 0, redo_check);
    ck_assert_ptr_eq(old->better, new);
    ck_assert_ptr_null(old->next);
    ck_assert_uint_eq(new->nextcount, 1);
    ck_assert_uint_eq(end->movecount, DEEP + 1);
    ck_assert_uint_eq(root->solutionsize, DEEP + 1);
    invariants_hold(s->history);
    redo_endsession(s);
}

static void deep_copies(void)
{
    redo_session *s = begin();
    redo_position *root = redo_getfirstposition(s);
    redo_setgraftbehavior(s, redo_graftandcopy);
    redo_position *old = line(s, root, 1, 3, 0);
    line(s, old, 10, DEEP, 1);
    redo_position *new = redo_addposition(s, root, -1, &(int){3}, 0, redo_check);
    ck_assert_int_eq(redo_getsessionsize(s), 2 * DEEP + 5);
    ck_assert_uint_eq(old->solutionsize, DEEP + 3);
    redo_position *third = redo_addposition(s, root, -2, &(int){3}, 0, redo_check);
    ck_assert_int_eq(redo_duplicatepath(s, third, new), 1);
    ck_assert_int_eq(redo_getsessionsize(s), 3 * DEEP + 6);
    ck_assert_uint_eq(third->solutionsize, DEEP + 1);
    invariants_hold(s->history);
    redo_endsession(s);
}

/* Each state of a deep line is met again one move earlier, the last first; so each of them has the
 * whole rest of the line grafted away, and most better pointers of both lines are looked at. */
static void deep_graft_of_equals(void)
{
    redo_session *s = begin();
    redo_position *root = redo_getfirstposition(s);
    redo_setgraftbehavior(s, redo_nograft);
    redo_position *a = line(s, root, 1, 4, 0), *b = line(s, root, -10, 3, 0);
    line(s, a, 10, DEEP / 2, 0);
    line(s, b, 10, DEEP / 2, 0); /* shorter by one: all of the other line have a better */
    redo_setgraftbehavior(s, redo_graft);
    ck_assert_uint_eq(a->next->p->better->movecount, 4);
    redo_addposition(s, root, 99, &(int){4}, 0, redo_check); /* now that line is the shorter one */
    ck_assert_ptr_null(a->next);
    ck_assert_ptr_nonnull(b->next->p->better);
    invariants_hold(s->history);
    redo_endsession(s);
}

static void wide_position(void)
{
    redo_session *s = begin();
    redo_position *root = redo_getfirstposition(s);
    uint64_t seed = 7;
    fan(s, root, 1, WIDE);
    ck_assert_uint_eq(root->nextcount, WIDE);
    for (int i = 0; i < WIDE; i++) {
        int move = 1 + (int)(play_random(&seed) % WIDE);
        redo_position *p = redo_getnextposition(root, move);
        if (!p || *(int const *)redo_getsavedstate(p) != move || root->next->p != p)
            ck_abort_msg("move %d", move);
    }
    ck_assert_ptr_null(redo_getnextposition(root, WIDE + 1));
    invariants_hold(s->history);
    there_and_back(s);
    for (int i = 1; i <= WIDE; i++)
        redo_dropposition(s, redo_getposition(s, (uint32_t)i));
    ck_assert_int_eq(redo_getsessionsize(s), 1);
    ck_assert_uint_eq(root->nextcount, 0);
    redo_endsession(s);
}

static void wide_solutions(void)
{
    redo_session *s = begin();
    redo_position *root = redo_getfirstposition(s);
    for (int i = 1; i <= WIDE; i++)
        redo_addposition(s, root, i, &i, 1 + i % 100, redo_check);
    ck_assert_int_eq(root->solutionend, 100);
    for (int i = WIDE; i >= 1; i--)
        redo_dropposition(s, redo_getposition(s, (uint32_t)i));
    ck_assert_int_eq(root->solutionend, 0);
    redo_endsession(s);
}

static void wide_graft(void)
{
    redo_session *s = begin();
    redo_position *root = redo_getfirstposition(s);
    redo_position *old = line(s, root, 1, 2, 0);
    fan(s, old, 10, WIDE);
    redo_position *new = redo_addposition(s, root, -1, &(int){2}, 0, redo_check);
    ck_assert_uint_eq(new->nextcount, WIDE);
    ck_assert_uint_eq(old->nextcount, 0);
    for (int i = 10; i < 10 + WIDE; i += 7)
        if (redo_getnextposition(new, i)->prev != new)
            ck_abort_msg("move %d", i);
    invariants_hold(s->history);
    redo_endsession(s);
}

/* As many cursors as there may be, all at the end of a line that is dropped. */
static void many_cursors(void)
{
    char name[16];
    redo_session *s = begin();
    redo_position *root = redo_getfirstposition(s), *end = line(s, root, 1, DEEP, 0);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "c%d", i);
        ck_assert_ptr_nonnull(redo_setcursor(s, name, i % 2 ? end : end->prev, NULL));
    }
    ck_assert_int_eq(redo_dropsubtree(s, root->next->p), DEEP);
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "c%d", i);
        ck_assert_ptr_eq(redo_getcursor(s, name), root);
    }
    invariants_hold(s->history);
    redo_endsession(s);
}

/* So many equal positions: added, loaded, and marked to be checked later. */
static void many_equals(void)
{
    redo_session *s = begin();
    redo_position *root = redo_getfirstposition(s);
    for (int i = 0; i < WIDE; i++)
        redo_addposition(s, root, i, &(int){1}, 0, i % 2 ? redo_checklater : redo_check);
    ck_assert_int_eq(redo_setbetterfields(s), WIDE / 2);
    invariants_hold(s->history);
    there_and_back(s);
    for (uint32_t i = 1; i <= WIDE; i++)
        redo_dropposition(s, redo_getposition(s, i ^ 1)); /* not in the order of making */
    redo_dropposition(s, redo_getposition(s, WIDE));
    redo_endsession(s);
}

#define SMALL_STACK_TEST(name, test) \
    START_TEST(name)                 \
    {                                \
        on_a_small_stack(test);      \
    }                                \
    END_TEST

SMALL_STACK_TEST(a_line_of_a_million_moves, deep_line)
SMALL_STACK_TEST(a_graft_of_a_subtree_a_million_deep, deep_graft)
SMALL_STACK_TEST(a_solution_a_million_long_is_copied, deep_copies)
SMALL_STACK_TEST(a_graft_that_turns_half_a_million_better_pointers, deep_graft_of_equals)
SMALL_STACK_TEST(a_position_with_100000_branches, wide_position)
SMALL_STACK_TEST(a_position_with_100000_endpoints, wide_solutions)
SMALL_STACK_TEST(a_graft_of_100000_branches, wide_graft)
SMALL_STACK_TEST(a_hundred_thousand_equal_positions, many_equals)
SMALL_STACK_TEST(a_thousand_cursors_on_a_million_moves_that_are_dropped, many_cursors)

TEST_MAIN_SLOW("deep", 60, a_line_of_a_million_moves, a_graft_of_a_subtree_a_million_deep,
               a_solution_a_million_long_is_copied,
               a_graft_that_turns_half_a_million_better_pointers, a_position_with_100000_branches,
               a_position_with_100000_endpoints, a_graft_of_100000_branches,
               a_hundred_thousand_equal_positions,
               a_thousand_cursors_on_a_million_moves_that_are_dropped)
