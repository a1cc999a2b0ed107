/* Makes whole records, and lists of items, for who builds many: an importer, redo_record.c. One
 * writer serves for any number of them, and then takes no memory any more. It copies what it is
 * given, and looks at none of it: the record is checked where it is set.
 *
 *     record_writer_begin(&w);
 *     record_writer_property(&w, redo_of_position, "mark", 4, value, size);
 *     id = record_writer_item(&w, redo_of_candidate, &candidate, &analysis);
 *     record_writer_property(&w, redo_of_candidate, "bad", 3, value, size); (of that item)
 *     record_writer_choose(&w, redo_choice_made, id);
 *     rc = record_writer_end(&w, &data, &size);
 *     rc = rc ? rc : redo_setrecord(session, position, data, size); */
#ifndef CORE_RECORDS_WRITER_H
#define CORE_RECORDS_WRITER_H

#include <stdint.h>

#include "core/changes/value.h"
#include "core/redo_record.h"

struct record_writer {
    struct value_writer list[4]; /* what is in them so far, by enum redo_of */
    struct value_writer head;    /* of the last item: what comes before its properties, */
    struct value_writer own;     /* these, */
    struct value_writer tail;    /* and what comes after them */
    struct value_writer whole;
    uint32_t count[4], own_count;
    unsigned open; /* the list that the last item is in, or 0 */
    unsigned flags;
    bool bare;     /* items have no ids */
    uint32_t last; /* the id of the last item */
    uint32_t choice, decided;
    uint32_t given[4];
    int failed;
};

/* All 0 is a writer that has begun a first record. */
void record_writer_begin(struct record_writer *w);
void record_writer_close(struct record_writer *w);

/* A property of the position, of the branch, or of the item that was written last. An empty value
 * is left out. A name must not be set twice. */
void record_writer_property(struct record_writer *w, enum redo_of of, char const *name,
                            size_t namesize, void const *value, size_t size);

/* An item at the end of a list: its id, that of *candidate if that is not 0, else the next one.
 * analysis may be NULL. */
uint32_t record_writer_item(struct record_writer *w, enum redo_of list,
                            redo_candidate const *candidate, redo_analysis const *analysis);

void record_writer_choose(struct record_writer *w, enum redo_choice choice, uint32_t id);
void record_writer_decide(struct record_writer *w, unsigned count);

/* The record, in the writer's memory until it is used again: what redo_setrecord() takes; NULL and
 * 0 if it tells nothing. REDO_OK, REDO_EFULL or REDO_ENOMEM. */
int record_writer_end(struct record_writer *w, void const **data, size_t *size);

/* Instead of a record: items of one list without ids, as an operation that adds takes them. */
void record_writer_begin_items(struct record_writer *w);
int record_writer_items(struct record_writer *w, enum redo_of list, void const **data,
                        size_t *size);

/* Instead of that: the parts (enum redo_part) of one item, as an operation that sets takes them. */
int record_writer_parts(struct record_writer *w, unsigned parts, redo_candidate const *candidate,
                        redo_analysis const *analysis, void const **data, size_t *size);

#endif
