/* A request's way: its method is found, its params are checked, its handler answers. Whatever goes
 * wrong is answered with an error; a notification that names a method is done and not answered, any
 * other is ignored, and so are responses. */
#include "server/gateway.h"

#include <stdlib.h>

#include "protocol/error.h"
#include "server/call.h"
#include "server/client.h"
#include "server/conn.h"
#include "server/log.h"

call_handler *const call_handlers[METHOD_COUNT] = {
    [METHOD_SERVER_HELLO] = call_server_hello,
    [METHOD_SERVER_INFO] = call_server_info,
    [METHOD_SERVER_PING] = call_server_ping,
    [METHOD_BEGINSESSION] = call_beginsession,
    [METHOD_LOADSESSION] = call_loadsession,
    [METHOD_OPENSESSION] = call_opensession,
    [METHOD_ENDSESSION] = call_endsession,
    [METHOD_DELETESESSION] = call_deletesession,
    [METHOD_LISTSESSIONS] = call_listsessions,
    [METHOD_GETSESSION] = call_getsession,
    [METHOD_GETFIRSTPOSITION] = call_getfirstposition,
    [METHOD_GETSESSIONSIZE] = call_getsessionsize,
    [METHOD_ADDPOSITION] = call_addposition,
    [METHOD_ADDPOSITIONS] = call_addpositions,
    [METHOD_SETGRAFTBEHAVIOR] = call_setgraftbehavior,
    [METHOD_GETGRAFTBEHAVIOR] = call_getgraftbehavior,
    [METHOD_GETSAVEDSTATE] = call_getsavedstate,
    [METHOD_GETNEXTPOSITION] = call_getnextposition,
    [METHOD_DROPPOSITION] = call_dropposition,
    [METHOD_UPDATESAVEDSTATE] = call_updatesavedstate,
    [METHOD_SETBETTERFIELDS] = call_setbetterfields,
    [METHOD_SUPPRESSCYCLE] = call_suppresscycle,
    [METHOD_DUPLICATEPATH] = call_duplicatepath,
    [METHOD_HASSESSIONCHANGED] = call_hassessionchanged,
    [METHOD_CLEARSESSIONCHANGED] = call_clearsessionchanged,
    [METHOD_GETPOSITION] = call_getposition,
    [METHOD_GETBRANCHES] = call_getbranches,
    [METHOD_GETPATH] = call_getpath,
    [METHOD_GETSOLUTION] = call_getsolution,
    [METHOD_GETTREE] = call_gettree,
    [METHOD_GETPOSITIONS] = call_getpositions,
    [METHOD_ATTACH] = call_attach,
    [METHOD_READSNAPSHOT] = call_readsnapshot,
    [METHOD_DETACH] = call_detach,
    [METHOD_APPLY] = call_apply_encoded,
};

int gateway_init(struct gateway *gateway, struct daemon *daemon)
{
    *gateway = (struct gateway){.daemon = daemon};
    registry_init(&gateway->registry);
    if (!methods_init(&gateway->methods)) {
        log_error("the table of methods is broken");
        return -1;
    }
    return 0;
}

void gateway_close(struct gateway *gateway)
{
    registry_close(&gateway->registry);
    buffer_free(&gateway->nowhere);
}

void gateway_open(struct gateway *gateway, struct conn *conn)
{
    struct client *client = malloc(sizeof *client);
    if (!client) {
        log_error("out of memory for a connection");
        conn_end(conn);
        return;
    }
    client->conn = conn;
    list_init(&client->privates);
    list_init(&client->subscriptions);
    conn->data = client;
}

struct buffer *call_reply(struct call *call)
{
    if (call->message->type != MESSAGE_REQUEST) {
        buffer_rewind(&call->gateway->nowhere, 0);
        return &call->gateway->nowhere;
    }
    struct buffer *out = conn_out(call->client->conn);
    pack_response(out, call->message->id);
    conn_touch(call->client->conn);
    return out;
}

int call_fail(struct call *call, int code)
{
    error_begin(&call->error, code, NULL);
    return code;
}

static int perform(struct call *call)
{
    struct message const *m = call->message;
    enum method_symbol method = method_find(&call->gateway->methods, m->method, m->method_size);
    if (method == METHOD_NONE) {
        call_fail(call, REDO_EMETHOD);
        error_add_text(&call->error, "method", m->method, m->method_size);
        return REDO_EMETHOD;
    }
    int rc = method_check(&call->gateway->methods, method, &m->params, &call->args, &call->error);
    return rc ? rc : call_handlers[method](call);
}

void gateway_message(struct gateway *gateway, struct conn *conn, struct message const *message)
{
    if (message->type == MESSAGE_RESPONSE || !conn->data)
        return;
    struct call call; /* a kilobyte: not to be cleared for each message */
    call.gateway = gateway;
    call.client = conn->data;
    call.message = message;
    call.error.code = REDO_OK;
    if (perform(&call) == REDO_OK || message->type != MESSAGE_REQUEST)
        return;
    error_respond(&call.error, conn->errors_as_string, message->id, conn_out(conn));
    conn_touch(conn);
}

void gateway_gone(struct gateway *gateway, struct conn *conn)
{
    struct client *client = conn->data;
    if (!client)
        return;
    while (!list_empty(&client->subscriptions))
        subscription_end(list_entry(client->subscriptions.next, struct subscription, in_client));
    while (!list_empty(&client->privates)) {
        struct room *room = list_entry(client->privates.next, struct room, in_owner);
        list_remove(&room->in_owner);
        registry_leave(&gateway->registry, room);
        room_free(room);
    }
    free(client);
    conn->data = NULL;
}
