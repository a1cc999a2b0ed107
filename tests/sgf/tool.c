/* What the library makes of a file, for tests in Python and by hand.
 *
 *   sgf-tool copy FILE    the file as read and written again
 *   sgf-tool plain FILE   the same in the plain form
 *   sgf-tool dump FILE    a line for each node: game, node, depth, line of play ...: see below
 *   sgf-tool stream FILE  as copy, read in pieces from standard input or FILE, game by game
 *
 * An error is printed as LINE:COLUMN: MESSAGE, and ends the program with status 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sgf/files.h"

static int complain(redo_sgf_reader const *r)
{
    redo_sgf_error const *e = redo_sgf_reader_error(r);
    fflush(stdout);
    fprintf(stderr, "%lu:%lu: %s\n", e->line, e->column, e->message);
    return 1;
}

static int to_stdout(void *data, char const *bytes, size_t size)
{
    return fwrite(bytes, 1, size, stdout) == size ? 0 : REDO_EIO;
}

static void print_hex(redo_sgf_string s)
{
    for (size_t i = 0; i < s.size; i++)
        printf("%02x", (unsigned char)s.data[i]);
}

/* NODE PARENT NAME=HEX,HEX NAME=... with nodes by number in the order of the file. */
static void dump_node(redo_sgf_node const *n, size_t number, size_t parent)
{
    printf("node %zu %zu", number, parent);
    for (redo_sgf_property *p = redo_sgf_node_properties(n); p; p = redo_sgf_property_next(p)) {
        redo_sgf_string name = redo_sgf_property_name(p);
        printf(" %.*s", (int)name.size, name.data);
        char const *between = "=";
        for (redo_sgf_value *v = redo_sgf_property_values(p); v; v = redo_sgf_value_next(v)) {
            fputs(between, stdout);
            print_hex(redo_sgf_value_raw(v));
            between = ",";
        }
    }
    putchar('\n');
}

static void dump_game(redo_sgf_game const *g)
{
    redo_sgf_node const *root = redo_sgf_game_root(g), *n = root;
    size_t count = 0, cap = 1024, depth = 0;
    size_t *path = calloc(cap, sizeof *path); /* the numbers of the nodes above */
    printf("game %s %s\n", redo_sgf_game_charset(g), redo_sgf_game_guessed(g) ? "guessed" : "told");
    while (n && path) {
        dump_node(n, ++count, depth > 0 ? path[depth - 1] : 0);
        if (redo_sgf_node_first(n)) {
            if (depth + 1 == cap)
                path = realloc(path, (cap *= 2) * sizeof *path);
            path[depth++] = count;
        } else {
            for (redo_sgf_node const *m = n; m != root && !redo_sgf_node_next(m);
                 m = redo_sgf_node_parent(m))
                depth--;
        }
        n = redo_sgf_node_after(n, root);
    }
    free(path);
}

static int with_games(char const *what, char const *path)
{
    struct bytes file = file_read(path);
    struct games *g = games_read(file.data, file.size, NULL);
    int status = g->code ? complain(g->reader) : 0;
    if (!status && strcmp(what, "dump") == 0) {
        for (size_t i = 0; i < g->count; i++)
            dump_game(g->game[i]);
    } else if (!status) {
        struct bytes b = games_write(g, strcmp(what, "plain") == 0 ? REDO_SGF_PLAIN : 0);
        to_stdout(NULL, b.data, b.size);
        bytes_free(&b);
    }
    games_close(g);
    bytes_free(&file);
    return status;
}

static long from_file(void *data, char *buffer, size_t size)
{
    size_t got = fread(buffer, 1, size < 4000 ? size : 4000, data);
    return ferror(data) ? -1 : (long)got;
}

static int stream(char const *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    redo_sgf_game *game;
    int code;
    if (!file) {
        perror(path);
        return 2;
    }
    redo_sgf_reader *r = redo_sgf_reader_open(from_file, file, NULL);
    while ((code = redo_sgf_reader_next(r, &game)) == REDO_OK && game) {
        redo_sgf_game_write(game, 0, to_stdout, NULL);
        redo_sgf_game_free(game);
    }
    redo_sgf_string tail = redo_sgf_reader_tail(r);
    if (code == REDO_OK)
        to_stdout(NULL, tail.data, tail.size);
    int status = code ? complain(r) : 0;
    redo_sgf_reader_close(r);
    fclose(file);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: sgf-tool copy|plain|dump|stream FILE\n");
        return 2;
    }
    return strcmp(argv[1], "stream") == 0 ? stream(argv[2]) : with_games(argv[1], argv[2]);
}
