/* The events of methods.def, packed. */
#ifndef SERVER_EVENT_H
#define SERVER_EVENT_H

#include "protocol/buffer.h"
#include "server/room.h"

/* The notification that an operation was applied, as this number in the session's sequence, in its
 * encoded form: all but its last two params, the effects (or nil) and own, a bool. */
void event_pack_encoded(struct buffer *b, uint64_t session, uint64_t sequence, void const *encoded,
                        size_t size);

/* EFFECTS of the operation that the history has just applied, with what it touched. */
void event_pack_effects(struct buffer *b, struct history *h, redo_operation const *op,
                        redo_result const *result, struct touched *touched);

/* The notification that what was told of the session after it was loaded may not hold any more. */
void event_pack_resync(struct buffer *b, uint64_t session);

/* The notification that no more of the session is told: the last was number `sequence`. */
void event_pack_lagged(struct buffer *b, uint64_t session, uint64_t sequence);

/* The notification that the daemon lives; the next comes in so many seconds at the latest. */
void event_pack_keepalive(struct buffer *b, uint64_t seconds);

/* The notification that the session was deleted. */
void event_pack_ended(struct buffer *b, struct room const *room);

#endif
