/* Moving turns to a position whose board is equal but for the ids of objects. */
#include "core/changes/inside.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "core/changes/lines.h"
#include "core/changes/steps.h"
#include "core/error.h"
#include "core/solution.h"

/* ---- moving a subtree -------------------------------------------------------------------- */

/* Turns that are others in their new place. */
struct moved {
    struct moved_turn {
        uint32_t number;
        struct turn *turn;
    } * all;
    uint32_t count, cap;
    struct renaming renaming;
};

void changes_stay(struct history *h)
{
    struct changes *c = h->changes;
    while (c->copy_count > c->copied)
        turn_free(c, c->copies[--c->copy_count]);
    c->copy_count = c->copied = 0;
    if (!c->moved)
        return;
    for (uint32_t i = 0; i < c->moved->count; i++)
        turn_free(c, c->moved->all[i].turn);
    renaming_close(&c->moved->renaming);
    free(c->moved->all);
    free(c->moved);
    c->moved = NULL;
}

void changes_move(struct history *h)
{
    struct changes *c = h->changes;
    c->generation += c->moved != NULL;
    for (uint32_t i = 0; c->moved && i < c->moved->count; i++) {
        struct moved_turn *m = &c->moved->all[i];
        struct turn **place = turn_place(c, m->number);
        struct checkpoint *p = checkpoint_find(c, m->number);
        turn_free(c, *place);
        *place = m->turn;
        m->turn = NULL;
        if (p)
            checkpoint_drop(c, p);
    }
    if (c->moved)
        c->moved->count = 0;
    changes_stay(h);
}

/* Objects with other ids there. */
struct pair {
    uint32_t from, to;
};

static int compare_pairs(void const *a, void const *b, void *values)
{
    return values_compare(values, ((struct pair const *)a)->from, ((struct pair const *)b)->from);
}

/* Names the objects of the board there by those of the one here, in the order of their ids. */
static int name_objects(struct changes *c, struct table const *here, struct table const *there,
                        uint32_t const *mates, struct renaming *n)
{
    uint32_t slots = here->rows[SPACE_OBJECTS].slots, count = 0;
    struct pair *pairs = malloc(((size_t)slots + 1) * sizeof *pairs);
    int rc = pairs ? REDO_OK : REDO_ENOMEM;
    for (uint32_t i = 0; !rc && i < slots; i++) {
        uint32_t from = table_row(here, SPACE_OBJECTS, i)[0];
        uint32_t to = from ? table_row(there, SPACE_OBJECTS, mates[i])[0] : 0;
        if (from != to)
            pairs[count++] = (struct pair){from, to};
    }
    if (!rc)
        qsort_r(pairs, count, sizeof *pairs, compare_pairs, &c->values);
    for (uint32_t i = 0; !rc && i < count; i++)
        rc = renaming_add(c, n, pairs[i].from, pairs[i].to);
    free(pairs);
    return rc;
}

/* REDO_ELINE: the boards are not equal. */
static int pair_objects(struct changes *c, struct table const *here, struct table const *there,
                        struct renaming *n)
{
    bool same;
    uint32_t *mates = malloc(((size_t)here->rows[SPACE_OBJECTS].slots + 1) * sizeof *mates);
    int rc = mates ? table_same_board(here, there, &same, mates) : REDO_ENOMEM;
    if (!rc)
        rc = same ? name_objects(c, here, there, mates, n) : REDO_ELINE;
    free(mates);
    return rc;
}

/* A turn's bytes with other lines. */
static int rebuild(struct turn const *t, struct run const *run, struct value_writer *w)
{
    struct turn_reader reader;
    turn_open(&reader, t->data, t->size);
    struct value_reader r = {t->data, t->data + t->size};
    value_next(&r);
    value_skip(&r); /* the lines */
    unsigned char const *after = r.at;
    value_skip(&r);
    value_put_array(w, 3);
    value_put_array(w, reader.count);
    value_put_bytes(w, run->lines.data, run->lines.size);
    if (reader.after_count) {
        value_put_array(w, reader.after_count);
        value_put_bytes(w, run->after.data, run->after.size);
    } else {
        value_put_bytes(w, after, (size_t)(r.at - after)); /* nil, or none */
    }
    value_put_bytes(w, r.at, (size_t)(r.end - r.at));
    return w->failed ? REDO_ENOMEM : REDO_OK;
}

static void run_close(struct run *run)
{
    free(run->steps.data);
    free(run->lines.data);
    free(run->after.data);
}

/* Takes back what a run did, and loses the main view if that can not be. */
static int take_back(struct changes *c, struct run *run)
{
    if (!run->lost)
        run->lost = steps_undo(&c->main.table, run->steps.data, run->steps.size);
    if (run->lost)
        view_lose(&c->main);
    return run->lost ? REDO_ENOMEM : REDO_OK;
}

/* The bytes of a turn as they are there. The main table stays. */
static int move_bytes(struct changes *c, struct turn const *old, struct renaming *renaming,
                      struct value_writer *bytes)
{
    struct turn_reader reader;
    struct fault ignored;
    struct run run = {.c = c,
                      .table = &c->main.table,
                      .mode = LINES_MOVED,
                      .renaming = renaming,
                      .fault = &ignored};
    turn_open(&reader, old->data, old->size);
    int rc = lines_run(&run, &reader);
    if (!rc)
        rc = rebuild(old, &run, bytes);
    if (take_back(c, &run))
        rc = REDO_ENOMEM;
    run_close(&run);
    return rc;
}

/* Whether the main table is the board of this state. */
static bool is_board(struct changes const *c, void const *state)
{
    struct digest d = c->main.table.digest;
    uint64_t low = htole64(d.low), high = htole64(d.high);
    if (memcmp((char const *)state + 16, "\xff\xff\xff\xff", 4) == 0)
        return true; /* equal to none, so it can be any */
    return !c->main.table.unknown && memcmp(state, &low, 8) == 0 &&
           memcmp((char const *)state + 8, &high, 8) == 0;
}

/* The turn from these bytes, on the main table, which goes on by it; REDO_ELINE if it does not lead
 * to the board of this state. What is made here is what loading will make of the bytes. */
static int compile_moved(struct changes *c, struct value_writer const *bytes, void const *state,
                         struct turn **turn)
{
    struct turn_reader reader;
    struct fault ignored;
    struct run run = {.c = c,
                      .table = &c->main.table,
                      .mode = c->lenient ? LINES_LENIENT : LINES_STRICT,
                      .fault = &ignored};
    if (bytes->size > REDO_STATE_MAX || !turn_open(&reader, bytes->data, bytes->size))
        return REDO_ELINE;
    int rc = lines_run(&run, &reader);
    if (!rc && !is_board(c, state))
        rc = REDO_ELINE;
    if (!rc && !(*turn = turn_make(c, bytes->data, bytes->size, &run.steps, run.faults)))
        rc = REDO_ENOMEM;
    if (rc && take_back(c, &run))
        rc = REDO_ENOMEM;
    run_close(&run);
    return rc;
}

static int keep_moved(struct moved *m, uint32_t number, struct turn *turn)
{
    if (m->count == m->cap) {
        uint32_t cap = m->cap ? m->cap * 2 : 16;
        struct moved_turn *grown = realloc(m->all, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        m->all = grown;
        m->cap = cap;
    }
    m->all[m->count++] = (struct moved_turn){number, turn};
    return REDO_OK;
}

/* The turn anew, on the main table, which goes on by it, with ids by the renaming, to which it may
 * add: REDO_OK; REDO_ENOMEM (the main view may be lost); or REDO_ELINE: it would not lead to the
 * board of this state. */
static int turn_anew(struct changes *c, struct turn const *old, struct renaming *renaming,
                     void const *state, struct turn **turn)
{
    struct value_writer bytes = {0};
    int rc = move_bytes(c, old, renaming, &bytes);
    if (!rc)
        rc = compile_moved(c, &bytes, state, turn);
    free(bytes.data);
    return rc;
}

/* The turn of n anew, on the main table, which goes on by it. */
static int move_turn(struct history *h, struct node const *n)
{
    struct changes *c = h->changes;
    struct turn *turn = NULL;
    int rc = turn_anew(c, turn_at(c, n->in.id), &c->moved->renaming, node_state(h, n), &turn);
    if (rc || !(rc = keep_moved(c->moved, n->in.id, turn)))
        return rc;
    if (steps_undo(&c->main.table, turn->data + turn->size, turn->steps))
        view_lose(&c->main);
    turn_free(c, turn);
    return rc;
}

/* Undoes the turn that was made anew last but for those undone before; c->path has for each turn
 * that is done how many names there were before it, and its place in c->moved. */
static int leave_turn(struct history *h, uint32_t depth)
{
    struct changes *c = h->changes;
    struct turn const *t = c->moved->all[c->path[2 * depth - 1]].turn;
    if (steps_undo(&c->main.table, t->data + t->size, t->steps)) {
        view_lose(&c->main);
        return REDO_ENOMEM;
    }
    renaming_back(&c->moved->renaming, c->path[2 * depth - 2]);
    return REDO_OK;
}

static int come_to_turn(struct history *h, struct node const *n, uint32_t depth)
{
    struct changes *c = h->changes;
    if (path_room(c, 2 * depth + 2))
        return REDO_ENOMEM;
    c->path[2 * depth] = c->moved->renaming.count;
    int rc = move_turn(h, n);
    c->path[2 * depth + 1] = c->moved->count - 1;
    return rc;
}

/* Goes through the subtree below top, and back: on the way down each turn is made anew, on the way
 * up it is undone, and names are as before. */
static int move_subtree(struct history *h, struct node *top)
{
    struct changes *c = h->changes;
    uint32_t depth = 0;
    struct node *n = node_of(top->p.next->p);
    int rc = come_to_turn(h, n, depth);
    while (!rc) {
        depth++;
        if (n->p.next) {
            n = node_of(n->p.next->p);
        } else {
            while ((rc = leave_turn(h, depth--)) == REDO_OK && !n->in.cdr && node_prev(n) != top)
                n = node_prev(n);
            if (rc || !n->in.cdr)
                return rc;
            n = node_of(n->in.cdr->p);
        }
        rc = come_to_turn(h, n, depth);
    }
    while (c->main.there && depth)
        leave_turn(h, depth--);
    return rc;
}

int changes_plan_move(struct history *h, struct node *longer)
{
    struct changes *c = h->changes;
    if (!c->has_schema || !longer->p.next)
        return REDO_OK;
    int rc = view_go(h, &c->other, longer);
    if (rc || table_same(&c->main.table, &c->other.table))
        return rc;
    if (!(c->moved = calloc(1, sizeof *c->moved)))
        return REDO_ENOMEM;
    rc = pair_objects(c, &c->other.table, &c->main.table, &c->moved->renaming);
    if (!rc)
        rc = move_subtree(h, longer);
    if (rc) {
        c->renamed_count = 0;
        changes_stay(h);
    }
    return rc;
}

/* ---- copying a path ---------------------------------------------------------------------- */

static int keep_copy(struct changes *c, struct turn *turn)
{
    if (c->copy_count == c->copy_cap) {
        uint32_t cap = c->copy_cap ? c->copy_cap * 2 : 16;
        struct turn **grown = realloc(c->copies, cap * sizeof *grown);
        if (!grown)
            return REDO_ENOMEM;
        c->copies = grown;
        c->copy_cap = cap;
    }
    c->copies[c->copy_count++] = turn;
    return REDO_OK;
}

/* The same turn once more. */
static int copy_as_is(struct changes *c, struct turn const *old)
{
    struct value_writer steps = {.data = (unsigned char *)old->data + old->size,
                                 .size = old->steps};
    struct turn *turn = turn_make(c, old->data, old->size, &steps, old->faults);
    int rc = turn ? keep_copy(c, turn) : REDO_ENOMEM;
    if (rc)
        turn_free(c, turn);
    return rc;
}

/* The turn as it is where the main table is, which goes on by it. */
static int copy_moved(struct history *h, struct node const *n, struct renaming *renaming)
{
    struct changes *c = h->changes;
    struct turn *turn = NULL;
    int rc = turn_anew(c, turn_at(c, n->in.id), renaming, node_state(h, n), &turn);
    if (rc || !(rc = keep_copy(c, turn)))
        return rc;
    if (steps_undo(&c->main.table, turn->data + turn->size, turn->steps))
        view_lose(&c->main);
    turn_free(c, turn);
    return rc;
}

/* Undoes the copies on the main table. */
static int take_copies_back(struct changes *c)
{
    for (uint32_t i = c->copy_count; i > 0; i--) {
        struct turn const *t = c->copies[i - 1];
        if (!c->main.there || steps_undo(&c->main.table, t->data + t->size, t->steps)) {
            view_lose(&c->main);
            return REDO_ENOMEM;
        }
    }
    return REDO_OK;
}

static int not_equal(struct changes *c)
{
    static char const what[] = "the boards are not equal";
    c->fault = (struct fault){.line = -1, .place = -1};
    memcpy(c->fault.what, what, sizeof what);
    return REDO_ELINE;
}

/* Goes along the moves that are there already: source and dest are then where copying begins. */
static int follow_known(struct history *h, struct node **dest, struct node **source)
{
    struct node *next, *known;
    for (;;) {
        if (h->changes->has_schema &&
            memcmp(node_state(h, *dest), node_state(h, *source), CHANGES_STATE) != 0)
            return not_equal(h->changes);
        next = solution_next(*source);
        known = next ? branch_find(h, *dest, next->in.move) : NULL;
        if (!known)
            return REDO_OK;
        *dest = known;
        *source = next;
    }
}

/* The copies of what comes after source, on the main table. */
static int copy_rest(struct history *h, struct node *source)
{
    struct changes *c = h->changes;
    struct renaming renaming = {0};
    int rc = c->has_schema ? view_go(h, &c->other, source) : REDO_OK;
    if (!rc && c->has_schema && !table_same(&c->main.table, &c->other.table))
        rc = pair_objects(c, &c->other.table, &c->main.table, &renaming);
    for (struct node *n = source; !rc && (n = solution_next(n));)
        rc = c->has_schema ? copy_moved(h, n, &renaming) : copy_as_is(c, turn_at(c, n->in.id));
    if (c->has_schema && take_copies_back(c) && !rc)
        rc = REDO_ENOMEM;
    renaming_close(&renaming);
    return rc;
}

int changes_plan_copy(struct history *h, struct node *dest, struct node *source, bool as_is)
{
    struct changes *c = h->changes;
    int rc = dest ? follow_known(h, &dest, &source) : REDO_OK;
    if (!rc && dest && c->has_schema)
        rc = view_go(h, &c->main, dest);
    if (!rc && as_is)
        for (struct node *n = solution_below(source); !rc && n; n = solution_next(n))
            rc = copy_as_is(c, turn_at(c, n->in.id));
    else if (!rc)
        rc = copy_rest(h, source);
    if (rc) {
        c->renamed_count = 0;
        changes_stay(h);
    }
    return rc == REDO_ELINE ? not_equal(c) : rc;
}

void changes_copied(struct history *h, struct node *copy)
{
    struct changes *c = h->changes;
    *turn_place(c, copy->in.id) = c->copies[c->copied++];
}
