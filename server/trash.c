#include "server/trash.h"

#include <string.h>
#include <time.h>

#include "server/gateway.h"
#include "server/job.h"
#include "server/log.h"
#include "server/rooms.h"

#define LOOK_MS (60 * 1000) /* or a tenth of the age, if that is sooner */
#define AT_ONCE 1000        /* sessions looked at and purged in one go */

static bool is_old(void *data, struct store_info const *info)
{
    struct job *job = data;
    uint64_t id = info->id;
    if (info->trashed > (int64_t)job->sequence)
        return true;
    buffer_append(&job->packed, &id, sizeof id);
    return ++job->count < AT_ONCE;
}

static void run_look(struct job *job)
{
    job->result = store_list(job->reader, NULL, 0, NULL, 0, 0, SIZE_MAX, true, is_old, job);
    if (job->packed.failed)
        job->result = REDO_ENOMEM;
}

static void finish_look(struct job *job)
{
    struct gateway *gateway = job->gateway;
    uint64_t number;
    size_t purged = 0;
    if (job->result || !job->count || gateway->closing)
        return;
    for (size_t at = 0; at < job->packed.size; at += sizeof(uint64_t)) {
        uint64_t id;
        memcpy(&id, job->packed.data + at, sizeof id);
        /* Not if it is being restored, or purged already, or was since the job looked. */
        if (registry_handled(&gateway->registry, id) || rooms_leaving(gateway, id) ||
            rooms_departed_since(job, id) || rooms_leave(gateway, id, LEAVING_FOR_EVER))
            continue;
        rooms_departed(gateway, id, NULL, 0, 0);
        batch_purge(committer_change(&gateway->committer, false, &number), id);
        purged++;
    }
    if (purged)
        log_info("%zu sessions that were deleted long ago are purged", purged);
}

static void on_timer(uv_timer_t *timer)
{
    struct trash *t = timer->data;
    struct job *job = job_new(t->gateway, NULL);
    if (!job)
        return; /* next time */
    job->run = run_look;
    job->finish = finish_look;
    job->sequence = (uint64_t)(time(NULL) - t->age); /* deleted at this time or before */
    job_start(job);
}

void trash_init(struct trash *t, struct gateway *gateway, int64_t age)
{
    *t = (struct trash){.gateway = gateway, .age = age};
    uv_timer_init(gateway->loop, &t->timer);
    t->timer.data = t;
    uint64_t every = (uint64_t)age * 100 < LOOK_MS ? (uint64_t)age * 100 : LOOK_MS;
    if (age > 0)
        uv_timer_start(&t->timer, on_timer, every, every);
}

void trash_close(struct trash *t)
{
    uv_close((uv_handle_t *)&t->timer, NULL);
}
