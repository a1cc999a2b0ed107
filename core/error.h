/* Sets what redo_lasterror() tells. The one thing in core/ that is not held by a session: a
 * failure may have no session to hang on. */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

#include "redo_error.h"

/* Notes the code (REDO_OK too) for this thread and returns it. */
int error_set(int code);

#endif
