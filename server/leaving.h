/* Sessions that go: those that are being taken away in a batch that is not on disk yet, so that the
 * store still shows them; and when which went, so that a job that has read the store meanwhile
 * knows that what it read may not hold. Loop thread only. */
#ifndef SERVER_LEAVING_H
#define SERVER_LEAVING_H

#include "server/gateway.h"

struct job;

/* The session of that name or handle is being taken away, or renamed, in the open batch: until that
 * is on disk the store still shows it there. REDO_OK or REDO_ENOMEM. */
int rooms_leave(struct gateway *gateway, uint64_t id, enum leaving_how how);

/* The same of a match and its games: the ids rise, and are copied. */
int rooms_leave_match(struct gateway *gateway, uint64_t id, enum leaving_how how,
                      uint64_t const *games, size_t count);

/* Batches up to this one are on disk: those that were leaving in them have left. */
void rooms_left(struct gateway *gateway, uint64_t number);

/* Frees what is kept of those that are leaving. */
void rooms_forget_leaving(struct gateway *gateway);

/* The batch in which it is being taken away, or 0. */
uint64_t rooms_leaving(struct gateway const *gateway, uint64_t id);

/* A session has left memory, or is gone for ever: what jobs under way have read of it, or of one of
 * that name and owner, may not hold any more. */
void rooms_departed(struct gateway *gateway, uint64_t id, char const *name, size_t size,
                    uint32_t owner);

/* Whether that befell this session, or what the job asked for, since the job was started. */
bool rooms_departed_since(struct job const *job, uint64_t id);
bool rooms_name_departed_since(struct job const *job, char const *name, size_t size,
                               uint32_t owner);
bool rooms_stale(struct job const *job);

/* Many sessions come back from the trash in the open batch: until it is on disk the store does not
 * show them, and what jobs under way have found does not hold. */
void rooms_return(struct gateway *gateway);

#endif
