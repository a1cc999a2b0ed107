/* Listing sessions: from the store, or, where there is none, from memory; in pages. */
#include <string.h>

#include "server/access.h"
#include "server/call.h"
#include "server/job.h"
#include "server/page.h"
#include "server/reply.h"
#include "server/rooms.h"

enum { LIST_MATCHES = 1, LIST_NO_GAMES = 2 };

/* Matches alone; or all but games. */
static bool is_wanted(unsigned wanted, struct store_info const *info)
{
    return (info->is_match || !(wanted & LIST_MATCHES)) &&
           !(info->match && (wanted & LIST_NO_GAMES));
}

static unsigned wanted_of(struct call const *call)
{
    return (args_flag(&call->args, "matches", false) ? LIST_MATCHES : 0u) |
           (args_flag(&call->args, "games", true) ? 0u : LIST_NO_GAMES);
}

static bool list_one(void *data, struct store_info const *info)
{
    struct job *job = data;
    if (!access_may_info(job->asker, info, ACCESS_READ) || !is_wanted(job->wanted, info))
        return true;
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

/* Where a page begins that comes after the session `id`, told last with the name `after`: behind
 * its id in the trash, else behind its owner. Of one that is gone meanwhile the owner is not known
 * any more: then that name's are told again. So are they for one that the asker may not read: the
 * answer must not tell that it is there. */
static int64_t list_key(struct job *job)
{
    struct store_info info;
    if (!job->id)
        return STORE_LAST;
    if (job->trash)
        return (int64_t)job->id;
    job->result = store_find_id(job->reader, job->id, &info);
    bool known = !job->result && access_may_info(job->asker, &info, ACCESS_READ);
    if (job->result == REDO_ENOSESSION)
        job->result = REDO_OK;
    return known ? (int64_t)info.owner : -1;
}

static void run_list(struct job *job)
{
    int64_t key = list_key(job);
    if (!job->result)
        job->result = store_list(job->reader, job->name.data, job->name.size, job->after.data,
                                 job->after.size, key, SIZE_MAX, job->trash, list_one, job);
    if (!job->result && (job->packed.failed || job->text.failed))
        job->result = REDO_ENOMEM;
}

/* What to ask with for the page after this one, if there are more. */
static void pack_next(struct buffer *b, bool more, char const *name, size_t size, uint64_t handle)
{
    pack_key(b, "next");
    if (more)
        pack_str(b, name, size);
    else
        pack_nil(b);
    pack_key(b, "nextsession");
    if (more)
        pack_uint(b, handle);
    else
        pack_nil(b);
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
            job->wanted = wanted_of(call);
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
    pack_map(b, 3);
    pack_key(b, "sessions");
    pack_array(b, job->count);
    buffer_append(b, job->packed.data, job->packed.size);
    pack_next(b, job->more, job->text.data, job->text.size, job->sequence);
    return REDO_OK;
}

static bool has_prefix(struct room const *room, struct arg const *prefix)
{
    return !prefix->present || (room->name_size >= prefix->bytes.size &&
                                memcmp(room->name, prefix->bytes.data, prefix->bytes.size) == 0);
}

/* The first place in the order of names from which to tell. */
static size_t first_place(struct call *call, struct arg const *prefix, struct arg const *after)
{
    struct registry const *r = &call->gateway->registry;
    size_t first = 0;
    if (prefix->present)
        first = registry_place(r, prefix->bytes.data, prefix->bytes.size, 0);
    if (!after->present)
        return first;
    /* As in list_key(). */
    uint64_t id = (uint64_t)args_integer(&call->args, "aftersession", 0);
    struct room const *last = id ? registry_handled(r, id) : NULL;
    bool known = last && access_may_room(call->client->asker, last, ACCESS_READ);
    uint32_t owner = !id ? UINT32_MAX : known ? last->uid : 0;
    size_t place = registry_place(r, after->bytes.data, after->bytes.size, owner);
    if (known)
        place += registry_named(r, after->bytes.data, after->bytes.size, owner) != NULL;
    return place > first ? place : first;
}

static int list_in_memory(struct call *call, struct arg const *prefix, struct arg const *after,
                          size_t limit)
{
    struct registry const *r = &call->gateway->registry;
    struct asker const *asker = call->client->asker;
    unsigned wanted = wanted_of(call);
    struct room const *last = NULL;
    struct buffer packed = {0};
    size_t count = 0;
    bool more = false;
    for (size_t i = first_place(call, prefix, after);
         !more && i < r->name_count && has_prefix(r->by_name[i], prefix); i++) {
        struct store_info info = rooms_info(r->by_name[i]);
        if (!access_may_room(asker, r->by_name[i], ACCESS_READ) || !is_wanted(wanted, &info))
            continue;
        more = count == limit || packed.size >= PAGE_BYTES;
        if (more)
            break;
        last = r->by_name[i];
        reply_session(&packed, last);
        count++;
    }
    struct buffer *b = call_reply(call);
    pack_map(b, 3);
    pack_key(b, "sessions");
    pack_array(b, count);
    buffer_append(b, packed.data, packed.size);
    b->failed = b->failed || packed.failed;
    pack_next(b, more, last ? last->name : "", last ? last->name_size : 0, last ? last->handle : 0);
    buffer_free(&packed);
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
