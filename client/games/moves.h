/* Moves of backgammon: as numbers of branches, and as people write them. */
#ifndef CLIENT_GAMES_MOVES_H
#define CLIENT_GAMES_MOVES_H

#include "client/games/sheet.h"
#include "client/sgf/gnubg.h"

/* The number of the branch of a chequer move, the same for the same hops in whatever order. 0 is no
 * move at all. Up to three hops: their codes, the largest first, in the system of 626, a code being
 * 25 (from - 1) + to + 1. Four hops as the dice (equal ones) have them: after all those, the points
 * from, the highest first, in the system of 25. Others: a hash with the highest bit but one set. */
int move_number(struct gnubg_move const *move, int const dice[2]);

/* The other way; false where that can not be told. */
bool move_of_number(int number, int const dice[2], struct gnubg_move *move);

/* "24/18 13/11", "bar/20", "6/off"; no move: "no move". At most cap bytes are written; how many
 * there are. */
#define MOVE_TEXT_MAX 48
size_t move_format(struct gnubg_move const *move, char *out, size_t cap);

/* Reads what people write: points with a slash between them, spaces, "bar" or 25, "off" or 0; hits
 * ("*") do not count, "8/5(2)" is twice, "24/18/13" goes on. False: it is no move of at most four
 * hops. */
bool move_parse(redo_sgf_string text, struct gnubg_move *move);

/* Moves of other branches. Where two differ in what they can not tell, as a second roll of the same
 * dice does, MOVE_AGAIN is added until it is free. */
enum {
    MOVE_OF_WHITE = 100, /* added to dice that the side to act does not roll, or nobody yet is */
    MOVE_OF_BLACK = 200,
    MOVE_DOUBLE = 1000,
    MOVE_TAKE = 1001,
    MOVE_DROP = 1002,
    MOVE_BEAVER = 1003,
    MOVE_RACCOON = 1004,
    MOVE_AGAIN = 10000
};

#endif
