/* What the library makes of gnubg's files, for tests in Python and by hand.
 *
 *   gnubg-tool records FILE   a line for each node of the main lines: what was done and the
 * position gnubg-tool rewrite FILE   all games made anew, of their headers and records gnubg-tool
 * rebuild FILE   the same without the texts: made of the numbers
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/sgf/gnubg.h"
#include "tests/sgf/files.h"

static int complain(redo_sgf_error const *e)
{
    fflush(stdout);
    fprintf(stderr, "%lu:%lu: %s\n", e->line, e->column, e->message);
    return 1;
}

/* --- records --- */

static void print_text(redo_sgf_string raw)
{
    char *text = malloc(raw.size + 1);
    size_t size = redo_sgf_text_decode(raw, text, raw.size);
    for (size_t i = 0; i < size; i++) {
        static char const from[] = "\\\n\t\r", to[] = "\\ntr";
        char const *at = text[i] ? strchr(from, text[i]) : NULL;
        if (at)
            printf("\\%c", to[at - from]);
        else
            putchar(text[i]);
    }
    free(text);
}

static void print_move(struct gnubg_record const *r)
{
    if (r->move.count == 0)
        printf("none");
    for (size_t i = 0; i < r->move.count; i++)
        printf("%s%d/%d", i > 0 ? " " : "", r->move.hops[i].from, r->move.hops[i].to);
}

static void print_what(struct gnubg_record const *r)
{
    static char const *const words[] = {"none", "move", "double", "take", "drop"};
    char const *owner = r->owner == GNUBG_WHITE ? "W" : r->owner == GNUBG_BLACK ? "B" : "centre";
    printf("%s\t", r->player == GNUBG_WHITE ? "W" : r->player == GNUBG_BLACK ? "B" : "-");
    if (r->action == GNUBG_MOVE) {
        printf("move\t%d%d\t", r->dice[0], r->dice[1]);
        print_move(r);
    } else if (r->action != GNUBG_NO_ACTION) {
        printf("%s\t-\t-", words[r->action]);
    } else if (r->set & GNUBG_SET_DICE) {
        printf("set-dice\t%d%d\t-", r->set_dice[0], r->set_dice[1]);
    } else if (r->set & GNUBG_SET_CUBE) {
        printf("set-cube\t-\t%u", r->cube);
    } else if (r->set & GNUBG_SET_OWNER) {
        printf("set-cube-owner\t-\t%s", owner);
    } else {
        printf("%s\t-\t-", r->set ? "set-board" : "none");
    }
}

static void print_record(size_t game, size_t number, struct gnubg_record const *r,
                         struct gnubg_position const *p)
{
    static char const *const kinds[] = {"-", "eval", "rollout", "unknown"};
    char position[GNUBG_POSITION_ID], match[GNUBG_MATCH_ID];
    gnubg_position_id(p, position);
    gnubg_match_id(p, match);
    struct gnubg_position again = {.cube = 1};
    if (!gnubg_match_id_read(&again, match) || !gnubg_position_id_read(&again, position) ||
        memcmp(again.points, p->points, sizeof again.points) != 0 || again.cube != p->cube)
        abort();
    printf("%zu\t%zu\t", game, number);
    print_what(r);
    printf("\t%zu\t%zu\t%s\t", r->count, r->made, kinds[r->cube_analysis.kind]);
    if (r->luck.known)
        printf("%.5f", r->luck.value.value);
    else
        putchar('-');
    printf("\t%s\t%s\t", position, match);
    if (r->comment.data)
        print_text(r->comment);
    else
        putchar('-');
    putchar('\n');
}

static int print_game(redo_sgf_game *game, size_t number)
{
    redo_sgf_error error;
    struct gnubg_header h;
    struct gnubg_position p;
    size_t count = 0;
    if (gnubg_header_read(game, &h, &error))
        return complain(&error);
    gnubg_position_start(&p, &h);
    for (redo_sgf_node *n = redo_sgf_node_first(redo_sgf_game_root(game)); n;
         n = redo_sgf_node_first(n)) {
        struct gnubg_record r;
        struct gnubg_position before = p;
        memset(&error, 0, sizeof error);
        if (gnubg_record_read(game, n, &r, &error)) {
            gnubg_header_free(&h);
            return complain(&error);
        }
        if (gnubg_position_decide(&before, &r, &error) || gnubg_position_play(&p, &r, &error)) {
            redo_sgf_game_place(game, r.begin, &error.line, &error.column);
            gnubg_record_free(&r);
            gnubg_header_free(&h);
            return complain(&error);
        }
        print_record(number, ++count, &r, &before);
        gnubg_record_free(&r);
    }
    gnubg_header_free(&h);
    return 0;
}

/* --- made anew --- */

static void forget_number(struct gnubg_number *n)
{
    n->text = (redo_sgf_string){NULL, 0};
}

/* A number without its text has as many digits as gnubg gives it. */
static void forget_analysis(struct gnubg_analysis *a)
{
    if (a->kind == GNUBG_UNKNOWN || a->kind == GNUBG_NOT_EVALUATED || a->version < 0)
        return;
    a->text = (redo_sgf_string){NULL, 0};
    forget_number(&a->context.noise);
    for (int i = 0; i < 2; i++) {
        forget_number(&a->score[i]);
        for (int k = 0; k < 7; k++) {
            forget_number(&a->output[i][k]);
            forget_number(&a->deviation[i][k]);
        }
    }
    for (size_t i = 0; i < a->rollout.context_count; i++)
        forget_number(&a->rollout.contexts[i].context.noise);
}

static void forget_record(struct gnubg_record *r)
{
    forget_analysis(&r->cube_analysis);
    forget_number(&r->luck.value);
    r->marks_text.data = NULL;
    for (size_t i = 0; i < r->count; i++) {
        struct gnubg_candidate *c = &r->candidates[i];
        forget_analysis(&c->analysis);
        if (!c->analysis.text.data)
            c->text.data = NULL;
    }
    memset(r->board, 0, sizeof r->board);
}

static void forget_header(struct gnubg_header *h)
{
    h->info = NULL;
    h->rules_text.data = h->cube_text.data = NULL;
    if (h->winner != GNUBG_NOBODY)
        h->result_text.data = NULL;
}

static int copy_node(redo_sgf_game *from, redo_sgf_node const *n, redo_sgf_game *to,
                     redo_sgf_node *m, bool forget)
{
    redo_sgf_error error = {0};
    struct gnubg_record r;
    if (gnubg_record_read(from, n, &r, &error))
        return complain(&error);
    if (forget)
        forget_record(&r);
    if (gnubg_record_write(to, m, &r))
        abort();
    gnubg_record_free(&r);
    return 0;
}

/* Walks both trees in step; the second one grows. */
static int copy_tree(redo_sgf_game *from, redo_sgf_game *to, bool forget)
{
    redo_sgf_node *root = redo_sgf_game_root(from), *n = root, *m = redo_sgf_game_root(to);
    int status = 0;
    while (!status) {
        if (redo_sgf_node_first(n)) {
            n = redo_sgf_node_first(n);
            m = redo_sgf_node_add(to, m);
        } else {
            while (n != root && !redo_sgf_node_next(n)) {
                n = redo_sgf_node_parent(n);
                m = redo_sgf_node_parent(m);
            }
            if (n == root)
                break;
            n = redo_sgf_node_next(n);
            m = redo_sgf_node_add(to, redo_sgf_node_parent(m));
        }
        status = copy_node(from, n, to, m, forget);
    }
    return status;
}

static int rewrite(redo_sgf_game *game, bool forget)
{
    redo_sgf_error error = {0};
    struct gnubg_header h;
    redo_sgf_game *made = redo_sgf_game_new();
    struct bytes b = {0};
    int status = gnubg_header_read(game, &h, &error) ? complain(&error) : 0;
    if (!status) {
        if (forget)
            forget_header(&h);
        if (gnubg_header_write(made, &h))
            abort();
        status = copy_tree(game, made, forget);
        gnubg_header_free(&h);
    }
    if (!status && redo_sgf_game_write(made, 0, bytes_put, &b) == REDO_OK)
        fwrite(b.data, 1, b.size, stdout);
    bytes_free(&b);
    redo_sgf_game_free(made);
    return status;
}

static int to_stdout(void *data, char const *bytes, size_t size)
{
    return fwrite(bytes, 1, size, stdout) == size ? 0 : REDO_EIO;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: gnubg-tool records|rewrite|rebuild FILE\n");
        return 2;
    }
    struct bytes file = file_read(argv[2]);
    struct games *g = games_read(file.data, file.size, NULL);
    int status = g->code ? complain(redo_sgf_reader_error(g->reader)) : 0;
    for (size_t i = 0, number = 0; i < g->count && !status; i++) {
        bool records = strcmp(argv[1], "records") == 0;
        if (records && gnubg_is(g->game[i]))
            status = print_game(g->game[i], ++number);
        else if (!records && !gnubg_is(g->game[i]))
            redo_sgf_game_write(g->game[i], REDO_SGF_PLAIN, to_stdout, NULL);
        else if (!records)
            status = rewrite(g->game[i], strcmp(argv[1], "rebuild") == 0);
    }
    games_close(g);
    bytes_free(&file);
    return status;
}
