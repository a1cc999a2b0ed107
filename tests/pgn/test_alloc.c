/* Lack of memory: every allocation fails once, and then from there on. Each call says so, and
 * nothing leaks or breaks. */
#include <string.h>

#include "client/pgn/redo_pgn.h"
#include "tests/suite.h"
#include "tests/faults.h"

static int to_nowhere(void *data, char const *bytes, size_t size)
{
    return 0;
}

/* The text is so long that it takes a block of its own. */
static int change(redo_pgn_game *g)
{
    static char text[100000];
    redo_pgn_node *n = NULL;
    memset(text, 'x', sizeof text);
    int code = redo_pgn_node_add(g, redo_pgn_game_root(g), text, sizeof text, &n);
    for (int i = 0; code == REDO_OK && i < 100; i++)
        code = redo_pgn_nag_add(g, n, 1, "!");
    if (code == REDO_OK)
        code = redo_pgn_comment_add(g, n, REDO_PGN_AFTER, text, sizeof text, 0);
    if (code == REDO_OK)
        code = redo_pgn_tag_add(g, "A", 1, text, sizeof text);
    if (code == REDO_OK)
        code = redo_pgn_tag_set(g, redo_pgn_game_tag(g, "A"), text, sizeof text);
    return code;
}

static int work(void *text)
{
    redo_pgn_game *g = NULL;
    redo_pgn_reader *r = redo_pgn_reader_open_bytes(text, strlen(text), NULL);
    int code = r ? REDO_OK : REDO_ENOMEM;
    while (code == REDO_OK && (code = redo_pgn_reader_next(r, &g)) == REDO_OK && g) {
        code = change(g);
        if (code == REDO_OK)
            code = redo_pgn_game_write(g, to_nowhere, NULL);
        redo_pgn_game_free(g);
    }
    redo_pgn_reader_close(r);
    if (code == REDO_OK) {
        g = redo_pgn_game_new();
        code = g ? REDO_OK : REDO_ENOMEM;
        redo_pgn_game_free(g);
    }
    return code;
}

static char const *const texts[] = {
    "[A \"\\\"\"] {x\r\ny} 1. e4 (1. d4 e.p. {x}) e5! $1 *\n\n{z} 1. e4 1-0",
    "[A \"\xe9\"] ; x\n1. e4 (d4 (d5) c4 (c5 (d6)))",
};

START_TEST(every_allocation_may_fail)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_int_gt(faults_try(work, (void *)texts[i]), 7);
}
END_TEST

TEST_MAIN("pgn-alloc", every_allocation_may_fail)
