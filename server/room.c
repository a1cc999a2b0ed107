#include "server/room.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/dump.h"
#include "core/subtree.h"
#include "protocol/frame.h"
#include "protocol/pack.h"
#include "server/access.h"
#include "server/client.h"
#include "server/compaction.h"
#include "server/conn.h"
#include "server/event.h"
#include "server/gateway.h"
#include "server/given.h"
#include "server/lag.h"
#include "server/outbox.h"
#include "server/rooms.h"

#define MEASURE_EVERY 256   /* operations, and after */
#define MEASURE_BYTES 16384 /* in one of them */

struct room *room_new(struct history *history, char const *name, size_t name_size)
{
    struct room *room = calloc(1, sizeof *room);
    char *copy = name ? malloc(name_size + 1) : NULL;
    if (!room || (name && !copy)) {
        free(room);
        free(copy);
        history_free(history);
        return NULL;
    }
    if (name) {
        memcpy(copy, name, name_size);
        copy[name_size] = '\0';
    }
    room->history = history;
    room->name = copy;
    room->name_size = name_size;
    list_init(&room->in_owner);
    list_init(&room->in_recent);
    list_init(&room->subscriptions);
    history->owner = room;
    return room;
}

void room_free(struct room *room)
{
    list_remove(&room->in_owner);
    list_remove(&room->in_recent);
    history_free(room->history);
    recent_close(&room->recent);
    buffer_free(&room->encoded);
    buffer_free(&room->event);
    free(room->name);
    free(room);
}

/* The operation's bytes, in room->encoded. */
static int encode(struct room *room, redo_operation const *op)
{
    struct buffer *b = &room->encoded;
    buffer_rewind(b, 0);
    size_t size = redo_operation_encode(op, NULL, 0);
    if (!size)
        return REDO_EOPERATION;
    if (!buffer_reserve(b, size))
        return REDO_ENOMEM;
    b->size = redo_operation_encode(op, b->data, size);
    return REDO_OK;
}

/* Packs the event of the operation at hand, all but own; with a result, its effects too. */
static void pack_event(struct room *room, redo_operation const *op, redo_result const *result)
{
    struct buffer *b = &room->event;
    event_pack_encoded(b, room->handle, room->sequence, room->encoded.data, room->encoded.size);
    if (result)
        event_pack_effects(b, room->history, op, result, &room->gateway->touched);
    else
        pack_nil(b);
}

/* Appends the event to the output of everyone attached who keeps up; packed at most once with
 * effects and once without. */
static void publish(struct room *room, struct client const *by, redo_operation const *op,
                    redo_result const *result)
{
    for (int effects = 0; effects <= 1; effects++) {
        buffer_rewind(&room->event, 0);
        for (struct link *l = room->subscriptions.next; l != &room->subscriptions; l = l->next) {
            struct subscription *s = list_entry(l, struct subscription, in_room);
            if (s->effects != effects)
                continue;
            if (!room->event.size)
                pack_event(room, op, effects ? result : NULL);
            if (!lag_admits(room->gateway, s, room->event.size + 1))
                continue;
            struct buffer *out = outbox_event(&s->client->outbox, room->stored && !s->relaxed,
                                              room->number, room->handle);
            if (room->event.failed)
                out->failed = true; /* a gap must not go unnoticed: the connection ends */
            buffer_append(out, room->event.data, room->event.size);
            pack_bool(out, s->client == by);
            outbox_account(&s->client->outbox);
            s->told = room->sequence;
        }
    }
    lag_settle(room->gateway);
}

bool room_relaxed(struct room const *room, struct client const *client)
{
    for (size_t i = 0; i < client->relaxed_count; i++)
        if (client->relaxed[i].handle == room->handle)
            return true;
    return false;
}

int room_set_relaxed(struct room const *room, struct client *client, bool relaxed)
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
        client->relaxed[i].lost = REDO_OK;
    if (is || !relaxed)
        return REDO_OK;
    struct relaxed *grown = realloc(client->relaxed, (client->relaxed_count + 1) * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    client->relaxed = grown;
    client->relaxed[client->relaxed_count++] = (struct relaxed){.handle = room->handle};
    return REDO_OK;
}

void room_lost(struct room const *room, struct client *client, int why)
{
    for (size_t i = 0; i < client->relaxed_count; i++)
        if (client->relaxed[i].handle == room->handle)
            client->relaxed[i].lost = why;
}

int room_why_lost(struct room const *room, struct client const *client)
{
    for (size_t i = 0; i < client->relaxed_count; i++)
        if (client->relaxed[i].handle == room->handle)
            return client->relaxed[i].lost;
    return REDO_OK;
}

/* Hands the operation to the open batch. */
static void record(struct room *room, bool hurry)
{
    for (struct link *l = room->subscriptions.next; l != &room->subscriptions; l = l->next)
        hurry |= !list_entry(l, struct subscription, in_room)->relaxed;
    room->used = time(NULL);
    struct store_info info = rooms_info(room);
    batch_operation(committer_change(&room->gateway->committer, hurry, &room->number), &info,
                    room->encoded.data, room->encoded.size);
    room->bytes += room->encoded.size;
    room->journal_bytes += room->encoded.size;
    compaction_start_if_due(room);
}

static int capture(struct room *room, redo_operation const *op, void **kept, size_t *size)
{
    struct node *n;
    int rc = history_find(room->history, op->position, &n);
    if (rc)
        return rc;
    return n->p.prev ? subtree_capture(room->history, n, kept, size) : REDO_EFIRST;
}

/* A property's value goes out to clients as it is: it must be one value of msgpack. */
static bool valid_property(redo_operation const *op)
{
    struct frame frame;
    struct frame_limits limits = FRAME_LIMITS_DEFAULT;
    if (!op->statesize)
        return true;
    if (op->kind == REDO_OP_RECORD)
        return given_value_valid(op->state, op->statesize);
    frame_init(&frame);
    return frame_scan(&frame, &limits, op->state, op->statesize) == FRAME_COMPLETE &&
           frame.at == op->statesize && frame_code(&frame) == REDO_OK;
}

/* Whether the author with this number is that client. */
static bool is_author(struct authors const *all, uint32_t number, struct client const *client)
{
    if (number < 1 || number > all->count)
        return false;
    struct author const *a = &all->all[number - 1];
    return a->uid == client->conn->peer.uid && a->name_size == client->name_size &&
           (!a->name_size || memcmp(a->name, client->name, a->name_size) == 0);
}

/* Who does it, and when. */
static redo_stamp sign(struct room const *room, struct client *by)
{
    struct authors const *all = &room->history->authors;
    redo_stamp stamp = {.time = (uint32_t)time(NULL)};
    if (!is_author(all, by->author, by))
        by->author = authors_find(all, by->conn->peer.uid, by->name ? by->name : "", by->name_size);
    stamp.author = by->author;
    if (!stamp.author) {
        stamp.uid = by->conn->peer.uid;
        stamp.name = by->name ? by->name : "";
        stamp.namesize = by->name_size;
    }
    return stamp;
}

bool room_author_new(struct room const *room, struct client *client)
{
    return !sign(room, client).author;
}

struct key const *room_key(struct room const *room, struct client *client, void const *key,
                           size_t size)
{
    redo_stamp stamp = sign(room, client);
    return stamp.author ? keys_find(&room->history->keys, stamp.author, key, size) : NULL;
}

/* Whether the operation is one that was done before: its key is known. */
static bool is_repeated(struct room const *room, redo_operation const *op)
{
    return op->keysize && op->stamp.author &&
           keys_find(&room->history->keys, op->stamp.author, op->key, op->keysize);
}

/* Whether they are kept for those who come back. */
static bool effects_kept(struct room const *room)
{
    return room->effects && !room->stored;
}

/* Whether anyone attached is told of effects, or may be: then they are to be noted. */
static bool effects_wanted(struct room const *room)
{
    if (effects_kept(room))
        return true;
    for (struct link *l = room->subscriptions.next; l != &room->subscriptions; l = l->next)
        if (list_entry(l, struct subscription, in_room)->effects)
            return true;
    return false;
}

static int apply(struct room *room, redo_operation const *op, redo_result *result)
{
    struct history *h = room->history;
    struct touched *touched = &room->gateway->touched;
    touched_clear(touched);
    h->touched = effects_wanted(room) ? touched : NULL;
    h->sequence = room->sequence;
    int rc = history_apply(h, op, result);
    h->touched = NULL;
    return rc;
}

/* For who comes back. The operation is in room->encoded. */
static void remember(struct room *room, redo_operation const *op, redo_result const *result)
{
    struct buffer *b = &room->event;
    recent_add(&room->recent, room->sequence, room->number, room->encoded.data, room->encoded.size,
               room->gateway->committer.committed);
    if (!effects_kept(room))
        return;
    buffer_rewind(b, 0);
    event_pack_effects(b, room->history, op, result, &room->gateway->touched);
    if (b->failed)
        recent_close(&room->recent);
    else
        recent_add_effects(&room->recent, b->data, b->size);
}

int room_apply(struct room *room, struct client *by, bool hurry, redo_operation const *unsigned_op,
               redo_result *result)
{
    redo_operation signed_op = *unsigned_op, *op = &signed_op;
    signed_op.stamp = sign(room, by);
    bool attended = !list_empty(&room->subscriptions);
    bool property = op->kind == REDO_OP_PROPERTY ||
                    (op->kind == REDO_OP_RECORD && op->value == redo_edit_property);
    if (property && !valid_property(op))
        return REDO_ETYPE;
    /* Before it is applied: it must not fail after. What can not be encoded can not be applied, nor
     * can a state of another size, which is not worth the room here; turns have sizes of their own.
     */
    bool state = op->kind == REDO_OP_ADD || op->kind == REDO_OP_UPDATE || op->kind == REDO_OP_CYCLE;
    bool applicable = !state || room->history->changes || op->statesize == room->history->size;
    if ((attended || room->attended || room->stored) && applicable &&
        encode(room, op) == REDO_ENOMEM)
        return REDO_ENOMEM;
    void *kept = NULL; /* what a dropped subtree can be brought back from */
    size_t kept_size = 0;
    bool keeps = room->stored && op->kind == REDO_OP_DROPTREE && !is_repeated(room, op);
    int rc = keeps ? capture(room, op, &kept, &kept_size) : REDO_OK;
    if (room->stored && (kept_size > ROOM_BYTES_MAX || op->statesize > ROOM_BYTES_MAX))
        rc = rc ? rc : REDO_EFULL;
    if (!rc)
        rc = apply(room, op, result);
    if (rc || !result->changed) {
        free(kept);
        return rc;
    }
    room->sequence++;
    if (room->stored)
        record(room, hurry);
    if (kept)
        batch_keep(committer_change(&room->gateway->committer, hurry, &room->number), room->handle,
                   room->sequence, time(NULL), kept, kept_size);
    free(kept);
    if (room->gateway->usage.active)
        usage_set(&room->gateway->usage, room->handle, room->history->count, rooms_bytes(room));
    if (room->attended)
        remember(room, op, result);
    if (attended)
        publish(room, by, op, result);
    if (room->sequence % MEASURE_EVERY == 0 || op->statesize > MEASURE_BYTES)
        rooms_measure(room->gateway, room);
    return REDO_OK;
}

void room_tell_recent(struct room *room, struct subscription const *s, uint64_t since)
{
    for (uint64_t n = since + 1; n <= room->sequence; n++) {
        size_t size;
        uint64_t number;
        void const *data = recent_at(&room->recent, n, &size, &number);
        struct buffer *out =
            outbox_event(&s->client->outbox, room->stored && !s->relaxed, number, room->handle);
        event_pack_encoded(out, room->handle, n, data, size);
        if (s->effects) {
            void const *effects = recent_effects_at(&room->recent, n, &size);
            buffer_append(out, effects, size);
        } else {
            pack_nil(out);
        }
        pack_bool(out, false);
    }
}

#define SNAPSHOTS_LEAST ((size_t)16 * 1024 * 1024) /* bytes of them that any user may hold */

/* One is always to be had; several, as far as the user's connections may hold so much. */
static int take_snapshot(struct room *room, struct subscription *s)
{
    struct conn *conn = s->client->conn;
    size_t bound = conn->conns->limits.output_user, *held = &conn->share->snapshots;
    int rc = history_dump(room->history, &s->snapshot, &s->snapshot_size);
    if (rc)
        return rc;
    bool many = *held + s->snapshot_size > SNAPSHOTS_LEAST;
    if (bound && *held && many && *held + s->snapshot_size > bound) {
        free(s->snapshot);
        return REDO_EFULL;
    }
    *held += s->snapshot_size;
    return REDO_OK;
}

void subscription_drop_snapshot(struct subscription *s)
{
    if (s->snapshot)
        s->client->conn->share->snapshots -= s->snapshot_size;
    free(s->snapshot);
    s->snapshot = NULL;
}

int room_attach(struct room *room, struct client *client, bool effects, bool snapshot,
                struct subscription **made)
{
    for (struct link *l = client->subscriptions.next; l != &client->subscriptions; l = l->next)
        if (list_entry(l, struct subscription, in_client)->room == room)
            return REDO_EATTACHED;
    struct subscription *s = calloc(1, sizeof *s);
    int rc = s ? REDO_OK : REDO_ENOMEM;
    if (!rc)
        s->client = client;
    if (!rc && snapshot)
        rc = take_snapshot(room, s);
    if (rc) {
        free(s);
        return rc;
    }
    s->room = room;
    s->effects = effects;
    s->told = room->sequence;
    s->relaxed = room_relaxed(room, client);
    list_init(&s->in_lagging);
    room->attended = true;
    room->effects |= effects;
    list_append(&room->subscriptions, &s->in_room);
    list_append(&client->subscriptions, &s->in_client);
    *made = s;
    return REDO_OK;
}

void subscription_end(struct subscription *s)
{
    list_remove(&s->in_room);
    list_remove(&s->in_client);
    list_remove(&s->in_lagging);
    subscription_drop_snapshot(s);
    free(s);
}

static void tell_ended(struct room const *room, struct subscription *s)
{
    event_pack_ended(outbox_event(&s->client->outbox, room->stored, room->number, room->handle),
                     room);
    subscription_end(s);
}

void room_dismiss(struct room *room)
{
    while (!list_empty(&room->subscriptions))
        tell_ended(room, list_entry(room->subscriptions.next, struct subscription, in_room));
}

void room_expel(struct room *room)
{
    struct link *next;
    for (struct link *l = room->subscriptions.next; l != &room->subscriptions; l = next) {
        next = l->next;
        struct subscription *s = list_entry(l, struct subscription, in_room);
        if (!access_may_room(s->client->asker, room, ACCESS_READ))
            tell_ended(room, s);
    }
}
