/* Spaces and line ends between the tokens of a game in SGF.
 *
 * A game has a style: what stands before a ; in a line, a (, the ; after it, a ), a name and a [,
 * as the first of each has it. Where a node has something else, it is told as the node's tokens:
 * its spaces as they are, and (, ;, P for a name, [] for a value, ) as far as they are there. */
#ifndef CLIENT_GAMES_LAYOUT_H
#define CLIENT_GAMES_LAYOUT_H

#include <stdbool.h>

#include "client/sgf/tree.h"
#include "protocol/buffer.h"

#define STYLES 6

struct layout_style {
    redo_sgf_string space[STYLES];
};

/* The plain style, and that of a game that was read. */
void layout_plain(struct layout_style *style);
void layout_style_of(struct layout_style *style, redo_sgf_game const *game);
bool layout_style_is_plain(struct layout_style const *style);

/* Whether the node has the style; if not, its tokens are put into b, in place of what is there. */
bool layout_has_style(struct layout_style const *style, redo_sgf_node const *node);
void layout_tell(redo_sgf_node const *node, struct buffer *b);

/* Gives a node, with all its properties and siblings, its spaces: those told (data NULL: none), if
 * they fit it as it is now, else the style's. */
void layout_apply(struct layout_style const *style, redo_sgf_node *node, redo_sgf_string told);

#endif
