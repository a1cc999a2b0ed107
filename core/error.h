/* Sets what redo_lasterror() tells. The one thing in core/ that is not held by a session: a
 * failure may have no session to hang on. */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include "redo_error.h"

/* Of this thread. In the library it is reached without a call, as every function notes one. */
extern _Thread_local int error_last
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Notes the code (REDO_OK too) and returns it. */
static inline int error_set(int code)
{
    return error_last = code;
}

#endif
