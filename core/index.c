/* Two open-addressing tables with linear probing: while the larger one takes over, each insertion
 * empties some slots of the smaller one, which is a walk through both, since homes have one order
 * in all tables. An entry that leaves the old table stays as INDEX_GONE, so that searches go on
 * over it; in the new one erasing shifts entries back, so that it stays clean. */
#include "core/index.h"

#include <stdlib.h>

#include "core/error.h"

#define FIRST_CAPACITY 16
#define DOUBLES_UNTIL 65536 /* slots: larger tables grow by half, to waste less */
#define SLOTS_A_STEP 32     /* so both tables are there for a tenth of the time */

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

size_t index_bytes(struct index const *x)
{
    return ((size_t)x->now.capacity + x->old.capacity) * sizeof(struct index_entry);
}

static void table_insert(struct index_table *t, uint32_t hash, uint32_t stored)
{
    uint32_t slot = index_home(t, hash);
    while (t->entries[slot].value)
        slot = index_after(t, slot);
    t->entries[slot] = (struct index_entry){hash, stored};
    t->count++;
}

/* Empties up to so many slots of the old table into the new one. */
static void move_some(struct index *x, uint32_t slots)
{
    uint32_t end = x->old.capacity;
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
    uint64_t cap = x->now.capacity;
    if (need * 5 <= cap * 4)
        return REDO_OK;
    do
        cap = !cap ? FIRST_CAPACITY : cap < DOUBLES_UNTIL ? cap * 2 : cap + cap / 2;
    while (need * 5 > cap * 4);
    if (cap > UINT32_MAX)
        return REDO_ENOMEM;
    struct index_entry *entries = calloc(cap, sizeof *entries);
    if (!entries)
        return REDO_ENOMEM;
    if (x->old.entries)
        move_some(x, UINT32_MAX);
    x->old = x->now;
    x->now = (struct index_table){.entries = entries, .capacity = (uint32_t)cap};
    x->moved = 0;
    if (x->old.entries && x->old.count <= SLOTS_A_STEP)
        move_some(x, UINT32_MAX);
    return REDO_OK;
}

void index_insert(struct index *x, uint32_t hash, uint32_t value)
{
    if (x->old.entries)
        move_some(x, SLOTS_A_STEP);
    table_insert(&x->now, hash, value + 1);
}

/* The slot of an entry that must be in one of the tables. */
static struct index_table *find(struct index *x, uint32_t hash, uint32_t stored, uint32_t *slot)
{
    struct index_table *tables[] = {&x->now, &x->old};
    for (int i = 0; i < 2; i++) {
        struct index_table *t = tables[i];
        if (!t->entries)
            continue;
        for (uint32_t s = index_home(t, hash); t->entries[s].value; s = index_after(t, s)) {
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
    for (uint32_t s = index_after(t, slot); t->entries[s].value; s = index_after(t, s)) {
        uint32_t home = index_home(t, t->entries[s].hash);
        /* Whether the hole is between its home and where it is, round the end of the table too. */
        if (s >= home ? home <= hole && hole < s : home <= hole || hole < s) {
            t->entries[hole] = t->entries[s];
            hole = s;
        }
    }
    t->entries[hole].value = 0;
}
