/* Bytes that grow, and whole files, for the tests of game records. */
#ifndef TESTS_TEXT_BYTES_H
#define TESTS_TEXT_BYTES_H

#include <stddef.h>

struct bytes {
    char *data;
    size_t size, cap;
};

/* Appends; a redo_text_sink with data a struct bytes. */
int bytes_put(void *bytes, char const *data, size_t size);
void bytes_free(struct bytes *b);

/* The text so many times, between a head and a tail. */
struct bytes bytes_repeated(char const *head, char const *text, size_t count, char const *tail);

/* All of a file; ends the program if there is none. */
struct bytes file_read(char const *path);

#endif
