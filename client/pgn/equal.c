/* Comparing two games, node by node in step. */
#include <string.h>

#include "client/pgn/tree.h"

static bool same(char const *a, size_t a_size, char const *b, size_t b_size)
{
    return a_size == b_size && memcmp(a, b, a_size) == 0;
}

static bool same_strings(redo_text_string a, redo_text_string b)
{
    return same(a.data, a.size, b.data, b.size);
}

static bool same_tags(redo_pgn_tag const *a, redo_pgn_tag const *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (!same_strings(a->name, b->name) || !same_strings(a->value, b->value))
            return false;
    return !a && !b;
}

static bool same_nags(redo_pgn_nag const *a, redo_pgn_nag const *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (a->number != b->number || a->sign != b->sign)
            return false;
    return !a && !b;
}

/* The comments after a node, and on with those before the first child, if it follows. */
struct walk {
    redo_pgn_comment const *comment, *then;
};

static void walk_settle(struct walk *w)
{
    if (w->comment)
        return;
    w->comment = w->then;
    w->then = NULL;
}

static struct walk walk_after(redo_pgn_node const *n)
{
    struct walk w = {n->after.first, NULL};
    if (n->first && node_follows(n->first))
        w.then = n->first->before.first;
    walk_settle(&w);
    return w;
}

static struct walk walk_before(redo_pgn_node const *n)
{
    return (struct walk){node_follows(n) ? NULL : n->before.first, NULL};
}

static bool same_comments(struct walk a, struct walk b)
{
    while (a.comment && b.comment) {
        if (a.comment->line != b.comment->line ||
            !same(a.comment->text, a.comment->size, b.comment->text, b.comment->size))
            return false;
        a.comment = a.comment->next;
        b.comment = b.comment->next;
        walk_settle(&a);
        walk_settle(&b);
    }
    return !a.comment && !b.comment;
}

static bool same_nodes(redo_pgn_node const *m, redo_pgn_node const *n)
{
    return same(m->move, m->size, n->move, n->size) && same_nags(m->nags, n->nags) &&
           same_comments(walk_before(m), walk_before(n)) &&
           same_comments(walk_after(m), walk_after(n));
}

static bool same_games(redo_pgn_game const *a, redo_pgn_game const *b)
{
    if (a->result != b->result || !same_tags(a->tags, b->tags))
        return false;
    return !a->root->first || (a->number == b->number && a->black == b->black);
}

int redo_pgn_game_equal(redo_pgn_game const *a, redo_pgn_game const *b)
{
    redo_pgn_node const *m = a->root, *n = b->root;
    if (!same_games(a, b))
        return 0;
    while (m && n) {
        if (!pgn_tree_alike(m, n) || !same_nodes(m, n))
            return 0;
        m = pgn_tree_after(m, a->root);
        n = pgn_tree_after(n, b->root);
    }
    return !m && !n;
}
