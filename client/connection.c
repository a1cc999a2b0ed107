/* A connection that waits. All waiting is in wait_for(), against a deadline, so that no call
 * outlasts its timeout; but for the first wait for an answer, which the kernel ends by itself
 * (SO_RCVTIMEO): so the usual call costs two system calls and no third. A call that has waited
 * elsewhere before has less time than that left, and waits in wait_for() alone.
 *
 * While requests are being sent, answers are read too, and kept: a daemon does not read on from a
 * client that does not take its answers, and the two would wait for each other.
 *
 * What ends a connection is noticed in one of the three functions that touch the socket or the
 * bytes (send_some, fill, peek), and always ends in fatal(). A daemon that hangs up while it is
 * being sent to may have said why: the rest to be sent is thrown away then, and reading goes on to
 * its end. */
#include "client/connection.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "protocol/error.h"
#include "protocol/place.h"
#include "redo_error.h"

#define READ_SIZE (64 * 1024)    /* bytes of room for a read, at least */
#define STEP_SIZE (1024 * 1024)  /* bytes that a step reads, about, before it returns */
#define SPARE_SIZE (1024 * 1024) /* an empty buffer larger than this is given back */
#define KERNEL_SLACK 2           /* milliseconds by which a call may outlast its time */

/* The daemon is trusted further than it trusts its clients: what it sends, the client asked for. */
static struct frame_limits const limits = {
    .bytes = 1024 * 1024 * 1024, .items = 64 * 1024 * 1024, .depth = FRAME_DEPTH_MAX};

/* ---- time -------------------------------------------------------------------------------- */

int64_t connection_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* When a wait of so many milliseconds is over; below 0: never. */
static int64_t deadline_after(int timeout)
{
    return timeout < 0 ? -1 : connection_now() + timeout;
}

static int left_until(int64_t deadline)
{
    if (deadline < 0)
        return -1;
    int64_t left = deadline - connection_now();
    return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* The same for a socket's option; all 0 stands for ever there. */
static struct timeval time_of(int timeout)
{
    if (timeout < 0)
        return (struct timeval){0};
    return (struct timeval){.tv_sec = timeout / 1000, .tv_usec = timeout % 1000 * 1000 + 1};
}

/* ---- opening and closing ----------------------------------------------------------------- */

int connection_path(char const *path, char *out, size_t size)
{
    struct place_environment environment = {
        .uid = geteuid(),
        .runtime_dir = getenv("XDG_RUNTIME_DIR"),
        .state_home = getenv("XDG_STATE_HOME"),
        .home = getenv("HOME"),
    };

    if (!path)
        path = getenv("REDO_SOCKET");
    if (!path || !path[0])
        return place_socket(&environment, out, size) == REDO_OK ? REDO_OK : REDO_ENAME;

    size_t length = strlen(path);
    if (length > PLACE_SOCKET_MAX || length >= size)
        return REDO_ENAME;
    memcpy(out, path, length + 1);
    return REDO_OK;
}

/* A connected socket, or -1 with errno. */
static int dial(struct sockaddr_un const *address, int timeout)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;

    /* Connecting waits while the daemon's backlog is full; poll() could not tell of its end. */
    struct timeval t = time_of(timeout);
    int result;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t);
    do
        result = connect(fd, (struct sockaddr const *)address, sizeof *address);
    while (result < 0 && errno == EINTR);
    if (result == 0)
        return fd;

    int error = errno == EAGAIN ? ETIMEDOUT : errno;
    close(fd);
    errno = error;
    return -1;
}

/* A socket connected to the daemon at path: REDO_OK and *fd, or a code and errno. */
static int dial_path(char const *path, int timeout, int *fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (connection_path(path, address.sun_path, sizeof address.sun_path) != REDO_OK) {
        errno = ENAMETOOLONG;
        return REDO_ENAME;
    }
    *fd = dial(&address, timeout);
    if (*fd < 0)
        return errno == ENOMEM ? REDO_ENOMEM : REDO_ECONNECT;
    return REDO_OK;
}

int connection_open(struct connection *c, char const *path, int timeout)
{
    int fd;

    *c = (struct connection){.fd = -1};
    int code = dial_path(path, timeout, &fd);
    if (code != REDO_OK)
        return code;
    code = connection_adopt(c, fd, timeout);
    if (code != REDO_OK) {
        close(fd);
        errno = ENOMEM;
    }
    return code;
}

int connection_reopen(struct connection *c, char const *path, int timeout)
{
    int fd;
    int code = dial_path(path, timeout, &fd);

    if (code != REDO_OK)
        return code;
    connection_drop(c);
    buffer_free(&c->in);
    c->used = 0;
    c->sent = 0;
    frame_init(&c->frame);
    c->fd = fd;
    connection_settimeout(c, c->timeout);
    return REDO_OK;
}

void connection_settimeout(struct connection *c, int timeout)
{
    struct timeval t = time_of(timeout);

    c->timeout = timeout;
    if (c->fd >= 0)
        setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}

int connection_adopt(struct connection *c, int fd, int timeout)
{
    *c = (struct connection){.fd = -1, .timeout = timeout};
    if (!msgpack_zone_init(&c->zone, MSGPACK_ZONE_CHUNK_SIZE))
        return REDO_ENOMEM;
    c->fd = fd;
    connection_settimeout(c, timeout);
    buffer_init(&c->out);
    buffer_init(&c->in);
    frame_init(&c->frame);
    return REDO_OK;
}

void connection_close(struct connection *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    buffer_free(&c->out);
    buffer_free(&c->in);
    c->used = 0;
    msgpack_zone_destroy(&c->zone);
}

void connection_drop(struct connection *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    buffer_rewind(&c->out, 0);
    c->gone = 0;
}

static int fatal(struct connection *c, int code)
{
    connection_drop(c);
    return code;
}

/* ---- the socket -------------------------------------------------------------------------- */

/* Waits until one of the events can be had: REDO_OK, REDO_ETIMEOUT, or REDO_ESYSTEM with errno,
 * EINTR among them. */
static int wait_for(struct connection *c, short events, int64_t deadline)
{
    struct pollfd p = {.fd = c->fd, .events = events};
    int count = poll(&p, 1, left_until(deadline));

    if (count > 0)
        return REDO_OK;
    return count == 0 ? REDO_ETIMEOUT : REDO_ESYSTEM;
}

/* Reads once, as much as there is room for; flags MSG_DONTWAIT, or 0 to wait for c->timeout.
 * REDO_OK, *count bytes came, or *count 0: nothing is there; or REDO_ECLOSED at the end,
 * REDO_ENOMEM. Closing is left to the caller. */
static int fill(struct connection *c, int flags, size_t *count)
{
    *count = 0;
    buffer_consume(&c->in, c->used);
    c->used = 0;
    if (c->in.size == 0 && c->in.cap > SPARE_SIZE)
        buffer_free(&c->in);
    if (!buffer_reserve(&c->in, READ_SIZE))
        return REDO_ENOMEM;

    ssize_t size = recv(c->fd, c->in.data + c->in.size, c->in.cap - c->in.size, flags);
    if (size > 0) {
        c->in.size += (size_t)size;
        c->received += (size_t)size;
        *count = (size_t)size;
        return REDO_OK;
    }
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return REDO_OK;
    return REDO_ECLOSED;
}

/* All is sent, or nobody is there to take it. */
static void empty_out(struct connection *c)
{
    if (c->out.cap > SPARE_SIZE)
        buffer_free(&c->out);
    buffer_rewind(&c->out, 0);
    c->gone = 0;
}

/* Sends as much of what is packed as the kernel takes. REDO_OK; REDO_ECLOSED if the daemon hung up:
 * what it said last may be there to read yet, and the rest is thrown away. */
static int send_some(struct connection *c)
{
    while (connection_owes(c)) {
        ssize_t size =
            send(c->fd, c->out.data + c->gone, c->out.size - c->gone, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (size > 0) {
            c->gone += (size_t)size;
            c->sent += (size_t)size;
        } else if (errno == EAGAIN) {
            return REDO_OK;
        } else if (errno != EINTR) {
            empty_out(c);
            return REDO_ECLOSED;
        }
    }
    empty_out(c);
    return REDO_OK;
}

/* Sends all that is packed, and takes in what comes meanwhile. */
static int send_out(struct connection *c)
{
    int64_t deadline = deadline_after(c->timeout);

    if (c->out.failed)
        return fatal(c, REDO_ENOMEM);
    while (send_some(c) == REDO_OK && connection_owes(c)) {
        int code = wait_for(c, POLLIN | POLLOUT, deadline);
        if (code != REDO_OK && !(code == REDO_ESYSTEM && errno == EINTR))
            return fatal(c, code == REDO_ETIMEOUT ? REDO_ETIMEOUT : REDO_ECLOSED);
        size_t count;
        code = fill(c, MSG_DONTWAIT, &count);
        if (code == REDO_ECLOSED)
            break;
        if (code != REDO_OK)
            return fatal(c, code);
    }
    empty_out(c);
    return REDO_OK;
}

/* ---- messages ---------------------------------------------------------------------------- */

/* The message that stands next in what was read: REDO_OK, *whole false if there is more to come; or
 * the code after which the connection is closed. take() goes on to the one after it. */
static int peek(struct connection *c, struct message *m, bool *whole)
{
    char const *data = c->in.data + c->used;
    size_t size = c->in.size - c->used;

    *whole = false;
    if (size == 0)
        return REDO_OK;
    switch (frame_scan(&c->frame, &limits, data, size)) {
    case FRAME_MORE:
        return REDO_OK;
    case FRAME_COMPLETE:
        break;
    default:
        return fatal(c, REDO_EPROTOCOL);
    }
    int code = message_parse(m, &c->zone, data, &c->frame);
    if (code != REDO_OK)
        return fatal(c, code == REDO_ENOMEM ? REDO_ENOMEM : REDO_EPROTOCOL);
    if (m->bad_text)
        return fatal(c, REDO_EPROTOCOL);
    *whole = true;
    return REDO_OK;
}

static void take(struct connection *c)
{
    c->used += c->frame.at;
    frame_init(&c->frame);
}

static void hand_out(struct connection *c, struct message const *m)
{
    take(c);
    if (c->notified)
        c->notified(c->data, m);
}

int connection_conclude(struct connection *c, struct message const *m, msgpack_object *result)
{
    if (m->error.type == MSGPACK_OBJECT_NIL) {
        *result = m->result;
        return REDO_OK;
    }

    char const *text;
    size_t size;
    int code;
    *result = m->error;
    error_read(&m->error, &code, &text, &size);
    if (size >= sizeof c->error) { /* cut between two characters */
        size = sizeof c->error - 1;
        while (size > 0 && ((unsigned char)text[size] & 0xC0) == 0x80)
            size--;
    }
    memcpy(c->error, text, size);
    c->error[size] = '\0';
    return code == REDO_EPROTOCOL ? fatal(c, code) : code;
}

struct buffer *connection_request(struct connection *c, char const *method, uint32_t *id)
{
    *id = c->nextid++;
    pack_request(&c->out, *id, method);
    return &c->out;
}

int connection_flush(struct connection *c)
{
    return c->fd < 0 ? fatal(c, REDO_ECLOSED) : send_out(c);
}

int connection_call(struct connection *c, uint32_t id, msgpack_object *result)
{
    int code = connection_flush(c);

    return code == REDO_OK ? connection_receive(c, id, result) : code;
}

static int wait_and_fill(struct connection *c, int64_t deadline)
{
    size_t count;
    int code = wait_for(c, POLLIN, deadline);

    if (code == REDO_ETIMEOUT)
        return code;
    if (code != REDO_OK && !(code == REDO_ESYSTEM && errno == EINTR))
        return REDO_ECLOSED;
    return fill(c, MSG_DONTWAIT, &count);
}

int connection_receive(struct connection *c, uint32_t id, msgpack_object *result)
{
    int64_t deadline = deadline_after(c->timeout);
    bool waited = false;
    size_t count;

    c->error[0] = '\0';
    while (c->fd >= 0) {
        struct message m;
        bool whole;
        int code = peek(c, &m, &whole);
        if (code != REDO_OK)
            return code;
        if (!whole) {
            code = waited ? wait_and_fill(c, deadline) : fill(c, 0, &count);
            if (code != REDO_OK)
                return fatal(c, code);
            waited = true;
            continue;
        }
        if (m.type == MESSAGE_NOTIFICATION) {
            hand_out(c, &m);
            continue;
        }
        if (m.type != MESSAGE_RESPONSE || !m.has_id)
            return fatal(c, REDO_EPROTOCOL);
        take(c);
        /* Answers come in order: one to an older request is one that nobody asked for. */
        int32_t ahead = (int32_t)(m.id - id);
        if (ahead > 0)
            return fatal(c, REDO_EPROTOCOL);
        if (ahead == 0)
            return connection_conclude(c, &m, result);
    }
    return REDO_ECLOSED;
}

/* Hands out notifications up to the next response, which stays for connection_receive(): then
 * *blocked. *count is raised by their number. */
static int hand_out_all(struct connection *c, size_t *count, bool *blocked)
{
    for (;;) {
        struct message m;
        bool whole;
        int code = peek(c, &m, &whole);
        *blocked = code == REDO_OK && whole && m.type != MESSAGE_NOTIFICATION;
        if (code != REDO_OK || !whole || *blocked)
            return code;
        hand_out(c, &m);
        ++*count;
    }
}

int connection_step(struct connection *c, int timeout)
{
    int64_t deadline = deadline_after(timeout);
    size_t read = 0, handed = 0;
    bool blocked;

    if (c->fd < 0)
        return REDO_ECLOSED;
    int code = hand_out_all(c, &handed, &blocked);
    while (code == REDO_OK && !blocked && read < STEP_SIZE) {
        size_t count;
        code = fill(c, MSG_DONTWAIT, &count);
        if (code != REDO_OK)
            return fatal(c, code);
        if (count > 0) {
            read += count;
            code = hand_out_all(c, &handed, &blocked);
            continue;
        }
        if (handed > 0 || timeout == 0)
            break;
        code = wait_for(c, POLLIN, deadline);
        if (code == REDO_ETIMEOUT || (code == REDO_ESYSTEM && errno == EINTR))
            return REDO_OK; /* nothing came; or a signal, which is the caller's to look after */
        if (code != REDO_OK)
            return fatal(c, REDO_ECLOSED);
    }
    return code;
}

/* Hands out all that was read, up to the response after which `answered` wants no more. */
static int hand_on(struct connection *c, bool *handed)
{
    *handed = false;
    for (bool enough = false; !enough;) {
        struct message m;
        bool whole;
        int code = peek(c, &m, &whole);
        if (code != REDO_OK || !whole)
            return code;
        *handed = true;
        if (m.type == MESSAGE_NOTIFICATION) {
            hand_out(c, &m);
        } else if (m.type == MESSAGE_RESPONSE && m.has_id) {
            take(c);
            enough = c->answered(c->data, &m);
        } else {
            return fatal(c, REDO_EPROTOCOL);
        }
    }
    return REDO_OK;
}

/* The first wait of a call that has its whole time before it is left to the kernel. */
static bool kernel_waits(struct connection *c, int64_t deadline)
{
    return !connection_owes(c) && c->timeout >= 0 &&
           left_until(deadline) >= c->timeout - KERNEL_SLACK;
}

int connection_wait(struct connection *c, int64_t deadline)
{
    bool handed, waited = false;

    if (c->fd < 0)
        return REDO_ECLOSED;
    int code = hand_on(c, &handed);
    while (code == REDO_OK && !handed) {
        size_t count;
        send_some(c); /* who hung up is read to the end */
        bool kernel = !waited && kernel_waits(c, deadline);
        code = fill(c, kernel ? 0 : MSG_DONTWAIT, &count);
        if (code != REDO_OK)
            return fatal(c, code);
        if (count > 0) {
            code = hand_on(c, &handed);
            continue;
        }
        if (left_until(deadline) == 0)
            return REDO_ETIMEOUT;
        if (kernel)
            return REDO_ESYSTEM; /* a signal: else the time would be over */
        code = wait_for(c, connection_owes(c) ? POLLIN | POLLOUT : POLLIN, deadline);
        if (code == REDO_ETIMEOUT || (code == REDO_ESYSTEM && errno == EINTR))
            return code;
        if (code != REDO_OK)
            return fatal(c, REDO_ECLOSED);
        waited = true;
    }
    return code;
}

msgpack_object const *map_get(msgpack_object const *map, char const *key)
{
    size_t size = strlen(key);

    if (!map || map->type != MSGPACK_OBJECT_MAP)
        return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        msgpack_object_kv const *pair = &map->via.map.ptr[i];
        if (pair->key.type == MSGPACK_OBJECT_STR && pair->key.via.str.size == size &&
            memcmp(pair->key.via.str.ptr, key, size) == 0)
            return &pair->val;
    }
    return NULL;
}
