/* Sessions: beginning, finding, listing, naming and ending them. What asks the store may return
 * CALL_LATER at any rooms_*() or job, and is then begun again: nothing is changed before the last
 * of these. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/dump.h"
#include "core/redo.h"
#include "server/call.h"
#include "server/job.h"
#include "server/reply.h"
#include "server/rooms.h"

/* ---- finding ----------------------------------------------------------------------------- */

static int fail_session(struct call *call, int code, struct arg const *arg)
{
    if (code == CALL_LATER)
        return code;
    call_fail(call, code);
    if (arg->type == PARAM_STR || arg->named)
        error_add_text(&call->error, "session", arg->bytes.data, arg->bytes.size);
    else
        error_add_int(&call->error, "session", arg->integer);
    return code;
}

int call_room_anew(struct call *call, struct room **room)
{
    struct arg const *arg = &call->args.param[0];
    int rc = arg->named ? rooms_named(call, arg->bytes.data, arg->bytes.size, room)
                        : rooms_handled(call, (uint64_t)arg->integer, room);
    if (rc)
        return fail_session(call, rc, arg);
    room_lost(*room, call->client, false);
    call_waits_for(call, *room);
    return REDO_OK;
}

int call_room(struct call *call, struct room **room)
{
    struct arg const *arg = &call->args.param[0];
    int rc = arg->named ? rooms_named(call, arg->bytes.data, arg->bytes.size, room)
                        : rooms_handled(call, (uint64_t)arg->integer, room);
    if (!rc && room_is_lost(*room, call->client))
        rc = REDO_ERESYNC;
    if (rc)
        return fail_session(call, rc, arg);
    call_waits_for(call, *room);
    return REDO_OK;
}

/* That no session has this name: REDO_OK, REDO_EEXISTS ... */
static int check_free(struct call *call, char const *name, size_t size)
{
    struct room *there;
    int rc = rooms_named(call, name, size, &there);
    if (rc == REDO_ENOSESSION)
        return REDO_OK;
    if (rc == CALL_LATER)
        return rc;
    if (!rc)
        call_waits_for(call, there); /* that it is there may be known when it is on disk */
    call_fail(call, rc ? rc : REDO_EEXISTS);
    error_add_text(&call->error, "name", name, size);
    return call->error.code;
}

static int check_name(struct call *call, struct arg const *name)
{
    if (name->bytes.size >= 1 && name->bytes.size <= ROOM_NAME_MAX &&
        !memchr(name->bytes.data, '\0', name->bytes.size))
        return REDO_OK;
    error_begin(&call->error, REDO_ENAME, "a name has 1 to %d bytes, none of them 0",
                ROOM_NAME_MAX);
    error_add_int(&call->error, "limit", ROOM_NAME_MAX);
    error_add_int(&call->error, "given", (int64_t)name->bytes.size);
    return REDO_ENAME;
}

/* This client is told of the session at once, or no more so. */
static int set_relaxed(struct client *client, struct room const *room, bool relaxed)
{
    for (struct link *l = client->subscriptions.next; l != &client->subscriptions; l = l->next) {
        struct subscription *s = list_entry(l, struct subscription, in_client);
        if (s->room == room)
            s->relaxed = relaxed;
    }
    size_t i = 0;
    while (i < client->relaxed_count && client->relaxed[i].handle != room->handle)
        i++;
    bool is = i < client->relaxed_count;
    if (is && !relaxed)
        client->relaxed[i] = client->relaxed[--client->relaxed_count];
    if (is && relaxed)
        client->relaxed[i].lost = false;
    if (is || !relaxed)
        return REDO_OK;
    struct relaxed *grown = realloc(client->relaxed, (client->relaxed_count + 1) * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    client->relaxed = grown;
    client->relaxed[client->relaxed_count++] = (struct relaxed){.handle = room->handle};
    return REDO_OK;
}

/* ---- beginning --------------------------------------------------------------------------- */

static int fail_state(struct call *call, char const *why)
{
    error_begin(&call->error, REDO_ESTATE, "%s", why);
    return REDO_ESTATE;
}

static void answer_begin(struct call *call, struct room const *room, bool created)
{
    call_waits_for(call, room);
    struct buffer *b = call_reply(call);
    pack_map(b, REPLY_SESSION_FIELDS + 1);
    reply_session_fields(b, room);
    pack_key(b, "created");
    pack_bool(b, created);
}

/* A session of that name is there already. */
static int join(struct call *call, struct room *room, int64_t size, int64_t cmpsize)
{
    call_waits_for(call, room);
    if (!args_flag(&call->args, "join", false)) {
        call_fail(call, REDO_EEXISTS);
        error_add_text(&call->error, "name", room->name, room->name_size);
        return REDO_EEXISTS;
    }
    if (size != room->history->size || (cmpsize ? cmpsize : size) != room->history->cmpsize) {
        fail_state(call, "the session exists with other sizes");
        error_add_int(&call->error, "size", room->history->size);
        error_add_int(&call->error, "cmpsize", room->history->cmpsize);
        return REDO_ESTATE;
    }
    if (set_relaxed(call->client, room, args_flag(&call->args, "relaxed", false)))
        return call_fail(call, REDO_ENOMEM);
    answer_begin(call, room, false);
    return REDO_OK;
}

/* Makes a room of the history, which belongs to it from here on; if it is to be stored, with its
 * dump. */
static int begin_dumped(struct call *call, struct history *history, char const *name,
                        size_t name_size, bool stored, bool relaxed, void const *dump, size_t size,
                        struct room **begun)
{
    struct gateway *gateway = call->gateway;
    struct store_info info = {
        .id = stored ? gateway->registry.next_handle : 0,
        .name = name,
        .name_size = name_size,
        .created = time(NULL),
        .owner = call->client->conn->peer.uid,
        .bytes = size,
    };
    struct room *room = rooms_enter(gateway, history, &info);
    if (room && relaxed && set_relaxed(call->client, room, true)) {
        rooms_discard(gateway, room);
        room = NULL;
    }
    if (!room)
        return call_fail(call, REDO_ENOMEM);
    if (stored) {
        gateway->registry.next_handle++;
        info = rooms_info(room);
        batch_create(committer_change(&gateway->committer, !relaxed, &room->number), &info, dump,
                     size);
    } else if (!name) {
        room->owner = call->client;
        list_append(&call->client->privates, &room->in_owner);
    }
    *begun = room;
    return REDO_OK;
}

/* The same; in the store if it has a name and `stored`. */
static int begin(struct call *call, struct history *history, char const *name, size_t name_size,
                 bool stored, bool relaxed, struct room **begun)
{
    void *dump = NULL;
    size_t size = 0;
    stored = stored && name && call->gateway->store;
    if (stored && history_dump(history, &dump, &size)) {
        history_free(history);
        return call_fail(call, REDO_ENOMEM);
    }
    int rc = begin_dumped(call, history, name, name_size, stored, relaxed, dump, size, begun);
    free(dump);
    return rc;
}

static int begin_and_answer(struct call *call, struct history *history, struct arg const *name,
                            bool stored, bool relaxed)
{
    struct room *room;
    int rc = begin(call, history, name->present ? name->bytes.data : NULL,
                   name->present ? name->bytes.size : 0, stored, relaxed, &room);
    if (!rc)
        answer_begin(call, room, true);
    return rc;
}

int call_beginsession(struct call *call)
{
    struct arg const *state = &call->args.param[0], *name = args_option(&call->args, "name");
    int64_t size = call_integer(call, 1), cmpsize = call_integer(call, 2);
    if (size < 1 || size > REDO_STATE_MAX) {
        error_begin(&call->error, REDO_ESTATE, "a state has 1 to %d bytes", REDO_STATE_MAX);
        error_add_int(&call->error, "limit", REDO_STATE_MAX);
        error_add_int(&call->error, "given", size);
        return REDO_ESTATE;
    }
    if (cmpsize < 0 || cmpsize > size)
        return fail_state(call, "cmpsize is not in 0 to size");
    if ((int64_t)state->bytes.size != size)
        return fail_state(call, "size is not the length of the state");
    if (name->present) {
        struct room *there;
        if (check_name(call, name))
            return call->error.code;
        int rc = rooms_named(call, name->bytes.data, name->bytes.size, &there);
        if (rc == REDO_OK)
            return join(call, there, size, cmpsize);
        if (rc != REDO_ENOSESSION)
            return fail_session(call, rc, name);
    }
    struct history *history = history_new(state->bytes.data, (size_t)size, (size_t)cmpsize);
    if (!history)
        return call_fail(call, redo_lasterror());
    struct client const *by = call->client;
    int rc = history_sign(history, by->conn->peer.uid, by->name ? by->name : "", by->name_size,
                          (uint32_t)time(NULL));
    if (rc) {
        history_free(history);
        return call_fail(call, rc);
    }
    return begin_and_answer(call, history, name, !args_flag(&call->args, "private", false),
                            args_flag(&call->args, "relaxed", false));
}

int call_loadsession(struct call *call)
{
    struct arg const *dump = &call->args.param[0], *name = args_option(&call->args, "name");
    int rc = name->present ? check_name(call, name) : REDO_OK;
    if (rc || (name->present && (rc = check_free(call, name->bytes.data, name->bytes.size))))
        return rc;
    struct history *history;
    rc = history_load(dump->bytes.data, dump->bytes.size, &history);
    return rc ? call_fail(call, rc) : begin_and_answer(call, history, name, true, false);
}

/* ---- telling ----------------------------------------------------------------------------- */

int call_getsession(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (!rc)
        reply_session(call_reply(call), room);
    return rc;
}

int call_opensession(struct call *call)
{
    struct arg const *name = &call->args.param[0];
    struct room *room;
    int rc = rooms_named(call, name->bytes.data, name->bytes.size, &room);
    if (rc)
        return fail_session(call, rc, name);
    if (set_relaxed(call->client, room, args_flag(&call->args, "relaxed", false)))
        return call_fail(call, REDO_ENOMEM);
    call_waits_for(call, room);
    reply_session(call_reply(call), room);
    return REDO_OK;
}

/* ---- ending ------------------------------------------------------------------------------ */

/* Takes the room away from all who attend it, and out of memory. */
static void dismiss(struct call *call, struct room *room)
{
    room_dismiss(room);
    rooms_discard(call->gateway, room);
}

int call_endsession(struct call *call)
{
    struct room *room;
    int rc = call_room_anew(call, &room);
    if (rc)
        return rc;
    struct link *all = &call->client->subscriptions, *next;
    for (struct link *l = all->next; l != all; l = next) {
        next = l->next;
        struct subscription *s = list_entry(l, struct subscription, in_client);
        if (s->room == room)
            subscription_end(s);
    }
    set_relaxed(call->client, room, false);
    if (room->owner)
        dismiss(call, room);
    pack_nil(call_reply(call));
    return REDO_OK;
}

/* The change is in the open batch, and somebody waits for it. */
static struct batch *change(struct call *call)
{
    call->waits = true;
    return committer_change(&call->gateway->committer, true, &call->number);
}

/* Nothing of the session could be read: it can be deleted all the same, and its name be free again.
 */
static int delete_damaged(struct call *call)
{
    struct job *job = call->client->job;
    uint64_t id = job->info.id;
    if (rooms_leave(call->gateway, id))
        return call_fail(call, REDO_ENOMEM);
    batch_trash(change(call), id, time(NULL));
    pack_nil(call_reply(call));
    return REDO_OK;
}

int call_deletesession(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc == REDO_EDAMAGED && call->client->job && call->client->job->info.id)
        return delete_damaged(call);
    if (rc)
        return rc;
    if (room->stored) {
        if (rooms_leave(call->gateway, room->handle))
            return call_fail(call, REDO_ENOMEM);
        batch_trash(change(call), room->handle, time(NULL));
        room->number = call->number;
    }
    dismiss(call, room);
    pack_nil(call_reply(call));
    return REDO_OK;
}

/* ---- the trash ------------------------------------------------------------------------------ */

/* A session in the trash, with its content; job->name, if not empty, is what it is to be called. */
static void run_find_trashed(struct job *job)
{
    struct store_info info, other;
    job->result = store_find_id(job->reader, job->id, &info);
    if (job->result == REDO_OK && !info.trashed)
        job->result = REDO_ENOSESSION;
    if (job->result)
        return;
    buffer_append(&job->text, info.name, info.name_size);
    job->info = info;
    job->info.name = job->text.data;
    job->info.properties = NULL;
    job->result = job->text.failed ? REDO_ENOMEM
                                   : store_load(job->reader, job->id, &job->history, &job->sequence,
                                                &job->damaged);
    struct buffer const *name = job->name.size ? &job->name : &job->text;
    job->more = !job->result && store_find(job->reader, name->data, name->size, &other) == REDO_OK;
}

/* The job that found the trashed session of param 0: REDO_OK, a failure, CALL_LATER. */
static int find_trashed(struct call *call, struct arg const *name, struct job **found)
{
    int rc = call_check_store(call);
    if (rc)
        return rc;
    struct job *job = call_finished(call, run_find_trashed);
    if (!job || rooms_stale(job)) {
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
    if (job->result)
        return fail_session(call, job->result, &call->args.param[0]);
    *found = job;
    return REDO_OK;
}

int call_restoresession(struct call *call)
{
    struct arg const *name = args_option(&call->args, "name");
    struct job *job = NULL;
    int rc = name->present ? check_name(call, name) : REDO_OK;
    if (rc || (rc = find_trashed(call, name, &job)))
        return rc;
    struct store_info info = job->info;
    if (name->present) {
        info.name = name->bytes.data;
        info.name_size = name->bytes.size;
    }
    struct registry *registry = &call->gateway->registry;
    if (job->more || registry_named(registry, info.name, info.name_size) ||
        registry_handled(registry, info.id)) {
        call_fail(call, REDO_EEXISTS);
        error_add_text(&call->error, "name", info.name, info.name_size);
        return REDO_EEXISTS;
    }
    info.sequence = job->sequence;
    struct room *room = rooms_enter(call->gateway, job->history, &info);
    job->history = NULL;
    if (!room)
        return call_fail(call, REDO_ENOMEM);
    batch_restore(change(call), room->handle, room->name, room->name_size);
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
        return fail_session(call, REDO_ENOSESSION, &call->args.param[0]);
    if (rooms_leave(call->gateway, job->id))
        return call_fail(call, REDO_ENOMEM);
    batch_purge(change(call), job->id);
    rooms_departed(call->gateway, job->id, job->info.name, job->info.name_size);
    pack_nil(call_reply(call));
    return REDO_OK;
}

int call_renamesession(struct call *call)
{
    struct arg const *name = &call->args.param[1];
    struct room *room;
    int rc = check_name(call, name);
    if (rc || (rc = call_room(call, &room)))
        return rc;
    if (!room->name)
        return call_fail(call, REDO_ENAME);
    if ((rc = check_free(call, name->bytes.data, name->bytes.size)))
        return rc;
    char *copy = malloc(name->bytes.size + 1);
    if (!copy)
        return call_fail(call, REDO_ENOMEM);
    memcpy(copy, name->bytes.data, name->bytes.size);
    copy[name->bytes.size] = '\0';
    /* Under its old name the store shows it until the batch is on disk. */
    if (room->stored && rooms_leave(call->gateway, room->handle)) {
        free(copy);
        return call_fail(call, REDO_ENOMEM);
    }
    registry_leave(&call->gateway->registry, room);
    free(room->name);
    room->name = copy;
    room->name_size = name->bytes.size;
    registry_enter(&call->gateway->registry, room); /* into the place it left */
    if (room->stored) {
        batch_rename(change(call), room->handle, room->name, room->name_size);
        room->number = call->number;
    }
    reply_session(call_reply(call), room);
    return REDO_OK;
}

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
    job->more = store_find(job->reader, job->name.data, job->name.size, &other) == REDO_OK;
}

static int copy_stored(struct call *call, struct room const *room, struct arg const *name,
                       struct room **begun)
{
    struct job *job = call_finished(call, run_copy);
    if (!job) {
        job = job_new(call->gateway, call->client);
        if (job) {
            job->run = run_copy;
            job->id = room->handle;
            buffer_append(&job->name, name->bytes.data, name->bytes.size);
        }
        return call_start(call, job);
    }
    if (job->result)
        return call_fail(call, job->result);
    if (job->more || registry_named(&call->gateway->registry, name->bytes.data, name->bytes.size)) {
        call_fail(call, REDO_EEXISTS);
        error_add_text(&call->error, "name", name->bytes.data, name->bytes.size);
        return REDO_EEXISTS;
    }
    struct history *history = job->history;
    job->history = NULL; /* the room's, or gone */
    return begin_dumped(call, history, name->bytes.data, name->bytes.size, true,
                        room_relaxed(room, call->client), job->packed.data, job->packed.size,
                        begun);
}

static int copy_in_memory(struct call *call, struct room const *room, struct arg const *name,
                          struct room **begun)
{
    void *dump;
    size_t size;
    struct history *history;
    int rc = check_free(call, name->bytes.data, name->bytes.size);
    if (rc)
        return rc;
    rc = history_dump(room->history, &dump, &size);
    if (!rc) {
        rc = history_load(dump, size, &history);
        free(dump);
    }
    if (rc)
        return call_fail(call, rc);
    /* What is not to touch the disk does not by a copy either. */
    return begin(call, history, name->bytes.data, name->bytes.size, !room->name,
                 room_relaxed(room, call->client), begun);
}

int call_copysession(struct call *call)
{
    struct arg const *name = &call->args.param[1];
    struct room *room, *begun;
    int rc = check_name(call, name);
    if (rc || (rc = call_room(call, &room)))
        return rc;
    rc = room->stored ? copy_stored(call, room, name, &begun)
                      : copy_in_memory(call, room, name, &begun);
    if (rc)
        return rc;
    call_waits_for(call, begun);
    reply_session(call_reply(call), begun);
    return REDO_OK;
}
