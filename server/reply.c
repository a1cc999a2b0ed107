#include "server/reply.h"

#include "server/access.h"
#include "server/rooms.h"

void reply_number(struct buffer *b, uint32_t number)
{
    if (number == REDO_NOPOSITION)
        pack_nil(b);
    else
        pack_uint(b, number);
}

void reply_made(struct buffer *b, redo_result const *result)
{
    if (!result->made) {
        pack_nil(b);
        return;
    }
    pack_array(b, 2);
    pack_uint(b, result->firstmade);
    pack_uint(b, result->made);
}

void reply_position_fields(struct buffer *b, struct node const *n)
{
    pack_key(b, "number");
    pack_uint(b, n->in.id);
    pack_key(b, "prev");
    reply_number(b, n->p.prev ? node_prev(n)->in.id : REDO_NOPOSITION);
    pack_key(b, "move");
    if (n->p.prev)
        pack_int(b, n->in.move);
    else
        pack_nil(b);
    pack_key(b, "movecount");
    pack_uint(b, n->p.movecount);
    pack_key(b, "better");
    reply_number(b, n->p.better ? node_of(n->p.better)->in.id : REDO_NOPOSITION);
    pack_key(b, "endpoint");
    pack_int(b, n->p.endpoint);
    pack_key(b, "solutionend");
    pack_int(b, n->p.solutionend);
    pack_key(b, "solutionsize");
    pack_uint(b, n->p.solutionsize);
    pack_key(b, "nextcount");
    pack_uint(b, n->p.nextcount);
    pack_key(b, "setbetter");
    pack_bool(b, n->p.setbetter);
}

void reply_position(struct buffer *b, struct history const *h, struct node const *n, bool states)
{
    pack_map(b, REPLY_POSITION_FIELDS + states);
    reply_position_fields(b, n);
    if (states) {
        pack_key(b, "state");
        pack_bin(b, node_state(h, n), h->size);
    }
}

void reply_info_fields(struct buffer *b, struct store_info const *info)
{
    pack_key(b, "session");
    pack_uint(b, info->id);
    pack_key(b, "name");
    if (info->name)
        pack_str(b, info->name, info->name_size);
    else
        pack_nil(b);
    pack_key(b, "size");
    pack_uint(b, info->size);
    pack_key(b, "cmpsize");
    pack_uint(b, info->cmpsize);
    pack_key(b, "graft");
    pack_uint(b, info->graft);
    pack_key(b, "positions");
    pack_uint(b, info->positions);
    pack_key(b, "changed");
    pack_bool(b, info->changed);
    pack_key(b, "sequence");
    pack_uint(b, info->sequence);
    pack_key(b, "solved");
    pack_bool(b, info->solved);
    pack_key(b, "damaged");
    pack_bool(b, info->damaged);
    pack_key(b, "begun");
    pack_int(b, info->created);
    pack_key(b, "used");
    pack_int(b, info->used);
    pack_key(b, "bytes");
    pack_uint(b, info->bytes);
    pack_key(b, "trashed");
    if (info->trashed)
        pack_int(b, info->trashed);
    else
        pack_nil(b);
    pack_key(b, "owner");
    pack_uint(b, info->owner);
    pack_key(b, "group");
    pack_uint(b, info->group);
    pack_key(b, "mode");
    pack_uint(b, access_mode(info->mode));
}

void reply_session_fields(struct buffer *b, struct room const *room)
{
    struct store_info info = rooms_info(room);
    reply_info_fields(b, &info);
}

void reply_session(struct buffer *b, struct room const *room)
{
    pack_map(b, REPLY_SESSION_FIELDS);
    reply_session_fields(b, room);
}
