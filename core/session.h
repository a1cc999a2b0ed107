/* What stands behind a redo_session: a history, and where operations on it go. redo.c implements
 * redo.h on top of this for both libraries; only beginning and ending differ between them. */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "core/history.h"

struct redo_session {
    struct history *history; /* in process: the session; in the client: the replica */

    /* Applies the operation, here or in the daemon, so that history shows its outcome on return:
     * REDO_OK and *result, or a code and nothing changed. */
    int (*submit)(redo_session *session, redo_operation const *op, redo_result *result);
};

#endif
