/* The table: which objects there are at a position, and the values of their fields, of the level's
 * and of cursors'. It is kept up by steps, each of which can be taken back; with it a digest of the
 * board, which leaves out ids and order, and the fields that do not count. */
#ifndef CORE_CHANGES_TABLE_H
#define CORE_CHANGES_TABLE_H

#include "core/changes/schema.h"

struct digest {
    uint64_t low, high; /* a sum over the rows, modulo 2^128 */
};

/* The rows of a space: cells by slot, found by id. */
struct rows {
    struct index index; /* id -> slot */
    uint32_t *cells;    /* slot * width: the id, then a value for each field, then what the row
                           adds to the digest and to unknown; id 0: free */
    uint32_t width;     /* fields + 1 + TABLE_SUM */
    uint32_t count;     /* rows in use */
    uint32_t slots, cap;
    uint32_t free; /* first free slot, chained through the second cell, or TABLE_NONE */
};

#define TABLE_NONE UINT32_MAX
#define TABLE_SUM 5 /* cells of what a row adds: 16 bytes of digest, how many are unknown */

struct table_log;

struct table {
    struct schema const *schema;
    struct values const *values;
    struct rows rows[SPACES]; /* of the level one row, with the id 1 (nil) */
    struct digest digest;
    uint32_t unknown;      /* cells that count and are VALUE_UNKNOWN */
    struct table_log *log; /* where changes of objects are noted, or NULL: see network.h */
};

/* An empty table: objects and cursors none, the level with its defaults. */
int table_init(struct table *t, struct schema const *schema, struct values const *values);
void table_close(struct table *t);
int table_copy(struct table *to, struct table const *from); /* into one that is not there yet */
size_t table_memory(struct table const *t);

/* The slot of a row, or TABLE_NONE; and its cells: [0] the id, [1 + field] the values. */
uint32_t table_find(struct table const *t, enum space space, uint32_t id);
static inline uint32_t *table_row(struct table const *t, enum space space, uint32_t slot)
{
    return t->rows[space].cells + (size_t)slot * t->rows[space].width;
}

/* Changes: the row must be there, or must not be. table_reserve() makes room for so many new rows,
 * so that table_add() can not fail. */
int table_reserve(struct table *t, enum space space, uint32_t rows);
void table_set(struct table *t, enum space space, uint32_t slot, uint32_t field, uint32_t value);

/* Around several of table_put() in one row, which is table_set() but for the digest. */
void table_take(struct table *t, enum space space, uint32_t slot);
void table_give(struct table *t, enum space space, uint32_t slot);
static inline void table_put(struct table *t, enum space space, uint32_t slot, uint32_t field,
                             uint32_t value)
{
    table_row(t, space, slot)[1 + field] = value;
}
void table_add(struct table *t, enum space space, uint32_t const *row);
void table_remove(struct table *t, enum space space, uint32_t slot);

/* Whether two tables (of one session) show the same board, ids and order aside. REDO_OK and *equal,
 * or REDO_ENOMEM. With pairs, for each object of the first the slot of the one in the second that
 * it stands for, by slot; those with the same id are paired before others. */
int table_same_board(struct table const *a, struct table const *b, bool *equal, uint32_t *pairs);

/* Whether they are equal in everything, but for the order of rows. */
bool table_same(struct table const *a, struct table const *b);

#endif
