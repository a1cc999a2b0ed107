/* A room: one session that the daemon holds, and the connections that attend it. Everything that
 * changes the session goes through room_apply(), which also tells those who are attached; so the
 * sequence of operations is one, and everyone sees the same. Loop thread only. */
#ifndef SERVER_ROOM_H
#define SERVER_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/history.h"
#include "protocol/buffer.h"
#include "server/list.h"

struct client;
struct conn;

#define ROOM_NAME_MAX 255 /* bytes */

struct room {
    struct history *history;
    uint64_t handle;   /* given once in the daemon's life, never again */
    uint64_t sequence; /* of the last operation that changed something */
    char *name;        /* UTF-8; NULL: private to owner */
    size_t name_size;
    struct client *owner;      /* of a private room */
    struct link in_owner;      /* in client.privates */
    struct link subscriptions; /* of struct subscription.in_room */
    struct buffer encoded;     /* scratch: the operation at hand */
    struct buffer event;       /* scratch: its event, as sent to all */
};

/* A connection's attachment to a room. */
struct subscription {
    struct room *room;
    struct client *client;
    bool effects; /* events tell what came of the operation, for clients without an engine */
    void *snapshot;       /* what the client has not read to its end yet, or NULL */
    size_t snapshot_size;
    struct link in_room, in_client;
};

/* A room over this history, which is the room's from here on, also on failure: NULL without
 * memory. The name is copied; NULL for none. */
struct room *room_new(struct history *history, char const *name, size_t name_size);

/* Frees the room. Nobody may be subscribed any more. */
void room_free(struct room *room);

/* Applies an operation to the session; if it changed something, it gets the next sequence number and
 * an event is appended to the output of all who are attached; `by` caused it. REDO_OK and *result; or a code and
 * nothing changed. */
int room_apply(struct room *room, struct client const *by, redo_operation const *op,
               redo_result *result);

/* Attaches a client; with a snapshot, which is the session as it is now. *made; or a code: REDO_EATTACHED,
 * REDO_ENOMEM. */
int room_attach(struct room *room, struct client *client, bool effects, bool snapshot,
                struct subscription **made);

/* Ends a subscription. */
void subscription_end(struct subscription *s);

/* Tells all who are attached that the session is no more, and ends their subscriptions. */
void room_dismiss(struct room *room);

#endif
