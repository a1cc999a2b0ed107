/* Entries: the turn that a game tells line by line, at a cursor of a session told by change, as the
 * undo buffer of the document has it. An entry is open until the next one is begun; then it becomes
 * a turn, and the cursor goes where it leads. */
#ifndef CORE_CHANGES_ENTRY_H
#define CORE_CHANGES_ENTRY_H

#include "core/changes/value.h"
#include "core/redo.h"

struct history;
struct cursor;

struct entry {
    bool has_move; /* else the lowest that is free */
    int move;
    uint32_t count;            /* lines */
    struct value_writer lines; /* one after the other */
    uint32_t after_count;      /* what they do not tell: [line, field, value] ... */
    struct value_writer after;
    uint32_t faults; /* lines that do not fit, in a lenient session */
    /* What the lines do to the table, as long as neither the cursor nor ids have changed: */
    struct value_writer steps;
    uint32_t at, generation;
    bool compiled;
};

/* NEWUNDO and ADDUNDO, as history_apply(). */
int entries_apply(struct history *h, redo_operation const *op, redo_result *r);

/* Whether the cursor that the operation names has lines that are no turn yet. */
bool entry_is_open(struct history const *h, redo_operation const *op);

/* Closes what is open at a cursor, if anything is: a turn is made of its lines, and the cursor goes
 * there. *r tells of that as of an ADD. REDO_OK, or nothing is changed: REDO_ELINE (the lines do
 * not fit where they stand now), REDO_ENOMEM, REDO_EFULL. */
int entry_close(struct history *h, struct cursor *cursor, int endpoint, redo_result *r);

/* An entry as it is loaded, of lines that must be such: REDO_OK, REDO_EDAMAGED, REDO_ENOMEM. */
int entry_load(struct history *h, struct cursor *cursor, struct entry const *head,
               void const *lines, size_t lines_size, void const *after, size_t after_size);

void entry_free(struct entry *e); /* NULL is ignored */
size_t entry_bytes(struct entry const *e);

#endif
