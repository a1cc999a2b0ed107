/* Fans: for each position with many branches, an index from move to branch, so that finding one,
 * and taking it out of the list, does not slow down with their number. A fan is an aid, not a
 * truth: where memory for it lacks there is none, and the list is searched. */
#ifndef CORE_FANS_H
#define CORE_FANS_H

#include <stdbool.h>

#include "core/index.h"
#include "core/redo.h"

struct fan;
struct history;
struct node;

struct fans {
    struct fan **all; /* count of them, by slot */
    uint32_t cap;
    uint32_t count;
    struct index index; /* number of a position -> slot */
};

void fans_init(struct fans *f);
void fans_close(struct fans *f);
size_t fans_memory(struct fans const *f);

/* Branches of a position, in its list and its fan. All of them keep nextcount. */

/* Puts the branch n->in at the front of parent's. */
void branch_push(struct history *h, struct node *parent, struct node *n);
/* Takes it out. */
void branch_remove(struct history *h, struct node *parent, struct node *n);
/* Brings it to the front; false if it was there already. */
bool branch_front(struct history *h, struct node *parent, struct node *n);
/* Puts it last, from the front. */
void branch_last(struct history *h, struct node *parent, struct node *n);
/* The node that move leads to, or NULL. */
struct node *branch_find(struct history const *h, struct node const *parent, int move);
/* Makes the fan of a position whose list was linked by other means, if it is long. REDO_OK or
 * REDO_ENOMEM. */
int branch_listed(struct history *h, struct node *parent);
/* Moves all branches of from to to, which has none, in their order. */
void branch_takeover(struct history *h, struct node *from, struct node *to);

#endif
