#include "core/leaf.h"

#include <string.h>

#include "core/changes/changes.h"
#include "core/equal.h"
#include "core/solution.h"

void leaf_forget(struct history *h, struct node *n)
{
    better_bequeath(h, n);
    uint32_t state = n->state;
    if (h->changes)
        changes_drop(h, n);
    if (equal_leave(h, n) || h->states.counted)
        states_release(&h->states, state);
    h->waiting -= n->p.setbetter;
    h->count--;
    records_drop(h, &h->records, n);
    n->p.inuse = n->p.setbetter = 0;
}

/* Takes a position without branches out of the history: its parent. */
static struct node *drop(struct history *h, struct node *n)
{
    struct node *prev = node_prev(n);
    leaf_forget(h, n);
    branch_remove(h, prev, n);
    if (n->p.solutionend == prev->p.solutionend && n->p.solutionsize == prev->p.solutionsize)
        solution_lower(h, prev);
    h->changed = true;
    return prev;
}

int leaf_apply_drop(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *n;
    int rc = history_find(h, op->position, &n);
    if (rc)
        return rc;
    if (n->p.next)
        return REDO_EBRANCHES;
    if (!n->p.prev)
        return REDO_EFIRST;
    r->position = drop(h, n)->in.id;
    r->dropped = 1;
    r->changed = 1;
    return REDO_OK;
}

/* Whether n has the compared bytes of this one. */
static bool has_state(struct history const *h, struct node const *n, struct node const *one)
{
    if (n->state == one->state || !h->states.counted) /* each is stored once */
        return n->state == one->state;
    return memcmp(node_state(h, n), node_state(h, one), h->cmpsize) == 0;
}

int leaf_apply_cycle(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *end;
    int rc = history_find(h, op->position, &end);
    if (rc || (rc = history_check_state(h, op)))
        return rc;
    r->position = end->in.id;
    struct node *first = equal_first(h, equal_hash(h, op->state), op->state);
    if (!first)
        return REDO_OK;
    struct node *match = end;
    while (match && !has_state(h, match, first))
        match = node_prev(match);
    if (!match)
        return REDO_OK;
    r->value = 1;
    r->position = match->in.id;
    if (op->value > 0 && end->p.movecount - match->p.movecount < (unsigned)op->value) {
        while (end != match && !end->p.next) {
            end = drop(h, end);
            r->dropped++;
        }
    }
    r->changed = r->dropped > 0;
    return REDO_OK;
}
