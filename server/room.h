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
#include "server/recent.h"

struct client;
struct conn;
struct gateway;

#define ROOM_NAME_MAX 255 /* bytes */

/* Bytes of an operation, and of a subtree that is kept: what one row of the store may have. */
#define ROOM_BYTES_MAX ((size_t)512 * 1024 * 1024)

struct room {
    struct gateway *gateway;
    struct history *history;
    uint64_t handle;   /* given once, never again: of a stored session, also its id in the store */
    uint64_t sequence; /* of the last operation that changed something */
    bool stored;       /* changes go to the store; else the session is in memory alone */
    bool damaged;      /* it ends before its last operation, which could not be read */
    bool compacting;   /* a job is at it */
    uint64_t number;   /* of the batch that holds the last change */
    uint64_t match;    /* of which it is a game; 0: of none */
    bool going;        /* it leaves memory together with others */
    bool held;         /* it stays in memory: a call is at it, and makes room for another */
    int64_t created, used;   /* seconds since 1970; used: last changed */
    uint32_t uid, gid, mode; /* who may: see access.h */
    uint64_t bytes;          /* that it takes in the store, about ... */
    uint64_t journal_bytes;  /* ... of which so many are operations, not snapshot */
    size_t memory;           /* when last measured */
    struct link in_recent;   /* gateway.recent: stored sessions, the least recently used first */
    char *name;              /* UTF-8; of this uid alone; NULL: private to owner */
    size_t name_size;
    struct client *owner;      /* of a private room */
    struct link in_owner;      /* in client.privates */
    struct link subscriptions; /* of struct subscription.in_room */
    bool attended;             /* somebody was attached since it is in memory */
    bool effects;              /* and was told of effects */
    struct recent recent;      /* its last operations, since then; if the room is not stored (then
                                  there is no other place to find them) with effects, if wanted */
    struct buffer encoded;     /* scratch: the operation at hand */
    struct buffer event;       /* scratch: its event, as sent to all */
};

/* A connection's attachment to a room. */
struct subscription {
    struct room *room;
    struct client *client;
    bool relaxed;   /* events do not wait for the disk */
    bool effects;   /* events tell what came of the operation, for clients without an engine */
    uint64_t told;  /* number of the last operation that it was sent, or attached at */
    void *snapshot; /* what the client has not read to its end yet, or NULL */
    size_t snapshot_size;
    struct link in_room, in_client;
    struct link in_lagging; /* gateway.lagging: it is told no more, and ends soon */
};

/* A room over this history, which is the room's from here on, also on failure: NULL without
 * memory. The name is copied; NULL for none. */
struct room *room_new(struct history *history, char const *name, size_t name_size);

/* Frees the room. Nobody may be subscribed any more. */
void room_free(struct room *room);

/* Applies an operation to the session, signed by the client that causes it, as of now (what stamp
 * it has is no matter); if it changed something, it gets the next sequence number and an event to
 * all who are attached; `by` is in a hurry for it to be on disk, or not. REDO_OK and *result; or a
 * code and nothing changed. */
int room_apply(struct room *room, struct client *by, bool hurry, redo_operation const *op,
               redo_result *result);

/* Whether a change by this client makes it an author of the session, which it is not yet. */
bool room_author_new(struct room const *room, struct client *client);

/* What came of the operation that this client had given this key, or NULL: see redo_operation.key.
 */
struct key const *room_key(struct room const *room, struct client *client, void const *key,
                           size_t size);

/* Appends the events of the operations after `since`, which recent_has(), to the output of one who
 * attaches. */
void room_tell_recent(struct room *room, struct subscription const *s, uint64_t since);

/* Attaches a client; with a snapshot, which is the session as it is now. *made; or a code:
 * REDO_EATTACHED, REDO_ENOMEM, REDO_EFULL (what the client's user has not read of snapshots is more
 * than its connections may hold). */
int room_attach(struct room *room, struct client *client, bool effects, bool snapshot,
                struct subscription **made);

/* The client is told of the room's changes at once, before they are on disk. */
bool room_relaxed(struct room const *room, struct client const *client);

/* This client is told of what is done to it at once, or no more so: REDO_OK or REDO_ENOMEM. */
int room_set_relaxed(struct room const *room, struct client *client, bool relaxed);

/* A client that was told of changes at once was told of some that are lost: whatever it asks of the
 * session is refused until it opens it anew (why: REDO_OK), lest it builds on them. */
void room_lost(struct room const *room, struct client *client, int why);
int room_why_lost(struct room const *room, struct client const *client);

/* The snapshot was read to its end, or is nobody's any more. */
void subscription_drop_snapshot(struct subscription *s);

/* Ends a subscription. */
void subscription_end(struct subscription *s);

/* Tells all who are attached that the session is no more, once batch room->number is on disk, and
 * ends their subscriptions. */
void room_dismiss(struct room *room);

/* The same for those alone who may not read it any more. */
void room_expel(struct room *room);

#endif
