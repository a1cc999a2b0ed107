/* Random sessions told by change, for tests: turns that mostly fit, in every kind of schema. */
#ifndef TESTS_CORE_CHANGES_PLAY_H
#define TESTS_CORE_CHANGES_PLAY_H

#include "core/changes/changes.h"
#include "core/history.h"

struct changes_play {
    uint64_t random;
    unsigned schema;
    struct value_writer bytes;  /* of the last operation */
    struct value_writer second; /* of a dropped subtree */
    struct value_writer turn;   /* of a candidate that is played, with a cursor */
    char name[2];
};

/* A new session, by the seed. */
struct history *changes_play_begin(struct changes_play *p, uint64_t seed);
void changes_play_end(struct changes_play *p);

/* The next operation, good until the next one; it may be refused. */
redo_operation changes_play_next(struct changes_play *p, struct history *h);

uint32_t changes_play_random(struct changes_play *p, uint32_t below);

/* Aborts unless each position's table is what its turns lead to, and its state is that of the
 * table: all worked out again from the lines. */
void changes_hold(struct history *h);

#endif
