#include "tests/pgn/files.h"

#include <stdlib.h>

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

struct games *games_read(void const *data, size_t size, redo_pgn_options const *options)
{
    struct games *g = need(calloc(1, sizeof *g));
    g->reader = need(redo_pgn_reader_open_bytes(data, size, options));
    for (;;) {
        redo_pgn_game *game;
        g->code = redo_pgn_reader_next(g->reader, &game);
        if (g->code || !game)
            break;
        if (g->count == sizeof g->game / sizeof *g->game)
            abort();
        g->game[g->count++] = game;
    }
    return g;
}

void games_close(struct games *g)
{
    for (size_t i = 0; i < g->count; i++)
        redo_pgn_game_free(g->game[i]);
    redo_pgn_reader_close(g->reader);
    free(g);
}

struct bytes games_write(struct games const *g)
{
    struct bytes b = {0};
    for (size_t i = 0; i < g->count; i++)
        if (redo_pgn_game_write(g->game[i], bytes_put, &b))
            abort();
    return b;
}
