/* How far threads stand back: by 10 of nice, of the thread alone. Two searches on two processors
 * leave other clients' p99 then as it is without any, and beside two programs that take all they
 * can get a search still has a third of what it would have as their equal. SCHED_IDLE and nice 19
 * keep the p99 no better and leave a search a thirtieth and a tenth, so that one that is canceled
 * takes up to a second to hear of it; SCHED_BATCH alone keeps it no better than nothing does. Where
 * there is no nice of a thread (it is Linux's own) they run like any other. */
#include "server/workers.h"

#include <errno.h>
#include <string.h>
#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "core/redo_error.h"
#include "server/log.h"

#define NICE 10                 /* more than the daemon's own */
#define STACK ((size_t)8 << 20) /* as those of libuv's pool */

/* ---- a thread ---------------------------------------------------------------------------- */

/* What fails here makes others slower and nothing wrong: it is worth a line, once. */
static void stand_back(struct workers *w)
{
#ifdef __linux__
    id_t thread = (id_t)syscall(SYS_gettid);
    if (!setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + NICE))
        return;
    int why = errno;
    uv_mutex_lock(&w->mutex);
    if (!w->told)
        log_warn("searches run with the priority of all else: %s", strerror(why));
    w->told = true;
    uv_mutex_unlock(&w->mutex);
#else
    (void)w;
#endif
}

static void work(void *data)
{
    struct workers *w = data;
    stand_back(w);
    uv_mutex_lock(&w->mutex);
    for (;;) {
        while (list_empty(&w->todo) && !w->quit)
            uv_cond_wait(&w->wake, &w->mutex);
        if (list_empty(&w->todo))
            break;
        struct work *next = list_entry(w->todo.next, struct work, in_list);
        list_remove(&next->in_list);
        uv_mutex_unlock(&w->mutex);
        next->run(next);
        uv_mutex_lock(&w->mutex);
        list_append(&w->done, &next->in_list);
        uv_mutex_unlock(&w->mutex);
        uv_async_send(&w->ended); /* the loop, which goes before this thread, finds it unlocked */
        uv_mutex_lock(&w->mutex);
    }
    uv_mutex_unlock(&w->mutex);
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* Once, though the last work's done() may have asked for it already. */
static void end(struct workers *w)
{
    if (w->quit)
        return;
    uv_mutex_lock(&w->mutex);
    w->quit = true;
    uv_cond_broadcast(&w->wake);
    uv_mutex_unlock(&w->mutex);
    while (w->count)
        uv_thread_join(&w->threads[--w->count]);
    uv_mutex_destroy(&w->mutex);
    uv_cond_destroy(&w->wake);
    uv_close((uv_handle_t *)&w->ended, NULL);
}

static void on_ended(uv_async_t *async)
{
    struct workers *w = async->data;
    struct link done;
    uv_mutex_lock(&w->mutex);
    list_take(&done, &w->done);
    uv_mutex_unlock(&w->mutex);
    while (!list_empty(&done)) {
        struct work *next = list_entry(done.next, struct work, in_list);
        list_remove(&next->in_list);
        if (!--w->pending)
            uv_unref((uv_handle_t *)async);
        next->done(next);
    }
    if (w->closing && !w->pending)
        end(w);
}

int workers_init(struct workers *w, uv_loop_t *loop)
{
    *w = (struct workers){.count = 0};
    list_init(&w->todo);
    list_init(&w->done);
    int rc = uv_async_init(loop, &w->ended, on_ended);
    if (rc || (rc = uv_mutex_init(&w->mutex)) || (rc = uv_cond_init(&w->wake)))
        return rc;
    w->ended.data = w;
    uv_unref((uv_handle_t *)&w->ended);
    return 0;
}

void workers_close(struct workers *w)
{
    w->closing = true;
    if (!w->pending)
        end(w);
}

/* Another thread, if all there are have work. Without memory for it those there are do. */
static void grow(struct workers *w)
{
    uv_thread_options_t const options = {.flags = UV_THREAD_HAS_STACK_SIZE, .stack_size = STACK};
    if (w->pending > w->count && w->count < WORKERS_MOST &&
        !uv_thread_create_ex(&w->threads[w->count], &options, work, w))
        w->count++;
}

void workers_hand(struct workers *w, struct work *next)
{
    if (!w->pending++)
        uv_ref((uv_handle_t *)&w->ended);
    grow(w);
    next->code = w->count ? REDO_OK : REDO_ENOMEM;
    uv_mutex_lock(&w->mutex);
    list_append(w->count ? &w->todo : &w->done, &next->in_list);
    uv_cond_signal(&w->wake);
    uv_mutex_unlock(&w->mutex);
    if (!w->count)
        uv_async_send(&w->ended);
}
