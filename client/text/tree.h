/* A tree: what the nodes of a game are to each other, whatever they have in them. Macros, so that
 * the links have the node's own type. Nothing recurses. */
#ifndef CLIENT_TEXT_TREE_H
#define CLIENT_TEXT_TREE_H

#include <stdbool.h>
#include <stddef.h>

/* The members of a struct node; NULL where there is none. */
#define TREE_LINKS(node) node *parent, *first, *last, *next, *previous

/* Defines, for nodes of this type:
 *
 * name_append(parent, n) makes n, which is in no tree, the last child of its parent.
 *
 * name_remove(n) takes n with all below it out of the tree; false for a root, which is the tree.
 *
 * name_after(n, top) is the node after n of the subtree of top: first child, then the next branch;
 * NULL after the last.
 *
 * name_alike(a, b): whether name_after() goes the same way from both, down, on or up. Two trees
 * that are so at every node, walked in step, have the same shape. */
#define TREE_DEFINE(name, node)                                         \
    static inline void name##_append(node *parent, node *n)             \
    {                                                                   \
        n->parent = parent;                                             \
        n->previous = parent->last;                                     \
        *(parent->last ? &parent->last->next : &parent->first) = n;     \
        parent->last = n;                                               \
    }                                                                   \
    static inline bool name##_remove(node *n)                           \
    {                                                                   \
        node *parent = n->parent;                                       \
        if (!parent)                                                    \
            return false;                                               \
        *(n->previous ? &n->previous->next : &parent->first) = n->next; \
        *(n->next ? &n->next->previous : &parent->last) = n->previous;  \
        n->parent = n->next = n->previous = NULL;                       \
        return true;                                                    \
    }                                                                   \
    static inline node *name##_after(node const *n, node const *top)    \
    {                                                                   \
        if (n->first)                                                   \
            return n->first;                                            \
        while (n != top && !n->next)                                    \
            n = n->parent;                                              \
        return n == top ? NULL : n->next;                               \
    }                                                                   \
    static inline bool name##_alike(node const *a, node const *b)       \
    {                                                                   \
        return !a->first == !b->first && !a->next == !b->next;          \
    }

#endif
