#include "server/trash.h"

#include <string.h>
#include <time.h>

#include "server/gateway.h"
#include "server/job.h"
#include "server/log.h"
#include "server/match.h"
#include "server/rooms.h"

#define LOOK_MS (60 * 1000) /* or a tenth of the age, if that is sooner */
#define AT_ONCE 1000        /* sessions looked at and purged in one go */

static bool has(struct buffer const *ids, uint64_t id)
{
    for (size_t at = ids->size; at > 0; at -= sizeof id) /* the last one is the likeliest */
        if (!memcmp(ids->data + at - sizeof id, &id, sizeof id))
            return true;
    return false;
}

/* Matches go with their games: those are noted in job->after, and in job->text those whose games
 * were deleted with them. All others go by themselves. */
static bool is_old(void *data, struct store_info const *info)
{
    struct job *job = data;
    uint64_t id = info->id;
    if (info->trashed > (int64_t)job->sequence)
        return true;
    if (info->with_match) {
        if (!has(&job->text, info->match) && job->text.size < AT_ONCE * sizeof id)
            buffer_append(&job->text, &info->match, sizeof info->match);
        return true;
    }
    buffer_append(info->is_match ? &job->after : &job->packed, &id, sizeof id);
    return ++job->count < AT_ONCE;
}

/* One whose match is in the trash no more, which was lost or could not be read: by itself, too. */
static bool is_orphan(void *data, struct store_info const *info)
{
    struct job *job = data;
    uint64_t id = info->id;
    if (info->trashed > (int64_t)job->sequence || !info->with_match ||
        !has(&job->name, info->match))
        return true;
    buffer_append(&job->packed, &id, sizeof id);
    return ++job->count < AT_ONCE;
}

/* Those of the noted matches that are not in the trash, into job->name. */
static int find_lost(struct job *job)
{
    struct store_info info;
    int rc = REDO_OK;
    for (size_t at = 0; !rc && at < job->text.size; at += sizeof(uint64_t)) {
        uint64_t id;
        memcpy(&id, job->text.data + at, sizeof id);
        rc = store_find_id(job->reader, id, &info);
        if (rc == REDO_ENOSESSION || (!rc && !info.trashed))
            buffer_append(&job->name, &id, sizeof id);
        rc = rc == REDO_ENOSESSION ? REDO_OK : rc;
    }
    return rc;
}

static void run_look(struct job *job)
{
    job->result = store_list(job->reader, NULL, 0, NULL, 0, 0, SIZE_MAX, true, is_old, job);
    if (!job->result && job->text.size)
        job->result = find_lost(job);
    if (!job->result && job->name.size)
        job->result = store_list(job->reader, NULL, 0, NULL, 0, 0, SIZE_MAX, true, is_orphan, job);
    if (job->packed.failed || job->after.failed || job->text.failed || job->name.failed)
        job->result = REDO_ENOMEM;
}

/* Not if it is being restored, or purged already, or was since the job looked. */
static bool may_go(struct job const *job, uint64_t id)
{
    struct gateway const *gateway = job->gateway;
    return !registry_handled(&gateway->registry, id) && !rooms_leaving(gateway, id) &&
           !rooms_departed_since(job, id);
}

static bool purge_one(struct job *job, uint64_t id)
{
    struct gateway *gateway = job->gateway;
    uint64_t number;
    if (!may_go(job, id) || rooms_leave(gateway, id, LEAVING_FOR_EVER))
        return false;
    rooms_departed(gateway, id, NULL, 0, 0);
    batch_purge(committer_change(&gateway->committer, false, &number), id);
    return true;
}

/* ---- matches ----------------------------------------------------------------------------- */

static void run_match(struct job *job)
{
    struct store_info info;
    job->result = store_find_id(job->reader, job->id, &info);
    if (!job->result && !info.trashed)
        job->result = REDO_ENOSESSION;
    if (!job->result)
        job->result =
            store_load(job->reader, job->id, &job->history, &job->sequence, &job->damaged);
    if (!job->result && job->history->games)
        match_look_trashed(job);
}

static void finish_match(struct job *job)
{
    struct gateway *gateway = job->gateway;
    uint64_t number;
    if (gateway->closing || gateway->turned > job->departures)
        return; /* next time */
    if (job->result == REDO_EDAMAGED || (!job->result && !job->history->games)) {
        purge_one(job, job->id); /* its games are orphans now */
        return;
    }
    if (job->result || !may_go(job, job->id) || match_purge(gateway, job->id, job, &number))
        return;
    rooms_departed(gateway, job->id, NULL, 0, 0);
    log_info("a match that was deleted long ago is purged with its %zu games", job->count);
}

static void start_match(struct gateway *gateway, uint64_t id)
{
    struct job *job = job_new(gateway, NULL);
    if (!job)
        return; /* next time */
    job->run = run_match;
    job->finish = finish_match;
    job->id = id;
    job_start(job);
}

static void finish_look(struct job *job)
{
    uint64_t id;
    size_t purged = 0;
    if (job->result || !job->count || job->gateway->closing)
        return;
    for (size_t at = 0; at < job->packed.size; at += sizeof id) {
        memcpy(&id, job->packed.data + at, sizeof id);
        purged += purge_one(job, id);
    }
    for (size_t at = 0; at < job->after.size; at += sizeof id) {
        memcpy(&id, job->after.data + at, sizeof id);
        start_match(job->gateway, id);
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
