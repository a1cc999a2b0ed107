#include "core/routes/value.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

/* A list of stops of which one must count, and which one is tried. */
struct choice {
    uint64_t const *list; /* NULL: none is needed, the bonus is left out */
    uint32_t bonus;       /* place in v->bonuses; the company's tokens come before them */
    uint32_t need;        /* of the bonus */
    uint32_t stop;        /* place in the route that is forced; count: none is */
    bool forces;          /* and was not forced before */
};

/* The route that is looked at. */
struct route {
    struct train_type const *type;
    uint32_t const *stops;
    uint32_t count;
    bool token; /* one that counts must hold a token */
    uint32_t claims;
};

int valuer_open(struct valuer *v, struct question const *q)
{
    size_t nodes = q->net->tables[NETWORK_NODES].high + 1;
    size_t bonuses = q->asked->bonus_count + 1;
    *v = (struct valuer){.q = q};
    v->order = calloc(nodes, sizeof *v->order);
    v->counted = calloc(nodes, sizeof *v->counted);
    v->bonuses = calloc(bonuses, sizeof *v->bonuses);
    v->choices = calloc(bonuses * (ROUTES_NEEDS + 1) + 1, sizeof *v->choices);
    if (v->order && v->counted && v->bonuses && v->choices)
        return REDO_OK;
    valuer_close(v);
    return REDO_ENOMEM;
}

void valuer_close(struct valuer *v)
{
    free(v->order);
    free(v->counted);
    free(v->bonuses);
    free(v->choices);
}

static uint32_t kind_of(struct valuer const *v, uint32_t slot)
{
    return network_node(v->q->net, slot)->kind;
}

/* --- which bonuses could be paid --- */

static bool has_stop(struct route const *r, uint64_t const *list)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (bits_has(list, r->stops[i]))
            return true;
    return false;
}

static bool could_be_paid(struct valuer const *v, struct route const *r, struct bonus const *b,
                          uint64_t const *edges)
{
    if (b->edges && !bits_meet(b->edges, edges, v->q->edge_words))
        return false;
    for (uint32_t i = 0; i < b->need_count; i++)
        if (!has_stop(r, b->need[i]))
            return false;
    return true;
}

static uint32_t find_bonuses(struct valuer *v, struct route const *r, uint64_t const *edges)
{
    uint32_t once = 0;
    v->bonus_count = 0;
    for (uint32_t i = 0; i < r->type->bonus_count; i++) {
        struct bonus const *b = &v->q->bonuses[r->type->bonuses[i]];
        if (!could_be_paid(v, r, b, edges))
            continue;
        v->bonuses[v->bonus_count++] = r->type->bonuses[i];
        if (b->once >= 0)
            once |= 1u << b->once;
    }
    return once;
}

static struct bonus const *bonus_at(struct valuer const *v, uint32_t place)
{
    return &v->q->bonuses[v->bonuses[place]];
}

static int64_t paid(struct bonus const *b, uint32_t counted)
{
    return b->value + (int64_t)b->per_stop * counted;
}

/* --- some stops count: which? --- */

/* The bonuses that a set of counted stops is paid; once-only ones if they are claimed. */
static int64_t bonus_sum(struct valuer const *v, struct route const *r)
{
    uint32_t counted = 0;
    int64_t sum = 0;
    for (uint32_t i = 0; i < r->count; i++)
        counted += v->counted[i] != 0;
    for (uint32_t i = 0; i < v->bonus_count; i++) {
        struct bonus const *b = bonus_at(v, i);
        bool met = b->once < 0 || r->claims >> b->once & 1;
        for (uint32_t j = 0; j < b->need_count && met; j++) {
            met = false;
            for (uint32_t s = 0; s < r->count && !met; s++)
                met = v->counted[s] && bits_has(b->need[j], r->stops[s]);
        }
        sum += met ? paid(b, counted) : 0;
    }
    return sum;
}

/* Adds to the forced stops the dearest that fit: no other set that has the forced ones is worth
 * more, as sets that fit rows are those of a matroid. extra: what a stop is worth beyond its value.
 * Marks what it takes with 2. INT64_MIN if the forced ones do not fit. */
static int64_t take_dearest(struct valuer *v, struct route const *r, int64_t extra)
{
    uint32_t counts[STATION_KINDS] = {0};
    int64_t sum = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        if (v->counted[i] == 2)
            v->counted[i] = 0;
        if (v->counted[i]) {
            counts[kind_of(v, r->stops[i])]++;
            sum += r->type->values[r->stops[i]];
        }
    }
    if (!rows_fit(r->type->pay, counts))
        return INT64_MIN;
    for (uint32_t k = 0; k < r->count; k++) {
        uint32_t i = v->order[k], kind = kind_of(v, r->stops[i]);
        if (r->type->values[r->stops[i]] + extra < 0)
            break;
        if (v->counted[i])
            continue;
        counts[kind]++;
        if (!rows_fit(r->type->pay, counts)) {
            counts[kind]--;
            continue;
        }
        v->counted[i] = 2;
        sum += r->type->values[r->stops[i]];
    }
    return sum;
}

/* The lists of which one stop each must count, in order: the tokens if they must, then those of
 * each bonus. False after the last. */
static bool next_list(struct valuer const *v, struct route const *r, struct choice const *last,
                      struct choice *c)
{
    uint32_t bonus = 0, need = 0;
    if (!last && r->token) {
        *c = (struct choice){.list = v->q->tokens, .bonus = UINT32_MAX};
        return true;
    }
    if (last && last->bonus != UINT32_MAX) {
        bonus = last->bonus;
        need = last->need + 1;
        if (!last->list)
            need = UINT32_MAX; /* the bonus was left out */
    }
    for (; bonus < v->bonus_count; bonus++, need = 0) {
        struct bonus const *b = bonus_at(v, bonus);
        if (b->once >= 0 && !(r->claims >> b->once & 1))
            continue;
        if (need < b->need_count) {
            *c = (struct choice){.list = b->need[need], .bonus = bonus, .need = need};
            return true;
        }
    }
    return false;
}

/* A bonus can be left out, unless it is claimed. */
static bool can_leave(struct valuer const *v, struct choice const *c)
{
    return c->bonus != UINT32_MAX && bonus_at(v, c->bonus)->once < 0;
}

/* Moves a choice to its next stop, from `from` on; the last one leaves the bonus out. */
static bool choose(struct valuer *v, struct route const *r, struct choice *c, uint32_t from)
{
    if (from == 0) {
        for (uint32_t i = 0; i < r->count; i++)
            if (v->counted[i] == 1 && bits_has(c->list, r->stops[i])) {
                c->stop = r->count; /* one is forced anyway: nothing to choose */
                c->forces = false;
                return true;
            }
    }
    for (uint32_t i = from; i < r->count; i++)
        if (v->counted[i] != 1 && bits_has(c->list, r->stops[i])) {
            v->counted[i] = 1;
            c->stop = i;
            c->forces = true;
            return true;
        }
    if (!can_leave(v, c) || !c->list)
        return false;
    c->list = NULL;
    c->stop = r->count;
    c->forces = false;
    return true;
}

static void undo_choice(struct valuer *v, struct choice *c)
{
    if (c->forces)
        v->counted[c->stop] = 0;
    c->forces = false;
}

/* What the bonuses that are not left out can bring at most with so many counted stops; with none:
 * what each counted stop is worth to them. */
static int64_t sum_bonuses(struct valuer const *v, struct route const *r, uint32_t depth,
                           uint32_t counted, bool flat)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < v->bonus_count; i++) {
        struct bonus const *b = bonus_at(v, i);
        if (b->once < 0 || r->claims >> b->once & 1)
            sum += (flat ? b->value : 0) + (int64_t)b->per_stop * counted;
    }
    for (uint32_t i = 0; i < depth; i++) {
        if (v->choices[i].list)
            continue;
        struct bonus const *b = bonus_at(v, v->choices[i].bonus);
        sum -= (flat ? b->value : 0) + (int64_t)b->per_stop * counted;
    }
    return sum;
}

/* Values the set at hand; true if something better may come of forcing more stops. */
static bool look(struct valuer *v, struct route const *r, uint32_t depth, int64_t *best, bool leaf)
{
    int64_t bound = take_dearest(v, r, 0);
    if (bound == INT64_MIN)
        return false;
    if (bound + sum_bonuses(v, r, depth, r->count, true) <= *best)
        return false;
    if (!leaf)
        return true;
    int64_t value = take_dearest(v, r, sum_bonuses(v, r, depth, 1, false)) + bonus_sum(v, r);
    if (value > *best)
        *best = value;
    return true;
}

/* The best value with exactly these claims, or INT64_MIN. For each list of which a stop must count,
 * each stop is tried; where none is left to try, the dearest others are taken. */
static int64_t best_counted(struct valuer *v, struct route const *r)
{
    int64_t best = INT64_MIN;
    uint32_t depth = 0;
    memset(v->counted, 0, r->count);
    if (!next_list(v, r, NULL, &v->choices[0])) {
        look(v, r, 0, &best, true);
        return best;
    }
    bool more = choose(v, r, &v->choices[0], 0);
    for (;;) {
        struct choice *c = &v->choices[depth];
        if (more) {
            struct choice next;
            bool leaf = !next_list(v, r, c, &next);
            if (look(v, r, depth + 1, &best, leaf) && !leaf) {
                v->choices[++depth] = next;
                more = choose(v, r, &v->choices[depth], 0);
                continue;
            }
        } else if (depth-- == 0) {
            return best;
        }
        if (v->tick && v->tick(v->tick_context))
            return best;
        c = &v->choices[depth];
        uint32_t from = c->stop + 1;
        bool forced = c->forces;
        undo_choice(v, c);
        more = forced ? choose(v, r, c, from) : false;
    }
}

static int by_value(void const *a, void const *b, void *context)
{
    struct route const *r = context;
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    int32_t vx = r->type->values[r->stops[x]], vy = r->type->values[r->stops[y]];
    return (vx < vy) - (vx > vy);
}

static void sort_stops(struct valuer *v, struct route *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        v->order[i] = i;
    qsort_r(v->order, r->count, sizeof *v->order, by_value, r);
}

/* --- worths --- */

/* A worth that claims more and brings no more is of no use. */
static void add_worth(struct valuer *v, uint32_t claims, int64_t value)
{
    for (uint32_t i = 0; i < v->worth_count; i++)
        if ((v->worths[i].claims & claims) == v->worths[i].claims && v->worths[i].value >= value)
            return;
    v->worths[v->worth_count++] = (struct worth){claims, value};
}

static void all_count(struct valuer *v, struct route const *r, uint32_t claims)
{
    int64_t value = 0;
    for (uint32_t i = 0; i < r->count; i++)
        value += r->type->values[r->stops[i]];
    for (uint32_t i = 0; i < v->bonus_count; i++) {
        struct bonus const *b = bonus_at(v, i);
        if (b->once < 0 || claims >> b->once & 1)
            value += paid(b, r->count);
    }
    add_worth(v, claims, value);
}

/* Whether all stops count in any case. With rows a stop of negative value is better left out. */
static bool counts_all(struct valuer const *v, struct route const *r)
{
    uint32_t counts[STATION_KINDS] = {0};
    if (r->type->train->distance != ROUTES_BY_ROWS)
        return true;
    for (uint32_t i = 0; i < r->count; i++) {
        counts[kind_of(v, r->stops[i])]++;
        if (r->type->values[r->stops[i]] < 0)
            return false;
    }
    return rows_fit(r->type->pay, counts);
}

void valuer_route(struct valuer *v, struct train_type const *type, uint32_t const *stops,
                  uint32_t count, uint64_t const *edges)
{
    struct route r = {.type = type, .stops = stops, .count = count};
    uint32_t once = find_bonuses(v, &r, edges), claims = 0;
    bool all = counts_all(v, &r);
    v->worth_count = 0;
    r.token = type->train->needs_counted_token;
    if (!all)
        sort_stops(v, &r);
    do { /* each subset of the once-only bonuses that it could be paid, rising */
        r.claims = claims;
        if (all) {
            all_count(v, &r, claims);
        } else {
            int64_t value = best_counted(v, &r);
            if (value != INT64_MIN)
                add_worth(v, claims, value);
        }
        claims = (claims - once) & once;
    } while (claims);
}
