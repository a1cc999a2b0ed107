#include "protocol/archive.h"

#include <endian.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "protocol/utf8.h"

/* As PNG's: a byte that no text has, and ends of lines, which a transfer as text changes. */
static unsigned char const magic[8] = {0x89, 'R', 'E', 'D', 'O', '\r', '\n', 0x1a};

/* What stands before the name; numbers with the low byte first. */
struct head {
    unsigned char magic[8];
    unsigned char version;
    unsigned char name_size;
    unsigned char zero[2];
    unsigned char created[8];
    unsigned char dump_size[8];
};

#define SUM_SIZE 8

_Static_assert(sizeof(struct head) + SUM_SIZE == ARCHIVE_OVERHEAD, "as README.md has it");

static void put(unsigned char *to, uint64_t value)
{
    value = htole64(value);
    memcpy(to, &value, 8);
}

static uint64_t get(unsigned char const *from)
{
    uint64_t value;

    memcpy(&value, from, 8);
    return le64toh(value);
}

void archive_write(struct buffer *b, struct archive const *archive)
{
    struct head head = {.version = ARCHIVE_VERSION, .name_size = (unsigned char)archive->name_size};
    unsigned char sum[SUM_SIZE];
    size_t begin = b->size;

    memcpy(head.magic, magic, sizeof magic);
    put(head.created, (uint64_t)archive->created);
    put(head.dump_size, archive->dump_size);
    buffer_append(b, &head, sizeof head);
    buffer_append(b, archive->name, archive->name_size);
    buffer_append(b, archive->dump, archive->dump_size);
    if (b->failed)
        return;
    put(sum, XXH3_64bits(b->data + begin, b->size - begin));
    buffer_append(b, sum, sizeof sum);
}

/* Magic, version and checksum are where they are in every version: so a newer file is known from a
 * damaged one. */
enum archive_status archive_read(void const *data, size_t size, struct archive *archive)
{
    unsigned char const *bytes = data;
    struct head head;

    if (size == 0 || memcmp(bytes, magic, size < sizeof magic ? size : sizeof magic) != 0)
        return ARCHIVE_FOREIGN;
    if (size < ARCHIVE_OVERHEAD)
        return ARCHIVE_CUT;
    memcpy(&head, bytes, sizeof head);
    size_t room = size - ARCHIVE_OVERHEAD, name_size = head.name_size;
    uint64_t dump_size = get(head.dump_size);
    if (get(bytes + size - SUM_SIZE) != XXH3_64bits(bytes, size - SUM_SIZE))
        return head.version == ARCHIVE_VERSION && (name_size > room || dump_size > room - name_size)
                   ? ARCHIVE_CUT
                   : ARCHIVE_DAMAGED;
    if (head.version > ARCHIVE_VERSION)
        return ARCHIVE_NEWER;
    char const *name = (char const *)bytes + sizeof head;
    if (head.version != ARCHIVE_VERSION || head.zero[0] || head.zero[1] || name_size > room ||
        dump_size != room - name_size || memchr(name, 0, name_size) || !utf8_valid(name, name_size))
        return ARCHIVE_DAMAGED;
    *archive = (struct archive){.name = name,
                                .name_size = name_size,
                                .created = (int64_t)get(head.created),
                                .dump = name + name_size,
                                .dump_size = room - name_size};
    return ARCHIVE_GOOD;
}
