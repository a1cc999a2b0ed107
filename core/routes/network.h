/* The inside of a network. Things (nodes, edges, mutexes) stand in slots: small numbers that are
 * used again, so that bit vectors stay as wide as the network is large. A direction in which an
 * edge can be run is an arc: 2 * edge for towards its a, 2 * edge + 1 for towards its b. */
#ifndef CORE_ROUTES_NETWORK_H
#define CORE_ROUTES_NETWORK_H

#include "core/index.h"
#include "core/routes/bits.h"
#include "core/routes/reach.h"
#include "core/routes/routes.h"

enum network_table { NETWORK_NODES, NETWORK_EDGES, NETWORK_MUTEXES, NETWORK_TABLES };

/* A definition: never changed once made; steps and the network share it. Strings and lists that
 * it points to stand behind it in the same block. */
struct thing {
    uint32_t refs;
    size_t bytes;
    enum network_table table;
    union {
        struct routes_node node;
        struct routes_edge edge;
        struct routes_mutex mutex;
    };
};

struct table {
    struct index ids; /* id to slot */
    struct thing **things;
    uint32_t *free; /* slots below high that are empty */
    uint32_t free_count, high, capacity, count;
};

struct routes_network {
    struct table tables[NETWORK_TABLES];
    uint32_t edge_words, mutex_words;  /* of a row */
    uint64_t *edges_at;                /* a row a node: edges that end there */
    uint64_t *next;                    /* a row an arc: edges that may follow by rules 3 and 4 */
    uint64_t *node_mutex, *edge_mutex; /* a row a node, an edge: mutexes that name it */
    uint32_t *ends;                    /* of edges: slots of a and b, so the head of each arc */
    uint32_t *queue;                   /* room for all arcs, of reach.c */
    struct reach **companies;
    uint32_t company_count;
    bool suspended;     /* reach is found anew after many changes */
    size_t definitions; /* bytes */
};

static inline struct routes_node const *network_node(struct routes_network const *n, uint32_t slot)
{
    return &n->tables[NETWORK_NODES].things[slot]->node;
}

static inline struct routes_edge const *network_edge(struct routes_network const *n, uint32_t slot)
{
    return &n->tables[NETWORK_EDGES].things[slot]->edge;
}

static inline struct routes_mutex const *network_mutex(struct routes_network const *n,
                                                       uint32_t slot)
{
    return &n->tables[NETWORK_MUTEXES].things[slot]->mutex;
}

static inline uint32_t network_head(struct routes_network const *n, uint32_t arc)
{
    return n->ends[arc];
}

static inline uint32_t network_tail(struct routes_network const *n, uint32_t arc)
{
    return n->ends[arc ^ 1];
}

/* The arc in which an edge leaves a node that it ends at. */
static inline uint32_t network_leaving(struct routes_network const *n, uint32_t edge, uint32_t node)
{
    return 2 * edge + (n->ends[2 * edge] == node);
}

static inline uint64_t *network_edges_at(struct routes_network const *n, uint32_t node)
{
    return n->edges_at + (size_t)node * n->edge_words;
}

static inline uint64_t *network_next(struct routes_network const *n, uint32_t arc)
{
    return n->next + (size_t)arc * n->edge_words;
}

static inline uint64_t *network_mutexes(struct routes_network const *n, enum network_table table,
                                        uint32_t slot)
{
    uint64_t *rows = table == NETWORK_NODES ? n->node_mutex : n->edge_mutex;
    return rows + (size_t)slot * n->mutex_words;
}

/* The slot of an id, or INDEX_NONE. */
uint32_t network_find(struct routes_network const *n, enum network_table table, uint32_t id);

static inline bool network_is_station(enum routes_kind kind)
{
    return kind <= ROUTES_OFFBOARD;
}

/* Whether the node holds a token of the company; whether the company may not pass it. */
bool node_has_token(struct routes_node const *node, char const *company);
bool node_is_blocked(struct routes_node const *node, char const *company);
bool node_once_in_set(struct routes_node const *node);
bool edge_once_in_set(struct routes_edge const *edge);

/* Whether a walk may go on from one edge to another at a node where both end (rules 3 and 4). */
bool node_joins(enum routes_kind kind, struct routes_edge const *from,
                struct routes_edge const *to);

/* Makes room for one more thing in a table, and for what its tokens need: then network_put can not
 * fail. REDO_OK, REDO_EFULL or REDO_ENOMEM. */
int network_reserve(struct routes_network *n, struct thing const *thing);

/* Puts a thing where another one (or nothing: NULL) was; NULL takes it away. Both have one id and
 * table. All vectors follow. The caller has checked that it fits. Takes over a reference to `now`
 * and gives one up to the caller for `was`. */
void network_put(struct routes_network *n, struct thing *was, struct thing *now);

uint32_t thing_id(struct thing const *t);

/* A copy with one reference. REDO_ENOMEM, REDO_ERANGE. */
int thing_copy_node(struct thing **t, struct routes_node const *node);
int thing_copy_edge(struct thing **t, struct routes_edge const *edge);
int thing_copy_mutex(struct thing **t, struct routes_mutex const *mutex);
void thing_unref(struct thing *t);

/* Writes the fault and returns the code. */
int fault_set(struct routes_fault *fault, int code, char const *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
