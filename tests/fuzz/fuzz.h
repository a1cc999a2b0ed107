/* What a fuzz target is made of: libFuzzer's entry, and examples for standalone.c to begin with. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size);

/* Writes an example of an input, one of several by `which` (any number), of at most cap bytes,
 * which are enough; returns its size. */
size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap);

#define HOLD(condition)                                                                    \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

#endif
