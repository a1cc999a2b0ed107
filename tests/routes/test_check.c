/* The validator, rule by rule, on a line of cities. */
#include <string.h>

#include "core/redo_error.h"
#include "tests/routes/board.h"
#include "tests/suite.h"

static struct board board;
static struct routes_network *net;
static struct routes_train train;
static struct routes_question question;

static void setup(void)
{
    board_line(&board, 5, 1);
    ck_assert_int_eq(routes_network_open(&net), REDO_OK);
    ck_assert_int_eq(routes_network_apply(net, board.ops, board.count, NULL, NULL), REDO_OK);
    question = board_question(&train, 3);
}

static void change(struct routes_op op)
{
    ck_assert_int_eq(routes_network_apply(net, &op, 1, NULL, NULL), REDO_OK);
}

/* The run from one city of the line to a later one. */
static enum routes_rule run(uint32_t from, uint32_t to, struct routes_verdict *v)
{
    static uint32_t stops[8], edges[16];
    struct routes_route r = {.stops = stops, .edges = edges};
    for (uint32_t i = from; i <= to; i++)
        stops[r.stop_count++] = i;
    for (uint32_t i = 2 * from; i < 2 * to; i++)
        edges[r.edge_count++] = i;
    ck_assert_int_eq(routes_check(net, &question, &r, 1, NULL, v, NULL), REDO_OK);
    return v->rule;
}

START_TEST(a_legal_route_is_valued)
{
    struct routes_verdict v;
    setup();
    ck_assert_int_eq(run(1, 3, &v), ROUTES_LEGAL);
    ck_assert_int_eq(v.total, 90);
    ck_assert_int_eq(v.values[0], 90);
    routes_network_close(net);
}
END_TEST

START_TEST(each_rule_is_named)
{
    struct routes_verdict v;
    uint32_t home[] = {4};
    struct routes_min_stops min = {.nodes = {home, 1}, .min = 9};
    setup();
    ck_assert_int_eq(run(1, 4, &v), ROUTES_BAD_LENGTH);
    ck_assert_int_eq(run(2, 4, &v), ROUTES_BAD_TOKEN);
    ck_assert_int_eq(run(1, 1, &v), ROUTES_BAD_STOPS);
    train.local = true;
    ck_assert_int_eq(run(1, 1, &v), ROUTES_LEGAL);
    train.token_ends = true;
    ck_assert_int_eq(run(1, 2, &v), ROUTES_BAD_ENDS);
    ck_assert_uint_eq(v.id, 2);
    train.token_ends = false;
    train.tracks = 1 << ROUTES_NARROW;
    ck_assert_int_eq(run(1, 2, &v), ROUTES_BAD_TRACK);
    train.tracks = 0;
    train.length = 99;
    question.rules.min_stops_if = &min;
    question.rules.min_stops_if_count = 1;
    ck_assert_int_eq(run(1, 4, &v), ROUTES_BAD_STOPS_IF);
    ck_assert_int_eq(run(1, 3, &v), ROUTES_LEGAL);
    routes_network_close(net);
}
END_TEST

START_TEST(what_a_route_may_not_pass)
{
    struct routes_verdict v;
    char const *theirs[] = {"THEM"};
    uint32_t edges[] = {2, 4};
    setup();
    change((struct routes_op){.kind = ROUTES_SET_NODE,
                              .fields = ROUTES_F_TOKENS,
                              .node = {.id = 2, .tokens = theirs, .token_count = 1}});
    ck_assert_int_eq(run(1, 3, &v), ROUTES_BAD_BLOCKED);
    ck_assert_uint_eq(v.id, 2);
    question.rules.bypass_blocked = 1;
    ck_assert_int_eq(run(1, 3, &v), ROUTES_LEGAL);
    change((struct routes_op){.kind = ROUTES_SET_NODE,
                              .fields = ROUTES_F_KIND,
                              .node = {.id = 2, .kind = ROUTES_OFFBOARD}});
    ck_assert_int_eq(run(1, 3, &v), ROUTES_BAD_OFFBOARD);
    ck_assert_int_eq(run(1, 2, &v), ROUTES_LEGAL);
    change((struct routes_op){
        .kind = ROUTES_SET_EDGE, .fields = ROUTES_F_TERMINAL, .edge = {.id = 1, .terminal = true}});
    ck_assert_int_eq(run(0, 1, &v), ROUTES_LEGAL);
    ck_assert_int_eq(run(0, 2, &v), ROUTES_BAD_TERMINAL);
    change((struct routes_op){.kind = ROUTES_ADD_MUTEX, .mutex = {.id = 7, .edges = {edges, 2}}});
    change((struct routes_op){
        .kind = ROUTES_SET_NODE, .fields = ROUTES_F_KIND, .node = {.id = 2, .kind = ROUTES_CITY}});
    ck_assert_int_eq(run(1, 3, &v), ROUTES_BAD_MUTEX);
    ck_assert_uint_eq(v.id, 7);
    routes_network_close(net);
}
END_TEST

START_TEST(a_set_uses_track_once)
{
    struct routes_verdict v;
    struct routes_train trains[2];
    uint32_t stops[] = {1, 2}, edges[] = {2, 3};
    struct routes_route routes[2] = {
        {.train = 0, .stops = stops, .stop_count = 2, .edges = edges, .edge_count = 2}};
    setup();
    trains[0] = trains[1] = train;
    question.trains = trains;
    question.train_count = 2;
    routes[1] = routes[0];
    ck_assert_int_eq(routes_check(net, &question, routes, 2, NULL, &v, NULL), REDO_OK);
    ck_assert_int_eq(v.rule, ROUTES_BAD_TRAIN);
    routes[1].train = 1;
    ck_assert_int_eq(routes_check(net, &question, routes, 2, NULL, &v, NULL), REDO_OK);
    ck_assert_int_eq(v.rule, ROUTES_BAD_SET_EDGE);
    trains[1].group = "other";
    ck_assert_int_eq(routes_check(net, &question, routes, 2, NULL, &v, NULL), REDO_OK);
    ck_assert_int_eq(v.rule, ROUTES_LEGAL);
    ck_assert_int_eq(v.total, 100);
    for (int i = 0; i < ROUTES_RULES; i++)
        ck_assert_ptr_nonnull(routes_rule_text((enum routes_rule)i));
    routes_network_close(net);
}
END_TEST

TEST_MAIN("routes-check", a_legal_route_is_valued, each_rule_is_named, what_a_route_may_not_pass,
          a_set_uses_track_once)
