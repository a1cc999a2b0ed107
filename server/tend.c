#include "server/tend.h"

#include "core/redo_error.h"
#include "server/log.h"

#define TICK_MS 500
#define LAST_WORD_MS 10000 /* to take it, for one that is told to go */

static bool has_times(struct conns const *conns)
{
    struct conn_limits const *limits = &conns->limits;
    return limits->idle_ms || limits->keepalive_ms || limits->stall_ms;
}

/* Told to go, and not gone yet. One that said its last word itself may take its time. */
static bool is_dismissed(struct conn const *conn)
{
    return conn->state == CONN_FINISHING && !conn->eof;
}

/* ---- what is looked for ------------------------------------------------------------------ */

static bool is_stalled(struct conn *conn, uint64_t now)
{
    uint64_t limit = conn->conns->limits.stall_ms;
    if (is_dismissed(conn) && (!limit || limit > LAST_WORD_MS))
        limit = LAST_WORD_MS;
    if (!conn->writing)
        return false;
    size_t left = uv_stream_get_write_queue_size((uv_stream_t const *)&conn->pipe);
    if (left != conn->left) {
        conn->left = left;
        conn->moved = now;
    }
    return limit && now - conn->moved >= limit;
}

/* One that is not read from, or waits for an answer, can say nothing or has nothing to say. */
static bool is_idle(struct conn *conn, uint64_t now)
{
    uint64_t limit = conn->conns->limits.idle_ms;
    if (!conn->reading || conn->paused || conn->held)
        conn->heard = now;
    return limit && now - conn->heard >= limit;
}

static void end_stalled(struct conn *conn, uint64_t now)
{
    log_limited(
        LOG_KIND_READER, LOG_LEVEL_WARN,
        "connection %llu (user %lu, process %ld) is closed: it took nothing for %llu seconds, "
        "and %zu bytes are due to it",
        (unsigned long long)conn->number, (unsigned long)conn->peer.uid, (long)conn->peer.pid,
        (unsigned long long)(now - conn->moved) / 1000, conn_queued(conn));
    conn_end(conn);
}

static void finish_idle(struct conn *conn)
{
    long long seconds = (long long)(conn->conns->limits.idle_ms / 1000);
    struct error error;

    log_limited(LOG_KIND_READER, LOG_LEVEL_INFO,
                "connection %llu (user %lu, process %ld) is closed: nothing came from it for %lld "
                "seconds",
                (unsigned long long)conn->number, (unsigned long)conn->peer.uid,
                (long)conn->peer.pid, seconds);
    error_begin(&error, REDO_EIDLE, "nothing came for too long: idle is %lld seconds", seconds);
    error_add_word(&error, "limit", "idle");
    error_add_int(&error, "value", seconds);
    conn_tell_error(conn, &error, false, 0);
    conn_finish(conn);
}

static void tend(struct conn *conn, uint64_t now)
{
    struct conns *conns = conn->conns;
    if (is_stalled(conn, now))
        end_stalled(conn, now);
    else if (conn->state == CONN_OPEN && is_idle(conn, now))
        finish_idle(conn);
    else if (conn->state == CONN_OPEN && conns->limits.keepalive_ms && !conn->writing &&
             now - conn->sent >= conns->limits.keepalive_ms && conns->handler->keepalive)
        conns->handler->keepalive(conn);
}

/* ---- when -------------------------------------------------------------------------------- */

static void on_tick(uv_timer_t *timer)
{
    struct conns *conns = timer->data;
    uint64_t now = uv_now(conns->loop);
    bool more = false;
    struct link *next;

    for (struct link *l = conns->all.next; l != &conns->all; l = next) {
        struct conn *conn = list_entry(l, struct conn, in_all);
        next = l->next; /* tending ends no other one */
        tend(conn, now);
        more |= is_dismissed(conn);
    }
    if (!more && (conns->count == 0 || !has_times(conns)))
        uv_timer_stop(timer);
}

static void start(struct conns *conns)
{
    if (!uv_is_active((uv_handle_t *)&conns->tend))
        uv_timer_start(&conns->tend, on_tick, TICK_MS, TICK_MS);
}

void tend_init(struct conns *conns)
{
    uv_timer_init(conns->loop, &conns->tend); /* never fails */
    conns->tend.data = conns;
}

void tend_close(struct conns *conns)
{
    uv_close((uv_handle_t *)&conns->tend, NULL);
}

void tend_opened(struct conn *conn)
{
    conn->heard = conn->sent = conn->moved = uv_now(conn->conns->loop);
    if (has_times(conn->conns))
        start(conn->conns);
}

void tend_heard(struct conn *conn)
{
    conn->heard = uv_now(conn->conns->loop);
}

void tend_sent(struct conn *conn)
{
    conn->sent = uv_now(conn->conns->loop);
}

void tend_blocked(struct conn *conn)
{
    conn->moved = uv_now(conn->conns->loop);
    conn->left = uv_stream_get_write_queue_size((uv_stream_t const *)&conn->pipe);
}

void tend_dismissed(struct conn *conn)
{
    if (is_dismissed(conn))
        start(conn->conns);
}
