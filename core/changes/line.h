/* A line at work: where its items stand, the values that they tell, and what stands there instead
 * where it is moved to. For lines.c. */
#ifndef CORE_CHANGES_LINE_H
#define CORE_CHANGES_LINE_H

#include "core/changes/lines.h"
#include "core/redo_error.h"

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

/* The line does not fit at this place (-1: at none) and field (or NULL), where a value was expected
 * and one given (or VALUE_UNKNOWN): REDO_OK if it is kept all the same, else REDO_ELINE. */
int line_misfit(struct line *l, int64_t place, char const *what, struct field const *field,
                uint32_t expected, uint32_t given);

void line_set_fault(struct fault *f, int64_t line, int64_t place, char const *what,
                    char const *field);

static inline size_t line_item_size(struct line const *l, uint32_t place)
{
    return (size_t)(l->items[place + 1] - l->items[place]);
}

/* Another value stands at a place there. */
static inline void line_put_instead(struct line *l, uint32_t place, uint32_t value)
{
    if (l->instead)
        l->instead[place] = value;
}

/* The value at a place, or VALUE_UNKNOWN: REDO_OK, REDO_ENOMEM. */
static inline int line_enter_item(struct line *l, uint32_t place, uint32_t *value)
{
    *value = VALUE_UNKNOWN;
    if (place >= l->count)
        return REDO_OK; /* Lua does not tell what is nil at the end */
    return values_enter_whole(&l->run->c->values, l->items[place], line_item_size(l, place), value);
}

/* The value that a source tells, or VALUE_UNKNOWN; the second of one that is not a place. REDO_OK
 * or REDO_ENOMEM. */
int line_tell_other(struct line *l, struct source const *source, uint32_t *value);
static inline int line_tell(struct line *l, struct source const *source, uint32_t *value)
{
    return source->type == SOURCE_PLACE ? line_enter_item(l, source->first, value) /* most do */
                                        : line_tell_other(l, source, value);
}

/* A value of this field that is an id is another there. */
static inline uint32_t line_value_there(struct line const *l, struct field const *field,
                                        uint32_t value)
{
    return field->is_id && l->run->mode == LINES_MOVED ? renaming_of(l->run->renaming, value)
                                                       : value;
}

/* What stands at the places of a source there. Arrays and contraries are not rewritten: what they
 * tell counts on boards, or is no id. */
static inline void line_write_there(struct line *l, struct source const *source, uint32_t value)
{
    if (l->instead && source->type == SOURCE_PLACE && source->first < l->count && value)
        l->instead[source->first] = value;
}

#endif
