/* The store: where sessions are when the daemon is not. Behind this interface stands SQLite;
 * another store could. A session is a snapshot (the bytes of redo_dump()) and the operations since,
 * in their encoded form, as subscribers get them; both with checksums.
 *
 * Changes are gathered in a batch by whoever makes them and committed as one transaction: all of a
 * batch is on disk, or nothing. Committing is for one thread at a time; so is each reader, and both
 * may go on at once. Nothing here knows the event loop.
 */
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/history.h"
#include "protocol/buffer.h"

struct store;
struct store_reader;

#define STORE_IDS ((uint64_t)1 << 29) /* ids, and */
#define STORE_OPERATIONS \
    ((uint64_t)1 << 34) /* sequence numbers, and keys of kept bytes, are below */
#define STORE_VERSION 2 /* of the schema; a store of a newer one is refused, untouched */

/* Opens the store in a folder (made, 0700, if it is not there; files 0600 under any umask), holding
 * the lock that makes this process its only owner. REDO_OK; or a code, and `why` says what is wrong
 * in words for the log: REDO_ELOCKED (and by whom), REDO_EVERSION, REDO_ESTORE. A damaged store
 * opens as far as anything in it can be read: its files stay as they are, and what is intact is
 * taken over into a new database beside them (README.md). The same happens later, when damage is
 * met; who met it waits for it. A store of an older version becomes one of this version, where it
 * is, in one transaction. */
int store_open(struct store **store, char const *folder, char *why, size_t why_size);
void store_close(struct store *store);

/* What happened to the store since the last call and is worth a line in a log (it was damaged and
 * rebuilt; a log was kept): false if nothing did. Any thread, also right after store_open(). */
bool store_notice(struct store *store, char *text, size_t size);

/* ---- sessions ---------------------------------------------------------------------------- */

/* What is kept of a session beside its content: listed without loading it. */
struct store_info {
    uint64_t id;      /* given by the daemon, never again */
    char const *name; /* UTF-8; valid until the reader is used again */
    size_t name_size;
    uint64_t sequence; /* of the last operation */
    uint32_t size, cmpsize;
    uint32_t positions;
    unsigned char graft;
    bool changed;
    bool solved;            /* a solution leads through the first position */
    bool by_change;         /* told by change, not by states */
    bool damaged;           /* operations or snapshots were set aside: see store_load() */
    int64_t created, used;  /* seconds since 1970 */
    int64_t trashed;        /* when it was deleted; 0: it was not */
    uint32_t owner;         /* uid: names are of an owner each */
    uint32_t group;         /* gid */
    uint32_t mode;          /* 0 in stores of version 1, where it stands for 0600 */
    uint64_t bytes;         /* of snapshot and journal */
    uint64_t journal_bytes; /* of the operations since the snapshot */
    bool is_match;          /* it has games, of which there are so many */
    uint32_t games;
    uint64_t match;         /* it is a game of this match; 0: of none */
    bool with_match;        /* it is in the trash because its match was deleted */
    void const *properties; /* a msgpack map, or NULL; as name; a match or a game has none */
    size_t properties_size;
};

/* ---- writing ----------------------------------------------------------------------------- */

/* A batch: changes in order. Owned by one thread at a time. */
struct batch {
    struct buffer changes; /* encoded for store_commit() alone */
    size_t count;
    bool owns; /* dumps that were not copied */
};

void batch_init(struct batch *b);
void batch_close(struct batch *b);
void batch_clear(struct batch *b); /* keeps its memory */

/* Lets go of the dumps that are the batch's: all that is left to do with it is batch_clear(). */
void batch_release(struct batch *b);

/* Each appends a change; running out of memory shows in b->changes.failed. */

/* A new session with this content; info's name, owner, group, mode, times, properties are taken. */
void batch_create(struct batch *b, struct store_info const *info, void const *dump, size_t size);
/* The same; dump is malloc()ed, and the batch's from here on: it may be too large to be copied. */
void batch_create_with(struct batch *b, struct store_info const *info, void *dump, size_t size);
/* An operation on a session, as its number `sequence`; and what info tells after it (positions,
 * graft, changed, solved, used). */
void batch_operation(struct batch *b, struct store_info const *after, void const *encoded,
                     size_t size);
void batch_rename(struct batch *b, uint64_t id, char const *name, size_t size);
void batch_access(struct batch *b, uint64_t id, uint32_t owner, uint32_t group, uint32_t mode);
/* Deleting: into the trash (its name is free again), back under a name, and for ever. */
void batch_trash(struct batch *b, uint64_t id, int64_t when);
void batch_restore(struct batch *b, uint64_t id, char const *name, size_t size);
void batch_purge(struct batch *b, uint64_t id);
/* A match has so many games now, and these ids are of this match, or (0) of none. This and the next
 * three pass over those that are not there any more. */
void batch_games(struct batch *b, uint64_t id, uint32_t games, uint64_t match, uint64_t const *ids,
                 size_t count);
/* Sessions are deleted with their match, if they are not in the trash already; come back with it
 * under their names, if they were; or go for ever, if they were, and else are of no match. */
void batch_trash_games(struct batch *b, uint64_t const *ids, size_t count, int64_t when);
void batch_restore_games(struct batch *b, uint64_t const *ids, size_t count);
void batch_purge_games(struct batch *b, uint64_t const *ids, size_t count);
/* Bytes set aside with a session (a dropped subtree, to be restored): kept under a key. */
void batch_keep(struct batch *b, uint64_t id, uint64_t key, int64_t when, void const *data,
                size_t size);
void batch_forget(struct batch *b, uint64_t id, uint64_t key);

/* Puts the batch on disk in one transaction and syncs: REDO_OK; or nothing of it is there:
 * REDO_EFULLDISK, REDO_EIO, REDO_ESTORE, REDO_ENOMEM; or the batch is wrong: REDO_EEXISTS (a name
 * of that owner), REDO_ENOSESSION, REDO_ESTORE (a sequence number does not follow the one before),
 * REDO_EFULL (a number beyond STORE_IDS or STORE_OPERATIONS). The operations of one session in a
 * batch become one row. After REDO_EIO on a sync nothing is taken for written that was not synced:
 * the store is reopened before the next commit. */
int store_commit(struct store *store, struct batch const *batch);

/* ---- reading ----------------------------------------------------------------------------- */

/* A reader sees all that was committed before it is used. NULL without memory or on error. */
struct store_reader *store_reader_open(struct store *store);
void store_reader_close(struct store_reader *r);

/* The highest id ever given. */
int store_last_id(struct store_reader *r, uint64_t *id);

/* REDO_OK and *info; REDO_ENOSESSION; or an error. By name and owner: sessions that are not in the
 * trash. One whose record was lost to damage is called recovered-ID, and is of who runs this. */
int store_find(struct store_reader *r, char const *name, size_t size, uint32_t owner,
               struct store_info *info);
int store_find_id(struct store_reader *r, uint64_t id, struct store_info *info);

/* The same of each of these ids in turn, but those that are not there. each() returns false to
 * stop.
 */
int store_each(struct store_reader *r, uint64_t const *ids, size_t count,
               bool (*each)(void *data, struct store_info const *info), void *data);

/* Up to limit sessions whose names begin with prefix and come after `after` (empty: from the
 * first), in the order of the bytes of their names, and of owners where several have one name;
 * trash: those in the trash instead, where it is the order of ids. Of the name `after` itself those
 * come whose owner (or id) is above after_key: -1 all of them, STORE_LAST none. each() returns
 * false to stop. */
#define STORE_LAST INT64_MAX
int store_list(struct store_reader *r, char const *prefix, size_t prefix_size, char const *after,
               size_t after_size, int64_t after_key, size_t limit, bool trash,
               bool (*each)(void *data, struct store_info const *info), void *data);

/* All sessions of exactly this name, in the order of their owners; those in the trash are left out.
 * each() returns false to stop. */
int store_named(struct store_reader *r, char const *name, size_t size,
                bool (*each)(void *data, struct store_info const *info), void *data);

/* A session's content: its newest intact snapshot and the operations after it, applied. Up to the
 * first damage: then *damaged, and *sequence is that of the last operation before it. REDO_OK and
 * *history, the caller's; REDO_ENOSESSION, REDO_EDAMAGED (nothing of it is whole), REDO_ENOMEM. */
int store_load(struct store_reader *r, uint64_t id, struct history **history, uint64_t *sequence,
               bool *damaged);

/* The encoded operations from number `from` on, up to and including `to`, in order; REDO_ERANGE if
 * the first of them is no longer kept one by one (a snapshot took its place). */
int store_operations(struct store_reader *r, uint64_t id, uint64_t from, uint64_t to,
                     bool (*each)(void *data, uint64_t sequence, void const *op, size_t size),
                     void *data);

/* A session's content as store_load() would give it, telling each operation after number `since`
 * once it is applied: REDO_ERANGE if the snapshot, or nothing of the session, is from after that.
 * If reading has to begin again it is told from the first one again. */
struct store_replay {
    uint64_t since;
    struct touched *touched; /* history.touched while operations are applied that are told */
    void (*tell)(struct store_replay *replay, struct history *h, uint64_t sequence,
                 redo_operation const *op, redo_result const *result, void const *encoded,
                 size_t size);
    void *data;
};
int store_replay(struct store_reader *r, uint64_t id, struct store_replay *replay,
                 struct history **history, uint64_t *sequence);

/* What was kept under keys with a session: what batch_keep() was given, in the order of keys from
 * `from` on; data is NULL unless `with_data`. each() returns false to stop. */
int store_kept(struct store_reader *r, uint64_t id, uint64_t from, bool with_data,
               bool (*each)(void *data, uint64_t key, int64_t when, void const *kept, size_t size),
               void *data);

/* Sets aside what is damaged in a session, so that it can be written to again after `sequence`:
 * what comes after is kept in the store, out of the way, never deleted. */
int store_set_aside(struct store *store, uint64_t id, uint64_t sequence);

/* ---- upkeep ------------------------------------------------------------------------------ */

/* Makes a new snapshot of a session from the store alone, and drops the operations that are in it.
 * May run on any thread beside commits, which it never holds up for long: it writes in pieces, and
 * a crash at any point leaves the old or the new. */
int store_compact(struct store *store, uint64_t id);

/* Brings what was committed from the log into the database, when that is worth its while. To be
 * called by who commits, when nobody waits for it. */
int store_tidy(struct store *store);

/* Gives free space of the file back to the disk, if it is much: a piece at a time, *more telling
 * whether there is more to give. */
int store_shrink(struct store *store, bool *more);

/* Copies the whole store to a file, which is there (0600, replacing one of that name) when it is
 * whole, as the store was when the call began. Any thread, beside commits. */
int store_backup(struct store *store, char const *file, char *why, size_t why_size);

/* Puts such a file in the place of what a store, that nobody owns, has now; that stays beside it. A
 * file that is not whole is refused. */
int store_restore(char const *folder, char const *file, char *why, size_t why_size);

/* Looks through a store that nobody owns, and tells of each session: how many of its operations are
 * whole (`kept`, as a sequence number) and what is wrong (NULL: nothing). With repair, sets aside
 * what is damaged; without, nothing of the store is changed, but as much room as it takes is needed
 * beside it. */
struct store_check {
    uint64_t whole, damaged; /* sessions */
    uint64_t pages;          /* that are damaged, of the files */
    void (*tell)(void *data, struct store_info const *info, uint64_t kept, char const *what);
    void *data;
};
int store_check(char const *folder, bool repair, struct store_check *check, char *why,
                size_t why_size);

#endif
