/* msgpack and JSON. What JSON has no form for is an object with one key:
 *   {"$bin": "00ff"}        bytes, in hex; both ways
 *   {"$ext": [5, "00ff"]}   an ext, from msgpack only
 * Keys of maps that are not strings become their JSON text. */
#ifndef CTL_JSON_H
#define CTL_JSON_H

#include <jansson.h>
#include <msgpack.h>

#include "protocol/buffer.h"

/* A new reference; NULL if there is no memory. */
json_t *json_from_msgpack(msgpack_object const *object);

/* Flags of jansson's for writing the value: reals with as few digits as keep all of them. */
size_t json_digits(json_t const *value);

/* Packs the value. NULL, or what is wrong with it. */
char const *json_pack_msgpack(json_t const *value, struct buffer *b);

/* Bytes as a string of hex digits; a new reference, NULL if there is no memory. */
json_t *json_hex(void const *data, size_t size);

/* The bytes that hex stands for, malloc()ed (NULL: it is not hex, or no memory) and their number.
 */
unsigned char *hex_read(char const *text, size_t length, size_t *size);

#endif
