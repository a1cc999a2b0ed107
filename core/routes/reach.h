/* Which arcs a company's trains can run, from one of its tokens. Each arc that is reached has a
 * reason: it leaves a node with a token, or it follows another reached arc. The reasons form a
 * forest. Where one goes, the tree that hangs on it is looked at again, and nothing else. */
#ifndef CORE_ROUTES_REACH_H
#define CORE_ROUTES_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/routes/routes.h"

struct routes_network;

struct reach {
    char company[ROUTES_NAME + 1]; /* empty: free to be used for another one */
    uint32_t tokens;               /* nodes that hold one */
    uint64_t *arcs;                /* reached */
    uint32_t *reason;              /* of reached arcs: an arc, or REACH_TOKEN */
    uint32_t *loose;               /* arcs whose reason is to be looked for */
    uint32_t loose_count;
};

#define REACH_TOKEN UINT32_MAX

/* Vectors for so many edges are made, or taken over from smaller ones. REDO_OK or REDO_ENOMEM. */
int reach_open(struct reach **r, uint32_t edges);
int reach_grow(struct reach *r, uint32_t before, uint32_t edges);
void reach_close(struct reach *r);

struct reach *reach_find(struct routes_network const *n, char const *company);

/* Before a change: the arcs that leave the node, or those of the edge, become loose with all that
 * hangs on them. */
void reach_loosen_node(struct routes_network *n, struct reach *r, uint32_t node);
void reach_loosen_edge(struct routes_network *n, struct reach *r, uint32_t edge);

/* The edge goes: its own arcs are not looked for again. */
void reach_forget_edge(struct reach *r, uint32_t edge);

/* After a change: finds reasons for what is loose, and what is reached by it. */
void reach_settle(struct routes_network *n, struct reach *r);

/* Around many changes: meanwhile nothing is loosened and settled, and then each company's arcs are
 * found anew, in time proportional to the network and not to it times the changes. Needs no memory,
 * but for a large network is faster with some. */
void reach_suspend(struct routes_network *n);
void reach_resume(struct routes_network *n);

#endif
