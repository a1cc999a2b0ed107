/* Solutions: solutionend and solutionsize of every position are those of the best endpoint at or
 * below it: any is better than none, then the higher value, then the shorter path. Here they are
 * kept up when something below a position changes. */
#ifndef CORE_SOLUTION_H
#define CORE_SOLUTION_H

#include "core/history.h"

/* Works out the solution of n from its own endpoint and its branches. True if it changed. */
bool solution_refresh(struct history *h, struct node *n);

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
