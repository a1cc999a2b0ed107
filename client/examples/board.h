/* The rules of Sokoban and the file that levels are in. A board is a level, which stays as it is,
 * and a state of it, which is all that a move changes: so many bytes, equal for equal boards, as
 * the history wants them. Nothing here knows of histories or terminals. */
#ifndef EXAMPLES_BOARD_H
#define EXAMPLES_BOARD_H

#include <stdbool.h>
#include <stddef.h>

#define BOARD_CELLS 256 /* a cell, y * width + x, is told in one byte */
#define BOARD_BOXES 64

/* Directions; a move that pushes a box is its direction + BOARD_PUSH. */
enum { BOARD_LEFT, BOARD_UP, BOARD_RIGHT, BOARD_DOWN, BOARD_PUSH };

struct board_level {
    int number; /* as the file numbers it */
    int width, height;
    int boxes;
    char cells[BOARD_CELLS];                /* what does not move: '#', '.' or ' ' */
    unsigned char initial[1 + BOARD_BOXES]; /* the state at the start */
};

/* A state: the player's cell, then the boxes' cells in rising order. */
static inline size_t board_statesize(struct board_level const *level)
{
    return 1 + (size_t)level->boxes;
}

/* What went wrong in reading a level. */
enum board_error {
    BOARD_OK,
    BOARD_EFILE,   /* can not be read; errno tells why */
    BOARD_ENONE,   /* no level of that number is in it */
    BOARD_ELARGE,  /* more cells or boxes than there is room for */
    BOARD_EPLAYER, /* not exactly one player */
    BOARD_EBOXES,  /* no boxes, or not as many as goals */
};

/* Reads the level of that number (0: the first) from a file in XSB. A line with a semicolon and a
 * number alone gives the number of the level that follows; a level without gets the one after that
 * of the level before. BOARD_OK, or what is wrong with the file or with that level. */
enum board_error board_read(struct board_level *level, char const *path, int number);

/* In words, to be put after a file's name. */
char const *board_strerror(enum board_error error);

/* Tries to move the player: the number of the move, and `after` is the state that it leads to; or
 * -1 if a wall or a box is in the way. `state` must be one of this level. */
int board_move(struct board_level const *level, unsigned char const *state, int direction,
               unsigned char *after);

/* Whether all boxes stand on goals. */
bool board_solved(struct board_level const *level, unsigned char const *state);

/* What a cell shows, in XSB. */
char board_cell(struct board_level const *level, unsigned char const *state, int cell);

#endif
