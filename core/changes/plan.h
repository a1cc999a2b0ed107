/* A plan: turns worked out for positions that are not made yet, one after the other, so that many
 * can be made at once, or none. */
#ifndef CORE_CHANGES_PLAN_H
#define CORE_CHANGES_PLAN_H

#include "core/changes/changes.h"
#include "core/index.h"

struct planned {
    struct node *base; /* the position that it comes after, or that its first one before comes after
                        */
    uint32_t before;   /* its place in the plan plus 1, or 0: base itself */
    struct turn *turn; /* NULL once it was taken */
    unsigned char state[CHANGES_STATE];
};

struct plan {
    struct planned *all;
    uint32_t count, cap;
    uint32_t *done; /* places of those whose steps are done on the main table, from base on ... */
    uint32_t depth, room;
    struct node *at;    /* ... which is this one; NULL: the main table is as it was */
    struct index index; /* states -> the first of those that have them */
};

/* Plans the turn of these bytes after a position, or after the one of that place in the plan (from
 * 1), for the position of this number. REDO_OK, REDO_ELINE (c->fault), REDO_EOPERATION,
 * REDO_ENOMEM. */
int plan_add(struct history *h, struct plan *p, struct node *base, uint32_t before,
             void const *data, size_t size, uint32_t number);

/* After planning: the main table is a position's again. REDO_OK; or REDO_ENOMEM, and it is lost,
 * which does no harm. */
int plan_leave(struct history *h, struct plan *p);

/* Puts the turn of a place (from 0) in for its position, which is there by now. */
void plan_enter(struct history *h, struct plan *p, uint32_t place, struct node *n);

/* Frees what was not entered; the main table is a position's again, or lost. */
void plan_close(struct history *h, struct plan *p);

#endif
