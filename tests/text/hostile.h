/* Input that means harm, for the readers of game records: endless, or deep. */
#ifndef TESTS_TEXT_HOSTILE_H
#define TESTS_TEXT_HOSTILE_H

#include <stddef.h>

/* A text, then its last byte for ever: a redo_text_source with data a struct endless. */
struct endless {
    char const *text;
    size_t given; /* so far */
};
long endless(void *data, char *buffer, size_t size);

/* Calls it with NULL on a stack of 256 KiB, which is not enough for who recurses. */
void on_a_small_stack(void *(*what)(void *));

#endif
