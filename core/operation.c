/* Operations as bytes: the kind in one byte, with two bits that tell of a stamp and a key, which
 * come next; then its arguments in a fixed order: positions as LEB128, signed numbers as zigzag
 * LEB128, and the state last, as it is, up to the end. */
#include "core/operation.h"

#include <stdbool.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/varint.h"

enum {
    POSITION = 1,
    SOURCE = 2,
    MOVE = 4,
    ENDPOINT = 8,
    VALUE = 16,
    NAME = 32,
    STATE = 64,
    ANY = 128,      /* the state may be empty */
    NOTHING = 256,  /* a kind without arguments */
    UNNAMED = 1024, /* the name may be empty */
    MAYBE = 512     /* positions may be none: each is told as its number plus 1, or 0 */
};

/* Beside the kind. */
enum { KEYED = 64, STAMPED = 128, KINDS = 63 };

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
    case REDO_OP_CURSOR:
        return POSITION | SOURCE | MAYBE | MOVE | VALUE | NAME;
    case REDO_OP_TURN:
        return STATE;
    case REDO_OP_NEWUNDO:
        return MOVE | ENDPOINT | VALUE | NAME;
    case REDO_OP_ADDUNDO:
        return NAME | STATE;
    case REDO_OP_RECORD:
        return POSITION | SOURCE | MAYBE | MOVE | VALUE | NAME | UNNAMED | STATE | ANY;
    case REDO_OP_PLAY:
        return POSITION | SOURCE | MOVE | ENDPOINT | VALUE | STATE | ANY;
    case REDO_OP_ALTERNATE:
        return POSITION | MOVE | VALUE | STATE;
    case REDO_OP_GAMES:
        return SOURCE | MAYBE | VALUE | STATE;
    }
    return 0;
}

static bool is_stamped(redo_operation const *op)
{
    return op->stamp.author || op->stamp.name || op->stamp.time;
}

/* A stamp tells of its author, who is known or new; a key has bytes; what must be there is. */
static bool can_encode(redo_operation const *op, unsigned has)
{
    redo_stamp const *s = &op->stamp;
    if (!has || ((has & STATE) && !op->state && (op->statesize || !(has & ANY))) ||
        ((has & STATE) && !op->statesize && !(has & ANY)) ||
        ((has & NAME) &&
         (op->namesize ? !op->name || op->namesize > REDO_NAME_MAX : !(has & UNNAMED))))
        return false;
    if (is_stamped(op) && !s->author == !s->name)
        return false;
    return s->namesize <= REDO_AUTHOR_MAX && op->keysize <= REDO_KEY_MAX &&
           (!op->keysize || op->key);
}

static size_t put_bytes(unsigned char *out, void const *bytes, size_t size)
{
    size_t n = varint_put(out, (uint32_t)size);
    if (size)
        memcpy(out + n, bytes, size);
    return n + size;
}

/* The kind, the stamp, the key. */
static size_t put_head(unsigned char *out, redo_operation const *op)
{
    size_t n = 0;
    redo_stamp const *s = &op->stamp;
    out[n++] = (unsigned char)((unsigned)op->kind | (is_stamped(op) ? STAMPED : 0) |
                               (op->keysize ? KEYED : 0));
    if (is_stamped(op)) {
        n += varint_put(out + n, s->author);
        if (!s->author) {
            n += varint_put(out + n, s->uid);
            n += put_bytes(out + n, s->name, s->namesize);
        }
        n += varint_put(out + n, s->time);
    }
    return op->keysize ? n + put_bytes(out + n, op->key, op->keysize) : n;
}

/* A position, or none: its number plus 1 fits, since none is the highest. */
static size_t put_position(unsigned char *out, uint32_t number, unsigned has)
{
    return varint_put(out, (has & MAYBE) ? number + 1 : number);
}

/* The arguments but the state. */
static size_t put_arguments(unsigned char *out, redo_operation const *op, unsigned has)
{
    size_t n = 0;
    if (has & POSITION)
        n += put_position(out + n, op->position, has);
    if (has & SOURCE)
        n += put_position(out + n, op->source, has);
    if (has & MOVE)
        n += varint_put_signed(out + n, op->move);
    if (has & ENDPOINT)
        n += varint_put_signed(out + n, op->endpoint);
    if (has & VALUE)
        n += varint_put_signed(out + n, op->value);
    if (has & NAME)
        n += put_bytes(out + n, op->name, op->namesize);
    return n;
}

size_t redo_operation_encode(redo_operation const *op, void *buf, size_t cap)
{
    unsigned has = op ? arguments((int)op->kind) : 0;
    if (!op || !can_encode(op, has))
        return 0;
    unsigned char head[64 + REDO_AUTHOR_MAX + REDO_KEY_MAX + REDO_NAME_MAX];
    size_t n = put_head(head, op);
    n += put_arguments(head + n, op, has);
    size_t total = n + ((has & STATE) ? op->statesize : 0);
    if (buf && total <= cap) {
        memcpy(buf, head, n);
        if ((has & STATE) && op->statesize)
            memcpy((char *)buf + n, op->state, op->statesize);
    }
    return total;
}

int operation_hash_kind(uint64_t hash)
{
    return (int)(hash & KINDS);
}

uint64_t operation_hash(redo_operation const *op)
{
    unsigned has = arguments((int)op->kind);
    unsigned char head[64 + REDO_NAME_MAX];
    size_t n = 0;
    head[n++] = (unsigned char)op->kind;
    if ((has & NAME) && ((!op->name && op->namesize) || op->namesize > REDO_NAME_MAX))
        has &= ~(unsigned)NAME;
    n += put_arguments(head + n, op, has);
    uint64_t hash = XXH3_64bits(head, n);
    if ((has & STATE) && op->state && op->statesize)
        hash = XXH3_64bits_withSeed(op->state, op->statesize, hash);
    return (hash & ~(uint64_t)KINDS) | (uint64_t)op->kind;
}

/* Bytes after their number, at most so many. */
static void const *get_bytes(struct varint_reader *r, size_t *size, size_t most)
{
    unsigned char const *bytes;
    *size = varint_get(r);
    if (*size > most || *size > (size_t)(r->end - r->at))
        r->bad = 1;
    bytes = r->at;
    if (!r->bad)
        r->at += *size;
    return bytes;
}

static void get_stamp(struct varint_reader *r, redo_stamp *s)
{
    s->author = varint_get(r);
    if (!s->author) {
        s->uid = varint_get(r);
        s->name = get_bytes(r, &s->namesize, REDO_AUTHOR_MAX);
    }
    s->time = varint_get(r);
}

static uint32_t get_position(struct varint_reader *r, unsigned has)
{
    uint32_t number = varint_get(r);
    return (has & MAYBE) ? number - 1 : number;
}

static void get_arguments(struct varint_reader *r, redo_operation *op, unsigned has)
{
    if (has & POSITION)
        op->position = get_position(r, has);
    if (has & SOURCE)
        op->source = get_position(r, has);
    if (has & MOVE)
        op->move = varint_get_signed(r);
    if (has & ENDPOINT)
        op->endpoint = varint_get_signed(r);
    if (has & VALUE)
        op->value = varint_get_signed(r);
    if (has & NAME) {
        op->name = get_bytes(r, &op->namesize, REDO_NAME_MAX);
        r->bad |= !op->namesize && !(has & UNNAMED);
    }
    if (has & STATE) {
        op->state = r->at;
        op->statesize = (size_t)(r->end - r->at);
        r->bad |= !op->statesize && !(has & ANY);
        r->at = r->end;
    }
}

size_t redo_operation_decode(void const *data, size_t size, redo_operation *op)
{
    if (!data || !size || !op)
        return 0;
    struct varint_reader r = {.at = data, .end = (unsigned char const *)data + size};
    int head = *r.at++;
    unsigned has = arguments(head & KINDS);
    if (!has)
        return 0;
    *op = (redo_operation){.kind = (enum redo_operation_kind)(head & KINDS),
                           .position = REDO_NOPOSITION,
                           .source = REDO_NOPOSITION};
    if (head & STAMPED)
        get_stamp(&r, &op->stamp);
    if (head & KEYED) {
        op->key = get_bytes(&r, &op->keysize, REDO_KEY_MAX);
        r.bad |= !op->keysize;
    }
    get_arguments(&r, op, has);
    return r.bad || r.at != r.end ? 0 : size;
}
