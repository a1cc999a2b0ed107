#include "core/changes/line.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/redo_error.h"

void line_set_fault(struct fault *f, int64_t line, int64_t place, char const *what,
                    char const *field)
{
    *f = (struct fault){.line = line, .place = place};
    snprintf(f->what, sizeof f->what, "%s", what);
    snprintf(f->field, sizeof f->field, "%s", field);
}

int line_misfit(struct line *l, int64_t place, char const *what, struct field const *field,
                uint32_t expected, uint32_t given)
{
    struct run *run = l->run;
    struct values const *values = &run->c->values;
    bool first = !run->faults;
    run->faults += !l->faulty; /* a line counts once */
    if (run->which && !l->faulty)
        value_put_int(run->which, l->number);
    l->faulty = true;
    if (first && run->fault) {
        line_set_fault(run->fault, l->number, place, what, field ? field->name : "");
        if (expected)
            run->fault->expected = values_at(values, expected, &run->fault->expected_size);
        if (given)
            run->fault->given = values_at(values, given, &run->fault->given_size);
    }
    return run->mode == LINES_STRICT ? REDO_ELINE : REDO_OK;
}

static int contrary(struct line *l, uint32_t place, uint32_t *value)
{
    struct values *values = &l->run->c->values;
    int rc = line_enter_item(l, place, value);
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
            value_put_bytes(&w, l->items[places[i]], line_item_size(l, places[i]));
        else
            value_put_nil(&w);
    }
    int rc = w.failed ? REDO_ENOMEM : values_enter(&l->run->c->values, w.data, w.size, value);
    free(w.data);
    return rc;
}

int line_tell_other(struct line *l, struct source const *source, uint32_t *value)
{
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
