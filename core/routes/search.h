/* A search under way: what its parts share. */
#ifndef CORE_ROUTES_SEARCH_H
#define CORE_ROUTES_SEARCH_H

#include "core/routes/choose.h"

struct search {
    struct question q;
    struct view view;
    struct plan plans[ROUTES_TRAINS]; /* by type */
    struct walk walks[ROUTES_TRAINS]; /* by type; by train when walking for sets */
    uint32_t plan_count, walk_count;
    struct listing listings[ROUTES_TRAINS];
    struct valuer valuer;
    struct found found;
    struct budget budget;
    struct ticker ticker;
    uint64_t patience; /* 0: as a rule */
    uint64_t until;    /* walks end when so many nodes were met, or never: 0 */
    bool has_view, has_valuer, has_found;
    bool asks_edges; /* some bonus does */
    uint64_t *edges;
    uint32_t *stops;
    uint16_t *path, *scratch;
    int64_t most[ROUTES_TRAINS]; /* by type: the best reduced value of its routes, and of none */
};

/* Works out the worths of the route at hand, in the valuer. */
void search_worths(struct search *s, struct walk const *w);

/* The next route that has a worth; false at the end, when asked to stop, or after s->until. */
bool search_next(struct search *s, struct walk *w);

void search_close_walks(struct search *s);

/* --- columns.c: routes that are too many to be listed --- */

/* The prices of a type's group, those of the first box; and a worth less the prices of its route.
 */
int64_t const *search_prices(struct search const *s, struct chooser const *c, uint32_t type);
int64_t search_reduced(struct search const *s, struct chooser const *c, struct walk const *w,
                       struct worth const *worth);

/* Lists some routes that make a good set: each train in turn walks for a while beside the routes of
 * those before. */
void search_list_first(struct search *s);

/* Finds prices by which few routes can be in a best set: those of the routes listed so far are
 * tried on all, which brings new routes to the list. Returns the best bound; the prices that prove
 * it are those of the first box, best reduced values in s->most. prices: room for them. */
int64_t search_find_prices(struct search *s, struct chooser *c, int64_t *prices);

/* Lists what can be in a set as good as the best one, by the prices; false if there is no room, or
 * when asked to stop. */
bool search_list_some(struct search *s, struct chooser *c, int64_t bound);

/* --- sets.c: without any lists --- */

/* Walks for sets, later trains once for each route of the earlier ones. The prices must be those
 * that prove the bound, s->most theirs. What is found is the best and the first by the tie rule,
 * unless it was stopped. REDO_OK or REDO_ENOMEM. */
int search_by_walks(struct search *s, struct chooser *c, int64_t bound);

#endif
