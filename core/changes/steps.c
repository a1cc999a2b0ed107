#include "core/changes/steps.h"

#include <stdlib.h>

#include "core/redo_error.h"
#include "core/varint.h"

enum { STEP_SET, STEP_ADD, STEP_REMOVE };

struct step {
    int what;
    enum space space;
    uint32_t id, field, before, after;
    unsigned char const *row; /* how many fields, then each with its value */
};

static void put(struct value_writer *w, int what, enum space space, uint32_t id)
{
    unsigned char bytes[1 + VARINT_MAX];
    bytes[0] = (unsigned char)(what << 2 | (int)space);
    value_put_bytes(w, bytes, 1 + varint_put(bytes + 1, id));
}

static void put_number(struct value_writer *w, uint32_t number)
{
    unsigned char bytes[VARINT_MAX];
    value_put_bytes(w, bytes, varint_put(bytes, number));
}

void steps_put_set(struct value_writer *w, enum space space, uint32_t id, uint32_t field,
                   uint32_t before, uint32_t after)
{
    unsigned char bytes[1 + 4 * VARINT_MAX] = {(unsigned char)(STEP_SET << 2 | (int)space)};
    size_t size = 1;
    size += varint_put(bytes + size, id);
    size += varint_put(bytes + size, field);
    size += varint_put(bytes + size, before);
    size += varint_put(bytes + size, after);
    value_put_bytes(w, bytes, size);
}

/* The fields of a row that are not as the schema has them at first. */
static void put_row(struct value_writer *w, struct table const *t, int what, enum space space,
                    uint32_t const *row)
{
    struct field const *fields = t->schema->fields[space];
    uint32_t count = 0;
    put(w, what, space, row[0]);
    for (uint32_t i = 0; i < t->schema->field_count[space]; i++)
        count += row[1 + i] != fields[i].initial;
    put_number(w, count);
    for (uint32_t i = 0; i < t->schema->field_count[space]; i++) {
        if (row[1 + i] == fields[i].initial)
            continue;
        put_number(w, i);
        put_number(w, row[1 + i]);
    }
}

void steps_put_add(struct value_writer *w, struct table const *t, enum space space,
                   uint32_t const *row)
{
    put_row(w, t, STEP_ADD, space, row);
}

void steps_put_remove(struct value_writer *w, struct table const *t, enum space space,
                      uint32_t const *row)
{
    put_row(w, t, STEP_REMOVE, space, row);
}

/* Our own bytes: they are as they were written. */
static struct step next(struct varint_reader *r)
{
    struct step s = {.what = *r->at >> 2, .space = (enum space)(*r->at & 3)};
    r->at++;
    s.id = varint_get(r);
    if (s.what == STEP_SET) {
        s.field = varint_get(r);
        s.before = varint_get(r);
        s.after = varint_get(r);
        return s;
    }
    s.row = r->at;
    for (uint32_t count = varint_get(r); count > 0; count--) {
        varint_get(r);
        varint_get(r);
    }
    return s;
}

static void add(struct table *t, struct step const *s, unsigned char const *end)
{
    uint32_t row[SCHEMA_FIELDS_MAX + 1] = {s->id};
    struct varint_reader r = {.at = s->row, .end = end};
    for (uint32_t i = 0; i < t->schema->field_count[s->space]; i++)
        row[1 + i] = t->schema->fields[s->space][i].initial;
    for (uint32_t count = varint_get(&r); count > 0; count--) {
        uint32_t field = varint_get(&r);
        row[1 + field] = varint_get(&r);
    }
    table_add(t, s->space, row);
}

static void do_step(struct table *t, struct step const *s, bool undo, unsigned char const *end)
{
    uint32_t slot;
    if (s->what == STEP_SET) {
        slot = table_find(t, s->space, s->id);
        table_set(t, s->space, slot, s->field, undo ? s->before : s->after);
    } else if ((s->what == STEP_ADD) != undo) {
        add(t, s, end);
    } else {
        slot = table_find(t, s->space, s->id);
        table_remove(t, s->space, slot);
    }
}

/* Room for all rows that will come. */
static int reserve(struct table *t, unsigned char const *data, size_t size, bool undo,
                   uint32_t *count)
{
    struct varint_reader r = {.at = data, .end = data + size};
    uint32_t rows[SPACES] = {0};
    *count = 0;
    while (r.at < r.end) {
        struct step s = next(&r);
        rows[s.space] += s.what == (undo ? STEP_REMOVE : STEP_ADD);
        ++*count;
    }
    for (int i = 0; i < SPACES; i++)
        if (rows[i] && table_reserve(t, (enum space)i, rows[i]))
            return REDO_ENOMEM;
    return REDO_OK;
}

int steps_do(struct table *t, unsigned char const *data, size_t size)
{
    struct varint_reader r = {.at = data, .end = data + size};
    uint32_t count;
    int rc = reserve(t, data, size, false, &count);
    while (!rc && r.at < r.end) {
        struct step s = next(&r);
        do_step(t, &s, false, r.end);
    }
    return rc;
}

int steps_undo(struct table *t, unsigned char const *data, size_t size)
{
    enum { FEW = 64 };
    struct varint_reader r = {.at = data, .end = data + size};
    struct step few[FEW], *steps = few;
    uint32_t count;
    int rc = reserve(t, data, size, true, &count);
    if (!rc && count > FEW && !(steps = malloc(count * sizeof *steps)))
        rc = REDO_ENOMEM;
    if (rc)
        return rc;
    for (uint32_t i = 0; i < count; i++)
        steps[i] = next(&r);
    for (uint32_t i = count; i > 0; i--)
        do_step(t, &steps[i - 1], true, r.end);
    if (steps != few)
        free(steps);
    return REDO_OK;
}
