/* A history: the tree of positions of one session, in memory. This is the engine behind redo.h:
 * the in-process library, the daemon and the client's replica each hold histories and change them
 * through history_apply() alone. It does no I/O, takes no time and no lock.
 *
 * Inside core/ a position is a struct node, found by its number; NOBODY is no number. A node is
 * never moved, and its memory is not used again while the history lives, so that a pointer to a
 * dropped position can always be recognized as one. */
#ifndef CORE_HISTORY_H
#define CORE_HISTORY_H

#include <stdbool.h>

#include "core/authors.h"
#include "core/chains.h"
#include "core/cursors.h"
#include "core/fans.h"
#include "core/games.h"
#include "core/index.h"
#include "core/keys.h"
#include "core/pool.h"
#include "core/properties.h"
#include "core/records/records.h"
#include "core/redo.h"
#include "core/states.h"
#include "core/touched.h"

#define NOBODY REDO_NOPOSITION

struct node {
    redo_position p;
    redo_branch in;     /* the branch that leads here; in.id is the number, also of the first */
    uint32_t state;     /* id in history.states */
    uint32_t equalnext; /* ring of the positions with equal compared bytes, by number ... */
    uint32_t equalprev; /* ... in the order in which they were made; see equal.h */
    uint32_t linked;    /* first of the positions whose better this is, or NOBODY; these ... */
    uint32_t linknext;  /* ... are chained through linknext and linkprev */
    uint32_t linkprev;
};

/* New endpoints of one operation, while it makes many: see solution_defer(). */
struct later {
    uint32_t *numbers;
    uint32_t count, cap;
};

struct changes;

struct history {
    void *owner;      /* whoever holds this history; not looked at here */
    uint32_t size;    /* bytes of a state */
    uint32_t cmpsize; /* of which so many count in comparing */
    uint32_t next;    /* the number that the next position gets */
    uint32_t count;   /* positions in use */
    uint32_t waiting; /* of which so many wait for redo_setbetterfields() */
    unsigned char graft;
    bool changed;
    uint64_t seed;     /* of the hashes; varies from process to process, shows nowhere */
    struct pool nodes; /* number -> struct node */
    struct states states;
    struct index classes; /* compared bytes -> first of the positions that have them */
    struct index ready;   /* compared bytes -> a position before which, in a ring that begins with
                             many, all wait for redo_setbetterfields(); see equal_ready() */
    struct chains chains; /* of better pointers, where they are long */
    struct fans fans;     /* move -> branch, for positions with many branches */
    struct later later;   /* endpoints of which the positions before them are to be told */
    struct properties properties;
    struct authors authors;
    struct cursors cursors;
    struct keys keys;
    struct records records;
    struct answer answer;    /* of the last operation: see history_answer() */
    struct changes *changes; /* NULL: a session of states */
    struct games *games;     /* NULL: it is no match */
    struct touched *touched; /* where positions that change are noted, or NULL */
    uint64_t sequence; /* of the last operation, as whoever counts them says; kept with a key */
    uint32_t *scratch; /* numbers, for an operation at work: see history_scratch() */
    uint32_t scratchcap;
    int failed; /* REDO_ENOMEM: a turn was cut short, nothing more can be changed */
};

/* A history whose first position has this state; sizes as redo_beginsession(). NULL: see
 * redo_lasterror(). */
struct history *history_new(void const *state, size_t size, size_t cmpsize);
void history_free(struct history *h);

/* Says who made the first position, of a history that has no other yet, and when: REDO_OK,
 * REDO_ENAME or REDO_ENOMEM. */
int history_sign(struct history *h, uint32_t uid, char const *name, size_t size, uint32_t time);

/* Bytes of memory that it takes. */
size_t history_memory(struct history const *h);

/* As redo_apply(): REDO_OK, or a code and nothing changed. */
int history_apply(struct history *h, redo_operation const *op, redo_result *result);

/* What the last operation answered beside its result, valid until the next: the fields of the
 * position in the result, if there is one, and of a turn what each of its adds came upon. Of an
 * operation that was repeated, what they were the first time. */
struct answer const *history_answer(struct history *h, redo_result const *result);

/* The fields of a position, as they are now. */
struct fields history_fields(struct history const *h, struct node const *n);

/* How many positions an operation may make, as far as can be seen before. */
uint32_t history_growth(struct history *h, redo_operation const *op);

/* Whether an ADD could be applied, its position left aside: REDO_OK, REDO_ESTATE, REDO_ERANGE or
 * REDO_ECONSTANT. */
int history_check_add(struct history const *h, redo_operation const *op);

/* Whether an ADD that could be applied has another content, a state or lines, than this position.
 */
bool history_differs(struct history const *h, struct node const *n, redo_operation const *op);

/* Where the ways from the first position to these two part. */
struct node *history_meet(struct node *a, struct node *b);

/* The history that a position (in use or dropped) belongs to. */
struct history *history_of(redo_position const *position);

/* ---- inside core/ ------------------------------------------------------------------------ */

/* A history without any position, to be filled by whoever loads one; NULL without memory. */
struct history *history_empty(uint32_t size, uint32_t cmpsize);

/* What came of an operation of which nothing came. */
extern redo_result const history_nothing;

/* Whether the operation has a state as this history's: REDO_OK, REDO_EKIND or REDO_ESTATE. */
int history_check_state(struct history const *h, redo_operation const *op);

/* How many positions the copying of a path may make, once this is added to a history like this one;
 * none if it is not a graft behavior that copies. */
uint32_t history_copies(struct history *h, redo_operation const *op);

static inline bool history_copies_paths(struct history const *h)
{
    return h->graft == redo_copypath || h->graft == redo_graftandcopy;
}

/* An ADD, as history_apply() does it. */
int history_add(struct history *h, redo_operation const *op, redo_result *r);

/* Makes room for so many new positions, of which so many (0 or 1) have a state that no other has,
 * so that history_make() can not fail: REDO_OK, REDO_ENOMEM or REDO_EFULL. */
int history_reserve(struct history *h, uint32_t positions, uint32_t states);

/* Room for so many numbers, until the next call; NULL without memory. */
uint32_t *history_scratch(struct history *h, uint32_t numbers);

/* A new position after prev (NULL: the first) with a state that is already taken. It is in the
 * tree and in use, but in no ring of equal positions yet. */
struct node *history_make(struct history *h, struct node *prev, int move, uint32_t state,
                          int endpoint);

/* The same under a number that was given before, whose place in h->nodes exists and is all zero. */
struct node *history_make_as(struct history *h, uint32_t number, struct node *prev, int move,
                             uint32_t state, int endpoint);

static inline struct node *node_at(struct history const *h, uint32_t number)
{
    return pool_at(&h->nodes, number);
}

/* The position with this number: REDO_OK, REDO_EPOSITION or REDO_EDROPPED. */
static inline int history_find(struct history const *h, uint32_t number, struct node **node)
{
    if (number >= h->next)
        return REDO_EPOSITION;
    struct node *n = pool_find(&h->nodes, number);
    if (!n || !n->p.inuse)
        return REDO_EDROPPED;
    *node = n;
    return REDO_OK;
}

/* The same as history_from(), which looks on where this number is not in use. */
struct node *history_look_from(struct history const *h, uint32_t number);

/* The first position in use from this number on, or NULL:
 *     for (n = history_from(h, 0); n; n = history_from(h, n->in.id + 1)) ... */
static inline struct node *history_from(struct history const *h, uint32_t number)
{
    struct node *n;
    return history_find(h, number, &n) == REDO_OK ? n : history_look_from(h, number);
}

static inline struct node *node_of(redo_position const *p)
{
    return (struct node *)p;
}

static inline struct node *node_prev(struct node const *n)
{
    return node_of(n->p.prev);
}

static inline void *node_state(struct history const *h, struct node const *n)
{
    return states_at(&h->states, n->state);
}

#endif
