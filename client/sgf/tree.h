/* A game in memory: structs of nodes, properties and values in an arena that is freed as a whole.
 * What was read points into the game's text; what was added has copies in the arena.
 *
 * Between the tokens of a file stand spaces. Each token carries those before it, so that a game is
 * written as it was read. A space that is NULL means: not read, take the plain form. */
#ifndef CLIENT_SGF_TREE_H
#define CLIENT_SGF_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/sgf/charset.h"
#include "client/sgf/redo_sgf.h"

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
    redo_sgf_node *parent, *first, *last, *next, *previous;
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

struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t left; /* bytes of the first block not given out */
    size_t taken, limit;
    bool full; /* something was refused for the limit */
};

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

/* Memory of the arena, zeroed. NULL: none, or over the limit. */
void *arena_take(struct arena *a, size_t size);
void arena_free(struct arena *a);

/* Gives back all of it but one block, which is used again. */
void arena_empty(struct arena *a);

/* New parts at the end of what they are part of; their space is not set. NULL as arena_take(). */
redo_sgf_node *node_new(struct arena *a, redo_sgf_node *parent);
redo_sgf_property *property_new(struct arena *a, redo_sgf_node *node, char const *name,
                                size_t size);
redo_sgf_value *value_new(struct arena *a, redo_sgf_property *property, char const *raw,
                          size_t size);

/* Whether the node is written in parentheses. */
bool node_in_parentheses(redo_sgf_node const *node);

static inline bool is_letter(unsigned char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static inline bool is_capital(unsigned char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Counts lines and columns on over the text. LF, CR and both together in either order end a line.
 */
void place_advance(unsigned long *line, unsigned long *column, char const *text, size_t size);

#endif
