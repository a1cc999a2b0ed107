/* Comparing two matches, part by part in step. */
#include <string.h>

#include "client/mat/match.h"

static bool same(redo_text_string a, redo_text_string b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static bool same_header(redo_mat_line const *a, redo_mat_line const *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (a->kind != b->kind || !same(a->name, b->name) || !same(a->value, b->value))
            return false;
    return !a && !b;
}

static bool same_actions(redo_mat_action const *a, redo_mat_action const *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (a->kind != b->kind || a->player != b->player || a->dice[0] != b->dice[0] ||
            a->dice[1] != b->dice[1] || a->value != b->value || a->match != b->match ||
            !same(a->text, b->text))
            return false;
    return !a && !b;
}

static bool same_players(redo_mat_game const *a, redo_mat_game const *b)
{
    for (int i = 0; i < 2; i++)
        if (!same(a->name[i], b->name[i]) || a->score[i] != b->score[i])
            return false;
    return true;
}

int redo_mat_equal(redo_mat_match const *a, redo_mat_match const *b)
{
    redo_mat_game const *g = a->games, *h = b->games;
    if (a->length != b->length || !same_header(a->header, b->header))
        return 0;
    for (; g && h; g = g->next, h = h->next)
        if (g->number != h->number || !same_players(g, h) || !same_actions(g->first, h->first))
            return 0;
    return !g && !h;
}
