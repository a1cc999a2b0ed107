/* The validator: reads the network and the document's rules, and nothing that the search made. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/routes/question.h"
#include "core/routes/value.h"

static char const *const texts[] = {
    [ROUTES_LEGAL] = "legal",
    [ROUTES_BAD_TRAIN] = "no such train, or a train with two routes",
    [ROUTES_BAD_ID] = "a stop or an edge that is not in the network",
    [ROUTES_BAD_WALK] = "the edges are no walk over exactly these stops",
    [ROUTES_BAD_REPEAT] = "a node or an edge is used twice",
    [ROUTES_BAD_SIDE] = "turns, or changes track, at a side",
    [ROUTES_BAD_JUNCTION] = "leaves its hex at a junction",
    [ROUTES_BAD_OFFBOARD] = "passes an off-board area",
    [ROUTES_BAD_BLOCKED] = "passes too many blocked cities",
    [ROUTES_BAD_TERMINAL] = "a terminal edge is neither first nor last",
    [ROUTES_BAD_TRACK] = "the train can not use this track",
    [ROUTES_BAD_STOPS] = "too few stops",
    [ROUTES_BAD_TOKEN] = "no stop holds a token of the company",
    [ROUTES_BAD_LENGTH] = "longer than the train's distance",
    [ROUTES_BAD_MUTEX] = "two members of a mutex in one route",
    [ROUTES_BAD_STOPS_IF] = "too few stops for one of them",
    [ROUTES_BAD_ENDS] = "an end does not hold a token of the company",
    [ROUTES_BAD_COUNTED] = "no stop that holds a token can count",
    [ROUTES_BAD_SET_EDGE] = "two routes use one edge",
    [ROUTES_BAD_SET_NODE] = "two routes use a node that can be used once",
    [ROUTES_BAD_SET_MUTEX] = "two routes use members of one mutex",
    [ROUTES_BAD_SET_VISIT] = "no route stops where one must",
    [ROUTES_BAD_SET_MEET] = "the routes do not hang together",
    [ROUTES_BAD_SET_BYPASS] = "too many routes pass a blocked city",
};

char const *routes_rule_text(enum routes_rule rule)
{
    return rule < ROUTES_RULES ? texts[rule] : "unknown rule";
}

/* One route as the validator walks it. */
struct tried {
    uint64_t *nodes, *edges, *mutexes; /* used, by slot */
    uint32_t *stops;                   /* slots */
    uint32_t stop_count, bypassed;
};

struct checker {
    struct question q;
    struct routes_verdict *verdict;
    struct valuer valuer;
    bool has_valuer;
    uint32_t mutex_words;
    struct tried tried[ROUTES_TRAINS];
    uint32_t count;
    struct routes_options const *options; /* or NULL */
    uint64_t ticks;
    bool stopped;
};

/* Counts work; true: to stop. */
static bool on_tick(void *context)
{
    struct checker *c = context;
    struct routes_progress progress = {.stage = ROUTES_CHOOSING, .nodes = c->ticks};
    if (!c->stopped && c->options && c->options->poll && ++c->ticks % ROUTES_POLL == 0)
        c->stopped = c->options->poll(c->options->context, &progress) != 0;
    return c->stopped;
}

static bool breaks(struct checker *c, enum routes_rule rule, uint32_t route, uint32_t id)
{
    *c->verdict = (struct routes_verdict){.rule = rule, .route = route, .other = route, .id = id};
    return false;
}

/* --- one route: the walk (rules 1 to 4) --- */

static bool use_node(struct checker *c, uint32_t i, uint32_t slot)
{
    if (bits_has(c->tried[i].nodes, slot))
        return breaks(c, ROUTES_BAD_REPEAT, i, network_node(c->q.net, slot)->id);
    bits_set(c->tried[i].nodes, slot);
    return true;
}

/* From an edge to the next, at a node that is no station. */
static bool pass_node(struct checker *c, uint32_t i, uint32_t slot, uint32_t from, uint32_t to)
{
    struct routes_network const *n = c->q.net;
    struct routes_node const *node = network_node(n, slot);
    if (node_joins(node->kind, network_edge(n, from), network_edge(n, to)))
        return true;
    return breaks(c, node->kind == ROUTES_SIDE ? ROUTES_BAD_SIDE : ROUTES_BAD_JUNCTION, i,
                  node->id);
}

/* Arrives at a node by edge number k of the route. */
static bool arrive(struct checker *c, struct routes_route const *r, uint32_t i, uint32_t slot,
                   uint32_t k, uint32_t *met)
{
    struct tried *t = &c->tried[i];
    bool last = k + 1 == r->edge_count;
    if (bits_has(c->q.stations, slot)) {
        if (*met == t->stop_count || t->stops[*met] != slot)
            return breaks(c, ROUTES_BAD_WALK, i, network_node(c->q.net, slot)->id);
        ++*met;
        return use_node(c, i, slot);
    }
    if (last)
        return breaks(c, ROUTES_BAD_WALK, i, network_node(c->q.net, slot)->id);
    uint32_t from = network_find(c->q.net, NETWORK_EDGES, r->edges[k]);
    uint32_t to = network_find(c->q.net, NETWORK_EDGES, r->edges[k + 1]);
    if (from == to)
        return breaks(c, ROUTES_BAD_REPEAT, i, r->edges[k]);
    uint32_t const *ends = &c->q.net->ends[2 * to];
    if (ends[0] != slot && ends[1] != slot)
        return breaks(c, ROUTES_BAD_WALK, i, r->edges[k + 1]);
    return pass_node(c, i, slot, from, to) && use_node(c, i, slot);
}

static bool check_walk(struct checker *c, struct routes_route const *r, uint32_t i)
{
    struct tried *t = &c->tried[i];
    uint32_t at = t->stops[0], met = 1;
    if (!bits_has(c->q.stations, at))
        return breaks(c, ROUTES_BAD_WALK, i, r->stops[0]);
    if (!use_node(c, i, at))
        return false;
    for (uint32_t k = 0; k < r->edge_count; k++) {
        uint32_t edge = network_find(c->q.net, NETWORK_EDGES, r->edges[k]);
        uint32_t const *ends = &c->q.net->ends[2 * edge];
        if (bits_has(t->edges, edge))
            return breaks(c, ROUTES_BAD_REPEAT, i, r->edges[k]);
        if (ends[0] != at && ends[1] != at)
            return breaks(c, ROUTES_BAD_WALK, i, r->edges[k]);
        bits_set(t->edges, edge);
        at = ends[0] == at ? ends[1] : ends[0];
        if (!arrive(c, r, i, at, k, &met))
            return false;
    }
    if (met != t->stop_count)
        return breaks(c, ROUTES_BAD_WALK, i, r->stops[met]);
    return true;
}

/* --- one route: what it may pass and use (rules 5 to 8) --- */

static bool check_inner(struct checker *c, uint32_t i)
{
    struct tried *t = &c->tried[i];
    for (uint32_t s = 1; s + 1 < t->stop_count; s++) {
        struct routes_node const *node = network_node(c->q.net, t->stops[s]);
        if (node->kind == ROUTES_OFFBOARD)
            return breaks(c, ROUTES_BAD_OFFBOARD, i, node->id);
        if (bits_has(c->q.blocked, t->stops[s]) && ++t->bypassed > c->q.asked->rules.bypass_blocked)
            return breaks(c, ROUTES_BAD_BLOCKED, i, node->id);
    }
    return true;
}

static bool check_edges(struct checker *c, struct routes_route const *r, uint32_t i)
{
    uint32_t tracks = c->q.asked->trains[r->train].tracks;
    for (uint32_t k = 0; k < r->edge_count; k++) {
        struct routes_edge const *edge = routes_network_edge(c->q.net, r->edges[k]);
        if (edge->terminal && k > 0 && k + 1 < r->edge_count)
            return breaks(c, ROUTES_BAD_TERMINAL, i, edge->id);
        if (tracks && !(tracks >> edge->track & 1))
            return breaks(c, ROUTES_BAD_TRACK, i, edge->id);
    }
    return true;
}

static bool check_stops(struct checker *c, struct routes_route const *r, uint32_t i)
{
    struct tried *t = &c->tried[i];
    bool local = t->stop_count == 1 && c->q.asked->trains[r->train].local;
    bool token = false;
    if (t->stop_count < c->q.asked->rules.min_stops && !local)
        return breaks(c, ROUTES_BAD_STOPS, i, r->stops[0]);
    for (uint32_t s = 0; s < t->stop_count; s++)
        token |= bits_has(c->q.tokens, t->stops[s]);
    return token || breaks(c, ROUTES_BAD_TOKEN, i, r->stops[0]);
}

/* --- one route: length (rule 9) --- */

static uint64_t stops_length(struct checker *c, uint32_t i)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < c->tried[i].stop_count; s++)
        sum += (uint64_t)network_node(c->q.net, c->tried[i].stops[s])->cost;
    return sum;
}

static uint64_t hexes_length(struct checker *c, struct routes_route const *r, uint32_t i)
{
    struct routes_train const *train = &c->q.asked->trains[r->train];
    uint64_t sum = 0, sides = 0;
    uint32_t dearest = 0, at = c->tried[i].stops[0];
    for (uint32_t k = 0; k < r->edge_count; k++) {
        uint32_t edge = network_find(c->q.net, NETWORK_EDGES, r->edges[k]);
        uint32_t cost = train->track_cost[network_edge(c->q.net, edge)->track];
        uint32_t const *ends = &c->q.net->ends[2 * edge];
        dearest = cost > dearest ? cost : dearest;
        at = ends[0] == at ? ends[1] : ends[0];
        sides += network_node(c->q.net, at)->kind == ROUTES_SIDE;
        if (bits_has(c->q.stations, at)) {
            sum += sides * dearest;
            sides = dearest = 0;
        }
    }
    return sum;
}

static bool check_length(struct checker *c, struct routes_route const *r, uint32_t i)
{
    struct train_type const *type = question_type(&c->q, r->train);
    uint32_t counts[STATION_KINDS] = {0};
    bool fits;
    if (type->train->distance == ROUTES_BY_STOPS) {
        fits = stops_length(c, i) <= type->train->length;
    } else if (type->train->distance == ROUTES_BY_HEXES) {
        fits = hexes_length(c, r, i) <= type->train->length;
    } else {
        for (uint32_t s = 0; s < c->tried[i].stop_count; s++)
            counts[network_node(c->q.net, c->tried[i].stops[s])->kind]++;
        fits = rows_fit(type->visit, counts);
    }
    return fits || breaks(c, ROUTES_BAD_LENGTH, i, r->stops[0]);
}

/* --- one route: the rest (rule 10) --- */

static bool use_mutexes(struct checker *c, uint32_t i, enum network_table table, uint32_t slot)
{
    struct routes_network const *n = c->q.net;
    BITS_EACH(mutex, network_mutexes(n, table, slot), n->mutex_words)
    {
        if (bits_has(c->tried[i].mutexes, mutex))
            return breaks(c, ROUTES_BAD_MUTEX, i, network_mutex(n, mutex)->id);
        bits_set(c->tried[i].mutexes, mutex);
    }
    return true;
}

static bool check_mutexes(struct checker *c, uint32_t i)
{
    BITS_EACH(node, c->tried[i].nodes, c->q.node_words)
    {
        if (!use_mutexes(c, i, NETWORK_NODES, node))
            return false;
    }
    BITS_EACH(edge, c->tried[i].edges, c->q.edge_words)
    {
        if (!use_mutexes(c, i, NETWORK_EDGES, edge))
            return false;
    }
    return true;
}

static bool check_conditions(struct checker *c, struct routes_route const *r, uint32_t i)
{
    struct tried *t = &c->tried[i];
    for (uint32_t k = 0; k < c->q.asked->rules.min_stops_if_count; k++)
        for (uint32_t s = 0; s < t->stop_count; s++)
            if (t->stop_count < c->q.min_stops[k].min &&
                bits_has(c->q.min_stops[k].nodes, t->stops[s]))
                return breaks(c, ROUTES_BAD_STOPS_IF, i, r->stops[s]);
    if (!c->q.asked->trains[r->train].token_ends)
        return true;
    if (!bits_has(c->q.tokens, t->stops[0]))
        return breaks(c, ROUTES_BAD_ENDS, i, r->stops[0]);
    if (!bits_has(c->q.tokens, t->stops[t->stop_count - 1]))
        return breaks(c, ROUTES_BAD_ENDS, i, r->stops[t->stop_count - 1]);
    return true;
}

static bool find_ids(struct checker *c, struct routes_route const *r, uint32_t i)
{
    struct tried *t = &c->tried[i];
    if (r->stop_count == 0)
        return breaks(c, ROUTES_BAD_WALK, i, 0);
    for (uint32_t k = 0; k < r->edge_count; k++)
        if (network_find(c->q.net, NETWORK_EDGES, r->edges[k]) == INDEX_NONE)
            return breaks(c, ROUTES_BAD_ID, i, r->edges[k]);
    for (uint32_t s = 0; s < r->stop_count; s++) {
        uint32_t slot = network_find(c->q.net, NETWORK_NODES, r->stops[s]);
        if (slot == INDEX_NONE)
            return breaks(c, ROUTES_BAD_ID, i, r->stops[s]);
        t->stops[t->stop_count++] = slot;
    }
    return true;
}

static bool check_train(struct checker *c, struct routes_route const *routes, uint32_t i)
{
    if (routes[i].train >= c->q.asked->train_count)
        return breaks(c, ROUTES_BAD_TRAIN, i, routes[i].train);
    for (uint32_t j = 0; j < i; j++)
        if (routes[j].train == routes[i].train)
            return breaks(c, ROUTES_BAD_TRAIN, i, routes[i].train);
    return true;
}

static bool check_route(struct checker *c, struct routes_route const *routes, uint32_t i)
{
    struct routes_route const *r = &routes[i];
    return check_train(c, routes, i) && find_ids(c, r, i) && check_walk(c, r, i) &&
           check_inner(c, i) && check_edges(c, r, i) && check_stops(c, r, i) &&
           check_length(c, r, i) && check_mutexes(c, i) && check_conditions(c, r, i);
}

/* --- the set --- */

static bool breaks_both(struct checker *c, enum routes_rule rule, uint32_t i, uint32_t j,
                        uint32_t id)
{
    breaks(c, rule, i, id);
    c->verdict->other = j;
    return false;
}

static bool check_pair(struct checker *c, uint32_t i, uint32_t j)
{
    struct routes_network const *n = c->q.net;
    struct tried const *a = &c->tried[i], *b = &c->tried[j];
    BITS_EACH(edge, a->edges, c->q.edge_words)
    {
        if (bits_has(b->edges, edge) && edge_once_in_set(network_edge(n, edge)))
            return breaks_both(c, ROUTES_BAD_SET_EDGE, i, j, network_edge(n, edge)->id);
    }
    BITS_EACH(node, a->nodes, c->q.node_words)
    {
        if (bits_has(b->nodes, node) && node_once_in_set(network_node(n, node)))
            return breaks_both(c, ROUTES_BAD_SET_NODE, i, j, network_node(n, node)->id);
    }
    BITS_EACH(mutex, a->mutexes, c->mutex_words)
    {
        if (bits_has(b->mutexes, mutex) && network_mutex(n, mutex)->scope == ROUTES_SCOPE_SET)
            return breaks_both(c, ROUTES_BAD_SET_MUTEX, i, j, network_mutex(n, mutex)->id);
    }
    return true;
}

static bool stops_at(struct checker const *c, uint32_t i, uint64_t const *nodes)
{
    for (uint32_t s = 0; s < c->tried[i].stop_count; s++)
        if (bits_has(nodes, c->tried[i].stops[s]))
            return true;
    return false;
}

static bool share_stop(struct checker const *c, uint32_t i, uint32_t j)
{
    for (uint32_t s = 0; s < c->tried[i].stop_count; s++)
        if (bits_has(c->tried[j].nodes, c->tried[i].stops[s]))
            return true;
    return false;
}

static bool check_meet(struct checker *c)
{
    uint32_t met = 1, before = 0;
    while (met != before) {
        before = met;
        for (uint32_t i = 0; i < c->count; i++)
            for (uint32_t j = 0; j < c->count; j++)
                if (met >> i & 1 && share_stop(c, i, j))
                    met |= 1u << j;
    }
    for (uint32_t i = 0; i < c->count; i++)
        if (!(met >> i & 1))
            return breaks_both(c, ROUTES_BAD_SET_MEET, i, 0, 0);
    return true;
}

static bool check_set_rules(struct checker *c)
{
    uint32_t bypassing = 0;
    for (uint32_t k = 0; k < c->q.asked->rules.set_count; k++) {
        bool visited = !c->q.visit[k];
        for (uint32_t i = 0; i < c->count && !visited; i++)
            visited = stops_at(c, i, c->q.visit[k]);
        if (!visited)
            return breaks(c, ROUTES_BAD_SET_VISIT, 0, k);
    }
    if (c->q.meet && !check_meet(c))
        return false;
    for (uint32_t i = 0; i < c->count; i++) {
        bypassing += c->tried[i].bypassed > 0;
        if (bypassing > c->q.bypass_max)
            return breaks(c, ROUTES_BAD_SET_BYPASS, i, c->q.bypass_max);
    }
    return true;
}

static bool check_set(struct checker *c, struct routes_route const *routes)
{
    for (uint32_t i = 0; i < c->count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (c->q.group_of[routes[i].train] == c->q.group_of[routes[j].train] &&
                !check_pair(c, i, j))
                return false;
    return c->count == 0 || check_set_rules(c);
}

/* --- what it is worth --- */

/* The best way to share out the once-only bonuses: best[claims] is the best that the routes so far
 * can have with no more than these. taken[route][claims]: what the route claims in it. */
static void share_out(struct checker *c, int64_t *best, int64_t *next,
                      uint32_t (*taken)[VALUE_WORTHS], uint32_t i)
{
    uint32_t all = 1u << c->q.once_count;
    for (uint32_t claims = 0; claims < all; claims++) {
        next[claims] = INT64_MIN;
        for (uint32_t w = 0; w < c->valuer.worth_count; w++) {
            struct worth const *worth = &c->valuer.worths[w];
            if ((worth->claims & claims) != worth->claims)
                continue;
            int64_t value = best[claims & ~worth->claims] + worth->value;
            if (value > next[claims]) {
                next[claims] = value;
                taken[i][claims] = w;
            }
        }
    }
    memcpy(best, next, all * sizeof *best);
}

/* Values of the routes from last to first, along what was taken. */
static void tell_values(struct checker *c, struct routes_route const *routes,
                        uint32_t (*taken)[VALUE_WORTHS])
{
    uint32_t claims = (1u << c->q.once_count) - 1;
    for (uint32_t i = c->count; i-- > 0;) {
        struct tried *t = &c->tried[i];
        valuer_route(&c->valuer, question_type(&c->q, routes[i].train), t->stops, t->stop_count,
                     t->edges);
        struct worth const *worth = &c->valuer.worths[taken[i][claims]];
        c->verdict->values[i] = worth->value;
        c->verdict->total += worth->value;
        claims &= ~worth->claims;
    }
}

static int check_worth(struct checker *c, struct routes_route const *routes, bool *legal)
{
    uint32_t(*taken)[VALUE_WORTHS] = calloc(c->count + 1, sizeof *taken);
    int64_t *best = calloc(2 * VALUE_WORTHS, sizeof *best);
    *legal = taken && best;
    for (uint32_t i = 0; i < c->count && *legal && !c->stopped; i++) {
        struct tried *t = &c->tried[i];
        valuer_route(&c->valuer, question_type(&c->q, routes[i].train), t->stops, t->stop_count,
                     t->edges);
        if (c->valuer.worth_count == 0)
            *legal = breaks(c, ROUTES_BAD_COUNTED, i, routes[i].stops[0]);
        else
            share_out(c, best, best + VALUE_WORTHS, taken, i);
    }
    int rc = taken && best ? REDO_OK : REDO_ENOMEM;
    if (*legal)
        tell_values(c, routes, taken);
    free(taken);
    free(best);
    return rc;
}

/* --- memory --- */

static int open_tried(struct checker *c, struct routes_route const *r, struct tried *t)
{
    t->nodes = calloc(c->q.node_words, 8);
    t->edges = calloc(c->q.edge_words, 8);
    t->mutexes = calloc(c->mutex_words + 1, 8);
    t->stops = calloc((size_t)r->stop_count + 1, sizeof *t->stops);
    return t->nodes && t->edges && t->mutexes && t->stops ? REDO_OK : REDO_ENOMEM;
}

static void close_checker(struct checker *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        free(c->tried[i].nodes);
        free(c->tried[i].edges);
        free(c->tried[i].mutexes);
        free(c->tried[i].stops);
    }
    if (c->has_valuer)
        valuer_close(&c->valuer);
    question_close(&c->q);
    free(c);
}

static int run_checks(struct checker *c, struct routes_route const *routes)
{
    bool legal = true;
    int rc = valuer_open(&c->valuer, &c->q);
    c->has_valuer = !rc;
    c->valuer.tick = on_tick;
    c->valuer.tick_context = c;
    for (uint32_t i = 0; i < c->count && !rc && legal; i++) {
        rc = open_tried(c, &routes[i], &c->tried[i]);
        if (!rc)
            legal = check_route(c, routes, i);
    }
    if (rc)
        return rc;
    if (legal)
        rc = check_worth(c, routes, &legal);
    if (!rc && legal) {
        int64_t total = c->verdict->total;
        legal = check_set(c, routes);
        if (legal)
            c->verdict->total = total;
    }
    return rc;
}

/* There are more routes than trains: one of the first so many has no train of its own. Beyond them
 * nothing is looked at. */
static void check_trains(struct checker *c, struct routes_route const *routes)
{
    uint32_t trains = c->q.asked->train_count;
    for (uint32_t i = 0; i <= trains; i++) {
        bool own = routes[i].train < trains;
        for (uint32_t j = 0; own && j < i; j++)
            own = routes[i].train != routes[j].train;
        if (!own) {
            breaks(c, ROUTES_BAD_TRAIN, i, routes[i].train);
            return;
        }
    }
}

int routes_check(struct routes_network const *net, struct routes_question const *asked,
                 struct routes_route const *routes, uint32_t count,
                 struct routes_options const *options, struct routes_verdict *verdict,
                 struct routes_fault *fault)
{
    struct checker *c = calloc(1, sizeof *c);
    *verdict = (struct routes_verdict){0};
    if (!c)
        return REDO_ENOMEM;
    int rc = question_open(&c->q, net, asked, fault);
    if (rc) {
        free(c);
        return rc;
    }
    c->verdict = verdict;
    c->mutex_words = net->mutex_words;
    if (count > asked->train_count) {
        check_trains(c, routes);
    } else {
        c->count = count;
        c->options = options;
        rc = run_checks(c, routes);
        verdict->stopped = c->stopped;
    }
    close_checker(c);
    return rc;
}
