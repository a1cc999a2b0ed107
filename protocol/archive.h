/* One session in a file, as it is exported and imported: its name, when it began, and its dump
 * (core/README.md), which holds the rest. README.md has the form. No I/O. Any thread. */
#ifndef PROTOCOL_ARCHIVE_H
#define PROTOCOL_ARCHIVE_H

#include <stddef.h>
#include <stdint.h>

#include "protocol/buffer.h"

#define ARCHIVE_VERSION 1
#define ARCHIVE_NAME_MAX 255 /* bytes */
#define ARCHIVE_OVERHEAD 36  /* bytes of a file besides name and dump */

struct archive {
    char const
        *name; /* 0 to ARCHIVE_NAME_MAX bytes of UTF-8, none of them 0; none: it had no name */
    size_t name_size;
    int64_t created; /* seconds since 1970 */
    void const *dump;
    size_t dump_size;
};

enum archive_status {
    ARCHIVE_GOOD,
    ARCHIVE_FOREIGN, /* it is no such file */
    ARCHIVE_NEWER,   /* whole, and of a version that is not known here */
    ARCHIVE_CUT,     /* its end is missing */
    ARCHIVE_DAMAGED,
};

/* Appends the file. A name that does not do is the caller's error; want of memory shows in
 * b->failed. */
void archive_write(struct buffer *b, struct archive const *archive);

/* Reads any bytes. What *archive tells (ARCHIVE_GOOD alone) are pieces of them. The dump is not
 * looked into: it has a version and checks of its own. */
enum archive_status archive_read(void const *data, size_t size, struct archive *archive);

#endif
