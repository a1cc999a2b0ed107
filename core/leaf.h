/* Leaves: positions without branches, which can be dropped one by one. */
#ifndef CORE_LEAF_H
#define CORE_LEAF_H

#include "core/history.h"

/* A DROP; a CYCLE, as history_apply() does them. */
int leaf_apply_drop(struct history *h, redo_operation const *op, redo_result *r);
int leaf_apply_cycle(struct history *h, redo_operation const *op, redo_result *r);

#endif
