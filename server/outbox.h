/* An outbox: what is due to a client and tells of something that is not on disk yet waits here, and
 * all that is due to the client after it, for order's sake. While nothing waits, output goes straight
 * to the connection. Loop thread only. */
#ifndef SERVER_OUTBOX_H
#define SERVER_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/buffer.h"
#include "server/conn.h"

struct outbox_entry {
    size_t start;    /* of its bytes */
    uint64_t number; /* of the batch that must be on disk first; 0: of none */
    uint32_t id;     /* of the request it answers */
    bool answer;     /* else an event */
};

struct outbox {
    struct conn *conn;
    struct buffer bytes;
    struct outbox_entry *entries;
    size_t count, cap;
    bool failed; /* memory lacked: the connection ends rather than have a gap */
};

void outbox_init(struct outbox *o, struct conn *conn);
void outbox_close(struct outbox *o);

/* Where to append one message, to be sent once the batch `number` is on disk (waits: whether it is not
 * yet). answer: it is the response to the request id. */
struct buffer *outbox_message(struct outbox *o, bool waits, uint64_t number, bool answer,
                              uint32_t id);

/* Batches up to `committed` are on disk: sends what waited for them. */
void outbox_release(struct outbox *o, uint64_t committed);

/* Batches after `committed` are lost: answers that waited for one become errors with this code, events
 * are dropped; then all is sent. */
void outbox_fail(struct outbox *o, uint64_t committed, int code);

static inline bool outbox_empty(struct outbox const *o)
{
    return o->count == 0;
}

#endif
