/* Memory in pieces that are freed together: what the nodes of a game are made of. */
#ifndef CLIENT_TEXT_ARENA_H
#define CLIENT_TEXT_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;
    size_t left; /* bytes of the first block not given out */
    size_t taken, limit;
    bool full; /* something was refused for the limit */
};

/* Memory of the arena, zeroed. NULL: none, or over the limit. */
void *arena_take(struct arena *a, size_t size);

/* A copy of the text with a zero behind it. NULL as arena_take(). */
char *arena_copy(struct arena *a, char const *text, size_t size);

void arena_free(struct arena *a);

/* Gives back all of it but one block, which is used again. */
void arena_empty(struct arena *a);

#endif
