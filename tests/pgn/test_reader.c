/* Reading and writing games: what each part of the format becomes, and where errors are. The
 * expected values are read from the text of the standard. */
#include <string.h>

#include "tests/pgn/files.h"
#include "tests/suite.h"

static struct games *read_text(char const *text)
{
    struct games *g = games_read(text, strlen(text), NULL);
    ck_assert_msg(g->code == REDO_OK, "%s: %s", text, redo_pgn_reader_error(g->reader)->message);
    return g;
}

static void expect_string(redo_text_string s, char const *text)
{
    ck_assert_msg(s.size == strlen(text) && memcmp(s.data, text, s.size) == 0, "%.*s is not %s",
                  (int)s.size, s.data, text);
}

/* The main line's node of that number, from 1. */
static redo_pgn_node *move(struct games const *g, int number)
{
    redo_pgn_node *n = redo_pgn_game_root(g->game[0]);
    for (int i = 0; i < number; i++) {
        n = redo_pgn_node_first(n);
        ck_assert_ptr_nonnull(n);
    }
    return n;
}

static void expect_comment(redo_pgn_node const *n, enum redo_pgn_where where, char const *text)
{
    redo_pgn_comment *c = redo_pgn_node_comments(n, where);
    ck_assert_ptr_nonnull(c);
    expect_string(redo_pgn_comment_text(c), text);
}

/* The text as it is written. */
static void expect_written(char const *text, char const *written)
{
    struct games *g = read_text(text);
    struct bytes b = games_write(g);
    ck_assert_msg(b.size == strlen(written) && memcmp(b.data, written, b.size) == 0,
                  "written is:\n%.*s\nnot:\n%s", (int)b.size, b.data, written);
    bytes_free(&b);
    games_close(g);
}

/* 2.4 of the standard, the sample game. */
static char const sample[] =
    "[Event \"F/S Return Match\"]\n"
    "[Site \"Belgrade, Serbia JUG\"]\n"
    "[Date \"1992.11.04\"]\n"
    "[Round \"29\"]\n"
    "[White \"Fischer, Robert J.\"]\n"
    "[Black \"Spassky, Boris V.\"]\n"
    "[Result \"1/2-1/2\"]\n"
    "\n"
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3\n"
    "O-O 9. h3 Nb8 10. d4 Nbd7 11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4 15.\n"
    "Nb1 h6 16. Bh4 c5 17. dxe5 Nxe4 18. Bxe7 Qxe7 19. exd6 Qf6 20. Nbd2 Nxd6 21.\n"
    "Nc4 Nxc4 22. Bxc4 Nb6 23. Ne5 Rae8 24. Bxf7+ Rxf7 25. Nxf7 Rxe1+ 26. Qxe1 Kxf7\n"
    "27. Qe3 Qg5 28. Qxg5 hxg5 29. b3 Ke6 30. a3 Kd6 31. axb4 cxb4 32. Ra5 Nd5 33.\n"
    "f3 Bc8 34. Kf2 Bf5 35. Ra7 g6 36. Ra6+ Kc5 37. Ke1 Nf4 38. g3 Nxh3 39. Kd2 Kb5\n"
    "40. Rd6 Kc5 41. Ra6 Nf2 42. g4 Bd3 43. Re6 1/2-1/2\n"
    "\n";

START_TEST(the_sample_of_the_standard_is_written_as_it_stands_there)
{
    expect_written(sample, sample);
}
END_TEST

START_TEST(crlf_and_a_mark_and_missing_spaces_make_no_difference)
{
    expect_written("\xef\xbb\xbf[Event \"x\"]\r\n\r\n1.e4 e5\r\n2.Nf3\r\n*\r\n",
                   "[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n\n");
    expect_written("[ Event\t\"x\" ]1 e4 1... e5 2 ... Nf3*",
                   "[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n\n");
}
END_TEST

START_TEST(a_tag_value_has_two_escapes)
{
    struct games *g = read_text("[A \"say \\\"x\\\" \\\\ \\n\"][A \"\"] *");
    redo_pgn_tag *t = redo_pgn_game_tag(g->game[0], "A");
    expect_string(redo_pgn_tag_value(t), "say \"x\" \\ \\n");
    expect_string(redo_pgn_tag_value(redo_pgn_tag_next(t)), "");
    struct bytes b = games_write(g);
    ck_assert(memcmp(b.data, "[A \"say \\\"x\\\" \\\\ \\\\n\"]\n", 23) == 0);
    bytes_free(&b);
    games_close(g);
}
END_TEST

START_TEST(a_variation_is_one_more_child)
{
    struct games *g =
        read_text("1. e4 e5 (1... c5 2. Nf3 (2. c3) 2... d6) (1... e6 (1... c6)) 2. d4 *");
    redo_pgn_node *e4 = move(g, 1), *e5 = redo_pgn_node_first(e4), *c5 = redo_pgn_node_next(e5);
    expect_string(redo_pgn_node_move(e5), "e5");
    expect_string(redo_pgn_node_move(c5), "c5");
    redo_pgn_node *nf3 = redo_pgn_node_first(c5);
    expect_string(redo_pgn_node_move(redo_pgn_node_next(nf3)), "c3");
    expect_string(redo_pgn_node_move(redo_pgn_node_first(nf3)), "d6");
    redo_pgn_node *e6 = redo_pgn_node_next(c5);
    expect_string(redo_pgn_node_move(e6), "e6");
    expect_string(redo_pgn_node_move(redo_pgn_node_next(e6)), "c6");
    expect_string(redo_pgn_node_move(move(g, 3)), "d4");
    games_close(g);
    expect_written("1. e4 e5 (1... c5 2. Nf3 (2. c3) 2... d6) (1... e6 (1... c6)) 2. d4 *",
                   "1. e4 e5 (1... c5 2. Nf3 (2. c3) 2... d6) (1... e6) (1... c6) 2. d4 *\n\n");
}
END_TEST

START_TEST(comments_stand_where_they_were)
{
    struct games *g =
        read_text("{first} 1. e4 {a} {b} (1. d4 {c}) {d} 1... e5 ({e} 1... c5) ; f }\n"
                  "2. Nf3 1-0 {g}\n");
    redo_pgn_node *root = move(g, 0), *e4 = move(g, 1), *e5 = move(g, 2);
    expect_comment(root, REDO_PGN_AFTER, "first");
    expect_comment(root, REDO_PGN_END, "g");
    expect_comment(e4, REDO_PGN_AFTER, "a");
    expect_string(
        redo_pgn_comment_text(redo_pgn_comment_next(redo_pgn_node_comments(e4, REDO_PGN_AFTER))),
        "b");
    expect_comment(redo_pgn_node_next(e4), REDO_PGN_AFTER, "c");
    expect_comment(e5, REDO_PGN_BEFORE, "d");
    expect_comment(redo_pgn_node_next(e5), REDO_PGN_BEFORE, "e");
    expect_comment(move(g, 3), REDO_PGN_BEFORE, " f }");
    ck_assert(redo_pgn_comment_line(redo_pgn_node_comments(move(g, 3), REDO_PGN_BEFORE)));
    games_close(g);
    expect_written("{a\r\nb\rc}1. e4{[%clk 1:00]}(1. d4){x}*",
                   "{a\nb\nc} 1. e4 {[%clk 1:00]} {x} (1. d4) *\n\n");
}
END_TEST

START_TEST(signs_and_numbers_are_kept_as_they_were)
{
    struct games *g = read_text("1. e4! $14 e5?? 2. d4 !? = $0 Nf6 +- *");
    redo_pgn_nag *n = redo_pgn_node_nags(move(g, 1));
    ck_assert_uint_eq(redo_pgn_nag_number(n), 1);
    expect_string(redo_pgn_nag_sign(n), "!");
    ck_assert_uint_eq(redo_pgn_nag_number(redo_pgn_nag_next(n)), 14);
    expect_string(redo_pgn_nag_sign(redo_pgn_nag_next(n)), "");
    ck_assert_uint_eq(redo_pgn_nag_number(redo_pgn_node_nags(move(g, 4))), 18);
    games_close(g);
    expect_written("1. e4! $14 e5?? 2. d4 !? = $0 Nf6 +- 3. a3!!! *",
                   "1. e4! $14 e5?? 2. d4!? = $0 Nf6 +- 3. a3!! ! *\n\n");
}
END_TEST

START_TEST(moves_are_any_words)
{
    expect_written("1. -- Z0 2. 0-0 0-0-0 3. e7-e8=Q+ P@e4 4. exd6 e.p. bxa8/N# 5. \xe2\x99\x98"
                   "f3 32x28 *",
                   "1. -- Z0 2. 0-0 0-0-0 3. e7-e8=Q+ P@e4 4. exd6e.p. bxa8/N# 5. \xe2\x99\x98"
                   "f3 32x28 *\n\n");
}
END_TEST

START_TEST(a_game_may_begin_at_any_move)
{
    expect_written("12... Nf6 13. c4 *", "12... Nf6 13. c4 *\n\n");
    expect_written("12. ... Nf6 {x} 13. c4 {y} e5 *", "12... Nf6 {x} 13. c4 {y} 13... e5 *\n\n");
    expect_written("[FEN \"8/8/8/8/8/8/8/8 b - - 3 41\"]\nNf6 Nc3 *",
                   "[FEN \"8/8/8/8/8/8/8/8 b - - 3 41\"]\n\n41... Nf6 42. Nc3 *\n\n");
}
END_TEST

START_TEST(games_follow_each_other)
{
    static char const text[] =
        "1. e4 1-0 {its end}\n\n{of the second} 1. d4 0-1\n"
        "[Event \"3\"]\n[Round \"1\"]\n\n[Event \"4\"]\n1. c4\n[Event \"5\"]\n\n* 1/2 {x}\n\n{y}";
    struct games *g = read_text(text);
    ck_assert_uint_eq(g->count, 6);
    expect_comment(redo_pgn_game_root(g->game[0]), REDO_PGN_END, "its end");
    expect_comment(redo_pgn_game_root(g->game[1]), REDO_PGN_AFTER, "of the second");
    ck_assert_int_eq(redo_pgn_game_result(g->game[1]), REDO_PGN_BLACK);
    ck_assert_ptr_null(redo_pgn_node_first(redo_pgn_game_root(g->game[2])));
    ck_assert_int_eq(redo_pgn_game_result(g->game[3]), REDO_PGN_UNKNOWN);
    ck_assert_int_eq(redo_pgn_game_result(g->game[5]), REDO_PGN_DRAW);
    ck_assert_ptr_nonnull(redo_pgn_comment_next(
        redo_pgn_node_comments(redo_pgn_game_root(g->game[5]), REDO_PGN_END)));
    games_close(g);
}
END_TEST

START_TEST(escape_lines_are_no_part_of_the_game)
{
    expect_written("%x {\n[A \"1\"]\n%1-0\n1. e4 {\n%y} e5\n% z\n*",
                   "[A \"1\"]\n\n1. e4 {\n%y} 1... e5 *\n\n");
}
END_TEST

START_TEST(a_result_in_a_variation_is_a_comment)
{
    expect_written("1. e4 (1. d4 1-0) e5 (1... c5 *) 0-1",
                   "1. e4 (1. d4 {1-0}) 1... e5 (1... c5 {*}) 0-1\n\n");
}
END_TEST

START_TEST(variations_without_moves_leave_their_comments)
{
    expect_written("1. e4 () ({x}) e5 *", "1. e4 {x} 1... e5 *\n\n");
    /* The comment is on the move that the variation is beside. */
    expect_written("1. e4 e5 ({x} ) *", "1. e4 e5 {x} *\n\n");
}
END_TEST

START_TEST(bytes_that_are_not_utf8_are_latin1_or_what_is_asked_for)
{
    struct games *g = read_text("[A \"caf\xe9\"]\n\n{\xa0} *\n[A \"\xc3\xa9\"] *");
    expect_string(redo_pgn_tag_value(redo_pgn_game_tags(g->game[0])), "caf\xc3\xa9");
    expect_comment(move(g, 0), REDO_PGN_AFTER, "\xc2\xa0");
    ck_assert_str_eq(redo_pgn_game_charset(g->game[0]), "ISO-8859-1");
    expect_string(redo_pgn_tag_value(redo_pgn_game_tags(g->game[1])), "\xc3\xa9");
    ck_assert_str_eq(redo_pgn_game_charset(g->game[1]), "UTF-8");
    games_close(g);

    redo_pgn_options options;
    redo_pgn_options_init(&options);
    options.charset = "windows-1251";
    g = games_read("[A \"\xf5\xee\xe4\"] *", 11, &options);
    expect_string(redo_pgn_tag_value(redo_pgn_game_tags(g->game[0])), "\xd1\x85\xd0\xbe\xd0\xb4");
    games_close(g);
    g = games_read("\xff\xfe"
                   "1\0.\0e\0004\0*\0",
                   12, NULL);
    expect_string(redo_pgn_node_move(move(g, 1)), "e4");
    games_close(g);
}
END_TEST

START_TEST(a_comment_is_not_broken_and_may_be_longer_than_a_line)
{
    char text[400] = "1. e4 {", want[400] = "1. e4\n{";
    memset(text + 7, 'x', 100);
    memset(want + 7, 'x', 100);
    strcat(text, " y} e5 *");
    strcat(want, " y}\n1... e5 *\n\n");
    expect_written(text, want);
}
END_TEST

static struct {
    char const *text;
    int code;
    unsigned long line, column;
} const errors[] = {
    {"", REDO_EDAMAGED, 1, 1},
    {" \n {x}\n", REDO_EDAMAGED, 3, 1},
    {"1. e4 {x\n*", REDO_EDAMAGED, 1, 7},
    {"1. e4\r\n(1. d4 (1. c4) *", REDO_EDAMAGED, 2, 1},
    {"1. e4\n(1. d4\n[Event \"x\"]\n*", REDO_EDAMAGED, 2, 1},
    {"1. e4 e5) *", REDO_EDAMAGED, 1, 9},
    {"1. (e4) *", REDO_EDAMAGED, 1, 4},
    {"1. e4 ((1. d4)) *", REDO_EDAMAGED, 1, 8},
    {"[Event \"x]\n*", REDO_EDAMAGED, 1, 8},
    {"[Event \"\xc3\xa9\" x] *", REDO_EDAMAGED, 1, 12},
    {"[Event x] *", REDO_EDAMAGED, 1, 8},
    {"[\"x\"] *", REDO_EDAMAGED, 1, 2},
    {"[Event \"x\"", REDO_EDAMAGED, 1, 11},
    {"[Event \"x\"\n[Site \"y\"]", REDO_EDAMAGED, 2, 1},
    {"1. e4 } *", REDO_EDAMAGED, 1, 7},
    {"1. e4 ] *", REDO_EDAMAGED, 1, 7},
    {"1. e4 <x> *", REDO_EDAMAGED, 1, 7},
    {"1. e4 $ *", REDO_EDAMAGED, 1, 7},
    {"1. e4 $65536 *", REDO_EDAMAGED, 1, 7},
    {"1. $1 e4 *", REDO_EDAMAGED, 1, 4},
    {"1. e4 (! d4) *", REDO_EDAMAGED, 1, 8},
    {"1. e4 %x\n*", REDO_EDAMAGED, 1, 7},
    {"1. e4 \x01 *", REDO_EDAMAGED, 1, 7},
    {"1. e4 *\n\n1. d4 {\xe9} ) *", REDO_EDAMAGED, 3, 11},
};

START_TEST(errors_have_a_place)
{
    struct games *g = games_read(errors[_i].text, strlen(errors[_i].text), NULL);
    redo_text_error const *e = redo_pgn_reader_error(g->reader);
    ck_assert_msg(
        g->code == errors[_i].code && e->line == errors[_i].line && e->column == errors[_i].column,
        "%s: %d at %lu:%lu: %s", errors[_i].text, g->code, e->line, e->column, e->message);
    games_close(g);
}
END_TEST

START_TEST(a_charset_that_does_not_fit_is_an_error)
{
    redo_pgn_options options;
    redo_pgn_options_init(&options);
    options.charset = "UTF-8";
    struct games *g = games_read("1. e4\n{x\xe9} *", 12, &options);
    ck_assert_int_eq(g->code, REDO_EUTF8);
    ck_assert_uint_eq(redo_pgn_reader_error(g->reader)->line, 2);
    ck_assert_uint_eq(redo_pgn_reader_error(g->reader)->column, 3);
    games_close(g);
    options.charset = "Shift_JIS";
    g = games_read("1. e4\n{x\xff} *", 12, &options);
    ck_assert_int_eq(g->code, REDO_EUTF8);
    ck_assert_uint_eq(redo_pgn_reader_error(g->reader)->column, 3);
    games_close(g);
    options.charset = "no such";
    g = games_read("*", 1, &options);
    ck_assert_int_eq(g->code, REDO_EOPTION);
    games_close(g);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pgn-reader");
    TCase *tcase = tcase_create("pgn-reader");
    TTest const *tests[] = {the_sample_of_the_standard_is_written_as_it_stands_there,
                            crlf_and_a_mark_and_missing_spaces_make_no_difference,
                            a_tag_value_has_two_escapes,
                            a_variation_is_one_more_child,
                            comments_stand_where_they_were,
                            signs_and_numbers_are_kept_as_they_were,
                            moves_are_any_words,
                            a_game_may_begin_at_any_move,
                            games_follow_each_other,
                            escape_lines_are_no_part_of_the_game,
                            a_result_in_a_variation_is_a_comment,
                            variations_without_moves_leave_their_comments,
                            bytes_that_are_not_utf8_are_latin1_or_what_is_asked_for,
                            a_comment_is_not_broken_and_may_be_longer_than_a_line,
                            a_charset_that_does_not_fit_is_an_error};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, errors_have_a_place, 0, sizeof errors / sizeof *errors);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
