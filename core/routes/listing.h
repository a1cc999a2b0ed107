/* Routes written down, under a budget of memory. A route that could be paid once-only bonuses is in
 * it several times, with each set of claims that is worth it. */
#ifndef CORE_ROUTES_LISTING_H
#define CORE_ROUTES_LISTING_H

#include "core/routes/path.h"
#include "core/routes/value.h"

struct budget {
    size_t limit, used, most;
};

/* When to ask whether to go on, and what is told then. */
struct ticker {
    routes_poll *poll;
    void *context;
    struct routes_progress progress;
    uint64_t next; /* of progress.nodes, at which to ask */
    bool stopped;
};

/* Counts work; true if it is to stop. */
bool ticker_add(struct ticker *t, uint64_t nodes);

struct entry {
    int64_t value;
    uint64_t path; /* where it stands in paths */
    uint32_t claims;
    uint32_t passes; /* 1 if it passes a blocked city */
    uint64_t bits[]; /* of sets; then points, if they are kept */
};

struct listing {
    struct plan const *plan;
    struct budget *budget;
    char *entries;
    size_t stride;
    uint32_t count, capacity;
    uint16_t *paths;
    uint64_t path_count, path_capacity;
    bool keeps_points;
};

void listing_init(struct listing *l, struct plan const *plan, struct budget *budget,
                  bool keeps_points);
void listing_close(struct listing *l);

static inline struct entry *listing_at(struct listing const *l, uint32_t i)
{
    return (struct entry *)(l->entries + (size_t)i * l->stride);
}

static inline uint16_t const *listing_path(struct listing const *l, uint32_t i)
{
    return l->paths + listing_at(l, i)->path;
}

static inline uint64_t const *listing_points(struct listing const *l, uint32_t i)
{
    return listing_at(l, i)->bits + l->plan->view->set_words;
}

/* Writes down the route at hand with each of its worths; false if the budget does not allow it, or
 * there is no memory: then it is not there at all. */
bool listing_add(struct listing *l, struct walk const *w, struct worth const *worths,
                 uint32_t count);

/* Memory under a budget: NULL, and nothing changed, if it is not to be had. */
void *budget_realloc(struct budget *b, void *old, size_t before, size_t now);

#endif
