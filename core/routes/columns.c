/* Routes that do not all fit in memory: prices are found from a few of them (column generation),
 * and what can not be in a best set by these prices is never listed. */
#include <stdlib.h>
#include <string.h>

#include "core/routes/search.h"

int64_t search_reduced(struct search const *s, struct chooser const *c, struct walk const *w,
                       struct worth const *worth)
{
    int64_t const *all = c->boxes[0].prices, *claims = all + c->price_count - ROUTES_ONCE;
    int64_t const *prices = all + (size_t)w->plan->type->group * s->view.set_words * 64;
    int64_t sum = SCALE * worth->value;
    BITS_EACH(bit, walk_set_bits(w), s->view.set_words)
    {
        sum -= prices[bit];
    }
    BITS_EACH(bit, &(uint64_t){worth->claims}, 1)
    {
        sum -= claims[bit];
    }
    return sum;
}

int64_t const *search_prices(struct search const *s, struct chooser const *c, uint32_t type)
{
    return c->boxes[0].prices + (size_t)s->q.types[type].group * s->view.set_words * 64;
}

#define FIRST_WORK 1000000 /* steps, for all trains */

/* What a set that is being made uses, as it is looked for. */
struct first {
    uint64_t *taken; /* a row a group */
    uint64_t *best;  /* of the route at hand, the same */
    uint32_t claims, passes;
};

/* Walks for a train; each route that is better than those before is listed. */
static void list_first_of(struct search *s, uint32_t train, struct first *f)
{
    uint32_t type = s->q.type_of[train], words = s->view.set_words;
    struct walk *w = &s->walks[type];
    uint64_t *taken = f->taken + (size_t)s->q.types[type].group * words;
    struct worth best = {0};
    uint32_t passes = 0;
    memset(f->best, 0, 8 * (size_t)words);
    s->until = s->ticker.progress.nodes + FIRST_WORK / 2 / s->q.asked->train_count;
    walk_start(w, NULL, taken, 0);
    while (search_next(s, w))
        for (uint32_t i = 0; i < s->valuer.worth_count; i++) {
            struct worth worth = s->valuer.worths[i];
            bool passed = walk_top(w)->passed > 0;
            if (worth.value <= best.value || worth.claims & f->claims ||
                f->passes + passed > s->q.bypass_max ||
                !listing_add(&s->listings[type], w, &worth, 1))
                continue;
            best = worth;
            passes = passed;
            memcpy(f->best, walk_set_bits(w), 8 * (size_t)words);
            w->floor = SCALE * best.value + 1;
        }
    s->until = 0;
    bits_add(taken, f->best, words);
    f->claims |= best.claims;
    f->passes += passes;
}

void search_list_first(struct search *s)
{
    size_t words = (size_t)s->q.group_count * s->view.set_words;
    uint32_t count = s->q.asked->train_count;
    struct first f = {.taken = malloc(8 * words + 8), .best = malloc(8 * words + 8)};
    for (int back = 0; back < 2 && f.taken && f.best; back++) {
        memset(f.taken, 0, 8 * words);
        f.claims = f.passes = 0;
        for (uint32_t t = 0; t < count && !s->ticker.stopped; t++)
            list_first_of(s, back ? count - 1 - t : t, &f);
    }
    free(f.taken);
    free(f.best);
}

/* Finds the best reduced value of a type, and lists what was better on the way than what had been
 * seen. Columns without end are cut off by the budget: then there are enough. */
static void price_type(struct search *s, struct chooser const *c, uint32_t type, bool *more)
{
    struct walk *w = &s->walks[type];
    s->most[type] = 0;
    walk_start(w, search_prices(s, c, type), NULL, 0);
    while (search_next(s, w))
        for (uint32_t i = 0; i < s->valuer.worth_count; i++) {
            struct worth worth = s->valuer.worths[i];
            int64_t reduced = search_reduced(s, c, w, &worth);
            if (reduced <= s->most[type])
                continue;
            s->most[type] = reduced;
            w->floor = reduced + 1;
            *more |= listing_add(&s->listings[type], w, &worth, 1);
        }
}

/* The bound that the prices prove. */
static int64_t proved_bound(struct search const *s, struct chooser const *c)
{
    int64_t bound = 0;
    for (size_t i = 0; i < c->price_count; i++)
        bound += c->boxes[0].prices[i];
    for (uint32_t i = 0; i < s->q.type_count; i++)
        bound += s->q.types[i].count * s->most[i];
    return bound;
}

#define ROUNDS 40

int64_t search_find_prices(struct search *s, struct chooser *c, int64_t *prices)
{
    size_t bytes = c->price_count * sizeof *prices;
    int64_t best = INT64_MAX, most[ROUTES_TRAINS] = {0};
    bool more = true;
    c->partial = true;
    for (int round = 0; round < ROUNDS && more && !s->ticker.stopped; round++) {
        more = false;
        for (uint32_t i = 0; i < s->q.type_count && !s->ticker.stopped; i++)
            price_type(s, c, i, &more);
        if (s->ticker.stopped)
            break;
        int64_t bound = proved_bound(s, c);
        if (bound < best) {
            best = bound;
            memcpy(prices, c->boxes[0].prices, bytes);
            memcpy(most, s->most, sizeof most);
            if (bound / SCALE < s->ticker.progress.bound)
                s->ticker.progress.bound = bound / SCALE;
        }
        if (best / SCALE <= s->found.total || !chooser_fill(c))
            break;
        chooser_price(c);
    }
    c->partial = false;
    chooser_empty(c);
    memcpy(c->boxes[0].prices, prices, bytes);
    memcpy(c->prices, prices, bytes);
    memcpy(s->most, most, sizeof most);
    return best;
}

/* Of what the walk is worth, moves that which is no less than the floor to the front: how many. */
static uint32_t keep_worthy(struct search *s, struct chooser *c, struct walk const *w,
                            int64_t floor)
{
    struct worth *worths = s->valuer.worths;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->valuer.worth_count; i++)
        if (search_reduced(s, c, w, &worths[i]) >= floor)
            worths[kept++] = worths[i];
    return kept;
}

bool search_list_some(struct search *s, struct chooser *c, int64_t bound)
{
    int64_t room = bound - SCALE * s->found.total;
    for (uint32_t i = 0; i < s->q.type_count; i++) {
        struct listing *l = &s->listings[i];
        struct walk *w = &s->walks[i];
        int64_t floor = s->most[i] - room;
        listing_close(l);
        walk_start(w, search_prices(s, c, i), NULL, floor);
        while (search_next(s, w)) {
            uint32_t kept = keep_worthy(s, c, w, floor);
            if (kept && !listing_add(l, w, s->valuer.worths, kept))
                return false;
        }
        if (s->ticker.stopped)
            return false;
    }
    return true;
}
