/* Steps: ops are checked one by one against the network as it then is, and done; a step remembers
 * what was there before each and what after. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/routes/network.h"

struct change {
    struct thing *was, *now;
};

struct routes_step {
    size_t count;
    struct change changes[];
};

static char const *const table_names[] = {"node", "edge", "mutex"};

/* --- is a definition sound by itself? --- */

#define WRITTEN_(number) #number
#define WRITTEN(limit) WRITTEN_(limit) /* a limit, in a text */

static bool name_fits(char const *name)
{
    return !name || strlen(name) <= ROUTES_NAME;
}

static char const *bad_names(struct routes_node const *node)
{
    if (!name_fits(node->name) || !name_fits(node->hex))
        return "a name is too long (at most " WRITTEN(ROUTES_NAME) " bytes)";
    for (uint32_t i = 0; i < node->hex_count; i++)
        if (!node->hexes[i] || !name_fits(node->hexes[i]))
            return "a hex is no name";
    for (uint32_t i = 0; i < node->token_count; i++)
        if (node->tokens[i] && (!*node->tokens[i] || !name_fits(node->tokens[i])))
            return "a token is no name";
    for (uint32_t i = 0; i < node->value_count; i++)
        if (!node->values[i].train || !name_fits(node->values[i].train))
            return "a value is for no name";
    return NULL;
}

static bool value_fits(int32_t value)
{
    return value >= -ROUTES_VALUE && value <= ROUTES_VALUE;
}

static char const *bad_numbers(struct routes_node const *node)
{
    if (!value_fits(node->value))
        return "its value is out of range (-" WRITTEN(ROUTES_VALUE) " to " WRITTEN(
            ROUTES_VALUE) ")";
    for (uint32_t i = 0; i < node->value_count; i++)
        if (!value_fits(node->values[i].value))
            return "one of its values is out of range (-" WRITTEN(ROUTES_VALUE) " to " WRITTEN(
                ROUTES_VALUE) ")";
    if (node->cost < 0 || node->cost > ROUTES_LENGTH)
        return "its cost is out of range (0 to " WRITTEN(ROUTES_LENGTH) ")";
    if (node->token_count > ROUTES_TOKENS ||
        (node->slots != ROUTES_NO_SLOTS && node->slots > ROUTES_TOKENS))
        return "it has too many slots or tokens (at most " WRITTEN(ROUTES_TOKENS) ")";
    if (node->value_count > ROUTES_VALUES)
        return "it has too many values (at most " WRITTEN(ROUTES_VALUES) ")";
    return NULL;
}

static int check_node(struct routes_node const *node, struct routes_fault *fault)
{
    char const *why = NULL;
    if (node->id > ROUTES_ID)
        return fault_set(fault, REDO_ERANGE, "node %u: the id is too large (at most %d)", node->id,
                         ROUTES_ID);
    if (node->kind > ROUTES_JUNCTION || node->limit > ROUTES_LIMIT_SET)
        why = "its kind or limit is unknown";
    else if (node->hex_count > 2)
        why = "a side lies between two hexes at most";
    else if (node->kind == ROUTES_SIDE && node->hex_count == 2 && node->hexes[0] &&
             node->hexes[1] && strcmp(node->hexes[0], node->hexes[1]) == 0)
        why = "a side lies between two different hexes";
    if (why)
        return fault_set(fault, REDO_ENETWORK, "node %u: %s", node->id, why);
    why = bad_numbers(node);
    if (!why)
        why = bad_names(node);
    return why ? fault_set(fault, REDO_ERANGE, "node %u: %s", node->id, why) : REDO_OK;
}

/* --- does it fit the network? --- */

static bool side_has_hex(struct routes_node const *side, char const *hex)
{
    for (uint32_t i = 0; i < side->hex_count; i++)
        if (strcmp(side->hexes[i], hex) == 0)
            return true;
    return side->kind != ROUTES_SIDE || side->hex_count == 0;
}

/* A node that has edges takes new hexes only if they are those of its edges. */
static int fit_node(struct routes_network const *n, struct routes_node const *node,
                    struct routes_fault *fault)
{
    uint32_t slot = network_find(n, NETWORK_NODES, node->id);
    if (slot == INDEX_NONE)
        return REDO_OK;
    BITS_EACH(edge, network_edges_at(n, slot), n->edge_words)
    {
        struct routes_edge const *e = network_edge(n, edge);
        if (!side_has_hex(node, e->hex))
            return fault_set(fault, REDO_ENETWORK, "node %u: edge %u is in hex %.40s, not its own",
                             node->id, e->id, e->hex);
    }
    return REDO_OK;
}

static int fit_end(struct routes_network const *n, struct routes_edge const *edge, uint32_t id,
                   struct routes_fault *fault)
{
    uint32_t slot = network_find(n, NETWORK_NODES, id), degree = 0;
    if (slot == INDEX_NONE)
        return fault_set(fault, REDO_ENETWORK, "edge %u: there is no node %u", edge->id, id);
    if (!side_has_hex(network_node(n, slot), edge->hex))
        return fault_set(fault, REDO_ENETWORK, "edge %u: hex %.40s does not meet at side %u",
                         edge->id, edge->hex, id);
    BITS_EACH(other, network_edges_at(n, slot), n->edge_words)
    {
        degree += network_edge(n, other)->id != edge->id;
    }
    if (degree >= ROUTES_DEGREE)
        return fault_set(fault, REDO_EFULL, "edge %u: too many edges at node %u (at most %d)",
                         edge->id, id, ROUTES_DEGREE);
    return REDO_OK;
}

static int fit_edge(struct routes_network const *n, struct routes_edge const *edge,
                    struct routes_fault *fault)
{
    char const *why = NULL;
    int rc;
    if (edge->id > ROUTES_ID)
        return fault_set(fault, REDO_ERANGE, "edge %u: the id is too large (at most %d)", edge->id,
                         ROUTES_ID);
    if (!edge->hex || !name_fits(edge->hex))
        why = "its hex is no name";
    else if (edge->a == edge->b)
        why = "it joins a node to itself";
    else if (edge->track > ROUTES_DUAL || edge->limit > ROUTES_LIMIT_SET)
        why = "its track or limit is unknown";
    if (why)
        return fault_set(fault, REDO_ENETWORK, "edge %u: %s", edge->id, why);
    rc = fit_end(n, edge, edge->a, fault);
    return rc ? rc : fit_end(n, edge, edge->b, fault);
}

static int check_mutex_list(struct routes_network const *n, struct routes_mutex const *m,
                            enum network_table table, struct routes_list const *list,
                            struct routes_fault *fault)
{
    if (list->count > ROUTES_MEMBERS)
        return fault_set(fault, REDO_EFULL, "mutex %u: too many members (at most %d)", m->id,
                         ROUTES_MEMBERS);
    for (uint32_t i = 0; i < list->count; i++) {
        if (network_find(n, table, list->ids[i]) == INDEX_NONE)
            return fault_set(fault, REDO_ENETWORK, "mutex %u: there is no %s %u", m->id,
                             table_names[table], list->ids[i]);
        for (uint32_t j = 0; j < i; j++)
            if (list->ids[j] == list->ids[i])
                return fault_set(fault, REDO_ENETWORK, "mutex %u: %s %u twice", m->id,
                                 table_names[table], list->ids[i]);
    }
    return REDO_OK;
}

static int fit_mutex(struct routes_network const *n, struct routes_mutex const *m,
                     struct routes_fault *fault)
{
    int rc;
    if (m->id > ROUTES_ID || !name_fits(m->why))
        return fault_set(fault, REDO_ERANGE,
                         "mutex %u: its id or its why is too large (at most %d, %d bytes)", m->id,
                         ROUTES_ID, ROUTES_NAME);
    if (m->scope > ROUTES_SCOPE_SET)
        return fault_set(fault, REDO_ENETWORK, "mutex %u: its scope is unknown", m->id);
    rc = check_mutex_list(n, m, NETWORK_NODES, &m->nodes, fault);
    return rc ? rc : check_mutex_list(n, m, NETWORK_EDGES, &m->edges, fault);
}

/* --- from an op to a change --- */

static enum network_table table_of(enum routes_op_kind kind)
{
    return (enum network_table)(kind % 3);
}

static uint32_t id_of(struct routes_op const *op)
{
    enum network_table table = table_of(op->kind);
    return table == NETWORK_NODES   ? op->node.id
           : table == NETWORK_EDGES ? op->edge.id
                                    : op->mutex.id;
}

static void merge_node(struct routes_node *to, struct routes_node const *from, uint32_t fields)
{
    uint32_t id = to->id;
    struct routes_node old = *to;
    *to = *from;
    to->id = id;
#define KEEP(field, bit)   \
    if (!(fields & (bit))) \
    to->field = old.field
    KEEP(kind, ROUTES_F_KIND);
    KEEP(limit, ROUTES_F_LIMIT);
    KEEP(name, ROUTES_F_NAME);
    KEEP(hex, ROUTES_F_HEX);
    KEEP(hexes, ROUTES_F_HEXES);
    KEEP(hex_count, ROUTES_F_HEXES);
    KEEP(value, ROUTES_F_VALUE);
    KEEP(values, ROUTES_F_VALUES);
    KEEP(value_count, ROUTES_F_VALUES);
    KEEP(cost, ROUTES_F_COST);
    KEEP(slots, ROUTES_F_SLOTS);
    KEEP(tokens, ROUTES_F_TOKENS);
    KEEP(token_count, ROUTES_F_TOKENS);
}

static void merge_edge(struct routes_edge *to, struct routes_edge const *from, uint32_t fields)
{
    struct routes_edge old = *to;
    *to = *from;
    to->id = old.id;
    KEEP(a, ROUTES_F_ENDS);
    KEEP(b, ROUTES_F_ENDS);
    KEEP(hex, ROUTES_F_HEX);
    KEEP(track, ROUTES_F_TRACK);
    KEEP(terminal, ROUTES_F_TERMINAL);
    KEEP(limit, ROUTES_F_LIMIT);
}

static void merge_mutex(struct routes_mutex *to, struct routes_mutex const *from, uint32_t fields)
{
    struct routes_mutex old = *to;
    *to = *from;
    to->id = old.id;
    KEEP(scope, ROUTES_F_SCOPE);
    KEEP(nodes, ROUTES_F_NODES);
    KEEP(edges, ROUTES_F_EDGES);
    KEEP(why, ROUTES_F_WHY);
#undef KEEP
}

/* The definition that an add or set op leaves, checked and copied. */
static int define_node(struct routes_network *n, struct routes_op const *op,
                       struct thing const *was, struct thing **now, struct routes_fault *fault)
{
    struct routes_node node = was ? was->node : op->node;
    if (was)
        merge_node(&node, &op->node, op->fields);
    int rc = check_node(&node, fault);
    if (!rc)
        rc = fit_node(n, &node, fault);
    return rc ? rc : thing_copy_node(now, &node);
}

static int define_edge(struct routes_network *n, struct routes_op const *op,
                       struct thing const *was, struct thing **now, struct routes_fault *fault)
{
    struct routes_edge edge = was ? was->edge : op->edge;
    if (was)
        merge_edge(&edge, &op->edge, op->fields);
    int rc = fit_edge(n, &edge, fault);
    return rc ? rc : thing_copy_edge(now, &edge);
}

static int define_mutex(struct routes_network *n, struct routes_op const *op,
                        struct thing const *was, struct thing **now, struct routes_fault *fault)
{
    struct routes_mutex mutex = was ? was->mutex : op->mutex;
    if (was)
        merge_mutex(&mutex, &op->mutex, op->fields);
    int rc = fit_mutex(n, &mutex, fault);
    return rc ? rc : thing_copy_mutex(now, &mutex);
}

static int define(struct routes_network *n, struct routes_op const *op, struct thing const *was,
                  struct thing **now, struct routes_fault *fault)
{
    switch (table_of(op->kind)) {
    case NETWORK_NODES:
        return define_node(n, op, was, now, fault);
    case NETWORK_EDGES:
        return define_edge(n, op, was, now, fault);
    default:
        return define_mutex(n, op, was, now, fault);
    }
}

/* Whether nothing hangs on what is to go. */
static int check_removal(struct routes_network const *n, struct thing const *was,
                         struct routes_fault *fault)
{
    enum network_table table = was->table;
    if (table == NETWORK_MUTEXES)
        return REDO_OK;
    uint32_t slot = network_find(n, table, thing_id(was));
    uint32_t mutex = bits_next(network_mutexes(n, table, slot), n->mutex_words, 0);
    if (mutex != BITS_NONE)
        return fault_set(fault, REDO_ENETWORK, "%s %u: mutex %u still names it", table_names[table],
                         thing_id(was), network_mutex(n, mutex)->id);
    if (table == NETWORK_EDGES)
        return REDO_OK;
    uint32_t edge = bits_next(network_edges_at(n, slot), n->edge_words, 0);
    if (edge != BITS_NONE)
        return fault_set(fault, REDO_ENETWORK, "node %u: edge %u still ends there", thing_id(was),
                         network_edge(n, edge)->id);
    return REDO_OK;
}

static int prepare(struct routes_network *n, struct routes_op const *op, struct change *change,
                   struct routes_fault *fault)
{
    bool adds = op->kind <= ROUTES_ADD_MUTEX, removes = !adds && op->kind <= ROUTES_REMOVE_MUTEX;
    if (op->kind > ROUTES_SET_MUTEX)
        return fault_set(fault, REDO_ENETWORK, "unknown op %d", (int)op->kind);
    enum network_table table = table_of(op->kind);
    uint32_t slot = network_find(n, table, id_of(op));
    *change = (struct change){0};
    if (adds && slot != INDEX_NONE)
        return fault_set(fault, REDO_ENETWORK, "%s %u is there already", table_names[table],
                         id_of(op));
    if (!adds && slot == INDEX_NONE)
        return fault_set(fault, REDO_ENETWORK, "there is no %s %u", table_names[table], id_of(op));
    if (!adds)
        change->was = n->tables[table].things[slot];
    if (removes)
        return check_removal(n, change->was, fault);
    int rc = define(n, op, change->was, &change->now, fault);
    if (!rc)
        rc = network_reserve(n, change->now);
    if (rc) {
        thing_unref(change->now);
        if (rc == REDO_EFULL && fault && !fault->text[0])
            fault_set(fault, rc,
                      "%s %u: the network is full (%d nodes, %d edges, %d mutexes, %d companies)",
                      table_names[table], id_of(op), ROUTES_NODES, ROUTES_EDGES, ROUTES_MUTEXES,
                      ROUTES_COMPANIES);
    }
    return rc;
}

/* A step has one reference to each of the things before and after; the network has one to each
 * that is in it. */
static void put(struct routes_network *n, struct thing *was, struct thing *now)
{
    if (now)
        now->refs++;
    network_put(n, was, now);
    thing_unref(was);
}

/* With so many changes reach is found anew behind them. */
#define MANY 16

static void begin(struct routes_network *n, size_t changes)
{
    if (changes > MANY)
        reach_suspend(n);
}

static void end(struct routes_network *n)
{
    if (n->suspended)
        reach_resume(n);
}

static void take_back(struct routes_network *n, struct routes_step *step)
{
    while (step->count > 0) {
        struct change *c = &step->changes[--step->count];
        put(n, c->now, c->was);
        thing_unref(c->was);
        thing_unref(c->now);
    }
}

int routes_network_apply(struct routes_network *n, struct routes_op const *ops, size_t count,
                         struct routes_step **out, struct routes_fault *fault)
{
    struct routes_step *step;
    if (fault)
        fault->text[0] = '\0';
    if (count > (SIZE_MAX - sizeof *step) / sizeof step->changes[0])
        return REDO_ENOMEM;
    step = malloc(sizeof *step + count * sizeof step->changes[0]);
    if (!step)
        return REDO_ENOMEM;
    begin(n, count);
    for (step->count = 0; step->count < count; step->count++) {
        struct change *c = &step->changes[step->count];
        int rc = prepare(n, &ops[step->count], c, fault);
        if (rc) {
            take_back(n, step);
            end(n);
            free(step);
            return rc;
        }
        if (c->was)
            c->was->refs++;
        put(n, c->was, c->now);
    }
    end(n);
    if (out)
        *out = step;
    else
        routes_step_free(step);
    return REDO_OK;
}

/* Whether a thing can take the place of another as the network is. In the order in which steps were
 * made it always can, and needs no memory. */
static int check_change(struct routes_network *n, struct thing const *was, struct thing const *now)
{
    struct thing const *named = now ? now : was;
    uint32_t slot = network_find(n, named->table, thing_id(named));
    int rc;
    if ((slot == INDEX_NONE ? NULL : n->tables[named->table].things[slot]) != was)
        return REDO_ENETWORK;
    if (!now)
        return check_removal(n, was, NULL);
    if (now->table == NETWORK_NODES)
        rc = fit_node(n, &now->node, NULL);
    else if (now->table == NETWORK_EDGES)
        rc = fit_edge(n, &now->edge, NULL);
    else
        rc = fit_mutex(n, &now->mutex, NULL);
    return rc ? rc : network_reserve(n, now);
}

/* Change number i of the way there, or of the way back. */
static struct change way(struct routes_step const *step, size_t i, bool back)
{
    struct change c = step->changes[back ? step->count - 1 - i : i];
    return back ? (struct change){c.now, c.was} : c;
}

static int go_through(struct routes_network *n, struct routes_step *step, bool back)
{
    for (size_t i = 0; i < step->count; i++) {
        struct change c = way(step, i, back);
        int rc = check_change(n, c.was, c.now);
        if (rc) {
            while (i-- > 0) {
                c = way(step, i, back);
                put(n, c.now, c.was);
            }
            return rc;
        }
        put(n, c.was, c.now);
    }
    return REDO_OK;
}

static int go(struct routes_network *n, struct routes_step *step, bool back)
{
    begin(n, step->count);
    int rc = go_through(n, step, back);
    end(n);
    return rc;
}

int routes_step_undo(struct routes_network *n, struct routes_step *step)
{
    return go(n, step, true);
}

int routes_step_redo(struct routes_network *n, struct routes_step *step)
{
    return go(n, step, false);
}

void routes_step_free(struct routes_step *step)
{
    if (!step)
        return;
    for (size_t i = 0; i < step->count; i++) {
        thing_unref(step->changes[i].was);
        thing_unref(step->changes[i].now);
    }
    free(step);
}
