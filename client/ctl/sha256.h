/* SHA-256 (FIPS 180-4), for the hashes that recorded traces have of their boards. */
#ifndef CTL_SHA256_H
#define CTL_SHA256_H

#include <stddef.h>

void sha256(void const *data, size_t size, unsigned char digest[32]);

#endif
