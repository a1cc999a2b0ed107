#include "client/text/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The length of the character that the byte begins, and the bounds of its second byte (Unicode,
 * table 3-7). 0: it begins none. */
static size_t lead(unsigned char c, unsigned char *low, unsigned char *high)
{
    *low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    *high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (c < 0x80)
        return 1;
    if (c < 0xc2 || c > 0xf4)
        return 0;
    return c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

/* How many bytes at the start fit a character; its length if it is one. */
static size_t fitting(unsigned char const *s, size_t size, size_t *length)
{
    unsigned char low, high;
    *length = lead(s[0], &low, &high);
    if (*length == 0)
        return 0;
    size_t i = 1;
    while (i < size && i < *length && s[i] >= low && s[i] <= high) {
        low = 0x80;
        high = 0xbf;
        i++;
    }
    return i;
}

size_t utf8_scan(char const *text, size_t size)
{
    unsigned char const *s = (unsigned char const *)text;
    size_t at = 0, length;
    while (at < size) {
        uint64_t eight;
        if (size - at >= 8 && (memcpy(&eight, s + at, 8), (eight & 0x8080808080808080u) == 0)) {
            at += 8;
            continue;
        }
        if (fitting(s + at, size - at, &length) < length || length == 0)
            break;
        at += length;
    }
    return at;
}

int utf8_begins(char const *text, size_t size)
{
    size_t length;
    return size > 0 && fitting((unsigned char const *)text, size, &length) == size && length > size;
}

char *utf8_from_latin1(char const *bytes, size_t *size)
{
    size_t n = *size, out = 0;
    for (size_t i = 0; i < *size; i++)
        n += (unsigned char)bytes[i] >= 0x80;
    char *text = malloc(n + 1);
    for (size_t i = 0; text && i < *size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c >= 0x80) {
            text[out++] = (char)(0xc0 | c >> 6);
            c = 0x80 | (c & 0x3f);
        }
        text[out++] = (char)c;
    }
    *size = n;
    return text;
}
