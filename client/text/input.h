/* The bytes of a file from where the next game begins, as far as they have been asked for. */
#ifndef CLIENT_TEXT_INPUT_H
#define CLIENT_TEXT_INPUT_H

#include <stdbool.h>

#include "client/text/redo_text.h"

struct input {
    redo_text_source *source; /* NULL: all bytes are there, and not ours */
    void *data;
    char *buffer; /* ours, of cap bytes, or NULL */
    size_t cap;
    char const *bytes; /* size of them; they move when more are read */
    size_t size;
    bool final; /* there are no more */
};

void input_init(struct input *in, redo_text_source *source, void *data);
void input_init_bytes(struct input *in, void const *bytes, size_t size);
void input_close(struct input *in);

/* Reads at least one byte more, or finds the end. REDO_OK, REDO_ESYSTEM or REDO_ENOMEM. */
int input_more(struct input *in);

/* Drops so many bytes at the front. */
void input_skip(struct input *in, size_t size);

#endif
