/* What a route is worth. Where a train counts only some of its stops, which ones depends on the
 * bonuses that they bring, and on which once-only bonuses the route is to be paid: so a route has
 * several values, one for each set of those (its claims) that is worth claiming. */
#ifndef CORE_ROUTES_VALUE_H
#define CORE_ROUTES_VALUE_H

#include "core/routes/question.h"

struct worth {
    uint32_t claims; /* once-only bonuses that it is paid: a bit each */
    int64_t value;   /* with them */
};

#define VALUE_WORTHS (1u << ROUTES_ONCE)

struct valuer {
    struct question const *q;
    uint32_t *order;   /* of stops: dearest first */
    uint8_t *counted;  /* of stops, by their place in the route: forced, or taken */
    uint32_t *bonuses; /* of the question, that the route could be paid */
    uint32_t bonus_count;
    struct choice *choices;      /* the way to the set of counted stops that is looked at */
    bool (*tick)(void *context); /* counts work; true: to stop, with what there is. Or NULL */
    void *tick_context;
    struct worth worths[VALUE_WORTHS];
    uint32_t worth_count;
};

/* REDO_OK or REDO_ENOMEM. */
int valuer_open(struct valuer *v, struct question const *q);
void valuer_close(struct valuer *v);

/* Works out v->worths, claims rising; the first claims nothing. None at all if the train needs a
 * counted stop with a token and has none. stops: slots in order; edges: bits of the slots that the
 * route uses, read only if a bonus of the type asks for edges. */
void valuer_route(struct valuer *v, struct train_type const *type, uint32_t const *stops,
                  uint32_t count, uint64_t const *edges);

#endif
