/* Sessions in this process: begun, loaded and ended here, changed at once. */
#include <stdlib.h>

#include "core/changes/changes.h"
#include "core/dump.h"
#include "core/error.h"
#include "core/session.h"

static int apply_here(redo_session *session, redo_operation const *op, redo_result *result)
{
    return history_apply(session->history, op, result);
}

static redo_session *hold(struct history *history)
{
    if (!history)
        return NULL;
    redo_session *session = malloc(sizeof *session);
    if (!session) {
        history_free(history);
        error_set(REDO_ENOMEM);
        return NULL;
    }
    *session = (redo_session){.history = history, .submit = apply_here};
    history->owner = session;
    error_set(REDO_OK);
    return session;
}

redo_session *redo_beginsession(void const *initialstate, int size, int cmpsize)
{
    if (size < 0 || cmpsize < 0) {
        error_set(REDO_ESTATE);
        return NULL;
    }
    return hold(history_new(initialstate, (size_t)size, (size_t)cmpsize));
}

redo_session *redo_beginchanges(void const *schema, size_t schemasize, void const *table,
                                size_t tablesize, int lenient, redo_fault *fault)
{
    static _Thread_local struct fault why;
    struct history *history = changes_new(schema, schemasize, table, tablesize, lenient != 0, &why);
    if (!history && fault)
        *fault = (redo_fault){
            .what = why.what, .field = why.field, .line = (long)why.line, .place = (long)why.place};
    return hold(history);
}

redo_session *redo_load(void const *data, size_t size)
{
    struct history *history = NULL;
    error_set(history_load(data, size, &history));
    return hold(history);
}

void redo_endsession(redo_session *session)
{
    error_set(REDO_OK);
    if (!session)
        return;
    history_free(session->history);
    free(session);
}
