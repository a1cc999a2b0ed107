/* loadpart, and what loadsession makes of it. */
#include "server/upload.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/dump.h"
#include "core/history.h"
#include "server/call.h"
#include "server/job.h"

#define DUMPED_AT_ONCE ((size_t)256 * 1024)    /* bytes of memory; larger ones on the pool */
#define UPLOAD_STEP ((size_t)16 * 1024 * 1024) /* room that is made beyond what has come */

static void charge(struct client *client, struct upload *u, size_t bytes)
{
    client->conn->share->uploads += bytes - u->charged;
    u->charged = bytes;
}

void upload_drop(struct client *client, struct upload *u)
{
    charge(client, u, 0);
    buffer_free(&u->bytes);
    history_free(u->history);
    free(u->dump);
    XXH3_freeState(u->hashing);
    *u = (struct upload){0};
}

/* Part by part: all at once would be a while. */
static bool hash_part(struct upload *u, void const *part, size_t size)
{
    if (!u->hashing) {
        u->hashing = XXH3_createState();
        if (!u->hashing)
            return false;
        XXH3_64bits_reset(u->hashing);
    }
    XXH3_64bits_update(u->hashing, part, size);
    return true;
}

uint64_t upload_hash(struct upload const *u)
{
    return u->hashing ? XXH3_64bits_digest(u->hashing) : 0;
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
        upload_drop(client, u);
    if (part->bytes.size && (!make_room(&u->bytes, part->bytes.size) ||
                             !hash_part(u, part->bytes.data, part->bytes.size)))
        return call_fail(call, REDO_ENOMEM);
    buffer_append(&u->bytes, part->bytes.data, part->bytes.size);
    charge(client, u, u->bytes.size);
    struct buffer *b = call_reply(call);
    pack_map(b, 1);
    pack_key(b, "size");
    pack_uint(b, u->bytes.size);
    return REDO_OK;
}

/* ---- loading ----------------------------------------------------------------------------- */

int upload_take(struct call *call, struct upload *u, void const *dump, size_t size)
{
    buffer_append(&u->bytes, dump, size);
    if (!u->bytes.failed)
        return REDO_OK;
    upload_drop(call->client, u);
    return call_fail(call, REDO_ENOMEM);
}

/* On the pool. The dump as it was given is not kept: the same history has one that is the same on
 * every machine. */
static void run_load(struct job *job)
{
    struct history *h;
    job->result = history_load(job->after.data, job->after.size, &h);
    buffer_free(&job->after);
    job->history = job->result ? NULL : h;
}

static void run_dump(struct job *job)
{
    void *dump;
    job->result = history_dump(job->history, &dump, &job->count);
    job->packed.data = job->result ? NULL : dump;
}

/* The one of the client's uploads that the job is about. */
static struct upload *upload_of(struct job const *job)
{
    return job->more ? &job->client->upload : &job->client->given;
}

/* The client gets back what its bytes have become. */
static void finish(struct job *job)
{
    if (!job->client)
        return;
    struct upload *u = upload_of(job);
    u->result = job->result;
    if (job->result)
        return;
    charge(job->client, u, job->charged);
    u->history = job->history;
    u->dump = job->packed.data;
    u->dump_size = job->count;
    job->history = NULL;
    buffer_init(&job->packed);
}

/* What the upload has is the job's until that is done: the client may go meanwhile. */
static int start(struct call *call, struct upload *u, void (*run)(struct job *job))
{
    struct client *client = call->client;
    struct job *job = job_new(call->gateway, client);
    if (!job)
        return call_fail(call, REDO_ENOMEM);
    job->run = run;
    job->finish = finish;
    job->storeless = true;
    job->more = u == &client->upload;
    job->after = u->bytes;
    job->history = u->history;
    u->history = NULL;
    buffer_init(&u->bytes);
    job_hold(job, client->conn->share, u->charged);
    charge(client, u, 0);
    job_start(job);
    return CALL_LATER;
}

int upload_load(struct call *call, struct upload *u)
{
    int rc = u->result;
    if (rc) {
        upload_drop(call->client, u);
        return call_fail(call, rc);
    }
    if (u->history)
        return REDO_OK;
    if (!u->bytes.size) {
        error_begin(&call->error, REDO_EDAMAGED, "loadpart has collected nothing");
        return REDO_EDAMAGED;
    }
    return start(call, u, run_load);
}

int upload_dump(struct call *call, struct upload *u)
{
    if (u->dump)
        return REDO_OK;
    if (history_memory(u->history) > DUMPED_AT_ONCE)
        return start(call, u, run_dump);
    int rc = history_dump(u->history, &u->dump, &u->dump_size);
    return rc ? call_fail(call, rc) : REDO_OK;
}
