/* What the parts of core/changes/ have of each other; nobody else's. */
#ifndef CORE_CHANGES_INSIDE_H
#define CORE_CHANGES_INSIDE_H

#include "core/changes/changes.h"
#include "core/history.h"

#define CHANGES_INTERVAL 512 /* turns between checkpoints, at first */

/* ---- turns (changes.c) ------------------------------------------------------------------- */

/* Where the turn of a position is kept, or NULL; and the turn, or NULL. */
struct turn **turn_place(struct changes const *c, uint32_t number);
struct turn *turn_at(struct changes const *c, uint32_t number);

/* A turn from its bytes and what they do; NULL without memory. */
struct turn *turn_make(struct changes *c, void const *data, size_t size,
                       struct value_writer const *steps, uint32_t faults);
void turn_free(struct changes *c, struct turn *t);

struct plan;

/* Makes a turn on the main table, which goes on by it, for the position of this number; the plan
 * that it is of, or NULL. As changes_compile(). */
int changes_compile_here(struct history *h, struct plan *plan, void const *data, size_t size,
                         uint32_t number, struct turn **turn, unsigned char state[CHANGES_STATE]);

/* Whether a turn is planned that leads to this state (there), and to this very board (same). */
int plan_compare(struct history *h, struct plan *p, struct table const *t, void const *state,
                 bool *there, bool *same);

/* ---- tables on the way (views.c) --------------------------------------------------------- */

struct checkpoint *checkpoint_find(struct changes const *c, uint32_t number);
void checkpoint_drop(struct changes *c, struct checkpoint *p);

/* The view is at n: keeps its table, if that is worth while. Where memory lacks, it is not. */
void checkpoint_keep(struct history *h, struct view const *v, struct node const *n);

void view_lose(struct view *v);
int view_copy(struct view *v, struct table const *table, uint32_t at);

/* To the position before; to any. REDO_OK or REDO_ENOMEM: then it is on the way, or lost. */
int view_up(struct history *h, struct view *v);
int view_go(struct history *h, struct view *v, struct node *to);

/* Room for so many numbers in c->path. */
int path_room(struct changes *c, uint32_t count);

/* ---- turns with other ids (move.c) ------------------------------------------------------- */

struct renaming;

/* ---- tables as they are told (told.c) ---------------------------------------------------- */

/* Fills c->initial from a table as changes_new() takes it: REDO_OK, REDO_ETABLE and *fault,
 * REDO_ENOMEM. */
int changes_read_table(struct changes *c, void const *data, size_t size, struct fault *fault);
int changes_wrong_table(struct fault *fault, char const *what); /* REDO_ETABLE */

#endif
