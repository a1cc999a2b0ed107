/* A request's way: its method is found, its params are checked, its handler answers. Whatever goes
 * wrong is answered with an error; a notification that names a method is done and not answered, any
 * other is ignored, and so are responses. */
#include "server/gateway.h"

#include <stdlib.h>
#include <string.h>

#include "protocol/error.h"
#include "server/access.h"
#include "server/call.h"
#include "server/client.h"
#include "server/conn.h"
#include "server/daemon.h"
#include "server/event.h"
#include "server/job.h"
#include "server/log.h"
#include "server/pool.h"
#include "server/rooms.h"

/* ---- the store --------------------------------------------------------------------------- */

/* What happened to the store is worth a line. */
static void log_notices(struct gateway *gateway)
{
    char text[512];
    while (store_notice(gateway->store, text, sizeof text))
        log_warn("%s", text);
}

static void on_committed(void *data, uint64_t number)
{
    struct gateway *gateway = data;
    log_notices(gateway);
    rooms_committed(gateway, number);
    for (struct link *l = gateway->clients.next; l != &gateway->clients; l = l->next)
        outbox_release(&list_entry(l, struct client, in_clients)->outbox, number);
    jobs_committed(gateway, number);
}

static void on_failed(void *data, uint64_t committed, int code)
{
    struct gateway *gateway = data;
    log_notices(gateway);
    log_error("changes could not be stored and are undone: %s", redo_strerror(code));
    rooms_failed(gateway, committed, code);
    for (struct link *l = gateway->clients.next; l != &gateway->clients; l = l->next) {
        struct outbox *outbox = &list_entry(l, struct client, in_clients)->outbox;
        outbox_fail(outbox, committed, code);
        outbox_release(outbox, gateway->committer.committed); /* nothing waits for the lost ones */
    }
    jobs_committed(gateway, gateway->committer.committed);
}

static struct committer_handler const committer_handler = {.committed = on_committed,
                                                           .failed = on_failed};

static int open_store(struct gateway *gateway)
{
    struct config const *config = &gateway->daemon->config;
    char why[512] = "";
    int rc = store_open(&gateway->store, config->store, why, sizeof why);
    if (rc) {
        log_error("the store in %s can not be opened: %s", config->store,
                  *why ? why : redo_strerror(rc));
        return -1;
    }
    log_notices(gateway); /* damage, and what became of it */
    struct store_reader *reader = store_reader_open(gateway->store);
    uint64_t last;
    rc = reader ? store_last_id(reader, &last) : REDO_ENOMEM;
    if (!rc) {
        gateway->registry.next_handle = last + 1;
        gateway->readers[gateway->reader_count++] = reader;
        rc = usage_count(&gateway->usage, reader);
    }
    if (!rc) {
        if (committer_init(&gateway->committer, gateway->loop, gateway->store,
                           (int)config->relaxed_delay, &committer_handler, gateway) == 0) {
            trash_init(&gateway->trash, gateway, (int64_t)config->trash_age);
            return 0;
        }
        rc = REDO_ENOMEM;
    }
    log_error("the store in %s can not be read: %s", config->store, redo_strerror(rc));
    gateway_finish(gateway);
    return -1;
}

int gateway_init(struct gateway *gateway, struct daemon *daemon)
{
    *gateway = (struct gateway){
        .daemon = daemon, .loop = &daemon->loop, .budget = daemon->config.memory_budget};
    struct config const *config = &daemon->config;
    usage_init(&gateway->usage, (struct usage_amount){.sessions = config->user_sessions,
                                                      .positions = config->user_positions,
                                                      .bytes = config->user_bytes});
    registry_init(&gateway->registry);
    list_init(&gateway->clients);
    list_init(&gateway->lagging);
    list_init(&gateway->recent);
    list_init(&gateway->waiting);
    int rc = searches_init(&gateway->searches, gateway->loop);
    if (rc) {
        log_error("searches can not be set up: %s", uv_strerror(rc));
        return -1;
    }
    if (!methods_init(&gateway->methods)) {
        log_error("the table of methods is broken");
        return -1;
    }
    if ((rc = pool_begin(gateway->loop, &gateway->first))) {
        log_error("the threads that read the store can not be made: %s", uv_strerror(rc));
        return -1;
    }
    if (strcmp(daemon->config.store, "memory") != 0 && open_store(gateway))
        return -1;
    uv_idle_init(gateway->loop, &gateway->digging);
    gateway->digging.data = gateway;
    return 0;
}

void gateway_close(struct gateway *gateway)
{
    gateway->closing = true;
    if (gateway->store) {
        trash_close(&gateway->trash);
        int rc = committer_close(&gateway->committer);
        if (rc)
            log_error("what was changed last could not be stored: %s", redo_strerror(rc));
    }
    searches_close(&gateway->searches);
    registry_close(&gateway->registry);
    usage_close(&gateway->usage);
    buffer_free(&gateway->nowhere);
    rooms_bury_all(gateway);
    uv_close((uv_handle_t *)&gateway->digging, NULL);
    members_close(&gateway->members);
    rooms_forget_leaving(gateway);
    free(gateway->leaving);
}

void gateway_finish(struct gateway *gateway)
{
    if (!gateway->store)
        return;
    job_close_readers(gateway);
    store_close(gateway->store);
    gateway->store = NULL;
}

void gateway_open(struct gateway *gateway, struct conn *conn)
{
    struct client *client = calloc(1, sizeof *client);
    uv_os_fd_t fd = -1;
    uv_fileno((uv_handle_t *)&conn->pipe, &fd);
    if (client)
        client->asker = asker_new(&conn->peer, fd);
    if (!client || !client->asker) {
        log_error("out of memory for a connection");
        free(client);
        conn_end(conn);
        return;
    }
    client->conn = conn;
    list_init(&client->privates);
    list_init(&client->subscriptions);
    list_append(&gateway->clients, &client->in_clients);
    outbox_init(&client->outbox, conn, gateway->committer.committed);
    conn->data = client;
}

static int perform(struct call *call)
{
    struct message const *m = call->message;
    enum method_symbol method = method_find(&call->gateway->methods, m->method, m->method_size);
    if (method == METHOD_NONE)
        return call_fail(call, REDO_EMETHOD);
    int rc = method_check(&call->gateway->methods, method, &m->params, &call->args, &call->error);
    return rc ? rc : call_handlers[method](call);
}

bool gateway_message(struct gateway *gateway, struct conn *conn, struct message const *message)
{
    if (message->type == MESSAGE_RESPONSE || !conn->data)
        return true;
    struct call call; /* a kilobyte: not to be cleared for each message */
    call.gateway = gateway;
    call.client = conn->data;
    call.message = message;
    call.waits = false;
    call.number = 0;
    call.error.code = REDO_OK;
    int rc = perform(&call);
    if (rc == CALL_LATER) {
        if (call.client->job && call.client->job->search)
            conn_overhear(conn);
        return false;
    }
    if (rc && message->type == MESSAGE_REQUEST) {
        error_add_text(&call.error, "method", message->method, message->method_size);
        error_respond(&call.error, conn->errors_as_string, message->id,
                      outbox_answer(&call.client->outbox, call.waits, call.number, message->id));
    }
    if (call.client->job) /* its result was used, and the error may tell a text of it */
        job_free(call.client->job);
    call.client->found = 0;
    call.client->refused = REDO_OK;
    if (gateway->broken)
        rooms_discard_broken(gateway);
    return true;
}

void gateway_overheard(struct gateway *gateway, struct conn *conn, struct message const *message)
{
    struct call call = {.gateway = gateway, .client = conn->data, .message = message};
    if (message->type == MESSAGE_RESPONSE || !conn->data)
        return;
    enum method_symbol method =
        method_find(&gateway->methods, message->method, message->method_size);
    if (method == METHOD_ROUTES_CANCEL &&
        !method_check(&gateway->methods, method, &message->params, &call.args, &call.error))
        call_routes_overheard(&call);
}

void gateway_invalid(struct gateway *gateway, struct conn *conn, struct error const *error,
                     bool has_id, uint32_t id)
{
    struct client *client = conn->data;
    if (!client)
        return;
    struct buffer *out = outbox_answer(&client->outbox, false, 0, id);
    if (has_id) {
        error_respond(error, conn->errors_as_string, id, out);
    } else {
        pack_notification(out, event_table[EVENT_ERROR].name);
        error_pack(error, false, out);
    }
}

void gateway_keepalive(struct gateway *gateway, struct conn *conn)
{
    struct client *client = conn->data;
    if (!client || list_empty(&client->subscriptions))
        return;
    /* Not after what waits for the disk: it means just that all is well without it. */
    event_pack_keepalive(conn_out(conn), gateway->daemon->config.keepalive);
    conn_touch(conn);
}

void gateway_gone(struct gateway *gateway, struct conn *conn)
{
    struct client *client = conn->data;
    if (!client)
        return;
    while (!list_empty(&client->subscriptions))
        subscription_end(list_entry(client->subscriptions.next, struct subscription, in_client));
    while (!list_empty(&client->privates))
        rooms_discard(gateway, list_entry(client->privates.next, struct room, in_owner));
    job_abandon(client);
    upload_drop(client, &client->upload);
    upload_drop(client, &client->given);
    list_remove(&client->in_clients);
    outbox_close(&client->outbox);
    free(client->relaxed);
    asker_release(client->asker);
    free(client->name);
    free(client);
    conn->data = NULL;
}
