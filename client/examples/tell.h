/* What there is to tell of a game, in words. Each function writes at most size bytes, with the 0
 * byte at the end. */
#ifndef EXAMPLES_TELL_H
#define EXAMPLES_TELL_H

#include <stdio.h>

#include "game.h"

/* "You have been here (in 2 fewer moves)", or "". */
void tell_mark(struct game const *game, char *text, size_t size);

/* "none known", "33", "33, from here 35" ... */
void tell_solution(struct game const *game, char *text, size_t size);

/* Who made a position: the name, or "user 1000" who gave none, or "-" if that is not known. */
void tell_author(redo_position const *position, char *text, size_t size);

/* Where the other cursors of the session are: "ann at 12 (by bob), game at 3", or "". */
void tell_others(struct game const *game, char *text, size_t size);

/* "push left" */
char const *tell_move(int move);

char const *tell_graft(struct game const *game);

/* The history, a line a position in the order of their numbers:
 * number prev move movecount better endpoint solutionsize, a "-" for none. */
void tell_history(struct game const *game, FILE *out);

#endif
