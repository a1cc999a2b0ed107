#include "server/beginning.h"

#include <stdlib.h>
#include <time.h>

#include "core/dump.h"
#include "server/access.h"
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

int beginning_make_dumped(struct call *call, struct history *history, struct beginning const *how,
                          void *dump, size_t size, struct room **begun)
{
    struct gateway *gateway = call->gateway;
    struct asker const *asker = call->client->asker;
    struct usage_amount more = {.sessions = 1,
                                .positions = history->count,
                                .bytes = how->stored ? size : history_memory(history)};
    if (call_check_usage(call, asker->uid, more)) {
        history_free(history);
        free(dump);
        return call->error.code;
    }
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
    struct room *room = rooms_enter(gateway, history, &info);
    if (room && how->relaxed && room_set_relaxed(room, call->client, true)) {
        uint64_t id = room->handle;
        rooms_discard(gateway, room);
        usage_leave(&gateway->usage, id); /* it is not in the store */
        room = NULL;
    }
    if (!room) {
        free(dump);
        return call_fail(call, REDO_ENOMEM);
    }
    if (how->stored) {
        gateway->registry.next_handle++;
        info = rooms_info(room);
        batch_create_with(committer_change(&gateway->committer, !how->relaxed, &room->number),
                          &info, dump, size);
        dump = NULL;
    } else if (!how->name) {
        room->owner = call->client;
        list_append(&call->client->privates, &room->in_owner);
    }
    free(dump);
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
