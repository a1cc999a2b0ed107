/* Listing sessions: from the store, or, where there is none, from memory; in pages. */
#include <string.h>

#include "server/call.h"
#include "server/job.h"
#include "server/page.h"
#include "server/reply.h"

static bool list_one(void *data, struct store_info const *info)
{
    struct job *job = data;
    if (job->count == job->limit || job->packed.size > PAGE_BYTES) {
        job->more = true;
        return false;
    }
    pack_map(&job->packed, REPLY_SESSION_FIELDS);
    reply_info_fields(&job->packed, info);
    buffer_rewind(&job->text, 0); /* the last name */
    buffer_append(&job->text, info->name, info->name_size);
    job->sequence = info->id;
    job->count++;
    return true;
}

static void run_list(struct job *job)
{
    job->result = store_list(job->reader, job->name.data, job->name.size, job->after.data,
                             job->after.size, job->id, job->limit + 1, job->trash, list_one, job);
    if (!job->result && (job->packed.failed || job->text.failed))
        job->result = REDO_ENOMEM;
}

static int list_stored(struct call *call, struct arg const *prefix, struct arg const *after,
                       size_t limit, bool trash)
{
    struct job *job = call_finished(call, run_list);
    if (!job) {
        job = job_new(call->gateway, call->client);
        if (job) {
            job->run = run_list;
            job->limit = limit;
            job->trash = trash;
            job->id = (uint64_t)args_integer(&call->args, "aftersession", 0);
            if (prefix->present)
                buffer_append(&job->name, prefix->bytes.data, prefix->bytes.size);
            if (after->present)
                buffer_append(&job->after, after->bytes.data, after->bytes.size);
        }
        return call_start(call, job);
    }
    if (job->result)
        return call_fail(call, job->result);
    struct buffer *b = call_reply(call);
    pack_map(b, 2u + trash);
    pack_key(b, "sessions");
    pack_array(b, job->count);
    buffer_append(b, job->packed.data, job->packed.size);
    pack_key(b, "next");
    if (job->more)
        pack_str(b, job->text.data, job->text.size);
    else
        pack_nil(b);
    if (trash) {
        pack_key(b, "nextsession");
        if (job->more)
            pack_uint(b, job->sequence);
        else
            pack_nil(b);
    }
    return REDO_OK;
}

static bool has_prefix(struct room const *room, struct arg const *prefix)
{
    return !prefix->present || (room->name_size >= prefix->bytes.size &&
                                memcmp(room->name, prefix->bytes.data, prefix->bytes.size) == 0);
}

/* A SESSION in an answer takes at most so many bytes, its name left aside. */
#define SESSION_BYTES 256

static int list_in_memory(struct call *call, struct arg const *prefix, struct arg const *after,
                          size_t limit)
{
    struct registry const *r = &call->gateway->registry;
    size_t first = 0;
    if (prefix->present)
        first = registry_place(r, prefix->bytes.data, prefix->bytes.size);
    if (after->present) {
        size_t place = registry_place(r, after->bytes.data, after->bytes.size);
        place += registry_named(r, after->bytes.data, after->bytes.size) != NULL;
        first = place > first ? place : first;
    }
    size_t end = first, bytes = 0;
    while (end < r->name_count && end - first < limit && bytes < PAGE_BYTES &&
           has_prefix(r->by_name[end], prefix))
        bytes += SESSION_BYTES + r->by_name[end++]->name_size;
    bool more = end > first && end < r->name_count && has_prefix(r->by_name[end], prefix);
    struct buffer *b = call_reply(call);
    pack_map(b, 2);
    pack_key(b, "sessions");
    pack_array(b, end - first);
    for (size_t i = first; i < end; i++)
        reply_session(b, r->by_name[i]);
    pack_key(b, "next");
    if (more)
        pack_str(b, r->by_name[end - 1]->name, r->by_name[end - 1]->name_size);
    else
        pack_nil(b);
    return REDO_OK;
}

int call_listsessions(struct call *call)
{
    struct arg const *prefix = args_option(&call->args, "prefix");
    struct arg const *after = args_option(&call->args, "after");
    bool trash = args_flag(&call->args, "trash", false);
    size_t limit = page_limit(&call->args);
    if (call->gateway->store)
        return list_stored(call, prefix, after, limit, trash);
    int rc = trash ? call_check_store(call) : REDO_OK;
    return rc ? rc : list_in_memory(call, prefix, after, limit);
}
