/* Messages of msgpack-rpc, as far as a load needs them. */
#ifndef BENCH_MESSAGE_H
#define BENCH_MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void put32(char *to, uint32_t value)
{
    value = __builtin_bswap32(value);
    memcpy(to, &value, 4);
}

static inline uint32_t get(char const *from, unsigned width)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value = value << 8 | (unsigned char)from[i];
    return value;
}

/* Bytes of the msgpack object at data; 0 if it is not there whole. */
static inline size_t object_size(char const *data, size_t size)
{
    static unsigned char const fixed[32] = {
        [0x0a] = 4, [0x0b] = 8, [0x0c] = 1, [0x0d] = 2, [0x0e] = 4, [0x0f] = 8,
        [0x10] = 1, [0x11] = 2, [0x12] = 4, [0x13] = 8}; /* c0 to df: what follows a number */
    size_t at = 0;
    for (uint64_t left = 1; left > 0; left--) {
        if (at >= size)
            return 0;
        unsigned char c = (unsigned char)data[at++];
        if (c < 0x80 || c >= 0xe0)
            continue;
        if (c < 0x90) {
            left += 2u * (c & 15);
        } else if (c < 0xa0) {
            left += c & 15;
        } else if (c < 0xc0) {
            at += c & 31;
        } else if (c >= 0xd9 || (c >= 0xc4 && c <= 0xc6)) { /* str, bin, array, map */
            unsigned width = c < 0xc7   ? 1u << (c - 0xc4)
                             : c < 0xdc ? 1u << (c - 0xd9)
                                        : 2u << (c & 1);
            if (at + width > size)
                return 0;
            uint64_t count = get(data + at, width);
            at += width;
            if (c >= 0xde)
                left += 2 * count;
            else if (c >= 0xdc)
                left += count;
            else
                at += count;
        } else {
            at += fixed[c - 0xc0];
        }
    }
    return at <= size ? at : 0;
}

#endif
