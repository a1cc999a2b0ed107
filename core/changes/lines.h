/* Lines: what the lines of a turn do to a table, by the schema. */
#ifndef CORE_CHANGES_LINES_H
#define CORE_CHANGES_LINES_H

#include "core/changes/changes.h"
#include "core/changes/renaming.h"
#include "core/changes/turn_reader.h"

enum lines_mode {
    LINES_STRICT,  /* a line that does not fit is refused */
    LINES_LENIENT, /* ... is kept, and does what it can */
    LINES_MOVED /* ... is changed so that it fits: ids by the renaming, old values by the table */
};

struct run {
    struct changes *c;
    struct table *table;
    enum lines_mode mode;
    struct renaming *renaming; /* LINES_MOVED: used and added to */
    struct value_writer steps; /* what was done */
    struct value_writer lines; /* LINES_MOVED: the lines as they are there ... */
    struct value_writer after; /* ... and what is told beside them */
    uint32_t faults;
    struct value_writer *which; /* of the lines have them: their numbers are appended; or NULL */
    bool lost; /* memory lacked for taking back what was done: the table is not what it was */
    struct fault *fault; /* of the first that did not fit */
};

/* An object has this id: no fresh one is the same. */
void lines_note_id(struct changes *c, uint32_t id);

/* Runs all lines on the table. REDO_OK; REDO_ELINE, REDO_EOPERATION, REDO_ENOMEM, and the table is
 * as it was, or lost. */
int lines_run(struct run *run, struct turn_reader const *turn);

#endif
