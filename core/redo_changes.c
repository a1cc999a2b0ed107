/* The part of redo.h that is about sessions told by change. */
#include <stdlib.h>
#include <string.h>

#include "core/changes/changes.h"
#include "core/error.h"
#include "core/session.h"

/* A session of this kind, and a position of it, or NULL. */
static int check(redo_session const *session, redo_position const *position)
{
    if (!session)
        return error_set(REDO_ENOSESSION);
    if (!session->history->changes)
        return error_set(REDO_EKIND);
    if (!position)
        return error_set(REDO_EPOSITION);
    if (pool_find(&session->history->nodes, node_of(position)->in.id) != node_of(position))
        return error_set(REDO_EFOREIGN);
    return error_set(position->inuse ? REDO_OK : REDO_EDROPPED);
}

static int check_session(redo_session const *session)
{
    return check(session, session ? &node_at(session->history, 0)->p : NULL);
}

static redo_position *by_result(redo_session const *session, redo_result const *r)
{
    return r->position == NOBODY ? NULL : &node_at(session->history, r->position)->p;
}

redo_position *redo_addchanges(redo_session *session, redo_position *prev, int move,
                               void const *turn, size_t size, int endpoint, int checkequiv)
{
    redo_result r;
    if (check(session, prev))
        return NULL;
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = node_of(prev)->in.id,
                         .move = move,
                         .endpoint = endpoint,
                         .value = checkequiv,
                         .state = turn,
                         .statesize = turn ? size : 0};
    return error_set(session->submit(session, &op, &r)) ? NULL : by_result(session, &r);
}

int redo_getlines(redo_position const *position, void const **turn, size_t *size)
{
    if (!position || !position->inuse)
        return error_set(position ? REDO_EDROPPED : REDO_EPOSITION);
    struct history const *h = history_of(position);
    if (!h->changes)
        return error_set(REDO_EKIND);
    struct turn const *t = changes_turn(h, node_of(position));
    if (!t)
        return error_set(REDO_EFIRST);
    *turn = t->data;
    *size = t->size;
    return error_set(REDO_OK);
}

/* Gives the caller what was written. */
static int give(struct value_writer *w, int rc, void **data, size_t *size)
{
    if (!rc && w->failed)
        rc = REDO_ENOMEM;
    if (rc) {
        free(w->data);
        return error_set(rc);
    }
    *data = w->data;
    *size = w->size;
    return error_set(REDO_OK);
}

int redo_gettable(redo_session *session, redo_position const *position, void **data, size_t *size)
{
    struct value_writer w = {0};
    struct table const *t;
    int rc = check(session, position);
    if (rc)
        return rc;
    rc = changes_table(session->history, node_of(position), &t);
    if (!rc)
        rc = changes_put_table(session->history, t, &w);
    return give(&w, rc, data, size);
}

int redo_getdiff(redo_session *session, redo_position const *from, redo_position const *to,
                 void **data, size_t *size)
{
    struct value_writer w = {0};
    int rc = check(session, from);
    if (rc || (rc = check(session, to)))
        return rc;
    rc = changes_put_way(session->history, node_of(from), node_of(to), &w);
    return give(&w, rc, data, size);
}

int redo_getrenamed(redo_session const *session, void **data, size_t *size)
{
    struct value_writer w = {0};
    if (check_session(session))
        return redo_lasterror();
    return give(&w, changes_put_renamed(session->history->changes, &w), data, size);
}

static void tell_fault(struct fault const *f, redo_fault *fault)
{
    *fault = (redo_fault){.what = f->what,
                          .field = f->field,
                          .line = (long)f->line,
                          .place = (long)f->place,
                          .expected = f->expected,
                          .expectedsize = f->expected ? f->expected_size : 0,
                          .given = f->given,
                          .givensize = f->given ? f->given_size : 0};
}

int redo_getfault(redo_session const *session, redo_fault *fault)
{
    if (check_session(session) || !*session->history->changes->fault.what)
        return 0;
    if (fault)
        tell_fault(&session->history->changes->fault, fault);
    return 1;
}

/* ---- entries ----------------------------------------------------------------------------- */

/* An operation on what is open at a cursor. */
static int entry_operation(redo_session *session, char const *cursor, redo_operation *op,
                           redo_result *r)
{
    size_t size = cursor ? strlen(cursor) : 0;
    if (check_session(session))
        return redo_lasterror();
    if (!size || size > REDO_CURSOR_MAX)
        return error_set(REDO_ENAME);
    op->name = cursor;
    op->namesize = size;
    op->position = op->source = NOBODY;
    return error_set(session->submit(session, op, r));
}

redo_position *redo_newundo(redo_session *session, char const *cursor, int const *move)
{
    redo_result r;
    redo_operation op = {
        .kind = REDO_OP_NEWUNDO, .value = move ? redo_entry_move : 0, .move = move ? *move : 0};
    return entry_operation(session, cursor, &op, &r) ? NULL : by_result(session, &r);
}

int redo_addundo(redo_session *session, char const *cursor, void const *line, size_t size)
{
    redo_result r;
    redo_operation op = {.kind = REDO_OP_ADDUNDO, .state = line, .statesize = line ? size : 0};
    return entry_operation(session, cursor, &op, &r);
}

int redo_dropundo(redo_session *session, char const *cursor)
{
    redo_result r;
    redo_operation op = {.kind = REDO_OP_NEWUNDO, .value = redo_entry_drop};
    return entry_operation(session, cursor, &op, &r);
}

/* The lines of the turn of a position, or none. */
static int tell_turn(struct history const *h, struct node const *n, bool backwards, void **lines,
                     size_t *size)
{
    struct value_writer w = {0};
    int rc = REDO_OK;
    if (n)
        rc = changes_put_lines(changes_turn(h, n), backwards, &w);
    else
        value_put_array(&w, 0);
    return give(&w, rc, lines, size);
}

static redo_position *one_step(redo_session *session, char const *cursor, enum redo_step step,
                               void **lines, size_t *size)
{
    redo_result r;
    redo_operation op = {.kind = REDO_OP_CURSOR, .value = step, .move = 1};
    if (entry_operation(session, cursor, &op, &r))
        return NULL;
    struct history const *h = session->history;
    struct cursor const *c = cursors_find(&h->cursors, cursor, strlen(cursor));
    if (!lines || !c)
        return by_result(session, &r);
    struct node const *n = NULL;
    if (r.value && step == redo_step_undo)
        n = node_at(h, c->forth[c->count - 1]);
    else if (r.value)
        n = node_at(h, c->position);
    return tell_turn(h, n, step == redo_step_undo, lines, size) ? NULL : by_result(session, &r);
}

redo_position *redo_undo(redo_session *session, char const *cursor, void **lines, size_t *size)
{
    return one_step(session, cursor, redo_step_undo, lines, size);
}

redo_position *redo_redo(redo_session *session, char const *cursor, void **lines, size_t *size)
{
    return one_step(session, cursor, redo_step_redo, lines, size);
}
