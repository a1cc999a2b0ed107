/* Reading and writing matches: gnubg's own, the variants that other programs write, errors with
 * their places, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include "client/mat/redo_mat.h"
#include "tests/suite.h"
#include "tests/text/bytes.h"
#include "tests/text/hostile.h"

#define HEAD " 5 point match\n\n Game 1\n Al : 0                         Bo : 0\n"

static redo_mat_match *read_text(char const *text)
{
    redo_mat_match *m;
    redo_text_error error;
    int code = redo_mat_read_bytes(text, strlen(text), NULL, &m, &error);
    ck_assert_msg(code == REDO_OK, "%s\n%lu:%lu: %s", text, error.line, error.column,
                  error.message);
    return m;
}

static redo_text_string string(char const *text)
{
    return (redo_text_string){text, strlen(text)};
}

static void expect_string(redo_text_string s, char const *text)
{
    ck_assert_msg(s.size == strlen(text) && memcmp(s.data, text, s.size) == 0, "%.*s is not %s",
                  (int)s.size, s.data, text);
}

static redo_mat_action const *action(redo_mat_match const *m, int number)
{
    redo_mat_action const *a = redo_mat_games(m)->first;
    while (a && --number > 0)
        a = a->next;
    ck_assert_ptr_nonnull(a);
    return a;
}

static void expect_written(redo_mat_match const *m, int flags, char const *want)
{
    struct bytes b = {0};
    redo_mat_match *again;
    redo_text_error error;
    ck_assert_int_eq(redo_mat_write(m, flags, bytes_put, &b), REDO_OK);
    ck_assert_msg(b.size == strlen(want) && memcmp(b.data, want, b.size) == 0,
                  "written is:\n%.*s\nnot:\n%s", (int)b.size, b.data, want);
    ck_assert_int_eq(redo_mat_read_bytes(b.data, b.size, NULL, &again, &error), REDO_OK);
    ck_assert_int_eq(redo_mat_equal(m, again), 1);
    redo_mat_match_free(again);
    bytes_free(&b);
}

/* The same in gnubg's layout. */
static void expect_plain(char const *text, char const *want)
{
    redo_mat_match *m = read_text(text);
    expect_written(m, REDO_MAT_PLAIN, want);
    expect_written(m, 0, text);
    redo_mat_match_free(m);
}

START_TEST(the_layout_is_that_of_gnubg)
{
    expect_plain(
        "5 point match\r\n\r\nGame 1\r\nAl : 0  Bo : 0\r\n1) 31: 8/5 6/5  Doubles => 2\r\n"
        "2) Drops  Wins 1 point\r\n\r\nGame 2\r\nAl : 0 Bo : 1\r\n"
        "1)                         31: 8/5 6/5\r\n2) Doubles => 2  Drops\r\n   Wins 1 point\r\n",
        HEAD "  1) 31: 8/5 6/5                  Doubles => 2\n"
             "  2)  Drops                       Wins 1 point \n"
             "\n Game 2\n Al : 0                         Bo : 1\n"
             "  1)                             31: 8/5 6/5 \n"
             "  2)  Doubles => 2                Drops\n"
             "      Wins 1 point\n\n");
}
END_TEST

START_TEST(an_unfinished_match_ends_in_its_column)
{
    expect_plain(HEAD "  1) 42: 8/4 6/4                 63: ",
                 HEAD "  1) 42: 8/4 6/4                 63: ");
    expect_plain(HEAD "  1) 42: ", HEAD "  1) 42: ");
    redo_mat_match *m = read_text(HEAD "  1) 42: 8/4 6/4                 63: ");
    ck_assert_int_eq(action(m, 2)->kind, REDO_MAT_ROLL);
    redo_mat_match_free(m);
    /* With a line end the move was made: none was possible. */
    m = read_text(HEAD "  1) 42: 8/4 6/4                 63:\n");
    ck_assert_int_eq(action(m, 2)->kind, REDO_MAT_MOVE);
    redo_mat_match_free(m);
    expect_plain(HEAD "  1) 42: 8/4 6/4                 ",
                 HEAD "  1) 42: 8/4 6/4                 ");
}
END_TEST

START_TEST(the_header_has_tags_notes_and_lines)
{
    static char const text[] =
        "; [Player 1 \"Al \"x\" \"]\n; [Site \"\"]\n\n; note\n;\nline\n\n" HEAD "\n";
    redo_mat_match *m = read_text(text);
    redo_mat_line const *l = redo_mat_header(m);
    ck_assert_int_eq(l->kind, REDO_MAT_TAG);
    expect_string(l->name, "Player 1");
    expect_string(l->value, "Al \"x\" ");
    expect_string(l->next->name, "Site");
    ck_assert_int_eq(l->next->next->kind, REDO_MAT_NOTE);
    expect_string(l->next->next->value, "note");
    ck_assert_int_eq(l->next->next->next->next->kind, REDO_MAT_LINE);
    expect_written(m, REDO_MAT_PLAIN, text);
    redo_mat_match_free(m);
}
END_TEST

/* What other programs write: eXtreme Gammon, BackgammonGalaxy, .gam files of one game. */
START_TEST(variants_are_read)
{
    redo_mat_match *m = read_text(
        "; [Site \"XG Mobile\"]\n; [Player 1 Elo \"1522.94/244\"]\n\n 0 point match\n\n Game 1 \n"
        " Ken : 12                             XG 2: x : 3 \n"
        "  1)                                  16: 13/7 8/7\n"
        "  2) 4-1: 13/9 24/23*                 11: bar/24 6/Off(2)\n"
        "  3) 66: Cannot Move                  53: ????\n"
        "  4)  Redoubles => 4                   Passes\n"
        "; a remark\n"
        " 29)                                   Wins 4 points and the match\n"
        " Ken Wins 1 point.\n");
    redo_mat_game const *g = redo_mat_games(m);
    expect_string(g->name[1], "XG 2: x");
    ck_assert_uint_eq(g->score[0], 12);
    ck_assert_int_eq(action(m, 1)->player, 1);
    ck_assert_int_eq(action(m, 2)->dice[1], 1);
    expect_string(action(m, 4)->text, "Cannot Move");
    expect_string(action(m, 5)->text, "????");
    ck_assert_int_eq(action(m, 6)->kind, REDO_MAT_DOUBLE);
    ck_assert_int_eq(action(m, 7)->kind, REDO_MAT_DROP);
    ck_assert_int_eq(action(m, 8)->kind, REDO_MAT_COMMENT);
    ck_assert_int_eq(action(m, 9)->match, 1);
    ck_assert_int_eq(action(m, 9)->player, 1);
    ck_assert_int_eq(action(m, 10)->player, 0);
    redo_mat_match_free(m);
}
END_TEST

START_TEST(a_stub_and_players_on_two_lines_are_read)
{
    redo_mat_match *m =
        read_text("2 point match\n\n Game 1\n joe joe(JPN) : 0\n John : 2\n"
                  "  1)                              Losses 1 point\n      Wins 1 point\n");
    expect_string(redo_mat_games(m)->name[1], "John");
    ck_assert_int_eq(action(m, 1)->kind, REDO_MAT_OTHER);
    expect_string(action(m, 1)->text, "Losses 1 point");
    expect_written(m, REDO_MAT_PLAIN,
                   " 2 point match\n\n Game 1\n joe joe(JPN) : 0               John : 2\n"
                   "  1)                              Losses 1 point\n      Wins 1 point\n\n");
    redo_mat_match_free(m);
}
END_TEST

START_TEST(long_names_stay_apart)
{
    expect_plain(HEAD "\n Game 2\n A very long name of a player in : 0Bo : 0\n\n",
                 HEAD "\n Game 2\n A very long name of a player in : 0Bo : 0\n\n");
    redo_mat_match *m = read_text(" Game 1\n A very long name of a player in : 0 4x : 0\n\n");
    expect_string(redo_mat_games(m)->name[1], "4x");
    ck_assert_int_eq(redo_mat_length(m), -1);
    expect_written(m, REDO_MAT_PLAIN, " Game 1\n A very long name of a player in : 0 4x : 0\n\n");
    redo_mat_match_free(m);
}
END_TEST

static struct {
    char const *text;
    int count;
    char const *hops;
} const moves[] = {
    {"", 0, ""},
    {"Cannot Move", 0, ""},
    {"24/18* 13/11", 2, "24/18* 13/11"},
    {"bar/20 6/off", 2, "25/20 6/0"},
    {"25/20 6/0", 2, "25/20 6/0"},
    {"24/18/13*", 2, "24/18 18/13*"},
    {"24/18*/13*", 2, "24/18* 18/13*"},
    {"6/5(2) 8/7(2)", 4, "6/5 6/5 8/7 8/7"},
    {"6/4*(2)", 2, "6/4* 6/4*"},
    {"24/22/20(2)", 4, "24/22 22/20 24/22 22/20"},
    {"????", -1, ""},
    {"6", -1, ""},
    {"6/", -1, ""},
    {"26/5", -1, ""},
    {"6/5(9)", -1, ""},
    {"6/5(2", -1, ""},
    {"6/5x", -1, ""},
    {"6 /5", -1, ""},
};

START_TEST(moves_are_hops)
{
    redo_mat_hop hops[8];
    char text[100];
    ck_assert_int_eq(redo_mat_move_read(string(moves[_i].text), hops, 8), moves[_i].count);
    if (moves[_i].count < 0)
        return;
    size_t size = redo_mat_move_write(hops, moves[_i].count, text, sizeof text);
    expect_string((redo_text_string){text, size}, moves[_i].hops);
    ck_assert_int_eq(redo_mat_move_read(string(moves[_i].text), NULL, 0), moves[_i].count);
}
END_TEST

static struct {
    char const *text;
    int code;
    unsigned long line, column;
} const errors[] = {
    {"", REDO_EDAMAGED, 1, 1},
    {"; [a \"b\"]\n", REDO_EDAMAGED, 2, 1},
    {" 5 point match\n\n  what\n", REDO_EDAMAGED, 3, 3},
    {" 5 point match\n 7 point match\n", REDO_EDAMAGED, 2, 2},
    {" Game 1\n Al Bo\n", REDO_EDAMAGED, 2, 2},
    {" Game 1\n Al : 0\n Bo\n", REDO_EDAMAGED, 3, 2},
    {" Game 1\n Al : 0 Bo : 0 x\n", REDO_EDAMAGED, 2, 2},
    {" Game 1\n", REDO_EDAMAGED, 2, 1},
    {" Game 1\n Game 2\n Al : 0  Bo : 0\n", REDO_EDAMAGED, 2, 1},
    {HEAD "  1) 31: 8/5 6/5\r\n  31: 8/5\n", REDO_EDAMAGED, 6, 3},
    {HEAD " \xc3\xa9 Wins nothing\n", REDO_EDAMAGED, 5, 2},
};

START_TEST(errors_have_a_place)
{
    redo_mat_match *m;
    redo_text_error e;
    int code = redo_mat_read_bytes(errors[_i].text, strlen(errors[_i].text), NULL, &m, &e);
    ck_assert_msg(code == errors[_i].code && e.line == errors[_i].line &&
                      e.column == errors[_i].column,
                  "%s: %d at %lu:%lu: %s", errors[_i].text, code, e.line, e.column, e.message);
    ck_assert_ptr_null(m);
}
END_TEST

START_TEST(a_match_can_be_made)
{
    redo_mat_match *m = redo_mat_match_new();
    redo_mat_game *g;
    redo_text_string names[] = {string("Al"), string("B\xc3\xb6")};
    unsigned long scores[] = {0, 2};
    redo_mat_action made[] = {
        {NULL, REDO_MAT_MOVE, 1, {3, 1}, 0, 0, {"8/5 6/5", 7}},
        {NULL, REDO_MAT_DOUBLE, 0, {0, 0}, 2, 0, {NULL, 0}},
        {NULL, REDO_MAT_BEAVER, 1, {0, 0}, 4, 0, {NULL, 0}},
        {NULL, REDO_MAT_BEAVER, 0, {0, 0}, 8, 0, {NULL, 0}},
        {NULL, REDO_MAT_MOVE, 0, {6, 6}, 0, 0, {"24/18 24/18 18/12* 18/12", 24}},
        {NULL, REDO_MAT_OTHER, 1, {0, 0}, 0, 0, {"????", 4}},
        {NULL, REDO_MAT_COMMENT, 0, {0, 0}, 0, 0, {"so", 2}},
        {NULL, REDO_MAT_WIN, 1, {0, 0}, 8, 1, {NULL, 0}},
    };
    redo_mat_set_length(m, 7);
    ck_assert_int_eq(redo_mat_header_add(m, REDO_MAT_TAG, string("Site"), string("x")), REDO_OK);
    ck_assert_int_eq(redo_mat_header_add(m, REDO_MAT_NOTE, string(""), string("y")), REDO_OK);
    ck_assert_int_eq(redo_mat_game_add(m, 3, names, scores, &g), REDO_OK);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        ck_assert_int_eq(redo_mat_action_add(m, g, &made[i]), REDO_OK);
    expect_written(m, 0,
                   "; [Site \"x\"]\n\n; y\n 7 point match\n\n Game 3\n"
                   " Al : 0                         B\xc3\xb6 : 2\n"
                   "  1)                             31: 8/5 6/5 \n"
                   "  2)  Doubles => 2                Beavers => 4\n"
                   "  3)  Beavers => 8                 \n"
                   "  4) 66: 24/18 24/18 18/12* 18/12  ????\n"
                   "; so\n"
                   "                                  Wins 8 points and the match\n\n");
    redo_mat_match_free(m);
}
END_TEST

START_TEST(what_could_not_be_read_again_is_refused)
{
    redo_mat_match *m = redo_mat_match_new();
    redo_mat_game *g;
    redo_text_string names[] = {string("Al"), string("Bo")},
                     bad[] = {string("Al : 1"), string("x")};
    redo_text_string bytes[] = {string("\xff"), string("x")}, none = string("");
    unsigned long scores[] = {0, 0};
    ck_assert_int_eq(redo_mat_game_add(m, 1, bad, scores, &g), REDO_EDAMAGED);
    ck_assert_int_eq(redo_mat_game_add(m, 1, bytes, scores, &g), REDO_EUTF8);
    ck_assert_int_eq(redo_mat_game_add(m, 1, names, scores, &g), REDO_OK);
    ck_assert_int_eq(redo_mat_header_add(m, REDO_MAT_TAG, none, string("x")), REDO_EDAMAGED);
    ck_assert_int_eq(redo_mat_header_add(m, REDO_MAT_TAG, string("a"), string("\n")),
                     REDO_EDAMAGED);
    ck_assert_int_eq(redo_mat_header_add(m, REDO_MAT_NOTE, none, string("[a \"b\"]")),
                     REDO_EDAMAGED);
    ck_assert_int_eq(redo_mat_header_add(m, REDO_MAT_LINE, none, string("5 point match")),
                     REDO_EDAMAGED);
    ck_assert_int_eq(redo_mat_header_add(m, REDO_MAT_LINE, none, string("; x")), REDO_EDAMAGED);
    redo_mat_action refused[] = {
        {NULL, REDO_MAT_MOVE, 0, {0, 1}, 0, 0, {"8/5", 3}},
        {NULL, REDO_MAT_MOVE, 0, {7, 1}, 0, 0, {"8/5", 3}},
        {NULL, REDO_MAT_MOVE, 2, {3, 1}, 0, 0, {"8/5", 3}},
        {NULL, REDO_MAT_MOVE, 0, {3, 1}, 0, 0, {"8/5 Takes", 9}},
        {NULL, REDO_MAT_MOVE, 0, {3, 1}, 0, 0, {"8/5  6/5", 8}},
        {NULL, REDO_MAT_MOVE, 0, {3, 1}, 0, 0, {"8/5\n", 4}},
        {NULL, REDO_MAT_ROLL, 0, {3, 1}, 0, 0, {"8/5", 3}},
        {NULL, REDO_MAT_TAKE, 0, {0, 0}, 0, 0, {"x", 1}},
        {NULL, REDO_MAT_OTHER, 0, {0, 0}, 0, 0, {"Takes", 5}},
        {NULL, REDO_MAT_OTHER, 0, {0, 0}, 0, 0, {"31: 8/5", 7}},
        {NULL, REDO_MAT_OTHER, 0, {0, 0}, 0, 0, {"", 0}},
        {NULL, REDO_MAT_WIN, 0, {0, 0}, 1, 0, {"Bo", 2}},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        ck_assert_msg(redo_mat_action_add(m, g, &refused[i]) == REDO_EDAMAGED, "taken: %zu", i);
    redo_mat_match_free(m);
}
END_TEST

START_TEST(what_is_large_or_endless_is_read_to_the_limit)
{
    redo_mat_options options;
    redo_mat_match *m;
    redo_text_error error;
    struct endless e = {"x", 0};
    redo_mat_options_init(&options);
    options.limits.bytes = 1 << 20;
    ck_assert_int_eq(redo_mat_read(endless, &e, &options, &m, &error), REDO_EFULL);
    ck_assert_uint_le(e.given, 2 << 20);

    struct bytes b =
        bytes_repeated(HEAD, "  1) 31: 8/5 6/5                 42: 8/4 6/4 \n", 100000, "");
    ck_assert_int_eq(redo_mat_read_bytes(b.data, b.size, NULL, &m, &error), REDO_OK);
    redo_mat_match_free(m);
    redo_mat_options_init(&options);
    options.limits.nodes = 1000;
    ck_assert_int_eq(redo_mat_read_bytes(b.data, b.size, &options, &m, &error), REDO_EFULL);
    ck_assert_uint_eq(error.line, 504);
    options.limits.nodes = 1000000;
    options.limits.memory = b.size + 100000;
    ck_assert_int_eq(redo_mat_read_bytes(b.data, b.size, &options, &m, &error), REDO_EFULL);
    bytes_free(&b);

    /* One line, of many words and wins. */
    b = bytes_repeated(HEAD "  1) 31: ", "Wins 1 point : 1 ", 500000, "");
    ck_assert_int_eq(redo_mat_read_bytes(b.data, b.size, NULL, &m, &error), REDO_OK);
    redo_mat_match_free(m);
    bytes_free(&b);
    b = bytes_repeated(" Game 1\n", ": ", 1000000, "");
    ck_assert_int_eq(redo_mat_read_bytes(b.data, b.size, NULL, &m, &error), REDO_EDAMAGED);
    bytes_free(&b);
}
END_TEST

START_TEST(charsets_are_as_asked_for_or_guessed)
{
    redo_mat_options options;
    redo_mat_match *m = read_text(" Game 1\n J\xfcrg : 0   Bo : 0\n");
    redo_text_error error;
    expect_string(redo_mat_games(m)->name[0], "J\xc3\xbcrg");
    ck_assert_str_eq(redo_mat_charset(m), "ISO-8859-1");
    redo_mat_match_free(m);
    redo_mat_options_init(&options);
    options.charset = "UTF-8";
    ck_assert_int_eq(redo_mat_read_bytes("\n \xfc", 3, &options, &m, &error), REDO_EUTF8);
    ck_assert_uint_eq(error.line, 2);
    ck_assert_uint_eq(error.column, 2);
    options.charset = "no such";
    ck_assert_int_eq(redo_mat_read_bytes("\n", 1, &options, &m, &error), REDO_EOPTION);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mat");
    TCase *tcase = tcase_create("mat");
    TTest const *tests[] = {the_layout_is_that_of_gnubg,
                            an_unfinished_match_ends_in_its_column,
                            the_header_has_tags_notes_and_lines,
                            variants_are_read,
                            a_stub_and_players_on_two_lines_are_read,
                            long_names_stay_apart,
                            a_match_can_be_made,
                            what_could_not_be_read_again_is_refused,
                            what_is_large_or_endless_is_read_to_the_limit,
                            charsets_are_as_asked_for_or_guessed};
    tcase_set_timeout(tcase, 60);
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, errors_have_a_place, 0, sizeof errors / sizeof *errors);
    tcase_add_loop_test(tcase, moves_are_hops, 0, sizeof moves / sizeof *moves);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
