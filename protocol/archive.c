#include "protocol/archive.h"

#include <endian.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/redo_error.h"
#include "protocol/utf8.h"

#define HEAD 48
#define TAIL 8

static unsigned char const mark[8] = {0x89, 'r', 'e', 'd', 'o', 0x0d, 0x0a, 0x1a};

static void set32(unsigned char *p, uint32_t v)
{
    v = htole32(v);
    memcpy(p, &v, sizeof v);
}

static void set64(unsigned char *p, uint64_t v)
{
    v = htole64(v);
    memcpy(p, &v, sizeof v);
}

static uint32_t get32(unsigned char const *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return le32toh(v);
}

static uint64_t get64(unsigned char const *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return le64toh(v);
}

static void put_head(struct archive const *a, unsigned char head[HEAD])
{
    memcpy(head, mark, sizeof mark);
    set32(head + 8, ARCHIVE_VERSION);
    set32(head + 12, (uint32_t)a->name_size);
    set32(head + 16, (uint32_t)a->properties_size);
    set32(head + 20, 0);
    set64(head + 24, a->dump_size);
    set64(head + 32, a->sequence);
    set64(head + 40, (uint64_t)a->exported);
}

void archive_put(struct buffer *b, struct archive const *a)
{
    unsigned char head[HEAD], tail[TAIL];
    size_t start = b->size;

    put_head(a, head);
    buffer_append(b, head, sizeof head);
    buffer_append(b, a->name, a->name_size);
    buffer_append(b, a->properties, a->properties_size);
    buffer_append(b, a->dump, a->dump_size);
    if (b->failed)
        return;
    set64(tail, XXH3_64bits(b->data + start, b->size - start));
    buffer_append(b, tail, sizeof tail);
}

int archive_get(struct archive *a, void const *data, size_t size)
{
    unsigned char const *p = data;

    if (size < HEAD + TAIL || memcmp(p, mark, sizeof mark) != 0 ||
        get64(p + size - TAIL) != XXH3_64bits(p, size - TAIL))
        return REDO_EDAMAGED;
    if (get32(p + 8) > ARCHIVE_VERSION)
        return REDO_EVERSION;
    uint64_t rest = size - HEAD - TAIL;
    uint64_t name = get32(p + 12), properties = get32(p + 16), dump = get64(p + 24);
    if (get32(p + 8) != ARCHIVE_VERSION || get32(p + 20) != 0 || name > rest ||
        properties > rest - name || dump != rest - name - properties)
        return REDO_EDAMAGED;
    p += HEAD;
    if (!utf8_valid((char const *)p, name))
        return REDO_EDAMAGED;
    *a = (struct archive){
        .name = (char const *)p,
        .name_size = name,
        .properties = properties ? p + name : NULL,
        .properties_size = properties,
        .dump = p + name + properties,
        .dump_size = dump,
        .sequence = get64((unsigned char const *)data + 32),
        .exported = (int64_t)get64((unsigned char const *)data + 40),
    };
    return REDO_OK;
}
