/* Any bytes as the file of an exported session: as they are, and with the right checksum behind
 * them, so that what is looked at is the rest. What is accepted must be pieces of the bytes, and
 * give the same file again; what is cut anywhere must not be accepted. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#include "protocol/archive.h"
#include "protocol/utf8.h"
#include "tests/fuzz/fuzz.h"

#define TAIL 8

/* A file, without its checksum. The dump in it is any bytes. */
size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    static char const *const names[] = {"", "a", "sokoban-1", "\xc3\xa9t\xc3\xa9", "a b\n"};
    uint8_t dump[200];
    struct buffer b;

    buffer_init(&b);
    for (size_t i = 0; i < sizeof dump; i++)
        dump[i] = (uint8_t)(which >> i % 56);
    char const *name = names[which % (sizeof names / sizeof *names)];
    archive_write(&b, &(struct archive){.name = name,
                                        .name_size = strlen(name),
                                        .created = (int64_t)(which >> 3) - 1000,
                                        .dump = dump,
                                        .dump_size = which % (sizeof dump + 1)});
    HOLD(!b.failed && b.size - TAIL <= cap);
    size_t size = b.size - TAIL;
    memcpy(data, b.data, size);
    buffer_free(&b);
    return size;
}

static void check(uint8_t const *data, size_t size)
{
    struct archive a;
    struct buffer b;

    if (archive_read(data, size, &a) != ARCHIVE_GOOD)
        return;
    HOLD(a.name_size <= ARCHIVE_NAME_MAX && utf8_valid(a.name, a.name_size));
    HOLD(a.name_size + a.dump_size + ARCHIVE_OVERHEAD == size);
    buffer_init(&b);
    archive_write(&b, &a);
    HOLD(!b.failed && b.size == size && memcmp(b.data, data, size) == 0);
    buffer_free(&b);
    HOLD(archive_read(data, size - 1, &a) == ARCHIVE_CUT);
    HOLD(archive_read(data, size / 2, &a) != ARCHIVE_GOOD);
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    uint8_t *file = malloc(size + TAIL);

    HOLD(file);
    check(data, size);
    memcpy(file, data, size);
    uint64_t sum = XXH3_64bits(file, size);
    for (int i = 0; i < TAIL; i++)
        file[size + i] = (uint8_t)(sum >> 8 * i);
    check(file, size + TAIL);
    free(file);
    return 0;
}
