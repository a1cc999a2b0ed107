/* Keys of operations: what came of the last ones that had a key, so that one that is repeated does
 * nothing and is answered as it was. The oldest make room for new ones. */
#ifndef CORE_KEYS_H
#define CORE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/redo.h"

#define KEYS_BYTES (256 * 1024) /* of keys and of what the adds of turns came upon, together */

/* The fields of a position, as they were. */
struct fields {
    uint32_t number, prev, better; /* or REDO_NOPOSITION */
    uint32_t movecount, solutionsize, nextcount;
    uint32_t author, time;
    int move, endpoint, solutionend;
    bool setbetter;
};

/* What an operation answers beside its result. */
struct answer {
    struct fields fields; /* of result.position */
    uint32_t *items;      /* of a turn: twice the number of each position, plus 1 if it is new */
    uint32_t count, cap;
    uint64_t sequence; /* of the operation */
};

struct key {
    uint64_t operation; /* a hash of what it was */
    uint32_t author;
    uint32_t size;
    unsigned char bytes[REDO_KEY_MAX];
    redo_result result;
    struct fields fields;
    uint64_t sequence;
    uint32_t *items;
    uint32_t count;
};

#define KEYS_HEADS 2048

/* The keys that are kept, in a ring, and found by their hashes: made with the first key. */
struct keys_table {
    struct key *ring[REDO_KEYS_MAX];
    uint16_t next[REDO_KEYS_MAX]; /* place in the ring plus 1 of another of the same head, or 0 */
    uint16_t head[KEYS_HEADS];    /* the same of the first */
};

struct keys {
    struct keys_table *table; /* or NULL */
    uint32_t first, count;
    size_t bytes;
};

/* The key in this place, from 0, the oldest. */
static inline struct key *keys_at(struct keys const *k, uint32_t i)
{
    return k->table->ring[(k->first + i) % REDO_KEYS_MAX];
}

void keys_close(struct keys *k);
size_t keys_memory(struct keys const *k);

/* The key of this author, or NULL. */
struct key const *keys_find(struct keys const *k, uint32_t author, void const *bytes, size_t size);

/* A key with room for so many items, not kept yet; NULL without memory. */
struct key *keys_make(struct keys *k, void const *bytes, size_t size, uint32_t items);
void key_free(struct key *key);

/* Keeps it, as the newest. */
void keys_keep(struct keys *k, struct key *key);

#endif
