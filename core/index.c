/* Two open-addressing tables with linear probing: while the larger one takes over, each insertion
 * empties a few slots of the smaller one. An entry that leaves the old table stays as INDEX_GONE, so
 * that probes go on over it; in the new one erasing shifts entries back, so that it stays clean. */
#include "core/index.h"

#include <stdlib.h>

#include "core/error.h"

#define INDEX_GONE UINT32_MAX
#define FIRST_CAPACITY 16
#define SLOTS_A_STEP 8

void index_init(struct index *x)
{
    *x = (struct index){0};
}

void index_close(struct index *x)
{
    free(x->now.entries);
    free(x->old.entries);
    *x = (struct index){0};
}

static size_t capacity(struct index_table const *t)
{
    return t->entries ? (size_t)t->mask + 1 : 0;
}

size_t index_bytes(struct index const *x)
{
    return (capacity(&x->now) + capacity(&x->old)) * sizeof(struct index_entry);
}

static void table_insert(struct index_table *t, uint32_t hash, uint32_t stored)
{
    uint32_t slot = hash & t->mask;
    while (t->entries[slot].value)
        slot = (slot + 1) & t->mask;
    t->entries[slot] = (struct index_entry){hash, stored};
    t->count++;
}

/* Empties up to so many slots of the old table into the new one. */
static void move_some(struct index *x, size_t slots)
{
    size_t end = capacity(&x->old);
    for (; slots > 0 && x->moved < end; slots--, x->moved++) {
        struct index_entry *e = &x->old.entries[x->moved];
        if (!e->value || e->value == INDEX_GONE)
            continue;
        table_insert(&x->now, e->hash, e->value);
        e->value = INDEX_GONE;
        x->old.count--;
    }
    if (x->moved == end) {
        free(x->old.entries);
        x->old = (struct index_table){0};
        x->moved = 0;
    }
}

int index_reserve(struct index *x, uint32_t insertions)
{
    uint64_t need = (uint64_t)x->now.count + x->old.count + insertions;
    uint64_t cap = capacity(&x->now);
    if (need * 8 <= cap * 7)
        return REDO_OK;
    if (!cap)
        cap = FIRST_CAPACITY / 2;
    do
        cap *= 2;
    while (need * 8 > cap * 7);
    if (cap > UINT32_C(1) << 31)
        return REDO_ENOMEM;
    struct index_entry *entries = calloc(cap, sizeof *entries);
    if (!entries)
        return REDO_ENOMEM;
    if (x->old.entries)
        move_some(x, SIZE_MAX);
    x->old = x->now;
    x->now = (struct index_table){.entries = entries, .mask = (uint32_t)(cap - 1)};
    x->moved = 0;
    if (x->old.entries && x->old.count <= SLOTS_A_STEP)
        move_some(x, SIZE_MAX);
    return REDO_OK;
}

void index_insert(struct index *x, uint32_t hash, uint32_t value)
{
    if (x->old.entries)
        move_some(x, SLOTS_A_STEP);
    table_insert(&x->now, hash, value + 1);
}

uint32_t index_next(struct index const *x, struct index_walk *w)
{
    for (;;) {
        struct index_table const *t = w->old ? &x->old : &x->now;
        while (t->entries && w->left && t->entries[w->slot].value) {
            struct index_entry e = t->entries[w->slot];
            w->slot = (w->slot + 1) & t->mask;
            w->left--;
            if (e.hash == w->hash && e.value != INDEX_GONE)
                return e.value - 1;
        }
        if (w->old || !x->old.entries)
            return INDEX_NONE;
        w->old = 1;
        w->slot = w->hash & x->old.mask;
        w->left = x->old.mask + 1;
    }
}

/* The slot of an entry that must be in one of the tables. */
static struct index_table *find(struct index *x, uint32_t hash, uint32_t stored, uint32_t *slot)
{
    struct index_table *tables[] = {&x->now, &x->old};
    for (int i = 0; i < 2; i++) {
        struct index_table *t = tables[i];
        if (!t->entries)
            continue;
        for (uint32_t s = hash & t->mask; t->entries[s].value; s = (s + 1) & t->mask) {
            if (t->entries[s].value == stored && t->entries[s].hash == hash) {
                *slot = s;
                return t;
            }
        }
    }
    abort(); /* the caller's bookkeeping is broken: going on would corrupt the history */
}

void index_replace(struct index *x, uint32_t hash, uint32_t value, uint32_t by)
{
    uint32_t slot;
    find(x, hash, value + 1, &slot)->entries[slot].value = by + 1;
}

void index_erase(struct index *x, uint32_t hash, uint32_t value)
{
    uint32_t slot;
    struct index_table *t = find(x, hash, value + 1, &slot);
    t->count--;
    if (t == &x->old) {
        t->entries[slot].value = INDEX_GONE;
        return;
    }
    uint32_t hole = slot;
    for (uint32_t s = (slot + 1) & t->mask; t->entries[s].value; s = (s + 1) & t->mask) {
        uint32_t home = t->entries[s].hash & t->mask;
        if (((s - home) & t->mask) >= ((s - hole) & t->mask)) {
            t->entries[hole] = t->entries[s];
            hole = s;
        }
    }
    t->entries[hole].value = 0;
}
