/* Lack of memory: every allocation of a step and of a search fails once, and then from there on. A
 * step is done or not at all; a search fails or gives the answer. */
#include <stdlib.h>
#include <string.h>

#include "core/changes/changes.h"
#include "core/history.h"
#include "core/redo_error.h"
#include "tests/routes/board.h"
#include "tests/faults.h"
#include "tests/suite.h"

START_TEST(a_step_is_done_or_not_at_all)
{
    struct board b;
    board_line(&b, 40, 3);
    for (long after = 0;; after++) {
        struct routes_network *net = NULL;
        faults_begin(after / 2, after % 2);
        int opened = routes_network_open(&net);
        int rc = opened ? opened : routes_network_apply(net, b.ops, b.count, NULL, NULL);
        long failed = faults_end();
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
        faults_begin(0, true);
        int back = routes_step_undo(net, step), again = routes_step_redo(net, step);
        ck_assert_int_eq(faults_end(), 0);
        ck_assert_int_eq(back, REDO_OK);
        ck_assert_int_eq(again, REDO_OK);
        ck_assert_ptr_null(routes_network_verify(net));
    }
    routes_step_free(step);
    routes_network_close(net);
}
END_TEST

/* So wide that reach is found along lists, if there is memory for them. */
START_TEST(a_step_of_a_large_network_needs_none_either)
{
    enum { CITIES = 300 };
    static struct routes_op ops[2 * CITIES];
    char const *tokens[] = {"US"};
    struct routes_network *net;
    struct routes_step *step;
    size_t count = 0;
    for (uint32_t i = 0; i < CITIES; i++)
        ops[count++] = op_city(i, "A1", 10);
    ops[0].node.tokens = tokens;
    ops[0].node.token_count = 1;
    for (uint32_t i = 0; i + 1 < CITIES; i++)
        ops[count++] = op_edge(i, i, i + 1, "A1");
    ck_assert_int_eq(routes_network_open(&net), REDO_OK);
    ck_assert_int_eq(routes_network_apply(net, ops, count, &step, NULL), REDO_OK);
    for (int lacks = 0; lacks < 2; lacks++) {
        ck_assert(routes_reach_node(net, "US", CITIES - 1));
        ck_assert_ptr_null(routes_network_verify(net));
        faults_begin(0, lacks);
        int back = routes_step_undo(net, step), again = routes_step_redo(net, step);
        faults_end();
        ck_assert_int_eq(back, REDO_OK);
        ck_assert_int_eq(again, REDO_OK);
    }
    ck_assert(routes_reach_node(net, "US", CITIES - 1));
    ck_assert_ptr_null(routes_network_verify(net));
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
        faults_begin(after / 2, after % 2);
        int rc = routes_best(net, &q, NULL, &a, NULL);
        long failed = faults_end();
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

static void put_text(struct value_writer *w, char const *text)
{
    value_put_string(w, text, strlen(text));
}

/* A turn: towns from one id on, each with a value. */
static struct value_writer towns(int first, int count)
{
    struct value_writer w = {0};
    value_put_array(&w, 3);
    value_put_array(&w, (uint32_t)count);
    for (int i = 0; i < count; i++) {
        value_put_array(&w, 3);
        put_text(&w, "add_node");
        value_put_int(&w, first + i);
        value_put_map(&w, 2);
        put_text(&w, "kind");
        put_text(&w, "town");
        put_text(&w, "value");
        value_put_int(&w, 10 * i);
    }
    value_put_nil(&w);
    value_put_nil(&w);
    return w;
}

static redo_operation add(uint32_t prev, struct value_writer const *turn)
{
    return (redo_operation){.kind = REDO_OP_ADD,
                            .position = prev,
                            .move = 1,
                            .value = redo_check,
                            .state = turn->data,
                            .statesize = turn->size};
}

/* How many nodes the network at a position has; or less than 0, a code. */
static int nodes_at(struct history *h, uint32_t number)
{
    struct board_network *network;
    int rc = changes_network(h, node_at(h, number), &network, NULL);
    return rc ? -rc : (int)routes_network_sizes(network->net).nodes;
}

START_TEST(a_turn_of_track_is_added_or_not_at_all)
{
    struct value_writer turns[2] = {towns(0, 12), towns(12, 12)};
    struct fault fault;
    for (long after = 0;; after++) {
        bool lacked = false;
        struct history *h = changes_new("\xadroute-network", 14, NULL, 0, false, &fault);
        ck_assert_ptr_nonnull(h);
        for (uint32_t i = 0; i < 2; i++) {
            redo_operation op = add(i, &turns[i]);
            faults_begin(after / 2, after % 2);
            int rc = history_apply(h, &op, NULL);
            lacked |= faults_end() > 0;
            ck_assert(rc == REDO_OK || rc == REDO_ENOMEM);
            if (rc)
                ck_assert_int_eq(history_apply(h, &op, NULL), REDO_OK);
        }
        for (uint32_t i = 3; i-- > 0;) {
            faults_begin(after / 2, after % 2);
            int nodes = nodes_at(h, i);
            lacked |= faults_end() > 0;
            ck_assert(nodes == -REDO_ENOMEM || nodes == (int)i * 12);
            ck_assert_int_eq(nodes_at(h, i), (int)i * 12);
        }
        history_free(h);
        if (!lacked && after % 2)
            break;
    }
    free(turns[0].data);
    free(turns[1].data);
}
END_TEST

TEST_MAIN_SLOW("routes-alloc", 60, a_turn_of_track_is_added_or_not_at_all,
               a_step_is_done_or_not_at_all, a_step_back_needs_no_memory,
               a_step_of_a_large_network_needs_none_either, a_search_fails_or_gives_the_answer)
