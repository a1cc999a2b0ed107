/* Subtrees dropped and brought back: with numbers, states, order, better pointers and solutions, or
 * not at all. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/dump.h"
#include "core/equal.h"
#include "core/subtree.h"
#include "tests/core/invariants.h"
#include "tests/core/play.h"
#include "tests/suite.h"

static struct history *h;

static void setup(void)
{
    h = history_new("\0\0\0", 4, 3);
    ck_assert_ptr_nonnull(h);
}

static void teardown(void)
{
    invariants_hold(h);
    history_free(h);
}

static int apply(redo_operation op, redo_result *result)
{
    redo_result r = {0};
    int rc = history_apply(h, &op, result ? result : &r);
    invariants_hold(h);
    return rc;
}

static uint32_t add_with(uint32_t prev, int move, char const *state, int endpoint, int check)
{
    redo_result r;
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = prev,
                         .move = move,
                         .endpoint = endpoint,
                         .value = check,
                         .state = state,
                         .statesize = 4};
    ck_assert_int_eq(apply(op, &r), REDO_OK);
    return r.position;
}

static uint32_t add(uint32_t prev, int move, char const *state)
{
    return add_with(prev, move, state, 0, redo_check);
}

struct bytes {
    void *data;
    size_t size;
};

/* Drops it, and gives what brings it back. */
static struct bytes drop(uint32_t position, uint32_t dropped)
{
    struct bytes b;
    redo_result r;
    ck_assert_int_eq(subtree_capture(h, node_at(h, position), &b.data, &b.size), REDO_OK);
    ck_assert_int_eq(apply((redo_operation){.kind = REDO_OP_DROPTREE, .position = position}, &r),
                     REDO_OK);
    ck_assert_uint_eq(r.dropped, dropped);
    ck_assert(r.changed);
    return b;
}

static int restore_at(uint32_t parent, struct bytes b, redo_result *r)
{
    return apply(
        (redo_operation){
            .kind = REDO_OP_RESTORE, .position = parent, .state = b.data, .statesize = b.size},
        r);
}

static void restore(struct bytes b)
{
    uint32_t parent, top, count;
    redo_result r;
    ck_assert(subtree_look(b.data, b.size, &parent, &top, &count));
    ck_assert_int_eq(restore_at(parent, b, &r), REDO_OK);
    ck_assert_uint_eq(r.position, top);
    ck_assert_int_eq(r.value, (int)count);
    ck_assert(r.changed);
    free(b.data);
}

static struct bytes dump(void)
{
    struct bytes b;
    ck_assert_int_eq(history_dump(h, &b.data, &b.size), REDO_OK);
    return b;
}

static void assert_dump(struct bytes before)
{
    struct bytes after = dump();
    ck_assert_uint_eq(after.size, before.size);
    ck_assert_mem_eq(after.data, before.data, after.size);
    free(after.data);
    free(before.data);
}

START_TEST(dropping_takes_all_below_and_tells_how_many)
{
    redo_result r;
    add(0, 1, "aaa");
    add(1, 1, "bbb");
    add(1, 2, "ccc");
    add(2, 1, "ddd");
    add(0, 2, "eee");
    free(drop(1, 4).data);
    ck_assert_uint_eq(h->count, 2);
    for (uint32_t n = 1; n <= 4; n++) {
        struct node *node;
        ck_assert_int_eq(history_find(h, n, &node), REDO_EDROPPED);
    }
    ck_assert_uint_eq(add(0, 1, "aaa"), 6); /* numbers are not given again */
    ck_assert_int_eq(apply((redo_operation){.kind = REDO_OP_DROPTREE, .position = 0}, &r),
                     REDO_EFIRST);
    ck_assert_int_eq(apply((redo_operation){.kind = REDO_OP_DROPTREE, .position = 1}, &r),
                     REDO_EDROPPED);
    ck_assert_int_eq(apply((redo_operation){.kind = REDO_OP_DROPTREE, .position = 99}, &r),
                     REDO_EPOSITION);
}
END_TEST

START_TEST(what_was_dropped_last_comes_back_byte_for_byte)
{
    add(0, 9, "zzz");
    add(0, 1, "aaa");
    add(2, 3, "bb1");
    add(2, -2, "ccc");
    add_with(2, 7, "ddd", 5, redo_nocheck);
    add_with(3, 1, "eee", 0, redo_checklater);
    add(4, 1 << 30, "fff");
    add_with(7, 1, "ggg", -128, redo_check);
    redo_operation next = {
        .kind = REDO_OP_NEXT, .position = 2, .move = 3}; /* its order is not by age */
    ck_assert_int_eq(apply(next, NULL), REDO_OK);
    struct bytes before = dump();
    restore(drop(2, 7));
    assert_dump(before);
}
END_TEST

START_TEST(better_pointers_within_and_outside_come_back)
{
    add(0, 1, "aaa");
    add(0, 2, "bbb");
    add(2, 1, "ccc");
    add(3, 1, "aaa"); /* better: 1 */
    add(3, 2, "ddd");
    add(5, 1, "ccc"); /* better: 3, which goes with it */
    ck_assert_ptr_eq(node_at(h, 4)->p.better, &node_at(h, 1)->p);
    ck_assert_ptr_eq(node_at(h, 6)->p.better, &node_at(h, 3)->p);
    struct bytes before = dump();
    restore(drop(2, 5));
    assert_dump(before);
}
END_TEST

START_TEST(a_better_that_is_gone_is_not_pointed_to)
{
    add(0, 1, "aaa");
    add(0, 2, "bbb");
    add(2, 1, "aaa"); /* better: 1 */
    struct bytes b = drop(2, 2);
    free(drop(1, 1).data);
    restore(b);
    ck_assert_ptr_null(node_at(h, 3)->p.better);
}
END_TEST

START_TEST(a_better_whose_number_is_another_state_now_is_not_pointed_to)
{
    add(0, 1, "aaa");
    add(0, 2, "bbb");
    add(2, 1, "aaa");
    struct bytes b = drop(2, 2);
    /* The bytes count that say which state a better has, not what the record claims. */
    uint32_t parent, top, count;
    ck_assert(subtree_look(b.data, b.size, &parent, &top, &count));
    ((char *)b.data)[b.size - 4] = 'x';
    restore(b);
    ck_assert_ptr_null(node_at(h, 3)->p.better);
    ck_assert_mem_eq(node_state(h, node_at(h, 3)), "xaa", 4);
}
END_TEST

START_TEST(solutions_go_and_come_with_them)
{
    add(0, 1, "aaa");
    add(1, 1, "bbb");
    add_with(2, 1, "ccc", 3, redo_check);
    add(0, 2, "ddd");
    add_with(4, 1, "eee", 1, redo_check);
    ck_assert_int_eq(node_at(h, 0)->p.solutionend, 3);
    struct bytes b = drop(1, 3);
    ck_assert_int_eq(node_at(h, 0)->p.solutionend, 1);
    ck_assert_uint_eq(node_at(h, 0)->p.solutionsize, 2);
    restore(b);
    ck_assert_int_eq(node_at(h, 0)->p.solutionend, 3);
    ck_assert_uint_eq(node_at(h, 0)->p.solutionsize, 3);
    ck_assert_int_eq(node_at(h, 1)->p.solutionend, 3);
}
END_TEST

START_TEST(equal_positions_are_in_the_order_of_making_again)
{
    add_with(0, 1, "aaa", 0, redo_nocheck);
    add_with(0, 2, "aaa", 0, redo_nocheck);
    add_with(0, 3, "aaa", 0, redo_nocheck);
    add_with(2, 4, "aaa", 0, redo_nocheck);
    struct bytes first = drop(1, 1), middle = drop(2, 2);
    add_with(0, 5, "aaa", 0, redo_nocheck);
    restore(middle);
    restore(first);
    uint32_t const made[] = {1, 2, 3, 4, 5};
    struct node *top = equal_first(h, equal_hash(h, "aaa"), "aaa"), *n = top;
    for (int i = 0; i < 5; i++) {
        ck_assert_ptr_nonnull(n);
        ck_assert_uint_eq(n->in.id, made[i]);
        n = equal_after(h, top, n);
    }
    ck_assert_ptr_null(n);
}
END_TEST

START_TEST(what_waits_for_its_check_waits_again)
{
    add(0, 1, "aaa");
    add(0, 2, "bbb");
    add_with(2, 1, "aaa", 0, redo_checklater);
    add_with(2, 2, "ccc", -3, redo_checklater);
    restore(drop(2, 3));
    ck_assert_uint_eq(h->waiting, 2);
    ck_assert_int_eq(node_at(h, 4)->p.endpoint, -3);
    ck_assert_int_eq(apply((redo_operation){.kind = REDO_OP_SETBETTER}, NULL), REDO_OK);
    ck_assert_ptr_eq(node_at(h, 3)->p.better, &node_at(h, 1)->p);
}
END_TEST

START_TEST(it_comes_back_beside_what_was_done_meanwhile)
{
    add(0, 1, "aaa");
    add(1, 1, "bbb");
    struct bytes b = drop(1, 2);
    add(0, 2, "ccc");
    redo_operation graft = {.kind = REDO_OP_GRAFT, .value = redo_nograft};
    ck_assert_int_eq(apply(graft, NULL), REDO_OK);
    restore(b);
    ck_assert_uint_eq(h->count, 4);
    ck_assert_uint_eq(add(2, 1, "ddd"), 4);
}
END_TEST

START_TEST(it_is_refused_when_its_numbers_are_in_use_or_its_move_is_taken)
{
    redo_result r = {.value = 77};
    add(0, 1, "aaa");
    add(1, 1, "bbb");
    struct bytes b = drop(1, 2);
    add(0, 1, "ccc");
    struct bytes before = dump();
    ck_assert_int_eq(restore_at(0, b, &r), REDO_EDIFFERS);
    assert_dump(before);
    ck_assert_int_eq(apply((redo_operation){.kind = REDO_OP_DROP, .position = 3}, NULL), REDO_OK);
    ck_assert_int_eq(restore_at(0, b, &r), REDO_OK);
    before = dump();
    ck_assert_int_eq(restore_at(0, b, &r), REDO_EINUSE);
    ck_assert_int_eq(restore_at(2, b, &r), REDO_EINUSE);
    ck_assert_int_eq(restore_at(9, b, &r), REDO_EPOSITION);
    ck_assert_int_eq(restore_at(3, b, &r), REDO_EDROPPED);
    assert_dump(before);
    free(b.data);
}
END_TEST

START_TEST(damaged_bytes_are_refused_or_make_a_whole_history)
{
    add(0, 1, "aaa");
    for (int i = 0; i < 12; i++)
        add_with((uint32_t)(1 + i / 2), i, (char const[]){(char)('a' + i % 5), 'x', 'x', 0},
                 i % 4 == 3, i % 3);
    struct bytes b = drop(1, 13), before = dump();
    unsigned char *bytes = malloc(b.size + 1);
    for (size_t i = 0; i < b.size * 8 + b.size + 1; i++) {
        size_t size = b.size;
        memcpy(bytes, b.data, b.size);
        bytes[b.size] = 0;
        if (i < b.size * 8)
            bytes[i / 8] ^= (unsigned char)(1 << i % 8);
        else
            size = i - b.size * 8 == b.size ? b.size + 1 : i - b.size * 8;
        struct history *old = h;
        ck_assert_int_eq(history_load(before.data, before.size, &h), REDO_OK);
        redo_result r;
        int rc = restore_at(0, (struct bytes){bytes, size}, &r);
        if (rc) {
            struct bytes after = dump();
            ck_assert_uint_eq(after.size, before.size);
            ck_assert_mem_eq(after.data, before.data, after.size);
            free(after.data);
        } else {
            struct bytes after = dump();
            struct history *again;
            ck_assert_int_eq(history_load(after.data, after.size, &again), REDO_OK);
            history_free(again);
            free(after.data);
        }
        if (i >= b.size * 8)
            ck_assert_int_eq(rc, REDO_EDAMAGED);
        history_free(h);
        h = old;
    }
    free(bytes);
    free(before.data);
    free(b.data);
}
END_TEST

START_TEST(a_record_under_another_parent_or_twice_is_refused)
{
    /* count; number parent move endpoint better state */
    struct {
        char const *bytes;
        size_t size;
        int code;
    } const cases[] = {
#define CASE(bytes, code) {bytes, sizeof bytes - 1, code}
        CASE("\x01\x01\x00\x02\x00\x00"
             "aaaa",
             REDO_OK),
        CASE("\x00", REDO_EDAMAGED),
        CASE("\x02\x01\x00\x02\x00\x00"
             "aaaa\x02\x02\x02\x00\x00"
             "bbbb",
             REDO_EDAMAGED), /* its own parent */
        CASE("\x02\x01\x00\x02\x00\x00"
             "aaaa\x02\x00\x04\x00\x00"
             "bbbb",
             REDO_EDAMAGED), /* one that is in use */
        CASE("\x02\x01\x00\x02\x00\x00"
             "aaaa\x02\x03\x04\x00\x00"
             "bbbb",
             REDO_EDAMAGED), /* one that is nowhere */
        CASE("\x02\x01\x00\x02\x00\x00"
             "aaaa\x01\x01\x04\x00\x00"
             "bbbb",
             REDO_EDAMAGED), /* a number twice */
        CASE("\x03\x01\x00\x02\x00\x00"
             "aaaa\x02\x01\x04\x00\x00"
             "bbbb\x03\x01\x04\x00\x00"
             "cccc",
             REDO_EDAMAGED), /* a move twice */
        CASE("\x03\x01\x00\x02\x00\x00"
             "aaaa\x02\x03\x04\x00\x00"
             "bbbb\x03\x01\x04\x00\x00"
             "cccc",
             REDO_EDAMAGED), /* a parent that comes later */
        CASE("\x01\x05\x00\x02\x00\x00"
             "aaaa",
             REDO_EDAMAGED), /* a number that was never given */
        CASE("\xff\xff\xff\xff\x0f\x01\x00\x02\x00\x00"
             "aaaa",
             REDO_EDAMAGED), /* more than there is */
    };
    for (uint32_t i = 1; i <= 4; i++)
        add(0, (int)i, (char const[]){'q', (char)i, 0, 0});
    for (uint32_t i = 1; i <= 4; i++)
        ck_assert_int_eq(apply((redo_operation){.kind = REDO_OP_DROP, .position = i}, NULL),
                         REDO_OK);
    struct bytes before = dump();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct history *old = h;
        ck_assert_int_eq(history_load(before.data, before.size, &h), REDO_OK);
        redo_result r;
        int rc = restore_at(0, (struct bytes){(void *)cases[i].bytes, cases[i].size}, &r);
        ck_assert_msg(rc == cases[i].code, "case %zu: %d", i, rc);
        history_free(h);
        h = old;
    }
    free(before.data);
}
END_TEST

static uint32_t add_by(redo_stamp stamp, uint32_t prev, int move, char const *state)
{
    redo_result r;
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = prev,
                         .move = move,
                         .state = state,
                         .statesize = 4,
                         .stamp = stamp};
    ck_assert_int_eq(apply(op, &r), REDO_OK);
    return r.position;
}

static void assert_stamp(uint32_t position, uint32_t author, uint32_t time)
{
    struct stamp stamp = authors_stamp(&h->authors, position);
    ck_assert_uint_eq(stamp.author, author);
    ck_assert_uint_eq(stamp.time, time);
}

START_TEST(who_made_them_comes_back_with_them)
{
    redo_stamp const ann = {.uid = 1, .name = "ann", .namesize = 3, .time = 10};
    add(0, 9, "zzz");
    add_by(ann, 0, 1, "aaa");
    add(2, 1, "bbb");
    add_by((redo_stamp){.uid = 2, .name = "bob", .namesize = 3, .time = UINT32_MAX}, 2, 2, "ccc");
    struct bytes before = dump(), b = drop(2, 3);
    redo_operation op = {.kind = REDO_OP_RESTORE,
                         .position = 0,
                         .state = b.data,
                         .statesize = b.size,
                         .stamp = {.author = 2, .time = 99}}; /* whoever brings them back */
    ck_assert_int_eq(apply(op, NULL), REDO_OK);
    assert_dump(before);
    assert_stamp(2, 1, 10);
    assert_stamp(3, 0, 0);
    assert_stamp(4, 2, UINT32_MAX);
    free(b.data);
}
END_TEST

START_TEST(what_was_kept_before_there_were_authors_is_by_no_one)
{
    add(0, 1, "aaa");
    add(1, 1, "bbb");
    struct bytes b = drop(1, 2);
    add_by((redo_stamp){.uid = 1, .name = "ann", .namesize = 3}, 0, 5, "eee");
    redo_operation op = {.kind = REDO_OP_RESTORE,
                         .position = 0,
                         .state = b.data,
                         .statesize = b.size,
                         .stamp = {.author = 1, .time = 99}};
    ck_assert_int_eq(apply(op, NULL), REDO_OK);
    assert_stamp(1, 0, 0);
    assert_stamp(2, 0, 0);
    free(b.data);
    restore(drop(1, 2)); /* kept now with what tells of no one */
    assert_stamp(1, 0, 0);
}
END_TEST

START_TEST(an_author_who_never_was_is_refused)
{
    add_by((redo_stamp){.uid = 1, .name = "ann", .namesize = 3, .time = 3}, 0, 1, "aaa");
    struct bytes b = drop(1, 1);
    unsigned char *bytes = b.data;
    ck_assert_uint_eq(bytes[b.size - 2], 1);
    bytes[b.size - 2] = 2;
    ck_assert_int_eq(restore_at(0, b, NULL), REDO_EDAMAGED);
    bytes[b.size - 2] = 0; /* no one, and a byte left over */
    ck_assert_int_eq(restore_at(0, b, NULL), REDO_EDAMAGED);
    bytes[b.size - 2] = 1;
    ck_assert_int_eq(restore_at(0, (struct bytes){bytes, b.size - 1}, NULL), REDO_EDAMAGED);
    ck_assert_int_eq(restore_at(0, b, NULL), REDO_OK);
    free(bytes);
}
END_TEST

START_TEST(a_cursor_does_not_come_back_but_its_way_does)
{
    add(0, 1, "aaa");
    add(1, 1, "bbb");
    add(2, 1, "ccc");
    redo_operation op = {
        .kind = REDO_OP_CURSOR, .name = "a", .namesize = 1, .position = 3, .source = NOBODY};
    redo_operation b = op, undo = op, redo = op;
    b.name = "b";
    undo.value = redo_step_undo;
    redo.value = redo_step_redo;
    undo.move = redo.move = 3;
    ck_assert_int_eq(apply(op, NULL), REDO_OK);
    ck_assert_int_eq(apply(b, NULL), REDO_OK);
    ck_assert_int_eq(apply(undo, NULL), REDO_OK);
    struct bytes kept = drop(2, 2);
    add(1, 9, "ddd");
    restore(kept);
    add(1, 8, "eee");
    ck_assert_uint_eq(cursors_find(&h->cursors, "b", 1)->position, 1);
    ck_assert_int_eq(apply(redo, NULL), REDO_OK);
    ck_assert_uint_eq(cursors_find(&h->cursors, "a", 1)->position, 3);
}
END_TEST

/* After random operations, any subtree that nothing outside points into is dropped and comes back:
 * each position as it was. */
START_TEST(any_subtree_of_any_history_comes_back)
{
    struct history *mine = h;
    for (uint64_t seed = 0; seed < 300; seed++) {
        uint8_t data[600];
        struct play play;
        redo_operation op;
        play_bytes(seed, data, sizeof data);
        h = play_begin(&play, data, sizeof data);
        while (play_next(&play, h, &op))
            history_apply(h, &op, NULL);
        while (h->cursors.count) /* they do not come back to where they were */
            cursors_drop(&h->cursors, &h->cursors.all[0]);
        for (uint32_t top = 1; top < h->next; top += 1 + (uint32_t)(seed % 3)) {
            struct node *n;
            if (history_find(h, top, &n))
                continue;
            uint32_t parent = node_prev(n)->in.id;
            bool newest = node_prev(n)->p.next == &n->in, pointed = false;
            uint32_t count = 0;
            for (struct node *m = history_from(h, 0); m; m = history_from(h, m->in.id + 1)) {
                bool inside = false, better = false;
                for (struct node *up = m; up; up = node_prev(up))
                    inside |= up == n;
                for (struct node *up = m->p.better ? node_of(m->p.better) : NULL; up;
                     up = node_prev(up))
                    better |= up == n;
                pointed |= better && !inside;
                count += inside;
            }
            struct bytes before = dump(), kept;
            bool changed = h->changed;
            ck_assert_int_eq(subtree_capture(h, n, &kept.data, &kept.size), REDO_OK);
            ck_assert_int_eq(
                apply((redo_operation){.kind = REDO_OP_DROPTREE, .position = top}, NULL), REDO_OK);
            ck_assert_int_eq(restore_at(parent, kept, NULL), REDO_OK);
            free(kept.data);
            h->changed = changed;
            if (newest && !pointed)
                assert_dump(before);
            else
                free(before.data);
            ck_assert_uint_gt(count, 0);
        }
        history_free(h);
    }
    h = mine;
}
END_TEST

START_TEST(a_hundred_thousand_branches_and_a_chain_of_as_many_take_no_time)
{
    clock_t start = clock();
    redo_operation op = {.kind = REDO_OP_ADD, .value = redo_nocheck, .statesize = 4};
    redo_result r = {.position = 0};
    for (int i = 0; i < 200000; i++) {
        uint32_t state = (uint32_t)i * 256;
        op.state = &state;
        op.position = i <= 100000 ? r.position : 1;
        op.move = i;
        ck_assert_int_eq(history_apply(h, &op, &r), REDO_OK);
    }
    struct bytes before = dump();
    restore(drop(1, 200000));
    assert_dump(before);
    ck_assert_int_lt((int)((clock() - start) / CLOCKS_PER_SEC), 20);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        dropping_takes_all_below_and_tells_how_many,
        what_was_dropped_last_comes_back_byte_for_byte,
        better_pointers_within_and_outside_come_back,
        a_better_that_is_gone_is_not_pointed_to,
        a_better_whose_number_is_another_state_now_is_not_pointed_to,
        solutions_go_and_come_with_them,
        equal_positions_are_in_the_order_of_making_again,
        what_waits_for_its_check_waits_again,
        it_comes_back_beside_what_was_done_meanwhile,
        it_is_refused_when_its_numbers_are_in_use_or_its_move_is_taken,
        damaged_bytes_are_refused_or_make_a_whole_history,
        a_record_under_another_parent_or_twice_is_refused,
        who_made_them_comes_back_with_them,
        what_was_kept_before_there_were_authors_is_by_no_one,
        an_author_who_never_was_is_refused,
        a_cursor_does_not_come_back_but_its_way_does,
        any_subtree_of_any_history_comes_back,
        a_hundred_thousand_branches_and_a_chain_of_as_many_take_no_time,
    };
    Suite *suite = suite_create("subtree");
    TCase *tcase = tcase_create("subtree");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
