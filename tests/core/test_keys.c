/* Keys: an operation that is repeated does nothing, and is answered as the first time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/session.h"
#include "core/turn.h"
#include "tests/core/invariants.h"
#include "tests/suite.h"

static redo_session *s;

static void setup(void)
{
    s = redo_beginsession("aa", 2, 0);
    ck_assert_ptr_nonnull(s);
}

static void teardown(void)
{
    invariants_hold(s->history);
    redo_endsession(s);
}

struct bytes {
    void *data;
    size_t size;
};

static struct bytes dump(void)
{
    struct bytes b;
    ck_assert_int_eq(redo_dump(s, &b.data, &b.size), REDO_OK);
    return b;
}

static void assert_unchanged(struct bytes before)
{
    struct bytes after = dump();
    ck_assert_uint_eq(after.size, before.size);
    ck_assert_mem_eq(after.data, before.data, after.size);
    free(before.data);
    free(after.data);
}

static void reload(void)
{
    struct bytes before = dump();
    redo_endsession(s);
    s = redo_load(before.data, before.size);
    ck_assert_ptr_nonnull(s);
    assert_unchanged(before);
}

static redo_operation adding(char const *key, uint32_t prev, int move, char const *state)
{
    return (redo_operation){.kind = REDO_OP_ADD,
                            .position = prev,
                            .move = move,
                            .state = state,
                            .statesize = 2,
                            .value = redo_check,
                            .key = key,
                            .keysize = strlen(key)};
}

static void assert_repeats(redo_operation op, redo_result const *first)
{
    redo_result r;
    struct bytes before = dump();
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(r.repeated && !r.changed);
    r.repeated = 0;
    r.changed = first->changed;
    ck_assert_mem_eq(&r, first, sizeof r);
    assert_unchanged(before);
}

START_TEST(the_same_again_does_nothing_and_has_the_first_answer)
{
    redo_result r;
    redo_operation op = adding("k", 0, 1, "bb");
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(r.created && r.changed && !r.repeated);
    assert_repeats(op, &r);
    struct answer const first = *history_answer(s->history, &(redo_result){.position = 1});
    redo_addposition(s, redo_getposition(s, 1), 1, "cc", 0, redo_check);
    redo_addposition(s, redo_getposition(s, 0), 2, "dd", 0, redo_check);
    redo_dropsubtree(s, redo_getposition(s, 1));
    assert_repeats(op, &r);
    reload();
    assert_repeats(op, &r);

    /* The fields of its position are those of the first time, though it is gone. */
    redo_result again;
    ck_assert_int_eq(redo_apply(s, &op, &again), REDO_OK);
    struct answer const *answer = history_answer(s->history, &again);
    ck_assert_uint_eq(answer->fields.number, 1);
    ck_assert_uint_eq(answer->fields.movecount, 1);
    ck_assert_uint_eq(answer->fields.nextcount, 0);
    ck_assert_uint_eq(first.fields.number, 1);
}
END_TEST

START_TEST(another_operation_under_a_known_key_is_refused)
{
    redo_operation op = adding("k", 0, 1, "bb");
    ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_OK);
    struct bytes before = dump();
    redo_operation const others[] = {
        adding("k", 0, 2, "bb"),
        adding("k", 1, 1, "bb"),
        adding("k", 0, 1, "bc"),
        {.kind = REDO_OP_CLEAR, .key = "k", .keysize = 1},
        {.kind = REDO_OP_UPDATE, .state = NULL, .statesize = 2, .key = "k", .keysize = 1},
        {.kind = REDO_OP_PROPERTY, .name = NULL, .namesize = 4, .key = "k", .keysize = 1},
        {.kind = (enum redo_operation_kind)99, .key = "k", .keysize = 1},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_int_eq(redo_apply(s, &others[i], NULL), REDO_EKEY);
    assert_unchanged(before);
}
END_TEST

START_TEST(keys_are_bytes_and_each_author_has_his_own)
{
    redo_result r;
    redo_operation op = adding("k", 0, 1, "bb");
    ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_OK);
    op.stamp = (redo_stamp){.uid = 1, .name = "ann", .namesize = 3};
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(!r.repeated && !r.created && r.changed); /* the key and she are new */
    op.stamp = (redo_stamp){.author = 1, .time = 12345};
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(r.repeated); /* the time is no part of what it is */
    op = adding("k", 0, 2, "bb");
    op.key = "k\0";
    op.keysize = 2;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(r.created);
    reload();
}
END_TEST

START_TEST(keys_that_are_none_are_refused)
{
    char key[REDO_KEY_MAX + 1] = {0};
    redo_operation op = adding("", 0, 1, "bb");
    op.key = key;
    op.keysize = sizeof key;
    ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_EKEY);
    op.key = NULL;
    op.keysize = 3;
    ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_EKEY);
    op.key = key;
    op.keysize = REDO_KEY_MAX;
    ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_OK);
    reload();
}
END_TEST

START_TEST(an_operation_that_failed_leaves_no_key)
{
    redo_operation op = adding("k", 1, 1, "bb");
    ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_EPOSITION);
    redo_addposition(s, redo_getposition(s, 0), 1, "cc", 0, redo_check);
    redo_result r;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(r.created && !r.repeated);
}
END_TEST

START_TEST(the_last_thousand_keys_are_kept)
{
    char key[20];
    for (int i = 0; i < REDO_KEYS_MAX + 100; i++) {
        snprintf(key, sizeof key, "k%d", i);
        redo_operation op = adding(key, 0, i, "bb");
        ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_OK);
    }
    ck_assert_uint_eq(s->history->keys.count, REDO_KEYS_MAX);
    reload();
    redo_result r;
    redo_operation op = adding("k100", 0, 100, "bb");
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(r.repeated);
    op = adding("k99", 0, 99, "bb"); /* forgotten: done again, and found to be there */
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(!r.repeated && !r.created);
    ck_assert_uint_lt(keys_memory(&s->history->keys), 300 * 1024);
}
END_TEST

static struct bytes turn_of(uint32_t count, int move)
{
    struct turn_item *items = calloc(count, sizeof *items);
    struct bytes b;
    for (uint32_t i = 0; i < count; i++) {
        items[i].op =
            (redo_operation){.kind = REDO_OP_ADD, .move = move, .state = "cc", .statesize = 2};
        items[i].after = i;
    }
    ck_assert_int_eq(turn_write(items, count, &b.data, &b.size), REDO_OK);
    free(items);
    return b;
}

START_TEST(a_turn_is_repeated_with_what_each_of_its_adds_came_upon)
{
    struct bytes b = turn_of(5, 3);
    redo_operation op = {
        .kind = REDO_OP_TURN, .state = b.data, .statesize = b.size, .key = "k", .keysize = 1};
    redo_result r;
    redo_addposition(s, redo_getfirstposition(s), 3, "cc", 0, redo_nocheck);
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(r.made, 4);
    redo_clearsessionchanged(s); /* another answer in between */
    ck_assert_uint_eq(s->history->answer.count, 0);
    for (int i = 0; i < 2; i++) {
        assert_repeats(op, &r);
        ck_assert_uint_eq(s->history->answer.count, 5);
        for (uint32_t k = 0; k < 5; k++)
            ck_assert_uint_eq(s->history->answer.items[k], (k + 1) << 1 | (k > 0));
        reload();
    }
    free(b.data);
}
END_TEST

START_TEST(a_large_turn_pushes_older_keys_out_and_is_kept_itself)
{
    redo_operation small = adding("small", 0, 1, "bb");
    ck_assert_int_eq(redo_apply(s, &small, NULL), REDO_OK);
    struct bytes b = turn_of(KEYS_BYTES / 4 + 10, 3);
    redo_operation op = {
        .kind = REDO_OP_TURN, .state = b.data, .statesize = b.size, .key = "large", .keysize = 5};
    redo_result r;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert_uint_eq(s->history->keys.count, 1);
    assert_repeats(op, &r);
    reload();
    assert_repeats(op, &r);
    ck_assert_int_eq(redo_apply(s, &small, &r), REDO_OK);
    ck_assert(!r.repeated);
    ck_assert_uint_eq(s->history->keys.count, 1);
    free(b.data);
}
END_TEST

/* A count that its bytes do not bear out must not cost memory. */
START_TEST(a_turn_that_is_none_costs_no_memory)
{
    redo_operation op = {
        .kind = REDO_OP_TURN, .state = "\x80\x89\x7a.", .statesize = 4, .key = "k", .keysize = 1};
    ck_assert_int_eq(redo_apply(s, &op, NULL), REDO_EOPERATION);
    ck_assert_uint_eq(s->history->keys.count, 0);
}
END_TEST

START_TEST(the_number_of_the_operation_is_kept_with_its_key)
{
    redo_operation op = adding("k", 0, 1, "bb");
    redo_result r;
    s->history->sequence = UINT64_C(1) << 40;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    reload();
    s->history->sequence = (UINT64_C(1) << 40) + 9;
    ck_assert_int_eq(redo_apply(s, &op, &r), REDO_OK);
    ck_assert(r.repeated);
    ck_assert_uint_eq(history_answer(s->history, &r)->sequence, (UINT64_C(1) << 40) + 1);
}
END_TEST

int main(void)
{
    TTest const *tests[] = {
        the_same_again_does_nothing_and_has_the_first_answer,
        another_operation_under_a_known_key_is_refused,
        keys_are_bytes_and_each_author_has_his_own,
        keys_that_are_none_are_refused,
        an_operation_that_failed_leaves_no_key,
        the_last_thousand_keys_are_kept,
        a_turn_is_repeated_with_what_each_of_its_adds_came_upon,
        a_large_turn_pushes_older_keys_out_and_is_kept_itself,
        a_turn_that_is_none_costs_no_memory,
        the_number_of_the_operation_is_kept_with_its_key,
    };
    Suite *suite = suite_create("keys");
    TCase *tcase = tcase_create("keys");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
