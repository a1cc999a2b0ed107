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
    uint64_t hash;           /* ... and their hash; 0: not yet known */
    struct history *history; /* what was made of them; they are gone then */
    void *dump;              /* the history's dump, malloc()ed; or NULL: of one in memory alone */
    size_t dump_size;
    int result;     /* why there is none, or REDO_OK */
    size_t charged; /* to its user */
};

/* Lets go of all that the client has uploaded. */
void upload_drop(struct client *client);

/* A hash of what was uploaded, the same for the same bytes. */
uint64_t upload_hash(struct client *client);

/* Has the history made, and if it is wanted its dump: REDO_OK, once upload->history is there;
 * CALL_LATER; or a failure, prepared, and what was uploaded is gone. */
int upload_load(struct call *call, bool dump);

#endif
