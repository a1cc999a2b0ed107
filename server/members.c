#include "server/members.h"

#include <stdlib.h>
#include <string.h>

#include "core/redo_error.h"

#define MANY 65536

void members_close(struct members *m)
{
    free(m->slots);
    *m = (struct members){0};
}

/* The place of this id, or the empty one where it would be. */
static struct member *place(struct member *slots, size_t cap, uint64_t id)
{
    size_t at = (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (cap - 1);
    while (slots[at].id && slots[at].id != id)
        at = (at + 1) & (cap - 1);
    return &slots[at];
}

/* Into a table of this size, those alone whose batches are in the range. */
static int rebuild(struct members *m, size_t cap, uint64_t from, uint64_t to)
{
    struct member *slots = calloc(cap, sizeof *slots);
    size_t count = 0;
    if (!slots)
        return REDO_ENOMEM;
    for (size_t i = 0; i < m->cap; i++) {
        struct member const *one = &m->slots[i];
        if (!one->id || one->number < from || one->number > to)
            continue;
        *place(slots, cap, one->id) = *one;
        count++;
    }
    free(m->slots);
    *m = (struct members){.slots = slots, .count = count, .cap = cap};
    return REDO_OK;
}

int members_reserve(struct members *m, size_t more)
{
    size_t cap = m->cap ? m->cap : 64;
    while (cap < 2 * (m->count + more))
        cap *= 2;
    return cap == m->cap ? REDO_OK : rebuild(m, cap, 0, UINT64_MAX);
}

void members_set(struct members *m, uint64_t id, uint64_t match, uint64_t number)
{
    struct member *one = place(m->slots, m->cap, id);
    m->count += !one->id;
    *one = (struct member){.id = id, .match = match, .number = number};
}

uint64_t members_match(struct members const *m, uint64_t id, uint64_t otherwise)
{
    struct member const *one = m->cap ? place(m->slots, m->cap, id) : NULL;
    return one && one->id ? one->match : otherwise;
}

void members_failed(struct members *m, uint64_t committed)
{
    /* Without memory all goes: what the store says is right, or will be when it is asked again. */
    if (m->cap && rebuild(m, m->cap, 0, committed))
        members_close(m);
}

void members_tidy(struct members *m, uint64_t committed)
{
    if (m->count > MANY && rebuild(m, m->cap, committed + 1, UINT64_MAX) == REDO_OK && !m->count)
        members_close(m);
}
