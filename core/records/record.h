/* The record of a position as bytes, and reading them: properties, candidates, decisions, what was
 * made of them. core/README.md has the form. Whatever comes from outside is checked once, by
 * record_check(); all that reads afterwards trusts the bytes, takes no memory and can not fail.
 *
 * All pointers lead into the bytes. Numbers of lists are those of enum redo_of. */
#ifndef CORE_RECORDS_RECORD_H
#define CORE_RECORDS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/redo_record.h"

#define RECORD_IDS_MAX (UINT32_MAX >> 1) /* the highest id */
#define RECORD_EMPTY 8                   /* bytes of a record that tells nothing, all 0 */

/* What there is of an item. */
enum {
    ITEM_MOVE = 1,
    ITEM_TEXT = 2,
    ITEM_PROPERTIES = 4,
    ITEM_ANALYSIS = 8,
    ITEM_SHARED = 16,
    ITEM_ALL = 31
};

/* What there is of an analysis. */
enum { ANALYSIS_EQUITY = 1, ANALYSIS_CONTEXT = 2, ANALYSIS_TEXT = 4, ANALYSIS_ALL = 7 };

/* Properties or items: so many, one after the other. */
struct record_list {
    uint32_t count;
    unsigned char const *at, *end;
};

/* The choice, in one number. */
#define RECORD_OPEN 0
#define RECORD_NONE 1
#define RECORD_MADE(id) ((id) + 1)

struct record {
    struct record_list list[4]; /* by enum redo_of: properties of the position, properties of the
                                   branch, candidates, decisions */
    uint32_t given[4];          /* ids given so far, of the last two */
    uint32_t choice;
    uint32_t decided;
};

struct record_property {
    unsigned char const *start, *end; /* all of it */
    char const *name;
    uint32_t namesize;
    void const *value;
    uint32_t size;
};

/* A candidate or a decision. */
struct record_item {
    unsigned char const *start, *end; /* all of it, its length too */
    uint32_t id;
    unsigned flags;
    int move;
    char const *text; /* NULL: none */
    uint32_t textsize;
    struct record_list properties;
    unsigned char const *analysis; /* up to the end; NULL: none of its own */
};

/* The parts of a record; of no bytes, those of one that tells nothing. */
void record_open(struct record *r, void const *data, size_t size);

/* The next of a list, which is left a shorter one: false after the last. */
bool record_next_property(struct record_list *list, struct record_property *property);
bool record_next_item(struct record_list *list, struct record_item *item);

bool record_find_property(struct record_list const *list, char const *name, size_t size,
                          struct record_property *property);
/* The place of the item of that id, too, if place is not NULL. */
bool record_find_item(struct record_list const *list, uint32_t id, struct record_item *item,
                      uint32_t *place);

/* The analysis of an item, its own or the one that it shares: false if there is none. */
bool record_analysis(struct record const *r, struct record_item const *item,
                     redo_analysis *analysis);

/* ---- bytes from outside ------------------------------------------------------------------ */

/* Whether these bytes are a record, in its one form, that tells something or (RECORD_EMPTY bytes)
 * nothing: REDO_OK and the parts, REDO_ECANDIDATE, REDO_EFULL or REDO_ENOMEM. */
int record_check(struct record *r, void const *data, size_t size);

/* Whether these bytes are so many items without ids, to be added: REDO_OK and the list, or as
 * above. Moves are not compared. loose: an item may have neither move nor text. */
int record_check_items(struct record_list *list, uint32_t count, void const *data, size_t size,
                       bool loose);

/* Whether a candidate of one list has the move of another of it, or of one of the other list (may
 * be NULL): REDO_OK, REDO_ECANDIDATE or REDO_ENOMEM. */
int record_check_moves(struct record_list list, struct record_list const *other);

/* Whether it is a name, of a property or a kind: UTF-8, without a 0. */
bool record_is_name(char const *name, size_t size);

/* Whether all of these numbers, which are sorted by that, differ. */
bool record_differ(uint32_t *numbers, size_t count);

#endif
