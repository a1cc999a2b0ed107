/* Cursors: current positions with names, that remember the way they went back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/dump.h"
#include "core/session.h"
#include "tests/core/invariants.h"
#include "tests/suite.h"

static redo_session *s;

static void setup(void)
{
    s = redo_beginsession("\0\0\0", 4, 3);
    ck_assert_ptr_nonnull(s);
}

static void teardown(void)
{
    invariants_hold(s->history);
    redo_endsession(s);
}

static redo_position *at(uint32_t number)
{
    return redo_getposition(s, number);
}

/* A state that no other number has. */
static uint32_t add_to(uint32_t prev, int move, uint32_t state)
{
    redo_position *p = redo_addposition(s, at(prev), move, &state, 0, redo_check);
    ck_assert_ptr_nonnull(p);
    return redo_getpositionid(p);
}

static uint32_t add(uint32_t prev, int move)
{
    return add_to(prev, move, s->history->next);
}

/* A line of so many moves from a position; the last of it. */
static uint32_t line(uint32_t from, int moves)
{
    while (moves-- > 0)
        from = add(from, 0);
    return from;
}

static void put(char const *name, uint32_t number)
{
    ck_assert_ptr_eq(redo_setcursor(s, name, at(number), NULL), at(number));
}

static uint32_t where(char const *name)
{
    return redo_getpositionid(redo_getcursor(s, name));
}

/* Moves the cursor "a"; how many moves it made. */
static int step_of(enum redo_step step, int n)
{
    int steps = -1;
    redo_position *p = redo_movecursor(s, "a", step, n, NULL, &steps);
    ck_assert_ptr_nonnull(p);
    ck_assert_ptr_eq(p, redo_getcursor(s, "a"));
    return steps;
}

static void reload(void)
{
    void *data, *again;
    size_t size, again_size;
    ck_assert_int_eq(redo_dump(s, &data, &size), REDO_OK);
    redo_session *loaded = redo_load(data, size);
    ck_assert_ptr_nonnull(loaded);
    ck_assert_int_eq(redo_dump(loaded, &again, &again_size), REDO_OK);
    ck_assert_uint_eq(again_size, size);
    ck_assert_mem_eq(again, data, size);
    free(data);
    free(again);
    redo_endsession(s);
    s = loaded;
}

START_TEST(a_cursor_is_made_where_it_is_put_and_stays_there)
{
    line(0, 3);
    ck_assert_ptr_null(redo_getcursor(s, "a"));
    ck_assert_int_eq(redo_lasterror(), REDO_ENOCURSOR);
    put("a", 2);
    add(2, 5);
    ck_assert_uint_eq(where("a"), 2);
    ck_assert_int_eq(redo_dropcursor(s, "a"), REDO_OK);
    ck_assert_int_eq(redo_dropcursor(s, "a"), REDO_ENOCURSOR);
    ck_assert_ptr_null(redo_getcursor(s, "a"));
}
END_TEST

START_TEST(cursors_are_listed_in_the_order_of_their_names)
{
    char const *names[] = {"b", "ab", "a", "\xc3\xa4", "B"},
               *order[] = {"B", "a", "ab", "b", "\xc3\xa4"};
    for (int i = 0; i < 5; i++)
        put(names[i], 0);
    for (unsigned i = 0; i < 5; i++)
        ck_assert_str_eq(redo_getcursorname(s, i), order[i]);
    ck_assert_ptr_null(redo_getcursorname(s, 5));
    redo_dropcursor(s, "ab");
    ck_assert_str_eq(redo_getcursorname(s, 2), "b");
}
END_TEST

START_TEST(names_and_numbers_of_cursors_are_limited)
{
    char name[REDO_CURSOR_MAX + 2];
    memset(name, 'x', sizeof name);
    name[REDO_CURSOR_MAX + 1] = '\0';
    ck_assert_ptr_null(redo_setcursor(s, name, at(0), NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_ENAME);
    ck_assert_ptr_null(redo_setcursor(s, "", at(0), NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_ENAME);
    ck_assert_ptr_null(redo_setcursor(s, NULL, at(0), NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_ENAME);
    redo_operation op = {.kind = REDO_OP_CURSOR,
                         .name = "a\0b",
                         .namesize = 3,
                         .value = redo_step_goto,
                         .source = REDO_NOPOSITION};
    ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_ENAME);
    name[REDO_CURSOR_MAX] = '\0';
    for (int i = 0; i < REDO_CURSORS_MAX; i++) {
        put(name, 0);
        name[i % 200] += 1;
    }
    ck_assert_ptr_null(redo_setcursor(s, "one more", at(0), NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_EFULL);
    put(redo_getcursorname(s, 77), 0);
    invariants_hold(s->history);
    reload();
}
END_TEST

START_TEST(undo_goes_back_so_many_moves_or_to_the_first)
{
    put("a", line(0, 5));
    ck_assert_int_eq(step_of(redo_step_undo, 2), 2);
    ck_assert_uint_eq(where("a"), 3);
    ck_assert_int_eq(step_of(redo_step_undo, 100), 3);
    ck_assert_uint_eq(where("a"), 0);
    ck_assert_int_eq(step_of(redo_step_undo, 1), 0);
    ck_assert_ptr_null(redo_movecursor(s, "a", redo_step_undo, 0, NULL, NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_ERANGE);
    ck_assert_ptr_null(redo_movecursor(s, "a", redo_step_redo, -1, NULL, NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_ERANGE);
}
END_TEST

START_TEST(redo_comes_back_whatever_others_did_to_the_order_of_branches)
{
    uint32_t end = line(0, 6);
    put("a", end);
    step_of(redo_step_undo, 6);
    for (uint32_t n = 0; n < 6; n++)
        line(n, 2); /* each of them is the branch in front now */
    reload();
    ck_assert_int_eq(step_of(redo_step_redo, 6), 6);
    ck_assert_uint_eq(where("a"), end);
}
END_TEST

START_TEST(undo_and_redo_in_pieces_come_back_too)
{
    uint32_t end = line(0, 8);
    put("a", end);
    int const undos[] = {3, 1, 2}, redos[] = {1, 2, 1, 2};
    for (int i = 0; i < 3; i++)
        step_of(redo_step_undo, undos[i]);
    for (uint32_t n = 0; n < 8; n++)
        add(n, 9);
    step_of(redo_step_redo, 2);
    step_of(redo_step_undo, 2);
    for (int i = 0; i < 4; i++)
        step_of(redo_step_redo, redos[i]);
    ck_assert_uint_eq(where("a"), end);
}
END_TEST

START_TEST(without_a_way_redo_goes_along_the_front_branches)
{
    line(0, 3);
    uint32_t front = line(1, 2);
    put("a", 0);
    ck_assert_int_eq(step_of(redo_step_redo, 100), 3);
    ck_assert_uint_eq(where("a"), front);
    ck_assert_int_eq(step_of(redo_step_redo, 1), 0);
}
END_TEST

START_TEST(another_move_forgets_the_way_and_the_same_move_keeps_it)
{
    uint32_t end = line(0, 4);
    put("a", end);
    step_of(redo_step_undo, 4);
    ck_assert_int_eq(step_of(redo_step_move, 0), 1); /* as it went */
    add(2, 7);
    ck_assert_int_eq(step_of(redo_step_redo, 3), 3);
    ck_assert_uint_eq(where("a"), end);

    step_of(redo_step_undo, 3);
    uint32_t other = add(1, 5);
    redo_getnextposition(at(1), 0);
    ck_assert_int_eq(step_of(redo_step_move, 5), 1);
    ck_assert_uint_eq(where("a"), other);
    ck_assert_ptr_eq(at(1)->next->p, at(other)); /* it came to the front */
    step_of(redo_step_undo, 1);
    redo_getnextposition(at(1), 0);
    ck_assert_int_eq(step_of(redo_step_redo, 9), 1);
    ck_assert_uint_eq(where("a"), other);
    ck_assert_int_eq(step_of(redo_step_move, 12345), 0);
}
END_TEST

START_TEST(going_to_a_position_before_is_undoing)
{
    uint32_t end = line(0, 5);
    put("a", end);
    put("a", 2);
    add(2, 3);
    put("a", 1);
    put("a", 1);
    put("a", 3); /* forth along its way */
    add(3, 3);
    ck_assert_int_eq(step_of(redo_step_redo, 9), 2);
    ck_assert_uint_eq(where("a"), end);
}
END_TEST

START_TEST(branchback_and_branchforth_stop_where_there_are_several)
{
    uint32_t end = line(0, 7);
    add(2, 9);
    add(5, 9);
    put("a", end);
    ck_assert_int_eq(step_of(redo_step_branchback, 0), 2);
    ck_assert_uint_eq(where("a"), 5);
    ck_assert_int_eq(step_of(redo_step_branchback, 0), 3);
    ck_assert_uint_eq(where("a"), 2);
    ck_assert_int_eq(step_of(redo_step_branchback, 0), 2);
    ck_assert_uint_eq(where("a"), 0);
    ck_assert_int_eq(step_of(redo_step_branchback, 0), 0);
    ck_assert_int_eq(step_of(redo_step_branchforth, 0), 2);
    ck_assert_int_eq(step_of(redo_step_branchforth, 0), 3);
    ck_assert_int_eq(step_of(redo_step_branchforth, 0), 2);
    ck_assert_uint_eq(where("a"), end); /* along the way it went, not the front */
    ck_assert_int_eq(step_of(redo_step_branchforth, 0), 0);
}
END_TEST

START_TEST(better_and_solution_are_gone_along)
{
    redo_setgraftbehavior(s, redo_nograft);
    uint32_t far = line(0, 3);
    uint32_t near = add_to(0, 5, far); /* the state of far */
    ck_assert_ptr_eq(at(far)->better, at(near));
    put("a", far);
    ck_assert_int_eq(step_of(redo_step_better, 0), 1);
    ck_assert_uint_eq(where("a"), near);
    ck_assert_int_eq(step_of(redo_step_better, 0), 0);

    uint32_t end = line(near, 4), state = 999;
    redo_addposition(s, at(end), 3, &state, 5, redo_nocheck);
    ck_assert_int_eq(step_of(redo_step_solution, 2), 2);
    ck_assert_int_eq(step_of(redo_step_solution, 100), 3);
    ck_assert_int_eq(redo_getcursor(s, "a")->endpoint, 5);
    ck_assert_int_eq(step_of(redo_step_solution, 1), 0);
    put("a", far);
    ck_assert_int_eq(step_of(redo_step_solution, 1), 0);
}
END_TEST

START_TEST(a_cursor_on_what_is_dropped_goes_to_the_first_before_that_is_left)
{
    uint32_t end = line(0, 5);
    put("a", end);
    put("b", end);
    put("c", 2);
    redo_dropposition(s, at(end));
    ck_assert_uint_eq(where("a"), 4);
    redo_dropsubtree(s, at(2));
    ck_assert_uint_eq(where("a"), 1);
    ck_assert_uint_eq(where("b"), 1);
    ck_assert_uint_eq(where("c"), 1);

    end = line(1, 4);
    put("a", end);
    uint32_t zero = 0;
    redo_position *p = at(end);
    ck_assert_int_eq(redo_suppresscycle(s, &p, &zero, 100), 1);
    ck_assert_uint_eq(where("a"), 0);
}
END_TEST

START_TEST(a_way_that_was_dropped_is_gone_as_far_as_it_is_there)
{
    uint32_t end = line(0, 5);
    put("a", end);
    step_of(redo_step_undo, 4);
    redo_dropsubtree(s, at(4));
    uint32_t other = line(3, 2);
    ck_assert_int_eq(step_of(redo_step_redo, 4), 4);
    ck_assert_uint_eq(where("a"), other); /* along the front, from there on */
}
END_TEST

START_TEST(grafts_below_and_above_are_no_harm)
{
    /* 0 - 1 - 2 - 3 - 4(x) - 5 - 6; then a shorter way to x takes over what is below 4. */
    uint32_t x = line(0, 4);
    uint32_t end = line(x, 2);
    put("a", end);
    put("b", end);
    put("c", end);
    redo_movecursor(s, "a", redo_step_undo, 6, NULL, NULL);
    redo_movecursor(s, "b", redo_step_undo, 2, NULL, NULL); /* on x */
    redo_movecursor(s, "c", redo_step_undo, 1, NULL, NULL); /* below */
    uint32_t near = add_to(0, 9, x);
    ck_assert_ptr_eq(at(5)->prev, at(near));
    ck_assert_int_eq(step_of(redo_step_redo, 6), 4); /* to x, which has no branches now */
    ck_assert_uint_eq(where("a"), x);
    int steps;
    redo_movecursor(s, "b", redo_step_redo, 2, NULL, &steps);
    ck_assert_int_eq(steps, 0);
    redo_movecursor(s, "c", redo_step_redo, 1, NULL, &steps);
    ck_assert_uint_eq(where("c"), end);
    redo_movecursor(s, "c", redo_step_undo, 9, NULL, &steps);
    ck_assert_int_eq(steps, 3);
    add(near, 8);
    redo_movecursor(s, "c", redo_step_redo, 3, NULL, &steps);
    ck_assert_uint_eq(where("c"), end);
    reload();
}
END_TEST

START_TEST(moving_a_cursor_is_no_change_of_the_session)
{
    line(0, 3);
    add(0, 7);
    redo_clearsessionchanged(s);
    put("a", 0);
    step_of(redo_step_move, 0); /* brings it to the front */
    step_of(redo_step_redo, 2);
    step_of(redo_step_undo, 1);
    step_of(redo_step_branchback, 0);
    redo_dropcursor(s, "a");
    ck_assert_int_eq(redo_hassessionchanged(s), 0);
}
END_TEST

START_TEST(a_cursor_that_is_not_where_it_was_expected_is_not_moved)
{
    uint32_t end = line(0, 3);
    put("a", end);
    redo_position *gone = at(add(end, 1));
    redo_dropposition(s, gone);
    ck_assert_ptr_null(redo_movecursor(s, "a", redo_step_undo, 1, at(1), NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_EEXPECTED);
    ck_assert_ptr_null(redo_setcursor(s, "a", at(0), at(1)));
    ck_assert_int_eq(redo_lasterror(), REDO_EEXPECTED);
    ck_assert_ptr_null(redo_setcursor(s, "a", at(0), gone));
    ck_assert_int_eq(redo_lasterror(), REDO_EEXPECTED);
    ck_assert_ptr_null(redo_setcursor(s, "b", at(0), at(0)));
    ck_assert_int_eq(redo_lasterror(), REDO_ENOCURSOR);
    ck_assert_uint_eq(where("a"), end);
    ck_assert_ptr_nonnull(redo_movecursor(s, "a", redo_step_undo, 1, at(end), NULL));
    ck_assert_uint_eq(where("a"), 2);
}
END_TEST

START_TEST(a_position_of_another_session_is_not_expected)
{
    redo_session *other = redo_beginsession("abcd", 4, 0);
    redo_position *foreign = redo_getfirstposition(other), *dropped;
    put("a", line(0, 1));
    dropped = redo_addposition(other, foreign, 1, "efgh", 0, redo_nocheck);
    ck_assert_ptr_null(redo_setcursor(s, "a", at(0), dropped));
    ck_assert_int_eq(redo_lasterror(), REDO_EFOREIGN);
    redo_dropposition(other, dropped); /* its number is that of where the cursor is */
    ck_assert_ptr_null(redo_setcursor(s, "a", at(0), dropped));
    ck_assert_int_eq(redo_lasterror(), REDO_EFOREIGN);
    ck_assert_ptr_null(redo_setcursor(s, "a", foreign, NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_EFOREIGN);
    redo_endsession(other);
}
END_TEST

START_TEST(what_is_no_step_is_refused)
{
    put("a", 0);
    int const steps[] = {-1, redo_step_goto, redo_step_drop, redo_step_drop + 1, 1000};
    for (int i = 0; i < 5; i++) {
        ck_assert_ptr_null(redo_movecursor(s, "a", (enum redo_step)steps[i], 1, NULL, NULL));
        ck_assert_int_eq(redo_lasterror(), REDO_ECONSTANT);
    }
    ck_assert_ptr_null(redo_movecursor(s, "b", redo_step_undo, 1, NULL, NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_ENOCURSOR);
    ck_assert_ptr_null(redo_movecursor(NULL, "b", redo_step_undo, 1, NULL, NULL));
    ck_assert_int_eq(redo_lasterror(), REDO_ENOSESSION);
}
END_TEST

START_TEST(which_cursors_an_operation_moved_is_noted)
{
    struct cursors *c = &s->history->cursors;
    uint32_t end = line(0, 3);
    put("a", end);
    put("b", 0);
    ck_assert(!cursors_find(c, "a", 1)->moved && cursors_find(c, "b", 1)->moved);
    add(0, 9);
    ck_assert(!cursors_find(c, "b", 1)->moved);
    redo_dropposition(s, at(end));
    ck_assert(cursors_find(c, "a", 1)->moved && !cursors_find(c, "b", 1)->moved);
    put("a", 2); /* where it is */
    ck_assert(!cursors_find(c, "a", 1)->moved);
}
END_TEST

START_TEST(ways_of_all_cursors_have_a_limit_and_what_is_not_needed_is_given_back)
{
    enum { LINE = 20000, FIT = CURSORS_STEPS / LINE };
    struct cursors const *c = &s->history->cursors;
    uint32_t end = line(0, LINE);
    add(0, 9); /* what redo goes to without a way */
    for (int i = 0; i < 2 * FIT; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%03d", i);
        put(name, end);
        redo_movecursor(s, name, redo_step_undo, LINE, NULL, NULL);
        ck_assert_uint_eq(where(name), 0);
        ck_assert_uint_eq(cursors_find(c, name, 4)->count, i < FIT ? LINE : 0);
        ck_assert_uint_le(c->bytes, CURSORS_STEPS * 6 + 2 * FIT * 1000);
    }
    reload();
    c = &s->history->cursors;
    redo_movecursor(s, "c000", redo_step_redo, LINE, NULL, NULL);
    ck_assert_uint_eq(where("c000"), end);
    redo_movecursor(s, "c099", redo_step_redo, LINE, NULL, NULL);
    ck_assert_uint_eq(where("c099"), end + 1);
    for (int i = 1; i < FIT; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%03d", i);
        redo_movecursor(s, name, redo_step_redo, LINE, NULL, NULL);
    }
    ck_assert_uint_le(c->bytes, 2 * FIT * 1000);
    redo_add const further = {.prev = at(end), .move = 1, .state = "xyz"};
    ck_assert_int_eq(redo_addpositions(s, &further, 1, "c000", NULL, NULL), REDO_OK);
    ck_assert_uint_le(cursors_find(c, "c000", 4)->cap, 64);
}
END_TEST

START_TEST(a_million_moves_are_undone_and_redone)
{
    clock_t start = clock();
    uint32_t end = line(0, 1000000);
    put("a", end);
    ck_assert_int_eq(step_of(redo_step_undo, 1000000), 1000000);
    add(0, 1);
    add(500000, 1);
    size_t way = s->history->cursors.bytes;
    ck_assert_uint_le(way, 1000000 * 6 + 1000);
    reload();
    ck_assert_int_eq(step_of(redo_step_redo, 2000000), 1000000);
    ck_assert_uint_eq(where("a"), end);
    ck_assert_int_lt((int)((clock() - start) / CLOCKS_PER_SEC), 60);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        a_cursor_is_made_where_it_is_put_and_stays_there,
        cursors_are_listed_in_the_order_of_their_names,
        names_and_numbers_of_cursors_are_limited,
        undo_goes_back_so_many_moves_or_to_the_first,
        redo_comes_back_whatever_others_did_to_the_order_of_branches,
        undo_and_redo_in_pieces_come_back_too,
        without_a_way_redo_goes_along_the_front_branches,
        another_move_forgets_the_way_and_the_same_move_keeps_it,
        going_to_a_position_before_is_undoing,
        branchback_and_branchforth_stop_where_there_are_several,
        better_and_solution_are_gone_along,
        a_cursor_on_what_is_dropped_goes_to_the_first_before_that_is_left,
        a_way_that_was_dropped_is_gone_as_far_as_it_is_there,
        grafts_below_and_above_are_no_harm,
        moving_a_cursor_is_no_change_of_the_session,
        a_cursor_that_is_not_where_it_was_expected_is_not_moved,
        a_position_of_another_session_is_not_expected,
        what_is_no_step_is_refused,
        which_cursors_an_operation_moved_is_noted,
        ways_of_all_cursors_have_a_limit_and_what_is_not_needed_is_given_back,
        a_million_moves_are_undone_and_redone,
    };
    Suite *suite = suite_create("cursors");
    TCase *tcase = tcase_create("cursors");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 120);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
