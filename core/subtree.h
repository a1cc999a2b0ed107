/* Subtrees: dropping a position with all below it, and bringing that back, numbers and all, from
 * bytes that were taken before. */
#ifndef CORE_SUBTREE_H
#define CORE_SUBTREE_H

#include "core/history.h"

/* The subtree at n (not the first position) as bytes, malloc()ed, the caller's: what an operation
 * REDO_OP_RESTORE at its parent brings back. REDO_OK or REDO_ENOMEM. */
int subtree_capture(struct history const *h, struct node const *n, void **data, size_t *size);

/* Where the subtree in these bytes hung, its first position and how many it has; false if they are
 * no such bytes. */
bool subtree_look(void const *data, size_t size, uint32_t *parent, uint32_t *top, uint32_t *count);

/* A DROPTREE, as history_apply() does it: drops a position, not the first, and all below it. */
int subtree_apply_drop(struct history *h, redo_operation const *op, redo_result *r);

/* A RESTORE, as history_apply() does it: brings a subtree back, each position under its number,
 * with its state, and its better pointer where that is still as good. REDO_OK; or nothing changed:
 * REDO_EPOSITION, REDO_EDROPPED, REDO_EDAMAGED (no such bytes, or not of this session),
 * REDO_EVERSION (of a newer version), REDO_EINUSE (one of its numbers is in use), REDO_EDIFFERS
 * (the move from parent is taken), REDO_ENOMEM. Records and alternates are those that it had;
 * alternates that are gone meanwhile are left out. */
int subtree_apply_restore(struct history *h, redo_operation const *op, redo_result *r);

#endif
