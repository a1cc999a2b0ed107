/* Reading and telling tables. */
#include <stdlib.h>
#include <string.h>

#include "core/changes/inside.h"
#include "core/changes/lines.h"
#include "core/error.h"

/* ---- reading ----------------------------------------------------------------------------- */

int changes_wrong_table(struct fault *fault, char const *what)
{
    *fault = (struct fault){.line = -1, .place = -1};
    memcpy(fault->what, what, strlen(what) + 1);
    return REDO_ETABLE;
}

/* The fields of a row, {field: value}. */
static int read_cells(struct changes *c, struct value_reader *r, enum space space, uint32_t *row,
                      struct fault *fault)
{
    struct value map = value_next(r), name;
    if (map.type != VALUE_MAP)
        return changes_wrong_table(fault, "the fields of a table are maps");
    for (uint32_t i = 0; i < map.count; i++) {
        name = value_next(r);
        unsigned char const *start = r->at;
        int field = name.type == VALUE_STRING
                        ? schema_field(&c->schema, space, name.string.data, name.string.size)
                        : -1;
        if (field < 0)
            return changes_wrong_table(fault, "the table has a field that the schema has not");
        bool fits = value_skip(r);
        int rc = fits ? values_enter(&c->values, start, (size_t)(r->at - start), &row[1 + field])
                      : changes_wrong_table(fault, "a value of the table is too deep");
        if (rc)
            return rc;
    }
    return REDO_OK;
}

static void initial_row(struct changes const *c, enum space space, uint32_t *row)
{
    for (uint32_t f = 0; f < c->schema.field_count[space]; f++)
        row[1 + f] = c->schema.fields[space][f].initial;
}

/* [[id, {field: value}] ...] */
static int read_rows(struct changes *c, struct value_reader *r, enum space space,
                     struct fault *fault)
{
    uint32_t row[SCHEMA_FIELDS_MAX + 1];
    struct value all = value_next(r);
    if (all.type != VALUE_ARRAY)
        return changes_wrong_table(fault, "objects and cursors are arrays of [id, fields]");
    for (uint32_t i = 0; i < all.count; i++) {
        struct value pair = value_next(r);
        unsigned char const *start = r->at;
        if (pair.type != VALUE_ARRAY || pair.count != 2 || !value_skip(r))
            return changes_wrong_table(fault, "objects and cursors are arrays of [id, fields]");
        int rc = values_enter(&c->values, start, (size_t)(r->at - start), &row[0]);
        initial_row(c, space, row);
        if (!rc)
            rc = read_cells(c, r, space, row, fault);
        if (!rc && table_find(&c->initial, space, row[0]) != TABLE_NONE)
            rc = changes_wrong_table(fault, "two of a table have one id");
        if (!rc)
            rc = table_reserve(&c->initial, space, 1);
        if (rc)
            return rc;
        table_add(&c->initial, space, row);
        if (space == SPACE_OBJECTS)
            lines_note_id(c, row[0]);
    }
    return REDO_OK;
}

static int read_level(struct changes *c, struct value_reader *r, struct fault *fault)
{
    uint32_t row[SCHEMA_FIELDS_MAX + 1] = {1};
    initial_row(c, SPACE_LEVEL, row);
    int rc = read_cells(c, r, SPACE_LEVEL, row, fault);
    for (uint32_t f = 0; !rc && f < c->schema.field_count[SPACE_LEVEL]; f++)
        table_set(&c->initial, SPACE_LEVEL, table_find(&c->initial, SPACE_LEVEL, 1), f, row[1 + f]);
    return rc;
}

int changes_read_table(struct changes *c, void const *data, size_t size, struct fault *fault)
{
    static char const *const names[SPACES] = {"objects", "level", "cursors"};
    struct value_reader r = {data, (unsigned char const *)data + size};
    if (!value_whole_table(data, size))
        return changes_wrong_table(fault, "the table is no value of msgpack, or too deep");
    struct value map = value_next(&r), name;
    int rc = map.type == VALUE_MAP
                 ? REDO_OK
                 : changes_wrong_table(fault, "a table is a map of objects, level and cursors");
    for (uint32_t i = 0; !rc && i < map.count; i++) {
        int space = -1;
        name = value_next(&r);
        for (int k = 0; k < SPACES && name.type == VALUE_STRING; k++)
            if (name.string.size == strlen(names[k]) &&
                memcmp(name.string.data, names[k], name.string.size) == 0)
                space = k;
        if (space < 0)
            rc = changes_wrong_table(fault, "a table has objects, level and cursors, nothing else");
        else
            rc = space == SPACE_LEVEL ? read_level(c, &r, fault)
                                      : read_rows(c, &r, (enum space)space, fault);
    }
    return rc;
}

/* ---- telling ----------------------------------------------------------------------------- */

static void put_value(struct changes const *c, uint32_t number, struct value_writer *w)
{
    size_t size;
    void const *data = values_at(&c->values, number, &size);
    value_put_bytes(w, data, size);
}

static void put_fields(struct changes const *c, enum space space, uint32_t const *row,
                       struct value_writer *w)
{
    uint32_t known = 0, count = c->schema.field_count[space];
    for (uint32_t f = 0; f < count; f++)
        known += row[1 + f] != VALUE_UNKNOWN;
    value_put_map(w, known);
    for (uint32_t f = 0; f < count; f++) {
        struct field const *field = &c->schema.fields[space][f];
        if (row[1 + f] == VALUE_UNKNOWN)
            continue;
        value_put_string(w, field->name, field->name_size);
        put_value(c, row[1 + f], w);
    }
}

static int compare_ids(void const *a, void const *b, void *values)
{
    return values_compare(values, *(uint32_t const *)a, *(uint32_t const *)b);
}

int changes_put_rows(struct history *h, struct table const *t, enum space space, void const *after,
                     size_t after_size, uint32_t limit, struct value_writer *w, uint32_t *next)
{
    struct changes *c = h->changes;
    uint32_t *ids, count = 0;
    *next = VALUE_UNKNOWN;
    int rc = after_size ? values_form(&c->values, after, after_size, &after_size) : REDO_OK;
    if (rc)
        return rc;
    if (!(ids = malloc((t->rows[space].count + 1) * sizeof *ids)))
        return REDO_ENOMEM;
    for (uint32_t slot = 0; slot < t->rows[space].slots; slot++) {
        uint32_t id = table_row(t, space, slot)[0];
        if (id &&
            (!after_size || values_compare_to(&c->values, id, c->values.scratch, after_size) > 0))
            ids[count++] = id;
    }
    qsort_r(ids, count, sizeof *ids, compare_ids, &c->values);
    if (count > limit) {
        count = limit;
        *next = ids[limit - 1];
    }
    value_put_array(w, count);
    for (uint32_t i = 0; i < count; i++) {
        value_put_array(w, 2);
        put_value(c, ids[i], w);
        put_fields(c, space, table_row(t, space, table_find(t, space, ids[i])), w);
    }
    free(ids);
    return w->failed ? REDO_ENOMEM : REDO_OK;
}

void changes_put_level(struct history *h, struct table const *t, struct value_writer *w)
{
    put_fields(h->changes, SPACE_LEVEL, table_row(t, SPACE_LEVEL, table_find(t, SPACE_LEVEL, 1)),
               w);
}
int changes_put_table(struct history *h, struct table const *t, struct value_writer *w)
{
    uint32_t next;
    value_put_map(w, 3);
    value_put_string(w, "objects", 7);
    int rc = changes_put_rows(h, t, SPACE_OBJECTS, NULL, 0, UINT32_MAX, w, &next);
    value_put_string(w, "level", 5);
    changes_put_level(h, t, w);
    value_put_string(w, "cursors", 7);
    return rc ? rc : changes_put_rows(h, t, SPACE_CURSORS, NULL, 0, UINT32_MAX, w, &next);
}

/* ---- lines ------------------------------------------------------------------------------- */

int changes_put_lines(struct turn const *t, bool backwards, struct value_writer *w)
{
    struct value_reader r = {t->data, t->data + t->size};
    value_next(&r);
    uint32_t count = value_next(&r).count;
    unsigned char const **starts = malloc(((size_t)count + 1) * sizeof *starts);
    if (!starts)
        return REDO_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        starts[i] = r.at;
        value_skip(&r);
    }
    starts[count] = r.at;
    value_put_array(w, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = backwards ? count - 1 - i : i;
        value_put_bytes(w, starts[k], (size_t)(starts[k + 1] - starts[k]));
    }
    free(starts);
    return w->failed ? REDO_ENOMEM : REDO_OK;
}

/* One turn of a way. */
static int put_step(struct history const *h, struct node const *n, bool undone,
                    struct value_writer *w)
{
    struct turn const *t = changes_turn(h, n);
    struct value_reader r = {t->data, t->data + t->size};
    value_put_array(w, 4);
    value_put_int(w, n->in.id);
    value_put_bool(w, undone);
    int rc = changes_put_lines(t, undone, w);
    value_next(&r);
    value_skip(&r);
    unsigned char const *after = r.at;
    value_skip(&r);
    if (undone)
        value_put_nil(w);
    else
        value_put_bytes(w, after, (size_t)(r.at - after));
    return rc;
}

int changes_put_way(struct history *h, struct node *from, struct node *to, struct value_writer *w)
{
    struct node *top = history_meet(from, to);
    uint32_t up = from->p.movecount - top->p.movecount, down = to->p.movecount - top->p.movecount;
    if (path_room(h->changes, down))
        return REDO_ENOMEM;
    for (uint32_t i = down; i > 0; i--, to = node_prev(to))
        h->changes->path[i - 1] = to->in.id;
    value_put_array(w, up + down);
    int rc = REDO_OK;
    for (; !rc && from != top; from = node_prev(from))
        rc = put_step(h, from, true, w);
    for (uint32_t i = 0; !rc && i < down; i++)
        rc = put_step(h, node_at(h, h->changes->path[i]), false, w);
    return rc || w->failed ? REDO_ENOMEM : REDO_OK;
}

int changes_put_renamed(struct changes const *c, struct value_writer *w)
{
    value_put_array(w, c->renamed_count);
    for (uint32_t i = 0; i < c->renamed_count; i++) {
        value_put_array(w, 2);
        put_value(c, c->renamed[2 * i], w);
        put_value(c, c->renamed[2 * i + 1], w);
    }
    return w->failed ? REDO_ENOMEM : REDO_OK;
}
