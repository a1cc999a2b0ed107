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

/* Drops n, which is not the first position, and all below it; returns how many. */
uint32_t subtree_drop(struct history *h, struct node *n);

/* Brings a subtree back below parent: each position under its number, with its state, and its
 * better pointer where that is still as good. *result as redo_apply()'s. REDO_OK; or nothing
 * changed: REDO_EDAMAGED (no such bytes, or not of this session), REDO_EVERSION (of a newer
 * version), REDO_EINUSE (one of its numbers is in use), REDO_EDIFFERS (the move from parent is
 * taken), REDO_ENOMEM. Records and alternates are those that it had; alternates that are gone
 * meanwhile are left out. */
int subtree_restore(struct history *h, struct node *parent, void const *data, size_t size,
                    redo_result *result);

#endif
