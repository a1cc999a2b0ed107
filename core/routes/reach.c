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
