/* Matches in the form of Jellyfish (.mat) as sessions, and back. What that form has no place for is
 * lost: analysis, marks, side lines; set-up is refused, as gnubg does. */
#ifndef CLIENT_GAMES_MAT_H
#define CLIENT_GAMES_MAT_H

#include "client/games/games.h"
#include "client/mat/redo_mat.h"

/* A session from one game of a match; as game_import_sgf(). */
redo_session *game_import_mat(redo_mat_match const *match, redo_mat_game const *game,
                              redo_sgf_error *error);

/* Adds the session's game to the match, which has no header yet if it has no games. *lost is set if
 * it has more than that form can tell. REDO_OK, or an error: REDO_EKIND if it is no game of
 * backgammon or one that was edited. */
int game_export_mat(redo_session *session, redo_mat_match *match, bool *lost,
                    redo_sgf_error *error);

#endif
