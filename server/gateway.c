/* Answers server.ping, and says of all else that it is unknown. */
#include "server/gateway.h"

#include <string.h>

#include "core/redo_error.h"
#include "protocol/error.h"
#include "protocol/pack.h"
#include "server/conn.h"

int gateway_init(struct gateway *gateway, struct daemon *daemon)
{
    gateway->daemon = daemon;
    return 0;
}

void gateway_close(struct gateway *gateway)
{
    (void)gateway;
}

void gateway_open(struct gateway *gateway, struct conn *conn)
{
    (void)gateway;
    (void)conn;
}

void gateway_message(struct gateway *gateway, struct conn *conn, struct message const *message)
{
    static char const ping[] = "server.ping";

    (void)gateway;
    if (message->type != MESSAGE_REQUEST)
        return;
    if (message->method_size == sizeof ping - 1 &&
        memcmp(message->method, ping, sizeof ping - 1) == 0) {
        pack_response(conn_out(conn), message->id);
        pack_nil(conn_out(conn));
    } else {
        struct error error;

        error_begin(&error, REDO_EMETHOD, NULL);
        error_add_text(&error, "method", message->method, message->method_size);
        error_respond(&error, conn->errors_as_string, message->id, conn_out(conn));
    }
    conn_touch(conn);
}

void gateway_gone(struct gateway *gateway, struct conn *conn)
{
    (void)gateway;
    (void)conn;
}
