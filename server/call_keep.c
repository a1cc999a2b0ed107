/* Properties of sessions, and subtrees that were dropped and can be brought back. */
#include <stdlib.h>

#include "core/operation.h"
#include "core/subtree.h"
#include "server/call.h"
#include "server/job.h"
#include "server/page.h"
#include "server/reply.h"

/* ---- properties -------------------------------------------------------------------------- */

int call_setproperty(struct call *call)
{
    struct arg const *name = &call->args.param[1];
    msgpack_object const *value = &call->args.param[2].any;
    struct room *room;
    int rc = call_room_changed(call, &room);
    if (rc)
        return rc;
    struct buffer bytes;
    buffer_init(&bytes);
    if (value->type != MSGPACK_OBJECT_NIL)
        pack_object(&bytes, value);
    redo_operation op = {.kind = REDO_OP_PROPERTY,
                         .position = REDO_NOPOSITION,
                         .name = name->bytes.data,
                         .namesize = name->bytes.size,
                         .state = bytes.data,
                         .statesize = bytes.size};
    redo_result r;
    rc = bytes.failed ? call_fail(call, REDO_ENOMEM) : call_apply(call, room, &op, &r);
    buffer_free(&bytes);
    if (!rc)
        pack_nil(call_reply(call));
    return rc;
}

int call_getproperties(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct properties const *p = &room->history->properties;
    struct buffer *b = call_reply(call);
    pack_map(b, p->count);
    for (uint32_t i = 0; i < p->count; i++) {
        pack_text(b, p->all[i].name, p->all[i].name_size);
        buffer_append(b, property_value(&p->all[i]), p->all[i].value_size);
    }
    return REDO_OK;
}

/* ---- subtrees ---------------------------------------------------------------------------- */

int call_dropsubtree(struct call *call)
{
    struct room *room;
    int rc = call_room_changed(call, &room);
    if (rc)
        return rc;
    redo_operation op = {.kind = REDO_OP_DROPTREE, .position = (uint32_t)call_integer(call, 1)};
    redo_result r;
    if ((rc = call_apply(call, room, &op, &r)))
        return rc;
    struct buffer *b = call_reply(call);
    pack_map(b, 3);
    pack_key(b, "position");
    pack_uint(b, r.position);
    pack_key(b, "dropped");
    pack_uint(b, r.dropped);
    pack_key(b, "key");
    if (room->stored)
        pack_uint(b,
                  r.repeated ? room->history->answer.sequence : room->sequence); /* room_apply() */
    else
        pack_nil(b);
    return REDO_OK;
}

static bool take_kept(void *data, uint64_t key, int64_t when, void const *kept, size_t size)
{
    struct job *job = data;
    if (key == job->limit) {
        buffer_rewind(&job->packed, 0); /* reading may have begun again */
        buffer_append(&job->packed, kept, size);
    }
    return false;
}

static void run_kept(struct job *job)
{
    job->result = store_kept(job->reader, job->id, job->limit, true, take_kept, job);
    if (!job->result && job->packed.failed)
        job->result = REDO_ENOMEM;
    if (!job->result && !job->packed.size)
        job->result = REDO_ENOTKEPT;
}

/* The bytes kept under the key of param 1, once the job has them: REDO_OK, a failure, CALL_LATER.
 */
static int find_kept(struct call *call, struct room *room, struct job **found)
{
    struct job *job = call_finished_of(call, run_kept, room->handle);
    uint64_t key = (uint64_t)call_integer(call, 1);
    if (!room->stored) {
        call_fail(call, REDO_ENOTKEPT);
        error_add_int(&call->error, "key", (int64_t)key);
        return REDO_ENOTKEPT;
    }
    if (!job) {
        job = job_new(call->gateway, call->client);
        if (job) {
            job->run = run_kept;
            job->id = room->handle;
            job->limit = key;
        }
        return call_start(call, job);
    }
    if (job->result) {
        call_fail(call, job->result);
        error_add_int(&call->error, "key", (int64_t)key);
        return job->result;
    }
    *found = job;
    return REDO_OK;
}

static void answer_restored(struct call *call, redo_result const *r)
{
    struct buffer *b = call_reply(call);
    pack_map(b, 2);
    pack_key(b, "position");
    pack_uint(b, r->position);
    pack_key(b, "restored");
    pack_int(b, r->value);
}

int call_restoresubtree(struct call *call)
{
    struct room *room;
    struct job *job;
    int rc = call_room_changed(call, &room);
    if (rc)
        return rc;
    rc = find_kept(call, room, &job);
    struct key const *known = rc == REDO_ENOTKEPT ? call_known(call, room) : NULL;
    if (known) { /* what was kept has gone by now, if the key was for that */
        if (operation_hash_kind(known->operation) != REDO_OP_RESTORE)
            return call_fail(call, REDO_EKEY);
        call->error.code = REDO_OK;
        call_waits_for(call, room);
        answer_restored(call, &known->result);
        return REDO_OK;
    }
    if (rc)
        return rc;
    uint32_t parent, top, count;
    if (!subtree_look(job->packed.data, job->packed.size, &parent, &top, &count))
        return call_fail(call, REDO_EDAMAGED);
    redo_operation op = {.kind = REDO_OP_RESTORE,
                         .position = parent,
                         .state = job->packed.data,
                         .statesize = job->packed.size};
    redo_result r;
    if ((rc = call_apply(call, room, &op, &r)))
        return rc;
    if (r.repeated) /* what the key was for has gone: this is another subtree, though it is equal */
        return call_fail(call, REDO_EKEY);
    batch_forget(committer_change(&call->gateway->committer, call->waits, &room->number),
                 room->handle, (uint64_t)call_integer(call, 1));
    call_waits_for(call, room);
    answer_restored(call, &r);
    return REDO_OK;
}

int call_purgesubtree(struct call *call)
{
    struct room *room;
    struct job *job;
    int rc = call_room_changed(call, &room);
    if (rc || (rc = find_kept(call, room, &job)))
        return rc;
    batch_forget(
        committer_change(&call->gateway->committer, call_in_hurry(call, room), &room->number),
        room->handle, (uint64_t)call_integer(call, 1));
    call_waits_for(call, room);
    pack_nil(call_reply(call));
    return REDO_OK;
}

static bool list_kept(void *data, uint64_t key, int64_t when, void const *bytes, size_t size)
{
    struct job *job = data;
    struct buffer *b = &job->packed;
    uint32_t parent, top, count;
    if (job->count == job->limit)
        return false;
    if (key <= job->sequence) /* told before, when reading had to begin again */
        return true;
    job->sequence = key;
    if (!subtree_look(bytes, size, &parent, &top, &count))
        return true;
    pack_map(b, 5);
    pack_key(b, "key");
    pack_uint(b, key);
    pack_key(b, "position");
    pack_uint(b, top);
    pack_key(b, "prev");
    pack_uint(b, parent);
    pack_key(b, "positions");
    pack_uint(b, count);
    pack_key(b, "dropped");
    pack_int(b, when);
    job->count++;
    return true;
}

static void run_list_kept(struct job *job)
{
    job->result = store_kept(job->reader, job->id, 0, true, list_kept, job);
    if (!job->result && job->packed.failed)
        job->result = REDO_ENOMEM;
}

int call_listsubtrees(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    if (!room->stored) {
        pack_array(call_reply(call), 0);
        return REDO_OK;
    }
    struct job *job = call_finished_of(call, run_list_kept, room->handle);
    if (!job) {
        job = job_new(call->gateway, call->client);
        if (job) {
            job->run = run_list_kept;
            job->id = room->handle;
            job->limit = page_limit(&call->args);
        }
        return call_start(call, job);
    }
    if (job->result)
        return call_fail(call, job->result);
    struct buffer *b = call_reply(call);
    pack_array(b, job->count);
    buffer_append(b, job->packed.data, job->packed.size);
    return REDO_OK;
}
