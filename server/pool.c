#include "server/pool.h"

#include <stdlib.h>

#define POOL_USUAL 4
#define POOL_MOST 1024

/* As libuv reads it. */
static unsigned pool_size(void)
{
    char const *text = getenv("UV_THREADPOOL_SIZE");
    int size = text ? atoi(text) : POOL_USUAL;
    return size < 1 ? 1 : size > POOL_MOST ? POOL_MOST : (unsigned)size;
}

static void stay(void *end)
{
    uv_sem_wait(end);
}

/* Whether so many threads can be there at once. */
static int try(unsigned count)
{
    uv_thread_t *threads = calloc(count, sizeof *threads);
    uv_sem_t end;
    unsigned made = 0;
    int rc = threads ? uv_sem_init(&end, 0) : UV_ENOMEM;
    if (rc) {
        free(threads);
        return rc;
    }
    while (made < count && !(rc = uv_thread_create(&threads[made], stay, &end)))
        made++;
    for (unsigned i = 0; i < made; i++)
        uv_sem_post(&end);
    for (unsigned i = 0; i < made; i++)
        uv_thread_join(&threads[i]);
    uv_sem_destroy(&end);
    free(threads);
    return rc;
}

static void nothing(uv_work_t *work)
{
    (void)work;
}

int pool_begin(uv_loop_t *loop, uv_work_t *first)
{
    /* One more than are needed: the kernel may count the last that has ended for a moment yet. */
    int rc = try(pool_size() + 1);
    return rc ? rc : uv_queue_work(loop, first, nothing, NULL);
}
