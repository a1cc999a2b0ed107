/* The slow half of a byte buffer: growing, moving, freeing. */
#include "protocol/buffer.h"

#include <stdint.h>
#include <stdlib.h>

#define SMALLEST 256 /* one short message; an idle connection should cost little more */

bool buffer_grow(struct buffer *b, size_t extra)
{
    if (b->failed)
        return false;
    if (b->cap - b->size >= extra)
        return true;

    char *data = NULL;
    size_t cap = b->cap > SIZE_MAX / 2 ? SIZE_MAX : b->cap * 2;
    if (extra <= SIZE_MAX - b->size) {
        if (cap < b->size + extra)
            cap = b->size + extra;
        if (cap < SMALLEST)
            cap = SMALLEST;
        data = realloc(b->data, cap);
    }
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

void buffer_consume(struct buffer *b, size_t size)
{
    if (size >= b->size) {
        b->size = 0;
        return;
    }
    if (size == 0)
        return;
    b->size -= size;
    memmove(b->data, b->data + size, b->size);
}

void buffer_free(struct buffer *b)
{
    free(b->data);
    buffer_init(b);
}
