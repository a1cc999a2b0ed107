/* The events of methods.def, packed. */
#ifndef SERVER_EVENT_H
#define SERVER_EVENT_H

#include "protocol/buffer.h"
#include "server/room.h"

/* The notification of the operation that was just applied, room->encoded, as number room->sequence,
 * all but its last param: own, which is not the same for all. result: with effects; NULL:
 * without. */
void event_pack(struct buffer *b, struct room const *room, redo_operation const *op,
                redo_result const *result);

/* The notification that what was told of the session after it was loaded may not hold any more. */
void event_pack_resync(struct buffer *b, uint64_t session);

/* The notification that the session was deleted. */
void event_pack_ended(struct buffer *b, struct room const *room);

#endif
