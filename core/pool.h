/* A pool: items of one size, found by a number in constant time, that never move. Memory comes in
 * slabs that double from a few items up to a limit, so that a small session stays small and a large
 * one pays no slack; where numbers are far between, so are the slabs. It allocates and zeroes; it
 * never looks into an item. */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include <stddef.h>
#include <stdint.h>

struct pool {
    size_t stride; /* bytes of an item */
    unsigned
        low; /* the first slab holds 1 << low items, each further one as many as all before ... */
    unsigned top;  /* ... up to 1 << top */
    void *owner;   /* stands at the head of each slab: pool_owner() finds it from an item */
    char ***pages; /* of pointers to slabs; NULL where none of the items was ever made ... */
    uint32_t pagecap;
    uint32_t firstcap; /* ... and a page has POOL_PAGE of them, but the first only so many */
    size_t bytes;      /* allocated, for accounting */
};

#define POOL_PAGE 1024

#define POOL_HEADER                                                              \
    16 /* bytes before the first item of a slab; the owner is in the first eight \
        */

void pool_init(struct pool *p, size_t stride, unsigned low, unsigned top, void *owner);
void pool_close(struct pool *p);

static inline size_t pool_slab(struct pool const *p, uint32_t id)
{
    if (id >> p->top)
        return p->top - p->low + (id >> p->top);
    if (id >> p->low)
        return (unsigned)(31 - __builtin_clz(id)) - p->low + 1;
    return 0;
}

static inline size_t pool_offset(struct pool const *p, uint32_t id)
{
    if (id >> p->top)
        return id & ((UINT32_C(1) << p->top) - 1);
    if (id >> p->low)
        return id & ~(UINT32_C(1) << (31 - __builtin_clz(id)));
    return id;
}

/* The item, which must exist. */
static inline void *pool_at(struct pool const *p, uint32_t id)
{
    size_t slab = pool_slab(p, id);
    return p->pages[slab / POOL_PAGE][slab % POOL_PAGE] + POOL_HEADER +
           pool_offset(p, id) * p->stride;
}

/* Where the pointer to a slab stands, or NULL if there is no place for it yet. */
static inline char **pool_place(struct pool const *p, size_t slab)
{
    size_t page = slab / POOL_PAGE, cap = page ? POOL_PAGE : p->firstcap;
    if (page >= p->pagecap || !p->pages[page] || slab % POOL_PAGE >= cap)
        return NULL;
    return &p->pages[page][slab % POOL_PAGE];
}

/* The item, or NULL if its slab was never made. */
static inline void *pool_find(struct pool const *p, uint32_t id)
{
    char **place = pool_place(p, pool_slab(p, id));
    return place && *place ? *place + POOL_HEADER + pool_offset(p, id) * p->stride : NULL;
}

int pool_grow(struct pool *p, uint32_t first, uint32_t count);

/* Makes sure that the items first .. first+count-1 exist (zeroed when new). REDO_OK or
 * REDO_ENOMEM; items that exist are untouched either way. */
static inline int pool_reserve(struct pool *p, uint32_t first, uint32_t count)
{
    return count == 1 && pool_find(p, first) ? 0 : pool_grow(p, first, count);
}

/* The first item from this number on whose slab was made; its number goes to *id. NULL if there is
 * none. What was never made is passed over in large steps. */
void *pool_from(struct pool const *p, uint32_t *id);

/* The owner of the pool that an item with this offset in its slab belongs to. */
static inline void *pool_owner(void const *item, size_t offset, size_t stride)
{
    return *(void *const *)((char const *)item - offset * stride - POOL_HEADER);
}

#endif
