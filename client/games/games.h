/* Games of files as sessions in this process, and back: nothing here opens a file or knows a
 * daemon. README.md has what becomes of what.
 *
 * A game that is read becomes a whole session or none. Memory: the game as it was given, and the
 * session. Errors have the place in the file where there is one. */
#ifndef CLIENT_GAMES_GAMES_H
#define CLIENT_GAMES_GAMES_H

#include <stdbool.h>

#include "client/pgn/redo_pgn.h"
#include "client/sgf/redo_sgf.h"
#include "core/redo.h"

/* What a session is a game of, as its property "format" tells. */
enum game_format { GAME_NONE, GAME_SGF, GAME_GNUBG, GAME_PGN };

enum game_format game_format(redo_session const *session);

/* A session from a game in SGF: of gnubg's dialect, if it is that and nothing would be lost, else
 * generic. first: of its file. The caller's; NULL on error. The game's nodes are marked. */
redo_session *game_import_sgf(redo_sgf_game *game, bool first, redo_sgf_error *error);

/* The same, of one kind. The dialect refuses (REDO_EDAMAGED) what it would not give back. */
redo_session *game_import_generic(redo_sgf_game *game, bool first, redo_sgf_error *error);
redo_session *game_import_gnubg(redo_sgf_game *game, bool first, redo_sgf_error *error);

/* A game in SGF from a session, to be written with redo_sgf_game_write(), 0 for its flags. It
 * points into the session. Between two games of a file what game_lead() tells is written, and what
 * game_tail() tells after the last. The caller's; NULL on error: REDO_EKIND if the session is no
 * game. */
redo_sgf_game *game_export_sgf(redo_session *session, redo_sgf_error *error);

/* A session from a game in PGN, and a game from such a session; as those above. */
redo_session *game_import_pgn(redo_pgn_game *game, redo_sgf_error *error);
redo_pgn_game *game_export_pgn(redo_session *session, redo_sgf_error *error);

/* What hangs on the positions of a session and has no place in the form that it came from: it is
 * not in the game that is exported. Analyses are of candidates and decisions, properties of these,
 * positions and branches; those of the session do not count, nor do cursors and authors. */
struct game_left_out {
    size_t properties, candidates, analyses, decisions;
};

/* Adds to *sum what is left out of this session. REDO_OK or REDO_ENOMEM. */
int game_count_left_out(redo_session *session, struct game_left_out *sum);

/* The text before and after a game, as far as it was kept. */
redo_sgf_string game_lead(redo_session const *session, bool first);
redo_sgf_string game_tail(redo_session const *session);

#endif
