/* The changes of a batch, as store_commit() goes through them. */
#ifndef SERVER_STORE_BATCH_H
#define SERVER_STORE_BATCH_H

#include "server/store/store.h"

enum change_kind {
    CHANGE_CREATE,
    CHANGE_OPERATION,
    CHANGE_RENAME,
    CHANGE_ACCESS,
    CHANGE_TRASH,
    CHANGE_RESTORE,
    CHANGE_PURGE,
    CHANGE_KEEP,
    CHANGE_FORGET,
    CHANGE_GAMES, /* data: ids, and so for the next three; key: how many; when: the match, or 0 */
    CHANGE_TRASH_GAMES,
    CHANGE_RESTORE_GAMES,
    CHANGE_PURGE_GAMES,
};

struct change {
    enum change_kind kind;
    struct store_info
        info;     /* what of it matters to the kind; name and properties point into the batch */
    uint64_t key; /* of kept bytes */
    int64_t when;
    void const *data; /* an encoded operation, a dump, kept bytes */
    size_t size;
    void *dump; /* the data, if it is the batch's own */
};

/* The change at *at (0 at first), which is moved on; false after the last one. */
bool batch_next(struct batch const *b, size_t *at, struct change *change);

#endif
