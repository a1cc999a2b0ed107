/* Random sessions told by change: a replica, made from a dump at any time, goes the same way; lack
 * of memory changes nothing. The program is linked so that allocations come by here first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "tests/core/changes_play.h"
#include "tests/core/invariants.h"
#include "tests/faults.h"
#include "tests/suite.h"

struct bytes {
    void *data;
    size_t size;
};

static struct bytes dump(struct history const *h)
{
    struct bytes b;
    ck_assert_int_eq(history_dump(h, &b.data, &b.size), REDO_OK);
    return b;
}

static struct history *load(struct bytes b)
{
    struct history *h = NULL;
    ck_assert_int_eq(history_load(b.data, b.size, &h), REDO_OK);
    return h;
}

static void assert_same(struct history const *h, struct bytes expected)
{
    struct bytes b = dump(h);
    ck_assert_uint_eq(b.size, expected.size);
    ck_assert(memcmp(b.data, expected.data, b.size) == 0);
    free(b.data);
}

#define SEEDS 150
#define OPERATIONS 160

START_TEST(a_replica_made_at_any_time_goes_the_same_way)
{
    struct changes_play p;
    struct history *h = changes_play_begin(&p, (uint64_t)_i), *replica = NULL;
    static unsigned grafted, renamed; /* in all, where tests share a process */
    unsigned done = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        if (!replica || !changes_play_random(&p, 25)) {
            struct bytes b = dump(h);
            history_free(replica);
            replica = load(b);
            free(b.data);
        }
        redo_operation op = changes_play_next(&p, h);
        redo_result r, s;
        struct bytes before = dump(h);
        int rc = history_apply(h, &op, &r);
        if (rc)
            assert_same(h, before);
        else
            ck_assert_int_eq(history_apply(replica, &op, &s), REDO_OK);
        if (!rc) {
            ck_assert_mem_eq(&r, &s, sizeof r);
            struct bytes after = dump(h);
            assert_same(replica, after);
            free(after.data);
            done++;
            grafted += r.graftedto != NOBODY;
            renamed += h->changes->renamed_count > 0;
        }
        free(before.data);
        invariants_hold(h);
        if (i % 20 == 19)
            changes_hold(h);
    }
    ck_assert_uint_gt(done, OPERATIONS / 4);
    if (_i == SEEDS - 1 && getenv("CK_FORK"))
        printf("%u grafted, %u of them renamed\n", grafted, renamed);
    history_free(h);
    history_free(replica);
    changes_play_end(&p);
}
END_TEST

START_TEST(lack_of_memory_changes_nothing)
{
    struct changes_play p;
    struct history *h = changes_play_begin(&p, (uint64_t)_i + 1000);
    struct bytes before = dump(h);
    for (int i = 0; i < 40; i++) {
        redo_operation op = changes_play_next(&p, h);
        redo_result r;
        int code = history_apply(h, &op, &r);
        struct bytes after = dump(h);
        for (long k = 0; k < 400; k++) {
            struct history *copy = load(before);
            faults_begin(k, false);
            int got = history_apply(copy, &op, &r);
            bool failed = faults_end() > 0;
            if (got == REDO_ENOMEM && failed) {
                assert_same(copy, before);
                got = history_apply(copy, &op, &r); /* there is memory again */
            }
            ck_assert_int_eq(got, code);
            assert_same(copy, after);
            changes_hold(copy);
            history_free(copy);
            if (!failed)
                break;
        }
        free(before.data);
        before = after;
    }
    free(before.data);
    history_free(h);
    changes_play_end(&p);
}
END_TEST

START_TEST(lack_of_memory_in_loading_is_told_as_such)
{
    struct changes_play p;
    struct history *h = changes_play_begin(&p, (uint64_t)_i);
    for (int i = 0; i < 60; i++) {
        redo_operation op = changes_play_next(&p, h);
        history_apply(h, &op, NULL);
    }
    struct bytes b = dump(h);
    for (long k = 0;; k++) {
        struct history *copy = NULL;
        faults_begin(k, false);
        int rc = history_load(b.data, b.size, &copy);
        bool failed = faults_end() > 0;
        ck_assert_int_eq(rc, failed && !copy ? REDO_ENOMEM : REDO_OK);
        history_free(copy);
        if (!failed)
            break;
    }
    free(b.data);
    history_free(h);
    changes_play_end(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("changes-play");
    TCase *t = tcase_create("play");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_replica_made_at_any_time_goes_the_same_way, 0, SEEDS);
    tcase_add_loop_test(t, lack_of_memory_changes_nothing, 0, 15);
    tcase_add_loop_test(t, lack_of_memory_in_loading_is_told_as_such, 0, 10);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
