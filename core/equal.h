/* Equal positions: those whose compared bytes are the same form a ring, in the order in which they
 * were made, found through an index on those bytes. Better pointers lead from one to another in
 * fewer moves, or as many and made no later; they form chains without loops. */
#ifndef CORE_EQUAL_H
#define CORE_EQUAL_H

#include "core/history.h"

/* The hash of a state's compared bytes. */
uint32_t equal_hash(struct history const *h, void const *state);

/* The first made of the positions with the same compared bytes, or NULL. */
struct node *equal_first(struct history const *h, uint32_t hash, void const *state);

/* Enters a position into its ring, of which first is the first (NULL: none yet; then room for one
 * insertion must be reserved in h->classes). Positions come in the order of their numbers. */
void equal_enter(struct history *h, uint32_t hash, struct node *first, struct node *n);

/* The same for a position that may have been made before others in the ring: near is one of those,
 * or NULL, from which its place is looked for. */
void equal_insert(struct history *h, uint32_t hash, struct node *first, struct node *near,
                  struct node *n);

/* Takes a position out of its ring. True if it was the last one. */
bool equal_leave(struct history *h, struct node *n);

/* The next in the ring, or NULL after the last made; first is the first of the ring. */
struct node *equal_after(struct history const *h, struct node const *first, struct node const *n);

/* The first made of the positions in the ring of `first`, n left aside, that do not wait for their
 * check; or NULL. Where many wait it is noted where these end, so that they are walked over once.
 */
struct node *equal_ready(struct history *h, struct node *first, struct node const *n);

/* Before positions in rings cease to wait, or one that does not is inserted: what was noted does
 * not hold. */
void equal_forget_ready(struct history *h);

/* What a check of n (NULL: of a position not made yet) is held against: the first made of the other
 * equal positions that do not wait for their check themselves, then along its better pointers to
 * the end, which may be n itself; NULL if there is none. */
struct node *equal_rival(struct history *h, struct node *first, struct node const *n);

/* Sets n's better pointer (NULL: none). */
void better_set(struct history *h, struct node *n, struct node *better);

/* Before n is dropped: those that pointed to it point to its own better, or nowhere. */
void better_bequeath(struct history *h, struct node *n);

/* A SETBETTER, as history_apply() does it. */
int better_apply(struct history *h, redo_result *r);

#endif
