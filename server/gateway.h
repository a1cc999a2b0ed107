/* What messages mean: for each request a handler. It owns the sessions. Loop thread only. */
#ifndef SERVER_GATEWAY_H
#define SERVER_GATEWAY_H

#include "core/touched.h"
#include "protocol/message.h"
#include "protocol/method.h"
#include "server/committer.h"
#include "server/members.h"
#include "server/registry.h"
#include "server/search.h"
#include "server/trash.h"
#include "server/usage.h"

struct conn;
struct daemon;

#define GATEWAY_DEPARTED 1024 /* a power of two */
#define GATEWAY_READERS 4     /* of the store, kept open */

/* A session that is being taken away in a batch that is not on disk yet: its name goes, or it goes
 * to the trash, or for ever. */
enum leaving_how { LEAVING_NAME, LEAVING_TO_TRASH, LEAVING_FOR_EVER };
struct leaving {
    uint64_t id, number;
    enum leaving_how how;
    uint64_t *games; /* the games of a match, which go with it, rising; or NULL */
    size_t game_count;
};

struct gateway {
    struct daemon *daemon;
    uv_loop_t *loop;
    struct methods methods;
    struct registry registry; /* of the sessions in memory */
    struct link clients;      /* of struct client.in_clients */
    struct link lagging;      /* of struct subscription.in_lagging; empty between callbacks */
    struct touched touched;   /* by the operation at hand, if anyone is to be told */
    struct buffer nowhere;    /* results of calls that came as notifications */
    struct store *store;      /* NULL: sessions live in memory alone */
    struct committer committer;
    struct store_reader *readers[GATEWAY_READERS]; /* not in use by a job */
    size_t reader_count;
    size_t jobs;         /* on the pool */
    struct link waiting; /* of struct job.in_waiting */
    uint64_t departures; /* of sessions, from memory or for ever; and when those of an id, */
    uint64_t departed[GATEWAY_DEPARTED]; /* or of a name, last went, by their hashes */
    struct leaving *leaving;
    size_t leaving_count, leaving_cap;
    struct link recent; /* of struct room.in_recent */
    struct trash trash;
    struct room **graves; /* rooms that have left memory, but for it: freed some at a time */
    size_t grave_count;
    uv_work_t first; /* of the pool */
    uv_idle_t digging;
    struct members members; /* games of matches */
    uint64_t turned;    /* as departures: when last many sessions came back, or changes were lost */
    uint64_t returning; /* the batch in which many sessions come back from the trash */
    struct searches searches;
    struct usage usage;    /* what users take */
    bool broken;           /* sessions are: see rooms_discard_broken() */
    bool closing;          /* gateway_close() was called */
    size_t memory, budget; /* bytes that sessions take, and may take */
};

/* Before the socket is listened on. 0, or -1 and the reason was logged. */
int gateway_init(struct gateway *gateway, struct daemon *daemon);

/* When the last connection is gone and no other can come. It may leave handles in the loop that
 * close in their own time. */
void gateway_close(struct gateway *gateway);

/* When the loop has ended: closes the store. */
void gateway_finish(struct gateway *gateway);

/* A connection has come; sent a message; is gone. */
void gateway_open(struct gateway *gateway, struct conn *conn);
/* False: the message is to be delivered again after conn_resume(). */
bool gateway_message(struct gateway *gateway, struct conn *conn, struct message const *message);
/* A message came behind one that is to be delivered again: it is delivered in its turn. */
void gateway_overheard(struct gateway *gateway, struct conn *conn, struct message const *message);
void gateway_invalid(struct gateway *gateway, struct conn *conn, struct error const *error,
                     bool has_id, uint32_t id);
/* Nothing went out to it for a while: a client that is attached is told that the daemon lives. */
void gateway_keepalive(struct gateway *gateway, struct conn *conn);
void gateway_gone(struct gateway *gateway, struct conn *conn);

#endif
