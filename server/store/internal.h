/* What the parts of the store share. */
#ifndef SERVER_STORE_INTERNAL_H
#define SERVER_STORE_INTERNAL_H

#include <pthread.h>

#include "server/lock.h"
#include "server/store/database.h"
#include "server/store/record.h"
#include "server/store/store.h"

#define STORE_PATH_MAX 4096

struct pages;
struct pending; /* commit.c */

struct store {
    char folder[STORE_PATH_MAX - 64];
    struct lock lock;
    /* The database in use is number.redo.db in the folder; damaged ones before it stay as they are.
     * Who uses it holds the gate shared; who puts another in its place, alone. Each store_reader
     * opens its own connection, and another when it finds that the number has changed. */
    pthread_rwlock_t gate;
    unsigned number;
    uint32_t version; /* of the database, when it was looked at before it was opened; 0: unknown */
    pthread_mutex_t telling;
    char news[STORE_PATH_MAX]; /* see store_notice() */
    /* Everything below belongs to who holds `writing`, inside the gate. */
    pthread_mutex_t writing;
    struct database db;
    bool stained;          /* a commit failed: what it left in the log must go before the next */
    uint64_t log_salts;    /* of the log when the last transaction began; 0: it was empty */
    uint32_t log_frames;   /* how many frames it has as of the last commit */
    uint32_t log_done;     /* of which so many are in the database */
    uint32_t log_limit;    /* more than so many others are brought there by store_tidy() */
    struct buffer scratch; /* a record */
    struct pending *pending;
    size_t pending_count, pending_cap;
    uint32_t *pending_index; /* hash -> place in pending + 1 */
    size_t pending_slots;
};

void store_path(struct store const *store, unsigned number, char const *suffix, char *path);

/* A store that is not open yet, to be given to store_close(); NULL without memory. */
struct store *store_new(void);

/* Takes the lock of the folder, which is made if it is not there, and finds its database:
 * store->number is 0 if there is none. A code, and why. */
int store_attach(struct store *store, char const *folder, bool make, char *why, size_t why_size);

/* Looks at the files of its database, which is not open: REDO_OK, and whether it has to be rebuilt;
 * REDO_EVERSION; a code. *pages is to be closed in any case. */
int store_inspect(struct store *store, struct pages *pages, bool *damaged);

/* Makes the database, which is whole and not open, one of this version, if it is of an older one. A
 * code, or DATABASE_DAMAGED: it is as it was. */
int store_upgrade(struct store *store);

/* Where a new database is made, whose name tells that it is not whole yet; takes away what is left
 * of one that was not; and puts it in place, as the next number. */
void store_new_path(struct store const *store, char const *suffix, char *path);
void store_remove_new(struct store const *store);
int store_adopt_new(struct store *store);

/* In and out of the gate and of `writing`, with store->db open and clean. A code; when it is not
 * REDO_OK nothing is held. */
int store_write_begin(struct store *store);
void store_write_end(struct store *store);

/* Frees what store_commit() keeps from batch to batch. */
void commit_close(struct store *store);

/* Begins a transaction; and ends it: commits if rc is REDO_OK, else takes everything back. Returns
 * rc or what went wrong in committing. */
int store_transaction(struct store *store);
int store_transaction_end(struct store *store, int rc);

/* Puts a database made of what can be read in the place of the damaged one with this number, if
 * that is still the one in use. Nothing may be held. A code. */
int store_rebuild(struct store *store, unsigned number);

/* The next three are in reader.c and commit.c. Reads the record of a session: REDO_OK,
 * REDO_ENOSESSION, DATABASE_DAMAGED, a code. It points into the statement, which is the caller's to
 * reset. */
int session_read(struct database *db, uint64_t id, struct session *s);

/* Writes the record of a session, with the next revision. */
int session_write(struct store *store, struct session *s);

/* Enters a session under its name, or in the trash if its `trashed` says so; and takes it out. */
int name_enter(struct database *db, struct store_info const *info);

/* Inserts or replaces the record in `record` under a key. */
int row_put(struct database *db, enum statement which, int64_t key, struct buffer const *record);

/* How often something of a session was set aside. */
int store_epoch(struct store_reader *r, uint64_t id, uint32_t *epoch);

/* store_load(), or store_replay(), in a database. */
int load_session(struct database *db, uint64_t id, struct store_replay *replay,
                 struct history **history, uint64_t *sequence, bool *damaged);

#endif
