/* gnubg's dialect: what a program makes, and what it reads of a file. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "client/sgf/gnubg.h"
#include "tests/sgf/files.h"
#include "tests/suite.h"

static redo_sgf_string string(char const *text)
{
    return (redo_sgf_string){text, strlen(text)};
}

static void expect_text(redo_sgf_string s, char const *expected)
{
    ck_assert_msg(s.size == strlen(expected) && memcmp(s.data, expected, s.size) == 0,
                  "%.*s, not %s", (int)s.size, s.data, expected);
}

static void expect_written(redo_sgf_game const *g, char const *expected)
{
    struct bytes b = {0};
    ck_assert_int_eq(redo_sgf_game_write(g, REDO_SGF_PLAIN, bytes_put, &b), REDO_OK);
    expect_text((redo_sgf_string){b.data, b.size}, expected);
    bytes_free(&b);
}

static struct gnubg_record record(enum gnubg_action action, enum gnubg_side side)
{
    return (struct gnubg_record){
        .action = action, .player = side, .to_play = GNUBG_NOBODY, .owner = GNUBG_NOBODY};
}

static struct gnubg_record move(enum gnubg_side side, int a, int b, int from, int to)
{
    struct gnubg_record r = record(GNUBG_MOVE, side);
    r.dice[0] = a;
    r.dice[1] = b;
    r.move = (struct gnubg_move){.hops = {{(uint8_t)from, (uint8_t)to}}, .count = 1};
    return r;
}

static void expect_ids(struct gnubg_position const *p, char const *position, char const *match)
{
    char got[GNUBG_POSITION_ID], got_match[GNUBG_MATCH_ID];
    gnubg_position_id(p, got);
    gnubg_match_id(p, got_match);
    ck_assert_str_eq(got, position);
    ck_assert_str_eq(got_match, match);
}

START_TEST(a_game_can_be_made_without_any_text)
{
    redo_sgf_game *g = redo_sgf_game_new();
    struct gnubg_header h = {.length = 7,
                             .game = 2,
                             .score = {1, 3},
                             .rules = GNUBG_CRAWFORD | GNUBG_CRAWFORD_GAME,
                             .variant = GNUBG_HYPER2,
                             .cube = 4,
                             .winner = GNUBG_BLACK,
                             .points = 8,
                             .resigned = true};
    h.texts[GNUBG_PW] = string("Anna");
    ck_assert_int_eq(gnubg_header_write(g, &h), REDO_OK);
    struct gnubg_candidate candidates[2] = {
        {.move = {.hops = {{8, 5}, {6, 5}}, .count = 2},
         .analysis = {.kind = GNUBG_EVALUATED,
                      .version = 3,
                      .output = {{{.value = 0.55},
                                  {.value = 0.25},
                                  {.value = 0},
                                  {.value = 0.125},
                                  {.value = 0.0625}}},
                      .score = {{.value = -0.5}},
                      .context = {.version = 3,
                                  .plies = 2,
                                  .cubeful = true,
                                  .deterministic = 1,
                                  .prune = 1}}},
        {.move = {.hops = {{25, 22}, {6, 0}}, .count = 2}, .marked = true}};
    struct gnubg_record r = move(GNUBG_WHITE, 3, 1, 8, 5);
    r.has_list = r.has_marks = true;
    r.candidates = candidates;
    r.count = 2;
    r.luck = (struct gnubg_luck){true, {.value = -0.25}, GNUBG_BLACK, 2};
    r.skill = GNUBG_DOUBTFUL;
    r.cube_skill = GNUBG_VERY_BAD;
    r.comment = string("a \\] b");
    redo_sgf_node *n = redo_sgf_node_add(g, redo_sgf_game_root(g));
    ck_assert_int_eq(gnubg_record_write(g, n, &r), REDO_OK);
    struct gnubg_record board = record(GNUBG_NO_ACTION, GNUBG_BLACK);
    board.to_play = GNUBG_BLACK;
    board.set = GNUBG_SET_BOARD;
    memset(board.clear, 1, sizeof board.clear);
    board.add[GNUBG_WHITE][5] = 2;
    board.add[GNUBG_BLACK][0] = board.add[GNUBG_BLACK][24] = 1;
    ck_assert_int_eq(gnubg_record_write(g, redo_sgf_node_add(g, n), &board), REDO_OK);
    expect_written(
        g, "(;FF[4]GM[6]CA[UTF-8]MI[length:7][game:2][ws:1][bs:3]PW[Anna]"
           "RU[Crawford:CrawfordGame:Hypergammon2]CV[4]RE[B+8R]\n"
           ";W[31he]A[0][hefe E ver 3 0.550000 0.250000 0.000000 0.125000 0.062500 -0.500000 "
           "2C 0 1 0.000000 1][yvfz ]MR[2 ]LU[-0.25000]GB[2]DO[]BC[2]C[a \\] b]\n"
           ";PL[B]AE[a:y]AW[f][f]AB[x][y])\n");
    redo_sgf_game_free(g);
}
END_TEST

/* The IDs of the next two tests are those that gnubg's manual and its own reports give. */
START_TEST(the_first_position_has_the_known_ids)
{
    struct gnubg_header h = {.cube = 1, .length = 5};
    struct gnubg_position p;
    gnubg_position_start(&p, &h);
    p.dice[0] = 3;
    p.dice[1] = 1;
    expect_ids(&p, "4HPwATDgc/ABMA", "MIClAAAAAAAE");
}
END_TEST

START_TEST(a_beaver_and_a_raccoon_turn_the_cube)
{
    redo_sgf_error error;
    struct gnubg_header h = {.cube = 4, .rules = GNUBG_JACOBY};
    struct gnubg_position p, before;
    struct {
        enum gnubg_action action;
        enum gnubg_side side;
        char const *match;
    } const chain[] = {{GNUBG_DOUBLE, GNUBG_WHITE, "MgEAAAAAAAAA"},
                       {GNUBG_DOUBLE, GNUBG_BLACK, "MhkAAAAAAAAA"},
                       {GNUBG_DOUBLE, GNUBG_WHITE, "ExEAAAAAAAAA"},
                       {GNUBG_TAKE, GNUBG_BLACK, "FBkAAAAAAAAA"}};
    gnubg_position_start(&p, &h);
    struct gnubg_record opening[] = {move(GNUBG_WHITE, 3, 1, 8, 5),
                                     move(GNUBG_BLACK, 6, 4, 24, 18)};
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(gnubg_position_play(&p, &opening[i], &error), REDO_OK);
    for (int i = 0; i < 4; i++) {
        char match[GNUBG_MATCH_ID];
        struct gnubg_record r = record(chain[i].action, chain[i].side);
        before = p;
        ck_assert_int_eq(gnubg_position_decide(&before, &r, &error), REDO_OK);
        gnubg_match_id(&before, match);
        ck_assert_str_eq(match, chain[i].match);
        ck_assert_int_eq(gnubg_position_play(&p, &r, &error), REDO_OK);
    }
    ck_assert_uint_eq(p.cube, 32);
    ck_assert_int_eq(p.owner, GNUBG_BLACK);
    ck_assert_int_eq(p.turn, GNUBG_WHITE);
    ck_assert(!p.doubled);
}
END_TEST

START_TEST(a_hit_goes_to_the_bar_and_the_last_chequer_ends_the_game)
{
    redo_sgf_error error;
    struct gnubg_position p = {.cube = 1, .state = GNUBG_PLAYING};
    p.points[GNUBG_WHITE][5] = 1;
    p.points[GNUBG_BLACK][19] = 1; /* White's 5 point */
    struct gnubg_record hit = move(GNUBG_WHITE, 1, 2, 6, 5), off = move(GNUBG_WHITE, 6, 6, 5, 0);
    ck_assert_int_eq(gnubg_position_play(&p, &hit, &error), REDO_OK);
    ck_assert_uint_eq(p.points[GNUBG_BLACK][19], 0);
    ck_assert_uint_eq(p.points[GNUBG_BLACK][24], 1);
    ck_assert_int_eq(p.turn, GNUBG_BLACK);
    ck_assert_int_eq(p.state, GNUBG_PLAYING);
    ck_assert_int_eq(gnubg_position_play(&p, &off, &error), REDO_OK);
    ck_assert_int_eq(p.state, GNUBG_OVER);
}
END_TEST

START_TEST(a_record_that_can_not_follow_changes_nothing)
{
    redo_sgf_error error;
    struct gnubg_header h = {.cube = 1};
    struct gnubg_position p, before;
    struct gnubg_record bad[] = {move(GNUBG_WHITE, 3, 1, 5, 4), move(GNUBG_WHITE, 6, 1, 8, 1),
                                 record(GNUBG_TAKE, GNUBG_BLACK), record(GNUBG_DROP, GNUBG_WHITE)};
    gnubg_position_start(&p, &h);
    before = p;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error.message[0] = '\0';
        ck_assert_int_eq(gnubg_position_play(&p, &bad[i], &error), REDO_ESTATE);
        ck_assert_int_eq(gnubg_position_decide(&p, &bad[i], &error),
                         bad[i].action == GNUBG_MOVE ? REDO_OK : REDO_ESTATE);
        ck_assert(error.message[0]);
        ck_assert_mem_eq(p.points, before.points, sizeof p.points);
        p = before;
    }
}
END_TEST

START_TEST(what_is_no_id_is_refused)
{
    static char const *const positions[] = {"",
                                            "4HPwATDgc/ABM",
                                            "4HPwATDgc/ABMAA",
                                            "4HPwATDgc/AB!A",
                                            "//////////////",
                                            "4HPwATDgc/ABMB",
                                            "AAAAAAAAAAAAgA"};
    static char const *const matches[] = {
        "", "MIClAAAAAAA", "MIClAAAAAA=E", "IIClAAAAAAAE", "MP//AAAAAAAE", "MIClAAAAAAA/"};
    struct gnubg_position p = {.cube = 1};
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
        ck_assert_msg(!gnubg_position_id_read(&p, positions[i]), "%s", positions[i]);
    for (size_t i = 0; i < sizeof matches / sizeof *matches; i++)
        ck_assert_msg(!gnubg_match_id_read(&p, matches[i]), "%s", matches[i]);
    ck_assert_uint_eq(p.cube, 1);
}
END_TEST

START_TEST(numbers_do_not_hang_on_the_locale)
{
    char out[400];
    struct gnubg_analysis a;
    char const *text = "E ver 3 0.5 -0.25 1e-3 0 100 0.125 0C 0 1 0.000000 1";
    setlocale(LC_ALL, "de_DE.UTF-8"); /* where there is none, the test is that of the C locale */
    gnubg_candidate_analysis_read(string(text), &a);
    ck_assert_int_eq(a.kind, GNUBG_EVALUATED);
    ck_assert(a.output[0][0].value == 0.5 && a.output[0][1].value == -0.25);
    ck_assert(a.output[0][2].value == 1e-3 && a.output[0][4].value == 100);
    expect_text(a.output[0][2].text, "1e-3");
    for (int i = 0; i < 5; i++)
        a.output[0][i].text.data = NULL;
    size_t size = gnubg_candidate_analysis_format(&a, out, sizeof out);
    expect_text((redo_sgf_string){out, size},
                "E ver 3 0.500000 -0.250000 0.001000 0.000000 100.000000 0.125 0C 0 1 0.000000 1");
    setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(of_an_analysis_the_whole_setting_is_read)
{
    struct gnubg_analysis a;
    gnubg_cube_analysis_read(
        string("X ver 3 Eq Trials 36 NoDouble Output 1 2 3 4 5 6 7 StdDev 1 2 3 4 5 6 7 DoubleTake "
               "Output 8 2 3 4 5 6 7 StdDev 1 2 3 4 5 6 9 SK 4 RC 1 1 0 1 1 1 5 1 1 3 \"Mersenne "
               "Twister\" 77  cube0 ver 3 0C 1 0.000000 1  cheq0 ver 3 2C 1 0.250000 1 0 8 0.16 "
               "cubetrunc ver 3 3 0 0.0 0"),
        &a);
    ck_assert_int_eq(a.kind, GNUBG_ROLLED_OUT);
    ck_assert(a.output[1][0].value == 8 && a.deviation[1][6].value == 9);
    ck_assert_int_eq(a.rollout.trials, 36);
    ck_assert_int_eq(a.rollout.skipped, 4);
    ck_assert(a.rollout.known);
    ck_assert_int_eq(a.rollout.settings[6], 5);
    expect_text(a.rollout.generator, "\"Mersenne Twister\"");
    expect_text(a.rollout.seed, "77");
    ck_assert_uint_eq(a.rollout.context_count, 3);
    expect_text(a.rollout.contexts[1].name, "cheq0");
    expect_text(a.rollout.contexts[1].filter, "0 8 0.16");
    ck_assert_int_eq(a.rollout.contexts[1].context.plies, 2);
    ck_assert(!a.rollout.contexts[2].context.cubeful);
}
END_TEST

START_TEST(only_a_bracket_is_escaped_in_a_name)
{
    char out[64];
    size_t size = gnubg_name_decode(string("Bo\\\\ris\\:x \\[3\\]"), out, sizeof out);
    expect_text((redo_sgf_string){out, size}, "Bo\\\\ris\\:x \\[3]");
}
END_TEST

static struct {
    char const *text;
    bool open;
} const endings[] = {
    {"(;GM[6];PL[W]DI[55];W[55hchcfafa]A[0][hchcfafa ])", true},
    {"(;GM[6];PL[B]DI[63];B[63])", true},
    {"(;GM[6];PL[B]DI[63];W[63])", false},
    {"(;GM[6];PL[B]DI[63];B[31])", false},
    {"(;GM[6];B[63];B[63])", false},
    {"(;GM[6];PL[B]DI[63];B[double])", false},
};

START_TEST(a_decision_still_open_is_told_from_one_made)
{
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct games *g = games_read(endings[i].text, strlen(endings[i].text), NULL);
        redo_sgf_node *n = redo_sgf_node_first(redo_sgf_game_root(g->game[0]));
        struct gnubg_record before, last;
        redo_sgf_error error;
        ck_assert_int_eq(gnubg_record_read(g->game[0], n, &before, &error), REDO_OK);
        n = redo_sgf_node_first(n);
        ck_assert_int_eq(gnubg_record_read(g->game[0], n, &last, &error), REDO_OK);
        ck_assert_msg(gnubg_record_is_open(&before, &last) == endings[i].open, "%s",
                      endings[i].text);
        gnubg_record_free(&before);
        gnubg_record_free(&last);
        games_close(g);
    }
}
END_TEST

TEST_MAIN("sgf-gnubg", a_game_can_be_made_without_any_text, the_first_position_has_the_known_ids,
          a_beaver_and_a_raccoon_turn_the_cube,
          a_hit_goes_to_the_bar_and_the_last_chequer_ends_the_game,
          a_record_that_can_not_follow_changes_nothing, what_is_no_id_is_refused,
          numbers_do_not_hang_on_the_locale, of_an_analysis_the_whole_setting_is_read,
          only_a_bracket_is_escaped_in_a_name, a_decision_still_open_is_told_from_one_made)
