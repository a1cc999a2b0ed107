/* A byte buffer that grows: what was read and not yet understood, or what is due to be written.
 *
 * Running out of memory does not have to be checked after each step: it sets `failed`, keeps what
 * was there, and makes every append after it do nothing, until buffer_rewind(). So a message is
 * packed as if nothing could fail, and looked at once. */
#ifndef PROTOCOL_BUFFER_H
#define PROTOCOL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct buffer {
    char *data;  /* NULL while cap is 0 */
    size_t size; /* bytes in use */
    size_t cap;  /* bytes allocated */
    bool failed; /* an append was lost for want of memory */
};

/* Makes it empty; nothing is allocated before bytes come. */
static inline void buffer_init(struct buffer *b)
{
    *b = (struct buffer){0};
}

/* Frees the bytes; the buffer is then as after buffer_init(). */
void buffer_free(struct buffer *b);

/* Makes room for extra bytes after the size in use. The room at least doubles, so that appending
 * byte by byte costs linear time. False if there is no memory, or the buffer has failed before. */
bool buffer_grow(struct buffer *b, size_t extra);

/* The same, at no cost if the room is there. The room begins at b->data + b->size; who fills it
 * adds to b->size. */
static inline bool buffer_reserve(struct buffer *b, size_t extra)
{
    return (b->cap - b->size >= extra && !b->failed) || buffer_grow(b, extra);
}

/* Appends a copy of [data, data+size), which must not lie in the buffer itself. */
static inline void buffer_append(struct buffer *b, void const *data, size_t size)
{
    if (size == 0 || !buffer_reserve(b, size))
        return;
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

/* Drops the first `size` bytes (at most all). The rest is moved to the front: call it once for all
 * that was understood, not once a message. */
void buffer_consume(struct buffer *b, size_t size);

/* Drops what was appended since b->size was `size`, and forgives a failure: the way back out of a
 * message that could not be packed whole. */
static inline void buffer_rewind(struct buffer *b, size_t size)
{
    b->size = size;
    b->failed = false;
}

#endif
