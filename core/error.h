/* Sets what redo_lasterror() tells. The one thing in core/ that is not held by a session: a
 * failure may have no session to hang on. */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include "redo_error.h"

/* Of this thread. */
extern _Thread_local int error_last __attribute__((visibility("hidden")));

/* Notes the code (REDO_OK too) and returns it. */
static inline int error_set(int code)
{
    return error_last = code;
}

#endif
