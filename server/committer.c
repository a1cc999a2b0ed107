#include "server/committer.h"

#include "core/redo_error.h"

/* ---- the thread -------------------------------------------------------------------------- */

static void work(void *data)
{
    struct committer *c = data;
    uv_mutex_lock(&c->mutex);
    for (;;) {
        while (!c->pending && !c->quit)
            uv_cond_wait(&c->wake, &c->mutex);
        if (!c->pending)
            break;
        uv_mutex_unlock(&c->mutex);
        int result = store_commit(c->store, &c->writing);
        batch_release(&c->writing); /* here, where nobody waits for it */
        uv_mutex_lock(&c->mutex);
        c->result = result;
        c->pending = false;
        uv_async_send(&c->done);
        uv_mutex_unlock(&c->mutex);
        store_tidy(c->store); /* those who waited have been told; what fails is tried again */
        uv_mutex_lock(&c->mutex);
    }
    uv_mutex_unlock(&c->mutex);
}

/* ---- the loop ---------------------------------------------------------------------------- */

/* Hands the open batch to the thread. */
static void start(struct committer *c)
{
    struct batch empty = c->writing;
    c->writing = c->open;
    c->open = empty;
    c->number++;
    c->busy = true;
    c->urgent = false;
    uv_timer_stop(&c->timer);
    uv_mutex_lock(&c->mutex);
    c->pending = true;
    uv_cond_signal(&c->wake);
    uv_mutex_unlock(&c->mutex);
}

/* Once a turn, after all that the turn brought: so that it is one batch. */
static void on_prepare(uv_prepare_t *prepare)
{
    struct committer *c = prepare->data;
    if (!c->busy && c->urgent && c->open.count)
        start(c);
}

static void on_timer(uv_timer_t *timer)
{
    struct committer *c = timer->data;
    c->urgent = true; /* on_prepare() comes next */
}

static void fail(struct committer *c, int code)
{
    uint64_t committed = c->committed;
    batch_clear(&c->open);
    c->committed = c->number; /* nothing waits for these any more */
    c->number++;
    c->urgent = false;
    c->handler->failed(c->data, committed, code);
}

static void finish(struct committer *c)
{
    c->busy = false;
    int result = c->writing.changes.failed ? REDO_ENOMEM : c->result;
    batch_clear(&c->writing);
    if (result) {
        fail(c, result);
        return;
    }
    c->committed = c->number - 1;
    c->handler->committed(c->data, c->committed);
}

static void on_done(uv_async_t *async)
{
    struct committer *c = async->data;
    uv_mutex_lock(&c->mutex);
    bool pending = c->pending;
    uv_mutex_unlock(&c->mutex);
    if (c->busy && !pending)
        finish(c);
}

/* Somebody waits for the open batch. The wake-up makes the loop come by on_prepare() once more,
 * even if this turn's has been. */
static void hurry(struct committer *c)
{
    if (!c->urgent)
        uv_async_send(&c->done);
    c->urgent = true;
}

int committer_init(struct committer *c, uv_loop_t *loop, struct store *store, int delay,
                   struct committer_handler const *handler, void *data)
{
    *c = (struct committer){
        .store = store, .handler = handler, .data = data, .number = 1, .delay = delay};
    batch_init(&c->open);
    batch_init(&c->writing);
    int rc = uv_async_init(loop, &c->done, on_done);
    if (rc)
        return rc;
    uv_prepare_init(loop, &c->prepare);
    uv_timer_init(loop, &c->timer);
    c->prepare.data = c->timer.data = c->done.data = c;
    uv_prepare_start(&c->prepare, on_prepare);
    if ((rc = uv_mutex_init(&c->mutex)) || (rc = uv_cond_init(&c->wake)))
        return rc;
    return uv_thread_create(&c->thread, work, c);
}

int committer_close(struct committer *c)
{
    int failed = REDO_OK;
    while (c->busy || c->open.count) {
        if (!c->busy)
            start(c);
        /* The loop has nothing else to do now: this waits for the thread. */
        for (;;) {
            uv_mutex_lock(&c->mutex);
            bool pending = c->pending;
            uv_mutex_unlock(&c->mutex);
            if (!pending)
                break;
            uv_sleep(1);
        }
        if (c->result)
            failed = c->result;
        finish(c);
    }
    uv_mutex_lock(&c->mutex);
    c->quit = true;
    uv_cond_signal(&c->wake);
    uv_mutex_unlock(&c->mutex);
    uv_thread_join(&c->thread);
    uv_mutex_destroy(&c->mutex);
    uv_cond_destroy(&c->wake);
    uv_close((uv_handle_t *)&c->prepare, NULL);
    uv_close((uv_handle_t *)&c->timer, NULL);
    uv_close((uv_handle_t *)&c->done, NULL);
    batch_close(&c->open);
    batch_close(&c->writing);
    return failed;
}

struct batch *committer_change(struct committer *c, bool urgent, uint64_t *number)
{
    if (urgent)
        hurry(c);
    else if (!c->urgent && !uv_is_active((uv_handle_t *)&c->timer))
        uv_timer_start(&c->timer, on_timer, (uint64_t)c->delay, 0);
    *number = c->number;
    return &c->open;
}

uint64_t committer_flush(struct committer *c)
{
    if (!c->open.count)
        return c->number - 1;
    hurry(c);
    return c->number;
}
