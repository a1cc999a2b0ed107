/* Making and changing games, and what is refused. */
#include <string.h>

#include "tests/pgn/files.h"
#include "tests/suite.h"

static redo_pgn_node *add(redo_pgn_game *g, redo_pgn_node *parent, char const *move)
{
    redo_pgn_node *n;
    ck_assert_int_eq(redo_pgn_node_add(g, parent, move, strlen(move), &n), REDO_OK);
    return n;
}

static int comment(redo_pgn_game *g, redo_pgn_node *n, enum redo_pgn_where where, char const *text,
                   int line)
{
    return redo_pgn_comment_add(g, n, where, text, strlen(text), line);
}

static void expect_written(redo_pgn_game const *g, char const *want)
{
    struct bytes b = {0};
    ck_assert_int_eq(redo_pgn_game_write(g, bytes_put, &b), REDO_OK);
    ck_assert_msg(b.size == strlen(want) && memcmp(b.data, want, b.size) == 0, "%.*s", (int)b.size,
                  b.data);
    struct games *again = games_read(b.data, b.size, NULL);
    ck_assert_int_eq(redo_pgn_game_equal(g, again->game[0]), 1);
    games_close(again);
    bytes_free(&b);
}

START_TEST(a_game_can_be_made)
{
    redo_pgn_game *g = redo_pgn_game_new();
    redo_pgn_node *root = redo_pgn_game_root(g), *e4 = add(g, root, "e4"), *d4 = add(g, root, "d4");
    redo_pgn_node *e5 = add(g, e4, "e5");
    ck_assert_int_eq(redo_pgn_tag_add(g, "White", 5, "A \"B\"", 5), REDO_OK);
    ck_assert_int_eq(redo_pgn_nag_add(g, e4, 1, "!"), REDO_OK);
    ck_assert_int_eq(redo_pgn_nag_add(g, e4, 14, NULL), REDO_OK);
    ck_assert_int_eq(comment(g, d4, REDO_PGN_BEFORE, "or", 0), REDO_OK);
    ck_assert_int_eq(comment(g, e5, REDO_PGN_AFTER, " so }", 1), REDO_OK);
    ck_assert_int_eq(comment(g, root, REDO_PGN_END, "end", 0), REDO_OK);
    redo_pgn_game_set_result(g, REDO_PGN_WHITE);
    redo_pgn_game_set_start(g, 7, 1);
    expect_written(
        g, "[White \"A \\\"B\\\"\"]\n\n7... e4! $14 ({or} 7... d4) 8. e5 ; so }\n1-0 {end}\n\n");
    ck_assert_int_eq(redo_pgn_node_remove(d4), REDO_OK);
    ck_assert_int_eq(redo_pgn_node_remove(root), REDO_EFIRST);
    redo_pgn_comments_clear(e5, REDO_PGN_AFTER);
    redo_pgn_nags_clear(e4);
    redo_pgn_tag_remove(g, redo_pgn_game_tags(g));
    expect_written(g, "7... e4 8. e5 1-0 {end}\n\n");
    redo_pgn_game_free(g);
}
END_TEST

START_TEST(a_comment_between_two_moves_may_belong_to_either)
{
    redo_pgn_game *a = redo_pgn_game_new(), *b = redo_pgn_game_new();
    redo_pgn_node *m = add(a, redo_pgn_game_root(a), "x"), *n = add(b, redo_pgn_game_root(b), "x");
    ck_assert_int_eq(comment(a, m, REDO_PGN_BEFORE, "1", 0), REDO_OK);
    ck_assert_int_eq(comment(b, redo_pgn_game_root(b), REDO_PGN_AFTER, "1", 0), REDO_OK);
    ck_assert_int_eq(redo_pgn_game_equal(a, b), 1);
    /* With a variation between them it does not. */
    m = add(a, m, "y"), n = add(b, n, "y");
    redo_pgn_node *of_m = add(a, m, "z");
    add(b, n, "z");
    ck_assert_int_eq(comment(a, of_m, REDO_PGN_BEFORE, "2", 0), REDO_OK);
    ck_assert_int_eq(comment(b, n, REDO_PGN_AFTER, "2", 0), REDO_OK);
    ck_assert_int_eq(redo_pgn_game_equal(a, b), 1);
    add(a, redo_pgn_node_parent(m), "v");
    add(b, redo_pgn_node_parent(n), "v");
    ck_assert_int_eq(redo_pgn_game_equal(a, b), 0);
    expect_written(a, "{1} 1. x y (1... v) {2} 2. z *\n\n");
    expect_written(b, "{1} 1. x y {2} (1... v) 2. z *\n\n");
    redo_pgn_game_free(a);
    redo_pgn_game_free(b);
}
END_TEST

START_TEST(what_could_not_be_read_again_is_refused)
{
    static char const *const moves[] = {"",
                                        "e4 e5",
                                        "12",
                                        "1-0",
                                        "*",
                                        "e4!",
                                        "(e4",
                                        "{",
                                        "%e4",
                                        "+-",
                                        "e4.",
                                        "e.p.",
                                        "$1",
                                        "a;b",
                                        "a\nb",
                                        "[a",
                                        "<",
                                        "=",
                                        "1/2",
                                        "\xef\xbb\xbf"
                                        "e4"};
    redo_pgn_game *g = redo_pgn_game_new();
    redo_pgn_node *root = redo_pgn_game_root(g), *n = add(g, root, "e4");
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        ck_assert_msg(redo_pgn_node_add(g, n, moves[i], strlen(moves[i]), NULL) == REDO_EDAMAGED,
                      "taken: %s", moves[i]);
    ck_assert_int_eq(redo_pgn_node_add(g, n, "e\xff", 2, NULL), REDO_EUTF8);
    ck_assert_int_eq(comment(g, n, REDO_PGN_AFTER, "}", 0), REDO_EDAMAGED);
    ck_assert_int_eq(comment(g, n, REDO_PGN_AFTER, "\n", 1), REDO_EDAMAGED);
    ck_assert_int_eq(comment(g, n, REDO_PGN_AFTER, "\r", 0), REDO_EDAMAGED);
    ck_assert_int_eq(comment(g, n, REDO_PGN_END, "x", 0), REDO_EDAMAGED);
    ck_assert_int_eq(redo_pgn_comment_add(g, n, REDO_PGN_AFTER, "\0", 1, 0), REDO_EDAMAGED);
    ck_assert_int_eq(comment(g, n, REDO_PGN_AFTER, "\xff", 0), REDO_EUTF8);
    ck_assert_int_eq(redo_pgn_nag_add(g, n, 2, "!"), REDO_EDAMAGED);
    ck_assert_int_eq(redo_pgn_nag_add(g, n, 2, "good"), REDO_EDAMAGED);
    ck_assert_int_eq(redo_pgn_nag_add(g, n, 65536, NULL), REDO_EDAMAGED);
    ck_assert_int_eq(redo_pgn_nag_add(g, root, 1, NULL), REDO_EDAMAGED);
    ck_assert_int_eq(redo_pgn_tag_add(g, "a b", 3, "", 0), REDO_ENAME);
    ck_assert_int_eq(redo_pgn_tag_add(g, "", 0, "", 0), REDO_ENAME);
    ck_assert_int_eq(redo_pgn_tag_add(g, "a", 1, "\n", 1), REDO_EDAMAGED);
    ck_assert_int_eq(redo_pgn_tag_add(g, "a", 1, "\xff", 1), REDO_EUTF8);
    expect_written(g, "1. e4 *\n\n");
    redo_pgn_game_free(g);
}
END_TEST

TEST_MAIN("pgn-tree", a_game_can_be_made, a_comment_between_two_moves_may_belong_to_either,
          what_could_not_be_read_again_is_refused)
