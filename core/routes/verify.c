/* Builds every derived table anew, in the plainest way, and compares. For tests. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/routes/network.h"

static char const *verify_rows(struct routes_network const *n)
{
    struct table const *edges = &n->tables[NETWORK_EDGES], *nodes = &n->tables[NETWORK_NODES];
    for (uint32_t v = 0; v < nodes->high; v++)
        for (uint32_t e = 0; e < 64 * n->edge_words; e++) {
            bool there = false;
            if (nodes->things[v] && e < edges->high && edges->things[e])
                there = network_edge(n, e)->a == network_node(n, v)->id ||
                        network_edge(n, e)->b == network_node(n, v)->id;
            if (bits_has(network_edges_at(n, v), e) != there)
                return "edges at a node";
        }
    for (uint32_t arc = 0; arc < 2 * edges->high; arc++)
        for (uint32_t e = 0; e < 64 * n->edge_words; e++) {
            bool there = false;
            if (edges->things[arc / 2] && e < edges->high && edges->things[e] && e != arc / 2) {
                uint32_t v = network_head(n, arc), id = network_node(n, v)->id;
                there = (network_edge(n, e)->a == id || network_edge(n, e)->b == id) &&
                        node_joins(network_node(n, v)->kind, network_edge(n, arc / 2),
                                   network_edge(n, e));
            }
            if (bits_has(network_next(n, arc), e) != there)
                return "edges that may follow";
        }
    return NULL;
}

static bool names(struct routes_list const *list, uint32_t id)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->ids[i] == id)
            return true;
    return false;
}

static bool is_named(struct routes_network const *n, int table, uint32_t slot, uint32_t mutex)
{
    struct table const *mutexes = &n->tables[NETWORK_MUTEXES];
    void const *thing = n->tables[table].things[slot];
    if (!thing || mutex >= mutexes->high || !mutexes->things[mutex])
        return false;
    struct routes_mutex const *m = network_mutex(n, mutex);
    return names(table == NETWORK_NODES ? &m->nodes : &m->edges, thing_id(thing));
}

static char const *verify_mutexes(struct routes_network const *n)
{
    for (int table = NETWORK_NODES; table <= NETWORK_EDGES; table++) {
        struct table const *t = &n->tables[table];
        for (uint32_t slot = 0; slot < t->high; slot++)
            for (uint32_t m = 0; m < 64 * n->mutex_words; m++)
                if (bits_has(network_mutexes(n, table, slot), m) != is_named(n, table, slot, m))
                    return "mutexes that name a thing";
    }
    return NULL;
}

static char const *verify_reach(struct routes_network const *n, struct reach const *r)
{
    uint32_t arcs = 2 * n->tables[NETWORK_EDGES].high, tokens = 0;
    uint64_t *bits = calloc(n->edge_words * 2 + 1, sizeof *bits);
    bool grows = true;
    char const *wrong = NULL;
    if (!bits)
        return "out of memory";
    while (grows) {
        grows = false;
        for (uint32_t arc = 0; arc < arcs; arc++) {
            if (bits_has(bits, arc) || !n->tables[NETWORK_EDGES].things[arc / 2])
                continue;
            struct routes_node const *tail = network_node(n, network_tail(n, arc));
            bool there = node_has_token(tail, r->company);
            bool passes = tail->kind != ROUTES_OFFBOARD && !node_is_blocked(tail, r->company);
            for (uint32_t before = 0; before < arcs && !there && passes; before++)
                there = bits_has(bits, before) && bits_has(network_next(n, before), arc / 2) &&
                        network_head(n, before) == network_tail(n, arc);
            if (there) {
                bits_set(bits, arc);
                grows = true;
            }
        }
    }
    if (!bits_equal(bits, r->arcs, bits_words(arcs)))
        wrong = "arcs that are reached";
    for (uint32_t v = 0; v < n->tables[NETWORK_NODES].high; v++)
        tokens +=
            n->tables[NETWORK_NODES].things[v] && node_has_token(network_node(n, v), r->company);
    if (tokens != r->tokens)
        wrong = "tokens of a company";
    free(bits);
    return wrong;
}

char const *routes_network_verify(struct routes_network const *n)
{
    char const *wrong = verify_rows(n);
    if (!wrong)
        wrong = verify_mutexes(n);
    for (uint32_t i = 0; i < n->company_count && !wrong; i++)
        if (n->companies[i]->company[0])
            wrong = verify_reach(n, n->companies[i]);
        else if (bits_any(n->companies[i]->arcs, bits_words(2 * n->tables[NETWORK_EDGES].high)))
            wrong = "arcs reached by nobody";
    return wrong;
}
