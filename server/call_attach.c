/* Attaching: the session as it is, then every operation after it. */
#include <stdlib.h>
#include <string.h>

#include "core/redo.h"
#include "server/call.h"
#include "server/event.h"
#include "server/job.h"
#include "server/page.h"
#include "server/reply.h"

static struct subscription *find(struct client *client, struct room const *room)
{
    for (struct link *l = client->subscriptions.next; l != &client->subscriptions; l = l->next) {
        struct subscription *s = list_entry(l, struct subscription, in_client);
        if (s->room == room)
            return s;
    }
    return NULL;
}

/* ---- what was missed ---------------------------------------------------------------------- */

/* Of what was missed so much is told; who missed more is better off with a snapshot. */
#define MISSED_BYTES ((size_t)4 * 1024 * 1024)

/* And no more than may wait for a client with what it has asked for besides: job->count. */
static size_t most_missed(struct call const *call)
{
    size_t most = call->client->conn->conns->limits.output_hard / 4;
    return most < MISSED_BYTES ? most : MISSED_BYTES;
}

static void pack_missed(struct job *job, uint64_t sequence, void const *encoded, size_t size)
{
    if (job->packed.size > job->count)
        return; /* too many: see run_missed() */
    if (sequence == job->limit + 1)
        buffer_rewind(&job->packed, 0); /* reading may have begun again */
    event_pack_encoded(&job->packed, job->id, sequence, encoded, size);
}

static bool tell_encoded(void *data, uint64_t sequence, void const *op, size_t size)
{
    struct job *job = data;
    pack_missed(job, sequence, op, size);
    pack_nil(&job->packed);
    pack_bool(&job->packed, false);
    job->sequence = sequence;
    return job->packed.size <= job->count;
}

static void tell_effects(struct store_replay *replay, struct history *h, uint64_t sequence,
                         redo_operation const *op, redo_result const *result, void const *encoded,
                         size_t size)
{
    struct job *job = replay->data;
    if (job->packed.size > job->count)
        return;
    pack_missed(job, sequence, encoded, size);
    event_pack_effects(&job->packed, h, op, result, replay->touched);
    pack_bool(&job->packed, false);
}

static bool is_last_seen(void *data, uint64_t sequence, void const *op, size_t size)
{
    struct job *job = data;
    (void)sequence;
    if (size != job->after.size || memcmp(op, job->after.data, size) != 0)
        job->damaged = true;
    return false;
}

/* Whether the operation job->limit is the one in job->after, if that is to be seen. */
static int check_last_seen(struct job *job)
{
    if (!job->after.size)
        return REDO_OK;
    int rc = store_operations(job->reader, job->id, job->limit, job->limit, is_last_seen, job);
    return !rc && job->damaged ? REDO_ERANGE : rc;
}

/* The events of a session's operations after number job->limit that are on disk; with effects
 * (job->more), from the state it was in then. */
static void run_missed(struct job *job)
{
    if ((job->result = check_last_seen(job)))
        return;
    struct store_info info;
    struct touched *touched = job->more ? malloc(sizeof *touched) : NULL;
    struct store_replay replay = {
        .since = job->limit, .touched = touched, .tell = tell_effects, .data = job};
    job->sequence = job->limit;
    if (job->more && !touched)
        job->result = REDO_ENOMEM;
    else if (job->more)
        job->result = store_replay(job->reader, job->id, &replay, &job->history, &job->sequence);
    else if ((job->result = store_find_id(job->reader, job->id, &info)) == REDO_OK)
        job->result = store_operations(job->reader, job->id, job->limit + 1, info.sequence,
                                       tell_encoded, job);
    free(touched);
    if (!job->result && job->packed.size > job->count)
        job->result = REDO_ERANGE;
    if (!job->result && job->packed.failed)
        job->result = REDO_ENOMEM;
}

/* The last operation that a client has seen, and its number; size 0: it is not told. */
struct seen {
    uint64_t sequence;
    char const *operation;
    size_t size;
};

static int fail_since(struct call *call, struct room const *room, uint64_t since)
{
    error_begin(&call->error, REDO_ERESYNC,
                "the operations since then can not be told: attach without since");
    error_add_int(&call->error, "since", (int64_t)since);
    error_add_int(&call->error, "sequence", (int64_t)room->sequence);
    return REDO_ERESYNC;
}

/* Effects of operations that are not on disk yet, after those that the job has told. */
static int pack_newer(struct job *job, struct room *room, struct touched *touched)
{
    struct history *h = job->history;
    for (uint64_t n = job->sequence + 1; n <= room->sequence; n++) {
        redo_operation op;
        redo_result result;
        size_t size;
        uint64_t number;
        void const *data = recent_at(&room->recent, n, &size, &number);
        touched_clear(touched);
        h->touched = touched;
        h->sequence = n - 1;
        int rc = redo_operation_decode(data, size, &op) ? history_apply(h, &op, &result)
                                                        : REDO_EOPERATION;
        h->touched = NULL;
        if (rc)
            return rc;
        event_pack_encoded(&job->packed, job->id, n, data, size);
        event_pack_effects(&job->packed, h, &op, &result, touched);
        pack_bool(&job->packed, false);
    }
    job->sequence = room->sequence;
    return job->packed.failed ? REDO_ENOMEM : REDO_OK;
}

/* The job that has read the events after `since` from the store: REDO_OK, a failure, CALL_LATER. */
static int find_missed(struct call *call, struct room *room, struct seen const *seen, bool effects,
                       struct job **found)
{
    uint64_t since = seen->sequence;
    struct job *job = call_finished_of(call, run_missed, room->handle);
    if (job && (job->result == REDO_ERANGE || job->result == REDO_EDAMAGED))
        return fail_since(call, room, since);
    if (job && job->result)
        return call_fail(call, job->result);
    if (job && recent_has(&room->recent, job->sequence + 1, room->sequence)) {
        *found = job;
        return REDO_OK;
    }
    job = job_new(call->gateway,
                  call->client); /* or so many came meanwhile that it is to be read again */
    if (job) {
        job->run = run_missed;
        job->id = room->handle;
        job->limit = since;
        job->count = most_missed(call);
        job->more = effects;
        buffer_append(&job->after, seen->operation, seen->size);
    }
    return call_start(call, job);
}

/* Whether the last operation that the client has seen is known, and another: false. What is known
 * to be it need not be looked at again. */
static bool same_seen(struct room const *room, struct seen *seen)
{
    size_t size;
    uint64_t number;
    if (!seen->size || seen->sequence > room->sequence ||
        !recent_has(&room->recent, seen->sequence, room->sequence))
        return true;
    void const *operation = recent_at(&room->recent, seen->sequence, &size, &number);
    bool same = size == seen->size && memcmp(operation, seen->operation, size) == 0;
    seen->size = 0;
    return same;
}

/* Tells what was missed, and attaches. */
static int attach_since(struct call *call, struct room *room, bool effects, struct seen seen)
{
    struct subscription *s;
    struct job *job = NULL;
    uint64_t since = seen.sequence;
    if (!same_seen(room, &seen))
        return fail_since(call, room, since);
    bool nothing = since == room->sequence && !seen.size;
    bool near = !seen.size && (effects ? recent_has_effects : recent_has)(&room->recent, since + 1,
                                                                          room->sequence);
    int rc = REDO_OK;
    if (since > room->sequence || (!nothing && !near && !room->stored))
        return fail_since(call, room, since);
    if (find(call->client, room))
        return call_fail(call, REDO_EATTACHED);
    room->attended = true; /* what comes while the job runs is kept */
    if (!nothing && !near)
        rc = find_missed(call, room, &seen, effects, &job);
    if (!rc && job && effects && (rc = pack_newer(job, room, &call->gateway->touched)))
        call_fail(call, rc);
    if (rc)
        return rc;
    if ((rc = room_attach(room, call->client, effects, false, &s)))
        return call_fail(call, rc);
    if (job) {
        struct buffer *out = outbox_event(&call->client->outbox, room->stored && !s->relaxed,
                                          room->number, room->handle);
        buffer_append(out, job->packed.data, job->packed.size);
    }
    room_tell_recent(room, s, job ? job->sequence : since);
    return REDO_OK;
}

/* ---- attaching ---------------------------------------------------------------------------- */

int call_attach(struct call *call)
{
    struct room *room;
    struct subscription *s;
    struct arg const *since = args_option(&call->args, "since"),
                     *operation = args_option(&call->args, "operation");
    bool effects = args_flag(&call->args, "effects", true);
    int rc = call_room_anew(call, &room);
    if (rc)
        return rc;
    if (since->present) {
        struct seen seen = {.sequence = (uint64_t)since->integer};
        if (operation->present && seen.sequence) {
            seen.operation = operation->bytes.data;
            seen.size = operation->bytes.size;
        }
        rc = attach_since(call, room, effects, seen);
        if (rc)
            return rc;
        s = find(call->client, room);
    } else if ((rc = room_attach(room, call->client, effects,
                                 args_flag(&call->args, "snapshot", true), &s))) {
        return call_fail(call, rc);
    }
    struct buffer *b = call_reply(call);
    pack_map(b, REPLY_SESSION_FIELDS + 1);
    reply_session_fields(b, room);
    pack_key(b, "snapshot");
    pack_uint(b, s->snapshot_size);
    return REDO_OK;
}

int call_readsnapshot(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct subscription *s = find(call->client, room);
    if (!s || !s->snapshot)
        return call_fail(call, REDO_ENOTATTACHED);
    uint64_t offset = (uint64_t)call_integer(call, 1), limit = (uint64_t)call_integer(call, 2);
    if (offset > s->snapshot_size) {
        call_fail(call, REDO_ERANGE);
        error_add_int(&call->error, "snapshot", (int64_t)s->snapshot_size);
        return REDO_ERANGE;
    }
    if (limit > PAGE_BYTES)
        limit = PAGE_BYTES;
    if (limit > s->snapshot_size - offset)
        limit = s->snapshot_size - offset;
    pack_bin(call_reply(call), (char *)s->snapshot + offset, limit);
    if (offset + limit == s->snapshot_size) {
        free(s->snapshot);
        s->snapshot = NULL;
    }
    return REDO_OK;
}

int call_detach(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct subscription *s = find(call->client, room);
    if (!s)
        return call_fail(call, REDO_ENOTATTACHED);
    subscription_end(s);
    pack_nil(call_reply(call));
    return REDO_OK;
}
