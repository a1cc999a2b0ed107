/* The states of a session: byte strings of one size, each stored once however many positions have
 * it. Where every byte counts in comparing, equal states are found through the positions that have
 * them (equal.h) and this is a plain store; where some bytes do not count, it finds and counts the
 * uses of whole states itself. */
#ifndef CORE_STATES_H
#define CORE_STATES_H

#include <stdbool.h>

#include "core/index.h"
#include "core/pool.h"

struct states {
    uint32_t size;
    bool counted;       /* some bytes do not count: find equal ones here, and count their uses */
    uint32_t next;      /* ids from here on were never used */
    uint32_t free;      /* first of the ids to be used again, linked through their bytes, or NONE */
    uint32_t freed;     /* how many those are */
    uint64_t seed;      /* of the hash */
    struct pool bytes;  /* id -> state */
    struct pool uses;   /* id -> uint32_t; counted only */
    struct index index; /* whole state -> id; counted only */
};

#define STATES_NONE UINT32_MAX

void states_init(struct states *s, uint32_t size, bool counted, uint64_t seed);
void states_close(struct states *s);
size_t states_memory(struct states const *s);

/* Makes room for so many states, so that states_take() can not fail. REDO_OK or REDO_ENOMEM. */
int states_reserve(struct states *s, uint32_t count);

/* The id of a state with these bytes, used once more: where uses are counted an existing one, if
 * there is one; else a new one. */
uint32_t states_take(struct states *s, void const *state);

/* One use more of a state that is there. Counted only. */
void states_use(struct states *s, uint32_t id);

/* One use less; the last one frees the state. Where uses are not counted, every use is the last. */
void states_release(struct states *s, uint32_t id);

static inline void *states_at(struct states const *s, uint32_t id)
{
    return pool_at(&s->bytes, id);
}

#endif
