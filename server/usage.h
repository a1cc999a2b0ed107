/* What each user takes: sessions, their positions and their bytes, charged to the owner; and the
 * limits of that. Kept only if there is a limit. Sessions in the trash count with their bytes
 * alone, until they are purged. Root and the daemon's own user have no limits. Loop thread only. */
#ifndef SERVER_USAGE_H
#define SERVER_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_reader;

struct usage_amount {
    uint64_t sessions, positions, bytes;
};

struct usage_user {
    uint32_t uid;
    struct usage_amount takes;
};

struct usage_session {
    uint64_t id; /* the session's handle */
    uint32_t uid;
    uint32_t positions;
    uint64_t bytes;
    uint64_t since;            /* the batch that has begun it, or brought it back from the trash */
    bool trashed, was_trashed; /* now; before that batch */
    bool gone;                 /* an empty place */
};

struct usage {
    struct usage_amount limit; /* of a user; 0: none */
    bool active;               /* any of them is not 0 */
    struct usage_user *users;  /* rising */
    size_t user_count, user_cap;
    struct usage_session *sessions; /* rising */
    size_t session_count, session_cap, gone_count;
};

void usage_init(struct usage *u, struct usage_amount limit);
void usage_close(struct usage *u);

/* Counts all sessions of a store, without loading any. REDO_OK, REDO_ENOMEM, an error of the store.
 */
int usage_count(struct usage *u, struct store_reader *reader);

/* Room for one more session, of this user, so that usage_enter() can not fail: REDO_OK or
 * REDO_ENOMEM. */
int usage_reserve(struct usage *u, uint32_t uid);

/* A session was begun, loaded or brought back from the trash: it takes so much; `since` is the open
 * batch. */
void usage_enter(struct usage *u, uint64_t id, uint32_t uid, uint32_t positions, uint64_t bytes,
                 uint64_t since);

/* It takes so much by now. */
void usage_set(struct usage *u, uint64_t id, uint32_t positions, uint64_t bytes);

/* It is in the trash; it is gone for ever. That is on disk. */
void usage_trash(struct usage *u, uint64_t id);
void usage_leave(struct usage *u, uint64_t id);

/* Batches after this one are lost, and with them the sessions that they have begun or brought back.
 */
void usage_failed(struct usage *u, uint64_t committed);

/* The name of the limit that this user would break by taking so much more, with its value and what
 * the user takes of it; NULL: none. A limit that is broken already is no matter to what takes no
 * more of it. */
char const *usage_broken(struct usage const *u, uint32_t uid, struct usage_amount more,
                         uint64_t *value, uint64_t *takes);

/* Whether limits are not for this user. */
bool usage_exempt(uint32_t uid);

#endif
