/* What both exports share. */
#ifndef CLIENT_GAMES_EXPORT_H
#define CLIENT_GAMES_EXPORT_H

#include "client/games/games.h"
#include "client/games/sheet.h"

redo_sgf_game *game_export_generic(redo_session *session, redo_sgf_error *error);
redo_sgf_game *game_export_gnubg(redo_session *session, redo_sgf_error *error);

/* The name without the number that tells it from others of its node; empty: none of SGF. */
redo_sgf_string export_name(char const *name, size_t size);

/* Adds the property to the node if its name is one of SGF (a number after it does not count) and
 * its value a string or strings that can stand in SGF. What is none of SGF is passed over; of what
 * is neither, REDO_EDAMAGED, with a message. It points to what p points to. */
int export_property(redo_sgf_game *game, redo_sgf_node *node, struct property const *p,
                    redo_sgf_error *error);

/* The values alone, to a property that is there. */
int export_values(redo_sgf_game *game, redo_sgf_property *to, struct property const *p,
                  redo_sgf_error *error);

/* Puts before a message where in the session it is: `where` and the position's number. Returns the
 * error's code. */
int export_where(redo_sgf_error *error, char const *where, redo_position const *position);

#endif
