/* Writing msgpack into a buffer: thin inline wrappers of msgpack-c's packer, so that a header and
 * its few bytes become one capacity check and one copy.
 *
 * Nothing here fails: running out of memory shows in buffer->failed (see buffer.h). Who packs a
 * container packs as many items as announced (a map: that many keys, each with its value). */
#ifndef PROTOCOL_PACK_H
#define PROTOCOL_PACK_H

#include <msgpack.h>
#include <stdint.h>

#include "protocol/buffer.h"

/* msgpack-c's write callback: data is a struct buffer. */
static inline int pack_write(void *data, char const *bytes, size_t size)
{
    buffer_append(data, bytes, size);
    return 0;
}

/* On the stack of each wrapper, where the compiler sees the callback and inlines it. */
#define PACK_WITH(b, call, ...)                    \
    do {                                           \
        msgpack_packer packer = {(b), pack_write}; \
        call(&packer, ##__VA_ARGS__);              \
    } while (0)

static inline void pack_nil(struct buffer *b)
{
    PACK_WITH(b, msgpack_pack_nil);
}

static inline void pack_bool(struct buffer *b, bool value)
{
    if (value)
        PACK_WITH(b, msgpack_pack_true);
    else
        PACK_WITH(b, msgpack_pack_false);
}

/* Most numbers are small: they, and keys, are written without the packer. */
static inline void pack_uint(struct buffer *b, uint64_t value)
{
    if (value >= 0x80)
        PACK_WITH(b, msgpack_pack_uint64, value);
    else if (buffer_reserve(b, 1))
        b->data[b->size++] = (char)value;
}

static inline void pack_int(struct buffer *b, int64_t value)
{
    if (value >= 0)
        pack_uint(b, (uint64_t)value);
    else
        PACK_WITH(b, msgpack_pack_int64, value);
}

/* The head alone of an array of count items, of a map of count pairs, of a bin of size bytes; the
 * caller appends what belongs in it. Counts and sizes are below 2^32. */
static inline void pack_array(struct buffer *b, size_t count)
{
    PACK_WITH(b, msgpack_pack_array, count);
}

static inline void pack_map(struct buffer *b, size_t count)
{
    PACK_WITH(b, msgpack_pack_map, count);
}

static inline void pack_bin_head(struct buffer *b, size_t size)
{
    PACK_WITH(b, msgpack_pack_bin, size);
}

static inline void pack_bin(struct buffer *b, void const *data, size_t size)
{
    if (buffer_reserve(b, 5 + size)) {
        pack_bin_head(b, size);
        buffer_append(b, data, size);
    }
}

/* [text, text+size) must be UTF-8; see pack_text() for bytes of which that is not known. */
static inline void pack_str(struct buffer *b, char const *text, size_t size)
{
    if (buffer_reserve(b, 5 + size)) {
        PACK_WITH(b, msgpack_pack_str, size);
        buffer_append(b, text, size);
    }
}

static inline void pack_cstr(struct buffer *b, char const *text)
{
    pack_str(b, text, strlen(text));
}

/* A str from bytes that may be anything: each byte that is not part of UTF-8 becomes '?'. */
void pack_text(struct buffer *b, char const *text, size_t size);

/* The key of a map, a literal of less than 32 bytes. */
#define pack_key(b, literal)                                  \
    do {                                                      \
        _Static_assert(sizeof(literal) <= 32, "a short str"); \
        pack_short((b), "" literal, sizeof(literal) - 1);     \
    } while (0)

static inline void pack_short(struct buffer *b, char const *text, size_t size)
{
    if (!buffer_reserve(b, 1 + size))
        return;
    b->data[b->size] = (char)(0xa0 | size);
    memcpy(b->data + b->size + 1, text, size);
    b->size += 1 + size;
}

/* A value that was read: as deep as the frame it came in. */
static inline void pack_object(struct buffer *b, msgpack_object const *object)
{
    msgpack_packer packer = {b, pack_write};
    msgpack_pack_object(&packer, *object);
}

/* The beginnings of messages. What the caller packs next: after pack_request() and
 * pack_notification() the array of params; after pack_response() the result. A response that
 * tells an error is error_respond()'s. */
static inline void pack_request(struct buffer *b, uint32_t id, char const *method)
{
    pack_array(b, 4);
    pack_uint(b, 0);
    pack_uint(b, id);
    pack_cstr(b, method);
}

static inline void pack_notification(struct buffer *b, char const *method)
{
    pack_array(b, 3);
    pack_uint(b, 2);
    pack_cstr(b, method);
}

static inline void pack_response(struct buffer *b, uint32_t id)
{
    pack_array(b, 4);
    pack_uint(b, 1);
    pack_uint(b, id);
    pack_nil(b);
}

#endif
