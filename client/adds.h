/* Adds that are not waited for: redo_client_addposition_async(). They gather, and go out together
 * as one operation, a turn, when none of this session is on its way. So each round trip, and each
 * wait for the disk, is shared by all that came meanwhile, however long that is. */
#ifndef CLIENT_ADDS_H
#define CLIENT_ADDS_H

#include <stdbool.h>

struct mirror;
struct redo_client;

/* Sends what is there and can be sent now, of all sessions. */
void adds_send(struct redo_client *client);

/* Whether adds_send() has something to do. */
bool adds_due(struct redo_client const *client);

/* Waits until all adds of a session are answered, or of all: REDO_OK, REDO_ETIMEOUT, REDO_ECLOSED.
 */
int adds_settle(struct mirror *m);

/* None of them can be done any more, for this reason: says so. */
void adds_fail(struct mirror *m, int code);

/* The session ends: waits for them as long as the call may, fails the rest, and frees what there
 * is. */
void adds_end(struct mirror *m);

#endif
