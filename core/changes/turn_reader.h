/* The bytes of a turn (see changes.h), taken apart: its lines, what is told beside them, its
 * digest. Nothing is copied, and what a line means is not looked at. */
#ifndef CORE_CHANGES_TURN_READER_H
#define CORE_CHANGES_TURN_READER_H

#include "core/changes/value.h"

/* The parts of a turn's bytes. */
struct turn_reader {
    struct value_reader lines; /* line after line */
    uint32_t first;            /* the number of the first: not 0 only for lines behind others */
    uint32_t count;
    struct value_reader after; /* [line, field, value] each */
    uint32_t after_count;
    unsigned char const *digest; /* one value, or NULL */
    size_t digest_size;
    unsigned char const **marks; /* of the first lines where each item begins, and the last ends */
    uint32_t marked;             /* how many of them: they are not to be parsed again */
};

/* False if they are no turn. */
bool turn_open(struct turn_reader *t, void const *data, size_t size);

/* The same with room for so many marks. */
bool turn_open_marking(struct turn_reader *t, void const *data, size_t size,
                       unsigned char const **marks, uint32_t room);

/* How many items the line has that comes next; 0: none, or more than fit into its head. */
static inline uint32_t turn_few_items(struct value_reader const *r)
{
    unsigned char head = r->at < r->end ? *r->at : 0;
    return head > 0x90 && head < 0xa0 ? head & 15u : 0;
}

/* What is told beside the lines of a turn, read along with them. */
struct turn_after {
    struct value_reader r; /* at the next one */
    uint32_t left;
};

/* The next one of what is told of this line: its field and value. False if there is none. What is
 * told of lines before it that was not asked for, as they do nothing, is passed over. */
bool turn_next_after(struct turn_after *a, uint32_t line, struct value *field,
                     struct value_reader *value);

/* Whether all of it is in form: triples of a line, rising, a name, a value. */
bool turn_check_after(struct turn_reader const *turn);

#endif
