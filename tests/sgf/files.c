#include "tests/sgf/files.h"

#include <stdlib.h>

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

struct games *games_read(void const *data, size_t size, redo_sgf_options const *options)
{
    struct games *g = need(calloc(1, sizeof *g));
    g->reader = need(redo_sgf_reader_open_bytes(data, size, options));
    for (;;) {
        redo_sgf_game *game;
        g->code = redo_sgf_reader_next(g->reader, &game);
        if (g->code || !game)
            break;
        if (g->count == sizeof g->game / sizeof *g->game)
            abort();
        g->game[g->count++] = game;
    }
    g->tail = redo_sgf_reader_tail(g->reader);
    return g;
}

void games_close(struct games *g)
{
    for (size_t i = 0; i < g->count; i++)
        redo_sgf_game_free(g->game[i]);
    redo_sgf_reader_close(g->reader);
    free(g);
}

struct bytes games_write(struct games const *g, int flags)
{
    struct bytes b = {0};
    for (size_t i = 0; i < g->count; i++)
        if (redo_sgf_game_write(g->game[i], flags, bytes_put, &b))
            abort();
    if (!(flags & REDO_SGF_PLAIN))
        bytes_put(&b, g->tail.data, g->tail.size);
    return b;
}
