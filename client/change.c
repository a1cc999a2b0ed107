/* Changes: an operation is sent to the daemon, and its event is applied to the replica before its
 * answer comes.
 *
 * Keys are what makes a change known when it is sent twice. They cost: the daemon keeps the last
 * thousand of a session, and looks through them. Beside a wait for the disk that is nothing; where
 * changes are answered at once it is more than all the rest, so relaxed sessions have none unless
 * the program wants them.
 *
 * If the connection breaks in between, it is not known whether the operation was applied. With its
 * key it can be sent again over the next connection: one that was applied is among the operations
 * that were missed, so that the replica has it, and is answered as it was the first time. */
#include "client/adds.h"
#include "client/client.h"
#include "core/error.h"

/* The call of an operation, and what was answered. */
struct change {
    struct call call; /* first */
    redo_result result;
    uint64_t sequence;
};

static uint32_t read_number(msgpack_object const *o)
{
    return is_uint(o) && o->via.u64 < REDO_NOPOSITION ? (uint32_t)o->via.u64 : REDO_NOPOSITION;
}

static int read_value(msgpack_object const *o)
{
    if (!o)
        return 0;
    if (o->type == MSGPACK_OBJECT_BOOLEAN)
        return o->via.boolean;
    return is_uint(o) || o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER ? (int)o->via.i64 : 0;
}

uint64_t change_read(msgpack_object const *answer, redo_result *result)
{
    msgpack_object const *sequence = map_get(answer, "sequence");
    *result = (redo_result){
        .value = read_value(map_get(answer, "value")),
        .position = read_number(map_get(answer, "position")),
        .graftedfrom = read_number(map_get(answer, "graftedfrom")),
        .graftedto = read_number(map_get(answer, "graftedto")),
        .supersedes = read_number(map_get(answer, "supersedes")),
        .firstmade = read_number(map_get(answer, "firstmade")),
        .made = (uint32_t)read_value(map_get(answer, "made")),
        .dropped = (uint32_t)read_value(map_get(answer, "dropped")),
        .created = read_value(map_get(answer, "created")) != 0,
        .differs = read_value(map_get(answer, "differs")) != 0,
        .changed = read_value(map_get(answer, "changed")) != 0,
        .repeated = read_value(map_get(answer, "repeated")) != 0,
    };
    return is_uint(sequence) ? sequence->via.u64 : 0;
}

static void read_answer(struct call *call, msgpack_object const *answer)
{
    struct change *change = (struct change *)call;
    change->sequence = change_read(answer, &change->result);
}

/* Whether operations of this session carry a key. */
static bool is_keyed(struct mirror const *m)
{
    int keys = m->client->keying;
    return keys < 0 ? !m->relaxed : keys > 0;
}

void change_key(struct mirror *m, redo_operation *op, unsigned char room[KEY_SIZE])
{
    redo_client *client = m->client;
    if (!is_keyed(m) || op->keysize)
        return;
    uint64_t number = client->keys++;
    memcpy(room, client->key, sizeof client->key);
    for (unsigned i = 0; i < 8; i++)
        room[sizeof client->key + i] = (unsigned char)(number >> 8 * i);
    op->key = room;
    op->keysize = KEY_SIZE;
}

/* The params of `apply`: the operation, which has so many bytes. */
static void pack_change(struct mirror *m, struct buffer *b, redo_operation const *op, size_t size)
{
    bool durable = op->kind == REDO_OP_CLEAR; /* a program's way to say that the game is saved */
    pack_array(b, durable ? 3 : 2);
    pack_uint(b, m->handle);
    pack_bin_head(b, size);
    if (buffer_reserve(b, size))
        b->size += redo_operation_encode(op, b->data + b->size, size);
    if (durable) {
        pack_map(b, 1);
        pack_key(b, "durable");
        pack_bool(b, true);
    }
}

/* What can not be encoded is refused here as the engine would. */
static int why_not(struct mirror const *m, redo_operation const *op)
{
    switch (op->kind) {
    case REDO_OP_ADD: /* without a turn, or a state */
        return m->session.history->changes ? REDO_EOPERATION : REDO_ESTATE;
    case REDO_OP_PROPERTY:
    case REDO_OP_CURSOR:
    case REDO_OP_NEWUNDO:
    case REDO_OP_RECORD:
        return REDO_ENAME;
    case REDO_OP_ADDUNDO:
        return op->state && op->statesize ? REDO_ENAME : REDO_EOPERATION;
    case REDO_OP_RESTORE:
        return REDO_EDAMAGED;
    case REDO_OP_PLAY:
    case REDO_OP_ALTERNATE:
        return REDO_ESTATE;
    default:
        return op->kind >= REDO_OP_ADD && op->kind <= REDO_OP_CLEAR ? REDO_ESTATE : REDO_EOPERATION;
    }
}

/* The key with these bytes, whoever used it: those of this library are used by nobody else. */
static struct key const *find_key(struct keys const *k, redo_operation const *op)
{
    for (uint32_t i = k->count; i > 0; i--) {
        struct key const *key = keys_at(k, i - 1);
        if (key->size == op->keysize && !memcmp(key->bytes, op->key, key->size))
            return key;
    }
    return NULL;
}

int change_recall(struct mirror *m, redo_operation const *op, redo_result *result)
{
    struct history *h = m->session.history;
    redo_operation again = *op;
    struct key const *key = op->keysize ? find_key(&h->keys, op) : NULL;
    if (result->changed && !key)
        return REDO_ERESYNC; /* it is done, and what came of it is not known any more */
    again.stamp = (redo_stamp){.author = key ? key->author : 0};
    int rc = history_apply(h, &again, result);
    return rc || (result->changed && !result->repeated) ? REDO_EDIVERGED : REDO_OK;
}

bool change_is_own(struct mirror const *m, redo_result const *r, uint64_t sequence)
{
    return r->changed && !r->repeated && sequence == m->own_sequence;
}

/* What came of an operation that was answered. The replica has it; but for one that lags, which
 * catches up first. */
static int conclude(struct mirror *m, struct change *change, redo_operation const *op,
                    redo_result *result)
{
    redo_result *r = &change->result;
    struct node *n;
    int rc = mirror_wait(m);
    if (rc)
        return rc;
    if (change_is_own(m, r, change->sequence))
        *r = m->own;
    else if (r->changed && m->sequence < change->sequence)
        return REDO_EDIVERGED;
    else if (op->kind == REDO_OP_TURN && (rc = change_recall(m, op, r)))
        return rc; /* the answer does not list what came of its parts */
    if (r->position != REDO_NOPOSITION &&
        history_find(m->session.history, r->position, &n) == REDO_EPOSITION)
        return REDO_EDIVERGED;
    if (result)
        *result = *r;
    return REDO_OK;
}

/* Sends it once, and waits: as call_wait(). */
static int send_once(struct mirror *m, struct change *change, redo_operation const *op, size_t size)
{
    *change = (struct change){.call = {.read = read_answer}};
    struct buffer *b = request_begin(m->client, &change->call.request, "apply");
    pack_change(m, b, op, size);
    return call_wait(m->client, &change->call);
}

/* Whether it may be sent a second time: by its key it is known; or it comes to the same when it is
 * done twice. */
static bool repeatable(redo_operation const *op)
{
    return op->keysize || op->kind == REDO_OP_ADD || op->kind == REDO_OP_NEXT ||
           op->kind == REDO_OP_UPDATE || op->kind == REDO_OP_PROPERTY;
}

/* The same until it is answered: over a new connection, if one breaks. */
static int send_on(struct mirror *m, struct change *change, redo_operation const *op, size_t size)
{
    bool sent = false; /* it may have reached the daemon */
    unsigned reloads = m->reloads;
    for (unsigned tries = 0;; tries++) {
        int rc = client_ready(m->client, sent);
        if (!rc)
            rc = mirror_wait(m);
        if (!rc && m->reloads != reloads)
            rc = REDO_ERESYNC; /* the operation speaks of what was there before */
        if (!rc)
            rc = send_once(m, change, op, size);
        if (rc == REDO_ERESYNC && m->phase == MIRROR_HERE && m->reloads == reloads && tries < 2) {
            mirror_catch_up(m); /* the daemon has not said so, or it comes yet */
            continue;
        }
        sent |= rc == REDO_ECLOSED && change->call.request.sent;
        if (rc != REDO_ECLOSED || m->lost || connection_now() >= m->client->deadline)
            return m->lost ? m->lost : rc;
        if (sent && !repeatable(op))
            return rc;
        if (!sent && tries > 0)
            return rc;
    }
}

/* The daemon has refused a line. So does the replica, which is as the daemon's session was then: it
 * says which, and why, where the program looks for it. */
static int explain(struct mirror *m, int code, redo_operation const *op)
{
    redo_result ignored;
    if (m->phase != MIRROR_HERE)
        return code;
    return history_apply(m->session.history, op, &ignored) == code ? code : REDO_EDIVERGED;
}

static int submit(struct mirror *m, redo_operation const *op, redo_result *result)
{
    unsigned char room[KEY_SIZE];
    redo_operation keyed = *op;
    struct change change = {0};
    change_key(m, &keyed, room);
    size_t size = redo_operation_encode(&keyed, NULL, 0);
    if (!size)
        return why_not(m, op);
    int rc = adds_settle(m); /* what was asked for before is done before */
    if (!rc)
        rc = send_on(m, &change, &keyed, size);
    if (rc == REDO_ELINE || rc == REDO_ENETWORK)
        rc = explain(m, rc, op);
    else if (rc)
        return rc;
    else if (m->lost)
        return m->lost;
    else
        rc = conclude(m, &change, &keyed, result);
    if (rc == REDO_EDIVERGED)
        mirror_lose(m, rc);
    return rc;
}

int change_submit(redo_session *session, redo_operation const *op, redo_result *result)
{
    struct mirror *m = (struct mirror *)session;
    if (m->readonly)
        return REDO_EDENIED;
    if (m->lost)
        return m->lost;
    int rc = client_enter(m->client);
    if (rc)
        return rc;
    rc = submit(m, op, result);
    client_leave(m->client);
    return rc;
}
