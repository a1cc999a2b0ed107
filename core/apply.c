/* The one function that changes a history. Each operation is checked whole before anything is
 * touched, then room is made for all that it will make; from there on nothing can fail. */
#include <stdlib.h>
#include <string.h>

#include "core/copy.h"
#include "core/equal.h"
#include "core/error.h"
#include "core/history.h"
#include "core/solution.h"
#include "core/subtree.h"

static int check_state(struct history const *h, redo_operation const *op)
{
    return op->state && op->statesize == h->size ? REDO_OK : REDO_ESTATE;
}

/* ADD of a move that is there already: it is returned, whatever else was given. */
static int add_existing(struct history *h, struct node *prev, struct node *n,
                        redo_operation const *op, redo_result *r)
{
    r->position = n->in.id;
    r->differs = n->p.endpoint != op->endpoint || memcmp(node_state(h, n), op->state, h->size) != 0;
    r->changed = branch_front(h, prev, n);
    return REDO_OK;
}

/* What supersede() will need: room for copied positions, and for numbers of positions, so that it
 * can not fail. */
struct needs {
    uint32_t copies;
    uint32_t numbers;
};

static struct needs supersede_needs(struct history const *h, struct node *longer, unsigned shorter)
{
    struct needs needs = {0};
    if (h->graft == redo_copypath)
        needs.copies = copy_length(longer);
    if (h->graft == redo_graftandcopy) /* from the new position, which is no endpoint itself */
        needs.copies = solution_length_below(longer);
    if (h->graft == redo_graft || h->graft == redo_graftandcopy)
        needs.numbers = graft_candidates(longer, shorter);
    if (needs.numbers < needs.copies)
        needs.numbers = needs.copies;
    return needs;
}

/* The new position n is shorter than its equal `longer`. */
static void supersede(struct history *h, struct node *longer, struct node *n, uint32_t *numbers,
                      redo_result *r)
{
    better_set(h, longer, n);
    r->supersedes = longer->in.id;
    if (h->graft == redo_copypath && longer->p.solutionend) {
        copy_path(h, n, longer, numbers);
    } else if ((h->graft == redo_graft || h->graft == redo_graftandcopy) && longer->p.next) {
        graft_subtree(h, longer, n, numbers);
        r->graftedfrom = longer->in.id;
        r->graftedto = n->in.id;
        if (h->graft == redo_graftandcopy)
            copy_path(h, longer, n, numbers);
    }
}

int history_check_add(struct history const *h, redo_operation const *op)
{
    int rc = check_state(h, op);
    if (rc)
        return rc;
    if (op->endpoint < -128 || op->endpoint > 127)
        return REDO_ERANGE;
    if (op->value != redo_nocheck && op->value != redo_check && op->value != redo_checklater)
        return REDO_ECONSTANT;
    return REDO_OK;
}

static int apply_add(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *prev;
    int rc = history_find(h, op->position, &prev);
    if (rc || (rc = history_check_add(h, op)))
        return rc;
    struct node *existing = branch_find(h, prev, op->move);
    if (existing)
        return add_existing(h, prev, existing, op, r);

    uint32_t hash = equal_hash(h, op->state);
    struct node *first = equal_first(h, hash, op->state);
    /* Endpoints are found by a check, but adding one checks nothing. */
    bool check = op->value == redo_check && !op->endpoint;
    struct node *rival = check ? equal_rival(h, first, NULL) : NULL;
    unsigned movecount = prev->p.movecount + 1;
    bool shorter = rival && movecount < rival->p.movecount;
    struct needs needs = {0};
    if (shorter)
        needs = supersede_needs(h, rival, rival->p.movecount - movecount);
    bool shared = first && !h->states.counted;
    rc = history_reserve(h, 1 + needs.copies, !shared);
    if (rc)
        return rc;
    uint32_t *numbers = NULL;
    if (needs.numbers && !(numbers = malloc(needs.numbers * sizeof *numbers)))
        return REDO_ENOMEM;

    r->firstmade = h->next;
    uint32_t state = shared ? first->state : states_take(&h->states, op->state);
    struct node *n = history_make(h, prev, op->move, state, op->endpoint);
    equal_enter(h, hash, first, n);
    if (op->value == redo_checklater) {
        n->p.setbetter = 1;
        h->waiting++;
    }
    if (shorter)
        supersede(h, rival, n, numbers, r);
    else if (rival)
        better_set(h, n, rival);
    free(numbers);
    r->position = n->in.id;
    r->created = r->changed = 1;
    r->made = h->next - r->firstmade;
    h->changed = true;
    return REDO_OK;
}

static int apply_next(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *n;
    int rc = history_find(h, op->position, &n);
    if (rc)
        return rc;
    struct node *next = branch_find(h, n, op->move);
    if (next) {
        r->position = next->in.id;
        r->changed = branch_front(h, n, next);
    }
    return REDO_OK;
}

/* Takes a position without branches out of the history. The node stays, as dropped: prev and the
 * number can be read, nothing leads to or from it. */
static struct node *drop(struct history *h, struct node *n)
{
    struct node *prev = node_prev(n);
    better_bequeath(h, n);
    uint32_t state = n->state;
    if (equal_leave(h, n) || h->states.counted)
        states_release(&h->states, state);
    branch_remove(h, prev, n);
    if (n->p.setbetter)
        h->waiting--;
    n->p.inuse = n->p.setbetter = 0;
    h->count--;
    if (n->p.solutionend == prev->p.solutionend && n->p.solutionsize == prev->p.solutionsize)
        solution_lower(prev);
    h->changed = true;
    return prev;
}

static int apply_drop(struct history *h, redo_operation const *op, redo_result *r)
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

static int apply_graft(struct history *h, redo_operation const *op, redo_result *r)
{
    if (op->value < redo_nograft || op->value > redo_graftandcopy)
        return REDO_ECONSTANT;
    r->value = h->graft;
    r->changed = h->graft != op->value;
    h->graft = (unsigned char)op->value;
    return REDO_OK;
}

static int apply_update(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *n;
    int rc = history_find(h, op->position, &n);
    if (rc || (rc = check_state(h, op)))
        return rc;
    char *state = node_state(h, n);
    if (memcmp(state + h->cmpsize, (char const *)op->state + h->cmpsize, h->size - h->cmpsize) == 0)
        return REDO_OK;
    char *whole = malloc(h->size);
    if (!whole || states_reserve(&h->states, 1)) {
        free(whole);
        return REDO_ENOMEM;
    }
    memcpy(whole, state, h->cmpsize);
    memcpy(whole + h->cmpsize, (char const *)op->state + h->cmpsize, h->size - h->cmpsize);
    uint32_t old = n->state;
    n->state = states_take(&h->states, whole);
    states_release(&h->states, old);
    free(whole);
    r->changed = 1;
    return REDO_OK;
}

static int apply_setbetter(struct history *h, redo_result *r)
{
    r->changed = h->waiting > 0;
    for (struct node *n = history_from(h, 0); h->waiting > 0; n = history_from(h, n->in.id + 1)) {
        if (!n->p.setbetter)
            continue;
        n->p.setbetter = 0;
        h->waiting--;
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

static int apply_cycle(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *end;
    int rc = history_find(h, op->position, &end);
    if (rc || (rc = check_state(h, op)))
        return rc;
    r->position = end->in.id;
    struct node *first = equal_first(h, equal_hash(h, op->state), op->state);
    if (!first)
        return REDO_OK;
    struct node *match = end;
    while (match && memcmp(node_state(h, match), op->state, h->cmpsize) != 0)
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

static int apply_duplicate(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *dest, *source;
    int rc = history_find(h, op->position, &dest);
    if (rc || (rc = history_find(h, op->source, &source)))
        return rc;
    if (!source->p.solutionend)
        return REDO_OK;
    uint32_t length = copy_length(source);
    if ((rc = history_reserve(h, length, 0)))
        return rc;
    uint32_t *path = malloc((length ? length : 1) * sizeof *path);
    if (!path)
        return REDO_ENOMEM;
    r->value = 1;
    r->firstmade = h->next;
    r->changed = copy_path(h, dest, source, path);
    free(path);
    r->made = h->next - r->firstmade;
    if (r->made)
        h->changed = true;
    return REDO_OK;
}

static int apply_property(struct history *h, redo_operation const *op, redo_result *r)
{
    if (!op->name || op->namesize < 1 || op->namesize > REDO_NAME_MAX)
        return REDO_ENAME;
    if (op->statesize && !op->state)
        return REDO_ESTATE;
    struct property const *there = properties_find(&h->properties, op->name, op->namesize);
    size_t before = there ? there->name_size + there->value_size : 0;
    if (op->statesize > REDO_PROPERTY_MAX ||
        h->properties.bytes - before + op->namesize + op->statesize > REDO_PROPERTY_MAX)
        return REDO_EFULL;
    bool changed;
    int rc = properties_set(&h->properties, op->name, op->namesize, op->state ? op->state : "",
                            op->statesize, &changed);
    if (rc)
        return rc;
    r->changed = changed;
    h->changed |= changed;
    return REDO_OK;
}

static int apply_droptree(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *n;
    int rc = history_find(h, op->position, &n);
    if (rc)
        return rc;
    if (!n->p.prev)
        return REDO_EFIRST;
    r->position = node_prev(n)->in.id;
    r->dropped = subtree_drop(h, n);
    r->changed = 1;
    return REDO_OK;
}

static int apply_restore(struct history *h, redo_operation const *op, redo_result *r)
{
    struct node *parent;
    int rc = history_find(h, op->position, &parent);
    if (rc)
        return rc;
    if (!op->state || !op->statesize)
        return REDO_EDAMAGED;
    return subtree_restore(h, parent, op->state, op->statesize, r);
}

int history_apply(struct history *h, redo_operation const *op, redo_result *result)
{
    redo_result r = {.position = NOBODY,
                     .graftedfrom = NOBODY,
                     .graftedto = NOBODY,
                     .supersedes = NOBODY,
                     .firstmade = NOBODY};
    int rc = REDO_EOPERATION;
    switch (op->kind) {
    case REDO_OP_ADD:
        rc = apply_add(h, op, &r);
        break;
    case REDO_OP_NEXT:
        rc = apply_next(h, op, &r);
        break;
    case REDO_OP_DROP:
        rc = apply_drop(h, op, &r);
        break;
    case REDO_OP_GRAFT:
        rc = apply_graft(h, op, &r);
        break;
    case REDO_OP_UPDATE:
        rc = apply_update(h, op, &r);
        break;
    case REDO_OP_SETBETTER:
        rc = apply_setbetter(h, &r);
        break;
    case REDO_OP_CYCLE:
        rc = apply_cycle(h, op, &r);
        break;
    case REDO_OP_DUPLICATE:
        rc = apply_duplicate(h, op, &r);
        break;
    case REDO_OP_PROPERTY:
        rc = apply_property(h, op, &r);
        break;
    case REDO_OP_DROPTREE:
        rc = apply_droptree(h, op, &r);
        break;
    case REDO_OP_RESTORE:
        rc = apply_restore(h, op, &r);
        break;
    case REDO_OP_CLEAR:
        r.value = r.changed = h->changed;
        h->changed = false;
        rc = REDO_OK;
        break;
    }
    if (!r.made)
        r.firstmade = NOBODY;
    if (result && rc == REDO_OK)
        *result = r;
    return rc;
}
