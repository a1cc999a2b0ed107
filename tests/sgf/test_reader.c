/* What is read, what is refused and where, and in which charset text is taken. */
#include <stdio.h>
#include <string.h>

#include "tests/sgf/files.h"
#include "tests/suite.h"

static struct games *read_text(char const *text)
{
    return games_read(text, strlen(text), NULL);
}

static void expect_text(redo_sgf_string s, char const *expected)
{
    ck_assert_uint_eq(s.size, strlen(expected));
    ck_assert_mem_eq(s.data, expected, s.size);
}

static redo_sgf_string first_value(redo_sgf_node const *n, char const *id)
{
    redo_sgf_property *p = redo_sgf_node_property(n, id);
    ck_assert_ptr_nonnull(p);
    return redo_sgf_value_raw(redo_sgf_property_values(p));
}

START_TEST(the_tree_is_that_of_the_parentheses)
{
    struct games *g = read_text("(;GM[1];B[aa](;W[bb];B[cc])(;W[dd]))(;GM[2])\n");
    ck_assert_int_eq(g->code, REDO_OK);
    ck_assert_uint_eq(g->count, 2);
    redo_sgf_node *root = redo_sgf_game_root(g->game[0]), *fork = redo_sgf_node_first(root);
    redo_sgf_node *one = redo_sgf_node_first(fork), *two = redo_sgf_node_next(one);
    expect_text(first_value(redo_sgf_node_first(one), "B"), "cc");
    expect_text(first_value(two, "W"), "dd");
    ck_assert_ptr_null(redo_sgf_node_next(two));
    ck_assert_ptr_eq(redo_sgf_node_previous(two), one);
    ck_assert_ptr_eq(redo_sgf_node_parent(two), fork);
    ck_assert_ptr_null(redo_sgf_node_parent(root));
    expect_text(g->tail, "\n");
    games_close(g);
}
END_TEST

START_TEST(small_letters_in_a_name_do_not_count)
{
    struct games *g = read_text("(;COmment[a]C[b]GaMe[1]CoPyright[c])");
    redo_sgf_node *root = redo_sgf_game_root(g->game[0]);
    expect_text(first_value(root, "C"), "b");
    expect_text(first_value(root, "CO"), "a");
    expect_text(first_value(root, "GM"), "1");
    expect_text(first_value(root, "CP"), "c");
    ck_assert_ptr_null(redo_sgf_node_property(root, "COmment"));
    games_close(g);
}
END_TEST

START_TEST(text_before_the_first_game_may_have_parentheses)
{
    struct games *g = read_text("From: (me) (again\n(;C[x])\nmore text (;C[y])");
    ck_assert_int_eq(g->code, REDO_OK);
    ck_assert_uint_eq(g->count, 2);
    expect_text(redo_sgf_game_lead(g->game[0]), "From: (me) (again\n");
    expect_text(redo_sgf_game_lead(g->game[1]), "\nmore text ");
    games_close(g);
}
END_TEST

static struct {
    char const *text;
    unsigned long line, column;
    char const *message;
} const bad[] = {
    {"", 1, 1, "there is no game"},
    {"hello (world)\n", 2, 1, "there is no game"},
    {"(;C[x]", 1, 7, "the game has no end"},
    {"(;\n C[x", 2, 3, "has no end: ] expected"},
    {"(;C[x\\]", 1, 4, "has no end: ] expected"},
    {"(;C[x\\", 1, 4, "has no end: ] expected"},
    {"(;C[\xc3\xa4\xe5\x85\x88]x)", 1, 8, "needs a capital letter"},
    {"(;C[\xc3\xa4\n\r\xe5\x85\x88]N)", 2, 4, "[ expected"},
    {"(;C\n;B[aa])", 2, 1, "a property needs a value"},
    {"(;C[a];(;B[a]);B[b])", 1, 15, "after the variations"},
    {"(;C[a](;B[a])N[b])", 1, 14, "after the variations"},
    {"(;C[a]())", 1, 8, "without a node"},
    {"(;C[a]((;B[b])))", 1, 8, "; expected"},
    {"(;[a])", 1, 3, "a value without a property"},
    {"(;C[a]\r\n  5[b])", 2, 3, "'5' is no part"},
    {"(;C[a]\xc3\xa4)", 1, 7, "a character that is no part"},
    {"(;C[a]))", 1, 8, "a ) without its ("},
    {"(;C[a])\n(;C[b])\n)", 3, 1, "a ) without its ("},
    {"(;C[a])\n (x", 2, 4, "; expected"},
    {"(;C[a])\n (5", 2, 3, "; expected"},
    {"(;CA[UTF-8]\nC[a\xe4])", 2, 4, "the bytes e4 5d are no text in UTF-8 (declared by CA)"},
    {"(;CA[no-such-charset]C[\xe4])", 1, 6, "nobody knows"},
    {"(;CA[no/such]C[\xc3\xa4])", 1, 6, "nobody knows"},
    {"(;CA[Shift_JIS]C[\x83\x5c\x83 ])", 1, 19, "the bytes 83 20 are no text in Shift_JIS"},
    {"\xef\xbb\xbf(;C[\xff])", 1, 6, "UTF-8 (as its byte order mark says)"},
};

START_TEST(what_is_wrong_is_told_with_its_place)
{
    struct games *g = read_text(bad[_i].text);
    redo_sgf_error const *e = redo_sgf_reader_error(g->reader);
    ck_assert_msg(g->code != REDO_OK, "%s: taken", bad[_i].text);
    ck_assert_int_eq(g->code, e->code);
    ck_assert_msg(strstr(e->message, bad[_i].message), "%s: %s", bad[_i].text, e->message);
    ck_assert_msg(e->line == bad[_i].line && e->column == bad[_i].column, "%s: at %lu:%lu",
                  bad[_i].text, e->line, e->column);
    games_close(g);
}
END_TEST

START_TEST(an_error_stays)
{
    redo_sgf_game *game;
    redo_sgf_reader *r = redo_sgf_reader_open_bytes("(;C[a])(;", 9, NULL);
    ck_assert_int_eq(redo_sgf_reader_next(r, &game), REDO_OK);
    redo_sgf_game_free(game);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(redo_sgf_reader_next(r, &game), REDO_EDAMAGED);
        ck_assert_ptr_null(game);
    }
    redo_sgf_reader_close(r);
}
END_TEST

START_TEST(a_zero_byte_is_refused)
{
    static char const text[] = "(;C[a\0b])";
    struct games *g = games_read(text, sizeof text - 1, NULL);
    ck_assert_int_eq(g->code, REDO_EDAMAGED);
    ck_assert_uint_eq(redo_sgf_reader_error(g->reader)->column, 6);
    games_close(g);
}
END_TEST

START_TEST(each_limit_is_told)
{
    static char const text[] = "(;C[abc](;B[aa](;W[bb](;B[cc]))))";
    static struct {
        redo_sgf_limits limits;
        char const *message;
    } const cases[] = {
        {{32, 1 << 20, 100, 100}, "more than 32 bytes"},
        {{100, 1 << 20, 3, 100}, "more than 3 nodes"},
        {{100, 1 << 20, 100, 3}, "deeper than 3"},
        {{100, 300, 100, 100}, "more than 300 bytes of memory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        redo_sgf_options options = {cases[i].limits, NULL};
        struct games *g = games_read(text, sizeof text - 1, &options);
        ck_assert_int_eq(g->code, REDO_EFULL);
        char const *message = redo_sgf_reader_error(g->reader)->message;
        ck_assert_msg(strstr(message, cases[i].message), "%s", message);
        games_close(g);
    }
    redo_sgf_options enough = {{33, 1 << 20, 4, 4}, NULL};
    struct games *g = games_read(text, sizeof text - 1, &enough);
    ck_assert_int_eq(g->code, REDO_OK);
    games_close(g);
}
END_TEST

#define EM "\xc3\xa9" /* e acute, in UTF-8 */

static struct {
    char const *name, *bytes, *charset, *comment;
    int guessed;
} const charsets[] = {
    {"plain", "(;C[abc])", "UTF-8", "abc", 0},
    {"UTF-8", "(;C[" EM "])", "UTF-8", EM, 0},
    {"latin, declared", "(;C[\xe9]CA[iso-8859-1])", "ISO-8859-1", EM, 0},
    {"latin that is UTF-8 too", "(;CA[iso-8859-1]C[\xc3\xa9])", "ISO-8859-1", "\xc3\x83\xc2\xa9",
     0},
    {"latin, guessed", "(;C[caf\xe9 M\xfcller])", "windows-1252", "caf" EM " M\xc3\xbcller", 1},
    {"an unknown name does not matter", "(;CA[x-mine]C[abc])", "UTF-8", "abc", 0},
    {"declared behind a bracket that is half a character",
     "(;PB[\x83\x5c]C[\x83\x5d\x83\x5b]CA[Shift_JIS])", "Shift_JIS", "\xe3\x82\xbe\xe3\x82\xbc", 0},
    {"GB, a pair that is UTF-8 too", "(;CA[GB2312]C[\xce\xa7])", "GB18030", "\xe5\x9b\xb4", 0},
    {"Japanese, EUC", "(;C[\xc0\xd0\xa4\xc8\xb8\xeb\xa4\xf2\xc2\xc7\xa4\xc4\xa1\xa3])", "EUC-JP",
     "\xe7\x9f\xb3\xe3\x81\xa8\xe7\xa2\x81\xe3\x82\x92\xe6\x89\x93\xe3\x81\xa4\xe3\x80\x82", 1},
    {"Big5",
     "(;C["
     "\xb3\xf2\xb4\xd1\xaa\xba\xa9w\xa5\xdb\xbbP\xa7G\xa7\xbd\xa1"
     "A\xb6\xc2\xa5\xfd\xa5\xd5\xab\xe1"
     "])",
     "Big5",
     "\xe5\x9c\x8d\xe6\xa3\x8b\xe7\x9a\x84\xe5\xae\x9a\xe7\x9f\xb3\xe8\x88\x87\xe4\xbd\x88\xe5\xb1"
     "\x80\xef\xbc\x8c\xe9\xbb\x91\xe5\x85\x88\xe7\x99\xbd\xe5\xbe\x8c",
     1},
    {"Korean",
     "(;C["
     "\xb9\xd9\xb5\xcf \xb4\xeb\xb1\xb9 \xb1\xe2\xba\xb8 \xc7\xd8\xbc\xb3\xc0\xd4\xb4\xcf\xb4\xd9. "
     "\xc1\xa4\xb8\xbb \xc1\xc1\xc0\xba"
     "])",
     "EUC-KR",
     "\xeb\xb0\x94\xeb\x91\x91 \xeb\x8c\x80\xea\xb5\xad \xea\xb8\xb0\xeb\xb3\xb4 "
     "\xed\x95\xb4\xec\x84\xa4\xec\x9e\x85\xeb\x8b\x88\xeb\x8b\xa4. \xec\xa0\x95\xeb\xa7\x90 "
     "\xec\xa2\x8b\xec\x9d\x80",
     1},
    {"Russian in KOI8",
     "(;C["
     "\xe2\xc5\xcc\xd9\xc5 \xce\xc1\xde\xc9\xce\xc1\xc0\xd4"
     "])",
     "KOI8-R",
     "\xd0\x91\xd0\xb5\xd0\xbb\xd1\x8b\xd0\xb5 "
     "\xd0\xbd\xd0\xb0\xd1\x87\xd0\xb8\xd0\xbd\xd0\xb0\xd1\x8e\xd1\x82",
     1},
    {"a Chinese name",
     "(;C["
     "\xbf\xc2\xbd\xe0"
     "])",
     "GB18030", "\xe6\x9f\xaf\xe6\xb4\x81", 1},
    {"a Japanese name",
     "(;C["
     "\x88\xe4\x8eR\x97T\x91\xbe"
     "])",
     "Shift_JIS", "\xe4\xba\x95\xe5\xb1\xb1\xe8\xa3\x95\xe5\xa4\xaa", 1},
    {"a Latin letter alone",
     "(;C["
     "\xc5"
     "])",
     "windows-1252", "\xc3\x85", 1},
    {"Russian", "(;C[\xd5\xee\xf0\xee\xf8\xe8\xe9 \xf5\xee\xe4])", "windows-1251",
     "\xd0\xa5\xd0\xbe\xd1\x80\xd0\xbe\xd1\x88\xd0\xb8\xd0\xb9 \xd1\x85\xd0\xbe\xd0\xb4", 1},
};

START_TEST(text_is_taken_in_its_charset)
{
    struct games *g = read_text(charsets[_i].bytes);
    ck_assert_msg(g->code == REDO_OK, "%s: %s", charsets[_i].name,
                  redo_sgf_reader_error(g->reader)->message);
    ck_assert_str_eq(redo_sgf_game_charset(g->game[0]), charsets[_i].charset);
    ck_assert_int_eq(redo_sgf_game_guessed(g->game[0]), charsets[_i].guessed);
    expect_text(first_value(redo_sgf_game_root(g->game[0]), "C"), charsets[_i].comment);
    games_close(g);
}
END_TEST

START_TEST(games_of_one_file_may_differ_in_charset)
{
    struct games *g = read_text("(;C[" EM "])(;CA[latin1]C[\xe9])(;C[\x83\x5c\x83\x5d\x82\xcc])"
                                "(;C[\xe5\x85\x88])");
    ck_assert_int_eq(g->code, REDO_OK);
    ck_assert_uint_eq(g->count, 4);
    ck_assert_str_eq(redo_sgf_game_charset(g->game[0]), "UTF-8");
    ck_assert_str_eq(redo_sgf_game_charset(g->game[1]), "ISO-8859-1");
    ck_assert_str_eq(redo_sgf_game_charset(g->game[2]), "Shift_JIS");
    ck_assert_str_eq(redo_sgf_game_charset(g->game[3]), "UTF-8");
    games_close(g);
}
END_TEST

START_TEST(a_charset_can_be_asked_for)
{
    static char const text[] = "(;CA[UTF-8]C[\xe9])";
    redo_sgf_options options;
    redo_sgf_options_init(&options);
    options.charset = "ISO-8859-1";
    struct games *g = games_read(text, sizeof text - 1, &options);
    ck_assert_int_eq(g->code, REDO_OK);
    expect_text(first_value(redo_sgf_game_root(g->game[0]), "C"), EM);
    games_close(g);
    options.charset = "no-such-charset";
    g = games_read(text, sizeof text - 1, &options);
    ck_assert_int_eq(g->code, REDO_EOPTION);
    games_close(g);
}
END_TEST

START_TEST(utf16_with_a_byte_order_mark_is_read)
{
    static char const text[] = "\xff\xfe(\0;\0C\0[\0\xe9\0]\0)\0(\0;\0)\0\n";
    struct games *g = games_read(text, sizeof text, NULL);
    ck_assert_int_eq(g->code, REDO_OK);
    ck_assert_uint_eq(g->count, 2);
    expect_text(first_value(redo_sgf_game_root(g->game[0]), "C"), EM);
    expect_text(g->tail, "\n");
    games_close(g);
}
END_TEST

static long failing(void *data, char *buffer, size_t size)
{
    int *calls = data;
    memcpy(buffer, "(;C[abc", 7);
    return ++*calls == 1 ? 7 : -1;
}

START_TEST(a_source_that_fails_is_told)
{
    int calls = 0;
    redo_sgf_game *game;
    redo_sgf_reader *r = redo_sgf_reader_open(failing, &calls, NULL);
    ck_assert_int_eq(redo_sgf_reader_next(r, &game), REDO_ESYSTEM);
    ck_assert_str_eq(redo_sgf_reader_error(r)->message, "the input can not be read");
    redo_sgf_reader_close(r);
}
END_TEST

/* A byte at a time gives what all at once gives. */
struct drops {
    char const *text;
    size_t size, at;
};

static long one_byte(void *data, char *buffer, size_t size)
{
    struct drops *d = data;
    if (d->at == d->size)
        return 0;
    *buffer = d->text[d->at++];
    return 1;
}

START_TEST(pieces_do_not_matter)
{
    static char const *const texts[] = {
        "mail (\xc3\xa4)\n(;C[" EM "];B[aa\\]](;W[x])(;W[y]))\n(;C[z])\n\n",
        "(;CA[GB2312]C[\xce\xa7\xc6\xe5])(;CA[latin1]C[\xe9])\n",
        "(;C[\x83\x5c\x83\x5d\x82\xcc]PB[\x83\x5c])(;C[\x83\x5c\x83\x5d\x82\xcc])",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct games *whole = read_text(texts[i]);
        struct drops d = {texts[i], strlen(texts[i]), 0};
        redo_sgf_reader *r = redo_sgf_reader_open(one_byte, &d, NULL);
        redo_sgf_game *game;
        size_t count = 0;
        while (redo_sgf_reader_next(r, &game) == REDO_OK && game) {
            ck_assert_uint_lt(count, whole->count);
            ck_assert(redo_sgf_game_equal(game, whole->game[count]));
            ck_assert_str_eq(redo_sgf_game_charset(game),
                             redo_sgf_game_charset(whole->game[count]));
            count++;
            redo_sgf_game_free(game);
        }
        ck_assert_msg(redo_sgf_reader_error(r)->code == REDO_OK, "%s",
                      redo_sgf_reader_error(r)->message);
        ck_assert_uint_eq(count, whole->count);
        redo_sgf_reader_close(r);
        games_close(whole);
    }
}
END_TEST

#define COUNT(table) (int)(sizeof table / sizeof *table)

int main(void)
{
    Suite *suite = suite_create("sgf-reader");
    TCase *tcase = tcase_create("sgf-reader");
    TTest const *tests[] = {the_tree_is_that_of_the_parentheses,
                            small_letters_in_a_name_do_not_count,
                            text_before_the_first_game_may_have_parentheses,
                            an_error_stays,
                            a_zero_byte_is_refused,
                            each_limit_is_told,
                            games_of_one_file_may_differ_in_charset,
                            a_charset_can_be_asked_for,
                            utf16_with_a_byte_order_mark_is_read,
                            a_source_that_fails_is_told,
                            pieces_do_not_matter};
    for (int i = 0; i < COUNT(tests); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, what_is_wrong_is_told_with_its_place, 0, COUNT(bad));
    tcase_add_loop_test(tcase, text_is_taken_in_its_charset, 0, COUNT(charsets));
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
