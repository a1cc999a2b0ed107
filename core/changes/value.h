/* Values: what lines of change are made of, as bytes in the form of msgpack (which is read here,
 * not with a library, since the engine has none): integers, floats, strings, bytes, booleans, nil,
 * arrays and maps. Reading and writing them; values.h keeps them. */
#ifndef CORE_CHANGES_VALUE_H
#define CORE_CHANGES_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_DEPTH 16                      /* arrays and maps in one another */
#define VALUE_DEPTH_TABLE (VALUE_DEPTH + 4) /* in a table, which has such values in it */

/* Reading: where it stands. */
struct value_reader {
    unsigned char const *at, *end;
};

enum value_type {
    VALUE_NIL,
    VALUE_BOOL,
    VALUE_INT,
    VALUE_UINT, /* more than INT64_MAX */
    VALUE_FLOAT,
    VALUE_STRING, /* or bytes */
    VALUE_ARRAY,
    VALUE_MAP,
    VALUE_BAD /* the end, or no value */
};

/* One value's head: of an array or a map its items follow and are not read. */
struct value {
    enum value_type type;
    bool is_bytes; /* of VALUE_STRING: told as bytes */
    union {
        bool boolean;
        int64_t integer;
        uint64_t unsigned_integer;
        double real;
        struct {
            char const *data;
            size_t size;
        } string;
        uint32_t count; /* items, or pairs */
    };
};

struct value value_next(struct value_reader *r);

/* How many bytes follow a head, of values that are of one piece and short; or VALUE_LONG. */
extern unsigned char const value_more[256];
#define VALUE_LONG 255

/* Passes over such a value, which most are: else false, and nothing is passed. */
static inline bool value_skip_small(struct value_reader *r)
{
    if (r->at == r->end)
        return false;
    if (*r->at < 0x80) { /* nothing to wait for */
        r->at++;
        return true;
    }
    size_t more = value_more[*r->at];
    if (more == VALUE_LONG || (size_t)(r->end - r->at) <= more)
        return false;
    r->at += 1 + more;
    return true;
}

/* Passes over one whole value that is in so many arrays and maps already: false if there is none,
 * or one too deep. */
bool value_skip_inside(struct value_reader *r, unsigned depth);

static inline bool value_skip(struct value_reader *r)
{
    return value_skip_small(r) || value_skip_inside(r, 0);
}

/* Whether these bytes are one value and nothing else. */
bool value_whole(void const *data, size_t size);
bool value_whole_table(void const *data, size_t size);

/* Whether it is UTF-8. A string that is not is told as bytes, lest strict readers choke on it. */
bool value_is_text(char const *text, size_t size);

/* Writing, for values that are made here. */
struct value_writer {
    unsigned char *data;
    size_t size, cap;
    bool failed;
};

/* Room for so many bytes more. False without memory. */
bool value_reserve(struct value_writer *w, size_t size);

void value_put_bytes(struct value_writer *w, void const *data, size_t size); /* as they are */
void value_put_int(struct value_writer *w, int64_t i);
void value_put_uint(struct value_writer *w, uint64_t u);
void value_put_real(struct value_writer *w, double real);
void value_put_string(struct value_writer *w, char const *text, size_t size);
void value_put_binary(struct value_writer *w, char const *data, size_t size);
void value_put_bool(struct value_writer *w, bool b);
void value_put_nil(struct value_writer *w);
void value_put_array(struct value_writer *w, uint32_t count);
void value_put_map(struct value_writer *w, uint32_t count);

#endif
