#include "core/routes/reach.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/routes/network.h"

int reach_grow(struct reach *r, uint32_t before, uint32_t edges)
{
    uint32_t arcs = 2 * edges;
    uint64_t *bits = calloc(bits_words(arcs), sizeof *bits);
    uint32_t *reason = calloc(arcs, sizeof *reason);
    uint32_t *loose = calloc(arcs, sizeof *loose);
    if (!bits || !reason || !loose) {
        free(bits);
        free(reason);
        free(loose);
        return REDO_ENOMEM;
    }
    if (before) {
        memcpy(bits, r->arcs, bits_words(2 * before) * sizeof *bits);
        memcpy(reason, r->reason, 2 * before * sizeof *reason);
    }
    free(r->arcs);
    free(r->reason);
    free(r->loose);
    r->arcs = bits;
    r->reason = reason;
    r->loose = loose;
    return REDO_OK;
}

int reach_open(struct reach **out, uint32_t edges)
{
    struct reach *r = calloc(1, sizeof *r);
    if (!r || reach_grow(r, 0, edges)) {
        free(r);
        return REDO_ENOMEM;
    }
    *out = r;
    return REDO_OK;
}

void reach_close(struct reach *r)
{
    free(r->arcs);
    free(r->reason);
    free(r->loose);
    free(r);
}

struct reach *reach_find(struct routes_network const *n, char const *company)
{
    for (uint32_t i = 0; i < n->company_count; i++)
        if (strcmp(n->companies[i]->company, company) == 0)
            return n->companies[i];
    return NULL;
}

static bool passes(struct reach const *r, struct routes_node const *node)
{
    return node->kind != ROUTES_OFFBOARD && !node_is_blocked(node, r->company);
}

/* Adds an arc to the loose ones, whether it was reached or not. */
static void loosen(struct reach *r, uint32_t arc)
{
    bits_clear(r->arcs, arc);
    r->loose[r->loose_count++] = arc;
}

/* All that hangs on the loose arcs becomes loose as well. An arc is added once: those that hang on
 * another are reached until then, and the first ones are only those asked for. */
static void loosen_trees(struct routes_network const *n, struct reach *r)
{
    for (uint32_t i = 0; i < r->loose_count; i++) {
        uint32_t arc = r->loose[i], node = network_head(n, arc);
        BITS_EACH(edge, network_next(n, arc), n->edge_words)
        {
            uint32_t follower = network_leaving(n, edge, node);
            if (bits_has(r->arcs, follower) && r->reason[follower] == arc)
                loosen(r, follower);
        }
    }
}

void reach_loosen_node(struct routes_network *n, struct reach *r, uint32_t node)
{
    r->loose_count = 0;
    BITS_EACH(edge, network_edges_at(n, node), n->edge_words)
    {
        loosen(r, network_leaving(n, edge, node));
    }
    loosen_trees(n, r);
}

void reach_loosen_edge(struct routes_network *n, struct reach *r, uint32_t edge)
{
    r->loose_count = 0;
    loosen(r, 2 * edge);
    loosen(r, 2 * edge + 1);
    loosen_trees(n, r);
}

void reach_forget_edge(struct reach *r, uint32_t edge)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->loose_count; i++)
        if (r->loose[i] / 2 != edge)
            r->loose[kept++] = r->loose[i];
    r->loose_count = kept;
}

/* Whether there is a reason for an arc; then it is noted. */
static bool support(struct routes_network const *n, struct reach *r, uint32_t arc)
{
    uint32_t node = network_tail(n, arc);
    struct routes_node const *tail = network_node(n, node);
    r->reason[arc] = REACH_TOKEN;
    if (node_has_token(tail, r->company))
        return true;
    if (!passes(r, tail))
        return false;
    BITS_EACH(edge, network_edges_at(n, node), n->edge_words)
    {
        uint32_t before = network_leaving(n, edge, node) ^ 1;
        if (bits_has(r->arcs, before) && bits_has(network_next(n, before), arc / 2)) {
            r->reason[arc] = before;
            return true;
        }
    }
    return false;
}

static void flood(struct routes_network *n, struct reach *r, uint32_t first)
{
    uint32_t count = 0;
    bits_set(r->arcs, first);
    n->queue[count++] = first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t arc = n->queue[i], node = network_head(n, arc);
        if (!passes(r, network_node(n, node)))
            continue;
        BITS_EACH(edge, network_next(n, arc), n->edge_words)
        {
            uint32_t follower = network_leaving(n, edge, node);
            if (bits_has(r->arcs, follower))
                continue;
            bits_set(r->arcs, follower);
            r->reason[follower] = arc;
            n->queue[count++] = follower;
        }
    }
}

void reach_settle(struct routes_network *n, struct reach *r)
{
    for (uint32_t i = 0; i < r->loose_count; i++) {
        uint32_t arc = r->loose[i];
        if (!bits_has(r->arcs, arc) && support(n, r, arc))
            flood(n, r, arc);
    }
    r->loose_count = 0;
}

/* ---- anew -------------------------------------------------------------------------------- */

#define WIDE 4 /* words of a row, from which on lists are faster */

/* Of each arc those that may follow it, as lists: the rows are as wide as the network, and all
 * companies go along them. */
struct ways {
    uint32_t *begin, *end; /* by arc, into `all` */
    uint32_t *all;
};

static uint32_t edges_of(struct routes_network const *n, uint32_t node, uint32_t *edges)
{
    uint32_t count = 0;
    BITS_EACH(edge, network_edges_at(n, node), n->edge_words)
    {
        edges[count++] = edge;
    }
    return count;
}

static void list_ways(struct routes_network const *n, struct ways *w)
{
    uint32_t edges[ROUTES_DEGREE], at = 0;
    for (uint32_t node = 0; node < n->tables[NETWORK_NODES].high; node++) {
        uint32_t count = edges_of(n, node, edges);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t arc = network_leaving(n, edges[i], node) ^ 1;
            uint64_t const *row = network_next(n, arc);
            w->begin[arc] = at;
            for (uint32_t k = 0; k < count; k++)
                if (bits_has(row, edges[k]))
                    w->all[at++] = network_leaving(n, edges[k], node);
            w->end[arc] = at;
        }
    }
}

static bool ways_open(struct routes_network const *n, struct ways *w)
{
    size_t arcs = 2 * (size_t)n->tables[NETWORK_EDGES].high, all = 0;
    uint32_t edges[ROUTES_DEGREE];
    for (uint32_t node = 0; node < n->tables[NETWORK_NODES].high; node++) {
        size_t count = edges_of(n, node, edges);
        all += count * count;
    }
    w->begin = malloc((2 * arcs + all + 1) * sizeof *w->begin);
    if (!w->begin)
        return false;
    w->end = w->begin + arcs;
    w->all = w->end + arcs;
    list_ways(n, w);
    return true;
}

static void flood_ways(struct routes_network *n, struct ways const *w, struct reach *r,
                       uint32_t first)
{
    uint32_t count = 0;
    bits_set(r->arcs, first);
    n->queue[count++] = first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t arc = n->queue[i];
        if (!passes(r, network_node(n, network_head(n, arc))))
            continue;
        for (uint32_t k = w->begin[arc]; k < w->end[arc]; k++) {
            uint32_t follower = w->all[k];
            if (bits_has(r->arcs, follower))
                continue;
            bits_set(r->arcs, follower);
            r->reason[follower] = arc;
            n->queue[count++] = follower;
        }
    }
}

static void find_anew(struct routes_network *n, struct ways const *w, struct reach *r)
{
    struct table const *nodes = &n->tables[NETWORK_NODES];
    memset(r->arcs, 0, bits_words(2 * n->tables[NETWORK_EDGES].high) * sizeof *r->arcs);
    for (uint32_t node = 0; node < nodes->high && r->company[0]; node++) {
        if (!nodes->things[node] || !node_has_token(network_node(n, node), r->company))
            continue;
        BITS_EACH(edge, network_edges_at(n, node), n->edge_words)
        {
            uint32_t arc = network_leaving(n, edge, node);
            if (bits_has(r->arcs, arc))
                continue;
            r->reason[arc] = REACH_TOKEN;
            w ? flood_ways(n, w, r, arc) : flood(n, r, arc);
        }
    }
}

void reach_suspend(struct routes_network *n)
{
    n->suspended = true;
}

void reach_resume(struct routes_network *n)
{
    struct ways w;
    bool listed = n->company_count && n->edge_words >= WIDE && ways_open(n, &w);
    for (uint32_t i = 0; i < n->company_count; i++)
        find_anew(n, listed ? &w : NULL, n->companies[i]);
    if (listed)
        free(w.begin);
    n->suspended = false;
}

/* ---- questions --------------------------------------------------------------------------- */

bool routes_reach_edge(struct routes_network const *n, char const *company, uint32_t id)
{
    uint32_t edge = network_find(n, NETWORK_EDGES, id);
    struct reach *r = *company ? reach_find(n, company) : NULL;
    return r && edge != INDEX_NONE &&
           (bits_has(r->arcs, 2 * edge) || bits_has(r->arcs, 2 * edge + 1));
}

bool routes_reach_node(struct routes_network const *n, char const *company, uint32_t id)
{
    uint32_t node = network_find(n, NETWORK_NODES, id);
    struct reach *r = *company ? reach_find(n, company) : NULL;
    if (!r || node == INDEX_NONE)
        return false;
    if (node_has_token(network_node(n, node), company))
        return true;
    BITS_EACH(edge, network_edges_at(n, node), n->edge_words)
    {
        if (bits_has(r->arcs, network_leaving(n, edge, node) ^ 1))
            return true;
    }
    return false;
}
