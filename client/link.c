/* The way to the daemon: requests in order, waiting for their answers, and the loss of the
 * connection and its return.
 *
 * Everything that comes is handed out in link_turn(), and so is the loss: link_lost() is the one
 * place where a connection ends that the program did not end. Each request on its way is answered
 * then, and each mirror told. Next to connect is client_ready() or link_turn(), whichever comes
 * first. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "client/adds.h"
#include "client/client.h"
#include "core/error.h"

#define BACKOFF_LEAST 10  /* milliseconds from one try to connect to the next ... */
#define BACKOFF_MOST 1000 /* ... which double up to this */

/* ---- what redo_client_fd() tells of ------------------------------------------------------ */

/* The timer goes off at this time; 0: never. What cannot be set here shows in no error: stepping
 * now and then works without. */
static void set_alarm(redo_client *client, int64_t when)
{
    struct itimerspec t = {.it_value = {when / 1000, when % 1000 * 1000000}};
    if (when == client->alarm)
        return;
    timerfd_settime(client->timer, TFD_TIMER_ABSTIME, &t, NULL);
    client->alarm = when;
}

static void watch_socket(redo_client *client)
{
    struct connection *c = &client->connection;
    uint32_t events = EPOLLIN | (connection_owes(c) ? (uint32_t)EPOLLOUT : 0);
    struct epoll_event event = {.events = events};
    if (c->fd == client->watched_fd && events == client->watched)
        return;
    epoll_ctl(client->epoll, c->fd == client->watched_fd ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, c->fd,
              &event);
    client->watched_fd = c->fd;
    client->watched = events;
}

/* Has the descriptor tell of what there is to do now. */
static void watch(redo_client *client)
{
    if (client->epoll < 0)
        return;
    if (client->connection.fd < 0) {
        client->watched_fd = -1; /* closing it has taken it out */
        set_alarm(client, client->retry > 0 ? client->retry : 1);
        return;
    }
    watch_socket(client);
    bool due = connection_holds(&client->connection) || adds_due(client);
    client->alarm = due ? 0 : client->alarm; /* to be set again, if it has gone off before */
    set_alarm(client, due ? 1 : 0);
}

int redo_client_fd(redo_client *client)
{
    if (!client) {
        error_set(REDO_ECONNECT);
        return -1;
    }
    error_set(REDO_OK);
    if (client->epoll >= 0)
        return client->epoll;
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN};
    if (epoll < 0 || timer < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event)) {
        if (epoll >= 0)
            close(epoll);
        if (timer >= 0)
            close(timer);
        error_set(REDO_ESYSTEM);
        return -1;
    }
    client->epoll = epoll;
    client->timer = timer;
    client->watched_fd = -1;
    watch(client);
    return epoll;
}

/* ---- calls of the program ---------------------------------------------------------------- */

int client_enter(redo_client *client)
{
    if (!client)
        return REDO_ECONNECT;
    if (client->inside)
        return REDO_EDENIED;
    client->deadline = connection_now() + client->connection.timeout;
    client->patient = false;
    return REDO_OK;
}

void client_leave(redo_client *client)
{
    watch(client);
}

int client_end(redo_client *client, int code)
{
    client_leave(client);
    return error_set(code);
}

/* ---- requests ---------------------------------------------------------------------------- */

struct buffer *request_begin(redo_client *client, struct request *r, char const *method)
{
    struct connection *c = &client->connection;
    uint32_t id;
    uint64_t start = c->sent + (c->out.size - c->gone);
    struct buffer *b = connection_request(c, method, &id);
    client->packed = start;
    if (r) {
        r->id = id;
        r->start = start;
        r->sent = false;
        r->next = NULL;
    }
    return b;
}

int request_send(redo_client *client, struct request *r)
{
    struct connection *c = &client->connection;
    if (c->out.failed) {
        buffer_rewind(&c->out, (size_t)(client->packed - c->sent) + c->gone);
        return REDO_ENOMEM;
    }
    if (r) {
        *client->last = r;
        client->last = &r->next;
    }
    return REDO_OK;
}

void request_forget(redo_client *client, struct request *r)
{
    struct request **at = &client->first;
    while (*at && *at != r)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = r->next;
    if (client->last == &r->next)
        client->last = at;
}

static struct request *request_pop(redo_client *client)
{
    struct request *r = client->first;
    client->first = r->next;
    if (!client->first)
        client->last = &client->first;
    r->next = NULL;
    return r;
}

/* Answers come in order: one to a request before the first that is waited for
 * is one that nobody waits for any more. */
bool link_answered(void *data, struct message const *m)
{
    redo_client *client = data;
    struct request *r = client->first;
    int32_t ahead = (int32_t)(m->id - (r ? r->id : client->connection.nextid));
    if (ahead > 0 || (!r && ahead == 0)) {
        client->broken = REDO_EPROTOCOL;
        return true;
    }
    if (ahead < 0)
        return false;
    msgpack_object result;
    int code = connection_conclude(&client->connection, m, &result);
    r = request_pop(client);
    r->answered(r, code, &result);
    if (client->connection.fd < 0)
        client->broken = REDO_EPROTOCOL; /* that is what was answered */
    return client->broken || (client->awaited && client->awaited->done);
}

/* ---- losing and finding the daemon ------------------------------------------------------- */

static void link_lost(redo_client *client)
{
    struct connection *c = &client->connection;
    struct request *first = client->first;
    connection_drop(c);
    client->broken = 0;
    client->retry = connection_now() + client->backoff;
    client->first = NULL;
    client->last = &client->first;
    for (struct mirror *m = client->mirrors; m; m = m->next)
        mirror_away(m);
    while (first) {
        struct request *r = first;
        first = r->next;
        r->sent = r->start < c->sent;
        r->answered(r, REDO_ECLOSED, NULL);
    }
    client->news++;
}

/* Who we are, for those who look at what is done. The answer says nothing new. */
static void say_hello(redo_client *client)
{
    if (!client->name)
        return;
    struct buffer *b = request_begin(client, NULL, "server.hello");
    pack_array(b, 1);
    pack_map(b, 1);
    pack_key(b, "client");
    pack_cstr(b, client->name);
    request_send(client, NULL);
}

/* Connects, waiting at most so many milliseconds, and has the mirrors resume. */
static int dial(redo_client *client, int timeout)
{
    int rc = connection_reopen(&client->connection, client->path, timeout);
    client->backoff = client->backoff * 2 < BACKOFF_LEAST  ? BACKOFF_LEAST
                      : client->backoff * 2 > BACKOFF_MOST ? BACKOFF_MOST
                                                           : client->backoff * 2;
    client->retry = connection_now() + client->backoff;
    if (rc)
        return REDO_ECLOSED;
    say_hello(client);
    for (struct mirror *m = client->mirrors; m; m = m->next)
        mirror_resume(m);
    return REDO_OK;
}

/* Sleeps until then, or until a signal: REDO_OK or REDO_ESYSTEM. */
static int sleep_until(int64_t when)
{
    int64_t left = when - connection_now();
    return left <= 0 || poll(NULL, 0, (int)left) == 0 ? REDO_OK : REDO_ESYSTEM;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int client_ready(redo_client *client, bool patient)
{
    if (client->connection.fd >= 0)
        return REDO_OK;
    int64_t left = client->deadline - connection_now();
    while (dial(client, left > 0 ? (int)left : 0)) {
        if (!patient || connection_now() >= client->deadline)
            return REDO_ECLOSED;
        sleep_until(earlier(client->retry, client->deadline));
        left = client->deadline - connection_now();
    }
    return REDO_OK;
}

/* Not connected: waits until it is time, and tries. */
static int turn_without(redo_client *client, int64_t deadline)
{
    if (sleep_until(earlier(client->retry, deadline)))
        return REDO_ESYSTEM;
    if (connection_now() < client->retry)
        return REDO_ETIMEOUT;
    return dial(client, 0);
}

int link_turn(redo_client *client, int64_t deadline)
{
    if (client->connection.fd < 0)
        return turn_without(client, deadline);
    adds_send(client);
    int rc = connection_wait(&client->connection, deadline);
    if (client->broken)
        rc = client->broken;
    if (rc && rc != REDO_ETIMEOUT && rc != REDO_ESYSTEM) {
        link_lost(client);
        return REDO_ECLOSED;
    }
    return rc;
}

/* ---- requests that are waited for -------------------------------------------------------- */

static void call_answered(struct request *r, int code, msgpack_object const *result)
{
    struct call *call = (struct call *)r;
    call->done = true;
    call->code = code;
    if (!code && call->read)
        call->read(call, result);
}

int call_wait(redo_client *client, struct call *call)
{
    call->request.answered = call_answered;
    call->done = false;
    int rc = request_send(client, &call->request);
    if (rc)
        return rc;
    client->awaited = call;
    while (!call->done) {
        if (link_turn(client, client->deadline) == REDO_ETIMEOUT &&
            connection_now() >= client->deadline)
            break;
    }
    client->awaited = NULL;
    if (call->done && !call->code)
        client->backoff = 0; /* it is there: if it is lost it is looked for at once */
    if (call->done)
        return call->code;
    request_forget(client, &call->request);
    /* The rest of what is sent in part would have to be kept for as long as it takes. */
    if (connection_owes(&client->connection))
        link_lost(client);
    return REDO_ETIMEOUT;
}
