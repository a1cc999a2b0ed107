/* redo.h, function by function: checks the arguments, makes the operation, hands it on. What only
 * reads is answered from the history in this process. */
#include <stdlib.h>
#include <string.h>

#include "core/dump.h"
#include "core/error.h"
#include "core/session.h"

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

static uint32_t number_of(redo_position const *position)
{
    return node_of(position)->in.id;
}

static redo_position *by_number(redo_session const *session, uint32_t number)
{
    return number == NOBODY ? NULL : &node_at(session->history, number)->p;
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
    if (check_position(session, prev))
        return NULL;
    redo_operation op = {.kind = REDO_OP_ADD,
                         .position = number_of(prev),
                         .move = move,
                         .endpoint = endpoint,
                         .value = checkequiv,
                         .state = state,
                         .statesize = state ? session->history->size : 0};
    redo_result result;
    return submit(session, &op, &result) ? NULL : by_number(session, result.position);
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
    return submit(session, &op, &result) ? NULL : by_number(session, result.position);
}

redo_position *redo_dropposition(redo_session *session, redo_position *position)
{
    if (check_position(session, position))
        return position;
    redo_operation op = {.kind = REDO_OP_DROP, .position = number_of(position)};
    redo_result result;
    return submit(session, &op, &result) ? position : by_number(session, result.position);
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
        *pposition = by_number(session, result.position);
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

int redo_apply(redo_session *session, redo_operation const *operation, redo_result *result)
{
    if (check_session(session))
        return redo_lasterror();
    return operation ? submit(session, operation, result) : error_set(REDO_EOPERATION);
}
