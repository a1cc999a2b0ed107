#include "tests/sgf/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

int bytes_put(void *bytes, char const *data, size_t size)
{
    struct bytes *b = bytes;
    if (size > b->cap - b->size) {
        b->cap = 2 * b->cap + size + 1024;
        b->data = need(realloc(b->data, b->cap));
    }
    if (size > 0)
        memcpy(b->data + b->size, data, size);
    b->size += size;
    return 0;
}

void bytes_free(struct bytes *b)
{
    free(b->data);
}

struct bytes file_read(char const *path)
{
    struct bytes b = {0};
    char piece[65536];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        bytes_put(&b, piece, got);
    fclose(file);
    return b;
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

void games_free(struct games *g)
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
