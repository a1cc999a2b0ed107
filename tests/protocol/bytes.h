/* What the tests of protocol/ share: bytes written as hex, and messages read back. */
#ifndef TESTS_PROTOCOL_BYTES_H
#define TESTS_PROTOCOL_BYTES_H

#include <check.h>
#include <ctype.h>
#include <msgpack.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "protocol/buffer.h"
#include "protocol/frame.h"
#include "protocol/message.h"
#include "tests/suite.h"

struct bytes {
    uint8_t data[1024];
    size_t size;
};

static inline unsigned hex_digit(char c)
{
    return isdigit((unsigned char)c) ? (unsigned)(c - '0') : (unsigned)(tolower(c) - 'a' + 10);
}

/* "94 00 'abc' c0": hex, spaces where one likes, and text in quotes. */
static inline struct bytes hex(char const *text)
{
    struct bytes b = {.size = 0};

    while (*text != '\0') {
        if (*text == ' ') {
            text++;
        } else if (*text == '\'') {
            for (text++; *text != '\''; text++)
                b.data[b.size++] = (uint8_t)*text;
            text++;
        } else {
            b.data[b.size++] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
            text += 2;
        }
    }
    return b;
}

static inline void assert_bytes(struct buffer const *b, char const *expected)
{
    struct bytes want = hex(expected);

    ck_assert(!b->failed);
    ck_assert_mem_eq(b->data, want.data, b->size < want.size ? b->size : want.size);
    ck_assert_uint_eq(b->size, want.size);
}

static inline struct frame scan(struct frame_limits limits, void const *data, size_t size)
{
    struct frame f;

    frame_init(&f);
    frame_scan(&f, &limits, data, size);
    return f;
}

static inline struct frame scan_hex(char const *text)
{
    struct bytes b = hex(text);

    return scan(FRAME_LIMITS_DEFAULT, b.data, b.size);
}

#endif
