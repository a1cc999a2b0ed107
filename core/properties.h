/* Properties of a session: values under names, opaque here (the protocol keeps msgpack in them).
 * Few; kept sorted by the bytes of their names. */
#ifndef CORE_PROPERTIES_H
#define CORE_PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/redo.h"

struct history;

struct property {
    char *name; /* not ended by a 0; its value follows it in the same allocation */
    uint32_t name_size;
    uint32_t value_size;
};

struct properties {
    struct property *all;
    uint32_t count, cap;
    size_t bytes; /* of names and values */
};

static inline char *property_value(struct property const *p)
{
    return p->name + p->name_size;
}

void properties_close(struct properties *p);

/* The property of that name, or NULL. */
struct property *properties_find(struct properties const *p, char const *name, size_t size);

/* Sets a value, or takes the property away if the value is empty; *changed if it was another
 * before. REDO_OK, or REDO_ENOMEM and nothing changed. */
int properties_set(struct properties *p, char const *name, size_t name_size, void const *value,
                   size_t value_size, bool *changed);

/* A PROPERTY, as history_apply() does it. */
int properties_apply(struct history *h, redo_operation const *op, redo_result *r);

#endif
