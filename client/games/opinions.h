/* What gnubg thinks of candidates and cube decisions, as analyses of records and back. */
#ifndef CLIENT_GAMES_OPINIONS_H
#define CLIENT_GAMES_OPINIONS_H

#include "client/games/sheet.h"
#include "client/sgf/gnubg.h"

/* NULL: there is none, or no memory (s->failed). */
struct analysis *opinion_of_candidate(struct sheet *s, struct gnubg_analysis const *from);
struct analysis *opinion_of_cube(struct sheet *s, struct gnubg_analysis const *from);

/* The text to write: as it was read, or if that is gone in gnubg's form, made of the numbers.
 * False: no memory. What can not be told in that form is an empty text. */
bool opinion_text(struct arena *arena, struct analysis const *a, bool cube, redo_sgf_string *text);

#endif
