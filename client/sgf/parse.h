/* Makes a game of its text, which is whole. */
#ifndef CLIENT_SGF_PARSE_H
#define CLIENT_SGF_PARSE_H

#include "client/sgf/tree.h"

/* Parses game->text, whose ( is at game->lead_size, into game->root. REDO_OK, or a code: then *at
 * is the place in the text and error->message says what is wrong. */
int parse_game(redo_sgf_game *game, redo_sgf_limits const *limits, size_t *at,
               redo_sgf_error *error);

#endif
