/* Any bytes as a match. What is read is written, as it was and in gnubg's layout, and read again:
 * the same match; what was UTF-8 comes out with the same bytes. What is refused has an error with a
 * place. */
#include <string.h>

#include "client/mat/redo_mat.h"
#include "tests/fuzz/fuzz.h"
#include "tests/text/bytes.h"

static char const *const examples[] = {
    "; [Site \"x\"]\n; [Player 1 \"Al\"]\n\n; note\n 5 point match\n\n Game 1\n"
    " Al : 0                         Bo : 0\n"
    "  1)                             31: 8/5 6/5 \n"
    "  2)  Doubles => 2                Beavers => 4\n"
    "  3)  Beavers => 8                 \n"
    "  4) 66: 24/18 24/18 18/12* 18/12 51: \n"
    "      Wins 2 points\n\n Game 2\n Al : 2                         Bo : 0\n"
    "  1) 42: 8/4 6/4                 63: ",
    "0 point match\r\nGame 1\r\nKen : 1\r\nJ\xfcrg : 2\r\n1) 4-1: bar/24* 6/off(2)   11: Cannot "
    "Move\r\n"
    "2) Takes  Drops\r\n; so\r\n 29)                             Wins 4 point and the match\r\n",
    "\xff\xfeG\0a\0m\0e\0 \0001\0\n\0a\0:\0000\0b\0:\0000\0",
    " Game 1\nA very long name of a player in : 0Bo : 0\n  1) ????                    31: 8/7/4(2) "
    " Al "
    "Wins 1 point\n",
};

size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    which %= sizeof examples / sizeof *examples;
    size_t size = which == 2 ? 28 : strlen(examples[which]);
    memcpy(data, examples[which], size);
    return size;
}

static redo_mat_options const options = {{65536, 1 << 20, 200, 20}, NULL};

static struct bytes written(redo_mat_match const *m, int flags)
{
    struct bytes b = {0};
    HOLD(redo_mat_write(m, flags, bytes_put, &b) == REDO_OK);
    return b;
}

static void check_again(redo_mat_match const *m, struct bytes const *b)
{
    redo_mat_match *again;
    redo_text_error error;
    int code = redo_mat_read_bytes(b->data, b->size, &options, &again, &error);
    /* Layout takes room. */
    if (code == REDO_EFULL)
        return;
    HOLD(code == REDO_OK);
    HOLD(redo_mat_equal(m, again));
    redo_mat_match_free(again);
}

static void check_moves(redo_mat_match const *m)
{
    redo_mat_hop hops[8], same[8];
    char text[200];
    for (redo_mat_game const *g = redo_mat_games(m); g; g = g->next)
        for (redo_mat_action const *a = g->first; a; a = a->next) {
            int count = redo_mat_move_read(a->text, hops, 8);
            if (count < 0 || count > 8)
                continue;
            size_t size = redo_mat_move_write(hops, count, text, sizeof text);
            HOLD(redo_mat_move_read((redo_text_string){text, size}, same, 8) == count);
            HOLD(memcmp(hops, same, (size_t)count * sizeof *hops) == 0);
        }
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    redo_mat_match *m;
    redo_text_error e;
    int code = redo_mat_read_bytes(data, size, &options, &m, &e);
    if (code) {
        HOLD(e.code == code && e.line > 0 && e.column > 0 && e.message[0]);
        HOLD(code == REDO_EDAMAGED || code == REDO_EUTF8 || code == REDO_EFULL);
        return 0;
    }
    struct bytes same = written(m, 0), plain = written(m, REDO_MAT_PLAIN);
    if (strcmp(redo_mat_charset(m), "UTF-8") == 0)
        HOLD(same.size == size && (size == 0 || memcmp(same.data, data, size) == 0));
    check_again(m, &same);
    check_again(m, &plain);
    check_moves(m);
    bytes_free(&same);
    bytes_free(&plain);
    redo_mat_match_free(m);
    return 0;
}
