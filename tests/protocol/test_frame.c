/* frame.h: where messages end, and what is refused before it is unpacked. */
#include "tests/protocol/bytes.h"

#include <stdlib.h>

#include "redo_error.h"

/* One of each type of the specification, in each of its forms. */
static char const *const every_type[] = {
    "00",
    "7f",
    "e0",
    "ff", /* fixint */
    "c0",
    "c2",
    "c3", /* nil, false, true */
    "cc ff",
    "cd ffff",
    "ce ffffffff",
    "cf ffffffffffffffff", /* uint */
    "d0 80",
    "d1 8000",
    "d2 80000000",
    "d3 8000000000000000", /* int */
    "ca 3f800000",
    "cb 3ff0000000000000", /* float */
    "a0",
    "a3 'abc'",
    "d9 03 'abc'",
    "da 0003 'abc'",
    "db 00000003 'abc'",
    "d9 00",
    "c4 00",
    "c4 02 ffff",
    "c5 0002 ffff",
    "c6 00000002 ffff",
    "c6 00000000",
    "90",
    "92 01 02",
    "dc 0000",
    "dc 0002 01 02",
    "dd 00000002 01 02",
    "dd 00000000",
    "80",
    "81 a1'a' 01",
    "de 0001 a1'a' 01",
    "df 00000001 01 02",
    "df 00000000",
    "d4 01 00",
    "d5 01 0000",
    "d6 ff 00000000",
    "d7 01 0000000000000000",
    "d8 01 00000000000000000000000000000000",
    "c7 03 01 000000",
    "c8 0003 01 000000",
    "c9 00000003 01 000000",
    "c7 00 01",
    "94 00 01 a4'ping' 90",
    "92 81 a1'a' 92 01 c0 93 90 80 a1'z'",
};
#define EVERY_TYPE ((int)(sizeof every_type / sizeof *every_type))

START_TEST(every_type_ends_where_the_specification_says)
{
    struct bytes b = hex(every_type[_i]);
    struct frame f = scan(FRAME_LIMITS_DEFAULT, b.data, b.size);
    ck_assert_int_eq(f.status, FRAME_COMPLETE);
    ck_assert_uint_eq(f.at, b.size);
}
END_TEST

START_TEST(what_follows_a_message_is_not_looked_at)
{
    struct bytes b = hex(every_type[_i]);
    size_t size = b.size;
    b.data[b.size++] = 0xc1;
    struct frame f = scan(FRAME_LIMITS_DEFAULT, b.data, b.size);
    ck_assert_int_eq(f.status, FRAME_COMPLETE);
    ck_assert_uint_eq(f.at, size);
}
END_TEST

START_TEST(a_message_cut_at_any_byte_wants_more)
{
    struct bytes b = hex(every_type[_i]);
    for (size_t size = 0; size < b.size; size++) {
        /* In memory of its own, so that a look past the end is found. */
        uint8_t *cut = malloc(size + 1);
        memcpy(cut, b.data, size);
        struct frame f;
        frame_init(&f);
        uint8_t *exact = realloc(cut, size > 0 ? size : 1);
        ck_assert_int_eq(frame_scan(&f, &FRAME_LIMITS_DEFAULT, exact, size), FRAME_MORE);
        free(exact);
    }
}
END_TEST

START_TEST(bytes_one_at_a_time_end_at_the_last)
{
    struct bytes b = hex(every_type[_i]);
    struct frame f;
    frame_init(&f);
    for (size_t size = 1; size < b.size; size++)
        ck_assert_int_eq(frame_scan(&f, &FRAME_LIMITS_DEFAULT, b.data, size), FRAME_MORE);
    ck_assert_int_eq(frame_scan(&f, &FRAME_LIMITS_DEFAULT, b.data, b.size), FRAME_COMPLETE);
    ck_assert_uint_eq(f.at, b.size);
}
END_TEST

START_TEST(the_unpacker_agrees_on_every_type)
{
    struct bytes b = hex(every_type[_i]);
    msgpack_zone zone;
    msgpack_object object;
    size_t offset = 0;
    msgpack_zone_init(&zone, 1024);
    ck_assert_int_eq(msgpack_unpack((char *)b.data, b.size, &offset, &zone, &object),
                     MSGPACK_UNPACK_SUCCESS);
    ck_assert_uint_eq(offset, b.size);
    msgpack_zone_destroy(&zone);
}
END_TEST

START_TEST(a_long_message_byte_by_byte_takes_linear_time)
{
    /* Quadratic would be 10^13 steps: check's timeout would end it. */
    size_t size = 4 * 1024 * 1024;
    uint8_t *data = malloc(size);
    memset(data, 'a', size);
    memcpy(data, "\x92\xdd\x00\x01\x00\x00", 6); /* 65536 items, then a str */
    size_t text = 6 + 65536;
    uint32_t length = (uint32_t)(size - text - 5);
    data[text] = 0xdb;
    for (int i = 0; i < 4; i++)
        data[text + 1 + i] = (uint8_t)(length >> (24 - 8 * i));
    struct frame f;
    frame_init(&f);
    size_t have = 1;
    while (have < size && frame_scan(&f, &FRAME_LIMITS_DEFAULT, data, have) == FRAME_MORE)
        have++;
    ck_assert_uint_eq(have, size);
    ck_assert_int_eq(frame_scan(&f, &FRAME_LIMITS_DEFAULT, data, size), FRAME_COMPLETE);
    free(data);
}
END_TEST

START_TEST(the_byte_that_is_never_used_breaks_the_stream)
{
    struct frame f = scan_hex("93 00 c1 00");
    ck_assert_int_eq(f.status, FRAME_BROKEN);
    ck_assert_int_eq(frame_code(&f), REDO_EFRAME);
}
END_TEST

START_TEST(an_answer_stays_once_given)
{
    struct bytes b = hex("c1 00 00");
    struct frame f = scan(FRAME_LIMITS_DEFAULT, b.data, 1);
    ck_assert_int_eq(frame_scan(&f, &FRAME_LIMITS_DEFAULT, b.data, 3), FRAME_BROKEN);
}
END_TEST

static struct frame scan_nested(uint8_t head, unsigned depth)
{
    uint8_t *data = malloc(depth + 1);
    memset(data, head, depth);
    data[depth] = 0xc0;
    struct frame f = scan(FRAME_LIMITS_DEFAULT, data, depth + 1);
    free(data);
    return f;
}

START_TEST(nesting_up_to_the_limit_is_taken)
{
    ck_assert_int_eq(scan_nested(0x91, 32).status, FRAME_COMPLETE);
    struct frame_limits limits = FRAME_LIMITS_DEFAULT;
    limits.depth = 2;
    struct bytes b = hex("91 90");
    ck_assert_int_eq(scan(limits, b.data, b.size).status, FRAME_COMPLETE);
}
END_TEST

START_TEST(nesting_past_the_limit_is_refused)
{
    struct frame f = scan_nested(0x91, 33);
    ck_assert_int_eq(f.status, FRAME_TOOBIG);
    ck_assert_str_eq(f.exceeded, "depth");
    ck_assert_int_eq(frame_code(&f), REDO_ETOOBIG);
    struct frame_limits limits = FRAME_LIMITS_DEFAULT;
    limits.depth = 2;
    struct bytes b = hex("91 91 80");
    ck_assert_int_eq(scan(limits, b.data, b.size).status, FRAME_TOOBIG);
}
END_TEST

START_TEST(a_nesting_bomb_is_refused_at_its_33rd_byte)
{
    uint8_t const heads[] = {0x91, 0x81, 0x9f};
    for (size_t i = 0; i < sizeof heads; i++) {
        struct frame f = scan_nested(heads[i], 1000000);
        ck_assert_int_eq(f.status, FRAME_TOOBIG);
        ck_assert_uint_eq(f.at, 33);
    }
}
END_TEST

START_TEST(depth_is_given_back_when_arrays_end)
{
    /* 100 arrays of one depth, side by side. */
    uint8_t data[3 + 200] = {0xdc, 0, 100};
    for (int i = 0; i < 100; i++) {
        data[3 + 2 * i] = 0x91;
        data[4 + 2 * i] = 0x90;
    }
    struct frame_limits limits = FRAME_LIMITS_DEFAULT;
    limits.depth = 3;
    ck_assert_int_eq(scan(limits, data, sizeof data).status, FRAME_COMPLETE);
}
END_TEST

/* Heads of more than a message can hold. */
static char const *const bombs[] = {
    "dd ff000000",         "df ff000000",
    "df 80000000",         "dd ffffffff",
    "c6 ffffffff",         "db ffffffff",
    "c9 ffffffff",         "c6 04000001",
    "92 c6 03fffffa",      "94 00 01 a1'm' dd ff000000",
    "dc ffff c6 03ffffff",
};
#define BOMBS ((int)(sizeof bombs / sizeof *bombs))

START_TEST(a_length_that_can_not_fit_is_refused_at_its_head)
{
    struct frame f = scan_hex(bombs[_i]);
    ck_assert_int_eq(f.status, FRAME_TOOBIG);
    ck_assert_str_eq(f.exceeded, "bytes");
}
END_TEST

START_TEST(a_message_of_just_the_limit_is_taken)
{
    struct frame_limits limits = FRAME_LIMITS_DEFAULT;
    struct bytes b = hex("93 c4 02 0000 01 02");
    limits.bytes = b.size;
    ck_assert_int_eq(scan(limits, b.data, b.size).status, FRAME_COMPLETE);
    limits.bytes--;
    ck_assert_int_eq(scan(limits, b.data, b.size).status, FRAME_TOOBIG);
    /* Told at the bin's head: the items still to come need a byte each. */
    ck_assert_int_eq(scan(limits, b.data, 3).status, FRAME_TOOBIG);
}
END_TEST

START_TEST(objects_are_counted_against_their_limit)
{
    struct frame_limits limits = FRAME_LIMITS_DEFAULT;
    struct bytes b = hex("92 81 a1'a' 01 c0"); /* array, map, key, value, nil */
    limits.items = 5;
    ck_assert_int_eq(scan(limits, b.data, b.size).status, FRAME_COMPLETE);
    limits.items = 4;
    struct frame f = scan(limits, b.data, b.size);
    ck_assert_int_eq(f.status, FRAME_TOOBIG);
    ck_assert_str_eq(f.exceeded, "items");
    ck_assert_str_eq(scan_hex("dd 000f4240").exceeded, "items"); /* 1,000,000 and itself */
    ck_assert_int_eq(scan_hex("dd 000f423f").status, FRAME_MORE);
}
END_TEST

static char const *const not_utf8[] = {
    "a1 ff",          "a2 c0 80",       "a2 c1 bf",    "a3 e0 80 80",    "a3 ed a0 80",
    "a4 f4 90 80 80", "a4 f0 80 80 80", "a1 c3",       "d9 01 80",       "92 a1 c3 a1 a9",
    "81 a1 ff 01",    "91 81 01 a1 80", "92 a1 c3 01", "da 0002 'a' e2", "db 00000001 fe",
};
#define NOT_UTF8 ((int)(sizeof not_utf8 / sizeof *not_utf8))

START_TEST(a_str_that_is_not_utf8_is_noted_and_framing_goes_on)
{
    struct bytes b = hex(not_utf8[_i]);
    struct frame f = scan(FRAME_LIMITS_DEFAULT, b.data, b.size);
    ck_assert_int_eq(f.status, FRAME_COMPLETE);
    ck_assert_uint_eq(f.at, b.size);
    ck_assert_uint_eq(f.flags, FRAME_BADUTF8);
    ck_assert_int_eq(frame_code(&f), REDO_EUTF8);
    frame_init(&f);
    for (size_t size = 1; size <= b.size; size++)
        frame_scan(&f, &FRAME_LIMITS_DEFAULT, b.data, size);
    ck_assert_int_eq(f.status, FRAME_COMPLETE);
    ck_assert_uint_eq(f.flags, FRAME_BADUTF8);
}
END_TEST

START_TEST(good_utf8_and_any_bin_are_not_noted)
{
    ck_assert_uint_eq(scan_hex("93 a2 c3a9 c4 02 ff80 a4 f09f8eb2").flags, 0);
    ck_assert_uint_eq(scan_hex("82 a3 e282ac 01 02 03").flags, 0);
}
END_TEST

START_TEST(ext_is_noted)
{
    struct frame f = scan_hex("92 d4 01 ff 00");
    ck_assert_int_eq(f.status, FRAME_COMPLETE);
    ck_assert_uint_eq(f.flags, FRAME_EXT);
    ck_assert_int_eq(frame_code(&f), REDO_ETYPE);
    ck_assert_uint_eq(scan_hex("c7 00 05").flags, FRAME_EXT);
}
END_TEST

START_TEST(a_scan_begun_again_knows_nothing_of_the_one_before)
{
    struct frame f = scan_hex("93 a1 ff d4");
    frame_init(&f);
    struct bytes b = hex("91 a1'a'");
    ck_assert_int_eq(frame_scan(&f, &FRAME_LIMITS_DEFAULT, b.data, b.size), FRAME_COMPLETE);
    ck_assert_uint_eq(f.flags, 0);
    ck_assert_uint_eq(f.at, 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("frame");
    TCase *tcase = tcase_create("frame");

    tcase_set_timeout(tcase, 30);
    tcase_add_loop_test(tcase, every_type_ends_where_the_specification_says, 0, EVERY_TYPE);
    tcase_add_loop_test(tcase, what_follows_a_message_is_not_looked_at, 0, EVERY_TYPE);
    tcase_add_loop_test(tcase, a_message_cut_at_any_byte_wants_more, 0, EVERY_TYPE);
    tcase_add_loop_test(tcase, bytes_one_at_a_time_end_at_the_last, 0, EVERY_TYPE);
    tcase_add_loop_test(tcase, the_unpacker_agrees_on_every_type, 0, EVERY_TYPE);
    tcase_add_test(tcase, a_long_message_byte_by_byte_takes_linear_time);
    tcase_add_test(tcase, the_byte_that_is_never_used_breaks_the_stream);
    tcase_add_test(tcase, an_answer_stays_once_given);
    tcase_add_test(tcase, nesting_up_to_the_limit_is_taken);
    tcase_add_test(tcase, nesting_past_the_limit_is_refused);
    tcase_add_test(tcase, a_nesting_bomb_is_refused_at_its_33rd_byte);
    tcase_add_test(tcase, depth_is_given_back_when_arrays_end);
    tcase_add_loop_test(tcase, a_length_that_can_not_fit_is_refused_at_its_head, 0, BOMBS);
    tcase_add_test(tcase, a_message_of_just_the_limit_is_taken);
    tcase_add_test(tcase, objects_are_counted_against_their_limit);
    tcase_add_loop_test(tcase, a_str_that_is_not_utf8_is_noted_and_framing_goes_on, 0, NOT_UTF8);
    tcase_add_test(tcase, good_utf8_and_any_bin_are_not_noted);
    tcase_add_test(tcase, ext_is_noted);
    tcase_add_test(tcase, a_scan_begun_again_knows_nothing_of_the_one_before);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
