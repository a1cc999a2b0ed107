/* What the gateway keeps of a connection: the private sessions it began and what it is attached to.
 * Both end with it. */
#ifndef SERVER_CLIENT_H
#define SERVER_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/list.h"
#include "server/outbox.h"
#include "server/upload.h"

struct asker;
struct job;

struct relaxed {
    uint64_t handle;
    int lost; /* why something it was told was never stored: to be opened anew; or REDO_OK */
};

struct client {
    struct conn *conn;
    struct asker *asker;       /* who it is */
    struct link privates;      /* of struct room.in_owner */
    struct link subscriptions; /* of struct subscription.in_client */
    struct link in_clients;    /* gateway.clients */
    struct outbox outbox;      /* all that is sent to it goes through here */
    char *name;                /* that it gave, the author of what it makes; or NULL */
    size_t name_size;
    uint32_t author;         /* the number it had last, in some session: a guess */
    struct job *job;         /* that its request waits for, or NULL */
    unsigned cancels;        /* routes.cancel that were done and wait for their turn, */
    unsigned cancels_all;    /* those without an id; */
    unsigned canceled;       /* how many searches they have stopped */
    uint64_t found;          /* what the name in its request was found to stand for; 0: not yet */
    int refused;             /* why the match in its request is not to be had; REDO_OK: not known */
    int lost;                /* ... and for REDO_ERESYNC, why that was lost */
    struct relaxed *relaxed; /* the sessions of which it is told at once */
    size_t relaxed_count;
    struct upload upload; /* what loadpart has collected */
    struct upload given;  /* the dump of the request that is under way, if it is a large one */
};

#endif
