/* Questions about routes: the network at a position and the question become a search; or an equal
 * board was asked the same before. */
#include <string.h>

#include "core/changes/changes.h"
#include "server/call.h"
#include "server/access.h"
#include "server/job.h"

/* ---- the question ------------------------------------------------------------------------ */

/* What the answer depends on, the question last, as values: company, trains, rules, bonuses, set.
 * Boards that had to be told apart from others of their digest are their session's alone; others
 * are shared among those of one owner. */
static void pack_cache_key(struct search *s, struct room const *room, struct node *n, size_t *start)
{
    char const *state = node_state(room->history, n);
    uint32_t apart, owner = room->uid;
    struct buffer *b = &s->key;
    memcpy(&apart, state + 16, sizeof apart);
    buffer_append(b, (char const[]){(char)s->kind, apart != 0}, 2);
    buffer_append(b, state, CHANGES_STATE);
    if (apart)
        buffer_append(b, &room->handle, sizeof room->handle);
    else
        buffer_append(b, &owner, sizeof owner);
    *start = b->size;
}

static void pack_part(struct buffer *b, struct arg const *arg)
{
    if (!arg->present) {
        pack_nil(b);
    } else if (arg->type == PARAM_ARRAY) {
        pack_array(b, arg->array.size);
        for (uint32_t i = 0; i < arg->array.size; i++)
            pack_object(b, &arg->array.ptr[i]);
    } else if (arg->type == PARAM_STR) {
        pack_str(b, arg->bytes.data, arg->bytes.size);
    } else {
        pack_object(b, &arg->any);
    }
}

/* The params and options that make the question; of those that the method has not, nothing. */
static int pack_question(struct call *call, struct search *s)
{
    static struct arg const none;
    struct arg const *p = call->args.param;
    bool asks = s->kind != SEARCH_REACH, set = s->kind == SEARCH_CHECK;
    struct arg const *parts[] = {
        &p[2], asks ? &p[3] : &none, asks ? args_option(&call->args, "rules") : &none,
        asks ? args_option(&call->args, "bonuses") : &none, set ? &p[4] : &none};
    static char const *const names[] = {"company", "trains", "rules", "bonuses", "set"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t start = s->key.size;
        pack_part(&s->key, parts[i]);
        if (s->key.failed)
            return call_fail(call, REDO_ENOMEM);
        if (value_whole(s->key.data + start, s->key.size - start))
            continue;
        error_begin(&call->error, REDO_ETYPE, "%s has what is no value, or nests too deep",
                    names[i]);
        error_add_word(&call->error, "param", names[i]);
        return REDO_ETYPE;
    }
    return REDO_OK;
}

static int fail_question(struct call *call, int code, struct routes_fault const *fault)
{
    if (!*fault->text)
        return call_fail(call, code);
    error_begin(&call->error, code, "%s", fault->text);
    return code;
}

static int too_many(struct call *call, char const *limit, uint32_t most)
{
    error_begin(&call->error, REDO_EFULL, "a question has at most %lu %s", (unsigned long)most,
                limit);
    error_add_word(&call->error, "limit", limit);
    error_add_int(&call->error, "value", most);
    return REDO_EFULL;
}

static int fail_full(struct call *call)
{
    error_begin(&call->error, REDO_EFULL, "the searches that are under way hold too much memory");
    error_add_word(&call->error, "limit", "searches_bytes");
    error_add_int(&call->error, "value", SEARCHES_BYTES);
    return REDO_EFULL;
}

/* Reads the question from the key, where it starts there. */
static int read_question(struct call *call, struct search *s, size_t start)
{
    struct value_reader part[5];
    struct value_reader r = {(unsigned char *)s->key.data + start,
                             (unsigned char *)s->key.data + s->key.size};
    for (int i = 0; i < 5; i++) {
        part[i] = r;
        value_skip(&r);
        part[i].end = r.at;
    }
    int rc = told_question(&s->reading, part[0], part[1], part[2], part[3], &s->question);
    if (!rc && s->kind == SEARCH_CHECK)
        rc = told_set(&s->reading, part[4], &s->routes, &s->route_count);
    return rc ? fail_question(call, rc, &s->fault) : REDO_OK;
}

/* ---- the search -------------------------------------------------------------------------- */

static int take_options(struct call *call, struct search *s)
{
    struct arg const *deadline = args_option(&call->args, "deadline");
    struct arg const *id = args_option(&call->args, "id");
    if (id->present && (!id->bytes.size || id->bytes.size > SEARCH_ID)) {
        error_begin(&call->error, REDO_ENAME, "an id has 1 to %d bytes", SEARCH_ID);
        error_add_int(&call->error, "limit", SEARCH_ID);
        return REDO_ENAME;
    }
    if (id->present)
        memcpy(s->id, id->bytes.data, s->id_size = id->bytes.size);
    uint64_t ms = deadline->present ? (uint64_t)deadline->integer : 0;
    if (deadline->present) /* one beyond the end of time is none */
        s->deadline = ms < UINT32_MAX ? uv_hrtime() + ms * 1000000 : 0;
    if (s->kind != SEARCH_BEST)
        return REDO_OK;
    struct arg const *progress = args_option(&call->args, "progress");
    ms = progress->present ? (uint64_t)progress->integer : 0;
    if (progress->present)
        s->interval = ms && ms < UINT32_MAX ? ms * 1000000 : ms ? UINT64_MAX : 1;
    return REDO_OK;
}

static int answer(struct call *call, void const *pairs, size_t size, bool cached)
{
    struct value_reader r = {pairs, (unsigned char const *)pairs + size};
    uint32_t count = 0;
    for (; r.at < r.end; count++) {
        value_skip(&r);
        value_skip(&r);
    }
    struct buffer *b = call_reply(call);
    pack_map(b, count + 1);
    buffer_append(b, pairs, size);
    pack_key(b, "cached");
    pack_bool(b, cached);
    return REDO_OK;
}

/* What is waited for, or known; or the search begins. */
static int ask(struct call *call, struct search *s, struct room *room, struct node *n)
{
    size_t start, size;
    pack_cache_key(s, room, n, &start);
    int rc = pack_question(call, s);
    if (rc)
        return rc;
    struct searches *all = &call->gateway->searches;
    void const *known = routes_cache_find(&all->cache, s->key.data, s->key.size, &size);
    if (known)
        return answer(call, known, size, true);
    if ((rc = read_question(call, s, start)))
        return rc;
    if (searches_full(all, s->uid))
        return fail_full(call);
    struct board_network *network;
    if ((rc = changes_network(room->history, n, &network, &s->fault)))
        return fail_question(call, rc, &s->fault);
    s->network = network_hold(network);
    if (call->client->cancels_all) { /* by what has come after this request */
        search_stop(s, SEARCH_CANCELED);
        call->client->canceled++;
    }
    search_start(s);
    return CALL_LATER;
}

static int ask_or_answer(struct call *call, enum search_kind kind)
{
    struct job *job = call_finished(call, search_run);
    struct room *room;
    struct node *n;
    int rc;
    if (job) {
        struct search *s = job->search;
        call->waits = s->waits;
        call->number = s->number;
        return job->result ? fail_question(call, job->result, &s->fault)
                           : answer(call, s->answer.data, s->answer.size, false);
    }
    if ((rc = call_room(call, &room)) || (rc = call_node(call, room, 1, &n)))
        return rc;
    if (!room->history->changes || !room->history->changes->schema.routes) {
        error_begin(&call->error, REDO_EKIND,
                    "the session has not the schema route-network: it tells of no network");
        return REDO_EKIND;
    }
    if (kind != SEARCH_REACH && call->args.param[3].array.size > ROUTES_TRAINS)
        return too_many(call, "trains", ROUTES_TRAINS);
    if (kind != SEARCH_REACH && args_option(&call->args, "bonuses")->present &&
        args_option(&call->args, "bonuses")->array.size > ROUTES_BONUSES)
        return too_many(call, "bonuses", ROUTES_BONUSES);
    struct search *s = search_new(call->gateway, call->client);
    if (!s)
        return call_fail(call, REDO_ENOMEM);
    s->kind = kind;
    s->session = room->handle;
    s->position = n->in.id;
    s->waits = call->waits;
    s->number = call->number;
    if (kind != SEARCH_REACH && (rc = take_options(call, s)))
        return rc;
    return ask(call, s, room, n);
}

int call_routes_best(struct call *call)
{
    return ask_or_answer(call, SEARCH_BEST);
}

int call_routes_check(struct call *call)
{
    return ask_or_answer(call, SEARCH_CHECK);
}

int call_routes_reach(struct call *call)
{
    return ask_or_answer(call, SEARCH_REACH);
}

/* ---- cancel ------------------------------------------------------------------------------ */

static unsigned cancel(struct call *call, struct arg const *id)
{
    return searches_cancel(&call->gateway->searches, call->client->asker->uid, id->bytes.data,
                           id->bytes.size);
}

void call_routes_overheard(struct call *call)
{
    struct client *client = call->client;
    struct arg const *id = args_option(&call->args, "id");
    struct job *job = client->job;
    client->cancels++;
    if (id->present) {
        client->canceled += cancel(call, id);
        return;
    }
    client->cancels_all++;
    if (job && job->search && !job->done) {
        client->canceled++;
        search_stop(job->search, SEARCH_CANCELED);
    }
}

int call_routes_cancel(struct call *call)
{
    struct client *client = call->client;
    struct arg const *id = args_option(&call->args, "id");
    unsigned count = id->present ? cancel(call, id) : 0;
    if (client->cancels) { /* it was overheard: then it was done */
        client->cancels--;
        client->cancels_all -= !id->present;
        count += client->canceled;
        client->canceled = 0;
    }
    struct buffer *b = call_reply(call);
    pack_map(b, 1);
    pack_key(b, "canceled");
    pack_uint(b, count);
    return REDO_OK;
}
