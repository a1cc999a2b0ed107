/* Places in a text, what is said of them, and kinds of characters. */
#ifndef CLIENT_TEXT_PLACE_H
#define CLIENT_TEXT_PLACE_H

#include <stdbool.h>

#include "client/text/redo_text.h"

/* Counts lines and columns on over the text. LF, CR and both together in either order end a line.
 */
void place_advance(unsigned long *line, unsigned long *column, char const *text, size_t size);

/* Sets the message and returns the code. */
int error_say(redo_text_error *error, int code, char const *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline bool is_letter(unsigned char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static inline bool is_capital(unsigned char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
