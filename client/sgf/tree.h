/* A game in memory: structs of nodes, properties and values in an arena that is freed as a whole.
 * What was read points into the game's text; what was added has copies in the arena.
 *
 * Between the tokens of a file stand spaces. Each token carries those before it, so that a game is
 * written as it was read. A space that is NULL means: not read, take the plain form. */
#ifndef CLIENT_SGF_TREE_H
#define CLIENT_SGF_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/sgf/redo_sgf.h"
#include "client/text/arena.h"
#include "client/text/charset.h"
#include "client/text/place.h"
#include "client/text/tree.h"

struct redo_sgf_value {
    redo_sgf_property *property;
    redo_sgf_value *next;
    char const *raw;
    size_t size;
    char const *space; /* before the [ */
    uint32_t space_size;
};

struct redo_sgf_property {
    redo_sgf_node *node;
    redo_sgf_property *next;
    redo_sgf_value *first, *last;
    char const *name;
    char const *space;
    uint32_t name_size, space_size;
    bool semicolon; /* the ; of its node stood behind it: see below */
};

struct redo_sgf_node {
    TREE_LINKS(redo_sgf_node);
    redo_sgf_property *properties, *last_property;
    char const *space; /* before the ; */
    char const *open;  /* before the ( of the variation that the node begins */
    char const *close; /* before its ) */
    uint32_t space_size, open_size, close_size;
    bool variation; /* was written in parentheses */
    void *at;       /* for who goes through the tree; NULL at first */
    /* Some files have properties before the first ; of a variation. They belong to its first node,
     * whose ; then comes after them, or not at all. */
    bool bare;
};

TREE_DEFINE(sgf_tree, redo_sgf_node)

struct redo_sgf_game {
    redo_sgf_node *root;
    struct arena arena;
    char *text; /* what was read, or NULL */
    size_t text_size, lead_size;
    unsigned long line, column; /* of its first byte */
    char charset[CHARSET_NAME_MAX];
    bool guessed;
    bool converted; /* from another charset than UTF-8, which CA does not tell */
};

/* New parts at the end of what they are part of; their space is not set. NULL as arena_take(). */
redo_sgf_node *node_new(struct arena *a, redo_sgf_node *parent);
redo_sgf_property *property_new(struct arena *a, redo_sgf_node *node, char const *name,
                                size_t size);
redo_sgf_value *value_new(struct arena *a, redo_sgf_property *property, char const *raw,
                          size_t size);

/* Whether the node is written in parentheses. */
bool node_in_parentheses(redo_sgf_node const *node);

#endif
