/* Networks: what is refused and why, steps back and again, what is reached. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/redo_error.h"
#include "tests/routes/board.h"
#include "tests/suite.h"

static struct routes_network *build(uint32_t cities, uint32_t home)
{
    static struct board b;
    struct routes_network *net;
    board_line(&b, cities, home);
    ck_assert_int_eq(routes_network_open(&net), REDO_OK);
    ck_assert_int_eq(routes_network_apply(net, b.ops, b.count, NULL, NULL), REDO_OK);
    ck_assert_ptr_null(routes_network_verify(net));
    return net;
}

static void refused(struct routes_network *net, struct routes_op op, int code, char const *why)
{
    struct routes_fault fault;
    struct routes_sizes before = routes_network_sizes(net);
    struct routes_op ops[] = {op_city(900, "Q1", 10), op};
    ck_assert_int_eq(routes_network_apply(net, ops, 2, NULL, &fault), code);
    ck_assert_msg(strstr(fault.text, why), "%s", fault.text);
    ck_assert_uint_eq(routes_network_sizes(net).nodes, before.nodes);
    ck_assert_uint_eq(routes_network_sizes(net).edges, before.edges);
    ck_assert_ptr_null(routes_network_node(net, 900));
    ck_assert_ptr_null(routes_network_verify(net));
}

START_TEST(bad_things_are_refused_with_their_id)
{
    struct routes_network *net = build(3, 0);
    char const *three[] = {"A1", "A3", "A5"};
    struct routes_op op = op_city(1, "A3", 5);
    refused(net, op, REDO_ENETWORK, "node 1 is there already");
    op = op_side(50, three);
    op.node.hex_count = 3;
    refused(net, op, REDO_ENETWORK, "node 50: a side lies between two hexes");
    op = op_city(51, "B1", ROUTES_VALUE + 1);
    refused(net, op, REDO_ERANGE, "node 51: its value");
    op = op_city(ROUTES_ID + 1u, "B1", 1);
    refused(net, op, REDO_ERANGE, "the id is too large");
    refused(net, op_edge(60, 0, 77, "A1"), REDO_ENETWORK, "edge 60: there is no node 77");
    refused(net, op_edge(61, 0, 0, "A1"), REDO_ENETWORK, "edge 61: it joins a node to itself");
    refused(net, op_edge(62, 0, 100, "Z9"), REDO_ENETWORK, "edge 62: hex Z9");
    refused(net, op_edge(63, 0, 100, NULL), REDO_ENETWORK, "edge 63: its hex");
    refused(net, op_edge(0, 0, 100, "A1"), REDO_ENETWORK, "edge 0 is there already");
    routes_network_close(net);
}
END_TEST

START_TEST(what_is_in_use_does_not_go)
{
    struct routes_network *net = build(3, 0);
    uint32_t ids[] = {1, 2}, edge_ids[] = {3};
    struct routes_op mutex = {.kind = ROUTES_ADD_MUTEX,
                              .mutex = {.id = 4, .nodes = {ids, 2}, .edges = {edge_ids, 1}}};
    refused(net, (struct routes_op){.kind = ROUTES_REMOVE_NODE, .node = {.id = 100}}, REDO_ENETWORK,
            "node 100: edge");
    refused(net, (struct routes_op){.kind = ROUTES_REMOVE_EDGE, .edge = {.id = 9}}, REDO_ENETWORK,
            "there is no edge 9");
    ck_assert_int_eq(routes_network_apply(net, &mutex, 1, NULL, NULL), REDO_OK);
    refused(net, (struct routes_op){.kind = ROUTES_REMOVE_EDGE, .edge = {.id = 3}}, REDO_ENETWORK,
            "edge 3: mutex 4 still names it");
    mutex.mutex.id = 5;
    mutex.mutex.nodes.ids = (uint32_t[]){1, 1};
    refused(net, mutex, REDO_ENETWORK, "mutex 5: node 1 twice");
    mutex.mutex.nodes.ids = (uint32_t[]){1, 8};
    refused(net, mutex, REDO_ENETWORK, "mutex 5: there is no node 8");
    routes_network_close(net);
}
END_TEST

START_TEST(steps_come_back_and_again)
{
    struct routes_network *net = build(4, 0);
    char const *theirs[] = {"THEM"};
    struct routes_op block = {.kind = ROUTES_SET_NODE,
                              .fields = ROUTES_F_TOKENS,
                              .node = {.id = 1, .tokens = theirs, .token_count = 1}};
    struct routes_op cut = {.kind = ROUTES_REMOVE_EDGE, .edge = {.id = 5}};
    struct routes_step *first, *second;
    ck_assert(routes_reach_node(net, "US", 3));
    ck_assert_int_eq(routes_network_apply(net, &block, 1, &first, NULL), REDO_OK);
    ck_assert_int_eq(routes_network_node(net, 1)->value, 20);
    ck_assert(routes_reach_node(net, "US", 1));
    ck_assert(!routes_reach_node(net, "US", 2));
    ck_assert(!routes_reach_edge(net, "US", 2));
    ck_assert(routes_reach_node(net, "THEM", 3));
    ck_assert_int_eq(routes_network_apply(net, &cut, 1, &second, NULL), REDO_OK);
    ck_assert(!routes_reach_node(net, "THEM", 3));
    ck_assert_int_eq(routes_step_redo(net, second), REDO_ENETWORK);
    ck_assert_int_eq(routes_step_undo(net, second), REDO_OK);
    ck_assert_int_eq(routes_step_undo(net, second), REDO_ENETWORK);
    ck_assert_int_eq(routes_step_undo(net, first), REDO_OK);
    ck_assert(routes_reach_node(net, "US", 3));
    ck_assert(!routes_reach_node(net, "THEM", 3));
    ck_assert_ptr_null(routes_network_verify(net));
    ck_assert_int_eq(routes_step_redo(net, first), REDO_OK);
    ck_assert(!routes_reach_node(net, "US", 3));
    routes_step_free(second);
    routes_network_close(net);
    routes_step_free(first);
}
END_TEST

START_TEST(a_step_that_does_not_come_next_leaves_all_as_it_is)
{
    struct routes_network *net = build(3, 0);
    struct routes_op city = op_city(30, "B1", 10), track = op_edge(40, 30, 31, "B1");
    struct routes_op both[] = {op_city(31, "B1", 10), track};
    struct routes_step *first, *second;
    ck_assert_int_eq(routes_network_apply(net, &city, 1, &first, NULL), REDO_OK);
    ck_assert_int_eq(routes_network_apply(net, both, 2, &second, NULL), REDO_OK);
    ck_assert_int_eq(routes_step_undo(net, first), REDO_ENETWORK);
    ck_assert_ptr_nonnull(routes_network_node(net, 30));
    ck_assert_ptr_null(routes_network_verify(net));
    ck_assert_int_eq(routes_step_undo(net, second), REDO_OK);
    ck_assert_int_eq(routes_step_undo(net, first), REDO_OK);
    ck_assert_int_eq(routes_step_redo(net, second), REDO_ENETWORK);
    ck_assert_ptr_null(routes_network_node(net, 31));
    routes_step_free(first);
    routes_step_free(second);
    routes_network_close(net);
}
END_TEST

/* The line is cut behind city 8, and THEM comes to city 11. */
static size_t cut_and_settle(struct routes_op *ops)
{
    static char const *theirs[] = {"THEM"};
    size_t count = 0;
    for (uint32_t id = 10; id < 22; id++)
        ops[count++] = (struct routes_op){.kind = ROUTES_REMOVE_EDGE, .edge = {.id = id}};
    for (uint32_t i = 5; i < 8; i++) {
        char const *hexes[] = {"A11", "A13", "A15", "A17"};
        ops[count++] = op_edge(2 * i, i, 100 + i, hexes[i - 5]);
        ops[count++] = op_edge(2 * i + 1, 100 + i, i + 1, hexes[i - 4]);
    }
    ops[count++] = (struct routes_op){.kind = ROUTES_SET_NODE,
                                      .fields = ROUTES_F_TOKENS,
                                      .node = {.id = 11, .tokens = theirs, .token_count = 1}};
    return count;
}

static void reaches(struct routes_network const *net, bool cut)
{
    ck_assert(routes_reach_node(net, "US", 8));
    ck_assert_int_eq(routes_reach_node(net, "US", 9), !cut);
    ck_assert_int_eq(routes_reach_node(net, "US", 11), !cut);
    ck_assert_int_eq(routes_reach_node(net, "THEM", 11), cut);
    ck_assert(!routes_reach_node(net, "THEM", 10));
    ck_assert_ptr_null(routes_network_verify(net));
}

START_TEST(a_step_of_many_ops_changes_what_is_reached_or_nothing_does)
{
    struct routes_network *net = build(12, 0);
    struct routes_op ops[20];
    struct routes_step *step;
    struct routes_fault fault;
    size_t count = cut_and_settle(ops);
    ops[count] = op_edge(99, 0, 77, "A1");
    ck_assert_int_eq(routes_network_apply(net, ops, count + 1, NULL, &fault), REDO_ENETWORK);
    reaches(net, false);
    ck_assert_int_eq(routes_network_apply(net, ops, count, &step, NULL), REDO_OK);
    reaches(net, true);
    ck_assert_int_eq(routes_step_undo(net, step), REDO_OK);
    reaches(net, false);
    ck_assert_int_eq(routes_step_redo(net, step), REDO_OK);
    reaches(net, true);
    ck_assert_int_eq(routes_step_redo(net, step), REDO_ENETWORK);
    reaches(net, true);
    routes_step_free(step);
    routes_network_close(net);
}
END_TEST

START_TEST(a_network_takes_no_more_than_the_limits)
{
    struct routes_network *net;
    struct routes_fault fault;
    ck_assert_int_eq(routes_network_open(&net), REDO_OK);
    for (uint32_t i = 0; i < ROUTES_NODES; i++) {
        struct routes_op op = op_city(i * 1000, "A1", 10);
        ck_assert_int_eq(routes_network_apply(net, &op, 1, NULL, NULL), REDO_OK);
    }
    struct routes_op more = op_city(1, "A1", 10);
    ck_assert_int_eq(routes_network_apply(net, &more, 1, NULL, &fault), REDO_EFULL);
    ck_assert_msg(strstr(fault.text, "node 1: the network is full"), "%s", fault.text);
    for (uint32_t i = 0; i < ROUTES_DEGREE; i++) {
        struct routes_op op = op_edge(i, 0, (i + 1) * 1000, "A1");
        ck_assert_int_eq(routes_network_apply(net, &op, 1, NULL, NULL), REDO_OK);
    }
    more = op_edge(900, 0, 900 * 1000, "A1");
    ck_assert_int_eq(routes_network_apply(net, &more, 1, NULL, &fault), REDO_EFULL);
    ck_assert_msg(strstr(fault.text, "too many edges at node 0"), "%s", fault.text);
    routes_network_close(net);
}
END_TEST

START_TEST(one_company_more_than_the_limit_is_refused_until_another_goes)
{
    struct routes_network *net;
    struct routes_fault fault;
    char name[16];
    char const *tokens[] = {name};
    struct routes_op op;
    ck_assert_int_eq(routes_network_open(&net), REDO_OK);
    for (uint32_t i = 0; i <= ROUTES_COMPANIES; i++) {
        snprintf(name, sizeof name, "company %u", i);
        op = op_city(i, "A1", 10);
        op.node.tokens = tokens;
        op.node.token_count = 1;
        ck_assert_int_eq(routes_network_apply(net, &op, 1, NULL, &fault),
                         i < ROUTES_COMPANIES ? REDO_OK : REDO_EFULL);
    }
    ck_assert_msg(strstr(fault.text, "node 64: "), "%s", fault.text);
    ck_assert_uint_eq(routes_network_sizes(net).nodes, ROUTES_COMPANIES);
    struct routes_op gone = {.kind = ROUTES_REMOVE_NODE, .node = {.id = 0}};
    ck_assert_int_eq(routes_network_apply(net, &gone, 1, NULL, &fault), REDO_OK);
    ck_assert_int_eq(routes_network_apply(net, &op, 1, NULL, &fault), REDO_OK);
    ck_assert_ptr_null(routes_network_verify(net));
    routes_network_close(net);
}
END_TEST

TEST_MAIN_SLOW("routes-network", 60, bad_things_are_refused_with_their_id,
               what_is_in_use_does_not_go, steps_come_back_and_again,
               a_step_that_does_not_come_next_leaves_all_as_it_is,
               a_step_of_many_ops_changes_what_is_reached_or_nothing_does,
               a_network_takes_no_more_than_the_limits,
               one_company_more_than_the_limit_is_refused_until_another_goes)
