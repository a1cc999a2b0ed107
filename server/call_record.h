/* What the handlers of records share: which list, or which item, a call is about. Each is REDO_OK,
 * or the failure prepared. */
#ifndef SERVER_CALL_RECORD_H
#define SERVER_CALL_RECORD_H

#include "core/redo_record.h"
#include "server/call.h"

/* The option list. */
int call_record_list(struct call *call, enum redo_of *of);

/* The options branch, candidate and decision: what has a property. */
int call_record_of(struct call *call, enum redo_of *of, uint32_t *id);

#endif
