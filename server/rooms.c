#include "server/rooms.h"

#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "server/access.h"
#include "server/event.h"
#include "server/job.h"
#include "server/log.h"

/* ---- entering ---------------------------------------------------------------------------- */

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

/* ---- what they take ---------------------------------------------------------------------- */

uint64_t rooms_bytes(struct room const *room)
{
    return room->stored ? room->bytes : history_memory(room->history);
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

/* ---- leaving ----------------------------------------------------------------------------- */

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
    rooms_left(gateway, number);
    if (!gateway->jobs)
        members_tidy(&gateway->members, number);
}

void rooms_failed(struct gateway *gateway, uint64_t committed, int why)
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
            room_lost(room, list_entry(l, struct client, in_clients), why);
        rooms_discard(gateway, room);
    }
}
