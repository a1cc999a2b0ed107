/* Sessions: beginning, finding, listing and ending them. */
#include <string.h>

#include "core/dump.h"
#include "core/redo.h"
#include "server/call.h"
#include "server/page.h"
#include "server/reply.h"

int call_room(struct call *call, struct room **found)
{
    struct arg const *arg = &call->args.param[0];
    struct room *room = arg->named ? registry_named(&call->gateway->registry, arg->bytes.data,
                                                    arg->bytes.size)
                                   : registry_handled(&call->gateway->registry,
                                                      (uint64_t)arg->integer);
    /* Others' private sessions are not there. */
    if (!room || (room->owner && room->owner != call->client)) {
        call_fail(call, REDO_ENOSESSION);
        if (arg->named)
            error_add_text(&call->error, "session", arg->bytes.data, arg->bytes.size);
        else
            error_add_int(&call->error, "session", arg->integer);
        return REDO_ENOSESSION;
    }
    *found = room;
    return REDO_OK;
}

static int check_name(struct call *call, struct arg const *name)
{
    if (name->bytes.size >= 1 && name->bytes.size <= ROOM_NAME_MAX &&
        !memchr(name->bytes.data, '\0', name->bytes.size))
        return REDO_OK;
    error_begin(&call->error, REDO_ENAME, "a name has 1 to %d bytes, none of them 0",
                ROOM_NAME_MAX);
    error_add_int(&call->error, "limit", ROOM_NAME_MAX);
    error_add_int(&call->error, "given", (int64_t)name->bytes.size);
    return REDO_ENAME;
}

static int fail_state(struct call *call, char const *why)
{
    error_begin(&call->error, REDO_ESTATE, "%s", why);
    return REDO_ESTATE;
}

/* begins: created, answers joined: not. */
static void answer_begin(struct call *call, struct room const *room, bool created)
{
    struct buffer *b = call_reply(call);
    pack_map(b, REPLY_SESSION_FIELDS + 1);
    reply_session_fields(b, room);
    pack_key(b, "created");
    pack_bool(b, created);
}

/* A session of that name is there already. */
static int join(struct call *call, struct room *room, int64_t size, int64_t cmpsize)
{
    if (!args_flag(&call->args, "join", false)) {
        call_fail(call, REDO_EEXISTS);
        error_add_text(&call->error, "name", room->name, room->name_size);
        return REDO_EEXISTS;
    }
    if (size != room->history->size || (cmpsize ? cmpsize : size) != room->history->cmpsize) {
        fail_state(call, "the session exists with other sizes");
        error_add_int(&call->error, "size", room->history->size);
        error_add_int(&call->error, "cmpsize", room->history->cmpsize);
        return REDO_ESTATE;
    }
    answer_begin(call, room, false);
    return REDO_OK;
}

/* Makes a room of the history, which belongs to it from here on, and answers. */
static int begin(struct call *call, struct history *history, struct arg const *name)
{
    struct room *room = room_new(history, name->present ? name->bytes.data : NULL,
                                 name->present ? name->bytes.size : 0);
    if (!room)
        return call_fail(call, REDO_ENOMEM);
    if (registry_enter(&call->gateway->registry, room)) {
        room_free(room);
        return call_fail(call, REDO_ENOMEM);
    }
    if (!name->present) {
        room->owner = call->client;
        list_append(&call->client->privates, &room->in_owner);
    }
    answer_begin(call, room, true);
    return REDO_OK;
}

int call_beginsession(struct call *call)
{
    struct arg const *state = &call->args.param[0], *name = args_option(&call->args, "name");
    int64_t size = call_integer(call, 1), cmpsize = call_integer(call, 2);
    if (size < 1 || size > REDO_STATE_MAX) {
        error_begin(&call->error, REDO_ESTATE, "a state has 1 to %d bytes", REDO_STATE_MAX);
        error_add_int(&call->error, "limit", REDO_STATE_MAX);
        error_add_int(&call->error, "given", size);
        return REDO_ESTATE;
    }
    if (cmpsize < 0 || cmpsize > size)
        return fail_state(call, "cmpsize is not in 0 to size");
    if ((int64_t)state->bytes.size != size)
        return fail_state(call, "size is not the length of the state");
    if (name->present && check_name(call, name))
        return call->error.code;
    struct registry *registry = &call->gateway->registry;
    if (name->present) {
        struct room *there = registry_named(registry, name->bytes.data, name->bytes.size);
        if (there)
            return join(call, there, size, cmpsize);
    }

    struct history *history = history_new(state->bytes.data, (size_t)size, (size_t)cmpsize);
    return history ? begin(call, history, name) : call_fail(call, redo_lasterror());
}

int call_loadsession(struct call *call)
{
    struct arg const *dump = &call->args.param[0], *name = args_option(&call->args, "name");
    if (name->present && check_name(call, name))
        return call->error.code;
    if (name->present &&
        registry_named(&call->gateway->registry, name->bytes.data, name->bytes.size)) {
        call_fail(call, REDO_EEXISTS);
        error_add_text(&call->error, "name", name->bytes.data, name->bytes.size);
        return REDO_EEXISTS;
    }
    struct history *history;
    int rc = history_load(dump->bytes.data, dump->bytes.size, &history);
    return rc ? call_fail(call, rc) : begin(call, history, name);
}

static int answer_session(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (!rc)
        reply_session(call_reply(call), room);
    return rc;
}

int call_getsession(struct call *call)
{
    return answer_session(call);
}

int call_opensession(struct call *call)
{
    struct arg const *name = &call->args.param[0];
    struct room *room =
        registry_named(&call->gateway->registry, name->bytes.data, name->bytes.size);
    if (!room) {
        call_fail(call, REDO_ENOSESSION);
        error_add_text(&call->error, "session", name->bytes.data, name->bytes.size);
        return REDO_ENOSESSION;
    }
    reply_session(call_reply(call), room);
    return REDO_OK;
}

/* Takes the room away from all who attend it, and frees it. */
static void discard(struct call *call, struct room *room)
{
    room_dismiss(room);
    list_remove(&room->in_owner);
    registry_leave(&call->gateway->registry, room);
    room_free(room);
}

int call_endsession(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct link *all = &call->client->subscriptions, *next;
    for (struct link *l = all->next; l != all; l = next) {
        next = l->next;
        struct subscription *s = list_entry(l, struct subscription, in_client);
        if (s->room == room)
            subscription_end(s);
    }
    if (room->owner)
        discard(call, room);
    pack_nil(call_reply(call));
    return REDO_OK;
}

int call_deletesession(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    discard(call, room);
    pack_nil(call_reply(call));
    return REDO_OK;
}

static bool has_prefix(struct room const *room, struct arg const *prefix)
{
    return !prefix->present || (room->name_size >= prefix->bytes.size &&
                                memcmp(room->name, prefix->bytes.data, prefix->bytes.size) == 0);
}

/* A SESSION in an answer takes at most so many bytes, its name left aside. */
#define SESSION_BYTES 128

int call_listsessions(struct call *call)
{
    struct registry const *r = &call->gateway->registry;
    struct arg const *prefix = args_option(&call->args, "prefix");
    struct arg const *after = args_option(&call->args, "after");
    size_t limit = page_limit(&call->args), first = 0;
    if (prefix->present)
        first = registry_place(r, prefix->bytes.data, prefix->bytes.size);
    if (after->present) {
        size_t place = registry_place(r, after->bytes.data, after->bytes.size);
        struct room *there = registry_named(r, after->bytes.data, after->bytes.size);
        place += there != NULL;
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
