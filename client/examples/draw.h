/* What the terminal shows. Curses must have the terminal. */
#ifndef EXAMPLES_DRAW_H
#define EXAMPLES_DRAW_H

#include <stdbool.h>

#include "game.h"

/* Chooses the colors; once. */
void draw_init(void);

/* The game: the board, the panel, where others are. choosing: with the branches to choose from. */
void draw_game(struct game const *game, char const *session, bool choosing);

/* A page of the help, from line top on. The line that the next page begins with; 0 after the last.
 */
int draw_help(int top);

#endif
