/* What the gateway keeps of a connection: the private sessions it began and what it is attached to.
 * Both end with it. */
#ifndef SERVER_CLIENT_H
#define SERVER_CLIENT_H

#include "server/list.h"

struct conn;

struct client {
    struct conn *conn;
    struct link privates;      /* of struct room.in_owner */
    struct link subscriptions; /* of struct subscription.in_client */
};

#endif
