/* Solutions: solutionend and solutionsize of every position are those of the best endpoint at or
 * below it: any is better than none, then the higher value, then the shorter path. Here they are
 * kept up when something below a position changes. */
#ifndef CORE_SOLUTION_H
#define CORE_SOLUTION_H

#include "core/history.h"

/* Works out the solution of n from its own endpoint and its branches. True if it changed. */
bool solution_refresh(struct history *h, struct node *n);

/* A new endpoint: tells the positions before it, or notes that this is to be done. */
void solution_offer(struct history *h, struct node *n);

/* From here on new endpoints, about so many, are noted only: where each is better than the one
 * before, each would tell all the positions before it. Without memory nothing is deferred. */
void solution_defer(struct history *h, uint32_t endpoints);

/* Before any solution is looked at: tells what was noted, the best first, so that a position is
 * told once. More may be noted. */
void solution_settle(struct history *h);

/* The same, and no more is deferred. */
void solution_undefer(struct history *h);

/* What n offers got better: tells the positions before it, as far as it matters. */
void solution_raise(struct history *h, struct node *n);

/* What a position below n offered is gone: works out anew n and the positions before it, as far as
 * it matters. */
void solution_lower(struct history *h, struct node *n);

/* The length of the best solution path from n through its branches, its own endpoint left aside; 0
 * if there is none. */
uint32_t solution_length_below(struct node const *n);

/* The next position on the best solution path from n; NULL if n is its end, or has none. Of several
 * branches that are as good, the first in the list. */
struct node *solution_next(struct node const *n);

/* The branch that the best solution path takes from n, its own endpoint left aside; or NULL. */
struct node *solution_below(struct node const *n);

#endif
