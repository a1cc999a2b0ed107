/* Behind redo_client.h: a client, its requests, and the replicas of its sessions.
 *
 * A client is connected or lost. What is asked of the daemon is a request: it is packed, sent as
 * far as the socket takes it, and answered in order, by link.c, to a function of whoever asked.
 * Calls that wait are made of that, and so is what goes on in redo_client_step(): beginning,
 * resuming and reading anew (attach.c) are one chain of requests, waited for or not. */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "client/connection.h"
#include "client/redo_client.h"
#include "core/session.h"
#include "protocol/place.h"

struct adds;

/* A request on its way. It stands in whoever asks, until it is answered or forgotten. */
struct request {
    uint32_t id;
    uint64_t start; /* of its bytes, in all that the connection sends */
    bool sent;      /* when the connection broke: some of it may have reached the daemon */
    struct request *next;

    /* Called once: with what connection_conclude() says; or with REDO_ECLOSED and NULL if the
     * connection broke. It may send requests; it must not wait. */
    void (*answered)(struct request *r, int code, msgpack_object const *result);
};

/* Where a mirror is on its way to the daemon. */
enum mirror_phase {
    MIRROR_AWAY,      /* not attached, and nothing is on its way */
    MIRROR_OPENING,   /* the session is being opened */
    MIRROR_ATTACHING, /* what was missed is being told */
    MIRROR_LOADING,   /* the snapshot is being read */
    MIRROR_HERE       /* attached: every operation comes as it is made */
};

#define MIRROR_RECENT 16 /* operations by which a history is known again */

/* A session of the daemon: the handle that programs hold, its replica, and where that stands. */
struct mirror {
    redo_session session; /* first: a redo_session of this library is a struct mirror */
    redo_client *client;
    uint64_t handle;   /* in the daemon */
    int64_t begun;     /* when, as the daemon tells: a session is known by handle and begun */
    uint64_t sequence; /* of the last operation that the replica has seen */
    char *name;        /* NULL: private */
    bool relaxed, readonly;
    bool owns_client; /* begun by redo_beginsession(): the connection is its own */
    int lost;         /* why it can not be changed any more, or REDO_OK */
    bool told_lost;   /* and nothing else since */

    enum mirror_phase phase;
    struct request request; /* of that phase */
    bool again;             /* the daemon has detached us meanwhile */
    uint64_t since;         /* ATTACHING: operations after this one are told again */
    bool differs;           /* ATTACHING: one of those that were seen before is another now */
    uint64_t loaded;        /* LOADING: the sequence number of the snapshot ... */
    uint64_t loadsize;      /* ... its bytes, in all ... */
    struct buffer snapshot; /* ... and those that have come */
    struct buffer early;    /* LOADING: operations that came meanwhile: size, bytes ... */
    unsigned reloads;       /* how often the replica was replaced */
    struct history **old;   /* the replicas before: pointers into them stay readable */
    uint64_t recent[MIRROR_RECENT]; /* hashes of the last operations that were seen ... */
    unsigned recent_count;          /* ... how many; by sequence number */

    redo_result own;       /* of the last operation that was this session's own ... */
    uint64_t own_sequence; /* ... and its number */
    redo_client_observer *observer;
    void *observer_data;
    struct watch *watches;
    struct adds *adds;   /* redo_client_addposition_async(); NULL before the first */
    struct mirror *next; /* of the client */
};

struct redo_client {
    struct connection connection;
    char path[PLACE_SOCKET_MAX + 1];
    char *name;       /* that the daemon is told, or NULL */
    int64_t deadline; /* of the call at hand */
    bool patient;     /* the call at hand: its time begins anew with each piece of a snapshot */
    struct request *first, **last; /* sent, in order */
    uint64_t packed;               /* where the request at hand begins, as request.start */
    struct call *awaited;          /* what is not to be read on after */
    int broken;                    /* the connection is to be given up for this */
    int64_t retry;                 /* lost: when to connect next ... */
    int backoff;                   /* ... and how long after that again; milliseconds */
    struct mirror *mirrors;

    int keying; /* operations carry keys: 0 none, 1 all, -1 those that wait for the disk */
    unsigned char key[16]; /* of this client, and so many it has made */
    uint64_t keys;

    int inside;    /* in functions of the program that the library calls */
    int applied;   /* operations applied since the last step began */
    unsigned news; /* rises with all that a step is to return for */
    redo_client_listener *listener;
    void *listener_data;

    int epoll, timer; /* what redo_client_fd() tells of, or -1 */
    uint32_t watched; /* the events that are waited for */
    int watched_fd;   /* at this socket */
    int64_t alarm;    /* when the timer goes off; 0: not */
};

/* ---- link.c ------------------------------------------------------------------------------ */

/* A call of the program begins: its time runs from here. REDO_OK, or REDO_ECONNECT (no client),
 * REDO_EDENIED (within a function that the library called). And ends. */
int client_enter(redo_client *client);
void client_leave(redo_client *client);

/* Begins a request, which connection_request() describes: the caller packs its params and calls
 * request_send(): REDO_OK, or REDO_ENOMEM with nothing begun. With r NULL nobody hears of the
 * answer. Nothing waits; link_turn() sends. */
struct buffer *request_begin(redo_client *client, struct request *r, char const *method);
int request_send(redo_client *client, struct request *r);

/* Nobody is to hear of its answer. */
void request_forget(redo_client *client, struct request *r);

/* A request that is waited for. */
struct call {
    struct request request; /* its `answered` is set by call_wait() */
    void (*read)(struct call *call, msgpack_object const *result); /* or NULL */
    bool done;
    int code;
};

/* Begins it, once request_begin(&call->request) has been packed, and waits until the deadline of
 * the call at hand. The code that was answered, after read() was called with what it says; or
 * REDO_ETIMEOUT (the daemon may do it yet), REDO_ECLOSED (the connection broke; request.sent), or
 * REDO_ENOMEM. */
int call_wait(redo_client *client, struct call *call);

/* Connects if need be: at once or not at all; patient: until the deadline. REDO_OK, REDO_ECLOSED.
 */
int client_ready(redo_client *client, bool patient);

/* Waits until the deadline for something to come or to be done, and does it. REDO_OK;
 * REDO_ETIMEOUT, REDO_ESYSTEM (a signal); REDO_ECLOSED: not connected, tried again when it is time.
 */
int link_turn(redo_client *client, int64_t deadline);

/* The library's part of connection.answered: data is the redo_client. */
bool link_answered(void *data, struct message const *message);

/* Notes the code (REDO_OK too) as that of the call that ends, and returns it. */
int client_end(redo_client *client, int code);

/* ---- attach.c ---------------------------------------------------------------------------- */

/* What SESSION of the protocol tells of a session. */
struct session_info {
    uint64_t handle;
    int64_t begun;
};

bool session_read(msgpack_object const *answer, struct session_info *info);

/* A mirror of the session, at its beginning: nothing is loaded yet. NULL without memory, or
 * REDO_EATTACHED if there is one of it; see redo_lasterror(). */
struct mirror *mirror_new(redo_client *client, struct session_info const *info, char const *name);

/* Asks for a snapshot, from which the replica will be made. */
void mirror_load(struct mirror *m);

/* There is a new connection, and the mirror is away: opens the session and asks for what was
 * missed. */
void mirror_resume(struct mirror *m);

/* The daemon has detached us on this connection: asks for what was missed. */
void mirror_catch_up(struct mirror *m);

/* The connection is gone. */
void mirror_away(struct mirror *m);

/* It can not be changed any more, for this reason. */
void mirror_lose(struct mirror *m, int code);

/* Waits until the mirror is as it is in the daemon: REDO_OK, m->lost, or what waiting can bring. */
int mirror_wait(struct mirror *m);

/* Ends the mirror and tells the daemon, if it is still there. */
void mirror_end(struct mirror *m);

/* ---- mirror.c ---------------------------------------------------------------------------- */

/* The library's part of connection.notified: data is the redo_client. */
void mirror_notified(void *data, struct message const *message);

/* Applies what came while the snapshot was read. */
void mirror_apply_early(struct mirror *m);

/* ---- watch.c ----------------------------------------------------------------------------- */

/* Tells of the cursors that are elsewhere than they were, or of all; and ends that. */
void watches_tell(struct mirror *m, bool all, bool own);
void watches_free(struct mirror *m);

/* ---- change.c ---------------------------------------------------------------------------- */

/* redo_session.submit of a mirror. */
int change_submit(redo_session *session, redo_operation const *op, redo_result *result);

/* Gives the operation a key that no other has, if the client gives any; room must last as long. */
#define KEY_SIZE 24
void change_key(struct mirror *m, redo_operation *op, unsigned char room[KEY_SIZE]);

/* What `apply` answered: the result, and the sequence number. */
uint64_t change_read(msgpack_object const *answer, redo_result *result);

/* Whether an operation that was answered so was the last one of the session's own. */
bool change_is_own(struct mirror const *m, redo_result const *r, uint64_t sequence);

/* What came of an operation, *result as it was answered, that the replica has under its key, or
 * that has changed nothing: *result, and what it made of history_answer(). REDO_OK; REDO_EDIVERGED,
 * or REDO_ERESYNC: it is not known. */
int change_recall(struct mirror *m, redo_operation const *op, redo_result *result);

static inline bool is_uint(msgpack_object const *o)
{
    return o && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
}

#endif
