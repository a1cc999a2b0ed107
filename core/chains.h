/* Chains of better pointers that have become long, so that their ends are found in logarithmic
 * time: a position that is reached in fewer moves again and again makes one as long as it was
 * often. An aid, not a truth: short chains are walked, and where memory for it lacks all are. */
#ifndef CORE_CHAINS_H
#define CORE_CHAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/pool.h"

struct history;
struct node;

struct chains {
    struct pool ropes; /* by number; see chains.c */
    bool any;          /* position is roped */
};

void chains_init(struct chains *c);
void chains_close(struct chains *c);
size_t chains_memory(struct chains const *c);

/* The end of n's chain of better pointers; n itself if it has no better one. */
struct node *chain_end(struct history *h, struct node *n);

/* n->p.better was set, or is about to be taken away. */
void chain_linked(struct history *h, struct node *n);
void chain_cut(struct history *h, struct node *n);

/* n, which has no better and is nobody's, is dropped. */
void chain_forget(struct history *h, struct node *n);

#endif
