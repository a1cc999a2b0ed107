/* A game in memory: structs in an arena that is freed as a whole. What was read points into the
 * game's text; what was added, or read with escapes or \r in it, has copies in the arena. */
#ifndef CLIENT_PGN_TREE_H
#define CLIENT_PGN_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/pgn/redo_pgn.h"
#include "client/text/arena.h"
#include "client/text/charset.h"
#include "client/text/tree.h"

struct redo_pgn_tag {
    redo_pgn_tag *next;
    redo_text_string name, value;
};

struct redo_pgn_comment {
    redo_pgn_comment *next;
    char const *text;
    size_t size;
    bool line;
};

struct redo_pgn_nag {
    redo_pgn_nag *next;
    char const *sign; /* static, or NULL */
    unsigned number;
};

struct comments {
    redo_pgn_comment *first, *last;
};

struct redo_pgn_node {
    TREE_LINKS(redo_pgn_node);
    char const *move;
    redo_pgn_nag *nags, *last_nag;
    struct comments after;
    struct comments before; /* of a root: after the result */
    uint32_t size;          /* of the move */
};

TREE_DEFINE(pgn_tree, redo_pgn_node)

struct redo_pgn_game {
    redo_pgn_node *root;
    redo_pgn_tag *tags, *last_tag;
    struct arena arena;
    char *text; /* what was read, or NULL */
    size_t text_size;
    enum redo_pgn_result result;
    unsigned long number; /* of the first move */
    bool black;
    char charset[CHARSET_NAME_MAX];
};

#define NUMBER_MOST 999999999

/* New parts at the end of what they are part of. NULL as arena_take(). */
redo_pgn_node *pgn_node_new(struct arena *a, redo_pgn_node *parent, char const *move, size_t size);
redo_pgn_tag *tag_new(redo_pgn_game *game, redo_text_string name, redo_text_string value);
redo_pgn_comment *comment_new(struct arena *a, struct comments *list, char const *text, size_t size,
                              bool line);
redo_pgn_nag *nag_new(struct arena *a, redo_pgn_node *node, unsigned number, char const *sign);

/* Moves all of one list to the end of the other. */
void comments_append(struct comments *list, struct comments *from);

/* Whether the node is written directly behind its parent, with no parenthesis between: its comments
 * before are then the same as comments after the parent. */
bool node_follows(redo_pgn_node const *node);

/* Sets number and black as the tag FEN says, or to 1 and White. */
void game_start_by_tags(redo_pgn_game *game);

#endif
