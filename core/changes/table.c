#include "core/changes/table.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/changes/network.h"
#include "core/redo_error.h"

static uint32_t mix(uint32_t id)
{
    id *= 0x9e3779b1u;
    return id ^ id >> 16;
}

/* ---- life -------------------------------------------------------------------------------- */

int table_init(struct table *t, struct schema const *schema, struct values const *values)
{
    uint32_t level[SCHEMA_FIELDS_MAX + 1] = {1};
    *t = (struct table){.schema = schema, .values = values};
    for (int i = 0; i < SPACES; i++) {
        index_init(&t->rows[i].index);
        t->rows[i].width = schema->field_count[i] + 1 + TABLE_SUM;
        t->rows[i].free = TABLE_NONE;
    }
    for (uint32_t i = 0; i < schema->field_count[SPACE_LEVEL]; i++)
        level[1 + i] = schema->fields[SPACE_LEVEL][i].initial;
    int rc = table_reserve(t, SPACE_LEVEL, 1);
    if (!rc)
        table_add(t, SPACE_LEVEL, level);
    return rc;
}

void table_close(struct table *t)
{
    for (int i = 0; i < SPACES; i++) {
        index_close(&t->rows[i].index);
        free(t->rows[i].cells);
    }
    *t = (struct table){0};
}

int table_copy(struct table *to, struct table const *from)
{
    *to = (struct table){.schema = from->schema,
                         .values = from->values,
                         .digest = from->digest,
                         .unknown = from->unknown};
    for (int i = 0; i < SPACES; i++) {
        struct rows const *rows = &from->rows[i];
        struct rows *copy = &to->rows[i];
        size_t size = (size_t)rows->slots * rows->width * sizeof *rows->cells;
        *copy = *rows;
        index_init(&copy->index);
        copy->cap = rows->slots;
        copy->cells = size ? malloc(size) : NULL;
        if ((size && !copy->cells) || index_reserve(&copy->index, rows->count)) {
            table_close(to);
            return REDO_ENOMEM;
        }
        if (size)
            memcpy(copy->cells, rows->cells, size);
        for (uint32_t slot = 0; slot < rows->slots; slot++)
            if (table_row(to, (enum space)i, slot)[0])
                index_insert(&copy->index, mix(table_row(to, (enum space)i, slot)[0]), slot);
    }
    return REDO_OK;
}

size_t table_memory(struct table const *t)
{
    size_t size = sizeof *t;
    for (int i = 0; i < SPACES; i++)
        size += (size_t)t->rows[i].cap * t->rows[i].width * sizeof(uint32_t) +
                index_bytes(&t->rows[i].index);
    return size;
}

uint32_t table_find(struct table const *t, enum space space, uint32_t id)
{
    struct index_walk walk = index_walk(&t->rows[space].index, mix(id));
    uint32_t slot;
    while ((slot = index_next(&t->rows[space].index, &walk)) != INDEX_NONE)
        if (table_row(t, space, slot)[0] == id)
            return slot;
    return TABLE_NONE;
}

/* ---- the digest -------------------------------------------------------------------------- */

static void note(struct table *t, enum space space, uint32_t slot)
{
    if (t->log && space == SPACE_OBJECTS)
        network_note(t->log, t->values, table_row(t, space, slot)[0]);
}

/* What a row adds to it: the values of the fields that count; and how many of them are not known.
 */
static struct digest row_digest(struct table const *t, enum space space, uint32_t const *row,
                                uint32_t *unknown)
{
    uint64_t hashes[SCHEMA_FIELDS_MAX + 1];
    uint32_t const *board = t->schema->board[space];
    uint32_t count = t->schema->board_count[space], i = 0;
    struct value_kept const *all = t->values->all;
    hashes[0] = htole64((uint64_t)space);
    for (; i < count && row[1 + board[i]] != VALUE_UNKNOWN; i++)
        hashes[1 + i] = htole64(all[row[1 + board[i]]].hash);
    *unknown = 0;
    for (; i < count; i++) {
        hashes[1 + i] = htole64(all[row[1 + board[i]]].hash);
        *unknown += row[1 + board[i]] == VALUE_UNKNOWN;
    }
    XXH128_hash_t h = XXH3_128bits(hashes, (1 + count) * sizeof *hashes);
    return (struct digest){h.low64, h.high64};
}

/* Where a row has what it adds. */
static uint32_t *row_sum(struct table const *t, enum space space, uint32_t slot)
{
    return table_row(t, space, slot) + 1 + t->schema->field_count[space];
}

void table_give(struct table *t, enum space space, uint32_t slot)
{
    uint32_t unknown, *sum = row_sum(t, space, slot);
    struct digest row = row_digest(t, space, table_row(t, space, slot), &unknown);
    memcpy(sum, &row, sizeof row);
    sum[TABLE_SUM - 1] = unknown;
    t->digest.low += row.low;
    t->digest.high += row.high + (t->digest.low < row.low);
    t->unknown += unknown;
}

void table_take(struct table *t, enum space space, uint32_t slot)
{
    struct digest row;
    uint32_t const *sum = row_sum(t, space, slot);
    note(t, space, slot);
    memcpy(&row, sum, sizeof row);
    bool borrow = t->digest.low < row.low;
    t->digest.low -= row.low;
    t->digest.high -= row.high + borrow;
    t->unknown -= sum[TABLE_SUM - 1];
}

/* ---- changes ----------------------------------------------------------------------------- */

int table_reserve(struct table *t, enum space space, uint32_t count)
{
    struct rows *rows = &t->rows[space];
    if (rows->slots + count > rows->cap) { /* free slots are left aside: there may be none */
        uint32_t cap = rows->slots + count + rows->cap / 2;
        uint32_t *grown = realloc(rows->cells, (size_t)cap * rows->width * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        rows->cells = grown;
        rows->cap = cap;
    }
    return index_reserve(&rows->index, count);
}

void table_set(struct table *t, enum space space, uint32_t slot, uint32_t field, uint32_t value)
{
    bool counts = t->schema->fields[space][field].board;
    if (counts)
        table_take(t, space, slot);
    else
        note(t, space, slot);
    table_put(t, space, slot, field, value);
    if (counts)
        table_give(t, space, slot);
}

void table_add(struct table *t, enum space space, uint32_t const *row)
{
    struct rows *rows = &t->rows[space];
    uint32_t slot = rows->free != TABLE_NONE ? rows->free : rows->slots++;
    uint32_t *place = table_row(t, space, slot);
    if (slot == rows->free)
        rows->free = place[1];
    memcpy(place, row, (t->schema->field_count[space] + 1) * sizeof *row);
    rows->count++;
    index_insert(&rows->index, mix(row[0]), slot);
    note(t, space, slot);
    table_give(t, space, slot);
}

void table_remove(struct table *t, enum space space, uint32_t slot)
{
    struct rows *rows = &t->rows[space];
    uint32_t *row = table_row(t, space, slot);
    table_take(t, space, slot);
    index_erase(&rows->index, mix(row[0]), slot);
    row[0] = 0;
    row[1] = rows->free;
    rows->free = slot;
    rows->count--;
}

/* ---- comparing --------------------------------------------------------------------------- */

/* The rows of a table in the order of what counts, ids last. The former is any order, as long as
 * it is one; that of ids is the same in every process, since it shows in which object stands for
 * which. */
struct order {
    struct table const *t;
    enum space space;
};

static int compare_board(struct order const *o, uint32_t const *a, uint32_t const *b)
{
    struct field const *fields = o->t->schema->fields[o->space];
    for (uint32_t i = 0; i < o->t->schema->field_count[o->space]; i++)
        if (fields[i].board && a[1 + i] != b[1 + i])
            return a[1 + i] < b[1 + i] ? -1 : 1;
    return 0;
}

static int compare_rows(void const *x, void const *y, void *order)
{
    struct order const *o = order;
    uint32_t const *a = table_row(o->t, o->space, *(uint32_t const *)x);
    uint32_t const *b = table_row(o->t, o->space, *(uint32_t const *)y);
    int by_board = compare_board(o, a, b);
    return by_board ? by_board : values_compare(o->t->values, a[0], b[0]);
}

/* table_find(), where it is likely that the row is in the same place as in another table of the
 * session: no look into the index then, which waits for memory. */
static uint32_t find_near(struct table const *t, enum space space, uint32_t id, uint32_t slot)
{
    if (slot < t->rows[space].slots && table_row(t, space, slot)[0] == id)
        return slot;
    return table_find(t, space, id);
}

/* Pairs the rows that have the same id in both, and are equal in what counts. */
static void pair_same(struct table const *a, struct table const *b, enum space space,
                      uint32_t *pairs)
{
    struct order order = {a, space};
    for (uint32_t slot = 0; slot < a->rows[space].slots; slot++) {
        uint32_t const *row = table_row(a, space, slot);
        uint32_t other = row[0] ? find_near(b, space, row[0], slot) : TABLE_NONE;
        bool same =
            other != TABLE_NONE && compare_board(&order, row, table_row(b, space, other)) == 0;
        pairs[slot] = same ? other : TABLE_NONE;
    }
}

/* The rows of t that are in no pair, sorted: how many. t is the first of the tables, or the
 * second, whose other is the first. */
static uint32_t list_left(struct table const *t, struct table const *first, enum space space,
                          uint32_t const *pairs, uint32_t *list)
{
    struct order order = {t, space};
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < t->rows[space].slots; slot++) {
        uint32_t id = table_row(t, space, slot)[0];
        if (!id)
            continue;
        uint32_t by = t == first ? slot : find_near(first, space, id, slot);
        uint32_t mate = by == TABLE_NONE ? TABLE_NONE : pairs[by];
        if (t == first ? mate == TABLE_NONE : mate != slot)
            list[count++] = slot;
    }
    qsort_r(list, count, sizeof *list, compare_rows, &order);
    return count;
}

/* Pairs all rows of a space, by slot of a. */
static int pair_space(struct table const *a, struct table const *b, enum space space, bool *equal,
                      uint32_t *pairs)
{
    struct order order = {a, space};
    if (a->rows[space].count != b->rows[space].count) {
        *equal = false;
        return REDO_OK;
    }
    pair_same(a, b, space, pairs);
    uint32_t *as = malloc(2 * ((size_t)a->rows[space].count + 1) * sizeof *as);
    if (!as)
        return REDO_ENOMEM;
    uint32_t *bs = as + a->rows[space].count + 1;
    uint32_t count = list_left(a, a, space, pairs, as);
    list_left(b, a, space, pairs, bs); /* as many */
    for (uint32_t i = 0; *equal && i < count; i++)
        if (compare_board(&order, table_row(a, space, as[i]), table_row(b, space, bs[i])))
            *equal = false;
        else
            pairs[as[i]] = bs[i];
    free(as);
    return REDO_OK;
}

/* Whether this id means in b what it means in a. */
static bool means_same(struct table const *a, struct table const *b, uint32_t const *objects,
                       uint32_t id, uint32_t other)
{
    uint32_t slot = table_find(a, SPACE_OBJECTS, id);
    if (slot != TABLE_NONE)
        return table_row(b, SPACE_OBJECTS, objects[slot])[0] == other;
    return id == other && table_find(b, SPACE_OBJECTS, id) == TABLE_NONE;
}

/* Whether the fields of ids in paired rows mean paired objects. */
static bool same_ids(struct table const *a, struct table const *b, enum space space,
                     uint32_t const *pairs, uint32_t const *objects)
{
    for (uint32_t f = 0; f < a->schema->field_count[space]; f++) {
        if (!a->schema->fields[space][f].is_id)
            continue;
        for (uint32_t slot = 0; slot < a->rows[space].slots; slot++) {
            uint32_t const *row = table_row(a, space, slot);
            if (row[0] &&
                !means_same(a, b, objects, row[1 + f], table_row(b, space, pairs[slot])[1 + f]))
                return false;
        }
    }
    return true;
}

int table_same_board(struct table const *a, struct table const *b, bool *equal, uint32_t *pairs)
{
    uint32_t *all[SPACES] = {0};
    int rc = REDO_OK;
    *equal = true;
    for (int i = 0; !rc && *equal && i < SPACES; i++) {
        all[i] = i == SPACE_OBJECTS && pairs
                     ? pairs
                     : malloc(((size_t)a->rows[i].slots + 1) * sizeof **all);
        rc = all[i] ? pair_space(a, b, (enum space)i, equal, all[i]) : REDO_ENOMEM;
    }
    for (int i = 0; !rc && *equal && a->schema->ids && i < SPACES; i++)
        *equal = same_ids(a, b, (enum space)i, all[i], all[SPACE_OBJECTS]);
    for (int i = 0; i < SPACES; i++)
        if (all[i] != pairs)
            free(all[i]);
    return rc;
}

bool table_same(struct table const *a, struct table const *b)
{
    for (int i = 0; i < SPACES; i++) {
        enum space space = (enum space)i;
        if (a->rows[i].count != b->rows[i].count)
            return false;
        for (uint32_t slot = 0; slot < a->rows[i].slots; slot++) {
            uint32_t const *row = table_row(a, space, slot);
            if (!row[0])
                continue;
            uint32_t other = find_near(b, space, row[0], slot);
            size_t size = (a->schema->field_count[i] + 1) * sizeof *row;
            if (other == TABLE_NONE || memcmp(row, table_row(b, space, other), size) != 0)
                return false;
        }
    }
    return true;
}
