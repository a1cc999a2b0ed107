#include "client/text/output.h"

#include <stdlib.h>
#include <string.h>

#define PIECE (64 * 1024)

int output_init(struct output *o, redo_text_sink *sink, void *data)
{
    *o = (struct output){.sink = sink, .data = data, .piece = malloc(PIECE)};
    return o->piece ? REDO_OK : REDO_ENOMEM;
}

void output_close(struct output *o)
{
    free(o->piece);
}

void output_flush(struct output *o)
{
    if (o->size > 0 && o->code == 0)
        o->code = o->sink(o->data, o->piece, o->size);
    o->size = 0;
}

void output_put(struct output *o, char const *text, size_t size)
{
    if (size > PIECE - o->size)
        output_flush(o);
    if (size > PIECE) {
        if (o->code == 0)
            o->code = o->sink(o->data, text, size);
        return;
    }
    if (size > 0)
        memcpy(o->piece + o->size, text, size);
    o->size += size;
}
