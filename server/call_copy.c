/* copysession. What may return CALL_LATER is begun again: nothing is changed before the last of
 * these.
 */
#include <stdlib.h>

#include "core/dump.h"
#include "server/access.h"
#include "server/beginning.h"
#include "server/job.h"
#include "server/leaving.h"
#include "server/reply.h"

/* A stored session is copied from the store, on the pool: it may be large. job->name is the copy's.
 */
static void run_copy(struct job *job)
{
    struct store_info other;
    void *dump;
    size_t size;
    job->result = store_load(job->reader, job->id, &job->history, &job->sequence, &job->damaged);
    if (!job->result)
        job->result = history_dump(job->history, &dump, &size);
    if (job->result)
        return;
    job->packed = (struct buffer){.data = dump, .size = size, .cap = size};
    job->more =
        store_find(job->reader, job->name.data, job->name.size, job->asker->uid, &other) == REDO_OK;
}

static int copy_stored(struct call *call, struct room const *room, struct beginning const *how,
                       struct room **begun)
{
    struct job *job = call_finished_of(call, run_copy, room->handle);
    uint32_t owner = call->client->asker->uid;
    if (!job || (!job->more && rooms_name_departed_since(job, how->name, how->name_size, owner))) {
        job = job_new(call->gateway, call->client);
        if (job) {
            job->run = run_copy;
            job->id = room->handle;
            buffer_append(&job->name, how->name, how->name_size);
        }
        return call_start(call, job);
    }
    if (job->result)
        return call_fail(call, job->result);
    if (job->more || registry_named(&call->gateway->registry, how->name, how->name_size, owner))
        return call_fail_exists(call, how->name, how->name_size);
    struct history *history = job->history;
    job->history = NULL; /* the room's, or gone */
    void *dump = job->packed.data;
    size_t size = job->packed.size;
    buffer_init(&job->packed);
    return beginning_make_dumped(call, history, how, dump, size, begun);
}

static int copy_in_memory(struct call *call, struct room const *room, struct beginning how,
                          struct room **begun)
{
    void *dump;
    size_t size;
    struct history *history;
    int rc = call_check_free(call, how.name, how.name_size, call->client->asker->uid);
    if (rc)
        return rc;
    rc = history_dump(room->history, &dump, &size);
    if (!rc) {
        rc = history_load(dump, size, &history);
        free(dump);
    }
    if (rc)
        return call_fail(call, rc);
    how.stored = !room->name; /* what is not to touch the disk does not by a copy either */
    return beginning_make(call, history, how, begun);
}

/* A session is in one match at most: a copy of a match could not have the games of the first. */
static int fail_copy(struct call *call)
{
    error_begin(&call->error, REDO_EKIND, "a match can not be copied: its games are in that one");
    return REDO_EKIND;
}

int call_copysession(struct call *call)
{
    struct arg const *name = &call->args.param[1];
    struct room *room, *begun;
    int rc = call_check_name_arg(call, name);
    if (rc || (rc = call_check_mode(call, args_option(&call->args, "mode"))) ||
        (rc = call_room(call, &room)))
        return rc;
    if (room->history->games)
        return fail_copy(call);
    struct beginning how = beginning_of(call, name);
    how.relaxed = room_relaxed(room, call->client);
    rc = room->stored ? copy_stored(call, room, &how, &begun)
                      : copy_in_memory(call, room, how, &begun);
    if (rc)
        return rc;
    call_waits_for(call, begun);
    reply_session(call_reply(call), begun);
    return REDO_OK;
}
