/* utf8.h against an encoder written here from the definition, and the known wrong forms. */
#include "tests/protocol/bytes.h"

#include "protocol/utf8.h"

/* A code point in so many bytes, right or overlong. */
static void encode(uint32_t c, unsigned length, uint8_t *out)
{
    static uint8_t const first[] = {0, 0, 0xc0, 0xe0, 0xf0};

    if (length == 1) {
        out[0] = (uint8_t)c;
        return;
    }
    for (unsigned i = length - 1; i > 0; i--) {
        out[i] = 0x80 | (c & 0x3f);
        c >>= 6;
    }
    out[0] = (uint8_t)(first[length] | c);
}

static unsigned shortest(uint32_t c)
{
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

START_TEST(every_code_point_is_valid_in_its_shortest_form_alone)
{
    for (uint32_t c = 0; c < 0x200000; c++) {
        for (unsigned length = shortest(c); length <= 4; length++) {
            uint8_t bytes[4];
            encode(c, length, bytes);
            bool right = length == shortest(c) && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
            if (utf8_valid(bytes, length) != right)
                ck_abort_msg("U+%04X in %u bytes", (unsigned)c, length);
            if (right && utf8_length(bytes, length) != length)
                ck_abort_msg("length of U+%04X", (unsigned)c);
        }
    }
}
END_TEST

START_TEST(a_character_cut_short_is_invalid)
{
    char const *text = "\xf0\x9f\x8e\xb2";
    for (size_t size = 1; size < 4; size++) {
        ck_assert(!utf8_valid(text, size));
        ck_assert_uint_eq(utf8_length(text, size), 0);
    }
    ck_assert(utf8_valid(text, 4));
}
END_TEST

START_TEST(stray_bytes_are_invalid_wherever_they_stand)
{
    uint8_t const stray[] = {0x80, 0xbf, 0xc0, 0xc1, 0xf5, 0xfe, 0xff};
    for (size_t i = 0; i < sizeof stray; i++) {
        for (size_t at = 0; at < 24; at++) {
            uint8_t text[24];
            memset(text, 'a', sizeof text);
            text[at] = stray[i];
            ck_assert(!utf8_valid(text, sizeof text));
        }
    }
}
END_TEST

START_TEST(pieces_give_the_answer_of_the_whole)
{
    char const *text = "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x8e\xb2 abcdefghijklmnop \xe2\x82\xac";
    size_t size = strlen(text);
    for (size_t cut = 0; cut <= size; cut++) {
        struct utf8 u = {0};
        ck_assert(utf8_feed(&u, text, cut));
        ck_assert(utf8_feed(&u, text + cut, size - cut));
        ck_assert_uint_eq(u.need, 0);
    }
}
END_TEST

TEST_MAIN("utf8", every_code_point_is_valid_in_its_shortest_form_alone,
          a_character_cut_short_is_invalid, stray_bytes_are_invalid_wherever_they_stand,
          pieces_give_the_answer_of_the_whole)
