/* error.h: the two forms of an error on the wire, and reading them. */
#include "tests/protocol/bytes.h"

#include "protocol/error.h"

START_TEST(an_error_is_an_array_of_code_message_and_details)
{
    struct error e;
    struct buffer b;
    buffer_init(&b);
    error_begin(&e, REDO_ERANGE, "move is %d", 7);
    error_add_word(&e, "param", "move");
    error_add_int(&e, "index", 2);
    error_pack(&e, false, &b);
    assert_bytes(&b, "93 07 a9'move is 7' 82 a5'param' a4'move' a5'index' 02");
    buffer_free(&b);
}
END_TEST

START_TEST(without_a_message_the_code_speaks)
{
    struct error e;
    struct buffer b;
    buffer_init(&b);
    error_begin(&e, REDO_EMETHOD, NULL);
    error_pack(&e, false, &b);
    assert_bytes(&b, "93 14 ae'unknown method' 80");
    buffer_free(&b);
}
END_TEST

START_TEST(an_error_can_be_a_string)
{
    struct error e;
    struct buffer b;
    buffer_init(&b);
    error_begin(&e, REDO_ENAME, "no: %s", "x");
    error_add_int(&e, "index", 2);
    error_pack(&e, true, &b);
    assert_bytes(&b, "b1 'REDO_ENAME: no: x'");
    buffer_free(&b);
}
END_TEST

START_TEST(a_response_tells_the_error_and_no_result)
{
    struct error e;
    struct buffer b;
    buffer_init(&b);
    error_begin(&e, REDO_ENOMEM, "no");
    error_respond(&e, false, 300, &b);
    error_respond(&e, true, 0, &b);
    assert_bytes(&b, "94 01 cd012c 93 01 a2'no' 80 c0  94 01 00 af'REDO_ENOMEM: no' c0");
    buffer_free(&b);
}
END_TEST

START_TEST(bytes_of_a_client_come_back_as_utf8)
{
    struct error e;
    struct buffer b;
    buffer_init(&b);
    error_begin(&e, REDO_EOPTION, "no \xff");
    error_add_text(&e, "option", "a\x80", 2);
    error_pack(&e, false, &b);
    assert_bytes(&b, "93 1f a4'no ?' 81 a6'option' a2'a?'");
    buffer_free(&b);
}
END_TEST

START_TEST(a_long_message_is_cut_to_valid_utf8)
{
    char text[2 * ERROR_MESSAGE_MAX];
    struct error e;
    struct buffer b;
    buffer_init(&b);
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    text[sizeof text - 1] = '\0';
    error_begin(&e, REDO_ENAME, "%s", text);
    error_pack(&e, false, &b);
    ck_assert_uint_eq(scan(FRAME_LIMITS_DEFAULT, b.data, b.size).flags, 0);
    buffer_free(&b);
}
END_TEST

START_TEST(details_past_the_room_are_left_out)
{
    struct error e;
    struct buffer b;
    buffer_init(&b);
    error_begin(&e, REDO_ENAME, "x");
    for (int i = 0; i < 2 * ERROR_DETAILS_MAX; i++)
        error_add_int(&e, "n", i);
    error_pack(&e, false, &b);
    assert_bytes(&b, "93 1a a1'x' 88 a1'n'00 a1'n'01 a1'n'02 a1'n'03 a1'n'04 a1'n'05"
                     "a1'n'06 a1'n'07");
    buffer_free(&b);
}
END_TEST

/* What error_read() makes of an object. */
static int read_hex(char const *text, char *message)
{
    struct bytes b = hex(text);
    msgpack_zone zone;
    msgpack_object object;
    size_t offset = 0, size;
    char const *words;
    int code;
    msgpack_zone_init(&zone, 1024);
    msgpack_unpack((char *)b.data, b.size, &offset, &zone, &object);
    error_read(&object, &code, &words, &size);
    memcpy(message, words, size);
    message[size] = '\0';
    msgpack_zone_destroy(&zone);
    return code;
}

START_TEST(both_forms_can_be_read)
{
    char message[100];
    ck_assert_int_eq(read_hex("93 07 a2'no' 80", message), REDO_ERANGE);
    ck_assert_str_eq(message, "no");
    ck_assert_int_eq(read_hex("92 07 a2'no'", message), REDO_ERANGE);
    ck_assert_int_eq(read_hex("af'REDO_ENOMEM: no'", message), REDO_ENOMEM);
    ck_assert_str_eq(message, "REDO_ENOMEM: no");
}
END_TEST

START_TEST(a_code_of_a_newer_daemon_is_kept)
{
    char message[100];
    ck_assert_int_eq(read_hex("92 cd 03e8 a2'no'", message), 1000);
}
END_TEST

START_TEST(what_is_no_error_is_one_of_the_protocol)
{
    char message[100];
    char const *const wrong[] = {"05",       "90", "91 05", "92 00 a0",
                                 "92 ff a0", "80", "a1'x'", "92 cf ffffffffffffffff a0",
                                 "c3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(read_hex(wrong[i], message), REDO_EPROTOCOL);
}
END_TEST

TEST_MAIN("error", an_error_is_an_array_of_code_message_and_details,
          without_a_message_the_code_speaks, an_error_can_be_a_string,
          a_response_tells_the_error_and_no_result, bytes_of_a_client_come_back_as_utf8,
          a_long_message_is_cut_to_valid_utf8, details_past_the_room_are_left_out,
          both_forms_can_be_read, a_code_of_a_newer_daemon_is_kept,
          what_is_no_error_is_one_of_the_protocol)
