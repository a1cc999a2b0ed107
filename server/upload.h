/* An upload: a dump that a client tells in parts, since it is larger than a message, and the
 * history that is made of it on the pool. It counts against what all connections of its user may
 * have uploaded, until a session was begun of it or its connection ends. Loop thread only. */
#ifndef SERVER_UPLOAD_H
#define SERVER_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/buffer.h"

#define UPLOAD_MAX ((size_t)512 * 1024 * 1024) /* bytes, of a user */

struct call;
struct client;
struct history;

struct upload {
    struct buffer bytes;     /* collected ... */
    void *hashing;           /* ... and what their hash is worked out in */
    struct history *history; /* what was made of them; they are gone then */
    bool prepared;           /* and the session that is begun of it is as it will be */
    void *dump;              /* the history's dump, malloc()ed; NULL: not made */
    size_t dump_size;
    int result;     /* why there is none, or REDO_OK */
    size_t charged; /* to its user */
};

/* Lets go of all that is in it: one of the client's. */
void upload_drop(struct client *client, struct upload *u);

/* A hash of what was uploaded, the same for the same bytes. */
uint64_t upload_hash(struct upload const *u);

/* Takes a whole dump: the bytes of a message. */
int upload_take(struct call *call, struct upload *u, void const *dump, size_t size);

/* Has the history made: REDO_OK, once u->history is there; CALL_LATER; or a failure, prepared, and
 * what was uploaded is gone. */
int upload_load(struct call *call, struct upload *u);

/* The same for its dump, as it is by then. */
int upload_dump(struct call *call, struct upload *u);

#endif
