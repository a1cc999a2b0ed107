#include "server/reply.h"

#include <stdlib.h>

#include "core/changes/changes.h"

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

void reply_unless_0(struct buffer *b, uint32_t number)
{
    if (number)
        pack_uint(b, number);
    else
        pack_nil(b);
}

void reply_author(struct buffer *b, struct history const *h, uint32_t number)
{
    struct author const *author = &h->authors.all[number - 1];
    pack_map(b, 3);
    pack_key(b, "author");
    pack_uint(b, number);
    pack_key(b, "uid");
    pack_uint(b, author->uid);
    pack_key(b, "name");
    pack_str(b, author->name, author->name_size);
}

void reply_position_fields(struct buffer *b, struct fields const *f)
{
    pack_key(b, "number");
    pack_uint(b, f->number);
    pack_key(b, "prev");
    reply_number(b, f->prev);
    pack_key(b, "move");
    if (f->prev != REDO_NOPOSITION)
        pack_int(b, f->move);
    else
        pack_nil(b);
    pack_key(b, "movecount");
    pack_uint(b, f->movecount);
    pack_key(b, "better");
    reply_number(b, f->better);
    pack_key(b, "endpoint");
    pack_int(b, f->endpoint);
    pack_key(b, "solutionend");
    pack_int(b, f->solutionend);
    pack_key(b, "solutionsize");
    pack_uint(b, f->solutionsize);
    pack_key(b, "nextcount");
    pack_uint(b, f->nextcount);
    pack_key(b, "setbetter");
    pack_bool(b, f->setbetter);
    pack_key(b, "author");
    reply_unless_0(b, f->author);
    pack_key(b, "time");
    if (f->author)
        pack_uint(b, f->time);
    else
        pack_nil(b);
}

void reply_position(struct buffer *b, struct history const *h, struct node const *n, bool states)
{
    struct fields fields = history_fields(h, n);
    pack_map(b, REPLY_POSITION_FIELDS + states);
    reply_position_fields(b, &fields);
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

#define RENAMED_MAX 1000

void reply_renamed(struct buffer *b, struct history const *h)
{
    struct value_writer w = {0};
    if (h->changes->renamed_count > RENAMED_MAX)
        pack_nil(b);
    else if (changes_put_renamed(h->changes, &w))
        b->failed = true;
    else
        buffer_append(b, w.data, w.size);
    free(w.data);
}
