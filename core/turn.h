/* A turn: several operations as one, all or none. It adds positions, each after one that is there
 * or after one that the turn has added before, or plays one candidate or decision; and may move one
 * cursor at its end.
 *
 * Its form (core/README.md): how many operations, then for each of them 0, or the place in the list
 * (from 1) of the one whose position it takes in the place of its own; how many bytes it has; and
 * these, in the form of an operation without stamp and key. */
#ifndef CORE_TURN_H
#define CORE_TURN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/redo.h"

struct turn_item {
    redo_operation op;
    uint32_t after; /* place in the list, from 1; 0: op.position is a number */
};

/* The items of a turn, which point into data; the caller frees them. REDO_OK, REDO_EOPERATION (it
 * is none), REDO_EFULL, REDO_ENOMEM. */
int turn_read(void const *data, size_t size, struct turn_item **items, uint32_t *count);

/* Whether a turn plays a candidate or a decision: its PLAY, which points into data. */
bool turn_plays(redo_operation const *turn, redo_operation *play);

/* The bytes of a turn, malloc()ed and the caller's. REDO_OK, REDO_EFULL, REDO_ENOMEM; or
 * REDO_EOPERATION: an item can not be encoded. */
int turn_write(struct turn_item const *items, uint32_t count, void **data, size_t *size);

#endif
