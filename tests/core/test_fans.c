/* Branches of positions with few and many of them, held against a plain array. */
#include <stdlib.h>
#include <string.h>

#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/suite.h"

#define MANY 300

struct list {
    int moves[MANY];
    int count;
};

static int place(struct list const *l, int move)
{
    for (int i = 0; i < l->count; i++)
        if (l->moves[i] == move)
            return i;
    return -1;
}

static void take(struct list *l, int i)
{
    memmove(l->moves + i, l->moves + i + 1, (size_t)(--l->count - i) * sizeof(int));
}

static void push(struct list *l, int move)
{
    memmove(l->moves + 1, l->moves, (size_t)l->count++ * sizeof(int));
    l->moves[0] = move;
}

static void assert_list(struct history *h, struct node const *parent, struct list const *l)
{
    int i = 0;
    for (redo_branch *b = parent->p.next; b; b = b->cdr, i++)
        if (i >= l->count || b->move != l->moves[i])
            ck_abort_msg("branch %d", i);
    ck_assert_int_eq(i, l->count);
    ck_assert_uint_eq(parent->p.nextcount, (unsigned)l->count);
}

static uint32_t apply(struct history *h, redo_operation op)
{
    redo_result result;
    ck_assert_int_eq(history_apply(h, &op, &result), REDO_OK);
    return result.position;
}

static uint32_t add(struct history *h, uint32_t from, int move, int state)
{
    return apply(h, (redo_operation){.kind = REDO_OP_ADD,
                                     .position = from,
                                     .move = move,
                                     .value = redo_check,
                                     .state = &state,
                                     .statesize = sizeof state});
}

static int branch_move(int i)
{
    return i * 0x10001 - 77;
}

START_TEST(branches_come_and_go_as_in_a_plain_list)
{
    struct history *h = history_new(&(int){-1}, sizeof(int), 0);
    struct list l = {.count = 0};
    uint64_t seed = 5;
    int phase = 0; /* grows and shrinks, over and over */
    for (int step = 0; step < 20000; step++) {
        if (l.count == 0 || l.count == MANY)
            phase = l.count == 0;
        int i = l.count ? (int)(play_random(&seed) % (unsigned)l.count) : 0;
        unsigned what = (unsigned)(play_random(&seed) % 4);
        if (what == 0 && l.count) {
            int move = l.moves[i];
            apply(h, (redo_operation){.kind = REDO_OP_NEXT, .move = move});
            take(&l, i);
            push(&l, move);
        } else if (phase) {
            int move = branch_move((int)(play_random(&seed) % (2 * MANY)));
            int known = place(&l, move);
            if (known >= 0)
                take(&l, known);
            else if (l.count == MANY)
                continue;
            add(h, 0, move, step);
            push(&l, move);
        } else if (l.count) {
            struct node *n = branch_find(h, node_at(h, 0), l.moves[i]);
            ck_assert_ptr_nonnull(n);
            apply(h, (redo_operation){.kind = REDO_OP_DROP, .position = n->in.id});
            take(&l, i);
        }
        if (step % 16 == 0) {
            assert_list(h, node_at(h, 0), &l);
            invariants_hold(h);
        }
    }
    history_free(h);
}
END_TEST

START_TEST(a_position_that_became_narrower_finds_what_is_added_then)
{
    struct history *h = history_new(&(int){-1}, sizeof(int), 0);
    for (int i = 0; i < 20; i++)
        add(h, 0, i, i);
    for (uint32_t number = 1; number <= 10; number++)
        apply(h, (redo_operation){.kind = REDO_OP_DROP, .position = number});
    uint32_t new = add(h, 0, 100, 100);
    ck_assert_uint_eq(add(h, 0, 100, 100), new);
    ck_assert_uint_eq(add(h, 0, 101, 101), new + 1);
    invariants_hold(h);
    history_free(h);
}
END_TEST

START_TEST(many_branches_are_grafted_in_their_order)
{
    for (int width = 1; width < 40; width++) {
        struct history *h = history_new(&(int){0}, sizeof(int), 0);
        struct list l = {.count = 0};
        uint32_t old = add(h, add(h, 0, 1, 1), 1, 2);
        for (int i = 0; i < width; i++) {
            add(h, old, branch_move(i), 100 + i);
            push(&l, branch_move(i));
        }
        uint32_t new = add(h, 0, 2, 2);
        assert_list(h, node_at(h, new), &l);
        ck_assert_uint_eq(node_at(h, old)->p.nextcount, 0);
        /* Both can go on from there. */
        for (int i = width; i < width + 30; i++) {
            add(h, new, branch_move(i), 100 + i);
            push(&l, branch_move(i));
            add(h, old, branch_move(i), 200 + i);
        }
        apply(h, (redo_operation){.kind = REDO_OP_NEXT, .position = new, .move = branch_move(0)});
        take(&l, place(&l, branch_move(0)));
        push(&l, branch_move(0));
        assert_list(h, node_at(h, new), &l);
        invariants_hold(h);
        history_free(h);
    }
}
END_TEST

START_TEST(many_wide_positions_live_side_by_side)
{
    struct history *h = history_new(&(int){0}, sizeof(int), 0);
    uint64_t seed = 3;
    for (int i = 1; i < 100; i++)
        add(h, 0, i, i);
    for (int i = 0; i < 20000; i++) {
        uint32_t from = (uint32_t)(play_random(&seed) % 100);
        int move = 1000 + (int)(play_random(&seed) % 60);
        struct node *n = branch_find(h, node_at(h, from), move);
        if (n && play_random(&seed) % 2)
            apply(h, (redo_operation){.kind = REDO_OP_DROP, .position = n->in.id});
        else
            add(h, from, move, 1000 + i);
    }
    invariants_hold(h);
    history_free(h);
}
END_TEST

TEST_MAIN_SLOW("fans", 60, branches_come_and_go_as_in_a_plain_list,
               a_position_that_became_narrower_finds_what_is_added_then,
               many_branches_are_grafted_in_their_order, many_wide_positions_live_side_by_side)
