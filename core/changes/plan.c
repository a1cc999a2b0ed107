#include "core/changes/plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/inside.h"
#include "core/changes/lines.h"
#include "core/changes/steps.h"
#include "core/equal.h"
#include "core/error.h"

/* ---- where the main table is ------------------------------------------------------------- */

static int undo_last(struct history *h, struct plan *p)
{
    struct turn const *t = p->all[p->done[p->depth - 1]].turn;
    if (!h->changes->main.there)
        return REDO_ENOMEM;
    int rc = steps_undo(&h->changes->main.table, t->data + t->size, t->steps);
    p->depth -= !rc;
    return rc;
}

/* Room for all of the plan on the way, and for as many on the way there. */
static int make_room(struct plan *p)
{
    if (p->count + 1 <= p->room)
        return REDO_OK;
    uint32_t room = 2 * p->count + 16;
    uint32_t *grown = realloc(p->done, 2 * (size_t)room * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    p->done = grown;
    p->room = room;
    return REDO_OK;
}

/* The way to a place in the plan, from 1, behind the one that is done: how many steps. */
static uint32_t find_way(struct plan *p, uint32_t place)
{
    uint32_t *way = p->done + p->room, count = 0;
    for (; place; place = p->all[place - 1].before)
        way[count++] = place - 1;
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t last = way[count - 1 - i];
        way[count - 1 - i] = way[i];
        way[i] = last;
    }
    return count;
}

/* Takes the main table to base, and on to a place in the plan. */
static int plan_go(struct history *h, struct plan *p, struct node *base, uint32_t place)
{
    struct changes *c = h->changes;
    if (p->at == base && (p->depth ? p->done[p->depth - 1] + 1 : 0) == place)
        return REDO_OK;
    uint32_t count = find_way(p, place), same = 0;
    while (p->at == base && same < p->depth && same < count &&
           p->done[same] == p->done[p->room + same])
        same++;
    int rc = REDO_OK;
    while (!rc && p->depth > same)
        rc = undo_last(h, p);
    if (!rc && p->at != base)
        rc = view_go(h, &c->main, base);
    if (rc)
        return rc;
    p->at = base;
    for (uint32_t i = same; !rc && i < count; i++) {
        struct turn const *t = p->all[p->done[p->room + i]].turn;
        rc = steps_do(&c->main.table, t->data + t->size, t->steps);
        if (!rc)
            p->done[p->depth++] = p->done[p->room + i];
    }
    return rc;
}

/* ---- states ------------------------------------------------------------------------------ */

static struct planned *find_planned(struct history *h, struct plan *p, void const *state)
{
    struct index_walk walk = index_walk(&p->index, equal_hash(h, state));
    uint32_t place;
    while ((place = index_next(&p->index, &walk)) != INDEX_NONE)
        if (memcmp(p->all[place].state, state, CHANGES_STATE) == 0)
            return &p->all[place];
    return NULL;
}

/* Takes the other view's table to where a planned turn leads; it is to be lost then. */
static int go_to_planned(struct history *h, struct plan *p, struct planned const *to)
{
    struct changes *c = h->changes;
    int rc = view_go(h, &c->other, to->base);
    uint32_t count = rc ? 0 : find_way(p, (uint32_t)(to - p->all) + 1);
    for (uint32_t i = 0; !rc && i < count; i++) {
        struct turn const *t = p->all[p->done[p->room + i]].turn;
        rc = steps_do(&c->other.table, t->data + t->size, t->steps);
    }
    return rc;
}

int plan_compare(struct history *h, struct plan *p, struct table const *t, void const *state,
                 bool *there, bool *same)
{
    struct planned *first = find_planned(h, p, state);
    *there = first;
    if (!first)
        return REDO_OK;
    int rc = go_to_planned(h, p, first);
    if (!rc)
        rc = table_same_board(t, &h->changes->other.table, same, NULL);
    view_lose(&h->changes->other);
    return rc;
}

/* ---- planning ---------------------------------------------------------------------------- */

static int keep(struct history *h, struct plan *p, struct planned const *planned)
{
    if (p->count == p->cap) {
        uint32_t cap = p->cap ? p->cap * 2 : 16;
        struct planned *grown = realloc(p->all, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        p->all = grown;
        p->cap = cap;
    }
    if (index_reserve(&p->index, 1))
        return REDO_ENOMEM;
    if (!find_planned(h, p, planned->state))
        index_insert(&p->index, equal_hash(h, planned->state), p->count);
    p->all[p->count] = *planned;
    p->done[p->depth++] = p->count++;
    return REDO_OK;
}

int plan_add(struct history *h, struct plan *p, struct node *base, uint32_t before,
             void const *data, size_t size, uint32_t number)
{
    struct planned planned = {.base = before ? p->all[before - 1].base : base, .before = before};
    int rc = make_room(p);
    if (!rc)
        rc = plan_go(h, p, planned.base, before);
    if (!rc)
        rc = changes_compile_here(h, p, data, size, number, &planned.turn, planned.state);
    if (rc)
        return rc;
    rc = keep(h, p, &planned);
    if (rc)
        changes_abandon(h, NULL, planned.turn);
    return rc;
}

void plan_enter(struct history *h, struct plan *p, uint32_t place, struct node *n)
{
    *turn_place(h->changes, n->in.id) = p->all[place].turn;
    p->all[place].turn = NULL;
}

int plan_leave(struct history *h, struct plan *p)
{
    int rc = REDO_OK;
    while (!rc && p->depth && h->changes->main.there)
        rc = undo_last(h, p);
    if (rc)
        view_lose(&h->changes->main);
    p->depth = 0;
    p->at = NULL;
    return rc;
}

void plan_close(struct history *h, struct plan *p)
{
    plan_leave(h, p);
    for (uint32_t i = 0; i < p->count; i++)
        turn_free(h->changes, p->all[i].turn);
    free(p->all);
    free(p->done);
    index_close(&p->index);
    *p = (struct plan){0};
}
