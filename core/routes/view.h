/* A network as a search sees it: what the company can reach, without dead ends, and with what lies
 * between two choices drawn together. Points are stations, and the sides and junctions where track
 * branches; links are the chains of edges between two points; arcs are links in a direction, link
 * 2k from its first point to its last, 2k + 1 back.
 *
 * What excludes what is told in bits. Of a route: a bit for each point and for each mutex; a walk
 * may not take a bit twice. Of a set: a bit for whatever two routes of a group can not both use. */
#ifndef CORE_ROUTES_VIEW_H
#define CORE_ROUTES_VIEW_H

#include "core/routes/question.h"

#define ARC_FIRST                                                                               \
    1              /* its first edge is terminal: the route begins there, or it is the last one \
                    */
#define ARC_LAST 2 /* its last edge is terminal */
#define ARC_ONE 4  /* it is a single edge */

struct arc {
    uint16_t to;    /* point */
    uint16_t sides; /* on the way, the one that it leads to included */
    uint8_t flags;
    uint8_t tracks; /* 1 << track of its edges */
};

struct view {
    struct question const *q;
    uint32_t point_count, link_count;
    uint32_t *nodes; /* slots of points */
    struct arc *arcs;
    uint32_t *first_edges; /* of links: place in edges; one more at the end */
    uint32_t *edges;       /* slots, from a link's first point to its last */
    uint32_t *roots;       /* stations with a token of the company */
    uint32_t root_count;
    uint32_t point_words, route_words, set_words; /* route_words: points and mutexes */
    uint64_t *arc_bits, *arc_set;                 /* a row an arc: the point it leads to included */
    uint64_t *point_bits, *point_set;             /* a row a point */
};

/* REDO_OK or REDO_ENOMEM. */
int view_open(struct view *v, struct question const *q);
void view_close(struct view *v);

static inline uint64_t *view_arc_bits(struct view const *v, uint32_t arc)
{
    return v->arc_bits + (size_t)arc * v->route_words;
}

static inline uint64_t *view_arc_set(struct view const *v, uint32_t arc)
{
    return v->arc_set + (size_t)arc * v->set_words;
}

static inline uint64_t *view_point_bits(struct view const *v, uint32_t point)
{
    return v->point_bits + (size_t)point * v->route_words;
}

static inline uint64_t *view_point_set(struct view const *v, uint32_t point)
{
    return v->point_set + (size_t)point * v->set_words;
}

static inline uint32_t view_from(struct view const *v, uint32_t arc)
{
    return v->arcs[arc ^ 1].to;
}

/* Edges of an arc in order: view_edge(v, arc, 0) is the first that is run. */
static inline uint32_t view_edge_count(struct view const *v, uint32_t arc)
{
    return v->first_edges[arc / 2 + 1] - v->first_edges[arc / 2];
}

static inline uint32_t view_edge(struct view const *v, uint32_t arc, uint32_t i)
{
    return arc & 1 ? v->edges[v->first_edges[arc / 2 + 1] - 1 - i]
                   : v->edges[v->first_edges[arc / 2] + i];
}

static inline bool view_is_station(struct view const *v, uint32_t point)
{
    return bits_has(v->q->stations, v->nodes[point]);
}

#endif
