/* The root of a game of gnubg's as properties of the session, and back. */
#ifndef CLIENT_GAMES_HEADING_H
#define CLIENT_GAMES_HEADING_H

#include "client/sgf/gnubg.h"
#include "client/sgf/tree.h"
#include "core/redo.h"

/* REDO_OK or a code. */
int heading_put(redo_session *session, redo_sgf_game const *game, struct gnubg_header const *header,
                struct arena *arena);

/* Writes the root of the game: as it was read, but for the properties that were changed since.
 * REDO_OK or a code with a message. */
int heading_write(redo_session const *session, redo_sgf_game *game, redo_sgf_error *error);

#endif
