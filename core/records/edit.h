/* An edit of a record at work, inside records/: edit.c runs one, items.c has those of lists. */
#ifndef CORE_RECORDS_EDIT_H
#define CORE_RECORDS_EDIT_H

#include "core/records/draft.h"

struct edit {
    struct node *n;
    redo_operation const *op;
    struct draft draft;    /* the record there is, as it is to be */
    struct pieces list;    /* the new list of it */
    unsigned char *buffer; /* what it may need for that, malloc()ed */
    int value;             /* of the result */
    bool as_told;          /* the operation has the whole record in its one form */
};

/* The list that the edit is of. */
struct record_list *edit_list(struct edit *e);

/* A list has the pieces in e->list, and so many items or properties, from now on. */
void edit_set_list(struct edit *e, unsigned of, uint32_t count);

/* An item of the edit's list becomes this, which is what follows its length. REDO_OK, REDO_EFULL or
 * REDO_ENOMEM. */
int edit_replace(struct edit *e, struct record_list const *list, struct record_item const *item,
                 struct pieces const *body);

/* The edits of those names (enum redo_edit), of a list: REDO_OK or a code. */
int edit_add(struct edit *e);
int edit_set(struct edit *e);
int edit_drop(struct edit *e);
int edit_order(struct edit *e);

#endif
