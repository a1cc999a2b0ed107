/* The encoded form of operations: there and back, one form only, and any bytes. */
#include <limits.h>
#include <string.h>

#include "redo.h"
#include "tests/core/play.h"
#include "tests/suite.h"

static void assert_same(redo_operation const *a, redo_operation const *b)
{
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_uint_eq(a->position, b->position);
    ck_assert_uint_eq(a->source, b->source);
    ck_assert_int_eq(a->move, b->move);
    ck_assert_int_eq(a->endpoint, b->endpoint);
    ck_assert_int_eq(a->value, b->value);
    ck_assert_uint_eq(a->statesize, b->statesize);
    ck_assert_uint_eq(a->namesize, b->namesize);
    if (a->namesize)
        ck_assert_mem_eq(a->name, b->name, a->namesize);
    if (a->statesize)
        ck_assert_mem_eq(a->state, b->state, a->statesize);
    ck_assert_uint_eq(a->stamp.author, b->stamp.author);
    ck_assert_uint_eq(a->stamp.uid, b->stamp.uid);
    ck_assert_uint_eq(a->stamp.time, b->stamp.time);
    ck_assert_uint_eq(a->stamp.namesize, b->stamp.namesize);
    ck_assert(!a->stamp.name == !b->stamp.name);
    if (a->stamp.namesize)
        ck_assert_mem_eq(a->stamp.name, b->stamp.name, a->stamp.namesize);
    ck_assert_uint_eq(a->keysize, b->keysize);
    if (a->keysize)
        ck_assert_mem_eq(a->key, b->key, a->keysize);
}

/* Encodes op as these bytes, and decodes them to the same. */
static void assert_form(redo_operation const *op, char const *bytes, size_t size)
{
    unsigned char buf[100];
    redo_operation read;
    ck_assert_uint_eq(redo_operation_encode(op, buf, sizeof buf), size);
    ck_assert_mem_eq(buf, bytes, size);
    ck_assert_uint_eq(redo_operation_decode(buf, size, &read), size);
    assert_same(op, &read);
}

#define ASSERT_FORM(bytes, ...) assert_form(&(redo_operation){__VA_ARGS__}, bytes, sizeof bytes - 1)

#define NONE REDO_NOPOSITION

START_TEST(each_kind_has_its_form)
{
    ASSERT_FORM("\x01\x05\x0e\x00\x02"
                "ab",
                .kind = REDO_OP_ADD, .position = 5, .source = NONE, .move = 7, .value = redo_check,
                .state = "ab", .statesize = 2);
    ASSERT_FORM("\x02\x80\x01\x01", .kind = REDO_OP_NEXT, .position = 128, .source = NONE,
                .move = -1);
    ASSERT_FORM("\x03\x7f", .kind = REDO_OP_DROP, .position = 127, .source = NONE);
    ASSERT_FORM("\x04\x06", .kind = REDO_OP_GRAFT, .position = NONE, .source = NONE,
                .value = redo_graftandcopy);
    ASSERT_FORM("\x05\x00x", .kind = REDO_OP_UPDATE, .source = NONE, .state = "x", .statesize = 1);
    ASSERT_FORM("\x06", .kind = REDO_OP_SETBETTER, .position = NONE, .source = NONE);
    ASSERT_FORM("\x07\x01\x14x", .kind = REDO_OP_CYCLE, .position = 1, .source = NONE, .value = 10,
                .state = "x", .statesize = 1);
    ASSERT_FORM("\x08\x01\x02", .kind = REDO_OP_DUPLICATE, .position = 1, .source = 2);
    ASSERT_FORM("\x09", .kind = REDO_OP_CLEAR, .position = NONE, .source = NONE);
    ASSERT_FORM("\x0a\x03"
                "abcxy",
                .kind = REDO_OP_PROPERTY, .position = NONE, .source = NONE, .name = "abc",
                .namesize = 3, .state = "xy", .statesize = 2);
    ASSERT_FORM("\x0a\x01"
                "a",
                .kind = REDO_OP_PROPERTY, .position = NONE, .source = NONE, .name = "a",
                .namesize = 1);
    ASSERT_FORM("\x0b\x05", .kind = REDO_OP_DROPTREE, .position = 5, .source = NONE);
    ASSERT_FORM("\x0c\x05xyz", .kind = REDO_OP_RESTORE, .position = 5, .source = NONE,
                .state = "xyz", .statesize = 3);
    ASSERT_FORM("\x0d\x00\x00\x06\x02\x02"
                "me",
                .kind = REDO_OP_CURSOR, .position = NONE, .source = NONE, .move = 3,
                .value = redo_step_undo, .name = "me", .namesize = 2);
    ASSERT_FORM("\x0d\x06\x01\x00\x00\x01"
                "m",
                .kind = REDO_OP_CURSOR, .position = 5, .source = 0, .name = "m", .namesize = 1);
    ASSERT_FORM("\x14\x00\x02"
                "12345678",
                .kind = REDO_OP_GAMES, .position = NONE, .source = NONE, .value = redo_games_drop,
                .state = "12345678", .statesize = 8);
    ASSERT_FORM("\x14\x04\x00"
                "12345678",
                .kind = REDO_OP_GAMES, .position = NONE, .source = 3, .state = "12345678",
                .statesize = 8);
    ASSERT_FORM("\x0exyz", .kind = REDO_OP_TURN, .position = NONE, .source = NONE, .state = "xyz",
                .statesize = 3);
}
END_TEST

START_TEST(a_stamp_and_a_key_come_after_the_kind)
{
    ASSERT_FORM("\x83\x05\xac\x02\x01", .kind = REDO_OP_DROP, .position = 1, .source = NONE,
                .stamp = {.author = 5, .time = 300});
    ASSERT_FORM("\x83\x00\x07\x03"
                "ann\x01\x01",
                .kind = REDO_OP_DROP, .position = 1, .source = NONE,
                .stamp = {.uid = 7, .name = "ann", .namesize = 3, .time = 1});
    ASSERT_FORM("\x86\x00\xff\xff\xff\xff\x0f\x00\x00", .kind = REDO_OP_SETBETTER, .position = NONE,
                .source = NONE, .stamp = {.uid = UINT32_MAX, .name = ""});
    ASSERT_FORM("\x43\x02kk\x01", .kind = REDO_OP_DROP, .position = 1, .source = NONE, .key = "kk",
                .keysize = 2);
    ASSERT_FORM("\xc3\x05\x00\x02kk\x01", .kind = REDO_OP_DROP, .position = 1, .source = NONE,
                .stamp = {.author = 5}, .key = "kk", .keysize = 2);
}
END_TEST

START_TEST(stamps_and_keys_that_do_not_fit_make_it_none)
{
    char buf[1000], bytes[300] = {0};
    redo_operation op, bad[] = {
                           {.stamp = {.author = 1, .name = "a", .namesize = 1}}, /* known and new */
                           {.stamp = {.time = 1}},                               /* no one */
                           {.stamp = {.name = bytes, .namesize = REDO_AUTHOR_MAX + 1}},
                           {.stamp = {.name = bytes, .namesize = SIZE_MAX}},
                           {.key = bytes, .keysize = REDO_KEY_MAX + 1},
                           {.key = NULL, .keysize = 1},
                       };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bad[i].kind = REDO_OP_DROP;
        ck_assert_uint_eq(redo_operation_encode(&bad[i], buf, sizeof buf), 0);
    }
    op = (redo_operation){.kind = REDO_OP_PROPERTY,
                          .name = bytes,
                          .namesize = REDO_NAME_MAX,
                          .stamp = {.uid = UINT32_MAX, .name = bytes, .namesize = REDO_AUTHOR_MAX},
                          .key = bytes,
                          .keysize = REDO_KEY_MAX};
    size_t size = redo_operation_encode(&op, buf, sizeof buf); /* the longest head there is */
    ck_assert_uint_gt(size, 574);
    ck_assert_uint_eq(redo_operation_decode(buf, size, &op), size);
    ck_assert_uint_eq(redo_operation_decode("\x43\x00\x01", 3, &op), 0);         /* an empty key */
    ck_assert_uint_eq(redo_operation_decode("\x43\x05kk\x01", 5, &op), 0);       /* a cut one */
    ck_assert_uint_eq(redo_operation_decode("\x83\x85\x00\x00\x01", 5, &op), 0); /* a longer form */
    memset(buf, 'x', sizeof buf);
    memcpy(buf, "\x43\x41", 2);
    ck_assert_uint_eq(redo_operation_decode(buf, 2 + 65 + 1, &op), 0);
    memcpy(buf, "\x83\x00\x00\x80\x02", 5);
    ck_assert_uint_eq(redo_operation_decode(buf, 5 + 256 + 2, &op), 0);
}
END_TEST

START_TEST(the_largest_numbers_have_a_form)
{
    ASSERT_FORM("\x01\xff\xff\xff\xff\x0f\xff\xff\xff\xff\x0f\xff\x01\x04s", .kind = REDO_OP_ADD,
                .position = UINT32_MAX, .source = NONE, .move = INT_MIN, .endpoint = -128,
                .value = redo_checklater, .state = "s", .statesize = 1);
    ASSERT_FORM("\x02\x00\xfe\xff\xff\xff\x0f", .kind = REDO_OP_NEXT, .source = NONE,
                .move = INT_MAX);
}
END_TEST

START_TEST(encoding_into_too_little_room_only_tells_the_size)
{
    redo_operation op = {.kind = REDO_OP_UPDATE, .state = "abcdef", .statesize = 6};
    for (size_t cap = 0; cap < 8; cap++) {
        char buf[9] = "........";
        ck_assert_uint_eq(redo_operation_encode(&op, buf, cap), 8);
        ck_assert_str_eq(buf, "........");
    }
    ck_assert_uint_eq(redo_operation_encode(&op, NULL, 0), 8);
    ck_assert_uint_eq(redo_operation_encode(&op, NULL, 100), 8);
}
END_TEST

START_TEST(what_is_no_operation_has_no_form)
{
    char buf[100];
    redo_operation op;
    int const kinds[] = {0, 15, -1, 257, INT_MAX, INT_MIN};
    for (int i = 0; i < 6; i++) {
        op = (redo_operation){.kind = (enum redo_operation_kind)kinds[i]};
        ck_assert_uint_eq(redo_operation_encode(&op, buf, sizeof buf), 0);
    }
    op = (redo_operation){.kind = REDO_OP_ADD, .state = NULL, .statesize = 4};
    ck_assert_uint_eq(redo_operation_encode(&op, buf, sizeof buf), 0);
    op = (redo_operation){.kind = REDO_OP_ADD, .state = "abcd", .statesize = 0};
    ck_assert_uint_eq(redo_operation_encode(&op, buf, sizeof buf), 0);
    ck_assert_uint_eq(redo_operation_encode(NULL, buf, sizeof buf), 0);
    op = (redo_operation){.kind = REDO_OP_RESTORE};
    ck_assert_uint_eq(redo_operation_encode(&op, buf, sizeof buf), 0);
    char name[REDO_NAME_MAX + 1] = {0};
    size_t const sizes[] = {0, REDO_NAME_MAX + 1, SIZE_MAX};
    for (int i = 0; i < 3; i++) {
        op = (redo_operation){.kind = REDO_OP_PROPERTY, .name = name, .namesize = sizes[i]};
        ck_assert_uint_eq(redo_operation_encode(&op, buf, sizeof buf), 0);
    }
    op = (redo_operation){.kind = REDO_OP_PROPERTY, .namesize = 3};
    ck_assert_uint_eq(redo_operation_encode(&op, buf, sizeof buf), 0);
}
END_TEST

START_TEST(names_that_do_not_fit_make_it_none)
{
    redo_operation op;
    char data[3 + REDO_NAME_MAX + 1] = "\x0a\xff\x01"; /* a name of 255 bytes */
    ck_assert_uint_eq(redo_operation_decode(data, 3 + 255, &op), 3 + 255);
    ck_assert_uint_eq(op.namesize, 255);
    ck_assert_uint_eq(redo_operation_decode(data, 3 + 254, &op), 0);
    data[1] = (char)0x80; /* 256 */
    data[2] = 2;
    ck_assert_uint_eq(redo_operation_decode(data, 3 + 256, &op), 0);
    ck_assert_uint_eq(redo_operation_decode("\x0a\x00x", 3, &op), 0);
    ck_assert_uint_eq(redo_operation_decode("\x0a\xff\xff\xff\xff\x0fx", 7, &op), 0);
}
END_TEST

START_TEST(no_bytes_and_unknown_kinds_are_no_operation)
{
    redo_operation op;
    ck_assert_uint_eq(redo_operation_decode(NULL, 0, &op), 0);
    ck_assert_uint_eq(redo_operation_decode(NULL, 9, &op), 0);
    ck_assert_uint_eq(redo_operation_decode("\x06", 0, &op), 0);
    ck_assert_uint_eq(redo_operation_decode("\x06", 1, NULL), 0);
    for (int kind = 0; kind < 256; kind++)
        if ((kind & 63) < 1 || (kind & 63) > 20)
            ck_assert_uint_eq(redo_operation_decode((char[]){(char)kind, 0, 0, 0, 0}, 5, &op), 0);
}
END_TEST

START_TEST(an_operation_cut_off_anywhere_is_none)
{
    char const whole[] = "\x01\x80\x01\x80\x01\x02\x02s", told[] =
                                                              "\xcd\x00\x07\x03"
                                                              "ann\x01\x02kk\x00\x00\x06\x02\x01m";
    redo_operation op;
    for (size_t size = 0; size < sizeof whole - 1; size++)
        ck_assert_uint_eq(redo_operation_decode(whole, size, &op), 0);
    ck_assert_uint_eq(redo_operation_decode(whole, sizeof whole - 1, &op), sizeof whole - 1);
    for (size_t size = 0; size < sizeof told - 1; size++)
        ck_assert_uint_eq(redo_operation_decode(told, size, &op), 0);
    ck_assert_uint_eq(redo_operation_decode(told, sizeof told - 1, &op), sizeof told - 1);
}
END_TEST

START_TEST(bytes_behind_an_operation_make_it_none)
{
    redo_operation op;
    ck_assert_uint_eq(redo_operation_decode("\x03\x01\x00", 3, &op), 0);
    ck_assert_uint_eq(redo_operation_decode("\x06\x06", 2, &op), 0);
    ck_assert_uint_eq(redo_operation_decode("\x04\x02\x00", 3, &op), 0);
}
END_TEST

START_TEST(longer_forms_of_numbers_are_refused)
{
    redo_operation op;
    ck_assert_uint_eq(redo_operation_decode("\x03\x81\x00", 3, &op), 0);
    ck_assert_uint_eq(redo_operation_decode("\x03\x80\x80\x00", 4, &op), 0);
    ck_assert_uint_eq(redo_operation_decode("\x03\xff\xff\xff\xff\x1f", 6, &op), 0);
    ck_assert_uint_eq(redo_operation_decode("\x03\xff\xff\xff\xff\xff\x01", 7, &op), 0);
}
END_TEST

/* Whatever decodes encodes to the very same bytes. */
START_TEST(any_bytes_have_at_most_one_meaning)
{
    uint64_t seed = 1;
    for (int i = 0; i < 300000; i++) {
        unsigned char data[24], again[24];
        size_t size = play_random(&seed) % sizeof data;
        play_bytes(play_random(&seed), data, size);
        if (size)
            data[0] = (unsigned char)((data[0] & 0xc0) | data[0] % 16);
        for (size_t k = 1; k < size; k++)
            data[k] &= (unsigned char)(i & 1 ? 0x83 : 0xff);
        redo_operation op;
        size_t used = redo_operation_decode(data, size, &op);
        if (!used)
            continue;
        ck_assert_uint_eq(used, size);
        ck_assert_uint_eq(redo_operation_encode(&op, again, sizeof again), size);
        ck_assert_mem_eq(again, data, size);
    }
}
END_TEST

TEST_MAIN("operation", each_kind_has_its_form, a_stamp_and_a_key_come_after_the_kind,
          stamps_and_keys_that_do_not_fit_make_it_none, the_largest_numbers_have_a_form,
          encoding_into_too_little_room_only_tells_the_size, what_is_no_operation_has_no_form,
          names_that_do_not_fit_make_it_none, no_bytes_and_unknown_kinds_are_no_operation,
          an_operation_cut_off_anywhere_is_none, bytes_behind_an_operation_make_it_none,
          longer_forms_of_numbers_are_refused, any_bytes_have_at_most_one_meaning)
