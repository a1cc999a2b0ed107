/* The games of matches. What the store knows of the sessions that are named is read on the pool,
 * for all of them at once; what memory knows of one goes before it, and so does what is on its way
 * to the disk (members.h). */
#include <stdlib.h>
#include <string.h>

#include "server/access.h"
#include "server/call.h"
#include "server/job.h"
#include "server/match.h"
#include "server/page.h"
#include "server/reply.h"
#include "server/rooms.h"

/* ---- the sessions that a call names ------------------------------------------------------ */

/* One of them, as it was named; and what the store knows of it. */
struct named {
    uint64_t id;       /* 0: none, or not known yet */
    size_t name, size; /* of its name in job->name; size 0: it was named by its handle */
    uint32_t owner;    /* of that name */
    bool there;        /* in the store, not in the trash, and may be read */
    bool owned;        /* by who asks, or may be dealt with as if it was */
    bool is_match;
    uint64_t match;
};

static int fail_game(struct call *call, int code, size_t index)
{
    struct arg arg;
    struct arg const *list = &call->args.param[1];
    if (!call->error.code)
        call_fail(call, code);
    error_add_int(&call->error, "index", (int64_t)index);
    if (arg_read(PARAM_SESSION, &list->array.ptr[index], &arg))
        return code;
    if (arg.named)
        error_add_text(&call->error, "session", arg.bytes.data, arg.bytes.size);
    else
        error_add_int(&call->error, "session", arg.integer);
    return code;
}

/* The param sessions, as named[]: *all is malloc()ed. Their names are pieces of the message. */
static int read_named(struct call *call, struct named **all, struct buffer *names)
{
    msgpack_object_array const *list = &call->args.param[1].array;
    if (!list->size) {
        error_begin(&call->error, REDO_EPARAMS, "no sessions are named");
        return REDO_EPARAMS;
    }
    *all = calloc(list->size, sizeof **all);
    if (!*all)
        return call_fail(call, REDO_ENOMEM);
    int rc = REDO_OK;
    for (uint32_t i = 0; !rc && i < list->size; i++) {
        struct named *n = &(*all)[i];
        struct arg arg;
        if ((rc = arg_read(PARAM_SESSION, &list->ptr[i], &arg))) {
            call_fail(call, rc);
            error_add_word(&call->error, "param", "sessions");
            error_add_int(&call->error, "index", i);
        } else if (!arg.named) {
            n->id = (uint64_t)arg.integer;
        } else {
            struct address a = address_read(arg.bytes.data, arg.bytes.size);
            n->owner = a.told ? a.owner : call->client->asker->uid;
            n->name = names->size;
            n->size = a.size;
            buffer_append(names, a.name, a.size);
            if (!a.size)
                rc = fail_game(call, REDO_ENOSESSION, i);
        }
    }
    if (!rc && names->failed)
        rc = call_fail(call, REDO_ENOMEM);
    if (rc) {
        free(*all);
        *all = NULL;
    }
    return rc;
}

/* A match that is no more has no games, whatever they say. */
static int look_match(struct job *job, struct named *n, uint64_t *known)
{
    struct store_info info;
    if (!n->match || n->match == *known)
        return REDO_OK;
    int rc = store_find_id(job->reader, n->match, &info);
    if (rc == REDO_ENOSESSION)
        n->match = 0;
    else if (!rc)
        *known = n->match;
    return rc == REDO_ENOSESSION ? REDO_OK : rc;
}

/* On the pool. job->packed has them. */
static void run_named(struct job *job)
{
    struct named *all = (struct named *)(void *)job->packed.data;
    size_t count = job->packed.size / sizeof *all;
    uint64_t known = 0;
    job->result = REDO_OK;
    for (size_t i = 0; !job->result && i < count; i++) {
        struct named *n = &all[i];
        struct store_info info;
        int rc = n->size
                     ? store_find(job->reader, job->name.data + n->name, n->size, n->owner, &info)
                     : store_find_id(job->reader, n->id, &info);
        if (rc == REDO_ENOSESSION)
            continue;
        if (!rc) {
            n->id = info.id;
            n->there = !info.trashed && access_may_info(job->asker, &info, ACCESS_READ);
            n->owned = access_may_info(job->asker, &info, ACCESS_OWN);
            n->is_match = info.is_match;
            n->match = info.match;
            if (n->size && !n->there)
                n->id = 0; /* not even that there is one of that name */
            rc = look_match(job, n, &known);
        }
        job->result = rc;
    }
}

/* What there is in memory of a session goes before what the store knows: it may be newer. */
static struct room *find_in_memory(struct call *call, struct named *n, char const *names)
{
    struct registry const *r = &call->gateway->registry;
    if (!n->size)
        return registry_handled(r, n->id);
    struct room *room = registry_named(r, names + n->name, n->size, n->owner);
    if (room)
        return room;
    if (n->id && registry_handled(r, n->id)) /* it has another name by now */
        n->there = false;
    return NULL;
}

static void take_room(struct call *call, struct named *n, struct room const *room,
                      struct room const *match)
{
    struct asker const *asker = call->client->asker;
    n->id = room->handle;
    n->there =
        (!room->owner || room->owner == call->client) && access_may_room(asker, room, ACCESS_READ);
    n->owned = access_may_room(asker, room, ACCESS_OWN);
    n->is_match = room->history->games;
    n->match = room->match;
    if (!n->there || (room->stored == match->stored && !room->owner))
        return;
    error_begin(&call->error, REDO_EKIND,
                "the session is kept in memory alone, and a match is not");
}

/* Whether one can become a game of the match: REDO_OK, or a failure prepared. */
static int check_new(struct call *call, struct room const *match, struct named *n,
                     char const *names, size_t index)
{
    struct room const *room = find_in_memory(call, n, names);
    if (room) {
        take_room(call, n, room, match);
        if (call->error.code)
            return fail_game(call, call->error.code, index);
    } else if (n->there && rooms_leaving(call->gateway, n->id)) {
        n->there = false;
    }
    if (!n->there)
        return fail_game(call, REDO_ENOSESSION, index);
    if (!n->owned)
        return fail_game(call, REDO_EDENIED, index);
    if (n->is_match) {
        error_begin(&call->error, REDO_EKIND, "a match is no game of another");
        return fail_game(call, REDO_EKIND, index);
    }
    n->match = members_match(&call->gateway->members, n->id, n->match);
    /* Where a match was damaged, games say that they are in it which it does not know any more. */
    if (!n->match || (n->match == match->handle && !games_has(match->history->games, n->id)))
        return REDO_OK;
    call_fail(call, REDO_EINMATCH);
    error_add_int(&call->error, "match", (int64_t)n->match);
    return fail_game(call, REDO_EINMATCH, index);
}

/* The ids of an operation, and as numbers. */
struct ids {
    unsigned char *told;
    uint64_t *all;
    size_t count;
};

static void ids_free(struct ids *ids)
{
    free(ids->told);
    free(ids->all);
}

static int ids_make(struct call *call, struct ids *ids, size_t count)
{
    *ids = (struct ids){
        .told = malloc(count * GAMES_ID), .all = malloc(count * sizeof *ids->all), .count = count};
    return ids->told && ids->all ? REDO_OK : call_fail(call, REDO_ENOMEM);
}

static void ids_put(struct ids *ids, size_t i, uint64_t id)
{
    ids->all[i] = id;
    games_put_id(ids->told + i * GAMES_ID, id);
}

static int start_named(struct call *call, struct room const *match, struct named const *all,
                       size_t count, struct buffer const *names)
{
    struct job *job = job_new(call->gateway, call->client);
    if (job) {
        job->run = run_named;
        job->id = match->handle;
        buffer_append(&job->packed, all, count * sizeof *all);
        buffer_append(&job->name, names->data, names->size);
        job->name.failed |= job->packed.failed;
    }
    return call_start(call, job);
}

/* What the named sessions are, once the job knows; for new games whether they can be. */
static int find_named(struct call *call, struct room *match, bool new, struct ids *ids)
{
    struct gateway *gateway = call->gateway;
    struct buffer names = {0};
    struct named *given, *all;
    size_t count = call->args.param[1].array.size;
    struct job *job = call_finished_of(call, run_named, match->handle);
    int rc = read_named(call, &given, &names);
    if (rc) {
        buffer_free(&names);
        return rc;
    }
    all = given;
    char const *texts = names.data;
    /* Handles of games that are there need no look: whether they are is for the match to say. */
    bool looks = match->stored && (new || names.size);
    if (looks &&
        (!job || job->packed.size != count * sizeof *all || gateway->turned > job->departures)) {
        rc = start_named(call, match, given, count, &names);
    } else if (looks) {
        all = (struct named *)(void *)job->packed.data;
        texts = job->name.data;
        rc = job->result ? call_fail(call, job->result) : REDO_OK;
    }
    bool known = !rc && call_known(call, match);
    if (!rc)
        rc = ids_make(call, ids, count);
    for (size_t i = 0; !rc && i < count; i++) {
        struct room const *room;
        if (new && !known)
            rc = check_new(call, match, &all[i], texts, i);
        else if (all[i].size && (room = find_in_memory(call, &all[i], texts)))
            all[i].id = access_may_room(call->client->asker, room, ACCESS_READ) ? room->handle : 0;
        if (!rc && !all[i].id)
            rc = fail_game(call, REDO_ENOSESSION, i);
        if (!rc)
            ids_put(ids, i, all[i].id);
    }
    if (rc && rc != CALL_LATER && match->stored) { /* what it tells of may not be on disk yet */
        call->waits = true;
        call->number = committer_flush(&call->gateway->committer);
    }
    free(given);
    buffer_free(&names);
    return rc;
}

/* ---- in, out, in order ------------------------------------------------------------------- */

static int find_match(struct call *call, bool change, struct room **match)
{
    int rc = change ? call_room_changed(call, match) : call_room(call, match);
    return rc || (*match)->history->games
               ? rc
               : call_fail_session(call, REDO_ENOTMATCH, &call->args.param[0]);
}

/* Which of them it was that the match has refused. */
static int fail_edit(struct call *call, struct room const *match, struct ids const *ids, int code,
                     bool new)
{
    struct games const *g = match->history->games;
    size_t i = 0;
    while (i < ids->count && games_has(g, ids->all[i]) != new)
        i++;
    if (i == ids->count) /* the second of two that are the same */
        return code;
    error_add_int(&call->error, "index", (int64_t)i);
    error_add_int(&call->error, "session", (int64_t)ids->all[i]);
    return code;
}

static int edit(struct call *call, int value)
{
    bool inserts = value == redo_games_insert, drops = value == redo_games_drop;
    struct ids ids = {0};
    struct room *match;
    redo_result r;
    int rc = find_match(call, true, &match);
    if (rc)
        return rc;
    if (inserts && !match->name) {
        error_begin(&call->error, REDO_EKIND, "a private match has no games");
        return REDO_EKIND;
    }
    if (!(rc = find_named(call, match, inserts, &ids)) &&
        members_reserve(&call->gateway->members, ids.count))
        rc = call_fail(call, REDO_ENOMEM);
    if (rc) {
        ids_free(&ids);
        return rc;
    }
    int64_t at = drops ? -1 : args_integer(&call->args, "at", -1);
    redo_operation op = {.kind = REDO_OP_GAMES,
                         .position = REDO_NOPOSITION,
                         .source = at < 0                 ? REDO_NOPOSITION
                                   : at < REDO_NOPOSITION ? (uint32_t)at
                                                          : REDO_NOPOSITION - 1,
                         .value = value,
                         .state = ids.told,
                         .statesize = ids.count * GAMES_ID};
    rc = call_apply(call, match, &op, &r);
    if (rc == REDO_EINMATCH || rc == REDO_ENOSESSION)
        fail_edit(call, match, &ids, rc, inserts);
    if (!rc && r.changed && (inserts || drops))
        match_take(call->gateway, match, inserts ? match->handle : 0, ids.all, ids.count);
    ids_free(&ids);
    if (rc)
        return rc;
    call_waits_for(call, match);
    struct buffer *b = call_reply(call);
    pack_map(b, 1);
    pack_key(b, "games");
    pack_int(b, r.value);
    return REDO_OK;
}

int call_addgames(struct call *call)
{
    return edit(call, redo_games_insert);
}

int call_dropgames(struct call *call)
{
    return edit(call, redo_games_drop);
}

int call_ordergames(struct call *call)
{
    return edit(call, redo_games_order);
}

/* ---- telling ----------------------------------------------------------------------------- */

static void pack_gone(struct buffer *b, uint64_t id, struct store_info const *info)
{
    pack_map(b, 4);
    pack_key(b, "session");
    pack_uint(b, id);
    pack_key(b, "gone");
    pack_bool(b, true);
    pack_key(b, "name");
    if (info)
        pack_str(b, info->name, info->name_size);
    else
        pack_nil(b);
    pack_key(b, "trashed");
    if (info)
        pack_int(b, info->trashed);
    else
        pack_nil(b);
}

/* On the pool: those whose ids job->after has, as far as a page has room. */
static void run_games(struct job *job)
{
    size_t count = job->after.size / sizeof(uint64_t);
    job->result = REDO_OK;
    while (job->count < count && job->packed.size < PAGE_BYTES) {
        struct store_info info;
        uint64_t id;
        memcpy(&id, job->after.data + job->count * sizeof id, sizeof id);
        int rc = store_find_id(job->reader, id, &info);
        if (rc && rc != REDO_ENOSESSION) {
            job->result = rc;
            return;
        }
        bool told = !rc && access_may_info(job->asker, &info, ACCESS_READ);
        if (told && !info.trashed) {
            pack_map(&job->packed, REPLY_SESSION_FIELDS);
            reply_info_fields(&job->packed, &info);
        } else {
            pack_gone(&job->packed, id, told ? &info : NULL);
        }
        job->count++;
    }
    if (job->packed.failed)
        job->result = REDO_ENOMEM;
}

static void answer_games(struct call *call, struct buffer const *packed, size_t count,
                         uint64_t offset, size_t total, uint64_t sequence)
{
    struct buffer *b = call_reply(call);
    pack_map(b, 4);
    pack_key(b, "games");
    pack_array(b, count);
    buffer_append(b, packed->data, packed->size);
    b->failed = b->failed || packed->failed;
    pack_key(b, "total");
    pack_uint(b, total);
    pack_key(b, "next");
    if (offset + count < total)
        pack_uint(b, offset + count);
    else
        pack_nil(b);
    pack_key(b, "sequence");
    pack_uint(b, sequence);
}

static int get_in_memory(struct call *call, struct room const *match, size_t offset, size_t limit)
{
    struct games const *g = match->history->games;
    struct buffer packed = {0};
    size_t count = 0;
    while (count < limit && offset + count < g->count && packed.size < PAGE_BYTES) {
        uint64_t id = g->order[offset + count++];
        struct room const *room = registry_handled(&call->gateway->registry, id);
        if (room && access_may_room(call->client->asker, room, ACCESS_READ))
            reply_session(&packed, room);
        else
            pack_gone(&packed, id, NULL);
    }
    answer_games(call, &packed, count, offset, g->count, match->sequence);
    buffer_free(&packed);
    return REDO_OK;
}

int call_getgames(struct call *call)
{
    struct room *match;
    int rc = find_match(call, false, &match);
    if (rc)
        return rc;
    struct games const *g = match->history->games;
    uint64_t offset = (uint64_t)args_integer(&call->args, "offset", 0);
    size_t limit = page_limit(&call->args);
    if (!match->stored)
        return get_in_memory(call, match, (size_t)(offset > g->count ? g->count : offset), limit);
    struct job *job = call_finished_of(call, run_games, match->handle);
    if (!job) {
        job = job_new(call->gateway, call->client);
        if (job) {
            job->run = run_games;
            job->id = match->handle;
            job->sequence = match->sequence;
            job->limit = g->count;
            size_t at = offset > g->count ? g->count : (size_t)offset, left = g->count - at;
            buffer_append(&job->after, g->order + at,
                          (left < limit ? left : limit) * sizeof *g->order);
        }
        return call_start(call, job);
    }
    if (job->result)
        return call_fail(call, job->result);
    answer_games(call, &job->packed, job->count, offset > job->limit ? job->limit : offset,
                 job->limit, job->sequence);
    return REDO_OK;
}
