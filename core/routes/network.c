/* The tables of a network and the vectors that follow them. A thing comes, changes or goes in
 * network_put, which touches only what is next to it. Growing is the one thing that takes time in
 * proportion to the network, and happens each time it has doubled. */
#include "core/routes/network.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"

#define FIRST_CAPACITY 64

static uint32_t const most[] = {ROUTES_NODES, ROUTES_EDGES, ROUTES_MUTEXES};

static uint32_t hash_id(uint32_t id)
{
    return (id + 1) * 0x9e3779b1u;
}

uint32_t network_find(struct routes_network const *n, enum network_table table, uint32_t id)
{
    struct table const *t = &n->tables[table];
    uint32_t slot;
    if (!t->capacity)
        return INDEX_NONE;
    struct index_walk walk = index_walk(&t->ids, hash_id(id));
    while ((slot = index_next(&t->ids, &walk)) != INDEX_NONE)
        if (thing_id(t->things[slot]) == id)
            return slot;
    return INDEX_NONE;
}

int routes_network_open(struct routes_network **out)
{
    struct routes_network *n = calloc(1, sizeof *n);
    if (!n)
        return REDO_ENOMEM;
    for (int i = 0; i < NETWORK_TABLES; i++)
        index_init(&n->tables[i].ids);
    *out = n;
    return REDO_OK;
}

static void close_table(struct table *t)
{
    for (uint32_t i = 0; i < t->high; i++)
        thing_unref(t->things[i]);
    index_close(&t->ids);
    free(t->things);
    free(t->free);
}

void routes_network_close(struct routes_network *n)
{
    if (!n)
        return;
    for (int i = 0; i < NETWORK_TABLES; i++)
        close_table(&n->tables[i]);
    for (uint32_t i = 0; i < n->company_count; i++)
        reach_close(n->companies[i]);
    free(n->companies);
    free(n->edges_at);
    free(n->next);
    free(n->node_mutex);
    free(n->edge_mutex);
    free(n->ends);
    free(n->queue);
    free(n);
}

/* --- growing --- */

/* A matrix of rows of bits, wider and with more rows. */
static bool copy_rows(uint64_t **to, uint64_t const *from, uint32_t from_rows, uint32_t from_words,
                      uint32_t rows, uint32_t words)
{
    *to = calloc((size_t)rows * words + 1, sizeof **to);
    if (!*to)
        return false;
    for (uint32_t i = 0; i < from_rows && from_words; i++)
        memcpy(*to + (size_t)i * words, from + (size_t)i * from_words, from_words * sizeof **to);
    return true;
}

/* The arrays that a network of larger capacities needs, made beside those it has. */
struct growth {
    uint32_t capacity[NETWORK_TABLES];
    uint64_t *edges_at, *next, *node_mutex, *edge_mutex;
    uint32_t *ends, *queue;
    struct thing **things;
    uint32_t *free;
};

static bool make_growth(struct routes_network const *n, enum network_table table, struct growth *g)
{
    uint32_t nodes = g->capacity[NETWORK_NODES], edges = g->capacity[NETWORK_EDGES];
    uint32_t ew = bits_words(edges), mw = bits_words(g->capacity[NETWORK_MUTEXES]);
    struct table const *t = &n->tables[table];
    uint32_t high = n->tables[NETWORK_EDGES].high;
    if (!copy_rows(&g->edges_at, n->edges_at, n->tables[NETWORK_NODES].high, n->edge_words, nodes,
                   ew) ||
        !copy_rows(&g->next, n->next, 2 * high, n->edge_words, 2 * edges, ew) ||
        !copy_rows(&g->node_mutex, n->node_mutex, n->tables[NETWORK_NODES].high, n->mutex_words,
                   nodes, mw) ||
        !copy_rows(&g->edge_mutex, n->edge_mutex, high, n->mutex_words, edges, mw))
        return false;
    g->ends = calloc(2 * (size_t)edges + 1, sizeof *g->ends);
    g->queue = calloc(2 * (size_t)edges + 1, sizeof *g->queue);
    g->things = calloc(g->capacity[table], sizeof *g->things);
    g->free = calloc(g->capacity[table], sizeof *g->free);
    if (!g->ends || !g->queue || !g->things || !g->free)
        return false;
    if (high)
        memcpy(g->ends, n->ends, 2 * (size_t)high * sizeof *g->ends);
    if (t->high) {
        memcpy(g->things, t->things, t->high * sizeof *g->things);
        memcpy(g->free, t->free, t->free_count * sizeof *g->free);
    }
    return true;
}

static void free_growth(struct growth *g)
{
    free(g->edges_at);
    free(g->next);
    free(g->node_mutex);
    free(g->edge_mutex);
    free(g->ends);
    free(g->queue);
    free(g->things);
    free(g->free);
}

#define SWAP(a, b)              \
    do {                        \
        __typeof__(a) swap = a; \
        a = b;                  \
        b = swap;               \
    } while (0)

static void use_growth(struct routes_network *n, enum network_table table, struct growth *g)
{
    SWAP(n->edges_at, g->edges_at);
    SWAP(n->next, g->next);
    SWAP(n->node_mutex, g->node_mutex);
    SWAP(n->edge_mutex, g->edge_mutex);
    SWAP(n->ends, g->ends);
    SWAP(n->queue, g->queue);
    SWAP(n->tables[table].things, g->things);
    SWAP(n->tables[table].free, g->free);
    n->edge_words = bits_words(g->capacity[NETWORK_EDGES]);
    n->mutex_words = bits_words(g->capacity[NETWORK_MUTEXES]);
    n->tables[table].capacity = g->capacity[table];
    free_growth(g);
}

static int grow(struct routes_network *n, enum network_table table)
{
    struct growth g = {0};
    for (int i = 0; i < NETWORK_TABLES; i++)
        g.capacity[i] = n->tables[i].capacity;
    g.capacity[table] = g.capacity[table] ? 2 * g.capacity[table] : FIRST_CAPACITY;
    if (!make_growth(n, table, &g)) {
        free_growth(&g);
        return REDO_ENOMEM;
    }
    /* Companies first: one that has more room than it needs does no harm. */
    for (uint32_t i = 0; table == NETWORK_EDGES && i < n->company_count; i++) {
        if (reach_grow(n->companies[i], n->tables[table].capacity, g.capacity[table])) {
            free_growth(&g);
            return REDO_ENOMEM;
        }
    }
    use_growth(n, table, &g);
    return REDO_OK;
}

/* --- companies --- */

static bool is_company(char const *token)
{
    return token && strcmp(token, "*") != 0;
}

/* Whether the token at this place is the first of its company at the node. */
static bool first_token(struct routes_node const *node, uint32_t place)
{
    if (!is_company(node->tokens[place]))
        return false;
    for (uint32_t i = 0; i < place; i++)
        if (node->tokens[i] && strcmp(node->tokens[i], node->tokens[place]) == 0)
            return false;
    return true;
}

static int reserve_companies(struct routes_network *n, struct routes_node const *node)
{
    uint32_t missing = 0, idle = 0;
    for (uint32_t i = 0; i < node->token_count; i++)
        missing += first_token(node, i) && !reach_find(n, node->tokens[i]);
    if (!missing)
        return REDO_OK;
    for (uint32_t i = 0; i < n->company_count; i++)
        idle += !n->companies[i]->company[0];
    for (; idle < missing; idle++) {
        if (n->company_count == ROUTES_COMPANIES)
            return REDO_EFULL;
        struct reach **all = realloc(n->companies, (n->company_count + 1) * sizeof *all);
        if (!all)
            return REDO_ENOMEM;
        n->companies = all;
        if (reach_open(&all[n->company_count], n->tables[NETWORK_EDGES].capacity))
            return REDO_ENOMEM;
        n->company_count++;
    }
    return REDO_OK;
}

int network_reserve(struct routes_network *n, struct thing const *thing)
{
    enum network_table table = thing->table;
    struct table *t = &n->tables[table];
    int rc = REDO_OK;
    if (network_find(n, table, thing_id(thing)) == INDEX_NONE) {
        if (t->count == most[table])
            return REDO_EFULL;
        /* Companies have vectors of edges, which must not be empty. */
        if (!n->tables[NETWORK_EDGES].capacity)
            rc = grow(n, NETWORK_EDGES);
        if (!rc && t->count == t->capacity)
            rc = grow(n, table);
        if (!rc)
            rc = index_reserve(&t->ids, 1);
    }
    if (!rc && table == NETWORK_NODES)
        rc = reserve_companies(n, &thing->node);
    return rc;
}

/* A record for each company that gets its first token. */
static void open_companies(struct routes_network *n, struct routes_node const *node)
{
    for (uint32_t i = 0; i < node->token_count; i++) {
        if (!first_token(node, i))
            continue;
        struct reach *r = reach_find(n, node->tokens[i]);
        if (!r) {
            r = reach_find(n, "");
            strcpy(r->company, node->tokens[i]); /* its length was checked */
        }
        r->tokens++;
    }
}

static void close_companies(struct routes_network *n, struct routes_node const *node)
{
    for (uint32_t i = 0; i < node->token_count; i++) {
        if (!first_token(node, i))
            continue;
        struct reach *r = reach_find(n, node->tokens[i]);
        if (--r->tokens == 0)
            r->company[0] = '\0';
    }
}

/* --- things that come and go --- */

static uint32_t take_slot(struct table *t, struct thing *thing)
{
    uint32_t slot = t->free_count ? t->free[--t->free_count] : t->high++;
    t->things[slot] = thing;
    t->count++;
    index_insert(&t->ids, hash_id(thing_id(thing)), slot);
    return slot;
}

static void leave_slot(struct table *t, uint32_t slot)
{
    index_erase(&t->ids, hash_id(thing_id(t->things[slot])), slot);
    t->things[slot] = NULL;
    t->free[t->free_count++] = slot;
    t->count--;
}

/* Which of the edges at the head of an arc may follow. */
static void join_arc(struct routes_network *n, uint32_t arc)
{
    uint32_t node = network_head(n, arc);
    enum routes_kind kind = network_node(n, node)->kind;
    uint64_t *row = network_next(n, arc);
    memset(row, 0, n->edge_words * sizeof *row);
    BITS_EACH(edge, network_edges_at(n, node), n->edge_words)
    {
        if (edge != arc / 2 && node_joins(kind, network_edge(n, arc / 2), network_edge(n, edge)))
            bits_set(row, edge);
    }
}

static void join_node(struct routes_network *n, uint32_t node)
{
    BITS_EACH(edge, network_edges_at(n, node), n->edge_words)
    {
        join_arc(n, network_leaving(n, edge, node) ^ 1);
    }
}

/* The edge is entered at, or struck from, the rows of those that it follows. */
static void enter_edge(struct routes_network *n, uint32_t edge, uint32_t node, bool there)
{
    uint32_t arc = network_leaving(n, edge, node) ^ 1;
    uint64_t *at = network_edges_at(n, node);
    if (there)
        join_arc(n, arc);
    BITS_EACH(other, network_next(n, arc), n->edge_words)
    {
        uint64_t *row = network_next(n, network_leaving(n, other, node) ^ 1);
        there ? bits_set(row, edge) : bits_clear(row, edge);
    }
    there ? bits_set(at, edge) : bits_clear(at, edge);
    if (!there)
        memset(network_next(n, arc), 0, n->edge_words * sizeof *at);
}

/* How many companies' reach follows each change. */
static uint32_t reach_count(struct routes_network const *n)
{
    return n->suspended ? 0 : n->company_count;
}

static void add_edge(struct routes_network *n, uint32_t slot)
{
    struct routes_edge const *edge = network_edge(n, slot);
    n->ends[2 * slot] = network_find(n, NETWORK_NODES, edge->a);
    n->ends[2 * slot + 1] = network_find(n, NETWORK_NODES, edge->b);
    enter_edge(n, slot, n->ends[2 * slot], true);
    enter_edge(n, slot, n->ends[2 * slot + 1], true);
    for (uint32_t i = 0; i < reach_count(n); i++) {
        reach_loosen_edge(n, n->companies[i], slot);
        reach_settle(n, n->companies[i]);
    }
}

static void remove_edge(struct routes_network *n, uint32_t slot)
{
    for (uint32_t i = 0; i < reach_count(n); i++) {
        reach_loosen_edge(n, n->companies[i], slot);
        reach_forget_edge(n->companies[i], slot);
    }
    enter_edge(n, slot, n->ends[2 * slot], false);
    enter_edge(n, slot, n->ends[2 * slot + 1], false);
    for (uint32_t i = 0; i < reach_count(n); i++)
        reach_settle(n, n->companies[i]);
}

static void enter_mutex(struct routes_network *n, uint32_t slot, bool there)
{
    struct routes_mutex const *m = network_mutex(n, slot);
    struct routes_list const *lists[] = {&m->nodes, &m->edges};
    for (int table = NETWORK_NODES; table <= NETWORK_EDGES; table++) {
        for (uint32_t i = 0; i < lists[table]->count; i++) {
            uint32_t member = network_find(n, table, lists[table]->ids[i]);
            uint64_t *row = network_mutexes(n, table, member);
            there ? bits_set(row, slot) : bits_clear(row, slot);
        }
    }
}

/* Whether a company sees the node with other eyes. */
static bool differs(struct routes_node const *was, struct routes_node const *now,
                    char const *company)
{
    return was->kind != now->kind || node_has_token(was, company) != node_has_token(now, company) ||
           node_is_blocked(was, company) != node_is_blocked(now, company);
}

static void change_node(struct routes_network *n, uint32_t slot, struct thing *was,
                        struct thing *now)
{
    open_companies(n, &now->node);
    for (uint32_t i = 0; i < reach_count(n); i++) {
        struct reach *r = n->companies[i];
        if (r->company[0] && differs(&was->node, &now->node, r->company))
            reach_loosen_node(n, r, slot);
    }
    n->tables[NETWORK_NODES].things[slot] = now;
    if (was->node.kind != now->node.kind)
        join_node(n, slot);
    for (uint32_t i = 0; i < reach_count(n); i++)
        if (n->companies[i]->loose_count)
            reach_settle(n, n->companies[i]);
    close_companies(n, &was->node);
}

static void put_node(struct routes_network *n, uint32_t slot, struct thing *was, struct thing *now)
{
    struct table *t = &n->tables[NETWORK_NODES];
    if (was && now) {
        change_node(n, slot, was, now);
    } else if (now) {
        take_slot(t, now);
        open_companies(n, &now->node);
    } else {
        close_companies(n, &was->node);
        leave_slot(t, slot);
    }
}

static void put_edge(struct routes_network *n, uint32_t slot, struct thing *was, struct thing *now)
{
    struct table *t = &n->tables[NETWORK_EDGES];
    if (was)
        remove_edge(n, slot);
    if (was && now)
        t->things[slot] = now;
    else if (now)
        slot = take_slot(t, now);
    else
        leave_slot(t, slot);
    if (now)
        add_edge(n, slot);
}

static void put_mutex(struct routes_network *n, uint32_t slot, struct thing *was, struct thing *now)
{
    struct table *t = &n->tables[NETWORK_MUTEXES];
    if (was)
        enter_mutex(n, slot, false);
    if (was && now)
        t->things[slot] = now;
    else if (now)
        slot = take_slot(t, now);
    else
        leave_slot(t, slot);
    if (now)
        enter_mutex(n, slot, true);
}

void network_put(struct routes_network *n, struct thing *was, struct thing *now)
{
    enum network_table table = was ? was->table : now->table;
    uint32_t slot = was ? network_find(n, table, thing_id(was)) : INDEX_NONE;
    n->definitions += (now ? now->bytes : 0) - (was ? was->bytes : 0);
    if (table == NETWORK_NODES)
        put_node(n, slot, was, now);
    else if (table == NETWORK_EDGES)
        put_edge(n, slot, was, now);
    else
        put_mutex(n, slot, was, now);
}

/* --- reading --- */

static struct thing *at_id(struct routes_network const *n, enum network_table table, uint32_t id)
{
    uint32_t slot = network_find(n, table, id);
    return slot == INDEX_NONE ? NULL : n->tables[table].things[slot];
}

struct routes_node const *routes_network_node(struct routes_network const *n, uint32_t id)
{
    struct thing *t = at_id(n, NETWORK_NODES, id);
    return t ? &t->node : NULL;
}

struct routes_edge const *routes_network_edge(struct routes_network const *n, uint32_t id)
{
    struct thing *t = at_id(n, NETWORK_EDGES, id);
    return t ? &t->edge : NULL;
}

struct routes_mutex const *routes_network_mutex(struct routes_network const *n, uint32_t id)
{
    struct thing *t = at_id(n, NETWORK_MUTEXES, id);
    return t ? &t->mutex : NULL;
}

struct routes_sizes routes_network_sizes(struct routes_network const *n)
{
    struct table const *t = n->tables;
    size_t nodes = t[NETWORK_NODES].capacity, edges = t[NETWORK_EDGES].capacity;
    size_t words = (nodes + 2 * edges) * n->edge_words + (nodes + edges) * n->mutex_words;
    size_t bytes = sizeof *n + words * 8 + 4 * edges * sizeof(uint32_t) + n->definitions;
    for (int i = 0; i < NETWORK_TABLES; i++)
        bytes += index_bytes(&t[i].ids) + t[i].capacity * (sizeof(void *) + sizeof(uint32_t));
    bytes += n->company_count *
             (sizeof(struct reach) + 8 * bits_words(2 * t[NETWORK_EDGES].capacity) + 16 * edges);
    return (struct routes_sizes){t[NETWORK_NODES].count, t[NETWORK_EDGES].count,
                                 t[NETWORK_MUTEXES].count, bytes};
}

static int by_id(void const *a, void const *b)
{
    uint32_t x = *(uint32_t const *)a, y = *(uint32_t const *)b;
    return (x > y) - (x < y);
}

void routes_network_ids(struct routes_network const *n, uint32_t *nodes, uint32_t *edges,
                        uint32_t *mutexes)
{
    uint32_t *out[] = {nodes, edges, mutexes};
    for (int i = 0; i < NETWORK_TABLES; i++) {
        struct table const *t = &n->tables[i];
        uint32_t count = 0;
        if (!out[i])
            continue;
        for (uint32_t slot = 0; slot < t->high; slot++)
            if (t->things[slot])
                out[i][count++] = thing_id(t->things[slot]);
        if (count)
            qsort(out[i], count, sizeof *out[i], by_id);
    }
}
