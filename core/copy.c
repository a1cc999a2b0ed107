#include "core/copy.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/changes.h"
#include "core/equal.h"
#include "core/solution.h"

uint32_t copy_length(struct node const *source)
{
    return source->p.solutionend ? source->p.solutionsize - source->p.movecount : 0;
}

/* A copy that is not shorter than the original is worse than it, or than what that is worse than;
 * unless that is the copy itself. True if it was linked. */
static bool link_copy(struct history *h, struct node *copy, struct node *original)
{
    if (copy->p.better || copy->p.movecount < original->p.movecount ||
        chain_end(h, original) == copy)
        return false;
    if (memcmp(node_state(h, copy), node_state(h, original), h->cmpsize) != 0)
        return false; /* copied to where it does not belong, or along moves known as others */
    better_set(h, copy, original->p.better ? node_of(original->p.better) : original);
    return true;
}

bool copy_path(struct history *h, struct node *dest, struct node *source, uint32_t *path)
{
    /* The path is noted before anything changes: source and dest may lie on one line. */
    uint32_t length = 0;
    for (struct node *n = source; (n = solution_next(n));)
        path[length++] = n->in.id;
    uint32_t before = h->next;
    bool changed = false;
    struct node *original = source;
    for (uint32_t i = 0; i < length; i++) {
        changed |= link_copy(h, dest, original);
        original = node_at(h, path[i]);
        struct node *copy = branch_find(h, dest, original->in.move);
        if (copy && branch_front(h, dest, copy)) {
            touched_order(h->touched, dest->in.id);
            changed = true;
        } else if (!copy) {
            unsigned char own[CHANGES_STATE];
            void *state = node_state(h, original);
            bool unique = h->changes && changes_unique(state, h->next, own);
            if (unique)
                state = own;
            uint32_t id =
                h->states.counted || unique ? states_take(&h->states, state) : original->state;
            uint32_t hash = equal_hash(h, state);
            struct node *first = equal_first(h, hash, state);
            copy = history_make(h, dest, original->in.move, id, original->p.endpoint);
            equal_enter(h, hash, first, copy);
            if (h->changes)
                changes_copied(h, copy);
        }
        dest = copy;
    }
    return changed || h->next != before;
}

/* The next position of the subtree below top, each before its branches; NULL after the last. */
static struct node *preorder(struct node const *top, struct node *n)
{
    if (n->p.next)
        return node_of(n->p.next->p);
    while (n != top && !n->in.cdr)
        n = node_prev(n);
    return n == top ? NULL : node_of(n->in.cdr->p);
}

uint32_t graft_candidates(struct node *top, unsigned shorter)
{
    uint32_t count = 0;
    for (struct node *n = preorder(top, top); n; n = preorder(top, n))
        if (n->p.better && n->p.better->movecount > n->p.movecount - shorter)
            count++;
    return count;
}

/* n has become shorter: what was better than it may be so no longer. */
static void relink(struct history *h, struct node *n)
{
    struct node *better = node_of(n->p.better), *end = chain_end(h, better);
    if (n->p.movecount < end->p.movecount) {
        better_set(h, n, NULL);
        better_set(h, end, n);
    } else if (n->p.movecount < better->p.movecount) {
        better_set(h, n, end);
    }
}

/* Shorter ones first, then those made first. */
static int relink_order(void const *a, void const *b, void *history)
{
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    unsigned xcount = node_at(history, x)->p.movecount, ycount = node_at(history, y)->p.movecount;
    return xcount != ycount ? (xcount > ycount) - (xcount < ycount) : (x > y) - (x < y);
}

void graft_subtree(struct history *h, struct node *from, struct node *to, uint32_t *numbers)
{
    unsigned shorter = from->p.movecount - to->p.movecount;
    branch_takeover(h, from, to);
    /* First all of them become shorter, then better pointers are looked at: two that move together
     * keep theirs, and the order of branches decides nothing. */
    uint32_t count = 0;
    bool betters = false;
    for (struct node *n = preorder(to, to); n; n = preorder(to, n)) {
        n->p.movecount -= shorter;
        touched_note(h->touched, n->in.id, true);
        if (n->p.solutionend)
            n->p.solutionsize -= shorter;
        betters |= n->p.better != NULL;
    }
    for (struct node *n = betters ? preorder(to, to) : NULL; n; n = preorder(to, n))
        if (n->p.better && n->p.better->movecount > n->p.movecount)
            numbers[count++] = n->in.id;
    if (count > 1)
        qsort_r(numbers, count, sizeof *numbers, relink_order, h);
    for (uint32_t i = 0; i < count; i++)
        relink(h, node_at(h, numbers[i]));
    if (solution_refresh(h, to))
        solution_raise(h, to);
    solution_lower(h, from);
}

int copy_apply(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *dest, *source;
    int rc = history_find(h, op->position, &dest);
    if (rc || (rc = history_find(h, op->source, &source)))
        return rc;
    if (!source->p.solutionend)
        return REDO_OK;
    uint32_t length = copy_length(source);
    if ((rc = history_reserve(h, length, h->changes ? length : 0)))
        return rc;
    uint32_t *path = history_scratch(h, length);
    if (length && !path)
        return REDO_ENOMEM;
    if (h->changes && (rc = changes_plan_copy(h, dest, source, false)))
        return rc;
    r->value = 1;
    r->firstmade = h->next;
    r->changed = copy_path(h, dest, source, path);
    if (h->changes)
        changes_stay(h);
    r->made = h->next - r->firstmade;
    if (r->made)
        h->changed = true;
    return REDO_OK;
}
