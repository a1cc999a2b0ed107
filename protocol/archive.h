/* A session as a file: what is exported from one daemon and imported by another, or kept. All of it is in
 * the file, nothing of it depends on the machine.
 *
 *    0  89 72 65 64 6f 0d 0a 1a    tells it from other files, and that no one took it for text
 *    8  u32 version, 1
 *   12  u32 bytes of the name
 *   16  u32 bytes of the properties
 *   20  u32 0
 *   24  u64 bytes of the dump
 *   32  u64 sequence number of the last operation
 *   40  i64 when it was exported, in seconds since 1970
 *   48  the name, UTF-8; the properties, a msgpack map (none: no bytes); the dump, as redo_dump() has it
 *   ..  u64 XXH3 of all before
 *
 * Numbers are little-endian. Later versions keep the first twelve bytes and the checksum. */
#ifndef PROTOCOL_ARCHIVE_H
#define PROTOCOL_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "protocol/buffer.h"

#define ARCHIVE_VERSION 1

struct archive {
    char const *name; /* not owned, as the others */
    size_t name_size;
    void const *properties; /* NULL if there are none */
    size_t properties_size;
    void const *dump;
    size_t dump_size;
    uint64_t sequence;
    int64_t exported;
};

/* Appends the file's bytes. */
void archive_put(struct buffer *b, struct archive const *a);

/* From a file's bytes, which *a points into: REDO_OK, REDO_EDAMAGED, REDO_EVERSION. The properties are
 * whatever was put there, and the dump is checked when it is loaded. */
int archive_get(struct archive *a, void const *data, size_t size);

#endif
