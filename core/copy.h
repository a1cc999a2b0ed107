/* Copying solution paths, and grafting: what happens when a shorter way to a known state is found,
 * and redo_duplicatepath(). */
#ifndef CORE_COPY_H
#define CORE_COPY_H

#include "core/history.h"

/* The number of positions on the best solution path after source: at most so many are made by
 * copy_path(). */
uint32_t copy_length(struct node const *source);

/* Copies the best solution path of source to dest, into room reserved for copy_length() positions:
 * moves that dest's line has already are followed, the others made. `path` has space for
 * copy_length() numbers. Returns whether anything changed. */
bool copy_path(struct history *h, struct node *dest, struct node *source, uint32_t *path);

/* At most so many positions of the subtree below n may need other better pointers once it has
 * become `shorter` moves shorter. */
uint32_t graft_candidates(struct node *n, unsigned shorter);

/* Moves the branches of `from` to its equal `to`, which has fewer moves and no branches. `numbers`
 * has space for graft_candidates() numbers. */
void graft_subtree(struct history *h, struct node *from, struct node *to, uint32_t *numbers);

/* A DUPLICATE, as history_apply() does it. */
int copy_apply(struct history *h, redo_operation const *op, redo_result *r);

#endif
