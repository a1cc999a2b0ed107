/* The best set: questions that are refused, searches that are stopped, bounds. */
#include <stdlib.h>
#include <string.h>

#include "core/redo_error.h"
#include "tests/routes/board.h"
#include "tests/suite.h"

static struct routes_network *build(struct board *b)
{
    struct routes_network *net;
    ck_assert_int_eq(routes_network_open(&net), REDO_OK);
    ck_assert_int_eq(routes_network_apply(net, b->ops, b->count, NULL, NULL), REDO_OK);
    return net;
}

START_TEST(a_line_is_run_to_its_rich_end)
{
    struct board b;
    struct routes_train train;
    struct routes_answer a;
    board_line(&b, 5, 1);
    struct routes_network *net = build(&b);
    struct routes_question q = board_question(&train, 3);
    ck_assert_int_eq(routes_best(net, &q, NULL, &a, NULL), REDO_OK);
    ck_assert(a.proven && a.stable);
    ck_assert_int_eq(a.total, 20 + 30 + 40);
    ck_assert_uint_eq(a.count, 1);
    ck_assert_uint_eq(a.routes[0].stop_count, 3);
    ck_assert_uint_eq(a.routes[0].stops[0], 1);
    ck_assert_uint_eq(a.routes[0].edge_count, 4);
    ck_assert_uint_eq(a.routes[0].edges[0], 2);
    routes_answer_free(&a);
    uint64_t count;
    bool complete;
    ck_assert_int_eq(routes_count(net, &q, 0, NULL, &count, &complete, NULL), REDO_OK);
    ck_assert_uint_eq(count, 4);
    ck_assert(complete);
    routes_network_close(net);
}
END_TEST

START_TEST(a_company_without_tokens_runs_nothing)
{
    struct board b;
    struct routes_train train;
    struct routes_answer a;
    board_line(&b, 5, 1);
    struct routes_network *net = build(&b);
    struct routes_question q = board_question(&train, 3);
    q.company = "THEM";
    ck_assert_int_eq(routes_best(net, &q, NULL, &a, NULL), REDO_OK);
    ck_assert(a.proven && a.stable);
    ck_assert_int_eq(a.total, 0);
    ck_assert_uint_eq(a.count, 0);
    routes_answer_free(&a);
    routes_network_close(net);
}
END_TEST

static void refused(struct routes_network *net, struct routes_question const *q, int code,
                    char const *why)
{
    struct routes_answer a;
    struct routes_fault fault;
    ck_assert_int_eq(routes_best(net, q, NULL, &a, &fault), code);
    ck_assert_msg(strstr(fault.text, why), "%s", fault.text);
    ck_assert_ptr_null(a.storage);
}

START_TEST(bad_questions_are_refused)
{
    struct board b;
    struct routes_train train;
    uint32_t ids[] = {77};
    struct routes_list list = {ids, 1};
    struct routes_bonus bonus = {.value = 10, .need = &list, .need_count = 1};
    struct routes_set_rule rule = {.kind = ROUTES_SET_VISIT, .nodes = list};
    struct routes_row row = {.pay = 1, .visit = 1};
    board_line(&b, 3, 0);
    struct routes_network *net = build(&b);
    struct routes_question q = board_question(&train, 3);
    q.company = "";
    refused(net, &q, REDO_ENETWORK, "company");
    q.company = "US";
    q.bonuses = &bonus;
    q.bonus_count = 1;
    refused(net, &q, REDO_ENETWORK, "bonus 0: there is no node 77");
    bonus.value = -1;
    refused(net, &q, REDO_ERANGE, "bonus 0: its value");
    q.bonus_count = 0;
    q.rules.set = &rule;
    q.rules.set_count = 1;
    refused(net, &q, REDO_ENETWORK, "set rule 0: there is no node 77");
    q.rules.set_count = 0;
    train.distance = ROUTES_BY_ROWS;
    train.rows = &row;
    train.row_count = 1;
    refused(net, &q, REDO_ENETWORK, "train 0: row 0 is for no kind");
    row.kinds = ROUTES_KIND_BIT(ROUTES_SIDE);
    refused(net, &q, REDO_ENETWORK, "train 0: row 0 is for no kind");
    train.distance = ROUTES_BY_STOPS;
    train.length = ROUTES_LENGTH + 1;
    refused(net, &q, REDO_ERANGE, "train 0: its distance");
    q.train_count = ROUTES_TRAINS + 1;
    refused(net, &q, REDO_EFULL, "too many trains");
    routes_network_close(net);
}
END_TEST

/* A wheel of cities around a home, each joined with its neighbors and the home without any side:
 * so many routes that no listing ends soon. */
static struct routes_network *wheel(uint32_t cities)
{
    static char const *const home[] = {"US"};
    struct routes_network *net;
    struct routes_op op = op_city(0, "X", 10);
    uint32_t edge = 0;
    op.node.tokens = home;
    op.node.token_count = 1;
    ck_assert_int_eq(routes_network_open(&net), REDO_OK);
    ck_assert_int_eq(routes_network_apply(net, &op, 1, NULL, NULL), REDO_OK);
    for (uint32_t i = 1; i <= cities; i++) {
        op = op_city(i, "X", (int32_t)(10 * (1 + i % 7)));
        ck_assert_int_eq(routes_network_apply(net, &op, 1, NULL, NULL), REDO_OK);
    }
    for (uint32_t i = 1; i <= cities; i++) {
        uint32_t const to[] = {0, 1 + i % cities, 1 + (i + 1) % cities};
        for (int j = 0; j < 3; j++) {
            op = op_edge(edge++, i, to[j], "X");
            ck_assert_int_eq(routes_network_apply(net, &op, 1, NULL, NULL), REDO_OK);
        }
    }
    return net;
}

static int after(void *context, struct routes_progress const *progress)
{
    ck_assert_int_le(progress->best, progress->bound);
    return --*(long *)context <= 0;
}

START_TEST(a_search_that_is_stopped_tells_what_it_has_and_a_bound)
{
    struct routes_network *net = wheel(30);
    struct routes_train trains[2];
    struct routes_question q = board_question(&trains[0], 999);
    long polls[] = {1, 10, 200, 1000};
    trains[1] = trains[0];
    q.trains = trains;
    for (int i = 0; i < 8; i++) {
        long left = polls[i / 2];
        struct routes_options o = {.poll = after, .context = &left, .memory = 1 << 20};
        struct routes_answer a;
        struct routes_verdict v;
        q.train_count = 1 + i % 2;
        ck_assert_int_eq(routes_best(net, &q, &o, &a, NULL), REDO_OK);
        ck_assert(!a.proven || a.total == a.bound);
        ck_assert_int_gt(a.total, 0);
        ck_assert_int_ge(a.bound, a.total);
        ck_assert_uint_le(a.memory, 1 << 20);
        ck_assert_int_eq(routes_check(net, &q, a.routes, a.count, NULL, &v, NULL), REDO_OK);
        ck_assert_int_eq(v.rule, ROUTES_LEGAL);
        ck_assert_int_eq(v.total, a.total);
        routes_answer_free(&a);
    }
    routes_network_close(net);
}
END_TEST

struct stop {
    long left;      /* calls until it says so */
    uint64_t nodes; /* at that time */
};

static int say_stop(void *context, struct routes_progress const *progress)
{
    struct stop *s = context;
    if (--s->left == 0)
        s->nodes = progress->nodes;
    return s->left <= 0;
}

START_TEST(a_search_of_many_trains_that_is_stopped_ends_soon)
{
    struct routes_network *net = wheel(30);
    struct routes_train trains[ROUTES_TRAINS];
    struct routes_question q = board_question(&trains[0], 999);
    for (uint32_t i = 1; i < ROUTES_TRAINS; i++)
        trains[i] = trains[0];
    q.trains = trains;
    q.train_count = ROUTES_TRAINS;
    for (long polls = 1; polls <= 1000; polls *= 10) {
        struct stop stop = {.left = polls};
        struct routes_options o = {.poll = say_stop, .context = &stop};
        struct routes_answer a;
        ck_assert_int_eq(routes_best(net, &q, &o, &a, NULL), REDO_OK);
        ck_assert(!a.proven);
        ck_assert_int_gt(a.total, 0);
        ck_assert_uint_le(a.nodes - stop.nodes, 1000000);
        routes_answer_free(&a);
    }
    routes_network_close(net);
}
END_TEST

START_TEST(where_routes_do_not_fit_the_memory_a_search_that_is_stopped_has_a_good_set)
{
    struct routes_network *net = wheel(30);
    struct routes_train trains[3];
    struct routes_question q = board_question(&trains[0], 999);
    trains[1] = trains[2] = trains[0];
    q.trains = trains;
    q.train_count = 3;
    int64_t before = 0;
    for (long polls = 400; polls <= 2000; polls += 800) {
        struct stop stop = {.left = polls};
        struct routes_options o = {.poll = say_stop, .context = &stop, .memory = 1 << 20};
        struct routes_answer a;
        struct routes_verdict v;
        ck_assert_int_eq(routes_best(net, &q, &o, &a, NULL), REDO_OK);
        ck_assert_uint_gt(a.count, 1);
        ck_assert_int_gt(a.total, 400);
        ck_assert_int_ge(a.total, before);
        before = a.total;
        ck_assert_int_eq(routes_check(net, &q, a.routes, a.count, NULL, &v, NULL), REDO_OK);
        ck_assert_int_eq(v.rule, ROUTES_LEGAL);
        ck_assert_int_eq(v.total, a.total);
        routes_answer_free(&a);
    }
    routes_network_close(net);
}
END_TEST

START_TEST(a_total_that_reaches_the_bound_is_proven_even_if_the_search_was_stopped)
{
    struct routes_network *net = wheel(30);
    struct routes_train train;
    struct routes_question q = board_question(&train, 999);
    struct stop stop = {.left = 2000};
    struct routes_options o = {.poll = say_stop, .context = &stop};
    struct routes_answer a;
    ck_assert_int_eq(routes_best(net, &q, &o, &a, NULL), REDO_OK);
    ck_assert_int_eq(a.total, a.bound);
    ck_assert(a.proven);
    routes_answer_free(&a);
    routes_network_close(net);
}
END_TEST

START_TEST(counting_stops_when_asked)
{
    struct routes_network *net = wheel(30);
    struct routes_train train;
    struct routes_question q = board_question(&train, 999);
    long left = 10;
    struct routes_options o = {.poll = after, .context = &left};
    uint64_t count;
    bool complete;
    ck_assert_int_eq(routes_count(net, &q, 0, &o, &count, &complete, NULL), REDO_OK);
    ck_assert(!complete);
    ck_assert_uint_gt(count, 1000);
    ck_assert_int_eq(routes_count(net, &q, 1, &o, &count, &complete, NULL), REDO_ERANGE);
    routes_network_close(net);
}
END_TEST

TEST_MAIN_SLOW("routes-best", 120, a_line_is_run_to_its_rich_end,
               a_company_without_tokens_runs_nothing, bad_questions_are_refused,
               a_search_that_is_stopped_tells_what_it_has_and_a_bound,
               a_search_of_many_trains_that_is_stopped_ends_soon,
               where_routes_do_not_fit_the_memory_a_search_that_is_stopped_has_a_good_set,
               a_total_that_reaches_the_bound_is_proven_even_if_the_search_was_stopped,
               counting_stops_when_asked)
