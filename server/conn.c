/* The way of a message: on_read() -> look() -> deliver() -> handler -> conn_touch(), and once a
 * turn on_prepare() -> flush().
 *
 * Why a prepare handle: libuv runs timers, then prepare handles, then sleeps in poll, where sockets
 * and other threads' signals call back, and then begins anew without a pause. So whichever callback
 * appended output, on_prepare() comes after it and before the next sleep, once: one write a
 * connection carries all of it. Left-over input is looked at there too, for what it brings to go
 * out in the same write; while some is left the idle handle keeps poll from sleeping. */
#include "server/conn.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/redo_error.h"
#include "protocol/method.h"
#include "protocol/pack.h"
#include "server/bounds.h"
#include "server/log.h"
#include "server/tend.h"
#include "server/trim.h"

/* What one connection gets done in a turn before others have theirs. */
#define TURN_MESSAGES 256
#define TURN_BYTES (256 * 1024)

#define READ_MOST (64 * 1024) /* room to read into that a busy one is given */

#define ZONE_CHUNK (16 * 1024)

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *room);
static void on_read(uv_stream_t *stream, ssize_t size, uv_buf_t const *room);

/* ---- reading, or not --------------------------------------------------------------------- */

/* Reads if, and only if, there is room for what may come of it. */
static void update_reading(struct conn *conn)
{
    bool open = !conn->paused || (conn->overhears && conn->in.size < conn->waits + CONN_AHEAD);
    bool wanted = conn->state == CONN_OPEN && !conn->eof && !conn->choked && open &&
                  !list_linked(&conn->in_ready);

    if (wanted == conn->reading)
        return;
    conn->reading = wanted;
    if (wanted)
        uv_read_start((uv_stream_t *)&conn->pipe, on_alloc, on_read);
    else
        uv_read_stop((uv_stream_t *)&conn->pipe);
}

void conn_choke(struct conn *conn)
{
    if (!conn->writing) /* on_written() comes back to it */
        return;
    conn->choked = true;
    update_reading(conn);
}

static void on_spin(uv_idle_t *idle)
{
    (void)idle;
}

/* Has more to be looked at in the next turn. */
static void make_ready(struct conn *conn)
{
    if (list_linked(&conn->in_ready))
        return;
    list_append(&conn->conns->ready, &conn->in_ready);
    uv_idle_start(&conn->conns->spin, on_spin);
}

/* Output has gone out. */
static void relieve(struct conn *conn)
{
    if (!bounds_relieve(conn))
        return;
    if (conn->in.size > 0 || conn->eof)
        make_ready(conn);
    update_reading(conn);
}

/* ---- messages ---------------------------------------------------------------------------- */

void conn_tell_error(struct conn *conn, struct error const *error, bool has_id, uint32_t id)
{
    if (conn->conns->handler->invalid) {
        conn->conns->handler->invalid(conn, error, has_id, id);
        return;
    }
    if (has_id) {
        error_respond(error, conn->errors_as_string, id, &conn->out);
    } else {
        pack_notification(&conn->out, event_table[EVENT_ERROR].name);
        error_pack(error, false, &conn->out);
    }
    conn_touch(conn);
}

/* Where the next message begins can not be known: a last word, and the end. */
static void break_off(struct conn *conn, char const *data, size_t size)
{
    struct frame_limits const *limits = &conn->conns->limits.frame;
    struct error error;
    uint32_t id;
    int code = frame_code(&conn->frame);

    if (code == REDO_ETOOBIG) {
        char const *what = conn->frame.exceeded;
        unsigned long long limit = what[0] == 'b'   ? limits->bytes
                                   : what[0] == 'i' ? limits->items
                                                    : limits->depth;

        error_begin(&error, code, "the message is larger than the limit: %llu %s", limit, what);
        error_add_word(&error, "limit", what);
        error_add_int(&error, "value", (int64_t)limit);
    } else {
        error_begin(&error, code, "the bytes are not msgpack, %zu into a message", conn->frame.at);
        error_add_int(&error, "offset", (int64_t)conn->frame.at);
    }
    log_limited(LOG_KIND_INPUT, LOG_LEVEL_WARN,
                "connection %llu (user %lu, process %ld) is closed: %s",
                (unsigned long long)conn->number, (unsigned long)conn->peer.uid,
                (long)conn->peer.pid, error.message);

    bool has_id = message_peek(data, size, &id);
    conn_tell_error(conn, &error, has_id, has_id ? id : 0);
    conn_finish(conn);
}

/* False if it is to be delivered again. */
static bool deliver(struct conn *conn, char const *data)
{
    struct conns *conns = conn->conns;
    struct message message;
    int code = message_parse(&message, &conns->zone, data, &conn->frame);

    if (code == REDO_OK)
        return conns->handler->message(conn, &message);
    log_limited(LOG_KIND_INPUT, LOG_LEVEL_INFO,
                "connection %llu (user %lu, process %ld) sent what is no message: %s",
                (unsigned long long)conn->number, (unsigned long)conn->peer.uid,
                (long)conn->peer.pid, redo_strerror(code));
    if (message.type == MESSAGE_RESPONSE)
        return true; /* an error to that could go to and fro for ever */

    struct error error;
    error_begin(&error, code, NULL);
    conn_tell_error(conn, &error, message.type == MESSAGE_REQUEST && message.has_id, message.id);
    return true;
}

static bool turn_over(struct conn *conn)
{
    if (conn->turn != conn->conns->turn) {
        conn->turn = conn->conns->turn;
        conn->turn_count = 0;
        conn->turn_bytes = 0;
        conn->turn_began = uv_hrtime();
        return false;
    }
    uint64_t limit = conn->conns->limits.turn_us * 1000;
    return conn->turn_count >= TURN_MESSAGES || conn->turn_bytes >= TURN_BYTES ||
           (limit && uv_hrtime() - conn->turn_began >= limit);
}

/* Tells of whole messages behind the one that waits. */
static void overhear(struct conn *conn)
{
    struct conns *conns = conn->conns;

    if (conn->ahead < conn->waits)
        conn->ahead = conn->waits;
    while (conn->ahead < conn->in.size && conns->handler->overheard) {
        struct frame frame;
        struct message message;
        char const *data = conn->in.data + conn->ahead;

        frame_init(&frame);
        if (frame_scan(&frame, &conns->limits.frame, data, conn->in.size - conn->ahead) !=
            FRAME_COMPLETE)
            break; /* if it is broken, its turn will come */
        if (message_parse(&message, &conns->zone, data, &frame) == REDO_OK)
            conns->handler->overheard(conn, &message);
        conn->ahead += frame.at;
    }
}

void conn_overhear(struct conn *conn)
{
    conn->overhears = true;
}

/* Handles the messages that are there, as far as limits and turn go. */
static void look(struct conn *conn)
{
    size_t begin = 0;
    bool more = false;

    conn->conns->looks++;
    while (conn->state == CONN_OPEN && !conn->paused && begin < conn->in.size) {
        if (bounds_choke(conn))
            break;
        more = turn_over(conn);
        if (more)
            break;

        char const *data = conn->in.data + begin;
        enum frame_status status =
            frame_scan(&conn->frame, &conn->conns->limits.frame, data, conn->in.size - begin);
        if (status == FRAME_MORE)
            break;
        if (status != FRAME_COMPLETE) {
            break_off(conn, data, conn->in.size - begin);
            break;
        }
        size_t size = conn->frame.at;
        conn->turn_count++;
        conn->turn_bytes += size;
        bool handled = deliver(conn, data);
        frame_init(&conn->frame);
        if (!handled) {
            conn->paused = true;
            conn->waits = size;
            break;
        }
        begin += size;
    }
    if (conn->state == CONN_ENDED)
        return;
    buffer_consume(&conn->in, begin);
    conn->ahead -= begin < conn->ahead ? begin : conn->ahead;
    if (conn->paused && conn->overhears)
        overhear(conn);
    if (more)
        make_ready(conn);
    else if (conn->eof && !conn->choked && !conn->paused && conn->state == CONN_OPEN) {
        if (conn->in.size > 0)
            log_debug("connection %llu was left in the middle of a message",
                      (unsigned long long)conn->number);
        conn_finish(conn);
    }
    update_reading(conn);
}

bool conn_peer_gone(struct conn *conn)
{
    struct pollfd fd = {.fd = -1};

    uv_fileno((uv_handle_t const *)&conn->pipe, &fd.fd);
    return poll(&fd, 1, 0) == 1 && (fd.revents & (POLLHUP | POLLERR | POLLNVAL));
}

bool conn_hung_up(struct conn *conn)
{
    if (conn->asked != conn->conns->looks) {
        conn->asked = conn->conns->looks;
        conn->hung_up = conn_peer_gone(conn);
    }
    return conn->hung_up;
}

/* ---- libuv's reads ----------------------------------------------------------------------- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *room)
{
    struct conn *conn = handle->data;
    struct buffer *in = &conn->in;

    (void)suggested;
    if (in->cap - in->size < conn->read_size / 2 && !buffer_reserve(in, conn->read_size)) {
        *room = uv_buf_init(NULL, 0); /* libuv says UV_ENOBUFS to on_read() */
        return;
    }
    *room = uv_buf_init(in->data + in->size, (unsigned)(in->cap - in->size));
}

static void on_read(uv_stream_t *stream, ssize_t size, uv_buf_t const *room)
{
    struct conn *conn = stream->data;

    if (size == 0) /* EAGAIN */
        return;
    if (size < 0 && size != UV_EOF) {
        log_debug("connection %llu: %s", (unsigned long long)conn->number, uv_strerror((int)size));
        conn_end(conn);
        return;
    }
    trim_used(conn);
    tend_heard(conn);
    if (size > 0) {
        conn->in.size += (size_t)size;
        if ((size_t)size == room->len && conn->read_size < READ_MOST)
            conn->read_size *= 4;
    } else {
        conn->eof = true;
    }
    look(conn);
}

/* ---- writes ------------------------------------------------------------------------------ */

void conn_touch(struct conn *conn)
{
    if (conn->state == CONN_ENDED)
        return;
    if (conn->overflow || conn_queued(conn) > conn->conns->limits.output_hard) {
        conn->overflow = true;
        buffer_free(&conn->out);
    }
    bounds_charge(conn);
    if (!list_linked(&conn->in_dirty))
        list_append(&conn->conns->dirty, &conn->in_dirty);
}

static void on_written(uv_write_t *write, int status)
{
    struct conn *conn = write->data;

    conn->writing = false;
    conn->sending.size = 0;
    if (conn->state == CONN_ENDED)
        return;
    if (status < 0) {
        log_debug("connection %llu: %s", (unsigned long long)conn->number, uv_strerror(status));
        conn_end(conn);
        return;
    }
    relieve(conn);
    conn_touch(conn);
}

/* Writes what the kernel takes at once; the rest goes to libuv, and its buffer with it. 0, or
 * libuv's error. */
static int write_out(struct conn *conn)
{
    uv_stream_t *stream = (uv_stream_t *)&conn->pipe;
    uv_buf_t bytes = uv_buf_init(conn->out.data, (unsigned)conn->out.size);
    int written = uv_try_write(stream, &bytes, 1);

    if (written < 0 && written != UV_EAGAIN)
        return written;
    if (written > 0 && (size_t)written == conn->out.size) {
        conn->out.size = 0;
        return 0;
    }
    if (written > 0) {
        bytes.base += written;
        bytes.len -= (size_t)written;
    }

    struct buffer empty = conn->sending;
    conn->sending = conn->out;
    conn->out = empty;
    conn->write.data = conn;
    int error = uv_write(&conn->write, stream, &bytes, 1, on_written);
    conn->writing = error == 0;
    if (conn->writing)
        tend_blocked(conn);
    return error;
}

static void flush(struct conn *conn)
{
    unsigned long long number = conn->number;

    if (conn->overflow || conn->out.failed) {
        log_limited(LOG_KIND_READER, LOG_LEVEL_WARN,
                    "connection %llu (user %lu, process %ld) is closed: %s", number,
                    (unsigned long)conn->peer.uid, (long)conn->peer.pid,
                    conn->overflow ? "it does not read what it is sent" : "out of memory");
        conn_end(conn);
        return;
    }
    bounds_charge(conn);
    if (conn->writing)
        return; /* on_written() comes back to it */
    if (conn->out.size > 0) {
        trim_used(conn);
        tend_sent(conn);
        int error = write_out(conn);
        if (error < 0) {
            log_debug("connection %llu: %s", number, uv_strerror(error));
            conn_end(conn);
            return;
        }
        bounds_choke(conn);
        relieve(conn);
    }
    if (conn->state == CONN_FINISHING && conn->held == 0 && !conn->writing)
        conn_end(conn);
    else
        update_reading(conn);
}

static void on_prepare(uv_prepare_t *prepare)
{
    struct conns *conns = prepare->data;
    struct link ready;

    conns->turn++;
    list_take(&ready, &conns->ready);
    while (!list_empty(&ready)) {
        struct conn *conn = list_entry(ready.next, struct conn, in_ready);

        list_remove(&conn->in_ready);
        look(conn);
    }
    if (list_empty(&conns->ready))
        uv_idle_stop(&conns->spin);

    while (!list_empty(&conns->dirty)) {
        struct conn *conn = list_entry(conns->dirty.next, struct conn, in_dirty);

        list_remove(&conn->in_dirty);
        flush(conn);
    }
}

/* ---- life -------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
    struct conn *conn = handle->data;

    buffer_free(&conn->in);
    buffer_free(&conn->out);
    buffer_free(&conn->sending);
    free(conn);
}

struct conn *conn_open(struct conns *conns, int fd, struct peer const *peer)
{
    struct conn *conn = calloc(1, sizeof *conn);
    struct share *share = share_join(&conns->shares, peer->uid);
    int error =
        conn == NULL || share == NULL ? UV_ENOMEM : uv_pipe_init(conns->loop, &conn->pipe, 0);

    if (error < 0) {
        if (share != NULL)
            share_leave(share);
        log_limited(LOG_KIND_LIMIT, LOG_LEVEL_WARN, "a connection was refused: %s",
                    uv_strerror(error));
        close(fd);
        free(conn);
        return NULL;
    }
    conn->conns = conns;
    conn->number = ++conns->made;
    conn->peer = *peer;
    conn->share = share;
    conn->state = CONN_OPEN;
    conn->read_size = CONN_READ_FIRST;
    conn->pipe.data = conn;
    frame_init(&conn->frame);
    list_init(&conn->in_all);
    list_init(&conn->in_dirty);
    list_init(&conn->in_ready);
    list_init(&conn->in_warm);

    error = uv_pipe_open(&conn->pipe, fd);
    if (error < 0) {
        log_error("a connection could not be opened: %s", uv_strerror(error));
        close(fd);
        share_leave(share);
        conn->state = CONN_ENDED; /* before it was one: the handler never hears of it */
        uv_close((uv_handle_t *)&conn->pipe, on_closed);
        return NULL;
    }
    list_append(&conns->all, &conn->in_all);
    conns->count++;
    tend_opened(conn);
    update_reading(conn);
    return conn;
}

void conn_end(struct conn *conn)
{
    if (conn->state == CONN_ENDED)
        return;
    conn->state = CONN_ENDED;
    conn->conns->count--;
    list_remove(&conn->in_all);
    list_remove(&conn->in_dirty);
    list_remove(&conn->in_ready);
    list_remove(&conn->in_warm);
    conn->conns->handler->closed(conn);
    share_charge(conn->share, &conn->charged, 0);
    share_leave(conn->share);
    uv_close((uv_handle_t *)&conn->pipe, on_closed);
}

void conn_finish(struct conn *conn)
{
    if (conn->state != CONN_OPEN)
        return;
    conn->state = CONN_FINISHING;
    list_remove(&conn->in_ready);
    update_reading(conn);
    conn_touch(conn);
    tend_dismissed(conn);
}

void conn_resume(struct conn *conn)
{
    if (!conn->paused || conn->state != CONN_OPEN)
        return;
    conn->paused = conn->overhears = false;
    make_ready(conn);
}

void conn_hold(struct conn *conn)
{
    conn->held++;
}

void conn_release(struct conn *conn)
{
    if (--conn->held == 0 && conn->state == CONN_FINISHING)
        conn_touch(conn);
}

int conns_init(struct conns *conns, uv_loop_t *loop, struct conn_limits const *limits,
               struct conn_handler const *handler, void *data)
{
    *conns = (struct conns){
        .loop = loop, .handler = handler, .limits = *limits, .data = data, .turn = 1};
    list_init(&conns->all);
    list_init(&conns->dirty);
    list_init(&conns->ready);
    list_init(&conns->warm);
    list_init(&conns->shares);
    if (!msgpack_zone_init(&conns->zone, ZONE_CHUNK))
        return UV_ENOMEM;
    /* These never fail. */
    uv_prepare_init(loop, &conns->prepare);
    uv_idle_init(loop, &conns->spin);
    trim_init(conns);
    tend_init(conns);
    conns->prepare.data = conns->spin.data = conns;
    uv_prepare_start(&conns->prepare, on_prepare);
    return 0;
}

void conns_finish(struct conns *conns)
{
    for (struct link *link = conns->all.next; link != &conns->all; link = link->next)
        conn_finish(list_entry(link, struct conn, in_all));
}

void conns_end(struct conns *conns)
{
    while (!list_empty(&conns->all))
        conn_end(list_entry(conns->all.next, struct conn, in_all));
}

void conns_close(struct conns *conns)
{
    uv_close((uv_handle_t *)&conns->prepare, NULL);
    uv_close((uv_handle_t *)&conns->spin, NULL);
    trim_close(conns);
    tend_close(conns);
    msgpack_zone_destroy(&conns->zone);
}
