/* Values: what lines of change are made of, as bytes in the form of msgpack (which is read here,
 * not with a library, since the engine has none): integers, floats, strings, bytes, booleans, nil,
 * arrays and maps.
 *
 * Equal values are one: each is kept once, in one form, under a number. Numbers are equal if their
 * value is, integer or float (Lua and JavaScript do not say which); strings and bytes if their
 * bytes are. Maps are equal if their pairs are, in the same order. */
#ifndef CORE_CHANGES_VALUE_H
#define CORE_CHANGES_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/index.h"

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

/* The values of a session by number, each kept once. */
struct values {
    struct value_kept {
        unsigned char *bytes; /* after 4 bytes of their number */
        uint64_t hash;        /* the same on every machine; 0 of VALUE_UNKNOWN */
    } * all;                  /* by number */
    uint32_t count, cap;
    struct index index;
    uint64_t seed; /* of the index; shows nowhere */
    size_t bytes;
    unsigned char *scratch;
    size_t scratchcap;
    uint32_t *small; /* numbers of small integers, 0 of those not entered yet; as many as needed */
    uint32_t smallcap;
};

#define VALUE_UNKNOWN 0 /* the number of no value: what a line did not tell */

int values_init(struct values *v, uint64_t seed); /* REDO_OK or REDO_ENOMEM */
void values_close(struct values *v);
size_t values_memory(struct values const *v);

/* The number of a value, which is entered if it is new: REDO_OK, REDO_ENOMEM, or REDO_EOPERATION if
 * the bytes are no value. */
int values_enter(struct values *v, void const *data, size_t size, uint32_t *number);

#define SMALL_INTS 4096 /* whose numbers are found without a look at the index */

/* Which of the integers below SMALL_INTS a whole value is, in whatever form; UINT32_MAX: none. */
static inline uint32_t value_small(unsigned char const *data)
{
    if (*data < 128) /* most are */
        return *data;
    uint32_t i = *data == 0xcc   ? data[1]
                 : *data == 0xcd ? (uint32_t)data[1] << 8 | data[2]
                                 : UINT32_MAX;
    return i < SMALL_INTS ? i : UINT32_MAX;
}

/* The same for what is known to be a whole value. */
static inline int values_enter_whole(struct values *v, unsigned char const *data, size_t size,
                                     uint32_t *number)
{
    uint32_t small = value_small(data);
    if (small >= v->smallcap || !v->small[small])
        return values_enter(v, data, size, number);
    *number = v->small[small];
    return 0;
}

/* Forgets the values from this number on, to which nothing refers any more. */
void values_forget(struct values *v, uint32_t from);

/* Writes a value in its one form to v->scratch, valid until the next value: its size; the codes of
 * values_enter(). */
int values_form(struct values *v, void const *data, size_t size, size_t *formed);

/* Its bytes; of VALUE_UNKNOWN those of nil. */
void const *values_at(struct values const *v, uint32_t number, size_t *size);

/* A hash of it, the same on every machine. */
static inline uint64_t values_hash(struct values const *v, uint32_t number)
{
    return v->all[number].hash;
}

/* The order of two values, the same in every process: numbers by value, then strings by their
 * bytes, then all others by theirs. */
int values_compare(struct values const *v, uint32_t a, uint32_t b);
int values_compare_to(struct values const *v, uint32_t a, void const *data,
                      size_t size); /* in its one form */

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
void value_put_string(struct value_writer *w, char const *text, size_t size);
void value_put_bool(struct value_writer *w, bool b);
void value_put_nil(struct value_writer *w);
void value_put_array(struct value_writer *w, uint32_t count);
void value_put_map(struct value_writer *w, uint32_t count);

#endif
