/* Workers: threads for what takes long and is nobody's hurry. They are apart from libuv's pool,
 * which serves the store, and the kernel lets them run where nobody else wants the processor, so
 * that the loop and its clients are not kept waiting by them. A thread is made when there is work
 * for it and none is at rest. Loop thread only, but for run(). */
#ifndef SERVER_WORKERS_H
#define SERVER_WORKERS_H

#include <stdbool.h>
#include <uv.h>

#include "server/list.h"

#define WORKERS_MOST 3 /* threads */

struct work {
    struct link in_list;
    int code; /* for done(): REDO_OK, or REDO_ENOMEM: no thread could be had, run() was not called
               */
    /* On a thread. */
    void (*run)(struct work *work);
    /* On the loop, afterwards; the work is the caller's again. */
    void (*done)(struct work *work);
};

struct workers {
    uv_thread_t threads[WORKERS_MOST];
    unsigned count;   /* of threads there are */
    unsigned pending; /* works that were handed over and are not done */
    bool closing;
    uv_async_t ended; /* keeps the loop alive while works are pending */
    uv_mutex_t mutex; /* for what follows */
    uv_cond_t wake;
    struct link todo, done; /* of struct work.in_list */
    bool quit;
    bool told; /* that a thread runs like any other */
};

/* 0, or libuv's error. No thread yet. */
int workers_init(struct workers *w, uv_loop_t *loop);

/* Threads end, and handles begin to close, when the last work is done: the loop is to run on. */
void workers_close(struct workers *w);

/* Has it run, in its turn. */
void workers_hand(struct workers *w, struct work *work);

#endif
