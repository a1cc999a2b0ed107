/* Compaction: the journal of a session becomes part of its snapshot, on the pool. Loop thread only.
 */
#ifndef SERVER_COMPACTION_H
#define SERVER_COMPACTION_H

#include "server/room.h"

/* Has a session compacted, on the pool, if its journal has grown large. */
void compaction_start_if_due(struct room *room);

#endif
