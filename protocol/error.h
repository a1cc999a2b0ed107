/* An error on its way to a client: a code of the table, a message a person can act on, and details
 * for programs. On the wire [code, message, {name: value ...}], or, for clients that can take
 * nothing else, one string "REDO_ENAME: message". */
#ifndef PROTOCOL_ERROR_H
#define PROTOCOL_ERROR_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/buffer.h"
#include "redo_error.h"

#define ERROR_MESSAGE_MAX 200
#define ERROR_DETAILS_MAX 8

struct error_detail {
    char const *name;
    char const *text; /* NULL: it is the integer; not owned */
    size_t size;
    bool packed; /* text is a value in msgpack */
    int64_t integer;
};

struct error {
    int code;
    char message[ERROR_MESSAGE_MAX]; /* cut where it is longer */
    unsigned count;
    struct error_detail detail[ERROR_DETAILS_MAX];
};

/* Sets the code and the message (NULL: the code's own text), without details. */
__attribute__((format(printf, 3, 4))) void error_begin(struct error *e, int code,
                                                       char const *format, ...);

/* Adds a detail; past ERROR_DETAILS_MAX nothing happens. The name is a literal. The text is
 * borrowed until the error is packed, and may be any bytes: what is not UTF-8 in it or in the
 * message becomes '?'. */
void error_add_int(struct error *e, char const *name, int64_t value);
void error_add_text(struct error *e, char const *name, char const *text, size_t size);
void error_add_word(struct error *e, char const *name, char const *text);

/* A value that is packed already; borrowed as well. */
void error_add_value(struct error *e, char const *name, void const *data, size_t size);

/* Packs the error as an array, or as a string. */
void error_pack(struct error const *e, bool as_string, struct buffer *b);

/* Packs the whole response [1, id, error, nil]. */
void error_respond(struct error const *e, bool as_string, uint32_t id, struct buffer *b);

/* The other end's view: *code, and the message as a piece of the object's bytes, of an error in any
 * of its forms, or of any other object (REDO_EPROTOCOL, and an empty message). */
void error_read(msgpack_object const *object, int *code, char const **message, size_t *size);

#endif
