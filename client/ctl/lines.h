/* The lines of a file, plain or gzipped, or of standard input. */
#ifndef CTL_LINES_H
#define CTL_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "protocol/buffer.h"

struct lines {
    void *file; /* a gzFile */
    char const *path;
    struct buffer buffer;
    size_t used;   /* bytes of the buffer that were handed out */
    size_t number; /* of the last line handed out, from 1 */
    bool ended;
};

/* "-" is standard input. Complains and false if it can not be opened; else lines_close() is due. */
bool lines_open(struct lines *lines, char const *path);
void lines_close(struct lines *lines);

/* The next line, without its end and valid until the next call: 1; 0 after the last; -1, after a
 * complaint, if it can not be read. */
int lines_next(struct lines *lines, char const **line, size_t *size);

#endif
