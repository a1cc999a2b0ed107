/* Connections: bytes in, messages out to a handler; what handlers append, bytes out. Framing,
 * limits and fairness are settled here; what a message means is the handler's business.
 *
 * Input. What was read stays in one buffer of the connection until it is understood, and messages
 * point into it. A connection gets a bounded number of messages and bytes looked at in one turn
 * of the loop; if more is there it waits for the next turn, after all the others.
 *
 * Output. Handlers append whole messages to conn_out() and say so with conn_touch(), for any
 * connection, from any callback of the loop. Once a turn, before the loop sleeps, all that is due
 * to a connection goes out in a single write, however many responses and events that is. While the
 * kernel takes no more, the next output gathers in a second buffer.
 *
 * Bounds. A peer that does not read what it is due is not read from either, past the soft limit;
 * past the hard limit, which only events can reach, it is disconnected. It costs others nothing.
 *
 * Loop thread only, in a process that ignores SIGPIPE. */
#ifndef SERVER_CONN_H
#define SERVER_CONN_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "protocol/buffer.h"
#include "protocol/error.h"
#include "protocol/frame.h"
#include "protocol/message.h"
#include "server/list.h"
#include "server/peer.h"

struct conn;

struct conn_handler {
    /* A message came. *m and what it points to is valid until the return. Any connection may be
     * touched, finished or ended in it. False: it can not be handled yet; the connection looks at
     * nothing more until conn_resume(), and then the same message comes again. */
    bool (*message)(struct conn *conn, struct message const *m);

    /* What came is no message that could be handled: answer with the error, to the request id if it
     * has one, else with a notification `error`; in the order of all else that is due. NULL: it is
     * appended to conn_out(). */
    void (*invalid)(struct conn *conn, struct error const *error, bool has_id, uint32_t id);

    /* The connection is over: forget it. conn->data is the handler's to free now; the struct is
     * gone some time after the return. Called exactly once for each conn_open() that succeeded. */
    void (*closed)(struct conn *conn);
};

struct conn_limits {
    struct frame_limits frame; /* of a message */
    size_t output_soft;        /* bytes queued that stop the reading */
    size_t output_hard;        /* bytes queued that end the connection */
};

/* All connections of a loop. */
struct conns {
    uv_loop_t *loop;
    struct conn_handler const *handler;
    struct conn_limits limits;
    void *data;           /* the owner's */
    struct link all;      /* of struct conn.in_all */
    struct link dirty;    /* output to be written in this turn */
    struct link ready;    /* input left over for the next turn */
    struct link warm;     /* buffers to be freed once idle */
    size_t count;         /* in `all` */
    uint64_t made;        /* number of the newest */
    uint64_t turn;        /* of the loop */
    uint64_t looks;       /* at the input of any connection */
    uv_prepare_t prepare; /* before the loop sleeps */
    uv_idle_t spin;       /* active while `ready` is not empty: the loop does not sleep */
    uv_timer_t trim;      /* active while `warm` is not empty */
    msgpack_zone zone;    /* of the message at hand */
};

enum conn_state {
    CONN_OPEN,
    CONN_FINISHING, /* reads no more, and ends when all is written */
    CONN_ENDED,     /* the handler was told; waits for libuv to let go of it */
};

struct conn {
    struct conns *conns;
    void *data;            /* the handler's */
    uint64_t number;       /* in order of coming; for the log */
    struct peer peer;      /* who it is */
    bool errors_as_string; /* of this peer's errors; see error_pack(). Set by the handler */

    enum conn_state state;
    bool reading;    /* libuv reads */
    bool eof;        /* the peer has nothing more to say, but may listen */
    bool choked;     /* over output_soft: reads nothing until it is below half of it */
    bool overflow;   /* over output_hard: ends at the next flush, output is dropped */
    bool paused;     /* a message waits for conn_resume() */
    bool writing;    /* `sending` is libuv's */
    bool idle;       /* nothing happened since the last look of the trim timer */
    unsigned held;   /* see conn_hold() */
    size_t withheld; /* bytes that the handler keeps back: they count as queued. The handler's to
                        set */

    struct buffer in;    /* read and not understood */
    struct frame frame;  /* of the message that `in` begins with */
    size_t read_size;    /* room to read into: grows with what comes at once */
    uint64_t turn;       /* the two below are of this turn */
    unsigned turn_count; /* messages handled */
    size_t turn_bytes;   /* their bytes */
    uint64_t asked;      /* the look at which conn_hung_up() asked the kernel ... */
    bool hung_up;        /* ... and what it said */

    struct buffer out;     /* appended, and not given to libuv */
    struct buffer sending; /* being written */
    uv_pipe_t pipe;
    uv_write_t write;
    struct link in_all, in_dirty, in_ready, in_warm;
};

/* Prepares for connections on the loop. The handler outlives them. 0, or libuv's error. */
int conns_init(struct conns *conns, uv_loop_t *loop, struct conn_limits const *limits,
               struct conn_handler const *handler, void *data);

/* Finishes, or ends, every connection. */
void conns_finish(struct conns *conns);
void conns_end(struct conns *conns);

/* When there are no connections any more: starts to close the handles. */
void conns_close(struct conns *conns);

/* A connection on fd, a connected stream socket that does not block; it is the connection's from
 * here on, also on failure: then NULL, it is closed, and the reason was logged. */
struct conn *conn_open(struct conns *conns, int fd, struct peer const *peer);

/* Where to append output: whole messages only, each followed by conn_touch(). May be called, and
 * appended to, whatever state the connection is in, before `closed` returns. */
static inline struct buffer *conn_out(struct conn *conn)
{
    return &conn->out;
}

/* Output was appended: it goes out in this turn of the loop. Ends nothing by itself. */
void conn_touch(struct conn *conn);

/* Bytes appended, or withheld, and not taken by the kernel yet. */
size_t conn_queued(struct conn const *conn);

/* The message that was not handled can be now. */
void conn_resume(struct conn *conn);

/* A response is owed and comes later, from another callback: until conn_release(), called once for
 * each hold, a connection that finishes waits for it. Not to be called after `closed`. */
void conn_hold(struct conn *conn);
void conn_release(struct conn *conn);

/* Whether the peer has closed its end: it hears nothing any more, though some of what it sent
 * before may not be looked at yet. One that is still there when a message is looked at is so for
 * the rest of the look. */
bool conn_hung_up(struct conn *conn);

/* Reads no more, writes what there is, then ends. */
void conn_finish(struct conn *conn);

/* Ends the connection now: the one place where that happens. Calls `closed`. Harmless when it has
 * ended. */
void conn_end(struct conn *conn);

#endif
