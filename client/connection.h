/* A connection to the daemon that waits for its answers: requests out, responses and notifications
 * in. The C library and redoctl stand on it. It knows nothing of sessions. One thread. */
#ifndef CLIENT_CONNECTION_H
#define CLIENT_CONNECTION_H

#include <msgpack.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocol/buffer.h"
#include "protocol/frame.h"
#include "protocol/message.h"
#include "protocol/pack.h"

struct connection {
    int fd;            /* -1: closed */
    int timeout;       /* milliseconds that a call may wait; below 0: for ever. Set on opening */
    uint32_t nextid;   /* of the next request */
    struct buffer out; /* packed ... */
    size_t gone;       /* ... of which so many bytes have been sent */
    uint64_t sent;     /* bytes sent since it was opened, also those that are in `out` no more */
    uint64_t received; /* bytes read since it was made */
    struct buffer in;  /* read and not given up */
    size_t used;       /* bytes at its front that were handed out: given up by the next read */
    struct frame frame;
    msgpack_zone zone;

    /* Called for each notification, in order, while waiting or stepping. The message is valid until
     * it returns; it must not use the connection. */
    void (*notified)(void *data, struct message const *message);

    /* Called for each response in connection_wait(), as notified; true: it hands out no more for
     * now. */
    bool (*answered)(void *data, struct message const *message);
    void *data;

    char error[256]; /* the message of the last error that the daemon answered */
};

/* The path to connect to: path if not NULL, else $REDO_SOCKET, else the default place. Writes it to
 * out (size bytes). REDO_OK or REDO_ENAME. */
int connection_path(char const *path, char *out, size_t size);

/* Connects. REDO_OK; or REDO_ECONNECT, REDO_ENAME, REDO_ENOMEM with errno set and nothing to
 * close. */
int connection_open(struct connection *c, char const *path, int timeout);

/* The same over a connected socket, which is the connection's from then on: REDO_OK or
 * REDO_ENOMEM. */
int connection_adopt(struct connection *c, int fd, int timeout);

/* Connects one that is closed to its daemon or another, at most so many milliseconds long (0:
 * without waiting). What was packed and read is gone; all else is as it was. As
 * connection_open(). */
int connection_reopen(struct connection *c, char const *path, int timeout);

/* From now on a call may wait so long. */
void connection_settimeout(struct connection *c, int timeout);

/* Closes the socket, and keeps the rest for connection_reopen() or connection_close(). */
void connection_drop(struct connection *c);

/* Ends it and frees its memory. Not for one that could not be opened. */
void connection_close(struct connection *c);

/* Begins a request: the caller packs the array of params into the buffer that is returned, then
 * calls connection_call(), or packs further requests and later asks for the answers one by one, in
 * order, with connection_receive(), or has them handed out by connection_wait(). *id is its number.
 */
struct buffer *connection_request(struct connection *c, char const *method, uint32_t *id);

/* Sends what is packed and waits for the answer to the request id: REDO_OK and *result (valid until
 * the connection is used again), or the code that was answered (c->error is its message, *result
 * the whole error), or REDO_ECLOSED, REDO_ETIMEOUT, REDO_EPROTOCOL, REDO_ENOMEM; after these four,
 * if they were not answered by the daemon, the connection is closed (c->fd is -1). Answers to older
 * requests that were not asked for are passed over. */
int connection_call(struct connection *c, uint32_t id, msgpack_object *result);

/* Sends what is packed: REDO_OK or as above. If the daemon hangs up meanwhile that is REDO_OK too:
 * what it said last can still be received. */
int connection_flush(struct connection *c);

/* Waits for the answer to request id without sending anything. As connection_call(). */
int connection_receive(struct connection *c, uint32_t id, msgpack_object *result);

/* Reads what has come, waiting at most timeout milliseconds (below 0: for ever) for the first
 * notification, and hands out notifications, up to the next response: REDO_OK or as above (nothing
 * coming is no error, nor a signal that ends the wait). */
int connection_step(struct connection *c, int timeout);

/* The same for those who have `answered` called, and do not wait for one answer alone: sends what
 * is packed as far as it goes, waits until the deadline (as connection_now() tells time) for a
 * message, and hands out what has come. REDO_OK if that is any; REDO_ETIMEOUT if not, or
 * REDO_ESYSTEM if a signal ended the wait: both leave the connection and what is packed as they
 * are; else it is closed, and the code is one of connection_call(). */
int connection_wait(struct connection *c, int64_t deadline);

/* Whether bytes have been read and not been handed out. */
static inline bool connection_holds(struct connection const *c)
{
    return c->in.size > c->used;
}

/* Whether bytes are packed and not sent. */
static inline bool connection_owes(struct connection const *c)
{
    return c->out.size > c->gone;
}

/* What a response says: REDO_OK and *result, or the code of the error that it is, which *result is
 * then. */
int connection_conclude(struct connection *c, struct message const *m, msgpack_object *result);

/* Milliseconds by a clock that only goes on. */
int64_t connection_now(void);

/* The value of a key in a map, or NULL. */
msgpack_object const *map_get(msgpack_object const *map, char const *key);

#endif
