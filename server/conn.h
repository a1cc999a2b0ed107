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
 * Bounds. A peer that does not read what it is due is not read from either, past the soft limit,
 * nor past its part of what all connections of its user may hold (see share.h). Events come
 * unasked: before it appends one, the handler asks with conn_lags() and conn_share_exceeded()
 * whether it still may. Past the hard limit the connection is ended. It costs others nothing.
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
#include "server/share.h"

#define CONN_READ_FIRST 4096 /* room to read into that most connections ever need */

struct conn;

struct conn_handler {
    /* A message came. *m and what it points to is valid until the return. Any connection may be
     * touched, finished or ended in it. False: it can not be handled yet; the connection looks at
     * nothing more until conn_resume(), and then the same message comes again. */
    bool (*message)(struct conn *conn, struct message const *m);

    /* A message came behind the one that can not be handled yet (see conn_overhear()): it comes
     * once more, in its turn. Nothing is to be answered, or ended. NULL: none is told of. */
    void (*overheard)(struct conn *conn, struct message const *m);

    /* What came is no message that could be handled: answer with the error, to the request id if it
     * has one, else with a notification `error`; in the order of all else that is due. NULL: it is
     * appended to conn_out(). */
    void (*invalid)(struct conn *conn, struct error const *error, bool has_id, uint32_t id);

    /* The connection is over: forget it. conn->data is the handler's to free now; the struct is
     * gone some time after the return. Called exactly once for each conn_open() that succeeded. */
    void (*closed)(struct conn *conn);

    /* Nothing went out for limits.keepalive_ms: something may be said. NULL: nothing is. */
    void (*keepalive)(struct conn *conn);
};

struct conn_limits {
    struct frame_limits frame; /* of a message */
    size_t output_soft;        /* bytes queued that stop the reading ... */
    uint64_t soft_ms;          /* ... and, if it takes no more for so long, events */
    size_t output_hard;        /* bytes queued that end the connection */
    size_t output_user;        /* bytes queued for all connections of a user; 0: no such limit */
    uint64_t idle_ms;          /* without a byte from the peer, after which it is told to go ... */
    uint64_t keepalive_ms;     /* ... without one to it, after which the handler is asked ... */
    uint64_t stall_ms; /* ... and without one taken by it, after which it is ended; 0: never */
    uint64_t turn_us;  /* that the messages of one take before others have their turn, the last of
                          them aside; 0: no such limit, but for their number and their bytes */
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
    struct link shares;   /* of struct share.in_shares */
    size_t count;         /* in `all` */
    uint64_t made;        /* number of the newest */
    uint64_t turn;        /* of the loop */
    uint64_t looks;       /* at the input of any connection */
    uv_prepare_t prepare; /* before the loop sleeps */
    uv_idle_t spin;       /* active while `ready` is not empty: the loop does not sleep */
    uv_timer_t trim;      /* active while `warm` is not empty */
    uv_timer_t tend;      /* see tend.h */
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
    struct share *share;   /* of its user ... */
    size_t charged;        /* ... and how much of that is this one's */
    bool errors_as_string; /* of this peer's errors; see error_pack(). Set by the handler */

    enum conn_state state;
    bool reading;    /* libuv reads */
    bool eof;        /* the peer has nothing more to say, but may listen */
    bool choked;     /* over output_soft: reads nothing until it is below half of it */
    bool overflow;   /* over output_hard: ends at the next flush, output is dropped */
    bool paused;     /* a message waits for conn_resume() */
    bool overhears;  /* and those behind it are told of meanwhile */
    bool writing;    /* `sending` is libuv's */
    bool over;       /* over output_soft while the kernel takes no more, since over_since */
    bool idle;       /* nothing happened since the last look of the trim timer */
    unsigned held;   /* see conn_hold() */
    size_t withheld; /* bytes that the handler keeps back: they count as queued. The handler's to
                        set */

    struct buffer in;    /* read and not understood */
    struct frame frame;  /* of the message that `in` begins with */
    size_t read_size;    /* room to read into: grows with what comes at once */
    size_t waits;        /* bytes of the message that waits, */
    size_t ahead;        /* up to the end of the last that was told of */
    uint64_t turn;       /* the three below are of this turn */
    unsigned turn_count; /* messages handled */
    size_t turn_bytes;   /* their bytes */
    uint64_t turn_began; /* the first of them; in ns */
    uint64_t asked;      /* the look at which conn_hung_up() asked the kernel ... */
    bool hung_up;        /* ... and what it said */

    uint64_t over_since;  /* times of the loop; the others are tend's: */
    uint64_t heard, sent; /* when bytes last came, went out, */
    uint64_t moved;       /* and were taken by the kernel that had not taken all; */
    size_t left;          /* what it had not taken then */

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

/* Whether the peer lags too far to be sent `more` bytes that it has not asked for: the kernel has
 * taken no more for soft_ms while over output_soft was queued; or they would come near output_hard,
 * so that little but answers reaches that. What is withheld counts, but to wait for the disk alone
 * is not to lag. */
bool conn_lags(struct conn *conn, size_t more);

/* Whether with `more` bytes the connections of its user hold too much together, and this one more
 * than its part of it. */
bool conn_share_exceeded(struct conn *conn, size_t more);

/* The peer lags: if the kernel takes no more, nothing more is read until it has read. */
void conn_choke(struct conn *conn);

/* Appends an error, in the handler's way (see `invalid`). */
void conn_tell_error(struct conn *conn, struct error const *error, bool has_id, uint32_t id);

/* The message that was not handled can be now. */
void conn_resume(struct conn *conn);

/* The message at hand will not be handled for long: until conn_resume() the handler is told of what
 * comes behind it, as far as CONN_AHEAD bytes. */
#define CONN_AHEAD (64 * 1024)
void conn_overhear(struct conn *conn);

/* Whether the peer has closed its end, asked now. */
bool conn_peer_gone(struct conn *conn);

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
