#include "core/changes/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/redo_error.h"

/* ---- reading ----------------------------------------------------------------------------- */

static struct value const bad = {.type = VALUE_BAD};

/* A big-endian number of so many bytes. */
static bool get(struct value_reader *r, unsigned bytes, uint64_t *v)
{
    if ((size_t)(r->end - r->at) < bytes)
        return false;
    *v = 0;
    while (bytes--)
        *v = *v << 8 | *r->at++;
    return true;
}

static struct value string(struct value_reader *r, unsigned bytes, uint64_t size, bool is_bytes)
{
    if (bytes && !get(r, bytes, &size))
        return bad;
    if (size > (size_t)(r->end - r->at))
        return bad;
    struct value v = {.type = VALUE_STRING, .is_bytes = is_bytes};
    v.string.data = (char const *)r->at;
    v.string.size = (size_t)size;
    r->at += size;
    return v;
}

static struct value items(struct value_reader *r, unsigned bytes, uint64_t count, bool map)
{
    if (bytes && !get(r, bytes, &count))
        return bad;
    if (count > (size_t)(r->end - r->at) / (map ? 2 : 1)) /* each takes a byte at least */
        return bad;
    return (struct value){.type = map ? VALUE_MAP : VALUE_ARRAY, .count = (uint32_t)count};
}

static struct value integer(int64_t i)
{
    return (struct value){.type = VALUE_INT, .integer = i};
}

static struct value number(struct value_reader *r, unsigned char head)
{
    uint64_t v;
    unsigned bytes = 1u << (head & 3);
    if (head == 0xca || head == 0xcb) {
        struct value real = {.type = VALUE_FLOAT};
        if (!get(r, head == 0xca ? 4 : 8, &v))
            return bad;
        if (head == 0xca) {
            uint32_t half = (uint32_t)v;
            float f;
            memcpy(&f, &half, sizeof f);
            real.real = (double)f;
        } else {
            memcpy(&real.real, &v, sizeof real.real);
        }
        return real;
    }
    if (!get(r, bytes, &v))
        return bad;
    if (head <= 0xcf)
        return v > INT64_MAX ? (struct value){.type = VALUE_UINT, .unsigned_integer = v}
                             : integer((int64_t)v);
    unsigned shift = 64 - 8 * bytes;
    return integer((int64_t)(v << shift) >> shift);
}

struct value value_next(struct value_reader *r)
{
    if (r->at == r->end)
        return bad;
    unsigned char head = *r->at++;
    if (head < 0x80)
        return integer(head);
    if (head >= 0xe0)
        return integer((int)head - 256);
    if (head < 0x90)
        return items(r, 0, head & 15, true);
    if (head < 0xa0)
        return items(r, 0, head & 15, false);
    if (head < 0xc0)
        return string(r, 0, head & 31, false);
    switch (head) {
    case 0xc0:
        return (struct value){.type = VALUE_NIL};
    case 0xc2:
    case 0xc3:
        return (struct value){.type = VALUE_BOOL, .boolean = head & 1};
    case 0xc4:
    case 0xc5:
    case 0xc6:
        return string(r, 1u << (head - 0xc4), 0, true);
    case 0xd9:
    case 0xda:
    case 0xdb:
        return string(r, 1u << (head - 0xd9), 0, false);
    case 0xdc:
    case 0xdd:
        return items(r, head == 0xdc ? 2 : 4, 0, false);
    case 0xde:
    case 0xdf:
        return items(r, head == 0xde ? 2 : 4, 0, true);
    }
    return (head >= 0xca && head <= 0xd3) ? number(r, head)
                                          : bad; /* the rest are ext, or nothing */
}

#define LONG VALUE_LONG
#define LONG_16 \
    LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG

/* clang-format off */
unsigned char const value_more[256] = {
    [0x80] = LONG_16, [0x90] = LONG_16,
    [0xa0] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    [0xc0] = 0, LONG, 0, 0, LONG, LONG, LONG, LONG, LONG, LONG, 4, 8, 1, 2, 4, 8,
    [0xd0] = 1, 2, 4, 8, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG, LONG};
/* clang-format on */

static bool skip_in(struct value_reader *r, unsigned most)
{
    uint32_t left[VALUE_DEPTH_TABLE]; /* items of each array or map around the one it is in */
    uint32_t now = 1;                 /* ... and of that one */
    unsigned depth = 0;
    for (;;) {
        while (now && value_skip_small(r))
            now--;
        if (!now) {
            if (!depth)
                return true;
            now = left[--depth];
            continue;
        }
        struct value v = value_next(r);
        if (v.type == VALUE_BAD || (v.type == VALUE_MAP && v.count > UINT32_MAX / 2))
            return false;
        now--;
        uint32_t count = v.type == VALUE_ARRAY ? v.count : v.type == VALUE_MAP ? v.count * 2 : 0;
        if (!count)
            continue;
        if (depth == most)
            return false;
        left[depth++] = now;
        now = count;
    }
}

bool value_skip_inside(struct value_reader *r, unsigned depth)
{
    return skip_in(r, VALUE_DEPTH - depth);
}

static bool whole_in(void const *data, size_t size, unsigned most)
{
    struct value_reader r = {data, (unsigned char const *)data + size};
    return data && skip_in(&r, most) && r.at == r.end;
}

bool value_whole(void const *data, size_t size)
{
    return whole_in(data, size, VALUE_DEPTH);
}

bool value_whole_table(void const *data, size_t size)
{
    return whole_in(data, size, VALUE_DEPTH_TABLE);
}

/* ---- writing ----------------------------------------------------------------------------- */

bool value_reserve(struct value_writer *w, size_t size)
{
    if (w->cap - w->size >= size)
        return true;
    size_t cap = w->cap + w->cap / 2 + size + 64;
    unsigned char *grown = realloc(w->data, cap);
    if (!grown)
        return false;
    w->data = grown;
    w->cap = cap;
    return true;
}

void value_put_bytes(struct value_writer *w, void const *data, size_t size)
{
    if (w->failed)
        return; /* nothing after what was left out */
    if (!value_reserve(w, size)) {
        w->failed = true;
        return;
    }
    if (size)
        memcpy(w->data + w->size, data, size);
    w->size += size;
}

static void put_head(struct value_writer *w, unsigned char head, unsigned bytes, uint64_t v)
{
    unsigned char out[9] = {head};
    for (unsigned i = 0; i < bytes; i++)
        out[1 + i] = (unsigned char)(v >> 8 * (bytes - 1 - i));
    value_put_bytes(w, out, 1 + bytes);
}

void value_put_int(struct value_writer *w, int64_t i)
{
    if (i >= -32 && i < 128)
        put_head(w, (unsigned char)i, 0, 0);
    else if (i >= 0)
        put_head(w,
                 i <= 0xff         ? 0xcc
                 : i <= 0xffff     ? 0xcd
                 : i <= UINT32_MAX ? 0xce
                                   : 0xcf,
                 i <= 0xff         ? 1
                 : i <= 0xffff     ? 2
                 : i <= UINT32_MAX ? 4
                                   : 8,
                 (uint64_t)i);
    else
        put_head(w,
                 i >= INT8_MIN    ? 0xd0
                 : i >= INT16_MIN ? 0xd1
                 : i >= INT32_MIN ? 0xd2
                                  : 0xd3,
                 i >= INT8_MIN    ? 1
                 : i >= INT16_MIN ? 2
                 : i >= INT32_MIN ? 4
                                  : 8,
                 (uint64_t)i);
}

void value_put_string(struct value_writer *w, char const *text, size_t size)
{
    if (size < 32)
        put_head(w, (unsigned char)(0xa0 | size), 0, 0);
    else
        put_head(w,
                 size <= 0xff     ? 0xd9
                 : size <= 0xffff ? 0xda
                                  : 0xdb,
                 size <= 0xff     ? 1
                 : size <= 0xffff ? 2
                                  : 4,
                 size);
    value_put_bytes(w, text, size);
}

void value_put_bool(struct value_writer *w, bool b)
{
    put_head(w, b ? 0xc3 : 0xc2, 0, 0);
}

void value_put_nil(struct value_writer *w)
{
    put_head(w, 0xc0, 0, 0);
}

void value_put_array(struct value_writer *w, uint32_t count)
{
    if (count < 16)
        put_head(w, (unsigned char)(0x90 | count), 0, 0);
    else
        put_head(w, count <= 0xffff ? 0xdc : 0xdd, count <= 0xffff ? 2 : 4, count);
}

void value_put_map(struct value_writer *w, uint32_t count)
{
    if (count < 16)
        put_head(w, (unsigned char)(0x80 | count), 0, 0);
    else
        put_head(w, count <= 0xffff ? 0xde : 0xdf, count <= 0xffff ? 2 : 4, count);
}

/* ---- one form ---------------------------------------------------------------------------- */

static void put_real(struct value_writer *w, double real)
{
    uint64_t bits;
    if (real >= -9223372036854775808.0 && real < 9223372036854775808.0 && real == floor(real)) {
        value_put_int(w, (int64_t)real);
        return;
    }
    if (real >= 9223372036854775808.0 && real < 18446744073709551616.0) {
        put_head(w, 0xcf, 8, (uint64_t)real);
        return;
    }
    if (isnan(real))
        real = (double)NAN; /* one of the many */
    memcpy(&bits, &real, sizeof bits);
    put_head(w, 0xcb, 8, bits);
}

bool value_is_text(char const *text, size_t size)
{
    unsigned char const *p = (unsigned char const *)text, *end = p + size;
    while (p < end) {
        unsigned char c = *p++;
        unsigned more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : 3;
        if ((c >= 0x80 && c < 0xc2) || c > 0xf4 || (size_t)(end - p) < more)
            return false;
        if ((c == 0xe0 && p[0] < 0xa0) || (c == 0xed && p[0] > 0x9f) ||
            (c == 0xf0 && p[0] < 0x90) || (c == 0xf4 && p[0] > 0x8f))
            return false;
        while (more--)
            if ((*p++ & 0xc0) != 0x80)
                return false;
    }
    return true;
}

static void put_binary(struct value_writer *w, char const *data, size_t size)
{
    put_head(w,
             size <= 0xff     ? 0xc4
             : size <= 0xffff ? 0xc5
                              : 0xc6,
             size <= 0xff     ? 1
             : size <= 0xffff ? 2
                              : 4,
             size);
    value_put_bytes(w, data, size);
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
            put_head(w, 0xcf, 8, v.unsigned_integer);
            break;
        case VALUE_FLOAT:
            put_real(w, v.real);
            break;
        case VALUE_STRING:
            if (value_is_text(v.string.data, v.string.size))
                value_put_string(w, v.string.data, v.string.size);
            else
                put_binary(w, v.string.data, v.string.size);
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
