#include "server/trim.h"

/* Twice this long without traffic, and a connection holds no buffers. */
#define TRIM_MS 2000

static void on_trim(uv_timer_t *timer)
{
    struct conns *conns = timer->data;
    struct link looked;

    list_take(&looked, &conns->warm);
    while (!list_empty(&looked)) {
        struct conn *conn = list_entry(looked.next, struct conn, in_warm);
        bool empty = conn->in.size == 0 && conn->out.size == 0 && !conn->writing;

        list_remove(&conn->in_warm);
        if (conn->idle && empty) {
            buffer_free(&conn->in);
            buffer_free(&conn->out);
            buffer_free(&conn->sending);
            conn->read_size = CONN_READ_FIRST;
        } else {
            conn->idle = true;
            list_append(&conns->warm, &conn->in_warm);
        }
    }
    if (list_empty(&conns->warm))
        uv_timer_stop(&conns->trim);
}

void trim_used(struct conn *conn)
{
    struct conns *conns = conn->conns;

    conn->idle = false;
    if (list_linked(&conn->in_warm))
        return;
    if (list_empty(&conns->warm))
        uv_timer_start(&conns->trim, on_trim, TRIM_MS, TRIM_MS);
    list_append(&conns->warm, &conn->in_warm);
}

void trim_init(struct conns *conns)
{
    uv_timer_init(conns->loop, &conns->trim); /* never fails */
    conns->trim.data = conns;
}

void trim_close(struct conns *conns)
{
    uv_close((uv_handle_t *)&conns->trim, NULL);
}
