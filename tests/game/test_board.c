/* The rules and the level file of the example, against the cases: levels with their shortest
 * solutions, and sessions with the state and the move of every step. Arguments: the folder of the
 * cases, the file of levels. */
#include <check.h>
#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "client/examples/board.h"

#define RECORD_BYTES (8 * 1024 * 1024)

static char const *cases_folder, *levels_path;

/* Calls a function for each record of each file, until the end. */
static int each_record(void (*use)(json_t *record, void *data), void *data)
{
    char pattern[4096];
    glob_t found;
    char *line = malloc(RECORD_BYTES);
    int files = 0;

    ck_assert_ptr_nonnull(line);
    snprintf(pattern, sizeof pattern, "%s/microban-*.jsonl.gz", cases_folder);
    ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++, files++) {
        gzFile file = gzopen(found.gl_pathv[i], "rb");
        ck_assert_ptr_nonnull(file);
        while (gzgets(file, line, RECORD_BYTES)) {
            json_error_t error;
            json_t *record = json_loads(line, 0, &error);
            ck_assert_msg(record != NULL, "%s: %s", found.gl_pathv[i], error.text);
            use(record, data);
            json_decref(record);
        }
        gzclose(file);
    }
    globfree(&found);
    free(line);
    return files;
}

static char const *text(json_t *record, char const *key)
{
    char const *value = json_string_value(json_object_get(record, key));
    ck_assert_msg(value != NULL, "no %s", key);
    return value;
}

static int number(json_t *record, char const *key)
{
    return (int)json_integer_value(json_object_get(record, key));
}

static bool is_kind(json_t *record, char const *kind)
{
    return strcmp(text(record, "kind"), kind) == 0;
}

static void assert_state(struct board_level const *level, unsigned char const *state,
                         char const *hex)
{
    char mine[2 * (1 + BOARD_BOXES) + 1] = "";
    for (size_t i = 0; i < board_statesize(level); i++)
        sprintf(mine + 2 * i, "%02x", state[i]);
    ck_assert_str_eq(mine, hex);
}

static void read_level(struct board_level *level, int wanted)
{
    ck_assert_int_eq(board_read(level, levels_path, wanted), BOARD_OK);
    ck_assert_int_eq(level->number, wanted);
}

static int direction_of(char letter)
{
    static char const letters[] = "lurd";
    char const *at = strchr(letters, letter | 0x20);
    ck_assert_ptr_nonnull(at);
    return (int)(at - letters);
}

/* ---- levels ------------------------------------------------------------------------------ */

static void level_is_that_of_the_case(json_t *record, void *data)
{
    if (!is_kind(record, "level"))
        return;
    struct board_level level;
    read_level(&level, number(record, "number"));
    ck_assert_int_eq(level.width, number(record, "width"));
    ck_assert_int_eq(level.height, number(record, "height"));
    assert_state(&level, level.initial, text(record, "initial"));
    for (int y = 0; y < level.height; y++) {
        char const *row = json_string_value(json_array_get(json_object_get(record, "rows"), y));
        int length = (int)strlen(row);
        for (int x = 0; x < level.width; x++) {
            char shown = board_cell(&level, level.initial, y * level.width + x);
            ck_assert_int_eq(shown, x < length ? row[x] : ' ');
        }
    }
}

START_TEST(levels_are_those_of_the_cases)
{
    ck_assert_int_eq(each_record(level_is_that_of_the_case, NULL), 12);
}
END_TEST

START_TEST(number_0_is_the_first_level)
{
    struct board_level level;
    ck_assert_int_eq(board_read(&level, levels_path, 0), BOARD_OK);
    ck_assert_int_eq(level.number, 1);
}
END_TEST

START_TEST(level_that_is_not_there_is_told)
{
    struct board_level level;
    ck_assert_int_eq(board_read(&level, levels_path, 3), BOARD_ENONE);
    ck_assert_int_eq(board_read(&level, "/nonexistent/levels", 1), BOARD_EFILE);
}
END_TEST

static enum board_error read_text(struct board_level *level, char const *levels, int wanted)
{
    char path[] = "/tmp/test-board-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, levels, strlen(levels)), (int)strlen(levels));
    close(fd);
    enum board_error rc = board_read(level, path, wanted);
    unlink(path);
    return rc;
}

START_TEST(level_without_a_number_gets_the_next_one)
{
    struct board_level level;
    char const *levels = "; 7\n###\n#@$.#\n\nTitle: x\n\n#####\n#@ $.#\n; eight\n\n####\n#+$#\r\n";
    ck_assert_int_eq(read_text(&level, levels, 7), BOARD_OK);
    ck_assert_int_eq(level.width, 5);
    ck_assert_int_eq(read_text(&level, levels, 8), BOARD_OK);
    ck_assert_int_eq(level.width, 6);
    ck_assert_int_eq(read_text(&level, levels, 9), BOARD_OK);
    ck_assert_int_eq(level.width, 4);
    ck_assert_int_eq(level.height, 2);
    ck_assert_int_eq(read_text(&level, levels, 10), BOARD_ENONE);
}
END_TEST

START_TEST(level_that_can_not_be_played_is_refused)
{
    struct board_level level;
    char large[300], higher[600] = "";
    ck_assert_int_eq(read_text(&level, "#$.#\n", 0), BOARD_EPLAYER);
    ck_assert_int_eq(read_text(&level, "#@@$.#\n", 0), BOARD_EPLAYER);
    ck_assert_int_eq(read_text(&level, "#@#\n", 0), BOARD_EBOXES);
    ck_assert_int_eq(read_text(&level, "#@$#\n", 0), BOARD_EBOXES);
    ck_assert_int_eq(read_text(&level, "#@$..#\n", 0), BOARD_EBOXES);
    ck_assert_int_eq(read_text(&level, "", 0), BOARD_ENONE);
    memset(large, '#', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    ck_assert_int_eq(read_text(&level, large, 0), BOARD_ELARGE);
    for (int row = 0; row < 290; row++)
        strcat(higher, "#\n");
    ck_assert_int_eq(read_text(&level, higher, 0), BOARD_ELARGE);
    memset(large, '*', 65);
    memcpy(large + 65, "@#", 3);
    ck_assert_int_eq(read_text(&level, large, 0), BOARD_ELARGE);
}
END_TEST

/* ---- rules ------------------------------------------------------------------------------- */

static void solution_solves(json_t *record, void *data)
{
    if (!is_kind(record, "level"))
        return;
    struct board_level level;
    read_level(&level, number(record, "number"));
    unsigned char state[1 + BOARD_BOXES], after[1 + BOARD_BOXES];
    memcpy(state, level.initial, sizeof state);
    char const *solution = text(record, "shortest");
    ck_assert_int_eq((int)strlen(solution), number(record, "moves"));
    for (char const *at = solution; *at; at++) {
        ck_assert(!board_solved(&level, state));
        int direction = direction_of(*at);
        int move = board_move(&level, state, direction, after);
        ck_assert_int_eq(move, direction + (*at < 'a' ? BOARD_PUSH : 0));
        memcpy(state, after, sizeof state);
    }
    ck_assert(board_solved(&level, state));
}

START_TEST(shortest_solutions_solve_all_levels)
{
    ck_assert_int_eq(each_record(solution_solves, NULL), 12);
}
END_TEST

static void hex_state(unsigned char *state, char const *hex)
{
    for (size_t i = 0; hex[2 * i]; i++) {
        unsigned byte;
        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
        state[i] = (unsigned char)byte;
    }
}

/* Every add of a session, made again from the state before. The states are kept by number; those of
 * copied positions are not told, and nothing is asked about what follows them. */
static void session_follows_the_rules(json_t *record, void *data)
{
    enum { MOST = 20000 };
    if (!is_kind(record, "session"))
        return;
    int *adds = data;
    struct board_level level;
    read_level(&level, number(record, "level"));
    unsigned char(*states)[1 + BOARD_BOXES] = calloc(MOST, sizeof *states);
    bool *known = calloc(MOST, sizeof *known);
    ck_assert(states != NULL && known != NULL);
    memcpy(states[0], level.initial, sizeof states[0]);
    known[0] = true;

    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(record, "steps"), i, step)
    {
        json_t *op = json_object_get(step, "op");
        char const *name = json_string_value(json_array_get(op, 0));
        if (!name || strcmp(name, "add") != 0)
            continue;
        int prev = (int)json_integer_value(json_array_get(op, 1));
        int move = (int)json_integer_value(json_array_get(op, 2));
        char const *hex = json_string_value(json_array_get(op, 3));
        int endpoint = (int)json_integer_value(json_array_get(op, 4));
        int ret = number(step, "ret");
        unsigned char after[1 + BOARD_BOXES];
        ck_assert(prev < MOST && ret < MOST);
        if (known[prev]) {
            ck_assert_int_eq(board_move(&level, states[prev], move % BOARD_PUSH, after), move);
            assert_state(&level, after, hex);
            ck_assert_int_eq(board_solved(&level, after), endpoint);
            ++*adds;
        }
        hex_state(states[ret], hex);
        known[ret] = true;
    }
    free(states);
    free(known);
}

START_TEST(sessions_follow_the_rules)
{
    int adds = 0;
    ck_assert_int_eq(each_record(session_follows_the_rules, &adds), 12);
    ck_assert_int_gt(adds, 5000);
}
END_TEST

START_TEST(walls_edges_and_second_boxes_stop_the_player)
{
    struct board_level level;
    unsigned char after[1 + BOARD_BOXES];
    /* No wall at the left edge: it stops the player all the same, and does not wrap. */
    ck_assert_int_eq(read_text(&level, "##.##\n@$$.#\n#####\n", 0), BOARD_OK);
    ck_assert_int_eq(board_move(&level, level.initial, BOARD_LEFT, after), -1);
    ck_assert_int_eq(board_move(&level, level.initial, BOARD_UP, after), -1);
    ck_assert_int_eq(board_move(&level, level.initial, BOARD_DOWN, after), -1);
    ck_assert_int_eq(board_move(&level, level.initial, BOARD_RIGHT, after), -1);
    ck_assert_int_eq(read_text(&level, "#####\n#.$@ \n#####\n", 0), BOARD_OK);
    ck_assert_int_eq(board_move(&level, level.initial, BOARD_RIGHT, after), BOARD_RIGHT);
    ck_assert_int_eq(board_move(&level, after, BOARD_RIGHT, after), -1);
    ck_assert_int_eq(board_move(&level, level.initial, BOARD_LEFT, after), BOARD_LEFT + BOARD_PUSH);
    ck_assert(board_solved(&level, after));
    ck_assert_int_eq(board_move(&level, after, BOARD_LEFT, after), -1);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s CASES LEVELS\n", argv[0]);
        return 2;
    }
    cases_folder = argv[1];
    levels_path = argv[2];
    Suite *suite = suite_create("board");
    TCase *tests = tcase_create("board");
    suite_add_tcase(suite, tests);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, levels_are_those_of_the_cases);
    tcase_add_test(tests, number_0_is_the_first_level);
    tcase_add_test(tests, level_that_is_not_there_is_told);
    tcase_add_test(tests, level_without_a_number_gets_the_next_one);
    tcase_add_test(tests, level_that_can_not_be_played_is_refused);
    tcase_add_test(tests, shortest_solutions_solve_all_levels);
    tcase_add_test(tests, sessions_follow_the_rules);
    tcase_add_test(tests, walls_edges_and_second_boxes_stop_the_player);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
