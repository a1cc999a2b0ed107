/* Very many equal positions: their better pointers, those that wait for their check, and what is
 * brought back among them, at sizes at which anything that looks at all of them for each would take
 * many minutes. */
#include <stdlib.h>
#include <string.h>

#include "core/history.h"
#include "core/subtree.h"
#include "core/turn.h"
#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/suite.h"

/* Sanitizers take three times the memory and more time. */
#if defined __SANITIZE_ADDRESS__
#define MANY 60000
#else
#define MANY 200000
#endif

static struct history *h;

static void begin(int graft)
{
    h = history_new(&(int){-1}, sizeof(int), 0);
    ck_assert_ptr_nonnull(h);
    redo_operation op = {.kind = REDO_OP_GRAFT, .value = graft};
    ck_assert_int_eq(history_apply(h, &op, NULL), REDO_OK);
}

static void setup(void)
{
    begin(redo_nograft);
}

static void teardown(void)
{
    invariants_hold(h);
    history_free(h);
}

static redo_result apply(redo_operation op)
{
    redo_result r;
    int rc = history_apply(h, &op, &r);
    ck_assert_msg(rc == REDO_OK, "%s", redo_strerror(rc));
    return r;
}

static uint32_t add(uint32_t prev, int move, int state, int endpoint, int check)
{
    return apply((redo_operation){.kind = REDO_OP_ADD,
                                  .position = prev,
                                  .move = move,
                                  .endpoint = endpoint,
                                  .value = check,
                                  .state = &state,
                                  .statesize = sizeof state})
        .position;
}

static redo_position const *at(uint32_t number)
{
    struct node *n;
    ck_assert_int_eq(history_find(h, number, &n), REDO_OK);
    return &n->p;
}

/* A line of positions that differ, from the first position: number k has k moves. */
static void trunk(int moves)
{
    for (int i = 0; i < moves; i++)
        add((uint32_t)i, 0, 1000 + i, 0, redo_nocheck);
}

#define X 7 /* the state that is met again and again */

START_TEST(a_position_is_reached_in_fewer_moves_a_hundred_thousand_times)
{
    trunk(MANY);
    for (uint32_t i = 0; i < MANY; i++)
        add(MANY - i, 1, X, 0, redo_check);
    for (uint32_t i = 1; i < MANY; i++)
        ck_assert_ptr_eq(at(MANY + i)->better, at(MANY + i + 1));
    ck_assert_ptr_null(at(2 * MANY)->better);
    /* One that is worse is told of the best, not of the first. */
    uint32_t last = add(MANY, 2, X, 0, redo_check);
    ck_assert_ptr_eq(at(last)->better, at(2 * MANY));
}
END_TEST

START_TEST(many_are_checked_later_against_ever_better_ones)
{
    trunk(MANY);
    for (uint32_t i = 0; i < MANY; i++)
        add(MANY - i, 1, X, 0, redo_checklater);
    redo_result r = apply((redo_operation){.kind = REDO_OP_SETBETTER});
    ck_assert_int_eq(r.value, MANY - 1); /* when the first is held against others all wait */
    for (uint32_t i = 1; i < MANY; i++)
        ck_assert_ptr_eq(at(MANY + i)->better, at(MANY + i + 1));
}
END_TEST

START_TEST(a_check_does_not_look_at_all_that_wait)
{
    for (int i = 0; i < MANY; i++)
        add(0, i, X, 0, redo_checklater);
    uint32_t first = add(0, -1, X, 0, redo_check);
    ck_assert_ptr_null(at(first)->better);
    for (int i = 0; i < MANY; i++)
        ck_assert_ptr_eq(at(add(0, -2 - i, X, 0, redo_check))->better, at(first));
    /* The first that does not wait may be dropped, and comes back. */
    for (uint32_t i = 0; i < MANY / 2; i++) {
        apply((redo_operation){.kind = REDO_OP_DROP, .position = first + i});
        uint32_t other = add(0, MANY + (int)i, X, 0, redo_check);
        ck_assert_ptr_eq(at(other)->better, at(first + i + 1));
    }
}
END_TEST

START_TEST(a_turn_tells_each_position_once_of_ever_better_endpoints)
{
    trunk(MANY);
    struct turn_item *items = calloc(MANY, sizeof *items);
    redo_operation op = {.kind = REDO_OP_TURN};
    void *data;
    static int const x = X;
    for (uint32_t i = 0; i < MANY; i++) /* each ends a shorter way */
        items[i] = (struct turn_item){.op = {.kind = REDO_OP_ADD,
                                             .position = MANY - i,
                                             .move = 1,
                                             .endpoint = 1,
                                             .state = &x,
                                             .statesize = sizeof x}};
    ck_assert_int_eq(turn_write(items, MANY, &data, &op.statesize), REDO_OK);
    op.state = data;
    apply(op);
    free(items);
    free(data);
    ck_assert_uint_eq(at(0)->solutionsize, 2);
    for (uint32_t i = 1; i <= MANY; i++)
        ck_assert_uint_eq(at(i)->solutionsize, i + 1);
}
END_TEST

START_TEST(many_come_back_among_many_made_later)
{
    uint32_t last = 0, top = 1;
    for (int i = 0; i < MANY; i++) { /* a line of equals, each with an end beside it */
        last = add(last, 0, X, 0, redo_nocheck);
        add(last, 1, i, 1, redo_nocheck);
    }
    for (int i = 1; i <= MANY; i++)
        add(0, i, X, 0, redo_nocheck);
    void *data;
    size_t size;
    ck_assert_int_eq(subtree_capture(h, node_at(h, top), &data, &size), REDO_OK);
    ck_assert_uint_eq(apply((redo_operation){.kind = REDO_OP_DROPTREE, .position = top}).dropped,
                      2 * MANY);
    ck_assert_int_eq(at(0)->solutionend, 0);
    apply((redo_operation){.kind = REDO_OP_RESTORE, .state = data, .statesize = size});
    free(data);
    ck_assert_uint_eq(at(0)->solutionsize, 2);
    ck_assert_uint_eq(at(last)->solutionsize, MANY + 1);
    /* The first made of them is what is found again. */
    ck_assert_ptr_eq(at(add(last, 9, X, 0, redo_check))->better, at(top));
}
END_TEST

START_TEST(a_solution_of_equals_is_copied_over_one_with_long_chains)
{
    uint32_t last = 0, half = MANY / 2;
    trunk((int)half);
    for (uint32_t i = 0; i < half; i++)
        last = add(half - i, 1, X, 0, redo_check);
    /* From the one that all others lead to, a way of as many equals, copied to the worst. */
    uint32_t top = last;
    for (uint32_t i = 0; i < half; i++)
        last = add(last, 3, X, i + 1 == half, redo_nocheck);
    redo_result r =
        apply((redo_operation){.kind = REDO_OP_DUPLICATE, .position = half + 1, .source = top});
    ck_assert_int_eq(r.value, 1);
    ck_assert_uint_eq(r.made, half);
}
END_TEST

/* Random operations on a few boards that are met at all depths, the deepest first, so that chains
 * become long; all that is kept of them is compared with what walking finds. */
static void play(uint64_t seed)
{
    struct {
        void *data;
        size_t size;
        uint32_t parent;
    } kept[8] = {0};
    int length = 1000;
    trunk(length);
    for (int i = 0; i < 2000; i++) {
        uint64_t b = play_random(&seed);
        unsigned choice = b % (i < 200 ? 75 : 100), slot = (unsigned)(b >> 8) % 8;
        uint32_t any = (uint32_t)((b >> 16 & 0xffff) * h->next >> 16);
        struct node *n;
        redo_operation op = {.kind = REDO_OP_ADD};
        if (choice < 55) { /* ever nearer to the start */
            op.position = (uint32_t)(length - i % length);
            op.move = i;
        } else if (choice < 75) {
            op.position = (uint32_t)(length - (int)(b >> 16 & 0xffff) * (i % length) / 0x10000);
            op.move = (int)(b >> 40) % 3;
        } else if (choice < 80) {
            op = (redo_operation){.kind = REDO_OP_DROP, .position = any};
        } else if (choice < 85 && !kept[slot].data && any > (uint32_t)length &&
                   history_find(h, any, &n) == REDO_OK) {
            kept[slot].parent = node_prev(n)->in.id;
            ck_assert_int_eq(subtree_capture(h, n, &kept[slot].data, &kept[slot].size), REDO_OK);
            op = (redo_operation){.kind = REDO_OP_DROPTREE, .position = any};
        } else if (choice < 93) {
            op = (redo_operation){.kind = REDO_OP_RESTORE,
                                  .position = kept[slot].parent,
                                  .state = kept[slot].data,
                                  .statesize = kept[slot].size};
        } else if (choice < 95 && i % 8 == 0) {
            op = (redo_operation){.kind = REDO_OP_SETBETTER};
        } else if (choice < 98) {
            op = (redo_operation){.kind = REDO_OP_DUPLICATE,
                                  .position = any,
                                  .source = (uint32_t)(b >> 40) % h->next};
        } else {
            op = (redo_operation){.kind = REDO_OP_GRAFT, .value = (int)(b >> 40) % 4};
        }
        int state = (int)(b >> 32) % 2;
        if (op.kind == REDO_OP_ADD) {
            op.state = &state;
            op.statesize = sizeof state;
            op.endpoint = b >> 56 < 20 ? (int)(b >> 50) % 3 : 0;
            op.value = i < 150         ? redo_checklater
                       : b >> 56 < 128 ? redo_check
                       : b >> 56 < 220 ? redo_checklater
                                       : redo_nocheck;
        }
        int rc = history_apply(h, &op, NULL);
        if (op.kind == REDO_OP_RESTORE && rc != REDO_EPOSITION && rc != REDO_EDROPPED) {
            free(kept[slot].data);
            kept[slot].data = NULL;
        }
        if (i % 16 == 0)
            invariants_hold(h);
    }
    for (int i = 0; i < 8; i++)
        free(kept[i].data);
}

START_TEST(chains_and_rings_are_what_walking_finds)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        history_free(h);
        begin((int)seed % 4);
        play(seed);
    }
}
END_TEST

static Suite *suite(void)
{
    TTest const *const tests[] = {a_position_is_reached_in_fewer_moves_a_hundred_thousand_times,
                                  many_are_checked_later_against_ever_better_ones,
                                  a_check_does_not_look_at_all_that_wait,
                                  a_turn_tells_each_position_once_of_ever_better_endpoints,
                                  many_come_back_among_many_made_later,
                                  a_solution_of_equals_is_copied_over_one_with_long_chains,
                                  chains_and_rings_are_what_walking_finds};
    Suite *all = suite_create("equals");
    TCase *tcase = tcase_create("equals");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(all, tcase);
    return all;
}

int main(void)
{
    return run_suite(suite());
}
