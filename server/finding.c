#include "server/finding.h"

#include <string.h>

#include "server/access.h"
#include "server/job.h"
#include "server/rooms.h"

/* ---- loading ----------------------------------------------------------------------------- */

/* Copies the texts of an info, which the reader owns, into the job's keeping. */
static void keep_info(struct job *job, struct store_info const *info)
{
    job->info = *info;
    buffer_append(&job->text, info->name, info->name_size);
    buffer_append(&job->text, info->properties, info->properties_size);
    job->info.name = job->text.data;
    job->info.properties = NULL;
    job->info.properties_size = 0;
}

static bool note_readable(void *data, struct store_info const *info)
{
    struct job *job = data;
    if (access_may_info(job->asker, info, ACCESS_READ))
        buffer_append(&job->packed, &info->id, sizeof info->id);
    return true;
}

static int look_for(struct job *job, struct store_info *info)
{
    int rc = job->named ? store_find(job->reader, job->name.data, job->name.size, job->owner, info)
                        : store_find_id(job->reader, job->id, info);
    /* Looked at before anything of it is read: not even damage is told to who may not read it. */
    if (!rc && (info->trashed || !access_may_info(job->asker, info, ACCESS_READ)))
        rc = REDO_ENOSESSION;
    return rc;
}

/* Asked for by name: others' sessions of that name that the asker may read are noted in
 * job->packed, for choose(), should the asker have none, or should it be on its way out. */
static void run_load(struct job *job)
{
    struct store_info info;
    job->result = job->anyone
                      ? store_named(job->reader, job->name.data, job->name.size, note_readable, job)
                      : REDO_OK;
    if (!job->result)
        job->result = job->packed.failed ? REDO_ENOMEM : look_for(job, &info);
    if (job->result)
        return;
    keep_info(job, &info);
    if (job->text.failed)
        job->result = REDO_ENOMEM;
    else
        job->result =
            store_load(job->reader, info.id, &job->history, &job->sequence, &job->damaged);
}

/* The room of a session that was loaded; another request may have been first. */
static void finish_load(struct job *job)
{
    struct gateway *gateway = job->gateway;
    if (job->result || gateway->closing || rooms_stale(job))
        return; /* stale: load() does it again */
    if ((job->number = rooms_leaving(gateway, job->info.id))) {
        job->result = REDO_ENOSESSION;
        return;
    }
    if (registry_handled(&gateway->registry, job->info.id))
        return;
    struct room *room = rooms_enter(gateway, job->history, &job->info);
    job->history = NULL; /* the room's, or gone */
    if (!room) {
        job->result = REDO_ENOMEM;
        return;
    }
    rooms_loaded(gateway, room, job);
}

/* What is looked for in the store. */
struct sought {
    char const *name; /* NULL: by id */
    size_t size;
    uint32_t owner;
    bool anyone; /* if this owner has none, others' */
    uint64_t id;
};

/* The job that looked for this, if it is done and what it found still holds; or NULL. */
static struct job *finished_load(struct call *call, struct sought const *s)
{
    struct job *job = call_finished(call, run_load);
    bool same = job && job->named == (s->name != NULL) && job->anyone == s->anyone &&
                job->owner == s->owner && job->id == s->id && job->name.size == s->size &&
                (!s->size || memcmp(job->name.data, s->name, s->size) == 0);
    return same && !rooms_stale(job) ? job : NULL;
}

static int start_load(struct call *call, struct sought const *s)
{
    struct job *job = job_new(call->gateway, call->client);
    if (!job)
        return REDO_ENOMEM;
    job->run = run_load;
    job->finish = finish_load;
    job->named = s->name != NULL;
    job->anyone = s->anyone;
    job->owner = s->owner;
    job->id = s->id;
    buffer_append(&job->name, s->name, s->size);
    if (job->name.failed) {
        job_free(job);
        return REDO_ENOMEM;
    }
    job_start_after(job, call->gateway->returning);
    return CALL_LATER;
}

/* Waits for the job that loads it, or starts that: CALL_LATER; or why it can not be had. */
static int load(struct call *call, struct sought const *s)
{
    if (!call->gateway->store)
        return REDO_ENOSESSION;
    struct job *job = finished_load(call, s);
    if (job && job->result) {
        call->waits = job->number > 0; /* that it is gone may be known when it is on disk */
        call->number = job->number;
        return job->result;
    }
    /* Else another job, or it was loaded and left memory again before its turn came: once more. */
    return start_load(call, s);
}

/* ---- finding ----------------------------------------------------------------------------- */

/* What this client may not read, and others' private sessions, are not there. */
static bool is_visible(struct call const *call, struct room const *there)
{
    return (!there->owner || there->owner == call->client) &&
           access_may_room(call->client->asker, there, ACCESS_READ);
}

static int visible(struct call *call, struct room *there, struct room **room)
{
    if (!is_visible(call, there))
        return REDO_ENOSESSION;
    if (there->history->failed)
        return REDO_ENOMEM;
    if (there->stored) {
        list_remove(&there->in_recent);
        list_append(&call->gateway->recent, &there->in_recent);
    }
    *room = there;
    return REDO_OK;
}

int rooms_named(struct call *call, char const *name, size_t size, uint32_t owner,
                struct room **room)
{
    struct room *there = registry_named(&call->gateway->registry, name, size, owner);
    return there ? visible(call, there, room)
                 : load(call, &(struct sought){.name = name, .size = size, .owner = owner});
}

int rooms_handled(struct call *call, uint64_t handle, struct room **room)
{
    struct room *there = registry_handled(&call->gateway->registry, handle);
    return there ? visible(call, there, room) : load(call, &(struct sought){.id = handle});
}

/* Of the sessions of that name in memory that the client may read: the lowest handle, or 0. */
static uint64_t choose_in_memory(struct call const *call, char const *name, size_t size)
{
    struct registry const *r = &call->gateway->registry;
    uint64_t lowest = 0;
    for (size_t i = registry_place(r, name, size, 0);
         i < r->name_count && registry_is_named(r->by_name[i], name, size); i++) {
        struct room const *there = r->by_name[i];
        if (is_visible(call, there) && (!lowest || there->handle < lowest))
            lowest = there->handle;
    }
    return lowest;
}

/* The same, of those in the store too, which the job has noted. False: what it noted does not hold
 * any more. Memory is right about those that are in it; of those that are being taken away it may
 * be known when that is on disk. */
static bool choose(struct call *call, struct sought const *s, struct job const *job,
                   uint64_t *chosen)
{
    uint64_t lowest = choose_in_memory(call, s->name, s->size);
    for (size_t at = 0; job && at < job->packed.size; at += sizeof(uint64_t)) {
        uint64_t id;
        memcpy(&id, job->packed.data + at, sizeof id);
        if (rooms_departed_since(job, id))
            return false;
        uint64_t number = rooms_leaving(call->gateway, id);
        if (number) {
            call->waits = true;
            call->number = number > call->number ? number : call->number;
        } else if (!registry_handled(&call->gateway->registry, id) && (!lowest || id < lowest)) {
            lowest = id;
        }
    }
    *chosen = lowest;
    return true;
}

/* The session that the name was found to stand for earlier in this request; REDO_ENOSESSION: it has
 * to be found anew. */
static int found_before(struct call *call, struct sought const *s, struct room **room)
{
    uint64_t id = call->client->found;
    int rc = id ? rooms_handled(call, id, room) : REDO_ENOSESSION;
    if (!rc && !registry_is_named(*room, s->name, s->size))
        rc = REDO_ENOSESSION;
    if (rc == REDO_ENOSESSION)
        call->client->found = 0;
    return rc;
}

/* The asker's own session of that name; or another's that the asker may read, of several that with
 * the lowest handle. */
static int rooms_anyones(struct call *call, char const *name, size_t size, struct room **room)
{
    struct sought s = {
        .name = name, .size = size, .owner = call->client->asker->uid, .anyone = true};
    struct room *own = registry_named(&call->gateway->registry, name, size, s.owner);
    if (own)
        return visible(call, own, room);
    int rc = found_before(call, &s, room);
    if (rc != REDO_ENOSESSION)
        return rc;
    struct job *job = NULL;
    if (call->gateway->store) {
        job = finished_load(call, &s);
        if (!job || job->result != REDO_ENOSESSION)
            return load(call, &s);
        call->waits = job->number > 0;
        call->number = job->number;
    }
    if (!choose(call, &s, job, &call->client->found))
        return start_load(call, &s);
    return call->client->found ? rooms_handled(call, call->client->found, room) : REDO_ENOSESSION;
}

int rooms_addressed(struct call *call, char const *text, size_t size, struct room **room)
{
    struct address a = address_read(text, size);
    return a.told ? rooms_named(call, a.name, a.size, a.owner, room)
                  : rooms_anyones(call, text, size, room);
}
