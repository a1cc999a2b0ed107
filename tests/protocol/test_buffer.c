/* buffer.h and pack.h: bytes as the msgpack specification has them. */
#include "tests/protocol/bytes.h"

#include "protocol/pack.h"

START_TEST(an_empty_buffer_holds_no_memory)
{
    struct buffer b;
    buffer_init(&b);
    ck_assert_ptr_null(b.data);
    ck_assert_uint_eq(b.cap, 0);
    buffer_append(&b, NULL, 0);
    ck_assert_uint_eq(b.cap, 0);
}
END_TEST

START_TEST(appended_bytes_stand_in_order)
{
    struct buffer b;
    buffer_init(&b);
    for (int i = 0; i < 100000; i++)
        buffer_append(&b, &(uint8_t){(uint8_t)(i % 251)}, 1);
    ck_assert_uint_eq(b.size, 100000);
    for (int i = 0; i < 100000; i++)
        if ((uint8_t)b.data[i] != i % 251)
            ck_abort_msg("byte %d", i);
    buffer_free(&b);
}
END_TEST

START_TEST(consume_drops_from_the_front)
{
    struct buffer b;
    buffer_init(&b);
    buffer_append(&b, "abcdef", 6);
    buffer_consume(&b, 0);
    buffer_consume(&b, 2);
    ck_assert_uint_eq(b.size, 4);
    ck_assert_mem_eq(b.data, "cdef", 4);
    buffer_consume(&b, 9);
    ck_assert_uint_eq(b.size, 0);
    buffer_free(&b);
}
END_TEST

START_TEST(a_failure_keeps_what_was_there_and_stops_what_follows)
{
    struct buffer b;
    buffer_init(&b);
    buffer_append(&b, "abc", 3);
    ck_assert(!buffer_reserve(&b, SIZE_MAX));
    ck_assert(b.failed);
    buffer_append(&b, "d", 1);
    pack_uint(&b, 7);
    pack_str(&b, "text", 4);
    pack_text(&b, "\xff", 1);
    ck_assert_uint_eq(b.size, 3);
    ck_assert_mem_eq(b.data, "abc", 3);
    buffer_free(&b);
}
END_TEST

START_TEST(rewind_takes_a_message_back_and_forgives)
{
    struct buffer b;
    buffer_init(&b);
    pack_uint(&b, 1);
    size_t mark = b.size;
    pack_array(&b, 3);
    buffer_reserve(&b, SIZE_MAX);
    buffer_rewind(&b, mark);
    pack_uint(&b, 2);
    assert_bytes(&b, "01 02");
    buffer_free(&b);
}
END_TEST

START_TEST(integers_take_their_shortest_form)
{
    struct buffer b;
    buffer_init(&b);
    pack_uint(&b, 0);
    pack_uint(&b, 127);
    pack_uint(&b, 128);
    pack_uint(&b, 65535);
    pack_uint(&b, UINT32_MAX);
    pack_uint(&b, UINT64_C(1) << 32);
    pack_int(&b, -1);
    pack_int(&b, -33);
    pack_int(&b, INT32_MIN);
    pack_int(&b, 5);
    assert_bytes(&b, "00 7f cc80 cdffff ceffffffff cf0000000100000000 ff d0df d280000000 05");
    buffer_free(&b);
}
END_TEST

START_TEST(every_other_type_is_packed_as_specified)
{
    struct buffer b;
    buffer_init(&b);
    pack_nil(&b);
    pack_bool(&b, true);
    pack_bool(&b, false);
    pack_cstr(&b, "abc");
    pack_cstr(&b, "");
    pack_bin(&b, "\0\1", 2);
    pack_bin(&b, NULL, 0);
    pack_array(&b, 2);
    pack_array(&b, 16);
    pack_map(&b, 1);
    pack_key(&b, "key");
    pack_bin_head(&b, 65536);
    assert_bytes(&b, "c0 c3 c2 a3'abc' a0 c4020001 c400 92 dc0010 81 a3'key' c600010000");
    buffer_free(&b);
}
END_TEST

START_TEST(long_strings_have_long_heads)
{
    char text[70000];
    struct buffer b;
    memset(text, 'x', sizeof text);
    buffer_init(&b);
    pack_str(&b, text, 31);
    ck_assert_uint_eq((uint8_t)b.data[0], 0xbf);
    buffer_rewind(&b, 0);
    pack_str(&b, text, 32);
    ck_assert_mem_eq(b.data, "\xd9\x20xx", 4);
    buffer_rewind(&b, 0);
    pack_str(&b, text, 256);
    ck_assert_mem_eq(b.data, "\xda\x01\x00xx", 5);
    buffer_rewind(&b, 0);
    pack_str(&b, text, sizeof text);
    ck_assert_mem_eq(b.data, "\xdb\x00\x01\x11\x70xx", 7);
    ck_assert_uint_eq(b.size, 5 + sizeof text);
    buffer_free(&b);
}
END_TEST

START_TEST(text_that_is_not_utf8_is_packed_with_question_marks)
{
    struct buffer b;
    buffer_init(&b);
    pack_text(&b, "a\xff\xc3\xa9\xc3", 5);
    assert_bytes(&b, "a5 'a?' c3a9 '?'");
    buffer_free(&b);
}
END_TEST

START_TEST(messages_begin_as_msgpack_rpc_has_them)
{
    struct buffer b;
    buffer_init(&b);
    pack_request(&b, UINT32_MAX, "m");
    pack_notification(&b, "n");
    pack_response(&b, 0);
    assert_bytes(&b, "94 00 ceffffffff a1'm'  93 02 a1'n'  94 01 00 c0");
    buffer_free(&b);
}
END_TEST

TEST_MAIN("buffer", an_empty_buffer_holds_no_memory, appended_bytes_stand_in_order,
          consume_drops_from_the_front, a_failure_keeps_what_was_there_and_stops_what_follows,
          rewind_takes_a_message_back_and_forgives, integers_take_their_shortest_form,
          every_other_type_is_packed_as_specified, long_strings_have_long_heads,
          text_that_is_not_utf8_is_packed_with_question_marks,
          messages_begin_as_msgpack_rpc_has_them)
