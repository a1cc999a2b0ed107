/* Behind redo_client.h: a connection and the sessions attached over it. */
#ifndef CLIENT_CLIENT_H
#define CLIENT_CLIENT_H

#include "client/connection.h"
#include "client/redo_client.h"
#include "core/session.h"

/* A session of the daemon: the handle that programs hold, its replica, and where that stands. */
struct mirror {
    redo_session session; /* first: a redo_session of this library is a struct mirror */
    redo_client *client;
    uint64_t handle;       /* in the daemon */
    uint64_t sequence;     /* of the last operation that the replica has seen */
    char *name;            /* NULL: private */
    int lost;              /* why it can not be changed any more, or REDO_OK */
    bool owns_client;      /* begun by redo_beginsession(): the connection is its own */
    struct buffer early;   /* events that came before the replica was there: size, bytes ... */
    redo_result own;       /* of the last operation that was this session's own ... */
    uint64_t own_sequence; /* ... and its number */
    redo_client_observer *observer;
    void *observer_data;
    struct mirror *next; /* of the client */
};

struct redo_client {
    struct connection connection;
    struct mirror *mirrors;
    int applied; /* operations applied since the last step began */
};

/* The library's part of connection.notified: data is the redo_client. */
void mirror_notified(void *data, struct message const *message);

/* Attaches to the session whose SESSION map was answered, reads its snapshot, and gives the mirror;
 * NULL: see redo_lasterror(). */
redo_session *mirror_attach(redo_client *client, uint64_t handle, char const *name);

/* Ends the mirror and tells the daemon, if it is still there. */
void mirror_end(struct mirror *m);

#endif
