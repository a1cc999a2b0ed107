/* Writing a match: as it was read, or in gnubg's layout. A line of moves there is
 *
 *     number ) left column, of 27 characters or more, a space, right column
 *
 * and cube actions have one more space before them. A match that stops in the left column, or after
 * the dice in the right one, has no line end. */
#include <stdio.h>
#include <string.h>

#include "client/mat/match.h"
#include "client/text/output.h"
#include "client/text/place.h"

#define NAME_WIDTH 31
#define LEFT_WIDTH 27
#define WIN_LEFT 5 /* before the space that cube actions have too */
#define WIN_RIGHT 33

struct writer {
    struct output out;
    size_t width; /* bytes put since it was set to 0 */
    unsigned long row;
    bool half;                     /* the left column of the line is written, and no line end */
    redo_mat_action const *before; /* in the game */
};

static void put_string(struct writer *w, redo_text_string s)
{
    output_put(&w->out, s.data, s.size);
    w->width += s.size;
}

static void put(struct writer *w, char const *text)
{
    put_string(w, (redo_text_string){text, strlen(text)});
}

static void put_number(struct writer *w, unsigned long number, size_t width)
{
    char text[32];
    snprintf(text, sizeof text, "%*lu", (int)width, number);
    put(w, text);
}

static void put_spaces(struct writer *w, size_t count)
{
    for (; count > 0; count--)
        put(w, " ");
}

static void put_value(struct writer *w, char const *word, unsigned long value)
{
    put(w, word);
    if (value == 0)
        return;
    put(w, " => ");
    put_number(w, value, 1);
}

static void put_win(struct writer *w, redo_mat_action const *a)
{
    put(w, " ");
    if (a->text.size > 0) {
        put_string(w, a->text);
        put(w, " ");
    }
    put(w, "Wins ");
    put_number(w, a->value, 1);
    put(w, a->value == 1 ? " point" : " points");
    if (a->match)
        put(w, " and the match");
}

static size_t count_words(redo_text_string s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.size; i++)
        n += !is_space((unsigned char)s.data[i]) &&
             (i == 0 || is_space((unsigned char)s.data[i - 1]));
    return n;
}

static void put_move(struct writer *w, redo_mat_action const *a)
{
    put_number(w, (unsigned long)(10 * a->dice[0] + a->dice[1]), 1);
    put(w, ": ");
    put_string(w, a->text);
    /* gnubg has a space after each hop but the fourth. */
    if (a->text.size > 0 && count_words(a->text) < 4)
        put(w, " ");
}

static void put_cell(struct writer *w, redo_mat_action const *a)
{
    switch (a->kind) {
    case REDO_MAT_MOVE:
    case REDO_MAT_ROLL:
        put_move(w, a);
        break;
    case REDO_MAT_DOUBLE:
        put_value(w, " Doubles", a->value);
        break;
    case REDO_MAT_BEAVER:
        put_value(w, " Beavers", a->value);
        break;
    case REDO_MAT_RACCOON:
        put_value(w, " Raccoons", a->value);
        break;
    case REDO_MAT_TAKE:
        put(w, " Takes");
        break;
    case REDO_MAT_DROP:
        put(w, " Drops");
        break;
    case REDO_MAT_WIN:
        put_win(w, a);
        break;
    case REDO_MAT_OTHER:
        put(w, " ");
        put_string(w, a->text);
        break;
    case REDO_MAT_COMMENT:
        break;
    }
}

static void end_row(struct writer *w)
{
    if (w->half)
        put(w, "\n");
    w->half = false;
}

/* The next row's number. */
static void begin_row(struct writer *w)
{
    put_number(w, ++w->row, 3);
    put(w, ") ");
}

static void put_left(struct writer *w, redo_mat_action const *a)
{
    if (w->half)
        put(w, "  \n"); /* so gnubg leaves the right column out */
    begin_row(w);
    w->width = 0;
    put_cell(w, a);
    w->half = true;
    if (a->kind == REDO_MAT_ROLL)
        return;
    put_spaces(w, w->width < LEFT_WIDTH ? LEFT_WIDTH + 1 - w->width : 1);
}

static void put_right(struct writer *w, redo_mat_action const *a, bool last)
{
    if (!w->half) {
        begin_row(w);
        put_spaces(w, LEFT_WIDTH + 1);
    }
    put_cell(w, a);
    /* So gnubg has it. */
    if (a->kind == REDO_MAT_WIN && w->before && w->before->kind == REDO_MAT_DROP)
        put(w, " ");
    w->half = last && a->kind == REDO_MAT_ROLL;
    if (!w->half)
        put(w, "\n");
}

/* A win has a line of its own, but that of the right player goes into a column that is empty. */
static void put_action(struct writer *w, redo_mat_action const *a, bool last)
{
    if (a->kind == REDO_MAT_COMMENT) {
        end_row(w);
        put(w, a->text.size > 0 ? "; " : ";");
        put_string(w, a->text);
        put(w, "\n");
    } else if (a->kind == REDO_MAT_WIN && (a->player == 0 || !w->half)) {
        end_row(w);
        put_spaces(w, a->player == 0 ? WIN_LEFT : WIN_RIGHT);
        put_win(w, a);
        put(w, "\n");
    } else if (a->player == 0) {
        put_left(w, a);
    } else {
        put_right(w, a, last);
    }
    w->before = a;
}

static void put_players(struct writer *w, redo_mat_game const *g)
{
    char score[32];
    size_t size = g->name[0].size + 3 + (size_t)snprintf(score, sizeof score, "%lu", g->score[0]);
    put(w, " ");
    put_string(w, g->name[0]);
    put(w, " : ");
    put(w, score);
    /* gnubg puts no space after a long name; then a digit would become part of the score. */
    if (size < NAME_WIDTH)
        put_spaces(w, NAME_WIDTH - size);
    else if (g->name[1].size == 0 || is_digit((unsigned char)g->name[1].data[0]))
        put(w, " ");
    put_string(w, g->name[1]);
    put(w, " : ");
    put_number(w, g->score[1], 1);
    put(w, "\n");
}

static void put_game(struct writer *w, redo_mat_game const *g)
{
    put(w, " Game ");
    put_number(w, g->number, 1);
    put(w, "\n");
    put_players(w, g);
    w->row = 0;
    w->half = false;
    w->before = NULL;
    for (redo_mat_action const *a = g->first; a; a = a->next)
        put_action(w, a, !a->next && !g->next);
    if (!g->next && (w->half || (g->last && g->last->kind != REDO_MAT_WIN)))
        return; /* as gnubg leaves a game that goes on */
    end_row(w);
    put(w, "\n");
}

static void put_header(struct writer *w, redo_mat_line const *l)
{
    if (l->kind == REDO_MAT_TAG) {
        put(w, "; [");
        put_string(w, l->name);
        put(w, " \"");
        put_string(w, l->value);
        put(w, l->next && l->next->kind == REDO_MAT_TAG ? "\"]\n" : "\"]\n\n");
        return;
    }
    if (l->kind == REDO_MAT_NOTE)
        put(w, l->value.size > 0 ? "; " : ";");
    put_string(w, l->value);
    put(w, "\n");
}

static void put_match(struct writer *w, redo_mat_match const *m)
{
    for (redo_mat_line const *l = m->header; l; l = l->next)
        put_header(w, l);
    if (m->length >= 0) {
        put(w, " ");
        put_number(w, (unsigned long)m->length, 1);
        put(w, " point match\n\n");
    }
    for (redo_mat_game const *g = m->games; g; g = g->next)
        put_game(w, g);
}

int redo_mat_write(redo_mat_match const *match, int flags, redo_text_sink *sink, void *data)
{
    struct writer w = {0};
    if (output_init(&w.out, sink, data))
        return REDO_ENOMEM;
    if (match->text && !match->changed && !(flags & REDO_MAT_PLAIN))
        output_put(&w.out, match->text, match->text_size);
    else
        put_match(&w, match);
    output_flush(&w.out);
    output_close(&w.out);
    return w.out.code;
}
