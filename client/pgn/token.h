/* What the characters and words of movetext are. */
#ifndef CLIENT_PGN_TOKEN_H
#define CLIENT_PGN_TOKEN_H

#include <stdbool.h>

#include "client/pgn/redo_pgn.h"

/* Whether the character may be part of a word: a move, a number, a result. All of UTF-8 beyond
 * ASCII may. */
extern bool const token_chars[256];

#define TOKEN_MARK "\xef\xbb\xbf" /* a byte order mark, which is ignored before a word */

/* How long the word at the beginning is; 0: there is none. e.p. belongs to it. */
size_t token_size(char const *text, size_t size);

/* Without a byte order mark before it. */
size_t token_mark(char const *text, size_t size);

bool token_is_number(char const *word, size_t size);
bool token_is_result(char const *word, size_t size, enum redo_pgn_result *result);

/* A word that means an evaluation, such as +-. Gives the sign (static) or NULL. */
char const *token_sign(char const *word, size_t size, unsigned *number);

/* Whether it is read as one move. */
bool token_is_move(char const *word, size_t size);

/* A character of a tag's name. */
bool token_is_name(unsigned char c);

#endif
