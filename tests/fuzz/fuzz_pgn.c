/* Any bytes as a file of PGN games. What is read is written and read again: the same games; and
 * written once more, the same bytes. What is refused has an error with a place. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/pgn/files.h"

static char const *const examples[] = {
    "[Event \"F/S\"]\n[White \"a \\\"b\\\" \\\\\"]\n\n1. e4! {x} e5 $14 (1... c5 ; line }\n2. Nf3 "
    "(2. c3)) {y} 2. Nf3 Nc6 1-0 {end}\n\n{next} 12... O-O 1/2-1/2\n",
    "\xef\xbb\xbf{a\r\nb}1.e4 e5 ({z} 1... d5!? =) () ({c}) (1... --) 2. exd6 e.p. (2. a 0-1) *",
    "[A \"caf\xe9\"]\n\n[Event \"x\"]\n%escape\n1. e4 +- ?!? *\n[B \"\"]",
    "\xff\xfe[\0A\0 \0\"\0\xe9\0\"\0]\0*\0",
};

size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    which %= sizeof examples / sizeof *examples;
    size_t size = which == 3 ? 18 : strlen(examples[which]);
    memcpy(data, examples[which], size);
    return size;
}

static redo_pgn_options const options = {{65536, 1 << 20, 200, 20}, NULL};

static void check_error(struct games const *g)
{
    redo_text_error const *e = redo_pgn_reader_error(g->reader);
    HOLD(e->code == g->code && e->line > 0 && e->column > 0 && e->message[0]);
    HOLD(g->code == REDO_EDAMAGED || g->code == REDO_EUTF8 || g->code == REDO_EFULL);
}

static void check_again(struct games const *g)
{
    struct bytes written = games_write(g);
    struct games *again = games_read(written.data, written.size, &options);
    /* Numbers, spaces and escapes are added. */
    if (again->code != REDO_EFULL) {
        HOLD(again->code == REDO_OK && again->count == g->count);
        for (size_t i = 0; i < g->count; i++)
            HOLD(redo_pgn_game_equal(g->game[i], again->game[i]));
        struct bytes same = games_write(again);
        HOLD(same.size == written.size && memcmp(same.data, written.data, same.size) == 0);
        bytes_free(&same);
    }
    games_close(again);
    bytes_free(&written);
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    struct games *g = games_read(data, size, &options);
    if (g->code)
        check_error(g);
    else
        check_again(g);
    games_close(g);
    return 0;
}
