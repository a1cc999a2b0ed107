/* Finds where a game ends, in text that comes piece by piece, and nothing else: the parser looks at
 * it when it is whole.
 *
 * A game ends after its result and the comments that follow without an empty line between; before a
 * tag that follows moves; before the tag Event after an empty line; where it is surely broken; or
 * at the end. */
#ifndef CLIENT_PGN_SCAN_H
#define CLIENT_PGN_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum scan_state { SCAN_SPACE, SCAN_WORD, SCAN_TAG, SCAN_STRING, SCAN_BRACE, SCAN_LINE };

enum scan_status { SCAN_MORE, SCAN_END };

struct scan {
    enum scan_state state;
    size_t at;         /* how far it has looked; at the end where the game ends */
    size_t word;       /* where the word began */
    size_t comments;   /* where comments after the result began that may be the next game's; or 0 */
    size_t depth;      /* of variations */
    unsigned newlines; /* since the last token */
    bool column_one;   /* the text begins at the beginning of a line */
    bool tags, moves;  /* some came */
    bool over;         /* the result came */
};

/* Looks at text from s->at to size; final: there is no more. */
enum scan_status pgn_scan_run(struct scan *s, char const *text, size_t size, bool final);

/* Whether there is a game at all. */
static inline bool scan_began(struct scan const *s)
{
    return s->tags || s->moves;
}

#endif
