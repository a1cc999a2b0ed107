#include "server/beginning.h"

#include <stdlib.h>
#include <time.h>

#include "core/dump.h"
#include "server/access.h"
#include "server/match.h"
#include "server/reply.h"
#include "server/rooms.h"

struct beginning beginning_of(struct call const *call, struct arg const *name)
{
    return (struct beginning){
        .name = name->present ? name->bytes.data : NULL,
        .name_size = name->present ? name->bytes.size : 0,
        .mode = (uint32_t)args_integer(&call->args, "mode", ACCESS_MODE_DEFAULT),
        .stored = true,
    };
}

/* Whether such a session can begin: REDO_OK or a failure prepared. size: of its dump. */
static int check(struct call *call, struct history const *history, struct beginning const *how,
                 size_t size)
{
    struct usage_amount more = {.sessions = 1,
                                .positions = history->count,
                                .bytes = how->stored ? size : history_memory(history)};
    int rc = how->match ? match_check_new(call, how->match, history, how->name != NULL, how->stored)
                        : REDO_OK;
    return rc ? rc : call_check_usage(call, call->client->asker->uid, more);
}

/* Whether somebody waits for it: not where what is done to its match is not waited for either. */
static bool in_hurry(struct call const *call, struct beginning const *how)
{
    return !how->relaxed && (!how->match || call_in_hurry(call, how->match));
}

/* The match knows of its new game; both stay in memory meanwhile, whatever room is made. */
static int enter_match(struct call *call, struct room *room, struct beginning const *how)
{
    room->held = true;
    int rc = match_enter(call, how->match, room->handle, in_hurry(call, how));
    room->held = false;
    return rc;
}

/* A room for the history, which is the room's from here on, also on failure; a game of its match,
 * if it is to be one. Nothing of the session is in the open batch yet. */
static int enter(struct call *call, struct history *history, struct beginning const *how,
                 size_t size, struct room **entered)
{
    struct gateway *gateway = call->gateway;
    struct asker const *asker = call->client->asker;
    struct store_info info = {
        .id = how->stored ? gateway->registry.next_handle : 0,
        .name = how->name,
        .name_size = how->name_size,
        .created = time(NULL),
        .owner = asker->uid,
        .group = asker->gid,
        .mode = how->mode,
        .bytes = size,
    };
    if (how->match)
        how->match->held = true;
    struct room *room = rooms_enter(gateway, history, &info);
    int rc = room ? REDO_OK : call_fail(call, REDO_ENOMEM);
    if (!rc && how->relaxed && room_set_relaxed(room, call->client, true))
        rc = call_fail(call, REDO_ENOMEM);
    if (!rc && how->match)
        rc = enter_match(call, room, how);
    if (how->match)
        how->match->held = false;
    if (rc && room) {
        uint64_t id = room->handle;
        room_set_relaxed(room, call->client, false);
        rooms_discard(gateway, room);
        usage_leave(&gateway->usage, id); /* it is not in the store */
    }
    *entered = room;
    return rc;
}

int beginning_make_dumped(struct call *call, struct history *history, struct beginning const *how,
                          void *dump, size_t size, struct room **begun)
{
    struct gateway *gateway = call->gateway;
    struct room *room;
    int rc = check(call, history, how, size);
    if (rc)
        history_free(history);
    else
        rc = enter(call, history, how, size, &room);
    if (rc) {
        free(dump);
        return rc;
    }
    if (how->stored) {
        gateway->registry.next_handle++;
        struct store_info info = rooms_info(room);
        batch_create_with(committer_change(&gateway->committer, in_hurry(call, how), &room->number),
                          &info, dump, size);
        dump = NULL;
    } else if (!how->name) {
        room->owner = call->client;
        list_append(&call->client->privates, &room->in_owner);
    }
    free(dump);
    if (how->match)
        match_take(gateway, how->match, how->match->handle, &room->handle, 1);
    *begun = room;
    return REDO_OK;
}

int beginning_make(struct call *call, struct history *history, struct beginning how,
                   struct room **begun)
{
    void *dump = NULL;
    size_t size = 0;
    how.stored = how.stored && how.name && call->gateway->store;
    if (how.stored && history_dump(history, &dump, &size)) {
        history_free(history);
        return call_fail(call, REDO_ENOMEM);
    }
    return beginning_make_dumped(call, history, &how, dump, size, begun);
}

void beginning_answer(struct call *call, struct room const *room, bool created)
{
    struct registry const *rooms = &call->gateway->registry;
    struct room const *match = created && room->match ? registry_handled(rooms, room->match) : NULL;
    if (!match || call_in_hurry(call, match))
        call_waits_for(call, room);
    struct buffer *b = call_reply(call);
    pack_map(b, REPLY_SESSION_FIELDS + 1);
    reply_session_fields(b, room);
    pack_key(b, "created");
    pack_bool(b, created);
}

int beginning_again(struct call *call, struct room *room, bool relaxed)
{
    if (room_set_relaxed(room, call->client, relaxed))
        return call_fail(call, REDO_ENOMEM);
    beginning_answer(call, room, true);
    return REDO_OK;
}
