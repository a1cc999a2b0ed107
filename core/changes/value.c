#include "core/changes/value.h"

#include <stdlib.h>
#include <string.h>

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

/* One of a row of heads, for 1, 2, 4 and 8 bytes of a number: log2 of how many hold it. */
static unsigned width_of(uint64_t v)
{
    return v <= 0xff ? 0 : v <= 0xffff ? 1 : v <= UINT32_MAX ? 2 : 3;
}

static void put_sized(struct value_writer *w, unsigned char first, uint64_t v)
{
    unsigned width = width_of(v);
    put_head(w, (unsigned char)(first + width), 1u << width, v);
}

void value_put_uint(struct value_writer *w, uint64_t u)
{
    if (u < 128)
        put_head(w, (unsigned char)u, 0, 0);
    else
        put_sized(w, 0xcc, u);
}

void value_put_int(struct value_writer *w, int64_t i)
{
    if (i >= -32 && i < 128) { /* most are */
        put_head(w, (unsigned char)i, 0, 0);
    } else if (i >= 0) {
        put_sized(w, 0xcc, (uint64_t)i);
    } else {
        unsigned width = width_of((uint64_t)~i << 1); /* a bit more than it needs, for the sign */
        put_head(w, (unsigned char)(0xd0 + width), 1u << width, (uint64_t)i);
    }
}

void value_put_real(struct value_writer *w, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    put_head(w, 0xcb, 8, bits);
}

void value_put_string(struct value_writer *w, char const *text, size_t size)
{
    if (size < 32)
        put_head(w, (unsigned char)(0xa0 | size), 0, 0);
    else
        put_sized(w, 0xd9, size);
    value_put_bytes(w, text, size);
}

void value_put_binary(struct value_writer *w, char const *data, size_t size)
{
    put_sized(w, 0xc4, size);
    value_put_bytes(w, data, size);
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
