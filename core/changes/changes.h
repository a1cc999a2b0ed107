/* Sessions told by change: each position after the first has the lines of a turn in the place of a
 * state. From them the table at any position is known, and the board's digest is the position's
 * state, so that equal boards are found as equal states are. See core/changes/README.md.
 *
 * A turn's bytes are one value, an array of three: the lines, in the order in which they happened,
 * each an array whose first item is the name of its kind; nil, or what lines do not tell of the
 * fields they change: [line, field, value], by rising line; nil, or a digest of the game's own,
 * where there is no schema. */
#ifndef CORE_CHANGES_CHANGES_H
#define CORE_CHANGES_CHANGES_H

#include "core/changes/network.h"
#include "core/pool.h"

struct history;
struct node;

#define CHANGES_STATE                                                               \
    20 /* bytes of a position's state: the digest, and what tells two boards of one \
          digest, or those that equal none, apart */

/* What one position adds to the table. */
struct turn {
    uint32_t size;   /* of its bytes, which are first ... */
    uint32_t steps;  /* ... then so many bytes of steps (steps.h) */
    uint32_t faults; /* lines that did not fit, in a lenient session */
    unsigned char data[];
};

/* A table that goes to where it is asked for. */
struct view {
    struct table table;
    uint32_t at;
    bool there;                    /* it is valid */
    struct board_network *network; /* of what was its table when log was empty; or NULL */
    struct table_log log;          /* what has changed since */
};

struct checkpoint {
    uint32_t at;
    struct table table;
};

struct changes {
    struct values values;
    struct schema schema;
    bool has_schema, lenient;
    struct table initial;
    struct view main, other;
    struct pool turns; /* number of a position -> struct turn * */
    struct checkpoint *checkpoints;
    uint32_t checkpoint_count, interval;
    size_t bytes;           /* of turns and checkpoints */
    int64_t highest;        /* integer id of an object so far, or 0 */
    int64_t highest_before; /* the operation at work */
    int64_t told_highest;   /* by what is being loaded */
    uint32_t values_before; /* the operation at work, or from where on values are to be forgotten */
    bool refused;           /* the last one: they are */
    uint32_t *renamed;      /* ids of objects by number, as they were and as they are now: what the
                               last operation has renamed */
    uint32_t renamed_count, renamed_cap;
    uint32_t generation; /* grows when turns change: what was worked out before is to be again */
    struct value_writer steps; /* empty: room for those of the next turn */
    uint32_t *path;            /* scratch */
    uint32_t path_cap;
    struct fault fault; /* of the last line, schema or table that was refused */
    struct moved *moved;
    struct turn **copies; /* of a path that is to be copied */
    uint32_t copy_count, copy_cap, copied;
};

/* A history of changes: schema, the form of a schema or the name of a built-in one, NULL: lines are
 * not looked into; table, the first one in the form that changes_table() gives, or NULL: empty.
 * NULL on error: REDO_ESCHEMA, REDO_ETABLE, REDO_ENOMEM, and *fault. */
struct history *changes_new(void const *schema, size_t schema_size, void const *table,
                            size_t table_size, bool lenient, struct fault *fault);
void changes_free(struct changes *c);

/* Around an operation: before it, and after one that has failed, of which nothing stays but
 * c->fault. */
void changes_begin(struct changes *c);
void changes_refuse(struct changes *c);
size_t changes_memory(struct changes const *c);

/* Takes the main table to prev and on by a turn, which is made: REDO_OK, its state in state; or
 * REDO_ELINE (c->fault says which and why), REDO_EOPERATION, REDO_ENOMEM, and nothing is changed.
 * Then either changes_enter(), or changes_abandon(). */
int changes_compile(struct history *h, struct node *prev, void const *data, size_t size,
                    struct turn **turn, unsigned char state[CHANGES_STATE]);
void changes_enter(struct history *h, struct node *n, struct turn *turn);
void changes_abandon(struct history *h, struct node *prev, struct turn *turn);

/* The subtree of `longer` will hang below a position with an equal board, to which the main table
 * was taken by changes_compile(): works out its turns anew where objects have other ids there.
 * REDO_OK or a code; then changes_move() puts them in, or changes_stay() forgets them. REDO_ELINE:
 * the schema does not tell enough to do so, the subtree has to stay where it is. */
int changes_plan_move(struct history *h, struct node *longer);
void changes_move(struct history *h);
void changes_stay(struct history *h);

/* The best solution path of source will be copied to dest, or, if that is NULL, to a position that
 * the main table was taken to by changes_compile(): works out the turns of the copies. REDO_OK or
 * REDO_ENOMEM; or REDO_ELINE: the boards are not equal, or moving has to be left as above. Then
 * changes_copied() gives each copy that is made its turn, in their order, and changes_stay()
 * forgets the rest. as_is: the turns are copied to where they hang now, though they will have moved
 * by then.
 */
int changes_plan_copy(struct history *h, struct node *dest, struct node *source, bool as_is);
void changes_copied(struct history *h, struct node *copy);

/* Whether the state is equal to none but its own position's: then the one of a copy is in own. */
bool changes_unique(void const *state, uint32_t number, unsigned char own[CHANGES_STATE]);

/* For loading: a history's changes, without any turn yet; as changes_new(). And the bytes of the
 * turn of a position that is there, to be compiled when all are: REDO_OK, REDO_EDAMAGED,
 * REDO_ENOMEM. */
int changes_init(struct history *h, void const *schema, size_t schema_size, void const *table,
                 size_t table_size, bool lenient, struct fault *fault);
int changes_put_turn(struct history *h, struct node *n, void const *data, size_t size);
int changes_compile_all(struct history *h);

/* The highest id there was, of an object that may have been dropped since; after changes_init().
 * REDO_OK or REDO_EDAMAGED. */
int changes_take_highest(struct changes *c, int64_t highest);

/* Appends a table, as changes_new() takes it; the lines of a turn as an array; the lines that lead
 * from one position to another, as redo_getdiff() tells them. REDO_OK or REDO_ENOMEM. */
int changes_put_table(struct history *h, struct table const *t, struct value_writer *w);
int changes_put_lines(struct turn const *t, bool backwards, struct value_writer *w);
int changes_put_way(struct history *h, struct node *from, struct node *to, struct value_writer *w);

/* n is dropped: it must not have branches any more. */
void changes_drop(struct history *h, struct node *n);

/* Frees the turn of a position, if it has one, in a history that is to be freed. */
void changes_forget(struct history *h, struct node const *n);

/* The turn of a position; NULL for the first. */
struct turn const *changes_turn(struct history const *h, struct node const *n);

/* Appends the numbers of those lines of a turn that did not fit, from 0, as an array: REDO_OK or
 * REDO_ENOMEM. */
int changes_put_faulty(struct history *h, struct node *n, struct value_writer *w);

/* How many lines a turn's bytes have; -1 if they are no turn. */
int64_t changes_lines(void const *data, size_t size);

/* Appends the ids that the last operation has renamed, [[from, to] ...]. REDO_OK or REDO_ENOMEM. */
int changes_put_renamed(struct changes const *c, struct value_writer *w);

/* The table at a position: REDO_OK and *table, valid until the next call with this history. */
int changes_table(struct history *h, struct node *n, struct table const **table);

/* Appends objects from the one after `after` (a value; size 0: from the first) to w as the value
 * [[id, {field: value}] ...], at most so many; *next is the last one told if there are more, else
 * VALUE_UNKNOWN. REDO_OK, REDO_EOPERATION (no value), REDO_ENOMEM. */
int changes_put_rows(struct history *h, struct table const *t, enum space space, void const *after,
                     size_t after_size, uint32_t limit, struct value_writer *w, uint32_t *next);
void changes_put_level(struct history *h, struct table const *t, struct value_writer *w);

#endif
