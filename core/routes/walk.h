/* Walks over all legal routes of a type of train, each once. A route is found from its first root:
 * a station with a token, in the order of roots, earlier ones being left out. From there it has one
 * arm or two; the second leaves by a later arc than the first. Every start of a walk that comes to
 * a station is a route of its own, if it is long enough, so little is looked at that is none.
 *
 * Prices, if there are any, are for what routes of a set compete for: a route's gain is SCALE times
 * its value less the prices of its bits. A walk with a floor leaves out what can not gain as much.
 */
#ifndef CORE_ROUTES_WALK_H
#define CORE_ROUTES_WALK_H

#include "core/routes/plan.h"

#define SCALE 1024 /* of gains and prices to values */

struct frame {
    uint32_t arc;                 /* that was taken to come here */
    uint32_t pos, end;            /* arcs that go on, in plan->next (or out, at the root) */
    uint32_t pos2, end2;          /* arcs that begin the second arm, in plan->out */
    int64_t value;                /* of the stops */
    int64_t gain;                 /* at most, of the stops so far */
    uint32_t length;              /* stops, or hexes of legs that are done */
    uint32_t leg_sides, leg_cost; /* of the leg that is not */
    uint32_t stops;
    uint32_t min_stops;
    uint16_t passed; /* blocked cities */
    uint16_t counts[STATION_KINDS];
    bool second; /* in the second arm */
};

struct walk {
    struct plan const *plan;
    struct frame *frames;
    uint64_t *masks; /* a row a frame: route bits, then set bits */
    uint32_t words;  /* of a row */
    uint32_t depth, root;
    bool started;
    uint64_t const *taken; /* set bits that can not be used, or NULL */
    int64_t *arc_gain;     /* by arc: of the stop it leads to, less prices */
    int64_t *root_gain;    /* by root */
    uint32_t *best_points; /* stations by what they can gain, the most first */
    int64_t *best_gain;    /* by point */
    uint32_t best_count;
    int64_t floor; /* INT64_MIN: none */
    uint64_t steps;
    uint32_t tries, hits;    /* of the bound */
    uint64_t *reach, *front; /* of the bound */
};

int walk_open(struct walk *w, struct plan const *plan);
void walk_close(struct walk *w);

/* Begins anew. prices: by set bit, not negative, or NULL; taken: see above, kept until the next
 * start. */
void walk_start(struct walk *w, int64_t const *prices, uint64_t const *taken, int64_t floor);

enum walk_result { WALK_END, WALK_ROUTE, WALK_PAUSE };

/* The next route, or WALK_PAUSE when `until` steps have been made, to be called again. The floor
 * may be raised in between. */
enum walk_result walk_next(struct walk *w, uint64_t until);

/* The route at hand. */
static inline struct frame const *walk_top(struct walk const *w)
{
    return &w->frames[w->depth];
}

static inline uint64_t const *walk_set_bits(struct walk const *w)
{
    return w->masks + (size_t)w->depth * w->words + w->plan->view->route_words;
}

/* Slots of its stops, in any order; returns how many. */
uint32_t walk_stops(struct walk const *w, uint32_t *stops);

/* Its arcs: those of the first arm from the root, then those of the second. *first: how many the
 * first arm has. Returns how many there are. */
uint32_t walk_arcs(struct walk const *w, uint16_t *arcs, uint32_t *first);

#endif
