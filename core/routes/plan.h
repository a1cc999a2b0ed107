/* A view as one type of train sees it: which arcs it can use, and in which order they follow each
 * other, what stops are worth to it. */
#ifndef CORE_ROUTES_PLAN_H
#define CORE_ROUTES_PLAN_H

#include "core/routes/view.h"

/* What a walk must mind when it takes an arc. */
#define TAKE_FIRST_ONLY 1 /* only as the first arc of a route */
#define TAKE_STOPS 2      /* the route ends where it leads, unless it is the first arc */
#define TAKE_STARTS 4     /* as first arc: the route begins there, so no second arm */
#define TAKE_ALONE 8      /* as first arc: a second arm only if the first is this arc alone */
#define TAKE_ENDS 16      /* the route ends where it leads, even if it is the first arc */

/* How a walk may go on from a point. */
#define POINT_STATION 1
#define POINT_OFFBOARD 2
#define POINT_BLOCKED 4
#define POINT_TOKEN 8

struct plan {
    struct view const *view;
    struct train_type const *type;
    uint32_t *first_next; /* by arc: place in next; one more at the end */
    uint16_t *next;       /* arcs that may follow */
    uint32_t *first_out;  /* by root: place in out; one more at the end */
    uint16_t *out;        /* arcs that leave it */
    uint8_t *take;        /* by arc */
    uint8_t *point;       /* by point */
    uint8_t *kind;
    int32_t *value; /* by point */
    int32_t *worth; /* at most, as a counted stop: never negative with rows, 0 if its kind never
                       counts */
    uint32_t *cost;
    uint32_t *min_stops; /* by point */
    uint64_t *near;      /* a row a point: where its arcs lead */
    uint64_t *passable;  /* points that a walk may go on from */
    uint32_t arc_count;
    uint32_t *track_cost; /* by arc: the highest */
    bool sums;            /* the value of a route is the sum of its stops' */
    int64_t extra;        /* bonuses bring no more than this */
};

/* REDO_OK or REDO_ENOMEM. */
int train_plan_open(struct plan *p, struct view const *view, struct train_type const *type);
void train_plan_close(struct plan *p);

#endif
