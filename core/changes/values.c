#include "core/changes/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/redo_error.h"

/* ---- one form ---------------------------------------------------------------------------- */

static void put_real(struct value_writer *w, double real)
{
    if (real >= -9223372036854775808.0 && real < 9223372036854775808.0 && real == floor(real)) {
        value_put_int(w, (int64_t)real);
        return;
    }
    if (real >= 9223372036854775808.0 && real < 18446744073709551616.0) {
        value_put_uint(w, (uint64_t)real);
        return;
    }
    if (isnan(real))
        real = (double)NAN; /* one of the many */
    value_put_real(w, real);
}

/* The value in its one form. */
static bool put_value(struct value_writer *w, struct value_reader *r)
{
    uint64_t left = 1; /* values still to come, of all arrays and maps it is in */
    while (left) {
        struct value v = value_next(r);
        left--;
        switch (v.type) {
        case VALUE_NIL:
            value_put_nil(w);
            break;
        case VALUE_BOOL:
            value_put_bool(w, v.boolean);
            break;
        case VALUE_INT:
            value_put_int(w, v.integer);
            break;
        case VALUE_UINT:
            value_put_uint(w, v.unsigned_integer);
            break;
        case VALUE_FLOAT:
            put_real(w, v.real);
            break;
        case VALUE_STRING:
            if (value_is_text(v.string.data, v.string.size))
                value_put_string(w, v.string.data, v.string.size);
            else
                value_put_binary(w, v.string.data, v.string.size);
            break;
        case VALUE_ARRAY:
            value_put_array(w, v.count);
            left += v.count;
            break;
        case VALUE_MAP:
            value_put_map(w, v.count);
            left += 2 * (uint64_t)v.count;
            break;
        case VALUE_BAD:
            return false;
        }
    }
    return true;
}

/* ---- each kept once ---------------------------------------------------------------------- */

#define HEAD 4 /* bytes before those of the value: their number */

int values_init(struct values *v, uint64_t seed)
{
    static unsigned char const nil = 0xc0;
    uint32_t number;
    *v = (struct values){.seed = seed};
    index_init(&v->index);
    v->cap = 16;
    v->all = calloc(v->cap, sizeof *v->all);
    if (!v->all)
        return REDO_ENOMEM;
    v->count++; /* VALUE_UNKNOWN */
    return values_enter(v, &nil, 1, &number);
}

void values_close(struct values *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        free(v->all[i].bytes);
    free(v->all);
    free(v->small);
    free(v->scratch);
    index_close(&v->index);
}

static unsigned char *entry(struct values const *v, uint32_t number)
{
    return v->all[number ? number : 1].bytes;
}

void const *values_at(struct values const *v, uint32_t number, size_t *size)
{
    uint32_t bytes;
    memcpy(&bytes, entry(v, number), 4);
    *size = bytes;
    return entry(v, number) + HEAD;
}

/* Its place in the index: seeded, so that no one can prepare values that collide there. */
static uint32_t index_hash(struct values const *v, uint64_t hash, void const *data, size_t size)
{
    return size > 16 ? (uint32_t)XXH3_64bits_withSeed(data, size, v->seed)
                     : (uint32_t)(hash ^ hash >> 32);
}

static int insert(struct values *v, void const *data, size_t size, uint64_t hash, uint32_t *number)
{
    if (v->count == v->cap) {
        struct value_kept *grown = realloc(v->all, (size_t)v->cap * 2 * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        v->all = grown;
        v->cap *= 2;
    }
    unsigned char *one = malloc(HEAD + size);
    uint32_t bytes = (uint32_t)size;
    if (!one || index_reserve(&v->index, 1)) {
        free(one);
        return REDO_ENOMEM;
    }
    memcpy(one, &bytes, 4);
    memcpy(one + HEAD, data, size);
    v->bytes += HEAD + size + 16 + sizeof *v->all;
    *number = v->count;
    v->all[v->count++] = (struct value_kept){one, hash};
    index_insert(&v->index, index_hash(v, hash, data, size), *number);
    return REDO_OK;
}

int values_form(struct values *v, void const *data, size_t size, size_t *formed)
{
    struct value_writer w = {.data = v->scratch, .cap = v->scratchcap};
    struct value_reader r = {data, (unsigned char const *)data + size};
    if (!value_whole(data, size) || size > UINT32_MAX / 2)
        return REDO_EOPERATION;
    put_value(&w, &r);
    v->scratch = w.data;
    v->scratchcap = w.cap;
    *formed = w.size;
    return w.failed ? REDO_ENOMEM : REDO_OK;
}

/* Whether it is whole, and in its one form already: what most values are, others may be too. */
static bool is_formed(unsigned char const *data, size_t size)
{
    unsigned char head = size ? data[0] : 0xc1;
    if (head < 0x80 || head >= 0xe0 || head == 0xc0)
        return size == 1;
    if (head == 0xcc)
        return size == 2 && data[1] >= 0x80;
    if (head == 0xcd)
        return size == 3 && data[1];
    if ((head & 0xe0) != 0xa0 || size != 1u + (head & 31u))
        return false;
    unsigned char high = 0;
    for (size_t i = 1; i < size; i++)
        high |= data[i];
    return high < 0x80;
}

static int enter(struct values *v, void const *data, size_t size, uint32_t *number)
{
    if (!is_formed(data, size)) {
        int rc = values_form(v, data, size, &size);
        if (rc)
            return rc;
        data = v->scratch;
    }
    uint64_t hash = XXH3_64bits(data, size);
    struct index_walk walk = index_walk(&v->index, index_hash(v, hash, data, size));
    uint32_t found;
    while ((found = index_next(&v->index, &walk)) != INDEX_NONE) {
        size_t there;
        void const *bytes = values_at(v, found, &there);
        if (there == size && memcmp(bytes, data, there) == 0) {
            *number = found;
            return REDO_OK;
        }
    }
    return insert(v, data, size, hash, number);
}

/* Without memory it is found all the same. */
static void note_small(struct values *v, uint32_t i, uint32_t number)
{
    if (i >= v->smallcap) {
        uint32_t cap = i + i / 2 + 16;
        uint32_t *grown = realloc(v->small, cap * sizeof *grown);
        if (!grown)
            return;
        memset(grown + v->smallcap, 0, (cap - v->smallcap) * sizeof *grown);
        v->small = grown;
        v->smallcap = cap;
    }
    v->small[i] = number;
}

void values_forget(struct values *v, uint32_t from)
{
    while (v->count > from) {
        size_t size;
        void const *data = values_at(v, --v->count, &size);
        uint64_t hash = values_hash(v, v->count);
        uint32_t small = value_small(data);
        if (small < v->smallcap)
            v->small[small] = 0;
        index_erase(&v->index, index_hash(v, hash, data, size), v->count);
        v->bytes -= HEAD + size + 16 + sizeof *v->all;
        free(v->all[v->count].bytes);
    }
}

size_t values_memory(struct values const *v)
{
    return v->bytes + index_bytes(&v->index) + v->scratchcap + v->smallcap * sizeof *v->small;
}

int values_enter(struct values *v, void const *data, size_t size, uint32_t *number)
{
    int rc = enter(v, data, size, number);
    uint32_t small = rc ? UINT32_MAX : value_small(data);
    if (small < SMALL_INTS)
        note_small(v, small, *number);
    return rc;
}

/* 0: a number; 1: a string; 2: another. */
static int rank(struct value const *v)
{
    if (v->type == VALUE_INT || v->type == VALUE_UINT || v->type == VALUE_FLOAT)
        return 0;
    return v->type == VALUE_STRING ? 1 : 2;
}

static double as_real(struct value const *v)
{
    return v->type == VALUE_INT    ? (double)v->integer
           : v->type == VALUE_UINT ? 0x1p64 - 0x1p11 /* floats are less than all of them, or more */
                                   : v->real;
}

/* In their one form, floats are not whole, or are beyond the range of integers: what a double can
 * not tell apart is never a float and an integer. */
static int compare_numbers(struct value const *a, struct value const *b)
{
    if (a->type == VALUE_INT && b->type == VALUE_INT)
        return (a->integer > b->integer) - (a->integer < b->integer);
    if (a->type == VALUE_UINT && b->type == VALUE_UINT)
        return (a->unsigned_integer > b->unsigned_integer) -
               (a->unsigned_integer < b->unsigned_integer);
    double x = as_real(a), y = as_real(b);
    if (isnan(x) || isnan(y))
        return (isnan(x) != 0) - (isnan(y) != 0);
    return (x > y) - (x < y);
}

int values_compare(struct values const *v, uint32_t a, uint32_t b)
{
    size_t size;
    if (a == b)
        return 0;
    void const *data = values_at(v, b, &size);
    return values_compare_to(v, a, data, size);
}

int values_compare_to(struct values const *v, uint32_t a, void const *y, size_t bsize)
{
    size_t asize;
    void const *x = values_at(v, a, &asize);
    struct value_reader ar = {x, (unsigned char const *)x + asize},
                        br = {y, (unsigned char const *)y + bsize};
    struct value av = value_next(&ar), bv = value_next(&br);
    if (rank(&av) != rank(&bv))
        return rank(&av) - rank(&bv);
    if (rank(&av) == 0)
        return compare_numbers(&av, &bv);
    if (rank(&av) == 1) { /* their heads tell of their sizes */
        x = av.string.data;
        y = bv.string.data;
        asize = av.string.size;
        bsize = bv.string.size;
    }
    int order = memcmp(x, y, asize < bsize ? asize : bsize);
    return order ? order : (asize > bsize) - (asize < bsize);
}
