#include "client/ctl/text.h"

#include <string.h>
#include <time.h>

#include "protocol/utf8.h"

/* Control characters: C0, DEL, and C1, which is two bytes. */
static int is_control(unsigned char const *at, size_t size)
{
    return at[0] < 0x20 || at[0] == 0x7f || (size == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

void text_print(FILE *out, char const *text, size_t size)
{
    unsigned char const *at = (unsigned char const *)text, *end = at + size;

    while (at < end) {
        size_t length = utf8_length(at, (size_t)(end - at));
        if (length > 0 && !is_control(at, length)) {
            fwrite(at, 1, length, out);
            at += length;
            continue;
        }
        for (size_t i = length ? length : 1; i > 0; i--)
            fprintf(out, "\\x%02x", *at++);
    }
}

size_t text_width(char const *text, size_t size)
{
    unsigned char const *at = (unsigned char const *)text, *end = at + size;
    size_t width = 0;

    while (at < end) {
        size_t length = utf8_length(at, (size_t)(end - at));
        width += length > 0 && !is_control(at, length) ? 1 : 4 * (length ? length : 1);
        at += length ? length : 1;
    }
    return width;
}

void text_print_hex(FILE *out, void const *data, size_t size, size_t most)
{
    unsigned char const *bytes = data;

    for (size_t i = 0; i < size && i < most; i++)
        fprintf(out, "%02x", bytes[i]);
    if (size > most)
        fputs("...", out);
}

void text_print_dump(FILE *out, void const *data, size_t size)
{
    unsigned char const *bytes = data;

    for (size_t line = 0; line < size; line += 16) {
        fprintf(out, "  %08zx ", line);
        for (size_t i = line; i < line + 16; i++) {
            if (i % 8 == 0)
                fputc(' ', out);
            if (i < size)
                fprintf(out, "%02x ", bytes[i]);
            else
                fputs("   ", out);
        }
        fputs(" |", out);
        for (size_t i = line; i < line + 16 && i < size; i++)
            fputc(bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '.', out);
        fputs("|\n", out);
    }
}

void text_print_time(FILE *out, int64_t seconds)
{
    time_t when = (time_t)seconds;
    struct tm local;
    char text[40];

    if (!localtime_r(&when, &local) || strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local) == 0)
        strcpy(text, "-");
    fprintf(out, "%-16s", text);
}
