#include "core/states.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/error.h"

/* Slabs of states stay below this, unless a single state is larger. */
#define SLAB_BYTES (16 * 1024)
#define FIRST_SLAB_BYTES 512

/* A state may be cast to a struct by the game: it is aligned as malloc() would, up to 8. */
static size_t stride(uint32_t size)
{
    size_t align = size > 4 ? 8 : 4;
    return (size + align - 1) & ~(align - 1);
}

static unsigned fitting(size_t bytes, size_t item)
{
    unsigned bits = 0;
    while (item << (bits + 1) <= bytes)
        bits++;
    return bits;
}

void states_init(struct states *s, uint32_t size, bool counted, uint64_t seed)
{
    *s = (struct states){.size = size, .counted = counted, .free = STATES_NONE, .seed = seed};
    pool_init(&s->bytes, stride(size), fitting(FIRST_SLAB_BYTES, stride(size)),
              fitting(SLAB_BYTES, stride(size)), s);
    pool_init(&s->uses, sizeof(uint32_t), 4, 12, s);
    index_init(&s->index);
}

void states_close(struct states *s)
{
    pool_close(&s->bytes);
    pool_close(&s->uses);
    index_close(&s->index);
}

size_t states_memory(struct states const *s)
{
    return s->bytes.bytes + s->uses.bytes + index_bytes(&s->index);
}

int states_reserve(struct states *s, uint32_t count)
{
    uint32_t fresh = count > s->freed ? count - s->freed : 0;
    if (fresh > UINT32_MAX - 1 - s->next)
        return REDO_EFULL;
    if (pool_reserve(&s->bytes, s->next, fresh))
        return REDO_ENOMEM;
    if (s->counted && (pool_reserve(&s->uses, s->next, fresh) || index_reserve(&s->index, count)))
        return REDO_ENOMEM;
    return REDO_OK;
}

static uint32_t hash_of(struct states const *s, void const *state)
{
    return (uint32_t)XXH3_64bits_withSeed(state, s->size, s->seed);
}

static uint32_t *uses_of(struct states *s, uint32_t id)
{
    return pool_at(&s->uses, id);
}

uint32_t states_take(struct states *s, void const *state)
{
    uint32_t hash = 0;
    if (s->counted) {
        hash = hash_of(s, state);
        struct index_walk walk = index_walk(&s->index, hash);
        uint32_t id;
        while ((id = index_next(&s->index, &walk)) != INDEX_NONE) {
            if (memcmp(states_at(s, id), state, s->size) == 0) {
                ++*uses_of(s, id);
                return id;
            }
        }
    }
    uint32_t id = s->free;
    if (id == STATES_NONE) {
        id = s->next++;
    } else {
        memcpy(&s->free, states_at(s, id), sizeof s->free);
        s->freed--;
    }
    memcpy(states_at(s, id), state, s->size);
    if (s->counted) {
        *uses_of(s, id) = 1;
        index_insert(&s->index, hash, id);
    }
    return id;
}

void states_use(struct states *s, uint32_t id)
{
    ++*uses_of(s, id);
}

void states_release(struct states *s, uint32_t id)
{
    if (s->counted) {
        if (--*uses_of(s, id))
            return;
        index_erase(&s->index, hash_of(s, states_at(s, id)), id);
    }
    memcpy(states_at(s, id), &s->free, sizeof s->free);
    s->free = id;
    s->freed++;
}
