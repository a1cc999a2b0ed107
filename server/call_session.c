/* Sessions that are there: telling of them, opening, ending and renaming them, and saying who may.
 * What may return CALL_LATER is begun again: nothing is changed before the last of these. */
#include <stdlib.h>
#include <string.h>

#include "server/access.h"
#include "server/call.h"
#include "server/finding.h"
#include "server/reply.h"
#include "server/rooms.h"

/* ---- telling ----------------------------------------------------------------------------- */

int call_getsession(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (!rc)
        reply_session(call_reply(call), room);
    return rc;
}

int call_opensession(struct call *call)
{
    struct arg const *name = &call->args.param[0];
    struct room *room;
    int rc = rooms_addressed(call, name->bytes.data, name->bytes.size, &room);
    if (rc)
        return call_fail_session(call, rc, name);
    if (room_set_relaxed(room, call->client, args_flag(&call->args, "relaxed", false)))
        return call_fail(call, REDO_ENOMEM);
    call_waits_for(call, room);
    reply_session(call_reply(call), room);
    return REDO_OK;
}

/* ---- ending ------------------------------------------------------------------------------ */

void call_dismiss(struct call *call, struct room *room)
{
    room_dismiss(room);
    rooms_discard(call->gateway, room);
}

int call_endsession(struct call *call)
{
    struct room *room;
    int rc = call_room_anew(call, &room);
    if (rc)
        return rc;
    struct link *all = &call->client->subscriptions, *next;
    for (struct link *l = all->next; l != all; l = next) {
        next = l->next;
        struct subscription *s = list_entry(l, struct subscription, in_client);
        if (s->room == room)
            subscription_end(s);
    }
    room_set_relaxed(room, call->client, false);
    if (room->owner)
        call_dismiss(call, room);
    pack_nil(call_reply(call));
    return REDO_OK;
}

/* ---- names and modes --------------------------------------------------------------------- */

int call_renamesession(struct call *call)
{
    struct arg const *name = &call->args.param[1];
    struct room *room;
    int rc = call_check_name_arg(call, name);
    if (rc || (rc = call_room_owned(call, &room)))
        return rc;
    if (!room->name)
        return call_fail(call, REDO_ENAME);
    if (room->name_size == name->bytes.size &&
        !memcmp(room->name, name->bytes.data, name->bytes.size)) {
        reply_session(call_reply(call), room); /* it has that name, as when this is asked again */
        return REDO_OK;
    }
    if ((rc = call_check_free(call, name->bytes.data, name->bytes.size, room->uid)))
        return rc;
    char *copy = malloc(name->bytes.size + 1);
    if (!copy)
        return call_fail(call, REDO_ENOMEM);
    memcpy(copy, name->bytes.data, name->bytes.size);
    copy[name->bytes.size] = '\0';
    /* Under its old name the store shows it until the batch is on disk. */
    if (room->stored && rooms_leave(call->gateway, room->handle, LEAVING_NAME)) {
        free(copy);
        return call_fail(call, REDO_ENOMEM);
    }
    registry_leave(&call->gateway->registry, room);
    free(room->name);
    room->name = copy;
    room->name_size = name->bytes.size;
    registry_enter(&call->gateway->registry, room); /* into the place it left */
    if (room->stored) {
        batch_rename(call_batch(call), room->handle, room->name, room->name_size);
        room->number = call->number;
    }
    reply_session(call_reply(call), room);
    return REDO_OK;
}

/* A session of an older store has no group: it gets its owner's when the owner first says who may.
 */
static void set_mode(struct room *room, struct asker const *asker, uint32_t mode)
{
    if (!room->mode && asker->uid == room->uid)
        room->gid = asker->gid;
    room->mode = mode;
}

int call_setsessionmode(struct call *call)
{
    struct arg const *mode = &call->args.param[1];
    struct room *room;
    int rc = call_room_owned(call, &room);
    if (rc || (rc = call_check_mode(call, mode)))
        return rc;
    set_mode(room, call->client->asker, (uint32_t)mode->integer);
    if (room->stored) {
        batch_access(call_batch(call), room->handle, room->uid, room->gid, room->mode);
        room->number = call->number;
    }
    room_expel(room);
    reply_session(call_reply(call), room);
    return REDO_OK;
}
