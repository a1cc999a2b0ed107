/* gnubg's dialect: what the import and the export of it share. README.md tells what hangs where. */
#ifndef CLIENT_GAMES_BACKGAMMON_H
#define CLIENT_GAMES_BACKGAMMON_H

#include "client/games/board.h"
#include "client/games/games.h"
#include "client/games/moves.h"
#include "client/games/opinions.h"
#include "client/games/sheet.h"

/* A property that gnubg does not know, for what it has no property for: a list of words, and of
 * keys and numbers with a colon between them. In a set-up node what it changes beside board, dice
 * and cube; in any node
 *     after:N    the node begins from the position after the roll N of those after its parent
 *     made       the last move of a line was made, though dice were set before it
 *     open       nothing was done; DA is what is thought of the cube
 *     candidate:24/18 13/11   a candidate without an analysis
 *     end        there is no main line after the parent */
#define EXTRA "XM"

/* A property of the branch to a position that no node tells of: where somebody decides about the
 * cube who was not the one to act. */
#define UNTOLD "untold"

struct extra {
    bool there, made, open, end, has_after;
    int after;
    bool has_board; /* it has any of the keys of positions */
};

/* Reads the properties of that name of a node, and if board is not NULL sets there what they tell
 * of the position. False: they are not ours. */
bool extra_read(redo_sgf_node const *node, struct extra *extra, struct gnubg_position *board);

/* Whether the node is the last of its line, and beside it are alternates alone. */
bool is_alone(redo_sgf_node const *node);

/* Adds a word to the node's property of that kind, and the property if there is none. */
int extra_word(redo_sgf_game *game, redo_sgf_node *node, char const *word);

/* Adds one that tells the length again, if it has none yet: so the node is known for an alternate.
 */
int extra_length(redo_sgf_game *game, redo_sgf_node *node, struct gnubg_position const *board);

/* --- what is done with a position --- */

/* The position after a set-up node, extra included. REDO_OK or an error. */
int setup_play(struct gnubg_position *p, redo_sgf_node const *node,
               struct gnubg_record const *record, struct extra *extra, redo_sgf_error *error);

/* The properties that make one position into the other. REDO_OK or REDO_ENOMEM. */
int setup_write(redo_sgf_game *game, redo_sgf_node *node, struct gnubg_position const *from,
                struct gnubg_position const *to, int after);

/* Whether a property is one of set-up. */
bool is_setup(redo_sgf_property const *p);

bool board_equal(struct gnubg_position const *a, struct gnubg_position const *b);
bool board_same_compared(struct gnubg_position const *a, struct gnubg_position const *b);

/* --- properties of SGF as they are --- */

/* As a property of the sheet, named as told and where that is taken with a number after it. */
void hang_raw(struct sheet *s, struct properties *to, char const *name,
              redo_sgf_value const *values);

/* Comment, luck, skill and what is not understood: of a branch, or of a decision still open. */
void hang_common(struct sheet *s, struct properties *to, struct gnubg_record const *r);
void hang_luck(struct sheet *s, struct properties *to, struct gnubg_luck const *luck);
void hang_skill(struct sheet *s, struct properties *to, char const *name, enum gnubg_skill skill);

/* The candidates of a roll: REDO_OK, or REDO_EDAMAGED if they can not be kept. */
int hang_list(struct sheet *s, struct gnubg_record const *r);

/* The way back. The record points into the sheet and the arena. */
bool fetch_luck(struct properties const *from, struct gnubg_luck *luck);
enum gnubg_skill fetch_skill(struct properties const *from, char const *name);

/* The candidates that nothing is thought of, which XM has. */
int hang_more(struct sheet *s, redo_sgf_node const *node, int const dice[2]);

/* Whether candidates of a record are from a file's list: not added for a move that is not there. */
bool is_listed(struct item const *item);

/* Whether it is written into the list A. gnubg 1.07 writes none without an analysis there, and ends
 * with a fault when it tells of one: these are in XM, unless they were read so. */
bool is_in_list(struct item const *item);

/* Whether both have the same nodes with the same properties, in whatever order in a node, as gnubg
 * reads names. */
bool same_games(redo_sgf_game const *a, redo_sgf_game const *b);

#endif
