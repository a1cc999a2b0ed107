/* A connection to the SQLite file of a store, set up as the store needs it, with its statements.
 * One thread at a time. */
#ifndef SERVER_STORE_DATABASE_H
#define SERVER_STORE_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands in place of an error code where a page or the whole file turned out to be damaged:
 * the file has to be rebuilt (salvage.h). Never handed out of the store. */
#define DATABASE_DAMAGED (-1)

#define DATABASE_APPLICATION 0x7265646f /* "redo", in the file's header */
#define DATABASE_WAL_HEAD 32            /* bytes before the frames of a write-ahead log */
#define DATABASE_FRAME_HEAD 24          /* of a frame, before its page */

enum statement {
    SQL_BEGIN,
    SQL_COMMIT,
    SQL_ROLLBACK,
    SQL_SESSION_GET,
    SQL_SESSION_PUT,
    SQL_SESSION_DELETE,
    SQL_SESSION_ALL,
    SQL_NAME_GET,
    SQL_NAME_PUT,
    SQL_NAME_DELETE,
    SQL_NAME_LIST,
    SQL_NAME_OWNERS,
    SQL_TRASH_PUT,
    SQL_TRASH_DELETE,
    SQL_TRASH_LIST,
    SQL_JOURNAL_PUT,
    SQL_JOURNAL_FROM,
    SQL_JOURNAL_BEFORE,
    SQL_JOURNAL_DELETE,
    SQL_JOURNAL_TRIM,
    SQL_JOURNAL_BYTES,
    SQL_PART_PUT,
    SQL_PART_GET,
    SQL_PART_KEYS,
    SQL_PART_DELETE,
    SQL_PART_TRIM,
    SQL_KEPT_PUT,
    SQL_KEPT_LIST,
    SQL_KEPT_RANGE,
    SQL_KEPT_DELETE,
    SQL_ASIDE_PUT,
    SQL_LAST_GET,
    SQL_LAST_PUT,
    SQL_STATEMENTS,
};

struct database {
    sqlite3 *sqlite; /* NULL: not open */
    sqlite3_stmt *statements[SQL_STATEMENTS];
};

/* A new file with an empty schema: path must not exist. Its mode is 0600. A code. */
int database_create(char const *path);

/* Opens an existing one. REDO_OK, DATABASE_DAMAGED, or a code. */
int database_open(struct database *db, char const *path);

/* The same for one of any version up to this one, whose statements may not fit yet. */
int database_open_any(struct database *db, char const *path);

/* Makes one of an older version one of this version, inside a transaction of the caller's. REDO_OK,
 * DATABASE_DAMAGED, or a code: then the transaction has to be taken back. */
int database_upgrade(struct database *db);

/* Closes it, also if it is not open. The log stays as it is. */
void database_close(struct database *db);

/* Brings all of the log into the database, so that closing leaves one file, if nobody else has it
 * open. */
int database_finish(struct database *db);

/* A statement, ready for its values to be bound; NULL: see database_error(). */
sqlite3_stmt *database_statement(struct database *db, enum statement which);

/* The code for what went wrong last, which SQLite calls rc: REDO_OK for SQLITE_OK, ROW and DONE. */
int database_error(struct database *db, int rc);

/* Runs a statement that gives no rows, and resets it. */
int database_run(struct database *db, sqlite3_stmt *statement);

/* The same for one without values. */
int database_do(struct database *db, enum statement which);

/* Any SQL. */
int database_exec(struct database *db, char const *sql);

/* The record of a row by key, in the order of its statement; until the statement is reset: REDO_OK
 * and *data (NULL: there is no such row). */
int database_get(struct database *db, sqlite3_stmt *statement, int64_t key, void const **data,
                 size_t *size);

#endif
