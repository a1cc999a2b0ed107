/* Whether nothing was lost: the game as it was read, and as it would be written. */
#include <string.h>

#include "client/games/backgammon.h"

#define MANY 64 /* properties of a node that are compared in any order */

static bool is_same_id(redo_sgf_property const *a, redo_sgf_property const *b)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a->name_size && !is_capital((unsigned char)a->name[i]) &&
               is_letter((unsigned char)a->name[i]))
            i++;
        while (k < b->name_size && !is_capital((unsigned char)b->name[k]) &&
               is_letter((unsigned char)b->name[k]))
            k++;
        if (i == a->name_size || k == b->name_size)
            return i == a->name_size && k == b->name_size;
        if (a->name[i++] != b->name[k++])
            return false;
    }
}

static bool is_same(redo_sgf_property const *a, redo_sgf_property const *b)
{
    redo_sgf_value const *v = a->first, *w = b->first;
    if (!is_same_id(a, b))
        return false;
    for (; v && w; v = v->next, w = w->next)
        if (v->size != w->size || memcmp(v->raw, w->raw, v->size) != 0)
            return false;
    return !v && !w;
}

static bool same_nodes(redo_sgf_node const *a, redo_sgf_node const *b)
{
    redo_sgf_property const *p = a->properties, *q = b->properties;
    while (p && q && is_same(p, q)) {
        p = p->next;
        q = q->next;
    }
    bool used[MANY] = {false};
    size_t count = 0;
    for (redo_sgf_property const *r = q; r; r = r->next)
        if (++count > MANY)
            return false;
    for (; p; p = p->next, count--) {
        size_t i = 0;
        redo_sgf_property const *r = q;
        while (r && (used[i] || !is_same(p, r))) {
            r = r->next;
            i++;
        }
        if (!r)
            return false;
        used[i] = true;
    }
    return count == 0;
}

bool same_games(redo_sgf_game const *a, redo_sgf_game const *b)
{
    redo_sgf_node const *n = a->root, *m = b->root;
    while (n && m) {
        if (!sgf_tree_alike(n, m) || !same_nodes(n, m))
            return false;
        n = sgf_tree_after(n, a->root);
        m = sgf_tree_after(m, b->root);
    }
    return !n && !m;
}
