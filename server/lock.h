/* An advisory lock on a file: of all processes that want it one has it, until it closes it or dies.
 * The file holds the owner's process id. It is never renamed or unlinked by anyone who locks it: a
 * lock on a file that another can replace is none. Loop thread. */
#ifndef SERVER_LOCK_H
#define SERVER_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

struct lock {
    int fd; /* -1 if not held */
};

enum {
    LOCK_TAKEN = 0, /* it is ours */
    LOCK_HELD = 1,  /* another process has it */
};

/* Takes the lock on the file at path, which is made (mode 0600) if need be. LOCK_TAKEN; LOCK_HELD,
 * *holder being the id of who has it, 0 if that could not be learned; or -1 with errno. */
int lock_take(struct lock *lock, char const *path, pid_t *holder);

/* Whether the file locked is still the one at path. */
bool lock_stands(struct lock const *lock, char const *path);

/* Gives the lock back; harmless if it is not held. The file stays. */
void lock_close(struct lock *lock);

#endif
