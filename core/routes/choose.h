/* Chooses a route for each train out of listings: the set of highest total, with proof.
 *
 * The bound is a Lagrangian one. What two routes of a group can not both use has a price; a route's
 * reduced value is its value less the prices of what it uses; all prices together with the best
 * reduced value of each train are at least any set's total, whatever the prices. A route that falls
 * behind the best of its train (its gap) by more than bound and best total are apart is in no
 * better set, and leaves. Prices are moved until few are left; those are searched, trains in turn,
 * routes by rising gap, as long as the gaps together leave room.
 *
 * All is done in whole numbers, SCALE to one of value, so what is proved holds exactly. */
#ifndef CORE_ROUTES_CHOOSE_H
#define CORE_ROUTES_CHOOSE_H

#include "core/routes/listing.h"

#define CHOOSE_NONE UINT32_MAX

/* The best set so far, its routes written down. */
struct found {
    int64_t total;
    uint32_t path_room;
    bool runs[ROUTES_TRAINS];
    int64_t values[ROUTES_TRAINS];
    uint16_t *paths; /* path_room each */
};

int found_open(struct found *f, struct view const *v);
void found_close(struct found *f);

/* Trains of one type. */
struct class
{
    struct listing const *listing;
    uint32_t group, count;
    uint32_t *items; /* entries that may be in a best set; CHOOSE_NONE: no route */
    int64_t *gaps;   /* of items (reduced values, while prices are moved) */
    uint32_t *lex;   /* places in items, by the tie rule */
    uint32_t size, room;
    int64_t best; /* reduced value; no less than that of no route: 0 */
    uint32_t best_item;
};

struct chooser {
    struct question const *q;
    struct view const *view;
    struct budget *budget;
    struct ticker *ticker;
    struct found *found;
    struct class classes[ROUTES_TRAINS]; /* as the question's types */
    uint32_t class_count;
    uint32_t const *class_of; /* by train */
    uint32_t set_words, groups;
    int64_t *prices; /* a row of set bits a group */
    int64_t *best_prices;
    int64_t claim_prices[ROUTES_ONCE], best_claim_prices[ROUTES_ONCE];
    int64_t *tables; /* by group, byte of set bits and its value: sum of prices */
    int64_t claim_table[1 << ROUTES_ONCE];
    uint32_t *usage;   /* as prices */
    int64_t bound;     /* scaled, of the prices as they are */
    int64_t step;      /* totals are multiples of it */
    uint64_t **visits; /* by set rule: points, or NULL */
    struct level *levels;
    uint64_t *used; /* a row a level and group */
    uint16_t *scratch;
    bool partial; /* listings do not hold all: what is found is no bound */
};

/* Listings by type; all must hold every route that may be in a set better than what is found, or
 * as good. REDO_OK or REDO_ENOMEM. */
int chooser_open(struct chooser *c, struct question const *q, struct view const *view,
                 struct listing const *listings, struct budget *budget, struct ticker *ticker,
                 struct found *found);
void chooser_close(struct chooser *c);

/* Makes the lists of items; false if the budget does not allow them. */
bool chooser_fill(struct chooser *c);

/* Moves prices, finds good sets on the way and drops what is in no better one. */
void chooser_price(struct chooser *c);

/* Finds the best total. True if it is proved: everything was searched. */
bool chooser_search(struct chooser *c);

/* Among all sets with the total that was proved, finds the first by the tie rule. True if it is. */
bool chooser_order(struct chooser *c);

#endif
