/* Any bytes as a file of SGF games. What is read is written and read again: the same games; and
 * what was in UTF-8 comes out with the same bytes. What is refused has an error with a place. */
#include <string.h>

#include "client/sgf/redo_sgf.h"
#include "client/text/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "tests/sgf/files.h"

static char const *const examples[] = {
    "(;FF[4]GM[1]C[x\\]y];B[aa](;W[bb]N[n]AB[aa:cc][dd])(;W[cc];B[]))\n(;GM[6];W[31hefe])\n",
    "text (;CA[GB2312]C[\xce\xa7\xc6\xe5];B[aa])(TE[a]PB[b];B[aa];W[bb](X[y](;)(;))(Z[1]))",
    "(;C[\x83\x5c\x83\x5d\x82\xcc];W[a](;B[b])(;B[c]))(;C[caf\xe9]CA[latin1])",
    "\xef\xbb\xbf(;COmment[\xc3\xa4\xe5\x85\x88\\\n\\\\]\r\n  ;B [a] [b]\n( ;W[c] ) )",
    "\xff\xfe(\0;\0C\0[\0\xe9\0]\0)\0(\0;\0)\0",
};

size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    which %= sizeof examples / sizeof *examples;
    size_t size = which == 4 ? 22 : strlen(examples[which]);
    memcpy(data, examples[which], size);
    return size;
}

static redo_sgf_options const options = {{65536, 1 << 20, 200, 20}, NULL};

/* That nothing was converted, nor declared: then the bytes have to be the same. */
static int plain_utf8(struct games const *g)
{
    for (size_t i = 0; i < g->count; i++)
        if (strcmp(redo_sgf_game_charset(g->game[i]), "UTF-8") != 0 ||
            redo_sgf_node_property(redo_sgf_game_root(g->game[i]), "CA"))
            return 0;
    return 1;
}

static void check_again(struct games const *g, struct bytes const *written)
{
    struct games *again = games_read(written->data, written->size, &options);
    /* UTF-8 takes more room than some charsets, and CA is added. */
    if (again->code != REDO_EFULL) {
        HOLD(again->code == REDO_OK && again->count == g->count);
        for (size_t i = 0; i < g->count; i++)
            HOLD(redo_sgf_game_equal(g->game[i], again->game[i]));
    }
    games_close(again);
}

static void check_error(struct games const *g)
{
    redo_sgf_error const *e = redo_sgf_reader_error(g->reader);
    HOLD(e->code == g->code && e->line > 0 && e->column > 0 && e->message[0]);
    HOLD(g->code == REDO_EDAMAGED || g->code == REDO_EUTF8 || g->code == REDO_EFULL);
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    struct games *g = games_read(data, size, &options);
    if (g->code) {
        check_error(g);
    } else {
        struct bytes same = games_write(g, 0), plain = games_write(g, REDO_SGF_PLAIN);
        if (plain_utf8(g) && utf8_scan((char const *)data, size) == size)
            HOLD(same.size == size && memcmp(same.data, data, size) == 0);
        check_again(g, &same);
        check_again(g, &plain);
        bytes_free(&same);
        bytes_free(&plain);
    }
    games_close(g);
    return 0;
}
