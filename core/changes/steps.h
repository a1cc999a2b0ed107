/* Steps: what a turn does to a table, as bytes that can be done and undone.
 *
 * Each is a byte, what it does times 4 plus the space; the id; then for a change the field, the
 * value before and the one after, for a row that comes or goes how many fields, and each of these
 * with its value; the others are as at first. All are numbers of values. */
#ifndef CORE_CHANGES_STEPS_H
#define CORE_CHANGES_STEPS_H

#include "core/changes/table.h"

void steps_put_set(struct value_writer *w, enum space space, uint32_t id, uint32_t field,
                   uint32_t before, uint32_t after);
void steps_put_add(struct value_writer *w, struct table const *t, enum space space,
                   uint32_t const *row);
void steps_put_remove(struct value_writer *w, struct table const *t, enum space space,
                      uint32_t const *row);

/* Does, or undoes, the steps in a table, which is as they expect it. REDO_OK; or REDO_ENOMEM, and
 * nothing is done. */
int steps_do(struct table *t, unsigned char const *data, size_t size);
int steps_undo(struct table *t, unsigned char const *data, size_t size);

#endif
