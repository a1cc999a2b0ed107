#include "core/routes/plan.h"

#include <stdlib.h>

#include "core/error.h"

static int allocate(struct plan *p)
{
    struct view const *v = p->view;
    size_t arcs = 2 * (size_t)v->link_count + 1, points = (size_t)v->point_count + 1;
    p->first_next = calloc(arcs + 1, sizeof *p->first_next);
    p->first_out = calloc((size_t)v->root_count + 1, sizeof *p->first_out);
    p->take = calloc(arcs, sizeof *p->take);
    p->track_cost = calloc(arcs, sizeof *p->track_cost);
    p->point = calloc(points, sizeof *p->point);
    p->kind = calloc(points, sizeof *p->kind);
    p->value = calloc(points, sizeof *p->value);
    p->worth = calloc(points, sizeof *p->worth);
    p->cost = calloc(points, sizeof *p->cost);
    p->min_stops = calloc(points, sizeof *p->min_stops);
    p->near = calloc(points * v->point_words + 1, 8);
    p->passable = calloc((size_t)v->point_words + 1, 8);
    return p->first_next && p->first_out && p->take && p->track_cost && p->point && p->kind &&
                   p->value && p->worth && p->cost && p->min_stops && p->near && p->passable
               ? REDO_OK
               : REDO_ENOMEM;
}

void train_plan_close(struct plan *p)
{
    free(p->first_next);
    free(p->next);
    free(p->first_out);
    free(p->out);
    free(p->take);
    free(p->track_cost);
    free(p->point);
    free(p->kind);
    free(p->value);
    free(p->worth);
    free(p->cost);
    free(p->min_stops);
    free(p->near);
    free(p->passable);
}

static void see_points(struct plan *p)
{
    struct view const *v = p->view;
    struct question const *q = v->q;
    bool rows = p->type->train->distance == ROUTES_BY_ROWS;
    for (uint32_t i = 0; i < v->point_count; i++) {
        uint32_t slot = v->nodes[i];
        struct routes_node const *node = network_node(q->net, slot);
        uint8_t flags = 0;
        p->kind[i] = (uint8_t)node->kind;
        if (view_is_station(v, i)) {
            flags |= POINT_STATION;
            flags |= node->kind == ROUTES_OFFBOARD ? POINT_OFFBOARD : 0;
            flags |= bits_has(q->blocked, slot) ? POINT_BLOCKED : 0;
            flags |= bits_has(q->tokens, slot) ? POINT_TOKEN : 0;
            p->value[i] = p->type->values[slot];
            p->worth[i] = p->value[i];
            p->cost[i] = (uint32_t)node->cost;
            if (rows && (p->worth[i] < 0 || p->type->pay[1 << node->kind] == 0))
                p->worth[i] = 0;
        }
        p->point[i] = flags;
        p->min_stops[i] = q->asked->rules.min_stops;
        for (uint32_t k = 0; k < q->asked->rules.min_stops_if_count; k++)
            if (bits_has(q->min_stops[k].nodes, slot) && q->min_stops[k].min > p->min_stops[i])
                p->min_stops[i] = q->min_stops[k].min;
        if (!(flags & POINT_OFFBOARD) &&
            (!(flags & POINT_BLOCKED) || q->asked->rules.bypass_blocked > 0))
            bits_set(p->passable, i);
    }
}

static uint8_t take_flags(struct plan const *p, uint32_t arc)
{
    struct arc const *a = &p->view->arcs[arc];
    bool station = p->point[a->to] & POINT_STATION;
    if (!(a->flags & (ARC_FIRST | ARC_LAST)))
        return 0;
    if (a->flags & ARC_ONE)
        return station ? TAKE_STOPS | TAKE_ALONE : TAKE_FIRST_ONLY | TAKE_STARTS;
    return (uint8_t)((a->flags & ARC_FIRST ? TAKE_FIRST_ONLY | TAKE_STARTS : 0) |
                     (a->flags & ARC_LAST ? TAKE_STOPS | TAKE_ENDS : 0));
}

static bool is_usable(struct plan const *p, uint32_t arc)
{
    uint32_t tracks = p->type->train->tracks;
    uint8_t has = p->view->arcs[arc].tracks;
    return has && (!tracks || !(has & ~tracks));
}

static void see_arcs(struct plan *p)
{
    struct view const *v = p->view;
    for (uint32_t arc = 0; arc < 2 * v->link_count; arc++) {
        p->take[arc] = take_flags(p, arc);
        for (int track = 0; track < 3; track++)
            if (v->arcs[arc].tracks >> track & 1 &&
                p->type->train->track_cost[track] > p->track_cost[arc])
                p->track_cost[arc] = p->type->train->track_cost[track];
        if (is_usable(p, arc))
            bits_set(p->near + (size_t)view_from(v, arc) * v->point_words, v->arcs[arc].to);
    }
}

/* Whether an arc may follow another one at the point between them. */
static bool follows(struct plan const *p, uint32_t arc, uint32_t other)
{
    struct view const *v = p->view;
    uint32_t last = view_edge(v, arc, view_edge_count(v, arc) - 1);
    if (!is_usable(p, other) || other == (arc ^ 1) || p->take[other] & TAKE_FIRST_ONLY)
        return false;
    return bits_has(network_next(v->q->net, 2 * last + (v->q->net->ends[2 * last] !=
                                                        v->nodes[v->arcs[arc].to])),
                    view_edge(v, other, 0));
}

/* Arcs in the order of the points they leave. */
static int sort_arcs(struct plan const *p, uint32_t **first, uint16_t **arcs)
{
    struct view const *v = p->view;
    *first = calloc((size_t)v->point_count + 2, sizeof **first);
    *arcs = calloc(2 * (size_t)v->link_count + 1, sizeof **arcs);
    if (!*first || !*arcs)
        return REDO_ENOMEM;
    for (uint32_t arc = 0; arc < 2 * v->link_count; arc++)
        (*first)[view_from(v, arc) + 2]++;
    for (uint32_t i = 2; i < v->point_count + 2; i++)
        (*first)[i] += (*first)[i - 1];
    for (uint32_t arc = 0; arc < 2 * v->link_count; arc++)
        (*arcs)[(*first)[view_from(v, arc) + 1]++] = (uint16_t)arc;
    return REDO_OK;
}

/* What follows what, counted first and then written. */
static void fill_next(struct plan *p, uint32_t const *first, uint16_t const *arcs, bool count)
{
    struct view const *v = p->view;
    uint32_t at = 0;
    for (uint32_t arc = 0; arc < 2 * v->link_count; arc++) {
        uint32_t to = v->arcs[arc].to;
        p->first_next[arc] = at;
        for (uint32_t i = first[to]; i < first[to + 1]; i++) {
            if (!is_usable(p, arc) || !follows(p, arc, arcs[i]))
                continue;
            if (!count)
                p->next[at] = arcs[i];
            at++;
        }
    }
    p->first_next[2 * v->link_count] = at;
}

static void fill_out(struct plan *p, uint32_t const *first, uint16_t const *arcs)
{
    struct view const *v = p->view;
    uint32_t at = 0;
    for (uint32_t r = 0; r < v->root_count; r++) {
        p->first_out[r] = at;
        for (uint32_t i = first[v->roots[r]]; i < first[v->roots[r] + 1]; i++)
            if (is_usable(p, arcs[i]))
                p->out[at++] = arcs[i];
    }
    p->first_out[v->root_count] = at;
}

static int see_order(struct plan *p)
{
    struct view const *v = p->view;
    uint32_t *first = NULL;
    uint16_t *arcs = NULL;
    int rc = sort_arcs(p, &first, &arcs);
    if (!rc) {
        fill_next(p, first, arcs, true);
        p->next = calloc((size_t)p->first_next[2 * v->link_count] + 1, sizeof *p->next);
        p->out = calloc(2 * (size_t)v->link_count + 1, sizeof *p->out);
        rc = p->next && p->out ? REDO_OK : REDO_ENOMEM;
    }
    if (!rc) {
        fill_next(p, first, arcs, false);
        fill_out(p, first, arcs);
    }
    free(first);
    free(arcs);
    return rc;
}

/* Whether all stops that can be visited can be paid, whatever they are. */
static bool pays_all(struct plan const *p)
{
    struct train_type const *t = p->type;
    if (t->train->distance != ROUTES_BY_ROWS)
        return true;
    for (uint32_t i = 0; i < p->view->point_count; i++)
        if (p->value[i] < 0)
            return false;
    for (uint32_t set = 1; set < KIND_SETS; set++)
        if (t->pay[set] < t->visit[set])
            return false;
    return true;
}

int train_plan_open(struct plan *p, struct view const *view, struct train_type const *type)
{
    *p = (struct plan){.view = view, .type = type, .arc_count = 2 * view->link_count};
    int rc = allocate(p);
    if (!rc) {
        see_points(p);
        see_arcs(p);
        rc = see_order(p);
    }
    if (rc) {
        train_plan_close(p);
        return rc;
    }
    p->sums = pays_all(p) && type->bonus_count == 0;
    for (uint32_t i = 0; i < type->bonus_count; i++) {
        struct bonus const *b = &view->q->bonuses[type->bonuses[i]];
        p->extra += b->value + (int64_t)b->per_stop * view->point_count;
    }
    return REDO_OK;
}
