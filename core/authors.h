/* Who made the positions of a history, and when. Authors are numbered from 1 in the order in which
 * they come; a history in which no operation tells its author takes no memory for any. */
#ifndef CORE_AUTHORS_H
#define CORE_AUTHORS_H

#include <stddef.h>
#include <stdint.h>

#include "core/index.h"
#include "core/pool.h"
#include "core/redo.h"

struct author {
    uint32_t uid;
    uint32_t name_size;
    char *name; /* ends with a 0 byte */
};

/* Of a position. */
struct stamp {
    uint32_t author; /* 0: not known */
    uint32_t time;
};

struct authors {
    struct author *all; /* the author 1 first */
    uint32_t count, cap;
    size_t bytes;
    struct index index; /* uid and name -> place in all */
    uint64_t seed;      /* of its hashes */
    struct pool stamps; /* number of a position -> struct stamp, where there is one */
    struct stamp now;   /* what the positions made now get */
};

void authors_init(struct authors *a, uint64_t seed);
void authors_close(struct authors *a);
size_t authors_memory(struct authors const *a);

/* The number of an author, or 0. */
uint32_t authors_find(struct authors const *a, uint32_t uid, char const *name, size_t size);

/* Whether an operation may bear this stamp; room is made for a new author: REDO_OK, REDO_ENAME,
 * REDO_EPARAMS (no such author, or a new one that is known), REDO_EFULL, REDO_ENOMEM. */
int authors_check(struct authors *a, redo_stamp const *stamp);

/* Enters the new author of a stamp that was checked, if it has one: the number. */
uint32_t authors_enter(struct authors *a, redo_stamp const *stamp);

/* Room for the stamps of so many positions, if `now` tells one. REDO_OK or REDO_ENOMEM. */
static inline int authors_reserve(struct authors *a, uint32_t first, uint32_t count)
{
    return a->now.author ? pool_reserve(&a->stamps, first, count) : REDO_OK;
}

static inline void authors_sign(struct authors *a, uint32_t number, struct stamp stamp)
{
    struct stamp *place = pool_find(&a->stamps, number);
    if (place)
        *place = stamp;
}

static inline struct stamp authors_stamp(struct authors const *a, uint32_t number)
{
    struct stamp const *place = pool_find(&a->stamps, number);
    return place ? *place : (struct stamp){0};
}

#endif
