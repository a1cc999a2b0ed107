/* Writing a game. Not recursive: the tree has the way back. */
#include <stdio.h>
#include <string.h>

#include "client/pgn/tree.h"
#include "client/text/output.h"

#define WIDTH 79 /* "less than 80 printing characters" */

struct writer {
    struct output out;
    size_t column;      /* characters on the line */
    size_t parentheses; /* ( to be put before the next token */
    bool glue;          /* no space before the next token */
    bool line_over;     /* a comment with a semicolon ends the line */
    bool black;         /* of the next move */
    bool number_told;   /* the next move needs no number if it is Black's */
    unsigned long number;
};

static size_t width(char const *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

static void put(struct writer *w, char const *text)
{
    output_put(&w->out, text, strlen(text));
}

static void new_line(struct writer *w)
{
    put(w, "\n");
    w->column = 0;
}

/* Goes on to where a token of that width can stand. */
static void space(struct writer *w, size_t size)
{
    size += w->parentheses;
    if (w->line_over || (w->column > 0 && w->column + !w->glue + size > WIDTH)) {
        new_line(w);
    } else if (w->column > 0 && !w->glue) {
        put(w, " ");
        w->column++;
    }
    for (; w->parentheses > 0; w->parentheses--, w->column++)
        put(w, "(");
    w->glue = w->line_over = false;
}

static void put_token(struct writer *w, char const *text, size_t size)
{
    size_t columns = width(text, size);
    space(w, columns);
    output_put(&w->out, text, size);
    w->column += columns;
}

static void put_comment(struct writer *w, redo_pgn_comment const *c)
{
    char const *line = memchr(c->text, '\n', c->size), *end = c->text + c->size;
    /* What stands on the first line has to fit. */
    space(w, 1 + (line ? width(c->text, (size_t)(line - c->text)) : width(c->text, c->size) + 1));
    put(w, c->line ? ";" : "{");
    output_put(&w->out, c->text, c->size);
    w->column += 1;
    if (line) {
        w->column = 0;
        line = end;
        while (line[-1] != '\n')
            line--;
        w->column += width(line, (size_t)(end - line));
    } else {
        w->column += width(c->text, c->size);
    }
    if (!c->line) {
        put(w, "}");
        w->column++;
    }
    w->line_over = c->line;
    w->number_told = false;
}

static void put_comments(struct writer *w, struct comments const *list)
{
    for (redo_pgn_comment const *c = list->first; c; c = c->next)
        put_comment(w, c);
}

static void put_nag(struct writer *w, redo_pgn_nag const *n, bool first)
{
    char text[16];
    if (n->sign) {
        /* Two of these in a row would be read as one. */
        w->glue = first && (n->sign[0] == '!' || n->sign[0] == '?');
        put_token(w, n->sign, strlen(n->sign));
    } else {
        snprintf(text, sizeof text, "$%u", n->number);
        put_token(w, text, strlen(text));
    }
}

static void put_number(struct writer *w)
{
    char text[32];
    if (w->black && w->number_told)
        return;
    snprintf(text, sizeof text, "%lu.%s", w->number, w->black ? ".." : "");
    put_token(w, text, strlen(text));
}

static void put_move(struct writer *w, redo_pgn_node const *n)
{
    put_comments(w, &n->before);
    put_number(w);
    put_token(w, n->move, n->size);
    w->number_told = true;
    w->number += w->black;
    w->black = !w->black;
    for (redo_pgn_nag const *nag = n->nags; nag; nag = nag->next)
        put_nag(w, nag, nag == n->nags);
    put_comments(w, &n->after);
}

static void move_back(struct writer *w)
{
    w->black = !w->black;
    w->number -= w->black;
}

static void open_variation(struct writer *w)
{
    move_back(w);
    w->parentheses++;
    w->number_told = false;
}

static void close_variation(struct writer *w)
{
    w->glue = true;
    put_token(w, ")", 1);
    w->number_told = false;
}

/* The node to go on with after one that was put: a variation beside it, what follows it, or, at the
 * end of a variation, the next one or what follows the move that it is beside. NULL: all is put. */
static redo_pgn_node const *go_on(struct writer *w, redo_pgn_node const *n)
{
    if (!n->previous && n->next) {
        open_variation(w);
        return n->next;
    }
    while (!n->first) {
        /* Back to the move that began the line: each line is walked back once. */
        while (n->parent && !n->previous) {
            n = n->parent;
            move_back(w);
        }
        if (!n->parent)
            return NULL;
        close_variation(w);
        if (n->next) {
            open_variation(w);
            return n->next;
        }
        n = n->parent->first;
    }
    return n->first;
}

static void put_tag(struct writer *w, redo_pgn_tag const *t)
{
    char const *s = t->value.data, *end = s + t->value.size;
    put(w, "[");
    output_put(&w->out, t->name.data, t->name.size);
    put(w, " \"");
    while (s < end) {
        char const *plain = s;
        while (s < end && *s != '"' && *s != '\\')
            s++;
        output_put(&w->out, plain, (size_t)(s - plain));
        if (s < end) {
            put(w, "\\");
            output_put(&w->out, s++, 1);
        }
    }
    put(w, "\"]\n");
}

static void put_game(struct writer *w, redo_pgn_game const *g)
{
    static char const *const results[] = {"*", "1-0", "0-1", "1/2-1/2"};
    for (redo_pgn_tag const *t = g->tags; t; t = t->next)
        put_tag(w, t);
    if (g->tags)
        put(w, "\n");
    put_comments(w, &g->root->after);
    for (redo_pgn_node const *n = g->root->first; n && w->out.code == 0; n = go_on(w, n))
        put_move(w, n);
    put_token(w, results[g->result], strlen(results[g->result]));
    put_comments(w, &g->root->before);
    put(w, "\n\n");
    output_flush(&w->out);
}

int redo_pgn_game_write(redo_pgn_game const *game, redo_text_sink *sink, void *data)
{
    struct writer w = {.number = game->number, .black = game->black};
    if (output_init(&w.out, sink, data))
        return REDO_ENOMEM;
    put_game(&w, game);
    output_close(&w.out);
    return w.out.code;
}
