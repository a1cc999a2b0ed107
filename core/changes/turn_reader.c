#include "core/changes/turn_reader.h"

/* A part of a turn: nil, or an array of so many items, or another value; false if it is none. */
static bool open_part(struct value_reader *r, struct value *head, struct value_reader *items)
{
    *items = *r;
    *head = value_next(items);
    return value_skip_inside(r, 1);
}

/* Passes over the lines, and marks the items of the first ones. */
static bool pass_lines(struct turn_reader *t, struct value_reader *r, uint32_t room)
{
    uint32_t used = 0, i = 0, count;
    for (; i < t->count && (count = turn_few_items(r)) && count < room - used; i++) {
        r->at++;
        for (; count > 0; count--) {
            t->marks[used++] = r->at;
            if (!value_skip_small(r) && !value_skip_inside(r, 3))
                return false;
        }
        t->marks[used++] = r->at;
    }
    t->marked = i;
    for (; i < t->count; i++)
        if (!value_skip_inside(r, 2))
            return false;
    return true;
}

bool turn_open(struct turn_reader *t, void const *data, size_t size)
{
    return turn_open_marking(t, data, size, NULL, 0);
}

bool turn_open_marking(struct turn_reader *t, void const *data, size_t size,
                       unsigned char const **marks, uint32_t room)
{
    struct value_reader r = {data, (unsigned char const *)data + size}, items;
    *t = (struct turn_reader){.marks = marks};
    struct value turn = data && size ? value_next(&r) : (struct value){.type = VALUE_BAD};
    struct value lines, after, digest;
    if (turn.type != VALUE_ARRAY || turn.count != 3)
        return false;
    lines = value_next(&r);
    if (lines.type != VALUE_ARRAY || !lines.count)
        return false;
    t->lines = r;
    t->count = lines.count;
    if (!pass_lines(t, &r, room) || !open_part(&r, &after, &t->after))
        return false;
    unsigned char const *start = r.at;
    if (!open_part(&r, &digest, &items) || r.at != r.end)
        return false;
    if (after.type != VALUE_ARRAY && after.type != VALUE_NIL)
        return false;
    t->after_count = after.type == VALUE_ARRAY ? after.count : 0;
    if (digest.type != VALUE_NIL) {
        t->digest = start;
        t->digest_size = (size_t)(r.at - start);
    }
    return true;
}

/* ---- beside the lines -------------------------------------------------------------------- */

bool turn_next_after(struct turn_after *a, uint32_t line, struct value *field,
                     struct value_reader *value)
{
    struct value_reader r = a->r;
    struct value one, number;
    for (;; a->r = r, a->left--) {
        if (!a->left)
            return false;
        r = a->r;
        one = value_next(&r);
        number = value_next(&r);
        if (one.count != 3 || number.integer > line)
            return false;
        if (number.integer == line)
            break;
        value_skip(&r);
        value_skip(&r);
    }
    *field = value_next(&r);
    *value = r;
    value_skip(&r);
    value->end = r.at;
    a->r = r;
    a->left--;
    return true;
}

bool turn_check_after(struct turn_reader const *turn)
{
    struct value_reader r = turn->after;
    int64_t before = turn->first, end = before + turn->count;
    for (uint32_t i = 0; i < turn->after_count; i++) {
        struct value one = value_next(&r), line, field;
        if (one.type != VALUE_ARRAY || one.count != 3)
            return false;
        line = value_next(&r);
        field = value_next(&r);
        if (line.type != VALUE_INT || line.integer < before || line.integer >= end ||
            field.type != VALUE_STRING || !value_skip(&r))
            return false;
        before = line.integer;
    }
    return true;
}
