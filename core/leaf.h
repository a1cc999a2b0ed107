/* Leaves: positions without branches, which can be dropped one by one. */
#ifndef CORE_LEAF_H
#define CORE_LEAF_H

#include "core/history.h"

/* A DROP; a CYCLE, as history_apply() does them. */
int leaf_apply_drop(struct history *h, redo_operation const *op, redo_result *r);
int leaf_apply_cycle(struct history *h, redo_operation const *op, redo_result *r);

/* Drops a position without branches, but for its place among its parent's, which is the caller's to
 * end with branch_remove(). The node stays, as dropped: prev and the number can be read, and
 * nothing else leads to or from it. */
void leaf_forget(struct history *h, struct node *n);

#endif
