#include "core/authors.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#define STAMPS_LOW 4 /* as the slabs of positions */
#define STAMPS_TOP 8

void authors_init(struct authors *a, uint64_t seed)
{
    a->seed = seed;
    index_init(&a->index);
    pool_init(&a->stamps, sizeof(struct stamp), STAMPS_LOW, STAMPS_TOP, a);
}

void authors_close(struct authors *a)
{
    for (uint32_t i = 0; i < a->cap; i++) /* one may have room and not be entered */
        free(a->all[i].name);
    free(a->all);
    index_close(&a->index);
    pool_close(&a->stamps);
}

size_t authors_memory(struct authors const *a)
{
    return a->stamps.bytes + index_bytes(&a->index) + a->bytes;
}

static uint32_t hash(struct authors const *a, uint32_t uid, char const *name, size_t size)
{
    return (uint32_t)XXH3_64bits_withSeed(name, size, a->seed + uid);
}

uint32_t authors_find(struct authors const *a, uint32_t uid, char const *name, size_t size)
{
    if (!a->count)
        return 0;
    struct index_walk walk = index_walk(&a->index, hash(a, uid, name, size));
    uint32_t i;
    while ((i = index_next(&a->index, &walk)) != INDEX_NONE) {
        struct author const *author = &a->all[i];
        if (author->uid == uid && author->name_size == size &&
            (!size || memcmp(author->name, name, size) == 0))
            return i + 1;
    }
    return 0;
}

/* Room in the table, and the index, for one more. */
static int make_room(struct authors *a)
{
    if (a->count == REDO_AUTHORS_MAX)
        return REDO_EFULL;
    if (index_reserve(&a->index, 1))
        return REDO_ENOMEM;
    if (a->count < a->cap)
        return REDO_OK;
    uint32_t cap = a->cap ? a->cap * 2 : 4;
    struct author *grown = realloc(a->all, cap * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    memset(grown + a->cap, 0, (cap - a->cap) * sizeof *grown);
    a->bytes += (cap - a->cap) * sizeof *grown;
    a->all = grown;
    a->cap = cap;
    return REDO_OK;
}

int authors_check(struct authors *a, redo_stamp const *stamp)
{
    if (!stamp->name)
        return stamp->author <= a->count ? REDO_OK : REDO_EPARAMS;
    if (stamp->namesize > REDO_AUTHOR_MAX || memchr(stamp->name, '\0', stamp->namesize))
        return REDO_ENAME;
    if (stamp->author || authors_find(a, stamp->uid, stamp->name, stamp->namesize))
        return REDO_EPARAMS;
    int rc = make_room(a);
    if (rc)
        return rc;
    struct author *next = &a->all[a->count]; /* kept there until it is entered, or the next comes */
    char *name = realloc(next->name, stamp->namesize + 1);
    if (!name)
        return REDO_ENOMEM;
    next->name = name;
    return REDO_OK;
}

uint32_t authors_enter(struct authors *a, redo_stamp const *stamp)
{
    if (!stamp->name)
        return stamp->author;
    struct author *next = &a->all[a->count];
    memcpy(next->name, stamp->name, stamp->namesize);
    next->name[stamp->namesize] = '\0';
    next->name_size = (uint32_t)stamp->namesize;
    next->uid = stamp->uid;
    a->bytes += stamp->namesize + 1;
    index_insert(&a->index, hash(a, stamp->uid, stamp->name, stamp->namesize), a->count);
    return ++a->count;
}
