/* Whether bytes are UTF-8, and making it of ISO-8859-1. */
#ifndef CLIENT_TEXT_UTF8_H
#define CLIENT_TEXT_UTF8_H

#include <stddef.h>

/* How many bytes from the start are whole and valid characters (no surrogates, nothing longer than
 * needed, nothing past U+10FFFF); size if all are. */
size_t utf8_scan(char const *text, size_t size);

/* Whether the bytes, of which none is a whole character, may begin one that is cut off. */
int utf8_begins(char const *text, size_t size);

/* The text that bytes of ISO-8859-1 are: malloc'd, *size is then that of the text. NULL: no memory.
 */
char *utf8_from_latin1(char const *bytes, size_t *size);

#endif
