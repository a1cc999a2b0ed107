/* The key of the request that a session began with: kept with the session, as those of the changes
 * after it, so that a request whose answer was lost can be sent again, also after a restart. */
#ifndef SERVER_BEGUN_H
#define SERVER_BEGUN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/call.h"

/* What is to be begun, as a hash, from the call's params and the options `name`, `match` and
 * `table`; the methods are told apart. 0 if the call has no key. REDO_OK, or a failure prepared:
 * REDO_EKEY (not a key), REDO_ECLOSED, REDO_ENOMEM. */
enum begun_method { BEGUN_STATES = 1, BEGUN_CHANGES = 2, BEGUN_LOADED = 3, BEGUN_MATCH = 4 };
int begun_read(struct call *call, enum begun_method method, uint64_t *what);

/* Whether this session was begun with the call's key: then *rc is REDO_OK if by the same request,
 * or REDO_EKEY prepared. */
bool begun_is(struct call *call, struct room const *room, uint64_t what, int *rc);

/* The private session of this connection that was begun with the call's key, or NULL. */
struct room *begun_private(struct call const *call);

/* Keeps the key with what begins. REDO_OK, or a failure prepared. */
int begun_keep(struct call *call, struct history *history, uint64_t what);

#endif
