/* How a mirror comes to its replica, and back to it after a loss. One chain of requests, each sent
 * when the one before is answered, and never waited for but in mirror_wait():
 *
 *     begun, opened for the first time     attach, readsnapshot ... -> HERE
 *     resumed                              opensession, attach since n -> HERE
 *     detached by the daemon (it lags)     attach since n -> HERE
 *     resumed, and that can not be had     opensession, attach, readsnapshot ... -> HERE, another
 *                                          replica
 *
 * The session of the same name may be another one by then, or have lost what was not on the disk
 * yet and gone on from there. The first mostly shows in its handle and its age. For the rest the
 * last operations that were seen are told again, and have to be the same. Where the daemon can not
 * tell them any more, it is enough for a session of which nothing can have been lost to be told the
 * rest.
 */
#include <stdlib.h>
#include <string.h>

#include "client/adds.h"
#include "client/client.h"
#include "core/dump.h"
#include "core/error.h"

#define SNAPSHOT_PIECE (1024 * 1024)

bool session_read(msgpack_object const *answer, struct session_info *info)
{
    msgpack_object const *handle = map_get(answer, "session"), *begun = map_get(answer, "begun");
    if (!is_uint(handle))
        return false;
    info->handle = handle->via.u64;
    info->begun = is_uint(begun) ? begun->via.i64 : 0;
    return true;
}

/* ---- where it stands --------------------------------------------------------------------- */

/* Tells the program. */
static void tell(struct mirror *m, enum redo_client_event event, int code)
{
    redo_client *client = m->client;
    client->news++;
    m->told_lost = event == redo_client_lost;
    if (!client->listener)
        return;
    client->inside++;
    client->listener(&m->session, event, code, client->listener_data);
    client->inside--;
}

/* Nothing is on its way any more. */
static void stand_still(struct mirror *m)
{
    m->phase = MIRROR_AWAY;
    m->again = false;
    buffer_free(&m->snapshot);
    buffer_free(&m->early);
}

void mirror_lose(struct mirror *m, int code)
{
    if (m->lost)
        return;
    stand_still(m);
    m->lost = code;
    adds_fail(m, code);
    if (m->session.history)
        tell(m, redo_client_ended, code);
}

void mirror_away(struct mirror *m)
{
    stand_still(m);
    if (m->lost)
        return;
    if (!m->session.history)
        m->lost = REDO_ECLOSED; /* it has not begun yet, and whoever waits for that is told */
    else if (!m->name)
        mirror_lose(m, REDO_ENOSESSION);
    else if (!m->told_lost)
        tell(m, redo_client_lost, REDO_ECLOSED);
}

static void ask_missed(struct mirror *m, uint64_t since);

/* The daemon has detached us meanwhile: attaches again. */
static bool again(struct mirror *m)
{
    if (!m->again)
        return false;
    m->again = false;
    if (m->session.history)
        ask_missed(m, m->sequence - m->recent_count);
    else
        mirror_load(m);
    return true;
}

/* A step on the way was refused. What may be better next time is tried again with a new
 * connection, some time later. */
static void refused(struct mirror *m, int code)
{
    if (code == REDO_ECLOSED || again(m))
        return; /* mirror_away() was called */
    if (!m->session.history || code == REDO_ENOSESSION || code == REDO_EDENIED ||
        code == REDO_EDAMAGED || code == REDO_EPARAMS || code == REDO_ETYPE)
        mirror_lose(m, code);
    else
        m->client->broken = code;
}

static void arrived(struct mirror *m)
{
    bool lost = m->told_lost;
    if (again(m))
        return;
    m->phase = MIRROR_HERE;
    m->client->backoff = 0;
    m->client->news++;
    if (lost)
        tell(m, redo_client_resumed, REDO_OK);
}

/* ---- the snapshot ------------------------------------------------------------------------ */

/* The replica has been replaced: what programs hold of the one before stays readable. */
static void retire(struct mirror *m, struct history *old)
{
    for (struct node *n = history_from(old, 0); n; n = history_from(old, n->in.id + 1))
        n->p.inuse = 0;
    m->old[m->reloads++] = old;
}

static int replace(struct mirror *m)
{
    struct history *history, *old = m->session.history;
    struct history **room = realloc(m->old, (m->reloads + 1) * sizeof *room);
    if (!room)
        return REDO_ENOMEM;
    m->old = room;
    int rc = history_load(m->snapshot.data, m->snapshot.size, &history);
    if (rc)
        return rc == REDO_EDAMAGED || rc == REDO_EVERSION ? REDO_EPROTOCOL : rc;
    history->owner = &m->session;
    m->session.history = history;
    m->sequence = history->sequence = m->loaded;
    m->recent_count = 0;
    m->own_sequence = 0;
    if (old)
        retire(m, old);
    return REDO_OK;
}

/* All of the snapshot has come. */
static void loaded(struct mirror *m)
{
    bool anew = m->session.history;
    int rc = replace(m);
    buffer_free(&m->snapshot);
    if (rc) {
        refused(m, rc);
        return;
    }
    m->phase = MIRROR_HERE;
    m->client->backoff = 0;
    m->client->news++;
    if (anew) {
        adds_fail(m, REDO_ERESYNC);
        tell(m, redo_client_reloaded, REDO_OK);
        watches_tell(m, true, false);
    }
    mirror_apply_early(m);
    again(m);
}

static void ask_piece(struct mirror *m);

static void piece_came(struct request *r, int code, msgpack_object const *piece)
{
    struct mirror *m = (struct mirror *)((char *)r - offsetof(struct mirror, request));
    if (m->phase != MIRROR_LOADING)
        return;
    if (code) {
        refused(m, code);
        return;
    }
    if (piece->type != MSGPACK_OBJECT_BIN || !piece->via.bin.size ||
        piece->via.bin.size > m->loadsize - m->snapshot.size) {
        refused(m, REDO_EPROTOCOL);
        return;
    }
    redo_client *client = m->client;
    if (client->patient)
        client->deadline = connection_now() + client->connection.timeout;
    buffer_append(&m->snapshot, piece->via.bin.ptr, piece->via.bin.size);
    if (m->snapshot.failed)
        refused(m, REDO_ENOMEM);
    else if (m->snapshot.size < m->loadsize)
        ask_piece(m);
    else
        loaded(m);
}

/* Sends the request of the mirror; what can not even be sent is as if refused. */
static void ask(struct mirror *m, void (*answered)(struct request *, int, msgpack_object const *))
{
    m->request.answered = answered;
    int rc = request_send(m->client, &m->request);
    if (rc)
        refused(m, rc);
}

static void ask_piece(struct mirror *m)
{
    struct buffer *b = request_begin(m->client, &m->request, "readsnapshot");
    pack_array(b, 3);
    pack_uint(b, m->handle);
    pack_uint(b, m->snapshot.size);
    pack_uint(b, SNAPSHOT_PIECE);
    ask(m, piece_came);
}

static void load_instead(struct mirror *m);

static void snapshot_told(struct request *r, int code, msgpack_object const *answer)
{
    struct mirror *m = (struct mirror *)((char *)r - offsetof(struct mirror, request));
    if (m->phase != MIRROR_LOADING)
        return;
    msgpack_object const *sequence = code ? NULL : map_get(answer, "sequence");
    msgpack_object const *size = code ? NULL : map_get(answer, "snapshot");
    if (!code && (!is_uint(sequence) || !is_uint(size) || !size->via.u64))
        code = REDO_EPROTOCOL;
    if (code == REDO_EATTACHED)
        load_instead(m);
    else if (code)
        refused(m, code);
    if (code)
        return;
    m->loaded = sequence->via.u64;
    m->loadsize = size->via.u64;
    ask_piece(m);
}

void mirror_load(struct mirror *m)
{
    m->phase = MIRROR_LOADING;
    m->differs = false;
    buffer_free(&m->snapshot);
    buffer_free(&m->early);
    struct buffer *b = request_begin(m->client, &m->request, "attach");
    pack_array(b, 2);
    pack_uint(b, m->handle);
    pack_map(b, 1);
    pack_key(b, "effects");
    pack_bool(b, false);
    ask(m, snapshot_told);
}

/* ---- what was missed --------------------------------------------------------------------- */

/* Attached, but not to what it was: from the beginning. */
static void load_instead(struct mirror *m)
{
    struct buffer *b = request_begin(m->client, NULL, "detach");
    pack_array(b, 1);
    pack_uint(b, m->handle);
    request_send(m->client, NULL);
    mirror_load(m);
}

static void missed_told(struct request *r, int code, msgpack_object const *answer)
{
    struct mirror *m = (struct mirror *)((char *)r - offsetof(struct mirror, request));
    if (m->phase != MIRROR_ATTACHING)
        return;
    msgpack_object const *sequence = code ? NULL : map_get(answer, "sequence");
    if (code == REDO_ERESYNC && !m->relaxed && m->since < m->sequence)
        ask_missed(m, m->sequence);
    else if (code == REDO_ERESYNC || code == REDO_EOPTION || code == REDO_ERANGE)
        mirror_load(m); /* it does not have them, or never does */
    else if (code == REDO_EATTACHED)
        load_instead(m); /* by a request whose answer was not waited for */
    else if (code)
        refused(m, code);
    else if (m->differs || !is_uint(sequence) || sequence->via.u64 != m->sequence)
        load_instead(m);
    else
        arrived(m);
}

static void ask_missed(struct mirror *m, uint64_t since)
{
    m->phase = MIRROR_ATTACHING;
    m->since = since;
    m->differs = false;
    struct buffer *b = request_begin(m->client, &m->request, "attach");
    pack_array(b, 2);
    pack_uint(b, m->handle);
    pack_map(b, 3);
    pack_key(b, "effects");
    pack_bool(b, false);
    pack_key(b, "snapshot");
    pack_bool(b, false);
    pack_key(b, "since");
    pack_uint(b, m->since);
    ask(m, missed_told);
}

static void opened(struct request *r, int code, msgpack_object const *answer)
{
    struct mirror *m = (struct mirror *)((char *)r - offsetof(struct mirror, request));
    struct session_info info;
    if (m->phase != MIRROR_OPENING)
        return;
    if (!code && !session_read(answer, &info))
        code = REDO_EPROTOCOL;
    if (code) {
        refused(m, code);
        return;
    }
    bool same = info.handle == m->handle && info.begun == m->begun;
    m->handle = info.handle;
    m->begun = info.begun;
    /* Of a relaxed one nothing may have been seen by which it could be known. */
    if (same && (!m->relaxed || m->recent_count))
        ask_missed(m, m->sequence - m->recent_count);
    else
        mirror_load(m);
}

void mirror_resume(struct mirror *m)
{
    if (m->lost)
        return;
    m->phase = MIRROR_OPENING;
    struct buffer *b = request_begin(m->client, &m->request, "opensession");
    pack_array(b, m->relaxed ? 2 : 1);
    pack_cstr(b, m->name);
    if (m->relaxed) {
        pack_map(b, 1);
        pack_key(b, "relaxed");
        pack_bool(b, true);
    }
    ask(m, opened);
}

void mirror_catch_up(struct mirror *m)
{
    if (m->phase == MIRROR_HERE)
        ask_missed(m, m->sequence - m->recent_count);
    else
        m->again = true; /* when what is on its way has been answered */
}

int mirror_wait(struct mirror *m)
{
    redo_client *client = m->client;
    while (!m->lost && m->phase != MIRROR_HERE) {
        int rc = link_turn(client, client->deadline);
        if (rc == REDO_ECLOSED)
            return m->lost ? m->lost : rc;
        if (rc == REDO_ETIMEOUT && connection_now() >= client->deadline && !m->lost &&
            m->phase != MIRROR_HERE)
            return REDO_ETIMEOUT;
    }
    return m->lost;
}

/* ---- beginning and ending ---------------------------------------------------------------- */

/* A second mirror would take the events of the first, and its end would be the end of both. */
static bool attached(redo_client const *client, uint64_t handle)
{
    for (struct mirror *m = client->mirrors; m; m = m->next)
        if (m->handle == handle && !m->lost)
            return true;
    return false;
}

struct mirror *mirror_new(redo_client *client, struct session_info const *info, char const *name)
{
    if (attached(client, info->handle)) {
        error_set(REDO_EATTACHED);
        return NULL;
    }
    struct mirror *m = calloc(1, sizeof *m);
    char *copy = name ? strdup(name) : NULL;
    if (!m || (name && !copy)) {
        free(m);
        free(copy);
        error_set(REDO_ENOMEM);
        return NULL;
    }
    *m = (struct mirror){.session = {.submit = change_submit},
                         .client = client,
                         .handle = info->handle,
                         .begun = info->begun,
                         .name = copy};
    m->next = client->mirrors;
    client->mirrors = m;
    return m;
}

/* The daemon may take its time, but not more than there is. */
static void tell_end(struct mirror *m)
{
    struct call call = {0};
    struct buffer *b = request_begin(m->client, &call.request, "endsession");
    pack_array(b, 1);
    pack_uint(b, m->handle);
    call_wait(m->client, &call); /* it ends here whatever is answered */
}

/* Whether the daemon knows of it on this connection. */
static bool is_there(struct mirror const *m)
{
    if (m->client->connection.fd < 0 || m->phase == MIRROR_OPENING)
        return false;
    if (m->phase != MIRROR_AWAY || m->lost == REDO_EDIVERGED)
        return true;
    return !m->session.history && m->lost != REDO_ECLOSED && m->lost != REDO_ENOSESSION;
}

void mirror_end(struct mirror *m)
{
    redo_client *client = m->client;
    bool there = is_there(m);
    adds_end(m);
    struct mirror **link = &client->mirrors;
    while (*link != m)
        link = &(*link)->next;
    *link = m->next;
    request_forget(client, &m->request);
    if (there && client->connection.fd >= 0)
        tell_end(m);
    history_free(m->session.history);
    for (unsigned i = 0; i < m->reloads; i++)
        history_free(m->old[i]);
    free(m->old);
    watches_free(m);
    buffer_free(&m->early);
    buffer_free(&m->snapshot);
    free(m->name);
    free(m);
}
