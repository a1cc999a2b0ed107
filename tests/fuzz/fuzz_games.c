/* Any bytes as a file of games. Each game becomes a session, which goes through bytes and is
 * written again; what was written becomes the same session, and is written as the same bytes. */
#include <string.h>

#include "client/games/games.h"
#include "tests/fuzz/session.h"
#include "tests/sgf/files.h"

static char const *const heads[] = {
    "(;FF[4]GM[6]CA[UTF-8]MI[length:5][game:1][ws:0][bs:2]PW[a\\]b]RU[Jacoby]CV[4]RE[W+4R]XX[y]",
    "(;GM[6]MI[length:0]", "(;GM[1]FF[4]"};
static char const *const nodes[] = {
    "\n;W[31hefe]DA[E ver 3 0C 1 0.000000 1 0.1 0.1 0.1 0.1 0.1 "
    "0.1 0.1 0.2 0.2 0.2 0.2 0.2 0.2 0.2]"
    "A[0][hefe E ver 3 0.5 0.2 0.0 0.1 0.0 0.2 0C 0 1 0.0 1][mjxw "
    "]MR[1 2 ]LU[0.2]GW[2]BC[1]C[x\\]]",
    "\n;B[64aggk]A[1][lrlp ]",
    "\n(;W[double]CR[];B[take])",
    "\n;B[double];W[drop]",
    "\n;PL[B]AE[a:y]AW[f][f][y]AB[s][s];PL[W]DI[63];W[63]",
    "\n;PL[W]DI[55];W[55hchcfafa]A[0][hchcfafa ]",
    "\n(;PL[W]CV[4]CP[w]XM[length:7][ws:3])",
    "\n(;PL[W]XM[open]CR[]DA[E ver 3 2C 1 0.0 1 0.1 0.1 0.1 0.1 0.1 "
    "0.1 0.1 0.2 0.2 0.2 0.2 0.2 0.2 0.2])",
    "\n;PL[B]DI[65];B[65aggl]DA[E ver 3 0C 1 0.0 1 0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.2 0.2 0.2 0.2 0.2 "
    "0.2 0.2]CR[]BC[1]",
    "\n;W[52mhmk]",
    "\n(;XM[end])(;CV[2]XM[after:31][bs:1])",
    "\n( ;C[a]C [b] [c] )",
    ";;",
    ")(;"};

size_t fuzz_example(uint64_t which, uint8_t *data, size_t cap)
{
    size_t size =
        fuzz_pieces(which, heads, FUZZ_COUNT(heads), nodes, FUZZ_COUNT(nodes), data, cap - 1);
    data[size++] = ')';
    return size;
}

static redo_sgf_options const options = {{65536, 1 << 20, 200, 20}, NULL};

static struct bytes written(redo_session *session)
{
    struct bytes b = {0};
    redo_sgf_error error;
    redo_sgf_game *game = game_export_sgf(session, &error);
    HOLD(game != NULL);
    HOLD(redo_sgf_game_write(game, 0, bytes_put, &b) == REDO_OK);
    redo_sgf_game_free(game);
    return b;
}

static void check_game(redo_sgf_game *game)
{
    redo_sgf_error error;
    redo_session *session = game_import_sgf(game, true, &error);
    if (!session) {
        HOLD(error.code != REDO_OK && error.message[0]);
        return;
    }
    redo_session *loaded = fuzz_reload(session);
    fuzz_hold_all_told(loaded);
    struct bytes b = written(loaded), again;
    redo_endsession(loaded);
    struct games *g = games_read(b.data, b.size, NULL);
    HOLD(g->code == REDO_OK && g->count == 1);
    redo_session *second = game_import_sgf(g->game[0], true, &error);
    HOLD(second != NULL && game_format(second) == game_format(session));
    HOLD(redo_getsessionsize(second) == redo_getsessionsize(session));
    again = written(second);
    HOLD(again.size == b.size && memcmp(again.data, b.data, b.size) == 0);
    redo_endsession(second);
    redo_endsession(session);
    games_close(g);
    bytes_free(&b);
    bytes_free(&again);
}

int LLVMFuzzerTestOneInput(uint8_t const *data, size_t size)
{
    struct games *g = games_read(data, size, &options);
    for (size_t i = 0; i < g->count; i++)
        check_game(g->game[i]);
    games_close(g);
    return 0;
}
