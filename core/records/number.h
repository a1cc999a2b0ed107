/* A float of a record: 8 bytes, the low one first. */
#ifndef CORE_RECORDS_NUMBER_H
#define CORE_RECORDS_NUMBER_H

#include <stdint.h>
#include <string.h>

static inline uint64_t number_get_bits(unsigned char const *at)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 8; i++)
        bits |= (uint64_t)at[i] << 8 * i;
    return bits;
}

static inline double number_get_real(unsigned char const *at)
{
    uint64_t bits = number_get_bits(at);
    double real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static inline void number_put_real(unsigned char *out, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    for (unsigned i = 0; i < 8; i++)
        out[i] = (unsigned char)(bits >> 8 * i);
}

/* Neither infinite nor no number. */
static inline int number_is_finite(uint64_t bits)
{
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

#endif
