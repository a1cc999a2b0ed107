/* loadpart, and what loadsession makes of it. */
#include "server/upload.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/dump.h"
#include "server/call.h"
#include "server/job.h"

#define UPLOAD_STEP ((size_t)16 * 1024 * 1024) /* room that is made beyond what has come */

static void charge(struct client *client, size_t bytes)
{
    struct upload *u = &client->upload;
    client->conn->share->uploads += bytes - u->charged;
    u->charged = bytes;
}

void upload_drop(struct client *client)
{
    struct upload *u = &client->upload;
    charge(client, 0);
    buffer_free(&u->bytes);
    history_free(u->history);
    free(u->dump);
    *u = (struct upload){0};
}

uint64_t upload_hash(struct client *client)
{
    struct upload *u = &client->upload;
    if (!u->hash && u->bytes.size)
        u->hash = XXH3_64bits(u->bytes.data, u->bytes.size);
    return u->hash;
}

/* Room for more, without doubling what is large. */
static bool make_room(struct buffer *b, size_t more)
{
    if (b->cap - b->size >= more)
        return true;
    size_t cap = b->size + more + UPLOAD_STEP;
    char *grown = realloc(b->data, cap);
    if (!grown)
        return false;
    b->data = grown;
    b->cap = cap;
    return true;
}

static int fail_full(struct call *call)
{
    error_begin(&call->error, REDO_EFULL, "the connections of this user have uploaded so much: %zu",
                UPLOAD_MAX);
    error_add_word(&call->error, "limit", "upload");
    error_add_int(&call->error, "value", (int64_t)UPLOAD_MAX);
    return REDO_EFULL;
}

int call_loadpart(struct call *call)
{
    struct client *client = call->client;
    struct upload *u = &client->upload;
    struct arg const *part = &call->args.param[1];
    uint64_t offset = (uint64_t)call_integer(call, 0);
    if (offset && (offset != u->bytes.size || u->history)) {
        error_begin(&call->error, REDO_ERANGE, "the next part begins at %zu", u->bytes.size);
        error_add_word(&call->error, "param", "offset");
        error_add_int(&call->error, "index", 0);
        error_add_int(&call->error, "size", (int64_t)u->bytes.size);
        return REDO_ERANGE;
    }
    size_t others = client->conn->share->uploads - u->charged;
    if (others > UPLOAD_MAX || offset + part->bytes.size > UPLOAD_MAX - others)
        return fail_full(call);
    if (!offset)
        upload_drop(client);
    if (part->bytes.size && !make_room(&u->bytes, part->bytes.size))
        return call_fail(call, REDO_ENOMEM);
    buffer_append(&u->bytes, part->bytes.data, part->bytes.size);
    u->hash = 0;
    charge(client, u->bytes.size);
    struct buffer *b = call_reply(call);
    pack_map(b, 1);
    pack_key(b, "size");
    pack_uint(b, u->bytes.size);
    return REDO_OK;
}

/* ---- loading ----------------------------------------------------------------------------- */

/* On the pool. The dump as it was given is not kept: the same history has one that is the same on
 * every machine. */
static void run_upload(struct job *job)
{
    struct history *h;
    void *dump;
    job->result = history_load(job->after.data, job->after.size, &h);
    if (job->result)
        return;
    job->history = h;
    buffer_free(&job->after);
    if (!job->more)
        return;
    job->result = history_dump(h, &dump, &job->count);
    job->packed.data = job->result ? NULL : dump;
}

/* The client gets back what its bytes have become. */
static void finish_upload(struct job *job)
{
    if (!job->client)
        return;
    struct upload *u = &job->client->upload;
    u->result = job->result;
    if (job->result)
        return;
    charge(job->client, job->charged);
    u->history = job->history;
    u->dump = job->packed.data;
    u->dump_size = job->count;
    job->history = NULL;
    buffer_init(&job->packed);
}

int upload_load(struct call *call, bool dump)
{
    struct upload *u = &call->client->upload;
    int rc = u->result;
    if (rc) {
        upload_drop(call->client);
        return call_fail(call, rc);
    }
    if (u->history)
        return REDO_OK;
    if (!u->bytes.size) {
        error_begin(&call->error, REDO_EDAMAGED, "loadpart has collected nothing");
        return REDO_EDAMAGED;
    }
    struct job *job = job_new(call->gateway, call->client);
    if (!job)
        return call_fail(call, REDO_ENOMEM);
    job->run = run_upload;
    job->finish = finish_upload;
    job->storeless = true;
    job->more = dump;
    job->after = u->bytes;
    job_hold(job, call->client->conn->share, u->bytes.size);
    buffer_init(&u->bytes);
    charge(call->client, 0);
    job_start(job);
    return CALL_LATER;
}
