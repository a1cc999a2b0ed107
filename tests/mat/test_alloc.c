/* Lack of memory: every allocation fails once, and then from there on. Each call says so, and
 * nothing leaks or breaks. */
#include <string.h>

#include "client/mat/redo_mat.h"
#include "tests/suite.h"
#include "tests/faults.h"

static int to_nowhere(void *data, char const *bytes, size_t size)
{
    return 0;
}

static int change(redo_mat_match *m)
{
    static char text[10000];
    redo_text_string names[] = {{"a", 1}, {"b", 1}}, none = {"", 0};
    unsigned long scores[] = {0, 0};
    redo_mat_game *g;
    memset(text, 'x', sizeof text);
    redo_mat_action action = {NULL, REDO_MAT_OTHER, 0, {0, 0}, 0, 0, {text, sizeof text}, 0, 0};
    int code = redo_mat_game_add(m, 2, names, scores, &g);
    for (int i = 0; code == REDO_OK && i < 20; i++)
        code = redo_mat_action_add(m, g, &action);
    if (code == REDO_OK)
        code = redo_mat_header_add(m, REDO_MAT_NOTE, none, action.text);
    return code;
}

static int work(void *text)
{
    redo_mat_match *m;
    redo_text_error error;
    int code = redo_mat_read_bytes(text, strlen(text), NULL, &m, &error);
    if (code == REDO_OK)
        code = change(m);
    if (code == REDO_OK)
        code = redo_mat_write(m, 0, to_nowhere, NULL);
    redo_mat_match_free(m);
    if (code == REDO_OK) {
        m = redo_mat_match_new();
        code = m ? REDO_OK : REDO_ENOMEM;
        redo_mat_match_free(m);
    }
    return code;
}

START_TEST(every_allocation_may_fail)
{
    ck_assert_int_gt(faults_try(work, "; [a \"b\"]\n 5 point match\n Game 1\n J\xfc : 0 Bo : 0\n"
                                      "  1) 31: 8/5 6/5   Doubles => 2\n; x\n"),
                     7);
}
END_TEST

TEST_MAIN("mat-alloc", every_allocation_may_fail)
