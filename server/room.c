#include "server/room.h"

#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "protocol/pack.h"
#include "server/client.h"
#include "server/conn.h"
#include "server/event.h"

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
    list_init(&room->subscriptions);
    history->owner = room;
    return room;
}

void room_free(struct room *room)
{
    history_free(room->history);
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
    if (!buffer_reserve(b, op->statesize + 64))
        return REDO_ENOMEM;
    b->size = redo_operation_encode(op, b->data, b->cap);
    return b->size ? REDO_OK : REDO_EOPERATION;
}

/* Appends the event to the output of everyone attached; packed at most once with effects and once
 * without. */
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
                event_pack(&room->event, room, op, effects ? result : NULL);
            struct buffer *out = conn_out(s->client->conn);
            if (room->event.failed)
                out->failed = true; /* a gap must not go unnoticed: the connection ends */
            buffer_append(out, room->event.data, room->event.size);
            pack_bool(out, s->client == by);
            conn_touch(s->client->conn);
        }
    }
}

int room_apply(struct room *room, struct client const *by, redo_operation const *op,
               redo_result *result)
{
    bool attended = !list_empty(&room->subscriptions);
    /* Before it is applied: it must not fail after. What can not be encoded can not be applied, nor
     * can a state of another size, which is not worth the room here. */
    bool applicable = !op->state || op->statesize == room->history->size;
    if (attended && applicable && encode(room, op) == REDO_ENOMEM)
        return REDO_ENOMEM;
    int rc = history_apply(room->history, op, result);
    if (rc || !result->changed)
        return rc;
    room->sequence++;
    if (attended)
        publish(room, by, op, result);
    return REDO_OK;
}

int room_attach(struct room *room, struct client *client, bool effects, bool snapshot,
                struct subscription **made)
{
    for (struct link *l = client->subscriptions.next; l != &client->subscriptions; l = l->next)
        if (list_entry(l, struct subscription, in_client)->room == room)
            return REDO_EATTACHED;
    struct subscription *s = calloc(1, sizeof *s);
    if (!s || (snapshot && history_dump(room->history, &s->snapshot, &s->snapshot_size))) {
        free(s);
        return REDO_ENOMEM;
    }
    s->room = room;
    s->client = client;
    s->effects = effects;
    list_append(&room->subscriptions, &s->in_room);
    list_append(&client->subscriptions, &s->in_client);
    *made = s;
    return REDO_OK;
}

void subscription_end(struct subscription *s)
{
    list_remove(&s->in_room);
    list_remove(&s->in_client);
    free(s->snapshot);
    free(s);
}

void room_dismiss(struct room *room)
{
    while (!list_empty(&room->subscriptions)) {
        struct subscription *s = list_entry(room->subscriptions.next, struct subscription, in_room);
        event_pack_ended(conn_out(s->client->conn), room);
        conn_touch(s->client->conn);
        subscription_end(s);
    }
}
