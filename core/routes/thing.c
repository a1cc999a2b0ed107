/* Definitions: copies of what the API is given, each in one block. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/routes/network.h"

int fault_set(struct routes_fault *fault, int code, char const *format, ...)
{
    va_list args;
    if (!fault)
        return code;
    va_start(args, format);
    vsnprintf(fault->text, sizeof fault->text, format, args);
    va_end(args);
    return code;
}

/* What follows the struct in its block: given out from the front. */
struct rest {
    char *at;
};

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static size_t string_size(char const *s)
{
    return s ? padded(strlen(s) + 1) : 0;
}

static void *take(struct rest *r, void const *from, size_t bytes)
{
    void *to = r->at;
    if (bytes)
        memcpy(to, from, bytes);
    r->at += padded(bytes);
    return to;
}

static char const *take_string(struct rest *r, char const *s)
{
    return s ? take(r, s, strlen(s) + 1) : NULL;
}

static char const *const *take_strings(struct rest *r, char const *const *s, uint32_t count)
{
    char const **to = take(r, s, count * sizeof *s);
    for (uint32_t i = 0; i < count; i++)
        to[i] = take_string(r, s[i]);
    return to;
}

static size_t strings_size(char const *const *s, uint32_t count)
{
    size_t bytes = padded(count * sizeof *s);
    for (uint32_t i = 0; i < count; i++)
        bytes += string_size(s[i]);
    return bytes;
}

static struct thing *new_thing(enum network_table table, size_t rest, struct rest *r)
{
    size_t bytes = padded(sizeof(struct thing)) + rest;
    struct thing *t = calloc(1, bytes);
    if (!t)
        return NULL;
    t->refs = 1;
    t->bytes = bytes;
    t->table = table;
    r->at = (char *)t + padded(sizeof *t);
    return t;
}

int thing_copy_node(struct thing **out, struct routes_node const *node)
{
    struct rest r;
    size_t rest = string_size(node->name) + string_size(node->hex) +
                  strings_size(node->hexes, node->hex_count) +
                  strings_size(node->tokens, node->token_count) +
                  padded(node->value_count * sizeof *node->values);
    for (uint32_t i = 0; i < node->value_count; i++)
        rest += string_size(node->values[i].train);
    struct thing *t = new_thing(NETWORK_NODES, rest, &r);
    if (!t)
        return REDO_ENOMEM;
    t->node = *node;
    t->node.name = take_string(&r, node->name);
    t->node.hex = take_string(&r, node->hex);
    t->node.hexes = take_strings(&r, node->hexes, node->hex_count);
    t->node.tokens = take_strings(&r, node->tokens, node->token_count);
    struct routes_train_value *values =
        take(&r, node->values, node->value_count * sizeof *node->values);
    for (uint32_t i = 0; i < node->value_count; i++)
        values[i].train = take_string(&r, node->values[i].train);
    t->node.values = values;
    *out = t;
    return REDO_OK;
}

int thing_copy_edge(struct thing **out, struct routes_edge const *edge)
{
    struct rest r;
    struct thing *t = new_thing(NETWORK_EDGES, string_size(edge->hex), &r);
    if (!t)
        return REDO_ENOMEM;
    t->edge = *edge;
    t->edge.hex = take_string(&r, edge->hex);
    *out = t;
    return REDO_OK;
}

int thing_copy_mutex(struct thing **out, struct routes_mutex const *mutex)
{
    struct rest r;
    size_t nodes = mutex->nodes.count * sizeof(uint32_t);
    size_t edges = mutex->edges.count * sizeof(uint32_t);
    struct thing *t =
        new_thing(NETWORK_MUTEXES, padded(nodes) + padded(edges) + string_size(mutex->why), &r);
    if (!t)
        return REDO_ENOMEM;
    t->mutex = *mutex;
    t->mutex.nodes.ids = take(&r, mutex->nodes.ids, nodes);
    t->mutex.edges.ids = take(&r, mutex->edges.ids, edges);
    t->mutex.why = take_string(&r, mutex->why);
    *out = t;
    return REDO_OK;
}

void thing_unref(struct thing *t)
{
    if (t && --t->refs == 0)
        free(t);
}

uint32_t thing_id(struct thing const *t)
{
    return t->table == NETWORK_NODES   ? t->node.id
           : t->table == NETWORK_EDGES ? t->edge.id
                                       : t->mutex.id;
}

bool node_has_token(struct routes_node const *node, char const *company)
{
    for (uint32_t i = 0; i < node->token_count; i++)
        if (node->tokens[i] && strcmp(node->tokens[i], company) == 0)
            return true;
    return false;
}

bool node_is_blocked(struct routes_node const *node, char const *company)
{
    uint32_t slots = node->slots == ROUTES_NO_SLOTS ? node->token_count : node->slots;
    if (node->kind != ROUTES_CITY || (node->slots == ROUTES_NO_SLOTS && slots == 0))
        return false;
    for (uint32_t i = 0; i < slots; i++)
        if (i >= node->token_count || !node->tokens[i])
            return false;
    return !node_has_token(node, company) && !node_has_token(node, "*");
}

bool node_once_in_set(struct routes_node const *node)
{
    return node->limit == ROUTES_LIMIT_DEFAULT ? node->kind == ROUTES_SIDE
                                               : node->limit == ROUTES_LIMIT_SET;
}

bool edge_once_in_set(struct routes_edge const *edge)
{
    return edge->limit != ROUTES_LIMIT_ROUTE;
}

bool node_joins(enum routes_kind kind, struct routes_edge const *from, struct routes_edge const *to)
{
    bool same_hex = strcmp(from->hex, to->hex) == 0;
    if (kind == ROUTES_SIDE)
        return !same_hex &&
               (from->track == to->track || from->track == ROUTES_DUAL || to->track == ROUTES_DUAL);
    return kind != ROUTES_JUNCTION || same_hex;
}
