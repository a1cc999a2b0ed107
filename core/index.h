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
    uint32_t capacity;
    uint32_t count; /* entries in use */
};

struct index {
    struct index_table now;
    struct index_table old; /* being emptied into now, while old.entries is set */
    uint32_t moved;         /* slots of old that have been emptied */
};

#define INDEX_NONE UINT32_MAX /* not found; values are below INDEX_NONE - 1 */
#define INDEX_GONE UINT32_MAX

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

/* Where the search for a hash begins: homes have the order of hashes. */
static inline uint32_t index_home(struct index_table const *t, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * t->capacity >> 32);
}

static inline uint32_t index_after(struct index_table const *t, uint32_t slot)
{
    return slot + 1 == t->capacity ? 0 : slot + 1;
}

/* Candidates: a walk over the values with this hash.
 *     struct index_walk w = index_walk(x, hash);
 *     while ((value = index_next(x, &w)) != INDEX_NONE) ... */
struct index_walk {
    struct index_table const *table;
    uint32_t hash, slot;
};

/* Has the processor fetch what a look for this hash will look at first. */
static inline void index_prefetch(struct index const *x, uint32_t hash)
{
    __builtin_prefetch(&x->now.entries[index_home(&x->now, hash)]);
}

static inline struct index_walk index_walk(struct index const *x, uint32_t hash)
{
    return (struct index_walk){.table = &x->now, .hash = hash, .slot = index_home(&x->now, hash)};
}

static inline uint32_t index_next(struct index const *x, struct index_walk *w)
{
    for (;;) {
        struct index_table const *t = w->table;
        while (t->entries && t->entries[w->slot].value) {
            struct index_entry e = t->entries[w->slot];
            w->slot = index_after(t, w->slot);
            if (e.hash == w->hash && e.value != INDEX_GONE)
                return e.value - 1;
        }
        if (t == &x->old || !x->old.entries)
            return INDEX_NONE;
        w->table = &x->old;
        w->slot = index_home(&x->old, w->hash);
    }
}

#endif
