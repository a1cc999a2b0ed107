#include "client/games/value.h"

#include <string.h>

#include "client/sgf/tree.h"

#define FIRST 48

void make_begin(struct making *m, struct arena *arena)
{
    *m = (struct making){.arena = arena};
}

static unsigned char *room(struct making *m, size_t size)
{
    if (m->failed)
        return NULL;
    if (size > m->cap - m->size) {
        size_t cap = m->cap ? 2 * m->cap : FIRST;
        while (cap < m->size + size)
            cap *= 2;
        if (!m->cap && size > FIRST) /* most often one string: just what it takes */
            cap = size;
        unsigned char *data = arena_take(m->arena, cap);
        if (!data) {
            m->failed = true;
            return NULL;
        }
        if (m->size > 0)
            memcpy(data, m->data, m->size);
        m->data = data;
        m->cap = cap;
    }
    unsigned char *at = m->data + m->size;
    m->size += size;
    return at;
}

static void put_number(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--, value >>= 8)
        at[i] = (unsigned char)value;
}

/* The head of what has a size: short in the first byte, else with 1 (if kind1), 2 or 4 bytes. */
static void head(struct making *m, size_t size, unsigned fix, size_t fixmost, unsigned kind1,
                 unsigned kind2)
{
    unsigned char *at;
    if (size <= fixmost) {
        if ((at = room(m, 1)))
            at[0] = (unsigned char)(fix | size);
    } else if (kind1 && size <= 0xff) {
        if ((at = room(m, 2))) {
            at[0] = (unsigned char)kind1;
            at[1] = (unsigned char)size;
        }
    } else if (size <= 0xffff) {
        if ((at = room(m, 3))) {
            at[0] = (unsigned char)kind2;
            put_number(at + 1, size, 2);
        }
    } else if (size <= UINT32_MAX) {
        if ((at = room(m, 5))) {
            at[0] = (unsigned char)(kind2 + 1);
            put_number(at + 1, size, 4);
        }
    } else {
        m->failed = true;
    }
}

void make_string(struct making *m, char const *text, size_t size)
{
    if (!m->cap) { /* head and text at once */
        unsigned char *at = room(m, size + 5);
        if (!at)
            return;
        m->size = 0;
    }
    head(m, size, 0xa0, 31, 0xd9, 0xda);
    unsigned char *at = room(m, size);
    if (at && size > 0)
        memcpy(at, text, size);
}

void make_word(struct making *m, char const *text)
{
    make_string(m, text, strlen(text));
}

void make_bool(struct making *m, bool value)
{
    unsigned char *at = room(m, 1);
    if (at)
        *at = value ? 0xc3 : 0xc2;
}

void make_integer(struct making *m, int64_t value)
{
    static struct {
        int64_t low, high;
        unsigned char kind;
        int bytes;
    } const forms[] = {{0, 0xff, 0xcc, 1},      {0, 0xffff, 0xcd, 2},     {0, UINT32_MAX, 0xce, 4},
                       {INT8_MIN, -1, 0xd0, 1}, {INT16_MIN, -1, 0xd1, 2}, {INT32_MIN, -1, 0xd2, 4},
                       {0, INT64_MAX, 0xcf, 8}, {INT64_MIN, -1, 0xd3, 8}};
    unsigned char *at;
    if (value >= -32 && value <= 127) {
        if ((at = room(m, 1)))
            *at = (unsigned char)value;
        return;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (value < forms[i].low || value > forms[i].high)
            continue;
        if ((at = room(m, 1 + (size_t)forms[i].bytes))) {
            at[0] = forms[i].kind;
            put_number(at + 1, (uint64_t)value, forms[i].bytes);
        }
        return;
    }
}

void make_double(struct making *m, double value)
{
    uint64_t bits;
    unsigned char *at = room(m, 9);
    if (!at)
        return;
    memcpy(&bits, &value, sizeof bits);
    at[0] = 0xcb;
    put_number(at + 1, bits, 8);
}

void make_array(struct making *m, size_t count)
{
    head(m, count, 0x90, 15, 0, 0xdc);
}

void make_map(struct making *m, size_t count)
{
    head(m, count, 0x80, 15, 0, 0xde);
}

/* --- reading --- */

struct reading read_value(void const *data, size_t size)
{
    return (struct reading){data, (unsigned char const *)data + size, false};
}

static bool bad(struct reading *r)
{
    r->bad = true;
    return false;
}

static bool take(struct reading *r, int bytes, uint64_t *value)
{
    *value = 0;
    if (r->bad || r->end - r->at < bytes)
        return bad(r);
    for (int i = 0; i < bytes; i++)
        *value = *value << 8 | *r->at++;
    return true;
}

/* The size in a head of one of three forms; kind1 0: there is none with one byte. */
static bool take_head(struct reading *r, unsigned fix, unsigned mask, unsigned kind1,
                      unsigned kind2, uint64_t *size)
{
    uint64_t kind;
    if (!take(r, 1, &kind))
        return false;
    if ((kind & ~(uint64_t)mask) == fix) {
        *size = kind & mask;
        return true;
    }
    if (kind1 && kind == kind1)
        return take(r, 1, size);
    if (kind == kind2)
        return take(r, 2, size);
    return kind == kind2 + 1 ? take(r, 4, size) : bad(r);
}

bool read_string(struct reading *r, redo_sgf_string *text)
{
    uint64_t size;
    if (!take_head(r, 0xa0, 31, 0xd9, 0xda, &size))
        return false;
    if (size > (uint64_t)(r->end - r->at))
        return bad(r);
    *text = (redo_sgf_string){(char const *)r->at, size};
    r->at += size;
    return true;
}

bool read_array(struct reading *r, size_t *count)
{
    uint64_t size;
    if (!take_head(r, 0x90, 15, 0, 0xdc, &size))
        return false;
    *count = size;
    return size <= (uint64_t)(r->end - r->at) || bad(r);
}

bool read_map(struct reading *r, size_t *count)
{
    uint64_t size;
    if (!take_head(r, 0x80, 15, 0, 0xde, &size))
        return false;
    *count = size;
    return size <= (uint64_t)(r->end - r->at) / 2 || bad(r);
}

bool read_bool(struct reading *r, bool *value)
{
    uint64_t kind;
    if (!take(r, 1, &kind) || (kind != 0xc2 && kind != 0xc3))
        return bad(r);
    *value = kind == 0xc3;
    return true;
}

bool read_integer(struct reading *r, int64_t *value)
{
    uint64_t kind, bits;
    if (!take(r, 1, &kind))
        return false;
    if (kind <= 0x7f || kind >= 0xe0) {
        *value = (int8_t)kind;
        return true;
    }
    if (kind < 0xcc || kind > 0xd3)
        return bad(r);
    int bytes = 1 << (kind & 3);
    if (!take(r, bytes, &bits))
        return false;
    if (kind >= 0xd0 && bytes < 8 && bits >> (8 * bytes - 1))
        bits |= ~(uint64_t)0 << (8 * bytes);
    if (kind == 0xcf && bits > INT64_MAX)
        return bad(r);
    *value = (int64_t)bits;
    return true;
}

bool read_double(struct reading *r, double *value)
{
    uint64_t kind, bits;
    if (r->bad || r->at == r->end)
        return bad(r);
    if (*r->at != 0xcb && *r->at != 0xca) {
        int64_t integer;
        if (!read_integer(r, &integer))
            return false;
        *value = (double)integer;
        return true;
    }
    take(r, 1, &kind);
    if (!take(r, kind == 0xcb ? 8 : 4, &bits))
        return false;
    if (kind == 0xcb) {
        memcpy(value, &bits, sizeof bits);
    } else {
        float small;
        uint32_t half = (uint32_t)bits;
        memcpy(&small, &half, sizeof half);
        *value = (double)small;
    }
    return true;
}

bool read_is_string(struct reading const *r)
{
    return !r->bad && r->at < r->end &&
           ((*r->at & 0xe0) == 0xa0 || (*r->at >= 0xd9 && *r->at <= 0xdb));
}

bool read_is_array(struct reading const *r)
{
    return !r->bad && r->at < r->end &&
           ((*r->at & 0xf0) == 0x90 || *r->at == 0xdc || *r->at == 0xdd);
}

static bool skip_bytes(struct reading *r, uint64_t size)
{
    if (size > (uint64_t)(r->end - r->at))
        return bad(r);
    r->at += size;
    return true;
}

/* Passes over a head and what has no items; how many items follow. */
static uint64_t skip_one(struct reading *r)
{
    uint64_t kind, size = 0;
    if (!take(r, 1, &kind))
        return 0;
    if (kind <= 0x7f || kind >= 0xe0 || kind == 0xc0 || kind == 0xc2 || kind == 0xc3)
        return 0;
    if (kind <= 0x8f)
        return 2 * (kind & 15);
    if (kind <= 0x9f)
        return kind & 15;
    if (kind <= 0xbf)
        return skip_bytes(r, kind & 31), 0;
    if (kind >= 0xdc) {
        if (!take(r, kind & 1 ? 4 : 2, &size))
            return 0;
        return kind >= 0xde ? 2 * size : size;
    }
    if (kind >= 0xd9) {
        if (take(r, 1 << (kind - 0xd9), &size))
            skip_bytes(r, size);
    } else if (kind >= 0xd4) {
        skip_bytes(r, 1 + (1u << (kind - 0xd4)));
    } else if (kind >= 0xcc) {
        skip_bytes(r, 1u << (kind & 3));
    } else if (kind >= 0xca) {
        skip_bytes(r, kind == 0xca ? 4 : 8);
    } else if (kind >= 0xc7) {
        if (take(r, 1 << (kind - 0xc7), &size))
            skip_bytes(r, size + 1);
    } else if (kind >= 0xc4) {
        if (take(r, 1 << (kind - 0xc4), &size))
            skip_bytes(r, size);
    } else {
        bad(r);
    }
    return 0;
}

bool read_skip(struct reading *r)
{
    for (uint64_t left = 1; left > 0 && !r->bad; left--) {
        left += skip_one(r);
        if (left > (uint64_t)(r->end - r->at) + 1)
            return bad(r);
    }
    return !r->bad;
}
