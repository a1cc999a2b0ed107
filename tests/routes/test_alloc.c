/* Lack of memory: every allocation of a step and of a search fails once, and then from there on. A
 * step is done or not at all; a search fails or gives the answer. */
#include <stdlib.h>
#include <string.h>

#include "core/redo_error.h"
#include "tests/routes/board.h"
#include "tests/suite.h"

static struct {
    long after;
    bool on, for_ever;
    long failed;
} faults;

static bool fails(void)
{
    if (!faults.on || faults.after-- > 0)
        return false;
    if (!faults.for_ever)
        faults.on = false;
    faults.failed++;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

static void begin(long after, bool for_ever)
{
    faults.after = after;
    faults.for_ever = for_ever;
    faults.failed = 0;
    faults.on = true;
}

static long end(void)
{
    faults.on = false;
    return faults.failed;
}

START_TEST(a_step_is_done_or_not_at_all)
{
    struct board b;
    board_line(&b, 40, 3);
    for (long after = 0;; after++) {
        struct routes_network *net = NULL;
        begin(after / 2, after % 2);
        int opened = routes_network_open(&net);
        int rc = opened ? opened : routes_network_apply(net, b.ops, b.count, NULL, NULL);
        long failed = end();
        ck_assert(rc == REDO_OK ? failed == 0 : rc == REDO_ENOMEM);
        if (opened)
            continue;
        ck_assert_ptr_null(routes_network_verify(net));
        ck_assert_uint_eq(routes_network_sizes(net).nodes, rc ? 0 : 79);
        if (rc)
            ck_assert_int_eq(routes_network_apply(net, b.ops, b.count, NULL, NULL), REDO_OK);
        ck_assert_uint_eq(routes_network_sizes(net).edges, 78);
        routes_network_close(net);
        if (!failed && after % 2)
            break;
    }
}
END_TEST

START_TEST(a_step_back_needs_no_memory)
{
    struct board b;
    struct routes_network *net;
    struct routes_step *step;
    board_line(&b, 40, 3);
    ck_assert_int_eq(routes_network_open(&net), REDO_OK);
    ck_assert_int_eq(routes_network_apply(net, b.ops, b.count, &step, NULL), REDO_OK);
    for (int i = 0; i < 3; i++) {
        begin(0, true);
        int back = routes_step_undo(net, step), again = routes_step_redo(net, step);
        ck_assert_int_eq(end(), 0);
        ck_assert_int_eq(back, REDO_OK);
        ck_assert_int_eq(again, REDO_OK);
        ck_assert_ptr_null(routes_network_verify(net));
    }
    routes_step_free(step);
    routes_network_close(net);
}
END_TEST

START_TEST(a_search_fails_or_gives_the_answer)
{
    struct board b;
    struct routes_network *net;
    struct routes_train trains[3];
    struct routes_question q = board_question(&trains[0], 3);
    uint32_t ids[] = {2};
    struct routes_list need = {ids, 1};
    struct routes_bonus bonus = {.value = 10, .need = &need, .need_count = 1, .once = true};
    board_line(&b, 8, 3);
    ck_assert_int_eq(routes_network_open(&net), REDO_OK);
    ck_assert_int_eq(routes_network_apply(net, b.ops, b.count, NULL, NULL), REDO_OK);
    trains[1] = trains[2] = trains[0];
    trains[2].length = 2;
    q.trains = trains;
    q.train_count = 3;
    q.bonuses = &bonus;
    q.bonus_count = 1;
    for (long after = 0;; after++) {
        struct routes_answer a;
        begin(after / 2, after % 2);
        int rc = routes_best(net, &q, NULL, &a, NULL);
        long failed = end();
        ck_assert(rc == REDO_OK || rc == REDO_ENOMEM);
        if (!rc && a.proven)
            ck_assert_int_eq(a.total, 40 + 50 + 60 + 40 + 30 + 20 + 10);
        if (!rc)
            ck_assert(a.proven);
        routes_answer_free(&a);
        if (!failed && after % 2)
            break;
    }
    routes_network_close(net);
}
END_TEST

TEST_MAIN_SLOW("routes-alloc", 60, a_step_is_done_or_not_at_all, a_step_back_needs_no_memory,
               a_search_fails_or_gives_the_answer)
