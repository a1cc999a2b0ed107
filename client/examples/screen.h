/* The game in a terminal, with curses. The terminal is as it was when screen_run() returns, however
 * the game ended. */
#ifndef EXAMPLES_SCREEN_H
#define EXAMPLES_SCREEN_H

#include "game.h"

enum screen_result {
    SCREEN_QUIT,   /* the player has left, or the terminal has */
    SCREEN_GONE,   /* the daemon, or the session, is gone; game->message says more */
    SCREEN_FAILED, /* this terminal can not be used */
};

/* Plays until the end. name: of the session, to be shown. *signal is the signal that ended it, or
 * 0. */
enum screen_result screen_run(struct game *game, char const *name, int *signal);

#endif
