/* Bytes that came from elsewhere, printed so that they can do a terminal no harm. */
#ifndef CTL_TEXT_H
#define CTL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Text as it is, but for control characters and what is not UTF-8: those bytes as \xHH. */
void text_print(FILE *out, char const *text, size_t size);

/* How many characters text_print() writes of it. */
size_t text_width(char const *text, size_t size);

/* Bytes in hex; at most `most` of them, then "...". */
void text_print_hex(FILE *out, void const *data, size_t size, size_t most);

/* A time in seconds since 1970 as "2026-11-29 22:55", sixteen characters, in local time. */
void text_print_time(FILE *out, int64_t seconds);

/* Sixteen bytes a line: offset, hex, and what is ASCII of them. */
void text_print_dump(FILE *out, void const *data, size_t size);

#endif
