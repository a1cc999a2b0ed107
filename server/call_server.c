/* server.*: about the daemon itself. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol/describe.h"
#include "server/access.h"
#include "server/call.h"
#include "server/daemon.h"
#include "server/job.h"
#include "server/log.h"
#include "server/page.h"
#include "server/record_reply.h"

/* The name of who calls, an author from here on. */
static int set_name(struct call *call, struct arg const *name)
{
    if (name->bytes.size > REDO_AUTHOR_MAX || memchr(name->bytes.data, '\0', name->bytes.size)) {
        error_begin(&call->error, REDO_ENAME,
                    "a client's name has at most %d bytes, none of them 0", REDO_AUTHOR_MAX);
        error_add_int(&call->error, "limit", REDO_AUTHOR_MAX);
        error_add_int(&call->error, "given", (int64_t)name->bytes.size);
        return REDO_ENAME;
    }
    char *copy = malloc(name->bytes.size + 1);
    if (!copy)
        return call_fail(call, REDO_ENOMEM);
    memcpy(copy, name->bytes.data, name->bytes.size);
    free(call->client->name);
    call->client->name = copy;
    call->client->name_size = name->bytes.size;
    return REDO_OK;
}

int call_server_hello(struct call *call)
{
    struct arg const *client = args_option(&call->args, "client");
    struct arg const *errors = args_option(&call->args, "errors");
    int rc;
    if (errors->present) {
        bool array = errors->bytes.size == 5 && memcmp(errors->bytes.data, "array", 5) == 0;
        bool string = errors->bytes.size == 6 && memcmp(errors->bytes.data, "string", 6) == 0;
        if (!array && !string) {
            call_fail(call, REDO_ECONSTANT);
            error_add_text(&call->error, "errors", errors->bytes.data, errors->bytes.size);
            return REDO_ECONSTANT;
        }
        if ((rc = client->present ? set_name(call, client) : REDO_OK))
            return rc;
        call->client->conn->errors_as_string = string;
    } else if (client->present && (rc = set_name(call, client))) {
        return rc;
    }
    if (client->present)
        log_debug("connection %llu is %.*s", (unsigned long long)call->client->conn->number,
                  (int)(client->bytes.size > 100 ? 100 : client->bytes.size), client->bytes.data);
    struct buffer *b = call_reply(call);
    pack_map(b, 2);
    pack_key(b, "server");
    pack_cstr(b, "redod");
    pack_key(b, "version");
    pack_cstr(b, REDOD_VERSION);
    return REDO_OK;
}

/* The names of damaged sessions, at most PAGE_DEFAULT. */
static bool note_damaged(void *data, struct store_info const *info)
{
    struct job *job = data;
    if (info->damaged && access_may_info(job->asker, info, ACCESS_READ)) {
        pack_str(&job->packed, info->name, info->name_size);
        job->count++;
    }
    return job->count < PAGE_DEFAULT;
}

static void run_damaged(struct job *job)
{
    job->result = store_list(job->reader, NULL, 0, NULL, 0, 0, SIZE_MAX, false, note_damaged, job);
    if (!job->result && job->packed.failed)
        job->result = REDO_ENOMEM;
}

int call_server_info(struct call *call)
{
    struct job *job = call->client->job;
    if (call->gateway->store && (!job || job->run != run_damaged)) {
        job = job_new(call->gateway, call->client);
        if (!job)
            return call_fail(call, REDO_ENOMEM);
        job->run = run_damaged;
        job_start(job);
        return CALL_LATER;
    }
    if (job && job->result)
        return call_fail(call, job->result);
    struct config const *config = &call->gateway->daemon->config;
    struct describe_limit const limits[] = {
        {"name", ROOM_NAME_MAX},
        {"key", REDO_KEY_MAX},
        {"keys", REDO_KEYS_MAX},
        {"record", REDO_RECORD_MAX},
        {"record_answer", RECORD_ANSWER_MAX},
        {"candidates", REDO_CANDIDATES_MAX},
        {"upload", UPLOAD_MAX},
        {"subtree", ROOM_BYTES_MAX},
        {"cursors", REDO_CURSORS_MAX},
        {"authors", REDO_AUTHORS_MAX},
        {"adds", REDO_TURN_MAX},
        {"page", PAGE_MAX},
        {"page_bytes", PAGE_BYTES},
        {"output", config->output_hard},
        {"output_soft", config->output_soft},
        {"output_seconds", config->output_seconds},
        {"output_user", config->output_per_user},
        {"idle", config->idle_timeout},
        {"keepalive", config->keepalive},
        {"stall", config->stall_timeout},
        {"connections", config->max_connections},
        {"connections_per_user", config->max_per_user},
        {"user_connections", config->user_connections},
        {"user_sessions", config->user_sessions},
        {"user_positions", config->user_positions},
        {"user_bytes", config->user_bytes},
        {"searches", SEARCHES_RUNNING},
        {"searches_bytes", SEARCHES_BYTES},
        {"search_bytes", ROUTES_MEMORY},
        {"routes_bytes", ROUTES_CACHE_BYTES},
    };
    struct frame_limits const *frame = &call->client->conn->conns->limits.frame;
    struct buffer *b = call_reply(call);
    describe_pack(&call->gateway->methods, REDOD_VERSION, frame, limits,
                  sizeof limits / sizeof *limits, 1, b);
    pack_key(b, "damaged");
    pack_array(b, job ? job->count : 0);
    if (job)
        buffer_append(b, job->packed.data, job->packed.size);
    return REDO_OK;
}

int call_flush(struct call *call)
{
    if (call->gateway->store) {
        call->waits = true;
        call->number = committer_flush(&call->gateway->committer);
    }
    pack_nil(call_reply(call));
    return REDO_OK;
}

static void run_backup(struct job *job)
{
    char why[ERROR_MESSAGE_MAX];
    struct stat there;
    if (!job->trash && lstat(job->name.data, &there) == 0) {
        static char const taken[] = "a file of that name is there";
        job->result = REDO_ENAME;
        buffer_append(&job->text, taken, sizeof taken);
        return;
    }
    job->result = store_backup(job->gateway->store, job->name.data, why, sizeof why);
    if (job->result)
        buffer_append(&job->text, why, strlen(why) + 1);
}

int call_backup(struct call *call)
{
    struct arg const *path = &call->args.param[0];
    if (!call->gateway->store)
        return call_fail(call, REDO_ESTORE);
    /* The daemon writes the file as itself: for nobody who could not do that anyway. */
    if (!call->client->asker->all)
        return call_fail(call, REDO_EDENIED);
    if (!path->bytes.size || path->bytes.data[0] != '/' ||
        memchr(path->bytes.data, '\0', path->bytes.size)) {
        error_begin(&call->error, REDO_ENAME, "not an absolute path");
        return REDO_ENAME;
    }
    struct job *job = call_finished(call, run_backup);
    if (!job) {
        job = job_new(call->gateway, call->client);
        if (job) {
            job->run = run_backup;
            job->trash = args_flag(&call->args, "force", false); /* what is there may go */
            buffer_append(&job->name, path->bytes.data, path->bytes.size);
            buffer_append(&job->name, "", 1);
        }
        return call_start(call, job);
    }
    if (job->result) {
        error_begin(&call->error, job->result, "%s",
                    job->text.size ? job->text.data : redo_strerror(job->result));
        return job->result;
    }
    pack_nil(call_reply(call));
    return REDO_OK;
}

int call_server_ping(struct call *call)
{
    pack_nil(call_reply(call));
    return REDO_OK;
}
