/* Cursors of a history: current positions with names. Few; kept sorted by the bytes of their names.
 * Each keeps the way it went back: the positions that redo goes forth to, the next one last. */
#ifndef CORE_CURSORS_H
#define CORE_CURSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/redo.h"

struct history;
struct node;
struct entry;

#define CURSORS_STEPS (UINT32_C(1) << 20) /* of the ways of all cursors */

struct cursor {
    char *name; /* ends with a 0 byte */
    uint32_t name_size;
    uint32_t position;
    uint32_t *forth; /* by number; some may have been dropped or moved since */
    uint32_t count, cap;
    bool moved;          /* by the last operation */
    struct entry *entry; /* of a session told by change: what is open, or NULL */
};

struct cursors {
    struct cursor *all;
    uint32_t count, cap;
    size_t bytes;
    bool moved; /* one or the other has, by the last operation */
};

void cursors_close(struct cursors *c);

/* The cursor of that name, or NULL. */
struct cursor *cursors_find(struct cursors const *c, char const *name, size_t size);

/* Makes a cursor, whose name must not be there yet; NULL without memory. */
struct cursor *cursors_make(struct cursors *c, char const *name, size_t size, uint32_t position);
void cursors_drop(struct cursors *c, struct cursor *cursor);

/* Notes that a cursor has moved; and, before the next operation, that none has, of which some had.
 */
void cursor_moved(struct cursors *c, struct cursor *cursor);
void cursors_rest(struct cursors *c);

/* Goes one move forth; the way is kept if that leads along it. */
void cursor_forth(struct history const *h, struct cursor *cursor, struct node const *to);

/* Room for so many more steps of the way forth. REDO_OK or REDO_ENOMEM. */
int cursor_reserve(struct cursors *c, struct cursor *cursor, uint32_t steps);

/* Whether a CURSOR can be applied, its position left aside; and applying one. As history_apply().
 */
int cursors_check(struct history const *h, redo_operation const *op);
int cursors_apply(struct history *h, redo_operation const *op, redo_result *r);

/* For a GOTO at the end of a turn, whose positions are not made yet: makes its cursor if there is
 * none, and room, so that applying it can not fail. REDO_OK or REDO_ENOMEM. */
int cursors_prepare(struct history *h, redo_operation const *op, bool *made);

/* After positions were dropped: cursors on them go to the first before them that is left. */
void cursors_settle(struct history *h);

#endif
