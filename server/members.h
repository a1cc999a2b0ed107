/* In which match sessions are, of those for which that has changed since the daemon began: the
 * store knows it of all (store_info.match), but what a job has read of it may be older than a
 * change that is on its way to the disk. Loop thread only. */
#ifndef SERVER_MEMBERS_H
#define SERVER_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct member {
    uint64_t id;     /* 0: an empty place */
    uint64_t match;  /* 0: none */
    uint64_t number; /* of the batch in which that changed */
};

struct members {
    struct member *slots; /* by hash */
    size_t count, cap;    /* cap: a power of two, or 0 */
};

void members_close(struct members *m);

/* Room for so many more, so that members_set() can not fail: REDO_OK or REDO_ENOMEM. */
int members_reserve(struct members *m, size_t more);

/* A session is of this match from now on, or (0) of none: in the open batch, which is `number`. */
void members_set(struct members *m, uint64_t id, uint64_t match, uint64_t number);

/* The match that a session is in, if it is known here; else `otherwise`. */
uint64_t members_match(struct members const *m, uint64_t id, uint64_t otherwise);

/* Forgets what is in batches after this one: they are lost, and the store is right. */
void members_failed(struct members *m, uint64_t committed);

/* Forgets what is on disk, if it is much: to be called while no job reads. */
void members_tidy(struct members *m, uint64_t committed);

#endif
