#include "server/rooms.h"

#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "server/access.h"
#include "server/event.h"
#include "server/job.h"
#include "server/log.h"

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

/* ---- what goes while a job reads --------------------------------------------------------- */

static size_t place_of_id(uint64_t id)
{
    return id & (GATEWAY_DEPARTED - 1);
}

#define ANY_OWNER UINT64_MAX

static size_t place_of_name(char const *name, size_t size, uint64_t owner)
{
    uint32_t hash = 2166136261u ^ (uint32_t)(owner ^ owner >> 32); /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return (hash ^ hash >> 16) & (GATEWAY_DEPARTED - 1);
}

void rooms_departed(struct gateway *gateway, uint64_t id, char const *name, size_t size,
                    uint32_t owner)
{
    gateway->departed[place_of_id(id)] = ++gateway->departures;
    if (size) {
        gateway->departed[place_of_name(name, size, owner)] = gateway->departures;
        gateway->departed[place_of_name(name, size, ANY_OWNER)] = gateway->departures;
    }
}

bool rooms_departed_since(struct job const *job, uint64_t id)
{
    return job->gateway->departed[place_of_id(id)] > job->departures;
}

bool rooms_name_departed_since(struct job const *job, char const *name, size_t size, uint32_t owner)
{
    return job->gateway->departed[place_of_name(name, size, owner)] > job->departures;
}

bool rooms_stale(struct job const *job)
{
    struct gateway const *gateway = job->gateway;
    if (gateway->turned > job->departures)
        return true;
    uint64_t owner = job->anyone ? ANY_OWNER : job->owner;
    if (job->named &&
        gateway->departed[place_of_name(job->name.data, job->name.size, owner)] > job->departures)
        return true;
    uint64_t id = job->named ? job->info.id : job->id;
    return id && rooms_departed_since(job, id);
}

static bool is_leaving(struct leaving const *l, uint64_t id)
{
    size_t low = 0, high = l->game_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->games[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return l->id == id || (low < l->game_count && l->games[low] == id);
}

uint64_t rooms_leaving(struct gateway const *gateway, uint64_t id)
{
    for (size_t i = 0; i < gateway->leaving_count; i++)
        if (is_leaving(&gateway->leaving[i], id))
            return gateway->leaving[i].number;
    return 0;
}

struct room *rooms_enter(struct gateway *gateway, struct history *history,
                         struct store_info const *info)
{
    struct room *room = room_new(history, info->name, info->name_size);
    if (!room)
        return NULL;
    room->gateway = gateway;
    room->handle = info->id;
    room->uid = info->owner;
    room->gid = info->group;
    room->mode = info->mode;
    room->match = members_match(&gateway->members, info->id, info->match);
    if (usage_reserve(&gateway->usage, room->uid) || registry_enter(&gateway->registry, room)) {
        room_free(room);
        return NULL;
    }
    room->stored = gateway->store && info->id;
    room->sequence = info->sequence;
    room->created = info->created;
    room->used = info->used ? info->used : info->created;
    room->bytes = info->bytes;
    room->journal_bytes = info->journal_bytes;
    if (room->stored)
        list_append(&gateway->recent, &room->in_recent);
    usage_enter(&gateway->usage, room->handle, room->uid, history->count, rooms_bytes(room),
                room->stored ? gateway->committer.number : 0);
    rooms_measure(gateway, room);
    return room;
}

uint64_t rooms_bytes(struct room const *room)
{
    return room->stored ? room->bytes : history_memory(room->history);
}

void rooms_loaded(struct gateway *gateway, struct room *room, struct job const *job)
{
    room->sequence = job->sequence;
    room->damaged = job->damaged || job->info.damaged;
    if (!job->damaged)
        return;
    log_error("session %.*s is damaged: it is served up to operation %llu", (int)room->name_size,
              room->name, (unsigned long long)room->sequence);
    int rc = store_set_aside(gateway->store, room->handle, room->sequence);
    if (rc)
        log_error("what comes after the damage could not be set aside: %s", redo_strerror(rc));
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

/* ---- what is not on disk yet ------------------------------------------------------------- */

int rooms_leave(struct gateway *gateway, uint64_t id, enum leaving_how how)
{
    return rooms_leave_match(gateway, id, how, NULL, 0);
}

int rooms_leave_match(struct gateway *gateway, uint64_t id, enum leaving_how how,
                      uint64_t const *games, size_t count)
{
    uint64_t *copy = count ? malloc(count * sizeof *copy) : NULL;
    if (count && !copy)
        return REDO_ENOMEM;
    if (count)
        memcpy(copy, games, count * sizeof *copy);
    if (gateway->leaving_count == gateway->leaving_cap) {
        size_t cap = gateway->leaving_cap ? gateway->leaving_cap * 2 : 8;
        struct leaving *grown = realloc(gateway->leaving, cap * sizeof *grown);
        if (!grown) {
            free(copy);
            return REDO_ENOMEM;
        }
        gateway->leaving = grown;
        gateway->leaving_cap = cap;
    }
    gateway->leaving[gateway->leaving_count++] =
        (struct leaving){.id = id,
                         .number = gateway->committer.number,
                         .how = how,
                         .games = copy,
                         .game_count = count};
    return REDO_OK;
}

void rooms_forget_leaving(struct gateway *gateway)
{
    for (size_t i = 0; i < gateway->leaving_count; i++)
        free(gateway->leaving[i].games);
    gateway->leaving_count = 0;
}

void rooms_return(struct gateway *gateway)
{
    gateway->returning = gateway->committer.number;
    gateway->turned = ++gateway->departures;
}

/* It is gone, on disk too. */
static void left(struct gateway *gateway, uint64_t id, enum leaving_how how)
{
    /* A job may have read the store just before this was on disk. */
    rooms_departed(gateway, id, NULL, 0, 0);
    if (how == LEAVING_TO_TRASH)
        usage_trash(&gateway->usage, id);
    else if (how == LEAVING_FOR_EVER)
        usage_leave(&gateway->usage, id);
}

void rooms_discard_broken(struct gateway *gateway)
{
    uint64_t number = gateway->committer.committed;
    gateway->broken = false;
    if (gateway->store)
        committer_flush(&gateway->committer);
    for (size_t i = gateway->registry.handle_count; i > 0; i--) {
        struct room *room = gateway->registry.by_handle[i - 1];
        if (!room->history->failed)
            continue;
        if (room->stored && room->number > number) {
            gateway->broken = true;
            continue;
        }
        log_error("session %llu was left in the middle of a turn by a lack of memory: %s",
                  (unsigned long long)room->handle,
                  room->stored ? "it is loaded anew" : "it has ended");
        if (!room->stored)
            room_dismiss(room);
        rooms_discard(gateway, room);
    }
}

void rooms_committed(struct gateway *gateway, uint64_t number)
{
    if (gateway->broken)
        rooms_discard_broken(gateway);
    size_t kept = 0;
    for (size_t i = 0; i < gateway->leaving_count; i++) {
        struct leaving *l = &gateway->leaving[i];
        if (l->number > number) {
            gateway->leaving[kept++] = *l;
            continue;
        }
        left(gateway, l->id, l->how);
        for (size_t k = 0; k < l->game_count; k++)
            left(gateway, l->games[k], l->how);
        free(l->games);
    }
    gateway->leaving_count = kept;
    if (!gateway->jobs)
        members_tidy(&gateway->members, number);
}

/* All but taking it out of the registry, and freeing it. */
static void take_leave(struct gateway *gateway, struct room *room)
{
    while (!list_empty(&room->subscriptions)) {
        struct subscription *s = list_entry(room->subscriptions.next, struct subscription, in_room);
        event_pack_resync(outbox_event(&s->client->outbox, false, 0, room->handle), room->handle);
        subscription_end(s);
    }
    gateway->memory -= room->memory;
    list_remove(&room->in_recent);
    if (room->stored)
        rooms_departed(gateway, room->handle, room->name, room->name_size, room->uid);
    else
        usage_leave(&gateway->usage, room->handle);
}

void rooms_discard(struct gateway *gateway, struct room *room)
{
    take_leave(gateway, room);
    registry_leave(&gateway->registry, room);
    room_free(room);
}

#define AT_ONCE 500 /* rooms freed */

static void bury(struct gateway *gateway, size_t count)
{
    for (; count && gateway->grave_count; count--)
        room_free(gateway->graves[--gateway->grave_count]);
    if (gateway->grave_count)
        return;
    free(gateway->graves);
    gateway->graves = NULL;
}

static void dig(uv_idle_t *idle)
{
    struct gateway *gateway = idle->data;
    bury(gateway, AT_ONCE);
    if (!gateway->grave_count)
        uv_idle_stop(idle);
}

void rooms_bury_all(struct gateway *gateway)
{
    bury(gateway, SIZE_MAX);
}

void rooms_discard_all(struct gateway *gateway, struct room **rooms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        take_leave(gateway, rooms[i]);
        rooms[i]->going = true;
    }
    registry_sweep(&gateway->registry);
    struct room **graves = NULL;
    if (count > AT_ONCE)
        graves = realloc(gateway->graves, (gateway->grave_count + count) * sizeof(struct room *));
    if (!graves) {
        for (size_t i = 0; i < count; i++)
            room_free(rooms[i]);
        return;
    }
    memcpy(graves + gateway->grave_count, rooms, count * sizeof(struct room *));
    gateway->graves = graves;
    gateway->grave_count += count;
    uv_idle_start(&gateway->digging, dig);
}

void rooms_failed(struct gateway *gateway, uint64_t committed)
{
    rooms_forget_leaving(gateway);
    members_failed(&gateway->members, committed);
    gateway->turned = ++gateway->departures;
    usage_failed(&gateway->usage, committed);
    for (size_t i = gateway->registry.handle_count; i > 0; i--) {
        struct room *room = gateway->registry.by_handle[i - 1];
        if (!room->stored || room->number <= committed)
            continue;
        for (struct link *l = gateway->clients.next; l != &gateway->clients; l = l->next)
            room_lost(room, list_entry(l, struct client, in_clients), true);
        rooms_discard(gateway, room);
    }
}

/* ---- memory ------------------------------------------------------------------------------ */

static bool can_leave(struct gateway const *gateway, struct room const *room)
{
    return list_empty(&room->subscriptions) && !room->compacting && !room->held &&
           room->number <= gateway->committer.committed;
}

/* Lets sessions go, the least recently used first, until there is room again. */
static void make_room(struct gateway *gateway, struct room const *spare)
{
    struct link *next;
    for (struct link *l = gateway->recent.next; l != &gateway->recent; l = next) {
        if (gateway->memory <= gateway->budget)
            return;
        next = l->next;
        struct room *room = list_entry(l, struct room, in_recent);
        if (room != spare && can_leave(gateway, room))
            rooms_discard(gateway, room);
    }
}

void rooms_measure(struct gateway *gateway, struct room *room)
{
    size_t memory = history_memory(room->history) + recent_memory(&room->recent) + sizeof *room;
    gateway->memory += memory - room->memory;
    room->memory = memory;
    if (gateway->memory > gateway->budget)
        make_room(gateway, room);
}

struct store_info rooms_info(struct room const *room)
{
    struct history const *h = room->history;
    struct node const *first = node_at(h, 0);
    return (struct store_info){
        .id = room->handle,
        .name = room->name,
        .name_size = room->name_size,
        .sequence = room->sequence,
        .size = h->size,
        .cmpsize = h->cmpsize,
        .positions = h->count,
        .graft = h->graft,
        .changed = h->changed,
        .solved = first->p.solutionend != 0,
        .by_change = h->changes != NULL,
        .is_match = h->games != NULL,
        .games = h->games ? h->games->count : 0,
        .match = room->match,
        .created = room->created,
        .used = room->used,
        .owner = room->uid,
        .group = room->gid,
        .mode = room->mode,
        .damaged = room->damaged,
        .bytes = room->bytes,
        .journal_bytes = room->journal_bytes,
    };
}

/* ---- compaction -------------------------------------------------------------------------- */

/* A journal is let grow to this, and then to the size of its snapshot. */
#define JOURNAL_LEAST (256 * 1024)

static void run_compact(struct job *job)
{
    job->result = store_compact(job->gateway->store, job->id);
    for (bool more = true; !job->result && more;)
        job->result = store_shrink(job->gateway->store, &more);
    struct store_info info;
    if (!job->result && !(job->result = store_find_id(job->reader, job->id, &info)))
        job->sequence = info.bytes - info.journal_bytes;
}

static void finish_compact(struct job *job)
{
    struct room *room = registry_handled(&job->gateway->registry, job->id);
    if (job->result)
        log_warn("session %llu could not be compacted: %s", (unsigned long long)job->id,
                 redo_strerror(job->result));
    if (!room || !room->compacting) /* another by now */
        return;
    room->compacting = false;
    if (job->result) { /* it is tried again when as much has come as there is */
        room->journal_bytes = 0;
        return;
    }
    room->journal_bytes -= job->limit < room->journal_bytes ? job->limit : room->journal_bytes;
    room->bytes = job->sequence + room->journal_bytes;
    usage_set(&job->gateway->usage, room->handle, room->history->count, room->bytes);
}

void rooms_compact(struct gateway *gateway, struct room *room)
{
    uint64_t snapshot = room->bytes - room->journal_bytes;
    if (room->compacting || room->journal_bytes < JOURNAL_LEAST || room->journal_bytes < snapshot)
        return;
    struct job *job = job_new(gateway, NULL);
    if (!job)
        return; /* the next change asks again */
    job->run = run_compact;
    job->finish = finish_compact;
    job->id = room->handle;
    job->limit = room->journal_bytes; /* what comes after that is in the journal still, or may be */
    room->compacting = true;
    job_start(job);
}
