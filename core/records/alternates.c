#include "core/records/alternates.h"

#include <string.h>

#include "core/equal.h"
#include "core/history.h"

static struct alternate *place(struct history const *h, uint32_t number)
{
    return h->records.linked ? pool_find(&h->records.rings, number) : NULL;
}

bool alternates_has(struct history const *h, uint32_t number)
{
    struct alternate const *a = place(h, number);
    return a && a->next;
}

/* Of a position in a ring. */
static uint32_t after(struct history const *h, uint32_t number)
{
    return place(h, number)->next - 1;
}

static uint32_t before(struct history const *h, uint32_t number)
{
    return place(h, number)->prev - 1;
}

uint32_t alternates_first(struct history const *h, uint32_t number)
{
    if (!alternates_has(h, number))
        return number;
    for (uint32_t prev; (prev = before(h, number)) < number;)
        number = prev;
    return number;
}

uint32_t alternates_next(struct history const *h, uint32_t number)
{
    if (!alternates_has(h, number))
        return NOBODY;
    uint32_t next = after(h, number);
    return next > number ? next : NOBODY;
}

int alternates_reserve(struct history *h, uint32_t number)
{
    return pool_reserve(&h->records.rings, number, 1);
}

static void link_two(struct history *h, uint32_t a, uint32_t b)
{
    struct alternate *first = pool_at(&h->records.rings, a),
                     *second = pool_at(&h->records.rings, b);
    first->next = b + 1;
    second->prev = a + 1;
}

void alternates_join(struct history *h, uint32_t other, uint32_t number)
{
    uint32_t at = other;
    if (!alternates_has(h, other)) {
        link_two(h, other, number);
        link_two(h, number, other);
        h->records.linked += 2;
        return;
    }
    /* Between one with a lower number and one with a higher, or where the ring begins anew. */
    if (at > number)
        while (before(h, at) > number && before(h, at) < at)
            at = before(h, at);
    if (at > number)
        at = before(h, at);
    else
        while (after(h, at) < number && after(h, at) > at)
            at = after(h, at);
    uint32_t next = after(h, at);
    link_two(h, at, number);
    link_two(h, number, next);
    h->records.linked++;
}

void alternates_leave(struct history *h, uint32_t number)
{
    struct alternate *a = place(h, number);
    if (!a || !a->next)
        return;
    uint32_t next = a->next - 1, prev = a->prev - 1;
    *a = (struct alternate){0};
    if (next == prev) { /* which is alone then */
        *(struct alternate *)pool_at(&h->records.rings, next) = *a;
        h->records.linked -= 2;
        return;
    }
    link_two(h, prev, next);
    h->records.linked--;
}

/* ---- making one -------------------------------------------------------------------------- */

/* What there is to do. */
struct plan {
    struct node *n, *first;
    struct node *there; /* the one that has that state already, or NULL */
    int move;
};

static int find(struct history const *h, redo_operation const *op, struct plan *p)
{
    int rc = history_find(h, op->position, &p->n);
    if (rc)
        return rc;
    if (h->changes || h->cmpsize == h->size)
        return REDO_EKIND;
    if (!op->state || op->statesize != h->size)
        return REDO_ESTATE;
    if (op->value != 0 && op->value != 1)
        return REDO_ECONSTANT;
    if (memcmp(node_state(h, p->n), op->state, h->cmpsize) != 0)
        return REDO_EDIFFERS;
    uint32_t first = alternates_first(h, p->n->in.id);
    p->first = node_at(h, first);
    if (memcmp(node_state(h, p->n), op->state, h->size) == 0)
        p->there = p->n;
    for (uint32_t at = first; !p->there && at != NOBODY; at = alternates_next(h, at))
        if (memcmp(node_state(h, node_at(h, at)), op->state, h->size) == 0)
            p->there = node_at(h, at);
    return REDO_OK;
}

static int find_move(struct history const *h, redo_operation const *op, struct plan *p)
{
    p->move = op->move;
    if (op->value)
        return branch_find(h, p->first, p->move) ? REDO_EDIFFERS : REDO_OK;
    return records_free_move(h, p->first, true, &p->move);
}

uint32_t alternates_growth(struct history const *h, redo_operation const *op)
{
    struct plan p = {0};
    return !find(h, op, &p) && !p.there;
}

int alternates_apply(struct history *h, redo_operation const *op, redo_result *r)
{
    struct plan p = {0};
    int rc = find(h, op, &p);
    if (!rc && p.there) {
        r->position = p.there->in.id;
        return REDO_OK;
    }
    if (!rc)
        rc = find_move(h, op, &p);
    if (!rc)
        rc = alternates_reserve(h, p.n->in.id);
    if (!rc)
        rc = h->next < NOBODY - 1 ? alternates_reserve(h, h->next) : REDO_EFULL;
    if (rc)
        return rc;
    redo_operation add = {.kind = REDO_OP_ADD,
                          .position = p.first->in.id,
                          .move = p.move,
                          .value = redo_nocheck,
                          .state = op->state,
                          .statesize = op->statesize};
    rc = history_add(h, &add, r);
    if (rc)
        return rc;
    /* It is no move that was played: redo goes on along those. */
    branch_last(h, p.first, node_at(h, r->position));
    alternates_join(h, p.n->in.id, r->position);
    return REDO_OK;
}
