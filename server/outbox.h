/* An outbox: what is due to a client and tells of something that is not on disk yet waits here, and
 * all that is due to the client after it, for order's sake. While nothing waits, output goes
 * straight to the connection. Loop thread only. */
#ifndef SERVER_OUTBOX_H
#define SERVER_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol/buffer.h"
#include "server/conn.h"

struct outbox_entry {
    size_t start;    /* of its bytes */
    uint64_t number; /* of the batch that must be on disk first; 0: of none */
    uint64_t what;   /* the request it answers; or the session whose event it is */
    bool answer;     /* else an event */
};

struct outbox {
    struct conn *conn;
    struct buffer bytes;
    struct outbox_entry *entries;
    size_t count, cap;
    uint64_t committed; /* batches up to this one are on disk */
};

/* committed: batches up to this one are on disk. */
void outbox_init(struct outbox *o, struct conn *conn, uint64_t committed);
void outbox_close(struct outbox *o);

/* Where to append the response to a request, or an event of a session; waits: it is sent once the
 * batch `number` is on disk. Whole messages; each of them asks anew. */
struct buffer *outbox_answer(struct outbox *o, bool waits, uint64_t number, uint32_t id);
struct buffer *outbox_event(struct outbox *o, bool waits, uint64_t number, uint64_t session);

/* Bytes were appended: they count as queued from here on, and not only from what comes next. */
void outbox_account(struct outbox *o);

/* Batches up to `committed` are on disk: sends what waited for them. */
void outbox_release(struct outbox *o, uint64_t committed);

/* Batches after `committed` are lost: answers that waited for one become errors with this code,
 * events become `resync`; then all is sent. */
void outbox_fail(struct outbox *o, uint64_t committed, int code);

#endif
