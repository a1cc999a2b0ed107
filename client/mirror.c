/* Mirrors: the replica of a session is a history of its own, made from the daemon's snapshot, to
 * which the same operations are applied in the same order. A change is sent to the daemon and comes
 * back as an event before its answer: the replica has applied it by then, like everyone's. */
#include "client/client.h"

#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/error.h"
#include "protocol/method.h"

#define SNAPSHOT_PIECE (1024 * 1024)

static bool is_uint(msgpack_object const *o)
{
    return o && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
}

/* Applies the operation with this number to the replica. What does not fit means that replica and
 * daemon have come apart: the session takes no more changes, rather than show a wrong history. */
static void mirror_apply(struct mirror *m, uint64_t sequence, void const *data, size_t size,
                         bool own)
{
    redo_operation op;
    redo_result result;
    if (m->lost || sequence <= m->sequence)
        return; /* the snapshot has it already */
    if (sequence != m->sequence + 1 || !redo_operation_decode(data, size, &op) ||
        history_apply(m->session.history, &op, &result) || !result.changed) {
        m->lost = REDO_EDIVERGED;
        return;
    }
    m->sequence = m->session.history->sequence = sequence;
    m->client->applied++;
    if (own) {
        m->own = result;
        m->own_sequence = sequence;
    }
    if (m->observer)
        m->observer(&m->session, &op, &result, own, m->observer_data);
}

/* An event that comes while the snapshot is still being read. */
struct early {
    uint64_t sequence;
    size_t size;
};

static void keep_early(struct mirror *m, uint64_t sequence, msgpack_object_bin const *bytes)
{
    struct early head = {.sequence = sequence, .size = bytes->size};
    buffer_append(&m->early, &head, sizeof head);
    buffer_append(&m->early, bytes->ptr, bytes->size);
}

static void apply_early(struct mirror *m)
{
    if (m->early.failed)
        m->lost = REDO_ENOMEM;
    for (size_t at = 0; at < m->early.size;) {
        struct early head;
        memcpy(&head, m->early.data + at, sizeof head);
        at += sizeof head;
        mirror_apply(m, head.sequence, m->early.data + at, head.size, false);
        at += head.size;
    }
    buffer_free(&m->early);
    buffer_init(&m->early);
}

static struct mirror *mirror_find(redo_client *client, msgpack_object const *handle)
{
    struct mirror *m = client->mirrors;
    while (m && !(is_uint(handle) && m->handle == handle->via.u64))
        m = m->next;
    return m;
}

static bool is_event(struct message const *message, enum event_symbol event)
{
    char const *name = event_table[event].name;
    return strlen(name) == message->method_size &&
           memcmp(name, message->method, message->method_size) == 0;
}

void mirror_notified(void *data, struct message const *message)
{
    msgpack_object_array const *params = &message->params;
    struct mirror *m = params->size ? mirror_find(data, &params->ptr[0]) : NULL;
    if (!m)
        return;
    if (is_event(message, EVENT_ENDED)) {
        m->lost = REDO_ENOSESSION;
    } else if (is_event(message, EVENT_RESYNC) || is_event(message, EVENT_LAGGED)) {
        m->lost = REDO_ERESYNC;
    } else if (is_event(message, EVENT_OPERATION) && params->size >= 5 &&
               is_uint(&params->ptr[1]) && params->ptr[2].type == MSGPACK_OBJECT_BIN) {
        msgpack_object_bin const *bytes = &params->ptr[2].via.bin;
        bool own = params->ptr[4].type == MSGPACK_OBJECT_BOOLEAN && params->ptr[4].via.boolean;
        if (m->session.history)
            mirror_apply(m, params->ptr[1].via.u64, bytes->ptr, bytes->size, own);
        else
            keep_early(m, params->ptr[1].via.u64, bytes);
    }
}

/* ---- changing ---------------------------------------------------------------------------- */

static uint32_t number_in(msgpack_object const *map, char const *key)
{
    msgpack_object const *o = map_get(map, key);
    return is_uint(o) && o->via.u64 < REDO_NOPOSITION ? (uint32_t)o->via.u64 : REDO_NOPOSITION;
}

static int value_in(msgpack_object const *map, char const *key)
{
    msgpack_object const *o = map_get(map, key);
    if (!o)
        return 0;
    if (o->type == MSGPACK_OBJECT_BOOLEAN)
        return o->via.boolean;
    return is_uint(o) || o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER ? (int)o->via.i64 : 0;
}

/* What the answer tells of an operation that changed nothing, and so made no event. */
static void read_result(msgpack_object const *answer, redo_result *r)
{
    *r = (redo_result){
        .value = value_in(answer, "value"),
        .position = number_in(answer, "position"),
        .graftedfrom = REDO_NOPOSITION,
        .graftedto = REDO_NOPOSITION,
        .supersedes = REDO_NOPOSITION,
        .firstmade = REDO_NOPOSITION,
        .differs = value_in(answer, "differs") != 0,
    };
}

static int submit(redo_session *session, redo_operation const *op, redo_result *result)
{
    struct mirror *m = (struct mirror *)session;
    struct connection *c = &m->client->connection;
    if (m->lost)
        return m->lost;
    /* What can not be encoded is refused here as the engine would. */
    size_t size = redo_operation_encode(op, NULL, 0);
    if (!size && op->kind == REDO_OP_PROPERTY)
        return REDO_ENAME;
    if (!size && op->kind == REDO_OP_RESTORE)
        return REDO_EDAMAGED;
    if (!size)
        return op->kind >= REDO_OP_ADD && op->kind <= REDO_OP_CLEAR ? REDO_ESTATE : REDO_EOPERATION;
    uint32_t id;
    struct buffer *b = connection_request(c, "apply", &id);
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
    msgpack_object answer;
    int rc = connection_call(c, id, &answer);
    if (rc)
        return rc;
    redo_result r;
    if (!value_in(&answer, "changed"))
        read_result(&answer, &r);
    else if (!m->lost && is_uint(map_get(&answer, "sequence")) &&
             map_get(&answer, "sequence")->via.u64 == m->own_sequence)
        r = m->own;
    else
        return m->lost ? m->lost : REDO_EDIVERGED;
    struct node *n;
    if (r.position != REDO_NOPOSITION && history_find(session->history, r.position, &n))
        return m->lost = REDO_EDIVERGED;
    if (result)
        *result = r;
    return REDO_OK;
}

/* ---- attaching --------------------------------------------------------------------------- */

static int read_snapshot(redo_client *client, uint64_t handle, uint64_t size, struct buffer *into)
{
    while (into->size < size) {
        uint32_t id;
        struct buffer *b = connection_request(&client->connection, "readsnapshot", &id);
        pack_array(b, 3);
        pack_uint(b, handle);
        pack_uint(b, into->size);
        pack_uint(b, SNAPSHOT_PIECE);
        msgpack_object piece;
        int rc = connection_call(&client->connection, id, &piece);
        if (rc)
            return rc;
        if (piece.type != MSGPACK_OBJECT_BIN || !piece.via.bin.size)
            return REDO_EPROTOCOL;
        buffer_append(into, piece.via.bin.ptr, piece.via.bin.size);
        if (into->failed)
            return REDO_ENOMEM;
    }
    return REDO_OK;
}

/* Makes the replica as of the sequence number that the attach told. */
static int mirror_fill(struct mirror *m)
{
    uint32_t id;
    struct buffer *b = connection_request(&m->client->connection, "attach", &id);
    pack_array(b, 2);
    pack_uint(b, m->handle);
    pack_map(b, 1);
    pack_key(b, "effects");
    pack_bool(b, false);
    msgpack_object answer;
    int rc = connection_call(&m->client->connection, id, &answer);
    if (rc)
        return rc;
    msgpack_object const *sequence = map_get(&answer, "sequence");
    msgpack_object const *size = map_get(&answer, "snapshot");
    if (!is_uint(sequence) || !is_uint(size))
        return REDO_EPROTOCOL;
    m->sequence = sequence->via.u64;
    struct buffer snapshot;
    struct history *history;
    buffer_init(&snapshot);
    rc = read_snapshot(m->client, m->handle, size->via.u64, &snapshot);
    if (!rc)
        rc = history_load(snapshot.data, snapshot.size, &history);
    buffer_free(&snapshot);
    if (rc)
        return rc == REDO_EDAMAGED || rc == REDO_EVERSION ? REDO_EPROTOCOL : rc;
    history->owner = &m->session;
    history->sequence = m->sequence;
    m->session.history = history;
    apply_early(m);
    return m->lost;
}

redo_session *mirror_attach(redo_client *client, uint64_t handle, char const *name)
{
    /* A second mirror would take the events of the first, and its end would be the end of both. */
    struct mirror *m = client->mirrors;
    while (m && m->handle != handle)
        m = m->next;
    if (m) {
        error_set(REDO_EATTACHED);
        return NULL;
    }
    m = calloc(1, sizeof *m);
    if (!m) {
        error_set(REDO_ENOMEM);
        return NULL;
    }
    *m = (struct mirror){.session = {.submit = submit}, .client = client, .handle = handle};
    buffer_init(&m->early);
    m->next = client->mirrors;
    client->mirrors = m;
    int rc = name && !(m->name = strdup(name)) ? REDO_ENOMEM : mirror_fill(m);
    if (rc) {
        mirror_end(m);
        error_set(rc);
        return NULL;
    }
    error_set(REDO_OK);
    return &m->session;
}

void mirror_end(struct mirror *m)
{
    redo_client *client = m->client;
    struct mirror **link = &client->mirrors;
    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    if (client->connection.fd >= 0 && m->lost != REDO_ENOSESSION) {
        uint32_t id;
        struct buffer *b = connection_request(&client->connection, "endsession", &id);
        pack_array(b, 1);
        pack_uint(b, m->handle);
        msgpack_object answer;
        connection_call(&client->connection, id, &answer); /* it ends here whatever is answered */
    }
    history_free(m->session.history);
    buffer_free(&m->early);
    free(m->name);
    free(m);
}

/* ---- what redo_client.h tells of a session ----------------------------------------------- */

static struct mirror const *mirror_of(redo_session const *session)
{
    error_set(session ? REDO_OK : REDO_ENOSESSION);
    return (struct mirror const *)session;
}

redo_client *redo_client_of(redo_session const *session)
{
    struct mirror const *m = mirror_of(session);
    return m ? m->client : NULL;
}

char const *redo_client_name(redo_session const *session)
{
    struct mirror const *m = mirror_of(session);
    return m ? m->name : NULL;
}

int redo_client_status(redo_session const *session)
{
    struct mirror const *m = mirror_of(session);
    if (!m)
        return redo_lasterror();
    if (m->lost)
        return m->lost;
    return m->client->connection.fd < 0 ? REDO_ECLOSED : REDO_OK;
}

uint64_t redo_client_sequence(redo_session const *session)
{
    struct mirror const *m = mirror_of(session);
    return m ? m->sequence : 0;
}

void redo_client_observe(redo_session *session, redo_client_observer *observer, void *data)
{
    struct mirror *m = (struct mirror *)mirror_of(session);
    if (!m)
        return;
    m->observer = observer;
    m->observer_data = data;
}
