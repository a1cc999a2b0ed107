#include "core/changes/entry.h"

#include <stdlib.h>
#include <string.h>

#include "core/changes/inside.h"
#include "core/changes/lines.h"
#include "core/changes/steps.h"
#include "core/error.h"
#include "core/history.h"

/* ---- life -------------------------------------------------------------------------------- */

void entry_free(struct entry *e)
{
    if (!e)
        return;
    free(e->lines.data);
    free(e->after.data);
    free(e->steps.data);
    free(e);
}

size_t entry_bytes(struct entry const *e)
{
    return e ? sizeof *e + e->lines.cap + e->after.cap + e->steps.cap : 0;
}

/* Puts another entry, or none, in the place of a cursor's. */
static void put_entry(struct history *h, struct cursor *cursor, struct entry *e)
{
    h->cursors.bytes -= entry_bytes(cursor->entry);
    entry_free(cursor->entry);
    cursor->entry = e;
    h->cursors.bytes += entry_bytes(e);
}

static bool is_line(void const *data, size_t size)
{
    struct value_reader r = {data, (unsigned char const *)data + size};
    struct value v = value_next(&r);
    return v.type == VALUE_ARRAY && v.count;
}

int entry_load(struct history *h, struct cursor *cursor, struct entry const *head,
               void const *lines, size_t lines_size, void const *after, size_t after_size)
{
    struct value_reader r = {lines, (unsigned char const *)lines + lines_size};
    for (uint32_t i = 0; i < head->count; i++) {
        unsigned char const *start = r.at;
        if (!value_skip(&r) || !is_line(start, (size_t)(r.at - start)))
            return REDO_EDAMAGED;
    }
    bool whole = r.at == r.end;
    r = (struct value_reader){after, (unsigned char const *)after + after_size};
    for (uint32_t i = 0; i < head->after_count; i++)
        if (!value_skip(&r))
            return REDO_EDAMAGED;
    if (!whole || r.at != r.end || lines_size + after_size > REDO_STATE_MAX)
        return REDO_EDAMAGED;
    struct entry *e = malloc(sizeof *e);
    if (!e)
        return REDO_ENOMEM;
    *e = *head;
    value_put_bytes(&e->lines, lines, lines_size);
    value_put_bytes(&e->after, after, after_size);
    if (e->lines.failed || e->after.failed) {
        entry_free(e);
        return REDO_ENOMEM;
    }
    put_entry(h, cursor, e);
    return REDO_OK;
}

/* ---- adding lines ------------------------------------------------------------------------ */

/* One line as an ADDUNDO tells it: the line, or it and what it does not tell, [field, value] each.
 */
struct told {
    unsigned char const *line;
    size_t size;
    struct value_reader after;
    uint32_t after_count;
};

/* Whether a line is not too deep in a turn, which has two arrays around it. */
static bool fits_turn(void const *line, size_t size)
{
    struct value_reader r = {line, (unsigned char const *)line + size};
    return value_skip_inside(&r, 2);
}

static bool read_told(redo_operation const *op, struct told *told)
{
    struct value_reader r = {op->state, (unsigned char const *)op->state + op->statesize}, inside;
    *told = (struct told){.line = r.at, .size = op->statesize};
    if (!value_whole(op->state, op->statesize))
        return false;
    struct value pair = value_next(&r);
    inside = r;
    if (pair.type != VALUE_ARRAY || !pair.count)
        return false;
    if (value_next(&inside).type != VALUE_ARRAY)
        return fits_turn(told->line, told->size);
    told->line = r.at;
    value_skip(&r);
    told->size = (size_t)(r.at - told->line);
    if (pair.count > 2 || !is_line(told->line, told->size) || !fits_turn(told->line, told->size))
        return false;
    struct value after = pair.count == 2 ? value_next(&r) : (struct value){.type = VALUE_NIL};
    told->after = r;
    told->after_count = after.type == VALUE_ARRAY ? after.count : 0;
    return after.type == VALUE_ARRAY || after.type == VALUE_NIL;
}

/* What the line does not tell, as a turn has it. */
static int put_after(struct told const *told, uint32_t line, struct value_writer *w)
{
    struct value_reader r = told->after;
    for (uint32_t i = 0; i < told->after_count; i++) {
        struct value pair = value_next(&r);
        if (pair.type != VALUE_ARRAY || pair.count != 2)
            return REDO_EOPERATION;
        unsigned char const *start = r.at;
        value_skip(&r);
        value_skip(&r);
        value_put_array(w, 3);
        value_put_int(w, line);
        value_put_bytes(w, start, (size_t)(r.at - start));
    }
    return w->failed ? REDO_ENOMEM : REDO_OK;
}

static struct value_reader reader_of(void const *data, size_t size)
{
    return (struct value_reader){data, (unsigned char const *)data + size};
}

/* Runs lines on the main table, which goes on by them. */
static int run_lines(struct changes *c, struct turn_reader const *turn, struct run *run)
{
    *run = (struct run){.c = c,
                        .table = &c->main.table,
                        .mode = c->lenient ? LINES_LENIENT : LINES_STRICT,
                        .fault = &c->fault};
    return lines_run(run, turn);
}

/* Works out what the lines do where the cursor is, if that is not known; the main table goes on by
 * them. */
static int go_on(struct history *h, struct cursor const *cursor, struct entry *e)
{
    struct changes *c = h->changes;
    if (e->compiled && e->at == cursor->position && e->generation == c->generation)
        return steps_do(&c->main.table, e->steps.data, e->steps.size);
    struct turn_reader all = {.lines = reader_of(e->lines.data, e->lines.size),
                              .count = e->count,
                              .after = reader_of(e->after.data, e->after.size),
                              .after_count = e->after_count};
    struct run run;
    e->compiled = false;
    int rc = e->count ? run_lines(c, &all, &run) : REDO_OK;
    if (!e->count) {
        e->steps.size = e->faults = 0;
    } else if (!rc) {
        free(e->steps.data);
        e->steps = run.steps;
        e->faults = run.faults;
    } else {
        free(run.steps.data);
        if (run.lost)
            view_lose(&c->main);
    }
    e->compiled = !rc;
    e->at = cursor->position;
    e->generation = c->generation;
    return rc;
}

/* The main table is again that of the cursor's position, or lost. */
static void come_back(struct changes *c, struct entry const *e, struct run const *run)
{
    bool lost = run->lost || steps_undo(&c->main.table, run->steps.data, run->steps.size) ||
                steps_undo(&c->main.table, e->steps.data, e->steps.size);
    if (lost)
        view_lose(&c->main);
}

/* Puts the line that was run behind the others. */
static int append(struct entry *e, struct told const *told, struct value_writer const *after,
                  struct run const *run)
{
    if (e->lines.size + told->size + e->after.size + after->size > REDO_STATE_MAX / 2)
        return REDO_EFULL;
    if (!value_reserve(&e->lines, told->size) || !value_reserve(&e->after, after->size) ||
        !value_reserve(&e->steps, run->steps.size))
        return REDO_ENOMEM;
    value_put_bytes(&e->lines, told->line, told->size);
    value_put_bytes(&e->after, after->data, after->size);
    value_put_bytes(&e->steps, run->steps.data, run->steps.size);
    e->count++;
    e->after_count += told->after_count;
    e->faults += run->faults;
    return REDO_OK;
}

static int add_line(struct history *h, struct cursor *cursor, struct entry *e,
                    struct told const *told, struct value_writer const *after)
{
    struct changes *c = h->changes;
    struct run run = {0};
    struct turn_reader one = {.lines = reader_of(told->line, told->size),
                              .first = e->count,
                              .count = 1,
                              .after = reader_of(after->data, after->size),
                              .after_count = told->after_count};
    c->fault = (struct fault){.line = -1, .place = -1};
    int rc = view_go(h, &c->main, node_at(h, cursor->position));
    if (!rc)
        rc = go_on(h, cursor, e);
    if (rc) {
        e->compiled = false;
        return rc;
    }
    size_t before = e->steps.size;
    rc = run_lines(c, &one, &run);
    if (!rc)
        rc = append(e, told, after, &run);
    struct entry done = *e;
    done.steps.size = before;
    come_back(c, &done, &run);
    free(run.steps.data);
    e->compiled &= !rc; /* values that were new are forgotten */
    return rc;
}

/* ---- closing ----------------------------------------------------------------------------- */

/* The entry's turn as bytes. */
static int put_turn(struct entry const *e, struct value_writer *w)
{
    value_put_array(w, 3);
    value_put_array(w, e->count);
    value_put_bytes(w, e->lines.data, e->lines.size);
    if (e->after_count) {
        value_put_array(w, e->after_count);
        value_put_bytes(w, e->after.data, e->after.size);
    } else {
        value_put_nil(w);
    }
    value_put_nil(w);
    return w->failed ? REDO_ENOMEM : REDO_OK;
}

/* The move of the turn: that of a branch with the same lines, if there is one; or the one given, if
 * no other turn has it; or the lowest that is free. */
static int choose_move(struct history *h, struct node *n, struct entry const *e,
                       struct value_writer const *turn)
{
    for (redo_branch const *b = n->p.next; b; b = b->cdr) {
        struct turn const *t = changes_turn(h, node_of(b->p));
        if (t->size == turn->size && memcmp(t->data, turn->data, t->size) == 0)
            return b->move;
    }
    if (e->has_move && !branch_find(h, n, e->move))
        return e->move;
    int move = 0;
    while (branch_find(h, n, move))
        move++;
    return move;
}

int entry_close(struct history *h, struct cursor *cursor, int endpoint, redo_result *r)
{
    struct entry *e = cursor->entry;
    struct value_writer turn = {0};
    if (!e || !e->count) {
        put_entry(h, cursor, NULL);
        return REDO_OK;
    }
    struct node *n = node_at(h, cursor->position);
    int rc = put_turn(e, &turn);
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = cursor->position,
                         .endpoint = endpoint,
                         .value = redo_check,
                         .state = turn.data,
                         .statesize = turn.size};
    if (!rc) {
        op.move = choose_move(h, n, e, &turn);
        rc = history_add(h, &op, r);
    }
    free(turn.data);
    if (rc)
        return rc;
    r->differs = 0;
    r->value = 1;
    put_entry(h, cursor, NULL);
    cursor_forth(h, cursor, node_at(h, r->position));
    cursor_moved(&h->cursors, cursor);
    return REDO_OK;
}

/* ---- operations -------------------------------------------------------------------------- */

/* The cursor, made at the first position where there is none. */
static int find_cursor(struct history *h, redo_operation const *op, struct cursor **cursor,
                       bool *made)
{
    if (!op->name || op->namesize < 1 || op->namesize > REDO_CURSOR_MAX ||
        memchr(op->name, '\0', op->namesize))
        return REDO_ENAME;
    *cursor = cursors_find(&h->cursors, op->name, op->namesize);
    *made = !*cursor;
    if (*cursor)
        return REDO_OK;
    if (h->cursors.count == REDO_CURSORS_MAX)
        return REDO_EFULL;
    *cursor = cursors_make(&h->cursors, op->name, op->namesize, 0);
    return *cursor ? REDO_OK : REDO_ENOMEM;
}

static int new_undo(struct history *h, struct cursor *cursor, redo_operation const *op,
                    redo_result *r)
{
    if (op->value & ~(redo_entry_move | redo_entry_drop))
        return REDO_ECONSTANT;
    if (op->endpoint < -128 || op->endpoint > 127)
        return REDO_ERANGE;
    struct entry *e = calloc(1, sizeof *e);
    if (!e)
        return REDO_ENOMEM;
    int rc = REDO_OK;
    if (op->value & redo_entry_drop)
        put_entry(h, cursor, NULL);
    else
        rc = entry_close(h, cursor, op->endpoint, r);
    if (rc) {
        free(e);
        return rc;
    }
    e->has_move = op->value & redo_entry_move;
    e->move = e->has_move ? op->move : 0;
    put_entry(h, cursor, e);
    return REDO_OK;
}

static int add_undo(struct history *h, struct cursor *cursor, redo_operation const *op,
                    redo_result *r)
{
    struct told told;
    struct value_writer after = {0};
    if (!op->state || !read_told(op, &told))
        return REDO_EOPERATION;
    struct entry *fresh = cursor->entry ? NULL : calloc(1, sizeof *fresh);
    struct entry *e = cursor->entry ? cursor->entry : fresh;
    int rc = e ? put_after(&told, e->count, &after) : REDO_ENOMEM;
    size_t bytes = entry_bytes(cursor->entry);
    if (!rc)
        rc = add_line(h, cursor, e, &told, &after);
    h->cursors.bytes += entry_bytes(cursor->entry) - bytes;
    free(after.data);
    if (rc)
        entry_free(fresh);
    else if (fresh)
        put_entry(h, cursor, fresh);
    if (!rc)
        r->value = (int)e->count;
    return rc;
}

int entries_apply(struct history *h, redo_operation const *op, redo_result *r)
{
    struct cursor *cursor;
    bool made;
    int rc = h->changes ? find_cursor(h, op, &cursor, &made) : REDO_EKIND;
    if (rc)
        return rc;
    rc = op->kind == REDO_OP_NEWUNDO ? new_undo(h, cursor, op, r) : add_undo(h, cursor, op, r);
    if (rc && made)
        cursors_drop(&h->cursors, cursor);
    if (rc)
        return rc;
    if (made)
        cursor_moved(&h->cursors, cursor);
    r->position = cursor->position;
    r->changed = 1;
    return REDO_OK;
}

bool entry_is_open(struct history const *h, redo_operation const *op)
{
    struct cursor const *cursor = cursors_find(&h->cursors, op->name, op->namesize);
    return cursor && cursor->entry && cursor->entry->count;
}
