/* Comparing two games, node by node in step. */
#include <string.h>

#include "client/sgf/tree.h"

static bool same_text(char const *a, size_t a_size, char const *b, size_t b_size)
{
    return a_size == b_size && memcmp(a, b, a_size) == 0;
}

static bool same_values(redo_sgf_value const *a, redo_sgf_value const *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (!same_text(a->raw, a->size, b->raw, b->size))
            return false;
    return !a && !b;
}

static redo_sgf_property const *skip_charset(redo_sgf_property const *p)
{
    while (p && redo_sgf_property_is(p, "CA"))
        p = p->next;
    return p;
}

static bool same_properties(redo_sgf_node const *m, redo_sgf_node const *n)
{
    redo_sgf_property const *a = skip_charset(m->properties), *b = skip_charset(n->properties);
    for (; a && b; a = skip_charset(a->next), b = skip_charset(b->next))
        if (!same_text(a->name, a->name_size, b->name, b->name_size) ||
            !same_values(a->first, b->first))
            return false;
    return !a && !b;
}

int redo_sgf_game_equal(redo_sgf_game const *a, redo_sgf_game const *b)
{
    redo_sgf_node const *m = a->root, *n = b->root;
    while (m && n) {
        if (!sgf_tree_alike(m, n) || !same_properties(m, n))
            return 0;
        m = sgf_tree_after(m, a->root);
        n = sgf_tree_after(n, b->root);
    }
    return !m && !n;
}
