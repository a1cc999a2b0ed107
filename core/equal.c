#include "core/equal.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

uint32_t equal_hash(struct history const *h, void const *state)
{
    return (uint32_t)XXH3_64bits_withSeed(state, h->cmpsize, h->seed);
}

struct node *equal_first(struct history const *h, uint32_t hash, void const *state)
{
    struct index_walk walk = index_walk(&h->classes, hash);
    uint32_t number;
    while ((number = index_next(&h->classes, &walk)) != INDEX_NONE) {
        struct node *n = node_at(h, number);
        if (memcmp(node_state(h, n), state, h->cmpsize) == 0)
            return n;
    }
    return NULL;
}

void equal_enter(struct history *h, uint32_t hash, struct node *first, struct node *n)
{
    uint32_t number = n->in.id;
    if (!first) {
        n->equalnext = n->equalprev = number;
        index_insert(&h->classes, hash, number);
        return;
    }
    struct node *last = node_at(h, first->equalprev);
    n->equalnext = first->in.id;
    n->equalprev = last->in.id;
    last->equalnext = first->equalprev = number;
}

void equal_insert(struct history *h, uint32_t hash, struct node *first, struct node *n)
{
    if (!first) {
        equal_enter(h, hash, first, n);
        return;
    }
    struct node *before = node_at(h, first->equalprev); /* the last */
    while (before != first && before->in.id > n->in.id)
        before = node_at(h, before->equalprev);
    if (before->in.id > n->in.id) { /* it is the first now */
        index_replace(&h->classes, hash, first->in.id, n->in.id);
        before = node_at(h, first->equalprev);
    }
    struct node *after = node_at(h, before->equalnext);
    n->equalprev = before->in.id;
    n->equalnext = after->in.id;
    before->equalnext = after->equalprev = n->in.id;
}

bool equal_leave(struct history *h, struct node *n)
{
    uint32_t number = n->in.id;
    struct node *next = node_at(h, n->equalnext), *prev = node_at(h, n->equalprev);
    bool alone = next == n;
    /* The first made is the one whose predecessor in the ring was not made before it. */
    if (n->equalprev >= number) {
        uint32_t hash = equal_hash(h, node_state(h, n));
        if (alone)
            index_erase(&h->classes, hash, number);
        else
            index_replace(&h->classes, hash, number, n->equalnext);
    }
    prev->equalnext = n->equalnext;
    next->equalprev = n->equalprev;
    return alone;
}

struct node *equal_after(struct history const *h, struct node const *first, struct node const *n)
{
    return n->equalnext == first->in.id ? NULL : node_at(h, n->equalnext);
}

struct node *equal_rival(struct history const *h, struct node *first, struct node const *n)
{
    struct node *other = first;
    while (other && (other == n || other->p.setbetter))
        other = equal_after(h, first, other);
    return other ? better_end(other) : NULL;
}

struct node *better_end(struct node *n)
{
    while (n->p.better)
        n = node_of(n->p.better);
    return n;
}

static void unlink_better(struct history *h, struct node *n)
{
    struct node *better = node_of(n->p.better);
    if (n->linkprev == NOBODY)
        better->linked = n->linknext;
    else
        node_at(h, n->linkprev)->linknext = n->linknext;
    if (n->linknext != NOBODY)
        node_at(h, n->linknext)->linkprev = n->linkprev;
    n->p.better = NULL;
}

void better_set(struct history *h, struct node *n, struct node *better)
{
    if (n->p.better != (better ? &better->p : NULL))
        touched_note(h->touched, n->in.id, true);
    if (n->p.better)
        unlink_better(h, n);
    if (!better)
        return;
    n->p.better = &better->p;
    n->linkprev = NOBODY;
    n->linknext = better->linked;
    if (better->linked != NOBODY)
        node_at(h, better->linked)->linkprev = n->in.id;
    better->linked = n->in.id;
}

void better_bequeath(struct history *h, struct node *n)
{
    struct node *heir = n->p.better ? node_of(n->p.better) : NULL;
    while (n->linked != NOBODY)
        better_set(h, node_at(h, n->linked), heir);
    better_set(h, n, NULL);
}

int better_apply(struct history *h, redo_result *r)
{
    r->changed = h->waiting > 0;
    for (struct node *n = history_from(h, 0); h->waiting > 0; n = history_from(h, n->in.id + 1)) {
        if (!n->p.setbetter)
            continue;
        n->p.setbetter = 0;
        h->waiting--;
        touched_note(h->touched, n->in.id, true);
        void *state = node_state(h, n);
        struct node *rival = equal_rival(h, equal_first(h, equal_hash(h, state), state), n);
        if (!rival)
            continue;
        r->value++;
        if (rival == n)
            continue;
        if (rival->p.movecount <= n->p.movecount)
            better_set(h, n, rival);
        else
            better_set(h, rival, n);
    }
    return REDO_OK;
}
