#include "core/cursors.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/entry.h"
#include "core/history.h"
#include "core/solution.h"

#define STEPS_LEAST 64 /* that a cursor keeps room for once it had it */

/* ---- the table --------------------------------------------------------------------------- */

static void free_cursor(struct cursor *cursor)
{
    free(cursor->name);
    free(cursor->forth);
    entry_free(cursor->entry);
}

void cursors_close(struct cursors *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free_cursor(&c->all[i]);
    free(c->all);
    *c = (struct cursors){0};
}

static int compare(struct cursor const *a, char const *name, size_t size)
{
    int order = memcmp(a->name, name, a->name_size < size ? a->name_size : size);
    return order ? order : (a->name_size > size) - (a->name_size < size);
}

/* The place of the first that is not before the name. */
static uint32_t place(struct cursors const *c, char const *name, size_t size)
{
    uint32_t low = 0, high = c->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare(&c->all[middle], name, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct cursor *cursors_find(struct cursors const *c, char const *name, size_t size)
{
    uint32_t at = place(c, name, size);
    return at < c->count && compare(&c->all[at], name, size) == 0 ? &c->all[at] : NULL;
}

/* Room in the table for one more. */
static int make_room(struct cursors *c)
{
    if (c->count < c->cap)
        return REDO_OK;
    uint32_t cap = c->cap ? c->cap * 2 : 4;
    struct cursor *grown = realloc(c->all, cap * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    c->bytes += (cap - c->cap) * sizeof *grown;
    c->all = grown;
    c->cap = cap;
    return REDO_OK;
}

/* Puts in a cursor that takes over the name. */
static struct cursor *put(struct cursors *c, char *name, size_t size, uint32_t position)
{
    uint32_t at = place(c, name, size);
    struct cursor *cursor = &c->all[at];
    memmove(cursor + 1, cursor, (c->count - at) * sizeof *cursor);
    c->count++;
    c->bytes += size + 1;
    *cursor = (struct cursor){.name = name, .name_size = (uint32_t)size, .position = position};
    return cursor;
}

static char *copy_name(char const *name, size_t size)
{
    char *copy = malloc(size + 1);
    if (copy) {
        memcpy(copy, name, size);
        copy[size] = '\0';
    }
    return copy;
}

struct cursor *cursors_make(struct cursors *c, char const *name, size_t size, uint32_t position)
{
    char *copy = make_room(c) ? NULL : copy_name(name, size);
    return copy ? put(c, copy, size, position) : NULL;
}

void cursors_drop(struct cursors *c, struct cursor *cursor)
{
    c->bytes -=
        cursor->name_size + 1 + cursor->cap * sizeof *cursor->forth + entry_bytes(cursor->entry);
    free_cursor(cursor);
    c->count--;
    memmove(cursor, cursor + 1, (size_t)(c->all + c->count - cursor) * sizeof *cursor);
}

void cursor_moved(struct cursors *c, struct cursor *cursor)
{
    c->moved = cursor->moved = true;
}

void cursors_rest(struct cursors *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        c->all[i].moved = false;
    c->moved = false;
}

int cursor_reserve(struct cursors *c, struct cursor *cursor, uint32_t steps)
{
    if (cursor->cap - cursor->count >= steps)
        return REDO_OK;
    uint32_t cap = cursor->count + steps;
    cap += cap / 2;
    uint32_t *grown = realloc(cursor->forth, cap * sizeof *grown);
    if (!grown)
        return REDO_ENOMEM;
    c->bytes += (cap - cursor->cap) * sizeof *grown;
    cursor->forth = grown;
    cursor->cap = cap;
    return REDO_OK;
}

/* Gives back what the way, now shorter, does not need. */
static void trim(struct cursors *c, struct cursor *cursor)
{
    if (cursor->cap <= STEPS_LEAST || cursor->cap / 4 < cursor->count)
        return;
    uint32_t cap = cursor->count > STEPS_LEAST / 2 ? 2 * cursor->count : STEPS_LEAST;
    uint32_t *shrunk = realloc(cursor->forth, cap * sizeof *shrunk);
    if (!shrunk)
        return;
    c->bytes -= (cursor->cap - cap) * sizeof *shrunk;
    cursor->forth = shrunk;
    cursor->cap = cap;
}

/* ---- moving ------------------------------------------------------------------------------ */

static struct node *here(struct history const *h, struct cursor const *cursor)
{
    return node_at(h, cursor->position);
}

static void forget_way(struct cursor *cursor)
{
    cursor->count = 0;
}

/* Whether the ways of all cursors may have so many more steps. */
static bool may_keep(struct cursors const *c, uint32_t steps)
{
    uint64_t all = steps;
    for (uint32_t i = 0; i < c->count; i++)
        all += c->all[i].count;
    return all <= CURSORS_STEPS;
}

/* Goes back to this position, which is before the one where it is, keeping the way, unless that is
 * too much. There is room. */
static void go_back(struct history const *h, struct cursor *cursor, struct node const *to)
{
    struct node *from = here(h, cursor);
    bool keep = may_keep(&h->cursors, from->p.movecount - to->p.movecount);
    if (!keep)
        forget_way(cursor);
    for (struct node *n = from; keep && n != to; n = node_prev(n))
        cursor->forth[cursor->count++] = n->in.id;
    cursor->position = to->in.id;
}

/* The position that the way kept leads to next, or NULL: then there is none, or it leads elsewhere
 * since positions were dropped or moved. */
static struct node *way_next(struct history const *h, struct cursor const *cursor)
{
    struct node *n;
    if (!cursor->count || history_find(h, cursor->forth[cursor->count - 1], &n) ||
        node_prev(n) != here(h, cursor))
        return NULL;
    return n;
}

/* Goes one move forth; the way is kept if that leads along it. */
void cursor_forth(struct history const *h, struct cursor *cursor, struct node const *to)
{
    if (way_next(h, cursor) == to)
        cursor->count--;
    else
        forget_way(cursor);
    cursor->position = to->in.id;
}

static struct node *forth(struct history const *h, struct cursor const *cursor)
{
    struct node *n = way_next(h, cursor);
    if (n)
        return n;
    redo_branch const *front = here(h, cursor)->p.next;
    return front ? node_of(front->p) : NULL;
}

/* Whether the way kept leads to this position. */
static bool on_the_way(struct history const *h, struct cursor const *cursor, struct node const *to)
{
    unsigned from = here(h, cursor)->p.movecount, steps = to->p.movecount - from;
    if (to->p.movecount <= from || steps > cursor->count ||
        cursor->forth[cursor->count - steps] != to->in.id)
        return false;
    struct node const *n = to;
    for (uint32_t i = cursor->count - steps; i < cursor->count; i++) {
        if (cursor->forth[i] != n->in.id)
            return false;
        n = node_prev(n);
    }
    return n == here(h, cursor);
}

/* Whether `before` is on the way from the first position to n, or n itself. */
static bool is_before(struct node const *before, struct node const *n)
{
    while (n->p.movecount > before->p.movecount)
        n = node_prev(n);
    return n == before;
}

static int go_to(struct history *h, struct cursor *cursor, struct node *to)
{
    struct node *from = here(h, cursor);
    if (is_before(to, from)) {
        int rc = cursor_reserve(&h->cursors, cursor, from->p.movecount - to->p.movecount);
        if (rc)
            return rc;
        go_back(h, cursor, to);
    } else if (on_the_way(h, cursor, to)) {
        cursor->count -= to->p.movecount - from->p.movecount;
    } else {
        forget_way(cursor);
    }
    cursor->position = to->in.id;
    return REDO_OK;
}

static int undo(struct history *h, struct cursor *cursor, redo_operation const *op, redo_result *r)
{
    bool mine = op->value == redo_step_undomine;
    struct node *from = here(h, cursor), *to = from;
    for (int i = 0; i < op->move && to->p.prev; i++, to = node_prev(to)) {
        if (mine && authors_stamp(&h->authors, to->in.id).author != h->authors.now.author)
            break;
        r->value++;
    }
    int rc = cursor_reserve(&h->cursors, cursor, (uint32_t)r->value);
    if (!rc)
        go_back(h, cursor, to);
    return rc;
}

static int branch_back(struct history *h, struct cursor *cursor, redo_result *r)
{
    struct node *from = here(h, cursor), *to = from;
    while (to->p.prev && (to == from || to->p.nextcount < 2))
        to = node_prev(to);
    r->value = (int)(from->p.movecount - to->p.movecount);
    int rc = cursor_reserve(&h->cursors, cursor, (uint32_t)r->value);
    if (!rc)
        go_back(h, cursor, to);
    return rc;
}

/* Forth as redo does: n moves, or to a position that has not one branch. */
static void redo(struct history *h, struct cursor *cursor, redo_operation const *op, redo_result *r)
{
    bool branch = op->value == redo_step_branchforth;
    struct node *to;
    while ((branch || r->value < op->move) && (to = forth(h, cursor))) {
        cursor_forth(h, cursor, to);
        r->value++;
        if (branch && to->p.nextcount != 1)
            return;
    }
}

static void follow(struct history *h, struct cursor *cursor, redo_operation const *op,
                   redo_result *r)
{
    struct node *from = here(h, cursor), *to = branch_find(h, from, op->move);
    if (!to)
        return;
    r->changed = branch_front(h, from, to);
    cursor_forth(h, cursor, to);
    r->value = 1;
}

static void along_solution(struct history *h, struct cursor *cursor, int moves, redo_result *r)
{
    struct node *to;
    while (r->value < moves && (to = solution_next(here(h, cursor)))) {
        cursor_forth(h, cursor, to);
        r->value++;
    }
}

static int to_better(struct history *h, struct cursor *cursor, redo_result *r)
{
    redo_position *better = here(h, cursor)->p.better;
    if (!better)
        return REDO_OK;
    r->value = 1;
    return go_to(h, cursor, node_of(better));
}

/* ---- operations -------------------------------------------------------------------------- */

static int check_expected(struct history const *h, redo_operation const *op,
                          struct cursor const *cursor)
{
    struct node *n;
    if (op->source == NOBODY)
        return REDO_OK;
    if (!cursor)
        return REDO_ENOCURSOR;
    int rc = history_find(h, op->source, &n);
    if (rc == REDO_EPOSITION)
        return rc;
    return cursor->position == op->source ? REDO_OK : REDO_EEXPECTED;
}

int cursors_check(struct history const *h, redo_operation const *op)
{
    if (!op->name || op->namesize < 1 || op->namesize > REDO_CURSOR_MAX ||
        memchr(op->name, '\0', op->namesize))
        return REDO_ENAME;
    if (op->value < redo_step_goto || op->value > redo_step_drop)
        return REDO_ECONSTANT;
    bool moves = op->value == redo_step_undo || op->value == redo_step_redo ||
                 op->value == redo_step_solution || op->value == redo_step_undomine;
    if (moves && op->move < 1)
        return REDO_ERANGE;
    struct cursor const *cursor = cursors_find(&h->cursors, op->name, op->namesize);
    if (!cursor && op->value != redo_step_goto)
        return REDO_ENOCURSOR;
    if (!cursor && h->cursors.count == REDO_CURSORS_MAX)
        return REDO_EFULL;
    return check_expected(h, op, cursor);
}

static int step(struct history *h, struct cursor *cursor, redo_operation const *op, redo_result *r)
{
    switch (op->value) {
    case redo_step_undo:
    case redo_step_undomine:
        return undo(h, cursor, op, r);
    case redo_step_redo:
    case redo_step_branchforth:
        redo(h, cursor, op, r);
        return REDO_OK;
    case redo_step_move:
        follow(h, cursor, op, r);
        return REDO_OK;
    case redo_step_branchback:
        return branch_back(h, cursor, r);
    case redo_step_better:
        return to_better(h, cursor, r);
    default:
        along_solution(h, cursor, op->move, r);
        return REDO_OK;
    }
}

/* GOTO: the cursor is made where there is none. */
static int set(struct history *h, struct cursor *cursor, redo_operation const *op, redo_result *r)
{
    struct node *to;
    int rc = history_find(h, op->position, &to);
    if (rc)
        return rc;
    r->position = to->in.id;
    if (cursor) {
        r->value = cursor->position != op->position;
        return go_to(h, cursor, to);
    }
    cursor = cursors_make(&h->cursors, op->name, op->namesize, op->position);
    if (!cursor)
        return REDO_ENOMEM;
    cursor_moved(&h->cursors, cursor);
    r->value = r->changed = 1;
    return REDO_OK;
}

/* Before a cursor moves, what is open there is closed. Then the step can not fail. */
static int close_entry(struct history *h, struct cursor *cursor, redo_operation const *op,
                       redo_result *r)
{
    struct node *n;
    int rc = op->value == redo_step_goto ? history_find(h, op->position, &n) : REDO_OK;
    if (!rc)
        rc = cursor_reserve(&h->cursors, cursor, here(h, cursor)->p.movecount + 1);
    if (!rc)
        rc = entry_close(h, cursor, 0, r);
    if (!rc && r->position != NOBODY && !r->created)
        touched_order(h->touched, node_prev(here(h, cursor))->in.id);
    r->value = r->created = 0; /* of the step it is not told */
    return rc;
}

int cursors_apply(struct history *h, redo_operation const *op, redo_result *r)
{
    int rc = cursors_check(h, op);
    if (rc)
        return rc;
    struct cursor *cursor = cursors_find(&h->cursors, op->name, op->namesize);
    if (op->value == redo_step_drop) {
        cursors_drop(&h->cursors, cursor);
        r->value = r->changed = 1;
        return REDO_OK;
    }
    uint32_t before = cursor ? cursor->position : NOBODY;
    if (cursor && cursor->entry && (rc = close_entry(h, cursor, op, r)))
        return rc;
    rc = op->value == redo_step_goto ? set(h, cursor, op, r) : step(h, cursor, op, r);
    if (rc || !cursor)
        return rc;
    trim(&h->cursors, cursor);
    r->position = cursor->position;
    if (cursor->position != before) {
        cursor_moved(&h->cursors, cursor);
        r->changed = 1;
    }
    return REDO_OK;
}

int cursors_prepare(struct history *h, redo_operation const *op, bool *made)
{
    struct cursor *cursor = cursors_find(&h->cursors, op->name, op->namesize);
    *made = !cursor;
    if (cursor) /* back to the first position at most */
        return cursor_reserve(&h->cursors, cursor, here(h, cursor)->p.movecount);
    return cursors_make(&h->cursors, op->name, op->namesize, 0) ? REDO_OK : REDO_ENOMEM;
}

/* The first before n that was not dropped. Those between are told of it, in a field that no dropped
 * position has a use for, so that of many cursors below a position that is dropped each goes but to
 * where another came by. */
static struct node *left_before(struct history const *h, struct node *n)
{
    struct node *left = n, *next;
    while (!left->p.inuse)
        left = left->linked == NOBODY ? node_prev(left) : node_at(h, left->linked);
    for (; n != left; n = next) {
        next = n->linked == NOBODY ? node_prev(n) : node_at(h, n->linked);
        n->linked = left->in.id;
    }
    return left;
}

void cursors_settle(struct history *h)
{
    for (uint32_t i = 0; i < h->cursors.count; i++) {
        struct cursor *cursor = &h->cursors.all[i];
        struct node *n = here(h, cursor);
        if (n->p.inuse)
            continue;
        cursor->position = left_before(h, n)->in.id;
        cursor_moved(&h->cursors, cursor);
        forget_way(cursor);
        h->cursors.bytes -= entry_bytes(cursor->entry);
        entry_free(cursor->entry); /* its place is gone */
        cursor->entry = NULL;
        trim(&h->cursors, cursor);
    }
}
