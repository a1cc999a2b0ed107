#include "server/moves.h"

#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/redo_error.h"

struct moves_entry {
    uint64_t parent;
    int move;
    uint32_t item; /* plus one; 0: free */
};

int moves_init(struct moves *moves, size_t count, uint64_t seed)
{
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    *moves = (struct moves){.mask = size - 1, .seed = seed};
    moves->entry = calloc(size, sizeof *moves->entry);
    return moves->entry ? REDO_OK : REDO_ENOMEM;
}

void moves_close(struct moves *moves)
{
    free(moves->entry);
}

uint32_t moves_note(struct moves *moves, uint64_t parent, int move, uint32_t item)
{
    uint64_t key[2] = {parent, (uint32_t)move};
    size_t at = XXH3_64bits_withSeed(key, sizeof key, moves->seed) & moves->mask;
    struct moves_entry *e;
    for (; (e = &moves->entry[at])->item; at = (at + 1) & moves->mask)
        if (e->parent == parent && e->move == move)
            return e->item - 1;
    *e = (struct moves_entry){parent, move, item + 1};
    return item;
}
