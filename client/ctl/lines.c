#include "client/ctl/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "client/ctl/cli.h"

#define CHUNK (256 * 1024)

bool lines_open(struct lines *lines, char const *path)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? dup(STDIN_FILENO) : -1;

    *lines = (struct lines){.path = standard ? "standard input" : path};
    errno = 0;
    lines->file = standard ? gzdopen(fd, "rb") : gzopen(path, "rbe");
    if (lines->file)
        return true;
    cli_complain("%s: %s", lines->path, errno ? strerror(errno) : "out of memory");
    if (fd >= 0)
        close(fd);
    return false;
}

void lines_close(struct lines *lines)
{
    gzclose_r(lines->file);
    buffer_free(&lines->buffer);
}

static int fail(struct lines *lines, char const *why)
{
    cli_complain("%s: after line %zu: %s", lines->path, lines->number, why);
    return -1;
}

/* Reads on: 1, or -1. At the end sets lines->ended. */
static int fill(struct lines *lines)
{
    int error;

    buffer_consume(&lines->buffer, lines->used);
    lines->used = 0;
    if (!buffer_reserve(&lines->buffer, CHUNK))
        return fail(lines, "out of memory");
    int count = gzread(lines->file, lines->buffer.data + lines->buffer.size, CHUNK);
    if (count > 0) {
        lines->buffer.size += (size_t)count;
        return 1;
    }
    char const *why = gzerror(lines->file, &error);
    if (error == Z_ERRNO)
        return fail(lines, strerror(errno));
    if (count < 0 || error != Z_OK) /* Z_BUF_ERROR: cut in the middle */
        return fail(lines, error == Z_BUF_ERROR ? "the gzip stream is cut" : why);
    lines->ended = true;
    return 1;
}

int lines_next(struct lines *lines, char const **line, size_t *size)
{
    size_t seen = 0; /* bytes in which there is no end of a line */

    for (;;) {
        char const *begin = lines->buffer.data + lines->used;
        size_t left = lines->buffer.size - lines->used;
        char const *end = left > seen ? memchr(begin + seen, '\n', left - seen) : NULL;
        if (end || (lines->ended && left > 0)) {
            *line = begin;
            *size = end ? (size_t)(end - begin) : left;
            lines->used += *size + (end != NULL);
            lines->number++;
            return 1;
        }
        if (lines->ended)
            return 0;
        seen = left;
        if (fill(lines) < 0)
            return -1;
    }
}
