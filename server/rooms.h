/* Sessions in memory: how they enter it; how they leave it, when nobody uses them, when what was
 * done to them is lost, or when their end has come; and what they take. Loop thread only. */
#ifndef SERVER_ROOMS_H
#define SERVER_ROOMS_H

#include "server/gateway.h"
#include "server/job.h"
#include "server/leaving.h"
#include "server/room.h"

/* A room for a session with this history, which is the room's from here on, also on failure: NULL
 * without memory. info->id: its id in the store; 0: it lives in memory alone. */
struct room *rooms_enter(struct gateway *gateway, struct history *history,
                         struct store_info const *info);

/* The room's history is what the job has loaded: where that ended, and that what comes after damage
 * is out of the way. */
void rooms_loaded(struct gateway *gateway, struct room *room, struct job const *job);

/* What a session takes: of the store, or of memory if it is not stored. */
uint64_t rooms_bytes(struct room const *room);

/* What the store keeps of a room, for batch_*(). */
struct store_info rooms_info(struct room const *room);

/* A session's memory may have changed: accounts for it, and lets others go if it is too much. */
void rooms_measure(struct gateway *gateway, struct room *room);

/* Takes a room out of memory; who is attached is told to load it anew. */
void rooms_discard(struct gateway *gateway, struct room *room);

/* The same of many at once, to none of which anyone is attached. Very many are freed later, some in
 * each turn of the loop; or all at last. */
void rooms_discard_all(struct gateway *gateway, struct room **rooms, size_t count);
void rooms_bury_all(struct gateway *gateway);

/* Sessions with a history that has failed (an operation was cut short in the middle of what can not
 * be taken back) leave memory, once what was done to them before is on disk, and come back from the
 * store, which knows nothing of it; those that are not stored end. Until then they are refused. */
void rooms_discard_broken(struct gateway *gateway);

/* Batches up to this one are on disk. */
void rooms_committed(struct gateway *gateway, uint64_t number);

/* Batches after this one are lost: sessions that they touched leave memory, and who is attached to
 * one is told to load it anew. */
void rooms_failed(struct gateway *gateway, uint64_t committed, int why);

#endif
