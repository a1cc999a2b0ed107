/* Up: lock, gateway (with its store), socket, READY=1. Down: the same backwards. */
#include "server/daemon.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/redo_error.h"
#include "protocol/error.h"
#include "protocol/pack.h"
#include "server/log.h"
#include "server/notify.h"

#define TURN_US 4000 /* one connection has the loop for so long, or for one message */

#define FINISH_MS 3000 /* for clients to take what is due to them */
#define STOP_SECONDS 5 /* for everything */
#define OTHER_FILES 64 /* descriptors besides those of connections */

/* ---- connections ------------------------------------------------------------------------- */

static bool on_message(struct conn *conn, struct message const *message)
{
    struct daemon *daemon = conn->conns->data;

    return gateway_message(&daemon->gateway, conn, message);
}

static void on_invalid(struct conn *conn, struct error const *error, bool has_id, uint32_t id)
{
    struct daemon *daemon = conn->conns->data;

    gateway_invalid(&daemon->gateway, conn, error, has_id, id);
}

static void on_overheard(struct conn *conn, struct message const *message)
{
    struct daemon *daemon = conn->conns->data;

    gateway_overheard(&daemon->gateway, conn, message);
}

static void on_keepalive(struct conn *conn)
{
    struct daemon *daemon = conn->conns->data;

    gateway_keepalive(&daemon->gateway, conn);
}

static void end_if_alone(struct daemon *daemon);

static void on_closed(struct conn *conn)
{
    struct daemon *daemon = conn->conns->data;

    log_debug("connection %llu ended", (unsigned long long)conn->number);
    gateway_gone(&daemon->gateway, conn);
    end_if_alone(daemon);
}

static struct conn_handler const handler = {
    .message = on_message,
    .overheard = on_overheard,
    .invalid = on_invalid,
    .closed = on_closed,
    .keepalive = on_keepalive,
};

static size_t connections_of(struct daemon *daemon, uid_t uid)
{
    size_t count = 0;

    for (struct link *link = daemon->conns.all.next; link != &daemon->conns.all; link = link->next)
        count += list_entry(link, struct conn, in_all)->peer.uid == uid;
    return count;
}

/* The name (as in server.info) of the limit that one more connection of this user would break;
 * NULL: none. */
static char const *limit_broken(struct daemon *daemon, uid_t uid, size_t *value)
{
    struct config const *config = &daemon->config;

    *value = config->max_connections;
    if (daemon->conns.count >= config->max_connections)
        return "connections";
    *value = config->max_per_user;
    if (config->max_per_user > 0 && connections_of(daemon, uid) >= config->max_per_user)
        return "connections_per_user";
    *value = config->user_connections;
    if (config->user_connections > 0 && !usage_exempt(uid) &&
        connections_of(daemon, uid) >= config->user_connections)
        return "user_connections";
    return NULL;
}

/* A last word to who can not stay. If the socket does not take it, it is not said. */
static void refuse(int fd, struct peer const *peer, char const *limit, size_t value)
{
    struct buffer bytes;
    struct error error;

    log_limited(LOG_KIND_LIMIT, LOG_LEVEL_WARN,
                "a connection of user %lu (process %ld) was refused: %s is %zu",
                (unsigned long)peer->uid, (long)peer->pid, limit, value);
    error_begin(&error, REDO_EFULL, "too many connections: %s is %zu", limit, value);
    error_add_word(&error, "limit", limit);
    error_add_int(&error, "value", (int64_t)value);
    buffer_init(&bytes);
    pack_notification(&bytes, event_table[EVENT_ERROR].name);
    error_pack(&error, false, &bytes);
    if (!bytes.failed)
        (void)!send(fd, bytes.data, bytes.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    buffer_free(&bytes);
    close(fd);
}

static void on_connected(struct listener *listener, int fd, struct peer const *peer)
{
    struct daemon *daemon = listener->data;
    size_t value;
    char const *limit = limit_broken(daemon, peer->uid, &value);

    if (limit != NULL) {
        refuse(fd, peer, limit, value);
        return;
    }

    struct conn *conn = conn_open(&daemon->conns, fd, peer);
    if (conn == NULL)
        return;
    log_debug("connection %llu: user %lu, process %ld", (unsigned long long)conn->number,
              (unsigned long)peer->uid, (long)peer->pid);
    gateway_open(&daemon->gateway, conn);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* One that was not initialized, since the start failed before, is all zero. */
static void close_handle(void *handle)
{
    if (((uv_handle_t *)handle)->loop != NULL)
        uv_close(handle, NULL);
}

static void end_if_alone(struct daemon *daemon)
{
    if (!daemon->stopping || daemon->stopped || daemon->conns.count > 0)
        return;
    daemon->stopped = true;
    gateway_close(&daemon->gateway);
    conns_close(&daemon->conns);
    close_handle(&daemon->terminate);
    close_handle(&daemon->interrupt);
    close_handle(&daemon->hangup);
    close_handle(&daemon->deadline);
}

static void on_deadline(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;

    log_warn("%zu connections are closed that did not take what is due to them",
             daemon->conns.count);
    conns_end(&daemon->conns);
}

void daemon_stop(struct daemon *daemon)
{
    if (daemon->stopping)
        return;
    daemon->stopping = true;
    notify_send("STOPPING=1");
    listener_close(&daemon->listener);
    conns_finish(&daemon->conns);
    uv_timer_start(&daemon->deadline, on_deadline, FINISH_MS, 0);
    /* Should the loop itself hang, the kernel ends it. */
    alarm(STOP_SECONDS);
    end_if_alone(daemon);
}

static void on_signal(uv_signal_t *signal, int number)
{
    struct daemon *daemon = signal->data;

    if (number == SIGHUP) {
        listener_restore(&daemon->listener);
    } else if (!daemon->stopping) {
        log_info("%s: ending", number == SIGTERM ? "SIGTERM" : "SIGINT");
        daemon_stop(daemon);
    } else {
        conns_end(&daemon->conns); /* asked twice: no more waiting */
    }
}

/* ---- life -------------------------------------------------------------------------------- */

/* As many descriptors as there may be connections, if the hard limit lets us. */
static void raise_file_limit(size_t connections)
{
    struct rlimit limit;
    rlim_t wanted = connections + OTHER_FILES;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < wanted)
        log_warn("only %llu descriptors for max-connections = %zu",
                 (unsigned long long)limit.rlim_cur, connections);
}

static int watch(struct daemon *daemon, uv_signal_t *signal, int number)
{
    int error = uv_signal_init(&daemon->loop, signal);

    signal->data = daemon;
    if (error == 0)
        error = uv_signal_start(signal, on_signal, number);
    if (error != 0)
        log_error("can not watch for signals: %s", uv_strerror(error));
    return error;
}

static int init_loop(struct daemon *daemon)
{
    struct config const *config = &daemon->config;
    struct conn_limits limits = {
        .turn_us = TURN_US,
        .frame = FRAME_LIMITS_DEFAULT,
        .output_soft = config->output_soft,
        .soft_ms = config->output_seconds * 1000,
        .output_hard = config->output_hard,
        .output_user = config->output_per_user,
        .idle_ms = config->idle_timeout * 1000,
        .keepalive_ms = config->keepalive * 1000,
        .stall_ms = config->stall_timeout * 1000,
    };

    limits.frame.bytes = config->max_message;
    int error = uv_loop_init(&daemon->loop);
    if (error == 0)
        error = conns_init(&daemon->conns, &daemon->loop, &limits, &handler, daemon);
    if (error != 0) {
        log_error("can not set up the loop: %s", uv_strerror(error));
        return -1;
    }
    uv_timer_init(&daemon->loop, &daemon->deadline);
    daemon->deadline.data = daemon;
    return 0;
}

int daemon_init(struct daemon *daemon)
{
    struct config const *config = &daemon->config;

    daemon->stopping = daemon->stopped = false;
    raise_file_limit(config->max_connections);
    if (listener_claim(&daemon->listener, config->socket, config->mode, &config->allow) < 0)
        return -1;
    if (init_loop(daemon) < 0) {
        listener_release(&daemon->listener);
        return -1;
    }
    if (gateway_init(&daemon->gateway, daemon) < 0) {
        listener_release(&daemon->listener);
        return -1;
    }
    if (watch(daemon, &daemon->terminate, SIGTERM) < 0 ||
        watch(daemon, &daemon->interrupt, SIGINT) < 0 ||
        watch(daemon, &daemon->hangup, SIGHUP) < 0 ||
        listener_start(&daemon->listener, &daemon->loop, on_connected, daemon) < 0) {
        daemon_stop(daemon);
        daemon_run(daemon);
        daemon_close(daemon);
        return -1;
    }
    notify_send("READY=1");
    return 0;
}

void daemon_run(struct daemon *daemon)
{
    uv_run(&daemon->loop, UV_RUN_DEFAULT);
}

void daemon_close(struct daemon *daemon)
{
    int error = uv_loop_close(&daemon->loop);

    if (error != 0)
        log_warn("the loop has not ended: %s", uv_strerror(error));
    gateway_finish(&daemon->gateway);
    listener_release(&daemon->listener);
    alarm(0);
}
