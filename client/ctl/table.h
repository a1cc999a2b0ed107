/* The table of a session told by change, as JSON. */
#ifndef CTL_TABLE_H
#define CTL_TABLE_H

#include <jansson.h>

#include "client/ctl/ctl.h"

struct table_wish {
    char const *name; /* of the session; NULL: its handle is told */
    int64_t handle;
    uint32_t position;
};

/* Reads it, page after page: {"objects": [[id, {field: value}] ...], "level": {...}, "cursors":
 * [...]}. *table is a new reference, whatever the status; EXIT_BAD after a complaint. */
int table_read(struct ctl *ctl, struct table_wish wish, json_t **table);

#endif
