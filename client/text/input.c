#include "client/text/input.h"

#include <stdlib.h>
#include <string.h>

#define PIECE (64 * 1024)

void input_init(struct input *in, redo_text_source *source, void *data)
{
    *in = (struct input){.source = source, .data = data, .bytes = ""};
}

void input_init_bytes(struct input *in, void const *bytes, size_t size)
{
    *in = (struct input){.bytes = size > 0 ? bytes : "", .size = size, .final = true};
}

void input_close(struct input *in)
{
    free(in->buffer);
}

void input_skip(struct input *in, size_t size)
{
    in->bytes += size;
    in->size -= size;
}

/* Room for a piece behind the bytes. They are moved to the front only when at least as much has
 * been skipped as is moved, so that many small games cost no more than a large one. */
static int make_room(struct input *in)
{
    size_t skipped = in->buffer ? (size_t)(in->bytes - in->buffer) : 0;
    if (in->cap - skipped - in->size >= PIECE)
        return REDO_OK;
    if (skipped >= in->size && in->cap - in->size >= PIECE) {
        memmove(in->buffer, in->bytes, in->size);
    } else {
        size_t cap = in->cap < 4 * PIECE ? 4 * PIECE : 2 * in->cap;
        char *buffer = malloc(cap);
        if (!buffer)
            return REDO_ENOMEM;
        memcpy(buffer, in->bytes, in->size);
        free(in->buffer);
        in->buffer = buffer;
        in->cap = cap;
    }
    in->bytes = in->buffer;
    return REDO_OK;
}

int input_more(struct input *in)
{
    if (in->final)
        return REDO_OK;
    int code = make_room(in);
    if (code)
        return code;
    char *end = in->buffer + (in->bytes - in->buffer) + in->size;
    long got = in->source(in->data, end, PIECE);
    if (got < 0 || got > PIECE)
        return REDO_ESYSTEM;
    in->size += (size_t)got;
    in->final = got == 0;
    return REDO_OK;
}
