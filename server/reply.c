#include "server/reply.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

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

void reply_author(struct buffer *b, struct history const *h, uint32_t number)
{
    struct author const *author = &h->authors.all[number - 1];
    pack_map(b, 3);
    pack_key(b, "author");
    pack_uint(b, number);
    pack_key(b, "uid");
    pack_uint(b, author->uid);
    pack_key(b, "name");
    pack_text(b, author->name, author->name_size);
}

/* Positions are what is told most, by far: their fields are written as bytes, into room that is
 * made once for all of them. */
#define FIELDS_SIZE 256 /* bytes, and more than they can take */

/* In the shortest form. */
static char *put_wide(char *at, int64_t value)
{
    uint16_t two = htobe16((uint16_t)value);
    uint32_t four = htobe32((uint32_t)value);
    bool below = value < 0;
    if (value >= (below ? -128 : 0) && value < 256) {
        at[0] = (char)(below ? 0xd0 : 0xcc);
        at[1] = (char)value;
        return at + 2;
    }
    if (value >= -32768 && value < 65536) {
        at[0] = (char)(below ? 0xd1 : 0xcd);
        memcpy(at + 1, &two, sizeof two);
        return at + 3;
    }
    at[0] = (char)(below ? 0xd2 : 0xce);
    memcpy(at + 1, &four, sizeof four);
    return at + 5;
}

static inline char *put_number(char *at, int64_t value)
{
    if (value < -32 || value >= 128)
        return put_wide(at, value);
    *at = (char)value;
    return at + 1;
}

static inline char *put_nil(char *at)
{
    *at = (char)0xc0;
    return at + 1;
}

static inline char *put_position(char *at, uint32_t number)
{
    return number == REDO_NOPOSITION ? put_nil(at) : put_number(at, number);
}

/* The key, and what comes after it. */
#define PUT(at, literal, value)                               \
    do {                                                      \
        _Static_assert(sizeof(literal) <= 32, "a short str"); \
        *(at) = (char)(0xa0 | (sizeof(literal) - 1));         \
        memcpy((at) + 1, literal, sizeof(literal) - 1);       \
        (at) += sizeof(literal);                              \
        (at) = (value);                                       \
    } while (0)

void reply_position_fields(struct buffer *b, struct fields const *f)
{
    if (!buffer_reserve(b, FIELDS_SIZE))
        return;
    char *at = b->data + b->size;
    bool first = f->prev == REDO_NOPOSITION;
    PUT(at, "number", put_number(at, f->number));
    PUT(at, "prev", put_position(at, f->prev));
    PUT(at, "move", first ? put_nil(at) : put_number(at, f->move));
    PUT(at, "movecount", put_number(at, f->movecount));
    PUT(at, "better", put_position(at, f->better));
    PUT(at, "endpoint", put_number(at, f->endpoint));
    PUT(at, "solutionend", put_number(at, f->solutionend));
    PUT(at, "solutionsize", put_number(at, f->solutionsize));
    PUT(at, "nextcount", put_number(at, f->nextcount));
    PUT(at, "setbetter", at);
    *at++ = (char)(f->setbetter ? 0xc3 : 0xc2);
    PUT(at, "author", f->author ? put_number(at, f->author) : put_nil(at));
    PUT(at, "time", f->author ? put_number(at, f->time) : put_nil(at));
    b->size = (size_t)(at - b->data);
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
    pack_key(b, "kind");
    pack_cstr(b, info->is_match ? "match" : info->by_change ? "changes" : "states");
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
    pack_key(b, "match");
    if (info->match)
        pack_uint(b, info->match);
    else
        pack_nil(b);
    pack_key(b, "games");
    if (info->is_match)
        pack_uint(b, info->games);
    else
        pack_nil(b);
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
