/* Sets of entries: what they are worth, whether they obey the rules, which is kept. */
#include <stdlib.h>
#include <string.h>

#include "core/routes/choose.h"

static struct entry const *slot_entry(struct chooser const *c, struct set const *s, uint32_t slot)
{
    return s->items[slot] == CHOOSE_NONE ? NULL
                                         : listing_at(&c->listings[s->types[slot]], s->items[slot]);
}

static uint64_t const *points_of(struct chooser const *c, struct set const *s, uint32_t slot)
{
    return listing_points(&c->listings[s->types[slot]], s->items[slot]);
}

static bool visits_all(struct chooser const *c, struct set const *s)
{
    for (uint32_t k = 0; k < c->q->asked->rules.set_count; k++) {
        bool visited = !c->visits[k];
        for (uint32_t t = 0; t < c->q->asked->train_count && !visited; t++)
            visited = s->items[t] != CHOOSE_NONE &&
                      bits_meet(c->visits[k], points_of(c, s, t), c->view->point_words);
        if (!visited)
            return false;
    }
    return true;
}

/* Whether routes hang together: those met so far spread until none is added. */
static bool hangs_together(struct chooser const *c, struct set const *s)
{
    uint32_t count = c->q->asked->train_count, run = 0, met, before = 0;
    for (uint32_t t = 0; t < count; t++)
        run |= s->items[t] != CHOOSE_NONE ? 1u << t : 0;
    met = run & -run;
    while (met != before) {
        before = met;
        for (uint32_t t = 0; t < count; t++)
            for (uint32_t u = 0; u < count && met >> t & 1; u++)
                if (run >> u & 1 &&
                    bits_meet(points_of(c, s, t), points_of(c, s, u), c->view->point_words))
                    met |= 1u << u;
    }
    return met == run;
}

static bool obeys(struct chooser const *c, struct set const *s)
{
    uint32_t passes = 0, runs = 0;
    for (uint32_t t = 0; t < c->q->asked->train_count; t++) {
        struct entry const *e = slot_entry(c, s, t);
        runs += e != NULL;
        passes += e && e->passes;
    }
    return runs == 0 || (passes <= c->q->bypass_max && visits_all(c, s) &&
                         (!c->q->meet || hangs_together(c, s)));
}

int64_t set_total(struct chooser const *c, struct set const *s)
{
    int64_t total = 0;
    for (uint32_t t = 0; t < c->q->asked->train_count; t++) {
        struct entry const *e = slot_entry(c, s, t);
        total += e ? e->value : 0;
    }
    return total;
}

/* --- which train has which route --- */

static uint32_t rank_of(struct chooser const *c, uint32_t type, uint32_t item)
{
    return item == CHOOSE_NONE ? UINT32_MAX : c->ranks[type][item];
}

/* Whether an item goes to an earlier train than another one. */
static bool goes_first(struct chooser const *c, uint32_t type, uint32_t a, uint32_t b)
{
    if (c->ties)
        return rank_of(c, type, a) < rank_of(c, type, b);
    return a < b; /* any order will do; none is last */
}

/* The items of each type, in order, to its trains. */
static void deal(struct chooser const *c, struct set const *s, struct set *dealt)
{
    uint32_t count = c->q->asked->train_count;
    bool taken[ROUTES_TRAINS] = {false};
    for (uint32_t t = 0; t < count; t++) {
        uint32_t type = c->q->type_of[t], best = UINT32_MAX;
        for (uint32_t slot = 0; slot < count; slot++)
            if (!taken[slot] && s->types[slot] == type &&
                (best == UINT32_MAX || goes_first(c, type, s->items[slot], s->items[best])))
                best = slot;
        taken[best] = true;
        dealt->types[t] = type;
        dealt->items[t] = s->items[best];
    }
}

static void keep(struct chooser *c, struct set const *dealt)
{
    struct found *f = c->found;
    f->total = set_total(c, dealt);
    for (uint32_t t = 0; t < c->q->asked->train_count; t++) {
        struct entry const *e = slot_entry(c, dealt, t);
        f->runs[t] = e != NULL;
        if (!e)
            continue;
        uint16_t const *path = listing_path(&c->listings[dealt->types[t]], dealt->items[t]);
        f->values[t] = e->value;
        memcpy(f->paths + (size_t)t * f->path_room, path, path_size(path) * sizeof *path);
    }
    c->ticker->progress.best = f->total;
}

/* Whether a set comes before the first one so far; then it is the first. */
static bool is_first(struct chooser *c, struct set const *dealt)
{
    uint32_t count = c->q->asked->train_count, ranks[ROUTES_TRAINS], t = 0;
    for (uint32_t i = 0; i < count; i++)
        ranks[i] = rank_of(c, dealt->types[i], dealt->items[i]);
    while (c->ranked && t < count && ranks[t] == c->best_ranks[t])
        t++;
    if (c->ranked && (t == count || ranks[t] > c->best_ranks[t]))
        return false;
    c->ranked = true;
    memcpy(c->best_ranks, ranks, sizeof ranks);
    return true;
}

void set_offer(struct chooser *c, struct set const *s)
{
    struct set dealt;
    int64_t total = set_total(c, s);
    if (total < c->found->total || (!c->ties && total == c->found->total) || !obeys(c, s))
        return;
    deal(c, s, &dealt);
    if (!c->ties || is_first(c, &dealt))
        keep(c, &dealt);
}

/* --- the tie rule --- */

struct key {
    uint64_t key[PATH_KEY];
    uint32_t item;
};

struct order {
    struct chooser *c;
    struct listing const *listing;
};

static int compare_keys(struct key const *x, struct key const *y, struct order const *o)
{
    for (int i = 0; i < PATH_KEY; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return path_compare(o->c->view, listing_path(o->listing, x->item),
                        listing_path(o->listing, y->item), o->c->scratch);
}

static int by_tie_rule(void const *a, void const *b, void *context)
{
    struct key const *x = a, *y = b;
    int order = compare_keys(x, y, context);
    return order ? order : (x->item > y->item) - (x->item < y->item);
}

/* Ranks the items of a type's class in the first box, which are those of all sets looked for. */
static bool rank_items(struct chooser *c, struct class const *k)
{
    struct order order = {c, k->listing};
    struct key *keys = malloc((k->size + 1) * sizeof *keys);
    uint32_t count = 0;
    free(c->ranks[k->type]);
    c->ranks[k->type] = calloc((size_t)k->listing->count + 1, sizeof *c->ranks[0]);
    if (!keys || !c->ranks[k->type]) {
        free(keys);
        return false;
    }
    for (uint32_t i = 0; i < k->size; i++) {
        if (k->items[i] == CHOOSE_NONE)
            continue;
        path_key(c->view, listing_path(k->listing, k->items[i]), c->edge_ranks, c->scratch,
                 keys[count].key);
        keys[count++].item = k->items[i];
    }
    if (count)
        qsort_r(keys, count, sizeof *keys, by_tie_rule, &order);
    /* One route may be there several times, with and without a bonus that is paid once: to the tie
     * rule it is one. */
    for (uint32_t i = 0, rank = 0; i < count; i++) {
        if (i && compare_keys(&keys[i - 1], &keys[i], &order) != 0)
            rank = i;
        c->ranks[k->type][keys[i].item] = rank;
    }
    free(keys);
    return true;
}

static int by_id(void const *a, void const *b, void *context)
{
    struct routes_network const *net = context;
    uint32_t x = network_edge(net, *(uint32_t const *)a)->id;
    uint32_t y = network_edge(net, *(uint32_t const *)b)->id;
    return (x > y) - (x < y);
}

static bool rank_edges(struct chooser *c)
{
    struct view const *v = c->view;
    uint32_t count = v->first_edges[v->link_count];
    uint32_t *slots = malloc((count + 1) * sizeof *slots);
    free(c->edge_ranks);
    c->edge_ranks = calloc((size_t)c->q->edge_words * 64, sizeof *c->edge_ranks);
    if (slots && c->edge_ranks) {
        memcpy(slots, v->edges, count * sizeof *slots);
        if (count)
            qsort_r(slots, count, sizeof *slots, by_id, (void *)c->q->net);
        for (uint32_t i = 0; i < count; i++)
            c->edge_ranks[slots[i]] = (uint16_t)(i + 1);
    }
    bool ranked = slots && c->edge_ranks;
    free(slots);
    return ranked;
}

bool chooser_order(struct chooser *c)
{
    c->ties = true;
    c->ranked = false;
    memcpy(c->prices, c->boxes[0].prices, c->price_count * sizeof *c->prices);
    if (!price_box(c, &c->boxes[0], 0) || !rank_edges(c))
        return false;
    for (uint32_t i = 0; i < c->boxes[0].class_count; i++)
        if (!rank_items(c, &c->boxes[0].classes[i]))
            return false;
    return branch_boxes(c) && c->ranked;
}
