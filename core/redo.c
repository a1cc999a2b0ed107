/* redo.h, function by function: checks the arguments, makes the operation, hands it on. What only
 * reads is answered from the history in this process. */
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/error.h"
#include "core/session.h"
#include "core/turn.h"

static int check_session(redo_session const *session)
{
    return error_set(session ? REDO_OK : REDO_ENOSESSION);
}

static int check_inuse(redo_position const *position)
{
    if (!position)
        return error_set(REDO_EPOSITION);
    return error_set(position->inuse ? REDO_OK : REDO_EDROPPED);
}

/* A position is of the session if the session has it under its number. Success is not noted: that
 * is for submit(), which follows. */
static int check_position(redo_session const *session, redo_position const *position)
{
    if (!session)
        return error_set(REDO_ENOSESSION);
    if (!position)
        return error_set(REDO_EPOSITION);
    if (pool_find(&session->history->nodes, node_of(position)->in.id) != node_of(position))
        return error_set(REDO_EFOREIGN);
    return position->inuse ? REDO_OK : error_set(REDO_EDROPPED);
}

/* What is told by change takes no states: they would be read as turns. */
static int check_states(redo_session const *session)
{
    return session->history->changes ? error_set(REDO_EKIND) : REDO_OK;
}

static uint32_t number_of(redo_position const *position)
{
    return node_of(position)->in.id;
}

static redo_position *by_number(redo_session const *session, uint32_t number)
{
    return number == NOBODY ? NULL : &node_at(session->history, number)->p;
}

/* The position in a result. Of an operation that was repeated it may be gone by now; in a session
 * that was loaded since, there is nothing under its number. */
static redo_position *outcome(redo_session const *session, redo_result const *result)
{
    if (!result->repeated || result->position == NOBODY)
        return by_number(session, result->position);
    return pool_find(&session->history->nodes, result->position);
}

static int submit(redo_session *session, redo_operation const *op, redo_result *result)
{
    return error_set(session->submit(session, op, result));
}

redo_position *redo_getfirstposition(redo_session const *session)
{
    return check_session(session) ? NULL : by_number(session, 0);
}

int redo_getsessionsize(redo_session const *session)
{
    return check_session(session) ? 0 : (int)session->history->count;
}

redo_position *redo_addposition(redo_session *session, redo_position *prev, int move,
                                void const *state, int endpoint, int checkequiv)
{
    if (check_position(session, prev) || check_states(session))
        return NULL;
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = number_of(prev),
                         .move = move,
                         .endpoint = endpoint,
                         .value = checkequiv,
                         .state = state,
                         .statesize = state ? session->history->size : 0};
    redo_result result;
    return submit(session, &op, &result) ? NULL : outcome(session, &result);
}

int redo_setgraftbehavior(redo_session *session, int grafting)
{
    if (check_session(session))
        return -1;
    redo_operation op = {.kind = REDO_OP_GRAFT, .value = grafting};
    redo_result result;
    return submit(session, &op, &result) ? session->history->graft : result.value;
}

void const *redo_getsavedstate(redo_position const *position)
{
    return check_inuse(position) ? NULL : node_state(history_of(position), node_of(position));
}

redo_position *redo_getnextposition(redo_position const *position, int move)
{
    if (check_inuse(position))
        return NULL;
    redo_branch const *front = position->next;
    if (!front || front->move == move) /* nothing to bring to the front */
        return front ? front->p : NULL;
    struct history *h = history_of(position);
    if (!branch_find(h, node_of(position), move))
        return NULL;
    redo_operation op = {.kind = REDO_OP_NEXT, .position = number_of(position), .move = move};
    redo_result result;
    redo_session *session = h->owner;
    return submit(session, &op, &result) ? NULL : outcome(session, &result);
}

redo_position *redo_dropposition(redo_session *session, redo_position *position)
{
    if (check_position(session, position))
        return position;
    redo_operation op = {.kind = REDO_OP_DROP, .position = number_of(position)};
    redo_result result;
    return submit(session, &op, &result) ? position : outcome(session, &result);
}

void redo_updatesavedstate(redo_session const *session, redo_position *position, void const *state)
{
    if (check_position(session, position))
        return;
    redo_operation op = {.kind = REDO_OP_UPDATE,
                         .position = number_of(position),
                         .state = state,
                         .statesize = state ? session->history->size : 0};
    submit((redo_session *)session, &op, NULL);
}

int redo_setbetterfields(redo_session *session)
{
    if (check_session(session))
        return -1;
    redo_operation op = {.kind = REDO_OP_SETBETTER};
    redo_result result;
    return submit(session, &op, &result) ? -1 : result.value;
}

int redo_suppresscycle(redo_session *session, redo_position **pposition, void const *state,
                       int prunelimit)
{
    if (check_position(session, pposition ? *pposition : NULL))
        return 0;
    redo_operation op = {.kind = REDO_OP_CYCLE,
                         .position = number_of(*pposition),
                         .value = prunelimit,
                         .state = state,
                         .statesize = state ? session->history->size : 0};
    redo_result result;
    if (submit(session, &op, &result))
        return 0;
    if (result.value)
        *pposition = outcome(session, &result);
    return result.value;
}

int redo_duplicatepath(redo_session *session, redo_position *dest, redo_position const *source)
{
    if (check_position(session, dest) || check_position(session, source))
        return 0;
    redo_operation op = {
        .kind = REDO_OP_DUPLICATE, .position = number_of(dest), .source = number_of(source)};
    redo_result result;
    return submit(session, &op, &result) ? 0 : result.value;
}

int redo_hassessionchanged(redo_session const *session)
{
    return check_session(session) ? 0 : session->history->changed;
}

int redo_clearsessionchanged(redo_session *session)
{
    if (check_session(session))
        return 0;
    redo_operation op = {.kind = REDO_OP_CLEAR};
    redo_result result;
    return submit(session, &op, &result) ? 0 : result.value;
}

uint32_t redo_getpositionid(redo_position const *position)
{
    return check_inuse(position) ? NOBODY : number_of(position);
}

redo_position *redo_getposition(redo_session const *session, uint32_t id)
{
    struct node *n;
    if (check_session(session) || error_set(history_find(session->history, id, &n)))
        return NULL;
    return &n->p;
}

int redo_getmove(redo_position const *position)
{
    return check_inuse(position) ? 0 : node_of(position)->in.move;
}

int redo_getstatesize(redo_session const *session)
{
    return check_session(session) ? 0 : (int)session->history->size;
}

int redo_getcmpsize(redo_session const *session)
{
    return check_session(session) ? 0 : (int)session->history->cmpsize;
}

int redo_getgraftbehavior(redo_session const *session)
{
    return check_session(session) ? -1 : session->history->graft;
}

int redo_dump(redo_session const *session, void **data, size_t *size)
{
    if (check_session(session))
        return redo_lasterror();
    return error_set(history_dump(session->history, data, size));
}

int redo_dropsubtree(redo_session *session, redo_position *position)
{
    if (check_position(session, position))
        return 0;
    redo_operation op = {.kind = REDO_OP_DROPTREE, .position = number_of(position)};
    redo_result result;
    return submit(session, &op, &result) ? 0 : (int)result.dropped;
}

int redo_setproperty(redo_session *session, char const *name, void const *value, size_t size)
{
    if (check_session(session))
        return redo_lasterror();
    if (!name || (size && !value))
        return error_set(REDO_ENAME);
    redo_operation op = {.kind = REDO_OP_PROPERTY,
                         .position = NOBODY,
                         .name = name,
                         .namesize = strlen(name),
                         .state = value,
                         .statesize = size};
    return submit(session, &op, NULL);
}

void const *redo_getproperty(redo_session const *session, char const *name, size_t *size)
{
    struct property *p = NULL;
    if (!check_session(session) && name)
        p = properties_find(&session->history->properties, name, strlen(name));
    if (size)
        *size = p ? p->value_size : 0;
    return p ? property_value(p) : NULL;
}

/* ---- cursors ----------------------------------------------------------------------------- */

/* A CURSOR; expect may be NULL. REDO_OK, or the code noted. */
static int cursor_operation(redo_session *session, char const *name, int step,
                            redo_position const *expect, redo_operation *op)
{
    if (check_session(session))
        return redo_lasterror();
    size_t size = name ? strlen(name) : 0;
    if (!size || size > REDO_CURSOR_MAX) /* which has no form as bytes, in a turn */
        return error_set(REDO_ENAME);
    if (expect && check_position(session, expect) && redo_lasterror() != REDO_EDROPPED)
        return redo_lasterror();
    *op = (redo_operation){.kind = REDO_OP_CURSOR,
                           .name = name,
                           .namesize = size,
                           .value = step,
                           .position = NOBODY,
                           .source = expect ? number_of(expect) : NOBODY};
    return REDO_OK;
}

static struct cursor *find_cursor(redo_session const *session, char const *name)
{
    if (check_session(session))
        return NULL;
    struct cursor *cursor =
        name ? cursors_find(&session->history->cursors, name, strlen(name)) : NULL;
    error_set(cursor ? REDO_OK : REDO_ENOCURSOR);
    return cursor;
}

redo_position *redo_getcursor(redo_session const *session, char const *name)
{
    struct cursor const *cursor = find_cursor(session, name);
    return cursor ? by_number(session, cursor->position) : NULL;
}

char const *redo_getcursorname(redo_session const *session, unsigned index)
{
    if (check_session(session) || index >= session->history->cursors.count)
        return NULL;
    return session->history->cursors.all[index].name;
}

redo_position *redo_setcursor(redo_session *session, char const *name, redo_position *position,
                              redo_position const *expect)
{
    redo_operation op;
    redo_result result;
    if (check_position(session, position) ||
        cursor_operation(session, name, redo_step_goto, expect, &op))
        return NULL;
    op.position = number_of(position);
    return submit(session, &op, &result) ? NULL : outcome(session, &result);
}

redo_position *redo_movecursor(redo_session *session, char const *name, enum redo_step step, int n,
                               redo_position const *expect, int *steps)
{
    redo_operation op;
    redo_result result;
    if (cursor_operation(session, name, step, expect, &op))
        return NULL;
    if (step == redo_step_goto || step == redo_step_drop) {
        error_set(REDO_ECONSTANT); /* these have functions of their own */
        return NULL;
    }
    op.move = n;
    if (submit(session, &op, &result))
        return NULL;
    if (steps)
        *steps = result.value;
    return outcome(session, &result);
}

int redo_dropcursor(redo_session *session, char const *name)
{
    redo_operation op;
    if (cursor_operation(session, name, redo_step_drop, NULL, &op))
        return redo_lasterror();
    return submit(session, &op, NULL);
}

/* ---- turns, authors ---------------------------------------------------------------------- */

/* The items of a turn from what the caller gave. REDO_OK, or a code. */
static int read_adds(redo_session *session, redo_add const *adds, size_t count,
                     struct turn_item *items)
{
    for (size_t i = 0; i < count; i++) {
        redo_add const *a = &adds[i];
        if (a->prev && check_position(session, a->prev))
            return redo_lasterror();
        if (!a->prev && a->after >= i)
            return REDO_EPOSITION;
        if (!a->state)
            return REDO_ESTATE;
        items[i] = (struct turn_item){.after = a->prev ? 0 : (uint32_t)a->after + 1,
                                      .op = {.kind = REDO_OP_ADD,
                                             .position = a->prev ? number_of(a->prev) : 0,
                                             .move = a->move,
                                             .endpoint = a->endpoint,
                                             .value = a->checkequiv,
                                             .state = a->state,
                                             .statesize = session->history->size}};
    }
    return REDO_OK;
}

/* The turn is applied: where its positions are. */
static void tell_positions(redo_session const *session, redo_position **positions, size_t count)
{
    struct answer const *answer = &session->history->answer;
    for (size_t i = 0; i < count; i++)
        positions[i] =
            i < answer->count ? pool_find(&session->history->nodes, answer->items[i] >> 1) : NULL;
}

int redo_addpositions(redo_session *session, redo_add const *adds, size_t count, char const *cursor,
                      redo_position const *expect, redo_position **positions)
{
    if (check_session(session) || check_states(session))
        return redo_lasterror();
    if (!adds || !count || count > REDO_TURN_MAX)
        return error_set(adds && count ? REDO_EFULL : REDO_ERANGE);
    struct turn_item *items = malloc((count + 1) * sizeof *items);
    redo_operation op = {.kind = REDO_OP_TURN, .position = NOBODY};
    void *data = NULL;
    int rc = items ? read_adds(session, adds, count, items) : REDO_ENOMEM;
    if (!rc && cursor) {
        items[count] = (struct turn_item){.after = (uint32_t)count};
        rc = cursor_operation(session, cursor, redo_step_goto, expect, &items[count].op);
    }
    if (!rc)
        rc = turn_write(items, (uint32_t)count + (cursor != NULL), &data, &op.statesize);
    op.state = data;
    free(items);
    rc = rc ? error_set(rc) : submit(session, &op, NULL);
    free(data);
    if (!rc && positions)
        tell_positions(session, positions, count);
    return rc;
}

int redo_getauthor(redo_position const *position, redo_author *author)
{
    if (check_inuse(position))
        return 0;
    struct authors const *all = &history_of(position)->authors;
    struct stamp stamp = authors_stamp(all, number_of(position));
    if (!stamp.author)
        return 0;
    struct author const *a = &all->all[stamp.author - 1];
    if (author)
        *author = (redo_author){
            .number = stamp.author, .uid = a->uid, .name = a->name, .time = stamp.time};
    return 1;
}

int redo_getgames(redo_session const *session, uint64_t const **games, size_t *count)
{
    if (check_session(session))
        return redo_lasterror();
    struct games const *g = session->history->games;
    if (!g)
        return error_set(REDO_ENOTMATCH);
    if (games)
        *games = g->order;
    if (count)
        *count = g->count;
    return error_set(REDO_OK);
}

int redo_apply(redo_session *session, redo_operation const *operation, redo_result *result)
{
    if (check_session(session))
        return redo_lasterror();
    return operation ? submit(session, operation, result) : error_set(REDO_EOPERATION);
}
