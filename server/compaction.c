#include "server/compaction.h"

#include "core/redo_error.h"
#include "server/gateway.h"
#include "server/job.h"
#include "server/log.h"

/* A journal is let grow to this, and then to the size of its snapshot. */
#define JOURNAL_LEAST (256 * 1024)

static void run_compact(struct job *job)
{
    job->result = store_compact(job->gateway->store, job->id);
    for (bool more = true; !job->result && more;)
        job->result = store_shrink(job->gateway->store, &more);
    struct store_info info;
    if (!job->result && !(job->result = store_find_id(job->reader, job->id, &info)))
        job->sequence = info.bytes - info.journal_bytes;
}

static void finish_compact(struct job *job)
{
    struct room *room = registry_handled(&job->gateway->registry, job->id);
    if (job->result)
        log_warn("session %llu could not be compacted: %s", (unsigned long long)job->id,
                 redo_strerror(job->result));
    if (!room || !room->compacting) /* another by now */
        return;
    room->compacting = false;
    if (job->result) { /* it is tried again when as much has come as there is */
        room->journal_bytes = 0;
        return;
    }
    room->journal_bytes -= job->limit < room->journal_bytes ? job->limit : room->journal_bytes;
    room->bytes = job->sequence + room->journal_bytes;
    usage_set(&job->gateway->usage, room->handle, room->history->count, room->bytes);
}

void compaction_start_if_due(struct room *room)
{
    uint64_t snapshot = room->bytes - room->journal_bytes;
    if (room->compacting || room->journal_bytes < JOURNAL_LEAST || room->journal_bytes < snapshot)
        return;
    struct job *job = job_new(room->gateway, NULL);
    if (!job)
        return; /* the next change asks again */
    job->run = run_compact;
    job->finish = finish_compact;
    job->id = room->handle;
    job->limit = room->journal_bytes; /* what comes after that is in the journal still, or may be */
    room->compacting = true;
    job_start(job);
}
