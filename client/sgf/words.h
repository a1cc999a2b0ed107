/* Values as words and numbers, and making such values. */
#ifndef CLIENT_SGF_WORDS_H
#define CLIENT_SGF_WORDS_H

#include <stdbool.h>

#include "client/sgf/gnubg.h"

/* Text that is made in a place of fixed size; size counts on past the end. */
struct out {
    char *bytes;
    size_t size, cap;
};

void out_text(struct out *o, char const *text, size_t size);
void out_string(struct out *o, char const *text);
void out_format(struct out *o, char const *format, ...) __attribute__((format(printf, 2, 3)));

/* The number's text; if it has none, so many digits after the point, or if that is 0 ten that
 * count. The point is a point in every locale. */
void out_number(struct out *o, struct gnubg_number const *n, int digits);

/* Takes the next word off the front: what stands between spaces, or in quotes with them. Empty:
 * there is none. */
redo_sgf_string word_next(redo_sgf_string *rest);

bool word_is(redo_sgf_string word, char const *text);

/* Takes the next word off if it is this one. */
bool word_skip(redo_sgf_string *rest, char const *text);

/* The word as a number: all of it. False: it is none. */
bool word_number(redo_sgf_string word, struct gnubg_number *number);
bool word_integer(redo_sgf_string word, long low, long high, long *number);

#endif
