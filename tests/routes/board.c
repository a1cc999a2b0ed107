#include "tests/routes/board.h"

#include <stdio.h>

struct routes_op op_city(uint32_t id, char const *hex, int32_t value)
{
    return (struct routes_op){
        .kind = ROUTES_ADD_NODE,
        .node = {.id = id, .kind = ROUTES_CITY, .hex = hex, .value = value, .cost = 1, .slots = 1}};
}

struct routes_op op_side(uint32_t id, char const *const *hexes)
{
    return (struct routes_op){.kind = ROUTES_ADD_NODE,
                              .node = {.id = id,
                                       .kind = ROUTES_SIDE,
                                       .hexes = hexes,
                                       .hex_count = 2,
                                       .cost = 1,
                                       .slots = ROUTES_NO_SLOTS}};
}

struct routes_op op_edge(uint32_t id, uint32_t a, uint32_t b, char const *hex)
{
    return (struct routes_op){.kind = ROUTES_ADD_EDGE,
                              .edge = {.id = id, .a = a, .b = b, .hex = hex}};
}

void board_line(struct board *b, uint32_t cities, uint32_t home)
{
    *b = (struct board){0};
    for (uint32_t i = 0; i < cities; i++) {
        snprintf(b->hexes[i], sizeof b->hexes[i], "A%u", 2 * i + 1);
        b->ops[b->count] = op_city(i, b->hexes[i], (int32_t)(10 * (i + 1)));
        if (i == home) {
            b->tokens[i][0] = "US";
            b->ops[b->count].node.tokens = b->tokens[i];
            b->ops[b->count].node.token_count = 1;
        }
        b->count++;
    }
    for (uint32_t i = 0; i + 1 < cities; i++) {
        b->pairs[i][0] = b->hexes[i];
        b->pairs[i][1] = b->hexes[i + 1];
        b->ops[b->count++] = op_side(100 + i, b->pairs[i]);
        b->ops[b->count++] = op_edge(2 * i, i, 100 + i, b->hexes[i]);
        b->ops[b->count++] = op_edge(2 * i + 1, 100 + i, i + 1, b->hexes[i + 1]);
    }
}

struct routes_question board_question(struct routes_train *train, uint32_t stops)
{
    *train = (struct routes_train){.name = "T", .length = stops, .track_cost = {1, 1, 1}};
    return (struct routes_question){
        .company = "US", .trains = train, .train_count = 1, .rules = {.min_stops = 2}};
}
