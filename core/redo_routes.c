#include "core/redo_routes.h"

#include <stdlib.h>

#include "core/changes/changes.h"
#include "core/error.h"
#include "core/session.h"

/* The network at a position, held. */
static int hold(redo_session *session, redo_position const *position, struct routes_fault *fault,
                struct board_network **network)
{
    struct routes_fault ignored;
    if (!fault)
        fault = &ignored;
    *fault->text = '\0';
    if (!session)
        return REDO_ENOSESSION;
    if (!session->history->changes)
        return REDO_EKIND;
    if (!position)
        return REDO_EPOSITION;
    struct node *n = node_of(position);
    if (pool_find(&session->history->nodes, n->in.id) != n)
        return REDO_EFOREIGN;
    if (!position->inuse)
        return REDO_EDROPPED;
    int rc = changes_network(session->history, n, network, fault);
    if (!rc)
        network_hold(*network);
    return rc;
}

int redo_routes_best(redo_session *session, redo_position const *position,
                     struct routes_question const *question, struct routes_options const *options,
                     struct routes_answer *answer, struct routes_fault *fault)
{
    struct board_network *network;
    int rc = hold(session, position, fault, &network);
    if (rc)
        return error_set(rc);
    rc = routes_best(network->net, question, options, answer, fault);
    network_release(network);
    return error_set(rc);
}

void redo_routes_free(struct routes_answer *answer)
{
    routes_answer_free(answer);
}

int redo_routes_check(redo_session *session, redo_position const *position,
                      struct routes_question const *question, struct routes_route const *routes,
                      unsigned count, struct routes_options const *options,
                      struct routes_verdict *verdict, struct routes_fault *fault)
{
    struct board_network *network;
    int rc = hold(session, position, fault, &network);
    if (rc)
        return error_set(rc);
    rc = routes_check(network->net, question, routes, count, options, verdict, fault);
    network_release(network);
    return error_set(rc);
}

char const *redo_routes_ruletext(enum routes_rule rule)
{
    return routes_rule_text(rule);
}

static unsigned keep_reached(struct routes_network const *net, char const *company,
                             bool (*reached)(struct routes_network const *net, char const *company,
                                             uint32_t id),
                             uint32_t const *from, uint32_t count, uint32_t *to)
{
    unsigned kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (reached(net, company, from[i]))
            to[kept++] = from[i];
    return kept;
}

int redo_routes_reach(redo_session *session, redo_position const *position, char const *company,
                      uint32_t **ids, unsigned *nodes, unsigned *edges)
{
    struct board_network *network;
    int rc = company ? hold(session, position, NULL, &network) : REDO_ENAME;
    if (rc)
        return error_set(rc);
    struct routes_sizes sizes = routes_network_sizes(network->net);
    uint32_t *all = malloc(((size_t)sizes.nodes + sizes.edges + sizes.mutexes + 1) * sizeof *all);
    if (all) {
        uint32_t *from = all + sizes.nodes;
        routes_network_ids(network->net, all, from, from + sizes.edges);
        *nodes = keep_reached(network->net, company, routes_reach_node, all, sizes.nodes, all);
        *edges =
            keep_reached(network->net, company, routes_reach_edge, from, sizes.edges, all + *nodes);
        *ids = all;
    }
    network_release(network);
    return error_set(all ? REDO_OK : REDO_ENOMEM);
}
