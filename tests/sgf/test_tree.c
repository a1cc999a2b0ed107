/* Looking at games, making and changing them, and what values mean as text. */
#include <stdlib.h>
#include <string.h>

#include "tests/sgf/files.h"
#include "tests/suite.h"

static void expect_text(redo_sgf_string s, char const *expected)
{
    ck_assert_uint_eq(s.size, strlen(expected));
    ck_assert_mem_eq(s.data, expected, s.size);
}

static redo_sgf_string string(char const *text)
{
    return (redo_sgf_string){text, strlen(text)};
}

static struct games *read_text(char const *text)
{
    struct games *g = games_read(text, strlen(text), NULL);
    ck_assert_int_eq(g->code, REDO_OK);
    return g;
}

static void expect_written(redo_sgf_game const *g, int flags, char const *expected)
{
    struct bytes b = {0};
    ck_assert_int_eq(redo_sgf_game_write(g, flags, bytes_put, &b), REDO_OK);
    expect_text((redo_sgf_string){b.data, b.size}, expected);
    bytes_free(&b);
}

static redo_sgf_property *add(redo_sgf_game *g, redo_sgf_node *n, char const *name,
                              char const *value)
{
    redo_sgf_property *p;
    ck_assert_int_eq(redo_sgf_property_add(g, n, name, strlen(name), &p), REDO_OK);
    ck_assert_int_eq(redo_sgf_value_add(g, p, value, strlen(value)), REDO_OK);
    return p;
}

START_TEST(a_game_can_be_made)
{
    redo_sgf_game *g = redo_sgf_game_new();
    redo_sgf_node *root = redo_sgf_game_root(g);
    add(g, root, "GM", "6");
    redo_sgf_node *one = redo_sgf_node_add(g, root);
    redo_sgf_property *list = add(g, one, "AB", "aa");
    ck_assert_int_eq(redo_sgf_value_add(g, list, "bb:cc", 5), REDO_OK);
    add(g, redo_sgf_node_add(g, one), "B", "dd");
    add(g, redo_sgf_node_add(g, one), "B", "ee");
    char const *expected = "(;GM[6]\n;AB[aa][bb:cc]\n(;B[dd])\n(;B[ee]))\n";
    expect_written(g, 0, expected);
    expect_written(g, REDO_SGF_PLAIN, expected);
    struct games *again = read_text(expected);
    ck_assert(redo_sgf_game_equal(g, again->game[0]));
    games_close(again);
    redo_sgf_game_free(g);
}
END_TEST

START_TEST(what_is_not_changed_stays_as_it_was)
{
    struct games *g = read_text("x (;GM[1]  C[a]\r\n ;B [aa] [bb]( ;W[cc])(;W[dd]\n) )\n");
    redo_sgf_game *game = g->game[0];
    redo_sgf_node *one = redo_sgf_node_first(redo_sgf_game_root(game));
    redo_sgf_node *two = redo_sgf_node_first(one);
    redo_sgf_value *v = redo_sgf_property_values(redo_sgf_node_properties(one));
    ck_assert_int_eq(redo_sgf_value_set(game, v, "zz", 2), REDO_OK);
    ck_assert_int_eq(redo_sgf_node_remove(redo_sgf_node_next(two)), REDO_OK);
    add(game, redo_sgf_node_add(game, two), "B", "ee");
    expect_written(game, 0, "x (;GM[1]  C[a]\r\n ;B [zz] [bb]( ;W[cc]\n;B[ee]) )");
    add(game, redo_sgf_node_add(game, two), "B", "ff");
    redo_sgf_property_remove(redo_sgf_node_property(redo_sgf_game_root(game), "GM"));
    redo_sgf_value_remove(redo_sgf_value_next(v));
    expect_written(game, 0, "x (;  C[a]\r\n ;B [zz]( ;W[cc]\n(;B[ee])\n(;B[ff])) )");
    games_close(g);
}
END_TEST

START_TEST(properties_before_the_semicolon_belong_to_the_root)
{
    char const *text = "(TE[a]\nPB[b]\n;B[aa];W[bb](C[x]))";
    struct games *g = read_text(text);
    redo_sgf_game *game = g->game[0];
    redo_sgf_node *root = redo_sgf_game_root(game);
    ck_assert_ptr_nonnull(redo_sgf_node_property(root, "B"));
    expect_written(game, 0, text);
    expect_written(game, REDO_SGF_PLAIN, "(;TE[a]PB[b]B[aa]\n;W[bb]\n(;C[x]))\n");
    /* Without the property that the semicolon followed there is one at the front. */
    redo_sgf_property_remove(redo_sgf_node_property(root, "PB"));
    redo_sgf_node *last = redo_sgf_node_first(redo_sgf_node_first(root));
    redo_sgf_node_add(game, last);
    expect_written(game, 0, "(\n;TE[a]B[aa];W[bb](;C[x]\n;))");
    games_close(g);
}
END_TEST

START_TEST(bad_names_and_values_are_refused)
{
    static char const *const names[] = {"", "c", "5C", "C D", "C\xc3\xa4", "C[", "ab"};
    redo_sgf_game *g = redo_sgf_game_new();
    redo_sgf_node *root = redo_sgf_game_root(g);
    redo_sgf_property *p;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_int_eq(redo_sgf_property_add(g, root, names[i], strlen(names[i]), &p),
                         REDO_ENAME);
    p = add(g, root, "C", "good \\] [ \\\\");
    ck_assert_int_eq(redo_sgf_value_add(g, p, "a]b", 3), REDO_EDAMAGED);
    ck_assert_int_eq(redo_sgf_value_add(g, p, "a\\", 2), REDO_EDAMAGED);
    ck_assert_int_eq(redo_sgf_value_add(g, p, "a\0b", 3), REDO_EDAMAGED);
    ck_assert_int_eq(redo_sgf_value_add(g, p, "a\xff", 2), REDO_EUTF8);
    ck_assert_int_eq(redo_sgf_value_set(g, redo_sgf_property_values(p), "\\\\]", 3), REDO_EDAMAGED);
    ck_assert_int_eq(redo_sgf_node_remove(root), REDO_EFIRST);
    expect_written(g, 0, "(;C[good \\] [ \\\\])\n");
    redo_sgf_game_free(g);
}
END_TEST

START_TEST(games_are_equal_by_what_they_hold)
{
    static struct {
        char const *a, *b;
        int equal;
    } const pairs[] = {
        {"(;B[a](;W[b])(;W[c]))", "( ;B [a]\n(;W[b] ) (;W[c]))", 1},
        {"(;B[a];W[b])", "(;B[a](;W[b]))", 1},
        {"(;CA[latin1]B[a])", "(;B[a]CA[UTF-8])", 1},
        {"(;B[a];W[b])", "(;B[a];W[c])", 0},
        {"(;B[a];W[b])", "(;B[a])", 0},
        {"(;B[a](;W[b])(;W[c]))", "(;B[a](;W[b];W[c]))", 0},
        {"(;B[a](;W[b])(;W[c]))", "(;B[a](;W[c])(;W[b]))", 0},
        {"(;B[a][b])", "(;B[a])", 0},
        {"(;B[a]W[b])", "(;W[b]B[a])", 0},
        {"(;B[a])", "(;W[a])", 0},
        {"(;B[a](;W[a];W[b])(;W[c]))", "(;B[a](;W[a])(;W[b];W[c]))", 0},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct games *a = read_text(pairs[i].a), *b = read_text(pairs[i].b);
        ck_assert_msg(redo_sgf_game_equal(a->game[0], b->game[0]) == pairs[i].equal, "%s and %s",
                      pairs[i].a, pairs[i].b);
        ck_assert_int_eq(redo_sgf_game_equal(b->game[0], a->game[0]), pairs[i].equal);
        games_close(a);
        games_close(b);
    }
}
END_TEST

START_TEST(a_charset_is_written_as_utf8)
{
    struct games *g = read_text("(;PB[\xe9]CA[iso-8859-1];C[CA]CA[x])");
    expect_written(g->game[0], 0, "(;PB[\xc3\xa9]CA[UTF-8];C[CA]CA[x])");
    games_close(g);
    g = read_text("(;PB[caf\xe9])");
    expect_written(g->game[0], 0, "(;CA[UTF-8]PB[caf\xc3\xa9])");
    expect_written(g->game[0], REDO_SGF_NO_CHARSET, "(;PB[caf\xc3\xa9])");
    games_close(g);
    g = read_text("(;PB[\xc3\xa9];)");
    expect_written(g->game[0], 0, "(;PB[\xc3\xa9];)");
    games_close(g);
}
END_TEST

static int refuse(void *data, char const *bytes, size_t size)
{
    int *calls = data;
    ++*calls;
    return 77;
}

START_TEST(what_the_sink_says_ends_writing)
{
    struct bytes b = {0};
    int calls = 0;
    bytes_put(&b, "(;", 2);
    for (int i = 0; i < 100000; i++)
        bytes_put(&b, "C[x];", 5);
    bytes_put(&b, ")", 1);
    struct games *g = games_read(b.data, b.size, NULL);
    ck_assert_int_eq(redo_sgf_game_write(g->game[0], 0, refuse, &calls), 77);
    ck_assert_int_eq(calls, 1);
    games_close(g);
    bytes_free(&b);
}
END_TEST

START_TEST(the_place_of_a_value_is_known)
{
    unsigned long line, column;
    struct games *g = read_text("(;C[a])\n\n(;C[\xc3\xa4]N[b])");
    redo_sgf_node *root = redo_sgf_game_root(g->game[1]);
    redo_sgf_value *v = redo_sgf_property_values(redo_sgf_node_property(root, "N"));
    ck_assert_int_eq(redo_sgf_game_place(g->game[1], redo_sgf_value_raw(v).data, &line, &column),
                     1);
    ck_assert_uint_eq(line, 3);
    ck_assert_uint_eq(column, 9);
    ck_assert_int_eq(redo_sgf_value_set(g->game[1], v, "c", 1), REDO_OK);
    ck_assert_int_eq(redo_sgf_game_place(g->game[1], redo_sgf_value_raw(v).data, &line, &column),
                     0);
    games_close(g);
}
END_TEST

static struct {
    char const *raw, *text, *simple;
} const values[] = {
    {"", "", ""},
    {"a\\]b\\\\c\\:d\\e", "a]b\\c:de", "a]b\\c:de"},
    {"a\\\nb\\\r\nc\\\n\rd\\\re", "abcde", "abcde"},
    {"a\nb\r\nc\n\rd\re", "a\nb\nc\nd\ne", "a b c d e"},
    {"a\n\nb\r\rc", "a\n\nb\n\nc", "a  b  c"},
    {"tab\there [x", "tab\there [x", "tab\there [x"},
    {"\\\n\n", "\n", " "},
};

START_TEST(values_mean_text)
{
    char out[64];
    redo_sgf_string raw = string(values[_i].raw);
    size_t size = redo_sgf_text_decode(raw, out, sizeof out);
    expect_text((redo_sgf_string){out, size}, values[_i].text);
    size = redo_sgf_simpletext_decode(raw, out, sizeof out);
    expect_text((redo_sgf_string){out, size}, values[_i].simple);
    /* Without room the size is the same. */
    ck_assert_uint_eq(redo_sgf_text_decode(raw, NULL, 0), strlen(values[_i].text));
    /* And back. */
    char again[64], encoded[64];
    size = redo_sgf_text_encode(string(values[_i].text), 1, encoded, sizeof encoded);
    size = redo_sgf_text_decode((redo_sgf_string){encoded, size}, again, sizeof again);
    expect_text((redo_sgf_string){again, size}, values[_i].text);
}
END_TEST

START_TEST(text_is_escaped_no_more_than_needed)
{
    char out[64];
    redo_sgf_string text = string("a[b]c\\d:e\n");
    size_t size = redo_sgf_text_encode(text, 0, out, sizeof out);
    expect_text((redo_sgf_string){out, size}, "a[b\\]c\\\\d:e\n");
    size = redo_sgf_text_encode(text, 1, out, sizeof out);
    expect_text((redo_sgf_string){out, size}, "a[b\\]c\\\\d\\:e\n");
}
END_TEST

START_TEST(two_values_in_one_are_split_at_the_colon)
{
    redo_sgf_string left, right;
    ck_assert_int_eq(redo_sgf_split(string("a\\:b:c:d"), &left, &right), 1);
    expect_text(left, "a\\:b");
    expect_text(right, "c:d");
    ck_assert_int_eq(redo_sgf_split(string("a\\:b"), &left, &right), 0);
    expect_text(left, "a\\:b");
    expect_text(right, "");
    ck_assert_int_eq(redo_sgf_split(string("a\\"), &left, &right), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sgf-tree");
    TCase *tcase = tcase_create("sgf-tree");
    TTest const *tests[] = {a_game_can_be_made,
                            what_is_not_changed_stays_as_it_was,
                            properties_before_the_semicolon_belong_to_the_root,
                            bad_names_and_values_are_refused,
                            games_are_equal_by_what_they_hold,
                            a_charset_is_written_as_utf8,
                            what_the_sink_says_ends_writing,
                            the_place_of_a_value_is_known,
                            text_is_escaped_no_more_than_needed,
                            two_values_in_one_are_split_at_the_colon};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, values_mean_text, 0, sizeof values / sizeof *values);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
