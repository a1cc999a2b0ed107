/* Positions of backgammon as states of a session: 54 bytes that are compared, 12 that are not.
 *
 *     0  25  White's chequers on its own points 1 to 24 and the bar
 *    25  25  Black's
 *    50   1  who has to act: 0 White, 1 Black, 3 nobody yet (the first position)
 *    51   2  the dice, 0 0 before the roll
 *    53   1  1: a double is offered
 *    54   1  the cube, as a power of 2
 *    55   1  its owner: 0, 1, 3 nobody
 *    56   1  whose roll it is; of an offered double, who offered first
 *    57   1  the state of the game: 0 not begun, 1 playing, 2 over, 3 resigned, 4 dropped
 *    58   1  1: the Crawford game; 2: the Jacoby rule
 *    59   1  a resignation that is offered: 1 single, 2 gammon, 3 backgammon
 *    60   2  the length of the match, low byte first; 0: money
 *    62   2  White's score
 *    64   2  Black's */
#ifndef CLIENT_GAMES_BOARD_H
#define CLIENT_GAMES_BOARD_H

#include "client/sgf/gnubg.h"
#include "core/redo.h"

#define BOARD_COMPARED 54
#define BOARD_SIZE 66
#define BOARD_NOBODY_YET 3

struct board {
    unsigned char bytes[BOARD_SIZE];
};

void board_write(struct gnubg_position const *p, struct board *b);

/* False: no state of ours. */
bool board_read(void const *state, size_t size, struct gnubg_position *p);
bool board_of(redo_session const *session, redo_position const *position, struct gnubg_position *p);

/* The IDs, also where nobody is to act yet. */
void board_ids(struct gnubg_position const *p, char position[GNUBG_POSITION_ID],
               char match[GNUBG_MATCH_ID]);

#endif
