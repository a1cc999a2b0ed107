/* Which things have changed is noted by the table; what they are now is read from its rows. The
 * ops that lead from the network to the table are put in an order in which each fits; should one
 * not fit all the same (two sides that change places, say), the table is read anew as a whole: that
 * decides. */
#include "core/changes/network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/changes/inside.h"
#include "core/error.h"
#include "core/routes/told.h"

#define LOG_MAX 4096
#define WHAT_NONE 3

void network_release(struct board_network *b)
{
    if (!b || --b->holders)
        return;
    routes_network_close(b->net);
    free(b);
}

/* ---- notes ------------------------------------------------------------------------------- */

/* Which thing an id means: ["node", 5]. */
static unsigned char read_id(struct values const *values, uint32_t number, uint32_t *id)
{
    size_t size;
    unsigned char const *data = values_at(values, number, &size);
    struct value_reader r = {data, data + size};
    struct value pair = value_next(&r);
    *id = 0;
    if (pair.type != VALUE_ARRAY || pair.count != 2)
        return WHAT_NONE;
    struct value what = value_next(&r), which = value_next(&r);
    if (what.type != VALUE_STRING || which.type != VALUE_INT || which.integer < 0 ||
        which.integer > ROUTES_ID)
        return WHAT_NONE;
    *id = (uint32_t)which.integer;
    for (unsigned char i = 0; i < WHAT_NONE; i++)
        if (told_is(what.string.data, what.string.size, told_names[i]))
            return i;
    return WHAT_NONE;
}

void network_note(struct table_log *log, struct values const *values, uint32_t number)
{
    if (log->whole || (log->count && log->all[log->count - 1].number == number))
        return;
    if (log->count == log->cap) {
        uint32_t cap = log->cap ? 2 * log->cap : 64;
        struct noted *grown = cap > LOG_MAX ? NULL : realloc(log->all, cap * sizeof *grown);
        if (!grown) {
            log->whole = true;
            log->count = 0;
            return;
        }
        log->all = grown;
        log->cap = cap;
    }
    struct noted *n = &log->all[log->count++];
    n->number = number;
    n->what = read_id(values, number, &n->id);
}

void network_forget_log(struct table_log *log)
{
    free(log->all);
    *log = (struct table_log){0};
}

/* ---- what has changed -------------------------------------------------------------------- */

struct changed_thing {
    uint32_t slot; /* of its row, or TABLE_NONE */
    uint32_t id;
    unsigned char what;
    bool there; /* in the network */
    struct routes_op op;
};

struct syncing {
    struct table const *table;
    struct routes_network *net;
    struct routes_fault *fault;
    struct told told;
    struct changed_thing *all;
    uint32_t count;
};

static int by_thing(void const *x, void const *y)
{
    struct changed_thing const *a = x, *b = y;
    if (a->what != b->what)
        return a->what < b->what ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->slot == b->slot ? 0 : a->slot < b->slot ? -1 : 1; /* TABLE_NONE last */
}

static void touch(struct syncing *s, unsigned char what, uint32_t id, uint32_t slot)
{
    s->all[s->count++] = (struct changed_thing){.what = what, .id = id, .slot = slot};
}

static int list_noted(struct syncing *s, struct table_log const *log)
{
    if (!(s->all = malloc((2 * (size_t)log->count + 1) * sizeof *s->all)))
        return REDO_ENOMEM;
    for (uint32_t i = 0; i < log->count; i++) {
        struct noted const *n = &log->all[i];
        uint32_t id, slot = table_find(s->table, SPACE_OBJECTS, n->number);
        if (slot != TABLE_NONE) {
            unsigned char what = read_id(s->table->values, n->number, &id);
            touch(s, what, id, slot);
        }
        if (n->what != WHAT_NONE)
            touch(s, n->what, n->id, TABLE_NONE);
    }
    return REDO_OK;
}

/* All rows, and all that is in the network. */
static int list_whole(struct syncing *s)
{
    struct rows const *rows = &s->table->rows[SPACE_OBJECTS];
    struct routes_sizes sizes = routes_network_sizes(s->net);
    uint32_t counts[] = {sizes.nodes, sizes.edges, sizes.mutexes};
    size_t things = (size_t)sizes.nodes + sizes.edges + sizes.mutexes;
    uint32_t *ids = malloc((things + 1) * sizeof *ids);
    s->all = malloc((rows->count + things + 1) * sizeof *s->all);
    if (!ids || !s->all) {
        free(ids);
        return REDO_ENOMEM;
    }
    for (uint32_t slot = 0; slot < rows->slots; slot++) {
        uint32_t id, number = table_row(s->table, SPACE_OBJECTS, slot)[0];
        if (number) {
            unsigned char what = read_id(s->table->values, number, &id);
            touch(s, what, id, slot);
        }
    }
    routes_network_ids(s->net, ids, ids + sizes.nodes, ids + sizes.nodes + sizes.edges);
    for (uint32_t i = 0, k = 0; i < WHAT_NONE; i++)
        for (uint32_t j = 0; j < counts[i]; j++)
            touch(s, (unsigned char)i, ids[k++], TABLE_NONE);
    free(ids);
    return REDO_OK;
}

/* Each once, in order. */
static void settle(struct syncing *s)
{
    uint32_t kept = 0;
    qsort(s->all, s->count, sizeof *s->all, by_thing);
    for (uint32_t i = 0; i < s->count; i++)
        if (!kept || s->all[kept - 1].what != s->all[i].what || s->all[kept - 1].id != s->all[i].id)
            s->all[kept++] = s->all[i];
    s->count = kept;
}

/* ---- from rows to ops -------------------------------------------------------------------- */

static int read_cell(struct syncing *s, struct routes_op *op, uint32_t field, uint32_t value)
{
    struct field const *f = &s->table->schema->fields[SPACE_OBJECTS][field];
    size_t size;
    uint32_t bit;
    unsigned char const *data = values_at(s->table->values, value, &size);
    return told_thing_field(&s->told, op, f->name, f->name_size,
                            (struct value_reader){data, data + size}, &bit);
}

/* A line may tell of a thing's own id and kind too, but no others than it has. */
static int check_own(struct syncing *s, struct changed_thing const *t, struct field const *f,
                     uint32_t value)
{
    bool id = told_is(f->name, f->name_size, "id");
    size_t size;
    unsigned char const *data = values_at(s->table->values, value, &size);
    struct value v = value_next(&(struct value_reader){data, data + size});
    if (v.type == VALUE_NIL || (!id && !told_is(f->name, f->name_size, "what")))
        return REDO_OK;
    if (id ? v.type == VALUE_INT && v.integer == t->id
           : v.type == VALUE_STRING && told_is(v.string.data, v.string.size, told_names[t->what]))
        return REDO_OK;
    return told_wrong(&s->told, REDO_ENETWORK,
                      id ? "its id can not be another" : "what it is can not be another");
}

static int read_row(struct syncing *s, struct changed_thing *t)
{
    uint32_t const *row = table_row(s->table, SPACE_OBJECTS, t->slot);
    struct schema const *schema = s->table->schema;
    int rc = REDO_OK;
    told_thing_begin(&s->told, &t->op, (enum routes_op_kind)t->what, t->id);
    for (uint32_t f = 0; f < schema->field_count[SPACE_OBJECTS] && !rc; f++)
        if (row[1 + f] != schema->fields[SPACE_OBJECTS][f].initial) {
            rc = check_own(s, t, &schema->fields[SPACE_OBJECTS][f], row[1 + f]);
            if (!rc)
                rc = read_cell(s, &t->op, f, row[1 + f]);
        }
    return rc ? rc : told_thing_end(&s->told, &t->op);
}

static bool same_text(char const *a, char const *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_texts(char const *const *a, char const *const *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!same_text(a[i], b[i]))
            return false;
    return true;
}

static bool same_list(struct routes_list a, struct routes_list b)
{
    return a.count == b.count && (!a.count || memcmp(a.ids, b.ids, a.count * sizeof *a.ids) == 0);
}

static bool same_values(struct routes_node const *a, struct routes_node const *b)
{
    for (uint32_t i = 0; a->value_count == b->value_count && i < a->value_count; i++)
        if (a->values[i].value != b->values[i].value ||
            !same_text(a->values[i].train, b->values[i].train))
            return false;
    return a->value_count == b->value_count;
}

#define DIFFERS(same, bit) ((same) ? 0u : (uint32_t)(bit))

static uint32_t node_differs(struct routes_node const *a, struct routes_node const *b)
{
    return DIFFERS(same_text(a->name, b->name), ROUTES_F_NAME) |
           DIFFERS(a->kind == b->kind, ROUTES_F_KIND) |
           DIFFERS(same_text(a->hex, b->hex), ROUTES_F_HEX) |
           DIFFERS(a->hex_count == b->hex_count && same_texts(a->hexes, b->hexes, a->hex_count),
                   ROUTES_F_HEXES) |
           DIFFERS(a->value == b->value, ROUTES_F_VALUE) |
           DIFFERS(same_values(a, b), ROUTES_F_VALUES) |
           DIFFERS(a->cost == b->cost, ROUTES_F_COST) |
           DIFFERS(a->slots == b->slots, ROUTES_F_SLOTS) |
           DIFFERS(a->token_count == b->token_count &&
                       same_texts(a->tokens, b->tokens, a->token_count),
                   ROUTES_F_TOKENS) |
           DIFFERS(a->limit == b->limit, ROUTES_F_LIMIT);
}

static uint32_t edge_differs(struct routes_edge const *a, struct routes_edge const *b)
{
    return DIFFERS(a->a == b->a && a->b == b->b, ROUTES_F_ENDS) |
           DIFFERS(same_text(a->hex, b->hex), ROUTES_F_HEX) |
           DIFFERS(a->track == b->track, ROUTES_F_TRACK) |
           DIFFERS(a->terminal == b->terminal, ROUTES_F_TERMINAL) |
           DIFFERS(a->limit == b->limit, ROUTES_F_LIMIT);
}

static uint32_t mutex_differs(struct routes_mutex const *a, struct routes_mutex const *b)
{
    return DIFFERS(a->scope == b->scope, ROUTES_F_SCOPE) |
           DIFFERS(same_list(a->nodes, b->nodes), ROUTES_F_NODES) |
           DIFFERS(same_list(a->edges, b->edges), ROUTES_F_EDGES) |
           DIFFERS(same_text(a->why, b->why), ROUTES_F_WHY);
}

static int wrong_id(struct syncing *s, struct changed_thing const *t)
{
    size_t size;
    unsigned char const *data =
        values_at(s->table->values, table_row(s->table, SPACE_OBJECTS, t->slot)[0], &size);
    struct value_reader r = {data, data + size};
    struct value pair = value_next(&r);
    *s->told.what = '\0';
    if (pair.type == VALUE_ARRAY && pair.count == 2) {
        struct value what = value_next(&r), which = value_next(&r);
        for (unsigned i = 0; i < WHAT_NONE && which.type == VALUE_INT; i++)
            if (what.type == VALUE_STRING &&
                told_is(what.string.data, what.string.size, told_names[i]))
                snprintf(s->told.what, sizeof s->told.what, "%s %" PRId64, told_names[i],
                         which.integer);
    }
    return told_wrong(&s->told, REDO_ENETWORK,
                      "ids are [\"node\", \"edge\" or \"mutex\", integer from 0 to 2147483646]");
}

/* What there is to be done about a thing: an op, or fields 0 of a set. */
static int compare(struct syncing *s, struct changed_thing *t)
{
    struct routes_node const *node = t->what == 0 ? routes_network_node(s->net, t->id) : NULL;
    struct routes_edge const *edge = t->what == 1 ? routes_network_edge(s->net, t->id) : NULL;
    struct routes_mutex const *mutex = t->what == 2 ? routes_network_mutex(s->net, t->id) : NULL;
    t->there = node || edge || mutex;
    if (t->what == WHAT_NONE)
        return wrong_id(s, t);
    told_thing_begin(&s->told, &t->op, (enum routes_op_kind)(ROUTES_REMOVE_NODE + t->what), t->id);
    if (t->slot == TABLE_NONE)
        return REDO_OK;
    int rc = read_row(s, t);
    if (rc || !t->there)
        return rc;
    t->op.kind = (enum routes_op_kind)(ROUTES_SET_NODE + t->what);
    t->op.fields = node   ? node_differs(node, &t->op.node)
                   : edge ? edge_differs(edge, &t->op.edge)
                          : mutex_differs(mutex, &t->op.mutex);
    return REDO_OK;
}

/* Appends those ops of that kind. A mutex that changes goes, and comes again when all that it may
 * name is there. */
static void take_ops(struct syncing const *s, enum routes_op_kind kind, struct routes_op *ops,
                     size_t *count)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct changed_thing const *t = &s->all[i];
        bool gone = t->slot == TABLE_NONE;
        bool change = t->there && !gone && t->op.fields;
        bool again = change && t->what == 2 && kind % 3 == 2 && kind < ROUTES_SET_NODE;
        bool is = t->op.kind == kind && (!gone || t->there) && (kind < ROUTES_SET_NODE || change);
        if (again || (is && kind != ROUTES_SET_MUTEX)) {
            ops[*count] = t->op;
            ops[(*count)++].kind = kind;
        }
    }
}

static int apply(struct syncing *s)
{
    static enum routes_op_kind const order[] = {
        ROUTES_REMOVE_MUTEX, ROUTES_REMOVE_EDGE, ROUTES_ADD_NODE, ROUTES_SET_NODE,
        ROUTES_SET_EDGE,     ROUTES_REMOVE_NODE, ROUTES_ADD_EDGE, ROUTES_ADD_MUTEX};
    struct routes_op *ops = malloc((2 * (size_t)s->count + 1) * sizeof *ops);
    size_t count = 0;
    int rc = ops ? REDO_OK : REDO_ENOMEM;
    for (uint32_t i = 0; i < s->count && !rc; i++)
        rc = compare(s, &s->all[i]);
    for (size_t i = 0; i < sizeof order / sizeof *order && !rc; i++)
        take_ops(s, order[i], ops, &count);
    if (!rc && count)
        rc = routes_network_apply(s->net, ops, count, NULL, s->fault);
    free(ops);
    return rc;
}

/* Whether ops that were refused with this code might fit in another order: where nodes change what
 * edges hold on to and edges change too, or where there was no room before all had gone. */
static bool order_matters(struct syncing const *s, int code)
{
    bool nodes = false, edges = false, gone = false;
    for (uint32_t i = 0; i < s->count; i++) {
        struct routes_op const *op = &s->all[i].op;
        nodes |= op->kind == ROUTES_SET_NODE && op->fields & (ROUTES_F_KIND | ROUTES_F_HEXES);
        edges |= op->kind == ROUTES_SET_EDGE && op->fields & (ROUTES_F_ENDS | ROUTES_F_HEX);
        gone |= op->kind == ROUTES_REMOVE_NODE && s->all[i].there;
    }
    return (nodes && edges) || (code == REDO_EFULL && (edges || gone));
}

/* Leads a network to the table; log: what may differ, NULL: all. *again: after an error, whether
 * the table may be a network all the same. */
static int lead(struct routes_network *net, struct table const *table, struct table_log const *log,
                struct routes_fault *fault, bool *again)
{
    struct syncing s = {.table = table, .net = net, .fault = fault};
    told_init(&s.told, fault);
    int rc = log ? list_noted(&s, log) : list_whole(&s);
    if (!rc) {
        settle(&s);
        rc = apply(&s);
    }
    *again = rc && rc != REDO_ENOMEM && s.all && order_matters(&s, rc);
    free(s.all);
    told_close(&s.told);
    return rc;
}

/* ---- views ------------------------------------------------------------------------------- */

static struct board_network *network_new(void)
{
    struct board_network *b = calloc(1, sizeof *b);
    if (b && routes_network_open(&b->net)) {
        free(b);
        return NULL;
    }
    if (b)
        b->holders = 1;
    return b;
}

/* A network of its own for the table. */
static int make_anew(struct view *v, struct routes_fault *fault)
{
    struct board_network *b = network_new();
    bool again;
    int rc = b ? lead(b->net, &v->table, NULL, fault, &again) : REDO_ENOMEM;
    if (rc) {
        network_release(b);
        return rc;
    }
    network_release(v->network);
    v->network = b;
    return REDO_OK;
}

int network_sync(struct view *v, struct routes_fault *fault)
{
    if (v->network && !v->log.whole && !v->log.count)
        return REDO_OK;
    int rc = REDO_OK;
    bool again = !v->network || v->network->holders > 1;
    if (!again)
        rc = lead(v->network->net, &v->table, v->log.whole ? NULL : &v->log, fault, &again);
    if (again)
        rc = make_anew(v, fault);
    if (rc)
        return rc == REDO_ENOMEM ? rc : REDO_ENETWORK;
    v->log.whole = false;
    v->log.count = 0;
    return REDO_OK;
}

int changes_network(struct history *h, struct node *n, struct board_network **network,
                    struct routes_fault *fault)
{
    struct changes *c = h->changes;
    if (!c || !c->schema.routes)
        return REDO_EKIND;
    int rc = view_go(h, &c->other, n);
    if (!rc)
        rc = network_sync(&c->other, fault);
    *network = c->other.network;
    return rc;
}
