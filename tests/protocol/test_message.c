/* message.h: what is a message, and what is known of one that is not. */
#include "tests/protocol/bytes.h"

#include "redo_error.h"

static msgpack_zone zone;

static void setup(void)
{
    msgpack_zone_init(&zone, 1024);
}

static void teardown(void)
{
    msgpack_zone_destroy(&zone);
}

/* The bytes stay where they are: the message points into them. */
static struct bytes bytes;

static int parse(char const *text, struct message *m)
{
    bytes = hex(text);
    struct frame f = scan(FRAME_LIMITS_DEFAULT, bytes.data, bytes.size);
    ck_assert_int_eq(f.status, FRAME_COMPLETE);
    ck_assert_uint_eq(f.at, bytes.size);
    return message_parse(m, &zone, bytes.data, &f);
}

START_TEST(a_request_is_read)
{
    struct message m;
    ck_assert_int_eq(parse("94 00 2a a4'ping' 92 01 c4 02 ff00", &m), REDO_OK);
    ck_assert_int_eq(m.type, MESSAGE_REQUEST);
    ck_assert(m.has_id);
    ck_assert_uint_eq(m.id, 42);
    ck_assert_uint_eq(m.method_size, 4);
    ck_assert_mem_eq(m.method, "ping", 4);
    ck_assert_uint_eq(m.params.size, 2);
    ck_assert_uint_eq(m.params.ptr[0].via.u64, 1);
}
END_TEST

START_TEST(strings_and_bytes_are_not_copied)
{
    struct message m;
    ck_assert_int_eq(parse("94 00 2a a4'ping' 91 c4 02 ff00", &m), REDO_OK);
    ck_assert_ptr_eq(m.method, (char *)bytes.data + 4);
    ck_assert_ptr_eq(m.params.ptr[0].via.bin.ptr, (char *)bytes.data + 11);
}
END_TEST

START_TEST(a_method_may_be_named_by_a_bin)
{
    struct message m;
    ck_assert_int_eq(parse("94 00 00 c4 04 'ping' 90", &m), REDO_OK);
    ck_assert_uint_eq(m.method_size, 4);
    ck_assert_mem_eq(m.method, "ping", 4);
}
END_TEST

START_TEST(any_32_bits_are_an_id)
{
    struct message m;
    ck_assert_int_eq(parse("94 00 00 a1'm' 90", &m), REDO_OK);
    ck_assert_uint_eq(m.id, 0);
    ck_assert_int_eq(parse("94 00 ce ffffffff a1'm' 90", &m), REDO_OK);
    ck_assert_uint_eq(m.id, UINT32_MAX);
    ck_assert_int_eq(parse("94 00 cf 0000000000000007 a1'm' 90", &m), REDO_OK);
    ck_assert_uint_eq(m.id, 7);
}
END_TEST

START_TEST(what_is_no_id_can_not_be_answered)
{
    char const *const ids[] = {"ff", "cf 0000000100000000", "c0", "a1'1'", "ca 00000000", "90"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char text[80];
        struct message m;
        snprintf(text, sizeof text, "94 00 %s a1'm' 90", ids[i]);
        ck_assert_int_eq(parse(text, &m), REDO_EMESSAGE);
        ck_assert_int_eq(m.type, MESSAGE_REQUEST);
        ck_assert(!m.has_id);
    }
}
END_TEST

START_TEST(a_response_is_read)
{
    struct message m;
    ck_assert_int_eq(parse("94 01 05 c0 c3", &m), REDO_OK);
    ck_assert_int_eq(m.type, MESSAGE_RESPONSE);
    ck_assert_uint_eq(m.id, 5);
    ck_assert_int_eq(m.error.type, MSGPACK_OBJECT_NIL);
    ck_assert_int_eq(m.result.type, MSGPACK_OBJECT_BOOLEAN);
    ck_assert_int_eq(parse("94 01 05 92 03 a1'x' c0", &m), REDO_OK);
    ck_assert_int_eq(m.error.type, MSGPACK_OBJECT_ARRAY);
}
END_TEST

START_TEST(a_notification_is_read)
{
    struct message m;
    ck_assert_int_eq(parse("93 02 a1'n' 91 07", &m), REDO_OK);
    ck_assert_int_eq(m.type, MESSAGE_NOTIFICATION);
    ck_assert(!m.has_id);
    ck_assert_mem_eq(m.method, "n", 1);
    ck_assert_uint_eq(m.params.size, 1);
}
END_TEST

START_TEST(a_wrong_request_keeps_its_id)
{
    char const *const wrong[] = {
        "92 00 07",             /* no method */
        "93 00 07 a1'm'",       /* no params */
        "95 00 07 a1'm' 90 90", /* too much */
        "94 00 07 05 90",       /* the method is a number */
        "94 00 07 c0 90",       /* ... nil */
        "94 00 07 a1'm' c0",    /* the params are nil */
        "94 00 07 a1'm' 80",    /* ... a map */
        "94 00 07 a1'm' 01",    /* ... a number */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct message m;
        ck_assert_int_eq(parse(wrong[i], &m), REDO_EMESSAGE);
        ck_assert_int_eq(m.type, MESSAGE_REQUEST);
        ck_assert(m.has_id);
        ck_assert_uint_eq(m.id, 7);
    }
}
END_TEST

START_TEST(what_is_no_message_is_told)
{
    char const *const wrong[] = {"c0",
                                 "05",
                                 "ff",
                                 "a5'hello'",
                                 "80",
                                 "90",
                                 "c4 01 00",
                                 "94 03 01 a1'm' 90",
                                 "94 ff 01 a1'm' 90",
                                 "94 c0 01 a1'm' 90",
                                 "94 a1'0' 01 a1'm' 90",
                                 "d4 01 00",
                                 "94 ca 00000000 01 a1'm' 90"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct message m;
        ck_assert_int_eq(parse(wrong[i], &m), REDO_EMESSAGE);
        ck_assert_int_eq(m.type, MESSAGE_UNKNOWN);
        ck_assert(!m.has_id);
    }
}
END_TEST

START_TEST(wrong_notifications_and_responses_are_told_as_such)
{
    struct message m;
    ck_assert_int_eq(parse("92 02 a1'n'", &m), REDO_EMESSAGE);
    ck_assert_int_eq(m.type, MESSAGE_NOTIFICATION);
    ck_assert_int_eq(parse("93 02 a1'n' c0", &m), REDO_EMESSAGE);
    ck_assert_int_eq(parse("93 01 05 c0", &m), REDO_EMESSAGE);
    ck_assert_int_eq(m.type, MESSAGE_RESPONSE);
}
END_TEST

START_TEST(an_ext_is_refused_with_the_id)
{
    struct message m;
    ck_assert_int_eq(parse("94 00 08 a1'm' 91 d4 01 00", &m), REDO_ETYPE);
    ck_assert_int_eq(m.type, MESSAGE_REQUEST);
    ck_assert(m.has_id);
    ck_assert_uint_eq(m.id, 8);
    ck_assert_int_eq(parse("94 00 08 a1'm' 92 a1 ff d4 01 00", &m), REDO_ETYPE);
    ck_assert_int_eq(parse("93 02 a1'n' 91 d4 01 00", &m), REDO_ETYPE);
    ck_assert_int_eq(parse("94 01 07 c0 d4 01 00", &m), REDO_ETYPE);
}
END_TEST

START_TEST(a_str_that_is_not_utf8_is_noted_in_a_call_for_it_may_be_bytes)
{
    struct message m;
    ck_assert_int_eq(parse("94 00 07 a1'm' 91 a1 ff", &m), REDO_OK);
    ck_assert(m.bad_text);
    ck_assert_uint_eq(m.id, 7);
    ck_assert_int_eq(parse("94 00 09 a1 ff 90", &m), REDO_OK);
    ck_assert(m.bad_text);
    ck_assert_int_eq(parse("93 02 a1'n' 91 81 a1 ff 01", &m), REDO_OK);
    ck_assert(m.bad_text);
    ck_assert_int_eq(parse("94 00 07 a1'm' 92 a2 c3a9 c4 01 ff", &m), REDO_OK);
    ck_assert(!m.bad_text);
}
END_TEST

START_TEST(a_str_that_is_not_utf8_is_refused_in_a_response)
{
    struct message m;
    ck_assert_int_eq(parse("94 01 07 c0 a1 ff", &m), REDO_EUTF8);
    ck_assert_int_eq(m.type, MESSAGE_RESPONSE);
    ck_assert_int_eq(parse("94 01 07 91 a1 ff c0", &m), REDO_EUTF8);
}
END_TEST

START_TEST(the_deepest_message_can_be_unpacked)
{
    uint8_t data[64] = {0x94, 0x00, 0x07, 0xa1, 'm'};
    memset(data + 5, 0x91, 31);
    data[36] = 0xc0;
    struct frame f = scan(FRAME_LIMITS_DEFAULT, data, 37);
    ck_assert_int_eq(f.status, FRAME_COMPLETE);
    struct message m;
    ck_assert_int_eq(message_parse(&m, &zone, data, &f), REDO_OK);
}
END_TEST

START_TEST(one_zone_serves_many_messages)
{
    struct message m;
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(parse("94 00 07 a1'm' 98 90 91 01 80 81 01 02 92 c0 c0 01 02 03", &m),
                         REDO_OK);
    ck_assert_uint_eq(m.params.size, 8);
}
END_TEST

START_TEST(the_id_can_be_peeked_before_the_message_is_whole)
{
    uint32_t id;
    struct bytes b = hex("94 00 ce 01020304 a9'addpos'");
    ck_assert(message_peek(b.data, b.size, &id));
    ck_assert_uint_eq(id, 0x01020304);
    for (size_t size = 0; size < 7; size++)
        ck_assert(!message_peek(b.data, size, &id));
    b = hex("94 00 05");
    ck_assert(message_peek(b.data, b.size, &id));
    ck_assert_uint_eq(id, 5);
    b = hex("94 01 05");
    ck_assert(!message_peek(b.data, b.size, &id));
    b = hex("94 00 ff");
    ck_assert(!message_peek(b.data, b.size, &id));
    b = hex("'GET / HTTP/1.1'");
    ck_assert(!message_peek(b.data, b.size, &id));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("message");
    TCase *tcase = tcase_create("message");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_request_is_read);
    tcase_add_test(tcase, strings_and_bytes_are_not_copied);
    tcase_add_test(tcase, a_method_may_be_named_by_a_bin);
    tcase_add_test(tcase, any_32_bits_are_an_id);
    tcase_add_test(tcase, what_is_no_id_can_not_be_answered);
    tcase_add_test(tcase, a_response_is_read);
    tcase_add_test(tcase, a_notification_is_read);
    tcase_add_test(tcase, a_wrong_request_keeps_its_id);
    tcase_add_test(tcase, what_is_no_message_is_told);
    tcase_add_test(tcase, wrong_notifications_and_responses_are_told_as_such);
    tcase_add_test(tcase, an_ext_is_refused_with_the_id);
    tcase_add_test(tcase, a_str_that_is_not_utf8_is_noted_in_a_call_for_it_may_be_bytes);
    tcase_add_test(tcase, a_str_that_is_not_utf8_is_refused_in_a_response);
    tcase_add_test(tcase, the_deepest_message_can_be_unpacked);
    tcase_add_test(tcase, one_zone_serves_many_messages);
    tcase_add_test(tcase, the_id_can_be_peeked_before_the_message_is_whole);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
