/* Finding sessions, wherever they are: in memory, or in the store and to be loaded. Loop thread
 * only. */
#ifndef SERVER_FINDING_H
#define SERVER_FINDING_H

#include "server/call.h"

/* The session of exactly that name and owner, or of that handle; or the one that an address stands
 * for: REDO_OK, REDO_ENOSESSION, an error of the store, or CALL_LATER. Those that this client may
 * not read, and private ones of others, are not there. */
int rooms_named(struct call *call, char const *name, size_t size, uint32_t owner,
                struct room **room);
int rooms_handled(struct call *call, uint64_t handle, struct room **room);
int rooms_addressed(struct call *call, char const *text, size_t size, struct room **room);

#endif
