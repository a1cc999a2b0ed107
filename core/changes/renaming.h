/* Renaming: which objects have other ids where lines are moved to. */
#ifndef CORE_CHANGES_RENAMING_H
#define CORE_CHANGES_RENAMING_H

#include "core/changes/changes.h"

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

/* The object `from` is `to` there; if that is another, c->renamed tells of it too. REDO_OK or
 * REDO_ENOMEM. */
int renaming_add(struct changes *c, struct renaming *n, uint32_t from, uint32_t to);
void renaming_back(struct renaming *n, uint32_t count); /* as when there were so many */
void renaming_close(struct renaming *n);

/* The id there; n may be NULL. */
static inline uint32_t renaming_of(struct renaming const *n, uint32_t id)
{
    return n && id < n->cap && n->there[id] ? n->there[id] : id;
}

#endif
