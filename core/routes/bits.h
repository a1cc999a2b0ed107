/* Bit vectors: plain arrays of 64-bit words, the owner knows how many. */
#ifndef CORE_ROUTES_BITS_H
#define CORE_ROUTES_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define BITS_NONE UINT32_MAX

static inline uint32_t bits_words(uint32_t bits)
{
    return (bits + 63) / 64;
}

static inline bool bits_has(uint64_t const *v, uint32_t i)
{
    return v[i / 64] >> (i % 64) & 1;
}

static inline void bits_set(uint64_t *v, uint32_t i)
{
    v[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void bits_clear(uint64_t *v, uint32_t i)
{
    v[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

/* The first set bit from i on, or BITS_NONE. */
static inline uint32_t bits_next(uint64_t const *v, uint32_t words, uint32_t i)
{
    uint32_t word = i / 64;
    if (word >= words)
        return BITS_NONE;
    uint64_t rest = v[word] & UINT64_MAX << (i % 64);
    while (!rest) {
        if (++word == words)
            return BITS_NONE;
        rest = v[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(rest);
}

#define BITS_EACH(i, v, words) \
    for (uint32_t i = bits_next(v, words, 0); i != BITS_NONE; i = bits_next(v, words, i + 1))

static inline bool bits_any(uint64_t const *v, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (v[i])
            return true;
    return false;
}

static inline bool bits_meet(uint64_t const *a, uint64_t const *b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

static inline void bits_add(uint64_t *to, uint64_t const *from, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        to[i] |= from[i];
}

static inline bool bits_equal(uint64_t const *a, uint64_t const *b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

#endif
