#include "core/turn.h"

#include <stdlib.h>

#include "core/varint.h"

/* Bytes: an ADD of a state of one byte has seven, a PLAY of none six; and two numbers before it. */
#define ITEM_MIN 8

static bool is_cursor(redo_operation const *op)
{
    return op->kind == REDO_OP_CURSOR && op->value == redo_step_goto;
}

/* Reads the item in this place, from 0. */
static bool read_item(struct varint_reader *r, struct turn_item *item, uint32_t place, bool last)
{
    item->after = varint_get(r);
    size_t size = varint_get(r);
    if (r->bad || item->after > place || !size || size > (size_t)(r->end - r->at) ||
        redo_operation_decode(r->at, size, &item->op) != size)
        return false;
    r->at += size;
    redo_operation const *op = &item->op;
    if (op->stamp.author || op->stamp.name || op->stamp.time || op->keysize)
        return false;
    if (item->after && op->position != 0)
        return false; /* one form only */
    return op->kind == REDO_OP_ADD || (op->kind == REDO_OP_PLAY && !place) ||
           (last && place && is_cursor(op));
}

int turn_read(void const *data, size_t size, struct turn_item **items, uint32_t *count)
{
    struct varint_reader r = {.at = data, .end = (unsigned char const *)data + size};
    uint32_t n = varint_get(&r);
    if (r.bad || !n || n > (size_t)(r.end - r.at) / ITEM_MIN)
        return REDO_EOPERATION;
    if (n > REDO_TURN_MAX + 1)
        return REDO_EFULL;
    struct turn_item *all = malloc(n * sizeof *all);
    if (!all)
        return REDO_ENOMEM;
    bool good = true;
    for (uint32_t i = 0; good && i < n; i++)
        good = read_item(&r, &all[i], i, i + 1 == n);
    uint32_t adds = good ? n - (all[n - 1].op.kind == REDO_OP_CURSOR) : 0;
    bool full = adds > REDO_TURN_MAX;
    if (adds > 1 && all[0].op.kind == REDO_OP_PLAY) /* which is alone */
        good = false;
    if (!good || full || r.at != r.end) {
        free(all);
        return full ? REDO_EFULL : REDO_EOPERATION;
    }
    *items = all;
    *count = n;
    return REDO_OK;
}

bool turn_plays(redo_operation const *turn, redo_operation *play)
{
    struct varint_reader r = {.at = turn->state,
                              .end = (unsigned char const *)turn->state + turn->statesize};
    struct turn_item first;
    if (turn->kind != REDO_OP_TURN || !turn->state)
        return false;
    varint_get(&r);
    if (!read_item(&r, &first, 0, false) || first.op.kind != REDO_OP_PLAY)
        return false;
    *play = first.op;
    return true;
}

/* The item with the position that it is encoded with. */
static redo_operation encoded(struct turn_item const *item)
{
    redo_operation op = item->op;
    if (item->after)
        op.position = 0;
    return op;
}

int turn_write(struct turn_item const *items, uint32_t count, void **data, size_t *size)
{
    size_t room = VARINT_MAX;
    if (count > REDO_TURN_MAX + 1)
        return REDO_EFULL;
    for (uint32_t i = 0; i < count; i++) {
        redo_operation op = encoded(&items[i]);
        size_t bytes = redo_operation_encode(&op, NULL, 0);
        if (!bytes || bytes > UINT32_MAX)
            return REDO_EOPERATION;
        room += 2 * VARINT_MAX + bytes;
    }
    unsigned char *bytes = malloc(room);
    if (!bytes)
        return REDO_ENOMEM;
    unsigned char *at = bytes + varint_put(bytes, count);
    for (uint32_t i = 0; i < count; i++) {
        redo_operation op = encoded(&items[i]);
        size_t n = redo_operation_encode(&op, NULL, 0);
        at += varint_put(at, items[i].after);
        at += varint_put(at, (uint32_t)n);
        at += redo_operation_encode(&op, at, n);
    }
    *data = bytes;
    *size = (size_t)(at - bytes);
    return REDO_OK;
}
