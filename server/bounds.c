#include "server/bounds.h"

#include "server/log.h"

size_t conn_queued(struct conn const *conn)
{
    return conn->out.size + conn->withheld +
           (conn->writing ? uv_stream_get_write_queue_size((uv_stream_t const *)&conn->pipe) : 0);
}

void bounds_charge(struct conn *conn)
{
    share_charge(conn->share, &conn->charged, conn_queued(conn));
}

bool conn_share_exceeded(struct conn *conn, size_t more)
{
    share_charge(conn->share, &conn->charged, conn_queued(conn) + more);
    return share_exceeded(conn->share, conn->conns->limits.output_user, conn->charged);
}

/* Since when it is over the soft limit, if it is. What came at once, or waited for the disk, may be
 * more than that; it counts from the time on that the kernel takes no more. */
static void note_over(struct conn *conn, size_t queued)
{
    bool over = conn->writing && queued > conn->conns->limits.output_soft;
    if (over && !conn->over)
        conn->over_since = uv_now(conn->conns->loop);
    conn->over = over;
}

bool conn_lags(struct conn *conn, size_t more)
{
    struct conn_limits const *limits = &conn->conns->limits;
    size_t queued = conn_queued(conn) + more;
    note_over(conn, queued - more); /* it may have been less meanwhile */
    note_over(conn, queued);
    if (conn->over && uv_now(conn->conns->loop) - conn->over_since >= limits->soft_ms)
        return true;
    /* The rest is for what must be said then. */
    return queued > limits->output_hard - limits->output_hard / 8;
}

bool bounds_choke(struct conn *conn)
{
    if (conn->choked)
        return true;
    if (conn_queued(conn) > conn->conns->limits.output_soft || conn_share_exceeded(conn, 0)) {
        conn->choked = true;
        log_debug("connection %llu does not read: %zu bytes are waiting for it",
                  (unsigned long long)conn->number, conn_queued(conn));
    }
    return conn->choked;
}

bool bounds_relieve(struct conn *conn)
{
    bounds_charge(conn);
    note_over(conn, conn_queued(conn));
    if (!conn->choked || conn_queued(conn) > conn->conns->limits.output_soft / 2 ||
        conn_share_exceeded(conn, 0))
        return false;
    conn->choked = false;
    return true;
}
