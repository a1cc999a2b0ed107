#include "core/routes/walk.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

int walk_open(struct walk *w, struct plan const *plan)
{
    struct view const *v = plan->view;
    size_t depth = (size_t)v->point_count + 2;
    *w = (struct walk){.plan = plan, .words = v->route_words + v->set_words};
    w->frames = calloc(depth, sizeof *w->frames);
    w->masks = calloc(depth * w->words + 1, 8);
    w->arc_gain = calloc((size_t)plan->arc_count + 1, sizeof *w->arc_gain);
    w->root_gain = calloc((size_t)v->root_count + 1, sizeof *w->root_gain);
    w->best_points = calloc(depth, sizeof *w->best_points);
    w->best_gain = calloc(depth, sizeof *w->best_gain);
    w->reach = calloc((size_t)v->point_words + 1, 8);
    w->front = calloc((size_t)v->point_words + 1, 8);
    if (w->frames && w->masks && w->arc_gain && w->root_gain && w->best_points && w->best_gain &&
        w->reach && w->front)
        return REDO_OK;
    walk_close(w);
    return REDO_ENOMEM;
}

void walk_close(struct walk *w)
{
    free(w->frames);
    free(w->masks);
    free(w->arc_gain);
    free(w->root_gain);
    free(w->best_points);
    free(w->best_gain);
    free(w->reach);
    free(w->front);
}

/* --- starting --- */

static int64_t price_of(uint64_t const *set, uint32_t words, int64_t const *prices)
{
    int64_t sum = 0;
    if (!prices)
        return 0;
    BITS_EACH(bit, set, words)
    {
        sum += prices[bit];
    }
    return sum;
}

static int by_gain(void const *a, void const *b, void *context)
{
    int64_t const *gain = context;
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    if (gain[x] != gain[y])
        return gain[x] < gain[y] ? 1 : -1;
    return (x > y) - (x < y);
}

static void set_gains(struct walk *w, int64_t const *prices)
{
    struct plan const *p = w->plan;
    struct view const *v = p->view;
    for (uint32_t i = 0; i < v->point_count; i++)
        w->best_gain[i] = 0;
    for (uint32_t arc = 0; arc < p->arc_count; arc++) {
        uint32_t to = v->arcs[arc].to;
        w->arc_gain[arc] =
            SCALE * (int64_t)p->worth[to] - price_of(view_arc_set(v, arc), v->set_words, prices);
        if (w->arc_gain[arc] > w->best_gain[to])
            w->best_gain[to] = w->arc_gain[arc];
    }
    for (uint32_t r = 0; r < v->root_count; r++)
        w->root_gain[r] = SCALE * (int64_t)p->worth[v->roots[r]] -
                          price_of(view_point_set(v, v->roots[r]), v->set_words, prices);
    w->best_count = 0;
    for (uint32_t i = 0; i < v->point_count; i++)
        if (p->point[i] & POINT_STATION && w->best_gain[i] > 0)
            w->best_points[w->best_count++] = i;
    if (w->best_count)
        qsort_r(w->best_points, w->best_count, sizeof *w->best_points, by_gain, w->best_gain);
}

void walk_start(struct walk *w, int64_t const *prices, uint64_t const *taken, int64_t floor)
{
    set_gains(w, prices);
    w->taken = taken;
    w->floor = floor;
    w->root = 0;
    w->started = false;
    w->tries = w->hits = 0;
}

/* --- what can still be gained --- */

/* The points near one that can be come to can be, too: the first word of the front to go on from.
 */
static inline uint32_t spread(struct walk *w, uint64_t const *near, uint64_t const *mask,
                              uint32_t word)
{
    struct plan const *p = w->plan;
    uint32_t words = p->view->point_words;
    uint64_t *front = w->front, *reach = w->reach;
    for (uint32_t i = 0; i < words; i++) {
        uint64_t fresh = near[i] & ~mask[i] & ~reach[i];
        reach[i] |= fresh;
        front[i] |= fresh & p->passable[i];
        if (fresh & p->passable[i] && i < word)
            word = i;
    }
    return word;
}

/* Points that can still be come to from the ends of the walk. */
static void flood(struct walk *w, struct frame const *f, uint64_t const *mask)
{
    struct plan const *p = w->plan;
    uint32_t words = p->view->point_words;
    uint64_t *front = w->front, *reach = w->reach;
    uint64_t const *last = p->near + (size_t)p->view->arcs[f->arc].to * words;
    uint64_t const *root = p->near + (size_t)p->view->roots[w->root] * words;
    for (uint32_t i = 0; i < words; i++) {
        reach[i] = front[i] =
            ((f->pos < f->end ? last[i] : 0) | (f->pos2 < f->end2 ? root[i] : 0)) & ~mask[i];
        front[i] &= p->passable[i];
    }
    for (uint32_t word = 0; word < words; word++) {
        while (front[word]) {
            uint32_t point = word * 64 + (uint32_t)__builtin_ctzll(front[word]);
            uint64_t const *near = p->near + (size_t)point * words;
            front[word] &= front[word] - 1;
            word = spread(w, near, mask, word);
        }
    }
}

static int64_t most_by_stops(struct walk const *w, uint32_t room)
{
    struct plan const *p = w->plan;
    int64_t sum = 0;
    for (uint32_t i = 0; i < w->best_count; i++) {
        uint32_t point = w->best_points[i];
        if (!bits_has(w->reach, point))
            continue;
        if (p->cost[point] > room)
            continue;
        /* Each takes at least 1, if it takes anything: so no fewer fit than really do. */
        if (p->cost[point] > 0) {
            if (room == 0)
                continue;
            room--;
        }
        sum += w->best_gain[point];
    }
    return sum;
}

static int64_t most_by_hexes(struct walk const *w)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < w->best_count; i++)
        if (bits_has(w->reach, w->best_points[i]))
            sum += w->best_gain[w->best_points[i]];
    return sum;
}

/* With rows: how many more stops of each set of kinds can be visited. */
static int64_t most_by_rows(struct walk const *w, struct frame const *f)
{
    struct plan const *p = w->plan;
    uint32_t left[KIND_SETS];
    int64_t sum = 0;
    for (uint32_t set = 0; set < KIND_SETS; set++) {
        left[set] = p->type->visit[set];
        for (uint32_t kind = 0; kind < STATION_KINDS; kind++)
            if (set >> kind & 1)
                left[set] -= f->counts[kind];
    }
    for (uint32_t i = 0; i < w->best_count; i++) {
        uint32_t point = w->best_points[i], kind = p->kind[point];
        if (!bits_has(w->reach, point))
            continue;
        bool fits = true;
        for (uint32_t set = 1; set < KIND_SETS; set++)
            fits &= !(set >> kind & 1) || left[set] > 0;
        if (!fits)
            continue;
        for (uint32_t set = 1; set < KIND_SETS; set++)
            left[set] -= set >> kind & 1;
        sum += w->best_gain[point];
    }
    return sum;
}

/* Whether what goes on from here may gain as much as the floor. Where the bound seldom cuts
 * anything off, it is seldom tried. */
static bool may_gain(struct walk *w, struct frame const *f, uint64_t const *mask)
{
    int64_t most = f->gain + SCALE * w->plan->extra;
    if (w->floor == INT64_MIN)
        return true;
    if (w->tries >= 64 && w->hits * 16 < w->tries && w->tries++ % 16)
        return true;
    if (w->tries > 1u << 20) {
        w->tries /= 2;
        w->hits /= 2;
    }
    w->tries++;
    flood(w, f, mask);
    if (w->plan->type->train->distance == ROUTES_BY_STOPS)
        most += most_by_stops(w, w->plan->type->train->length - f->length);
    else if (w->plan->type->train->distance == ROUTES_BY_HEXES)
        most += most_by_hexes(w);
    else
        most += most_by_rows(w, f);
    if (most >= w->floor)
        return true;
    w->hits++;
    return false;
}

/* --- walking --- */

/* Whether the stops so far fit the train; counts the new one. */
static bool add_length(struct walk const *w, struct frame *f, uint32_t point)
{
    struct train_type const *type = w->plan->type;
    uint32_t kind = w->plan->kind[point];
    switch (type->train->distance) {
    case ROUTES_BY_STOPS:
        f->length += w->plan->cost[point];
        return f->length <= type->train->length;
    case ROUTES_BY_HEXES:
        return true;
    default:
        f->counts[kind]++;
        for (uint32_t set = 1; set < KIND_SETS; set++) {
            uint32_t sum = 0;
            if (!(set >> kind & 1))
                continue;
            for (uint32_t k = 0; k < STATION_KINDS; k++)
                sum += set >> k & 1 ? f->counts[k] : 0;
            if (sum > type->visit[set])
                return false;
        }
        return true;
    }
}

/* The hexes of a leg, which only grow on the way. */
static bool add_leg(struct walk const *w, struct frame *f, uint32_t arc)
{
    struct plan const *p = w->plan;
    f->leg_sides += p->view->arcs[arc].sides;
    if (p->track_cost[arc] > f->leg_cost)
        f->leg_cost = p->track_cost[arc];
    uint64_t length = f->length + (uint64_t)f->leg_sides * f->leg_cost;
    if (length > p->type->train->length)
        return false;
    if (p->point[p->view->arcs[arc].to] & POINT_STATION) {
        f->length = (uint32_t)length;
        f->leg_sides = f->leg_cost = 0;
    }
    return true;
}

static bool add_stop(struct walk *w, struct frame *f, uint32_t point)
{
    struct plan const *p = w->plan;
    if (!add_length(w, f, point))
        return false;
    f->stops++;
    f->value += p->value[point];
    if (p->min_stops[point] > f->min_stops)
        f->min_stops = p->min_stops[point];
    return true;
}

/* Whether the route at hand is one. */
static bool is_route(struct walk const *w)
{
    struct plan const *p = w->plan;
    struct view const *v = p->view;
    struct frame const *f = walk_top(w);
    if (f->stops < f->min_stops)
        return false;
    if (f->gain + SCALE * p->extra < w->floor)
        return false;
    if (!p->type->train->token_ends)
        return true;
    uint32_t last = v->arcs[f->arc].to, other = v->roots[w->root];
    if (f->second) { /* the first arm ends where the second was begun */
        uint32_t d = w->depth;
        while (w->frames[d].second)
            d--;
        other = v->arcs[w->frames[d].arc].to;
    }
    return p->point[last] & POINT_TOKEN && p->point[other] & POINT_TOKEN;
}

/* Which arcs go on from a station that has just been come to. */
static void open_station(struct walk *w, struct frame *f, struct frame const *before, bool first,
                         uint64_t const *mask)
{
    struct plan const *p = w->plan;
    uint32_t arc = f->arc, point = p->view->arcs[arc].to;
    uint8_t take = p->take[arc], flags = p->point[point];
    bool ends = take & TAKE_ENDS || (take & TAKE_STOPS && !first) || flags & POINT_OFFBOARD ||
                (flags & POINT_BLOCKED && f->passed >= p->view->q->asked->rules.bypass_blocked);
    f->pos = p->first_next[arc];
    f->end = ends ? f->pos : p->first_next[arc + 1];
    f->pos2 = f->end2 = 0;
    if (!f->second && !first) {
        /* An edge that is alone an end forbids the second arm as soon as there is another one. */
        bool alone = p->take[w->frames[1].arc] & (TAKE_ALONE | TAKE_STARTS);
        f->pos2 = alone ? before->end2 : before->pos2;
        f->end2 = before->end2;
    }
    if (first && !(take & TAKE_STARTS) && !(p->point[p->view->roots[w->root]] & POINT_OFFBOARD)) {
        f->pos2 = before->pos; /* the root has moved past this arc */
        f->end2 = p->first_out[w->root + 1];
    }
    if ((f->pos < f->end || f->pos2 < f->end2) && !may_gain(w, f, mask))
        f->pos = f->end = f->pos2 = f->end2 = 0;
}

/* A side or junction, from where only the way on matters; the place of the second arm is kept. */
static void open_point(struct walk *w, struct frame *f, struct frame const *before, bool first)
{
    struct plan const *p = w->plan;
    uint32_t arc = f->arc;
    f->pos = p->first_next[arc];
    f->end = p->first_next[arc + 1];
    if (first) {
        bool none =
            p->take[arc] & TAKE_STARTS || p->point[p->view->roots[w->root]] & POINT_OFFBOARD;
        f->end2 = none ? 0 : p->first_out[w->root + 1];
        f->pos2 = none ? 0 : before->pos;
    }
}

/* Takes an arc, if it can be taken; true if it leads to a station. */
static bool take_arc(struct walk *w, uint32_t arc, bool first, bool second)
{
    struct plan const *p = w->plan;
    struct view const *v = p->view;
    struct frame *before = &w->frames[w->depth], *f = before + 1;
    uint64_t *mask = w->masks + (size_t)w->depth * w->words, *to = mask + w->words;
    uint64_t const *bits = view_arc_bits(v, arc), *set = view_arc_set(v, arc);
    uint32_t point = v->arcs[arc].to;
    bool station = p->point[point] & POINT_STATION;
    if (bits_meet(mask, bits, v->route_words) ||
        (w->taken && bits_meet(w->taken, set, v->set_words)))
        return false;
    *f = *before;
    f->arc = arc;
    f->second = second;
    f->gain += w->arc_gain[arc];
    if (second && !before->second)
        f->leg_sides = f->leg_cost = 0;
    else if (!first && p->point[v->arcs[before->arc].to] & POINT_BLOCKED)
        f->passed++;
    if (p->type->train->distance == ROUTES_BY_HEXES && !add_leg(w, f, arc))
        return false;
    if (station && !add_stop(w, f, point))
        return false;
    for (uint32_t i = 0; i < v->route_words; i++)
        to[i] = mask[i] | bits[i];
    for (uint32_t i = 0; i < v->set_words; i++)
        to[v->route_words + i] = mask[v->route_words + i] | set[i];
    w->depth++;
    if (station)
        open_station(w, f, before, first, to);
    else
        open_point(w, f, before, first);
    return station;
}

/* The next root's frame; false after the last. */
static bool open_root(struct walk *w)
{
    struct plan const *p = w->plan;
    struct view const *v = p->view;
    uint32_t point = v->roots[w->root];
    struct frame *f = &w->frames[0];
    *f = (struct frame){.gain = w->root_gain[w->root]};
    w->depth = 0;
    memcpy(w->masks, view_point_bits(v, point), 8 * v->route_words);
    memcpy(w->masks + v->route_words, view_point_set(v, point), 8 * v->set_words);
    for (uint32_t r = 0; r < w->root; r++)
        bits_set(w->masks, v->roots[r]);
    if ((w->taken && bits_meet(w->taken, view_point_set(v, point), v->set_words)) ||
        !add_stop(w, f, point))
        return false;
    f->pos = p->first_out[w->root];
    f->end = p->first_out[w->root + 1];
    return true;
}

/* A single stop is a route of a local train. */
static bool is_local_route(struct walk const *w)
{
    struct plan const *p = w->plan;
    struct frame const *f = &w->frames[0];
    uint32_t min = f->min_stops;
    if (p->type->train->local) {
        min = 1;
        for (uint32_t k = 0; k < p->view->q->asked->rules.min_stops_if_count; k++)
            if (bits_has(p->view->q->min_stops[k].nodes, p->view->nodes[p->view->roots[w->root]]) &&
                p->view->q->min_stops[k].min > min)
                min = p->view->q->min_stops[k].min;
    }
    return min <= 1 && f->gain + SCALE * p->extra >= w->floor;
}

enum walk_result walk_next(struct walk *w, uint64_t until)
{
    struct plan const *p = w->plan;
    for (;;) {
        if (!w->started) {
            if (w->root == p->view->root_count)
                return WALK_END;
            w->started = true;
            if (!open_root(w)) {
                w->frames[0].pos = w->frames[0].end = 0;
                w->depth = 0;
            } else if (is_local_route(w)) {
                return WALK_ROUTE;
            }
        }
        struct frame *f = &w->frames[w->depth];
        if (f->pos < f->end) {
            bool first = w->depth == 0;
            uint32_t arc = first ? p->out[f->pos] : p->next[f->pos];
            f->pos++;
            w->steps++;
            if (take_arc(w, arc, first, f->second) && is_route(w))
                return WALK_ROUTE;
        } else if (f->pos2 < f->end2 && p->point[p->view->arcs[f->arc].to] & POINT_STATION &&
                   w->depth > 0) {
            uint32_t arc = p->out[f->pos2++];
            w->steps++;
            if (!(p->take[arc] & TAKE_FIRST_ONLY) && take_arc(w, arc, false, true) && is_route(w))
                return WALK_ROUTE;
        } else if (w->depth > 0) {
            w->depth--;
        } else {
            w->root++;
            w->started = false;
        }
        if (w->steps >= until)
            return WALK_PAUSE;
    }
}

/* --- the route at hand --- */

uint32_t walk_stops(struct walk const *w, uint32_t *stops)
{
    struct view const *v = w->plan->view;
    uint32_t count = 0;
    stops[count++] = v->nodes[v->roots[w->root]];
    for (uint32_t d = 1; d <= w->depth; d++) {
        uint32_t point = v->arcs[w->frames[d].arc].to;
        if (w->plan->point[point] & POINT_STATION)
            stops[count++] = v->nodes[point];
    }
    return count;
}

uint32_t walk_arcs(struct walk const *w, uint16_t *arcs, uint32_t *first)
{
    *first = 0;
    for (uint32_t d = 1; d <= w->depth; d++) {
        arcs[d - 1] = (uint16_t)w->frames[d].arc;
        *first += !w->frames[d].second;
    }
    return w->depth;
}
