/* The file of an exported session, byte by byte as README.md has it. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "protocol/archive.h"
#include "tests/suite.h"

/* A session "ab" of 1970-01-01 00:04:18 with a dump of three bytes, without the checksum. */
static unsigned char const plain[] = {0x89, 'R', 'E', 'D', 'O', '\r', '\n', 0x1a, 1,   2,   0,
                                      0,    2,   1,   0,   0,   0,    0,    0,    0,   3,   0,
                                      0,    0,   0,   0,   0,   0,    'a',  'b',  'x', 'y', 'z'};

#define SIZE (sizeof plain + 8)

static unsigned char file[SIZE + 1];

static void put_sum(size_t size)
{
    uint64_t sum = XXH3_64bits(file, size);

    for (int i = 0; i < 8; i++)
        file[size + (size_t)i] = (unsigned char)(sum >> 8 * i);
}

static void make(void)
{
    memcpy(file, plain, sizeof plain);
    put_sum(sizeof plain);
}

static enum archive_status read_file(size_t size)
{
    struct archive a;

    return archive_read(file, size, &a);
}

/* With one byte changed, and the checksum right. */
static enum archive_status read_changed(size_t at, unsigned char value)
{
    make();
    file[at] = value;
    put_sum(sizeof plain);
    return read_file(SIZE);
}

START_TEST(a_session_is_written_as_documented)
{
    struct archive a = {"ab", 2, 258, "xyz", 3};
    struct buffer b;

    buffer_init(&b);
    archive_write(&b, &a);
    make();
    ck_assert_uint_eq(b.size, SIZE);
    ck_assert_mem_eq(b.data, file, SIZE);
    buffer_free(&b);
}
END_TEST

START_TEST(what_was_written_is_read)
{
    struct archive a;

    make();
    ck_assert_int_eq(archive_read(file, SIZE, &a), ARCHIVE_GOOD);
    ck_assert_uint_eq(a.name_size, 2);
    ck_assert_mem_eq(a.name, "ab", 2);
    ck_assert_int_eq(a.created, 258);
    ck_assert_uint_eq(a.dump_size, 3);
    ck_assert_mem_eq(a.dump, "xyz", 3);
}
END_TEST

START_TEST(a_file_cut_anywhere_is_cut)
{
    make();
    ck_assert_int_eq(read_file(0), ARCHIVE_FOREIGN);
    for (size_t size = 1; size < SIZE; size++)
        ck_assert_int_eq(read_file(size), ARCHIVE_CUT);
}
END_TEST

START_TEST(a_flipped_bit_anywhere_is_told)
{
    for (size_t at = 0; at < SIZE; at++) {
        for (int bit = 0; bit < 8; bit++) {
            make();
            file[at] ^= (unsigned char)(1 << bit);
            enum archive_status status = read_file(SIZE);
            ck_assert(at < 8 ? status == ARCHIVE_FOREIGN
                             : status == ARCHIVE_DAMAGED || status == ARCHIVE_CUT);
        }
    }
}
END_TEST

START_TEST(a_higher_version_is_newer_if_it_is_whole)
{
    ck_assert_int_eq(read_changed(8, 2), ARCHIVE_NEWER);
    file[20] ^= 1;
    ck_assert_int_eq(read_file(SIZE), ARCHIVE_DAMAGED);
}
END_TEST

START_TEST(what_the_form_does_not_allow_is_damaged)
{
    ck_assert_int_eq(read_changed(8, 0), ARCHIVE_DAMAGED); /* version */
    ck_assert_int_eq(read_changed(9, 3), ARCHIVE_DAMAGED); /* lengths */
    ck_assert_int_eq(read_changed(20, 2), ARCHIVE_DAMAGED);
    ck_assert_int_eq(read_changed(27, 255), ARCHIVE_DAMAGED);
    ck_assert_int_eq(read_changed(11, 1), ARCHIVE_DAMAGED);    /* zeros */
    ck_assert_int_eq(read_changed(28, 0xff), ARCHIVE_DAMAGED); /* not UTF-8 */
    ck_assert_int_eq(read_changed(29, 0), ARCHIVE_DAMAGED);    /* a 0 in the name */
}
END_TEST

TEST_MAIN("archive", a_session_is_written_as_documented, what_was_written_is_read,
          a_file_cut_anywhere_is_cut, a_flipped_bit_anywhere_is_told,
          a_higher_version_is_newer_if_it_is_whole, what_the_form_does_not_allow_is_damaged)
