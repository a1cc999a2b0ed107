/* Turns applied to a history: see turn.h for what one is. */
#ifndef CORE_TURN_APPLY_H
#define CORE_TURN_APPLY_H

#include "core/history.h"

/* A TURN, as history_apply() does it. */
int turn_apply(struct history *h, redo_operation const *op, redo_result *r);

/* How many positions a TURN may make, as far as can be seen before; NOBODY or more: it would not be
 * done. */
uint64_t turn_growth(struct history *h, redo_operation const *op);

/* How many answers of its own an operation has if it is a turn, or more; no more than it has bytes.
 */
uint32_t turn_answers(redo_operation const *op);

#endif
