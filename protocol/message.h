/* A frame understood as a message of msgpack-rpc: [0, id, method, params], [1, id, error, result]
 * or [2, method, params]. Nothing is copied: strings and bytes point into the frame. */
#ifndef PROTOCOL_MESSAGE_H
#define PROTOCOL_MESSAGE_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol/frame.h"

enum message_type {
    MESSAGE_REQUEST = 0, /* the numbers of msgpack-rpc */
    MESSAGE_RESPONSE = 1,
    MESSAGE_NOTIFICATION = 2,
    MESSAGE_UNKNOWN = 3, /* nothing that begins with one of these */
};

struct message {
    enum message_type type;
    bool has_id;        /* a request's or a response's id could be read ... */
    uint32_t id;        /* ... and is this; any 32 bits, 0 too */
    char const *method; /* request, notification: its name, from a str or a bin; any bytes */
    size_t method_size;
    msgpack_object_array params; /* request, notification */
    bool bad_text;               /* a str in it is not UTF-8: request, notification */
    msgpack_object error;        /* response; nil if there is none */
    msgpack_object result;       /* response */
};

/* Reads the complete frame [data, data + frame->at). The zone is the caller's
 * (msgpack_zone_init()); it is cleared here first and holds arrays and maps: *m lives until it is
 * used again, and no longer than the bytes.
 *
 * REDO_OK, or REDO_EMESSAGE (not one of the three), REDO_ETYPE (the frame holds an ext), REDO_EUTF8
 * (a response holds a str that is not UTF-8), REDO_ENOMEM. In a request or a notification such a
 * str may be bytes, from a language that knows no bin: it is noted in bad_text, and method_check()
 * refuses it where text is wanted. After an error type and id are what could be read: if it is a
 * request with an id, the error can be answered. */
int message_parse(struct message *m, msgpack_zone *zone, void const *data,
                  struct frame const *frame);

/* Whether the bytes begin as a request of which the id can be read, and the id: for answering a
 * request that is broken or too big further on. Needs no whole frame. */
bool message_peek(void const *data, size_t size, uint32_t *id);

#endif
