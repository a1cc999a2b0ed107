/* archive.h: the file of one session. */
#include "tests/protocol/bytes.h"

#include "core/redo_error.h"
#include "protocol/archive.h"

static struct archive const sample = {
    .name = "g\xc3\xa4me",
    .name_size = 5,
    .properties = "\x81\xa1k\x01",
    .properties_size = 4,
    .dump = "dump",
    .dump_size = 4,
    .sequence = 0x0102030405,
    .exported = -1,
};

START_TEST(the_bytes_are_as_documented)
{
    struct buffer b;
    buffer_init(&b);
    archive_put(&b, &sample);
    ck_assert(!b.failed);
    ck_assert_uint_eq(b.size, 48 + 5 + 4 + 4 + 8);
    b.size -= 8; /* the checksum is that of a library */
    assert_bytes(&b, "89 72 65 64 6f 0d 0a 1a 01 00 00 00 05 00 00 00 04 00 00 00 00 00 00 00 "
                     "04 00 00 00 00 00 00 00 05 04 03 02 01 00 00 00 ff ff ff ff ff ff ff ff "
                     "67 c3 a4 6d 65 81 a1 6b 01 64 75 6d 70");
    buffer_free(&b);
}
END_TEST

START_TEST(a_session_comes_back)
{
    struct buffer b;
    struct archive a;
    buffer_init(&b);
    archive_put(&b, &sample);
    ck_assert_int_eq(archive_get(&a, b.data, b.size), REDO_OK);
    ck_assert_uint_eq(a.name_size, 5);
    ck_assert_mem_eq(a.name, sample.name, 5);
    ck_assert_uint_eq(a.properties_size, 4);
    ck_assert_mem_eq(a.properties, sample.properties, 4);
    ck_assert_uint_eq(a.dump_size, 4);
    ck_assert_mem_eq(a.dump, "dump", 4);
    ck_assert_uint_eq(a.sequence, sample.sequence);
    ck_assert_int_eq(a.exported, -1);
    buffer_free(&b);
}
END_TEST

START_TEST(no_byte_can_be_another_and_none_be_missing)
{
    struct buffer b;
    struct archive a;
    buffer_init(&b);
    archive_put(&b, &sample);
    for (size_t at = 0; at < b.size; at++) {
        for (int bit = 0; bit < 8; bit++) {
            b.data[at] = (char)(b.data[at] ^ 1 << bit);
            ck_assert_int_eq(archive_get(&a, b.data, b.size), REDO_EDAMAGED);
            b.data[at] = (char)(b.data[at] ^ 1 << bit);
        }
        ck_assert_int_eq(archive_get(&a, b.data, at), REDO_EDAMAGED);
    }
    buffer_append(&b, "x", 1);
    ck_assert_int_eq(archive_get(&a, b.data, b.size), REDO_EDAMAGED);
    buffer_free(&b);
}
END_TEST

TEST_MAIN("archive", the_bytes_are_as_documented, a_session_comes_back,
          no_byte_can_be_another_and_none_be_missing)
