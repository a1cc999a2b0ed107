/* Lines: what the lines of a turn do to a table, by the schema. */
#ifndef CORE_CHANGES_LINES_H
#define CORE_CHANGES_LINES_H

#include "core/changes/changes.h"

/* The parts of a turn's bytes. */
struct turn_reader {
    struct value_reader lines; /* line after line */
    uint32_t first;            /* the number of the first: not 0 only for lines behind others */
    uint32_t count;
    struct value_reader after; /* [line, field, value] each */
    uint32_t after_count;
    unsigned char const *digest; /* one value, or NULL */
    size_t digest_size;
    unsigned char const **marks; /* of the first lines where each item begins, and the last ends */
    uint32_t marked;             /* how many of them: they are not to be parsed again */
};

/* False if they are no turn. */
bool turn_open(struct turn_reader *t, void const *data, size_t size);

/* The same with room for so many marks. */
bool turn_open_marking(struct turn_reader *t, void const *data, size_t size,
                       unsigned char const **marks, uint32_t room);

/* Ids of objects that are others in the place where lines are moved to: by the number of the id as
 * told, 0 where it is the same; and what each was before it was set, so that what a turn has added
 * can be taken back. */
struct renaming {
    uint32_t *there;
    uint32_t cap;
    struct renamed {
        uint32_t from, before;
    } * log;
    uint32_t count, logcap;
};

/* REDO_OK or REDO_ENOMEM. renaming_add() also notes it in c->renamed. */
int renaming_set(struct renaming *n, uint32_t from, uint32_t to);
int renaming_add(struct changes *c, struct renaming *n, uint32_t from, uint32_t to);
void renaming_back(struct renaming *n, uint32_t count); /* as when there were so many */
void renaming_close(struct renaming *n);

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
