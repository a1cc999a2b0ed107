/* What the library makes of a file, for tests in Python and by hand.
 *
 *   pgn-tool copy FILE [CHARSET]    the games as read and written again, game by game
 *   pgn-tool dump FILE [CHARSET]    a line for each part: see below
 *   pgn-tool count FILE [CHARSET]   games, moves, variations, comments, NAGs, tags
 *
 * An error is printed as LINE:COLUMN: MESSAGE, and ends the program with status 1. FILE - is the
 * standard input.
 */
#include <stdio.h>
#include <string.h>

#include "client/pgn/redo_pgn.h"
#include "core/redo_error.h"

static struct {
    unsigned long games, moves, variations, comments, nags, tags;
} counts;

static int to_stdout(void *data, char const *bytes, size_t size)
{
    return fwrite(bytes, 1, size, stdout) == size ? 0 : REDO_EIO;
}

static long from_file(void *data, char *buffer, size_t size)
{
    size_t got = fread(buffer, 1, size, data);
    return ferror((FILE *)data) ? -1 : (long)got;
}

/* Text in quotes on one line. */
static void print(redo_text_string s)
{
    putchar('"');
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] == '\n')
            fputs("\\n", stdout);
        else if (s.data[i] == '"' || s.data[i] == '\\')
            printf("\\%c", s.data[i]);
        else
            putchar(s.data[i]);
    }
    putchar('"');
}

static void dump_comments(char const *name, redo_pgn_node const *n, enum redo_pgn_where where)
{
    for (redo_pgn_comment *c = redo_pgn_node_comments(n, where); c; c = redo_pgn_comment_next(c)) {
        printf(" %s%s", name, redo_pgn_comment_line(c) ? ";" : "");
        print(redo_pgn_comment_text(c));
    }
}

/* node DEPTH "MOVE" and its NAGs and comments. A node's parent is the last one before it of a depth
 * one less. */
static void dump_node(redo_pgn_node const *n, size_t depth)
{
    printf("node %zu ", depth);
    print(redo_pgn_node_move(n));
    for (redo_pgn_nag *nag = redo_pgn_node_nags(n); nag; nag = redo_pgn_nag_next(nag)) {
        redo_text_string sign = redo_pgn_nag_sign(nag);
        printf(" $%u%.*s", redo_pgn_nag_number(nag), (int)sign.size, sign.data);
    }
    dump_comments("before", n, REDO_PGN_BEFORE);
    dump_comments("after", n, REDO_PGN_AFTER);
    putchar('\n');
}

static void dump_root(redo_pgn_game const *g)
{
    unsigned long number;
    int black;
    redo_pgn_node const *root = redo_pgn_game_root(g);
    redo_pgn_game_start(g, &number, &black);
    printf("game %s %lu%s %d\n", redo_pgn_game_charset(g), number, black ? "..." : ".",
           (int)redo_pgn_game_result(g));
    for (redo_pgn_tag *t = redo_pgn_game_tags(g); t; t = redo_pgn_tag_next(t)) {
        redo_text_string name = redo_pgn_tag_name(t);
        printf("tag %.*s ", (int)name.size, name.data);
        print(redo_pgn_tag_value(t));
        putchar('\n');
    }
    printf("root");
    dump_comments("after", root, REDO_PGN_AFTER);
    dump_comments("end", root, REDO_PGN_END);
    putchar('\n');
}

static void dump(redo_pgn_game const *g)
{
    redo_pgn_node const *root = redo_pgn_game_root(g), *n = root;
    size_t depth = 0;
    dump_root(g);
    while (n) {
        if (redo_pgn_node_first(n)) {
            depth++;
        } else {
            for (redo_pgn_node const *m = n; m != root && !redo_pgn_node_next(m);
                 m = redo_pgn_node_parent(m))
                depth--;
        }
        n = redo_pgn_node_after(n, root);
        if (n)
            dump_node(n, depth);
    }
}

static unsigned long length(redo_pgn_comment const *c)
{
    unsigned long n = 0;
    for (; c; c = redo_pgn_comment_next(c))
        n++;
    return n;
}

static void count(redo_pgn_game const *g)
{
    redo_pgn_node const *root = redo_pgn_game_root(g);
    counts.games++;
    for (redo_pgn_tag *t = redo_pgn_game_tags(g); t; t = redo_pgn_tag_next(t))
        counts.tags++;
    counts.comments += length(redo_pgn_node_comments(root, REDO_PGN_END));
    for (redo_pgn_node const *n = root; n; n = redo_pgn_node_after(n, root)) {
        counts.moves += n != root;
        counts.variations += redo_pgn_node_previous(n) != NULL;
        counts.comments += length(redo_pgn_node_comments(n, REDO_PGN_AFTER));
        if (n != root)
            counts.comments += length(redo_pgn_node_comments(n, REDO_PGN_BEFORE));
        for (redo_pgn_nag *nag = redo_pgn_node_nags(n); nag; nag = redo_pgn_nag_next(nag))
            counts.nags++;
    }
}

int main(int argc, char **argv)
{
    redo_pgn_options options;
    redo_pgn_game *game;
    int code;
    redo_pgn_options_init(&options);
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: pgn-tool copy|dump|count FILE [CHARSET]\n");
        return 2;
    }
    options.charset = argv[3];
    FILE *file = strcmp(argv[2], "-") == 0 ? stdin : fopen(argv[2], "rb");
    if (!file) {
        perror(argv[2]);
        return 2;
    }
    redo_pgn_reader *r = redo_pgn_reader_open(from_file, file, &options);
    while ((code = redo_pgn_reader_next(r, &game)) == REDO_OK && game) {
        if (strcmp(argv[1], "copy") == 0)
            redo_pgn_game_write(game, to_stdout, NULL);
        else if (strcmp(argv[1], "dump") == 0)
            dump(game);
        else
            count(game);
        redo_pgn_game_free(game);
    }
    if (strcmp(argv[1], "count") == 0)
        printf("games %lu moves %lu variations %lu comments %lu nags %lu tags %lu\n", counts.games,
               counts.moves, counts.variations, counts.comments, counts.nags, counts.tags);
    if (code) {
        redo_text_error const *e = redo_pgn_reader_error(r);
        fflush(stdout);
        fprintf(stderr, "%lu:%lu: %s\n", e->line, e->column, e->message);
    }
    redo_pgn_reader_close(r);
    fclose(file);
    return code ? 1 : 0;
}
