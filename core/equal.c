#include "core/equal.h"

#include <stdlib.h>
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

void equal_insert(struct history *h, uint32_t hash, struct node *first, struct node *near,
                  struct node *n)
{
    if (!first) {
        equal_enter(h, hash, first, n);
        return;
    }
    struct node *before = near ? near : node_at(h, first->equalprev); /* the last */
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

/* ---- long runs of those that wait ---------------------------------------------------------- */

#define RUN_MAX 32 /* positions that are walked over before it is noted where they end */

static uint32_t ready_find(struct history const *h, uint32_t hash, void const *state)
{
    if (!h->ready.now.count && !h->ready.old.count)
        return NOBODY;
    struct index_walk walk = index_walk(&h->ready, hash);
    uint32_t number;
    while ((number = index_next(&h->ready, &walk)) != INDEX_NONE)
        if (memcmp(node_state(h, node_at(h, number)), state, h->cmpsize) == 0)
            return number;
    return NOBODY;
}

/* All in the ring before this one wait. */
static void ready_note(struct history *h, uint32_t hash, uint32_t before, uint32_t number)
{
    if (before != NOBODY)
        index_replace(&h->ready, hash, before, number);
    else if (index_reserve(&h->ready, 1) == REDO_OK)
        index_insert(&h->ready, hash, number);
}

/* n leaves the ring. */
static void ready_leave(struct history *h, struct node const *n)
{
    if (!h->ready.now.count && !h->ready.old.count)
        return;
    void *state = node_state(h, n);
    uint32_t hash = equal_hash(h, state);
    if (ready_find(h, hash, state) != n->in.id)
        return;
    bool last = n->equalnext < n->in.id;
    if (n->equalnext == n->in.id)
        index_erase(&h->ready, hash, n->in.id);
    else
        index_replace(&h->ready, hash, n->in.id, last ? n->equalprev : n->equalnext);
}

void equal_forget_ready(struct history *h)
{
    index_close(&h->ready);
}

struct node *equal_ready(struct history *h, struct node *first, struct node const *n)
{
    if (first != n && !first->p.setbetter)
        return first;
    void *state = node_state(h, first);
    uint32_t hash = 0, noted = NOBODY;
    struct node *other = first;
    unsigned steps = 0;
    while (other == n || other->p.setbetter) {
        if (++steps == RUN_MAX && !n) {
            hash = equal_hash(h, state);
            noted = ready_find(h, hash, state);
            if (noted != NOBODY && noted > other->in.id) {
                other = node_at(h, noted);
                continue;
            }
        }
        struct node *next = equal_after(h, first, other);
        if (!next)
            break;
        other = next;
    }
    if (steps >= RUN_MAX && !n && other->in.id != noted)
        ready_note(h, hash, noted, other->in.id);
    return other == n || other->p.setbetter ? NULL : other;
}

bool equal_leave(struct history *h, struct node *n)
{
    uint32_t number = n->in.id;
    struct node *next = node_at(h, n->equalnext), *prev = node_at(h, n->equalprev);
    bool alone = next == n;
    ready_leave(h, n);
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

struct node *equal_rival(struct history *h, struct node *first, struct node const *n)
{
    struct node *other = first ? equal_ready(h, first, n) : NULL;
    return other ? chain_end(h, other) : NULL;
}

static void unlink_better(struct history *h, struct node *n)
{
    struct node *better = node_of(n->p.better);
    chain_cut(h, n);
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
    chain_linked(h, n);
}

void better_bequeath(struct history *h, struct node *n)
{
    struct node *heir = n->p.better ? node_of(n->p.better) : NULL;
    while (n->linked != NOBODY)
        better_set(h, node_at(h, n->linked), heir);
    better_set(h, n, NULL);
    chain_forget(h, n);
}

int better_apply(struct history *h, redo_result *r)
{
    r->changed = h->waiting > 0;
    equal_forget_ready(h);
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
