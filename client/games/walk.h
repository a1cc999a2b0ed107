/* Going through the positions of a session from the first one on, without recursion: branches in
 * the order in which they were made, which is that of a file that was read, whatever was looked at
 * last. */
#ifndef CLIENT_GAMES_WALK_H
#define CLIENT_GAMES_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "core/redo_record.h"

/* The positions after one, by number; but the first is no alternate, if there is another. */
struct children {
    redo_position **list; /* owned */
    size_t count, cap;
};

/* Fills it, in place of what was there. False: no memory. */
bool children_of(redo_position const *position, struct children *c);
void children_free(struct children *c);

/* Whether the position was made as an alternate of another. */
bool is_alternate(redo_position const *position);

/* What is still to be gone to, and what belongs to it. */
struct walk_step {
    redo_position *position;
    void *data;
};
struct walk {
    struct walk_step *steps; /* owned */
    size_t count, cap;
};

bool walk_push(struct walk *w, redo_position *position, void *data);

/* The one pushed last; false if there is none. */
bool walk_pop(struct walk *w, struct walk_step *step);
void walk_free(struct walk *w);

#endif
