/* The session that a request names, whether who asks may do with it what is asked, and the name
 * that one is to have. */
#include <string.h>

#include "server/access.h"
#include "server/call.h"
#include "server/finding.h"

static void add_session(struct call *call, struct arg const *arg)
{
    if (arg->type == PARAM_STR || arg->named)
        error_add_text(&call->error, "session", arg->bytes.data, arg->bytes.size);
    else
        error_add_int(&call->error, "session", arg->integer);
}

int call_fail_session(struct call *call, int code, struct arg const *arg)
{
    if (code == CALL_LATER)
        return code;
    call_fail(call, code);
    add_session(call, arg);
    return code;
}

static int fail_lost(struct call *call, int why, struct arg const *arg)
{
    call->client->lost = why;
    error_begin(&call->error, REDO_ERESYNC, "%s, since changes were lost: %s",
                redo_strerror(REDO_ERESYNC), redo_strerror(why));
    error_add_int(&call->error, "why", why);
    add_session(call, arg);
    return REDO_ERESYNC;
}

static int find(struct call *call, struct arg const *arg, struct room **room)
{
    return arg->named ? rooms_addressed(call, arg->bytes.data, arg->bytes.size, room)
                      : rooms_handled(call, (uint64_t)arg->integer, room);
}

int call_room_anew(struct call *call, struct room **room)
{
    int rc = find(call, &call->args.param[0], room);
    if (rc)
        return call_fail_session(call, rc, &call->args.param[0]);
    room_lost(*room, call->client, REDO_OK);
    call_waits_for(call, *room);
    return REDO_OK;
}

/* The same, unless what this client was told of it is lost. */
static int find_kept(struct call *call, struct arg const *arg, struct room **room)
{
    int rc = find(call, arg, room);
    if (rc)
        return call_fail_session(call, rc, arg);
    int why = room_why_lost(*room, call->client);
    return why ? fail_lost(call, why, arg) : REDO_OK;
}

int call_room(struct call *call, struct room **room)
{
    int rc = find_kept(call, &call->args.param[0], room);
    if (rc)
        return rc;
    call_waits_for(call, *room);
    return REDO_OK;
}

/* It may be read, so that it is there is no secret. */
static int check_access(struct call *call, struct room const *room, enum access access,
                        struct arg const *arg)
{
    if (access_may_room(call->client->asker, room, access))
        return REDO_OK;
    return call_fail_session(call, REDO_EDENIED, arg);
}

int call_room_owned(struct call *call, struct room **room)
{
    int rc = call_room(call, room);
    return rc ? rc : check_access(call, *room, ACCESS_OWN, &call->args.param[0]);
}

int call_room_changed(struct call *call, struct room **room)
{
    int rc = call_room(call, room);
    return rc ? rc : call_check_write(call, *room);
}

int call_check_write(struct call *call, struct room const *room)
{
    return check_access(call, room, ACCESS_WRITE, &call->args.param[0]);
}

static int find_match(struct call *call, struct arg const *arg, struct room **match)
{
    int rc = find_kept(call, arg, match);
    if (rc || (rc = check_access(call, *match, ACCESS_WRITE, arg)))
        return rc;
    return (*match)->history->games ? REDO_OK : call_fail_session(call, REDO_ENOTMATCH, arg);
}

/* The failure that is known already, prepared once more. */
static int fail_again(struct call *call, struct arg const *arg)
{
    struct client const *client = call->client;
    return client->refused == REDO_ERESYNC ? fail_lost(call, client->lost, arg)
                                           : call_fail_session(call, client->refused, arg);
}

int call_match_option(struct call *call, struct room **match)
{
    struct client *client = call->client;
    struct arg const *arg = args_option(&call->args, "match");
    *match = NULL;
    if (!arg->present)
        return REDO_OK;
    if (client->refused)
        return fail_again(call, arg);
    int rc = find_match(call, arg, match);
    if (rc && rc != CALL_LATER)
        client->refused = rc;
    return rc;
}

int call_match_refused(struct call *call)
{
    int why = call->client->refused;
    if (why && call->gateway->store) {
        call->waits = true;
        call->number = committer_flush(&call->gateway->committer);
    }
    return why;
}

int call_check_usage(struct call *call, uint32_t uid, struct usage_amount more)
{
    uint64_t value, takes;
    char const *limit = usage_broken(&call->gateway->usage, uid, more, &value, &takes);
    if (!limit)
        return REDO_OK;
    error_begin(&call->error, REDO_EFULL, "%s is %llu, and user %lu has %llu", limit,
                (unsigned long long)value, (unsigned long)uid, (unsigned long long)takes);
    error_add_word(&call->error, "limit", limit);
    error_add_int(&call->error, "value", (int64_t)value);
    return REDO_EFULL;
}

int call_check_mode(struct call *call, struct arg const *mode)
{
    if (!mode->present || access_mode_valid((uint64_t)mode->integer))
        return REDO_OK;
    error_begin(&call->error, REDO_ERANGE,
                "a mode has bits for reading (4) and writing (2) of owner, group and others: the "
                "owner may read, and who may write may read");
    error_add_int(&call->error, "mode", mode->integer);
    return REDO_ERANGE;
}

/* ---- names ------------------------------------------------------------------------------- */

int call_fail_exists(struct call *call, char const *name, size_t size)
{
    call_fail(call, REDO_EEXISTS);
    error_add_text(&call->error, "name", name, size);
    return REDO_EEXISTS;
}

int call_check_free(struct call *call, char const *name, size_t size, uint32_t owner)
{
    struct room *there;
    int rc = rooms_named(call, name, size, owner, &there);
    if (rc == REDO_ENOSESSION)
        return REDO_OK;
    if (rc == CALL_LATER)
        return rc;
    if (!rc) {
        call_waits_for(call, there); /* that it is there may be known when it is on disk */
        return call_fail_exists(call, name, size);
    }
    call_fail(call, rc);
    error_add_text(&call->error, "name", name, size);
    return rc;
}

int call_check_name(struct call *call, char const *name, size_t size)
{
    if (size < 1 || size > ROOM_NAME_MAX || memchr(name, '\0', size)) {
        error_begin(&call->error, REDO_ENAME, "a name has 1 to %d bytes, none of them 0",
                    ROOM_NAME_MAX);
        error_add_int(&call->error, "limit", ROOM_NAME_MAX);
        error_add_int(&call->error, "given", (int64_t)size);
        return REDO_ENAME;
    }
    if (name[0] == '~') {
        error_begin(&call->error, REDO_ENAME,
                    "a name does not begin with ~: that is for ~UID/NAME, a user's session");
        error_add_text(&call->error, "name", name, size);
        return REDO_ENAME;
    }
    return REDO_OK;
}

int call_check_name_arg(struct call *call, struct arg const *name)
{
    return name->present ? call_check_name(call, name->bytes.data, name->bytes.size) : REDO_OK;
}
