/* Operations as bytes: the kind in one byte, then its arguments in a fixed order: positions as
 * LEB128, signed numbers as zigzag LEB128, and the state last, as it is, up to the end. */
#include <string.h>

#include "core/redo.h"
#include "core/varint.h"

enum {
    POSITION = 1,
    SOURCE = 2,
    MOVE = 4,
    ENDPOINT = 8,
    VALUE = 16,
    NAME = 32,
    STATE = 64,
    ANY = 128,    /* the state may be empty */
    NOTHING = 256 /* a kind without arguments */
};

/* The arguments of each kind, 0 for no kind. Encoded in the order of the bits. */
static unsigned arguments(int kind)
{
    switch (kind) {
    case REDO_OP_ADD:
        return POSITION | MOVE | ENDPOINT | VALUE | STATE;
    case REDO_OP_NEXT:
        return POSITION | MOVE;
    case REDO_OP_DROP:
        return POSITION;
    case REDO_OP_GRAFT:
        return VALUE;
    case REDO_OP_UPDATE:
        return POSITION | STATE;
    case REDO_OP_SETBETTER:
    case REDO_OP_CLEAR:
        return NOTHING;
    case REDO_OP_CYCLE:
        return POSITION | VALUE | STATE;
    case REDO_OP_DUPLICATE:
        return POSITION | SOURCE;
    case REDO_OP_PROPERTY:
        return NAME | STATE | ANY;
    case REDO_OP_DROPTREE:
        return POSITION;
    case REDO_OP_RESTORE:
        return POSITION | STATE;
    }
    return 0;
}

size_t redo_operation_encode(redo_operation const *op, void *buf, size_t cap)
{
    unsigned has = op ? arguments((int)op->kind) : 0;
    if (!has || ((has & STATE) && !(has & ANY) && (!op->state || !op->statesize)) ||
        ((has & NAME) && (!op->name || !op->namesize || op->namesize > REDO_NAME_MAX)))
        return 0;
    unsigned char head[32 + REDO_NAME_MAX];
    size_t n = 0;
    head[n++] = (unsigned char)op->kind;
    if (has & POSITION)
        n += varint_put(head + n, op->position);
    if (has & SOURCE)
        n += varint_put(head + n, op->source);
    if (has & MOVE)
        n += varint_put_signed(head + n, op->move);
    if (has & ENDPOINT)
        n += varint_put_signed(head + n, op->endpoint);
    if (has & VALUE)
        n += varint_put_signed(head + n, op->value);
    if (has & NAME) {
        n += varint_put(head + n, (uint32_t)op->namesize);
        memcpy(head + n, op->name, op->namesize);
        n += op->namesize;
    }
    size_t total = n + ((has & STATE) ? op->statesize : 0);
    if (buf && total <= cap) {
        memcpy(buf, head, n);
        if ((has & STATE) && op->statesize)
            memcpy((char *)buf + n, op->state, op->statesize);
    }
    return total;
}

size_t redo_operation_decode(void const *data, size_t size, redo_operation *op)
{
    if (!data || !size || !op)
        return 0;
    struct varint_reader r = {.at = data, .end = (unsigned char const *)data + size};
    int kind = *r.at++;
    unsigned has = arguments(kind);
    if (!has)
        return 0;
    *op = (redo_operation){.kind = (enum redo_operation_kind)kind,
                           .position = REDO_NOPOSITION,
                           .source = REDO_NOPOSITION};
    if (has & POSITION)
        op->position = varint_get(&r);
    if (has & SOURCE)
        op->source = varint_get(&r);
    if (has & MOVE)
        op->move = varint_get_signed(&r);
    if (has & ENDPOINT)
        op->endpoint = varint_get_signed(&r);
    if (has & VALUE)
        op->value = varint_get_signed(&r);
    if (has & NAME) {
        op->namesize = varint_get(&r);
        op->name = (char const *)r.at;
        if (r.bad || !op->namesize || op->namesize > REDO_NAME_MAX ||
            op->namesize > (size_t)(r.end - r.at))
            return 0;
        r.at += op->namesize;
    }
    if (has & STATE) {
        op->state = r.at;
        op->statesize = (size_t)(r.end - r.at);
        if (!op->statesize && !(has & ANY))
            r.bad = 1;
        r.at = r.end;
    }
    if (r.bad || r.at != r.end)
        return 0;
    return size;
}
