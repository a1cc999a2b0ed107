/* Finds where a game begins and ends, in text that comes piece by piece, and nothing else: the
 * parser looks at it when it is whole. Text before the first game may be anything: a game begins
 * with a parenthesis that a semicolon follows, or the name of a property with a bracket (some files
 * have their first properties so). Between games there are no parentheses. */
#ifndef CLIENT_SGF_SCAN_H
#define CLIENT_SGF_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum scan_state {
    SCAN_LEAD,   /* before the game */
    SCAN_OPENED, /* after a ( that may begin it */
    SCAN_NAME,   /* in what may be the first name */
    SCAN_TREE,
    SCAN_VALUE,
    SCAN_ESCAPE, /* after a backslash in a value */
};

enum scan_status { SCAN_MORE, SCAN_END, SCAN_STRAY };

struct scan {
    enum scan_state state;
    bool between; /* not before the first game */
    size_t at;    /* how far it has looked; at the end after the last ) */
    size_t start; /* of the ( that began the game or may begin it */
    size_t depth;
};

/* Looks at text from s->at to size. SCAN_STRAY: at s->at is a parenthesis, or what follows one,
 * that should not be between games. */
enum scan_status scan_run(struct scan *s, char const *text, size_t size);

/* Whether the game has surely begun. */
static inline bool scan_began(struct scan const *s)
{
    return s->state >= SCAN_TREE;
}

/* Finds the value of the property CA in the root node of the game that begins at start. pairs: the
 * charset may be one of two bytes a character of which the second is any from 0x40, so that one is
 * no bracket nor backslash. SCAN_MORE: not yet found, the node goes on; SCAN_STRAY: there is none.
 */
enum scan_status scan_charset(char const *text, size_t size, size_t start, bool pairs,
                              size_t *value, size_t *value_size);

#endif
