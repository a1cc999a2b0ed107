/* A match goes to the trash, comes back and goes for ever with its games, in one batch: all or
 * none.
 *
 * Which games these are is looked up on the pool, since there may be very many; then what is in
 * memory is looked at, all in one go. Deleted with it are the games that are not in the trash yet;
 * what comes back or goes for ever with it are those that were deleted with it. A game that was
 * deleted by itself stays where it is, and a match that goes for ever lets go those that do not go
 * with it. Loop thread only, but for match_look_trashed(). */
#ifndef SERVER_MATCH_H
#define SERVER_MATCH_H

#include "server/call.h"
#include "server/job.h"

/* The rest of deletesession, for a match that this client owns: REDO_OK, and the answer is packed;
 * CALL_LATER; a failure prepared: REDO_EDENIED if a game is another's. */
int match_delete(struct call *call, struct room *match);

/* In a job that has loaded a match in the trash, on the pool: notes the games that were deleted
 * with it. job->result: REDO_EDENIED (job->limit: the game that is another's). */
void match_look_trashed(struct job *job);

/* The failure of such a job that is about a game, prepared. */
int match_fail_trashed(struct call *call, struct job const *job);

/* Whether a name that the job found to be free may not be any more. */
bool match_is_stale(struct job const *job);

/* Whether a match, and the games that the job has noted, can come back, the match under this name:
 * REDO_OK or a failure prepared. Then: they do, in the batch in which the match does. */
int match_check_return(struct call *call, struct job const *job, char const *name, size_t size);
void match_return(struct call *call, struct job const *job);

/* The games that the job has noted go for ever with the match, in the open batch, and the others
 * are let go; nobody waits for that. REDO_OK or REDO_ENOMEM, and nothing is done. */
int match_purge(struct gateway *gateway, uint64_t id, struct job const *job, uint64_t *number);

/* Whether a session that is about to begin, with a name or not and stored or not, can be a game of
 * this match: REDO_OK or a failure prepared. */
int match_check_new(struct call *call, struct room const *match, struct history const *history,
                    bool named, bool stored);

/* Puts a session that begins in this call, and is not in the batch yet, at the end of the match's
 * list: REDO_OK, and match_take() can be called once it is in the batch; or a failure prepared. */
int match_enter(struct call *call, struct room *match, uint64_t game, bool hurry);

/* Games are of this match from now on, or (0) of none: in memory, and in the batch that holds the
 * match's last change. members_reserve() was called. */
void match_take(struct gateway *gateway, struct room *match, uint64_t of, uint64_t const *ids,
                size_t count);

#endif
