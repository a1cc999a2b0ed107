/* Numbers in as few bytes as they need: LEB128, and zigzag for those with a sign. Only the shortest
 * form of a number is read, so that equal things have equal bytes. */
#ifndef CORE_VARINT_H
#define CORE_VARINT_H

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX 5 /* bytes */

static inline size_t varint_put(unsigned char *out, uint32_t v)
{
    size_t n = 0;
    while (v >= 0x80) {
        out[n++] = (unsigned char)(v | 0x80);
        v >>= 7;
    }
    out[n++] = (unsigned char)v;
    return n;
}

static inline size_t varint_put_signed(unsigned char *out, int32_t v)
{
    return varint_put(out, ((uint32_t)v << 1) ^ (uint32_t)(v >> 31));
}

/* Where reading stands; bad once a number was cut off or too large. */
struct varint_reader {
    unsigned char const *at, *end;
    int bad;
};

static inline uint32_t varint_get(struct varint_reader *r)
{
    uint32_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        if (r->at == r->end)
            break;
        unsigned char byte = *r->at++;
        if (shift == 28 && byte > 0x0f)
            break;
        v |= (uint32_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            if (!byte && shift)
                break; /* a longer form of a shorter number */
            return v;
        }
    }
    r->bad = 1;
    return 0;
}

static inline int32_t varint_get_signed(struct varint_reader *r)
{
    uint32_t v = varint_get(r);
    return (int32_t)((v >> 1) ^ (0 - (v & 1)));
}

#endif
