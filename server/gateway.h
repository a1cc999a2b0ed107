/* What messages mean: for each request a handler. It owns the sessions. Loop thread only. */
#ifndef SERVER_GATEWAY_H
#define SERVER_GATEWAY_H

#include "protocol/message.h"
#include "protocol/method.h"
#include "server/registry.h"

struct conn;
struct daemon;

struct gateway {
    struct daemon *daemon;
    struct methods methods;
    struct registry registry;
    struct buffer nowhere; /* results of calls that came as notifications */
};

/* Before the socket is listened on. 0, or -1 and the reason was logged. */
int gateway_init(struct gateway *gateway, struct daemon *daemon);

/* When the last connection is gone and no other can come. It may leave handles in the loop that
 * close in their own time. */
void gateway_close(struct gateway *gateway);

/* A connection has come; sent a message; is gone. */
void gateway_open(struct gateway *gateway, struct conn *conn);
void gateway_message(struct gateway *gateway, struct conn *conn, struct message const *message);
void gateway_gone(struct gateway *gateway, struct conn *conn);

#endif
