#include "core/changes/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/changes/steps.h"
#include "core/redo_error.h"

/* ---- a turn's parts ---------------------------------------------------------------------- */

/* A part of a turn: nil, or an array of so many items, or another value; false if it is none. */
static bool open_part(struct value_reader *r, struct value *head, struct value_reader *items)
{
    *items = *r;
    *head = value_next(items);
    return value_skip_inside(r, 1);
}

/* How many items the line has that comes next; 0: none, or more than fit into its head. */
static inline uint32_t few_items(struct value_reader const *r)
{
    return r->at<r->end && * r->at> 0x90 && *r->at < 0xa0 ? *r->at & 15u : 0;
}

/* Passes over the lines, and marks the items of the first ones. */
static bool pass_lines(struct turn_reader *t, struct value_reader *r, uint32_t room)
{
    uint32_t used = 0, i = 0, count;
    for (; i < t->count && (count = few_items(r)) && count < room - used; i++) {
        r->at++;
        for (; count > 0; count--) {
            t->marks[used++] = r->at;
            if (!value_skip_small(r) && !value_skip_inside(r, 3))
                return false;
        }
        t->marks[used++] = r->at;
    }
    t->marked = i;
    for (; i < t->count; i++)
        if (!value_skip_inside(r, 2))
            return false;
    return true;
}

bool turn_open(struct turn_reader *t, void const *data, size_t size)
{
    return turn_open_marking(t, data, size, NULL, 0);
}

bool turn_open_marking(struct turn_reader *t, void const *data, size_t size,
                       unsigned char const **marks, uint32_t room)
{
    struct value_reader r = {data, (unsigned char const *)data + size}, items;
    *t = (struct turn_reader){.marks = marks};
    struct value turn = data && size ? value_next(&r) : (struct value){.type = VALUE_BAD};
    struct value lines, after, digest;
    if (turn.type != VALUE_ARRAY || turn.count != 3)
        return false;
    lines = value_next(&r);
    if (lines.type != VALUE_ARRAY || !lines.count)
        return false;
    t->lines = r;
    t->count = lines.count;
    if (!pass_lines(t, &r, room) || !open_part(&r, &after, &t->after))
        return false;
    unsigned char const *start = r.at;
    if (!open_part(&r, &digest, &items) || r.at != r.end)
        return false;
    if (after.type != VALUE_ARRAY && after.type != VALUE_NIL)
        return false;
    t->after_count = after.type == VALUE_ARRAY ? after.count : 0;
    if (digest.type != VALUE_NIL) {
        t->digest = start;
        t->digest_size = (size_t)(r.at - start);
    }
    return true;
}

/* ---- a line at work ---------------------------------------------------------------------- */

struct line {
    struct run *run;
    struct kind const *kind;
    unsigned char const **items; /* where each begins, and where the last ends */
    uint32_t *instead; /* LINES_MOVED: the value that stands there instead, or VALUE_UNKNOWN; else
                          NULL */
    uint32_t count;
    uint32_t number; /* in the turn */
    bool faulty;
};

static void set_fault(struct fault *f, int64_t line, int64_t place, char const *what,
                      char const *field)
{
    *f = (struct fault){.line = line, .place = place};
    snprintf(f->what, sizeof f->what, "%s", what);
    snprintf(f->field, sizeof f->field, "%s", field);
}

static void tell_value(struct changes const *c, uint32_t number, void const **data, size_t *size)
{
    *data = values_at(&c->values, number, size);
}

/* The line does not fit: REDO_OK if it is kept all the same. */
static int misfit(struct line *l, int64_t place, char const *what, struct field const *field,
                  uint32_t expected, uint32_t given)
{
    struct run *run = l->run;
    bool first = !run->faults;
    run->faults += !l->faulty; /* a line counts once */
    if (run->which && !l->faulty)
        value_put_int(run->which, l->number);
    l->faulty = true;
    if (first && run->fault) {
        set_fault(run->fault, l->number, place, what, field ? field->name : "");
        if (expected)
            tell_value(run->c, expected, &run->fault->expected, &run->fault->expected_size);
        if (given)
            tell_value(run->c, given, &run->fault->given, &run->fault->given_size);
    }
    return run->mode == LINES_STRICT ? REDO_ELINE : REDO_OK;
}

static inline size_t item_size(struct line const *l, uint32_t place)
{
    return (size_t)(l->items[place + 1] - l->items[place]);
}

/* Another value stands at a place there. */
static inline void put_instead(struct line *l, uint32_t place, uint32_t value)
{
    if (l->instead)
        l->instead[place] = value;
}

static inline int enter_item(struct line *l, uint32_t place, uint32_t *value)
{
    *value = VALUE_UNKNOWN;
    if (place >= l->count)
        return REDO_OK; /* Lua does not tell what is nil at the end */
    return values_enter_whole(&l->run->c->values, l->items[place], item_size(l, place), value);
}

static int contrary(struct line *l, uint32_t place, uint32_t *value)
{
    struct values *values = &l->run->c->values;
    int rc = enter_item(l, place, value);
    if (rc || *value == VALUE_UNKNOWN)
        return rc;
    size_t size;
    unsigned char const *one = values_at(values, *value, &size);
    static unsigned char const pairs[4] = {0, 1, 0xc2,
                                           0xc3}; /* and each is followed by its contrary */
    for (int i = 0; i < 4; i++)
        if (size == 1 && *one == pairs[i])
            return values_enter(values, &pairs[i ^ 1], 1, value);
    *value = VALUE_UNKNOWN;
    return REDO_OK;
}

static int several(struct line *l, struct source const *source, uint32_t *value)
{
    struct value_writer w = {0};
    uint32_t const *places = l->run->c->schema.places + source->first;
    bool told = false;
    for (uint32_t i = 0; i < source->count; i++)
        told |= places[i] < l->count;
    if (!told) /* the line ends before them */
        return REDO_OK;
    value_put_array(&w, source->count);
    for (uint32_t i = 0; i < source->count; i++) {
        if (places[i] < l->count)
            value_put_bytes(&w, l->items[places[i]], item_size(l, places[i]));
        else
            value_put_nil(&w);
    }
    int rc = w.failed ? REDO_ENOMEM : values_enter(&l->run->c->values, w.data, w.size, value);
    free(w.data);
    return rc;
}

/* The value that a source tells, or VALUE_UNKNOWN. */
static inline int tell(struct line *l, struct source const *source, uint32_t *value)
{
    if (source->type == SOURCE_PLACE) /* most do */
        return enter_item(l, source->first, value);
    *value = VALUE_UNKNOWN;
    switch (source->type) {
    case SOURCE_NONE:
    case SOURCE_PLACE:
        break;
    case SOURCE_NOT:
        return contrary(l, source->first, value);
    case SOURCE_VALUE:
        *value = source->first;
        break;
    case SOURCE_PLACES:
        return several(l, source, value);
    }
    return REDO_OK;
}

static uint32_t renamed(struct renaming const *n, uint32_t id)
{
    return n && id < n->cap && n->there[id] ? n->there[id] : id;
}

int renaming_set(struct renaming *n, uint32_t from, uint32_t to)
{
    if (from >= n->cap) {
        uint32_t cap = from + from / 2 + 64;
        uint32_t *grown = realloc(n->there, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        memset(grown + n->cap, 0, (cap - n->cap) * sizeof *grown);
        n->there = grown;
        n->cap = cap;
    }
    if (n->count == n->logcap) {
        uint32_t cap = n->logcap ? n->logcap * 2 : 16;
        struct renamed *grown = realloc(n->log, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        n->log = grown;
        n->logcap = cap;
    }
    n->log[n->count++] = (struct renamed){from, n->there[from]};
    n->there[from] = to;
    return REDO_OK;
}

void renaming_back(struct renaming *n, uint32_t count)
{
    while (n->count > count) {
        struct renamed last = n->log[--n->count];
        n->there[last.from] = last.before;
    }
}

void renaming_close(struct renaming *n)
{
    free(n->there);
    free(n->log);
    *n = (struct renaming){0};
}

/* A value of this field that is an id is another there. */
static uint32_t value_there(struct line const *l, struct field const *field, uint32_t value)
{
    return field->is_id && l->run->mode == LINES_MOVED ? renamed(l->run->renaming, value) : value;
}

/* What stands at the places of a source there. Arrays and contraries are not rewritten: what they
 * tell counts on boards, or is no id. */
static void write_there(struct line *l, struct source const *source, uint32_t value)
{
    if (l->instead && source->type == SOURCE_PLACE && source->first < l->count && value)
        l->instead[source->first] = value;
}

/* ---- what lines do not tell -------------------------------------------------------------- */

struct after {
    struct value_reader r; /* at the next one */
    uint32_t left;
};

/* The next one of what is told of this line: its field and value. False if there is none. What is
 * told of lines before it that was not asked for, as they do nothing, is passed over. */
static bool next_after(struct after *a, uint32_t line, struct value *field,
                       struct value_reader *value)
{
    struct value_reader r = a->r;
    struct value one, number;
    for (;; a->r = r, a->left--) {
        if (!a->left)
            return false;
        r = a->r;
        one = value_next(&r);
        number = value_next(&r);
        if (one.count != 3 || number.integer > line)
            return false;
        if (number.integer == line)
            break;
        value_skip(&r);
        value_skip(&r);
    }
    *field = value_next(&r);
    *value = r;
    value_skip(&r);
    value->end = r.at;
    a->r = r;
    a->left--;
    return true;
}

/* Whether all of it is in form: triples of a line, rising, a name, a value. */
static bool check_after(struct turn_reader const *turn)
{
    struct value_reader r = turn->after;
    int64_t before = turn->first, end = before + turn->count;
    for (uint32_t i = 0; i < turn->after_count; i++) {
        struct value one = value_next(&r), line, field;
        if (one.type != VALUE_ARRAY || one.count != 3)
            return false;
        line = value_next(&r);
        field = value_next(&r);
        if (line.type != VALUE_INT || line.integer < before || line.integer >= end ||
            field.type != VALUE_STRING || !value_skip(&r))
            return false;
        before = line.integer;
    }
    return true;
}

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
static int take_all_after(struct line *l, struct after *after, enum space space, uint32_t *values,
                          uint64_t *told)
{
    struct value name;
    struct value_reader value;
    struct schema const *schema = &l->run->c->schema;
    while (next_after(after, l->number, &name, &value)) {
        int f = schema_field(schema, space, name.string.data, name.string.size);
        uint32_t as_told = VALUE_UNKNOWN;
        int rc = f < 0 ? misfit(l, -1, "what is told beside the line is no field of it", NULL, 0, 0)
                       : values_enter(&l->run->c->values, value.at, (size_t)(value.end - value.at),
                                      &as_told);
        if (rc)
            return rc;
        uint32_t there = f < 0 ? as_told : value_there(l, &schema->fields[space][f], as_told);
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
static inline int take_after(struct line *l, struct after *after, enum space space,
                             uint32_t *values, uint64_t *told)
{
    return after->left ? take_all_after(l, after, space, values, told) : REDO_OK;
}

/* ---- the kinds --------------------------------------------------------------------------- */

/* An old value that is not the table's, or that is to be. */
static int check_other(struct line *l, struct part const *part, uint32_t old, uint32_t actual)
{
    struct field const *field = &l->run->c->schema.fields[l->kind->space][part->field];
    old = value_there(l, field, old);
    if (l->run->mode == LINES_MOVED) {
        write_there(l, &part->old, actual);
        return REDO_OK;
    }
    if (old == actual || actual == VALUE_UNKNOWN)
        return REDO_OK;
    int64_t place = part->old.type == SOURCE_PLACE || part->old.type == SOURCE_NOT
                        ? (int64_t)part->old.first
                        : -1;
    return misfit(l, place, "the old value is not the table's", field, actual, old);
}

/* Holds an old value against the table's. */
static inline int check_old(struct line *l, struct part const *part, uint32_t actual)
{
    uint32_t old;
    int rc = tell(l, &part->old, &old);
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
        return enter_item(l, k->id, id);
    struct value_writer w = {0};
    value_put_array(&w, 2);
    value_put_string(&w, k->among, k->among_size);
    value_put_bytes(&w, l->items[k->id], item_size(l, k->id));
    int rc = w.failed ? REDO_ENOMEM : values_enter(&l->run->c->values, w.data, w.size, id);
    free(w.data);
    return rc;
}

/* The id is another there: of a kind of its own it is not rewritten. */
static int put_id(struct line *l, uint32_t told, uint32_t id)
{
    if (!l->kind->among) {
        put_instead(l, l->kind->id, id);
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
                   : misfit(l, l->kind->fields, "the fields are a map", NULL, 0, 0);
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
        if (l->instead && value_there(l, field, value) != value)
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
        *id = renamed(run->renaming, *id);
    *slot = *id ? table_find(run->table, l->kind->space, *id) : TABLE_NONE;
    return l->kind->among ? put_id(l, told, *id) : REDO_OK;
}

static int change(struct line *l, struct after *after)
{
    struct run *run = l->run;
    enum space space = l->kind->space;
    uint32_t id, slot, values[SCHEMA_FIELDS_MAX];
    uint64_t told = 0;
    int rc = find_row(l, &id, &slot);
    if (!rc && slot == TABLE_NONE)
        rc = misfit(l, l->kind->id, "there is no object of this id", NULL, 0, id);
    if (rc || slot == TABLE_NONE)
        return rc ? rc : take_after(l, after, space, values, &told);
    uint32_t *row = table_row(run->table, space, slot);
    if (space != SPACE_LEVEL && l->kind->id < l->count && !l->kind->among)
        put_instead(l, l->kind->id, id);
    if ((rc = take_fields(l, values, &told)))
        return rc;
    for (uint32_t i = 0; i < l->kind->count; i++) {
        struct part const *part = &l->kind->parts[i];
        uint32_t value;
        rc = check_old(l, part, row[1 + part->field]);
        if (!rc)
            rc = tell(l, &part->new, &value);
        if (rc)
            return rc;
        if (l->instead) {
            value = value_there(l, &run->c->schema.fields[space][part->field], value);
            write_there(l, &part->new, value);
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

/* Notes that the object is another there, for whoever asks. */
static int note_renamed(struct changes *c, uint32_t from, uint32_t to)
{
    if (c->renamed_count == c->renamed_cap) {
        uint32_t cap = c->renamed_cap ? c->renamed_cap * 2 : 16;
        uint32_t *grown = realloc(c->renamed, 2 * (size_t)cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        c->renamed = grown;
        c->renamed_cap = cap;
    }
    c->renamed[2 * c->renamed_count] = from;
    c->renamed[2 * c->renamed_count++ + 1] = to;
    return REDO_OK;
}

int renaming_add(struct changes *c, struct renaming *n, uint32_t from, uint32_t to)
{
    int rc = from == to ? REDO_OK : note_renamed(c, from, to);
    return rc ? rc : renaming_set(n, from, to);
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
    if (!rc && (*id != told || renamed(run->renaming, told) != told))
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

static int create(struct line *l, struct after *after)
{
    struct run *run = l->run;
    struct schema const *schema = &run->c->schema;
    uint32_t told_id, row[SCHEMA_FIELDS_MAX + 1];
    uint64_t told = 0;
    int rc = enter_id(l, &told_id);
    if (!rc && told_id == VALUE_UNKNOWN)
        rc = misfit(l, l->kind->id, "the line has no id", NULL, 0, 0);
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
        if ((rc = tell(l, &part->new, &value)))
            return rc;
        value = value_there(l, &schema->fields[SPACE_OBJECTS][part->field], value);
        write_there(l, &part->new, value);
        if (value)
            row[1 + part->field] = value;
    }
    if ((rc = take_after(l, after, SPACE_OBJECTS, row + 1, &told)))
        return rc;
    if (table_find(run->table, SPACE_OBJECTS, row[0]) != TABLE_NONE)
        return misfit(l, l->kind->id, "there is an object of this id already", NULL, 0, row[0]);
    if (table_reserve(run->table, SPACE_OBJECTS, 1))
        return REDO_ENOMEM;
    steps_put_add(&run->steps, run->table, SPACE_OBJECTS, row);
    table_add(run->table, SPACE_OBJECTS, row);
    lines_note_id(run->c, row[0]);
    return REDO_OK;
}

static int remove_object(struct line *l, struct after *after)
{
    struct run *run = l->run;
    uint32_t id, slot, ignored[SCHEMA_FIELDS_MAX];
    uint64_t told = 0;
    int rc = find_row(l, &id, &slot);
    if (!rc && slot == TABLE_NONE)
        rc = misfit(l, l->kind->id, "there is no object of this id", NULL, 0, id);
    if (!rc)
        rc = take_after(l, after, SPACE_OBJECTS, ignored, &told);
    if (rc || slot == TABLE_NONE)
        return rc;
    if (!l->kind->among)
        put_instead(l, l->kind->id, id);
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
        size_t size = item_size(l, i);
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

static int run_kind(struct line *l, struct after *after)
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

static int run_line(struct run *run, struct value_reader *r, uint32_t number, struct after *after,
                    unsigned char const ***marks, uint32_t *instead)
{
    unsigned char const *items[ITEMS_MAX + 1];
    struct line l = {.run = run, .items = items, .instead = instead, .number = number};
    uint32_t all;
    if (marks) {
        l.items = *marks;
        l.count = all = few_items(r);
        r->at = l.items[l.count];
        *marks += l.count + 1;
    } else if (!read_items(r, items, &l.count, &all)) {
        misfit(&l, -1, "a line is an array that begins with the name of its kind", NULL, 0, 0);
        return REDO_ELINE;
    }
    if (!run->c->has_schema) /* opaque, all of them */
        return REDO_OK;
    if (instead)
        memset(instead, 0, l.count * sizeof *instead);
    l.kind = find_kind(&l);
    int rc = l.kind ? run_kind(&l, after)
                    : misfit(&l, 0, "the schema has no such kind of line", NULL, 0, 0);
    if (!rc && instead) {
        struct value_reader rest = {l.items[l.count], r->at};
        rc = write_line(&l, &rest, all);
    }
    return rc;
}

int lines_run(struct run *run, struct turn_reader const *turn)
{
    struct value_reader r = turn->lines;
    struct after after = {.r = turn->after, .left = turn->after_count};
    unsigned char const **marks = turn->marks;
    uint32_t instead[ITEMS_MAX];
    int rc = REDO_OK;
    if (!check_after(turn) || (turn->after_count && !run->c->has_schema)) {
        set_fault(run->fault, -1, -1,
                  run->c->has_schema
                      ? "what is told beside lines is [line, field, value], by rising line"
                      : "without a schema nothing can be told beside lines",
                  "");
        return REDO_ELINE;
    }
    if (turn->digest && run->c->has_schema) {
        set_fault(run->fault, -1, -1, "with a schema the digest is the table's", "");
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
