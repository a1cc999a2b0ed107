/* Slabs and the directory of them. A slab is never moved and is freed with the pool alone, since
 * callers keep pointers into it. */
#include "core/pool.h"

#include <stdlib.h>

#include "core/error.h"

void pool_init(struct pool *p, size_t stride, unsigned low, unsigned top, void *owner)
{
    *p = (struct pool){.stride = stride, .low = low, .top = top, .owner = owner};
}

void pool_close(struct pool *p)
{
    for (size_t i = 0; i < p->slabcap; i++)
        free(p->slabs[i]);
    free(p->slabs);
    p->slabs = NULL;
    p->slabcap = 0;
    p->bytes = 0;
}

static int directory_grow(struct pool *p, size_t need)
{
    size_t cap = p->slabcap ? p->slabcap : 2;
    while (cap < need)
        cap *= 2;
    char **slabs = realloc(p->slabs, cap * sizeof *slabs);
    if (!slabs)
        return REDO_ENOMEM;
    for (size_t i = p->slabcap; i < cap; i++)
        slabs[i] = NULL;
    p->bytes += (cap - p->slabcap) * sizeof *slabs;
    p->slabs = slabs;
    p->slabcap = cap;
    return REDO_OK;
}

/* Items in a slab. */
static size_t slab_items(struct pool const *p, size_t slab)
{
    if (slab == 0)
        return (size_t)1 << p->low;
    unsigned bits = p->low + (unsigned)slab - 1;
    return (size_t)1 << (slab > p->top - p->low ? p->top : bits);
}

int pool_reserve(struct pool *p, uint32_t first, uint32_t count)
{
    if (!count)
        return REDO_OK;
    size_t from = pool_slab(p, first), to = pool_slab(p, first + count - 1);
    if (to >= p->slabcap && directory_grow(p, to + 1))
        return REDO_ENOMEM;
    for (size_t i = from; i <= to; i++) {
        if (p->slabs[i])
            continue;
        size_t bytes = POOL_HEADER + slab_items(p, i) * p->stride;
        char *slab = calloc(1, bytes);
        if (!slab)
            return REDO_ENOMEM;
        *(void **)slab = p->owner;
        p->slabs[i] = slab;
        p->bytes += bytes;
    }
    return REDO_OK;
}
