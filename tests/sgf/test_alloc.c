/* Lack of memory: every allocation fails once, and then from there on. Each call says so, and
 * nothing leaks or breaks. */
#include <string.h>

#include "client/sgf/gnubg.h"
#include "tests/suite.h"
#include "tests/faults.h"

static int to_nowhere(void *data, char const *bytes, size_t size)
{
    *(size_t *)data += size;
    return 0;
}

/* The value is so long that it takes a block of its own. */
static int change(redo_sgf_game *g)
{
    static char long_value[100000];
    redo_sgf_property *p;
    redo_sgf_node *n = redo_sgf_node_add(g, redo_sgf_game_root(g));
    if (!n)
        return REDO_ENOMEM;
    int code = redo_sgf_property_add(g, n, "C", 1, &p);
    memset(long_value, 'x', sizeof long_value);
    for (int i = 0; code == REDO_OK && i < 100; i++)
        code = redo_sgf_value_add(g, p, "abc", 3);
    if (code == REDO_OK)
        code = redo_sgf_value_set(g, redo_sgf_property_values(p), long_value, sizeof long_value);
    return code;
}

/* Makes the last record of a game anew. */
static int remake(redo_sgf_game *g)
{
    redo_sgf_error error;
    struct gnubg_header h = {0};
    struct gnubg_record r = {0};
    redo_sgf_game *made = redo_sgf_game_new();
    redo_sgf_node *last = redo_sgf_node_first(redo_sgf_game_root(g));
    int code = made ? gnubg_header_read(g, &h, &error) : REDO_ENOMEM;
    if (code == REDO_OK)
        code = gnubg_header_write(made, &h);
    if (code == REDO_OK)
        code = gnubg_record_read(g, last, &r, &error);
    if (code == REDO_OK) {
        r.cube_analysis.text.data = NULL;
        for (size_t i = 0; i < r.count; i++)
            r.candidates[i].text.data = NULL;
        redo_sgf_node *n = redo_sgf_node_add(made, redo_sgf_game_root(made));
        code = n ? gnubg_record_write(made, n, &r) : REDO_ENOMEM;
    }
    gnubg_record_free(&r);
    gnubg_header_free(&h);
    redo_sgf_game_free(made);
    return code;
}

static int work(void *text)
{
    size_t written = 0;
    redo_sgf_game *g;
    redo_sgf_reader *r = redo_sgf_reader_open_bytes(text, strlen(text), NULL);
    int code = r ? REDO_OK : REDO_ENOMEM;
    while (code == REDO_OK && (code = redo_sgf_reader_next(r, &g)) == REDO_OK && g) {
        code = gnubg_is(g) ? remake(g) : change(g);
        if (code == REDO_OK)
            code = redo_sgf_game_write(g, 0, to_nowhere, &written);
        redo_sgf_game_free(g);
    }
    redo_sgf_reader_close(r);
    if (code == REDO_OK) {
        g = redo_sgf_game_new();
        code = g ? REDO_OK : REDO_ENOMEM;
        redo_sgf_game_free(g);
    }
    return code;
}

static char const *const texts[] = {
    "x (;C[a];B[aa](;W[bb])(;W[cc]))\n(;N[x])\n",
    "(;GM[6]MI[length:3];W[31hefe]A[0][hefe E ver 3 1 2 3 4 5 6 0C 0 1 0.0 1]MR[1 ]DA[E ver 3 0C 1 "
    "0 1 "
    "1 1 1 1 1 1 1 2 2 2 2 2 2 2]C[x]C[y])",
    "(;CA[GB2312]C[\xce\xa7\xc6\xe5];B[aa])\n(;C[\x83\x5c\x83\x5d\x82\xcc])",
};

START_TEST(every_allocation_may_fail)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_int_gt(faults_try(work, (void *)texts[i]), 7);
}
END_TEST

TEST_MAIN("sgf-alloc", every_allocation_may_fail)
