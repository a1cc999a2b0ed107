#include "core/changes/lines.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/line.h"
#include "core/changes/steps.h"
#include "core/redo_error.h"

/* ---- what lines do not tell -------------------------------------------------------------- */

/* What is told beside a line, as it is there. */
static void write_after(struct line *l, struct value const *field, struct value_reader const *value,
                        uint32_t there, bool same)
{
    struct value_writer *w = &l->run->after;
    size_t size = (size_t)(value->end - value->at);
    void const *data = same ? value->at : values_at(&l->run->c->values, there, &size);
    value_put_array(w, 3);
    value_put_int(w, l->number);
    value_put_string(w, field->string.data, field->string.size);
    value_put_bytes(w, data, size);
}

/* Puts what is told of a line into the values of a row, and notes of which fields (there are no
 * more than 64): REDO_ELINE if it tells of no field. */
static int take_all_after(struct line *l, struct turn_after *after, enum space space,
                          uint32_t *values, uint64_t *told)
{
    struct value name;
    struct value_reader value;
    struct schema const *schema = &l->run->c->schema;
    while (turn_next_after(after, l->number, &name, &value)) {
        int f = schema_field(schema, space, name.string.data, name.string.size);
        uint32_t as_told = VALUE_UNKNOWN;
        int rc =
            f < 0 ? line_misfit(l, -1, "what is told beside the line is no field of it", NULL, 0, 0)
                  : values_enter(&l->run->c->values, value.at, (size_t)(value.end - value.at),
                                 &as_told);
        if (rc)
            return rc;
        uint32_t there = f < 0 ? as_told : line_value_there(l, &schema->fields[space][f], as_told);
        if (l->run->mode == LINES_MOVED)
            write_after(l, &name, &value, there, there == as_told);
        if (f < 0)
            continue;
        values[f] = there;
        *told |= UINT64_C(1) << f;
    }
    return REDO_OK;
}

/* Nothing is told of most lines. */
static inline int take_after(struct line *l, struct turn_after *after, enum space space,
                             uint32_t *values, uint64_t *told)
{
    return after->left ? take_all_after(l, after, space, values, told) : REDO_OK;
}

/* ---- the kinds --------------------------------------------------------------------------- */

/* An old value that is not the table's, or that is to be. */
static int check_other(struct line *l, struct part const *part, uint32_t old, uint32_t actual)
{
    struct field const *field = &l->run->c->schema.fields[l->kind->space][part->field];
    old = line_value_there(l, field, old);
    if (l->run->mode == LINES_MOVED) {
        line_write_there(l, &part->old, actual);
        return REDO_OK;
    }
    if (old == actual || actual == VALUE_UNKNOWN)
        return REDO_OK;
    int64_t place = part->old.type == SOURCE_PLACE || part->old.type == SOURCE_NOT
                        ? (int64_t)part->old.first
                        : -1;
    return line_misfit(l, place, "the old value is not the table's", field, actual, old);
}

/* Holds an old value against the table's. */
static inline int check_old(struct line *l, struct part const *part, uint32_t actual)
{
    uint32_t old;
    int rc = line_tell(l, &part->old, &old);
    if (rc || old == VALUE_UNKNOWN || (old == actual && !l->instead))
        return rc;
    return check_other(l, part, old, actual);
}

/* The id that the line tells, or VALUE_UNKNOWN; of a kind of its own, [among, what stands there].
 */
static int enter_id(struct line *l, uint32_t *id)
{
    struct kind const *k = l->kind;
    if (!k->among || k->id >= l->count)
        return line_enter_item(l, k->id, id);
    struct value_writer w = {0};
    value_put_array(&w, 2);
    value_put_string(&w, k->among, k->among_size);
    value_put_bytes(&w, l->items[k->id], line_item_size(l, k->id));
    int rc = w.failed ? REDO_ENOMEM : values_enter(&l->run->c->values, w.data, w.size, id);
    free(w.data);
    return rc;
}

/* The id is another there: of a kind of its own it is not rewritten. */
static int put_id(struct line *l, uint32_t told, uint32_t id)
{
    if (!l->kind->among) {
        line_put_instead(l, l->kind->id, id);
        return REDO_OK;
    }
    return l->instead && told != id ? REDO_ELINE : REDO_OK;
}

/* Puts what the map of a line tells into the values of a row, and notes of which fields. A field
 * that is nil has its default again; names that are no fields are kept and not looked at. */
static int take_fields(struct line *l, uint32_t *values, uint64_t *told)
{
    struct changes *c = l->run->c;
    if (!l->kind->fields || l->kind->fields >= l->count)
        return REDO_OK;
    struct value_reader r = {l->items[l->kind->fields], l->items[l->kind->fields + 1]};
    struct value map = value_next(&r);
    if (map.type != VALUE_MAP)
        return map.type == VALUE_NIL
                   ? REDO_OK
                   : line_misfit(l, l->kind->fields, "the fields are a map", NULL, 0, 0);
    for (uint32_t i = 0; i < map.count; i++) {
        struct value_reader before = r;
        struct value name = value_next(&r);
        if (name.type != VALUE_STRING) { /* and may have items */
            r = before;
            value_skip(&r);
        }
        unsigned char const *start = r.at;
        value_skip(&r);
        int f = name.type == VALUE_STRING
                    ? schema_field(&c->schema, l->kind->space, name.string.data, name.string.size)
                    : -1;
        if (f < 0)
            continue;
        struct field const *field = &c->schema.fields[l->kind->space][f];
        uint32_t value = field->initial;
        int rc = *start == 0xc0
                     ? REDO_OK
                     : values_enter_whole(&c->values, start, (size_t)(r.at - start), &value);
        if (rc)
            return rc;
        if (l->instead && line_value_there(l, field, value) != value)
            return REDO_ELINE; /* maps are not rewritten */
        values[f] = value;
        *told |= UINT64_C(1) << f;
    }
    return REDO_OK;
}

/* The id that the line tells, as it is there; the row that has it. */
static inline int find_row(struct line *l, uint32_t *id, uint32_t *slot)
{
    struct run *run = l->run;
    if (l->kind->space == SPACE_LEVEL) {
        *id = 1;
        *slot = table_find(run->table, SPACE_LEVEL, 1);
        return REDO_OK;
    }
    int rc = enter_id(l, id);
    if (rc)
        return rc;
    uint32_t told = *id;
    if (run->mode == LINES_MOVED && l->kind->space == SPACE_OBJECTS)
        *id = renaming_of(run->renaming, *id);
    *slot = *id ? table_find(run->table, l->kind->space, *id) : TABLE_NONE;
    return l->kind->among ? put_id(l, told, *id) : REDO_OK;
}

static int change(struct line *l, struct turn_after *after)
{
    struct run *run = l->run;
    enum space space = l->kind->space;
    uint32_t id, slot, values[SCHEMA_FIELDS_MAX];
    uint64_t told = 0;
    int rc = find_row(l, &id, &slot);
    if (!rc && slot == TABLE_NONE)
        rc = line_misfit(l, l->kind->id, "there is no object of this id", NULL, 0, id);
    if (rc || slot == TABLE_NONE)
        return rc ? rc : take_after(l, after, space, values, &told);
    uint32_t *row = table_row(run->table, space, slot);
    if (space != SPACE_LEVEL && l->kind->id < l->count && !l->kind->among)
        line_put_instead(l, l->kind->id, id);
    if ((rc = take_fields(l, values, &told)))
        return rc;
    for (uint32_t i = 0; i < l->kind->count; i++) {
        struct part const *part = &l->kind->parts[i];
        uint32_t value;
        rc = check_old(l, part, row[1 + part->field]);
        if (!rc)
            rc = line_tell(l, &part->new, &value);
        if (rc)
            return rc;
        if (l->instead) {
            value = line_value_there(l, &run->c->schema.fields[space][part->field], value);
            line_write_there(l, &part->new, value);
        }
        values[part->field] = value;
        told |= UINT64_C(1) << part->field;
    }
    if ((rc = take_after(l, after, space, values, &told)))
        return rc;
    table_take(run->table, space, slot);
    for (; told; told &= told - 1) {
        uint32_t f = (uint32_t)__builtin_ctzll(told), before = row[1 + f];
        if (before == values[f])
            continue;
        steps_put_set(&run->steps, space, id, f, before, values[f]);
        table_put(run->table, space, slot, f, values[f]);
    }
    table_give(run->table, space, slot);
    return REDO_OK;
}

/* An id that no object has had. */
static int fresh_id(struct run *run, uint32_t *id)
{
    struct changes *c = run->c;
    int rc;
    do {
        struct value_writer w = {0};
        value_put_int(&w, ++c->highest);
        rc = w.failed ? REDO_ENOMEM : values_enter(&c->values, w.data, w.size, id);
        free(w.data);
    } while (!rc && table_find(run->table, SPACE_OBJECTS, *id) != TABLE_NONE);
    return rc;
}

/* Where the id is taken the object has another there. */
static int create_id(struct line *l, uint32_t told, uint32_t *id)
{
    struct run *run = l->run;
    *id = told;
    if (run->mode != LINES_MOVED)
        return REDO_OK;
    int rc =
        table_find(run->table, SPACE_OBJECTS, told) != TABLE_NONE ? fresh_id(run, id) : REDO_OK;
    if (!rc && (*id != told || renaming_of(run->renaming, told) != told))
        rc = renaming_add(run->c, run->renaming, told, *id);
    return rc ? rc : put_id(l, told, *id);
}

void lines_note_id(struct changes *c, uint32_t id)
{
    size_t size;
    unsigned char const *data = values_at(&c->values, id, &size);
    struct value_reader r = {data, data + size};
    struct value v = value_next(&r);
    if (v.type == VALUE_INT && v.integer > c->highest && v.integer < INT64_MAX / 2)
        c->highest = v.integer;
}

static int create(struct line *l, struct turn_after *after)
{
    struct run *run = l->run;
    struct schema const *schema = &run->c->schema;
    uint32_t told_id, row[SCHEMA_FIELDS_MAX + 1];
    uint64_t told = 0;
    int rc = enter_id(l, &told_id);
    if (!rc && told_id == VALUE_UNKNOWN)
        rc = line_misfit(l, l->kind->id, "the line has no id", NULL, 0, 0);
    if (rc || told_id == VALUE_UNKNOWN)
        return rc;
    if ((rc = create_id(l, told_id, &row[0])))
        return rc;
    for (uint32_t f = 0; f < schema->field_count[SPACE_OBJECTS]; f++)
        row[1 + f] = schema->fields[SPACE_OBJECTS][f].initial;
    if ((rc = take_fields(l, row + 1, &told)))
        return rc;
    for (uint32_t i = 0; i < l->kind->count; i++) {
        struct part const *part = &l->kind->parts[i];
        uint32_t value;
        if ((rc = line_tell(l, &part->new, &value)))
            return rc;
        value = line_value_there(l, &schema->fields[SPACE_OBJECTS][part->field], value);
        line_write_there(l, &part->new, value);
        if (value)
            row[1 + part->field] = value;
    }
    if ((rc = take_after(l, after, SPACE_OBJECTS, row + 1, &told)))
        return rc;
    if (table_find(run->table, SPACE_OBJECTS, row[0]) != TABLE_NONE)
        return line_misfit(l, l->kind->id, "there is an object of this id already", NULL, 0,
                           row[0]);
    if (table_reserve(run->table, SPACE_OBJECTS, 1))
        return REDO_ENOMEM;
    steps_put_add(&run->steps, run->table, SPACE_OBJECTS, row);
    table_add(run->table, SPACE_OBJECTS, row);
    lines_note_id(run->c, row[0]);
    return REDO_OK;
}

static int remove_object(struct line *l, struct turn_after *after)
{
    struct run *run = l->run;
    uint32_t id, slot, ignored[SCHEMA_FIELDS_MAX];
    uint64_t told = 0;
    int rc = find_row(l, &id, &slot);
    if (!rc && slot == TABLE_NONE)
        rc = line_misfit(l, l->kind->id, "there is no object of this id", NULL, 0, id);
    if (!rc)
        rc = take_after(l, after, SPACE_OBJECTS, ignored, &told);
    if (rc || slot == TABLE_NONE)
        return rc;
    if (!l->kind->among)
        line_put_instead(l, l->kind->id, id);
    for (uint32_t i = 0; !rc && i < l->kind->count; i++)
        rc = check_old(l, &l->kind->parts[i],
                       table_row(run->table, SPACE_OBJECTS, slot)[1 + l->kind->parts[i].field]);
    if (rc)
        return rc;
    steps_put_remove(&run->steps, run->table, SPACE_OBJECTS,
                     table_row(run->table, SPACE_OBJECTS, slot));
    table_remove(run->table, SPACE_OBJECTS, slot);
    return REDO_OK;
}

/* ---- all lines --------------------------------------------------------------------------- */

#define ITEMS_MAX (SCHEMA_PLACES_MAX + 1)

/* The items of a line that a schema can tell of; the rest is kept and not looked at. */
static bool read_items(struct value_reader *r, unsigned char const **items, uint32_t *count,
                       uint32_t *all)
{
    struct value line = value_next(r);
    if (line.type != VALUE_ARRAY || !line.count)
        return false;
    *all = line.count;
    *count = line.count < ITEMS_MAX ? line.count : ITEMS_MAX;
    for (uint32_t i = 0; i < *count; i++) {
        items[i] = r->at;
        value_skip(r);
    }
    items[*count] = r->at;
    for (uint32_t i = *count; i < line.count; i++)
        value_skip(r);
    return true;
}

/* The kind of a line by its first item, or NULL. */
static struct kind const *find_kind(struct line const *l)
{
    struct value_reader r = {l->items[0], l->items[1]};
    unsigned char head = *r.at;
    if (head >= 0xa0 && head < 0xc0)
        return schema_kind(&l->run->c->schema, (char const *)r.at + 1, head & 31u);
    struct value name = value_next(&r);
    return name.type == VALUE_STRING
               ? schema_kind(&l->run->c->schema, name.string.data, name.string.size)
               : NULL;
}

/* The line as it is there. */
static int write_line(struct line const *l, struct value_reader const *rest, uint32_t all)
{
    struct value_writer *w = &l->run->lines;
    value_put_array(w, all);
    for (uint32_t i = 0; i < l->count; i++) {
        size_t size = line_item_size(l, i);
        void const *data = l->items[i];
        uint32_t instead = l->instead[i], same = instead;
        if (same && values_enter(&l->run->c->values, data, size, &same))
            return REDO_ENOMEM;
        if (same != instead) /* as it was written where it is equal */
            data = values_at(&l->run->c->values, instead, &size);
        value_put_bytes(w, data, size);
    }
    value_put_bytes(w, rest->at, (size_t)(rest->end - rest->at));
    return REDO_OK;
}

static int run_kind(struct line *l, struct turn_after *after)
{
    uint32_t values[SCHEMA_FIELDS_MAX];
    uint64_t told = 0;
    switch (l->kind->type) {
    case LINE_CHANGE:
        return change(l, after);
    case LINE_CREATE:
        return create(l, after);
    case LINE_REMOVE:
        return remove_object(l, after);
    case LINE_OPAQUE:
        return take_after(l, after, SPACE_LEVEL, values, &told);
    }
    return REDO_OK;
}

static int run_line(struct run *run, struct value_reader *r, uint32_t number,
                    struct turn_after *after, unsigned char const ***marks, uint32_t *instead)
{
    unsigned char const *items[ITEMS_MAX + 1];
    struct line l = {.run = run, .items = items, .instead = instead, .number = number};
    uint32_t all;
    if (marks) {
        l.items = *marks;
        l.count = all = turn_few_items(r);
        r->at = l.items[l.count];
        *marks += l.count + 1;
    } else if (!read_items(r, items, &l.count, &all)) {
        line_misfit(&l, -1, "a line is an array that begins with the name of its kind", NULL, 0, 0);
        return REDO_ELINE;
    }
    if (!run->c->has_schema) /* opaque, all of them */
        return REDO_OK;
    if (instead)
        memset(instead, 0, l.count * sizeof *instead);
    l.kind = find_kind(&l);
    int rc = l.kind ? run_kind(&l, after)
                    : line_misfit(&l, 0, "the schema has no such kind of line", NULL, 0, 0);
    if (!rc && instead) {
        struct value_reader rest = {l.items[l.count], r->at};
        rc = write_line(&l, &rest, all);
    }
    return rc;
}

int lines_run(struct run *run, struct turn_reader const *turn)
{
    struct value_reader r = turn->lines;
    struct turn_after after = {.r = turn->after, .left = turn->after_count};
    unsigned char const **marks = turn->marks;
    uint32_t instead[ITEMS_MAX];
    int rc = REDO_OK;
    if (!turn_check_after(turn) || (turn->after_count && !run->c->has_schema)) {
        line_set_fault(run->fault, -1, -1,
                       run->c->has_schema
                           ? "what is told beside lines is [line, field, value], by rising line"
                           : "without a schema nothing can be told beside lines",
                       "");
        return REDO_ELINE;
    }
    if (turn->digest && run->c->has_schema) {
        line_set_fault(run->fault, -1, -1, "with a schema the digest is the table's", "");
        return REDO_ELINE;
    }
    for (uint32_t i = 0; !rc && i < turn->count; i++)
        rc = run_line(run, &r, turn->first + i, &after, i < turn->marked ? &marks : NULL,
                      run->mode == LINES_MOVED ? instead : NULL);
    if (!rc && (run->steps.failed || run->lines.failed || run->after.failed))
        rc = REDO_ENOMEM;
    if (rc) {
        /* Steps that were not all noted can not be taken back. */
        run->lost = run->steps.failed || steps_undo(run->table, run->steps.data, run->steps.size);
        run->steps.size = 0;
    }
    return rc;
}
