/* Sets found by walking alone: each train has its own walk over all routes that leave room, begun
 * anew for each route of the trains before. Slow, but it needs no memory to speak of. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/routes/search.h"

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
    walk_start(&s->walks[g->train], search_prices(s, x->c, type),
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
            g->walking = search_next(s, w);
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
            int64_t gap = s->most[type] - search_reduced(s, x->c, w, &worth);
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
            search_worths(x->s, &x->s->walks[g->train]);
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

int search_by_walks(struct search *s, struct chooser *c, int64_t bound)
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
    search_close_walks(s);
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
