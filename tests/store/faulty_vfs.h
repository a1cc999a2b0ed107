/* A disk that fails: a SQLite VFS over the system's, made the default by faulty_install(), so that
 * the store's own layer comes to lie on it. What is written stays in memory until it is synced.
 * Then
 *
 *   - a call can fail, once or from there on, a failed write leaving half of its bytes behind, and
 * a failed sync losing what it should have synced while it can still be read, as Linux does;
 *   - the power can be cut: of what was not synced nothing is left, or any of its sectors.
 *
 * Files that are read other than through SQLite have what was synced, and all of it once they are
 * closed. */
#ifndef TESTS_STORE_FAULTY_VFS_H
#define TESTS_STORE_FAULTY_VFS_H

#include <stdbool.h>

enum faulty_mode {
    FAULTY_NOT,
    FAULTY_ONCE,   /* the call fails */
    FAULTY_ONWARD, /* and all after it */
    FAULTY_DARK,   /* as ONWARD, but nothing else happens in them at all: the power is gone */
};

void faulty_install(void);

/* The nth call from now on (1: the next) is the one. error: errno of a write or sync that fails. */
void faulty_arm(enum faulty_mode mode, unsigned nth, int error);
void faulty_disarm(void);

/* Calls since it was armed or disarmed, and whether one has failed. */
unsigned faulty_calls(void);
bool faulty_failed(void);

/* Everything that is not synced is gone, or with `sectors` (a seed, not 0) some of it. All files
 * that are open stay dark until they are closed. */
void faulty_power_cut(unsigned sectors);

/* The process is killed: everything written is there. Otherwise as above. */
void faulty_kill(void);

#endif
