/* A hash index: from 32 bits of hash to a number that tells where the thing is. It holds no keys:
 * whoever looks says which of the candidates with the same hash is meant. It grows a little with
 * each insertion, never all at once, so that no single one is slow. */
#ifndef CORE_INDEX_H
#define CORE_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct index_entry {
    uint32_t hash;
    uint32_t value; /* of the caller, plus 1; 0: empty; INDEX_GONE: was moved or erased */
};

struct index_table {
    struct index_entry *entries;
    uint32_t mask;  /* capacity - 1; capacity is a power of two */
    uint32_t count; /* entries in use */
};

struct index {
    struct index_table now;
    struct index_table old; /* being emptied into now, while old.entries is set */
    uint32_t moved;         /* slots of old that have been emptied */
};

#define INDEX_NONE UINT32_MAX /* not found; values are below INDEX_NONE - 1 */

void index_init(struct index *x);
void index_close(struct index *x);
size_t index_bytes(struct index const *x);

/* Makes room for so many insertions, which then can not fail. REDO_OK or REDO_ENOMEM. */
int index_reserve(struct index *x, uint32_t insertions);

/* Inserts a value that is not there yet; room must have been reserved. */
void index_insert(struct index *x, uint32_t hash, uint32_t value);

/* Both look for the entry with this hash and value, which must be there. */
void index_replace(struct index *x, uint32_t hash, uint32_t value, uint32_t by);
void index_erase(struct index *x, uint32_t hash, uint32_t value);

/* Candidates: a walk over the values with this hash.
 *     struct index_walk w = index_walk(x, hash);
 *     while ((value = index_next(x, &w)) != INDEX_NONE) ... */
struct index_walk {
    uint32_t hash, slot, left;
    int old;
};

static inline struct index_walk index_walk(struct index const *x, uint32_t hash)
{
    return (struct index_walk){.hash = hash, .slot = hash & x->now.mask, .left = x->now.mask + 1};
}

uint32_t index_next(struct index const *x, struct index_walk *w);

#endif
