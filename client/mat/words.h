/* What lines and columns of a match are made of, piece by piece from the left. */
#ifndef CLIENT_MAT_WORDS_H
#define CLIENT_MAT_WORDS_H

#include <stdbool.h>

#include "client/mat/redo_mat.h"

/* Without the spaces at both ends. */
redo_text_string trim(redo_text_string s);

/* Each of these takes something off the front, after spaces, if it is there. A word is compared
 * without regard to case, and must end there. */
bool take_word(redo_text_string *s, char const *word);
bool take_char(redo_text_string *s, char c);
bool take_number(redo_text_string *s, unsigned long *number);

/* Reads what stands in a player's column, without the spaces around it, but for next and player.
 * What is nothing else is REDO_MAT_OTHER. */
void cell_read(redo_text_string cell, redo_mat_action *action);

/* Whether something else than a move's text begins here: dice, or a word such as Doubles. */
bool cell_begins(redo_text_string s);

/* ; [NAME "VALUE"] or ; VALUE or neither. */
enum redo_mat_line_kind line_read(redo_text_string line, redo_text_string *name,
                                  redo_text_string *value);

/* NAME : SCORE  NAME : SCORE, or if *one the first of both alone. */
bool players_read(redo_text_string line, redo_text_string name[2], unsigned long score[2],
                  bool *one);

/* The beginning of a line of a match, a game, or moves. */
bool match_line_read(redo_text_string line, unsigned long *length);
/* Such a line, but with a length that is too large to be read. */
bool match_line_beyond(redo_text_string line);
bool game_line_read(redo_text_string line, unsigned long *number);
bool row_number_read(redo_text_string *line);

#endif
