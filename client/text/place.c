#include "client/text/place.h"

#include <stdarg.h>
#include <stdio.h>

void place_advance(unsigned long *line, unsigned long *column, char const *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n' || c == '\r') {
            if (i + 1 < size && text[i + 1] == (c == '\n' ? '\r' : '\n'))
                i++;
            ++*line;
            *column = 1;
        } else {
            *column += (c & 0xc0) != 0x80;
        }
    }
}

int error_say(redo_text_error *error, int code, char const *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return error->code = code;
}
