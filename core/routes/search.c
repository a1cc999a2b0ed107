/* The best set of routes. With one train: a walk that keeps the best route, and looks at nothing
 * that can not be as good. With more: all routes of each type of train are listed, and chosen from.
 * Where the lists do not fit the memory allowed, prices are found from a few routes at a time, and
 * only routes that can be in a best set by these prices are listed; where even they do not fit,
 * they are walked over once for each set of routes of the trains before. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/routes/search.h"

/* --- opening --- */

static int open_plans(struct search *s, bool walk_each)
{
    int rc = REDO_OK;
    for (uint32_t i = 0; i < s->q.type_count && !rc; i++) {
        rc = train_plan_open(&s->plans[i], &s->view, &s->q.types[i]);
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

void search_close_walks(struct search *s)
{
    for (uint32_t i = 0; i < s->walk_count; i++)
        walk_close(&s->walks[i]);
    s->walk_count = 0;
}

static void close_search(struct search *s)
{
    search_close_walks(s);
    for (uint32_t i = 0; i < s->plan_count; i++) {
        if (s->listings[i].budget)
            listing_close(&s->listings[i]);
        train_plan_close(&s->plans[i]);
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
void search_worths(struct search *s, struct walk const *w)
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

/* The next route that has a worth; false at the end, when asked to stop, or after s->until. */
bool search_next(struct search *s, struct walk *w)
{
    while (!s->ticker.stopped && (!s->until || s->ticker.progress.nodes < s->until)) {
        uint64_t before = w->steps;
        enum walk_result result = walk_next(w, before + ROUTES_POLL);
        ticker_add(&s->ticker, w->steps - before);
        if (result == WALK_END)
            return false;
        if (result == WALK_PAUSE)
            continue;
        search_worths(s, w);
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
    while (search_next(s, w))
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
    s->ticker.progress.share = (double)type / s->q.type_count;
    while (search_next(s, w))
        if (!listing_add(l, w, s->valuer.worths, s->valuer.worth_count))
            return false;
    return !s->ticker.stopped;
}

/* --- several trains --- */

static void choose(struct search *s, struct chooser *c, bool *proven, bool *stable)
{
    s->ticker.progress.stage = ROUTES_CHOOSING;
    s->ticker.progress.share = 0;
    chooser_price(c);
    *proven = chooser_search(c);
    if (!*proven)
        return;
    s->ticker.progress.bound = s->found.total;
    s->ticker.progress.stage = ROUTES_ORDERING;
    s->ticker.progress.share = 0;
    *stable = chooser_order(c);
}

#define LAST_WORK 500000 /* a fraction of a second */

static int worked_enough(void *context, struct routes_progress const *progress)
{
    uint64_t const *end = context;
    return progress->nodes >= *end;
}

/* Makes a set of what is listed, if that does not take long; also when asked to stop. */
static void make_do(struct search *s, struct chooser *c)
{
    uint64_t end = s->ticker.progress.nodes + LAST_WORK;
    struct ticker before = s->ticker;
    for (uint32_t i = 0; i < s->q.type_count; i++)
        if (!s->listings[i].budget)
            listing_init(&s->listings[i], &s->plans[i], &s->budget, keeps_points(s));
    if (!chooser_fill(c))
        return;
    s->ticker.poll = worked_enough;
    s->ticker.context = &end;
    s->ticker.stopped = false;
    for (uint32_t t = 0; t < s->q.asked->train_count && !s->ticker.stopped; t++)
        greedy_set(c, &c->boxes[0], t, false);
    s->ticker.poll = before.poll;
    s->ticker.context = before.context;
    s->ticker.stopped = before.stopped;
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
    search_list_first(s);
    make_do(s, c);
    int64_t bound = search_find_prices(s, c, prices);
    if (!s->ticker.stopped && search_list_some(s, c, bound) && chooser_fill(c))
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
    answer->proven |= s->found.total >= s->ticker.progress.bound;
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
    while (search_next(s, w))
        ++*count;
    *complete = !s->ticker.stopped;
    close_search(s);
    return REDO_OK;
}
