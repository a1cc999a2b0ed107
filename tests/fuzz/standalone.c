/* Runs a fuzz target without libFuzzer: on the files given, or on mutations of its examples.
 *
 *   fuzz-NAME FILE ...          each file once
 *   fuzz-NAME -n COUNT [SEED]   so many mutations; the seed is printed, and gives the same again
 */
#include <string.h>
#include <time.h>

#include "tests/fuzz/fuzz.h"

#define INPUT_MAX 4096

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* One change somewhere: a byte, a bit, a piece taken out, doubled, or a head put in. */
static size_t mutate(uint8_t *data, size_t size, uint64_t *state)
{
    static uint8_t const heads[] = {0x80, 0x90, 0x9f, 0xa0, 0xc0, 0xc1, 0xc4, 0xc6, 0xc9, 0xcb,
                                    0xcf, 0xd3, 0xd8, 0xdb, 0xdc, 0xdd, 0xdf, 0xff, 0x00, 0x7f};
    size_t at = size > 0 ? next(state) % size : 0;
    size_t length = size > at ? 1 + next(state) % (size - at) : 0;

    switch (next(state) % 5) {
    case 0:
        if (size > 0)
            data[at] = (uint8_t)next(state);
        break;
    case 1:
        if (size > 0)
            data[at] ^= (uint8_t)(1 << next(state) % 8);
        break;
    case 2:
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 3:
        if (size + length > INPUT_MAX)
            break;
        memmove(data + at + length, data + at, size - at);
        return size + length;
    case 4:
        if (size == INPUT_MAX)
            break;
        memmove(data + at + 1, data + at, size - at);
        data[at] = heads[next(state) % sizeof heads];
        return size + 1;
    }
    return size;
}

/* In memory of just its size, so that a sanitizer sees a look past the end. */
static void run(uint8_t const *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);

    if (!exact)
        abort();
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void run_mutations(uint64_t count, uint64_t seed)
{
    printf("%llu mutations, seed %llu\n", (unsigned long long)count, (unsigned long long)seed);
    fflush(stdout);
    for (uint64_t i = 0; i < count; i++) {
        uint8_t data[INPUT_MAX];
        uint64_t state = seed + i;
        size_t size = fuzz_example(next(&state), data, sizeof data);
        for (uint64_t changes = 1 + next(&state) % 8; changes > 0; changes--)
            size = mutate(data, size, &state);
        run(data, size);
    }
}

static int run_file(char const *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");

    if (!file) {
        perror(path);
        return 1;
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    run(data, size);
    return 0;
}

int main(int argc, char **argv)
{
    int status = 0;

    if (argc >= 3 && strcmp(argv[1], "-n") == 0) {
        uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : (uint64_t)time(NULL);
        run_mutations(strtoull(argv[2], NULL, 10), seed);
        return 0;
    }
    for (int i = 1; i < argc; i++)
        status |= run_file(argv[i]);
    return status;
}
