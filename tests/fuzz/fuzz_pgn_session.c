/* Any bytes as a file of PGN games. Each becomes a session, which goes through bytes; the game that
 * is made of that is the one that was read, and is written as the same bytes. */
#include <string.h>

#include "client/games/games.h"
#include "tests/fuzz/session.h"
#include "tests/pgn/files.h"

static char const *const heads[] = {
    "[Event \"F/S\"]\n[Site \"\"]\n[White \"a \\\"b\\\" \\\\\"]\n[White \"twice\"]\n[Result "
    "\"1-0\"]\n\n{start} ; more\n",
    "[FEN \"8/8/8/8/8/8/8/8 b - - 0 12\"]\n[WhiteElo \"2000\"]\n", "", "12... "};
static char const *const pieces[] = {
    "1. e4 e5 {a} {b} 2. Nf3 ",
    "(1. d4 $1 $14 d5!? (1... Nf6 {x}) ; line }\n 2. c4) ",
    "({before} 1. e4 {after}) {alone} (2... -- 3. e4) ",
    "e4 ({z} e4 ({y} e4)) e4 {same text} ",
    "Nf3! $2 $65535 +- ",
    "1-0 {end} ; and\n\n[Black \"]\"]\n*\n",
    "1/2-1/2 {next} ",
    "O-O-O {a\nb\r\n c} e2-e4 e.p. ",
    "\n%escape\n; } {\n",
};

size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    return fuzz_pieces(which, heads, FUZZ_COUNT(heads), pieces, FUZZ_COUNT(pieces), data, cap);
}

static redo_pgn_options const options = {{65536, 1 << 20, 200, 20}, NULL};

static struct bytes written(redo_pgn_game const *game)
{
    struct bytes b = {0};
    HOLD(redo_pgn_game_write(game, bytes_put, &b) == REDO_OK);
    return b;
}

static void check_game(redo_pgn_game *game)
{
    redo_sgf_error error;
    redo_session *session = game_import_pgn(game, &error);
    HOLD(session != NULL && game_format(session) == GAME_PGN);
    redo_session *loaded = fuzz_reload(session);
    fuzz_hold_all_told(loaded);
    redo_endsession(session);
    redo_pgn_game *back = game_export_pgn(loaded, &error);
    if (!back)
        fprintf(stderr, "%s\n", error.message);
    HOLD(back != NULL);
    HOLD(redo_pgn_game_equal(game, back));
    struct bytes a = written(game), b = written(back);
    HOLD(a.size == b.size && memcmp(a.data, b.data, a.size) == 0);
    bytes_free(&a);
    bytes_free(&b);
    redo_pgn_game_free(back);
    redo_endsession(loaded);
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    struct games *g = games_read(data, size, &options);
    for (size_t i = 0; i < g->count; i++)
        check_game(g->game[i]);
    games_close(g);
    return 0;
}
