/* Makes a game of its text, which is whole. */
#ifndef CLIENT_PGN_PARSE_H
#define CLIENT_PGN_PARSE_H

#include "client/pgn/tree.h"

/* Parses game->text into game->root, which is empty. column_one: the text begins at the beginning
 * of a line. REDO_OK, or a code: then *at is the place in the text and error->message says what is
 * wrong. */
int pgn_parse_game(redo_pgn_game *game, bool column_one, redo_text_limits const *limits, size_t *at,
                   redo_text_error *error);

#endif
