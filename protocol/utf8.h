/* Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. In pieces of any size, so
 * that a string can be looked at as it arrives. */
#ifndef PROTOCOL_UTF8_H
#define PROTOCOL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in a character the bytes so far have ended. All zero at the beginning. */
struct utf8 {
    uint8_t need;      /* continuation bytes to come; 0 between characters */
    uint8_t low, high; /* what the next of them may be */
};

/* Looks at the next bytes. False at the first that can not stand where it does; the state is of no
 * use from then on. The text is whole UTF-8 if all went well and u->need is 0 at its end. */
bool utf8_feed(struct utf8 *u, void const *data, size_t size);

/* Whether [data, data+size) is UTF-8 from end to end. */
bool utf8_valid(void const *data, size_t size);

/* The length of the character that [data, data+size) begins with; 0 if it begins with none. */
size_t utf8_length(void const *data, size_t size);

#endif
