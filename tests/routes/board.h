/* A small board for tests: a line of cities A1 - A3 - A5 - ..., a side between any two. Cities have
 * ids 0, 1, ..., sides 100, 101, ..., edges 2n and 2n + 1 on either side of side n. Cities have one
 * slot; the company is US. */
#ifndef TESTS_ROUTES_BOARD_H
#define TESTS_ROUTES_BOARD_H

#include "core/routes/routes.h"

#define BOARD_MOST 64

struct board {
    char hexes[BOARD_MOST][8];
    char const *pairs[BOARD_MOST][2];
    char const *tokens[BOARD_MOST][1];
    struct routes_op ops[4 * BOARD_MOST];
    size_t count;
};

/* The ops that build it: cities with values 10, 20, ..., a token in the city told. */
void board_line(struct board *b, uint32_t cities, uint32_t home);

struct routes_op op_city(uint32_t id, char const *hex, int32_t value);
struct routes_op op_side(uint32_t id, char const *const *hexes);
struct routes_op op_edge(uint32_t id, uint32_t a, uint32_t b, char const *hex);

/* A question with one train that stops so often, by company US. */
struct routes_question board_question(struct routes_train *train, uint32_t stops);

#endif
