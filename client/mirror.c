/* Mirrors: the replica of a session is a history of its own, made from the daemon's snapshot, to
 * which the same operations are applied in the same order. A change is sent to the daemon and comes
 * back as an event before its answer: the replica has applied it by then, like everyone's. */
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "client/client.h"
#include "core/error.h"
#include "protocol/method.h"

/* ---- operations -------------------------------------------------------------------------- */

/* The last ones are remembered, so that the session is known again after a loss. */
static void remember(struct mirror *m, uint64_t sequence, void const *data, size_t size)
{
    m->recent[sequence % MIRROR_RECENT] = XXH3_64bits(data, size);
    m->recent_count += m->recent_count < MIRROR_RECENT;
}

/* One that was seen before is told again, lest it be another now. */
static void recognize(struct mirror *m, uint64_t sequence, void const *data, size_t size)
{
    if (sequence <= m->since || sequence + m->recent_count <= m->sequence ||
        m->recent[sequence % MIRROR_RECENT] != XXH3_64bits(data, size))
        m->differs = true;
}

static void observe(struct mirror *m, redo_operation const *op, redo_result const *result, bool own)
{
    if (!m->observer)
        return;
    m->client->inside++;
    m->observer(&m->session, op, result, own, m->observer_data);
    m->client->inside--;
}

/* Applies the operation with this number to the replica. What does not fit means that replica and
 * daemon have come apart: the session takes no more changes, rather than show a wrong history. */
static void apply(struct mirror *m, uint64_t sequence, void const *data, size_t size, bool own)
{
    redo_operation op;
    redo_result result;
    if (m->lost || m->differs)
        return;
    if (sequence <= m->sequence) {
        if (m->phase == MIRROR_ATTACHING)
            recognize(m, sequence, data, size);
        return; /* the replica has it already */
    }
    if (sequence != m->sequence + 1 || !redo_operation_decode(data, size, &op) ||
        history_apply(m->session.history, &op, &result) || !result.changed) {
        mirror_lose(m, REDO_EDIVERGED);
        return;
    }
    m->sequence = m->session.history->sequence = sequence;
    remember(m, sequence, data, size);
    m->client->applied++;
    m->client->news++;
    if (own) {
        m->own = result;
        m->own_sequence = sequence;
    }
    observe(m, &op, &result, own);
    watches_tell(m, false, own);
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

void mirror_apply_early(struct mirror *m)
{
    struct buffer early = m->early;
    buffer_init(&m->early);
    if (early.failed)
        m->client->broken = REDO_ENOMEM; /* some were not kept: anew */
    for (size_t at = 0; at < early.size && !early.failed;) {
        struct early head;
        memcpy(&head, early.data + at, sizeof head);
        at += sizeof head;
        apply(m, head.sequence, early.data + at, head.size, false);
        at += head.size;
    }
    buffer_free(&early);
}

/* ---- events ------------------------------------------------------------------------------ */

static struct mirror *mirror_find(redo_client *client, msgpack_object const *handle)
{
    struct mirror *m = client->mirrors;
    while (m && !(is_uint(handle) && m->handle == handle->via.u64 && m->phase > MIRROR_OPENING))
        m = m->next;
    return m;
}

static bool is_event(struct message const *message, char const *name)
{
    return strlen(name) == message->method_size &&
           memcmp(name, message->method, message->method_size) == 0;
}

void mirror_notified(void *data, struct message const *message)
{
    msgpack_object_array const *params = &message->params;
    struct mirror *m = params->size ? mirror_find(data, &params->ptr[0]) : NULL;
    if (!m)
        return;
    if (is_event(message, event_table[EVENT_OPERATION].name)) {
        if (params->size < 5 || !is_uint(&params->ptr[1]) ||
            params->ptr[2].type != MSGPACK_OBJECT_BIN)
            return;
        msgpack_object_bin const *bytes = &params->ptr[2].via.bin;
        bool own = params->ptr[4].type == MSGPACK_OBJECT_BOOLEAN && params->ptr[4].via.boolean;
        if (m->phase == MIRROR_LOADING)
            keep_early(m, params->ptr[1].via.u64, bytes);
        else
            apply(m, params->ptr[1].via.u64, bytes->ptr, bytes->size, own);
    } else if (is_event(message, event_table[EVENT_ENDED].name)) {
        mirror_lose(m, REDO_ENOSESSION);
    } else if (is_event(message, event_table[EVENT_RESYNC].name) ||
               is_event(message, event_table[EVENT_LAGGED].name)) {
        mirror_catch_up(m); /* it tells no more, until it is asked again */
    }
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
    if (m->phase == MIRROR_HERE)
        return m->readonly ? REDO_EDENIED : REDO_OK;
    return m->client->connection.fd < 0 ? REDO_ECLOSED : REDO_ERESYNC;
}

uint64_t redo_client_sequence(redo_session const *session)
{
    struct mirror const *m = mirror_of(session);
    return m ? m->sequence : 0;
}

uint64_t redo_client_handle(redo_session const *session)
{
    struct mirror const *m = mirror_of(session);
    return m ? m->handle : 0;
}

void redo_client_observe(redo_session *session, redo_client_observer *observer, void *data)
{
    struct mirror *m = (struct mirror *)mirror_of(session);
    if (!m)
        return;
    m->observer = observer;
    m->observer_data = data;
}
