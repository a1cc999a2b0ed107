/* The form of a turn is written here once more, from core/README.md. */
#include "told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void told_close(struct told *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->authors[i].name);
    free(t->authors);
}

static size_t find(struct told const *t, json_int_t uid, char const *name)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->authors[i].uid == uid && !strcmp(t->authors[i].name, name))
            return i + 1;
    return 0;
}

static void enter(struct told *t, json_int_t uid, char const *name)
{
    t->authors = realloc(t->authors, (t->count + 1) * sizeof *t->authors);
    t->authors[t->count].uid = uid;
    t->authors[t->count++].name = strdup(name);
}

static char const *text(json_t *op, size_t i)
{
    return json_string_value(json_array_get(op, i));
}

static int integer(json_t *op, size_t i)
{
    return (int)json_integer_value(json_array_get(op, i));
}

static uint32_t number(json_t *op, size_t i)
{
    return (uint32_t)json_integer_value(json_array_get(op, i));
}

/* Bytes from hex; the caller frees them. */
static unsigned char *unhex(char const *hex, size_t *size)
{
    *size = strlen(hex) / 2;
    unsigned char *bytes = malloc(*size + 1);
    for (size_t i = 0; i < *size; i++) {
        unsigned v;
        sscanf(hex + 2 * i, "%2x", &v);
        bytes[i] = (unsigned char)v;
    }
    return bytes;
}

/* An ADD from what stands in list from there on: prev, move, state, endpoint, check. */
static redo_operation add_from(json_t *list, size_t at, unsigned char **state)
{
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = number(list, at),
                         .move = integer(list, at + 1),
                         .endpoint = integer(list, at + 3),
                         .value = integer(list, at + 4)};
    op.state = *state = unhex(text(list, at + 2), &op.statesize);
    return op;
}

struct bytes {
    unsigned char *data;
    size_t size;
};

static void put_number(struct bytes *b, size_t v)
{
    b->data = realloc(b->data, b->size + 10);
    for (; v >= 0x80; v >>= 7)
        b->data[b->size++] = (unsigned char)(v | 0x80);
    b->data[b->size++] = (unsigned char)v;
}

static void put_item(struct bytes *b, size_t after, redo_operation *op)
{
    if (after)
        op->position = 0;
    size_t size = redo_operation_encode(op, NULL, 0);
    put_number(b, after);
    put_number(b, size);
    b->data = realloc(b->data, b->size + size);
    b->size += redo_operation_encode(op, b->data + b->size, size);
}

static struct bytes turn_bytes(json_t *adds, json_t *cursor)
{
    struct bytes b = {0};
    json_t *add;
    size_t i;
    put_number(&b, json_array_size(adds) + json_is_array(cursor));
    json_array_foreach(adds, i, add)
    {
        unsigned char *state;
        redo_operation op = add_from(add, 1, &state);
        put_item(&b, number(add, 0), &op);
        free(state);
    }
    if (json_is_array(cursor)) {
        redo_operation op = {.kind = REDO_OP_CURSOR,
                             .name = text(cursor, 0),
                             .namesize = strlen(text(cursor, 0)),
                             .position = number(cursor, 2),
                             .source = number(cursor, 3)};
        put_item(&b, number(cursor, 1), &op);
    }
    return b;
}

/* *bytes gets what op points to, for the caller to free. */
static redo_operation operation(json_t *op, unsigned char **bytes)
{
    char const *name = text(op, 0);
    if (!strcmp(name, "add"))
        return add_from(op, 1, bytes);
    if (!strcmp(name, "turn")) {
        struct bytes b = turn_bytes(json_array_get(op, 1), json_array_get(op, 2));
        *bytes = b.data;
        return (redo_operation){.kind = REDO_OP_TURN, .state = b.data, .statesize = b.size};
    }
    if (!strcmp(name, "cursor"))
        return (redo_operation){.kind = REDO_OP_CURSOR,
                                .name = text(op, 1),
                                .namesize = strlen(text(op, 1)),
                                .value = integer(op, 2),
                                .move = integer(op, 3),
                                .position = number(op, 4),
                                .source = number(op, 5)};
    if (!strcmp(name, "next"))
        return (redo_operation){
            .kind = REDO_OP_NEXT, .position = number(op, 1), .move = integer(op, 2)};
    if (!strcmp(name, "dup"))
        return (redo_operation){
            .kind = REDO_OP_DUPLICATE, .position = number(op, 1), .source = number(op, 2)};
    return (redo_operation){.kind = !strcmp(name, "drop")       ? REDO_OP_DROP
                                    : !strcmp(name, "droptree") ? REDO_OP_DROPTREE
                                                                : 0,
                            .position = number(op, 1)};
}

json_t *told_apply(struct told *t, redo_session *session, json_t *script)
{
    json_t *stamp = json_array_get(script, 1);
    unsigned char *bytes = NULL;
    redo_operation op = operation(json_array_get(script, 3), &bytes);
    if (json_is_array(stamp)) {
        op.stamp.author = (uint32_t)find(t, integer(stamp, 0), text(stamp, 1));
        op.stamp.time = number(stamp, 2);
        if (!op.stamp.author) {
            op.stamp.uid = number(stamp, 0);
            op.stamp.name = text(stamp, 1);
            op.stamp.namesize = strlen(op.stamp.name);
        }
    }
    op.key = text(script, 2);
    op.keysize = op.key ? strlen(op.key) : 0;
    redo_result r;
    int rc = redo_apply(session, &op, &r);
    free(bytes);
    if (rc)
        return json_null();
    if (op.stamp.name && r.changed)
        enter(t, integer(stamp, 0), op.stamp.name);
    json_int_t position = r.position == REDO_NOPOSITION ? -1 : (json_int_t)r.position;
    return json_pack("[i,I,i,i,i,i]", op.kind == REDO_OP_NEXT ? 0 : r.value, position, r.made,
                     r.created, r.changed, r.repeated);
}
