#include "core/properties.h"

#include <stdlib.h>
#include <string.h>

#include "core/history.h"
#include "core/redo_error.h"

void properties_close(struct properties *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        free(p->all[i].name);
    free(p->all);
    *p = (struct properties){0};
}

static int compare(struct property const *a, char const *name, size_t size)
{
    int order = memcmp(a->name, name, a->name_size < size ? a->name_size : size);
    return order ? order : (a->name_size > size) - (a->name_size < size);
}

/* The place of the first that is not before the name. */
static uint32_t place(struct properties const *p, char const *name, size_t size)
{
    uint32_t low = 0, high = p->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare(&p->all[middle], name, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct property *properties_find(struct properties const *p, char const *name, size_t size)
{
    uint32_t at = place(p, name, size);
    return at < p->count && compare(&p->all[at], name, size) == 0 ? &p->all[at] : NULL;
}

static void take_away(struct properties *p, struct property *there)
{
    p->bytes -= there->name_size + there->value_size;
    free(there->name);
    p->count--;
    memmove(there, there + 1, (size_t)(p->all + p->count - there) * sizeof *there);
}

int properties_set(struct properties *p, char const *name, size_t name_size, void const *value,
                   size_t value_size, bool *changed)
{
    struct property *there = properties_find(p, name, name_size);
    *changed = there ? there->value_size != value_size ||
                           memcmp(property_value(there), value, value_size) != 0
                     : value_size > 0;
    if (!*changed)
        return REDO_OK;
    if (!value_size) {
        take_away(p, there);
        return REDO_OK;
    }
    if (!there && p->count == p->cap) {
        uint32_t cap = p->cap ? p->cap * 2 : 4;
        struct property *grown = realloc(p->all, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        p->all = grown;
        p->cap = cap;
    }
    char *bytes = malloc(name_size + value_size);
    if (!bytes)
        return REDO_ENOMEM;
    memcpy(bytes, name, name_size);
    memcpy(bytes + name_size, value, value_size);
    if (there) {
        p->bytes -= there->name_size + there->value_size;
        free(there->name);
    } else {
        uint32_t at = place(p, name, name_size);
        there = &p->all[at];
        memmove(there + 1, there, (p->count - at) * sizeof *there);
        p->count++;
    }
    *there = (struct property){
        .name = bytes, .name_size = (uint32_t)name_size, .value_size = (uint32_t)value_size};
    p->bytes += name_size + value_size;
    return REDO_OK;
}

int properties_apply(struct history *h, redo_operation const *op, redo_result *r)
{
    if (!op->name || op->namesize < 1 || op->namesize > REDO_NAME_MAX)
        return REDO_ENAME;
    if (op->statesize && !op->state)
        return REDO_ESTATE;
    struct property const *there = properties_find(&h->properties, op->name, op->namesize);
    size_t before = there ? there->name_size + there->value_size : 0;
    if (op->statesize > REDO_PROPERTY_MAX ||
        h->properties.bytes - before + op->namesize + op->statesize > REDO_PROPERTY_MAX)
        return REDO_EFULL;
    bool changed;
    int rc = properties_set(&h->properties, op->name, op->namesize, op->state ? op->state : "",
                            op->statesize, &changed);
    if (rc)
        return rc;
    r->changed = changed;
    h->changed |= changed;
    return REDO_OK;
}
