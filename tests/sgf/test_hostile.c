/* Input that is deep, wide, large, endless or cut: it is read, or refused, in bounded time and
 * memory, on a small stack. */
#include <stdlib.h>
#include <string.h>

#include "tests/sgf/files.h"
#include "tests/suite.h"
#include "tests/text/hostile.h"

static size_t count_nodes(redo_sgf_game const *g)
{
    redo_sgf_node const *root = redo_sgf_game_root(g);
    size_t count = 0;
    for (redo_sgf_node const *n = root; n; n = redo_sgf_node_after(n, root))
        count++;
    return count;
}

/* Read, written with the same bytes, read again and equal. */
static void expect_nodes(struct bytes const *b, size_t nodes)
{
    struct games *g = games_read(b->data, b->size, NULL);
    ck_assert_msg(g->code == REDO_OK, "%s", redo_sgf_reader_error(g->reader)->message);
    ck_assert_uint_eq(count_nodes(g->game[0]), nodes);
    struct bytes same = games_write(g, 0);
    ck_assert_uint_eq(same.size, b->size);
    ck_assert(memcmp(same.data, b->data, b->size) == 0);
    struct games *again = games_read(same.data, same.size, NULL);
    ck_assert_int_eq(redo_sgf_game_equal(g->game[0], again->game[0]), 1);
    games_close(again);
    games_close(g);
    bytes_free(&same);
}

static int code_of(struct bytes const *b)
{
    struct games *g = games_read(b->data, b->size, NULL);
    int code = g->code;
    games_close(g);
    return code;
}

#define DEEP 1000000

static void *read_deep(void *data)
{
    struct bytes b = {0};
    for (size_t i = 0; i < DEEP; i++)
        bytes_put(&b, "(;", 2);
    for (size_t i = 0; i < DEEP; i++)
        bytes_put(&b, ")", 1);
    expect_nodes(&b, DEEP);
    bytes_free(&b);
    return data;
}

START_TEST(a_million_parentheses_nest)
{
    on_a_small_stack(read_deep);
}
END_TEST

START_TEST(more_than_the_limit_do_not)
{
    struct bytes open = bytes_repeated("(;", "(;", DEEP, ""),
                 bare = bytes_repeated("", "(", DEEP, "");
    struct bytes close = bytes_repeated("(;", ")", DEEP, ""),
                 both = bytes_repeated("(;", "(", DEEP, ")");
    ck_assert_int_eq(code_of(&open), REDO_EFULL);
    ck_assert_int_eq(code_of(&bare), REDO_EDAMAGED);
    ck_assert_int_eq(code_of(&close), REDO_EDAMAGED);
    ck_assert_int_eq(code_of(&both), REDO_EDAMAGED);
    bytes_free(&open);
    bytes_free(&bare);
    bytes_free(&close);
    bytes_free(&both);
}
END_TEST

static void *read_long(void *data)
{
    struct bytes b = bytes_repeated("(", "\n;B[aa]", 100000, ")\n");
    expect_nodes(&b, 100000);
    bytes_free(&b);
    return data;
}

START_TEST(a_line_may_be_long)
{
    on_a_small_stack(read_long);
}
END_TEST

START_TEST(a_node_may_have_many_variations)
{
    struct bytes b = bytes_repeated("(;GM[1]", "\n(;B[aa];W[bb])", 10000, ")\n");
    expect_nodes(&b, 20001);
    bytes_free(&b);
}
END_TEST

START_TEST(many_properties_and_values_are_read_in_linear_time)
{
    struct bytes b = bytes_repeated("(;", "AB[aa][bb]", 200000, ")"),
                 c = bytes_repeated("(;AB", "[aa]", 400000, ")");
    expect_nodes(&b, 1);
    expect_nodes(&c, 1);
    bytes_free(&b);
    bytes_free(&c);
}
END_TEST

START_TEST(many_games_are_read_in_linear_time)
{
    /* Each without a charset, and not in UTF-8: what could be looked ahead for, is, but not for
     * each. */
    struct bytes b = bytes_repeated("", "(;C[\x83\x5c])", 16000, "");
    struct games *g = games_read(b.data, b.size, NULL);
    ck_assert_msg(g->code == REDO_OK, "%s", redo_sgf_reader_error(g->reader)->message);
    ck_assert_uint_eq(g->count, 16000);
    games_close(g);
    bytes_free(&b);
}
END_TEST

#define LARGE ((size_t)100 << 20)

static struct bytes large_value(char const *tail)
{
    struct bytes b = {0};
    b.size = b.cap = LARGE + 5 + strlen(tail);
    b.data = malloc(b.cap);
    ck_assert_ptr_nonnull(b.data);
    memset(b.data, 'x', b.cap);
    memcpy(b.data, "(;C[", 4);
    memcpy(b.data + LARGE + 5, tail, strlen(tail));
    return b;
}

START_TEST(a_value_of_100_megabytes_is_read)
{
    struct bytes b = large_value("])");
    struct games *g = games_read(b.data, b.size, NULL);
    ck_assert_int_eq(g->code, REDO_OK);
    redo_sgf_property *p = redo_sgf_node_properties(redo_sgf_game_root(g->game[0]));
    ck_assert_uint_eq(redo_sgf_value_raw(redo_sgf_property_values(p)).size, LARGE + 1);
    games_close(g);
    bytes_free(&b);
}
END_TEST

START_TEST(without_an_end_it_is_an_error_at_its_beginning)
{
    struct bytes b = large_value("");
    struct games *g = games_read(b.data, b.size, NULL);
    ck_assert_int_eq(g->code, REDO_EDAMAGED);
    ck_assert_uint_eq(redo_sgf_reader_error(g->reader)->column, 4);
    games_close(g);
    bytes_free(&b);
}
END_TEST

static struct {
    char const *text;
    int code;
} const endings[] = {
    {"x", REDO_EFULL},
    {"(", REDO_EFULL},
    {"(;C[x", REDO_EFULL},
    {"(;C[\\", REDO_EFULL},
    {"(;B[x];", REDO_EFULL},
    {"(;B[x]\n", REDO_EFULL},
    {"(;B[x]AA", REDO_EFULL},
    {"(;(", REDO_EFULL},
    {"(;CA[Shift_JIS]C[\x83\x5cx", REDO_EFULL},
    {"(;C[\x83\x5cx", REDO_EFULL},
    {"(;B[x]\xff", REDO_EUTF8},
    {"\xff", REDO_EFULL},
};

START_TEST(what_never_ends_is_read_to_the_limit_only)
{
    redo_sgf_options options;
    redo_sgf_game *game;
    redo_sgf_options_init(&options);
    options.limits.bytes = 1 << 20;
    struct endless e = {endings[_i].text, 0};
    redo_sgf_reader *r = redo_sgf_reader_open(endless, &e, &options);
    int code = redo_sgf_reader_next(r, &game);
    ck_assert_msg(code != REDO_OK, "%s: taken", e.text);
    if (endings[_i].code == REDO_EFULL)
        ck_assert_msg(code == REDO_EFULL, "%s: %s", e.text, redo_sgf_reader_error(r)->message);
    ck_assert_uint_le(e.given, 2 << 20);
    redo_sgf_reader_close(r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sgf-hostile");
    TCase *tcase = tcase_create("sgf-hostile");
    TTest const *tests[] = {a_million_parentheses_nest,
                            more_than_the_limit_do_not,
                            a_line_may_be_long,
                            a_node_may_have_many_variations,
                            many_properties_and_values_are_read_in_linear_time,
                            many_games_are_read_in_linear_time,
                            a_value_of_100_megabytes_is_read,
                            without_an_end_it_is_an_error_at_its_beginning};
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, what_never_ends_is_read_to_the_limit_only, 0,
                        sizeof endings / sizeof *endings);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
