#include "server/job.h"

#include <stdlib.h>

#include "core/error.h"
#include "server/call.h"
#include "server/conn.h"
#include "server/gateway.h"
#include "server/search.h"

struct job *job_new(struct gateway *gateway, struct client *client)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->gateway = gateway;
    job->client = client;
    job->work.data = job;
    if (client) {
        if (client->job)
            job_free(client->job); /* a step of the same request, done and used */
        client->job = job;
        job->asker = asker_hold(client->asker);
    }
    return job;
}

void job_free(struct job *job)
{
    if (job->client && job->client->job == job)
        job->client->job = NULL;
    if (job->share) {
        job->share->uploads -= job->charged;
        share_leave(job->share);
    }
    search_free(job->search);
    asker_release(job->asker);
    history_free(job->history);
    buffer_free(&job->name);
    buffer_free(&job->after);
    buffer_free(&job->text);
    buffer_free(&job->packed);
    free(job);
}

void job_hold(struct job *job, struct share *share, size_t bytes)
{
    share->conns++;
    share->uploads += bytes;
    job->share = share;
    job->charged = bytes;
}

/* A reader from those at rest, or a new one. */
static struct store_reader *borrow(struct gateway *gateway)
{
    if (gateway->reader_count)
        return gateway->readers[--gateway->reader_count];
    return store_reader_open(gateway->store);
}

static void give_back(struct gateway *gateway, struct store_reader *reader)
{
    if (reader && gateway->reader_count < GATEWAY_READERS)
        gateway->readers[gateway->reader_count++] = reader;
    else
        store_reader_close(reader);
}

void job_close_readers(struct gateway *gateway)
{
    while (gateway->reader_count)
        store_reader_close(gateway->readers[--gateway->reader_count]);
}

static void on_work(uv_work_t *work)
{
    struct job *job = work->data;
    if (!job->reader && !job->storeless)
        job->result = REDO_ESTORE;
    else
        job->run(job);
}

void job_finished(struct job *job)
{
    job->done = true;
    if (job->finish)
        job->finish(job);
    if (job->client)
        conn_resume(job->client->conn);
    else
        job_free(job);
}

static void on_finished(uv_work_t *work, int status)
{
    struct job *job = work->data;
    struct gateway *gateway = job->gateway;
    gateway->jobs--;
    if (job->reader)
        give_back(gateway, job->reader);
    job->reader = NULL;
    if (status)
        job->result = REDO_ESTORE;
    job_finished(job);
}

void job_start(struct job *job)
{
    struct gateway *gateway = job->gateway;
    gateway->jobs++;
    job->reader = job->storeless ? NULL : borrow(gateway);
    job->departures = gateway->departures;
    int rc = uv_queue_work(gateway->loop, &job->work, on_work, on_finished);
    if (rc)
        abort(); /* it is given a function: libuv knows no other reason to refuse */
}

void job_start_after(struct job *job, uint64_t number)
{
    if (number <= job->gateway->committer.committed) {
        job_start(job);
        return;
    }
    job->number = number;
    job->waiting = true;
    list_append(&job->gateway->waiting, &job->in_waiting);
}

void jobs_committed(struct gateway *gateway, uint64_t number)
{
    struct link *next;
    for (struct link *l = gateway->waiting.next; l != &gateway->waiting; l = next) {
        next = l->next;
        struct job *job = list_entry(l, struct job, in_waiting);
        if (job->number > number)
            continue;
        list_remove(l);
        job->waiting = false;
        job_start(job);
    }
}

void job_abandon(struct client *client)
{
    struct job *job = client->job;
    if (!job)
        return;
    if (job->waiting) {
        list_remove(&job->in_waiting);
        job->done = true;
    } else if (job->search) {
        search_stop(job->search, SEARCH_CANCELED);
    }
    job->client = NULL;
    client->job = NULL;
    if (job->done)
        job_free(job);
}

/* ---- for handlers --------------------------------------------------------------------------- */

struct job *call_finished(struct call *call, void (*run)(struct job *job))
{
    struct job *job = call->client->job;
    return job && job->run == run ? job : NULL;
}

struct job *call_finished_of(struct call *call, void (*run)(struct job *job), uint64_t id)
{
    struct job *job = call_finished(call, run);
    return job && job->id == id ? job : NULL;
}

int call_start(struct call *call, struct job *job)
{
    if (!job || job->name.failed || job->after.failed) {
        if (job)
            job_free(job);
        return call_fail(call, REDO_ENOMEM);
    }
    /* What this client was told, or asks for in the requests before, is to be seen. */
    job_start_after(job, committer_flush(&call->gateway->committer));
    return CALL_LATER;
}

int call_check_store(struct call *call)
{
    if (call->gateway->store)
        return REDO_OK;
    error_begin(&call->error, REDO_ESTORE, "there is no store: the sessions live in memory");
    return REDO_ESTORE;
}
