/* A question made ready for one network: names compared, ids turned into slots, lists into bit
 * vectors over slots. It holds while the network does not change. */
#ifndef CORE_ROUTES_QUESTION_H
#define CORE_ROUTES_QUESTION_H

#include "core/routes/network.h"

#define STATION_KINDS 4
#define KIND_SETS (1 << STATION_KINDS)

/* Trains that differ in nothing but their place in the list have one type. */
struct train_type {
    struct routes_train const *train; /* the first of them */
    uint32_t group;
    uint32_t count;
    int32_t *values; /* by node slot, with the bonuses that are for one node alone */
    /* How many stops of a set of kinds the rows take at most: a set of stops fits if no set of
     * kinds has more (Hall's theorem, as rows are told apart by nothing but kinds). */
    uint32_t pay[KIND_SETS], visit[KIND_SETS];
    uint32_t *bonuses; /* those that are not in values */
    uint32_t bonus_count;
};

struct bonus {
    int32_t value, per_stop;
    uint64_t **need; /* bits by node slot */
    uint32_t need_count;
    uint64_t *edges; /* bits by edge slot, NULL if it asks for none */
    int once;        /* its number among those paid once in the set, or -1 */
};

struct min_stops {
    uint64_t *nodes;
    uint32_t min;
};

struct question {
    struct routes_network const *net;
    struct routes_question const *asked;
    uint32_t node_words, edge_words; /* of the bit vectors */
    uint32_t type_of[ROUTES_TRAINS], group_of[ROUTES_TRAINS];
    uint32_t group_count;
    struct train_type types[ROUTES_TRAINS];
    uint32_t type_count;
    struct bonus *bonuses;
    uint32_t once_count;
    struct min_stops *min_stops;
    uint64_t **visit;   /* by set rule; NULL where it is no visit rule */
    uint64_t *tokens;   /* by node slot: holds one of the company's */
    uint64_t *blocked;  /* may not be passed by it */
    uint64_t *stations; /* nodes that are some */
    bool meet;
    uint32_t bypass_max; /* UINT32_MAX without the rule */
    void *blocks;        /* all that was allocated */
};

/* Errors as routes_best. */
int question_open(struct question *q, struct routes_network const *net,
                  struct routes_question const *asked, struct routes_fault *fault);
void question_close(struct question *q);

static inline struct train_type const *question_type(struct question const *q, uint32_t train)
{
    return &q->types[q->type_of[train]];
}

/* Whether so many stops by kind fit the rows. */
static inline bool rows_fit(uint32_t const *room, uint32_t const *counts)
{
    for (uint32_t set = 1; set < KIND_SETS; set++) {
        uint32_t sum = 0;
        for (uint32_t kind = 0; kind < STATION_KINDS; kind++)
            sum += set >> kind & 1 ? counts[kind] : 0;
        if (sum > room[set])
            return false;
    }
    return true;
}

#endif
