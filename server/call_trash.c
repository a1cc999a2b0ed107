/* Sessions deleted, found in the trash, brought back and purged, matches with their games. What
 * asks the store may return CALL_LATER, and is then begun again: nothing is changed before. */
#include <time.h>

#include "core/redo.h"
#include "server/access.h"
#include "server/call.h"
#include "server/job.h"
#include "server/match.h"
#include "server/reply.h"
#include "server/rooms.h"

/* Nothing of the session could be read: it can be deleted all the same, and its name be free again.
 */
static int delete_damaged(struct call *call)
{
    struct job *job = call->client->job;
    uint64_t id = job->info.id;
    if (!access_may_info(call->client->asker, &job->info, ACCESS_OWN))
        return call_fail_session(call, REDO_EDENIED, &call->args.param[0]);
    if (rooms_leave(call->gateway, id, LEAVING_TO_TRASH))
        return call_fail(call, REDO_ENOMEM);
    batch_trash(call_batch(call), id, time(NULL));
    pack_nil(call_reply(call));
    return REDO_OK;
}

int call_deletesession(struct call *call)
{
    struct room *room;
    int rc = call_room_owned(call, &room);
    if (rc == REDO_EDAMAGED && call->client->job && call->client->job->info.id)
        return delete_damaged(call);
    if (rc)
        return rc;
    if (room->history->games)
        return match_delete(call, room);
    if (room->stored) {
        if (rooms_leave(call->gateway, room->handle, LEAVING_TO_TRASH))
            return call_fail(call, REDO_ENOMEM);
        batch_trash(call_batch(call), room->handle, time(NULL));
        room->number = call->number;
    }
    call_dismiss(call, room);
    pack_nil(call_reply(call));
    return REDO_OK;
}

/* ---- the trash ------------------------------------------------------------------------------ */

/* A session in the trash, with its content; job->name, if not empty, is what it is to be called. */
static void run_find_trashed(struct job *job)
{
    struct store_info info, other;
    job->result = store_find_id(job->reader, job->id, &info);
    if (job->result == REDO_OK &&
        (!info.trashed || !access_may_info(job->asker, &info, ACCESS_READ)))
        job->result = REDO_ENOSESSION;
    else if (job->result == REDO_OK && !access_may_info(job->asker, &info, ACCESS_OWN))
        job->result = REDO_EDENIED;
    if (job->result)
        return;
    buffer_append(&job->text, info.name, info.name_size);
    job->info = info;
    job->info.name = job->text.data;
    job->info.properties = NULL;
    job->result = job->text.failed ? REDO_ENOMEM
                                   : store_load(job->reader, job->id, &job->history, &job->sequence,
                                                &job->damaged);
    if (!job->result && job->history->games)
        match_look_trashed(job);
    struct buffer const *name = job->name.size ? &job->name : &job->text;
    job->more = !job->result &&
                store_find(job->reader, name->data, name->size, info.owner, &other) == REDO_OK;
}

/* Whether what the job found of a trashed session, and of the name that it is to get, may not hold
 * any more. */
static bool is_stale(struct job const *job)
{
    struct buffer const *name = job->name.size ? &job->name : &job->text;
    return rooms_stale(job) ||
           (!job->result && !job->more &&
            rooms_name_departed_since(job, name->data, name->size, job->info.owner)) ||
           match_is_stale(job);
}

/* The job that found the trashed session of param 0: REDO_OK, a failure, CALL_LATER. */
static int find_trashed(struct call *call, struct arg const *name, struct job **found)
{
    int rc = call_check_store(call);
    if (rc)
        return rc;
    struct job *job = call_finished(call, run_find_trashed);
    if (!job || is_stale(job)) {
        job = job_new(call->gateway, call->client);
        if (job) {
            job->run = run_find_trashed;
            job->id = (uint64_t)call_integer(call, 0);
            if (name && name->present)
                buffer_append(&job->name, name->bytes.data, name->bytes.size);
        }
        return call_start(call, job);
    }
    if (!job->result && rooms_leaving(call->gateway, job->id))
        job->result = REDO_ENOSESSION; /* being purged */
    if (job->result == REDO_EDENIED && job->limit)
        return match_fail_trashed(call, job);
    if (job->result)
        return call_fail_session(call, job->result, &call->args.param[0]);
    *found = job;
    return REDO_OK;
}

int call_restoresession(struct call *call)
{
    struct arg const *name = args_option(&call->args, "name");
    struct job *job = NULL;
    int rc = call_check_name_arg(call, name);
    if (rc || (rc = find_trashed(call, name, &job)))
        return rc;
    struct store_info info = job->info;
    if (name->present) {
        info.name = name->bytes.data;
        info.name_size = name->bytes.size;
    }
    struct registry *registry = &call->gateway->registry;
    if (job->more || registry_named(registry, info.name, info.name_size, info.owner) ||
        registry_handled(registry, info.id))
        return call_fail_exists(call, info.name, info.name_size);
    struct usage_amount more = {.sessions = 1, .positions = info.positions};
    if (call_check_usage(call, info.owner, more)) /* its bytes have counted all the time */
        return call->error.code;
    bool match = job->history->games;
    if (match && (rc = match_check_return(call, job, info.name, info.name_size)))
        return rc;
    struct room *room = rooms_enter(call->gateway, job->history, &info);
    job->history = NULL;
    if (!room)
        return call_fail(call, REDO_ENOMEM);
    rooms_loaded(call->gateway, room, job);
    batch_restore(call_batch(call), room->handle, room->name, room->name_size);
    if (match)
        match_return(call, job);
    room->number = call->number;
    reply_session(call_reply(call), room);
    return REDO_OK;
}

int call_purgesession(struct call *call)
{
    struct job *job = NULL;
    int rc = find_trashed(call, NULL, &job);
    if (rc)
        return rc;
    if (registry_handled(&call->gateway->registry, job->id)) /* being restored */
        return call_fail_session(call, REDO_ENOSESSION, &call->args.param[0]);
    if (job->history->games) {
        if (match_purge(call->gateway, job->id, job, &call->number))
            return call_fail(call, REDO_ENOMEM);
        call_batch(call); /* in a hurry */
    } else {
        if (rooms_leave(call->gateway, job->id, LEAVING_FOR_EVER))
            return call_fail(call, REDO_ENOMEM);
        batch_purge(call_batch(call), job->id);
    }
    rooms_departed(call->gateway, job->id, job->info.name, job->info.name_size, job->info.owner);
    pack_nil(call_reply(call));
    return REDO_OK;
}
