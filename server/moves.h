/* The moves of a list of additions, to find two that are the same move from the same position
 * before either is made. A table of fixed size, made for one list. */
#ifndef SERVER_MOVES_H
#define SERVER_MOVES_H

#include <stddef.h>
#include <stdint.h>

struct moves {
    struct moves_entry *entry;
    size_t mask; /* entries, a power of two, less one */
    uint64_t seed;
};

/* Room for count moves; the seed must not be known to clients. REDO_OK or REDO_ENOMEM. */
int moves_init(struct moves *moves, size_t count, uint64_t seed);
void moves_close(struct moves *moves);

/* The item that was noted first for this move from this parent: an earlier one, or the given one,
 * which then is noted. */
uint32_t moves_note(struct moves *moves, uint64_t parent, int move, uint32_t item);

#endif
