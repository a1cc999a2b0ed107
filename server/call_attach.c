/* Attaching: the session as it is, then every operation after it. */
#include <stdlib.h>

#include "server/call.h"
#include "server/page.h"
#include "server/reply.h"

static struct subscription *find(struct client *client, struct room const *room)
{
    for (struct link *l = client->subscriptions.next; l != &client->subscriptions; l = l->next) {
        struct subscription *s = list_entry(l, struct subscription, in_client);
        if (s->room == room)
            return s;
    }
    return NULL;
}

int call_attach(struct call *call)
{
    struct room *room;
    struct subscription *s;
    int rc = call_room_anew(call, &room);
    if (rc)
        return rc;
    rc = room_attach(room, call->client, args_flag(&call->args, "effects", true),
                     args_flag(&call->args, "snapshot", true), &s);
    if (rc)
        return call_fail(call, rc);
    struct buffer *b = call_reply(call);
    pack_map(b, REPLY_SESSION_FIELDS + 1);
    reply_session_fields(b, room);
    pack_key(b, "snapshot");
    pack_uint(b, s->snapshot_size);
    return REDO_OK;
}

int call_readsnapshot(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct subscription *s = find(call->client, room);
    if (!s || !s->snapshot)
        return call_fail(call, REDO_ENOTATTACHED);
    uint64_t offset = (uint64_t)call_integer(call, 1), limit = (uint64_t)call_integer(call, 2);
    if (offset > s->snapshot_size) {
        call_fail(call, REDO_ERANGE);
        error_add_int(&call->error, "snapshot", (int64_t)s->snapshot_size);
        return REDO_ERANGE;
    }
    if (limit > PAGE_BYTES)
        limit = PAGE_BYTES;
    if (limit > s->snapshot_size - offset)
        limit = s->snapshot_size - offset;
    pack_bin(call_reply(call), (char *)s->snapshot + offset, limit);
    if (offset + limit == s->snapshot_size) {
        free(s->snapshot);
        s->snapshot = NULL;
    }
    return REDO_OK;
}

int call_detach(struct call *call)
{
    struct room *room;
    int rc = call_room(call, &room);
    if (rc)
        return rc;
    struct subscription *s = find(call->client, room);
    if (!s)
        return call_fail(call, REDO_ENOTATTACHED);
    subscription_end(s);
    pack_nil(call_reply(call));
    return REDO_OK;
}
