/* What the library makes of a file, for tests in Python and by hand.
 *
 *   mat-tool copy FILE     the match as read and written again
 *   mat-tool plain FILE    the same in gnubg's layout
 *   mat-tool dump FILE     a line for each part: see below
 *
 * An error is printed as LINE:COLUMN: MESSAGE, and ends the program with status 1.
 */
#include <stdio.h>
#include <string.h>

#include "client/mat/redo_mat.h"
#include "core/redo_error.h"
#include "tests/text/bytes.h"

static char const *const kinds[] = {"move", "roll", "double", "beaver",  "raccoon",
                                    "take", "drop", "win",    "comment", "other"};

static int to_stdout(void *data, char const *bytes, size_t size)
{
    return fwrite(bytes, 1, size, stdout) == size ? 0 : REDO_EIO;
}

static void print(char const *before, redo_text_string s)
{
    printf("%s%.*s", before, (int)s.size, s.data);
}

static void dump_action(redo_mat_action const *a)
{
    redo_mat_hop hops[16];
    printf("%d\t%s\t", a->player, kinds[a->kind]);
    if (a->kind == REDO_MAT_MOVE || a->kind == REDO_MAT_ROLL)
        printf("%d%d", a->dice[0], a->dice[1]);
    else
        printf("%lu%s", a->value, a->match ? " match" : "");
    print("\t", a->text);
    if (a->kind == REDO_MAT_MOVE) {
        int count = redo_mat_move_read(a->text, hops, 16);
        printf("\t%d", count);
        for (int i = 0; i < count && i < 16; i++)
            printf("%s%d/%d%s", i > 0 ? " " : "\t", hops[i].from, hops[i].to,
                   hops[i].hit ? "*" : "");
    }
    putchar('\n');
}

static void dump(redo_mat_match const *m)
{
    printf("match %ld %s\n", redo_mat_length(m), redo_mat_charset(m));
    for (redo_mat_line const *l = redo_mat_header(m); l; l = l->next) {
        printf("header %d", (int)l->kind);
        print("\t", l->name);
        print("\t", l->value);
        putchar('\n');
    }
    for (redo_mat_game const *g = redo_mat_games(m); g; g = g->next) {
        printf("game %lu", g->number);
        for (int i = 0; i < 2; i++) {
            print("\t", g->name[i]);
            printf("\t%lu", g->score[i]);
        }
        putchar('\n');
        for (redo_mat_action const *a = g->first; a; a = a->next)
            dump_action(a);
    }
}

int main(int argc, char **argv)
{
    redo_mat_match *m;
    redo_text_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: mat-tool copy|plain|dump FILE\n");
        return 2;
    }
    struct bytes file = file_read(argv[2]);
    int code = redo_mat_read_bytes(file.data, file.size, NULL, &m, &error);
    if (code)
        fprintf(stderr, "%lu:%lu: %s\n", error.line, error.column, error.message);
    else if (strcmp(argv[1], "dump") == 0)
        dump(m);
    else
        redo_mat_write(m, strcmp(argv[1], "plain") == 0 ? REDO_MAT_PLAIN : 0, to_stdout, NULL);
    if (!code)
        redo_mat_match_free(m);
    bytes_free(&file);
    return code ? 1 : 0;
}
