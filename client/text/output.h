/* Bytes on their way to a sink, in pieces. */
#ifndef CLIENT_TEXT_OUTPUT_H
#define CLIENT_TEXT_OUTPUT_H

#include "client/text/redo_text.h"

struct output {
    redo_text_sink *sink;
    void *data;
    int code; /* of the sink, once it refused */
    size_t size;
    char *piece; /* owned */
};

/* REDO_OK or REDO_ENOMEM. */
int output_init(struct output *o, redo_text_sink *sink, void *data);
void output_close(struct output *o);

/* After the sink refused nothing more is put. */
void output_put(struct output *o, char const *text, size_t size);
void output_flush(struct output *o);

#endif
