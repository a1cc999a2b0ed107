/* The values of a session: equal ones are one, each is kept once, in one form, under a number.
 * Numbers are equal if their value is, integer or float (Lua and JavaScript do not say which);
 * strings and bytes if their bytes are. Maps are equal if their pairs are, in the same order. */
#ifndef CORE_CHANGES_VALUES_H
#define CORE_CHANGES_VALUES_H

#include "core/changes/value.h"
#include "core/index.h"

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

#endif
