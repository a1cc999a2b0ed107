/* Finding sessions, wherever they are: in memory, or in the store and to be loaded; and letting
 * them leave memory when nobody uses them. Loop thread only. */
#ifndef SERVER_ROOMS_H
#define SERVER_ROOMS_H

#include "server/call.h"
#include "server/job.h"

/* The session of exactly that name and owner, or of that handle; or the one that an address stands
 * for: REDO_OK, REDO_ENOSESSION, an error of the store, or CALL_LATER. Those that this client may
 * not read, and private ones of others, are not there. */
int rooms_named(struct call *call, char const *name, size_t size, uint32_t owner,
                struct room **room);
int rooms_handled(struct call *call, uint64_t handle, struct room **room);
int rooms_addressed(struct call *call, char const *text, size_t size, struct room **room);

/* The session of that name or handle is being taken away, or renamed, in the open batch: until that
 * is on disk the store still shows it there. REDO_OK or REDO_ENOMEM. */
int rooms_leave(struct gateway *gateway, uint64_t id, enum leaving_how how);

/* The same of a match and its games: the ids rise, and are copied. */
int rooms_leave_match(struct gateway *gateway, uint64_t id, enum leaving_how how,
                      uint64_t const *games, size_t count);

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

/* Batches up to this one are on disk. */
void rooms_committed(struct gateway *gateway, uint64_t number);

/* Batches after this one are lost: sessions that they touched leave memory, and who is attached to
 * one is told to load it anew. */
void rooms_failed(struct gateway *gateway, uint64_t committed);

/* A session's memory may have changed: accounts for it, and lets others go if it is too much. */
void rooms_measure(struct gateway *gateway, struct room *room);

/* A room for a session with this history, which is the room's from here on, also on failure: NULL
 * without memory. info->id: its id in the store; 0: it lives in memory alone. */
struct room *rooms_enter(struct gateway *gateway, struct history *history,
                         struct store_info const *info);

/* The room's history is what the job has loaded: where that ended, and that what comes after damage
 * is out of the way. */
void rooms_loaded(struct gateway *gateway, struct room *room, struct job const *job);

/* Sessions with a history that has failed (an operation was cut short in the middle of what can not
 * be taken back) leave memory, once what was done to them before is on disk, and come back from the
 * store, which knows nothing of it; those that are not stored end. Until then they are refused. */
void rooms_discard_broken(struct gateway *gateway);

/* Takes a room out of memory; who is attached is told to load it anew. */
void rooms_discard(struct gateway *gateway, struct room *room);

/* The same of many at once, to none of which anyone is attached. Very many are freed later, some in
 * each turn of the loop; or all at last. */
void rooms_discard_all(struct gateway *gateway, struct room **rooms, size_t count);
void rooms_bury_all(struct gateway *gateway);

/* Many sessions come back from the trash in the open batch: until it is on disk the store does not
 * show them, and what jobs under way have found does not hold. */
void rooms_return(struct gateway *gateway);

/* What a session takes: of the store, or of memory if it is not stored. */
uint64_t rooms_bytes(struct room const *room);

/* Has a session compacted, on the pool, if its journal has grown large. */
void rooms_compact(struct gateway *gateway, struct room *room);

/* What the store keeps of a room, for batch_*(). */
struct store_info rooms_info(struct room const *room);

#endif
