/* Records and alternates in a dump, and in a dropped subtree (core/README.md has the forms). */
#ifndef CORE_RECORDS_FORMS_H
#define CORE_RECORDS_FORMS_H

#include "core/dump_beside.h"
#include "core/history.h"

static inline bool records_any(struct history const *h)
{
    return h->records.count || h->records.linked;
}

/* Whether a dump has the part below. */
static inline bool records_dumped(struct history const *h)
{
    return records_any(h) || h->games;
}

/* The part of a dump: all of them, and the games of a match, which came with them. read: as those
 * of dump_beside.h, and REDO_EVERSION. */
void write_records(struct history const *h, struct writer *w);
int read_records(struct history *h, struct varint_reader *r);

/* ---- of a subtree ------------------------------------------------------------------------ */

/* Those of the positions with these numbers, which are sorted, and which have a record or an
 * alternate. REDO_OK or REDO_ENOMEM. */
int write_some_records(struct history const *h, struct writer *w, uint32_t const *numbers,
                       uint32_t count);

/* What there is for positions that are to be brought back. All 0: nothing. */
struct recalled {
    struct {
        uint32_t number;
        struct record_bytes *kept;
    } * all;
    uint32_t count;
    struct varint_reader rings;
    uint32_t ring_count;
};

/* Reads and checks it, and makes room: nothing is changed. numbers: of what is brought back,
 * sorted. REDO_OK, REDO_EDAMAGED, REDO_EVERSION or REDO_ENOMEM. */
int recall_records(struct history *h, struct varint_reader *r, uint32_t const *numbers,
                   uint32_t count, struct recalled *recalled);

/* The positions are back: they get their records, and join the rings of those that are there. */
void enter_recalled(struct history *h, struct recalled *recalled);

/* Frees what was not entered. */
void close_recalled(struct recalled *recalled);

#endif
