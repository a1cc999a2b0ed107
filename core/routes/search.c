/* The best set of routes. With one train: a walk that keeps the best route, and looks at nothing
 * that can not be as good. With more: all routes of each type of train are listed, and chosen from.
 * Where the lists do not fit the memory allowed, prices are found from a few routes at a time, and
 * only routes that can be in a best set by these prices are listed; where even they do not fit,
 * they are walked over once for each set of routes of the trains before. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
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
    bool has_view, has_valuer, has_found;
    bool asks_edges; /* some bonus does */
    uint64_t *edges;
    uint32_t *stops;
    uint16_t *path, *scratch;
    int64_t most[ROUTES_TRAINS]; /* by type: the best reduced value of its routes, and of none */
};

/* --- opening --- */

static int open_plans(struct search *s, bool walk_each)
{
    int rc = REDO_OK;
    for (uint32_t i = 0; i < s->q.type_count && !rc; i++) {
        rc = plan_open(&s->plans[i], &s->view, &s->q.types[i]);
        s->plan_count += !rc;
    }
    uint32_t walks = walk_each ? s->q.asked->train_count : s->q.type_count;
    for (uint32_t i = 0; i < walks && !rc; i++) {
        rc = walk_open(&s->walks[i], &s->plans[walk_each ? s->q.type_of[i] : i]);
        s->walk_count += !rc;
    }
    return rc;
}

static int open_rest(struct search *s)
{
    size_t path = path_most(&s->view);
    for (uint32_t i = 0; i < s->q.asked->bonus_count; i++)
        s->asks_edges |= s->q.bonuses[i].edges != NULL;
    s->edges = calloc(s->q.edge_words + 1, 8);
    s->stops = calloc((size_t)s->view.point_count + 1, sizeof *s->stops);
    s->path = calloc(path, sizeof *s->path);
    s->scratch = calloc(2 * path, sizeof *s->scratch);
    return s->edges && s->stops && s->path && s->scratch ? REDO_OK : REDO_ENOMEM;
}

static void close_walks(struct search *s)
{
    for (uint32_t i = 0; i < s->walk_count; i++)
        walk_close(&s->walks[i]);
    s->walk_count = 0;
}

static void close_search(struct search *s)
{
    close_walks(s);
    for (uint32_t i = 0; i < s->plan_count; i++) {
        if (s->listings[i].budget)
            listing_close(&s->listings[i]);
        plan_close(&s->plans[i]);
    }
    if (s->has_found)
        found_close(&s->found);
    if (s->has_valuer)
        valuer_close(&s->valuer);
    if (s->has_view)
        view_close(&s->view);
    question_close(&s->q);
    free(s->edges);
    free(s->stops);
    free(s->path);
    free(s->scratch);
    free(s);
}

static void set_options(struct search *s, struct routes_options const *options)
{
    s->budget.limit = options && options->memory ? options->memory : ROUTES_MEMORY;
    if (options) {
        s->ticker.poll = options->poll;
        s->ticker.context = options->context;
        s->patience = options->patience;
    }
    s->ticker.next = ROUTES_POLL;
}

static bool tick(void *context)
{
    return ticker_add(context, 1);
}

static int open_search(struct search **out, struct routes_network const *net,
                       struct routes_question const *asked, struct routes_options const *options,
                       struct routes_fault *fault)
{
    struct search *s = calloc(1, sizeof *s);
    if (!s)
        return REDO_ENOMEM;
    int rc = question_open(&s->q, net, asked, fault);
    if (rc) {
        free(s);
        return rc;
    }
    set_options(s, options);
    rc = view_open(&s->view, &s->q);
    s->has_view = !rc;
    if (!rc)
        rc = open_plans(s, false);
    if (!rc) {
        rc = valuer_open(&s->valuer, &s->q);
        s->has_valuer = !rc;
        s->valuer.tick = tick;
        s->valuer.tick_context = &s->ticker;
    }
    if (!rc) {
        rc = found_open(&s->found, &s->view);
        s->has_found = !rc;
    }
    if (!rc)
        rc = open_rest(s);
    if (rc) {
        close_search(s);
        return rc;
    }
    *out = s;
    return REDO_OK;
}

/* --- routes as they come --- */

/* The worths of the route at hand, in the valuer; no more than the first if its value is a sum. */
static void find_worths(struct search *s, struct walk const *w)
{
    struct plan const *p = w->plan;
    if (p->sums) {
        s->valuer.worths[0] = (struct worth){0, walk_top(w)->value};
        s->valuer.worth_count = 1;
        return;
    }
    if (s->asks_edges) {
        memset(s->edges, 0, 8 * s->q.edge_words);
        path_write(s->path, w);
        path_edges(&s->view, s->path, s->edges);
    }
    uint32_t count = walk_stops(w, s->stops);
    valuer_route(&s->valuer, p->type, s->stops, count, s->edges);
}

/* The next route that has a worth; false at the end, or when asked to stop. */
static bool next_route(struct search *s, struct walk *w)
{
    while (!s->ticker.stopped) {
        uint64_t before = w->steps;
        enum walk_result result = walk_next(w, before + ROUTES_POLL);
        ticker_add(&s->ticker, w->steps - before);
        if (result == WALK_END)
            return false;
        if (result == WALK_PAUSE)
            continue;
        find_worths(s, w);
        if (s->valuer.worth_count)
            return true;
    }
    return false;
}

/* --- one train --- */

static bool obeys_alone(struct search *s, struct walk const *w)
{
    struct routes_rules const *rules = &s->q.asked->rules;
    if (rules->set_count == 0)
        return true;
    if (walk_top(w)->passed && s->q.bypass_max == 0)
        return false;
    uint32_t count = walk_stops(w, s->stops);
    for (uint32_t k = 0; k < rules->set_count; k++) {
        bool visited = !s->q.visit[k];
        for (uint32_t i = 0; i < count && !visited; i++)
            visited = bits_has(s->q.visit[k], s->stops[i]);
        if (!visited)
            return false;
    }
    return true;
}

static void keep_alone(struct search *s, struct walk *w, int64_t value)
{
    struct found *f = &s->found;
    if (value < f->total || !obeys_alone(s, w))
        return;
    path_write(s->path, w);
    if (value == f->total && f->runs[0] &&
        path_compare(&s->view, s->path, f->paths, s->scratch) >= 0)
        return;
    f->total = f->values[0] = value;
    f->runs[0] = true;
    memcpy(f->paths, s->path, path_size(s->path) * sizeof *s->path);
    s->ticker.progress.best = value;
    w->floor = SCALE * value;
}

/* All its once-only bonuses are its own. Sets that are worth as much come to be compared too, so
 * the answer is the first by the tie rule. */
static void search_alone(struct search *s)
{
    struct walk *w = &s->walks[0];
    walk_start(w, NULL, NULL, 0);
    while (next_route(s, w))
        for (uint32_t i = 0; i < s->valuer.worth_count; i++)
            keep_alone(s, w, s->valuer.worths[i].value);
}

/* --- listing --- */

static bool keeps_points(struct search const *s)
{
    for (uint32_t k = 0; k < s->q.asked->rules.set_count; k++)
        if (s->q.visit[k])
            return true;
    return s->q.meet;
}

/* Lists all routes of a type; false if there is no room, or when asked to stop. */
static bool list_all(struct search *s, uint32_t type)
{
    struct listing *l = &s->listings[type];
    struct walk *w = &s->walks[type];
    listing_init(l, &s->plans[type], &s->budget, keeps_points(s));
    walk_start(w, NULL, NULL, INT64_MIN);
    while (next_route(s, w))
        if (!listing_add(l, w, s->valuer.worths, s->valuer.worth_count))
            return false;
    return !s->ticker.stopped;
}

/* --- too many to be listed --- */

static int64_t worth_reduced(struct search const *s, struct chooser const *c, struct walk const *w,
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

static int64_t const *type_prices(struct search const *s, struct chooser const *c, uint32_t type)
{
    return c->boxes[0].prices + (size_t)s->q.types[type].group * s->view.set_words * 64;
}

/* Finds the best reduced value of a type, and lists what was better on the way than what had been
 * seen. Columns without end are cut off by the budget: then there are enough. */
static void price_type(struct search *s, struct chooser const *c, uint32_t type, bool *more)
{
    struct walk *w = &s->walks[type];
    s->most[type] = 0;
    walk_start(w, type_prices(s, c, type), NULL, 0);
    while (next_route(s, w))
        for (uint32_t i = 0; i < s->valuer.worth_count; i++) {
            struct worth worth = s->valuer.worths[i];
            int64_t reduced = worth_reduced(s, c, w, &worth);
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

/* Finds prices by which few routes can be in a best set: those of the routes listed so far are
 * tried on all, which brings new routes to the list. Returns the best bound; the prices that prove
 * it are those of the first box, best reduced values in s->most. prices: room for them. */
static int64_t find_prices(struct search *s, struct chooser *c, int64_t *prices)
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

/* Lists what can be in a set as good as the best one, by the prices. */
static bool list_some(struct search *s, struct chooser *c, int64_t bound)
{
    int64_t room = bound - SCALE * s->found.total;
    for (uint32_t i = 0; i < s->q.type_count; i++) {
        struct listing *l = &s->listings[i];
        struct walk *w = &s->walks[i];
        int64_t floor = s->most[i] - room;
        listing_close(l);
        walk_start(w, type_prices(s, c, i), NULL, floor);
        while (next_route(s, w)) {
            uint32_t kept = 0;
            for (uint32_t j = 0; j < s->valuer.worth_count; j++)
                if (worth_reduced(s, c, w, &s->valuer.worths[j]) >= floor)
                    s->valuer.worths[kept++] = s->valuer.worths[j];
            if (kept && !listing_add(l, w, s->valuer.worths, kept))
                return false;
        }
        if (s->ticker.stopped)
            return false;
    }
    return true;
}

/* --- walking for sets --- */

/* A train that has been given a route, while later trains walk. */
struct stage {
    uint32_t train, worth; /* place of the worth that is next */
    bool walking, none;    /* there is a route at hand; the train was left out */
    int64_t gap, value;    /* of all stages before */
    int64_t own;           /* gap of this one */
    uint32_t claims, passes;
    int64_t taken_value;
};

struct sets {
    struct search *s;
    struct chooser *c;
    struct stage stages[ROUTES_TRAINS + 1];
    uint64_t *taken; /* a row a stage and group */
    int64_t bound;
    uint16_t *paths;   /* of the set at hand, by train */
    uint16_t *ordered; /* the same, trains of one type by the tie rule */
};

static uint64_t *stage_taken(struct sets const *x, uint32_t stage, uint32_t group)
{
    return x->taken + ((size_t)stage * x->s->q.group_count + group) * x->s->view.set_words;
}

static int64_t sets_room(struct sets const *x)
{
    return x->bound - SCALE * x->s->found.total;
}

static void start_stage(struct sets *x, uint32_t i)
{
    struct search *s = x->s;
    struct stage *g = &x->stages[i];
    uint32_t type = s->q.type_of[g->train];
    g->walking = g->none = false;
    g->worth = 0;
    walk_start(&s->walks[g->train], type_prices(s, x->c, type),
               stage_taken(x, i, s->q.types[type].group), s->most[type] - (sets_room(x) - g->gap));
}

/* The train before is of the same type: routes come to the earlier train first if they are better,
 * so that a set is met in one order only. */
static int64_t least_gap(struct sets const *x, uint32_t i)
{
    if (i == 0 || x->s->q.type_of[x->stages[i - 1].train] != x->s->q.type_of[x->stages[i].train])
        return INT64_MIN;
    return x->stages[i - 1].own;
}

static bool stage_fits(struct sets const *x, uint32_t i, struct worth const *worth, int64_t gap,
                       struct walk const *w)
{
    struct stage const *g = &x->stages[i];
    return gap >= least_gap(x, i) && g->gap + gap <= sets_room(x) && !(worth->claims & g->claims) &&
           g->passes + (walk_top(w)->passed > 0) <= x->s->q.bypass_max;
}

static void next_stage(struct sets *x, uint32_t i, struct worth const *worth, int64_t gap,
                       struct walk const *w)
{
    struct search *s = x->s;
    struct stage *g = &x->stages[i], *n = g + 1;
    size_t words = (size_t)s->q.group_count * s->view.set_words;
    g->own = gap;
    g->taken_value = worth ? worth->value : 0;
    n->gap = g->gap + gap;
    n->value = g->value + g->taken_value;
    n->claims = g->claims | (worth ? worth->claims : 0);
    n->passes = g->passes + (worth && walk_top(w)->passed > 0);
    memcpy(stage_taken(x, i + 1, 0), stage_taken(x, i, 0), 8 * words);
    if (worth) {
        bits_add(stage_taken(x, i + 1, w->plan->type->group), walk_set_bits(w), s->view.set_words);
        path_write(x->paths + (size_t)g->train * s->found.path_room, w);
    }
}

/* Gives the stage's train its next route; last of all, none. */
static bool advance(struct sets *x, uint32_t i)
{
    struct search *s = x->s;
    struct stage *g = &x->stages[i];
    struct walk *w = &s->walks[g->train];
    uint32_t type = s->q.type_of[g->train];
    while (!g->none) {
        if (!g->walking || g->worth >= s->valuer.worth_count) {
            g->worth = 0;
            g->walking = next_route(s, w);
            if (s->ticker.stopped)
                return false;
            if (!g->walking) {
                g->none = true;
                int64_t gap = s->most[type];
                if (gap < least_gap(x, i) || g->gap + gap > sets_room(x))
                    return false;
                next_stage(x, i, NULL, gap, w);
                return true;
            }
        }
        while (g->worth < s->valuer.worth_count) {
            struct worth worth = s->valuer.worths[g->worth++];
            int64_t gap = s->most[type] - worth_reduced(s, x->c, w, &worth);
            if (stage_fits(x, i, &worth, gap, w)) {
                next_stage(x, i, &worth, gap, w);
                return true;
            }
        }
    }
    return false;
}

/* Whether the routes at hand, by train, come before those found; of equal trains each set is in the
 * order of the tie rule. */
static bool comes_first(struct sets *x, bool const *runs)
{
    struct search *s = x->s;
    struct found *f = &s->found;
    for (uint32_t t = 0; t < s->q.asked->train_count; t++) {
        if (runs[t] != f->runs[t])
            return runs[t];
        if (!runs[t])
            continue;
        int order = path_compare(&s->view, x->ordered + (size_t)t * f->path_room,
                                 f->paths + (size_t)t * f->path_room, s->scratch);
        if (order)
            return order < 0;
    }
    return false;
}

static void swap_trains(struct sets *x, bool *runs, int64_t *values, uint32_t a, uint32_t b)
{
    size_t room = x->s->found.path_room;
    uint16_t *p = x->ordered + a * room, *q = x->ordered + b * room;
    for (size_t i = 0; i < room; i++) {
        uint16_t number = p[i];
        p[i] = q[i];
        q[i] = number;
    }
    int64_t value = values[a];
    values[a] = values[b];
    values[b] = value;
    bool run = runs[a];
    runs[a] = runs[b];
    runs[b] = run;
}

static void order_trains(struct sets *x, bool *runs, int64_t *values)
{
    struct search *s = x->s;
    size_t room = s->found.path_room;
    uint32_t count = s->q.asked->train_count;
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++)
            if (s->q.type_of[a] == s->q.type_of[b] && runs[b] &&
                (!runs[a] || path_compare(&s->view, x->ordered + b * room, x->ordered + a * room,
                                          s->scratch) < 0))
                swap_trains(x, runs, values, a, b);
}

static bool path_visits(struct search const *s, uint16_t const *path, uint64_t const *nodes)
{
    if (bits_has(nodes, s->view.nodes[path[0]]))
        return true;
    for (uint32_t i = 0; i < path[2]; i++)
        if (bits_has(nodes, s->view.nodes[s->view.arcs[path[PATH_HEAD + i]].to]))
            return true;
    return false;
}

static void path_stops(struct search const *s, uint16_t const *path, uint64_t *nodes)
{
    bits_set(nodes, s->view.nodes[path[0]]);
    for (uint32_t i = 0; i < path[2]; i++) {
        uint32_t to = s->view.arcs[path[PATH_HEAD + i]].to;
        if (view_is_station(&s->view, to))
            bits_set(nodes, s->view.nodes[to]);
    }
}

/* Whether the routes hang together: their stops are gathered until no further route meets them. */
static bool paths_meet(struct sets *x, bool const *runs)
{
    struct search *s = x->s;
    uint32_t met = 0, before, run = 0;
    uint64_t *nodes = s->valuer.q ? calloc(s->q.node_words, 8) : NULL;
    if (!nodes)
        return false;
    for (uint32_t t = 0; t < s->q.asked->train_count; t++)
        run |= runs[t] ? 1u << t : 0;
    do {
        before = met;
        for (uint32_t t = 0; t < s->q.asked->train_count; t++) {
            uint16_t const *path = x->ordered + (size_t)t * s->found.path_room;
            if (!(run & ~met & 1u << t) || (met && !path_visits(s, path, nodes)))
                continue;
            met |= 1u << t;
            path_stops(s, path, nodes);
        }
    } while (met != before);
    free(nodes);
    return met == run;
}

static bool paths_obey(struct sets *x, bool const *runs)
{
    struct search *s = x->s;
    uint32_t run = 0;
    for (uint32_t t = 0; t < s->q.asked->train_count; t++)
        run += runs[t];
    for (uint32_t k = 0; k < s->q.asked->rules.set_count && run; k++) {
        bool visited = !s->q.visit[k];
        for (uint32_t t = 0; t < s->q.asked->train_count && !visited; t++)
            visited = runs[t] &&
                      path_visits(s, x->ordered + (size_t)t * s->found.path_room, s->q.visit[k]);
        if (!visited)
            return false;
    }
    return !run || !s->q.meet || paths_meet(x, runs);
}

static void keep_set(struct sets *x)
{
    struct search *s = x->s;
    struct found *f = &s->found;
    uint32_t count = s->q.asked->train_count;
    bool runs[ROUTES_TRAINS] = {false};
    int64_t values[ROUTES_TRAINS] = {0}, total = x->stages[count].value;
    if (total < f->total)
        return;
    memcpy(x->ordered, x->paths, (size_t)count * f->path_room * sizeof *x->ordered);
    for (uint32_t i = 0; i < count; i++) {
        runs[x->stages[i].train] = !x->stages[i].none;
        values[x->stages[i].train] = x->stages[i].taken_value;
    }
    if (!paths_obey(x, runs))
        return;
    uint16_t *kept = f->paths;
    order_trains(x, runs, values);
    if (total > f->total || comes_first(x, runs)) {
        f->total = total;
        memcpy(f->runs, runs, sizeof f->runs);
        memcpy(f->values, values, sizeof f->values);
        memcpy(kept, x->ordered, (size_t)count * f->path_room * sizeof *kept);
        s->ticker.progress.best = total;
    }
}

/* Trains of one type follow each other. */
static void order_stages(struct sets *x)
{
    uint32_t count = 0;
    for (uint32_t type = 0; type < x->s->q.type_count; type++)
        for (uint32_t t = 0; t < x->s->q.asked->train_count; t++)
            if (x->s->q.type_of[t] == type)
                x->stages[count++].train = t;
}

static void walk_sets(struct sets *x)
{
    uint32_t count = x->s->q.asked->train_count, i = 0;
    order_stages(x);
    start_stage(x, 0);
    while (!x->s->ticker.stopped) {
        struct stage *g = &x->stages[i];
        if (g->walking) /* later trains have used the valuer since */
            find_worths(x->s, &x->s->walks[g->train]);
        if (!advance(x, i)) {
            if (i-- == 0)
                return;
        } else if (i + 1 == count) {
            keep_set(x);
        } else {
            start_stage(x, ++i);
        }
    }
}

static int search_by_walks(struct search *s, struct chooser *c, int64_t bound)
{
    struct sets *x = calloc(1, sizeof *x);
    size_t words = (size_t)s->q.group_count * s->view.set_words;
    int rc = REDO_ENOMEM;
    if (!x)
        return rc;
    *x = (struct sets){.s = s, .c = c, .bound = bound};
    x->taken = calloc((ROUTES_TRAINS + 1) * words + 1, 8);
    x->paths = calloc((size_t)ROUTES_TRAINS * s->found.path_room, sizeof *x->paths);
    x->ordered = calloc((size_t)ROUTES_TRAINS * s->found.path_room, sizeof *x->ordered);
    for (uint32_t i = 0; i < s->q.type_count; i++)
        listing_close(&s->listings[i]);
    close_walks(s);
    if (x->taken && x->paths && x->ordered)
        rc = REDO_OK;
    for (uint32_t i = 0; i < s->q.asked->train_count && !rc; i++) {
        rc = walk_open(&s->walks[i], &s->plans[s->q.type_of[i]]);
        s->walk_count += !rc;
    }
    if (!rc)
        walk_sets(x);
    free(x->taken);
    free(x->paths);
    free(x->ordered);
    free(x);
    return rc;
}

/* --- several trains --- */

static void choose(struct search *s, struct chooser *c, bool *proven, bool *stable)
{
    s->ticker.progress.stage = ROUTES_CHOOSING;
    chooser_price(c);
    *proven = chooser_search(c);
    if (!*proven)
        return;
    s->ticker.progress.bound = s->found.total;
    s->ticker.progress.stage = ROUTES_ORDERING;
    *stable = chooser_order(c);
}

static int search_without_lists(struct search *s, struct chooser *c, bool *proven, bool *stable)
{
    int64_t *prices = calloc(c->price_count, sizeof *prices);
    int rc = prices ? REDO_OK : REDO_ENOMEM;
    for (uint32_t i = 0; i < s->q.type_count && !rc; i++) {
        if (s->listings[i].budget)
            listing_close(&s->listings[i]);
        listing_init(&s->listings[i], &s->plans[i], &s->budget, keeps_points(s));
    }
    if (rc)
        return rc;
    int64_t bound = find_prices(s, c, prices);
    if (!s->ticker.stopped && list_some(s, c, bound) && chooser_fill(c))
        choose(s, c, proven, stable);
    if (!*stable && !s->ticker.stopped) {
        chooser_empty(c);
        memcpy(c->boxes[0].prices, prices, c->price_count * sizeof *prices);
        rc = search_by_walks(s, c, bound);
        *proven = *stable = !rc && !s->ticker.stopped;
    }
    free(prices);
    return rc;
}

/* Asked to stop while listing: what is there may still make a set. */
static void make_do(struct search *s, struct chooser *c)
{
    for (uint32_t i = 0; i < s->q.type_count; i++)
        if (!s->listings[i].budget)
            listing_init(&s->listings[i], &s->plans[i], &s->budget, keeps_points(s));
    if (!chooser_fill(c))
        return;
    s->ticker.poll = NULL;
    s->ticker.stopped = false;
    for (uint32_t t = 0; t < s->q.asked->train_count; t++)
        greedy_set(c, &c->boxes[0], t, false);
    s->ticker.stopped = true;
}

static int search_together(struct search *s, bool *proven, bool *stable)
{
    struct chooser *c = calloc(1, sizeof *c);
    bool listed = true;
    int rc = c ? chooser_open(c, &s->q, &s->view, s->listings, &s->budget, &s->ticker, &s->found)
               : REDO_ENOMEM;
    if (rc) {
        free(c);
        return rc;
    }
    if (s->patience)
        c->patience = s->patience;
    for (uint32_t i = 0; i < s->q.type_count && listed && !s->ticker.stopped; i++)
        listed = list_all(s, i);
    if (s->ticker.stopped)
        make_do(s, c);
    else if (listed && chooser_fill(c))
        choose(s, c, proven, stable);
    if (!*stable && !s->ticker.stopped)
        rc = search_without_lists(s, c, proven, stable);
    chooser_close(c);
    free(c);
    return rc;
}

/* --- the answer --- */

static uint32_t count_edges(struct view const *v, uint16_t const *path)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < path[2]; i++)
        count += view_edge_count(v, path[PATH_HEAD + i]);
    return count;
}

/* Writes a route's ids behind each other; returns where they end. */
static uint32_t *tell_route(struct search *s, uint32_t train, struct routes_route *r, uint32_t *ids)
{
    struct view const *v = &s->view;
    uint16_t const *path = s->found.paths + (size_t)train * s->found.path_room;
    uint32_t point = path_run(v, path, s->scratch);
    *r = (struct routes_route){.train = train, .value = s->found.values[train], .stops = ids};
    ids[r->stop_count++] = network_node(s->q.net, v->nodes[point])->id;
    for (uint32_t i = 0; i < path[2]; i++) {
        uint32_t to = v->arcs[s->scratch[i]].to;
        if (view_is_station(v, to))
            ids[r->stop_count++] = network_node(s->q.net, v->nodes[to])->id;
    }
    uint32_t *edges = ids + r->stop_count;
    r->edges = edges;
    for (uint32_t i = 0; i < path[2]; i++)
        for (uint32_t e = 0; e < view_edge_count(v, s->scratch[i]); e++)
            edges[r->edge_count++] = network_edge(s->q.net, view_edge(v, s->scratch[i], e))->id;
    return edges + r->edge_count;
}

static int tell(struct search *s, struct routes_answer *a)
{
    size_t ids = 0;
    uint32_t count = 0;
    for (uint32_t t = 0; t < s->q.asked->train_count; t++) {
        uint16_t const *path = s->found.paths + (size_t)t * s->found.path_room;
        if (!s->found.runs[t])
            continue;
        count++;
        ids += path[2] + 1 + count_edges(&s->view, path);
    }
    struct routes_route *routes = malloc(count * sizeof *routes + ids * sizeof(uint32_t) + 1);
    if (!routes)
        return REDO_ENOMEM;
    uint32_t *at = (uint32_t *)(routes + count);
    a->storage = a->routes = routes;
    for (uint32_t t = 0; t < s->q.asked->train_count; t++)
        if (s->found.runs[t])
            at = tell_route(s, t, &routes[a->count++], at);
    a->total = s->found.total;
    a->bound = a->proven ? a->total : s->ticker.progress.bound;
    a->nodes = s->ticker.progress.nodes;
    a->memory = s->budget.most;
    return REDO_OK;
}

/* Without any search: each train at all stations, and all bonuses. */
static int64_t first_bound(struct search const *s)
{
    int64_t bound = 0;
    for (uint32_t i = 0; i < s->q.type_count; i++) {
        struct plan const *p = &s->plans[i];
        int64_t sum = p->extra;
        for (uint32_t j = 0; j < s->view.point_count && s->view.root_count; j++)
            sum += p->worth[j] > 0 ? p->worth[j] : 0;
        bound += s->view.root_count ? s->q.types[i].count * sum : 0;
    }
    return bound;
}

int routes_best(struct routes_network const *net, struct routes_question const *asked,
                struct routes_options const *options, struct routes_answer *answer,
                struct routes_fault *fault)
{
    struct search *s;
    *answer = (struct routes_answer){0};
    int rc = open_search(&s, net, asked, options, fault);
    if (rc)
        return rc;
    s->ticker.progress.bound = first_bound(s);
    if (asked->train_count == 1) {
        search_alone(s);
        answer->proven = answer->stable = !s->ticker.stopped;
    } else if (asked->train_count > 1 && s->view.root_count) {
        rc = search_together(s, &answer->proven, &answer->stable);
    } else {
        answer->proven = answer->stable = true;
    }
    if (!rc)
        rc = tell(s, answer);
    close_search(s);
    return rc;
}

void routes_answer_free(struct routes_answer *answer)
{
    free(answer->storage);
    *answer = (struct routes_answer){0};
}

int routes_count(struct routes_network const *net, struct routes_question const *asked,
                 uint32_t train, struct routes_options const *options, uint64_t *count,
                 bool *complete, struct routes_fault *fault)
{
    struct search *s;
    if (train >= asked->train_count)
        return fault_set(fault, REDO_ERANGE, "there is no train %u", train);
    int rc = open_search(&s, net, asked, options, fault);
    if (rc)
        return rc;
    struct walk *w = &s->walks[s->q.type_of[train]];
    *count = 0;
    walk_start(w, NULL, NULL, INT64_MIN);
    while (next_route(s, w))
        ++*count;
    *complete = !s->ticker.stopped;
    close_search(s);
    return REDO_OK;
}
