/* The committer: gathers changes in a batch while the one before is being put on disk by a thread
 * of its own. The loop never waits for the disk; the busier it is, the larger the batches.
 *
 * Batches are numbered from 1. What a client is told of a change may leave once the change's batch
 * is committed. Loop thread only, but for what the thread does. */
#ifndef SERVER_COMMITTER_H
#define SERVER_COMMITTER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "server/store/store.h"

struct committer_handler {
    /* All batches up to this one are on disk. */
    void (*committed)(void *data, uint64_t number);
    /* Batches after `committed` could not be written and never will be, the open one among them,
     * for it builds on the lost ones: the code says why. The next change begins a new batch. */
    void (*failed)(void *data, uint64_t committed, int code);
};

struct committer {
    struct store *store;
    struct committer_handler const *handler;
    void *data;
    struct batch open;    /* being filled */
    struct batch writing; /* the thread's while busy */
    uint64_t number;      /* of the open batch */
    uint64_t committed;
    bool busy;
    bool urgent; /* somebody waits for the open batch */
    int delay;   /* milliseconds that one for which nobody waits may stay open */
    int result;  /* of the batch that was written */
    bool quit;
    uv_prepare_t prepare;
    uv_timer_t timer;
    uv_async_t done;
    uv_thread_t thread;
    uv_mutex_t mutex;
    uv_cond_t wake;
    bool pending; /* a batch for the thread; under the mutex */
};

/* Starts the thread. The store stays the caller's. 0, or libuv's error. */
int committer_init(struct committer *c, uv_loop_t *loop, struct store *store, int delay,
                   struct committer_handler const *handler, void *data);

/* Writes what is open, waits for it, ends the thread, and starts to close the handles. REDO_OK, or
 * the code if something could not be written. */
int committer_close(struct committer *c);

/* The open batch, to append a change to; urgent: somebody waits for it. Returns its number through
 * *number. */
struct batch *committer_change(struct committer *c, bool urgent, uint64_t *number);

/* Somebody waits for all changes so far: the number of the batch that holds the last of them. */
uint64_t committer_flush(struct committer *c);

#endif
