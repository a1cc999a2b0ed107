/* Slabs and the directory of them, which has two levels, so that a number however high costs
 * little. A slab is never moved and is freed with the pool alone, since
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
    for (uint32_t page = 0; page < p->pagecap; page++) {
        if (!p->pages[page])
            continue;
        for (uint32_t i = 0; i < (page ? POOL_PAGE : p->firstcap); i++)
            free(p->pages[page][i]);
        free(p->pages[page]);
    }
    free(p->pages);
    p->pages = NULL;
    p->pagecap = p->firstcap = 0;
    p->bytes = 0;
}

/* A longer copy of an array of pointers, the new ones NULL. */
static void *longer(void *pointers, size_t from, size_t to)
{
    void **grown = realloc(pointers, to * sizeof *grown);
    for (size_t i = from; grown && i < to; i++)
        grown[i] = NULL;
    return grown;
}

static size_t doubled(size_t cap, size_t need)
{
    cap = cap ? cap : 1;
    while (cap < need)
        cap *= 2;
    return cap;
}

/* The place of a slab's pointer, made if it is not there; NULL without memory. */
static char **place_make(struct pool *p, size_t slab)
{
    size_t page = slab / POOL_PAGE, in_page = slab % POOL_PAGE;
    if (page >= p->pagecap) {
        size_t cap = doubled(p->pagecap, page + 1);
        char ***pages = longer(p->pages, p->pagecap, cap);
        if (!pages)
            return NULL;
        p->bytes += (cap - p->pagecap) * sizeof *pages;
        p->pages = pages;
        p->pagecap = (uint32_t)cap;
    }
    size_t had = page ? (p->pages[page] ? POOL_PAGE : 0) : p->firstcap;
    if (in_page >= had) {
        size_t cap = page ? POOL_PAGE : doubled(had, in_page + 1);
        char **slabs = longer(p->pages[page], had, cap);
        if (!slabs)
            return NULL;
        p->bytes += (cap - had) * sizeof *slabs;
        p->pages[page] = slabs;
        if (!page)
            p->firstcap = (uint32_t)cap;
    }
    return &p->pages[page][in_page];
}

/* Items in a slab, and the number of the first. */
static size_t slab_items(struct pool const *p, size_t slab)
{
    if (slab == 0)
        return (size_t)1 << p->low;
    unsigned bits = p->low + (unsigned)slab - 1;
    return (size_t)1 << (slab > p->top - p->low ? p->top : bits);
}

static uint64_t slab_first(struct pool const *p, size_t slab)
{
    if (slab == 0)
        return 0;
    if (slab > p->top - p->low)
        return (uint64_t)(slab - (p->top - p->low)) << p->top;
    return UINT64_C(1) << (p->low + slab - 1);
}

int pool_grow(struct pool *p, uint32_t first, uint32_t count)
{
    if (!count)
        return REDO_OK;
    size_t from = pool_slab(p, first), to = pool_slab(p, first + count - 1);
    for (size_t i = from; i <= to; i++) {
        char **place = pool_place(p, i);
        if (place && *place)
            continue;
        if (!place && !(place = place_make(p, i)))
            return REDO_ENOMEM;
        size_t bytes = POOL_HEADER + slab_items(p, i) * p->stride;
        *place = calloc(1, bytes);
        if (!*place)
            return REDO_ENOMEM;
        *(void **)*place = p->owner;
        p->bytes += bytes;
    }
    return REDO_OK;
}

void *pool_from(struct pool const *p, uint32_t *id)
{
    void *item = pool_find(p, *id);
    if (item)
        return item;
    size_t slab = pool_slab(p, *id) + 1;
    for (; slab / POOL_PAGE < p->pagecap; slab++) {
        char **place = pool_place(p, slab);
        if (place && *place) {
            *id = (uint32_t)slab_first(p, slab);
            return *place + POOL_HEADER;
        }
        if (!place)
            slab |= POOL_PAGE - 1; /* nothing further in this page */
    }
    return NULL;
}
