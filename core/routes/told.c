#include "core/routes/told.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/redo_error.h"

struct told_block {
    struct told_block *next;
    max_align_t data[];
};

char const *const told_names[3] = {"node", "edge", "mutex"};
char const *const told_kinds[] = {"city", "town", "halt", "offboard", "side", "junction", NULL};
char const *const told_tracks[] = {"broad", "narrow", "dual", NULL};
static char const *const limits[] = {"", "route", "set", NULL};
static char const *const scopes[] = {"route", "set", NULL};

void told_init(struct told *t, struct routes_fault *fault)
{
    *t = (struct told){.fault = fault};
    if (fault)
        *fault->text = '\0';
}

void told_close(struct told *t)
{
    while (t->blocks) {
        struct told_block *next = t->blocks->next;
        free(t->blocks);
        t->blocks = next;
    }
}

/* Zeroed; NULL without memory. count is that of items which are there as bytes. */
void *told_block(struct told *t, size_t count, size_t size)
{
    struct told_block *b = calloc(1, sizeof *b + (count + 1) * size);
    if (!b)
        return NULL;
    b->next = t->blocks;
    t->blocks = b;
    return b->data;
}

int told_wrong(struct told *t, int code, char const *what)
{
    if (t->fault)
        snprintf(t->fault->text, sizeof t->fault->text, "%s%s%s", t->what, *t->what ? ": " : "",
                 what);
    return code;
}

static int wrong_field(struct told *t, int code, char const *name, char const *what)
{
    char text[100];
    snprintf(text, sizeof text, "%s %s", name, what);
    return told_wrong(t, code, text);
}

/* ---- values ------------------------------------------------------------------------------ */

static int out_of_range(struct told *t, char const *name, int64_t low, int64_t high)
{
    char text[80];
    snprintf(text, sizeof text, "is out of range (%" PRId64 " to %" PRId64 ")", low, high);
    return wrong_field(t, REDO_ERANGE, name, text);
}

static int integer(struct told *t, char const *name, struct value_reader value, int64_t low,
                   int64_t high, int64_t *to)
{
    struct value v = value_next(&value);
    if (v.type == VALUE_UINT)
        return out_of_range(t, name, low, high);
    if (v.type == VALUE_FLOAT && v.real == floor(v.real)) { /* JavaScript and Lua do not say */
        if (!(v.real >= (double)low && v.real <= (double)high))
            return out_of_range(t, name, low, high);
        v.integer = (int64_t)v.real;
    } else if (v.type != VALUE_INT) {
        return wrong_field(t, REDO_ENETWORK, name, "has to be an integer");
    }
    if (v.integer < low || v.integer > high)
        return out_of_range(t, name, low, high);
    *to = v.integer;
    return REDO_OK;
}

static bool is_nil(struct value_reader value)
{
    return value_next(&value).type == VALUE_NIL;
}

int told_u32(struct told *t, char const *name, struct value_reader value, uint32_t high,
             uint32_t *to)
{
    int64_t i = *to;
    int rc = is_nil(value) ? REDO_OK : integer(t, name, value, 0, high, &i);
    *to = (uint32_t)i;
    return rc;
}

int told_i32(struct told *t, char const *name, struct value_reader value, int32_t low, int32_t high,
             int32_t *to)
{
    int64_t i = *to;
    int rc = is_nil(value) ? REDO_OK : integer(t, name, value, low, high, &i);
    *to = (int32_t)i;
    return rc;
}

int told_bool(struct told *t, char const *name, struct value_reader value, bool *to)
{
    struct value v = value_next(&value);
    if (v.type != VALUE_BOOL && v.type != VALUE_NIL)
        return wrong_field(t, REDO_ENETWORK, name, "has to be true or false");
    *to = v.type == VALUE_BOOL && v.boolean;
    return REDO_OK;
}

int told_text(struct told *t, char const *name, struct value_reader value, char const **to)
{
    struct value v = value_next(&value);
    *to = NULL;
    if (v.type == VALUE_NIL)
        return REDO_OK;
    if (v.type != VALUE_STRING || memchr(v.string.data, 0, v.string.size))
        return wrong_field(t, REDO_ENETWORK, name, "has to be a name");
    char *text = told_block(t, v.string.size, 1);
    if (!text)
        return REDO_ENOMEM;
    memcpy(text, v.string.data, v.string.size);
    *to = text;
    return REDO_OK;
}

int told_word(struct told *t, char const *name, struct value_reader value, char const *const *words,
              int *to)
{
    struct value v = value_next(&value);
    if (v.type == VALUE_NIL)
        return REDO_OK;
    for (int i = 0; v.type == VALUE_STRING && words[i]; i++)
        if (*words[i] && told_is(v.string.data, v.string.size, words[i])) {
            *to = i;
            return REDO_OK;
        }
    return wrong_field(t, REDO_ENETWORK, name, "is not one of its words");
}

bool told_open(struct value_reader *r, enum value_type type, uint32_t *count)
{
    struct value v = value_next(r);
    *count = v.type == type ? v.count : 0;
    return v.type == type || v.type == VALUE_NIL;
}

int told_ids(struct told *t, char const *name, struct value_reader value, struct routes_list *to)
{
    uint32_t count;
    *to = (struct routes_list){0};
    if (!told_open(&value, VALUE_ARRAY, &count))
        return wrong_field(t, REDO_ENETWORK, name, "has to be a list of ids");
    uint32_t *ids = told_block(t, count, sizeof *ids);
    if (!ids)
        return REDO_ENOMEM;
    to->ids = ids;
    for (uint32_t i = 0; i < count; i++) {
        int64_t id = 0;
        int rc = integer(t, name, value, 0, ROUTES_ID, &id);
        if (rc)
            return rc;
        ids[to->count++] = (uint32_t)id;
        value_skip(&value);
    }
    return REDO_OK;
}

int told_texts(struct told *t, char const *name, struct value_reader value, bool nulls,
               char const *const **to, uint32_t *count)
{
    uint32_t all;
    *to = NULL;
    *count = 0;
    if (!told_open(&value, VALUE_ARRAY, &all))
        return wrong_field(t, REDO_ENETWORK, name, "has to be a list of names");
    char const **names = told_block(t, all, sizeof *names);
    if (!names)
        return REDO_ENOMEM;
    *to = names;
    for (; *count < all; ++*count) {
        int rc = told_text(t, name, value, &names[*count]);
        if (!rc && !names[*count] && !nulls)
            rc = wrong_field(t, REDO_ENETWORK, name, "has to be a list of names");
        if (rc)
            return rc;
        value_skip(&value);
    }
    return REDO_OK;
}

void told_pair(struct value_reader *r, char const **name, size_t *size, struct value_reader *value)
{
    struct value_reader key = *r;
    struct value v = value_next(&key);
    *name = v.type == VALUE_STRING ? v.string.data : "";
    *size = v.type == VALUE_STRING ? v.string.size : 0;
    value_skip(r);
    *value = *r;
    value_skip(r);
    value->end = r->at;
}

bool told_is(char const *name, size_t size, char const *word)
{
    return size == strlen(word) && memcmp(name, word, size) == 0;
}

/* ---- things ------------------------------------------------------------------------------ */

static int read_values(struct told *t, struct value_reader value, struct routes_node *node)
{
    uint32_t count;
    if (!told_open(&value, VALUE_MAP, &count))
        return told_wrong(t, REDO_ENETWORK, "values has to be a map");
    struct routes_train_value *to = told_block(t, count, sizeof *to);
    if (!to)
        return REDO_ENOMEM;
    node->values = to;
    for (node->value_count = 0; node->value_count < count; node->value_count++, to++) {
        int64_t i = 0;
        struct value_reader key = value, one;
        char const *name;
        size_t size;
        told_pair(&value, &name, &size, &one);
        int rc = told_text(t, "values", key, &to->train);
        if (!rc && !to->train)
            rc = told_wrong(t, REDO_ENETWORK, "values has names as keys");
        if (!rc)
            rc = integer(t, "values", one, -ROUTES_VALUE, ROUTES_VALUE, &i);
        if (rc)
            return rc;
        to->value = (int32_t)i;
    }
    return REDO_OK;
}

static int node_field(struct told *t, struct routes_node *n, uint32_t field, char const *name,
                      struct value_reader v)
{
    int word = 0, rc;
    switch (field) {
    case ROUTES_F_NAME:
        return told_text(t, name, v, &n->name);
    case ROUTES_F_KIND:
        word = ROUTES_JUNCTION + 1;
        rc = told_word(t, name, v, told_kinds, &word);
        n->kind = (enum routes_kind)word;
        return rc;
    case ROUTES_F_HEX:
        return told_text(t, name, v, &n->hex);
    case ROUTES_F_HEXES:
        return told_texts(t, name, v, false, &n->hexes, &n->hex_count);
    case ROUTES_F_VALUE:
        return told_i32(t, name, v, -ROUTES_VALUE, ROUTES_VALUE, &n->value);
    case ROUTES_F_VALUES:
        return read_values(t, v, n);
    case ROUTES_F_COST:
        return told_i32(t, name, v, 0, ROUTES_LENGTH, &n->cost);
    case ROUTES_F_SLOTS:
        return told_u32(t, name, v, ROUTES_TOKENS, &n->slots);
    case ROUTES_F_TOKENS:
        return told_texts(t, name, v, true, &n->tokens, &n->token_count);
    case ROUTES_F_LIMIT:
        rc = told_word(t, name, v, limits, &word);
        n->limit = (enum routes_limit)word;
        return rc;
    }
    return REDO_OK;
}

static int edge_field(struct told *t, struct routes_edge *e, uint32_t field, char const *name,
                      struct value_reader v)
{
    int word = 0, rc;
    switch (field) {
    case ROUTES_F_HEX:
        return told_text(t, name, v, &e->hex);
    case ROUTES_F_ENDS:
        return told_u32(t, name, v, ROUTES_ID, *name == 'a' ? &e->a : &e->b);
    case ROUTES_F_TRACK:
        rc = told_word(t, name, v, told_tracks, &word);
        e->track = (enum routes_track)word;
        return rc;
    case ROUTES_F_TERMINAL:
        return told_bool(t, name, v, &e->terminal);
    case ROUTES_F_LIMIT:
        rc = told_word(t, name, v, limits, &word);
        e->limit = (enum routes_limit)word;
        return rc;
    }
    return REDO_OK;
}

static int mutex_field(struct told *t, struct routes_mutex *m, uint32_t field, char const *name,
                       struct value_reader v)
{
    int word = 0, rc;
    switch (field) {
    case ROUTES_F_SCOPE:
        rc = told_word(t, name, v, scopes, &word);
        m->scope = (enum routes_scope)word;
        return rc;
    case ROUTES_F_NODES:
        return told_ids(t, name, v, &m->nodes);
    case ROUTES_F_EDGES:
        return told_ids(t, name, v, &m->edges);
    case ROUTES_F_WHY:
        return told_text(t, name, v, &m->why);
    }
    return REDO_OK;
}

/* By name, and of which things they are: bits 1 nodes, 2 edges, 4 mutexes. */
static struct {
    char const *name;
    uint32_t field, of;
} const fields[] = {
    {"name", ROUTES_F_NAME, 1},     {"kind", ROUTES_F_KIND, 1},
    {"hex", ROUTES_F_HEX, 3},       {"hexes", ROUTES_F_HEXES, 1},
    {"value", ROUTES_F_VALUE, 1},   {"values", ROUTES_F_VALUES, 1},
    {"cost", ROUTES_F_COST, 1},     {"slots", ROUTES_F_SLOTS, 1},
    {"tokens", ROUTES_F_TOKENS, 1}, {"limit", ROUTES_F_LIMIT, 3},
    {"a", ROUTES_F_ENDS, 2},        {"b", ROUTES_F_ENDS, 2},
    {"track", ROUTES_F_TRACK, 2},   {"terminal", ROUTES_F_TERMINAL, 2},
    {"scope", ROUTES_F_SCOPE, 4},   {"nodes", ROUTES_F_NODES, 4},
    {"edges", ROUTES_F_EDGES, 4},   {"why", ROUTES_F_WHY, 4},
};

void told_thing_begin(struct told *t, struct routes_op *op, enum routes_op_kind kind, uint32_t id)
{
    snprintf(t->what, sizeof t->what, "%s %u", told_names[kind % 3], id);
    *op = (struct routes_op){.kind = kind};
    if (kind % 3 == 0)
        op->node = (struct routes_node){
            .id = id, .kind = ROUTES_JUNCTION + 1, .cost = 1, .slots = ROUTES_NO_SLOTS};
    else if (kind % 3 == 1)
        op->edge = (struct routes_edge){.id = id, .a = UINT32_MAX, .b = UINT32_MAX};
    else
        op->mutex = (struct routes_mutex){.id = id};
}

int told_thing_field(struct told *t, struct routes_op *op, char const *name, size_t size,
                     struct value_reader value, uint32_t *field)
{
    unsigned thing = op->kind % 3;
    *field = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!(fields[i].of & 1u << thing) || !told_is(name, size, fields[i].name))
            continue;
        *field = fields[i].field;
        if (is_nil(value))
            return REDO_OK;
        if (thing == 0)
            return node_field(t, &op->node, *field, fields[i].name, value);
        return thing == 1 ? edge_field(t, &op->edge, *field, fields[i].name, value)
                          : mutex_field(t, &op->mutex, *field, fields[i].name, value);
    }
    return REDO_OK;
}

int told_thing_end(struct told *t, struct routes_op const *op)
{
    if (op->kind % 3 == 0 && op->node.kind > ROUTES_JUNCTION)
        return told_wrong(t, REDO_ENETWORK, "it has no kind");
    if (op->kind % 3 == 1 && (op->edge.a == UINT32_MAX || op->edge.b == UINT32_MAX))
        return told_wrong(t, REDO_ENETWORK, "it has no two ends");
    if (op->kind % 3 == 1 && !op->edge.hex)
        return told_wrong(t, REDO_ENETWORK, "it has no hex");
    return REDO_OK;
}

int told_thing(struct told *t, struct value_reader map, enum routes_op_kind kind,
               uint32_t otherwise, struct routes_op *op)
{
    struct value_reader r = map, value;
    uint32_t count, id = otherwise, field;
    char const *name;
    size_t size;
    int rc = REDO_OK;
    char const *kind_name = told_names[kind % 3];
    snprintf(t->what, sizeof t->what, "%s %s", *kind_name == 'e' ? "an" : "a", kind_name);
    if (!told_open(&r, VALUE_MAP, &count))
        return told_wrong(t, REDO_ENETWORK, "has to be a map");
    map = r;
    for (uint32_t i = 0; i < count && !rc; i++) {
        told_pair(&r, &name, &size, &value);
        if (told_is(name, size, "id"))
            rc = told_u32(t, "id", value, ROUTES_ID, &id);
    }
    if (!rc && id == UINT32_MAX)
        rc = told_wrong(t, REDO_ENETWORK, "has no id");
    told_thing_begin(t, op, kind, id);
    for (uint32_t i = 0; i < count && !rc; i++) {
        told_pair(&map, &name, &size, &value);
        rc = told_thing_field(t, op, name, size, value, &field);
        op->fields |= field;
    }
    return rc || kind > ROUTES_ADD_MUTEX ? rc : told_thing_end(t, op);
}
