/* Chooses a route for each train out of listings: the set of highest total, with proof.
 *
 * The bound is a Lagrangian one. What two routes of a group can not both use has a price; a route's
 * reduced value is its value less the prices of what it uses; all prices together with the best
 * reduced value of each train are at least any set's total, whatever the prices. A route that falls
 * behind the best of its train (its gap) by more than bound and best total are apart is in no
 * better set, and leaves. Prices are moved until few are left.
 *
 * Where too many are left, the question is divided: of something dear, which train uses it, or does
 * none? Each answer makes a smaller question (a box), with a lower bound. Boxes that are small are
 * searched through, trains in turn, routes by rising gap, as long as the gaps together leave room.
 *
 * All is done in whole numbers, SCALE to one of value, so what is proved holds exactly. */
#ifndef CORE_ROUTES_CHOOSE_H
#define CORE_ROUTES_CHOOSE_H

#include "core/routes/listing.h"

#define CHOOSE_NONE UINT32_MAX
#define CHOOSE_PATIENCE 1000000000 /* some seconds */

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

/* Trains that choose from the same items. */
struct class
{
    struct listing const *listing;
    uint32_t type, group, count;
    uint32_t *items;  /* entries that may be in a best set; CHOOSE_NONE: no route */
    int64_t *reduced; /* their reduced values; the gap is what is missing to the best */
    uint32_t size, room;
    int64_t best; /* the best reduced value */
    uint32_t best_item;
};

/* A question that is part of the whole one. */
struct box {
    struct class classes[ROUTES_TRAINS];
    uint32_t class_count;
    int64_t bound;       /* scaled */
    int64_t *prices;     /* that prove it: by group and set bit, then by once-only bonus */
    uint32_t group, bit; /* by whose use it is divided ... */
    uint32_t child;      /* ... and what part of it comes next */
};

#define BOXES 48 /* within each other at most */

struct chooser {
    struct question const *q;
    struct view const *view;
    struct budget *budget;
    struct ticker *ticker;
    struct found *found;
    struct listing const *listings;
    uint32_t set_words, groups;
    size_t price_count;
    int64_t *prices; /* as in boxes */
    int64_t *tables; /* by group, byte of set bits and its value: sum of prices */
    int64_t claim_table[1 << ROUTES_ONCE];
    uint32_t *usage;   /* as prices */
    int64_t step;      /* totals are multiples of it */
    uint64_t **visits; /* by set rule: points, or NULL */
    struct box *boxes;
    uint64_t *used; /* a row a group */
    uint16_t *scratch;
    uint32_t *ranks[ROUTES_TRAINS];     /* by type, of entries: by the tie rule */
    uint32_t best_ranks[ROUTES_TRAINS]; /* by train, of the set that comes first */
    bool ranked;                        /* there is one */
    bool ties;                          /* sets as good as the best one are looked for too */
    bool partial;                       /* listings do not hold all: what is found is no bound */
    uint64_t patience;                  /* blocks looked at before a box is divided */
    uint16_t *edge_ranks;               /* by slot, of edges of the view: 1 for the smallest id */
};

/* Listings by type; all must hold every route that may be in a set better than what is found, or
 * as good. REDO_OK or REDO_ENOMEM. */
int chooser_open(struct chooser *c, struct question const *q, struct view const *view,
                 struct listing const *listings, struct budget *budget, struct ticker *ticker,
                 struct found *found);
void chooser_close(struct chooser *c);

/* Makes the first box out of all that is listed; false if the budget does not allow it. */
bool chooser_fill(struct chooser *c);
void chooser_empty(struct chooser *c);

/* Finds prices for the first box, and good sets on the way. */
void chooser_price(struct chooser *c);

/* Finds the best total. True if it is proved: everything was searched. */
bool chooser_search(struct chooser *c);

/* Among all sets with the total that was proved, finds the first by the tie rule. True if it is. */
bool chooser_order(struct chooser *c);

/* --- between the files of the chooser --- */

/* The items of a set, a slot a train: slots of a type are in no order. */
struct set {
    uint32_t items[ROUTES_TRAINS];
    uint32_t types[ROUTES_TRAINS];
};

static inline struct entry const *class_entry(struct class const *k, uint32_t item)
{
    return item == CHOOSE_NONE ? NULL : listing_at(k->listing, item);
}

/* The total that is looked for, scaled: better ones than the best, or as good ones. */
static inline int64_t chooser_target(struct chooser const *c)
{
    return SCALE * (c->found->total + (c->ties ? 0 : c->step));
}

int64_t set_total(struct chooser const *c, struct set const *s);

/* Keeps the set if it obeys the rules and is better than the best one; with ties, if it comes
 * before it. */
void set_offer(struct chooser *c, struct set const *s);

/* Makes a set of a box by taking for each train in turn what is best then, and keeps it if it is
 * good. */
void greedy_set(struct chooser *c, struct box const *b, uint32_t start, bool reduced);

/* Moves prices, from where they are, so that the bound of a box falls, until it is settled or
 * little comes of it; drops items. The box has the prices that prove its bound. False if nothing in
 * it reaches the target. */
bool price_box(struct chooser *c, struct box *b, uint32_t moves);

enum search_result {
    SEARCH_DONE,
    SEARCH_LONG,  /* the limit was reached: what is better than what was found may be left */
    SEARCH_FAILED /* there was no memory, or it was stopped */
};

/* Searches a box through, but for no longer than so many steps. Its items are sorted by value.
 * by_rule: it is the first box, undivided, and the first set by the tie rule is enough. */
enum search_result search_box(struct chooser *c, struct box *b, bool by_rule, uint64_t limit);

/* Searches the first box, dividing it as needed. False if it was stopped. */
bool branch_boxes(struct chooser *c);

#endif
