#include "client/text/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_FIRST 4096
#define BLOCK_MOST (1024 * 1024)

struct arena_block {
    struct arena_block *next;
    size_t size;
    _Alignas(max_align_t) char data[];
};

static bool arena_grow(struct arena *a, size_t size)
{
    size_t block = BLOCK_FIRST;
    if (a->blocks)
        block = a->blocks->size < BLOCK_MOST ? 2 * a->blocks->size : BLOCK_MOST;
    if (block < size)
        block = size;
    if (block > a->limit - a->taken)
        block = size;
    if (block > a->limit - a->taken) {
        a->full = true;
        return false;
    }
    struct arena_block *b = malloc(sizeof *b + block);
    if (!b)
        return false;
    b->next = a->blocks;
    b->size = block;
    a->blocks = b;
    a->left = block;
    a->taken += block;
    return true;
}

void *arena_take(struct arena *a, size_t size)
{
    if (size > SIZE_MAX / 2)
        return NULL;
    size = (size + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    if ((!a->blocks || size > a->left) && !arena_grow(a, size))
        return NULL;
    char *memory = a->blocks->data + (a->blocks->size - a->left);
    a->left -= size;
    return memset(memory, 0, size);
}

void arena_free(struct arena *a)
{
    while (a->blocks) {
        struct arena_block *b = a->blocks;
        a->blocks = b->next;
        free(b);
    }
}

char *arena_copy(struct arena *a, char const *text, size_t size)
{
    char *copy = arena_take(a, size + 1);
    if (copy && size > 0)
        memcpy(copy, text, size);
    return copy;
}

void arena_empty(struct arena *a)
{
    struct arena_block *kept = a->blocks;
    if (!kept)
        return;
    a->blocks = kept->next;
    arena_free(a);
    kept->next = NULL;
    a->blocks = kept;
    a->taken = a->left = kept->size;
}
