/* Beginning sessions and matches, or joining one that is there. What asks the store may return
 * CALL_LATER at any rooms_*() or job, and is then begun again: nothing is changed before the last
 * of these. */
#include <string.h>
#include <time.h>

#include "core/changes/changes.h"
#include "core/redo.h"
#include "server/access.h"
#include "server/beginning.h"
#include "server/begun.h"
#include "server/finding.h"

static int fail_state(struct call *call, char const *why)
{
    error_begin(&call->error, REDO_ESTATE, "%s", why);
    return REDO_ESTATE;
}

/* Whether two sessions are of one kind, size or schema. */
static bool is_alike(struct history const *a, struct history const *b)
{
    struct changes const *c = a->changes, *d = b->changes;
    if (a->size != b->size || a->cmpsize != b->cmpsize || !c != !d || !a->games != !b->games)
        return false;
    return !c || (c->lenient == d->lenient && c->schema.size == d->schema.size &&
                  (!c->schema.size || !memcmp(c->schema.bytes, d->schema.bytes, c->schema.size)));
}

/* A session of that name is there already; `wanted` is what was to be begun. */
static int join(struct call *call, struct room *room, struct history const *wanted,
                struct room const *match)
{
    call_waits_for(call, room);
    if (!args_flag(&call->args, "join", false))
        return call_fail_exists(call, room->name, room->name_size);
    if (match && room->match != match->handle)
        return fail_state(call, "the session exists, and is no game of that match");
    if (!is_alike(room->history, wanted)) {
        fail_state(call, wanted->games || room->history->games
                             ? "the session exists, and one of the two is no match"
                             : "the session exists with other sizes, or another schema");
        error_add_int(&call->error, "size", room->history->size);
        error_add_int(&call->error, "cmpsize", room->history->cmpsize);
        return REDO_ESTATE;
    }
    if (room_set_relaxed(room, call->client, args_flag(&call->args, "relaxed", false)))
        return call_fail(call, REDO_ENOMEM);
    beginning_answer(call, room, false);
    return REDO_OK;
}

static int begin_and_answer(struct call *call, struct history *history, struct beginning how)
{
    struct room *room;
    int rc = beginning_make(call, history, how, &room);
    if (!rc)
        beginning_answer(call, room, true);
    return rc;
}

static int check_sizes(struct call *call, struct arg const *state, int64_t size, int64_t cmpsize)
{
    if (size < 1 || size > REDO_STATE_MAX) {
        error_begin(&call->error, REDO_ESTATE, "a state has 1 to %d bytes", REDO_STATE_MAX);
        error_add_int(&call->error, "limit", REDO_STATE_MAX);
        error_add_int(&call->error, "given", size);
        return REDO_ESTATE;
    }
    if (cmpsize < 0 || cmpsize > size)
        return fail_state(call, "cmpsize is not in 0 to size");
    if ((int64_t)state->bytes.size != size) {
        fail_state(call, "size is not the length of the state");
        error_add_int(&call->error, "expected", size);
        error_add_int(&call->error, "given", (int64_t)state->bytes.size);
        return REDO_ESTATE;
    }
    return REDO_OK;
}

/* The session of that name, if it is there. Nobody begins one in another's name: asking for that is
 * refused alike whether it is there or not. */
static int find_to_join(struct call *call, struct arg const *name, struct address *a,
                        struct room **there)
{
    uint32_t uid = call->client->asker->uid;
    if (!a->told)
        a->owner = uid;
    if (a->owner == uid) {
        int rc = call_check_name(call, a->name, a->size);
        if (rc)
            return rc;
    } else if (!args_flag(&call->args, "join", false)) {
        call_fail(call, REDO_EDENIED);
        error_add_text(&call->error, "name", name->bytes.data, name->bytes.size);
        return REDO_EDENIED;
    }
    *there = NULL;
    int rc = rooms_named(call, a->name, a->size, a->owner, there);
    if (rc == REDO_ENOSESSION && a->owner == uid)
        return REDO_OK;
    return rc ? call_fail_session(call, rc, name) : REDO_OK;
}

int call_beginsession(struct call *call)
{
    uint64_t what;
    struct arg const *state = &call->args.param[0];
    int64_t size = call_integer(call, 1), cmpsize = call_integer(call, 2);
    int rc = check_sizes(call, state, size, cmpsize);
    if (rc || (rc = begun_read(call, BEGUN_STATES, &what)))
        return rc;
    struct history *history = history_new(state->bytes.data, (size_t)size, (size_t)cmpsize);
    return history ? call_begin_new(call, history, what) : call_fail(call, redo_lasterror());
}

/* The session that may be there already, and the match that is asked for; that it can not be had
 * is no matter if it was had when the same was asked before. */
static int look_around(struct call *call, struct arg const *name, bool is_match,
                       struct beginning *how, struct room **there)
{
    *there = NULL;
    if (!is_match && call_match_option(call, &how->match) == CALL_LATER)
        return CALL_LATER;
    if (!name->present) {
        *there = begun_private(call);
        return REDO_OK;
    }
    struct address a = address_read(name->bytes.data, name->bytes.size);
    int rc = find_to_join(call, name, &a, there);
    how->name = a.name;
    how->name_size = a.size;
    return rc;
}

static int begin_new(struct call *call, struct history *history, struct arg const *name,
                     bool private, uint64_t what)
{
    struct client const *by = call->client;
    struct beginning how = beginning_of(call, name);
    struct room *there = NULL;
    int rc = call_check_mode(call, args_option(&call->args, "mode"));
    if (!rc)
        rc = look_around(call, name, history->games != NULL, &how, &there);
    bool again = !rc && there && begun_is(call, there, what, &rc);
    if (!rc && again)
        rc = beginning_again(call, there, args_flag(&call->args, "relaxed", false));
    else if (!rc)
        rc = call_match_refused(call);
    if (!rc && !again && there)
        rc = join(call, there, history, how.match);
    if (rc || there) {
        history_free(history);
        return rc;
    }
    rc = history_sign(history, by->conn->peer.uid, by->name ? by->name : "", by->name_size,
                      (uint32_t)time(NULL));
    rc = rc ? call_fail(call, rc) : begun_keep(call, history, what);
    if (rc) {
        history_free(history);
        return rc;
    }
    how.stored = !private;
    how.relaxed = args_flag(&call->args, "relaxed", false);
    return begin_and_answer(call, history, how);
}

int call_begin_new(struct call *call, struct history *history, uint64_t what)
{
    return begin_new(call, history, args_option(&call->args, "name"),
                     args_flag(&call->args, "private", false), what);
}

/* A match has states, as it must; what it is about are its games. */
int call_beginmatch(struct call *call)
{
    uint64_t what;
    int rc = begun_read(call, BEGUN_MATCH, &what);
    if (rc)
        return rc;
    struct history *history = history_new("", 1, 1);
    if (!history)
        return call_fail(call, redo_lasterror());
    if (games_begin(history)) {
        history_free(history);
        return call_fail(call, REDO_ENOMEM);
    }
    return begin_new(call, history, &call->args.param[0], false, what);
}
