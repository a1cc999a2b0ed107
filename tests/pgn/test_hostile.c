/* Input that is deep, wide, large, endless or cut: it is read, or refused, in bounded time and
 * memory, on a small stack. */
#include <stdlib.h>
#include <string.h>

#include "tests/pgn/files.h"
#include "tests/suite.h"
#include "tests/text/hostile.h"

static size_t count_nodes(redo_pgn_game const *g)
{
    redo_pgn_node const *root = redo_pgn_game_root(g);
    size_t count = 0;
    for (redo_pgn_node const *n = root; n; n = redo_pgn_node_after(n, root))
        count++;
    return count;
}

/* Read, written, read again and equal. */
static void expect_nodes(struct bytes const *b, size_t nodes)
{
    struct games *g = games_read(b->data, b->size, NULL);
    ck_assert_msg(g->code == REDO_OK, "%s", redo_pgn_reader_error(g->reader)->message);
    ck_assert_uint_eq(g->count, 1);
    ck_assert_uint_eq(count_nodes(g->game[0]), nodes);
    struct bytes written = games_write(g);
    struct games *again = games_read(written.data, written.size, NULL);
    ck_assert_int_eq(again->code, REDO_OK);
    ck_assert_int_eq(redo_pgn_game_equal(g->game[0], again->game[0]), 1);
    games_close(again);
    games_close(g);
    bytes_free(&written);
}

static int code_of(struct bytes const *b)
{
    struct games *g = games_read(b->data, b->size, NULL);
    int code = g->code;
    games_close(g);
    return code;
}

#define DEEP 100000

static void *read_deep(void *data)
{
    struct bytes b = {0};
    bytes_put(&b, "a ", 2);
    /* Each a variation of the second move of the one it is in. */
    for (size_t i = 0; i < DEEP; i++)
        bytes_put(&b, "b (c ", 5);
    for (size_t i = 0; i < DEEP; i++)
        bytes_put(&b, ")", 1);
    expect_nodes(&b, 2 * DEEP + 2);
    bytes_free(&b);
    return data;
}

START_TEST(a_hundred_thousand_variations_nest)
{
    on_a_small_stack(read_deep);
}
END_TEST

START_TEST(more_than_the_limit_do_not)
{
    struct bytes deep = bytes_repeated("a", "(b", 1000001, ""),
                 bare = bytes_repeated("a", "(", DEEP, "");
    struct bytes close = bytes_repeated("a", ")", DEEP, "");
    ck_assert_int_eq(code_of(&deep), REDO_EFULL);
    ck_assert_int_eq(code_of(&bare), REDO_EDAMAGED);
    ck_assert_int_eq(code_of(&close), REDO_EDAMAGED);
    bytes_free(&deep);
    bytes_free(&bare);
    bytes_free(&close);
}
END_TEST

static void *read_long(void *data)
{
    struct bytes b = bytes_repeated("1. ", "Nf3 Nf6\n", 50000, "1-0");
    expect_nodes(&b, 100001);
    bytes_free(&b);
    return data;
}

START_TEST(a_line_may_have_a_hundred_thousand_moves)
{
    on_a_small_stack(read_long);
}
END_TEST

START_TEST(a_move_may_have_many_variations_comments_and_signs)
{
    struct bytes b = bytes_repeated("1. a", "(b c)", 100000, "*"),
                 c = bytes_repeated("1. a", "{}", 200000, "*"),
                 d = bytes_repeated("1. a", "$1!", 200000, "*"),
                 e = bytes_repeated("", "[A \"\"]", 200000, "*");
    expect_nodes(&b, 200002);
    expect_nodes(&c, 2);
    expect_nodes(&d, 2);
    expect_nodes(&e, 1);
    bytes_free(&b);
    bytes_free(&c);
    bytes_free(&d);
    bytes_free(&e);
}
END_TEST

START_TEST(many_games_are_read_in_linear_time)
{
    /* After each a comment that might be the next one's. */
    struct bytes b = bytes_repeated("", "1. a *\n\n{}\n", 16000, "");
    struct games *g = games_read(b.data, b.size, NULL);
    ck_assert_int_eq(g->code, REDO_OK);
    ck_assert_uint_eq(g->count, 16000);
    games_close(g);
    bytes_free(&b);
}
END_TEST

START_TEST(sixty_four_megabytes_of_comments_are_read)
{
    char *kilobyte = malloc(1025);
    ck_assert_ptr_nonnull(kilobyte);
    memset(kilobyte, 'x', 1024);
    memcpy(kilobyte, "{", 1);
    kilobyte[500] = '\n';
    memcpy(kilobyte + 1020, "} a ", 5);
    struct bytes b = bytes_repeated("", kilobyte, 65536, "*");
    expect_nodes(&b, 65537);
    bytes_free(&b);
    b = bytes_repeated("1. a {", kilobyte + 1, 3, "*");
    memset(kilobyte, 'x', 1024);
    bytes_free(&b);
    b = bytes_repeated("1. a {", kilobyte, 65536, "} *");
    expect_nodes(&b, 2);
    bytes_free(&b);
    /* Without an end it is an error where it begins. */
    b = bytes_repeated("1. a {", kilobyte, 65536, "");
    struct games *g = games_read(b.data, b.size, NULL);
    ck_assert_int_eq(g->code, REDO_EDAMAGED);
    ck_assert_uint_eq(redo_pgn_reader_error(g->reader)->column, 6);
    games_close(g);
    bytes_free(&b);
    free(kilobyte);
}
END_TEST

START_TEST(memory_and_moves_have_limits)
{
    redo_pgn_options options;
    struct bytes b = bytes_repeated("", "a ", 10000, "*");
    redo_pgn_options_init(&options);
    options.limits.nodes = 9999;
    struct games *g = games_read(b.data, b.size, &options);
    ck_assert_int_eq(g->code, REDO_EFULL);
    ck_assert_uint_eq(redo_pgn_reader_error(g->reader)->column, 2 * 9999 + 1);
    games_close(g);
    options.limits.nodes = 10000;
    options.limits.memory = 100000;
    g = games_read(b.data, b.size, &options);
    ck_assert_int_eq(g->code, REDO_EFULL);
    games_close(g);
    bytes_free(&b);
}
END_TEST

static char const *const endings[] = {
    "x",
    " ",
    "(",
    "1. e4 {x",
    "; x",
    "% x",
    "[Event \"x",
    "[Event \"\\",
    "[Event\n",
    "[E",
    "1. e4 !",
    "1. e4 $1",
    ".",
    "1",
    "1. e4 1-0 \n",
    "1. e4 *\n\n{x",
    "\xff",
    "*\n\n{}\xef",
    "1. e4 (e5 ",
    "\xff\xfe"
    "x",
};

START_TEST(what_never_ends_is_read_to_the_limit_only)
{
    redo_pgn_options options;
    redo_pgn_game *game;
    redo_pgn_options_init(&options);
    options.limits.bytes = 1 << 20;
    struct endless e = {endings[_i], 0};
    redo_pgn_reader *r = redo_pgn_reader_open(endless, &e, &options);
    int code = redo_pgn_reader_next(r, &game);
    while (code == REDO_OK && game) {
        redo_pgn_game_free(game);
        code = redo_pgn_reader_next(r, &game);
    }
    ck_assert_msg(code == REDO_EFULL, "%s: %d", e.text, code);
    ck_assert_uint_le(e.given, 4 << 20);
    redo_pgn_reader_close(r);
}
END_TEST

static long failing(void *data, char *buffer, size_t size)
{
    memcpy(buffer, "1. e4 ", 6);
    return ++*(int *)data == 1 ? 6 : -1;
}

START_TEST(a_source_that_fails_ends_reading)
{
    int calls = 0;
    redo_pgn_game *game;
    redo_pgn_reader *r = redo_pgn_reader_open(failing, &calls, NULL);
    ck_assert_int_eq(redo_pgn_reader_next(r, &game), REDO_ESYSTEM);
    ck_assert_int_eq(redo_pgn_reader_next(r, &game), REDO_ESYSTEM);
    ck_assert_int_eq(calls, 2);
    redo_pgn_reader_close(r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pgn-hostile");
    TCase *tcase = tcase_create("pgn-hostile");
    TTest const *tests[] = {a_hundred_thousand_variations_nest,
                            more_than_the_limit_do_not,
                            a_line_may_have_a_hundred_thousand_moves,
                            a_move_may_have_many_variations_comments_and_signs,
                            many_games_are_read_in_linear_time,
                            sixty_four_megabytes_of_comments_are_read,
                            memory_and_moves_have_limits,
                            a_source_that_fails_ends_reading};
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, what_never_ends_is_read_to_the_limit_only, 0,
                        sizeof endings / sizeof *endings);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
